/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory: errors approach their predictions, and there is no prediction where theory has none. */
#include "study/theory.h"

#include "chance.h"
#include "execute/tasks.h"
#include "plans.h"
#include "steep/spline.h"

static steep_sweep_options options_of(const char *arch, const char *target, const char *solver, const char *start)
{
    steep_sweep_options options = OPTIONS("arch", arch, "target", target, "solver", solver, "start", start, "widths",
                                          "64:256:x4", "samples", "4000");
    options.problem.sampling = options.problem.test = "gauss";
    return options;
}

static double measured(const steep_task_samples *samples, const steep_task *task)
{
    SCOPED(steep_task_open_free) steep_task_open open;
    SCOPED(steep_fit_result_free) steep_fit_result result = {0};
    steep_error error = {{0}};
    ck_assert_int_eq(steep_task_open_init(samples, task, &open, NULL), STEEP_OK);
    ck_assert_msg(steep_fit(&open.problem, &open.options, &result, &error) >= 0, "%s", error.text);
    return result.rmse_test;
}

/* |error/predicted - 1| <= next n^-power: the next term is of relative size (h k)^2 on equispaced gates, k the target's
 * rate of change (about 10, and more in its higher derivatives), and h k where the cells' sizes vary. */
static void errors_come_to_it(const char *target, const char *arch, const char *solver, const char *start, double power,
                              double next)
{
    SCOPED(steep_plan_free) steep_plan plan = plan_of(options_of(arch, target, solver, start));
    SCOPED(steep_task_samples_free) steep_task_samples samples;
    ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, NULL), STEEP_OK);
    steep_theory theory = {0};
    for (size_t i = 0; i < plan.tasks; i++) {
        if (i == 0 || plan.task[i].variant != plan.task[i - 1].variant)
            theory = steep_theory_of(&plan, (steep_series_index){0, plan.task[i].variant, 0, 0});
        double n = (double)plan.task[i].width, predicted = steep_theory_at(&theory, plan.task[i].width).predicted;
        double ratio = measured(&samples, &plan.task[i]) / predicted;
        ck_assert_msg(fabs(ratio - 1) <= next * pow(n, -power), "%s of width %g, solver %s, start %s: ratio %.5f",
                      plan.variant[plan.task[i].variant].label, n, solver, start ? start : "-", ratio);
    }
}

