/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/samples.h"

#include "chance.h"
#include "opened.h"

static steep_error error;

/* Checks that values are those of the reference, rounded once, points are in the box and, in 1D, ascending. */
static void check_values(const steep_target *t, const steep_samples *s)
{
    ck_assert_uint_eq(s->dim, t->dim);
    for (size_t k = 0; k < s->count; k++) {
        long double x[64];
        for (size_t j = 0; j < s->dim; j++) {
            x[j] = s->x[j * s->count + k];
            ck_assert(x[j] >= s->low[j] && x[j] <= s->high[j]);
        }
        ck_assert(s->y[k] == (double)steep_formula_reference(t->formula, x));
        ck_assert(s->dim > 1 || k == 0 || s->x[k] >= s->x[k - 1]);
    }
}

static steep_samples train_of(const steep_target *t, steep_sampling sampling, size_t count, uint64_t seed)
{
    steep_samples s;
    check_says(steep_samples_train(t, sampling, count, seed, &s, &error), STEEP_OK, "");
    check_values(t, &s);
    return s;
}

static steep_samples test_of(const steep_target *t, steep_sampling sampling, steep_sampling test, size_t count)
{
    steep_samples s;
    check_says(steep_samples_test(t, sampling, test, count, &s, &error), STEEP_OK, "");
    check_values(t, &s);
    return s;
}

static steep_samples gauss_of(const steep_target *t, size_t cells, const double *knots, size_t points)
{
    steep_samples s;
    check_says(steep_samples_gauss(t, cells, knots, points, &s, &error), STEEP_OK, "");
    check_values(t, &s);
    return s;
}

START_TEST(random_points_are_uniform_and_those_of_the_seed)
{
    enum { N = 10000 };
    SCOPED(release_target) steep_target *t = target_of("runge3");
    const uint64_t seed = chance_number("SEED", 7);
    SCOPED(steep_samples_free) steep_samples a = random_of(t, N, seed);
    SCOPED(steep_samples_free) steep_samples b = random_of(t, N, seed);
    SCOPED(steep_samples_free) steep_samples c = random_of(t, N, seed + 1);
    SCOPED(steep_samples_free) steep_samples few = random_of(t, 100, seed);
    check_values(t, &a);
    ck_assert_ptr_null(a.weight);
    ck_assert(memcmp(a.x, b.x, sizeof(double[N])) == 0 && memcmp(a.x, c.x, sizeof(double[N])) != 0);
    double most = 0; /* Kolmogorov-Smirnov: sqrt(N) D exceeds 2.5 with probability 2 exp(-2 2.5^2) = 7e-6 */
    for (size_t k = 0; k < N; k++) most = fmax(most, fabs((a.x[k] + 1) / 2 - ((double)k + 0.5) / N));
    check_close(most, 0, 2.5 / sqrt(N));
    for (size_t k = 0, i = 0; k < 100; k++, i++) { /* fewer points: the first of more */
        while (i < N && a.x[i] < few.x[k]) i++;
        ck_assert(i < N && a.x[i] == few.x[k]);
    }
}

START_TEST(grids_are_equispaced_with_their_ends)
{
    SCOPED(release_target) steep_target *t = target_of("chirp"), *plane = target_of("franke");
    for (size_t count = 2; count < 300; count += 33) {
        SCOPED(steep_samples_free) steep_samples s = grid_of(t, count);
        ck_assert_uint_eq(s.count, count);
        check_values(t, &s);
        ck_assert(s.x[0] == -1 && s.x[count - 1] == 1);
        for (size_t k = 0; k < count; k++) {
            check_close(s.x[k], -1 + 2 * (long double)k / (long double)(count - 1), 2 * 0x1p-53);
            ck_assert(s.x[k] == -s.x[count - 1 - k]);
        }
    }
    static const size_t asked[] = {2, 4, 5, 9, 10, 1000, 1024, 1025}, side[] = {2, 2, 3, 3, 4, 32, 32, 33};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        SCOPED(steep_samples_free) steep_samples s = grid_of(plane, asked[i]);
        ck_assert_uint_eq(s.count, side[i] * side[i]);
        check_values(plane, &s);
        ck_assert(s.x[1] == 1 / (double)(side[i] - 1) && s.x[s.count + 1] == 0); /* first coordinate fastest */
        ck_assert(s.x[s.count - 1] == 1 && s.x[2 * s.count - 1] == 1);
    }
}

