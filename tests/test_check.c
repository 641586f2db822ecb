/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check: right units pass, whatever they are; each single wrong entry of a gradient or Hessian is found and named. */
#include "model/check.h"
#include "steep.h"
#include "units.h"

static steep_error error;

/* The wrong entry of wave. 0: none; 1, 2: gradient; 3, 4, 5: Hessian; 6: sign of the gradient; 7: value. */
static size_t wrong;

/* h = sin(z1) z2 with a kink added, |z2|. */
static void wave(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    *h = sin(u[0]) * u[1] + fabs(u[1]);
    if (order >= 1) g[0] = cos(u[0]) * u[1], g[1] = sin(u[0]) + (u[1] < 0 ? -1 : 1);
    if (order >= 2) H[0] = -sin(u[0]) * u[1], H[1] = cos(u[0]), H[2] = 0;
    if (order >= 1 && wrong >= 1 && wrong <= 2) g[wrong - 1] *= 1.001;
    if (order >= 2 && wrong >= 3 && wrong <= 5) H[wrong - 3] += 0.001;
    if (order >= 1 && wrong == 6) g[0] = -g[0], g[1] = -g[1];
    if (wrong == 7) *h += 0.01 * u[0];
}

static void wave_counts(const steep_choice *choice, steep_counts *counts)
{
    (void)choice;
    *counts = (steep_counts){.branches = 2};
}

static const steep_architecture wave_row = {
    .name = "wave", .formula = "", .source = "", .counts = wave_counts, .unit = wave};

static void wave_writes(const steep_choice *choice, FILE *out)
{
    (void)choice;
    fputs("sin(z1)*z2+abs(z2)", out);
}

/* Every row passes under every choice, checked by its formula and by differences, at random points. A unit and its
 * formula differ by the rounding of both: eps times the largest intermediate number, which the derivatives show, times
 * a number of operations proportional to inputs and activations. */
START_RANDOM_TEST(the_units_that_ship_pass, 1)
{
    const steep_architecture *known, *before = NULL;
    steep_choice choice;
    for (size_t at = 0; next_unit(&at, &known, &choice); before = known) {
        steep_architecture row = *known;
        steep_counts counts;
        row.counts(&choice, &counts);
        const double rounding = 64 * DBL_EPSILON * (double)(steep_counts_inputs(&counts) + 4);
        const size_t points = chance_cases(row.uses_dictionary || row.uses_degree ? 40 : 100);
        check_says(steep_architecture_check_at(&row, &choice, points, rounding, &random, &error), STEEP_OK, "");
        row.expression = NULL, row.writes = NULL; /* and by differences */
        check_says(steep_architecture_check_at(&row, &choice, chance_cases(4), 2e-9, &random, &error), STEEP_OK, "");
        if (known != before) check_says(steep_architecture_check(&row, &choice, &error), STEEP_OK, "");
    }
}

/* A row of the table with a fault: in an entry of the gradient or the Hessian of its point function. */
typedef enum fault_kind { TERM, SIGN, FAR, FAULTS } fault_kind;
static struct {
    const steep_architecture *row;
    fault_kind kind;
    size_t inputs, entry; /* entry counts through the gradient, then through the Hessian */
} fault;

static void faulty(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    steep_architecture_unit(fault.row, choice, u, order, h, g, H);
    bool hessian = fault.entry >= fault.inputs;
    if (order < 1 + hessian) return;
    double *entry = hessian ? H + (fault.entry - fault.inputs) : g + fault.entry;
    if (fault.kind == TERM) *entry += 1e-6 * cos(u[0]) * fmax(1, fabs(*h)); /* a term of 1e-6 that the value lacks */
    else if (fault.kind == SIGN) *entry = -*entry;
    else if (fabs(u[0]) > 3) *entry += 1e-3 * *entry;
}

/* True if the fault changes its entry by more than 1e-7 of the largest entry, at 4 or more of 12 points. */
static bool shows(const steep_counts *counts, const steep_choice *choice, steep_random *random)
{
    size_t seen = 0, m = fault.inputs;
    for (size_t t = 0; t < 12; t++) {
        double u[STEEP_MAX_INPUTS], h[2], entry[2][STEEP_MAX_INPUTS + STEEP_MAX_PAIRS], size = 1;
        for (size_t j = 0; j < m; j++) u[j] = chance_within(random, 3, 5) * (t % 2 ? -1 : 1);
        for (size_t j = m; j-- > m - counts->moments;) u[j] = fabs(u[j]);
        steep_architecture_unit(fault.row, choice, u, 2, &h[0], entry[0], entry[0] + m);
        faulty(choice, u, 2, &h[1], entry[1], entry[1] + m);
        size = fmax(size, fabs(h[0]));
        for (size_t q = 0; q < m + m * (m + 1) / 2; q++) size = fmax(size, fabs(entry[0][q]));
        seen += fabs(entry[1][fault.entry] - entry[0][fault.entry]) > 1e-7 * size;
    }
    return seen >= 4;
}

