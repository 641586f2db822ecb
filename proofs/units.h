/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units: the mixture paper's activations by number: relu, relu2, leaky_relu, gelu, silu, tanh, and 6, the identity.
 * Written out here, a second route beside the library's. */
#ifndef STEEP_PROOFS_UNITS_H
#define STEEP_PROOFS_UNITS_H

#define LEAKY 0.01

double unit_value(int s, double z);
double unit_slope(int s, double z);     /* at a kink that of the right */
double unit_curvature(int s, double z); /* away from kinks */
long double unit_value_long(int s, long double z);

#endif
