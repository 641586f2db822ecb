/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check: right units pass, whatever they are; each single wrong entry of a gradient or Hessian is found and named. */
#include "harness.h"
#include "model/check.h"
#include "steep.h"

static size_t wrong; /* entry that is wrong: 0: none; 1, 2: gradient; 3, 4, 5: Hessian; 6: sign of all; 7: value */

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

static void wave_writes(const steep_choice *choice, FILE *out)
{
    (void)choice;
    fputs("sin(z1)*z2+abs(z2)", out);
}

START_TEST(the_units_that_ship_pass)
{
    for (size_t i = 0; steep_architecture_table(i); i++) {
        steep_architecture row = *steep_architecture_table(i);
        steep_choice choice = steep_choice_default(&row);
        steep_error error = {""};
        for (int formula = 1; formula >= 0; formula--) {
            ck_assert_msg(steep_architecture_check(&row, &choice, &error) == STEEP_OK, "%s", error.text);
            row.factor = NULL, row.writes = NULL; /* and by differences */
        }
    }
}
END_TEST

START_TEST(a_wrong_entry_is_named)
{
    static const char *const named[] = {"",       "dh/dz1", "dh/dz2", "d2h/dz1 dz1", "d2h/dz2 dz1", "d2h/dz2 dz2",
                                        "dh/dz1", "dh/dz1"};
    steep_architecture row = {.name = "wave", .formula = "", .source = "", .counts = wave_counts, .unit = wave};
    steep_choice choice = steep_choice_default(&row);
    for (int formula = 0; formula < 2; formula++) {
        row.writes = formula ? wave_writes : NULL;
        for (wrong = 0; wrong < 8; wrong++) {
            steep_error error = {""};
            steep_status status = steep_architecture_check(&row, &choice, &error);
            ck_assert_int_eq(status, wrong ? STEEP_BAD_INPUT : STEEP_OK);
            const char *name = wrong == 7 && formula ? "for h," : named[wrong];
            if (wrong) ck_assert_msg(strstr(error.text, name) && strstr(error.text, "wave"), "%s", error.text);
        }
    }
    wrong = 0;
}
END_TEST

/* A role that the unit does not play is found. */
START_TEST(a_wrong_role_is_named)
{
    static const struct {
        steep_role role[2];
        const char *says; /* NULL: right */
    } cases[] = {{{STEEP_ROLE_NONE, STEEP_ROLE_NONE}, NULL},
                 {{STEEP_ROLE_NONE, STEEP_ROLE_FACTOR}, "affine"}, /* |z2| has a kink */
                 {{STEEP_ROLE_NONE, STEEP_ROLE_PART}, "affine"},
                 {{STEEP_ROLE_GATE, STEEP_ROLE_NONE}, "STEEP_ROLE_NONE for its first branch"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_architecture row = {.name = "wave", .formula = "", .source = "", .counts = wave_counts, .unit = wave};
        steep_choice choice = steep_choice_default(&row);
        steep_error error = {""};
        memcpy(row.role, cases[i].role, sizeof cases[i].role);
        ck_assert_int_eq(steep_architecture_check(&row, &choice, &error), cases[i].says ? STEEP_BAD_INPUT : STEEP_OK);
        ck_assert_msg(!cases[i].says || strstr(error.text, cases[i].says), "%s", error.text);
    }
}
END_TEST

START_TEST(a_sweep_refuses_a_wrong_unit_before_its_first_fit)
{
    const steep_architecture row = {.name = "wave", .formula = "", .source = "", .counts = wave_counts, .unit = wave};
    const steep_architecture *extra[] = {&row};
    steep_sweep_options options = steep_sweep_options_default();
    steep_error error = {""};
    options.model.extra = extra, options.model.extra_count = 1;
    options.model.arch = "wave", options.run.out = "/nowhere/it/should/not/be/asked/for";
    wrong = 4;
    ck_assert_int_eq(steep_sweep_run(&options, NULL, &error), STEEP_BAD_INPUT);
    ck_assert_msg(strstr(error.text, "d2h/dz2 dz1") != NULL, "%s", error.text);
    wrong = 0;
}
END_TEST

STEEP_TEST_MAIN("check", the_units_that_ship_pass, a_wrong_entry_is_named, a_wrong_role_is_named,
                a_sweep_refuses_a_wrong_unit_before_its_first_fit)
