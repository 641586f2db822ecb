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

/* E x^k of even k, of x uniform in (-1/2, 1/2) or normal. */
static double moment_of(bool normal, int k)
{
    double moment = normal ? 1 : pow(0.5, k) / (k + 1);
    for (int factor = k - 1; normal && factor > 1; factor -= 2) moment *= factor;
    return moment;
}

/* Sample means of powers and of products of neighbours, and counts in 16 bins of equal probability, against their
 * expectations, at 5 standard errors. */
START_TEST(numbers_have_the_moments_of_their_distribution)
{
    enum { N = 200000 };
    for (int normal = 0; normal < 2; normal++) {
        steep_random random = steep_random_start(11 - 8 * (uint64_t)normal, STEEP_STREAM_TEST);
        double moment[4] = {0}, product = 0, before = 0, chi = 0;
        int bin[16] = {0};
        for (int i = 0; i < N; i++) {
            const double x = normal ? steep_random_normal(&random) : steep_random_uniform(&random) - 0.5;
            ck_assert(isfinite(x) && (normal || fabs(x) <= 0.5));
            for (int m = 0; m < 4; m++) moment[m] += pow(x, m + 1) / N;
            product += x * before / N;
            before = x;
            bin[(int)(16 * (normal ? erfc(-x / sqrt(2)) / 2 : x + 0.5))]++;
        }
        for (int m = 1; m <= 4; m++) {
            const double expected = m % 2 ? 0 : moment_of(normal, m);
            check_close(moment[m - 1], expected, 5 * sqrt((moment_of(normal, 2 * m) - expected * expected) / N));
        }
        check_close(product, 0, 5 * moment_of(normal, 2) / sqrt(N));
        for (int b = 0; b < 16; b++) chi += pow(bin[b] - N / 16.0, 2) / (N / 16.0);
        ck_assert_msg(chi < 15 + 5 * sqrt(30), "chi squared of 16 bins: %g", chi);
    }
}
