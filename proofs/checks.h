/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks: the checking functions, a file of them for each group of statements; and what these share. */
#ifndef STEEP_PROOFS_CHECKS_H
#define STEEP_PROOFS_CHECKS_H

#include "proof.h"

/* mixture.c: Theorem 4.1 */
void check_inclusions(proof *p);
void check_representations(proof *p);
void check_lemma_b4(proof *p);
void check_proposition_b5(proof *p);
void check_sharp_b5(proof *p);
void check_b14(proof *p);
void check_b14_repaired(proof *p);

/* steps.c: its first half, in one dimension */
void check_lemma_b1(proof *p);
void check_proposition_b2(proof *p);
void check_sharp_relu(proof *p);
void check_sharp_relu_1(proof *p);

/* kinks.c */
void check_all_kinks(proof *p);
void check_sharp_relu2(proof *p);
void check_sharp_smooth(proof *p);

/* pairs.c: Theorem 4.2 */
void check_inclusions_2(proof *p);
void check_representations_2(proof *p);
void check_lemma_b7(proof *p);
void check_proposition_b9(proof *p);
void check_lemma_b11(proof *p);
void check_lemma_b12(proof *p);
void check_no_width_bound(proof *p);
void check_smooth_pair(proof *p);
void check_identity_pair(proof *p);
void check_kinked_pairs(proof *p);
void check_mixed_derivative(proof *p);
void check_mixed_smooth(proof *p);
void check_silu_identity(proof *p);

/* gains.c: polynomial, trigonometric, tropical activations */
void check_relu_gain(proof *p);
void check_hermite_identities(proof *p);
void check_equation_30(proof *p);
void check_hermite_gain(proof *p);
void check_hermite_limit(proof *p);
void check_fourier_gain(proof *p);
void check_fourier_limit(proof *p);
void check_equation_55(proof *p);
void check_equation_65(proof *p);
void check_remark_d8(proof *p);
void check_tropical_gain(proof *p);
void check_semiring(proof *p);
void check_degree(proof *p);
void check_strides(proof *p);

/* slopes.c: GLU scaling slopes */
void check_counts(proof *p);
void check_equation_6(proof *p);
void check_equation_7(proof *p);
void check_equations_10_13(proof *p);
void check_equation_9(proof *p);
void check_equation_14(proof *p);
void check_sweep(proof *p);
void check_midpoint(proof *p);
void check_gqu(proof *p);
void check_width_bounds(proof *p);

/* brackets.c: its lower bounds at small widths */
void check_brackets(proof *p);

/* polycom.c: polynomial composition */
void check_polycom_1(proof *p);
void check_polycom_network(proof *p);
void check_polycom_2(proof *p);
void check_polycom_theorem_2(proof *p);
void check_lemma_a2(proof *p);
void check_sawtooth(proof *p);
void check_lemma_a4(proof *p);
void check_theorem_3(proof *p);
void check_monomials(proof *p);
void check_devore(proof *p);

#endif