static long double mean_of(const steep_samples *s)
{
    long double mean = 0;
    for (size_t k = 0; k < s->count; k++) mean += (long double)s->weight[k] * s->y[k];
    return mean;
}

/* Weighted means over Gauss points are integrals; a kink at the end of a cell does no harm. */
START_TEST(cells_and_boxes_integrate_polynomials)
{
    SCOPED(release_target) steep_target *kink = target_of("abs(x-0.25)^3"), *box = target_of("x^4*y^2+z");
    const double knots[] = {-1, -0.5, -0.5, 0.25, 0.75, 1}, part[] = {0.5, 0.75};
    SCOPED(steep_samples_free) steep_samples cells = gauss_of(kink, 5, knots, 2);
    ck_assert_uint_eq(cells.count, 8); /* one cell has no length */
    check_close(mean_of(&cells), (powl(1.25L, 4) + powl(0.75L, 4)) / 8, 16 * 0x1p-53);
    SCOPED(steep_samples_free) steep_samples inner = gauss_of(kink, 1, part, 3);
    ck_assert(inner.low[0] == 0.5 && inner.high[0] == 0.75);
    SCOPED(steep_samples_free) steep_samples tensor = train_of(box, STEEP_GAUSS, 27, 0);
    ck_assert_uint_eq(tensor.count, 27);
    check_close(mean_of(&tensor), 1 / 15.0L, 27 * 0x1p-53);
}

START_TEST(bad_requests_are_refused)
{
    SCOPED(release_target) steep_target *t = target_of("runge3"), *plane = target_of("franke");
    SCOPED(release_target) steep_target *pole = target_of("1/(x-2^-9-2^-12)"); /* at no point that opening looks at */
    const double about[] = {-1 + 0x1p-9 + 0x1p-12, 1 + 0x1p-9 + 0x1p-12};
    steep_samples s;
    static const struct {
        double knots[3];
        size_t cells, points;
        const char *says;
    } gauss[] = {{{0, 1, 0.5}, 2, 3, "ascending"}, {{0, NAN}, 1, 3, "finite"},     {{0, INFINITY}, 1, 3, "finite"},
                 {{0.5, 0.5}, 1, 3, "longer"},     {{0, 0.5, 1}, 2, 0, "a point"}, {{0, 0.5, 1}, 0, 3, "a cell"}};
    for (size_t i = 0; i < sizeof gauss / sizeof *gauss; i++)
        check_says(steep_samples_gauss(t, gauss[i].cells, gauss[i].knots, gauss[i].points, &s, &error), STEEP_BAD_INPUT,
                   gauss[i].says);
    check_says(steep_samples_gauss(plane, 1, gauss[4].knots, 3, &s, &error), STEEP_BAD_INPUT, "");
    check_says(steep_samples_gauss(pole, 1, about, 1, &s, &error), STEEP_BAD_INPUT, "inf at x = 0.002197265625");
    ck_assert(s.x == NULL && s.count == 0);
    check_says(steep_samples_random(t, 0, 1, &s, &error), STEEP_BAD_INPUT, "0 samples");
    check_says(steep_samples_random(t, (size_t)-1, 1, &s, &error), STEEP_BAD_INPUT, "samples");
    check_says(steep_samples_random(t, 1000000000000, 1, &s, &error), STEEP_BAD_INPUT, "samples");
    check_says(steep_samples_grid(t, 1, &s, &error), STEEP_BAD_INPUT, "a grid of 1 points");
    check_says(steep_samples_grid(plane, (size_t)-1, &s, &error), STEEP_BAD_INPUT, "a grid of");
    check_says(steep_samples_train(plane, STEEP_GAUSS, 0, 0, &s, &error), STEEP_BAD_INPUT, "0 Gauss points");
    check_says(steep_samples_train(plane, STEEP_GAUSS, 65 * 65, 0, &s, &error), STEEP_BAD_INPUT, "65 Gauss points");
    ck_assert(s.x == NULL && s.count == 0);
}

