/* SPDX-License-Identifier: GPL-3.0-or-later */
/* operations: counts of formulas, by hand; what is shared is not counted, what occurs twice is counted once. */
#include "papers/operations.h"

#include <string.h>

#include "chance.h"
#include "harness.h"

static steep_operations count(const char *text)
{
    size_t counts[5];
    steep_formula *unit;
    steep_error error;
    check_says(steep_formula_parse_unit(text, &unit, counts, &error), STEEP_OK, "");
    const steep_operations all = steep_formula_operations(unit, counts);
    steep_formula_free(unit);
    return all;
}

START_TEST(by_hand)
{
    static const struct {
        const char *text;
        size_t arithmetic, functions, kept;
    } cases[] = {
        {"z1", 0, 0, 0},
        {"relu(z1)", 1, 0, 1},
        {"2*z1", 1, 0, 0},          /* beside a number nothing is kept */
        {"e1*z1", 1, 0, 1},         /* z; e is the unit's */
        {"a1*exp(a2)*z1", 1, 0, 1}, /* a1 exp(a2) is computed once for all */
        {"z1*z2", 1, 0, 2},
        {"relu(z1)^2", 2, 0, 1},
        {"relu(z1)*relu(z1)+relu(z1)", 3, 0, 1}, /* relu once */
        {"tanh(z1)", 0, 1, 1},
        {"sin(z1)+sin(z1)", 1, 1, 1},
        {"z1/(1+exp(-z1))", 3, 1, 3},     /* -z, 1 + , quotient; z, exp, the divisor */
        {"z1/sqrt(m1+1e-6)*a1", 2, 0, 2}, /* the root is the point's; z, and the quotient */
        {"tanh(s1)*z1", 1, 0, 1},
        {"e1*s1+z1", 2, 0, 0}, /* unit times point: an element, of things that are kept anyway */
        {"max(z1,z2)", 1, 0, 1},
        {"pi^2*3", 0, 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[80];
        snprintf(text, sizeof text, "%s%s", cases[c].text, strchr(cases[c].text, 'z') ? "" : "+0*z1");
        const steep_operations all = count(text);
        ck_assert_msg(all.arithmetic == cases[c].arithmetic + (strchr(cases[c].text, 'z') ? 0 : 2) &&
                          all.functions == cases[c].functions && all.kept == cases[c].kept,
                      "%s: %zu + %zu, %zu kept", text, all.arithmetic, all.functions, all.kept);
    }
}
END_TEST

/* A polynomial of order r of relu(z), its coefficients shared: relu, r - 1 powers, r products, r sums, at any r up to
 * 3, where squaring needs no product more; and of two branches twice as many and one sum. */
START_TEST(polynomials)
{
    for (int r = 1; r <= 3; r++)
        for (int branches = 1; branches <= 2; branches++) {
            char text[200] = "a1";
            for (int b = 1; b <= branches; b++)
                for (int i = 1; i <= r; i++)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "+a%d*relu(z%d)^%d", 1 + (b - 1) * r + i,
                             b, i);
            const steep_operations all = count(text);
            ck_assert_uint_eq(all.arithmetic, (size_t)(branches * 3 * r));
            ck_assert_uint_eq(all.kept, (size_t)(branches * r));
        }
}
END_TEST

STEEP_TEST_MAIN("operations", by_hand, polynomials)
