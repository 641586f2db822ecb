/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/random.h"

#include "harness.h"

/* Known answers of Philox4x32-10 (Random123's kat_vectors). */
START_TEST(known_answers)
{
    static const struct {
        uint64_t block, stream, seed; /* counter and key, low words first */
        uint32_t out[4];
    } known[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    for (size_t i = 0; i < 3; i++) {
        steep_random random = steep_random_start(known[i].seed, known[i].stream);
        random.block = known[i].block;
        steep_random_uniform(&random);
        for (int w = 0; w < 4; w++) ck_assert_uint_eq(random.word[w], known[i].out[w]);
    }
}
END_TEST

/* Sample means of u, u^2 and of products of neighbours, against their expectations, at 5 standard errors. */
START_TEST(uniform_numbers_have_the_moments_of_uniform_ones)
{
    enum { N = 200000 };
    steep_random random = steep_random_start(11, STEEP_STREAM_TEST);
    double mean = 0, square = 0, product = 0, before = 0.5;
    int bin[16] = {0};
    for (int i = 0; i < N; i++) {
        double u = steep_random_uniform(&random);
        ck_assert(u >= 0 && u < 1);
        mean += u / N;
        square += u * u / N;
        product += (u - 0.5) * (before - 0.5) / N;
        before = u;
        bin[(int)(16 * u)]++;
    }
    check_close(mean, 1.0 / 2, 5 * sqrt(1.0 / 12 / N));
    check_close(square, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
    check_close(product, 0, 5.0 / 12 / sqrt(N));
    double chi = 0;
    for (int b = 0; b < 16; b++) chi += pow(bin[b] - N / 16.0, 2) / (N / 16.0);
    ck_assert_msg(chi < 15 + 5 * sqrt(30), "chi squared of 16 bins: %g", chi);
}
END_TEST

START_TEST(normal_numbers_have_the_moments_of_normal_ones)
{
    enum { N = 200000 };
    steep_random random = steep_random_start(3, STEEP_STREAM_TEST);
    double moment[4] = {0}, tail = 0;
    for (int i = 0; i < N; i++) {
        double z = steep_random_normal(&random), power = z;
        ck_assert(isfinite(z));
        for (int m = 0; m < 4; m++, power *= z) moment[m] += power / N;
        tail += fabs(z) > 1.959963984540054;
    }
    check_close(moment[0], 0, 5 / sqrt(N));
    check_close(moment[1], 1, 5 * sqrt(2.0 / N));
    check_close(moment[2], 0, 5 * sqrt(15.0 / N));
    check_close(moment[3], 3, 5 * sqrt(96.0 / N));
    check_close(tail / N, 0.05, 5 * sqrt(0.05 * 0.95 / N));
}
END_TEST

/* A skip leaves the generator where as many draws leave it, from every place within a block. */
START_TEST(a_skip_is_as_many_draws)
{
    for (unsigned words = 0; words < 6; words += 2) /* a uniform number takes two */
        for (uint64_t count = 0; count < 5; count++) {
            steep_random drawn = steep_random_start(7, STEEP_STREAM_START), skipped = drawn;
            for (unsigned w = 0; w < words; w += 2) steep_random_uniform(&drawn), steep_random_uniform(&skipped);
            for (uint64_t i = 0; i < count; i++) steep_random_normal(&drawn);
            steep_random_skip_normals(&skipped, count);
            for (int i = 0; i < 5; i++) ck_assert(steep_random_uniform(&drawn) == steep_random_uniform(&skipped));
        }
}
END_TEST

STEEP_TEST_MAIN("random", known_answers, uniform_numbers_have_the_moments_of_uniform_ones,
                normal_numbers_have_the_moments_of_normal_ones, a_skip_is_as_many_draws)