/* Errors approach the predictions. Singular targets: f' is infinite at -1, f'' or f''' at 0. */
START_TEST(errors_come_to_what_is_predicted)
{
    static const struct {
        const char *target, *archs, *solver, *start;
        double power, next;
    } cases[] = {
        {"cosine_well", "mlp,glu,gqu,gqu2", "frozen", "uniform", 2, 500},
        {"cosine_well", "mlp,glu", "frozen", "alternating", 2, 250},
        {"cosine_well", "mlp,glu,gqu", "frozen", "one-sided", 2, 500},
        {"cosine_well", "mlp:relu2,mlp:relu3,gated3", "frozen", "uniform", 2, 1000},
        {"cosine_well", "mlp,glu,gqu,gqu2,gated3,gated4,mlp:relu2", "frozen", "equidistributed", 1, 14},
        {"cosine_well", "gated5", "frozen", "equidistributed", 1, 25}, /* to 1e-14 */
        {"sqrt(x+1)", "mlp,glu,gqu", "frozen", "equidistributed", 1, 14},
        {"abs(x)^1.5", "mlp,glu", "frozen", "equidistributed", 1, 14},
        {"abs(x)^2.5", "gqu", "frozen", "equidistributed", 1, 14},
        {"cosine_well", "mlp,glu,gqu,gqu2", "construct", "uniform", 2, 60},
        {"cosine_well", "mlp,glu,gqu,gqu2", "construct", "equidistributed", 1, 6},
        {"cosine_well", "mlp,glu,gqu", "reduced-newton", "equidistributed", 1, 17},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        errors_come_to_it(cases[i].target, cases[i].archs, cases[i].solver, cases[i].start, cases[i].power,
                          cases[i].next);
}

/* Terms of equal and of equidistributed cells by their definitions, for f = x^p: f^(p) = p!, and both means are p!. */
START_TEST(terms_are_the_formulas)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "gated3", "mlp:relu3", "gqu2"};
    static const char *const powers[] = {"x^2", "x^3", "x^4", "x^5", "x^4", "x^4"};
    static const size_t classes[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 2, 2}, {4, 3, 2}, {3, 3, 3}, {3, 1, 1}};
    for (size_t a = 0; a < 6; a++) {
        size_t degree = classes[a][0], heads = classes[a][2], n = 64;
        double p = (double)degree + 1, c = steep_spline_constant(degree, classes[a][1]) * tgamma(p + 1);
        SCOPED(steep_plan_free) steep_plan plan = plan_of(options_of(archs[a], powers[a], "frozen", "uniform"));
        steep_theory theory = steep_theory_of(&plan, (steep_series_index){0, 0, 0, 0});
        steep_terms terms = steep_theory_at(&theory, n);
        double equal = c * pow(2 / (double)(heads == 1 ? n - 1 : n - heads + 1), p),
               best = c * pow(2 / (double)(n - heads + 1), p);
        check_close(terms.uniform, equal, 1e-8 * equal); /* of the means (data/target) */
        check_close(terms.equidistributed, best, 1e-8 * p * best);
        ck_assert(terms.predicted == terms.uniform);
        ck_assert(heads == 1 ? terms.uniform > terms.equidistributed : 1);
        terms = steep_theory_at(&theory, heads); /* one cell */
        check_close(terms.uniform, c * pow(2, p), 1e-8 * c * pow(2, p));
        if (heads > 1) ck_assert(isnan(steep_theory_at(&theory, heads - 1).uniform));
    }
}

/* Predictions count the cells between the gates that each start really places. */
START_TEST(cells_are_the_starts_own)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "mlp:relu3", "gated3"};
    static const steep_start_kind starts[] = {STEEP_START_UNIFORM, STEEP_START_ALTERNATING, STEEP_START_ONE_SIDED};
    for (size_t c = 0; c < 15; c++) {
        SCOPED(steep_plan_free)
        steep_plan plan = plan_of(options_of(archs[c / 3], "cos4", "frozen", steep_start_names(starts[c % 3])));
        const steep_theory theory = steep_theory_of(&plan, (steep_series_index){0, 0, 0, 0});
        const steep_start_options how = {.kind = starts[c % 3], .low = (double[]){-1}, .high = (double[]){1}};
        const double p = (double)theory.order, one = theory.scale.predicted;
        steep_piecewise piecewise;
        plan.variant[0].architecture->piecewise(&plan.variant[0].choice, &piecewise);
        for (size_t n = 4; n < 12; n++) {
            double knot[12], sign[12];
            size_t cells = 1;
            steep_start_gates(&how, &piecewise, n, knot, sign);
            for (size_t i = 0; i < n; i++) cells += knot[i] > -1 && knot[i] < 1;
            check_close(steep_theory_at(&theory, n).predicted * pow((double)cells, p), one, 1e-14 * one);
        }
    }
}

/* Whether "predicted" is a number. */
static bool is_predicted(const char *arch, const char *target, const char *solver, const char *start)
{
    steep_sweep_options options = options_of(arch, target, solver, start);
    options.problem.sampling = "random";
    options.problem.test = "grid";
    SCOPED(steep_plan_free) steep_plan plan = plan_of(options);
    steep_theory theory = steep_theory_of(&plan, (steep_series_index){0, 0, 0, 0});
    return isfinite(steep_theory_at(&theory, 64).predicted);
}

