(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* What the theorems rest on: the axioms of Coq's real numbers, and nothing else. *)
Require Import Steps TypeOne FixedClasses SharpValue TypeTwo Dimensions Mixed Constants Polycom Counterexamples.

Definition all := (
  lemma_B1, lemma_B1_tight_exists, fixed_in_LA, LA_in_MoA, T_LA_in_LA, proposition_B3, lemma_B4, proposition_B5, MoA_not_in_LA,
  smooth_half, kinked_bound, proposition_B2_better, proposition_B2, f_sharp_in, sharp_upper_half, sharp_lower_half, sharp_value,
  fixed_in_LA2, LA_in_MoA2, proposition_B6, proposition_B10, silu_identity, lemma_B7, smooth_pair, kinked_id_pair, proposition_B9,
  sigmaII_at_0, lemma_B11, proposition_B2_in, proposition_B5_in, proposition_B9_in, smooth_pair_in, kinked_id_pair_in,
  mixed_differentiable, mixed_smooth_pair, mixed_zero, T_mixed_in_MoA, mixed_derivative,
  equation_9, equation_14, midpoint_constant, gqu_constant, hermite_gain, fourier_gain, remark_D8_repaired, remark_D8_any,
  lemma_1, equation_13_at_0, relu_is_polyrelu, lemma_2_leaves_the_range, lemma_A2, partition_of_unity,
  B14_first, B14_second, B14_repaired, equation_65, equation_55_at_0).
Print Assumptions all.
