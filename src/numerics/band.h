/* SPDX-License-Identifier: GPL-3.0-or-later */
/* band: banded positive definite systems, what numerics/symmetric has of them, for the CPU and as device code. */
#ifndef STEEP_NUMERICS_BAND_H
#define STEEP_NUMERICS_BAND_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/inline.h"

/* Is the pivot in row j usable? l: the row's entry on the diagonal; those left of it lie lda - 1 apart. */
STEEP_INLINE bool steep_band_usable(size_t before, const double *l, size_t lda, double share)
{
    double diagonal = l[0]; /* as it was */
    for (size_t i = 1; i <= before; i++) {
        double entry = *(l - i * (lda - 1));
        diagonal += entry * entry;
    }
    return l[0] > 0 && l[0] < INFINITY && l[0] > share * diagonal;
}

STEEP_SHARED size_t steep_band_cholesky(size_t n, size_t band, double *A, size_t lda, double share,
                                        unsigned char *dropped)
{
    for (size_t j = 0; j < n; j++) {
        double *column = A + j * lda;
        size_t reach = n - 1 - j < band ? n - 1 - j : band, before = j < band ? j : band;
        bool usable = steep_band_usable(before, column, lda, share);
        if (!usable && !dropped) return j + 1;
        if (dropped) dropped[j] = !usable;
        if (!usable) {
            for (size_t i = 1; i <= before; i++) *(column - i * (lda - 1)) = 0;
            for (size_t i = 1; i <= reach; i++) column[i] = 0;
            column[0] = 1;
            continue;
        }
        column[0] = sqrt(column[0]);
        for (size_t i = 1; i <= reach; i++) column[i] /= column[0];
        for (size_t c = 1; c <= reach; c++) {
            double *other = column + c * lda, factor = column[c];
            for (size_t i = c; i <= reach; i++) other[i - c] -= column[i] * factor;
        }
    }
    return 0;
}

STEEP_SHARED void steep_band_solve(size_t n, size_t band, const double *L, size_t ldl, double *x)
{
    for (size_t j = 0; j < n; j++) {
        const double *column = L + j * ldl;
        x[j] /= column[0];
        for (size_t i = 1; i <= band && j + i < n; i++) x[j + i] -= column[i] * x[j];
    }
    for (size_t j = n; j-- > 0;) {
        const double *column = L + j * ldl;
        for (size_t i = 1; i <= band && j + i < n; i++) x[j] -= column[i] * x[j + i];
        x[j] /= column[0];
    }
}

#endif