START_TEST(nothing_is_predicted_where_nothing_is_known)
{
    ck_assert(is_predicted("glu", "cos4", "lm", "uniform"));
    ck_assert(is_predicted("mlp:relu2", "cos4", "lm", "uniform"));
    ck_assert(!is_predicted("gqu", "cos4", "lm", "uniform")); /* trained factors leave the gate */
    ck_assert(is_predicted("gqu", "cos4", "reduced-newton", "uniform"));
    ck_assert(!is_predicted("glu", "cos4", "frozen", "random"));
    ck_assert(is_predicted("glu", "cos4", "construct", "random")); /* construct does not use the start */
    ck_assert(!is_predicted("la", "cos4", "frozen", "uniform"));
    ck_assert(!is_predicted("glu:silu", "cos4", "frozen", "uniform"));
    ck_assert(!is_predicted("glu", "sin4sin4", "frozen", "uniform"));
    ck_assert(!is_predicted("glu", "square", "frozen", "uniform"));     /* f''' = 0 */
    ck_assert(!is_predicted("mlp", "abs(x)^1.5", "frozen", "uniform")); /* an infinite mean of f''^2 */
    /* f'' is infinite at a point: no jump. An infinite f is none to approximate. */
    ck_assert(is_predicted("glu", "abs(x-0.3)^1.5", "frozen", "equidistributed"));
    ck_assert(!is_predicted("gqu", "sqrt(x+1)", "frozen", "uniform"));
    ck_assert(!is_predicted("glu", "sqrt(abs(x))+abs(x-0.3)", "frozen", "equidistributed"));
    ck_assert(!is_predicted("glu", "sqrt(abs(x))*sign(x-0.5)", "frozen", "equidistributed"));
}

/* Kinks that jets do not see are found: at a point of the search, off it, at jumps of f itself and of f''. */
START_TEST(kinks_are_seen)
{
    static const char *const broken[] = {"la_type1", "abs(x)+cos(x)", "cos(x)+abs(x-0.3)", "sign(x-0.1)+x^4",
                                         "x^4-max(x+0.77,0)^2"};
    for (size_t i = 0; i < 5; i++) ck_assert_msg(!is_predicted("glu", broken[i], "frozen", "uniform"), "%s", broken[i]);
    static const char *const smooth[] = {"abs(x-1)+x^4", "max(x-0.3,0)^3",  "abs(x)^2.6", "tanh(500*(x-0.123))",
                                         "sin(500*x)",   "1e3+1e-9*sin(x)", "chirp",      "runge5"};
    for (size_t i = 0; i < 8; i++) ck_assert_msg(is_predicted("glu", smooth[i], "frozen", "uniform"), "%s", smooth[i]);
    ck_assert(is_predicted("mlp", "x^4-max(x+0.77,0)^2", "frozen", "uniform")); /* f' is continuous */
}

/* |x - c|^(1 + q), q from .1 to .95, c anywhere or at an end, has an infinite f'' at c, which is no jump. A kink added
 * elsewhere is a jump of f', and there is no prediction. */
START_RANDOM_TEST(powers_are_no_jumps, 31)
{
    for (size_t i = 0; i < chance_cases(45); i++) {
        char power[64], broken[128];
        const double q = 0.1 + 0.85 * steep_random_uniform(&random), u = 2 * steep_random_uniform(&random) - 1;
        snprintf(power, sizeof power, "%.3f*abs(x-(%.6f))^%.4f", u + 2,
                 i % 3 == 0   ? u
                 : i % 3 == 1 ? -1.0
                              : 1.0,
                 1 + q);
        snprintf(broken, sizeof broken, "%s+%.3e*abs(x-(%.7f))", power, 1e-3 + fabs(u), 0.98 * u);
        ck_assert_msg(is_predicted("mlp", power, "frozen", "equidistributed"), "%s", power);
        ck_assert_msg(!is_predicted("mlp", broken, "frozen", "equidistributed"), "%s", broken);
        if (q < 0.5 || q > 0.8) /* between them the mean of f''^2 is finite, and hard to tell from an infinite one */
            ck_assert_msg(is_predicted("mlp", power, "frozen", "uniform") == (q > 0.5), "%s", power);
    }
}
