/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recover: lm finds a network of its own kind again, from near it: the unit, its derivatives, its start and the solver
 * agree on one thing. */
#include "chance.h"
#include "fitting.h"

/* The best rmse of ten fits from parameters that are off by up to 10 % each; the samples are of the network itself. */
static double best_of_ten(const char *architecture, uint64_t seed, double bound, steep_random *random)
{
    double best = INFINITY;
    fitting fit, *f = &fit;
    fitting_open(f, "cos4", 200, architecture, -1, 2, STEEP_START_RANDOM, seed);
    fitting_teach(f);
    const size_t P = f->network.parameters;
    double *own = malloc(P * sizeof *own);
    ck_assert_ptr_nonnull(own);
    memcpy(own, f->theta, P * sizeof *own);
    f->options.tolerance = 1e-14;
    f->options.max_iterations = 2000;
    for (int again = 0; again < 10 && best > bound; again++) {
        for (size_t p = 0; p < P; p++) f->theta[p] = own[p] * (1 + chance_within(random, -0.1, 0.1));
        ck_assert_int_ge(steep_solve_marquardt(&f->problem, &f->options, f->theta, &f->solve, &f->error), 0);
        best = fmin(best, fitting_rmse(f));
    }
    free(own);
    fitting_close(f);
    return best;
}

/* Mixtures of six activations, and blends with shared weights, come back to about 1e-9 only, and are held to 1e-8;
 * their activations are nearly dependent. bi-moa is not here: with at most 2000 steps its best of ten was 1.1e-8 to
 * 4.4e-8 on four seeds of six. */
START_TEST(a_network_of_its_own_kind)
{
    static const char *const rows[] = {
        "blend-plain",       "hermite-own", "fourier",   "fourier-own",  "fourier-phase", "tropical",    "tropical-own",
        "tropical-rational", "polyrelu",    "polyprelu", "polyrelunorm", "polynorm-l2",   "polyrelu-own"};
    static const char *const slow[] = {"one-la", "bi-la", "qd-la", "one-moa", "blend-layer", "blend-layer-plain"};
    enum { ROWS = sizeof rows / sizeof *rows, SLOW = sizeof slow / sizeof *slow };
    steep_random random = chance_start(1);
    for (size_t r = 0; r < ROWS + SLOW; r++) {
        const char *name = r < ROWS ? rows[r] : slow[r - ROWS];
        double bound = r < ROWS ? 1e-10 : 1e-8,
               rmse = best_of_ten(name, 1 + chance_below(&random, 1000), bound, &random);
        ck_assert_msg(rmse <= bound, "%s: %g", name, rmse);
    }
}
END_TEST

STEEP_TEST_MAIN("recover", a_network_of_its_own_kind)
