/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What spline each row is; its units from jumps stand in model/jumps.h. Everything is computed in long double and
 * rounded once. G stays +-1 and D too, but for the mlp: nothing else is balanced. */
#include "model/piecewise.h"

#define FROM_JUMP(name)                                                                                                \
    bool steep_##name##_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,     \
                                  double coefficients[STEEP_MAX_BRANCHES][3], double *output)                          \
    {                                                                                                                  \
        return steep_jump_##name(choice, sign, t, jump, coefficients, output);                                         \
    }

static void set_piecewise(const steep_choice *choice, size_t degree, size_t continuity, size_t heads,
                          steep_piecewise *piecewise)
{
    const steep_piecewise none = {0, 0, 0}, found = {degree, continuity, heads};
    *piecewise = choice->activation == STEEP_RELU ? found : none;
}

/* mlp with relu^k, k <= 4: degree k, C^{k-1}; the head polynomial needs k distinct gates. */
void steep_mlp_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    size_t k = steep_jump_mlp_degree(choice);
    *piecewise = (steep_piecewise){k, k, k};
}

void steep_glu_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    set_piecewise(choice, 2, 1, 1, piecewise);
}

void steep_gqu_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    set_piecewise(choice, 3, 2, 2, piecewise);
}

void steep_gqu2_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    set_piecewise(choice, 3, 1, 1, piecewise);
}

void steep_gqu2a_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    set_piecewise(choice, 3, 1, 1, piecewise);
}

void steep_gqu2b_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    set_piecewise(choice, 4, 1, 1, piecewise);
}

void steep_gqu2c_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    set_piecewise(choice, 3, 1, 1, piecewise);
}

void steep_gqu2d_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    set_piecewise(choice, 3, 1, 1, piecewise);
}

FROM_JUMP(mlp)
FROM_JUMP(glu)
FROM_JUMP(gqu)
FROM_JUMP(gqu2)
FROM_JUMP(gqu2a)
FROM_JUMP(gqu2b)
FROM_JUMP(gqu2c)
FROM_JUMP(gqu2d)

/* k linear factors: C^{k-1} splines of degree k + 1. At a knot the unit is relu(s) s^{k-1} (b + c s). The head, of
 * degree k + 1, is a sum of real-rooted units (x - t) s^{2g} (b + c s), g = 0, 1, ..: (k + 2) / 2 gates. */
static void factors_piecewise(const steep_choice *choice, size_t k, steep_piecewise *piecewise)
{
    set_piecewise(choice, k + 1, k, (k + 2) / 2, piecewise);
}

#define FROM_HEAD(name, k)                                                                                             \
    bool steep_##name##_from_head(const steep_head *head, double coefficients[STEEP_MAX_BRANCHES][3], double *output)  \
    {                                                                                                                  \
        return steep_jump_from_head((k), head, coefficients, output);                                                  \
    }
#define FACTORS(name, k)                                                                                               \
    void steep_##name##_piecewise(const steep_choice *choice, steep_piecewise *piecewise)                              \
    {                                                                                                                  \
        factors_piecewise(choice, (k), piecewise);                                                                     \
    }                                                                                                                  \
    bool steep_##name##_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,     \
                                  double coefficients[STEEP_MAX_BRANCHES][3], double *output)                          \
    {                                                                                                                  \
        (void)choice;                                                                                                  \
        return steep_jump_factors((k), sign, t, jump, coefficients, output);                                           \
    }                                                                                                                  \
    FROM_HEAD(name, k)
FROM_HEAD(gqu, 2)
FACTORS(gated3, 3)
FACTORS(gated4, 4)
FACTORS(gated5, 5)

steep_jump_form steep_piecewise_form(const steep_architecture *row)
{
    static const struct {
        bool (*from_jump)(const steep_choice *, double, long double, const long double *, double (*)[3], double *);
        steep_jump_form form;
    } forms[] = {{steep_mlp_from_jump, STEEP_JUMP_MLP},       {steep_glu_from_jump, STEEP_JUMP_GLU},
                 {steep_gqu_from_jump, STEEP_JUMP_GQU},       {steep_gqu2_from_jump, STEEP_JUMP_GQU2},
                 {steep_gqu2a_from_jump, STEEP_JUMP_GQU2A},   {steep_gqu2b_from_jump, STEEP_JUMP_GQU2B},
                 {steep_gqu2c_from_jump, STEEP_JUMP_GQU2C},   {steep_gqu2d_from_jump, STEEP_JUMP_GQU2D},
                 {steep_gated3_from_jump, STEEP_JUMP_GATED3}, {steep_gated4_from_jump, STEEP_JUMP_GATED4},
                 {steep_gated5_from_jump, STEEP_JUMP_GATED5}};
    for (size_t i = 0; row->from_jump && i < sizeof forms / sizeof *forms; i++)
        if (forms[i].from_jump == row->from_jump) return forms[i].form;
    return STEEP_JUMP_NONE;
}
