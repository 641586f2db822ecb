/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/local_basis.h"

#include "spline/local.h"

void steep_local_basis_make(size_t degree, size_t states, steep_local_basis *basis)
{
    steep_local_make(degree, states, basis);
}

void steep_local_basis_evaluate(const steep_local_basis *basis, double z, double *value, double *first, double *second)
{
    steep_local_evaluate(basis, z, value, first, second);
}

void steep_local_basis_coefficients(const steep_local_basis *basis, const steep_spline *spline, double *coefficient)
{
    const steep_pieces pieces = {spline->degree, spline->cells, spline->knot, spline->coefficient};
    steep_local_coefficients(basis, &pieces, coefficient);
}

void steep_local_basis_slopes(const steep_local_basis *basis, const double *c, double h, int right, double slope[2])
{
    steep_local_slopes(basis, c, h, right, slope);
}