START_RANDOM_TEST(counts_are_what_is_made, 1)
{
    static const char *const text[] = {"x", "x+y", "x+y+z", "x1+x5", "x1+x12"};
    for (size_t i = 0; i < chance_cases(60); i++) {
        SCOPED(release_target) steep_target *t = target_of(text[chance_below(&random, 5)]);
        const size_t count = 2 + chance_below(&random, 400), dim = t->dim;
        const steep_sampling sampling = (steep_sampling)chance_below(&random, 4);
        const steep_sampling test = (steep_sampling)chance_below(&random, 4);
        const size_t trained = steep_samples_train_count(sampling, count, dim);
        const size_t tests = steep_samples_test_count(sampling, test, count, dim);
        steep_samples s;
        if (trained > 0) {
            s = train_of(t, sampling, count, i);
            ck_assert_uint_eq(s.count, trained);
            ck_assert_uint_ge(s.count, count);
            steep_samples_free(&s);
        } else {
            ck_assert(sampling == STEEP_GAUSS && dim == 1); /* 64 a side are not enough */
            ck_assert_int_eq(steep_samples_train(t, sampling, count, i, &s, NULL), STEEP_BAD_INPUT);
        }
        if (tests == 0) ck_assert_int_eq(steep_samples_test(t, sampling, test, count, &s, NULL), STEEP_BAD_INPUT);
        if (tests == 0 || tests > 5000) continue; /* more take long */
        s = test_of(t, sampling, test, count);
        ck_assert_uint_eq(s.count, tests);
        steep_samples_free(&s);
    }
}

/* The mean of prod_j (1 + a_j cos(2 pi x_j + b_j)), whose integral over the unit box is 1. */
static double mean_of_waves(const steep_samples *s, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < s->count; k++) {
        double product = 1;
        for (size_t j = 0; j < s->dim; j++) product *= 1 + a[j] * cos(2 * acos(-1) * s->x[j * s->count + k] + b[j]);
        sum += product;
    }
    return sum / (double)s->count;
}

enum { SETS = 24 };

/* The rms error of the mean of waves over SETS seeds, divided by the rms error with as many random points. */
static double error_of_waves(const steep_target *t, size_t count, steep_random *random)
{
    double a[8], b[8], sum = 0, of_random = 0;
    for (size_t i = 0; i < SETS; i++) {
        double square = 1;
        SCOPED(steep_samples_free) steep_samples s = train_of(t, STEEP_SOBOL, count, i);
        for (size_t j = 0; j < t->dim; j++) a[j] = chance_within(random, 0.3, 1), b[j] = chance_within(random, 0, 6);
        sum += pow(mean_of_waves(&s, a, b) - 1, 2);
        for (size_t j = 0; j < t->dim; j++) square *= 1 + a[j] * a[j] / 2;
        of_random += (square - 1) / (double)count;
    }
    return sqrt(sum / of_random);
}

/* Sobol points integrate more closely than random points; a seed shifts all points alike, modulo 1. */
START_RANDOM_TEST(sobol_points_integrate_closely, 3)
{
    static const struct {
        const char *text;
        double share;
    } of[] = {{"x", 1e-3}, {"x*y", 0.1}, {"x*y*z", 0.1}, {"x1*x5", 0.3}, {"x1*x7", 0.75}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        SCOPED(release_target) steep_target *t;
        check_says(steep_target_open_on(of[i].text, "0:1", &t, &error), STEEP_OK, "");
        SCOPED(steep_samples_free) steep_samples one = train_of(t, STEEP_SOBOL, 100, 4);
        SCOPED(steep_samples_free) steep_samples other = test_of(t, STEEP_SOBOL, STEEP_SOBOL, 100);
        const double share = error_of_waves(t, 2048, &random);
        ck_assert_msg(share < of[i].share, "%s: %g of what random points miss", of[i].text, share);
        for (size_t j = 0; t->dim > 1 && j < t->dim; j++)
            for (size_t k = 0; k < 100; k++) {
                const size_t at = j * 100 + k;
                const double moved = one.x[at] - other.x[at] - (one.x[j * 100] - other.x[j * 100]);
                ck_assert_msg(fabs(moved - round(moved)) < 4 * 0x1p-52, "point %zu: %g", k, moved);
                ck_assert(one.x[at] != other.x[at]);
            }
    }
}

