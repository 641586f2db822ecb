/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/target.h"

#include "chance.h"
#include "opened.h"

#define EPS 0x1p-63L

/* Counts the jets of formulas: the Makefile has the linker wrap the function. */
static size_t jets;
void __real_steep_formula_jet(const steep_formula *, const long double *, const long double *, size_t, long double *);
void __wrap_steep_formula_jet(const steep_formula *, const long double *, const long double *, size_t, long double *);
void __wrap_steep_formula_jet(const steep_formula *formula, const long double *x, const long double *v, size_t order,
                              long double *c)
{
    jets++;
    __real_steep_formula_jet(formula, x, v, order, c);
}

static long double square(long double a)
{
    return a * a;
}

/* Each name of the catalogue against its formula written in C. */
static long double plain(const char *name, const long double *p)
{
    const long double pi = acosl(-1), x = p[0], y = p[1];
    if (!strcmp(name, "cosine_well")) return 1 / (1 + square(cosl(pi * x)));
    if (!strcmp(name, "runge1")) return 1 / (1 + x * x);
    if (!strcmp(name, "runge3")) return 1 / (1 + 9 * x * x);
    if (!strcmp(name, "runge5")) return 1 / (1 + 25 * x * x);
    if (!strcmp(name, "square")) return x * x;
    if (!strcmp(name, "cube")) return x * x * x;
    if (!strcmp(name, "cos4")) return cosl(4 * x);
    if (!strcmp(name, "sin4")) return sinl(4 * x);
    if (!strcmp(name, "chirp")) return sinl(4 * square(x - 1));
    if (!strcmp(name, "atan")) return atanl(x);
    if (!strcmp(name, "la_type1")) return x > 0 ? x + x * x : 0;
    if (!strcmp(name, "sin4sin4")) return sinl(4 * x) * sinl(4 * y);
    if (!strcmp(name, "cos4cos4")) return cosl(4 * x) * cosl(4 * y);
    if (!strcmp(name, "paraboloid")) return x * x + y * y;
    if (!strcmp(name, "cubic2d")) return x * x * x + y * y * y;
    if (!strcmp(name, "sin4sin4_r2")) return sinl(4 * x) * sinl(4 * y) * (x * x + y * y);
    if (!strcmp(name, "runge1_2d")) return 1 / (1 + x * x + y * y);
    if (!strcmp(name, "runge3_2d")) return 1 / (1 + 9 * x * x + 9 * y * y);
    if (!strcmp(name, "atan_2d")) return atanl(x) + atanl(y);
    if (!strcmp(name, "franke"))
        return 0.75L * expl(-(square(9 * x - 2) + square(9 * y - 2)) / 4) +
               0.75L * expl(-square(9 * x + 1) / 49 - (9 * y + 1) / 10) +
               0.5L * expl(-(square(9 * x - 7) + square(9 * y - 3)) / 4) -
               0.2L * expl(-square(9 * x - 4) - square(9 * y - 7));
    const long double open_x = fmaxl(x, 0), open_y = fmaxl(y, 0), reactance = p[1] * p[2] - 1 / (p[1] * p[3]);
    if (!strcmp(name, "friedman1")) return 10 * sinl(pi * x * y) + 20 * square(p[2] - 0.5L) + 10 * p[3] + 5 * p[4];
    if (!strcmp(name, "friedman2")) return hypotl(x, reactance);
    if (!strcmp(name, "friedman3")) return atan2l(reactance, x);
    if (!strcmp(name, "moa_type1")) return tanhl(x) * open_y;
    if (!strcmp(name, "la_type2")) return open_y * open_x + open_y * tanhl(x);
    if (!strcmp(name, "moa_type2")) return open_y * open_x * tanhl(x);
    if (!strcmp(name, "moa_mixed")) return fmaxl(x, 0) * fmaxl(y, 0) * tanhl(p[2]);
    if (!strcmp(name, "moa_ridge")) return tanhl(2 * x + y + 0.3L) * fmaxl(0.8L * y - 0.6L * x + 0.2L, 0);
    return NAN;
}

