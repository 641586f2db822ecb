/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dual of a linear program, solved by GLPK:
 *
 *   maximise b . y + low . u - high . v   subject to A'y + u - v = c,   y, u, v >= 0,
 *
 * u_j and v_j only where low_j and high_j are finite. Its row multipliers are x. */
#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include "lp.h"

enum { MOST_PIVOTS = 1000 };

/* GLPK ends the program where memory runs out, unless its hook jumps away. */
static void jump_away(void *where)
{
    longjmp(*(jmp_buf *)where, 1);
}

static steep_status check(const steep_lp *lp, steep_error *error)
{
    for (size_t i = 0; i < lp->rows * lp->columns; i++)
        if (!isfinite(lp->A[i]))
            return steep_fail(error, STEEP_BAD_INPUT, "row %zu of a linear program has a number that is not finite",
                              i / lp->columns);
    for (size_t i = 0; i < lp->rows; i++)
        if (!isfinite(lp->b[i]))
            return steep_fail(error, STEEP_BAD_INPUT, "the bound of row %zu of a linear program is not finite", i);
    for (size_t j = 0; j < lp->columns; j++)
        if (!isfinite(lp->c[j]) || !(lp->low[j] <= lp->high[j]) || lp->low[j] == INFINITY || lp->high[j] == -INFINITY)
            return steep_fail(
                error, STEEP_BAD_INPUT,
                "unknown %zu of a linear program has cost %g and lies in [%g, %g]: the cost must be finite "
                "and the interval not empty",
                j, lp->c[j], lp->low[j], lp->high[j]);
    return STEEP_OK;
}

/* One column of the dual: nonnegative, with this cost and these entries. Returns which. */
static int add_column(glp_prob *dual, double cost, int count, const int *index, const double *entry)
{
    int column = glp_add_cols(dual, 1);
    glp_set_col_bnds(dual, column, GLP_LO, 0, 0);
    glp_set_obj_coef(dual, column, cost);
    glp_set_mat_col(dual, column, count, index, entry);
    return column;
}

/* The dual with a basis of box multipliers, u_j where c_j >= 0, v_j where it is below, so that all are feasible; the
 * row's own where there is none. index, entry: room for columns + 1. */
static void build(glp_prob *dual, const steep_lp *lp, int *index, double *entry)
{
    const int columns = (int)lp->columns;
    glp_set_obj_dir(dual, GLP_MAX);
    glp_add_rows(dual, columns);
    for (int j = 1; j <= columns; j++) glp_set_row_bnds(dual, j, GLP_FX, lp->c[j - 1], lp->c[j - 1]);
    for (size_t i = 0; i < lp->rows; i++) {
        int count = 0;
        for (int j = 1; j <= columns; j++)
            if (lp->A[i * lp->columns + (size_t)j - 1] != 0) {
                index[++count] = j;
                entry[count] = lp->A[i * lp->columns + (size_t)j - 1];
            }
        add_column(dual, lp->b[i], count, index, entry);
    }
    for (int j = 1; j <= columns; j++) {
        const double sides[2] = {lp->low[j - 1], lp->high[j - 1]};
        int chosen = 0;
        for (int side = 0; side < 2; side++) {
            if (!isfinite(sides[side])) continue;
            index[1] = j;
            entry[1] = side ? -1 : 1;
            const int column = add_column(dual, side ? -sides[1] : sides[0], 1, index, entry);
            if (!chosen && (side ? lp->c[j - 1] <= 0 : lp->c[j - 1] >= 0)) chosen = column;
        }
        if (chosen) glp_set_col_stat(dual, chosen, GLP_BS);
        glp_set_row_stat(dual, j, chosen ? GLP_NS : GLP_BS);
    }
}

/* Right sides apart from c, each by another share: with the many zeros of c bases are degenerate, and pivots may go in
 * circles. A basis that is optimal so is the start for the right sides as they are, which few pivots are left for. */
static void perturb(glp_prob *dual, const steep_lp *lp, double share)
{
    double fraction = 0;
    for (size_t j = 0; j < lp->columns; j++) {
        fraction += 0.6180339887498949;
        fraction -= floor(fraction);
        const double c = lp->c[j] + (lp->c[j] < 0 ? -share : share) * (1 + fraction);
        glp_set_row_bnds(dual, (int)j + 1, GLP_FX, c, c);
    }
}

static steep_status read_solution(glp_prob *dual, const steep_lp *lp, double *x, double *y, double *value,
                                  steep_error *error)
{
    int status = glp_get_status(dual);
    if (status == GLP_UNBND)
        return steep_fail(error, STEEP_SINGULAR, "a linear program of %zu rows has no feasible point", lp->rows);
    if (status == GLP_NOFEAS || status == GLP_INFEAS)
        return steep_fail(error, STEEP_SINGULAR,
                          "a linear program of %zu rows has no lower bound, or no feasible point", lp->rows);
    if (status != GLP_OPT)
        return steep_fail(error, STEEP_STALLED, "GLPK gave up on a linear program of %zu rows and %zu unknowns",
                          lp->rows, lp->columns);
    *value = 0;
    for (size_t j = 0; j < lp->columns; j++) {
        /* a multiplier leaves the box by rounding only */
        x[j] = fmin(fmax(glp_get_row_dual(dual, (int)j + 1), lp->low[j]), lp->high[j]);
        *value += lp->c[j] * x[j];
    }
    for (size_t i = 0; y && i < lp->rows; i++) y[i] = fmax(0, glp_get_col_prim(dual, (int)i + 1));
    return STEEP_OK;
}

static steep_status solve(glp_prob *dual, const steep_lp *lp, double *x, double *y, double *value, steep_error *error)
{
    glp_smcp control;
    int *index = malloc((lp->columns + 2) * sizeof *index);
    double *entry = malloc((lp->columns + 2) * sizeof *entry);
    steep_status status = STEEP_NO_MEMORY;
    if (index && entry) {
        build(dual, lp, index, entry);
        glp_init_smcp(&control);
        control.msg_lev = GLP_MSG_OFF;
        control.meth = GLP_PRIMAL;
        control.tol_bnd = control.tol_dj = 1e-10;
        control.it_lim = MOST_PIVOTS + 20 * (int)(lp->rows + lp->columns); /* against cycles */
        perturb(dual, lp, 1e-7);
        glp_simplex(dual, &control);
        perturb(dual, lp, 0);
        glp_simplex(dual, &control); /* its verdict stands in the status */
        status = read_solution(dual, lp, x, y, value, error);
    } else steep_fail(error, STEEP_NO_MEMORY, "no memory for a linear program of %zu unknowns", lp->columns);
    free(index);
    free(entry);
    return status;
}

steep_status steep_lp_solve(const steep_lp *lp, double *x, double *y, double *value, steep_error *error)
{
    jmp_buf out_of_memory;
    steep_status status = check(lp, error);
    if (status < 0) return status;
    glp_term_out(GLP_OFF);
    glp_error_hook(jump_away, &out_of_memory);
    if (setjmp(out_of_memory)) {
        glp_free_env(); /* as GLPK asks for after a jump: it takes the problem with it */
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a linear program of %zu rows and %zu unknowns",
                          lp->rows, lp->columns);
    }
    glp_prob *dual = glp_create_prob();
    status = solve(dual, lp, x, y, value, error);
    glp_delete_prob(dual);
    glp_error_hook(NULL, NULL);
    return status;
}