START_RANDOM_TEST(small_faults_are_found, 2)
{
    size_t tried[FAULTS] = {0};
    for (size_t i = 0; i < chance_cases(200); i++) {
        steep_choice choice;
        steep_counts counts;
        fault.row = draw_unit(&random, &choice);
        fault.kind = (fault_kind)(i % FAULTS);
        fault.row->counts(&choice, &counts);
        fault.inputs = steep_counts_inputs(&counts);
        fault.entry = chance_below(&random, fault.inputs + fault.inputs * (fault.inputs + 1) / 2);
        if (!shows(&counts, &choice, &random)) continue;
        steep_architecture row = *fault.row;
        row.unit = faulty, row.tile = NULL, row.prepare = NULL, row.name = "faulty";
        for (int formula = 1; formula >= 0; formula--) {
            ck_assert_msg(steep_architecture_check(&row, &choice, &error) == STEEP_BAD_INPUT,
                          "%s, activation %d, degree %d: fault %d in entry %zu of %zu inputs is not found, by %s",
                          fault.row->name, choice.activation, choice.degree, (int)fault.kind, fault.entry, fault.inputs,
                          formula ? "its formula" : "differences");
            row.expression = NULL, row.writes = NULL;
        }
        tried[fault.kind]++;
    }
    for (int kind = 0; kind < FAULTS; kind++) ck_assert_uint_ge(tried[kind], 10);
}

/* The unit `wiggles`. If its value is noisy or hardly ever finite, it must be refused; a fast wave is right. wiggle
 * below 0: exp(u^4), which overflows at some of the points; this is right too. */
static double wiggle, noise;

static void wiggles(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    if (wiggle < 0) {
        const double z = u[0], d = 4 * z * z * z;
        *h = exp(z * z * z * z);
        if (order >= 1) g[0] = *h * d;
        if (order >= 2) H[0] = *h * (d * d + 12 * z * z);
        return;
    }
    *h = wiggle > 0 ? sin(wiggle * u[0]) + noise * sin(1e9 * u[0]) : u[0] > 5 ? u[0] : NAN;
    if (order >= 1) g[0] = wiggle > 0 ? wiggle * cos(wiggle * u[0]) : 1;
    if (order >= 2) H[0] = -wiggle * wiggle * sin(wiggle * u[0]);
}

START_TEST(what_cannot_be_checked_is_refused)
{
    static const struct {
        double wiggle, noise;
        const char *says; /* "": passes */
    } cases[] = {{1, 0, ""},  {300, 0, ""}, {1, 1e-7, "cannot be checked"}, {0, 0, "finite at"}, {1, 0, "one of"},
                 {-1, 0, ""}, {-1, 0, ""}};
    const steep_architecture *mlp = steep_architecture_find("mlp", NULL, 0); /* it has one branch, too */
    steep_architecture row = {.name = "wiggles", .formula = "", .source = "", .counts = mlp->counts, .unit = wiggles};
    steep_choice choice = steep_choice_default(&row);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wiggle = cases[i].wiggle, noise = cases[i].noise;
        row.tile = i == 4 ? mlp->tile : NULL;
        row.expression = i == 6 ? "exp(z1^4)" : NULL;
        check_says(steep_architecture_check(&row, &choice, &error), *cases[i].says ? STEEP_BAD_INPUT : STEEP_OK,
                   cases[i].says);
    }
}

START_TEST(a_wrong_entry_is_named)
{
    static const char *const named[] = {"",       "dh/dz1", "dh/dz2", "d2h/dz1 dz1", "d2h/dz2 dz1", "d2h/dz2 dz2",
                                        "dh/dz1", "dh/dz1"};
    steep_architecture row = wave_row;
    const steep_choice choice = steep_choice_default(&row);
    for (int formula = 0; formula < 2; formula++) {
        row.writes = formula ? wave_writes : NULL;
        for (wrong = 0; wrong < 8; wrong++) {
            const char *name = wrong == 7 && formula ? "for h," : named[wrong];
            check_says(steep_architecture_check(&row, &choice, &error), wrong ? STEEP_BAD_INPUT : STEEP_OK, name);
            ck_assert(!wrong || strstr(error.text, "wave"));
        }
    }
    wrong = 0;
}

START_TEST(a_wrong_role_is_named)
{
    static const struct {
        steep_role role[2];
        const char *says; /* "": right */
    } cases[] = {{{STEEP_ROLE_NONE, STEEP_ROLE_NONE}, ""},
                 {{STEEP_ROLE_NONE, STEEP_ROLE_FACTOR}, "affine"}, /* |z2| has a kink */
                 {{STEEP_ROLE_NONE, STEEP_ROLE_PART}, "affine"},
                 {{STEEP_ROLE_GATE, STEEP_ROLE_NONE}, "STEEP_ROLE_NONE for z1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_architecture row = wave_row;
        const steep_choice choice = steep_choice_default(&row);
        memcpy(row.role, cases[i].role, sizeof cases[i].role);
        check_says(steep_architecture_check(&row, &choice, &error), *cases[i].says ? STEEP_BAD_INPUT : STEEP_OK,
                   cases[i].says);
    }
}

START_TEST(a_sweep_refuses_a_wrong_unit_before_its_first_fit)
{
    const steep_architecture *extra[] = {&wave_row};
    steep_sweep_options options = steep_sweep_options_default();
    options.model.extra = extra, options.model.extra_count = 1;
    options.model.arch = "wave", options.run.out = "/nowhere/it/should/not/be/asked/for";
    wrong = 4;
    check_says(steep_sweep_run(&options, NULL, &error), STEEP_BAD_INPUT, "d2h/dz2 dz1");
    wrong = 0;
}