/* The boxes that are not [-1, 1] in every coordinate. */
static void check_box(const steep_target *t)
{
    const double low = (double)(40 * acosl(-1)), high = (double)(560 * acosl(-1));
    const struct {
        const char *name;
        double sides[5][2];
    } boxes[] = {
        {"franke", {{0, 1}, {0, 1}}},
        {"friedman1", {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}}},
        {"friedman2", {{0, 100}, {low, high}, {0, 1}, {1, 11}}},
        {"friedman3", {{0, 100}, {low, high}, {0, 1}, {1, 11}}},
    };
    double sides[5][2] = {{-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (!strcmp(t->name, boxes[i].name)) memcpy(sides, boxes[i].sides, sizeof boxes[i].sides);
    for (size_t j = 0; j < t->dim; j++) {
        ck_assert(t->low[j] == sides[j][0]);
        ck_assert(t->high[j] == sides[j][1]);
    }
}

START_TEST(the_catalogue_is_what_its_source_says)
{
    size_t count = 0;
    for (const steep_target_entry *e; (e = steep_target_catalogue(count)); count++) {
        ck_assert_str_eq(e->name, steep_target_names(count));
        ck_assert(strlen(e->source) > 5);
        SCOPED(release_target) steep_target *t = target_of(e->name);
        check_box(t);
        for (int k = 0; k <= 12; k++) {
            long double x[5] = {0}, s = k / 12.0L;
            for (size_t j = 0; j < t->dim; j++) { /* up, down, up faster ... */
                const size_t pair = j / 2;
                const long double part = powl(s, 1 + (long double)pair);
                x[j] = t->low[j] + (long double)(t->high[j] - t->low[j]) * (j % 2 ? 1 - part * s : part);
            }
            /* 20 roundings, at a condition of 8 (the chirp's phase is 16) */
            const long double value = plain(e->name, x), scale = fmaxl(1, fabsl(value));
            check_close((steep_formula_reference(t->formula, x) - value) / scale, 0, 160 * EPS);
        }
    }
    ck_assert_uint_ge(count, 27);
    ck_assert_ptr_null(steep_target_catalogue(count));
    ck_assert_ptr_null(steep_target_names(count));
}

/* Parameters by number and by formula, in any order, at random values. */
START_RANDOM_TEST(parameters_are_set_by_name, 1)
{
    for (size_t i = 0; i < chance_cases(20); i++) {
        double v[7], x[2];
        for (size_t k = 0; k < 7; k++) v[k] = (double)chance_below(&random, 257) / 64 - 2; /* exact as text */
        for (size_t k = 0; k < 2; k++) x[k] = chance_within(&random, -1, 1);
        const long double at[] = {x[0], x[1]};
        char text[300];
        snprintf(text, sizeof text, "moa_ridge:b=%.17g,w2=2*(%.17g),u1=%.17g,beta=%.17g,u2=-(%.17g)", v[0], v[1], v[2],
                 v[3], v[4]);
        SCOPED(release_target) steep_target *t = target_of(text);
        const long double value =
            tanhl(v[2] * at[0] - v[4] * at[1] + v[3]) * fmaxl(-0.6L * at[0] + 2 * (long double)v[1] * at[1] + v[0], 0);
        check_close(steep_formula_reference(t->formula, at) - value, 0, 64 * EPS);
        steep_target_free(t);
        snprintf(text, sizeof text, "moa_type2:lambda=max(%.17g,pi)", v[5]);
        t = target_of(text);
        check_close(steep_formula_reference(t->formula, at) -
                        fmaxl(at[0], 0) * fmaxl(at[1], 0) * tanhl(acosl(-1) * at[0]),
                    0, 64 * EPS);
    }
}

START_TEST(what_is_no_target_is_refused)
{
    static const struct {
        const char *says, *domain, *text[8];
    } wrong[] = {{"did you mean 'cosine_well'", NULL, {"cosine_wel"}},
                 {"did you mean 'moa_type1'", NULL, {"moa_typ1:lambda=3"}},
                 {"unknown target 'cos'", NULL, {"cos"}},
                 {"inf at x = 0", NULL, {"1/x"}},
                 {"at x = -1", NULL, {"log(x)", "sqrt(x)"}},
                 {"finite on [-1, 1]", NULL, {"exp(800*x)"}},
                 {"x = 0, y = 0", NULL, {"1/(x*x+y*y)"}},
                 {"runge3 has no parameters", NULL, {"runge3:lambda=3"}},
                 {"no parameter 'mu': it has lambda=1", NULL, {"moa_type1:mu=3"}},
                 {"sets no finite number", NULL, {"moa_type1:lambda", "moa_type1:lambda=x", "moa_type1:lambda=1/0"}},
                 {"lambda is set twice", NULL, {"moa_type1:lambda=1,lambda=2"}},
                 {"nothing is set", NULL, {"moa_type1:"}},
                 {"inf at x1 = 0, x2 = 0, ", NULL, {"1/x50"}}, /* centre, corners, some of the mixed ends are tried */
                 {", ...; use", NULL, {"1/x50"}},
                 {"", NULL, {"log(x20+1)", "sqrt(x20)", "1/(1-x20)", "1/(x10-x20+2)", "x10001"}},
                 {"2 intervals for 1 coordinates", "0:4,0:1", {"sqrt(x)"}},
                 {"-inf at x = 0, y = 0; use a formula that is finite on its domain", "0:4,0:1", {"log(x)+y"}},
                 {"finite on [0, 4] in every coordinate", "0:4", {"log(x)+y"}}};
    steep_error error = {""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (const char *const *text = wrong[i].text; *text; text++) {
            steep_target *t = (steep_target *)&t;
            check_says(steep_target_open_on(*text, wrong[i].domain, &t, &error), STEEP_BAD_INPUT, wrong[i].says);
            ck_assert_ptr_null(t);
        }
    steep_target *t;
    ck_assert_int_eq(steep_target_open(NULL, &t, NULL), STEEP_BAD_INPUT);
}

/* Mean over [-1, 1] of the square of a derivative in closed form. */
START_TEST(rms_derivatives_have_their_closed_forms)
{
    const double s8 = sin(8) / 16;
    SCOPED(release_target)
    steep_target *cosine = target_of("cos4"), *cube = target_of("cube"), *wave = target_of("exp(x)"),
                 *hinge = target_of("la_type1"), *power = target_of("abs(x-0.3)^3.5");
    for (size_t p = 0; p <= STEEP_JET_ORDER; p++) { /* (4^p cos or sin)^2 */
        check_close(steep_target_rms_derivative(cosine, p) / (pow(4, (double)p) * sqrt(p % 2 ? 0.5 - s8 : 0.5 + s8)), 1,
                    1e-8);
        check_close(steep_target_rms_derivative(wave, p) / sqrt(sinh(2) / 2), 1, 1e-8);
    }
    check_close(steep_target_rms_derivative(cube, 2), sqrt(36 / 3.0), 1e-8 * sqrt(12));
    check_close(steep_target_rms_derivative(cube, 3), 6, 1e-8 * 6);
    ck_assert(steep_target_rms_derivative(cube, 4) == 0);
    check_close(steep_target_rms_derivative(hinge, 1), sqrt(13 / 6.0), 1e-8 * 2); /* (1 + 2x)^2 on [0, 1] */
    check_close(steep_target_rms_derivative(hinge, 2), sqrt(2), 1e-8 * 2);
    const double c = 3.5 * 2.5 * 1.5; /* third derivative c |s|^0.5: mean square c^2 (1.3^2 + 0.7^2) / 4 */
    check_close(steep_target_rms_derivative(power, 3), c * sqrt((1.69 + 0.49) / 4), 1e-8 * c);
    ck_assert(steep_target_rms_derivative(power, 4) == INFINITY); /* 1/|s| */
    SCOPED(release_target) steep_target *years = NULL;            /* and where an ulp is a large part of a small cell */
    ck_assert_int_eq(steep_target_open_on("abs((x-2000)/2-0.1525)^2.28", "2000:2002", &years, NULL), STEEP_OK);
    ck_assert(steep_target_rms_derivative(years, 3) == INFINITY);
}

START_TEST(free_knot_sizes_have_their_closed_forms)
{
    SCOPED(release_target)
    steep_target *cube = target_of("cube"), *root = target_of("sqrt(x+1)"), *wave = target_of("exp(x)"),
                 *well = target_of("cosine_well");
    /* |6 x|^(2/5), mean 6^0.4 / 1.4 */
    check_close(steep_target_free_knot_size(cube, 2) / (6 * pow(1 / 1.4, 2.5)), 1, 1e-8 * 2.5);
    check_close(steep_target_free_knot_size(cube, 3), 6, 1e-8 * 6);
    for (int p = 1; p <= 4; p++) {
        /* exp(x / (p + 1/2)): mean r sinh(1/r), r = p + 1/2 */
        const double r = p + 0.5;
        check_close(steep_target_free_knot_size(wave, (size_t)p) / pow(r * sinh(1 / r), r), 1, 1e-8 * r);
        /* c s^(1/2 - p) on [0, 2]: mean of s^e, e = (1/2 - p)/r, is 2^e / (1 + e); singular: 1e-3 is promised */
        const double e = (0.5 - p) / r, c = p == 1 ? 0.5 : p == 2 ? 0.25 : p == 3 ? 0.375 : 0.9375;
        check_close(steep_target_free_knot_size(root, (size_t)p) / (c * pow(pow(2, e) / (1 + e), r)), 1, 1e-3);
    }
    /* theory.md: no net of width n does better on cosine_well than n^2 L = 0.920 (MLP), n^3 L = 0.731 (GLU) */
    check_close(4 * steep_target_free_knot_size(well, 2) / sqrt(720), 0.920, 0.0005);
    check_close(8 * steep_target_free_knot_size(well, 3) / (120 * sqrt(7)), 0.731, 0.0005);
}

/* Over whole periods the mean of |sin|^q is Gamma((q + 1)/2)/(sqrt(pi) Gamma(q/2 + 1)). Jets: 160 look for zeros, 32
 * bisect a zero; a piece takes three Gauss sums of 10; there are 16 pieces, and four more for each zero. */
START_TEST(zeros_cost_little_and_no_accuracy)
{
    static const char *const waves[] = {"sin(6*pi*x+1)", "sin(13*pi*x+1)", "cos(20*pi*x+.3)", "sin(20*pi*x)"};
    static const double periods[] = {6, 13, 20, 20};
    SCOPED(release_target) steep_target *wave = NULL;
    for (size_t i = 0; i < 4; i++) {
        steep_target_free(wave);
        wave = target_of(waves[i]);
        for (size_t p = 1; p <= 4; p++) {
            const double r = (double)p + 0.5, q = 1 / r, mean = tgamma((q + 1) / 2) / (sqrt(M_PI) * tgamma(q / 2 + 1));
            jets = 0;
            check_close(steep_target_free_knot_size(wave, p) / (pow(periods[i] * M_PI, (double)p) * pow(mean, r)), 1,
                        1e-8 * r);
            ck_assert_msg((double)jets <= 160 + 16 * 30 + (32 + 4 * 30) * 2 * periods[i], "%s: %zu jets", waves[i],
                          jets);
        }
    }
}

/* Cancelled functions have derivatives of pure rounding: the budget ends the refinement, soon and quietly. */
START_TEST(noise_does_not_keep_it_busy)
{
    SCOPED(release_target) steep_target *one = target_of("sin(x)^2+cos(x)^2");
    clock_t begin = clock();
    const double rms = steep_target_rms_derivative(one, 4);
    ck_assert(rms >= 0 && rms < 1e-15);
    ck_assert((double)(clock() - begin) / CLOCKS_PER_SEC < 1);
}

START_TEST(targets_have_any_dimension)
{
    SCOPED(release_target) steep_target *wide = target_of("sin(x1)+x200*x77"), *widest = target_of("x10000");
    ck_assert_uint_eq(wide->dim, 200);
    ck_assert_uint_eq(widest->dim, 10000);
    char text[60];
    const long double x[5] = {1, 2, 3, 4, 5};
    steep_target_point(5, x, text, sizeof text);
    ck_assert_str_eq(text, "x1 = 1, x2 = 2, ...");
    steep_target_point(2, x, text, sizeof text);
    ck_assert_str_eq(text, "x = 1, y = 2");
}