START_TEST(sobol_points_have_40_dimensions)
{
    static const char says[] = "Sobol points in 41D: they are in 1 to 40 dimensions";
    SCOPED(release_target) steep_target *most = target_of("x1+x40"), *more = target_of("x1+x41");
    SCOPED(steep_samples_free) steep_samples s = train_of(most, STEEP_SOBOL, 10, 0), none;
    check_says(steep_samples_train(more, STEEP_SOBOL, 10, 0, &none, &error), STEEP_BAD_INPUT, says);
    check_says(steep_samples_check(STEEP_SOBOL, STEEP_GRID, 10, 41, &error), STEEP_BAD_INPUT, says);
    check_says(steep_samples_check(STEEP_RANDOM, STEEP_SOBOL, 10, 41, &error), STEEP_BAD_INPUT, says);
    ck_assert_int_eq(steep_samples_check(STEEP_SOBOL, STEEP_GRID, 10, 40, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_check(STEEP_RANDOM, STEEP_SOBOL, 10, 40, NULL), STEEP_OK);
}

/* A side is the least number whose power is at least the count; counts above the limits are refused. */
START_TEST(sides_are_the_smallest)
{
    for (size_t dim = 1; dim <= 30; dim++)
        for (size_t count = 1; count < 40000; count += 1 + count / 3) {
            size_t side = steep_samples_side(count, dim);
            ck_assert_msg(pow((double)side, (double)dim) >= (double)count &&
                              (side == 1 || pow((double)side - 1, (double)dim) < (double)count),
                          "%zu points in %zuD: %zu", count, dim, side);
        }
    for (size_t side = 2; side <= 464; side += 7) { /* powers, and one more */
        ck_assert_uint_eq(steep_samples_side(side * side * side, 3), side);
        ck_assert_uint_eq(steep_samples_side(side * side * side + 1, 3), side + 1);
        ck_assert_uint_eq(steep_samples_train_count(STEEP_GRID, side * side * side, 3), side * side * side);
    }
    static const struct {
        steep_sampling kind;
        size_t count, dim, made;
    } known[] = {{STEEP_GRID, 1, 1, 0},           {STEEP_GRID, 100000000, 1, 100000000},
                 {STEEP_GRID, 100000001, 1, 0},   {STEEP_GRID, 2, 27, (size_t)1 << 27},
                 {STEEP_GRID, 2, 28, 0}, /* above 2e8 */
                 {STEEP_GRID, 10000, 64, 0},      {STEEP_GRID, 10000, 1000000, 0},
                 {STEEP_GAUSS, 1, 1000000, 1},    {STEEP_GAUSS, 16777216, 4, 16777216},
                 {STEEP_GAUSS, 1073741824, 5, 0}, {STEEP_GAUSS, 65, 1, 0},
                 {STEEP_GAUSS, 2, 64, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_uint_eq(steep_samples_train_count(known[i].kind, known[i].count, known[i].dim), known[i].made);
}

/* Cells of any number of points: at least as many as requested, in rules of 64 at most, which integrate exactly. */
START_TEST(cells_of_many_points_are_cut)
{
    SCOPED(release_target) steep_target *t = target_of("x^5+x^4+1");
    const double knots[] = {-1, -0.25, 0.5, 1};
    for (size_t points = 3; points < 400; points += 1 + points / 5) {
        SCOPED(steep_samples_free) steep_samples s = gauss_of(t, 3, knots, points);
        ck_assert_uint_eq(s.count, steep_samples_gauss_count(3, points));
        ck_assert(s.count >= 3 * points && s.count < 3 * (points + (points + 63) / 64));
        check_close(mean_of(&s), 1.2L, s.count * 0x1p-53);
    }
    for (size_t count = 1; count < 5000; count += 131)
        for (size_t cells = 1; cells < 40; cells++) {
            size_t points = steep_samples_gauss_points(count, cells, 3);
            ck_assert(cells * points >= count && points >= 7 && (points == 7 || cells * (points - 1) < count));
        }
    ck_assert_uint_eq(steep_samples_gauss_count(3, 64), 192);
    ck_assert_uint_eq(steep_samples_gauss_count(3, 65), 198);
    ck_assert_uint_eq(steep_samples_gauss_count(SIZE_MAX / 2, 3), 0);
    ck_assert_uint_eq(steep_samples_gauss_count(1, 0), 0);
    steep_samples s;
    ck_assert_int_eq(steep_samples_gauss(t, SIZE_MAX / 2, knots, 9, &s, NULL), STEEP_BAD_INPUT);
}

/* A test set goes with its training set: the grid of half the spacing holds the grid; random points beyond 9D are no
 * training points of any seed. */
START_TEST(test_sets_go_with_their_training_sets)
{
    SCOPED(release_target) steep_target *t = target_of("x*y"), *wide = target_of("x1*x50");
    SCOPED(steep_samples_free) steep_samples train = train_of(t, STEEP_GRID, 90, 0);
    SCOPED(steep_samples_free) steep_samples test = test_of(t, STEEP_GRID, STEEP_GRID, 90);
    ck_assert(train.count == 100 && test.count == 19 * 19);
    for (size_t k = 0; k < train.count; k++) {
        size_t at = 2 * (k % 10) + 19 * 2 * (k / 10);
        check_close(train.x[k], test.x[at], 2 * 0x1p-53);
        check_close(train.x[100 + k], test.x[361 + at], 2 * 0x1p-53);
    }
    for (size_t count = 3900; count <= 4096;
         count += 98) { /* 63 and 64 Gauss points a side: rules of different numbers */
        SCOPED(steep_samples_free) steep_samples a = train_of(t, STEEP_GAUSS, count, 0);
        SCOPED(steep_samples_free) steep_samples b = test_of(t, STEEP_GAUSS, STEEP_GAUSS, count);
        ck_assert_uint_ne(a.count, b.count);
    }
    SCOPED(steep_samples_free) steep_samples far = train_of(wide, STEEP_RANDOM, 300, 0);
    SCOPED(steep_samples_free) steep_samples drawn = test_of(wide, STEEP_RANDOM, STEEP_GRID, 300);
    SCOPED(steep_samples_free) steep_samples same = test_of(wide, STEEP_GRID, STEEP_RANDOM, 300);
    ck_assert(drawn.count == 300 && drawn.dim == 50);
    for (size_t k = 0; k < 300; k++) ck_assert(drawn.x[k] != far.x[k] && drawn.x[k] == same.x[k]);
    SCOPED(steep_samples_free) steep_samples seventh = train_of(t, STEEP_RANDOM, 300, 7);
    SCOPED(steep_samples_free) steep_samples random = test_of(t, STEEP_RANDOM, STEEP_RANDOM, 300);
    ck_assert(random.count == 300 && random.dim == 2);
    for (size_t k = 0; k < 600; k++) ck_assert(random.x[k] != seventh.x[k]);
}

START_TEST(random_points_fill_fifty_dimensions)
{
    enum { N = 2000, DIM = 50 };
    SCOPED(release_target) steep_target *t = target_of("sin(x50)+x7*x33");
    steep_samples s = random_of(t, N, chance_number("SEED", 5));
    ck_assert(s.count == N && s.dim == DIM);
    check_values(t, &s);
    for (size_t j = 0; j < DIM; j++) {
        double mean = 0, product = 0;
        for (size_t k = 0; k < N; k++) {
            mean += s.x[j * N + k] / N;
            product += s.x[j * N + k] * s.x[(j + 1) % DIM * N + k] / N;
        }
        check_close(mean, 0, 5 / sqrt(3.0 * N));
        check_close(product, 0, 5 / 3.0 / sqrt(N));
    }
    steep_samples_free(&s);
    check_says(steep_samples_grid(t, 10000, &s, &error), STEEP_BAD_INPUT,
               "a grid of 2 points a side in 50D has more than 2e+08 points: use random points");
    ck_assert(s.x == NULL && s.low == NULL);
}

START_TEST(points_that_repeat_count_once)
{
    double line[] = {-1, -1, -0.0, 0.0, 0x1p-1074, 3, 3, 3}, y[8] = {0};
    double plane[] = {1, 2, 1, 2, -0.0, 0, 1, 1, /* x, then y */
                      5, 5, 5, 6, 0,    0, 5, 4};
    steep_samples s = {.count = 8, .dim = 1, .x = line, .y = y};
    size_t distinct = 0, first[8];
    ck_assert_int_eq(steep_samples_distinct(&s, &distinct, NULL), STEEP_OK);
    ck_assert_uint_eq(distinct, 4); /* -1, 0, the smallest number, 3 */
    ck_assert_int_eq(steep_samples_first(&s, first, NULL), STEEP_OK);
    ck_assert_mem_eq(first, ((size_t[]){0, 0, 2, 2, 4, 5, 5, 5}), sizeof first);
    s.dim = 2;
    s.x = plane;
    ck_assert_int_eq(steep_samples_first(&s, first, NULL), STEEP_OK);
    ck_assert_mem_eq(first, ((size_t[]){0, 1, 0, 3, 4, 4, 0, 7}), sizeof first);
    for (s.dim = 1, s.count = 0; s.dim <= 2; s.dim++) {
        ck_assert_int_eq(steep_samples_distinct(&s, &distinct, NULL), STEEP_OK);
        ck_assert_uint_eq(distinct, 0);
    }
}
