(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Beyond Theorem 4.2 of the paper "Mixture of activations", in three dimensions: T = (x1)_+ (x2)_+ tanh(lambda x3), which is
   in qd-MoA of width 1, against sums of products of two differentiable activations. The mixed derivative is bounded by its
   increments: mixed_at_most g E says that over every rectangle in (x1, x2) the mixed difference of g is at most E times the
   rectangle's area. Where d1 d2 g is a bounded function and g its double integral, as for T and for units whose derivatives
   are Lipschitz, the least such E is ess sup |d1 d2 g|; so no measure theory is needed. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps Steps.
Open Scope R_scope.

Definition inside (x : R) := -1 <= x <= 1.

Definition mixed_at_most (g : R -> R -> R -> R) (E : R) :=
  forall x1 y1 x2 y2 x3, inside x1 -> inside y1 -> inside x2 -> inside y2 -> inside x3 ->
    Rabs (g y1 y2 x3 - g y1 x2 x3 - g x1 y2 x3 + g x1 x2 x3) <= E * (Rabs (y1 - x1) * Rabs (y2 - x2)).

Definition T_mixed (lambda x1 x2 x3 : R) := relu x1 * relu x2 * tanh (lambda * x3).

(* Any number of products, each of two activations of its own: networks of one pair, and qd-LA with smooth activations. *)
Definition products (s1 s2 : nat -> R -> R) (m : nat) (f : R -> R -> R -> R) :=
  exists a u v w b u' v' w' b' : nat -> R, forall x1 x2 x3, f x1 x2 x3 = sum m (fun k =>
    a k * (s1 k (u k * x1 + v k * x2 + w k * x3 + b k) * s2 k (u' k * x1 + v' k * x2 + w' k * x3 + b' k))).

(* The bound from the jump of d1 of a mixed difference: two rectangles on either side of x1 = 0. *)
Lemma mixed_jump : forall g E J, mixed_at_most g E -> jump (fun h => g h 1 1 - g h 0 1) J -> Rabs J <= 2 * E.
Proof.
  intros g E J H HJ. apply (jump_bound (fun h => g h 1 1 - g h 0 1) J E 1 Rlt_0_1 HJ).
  intros h Hh. assert (L := H 0 h 0 1 1 ltac:(unfold inside; lra) ltac:(unfold inside; lra) ltac:(unfold inside; lra)
    ltac:(unfold inside; lra) ltac:(unfold inside; lra)).
  replace (Rabs (1 - 0)) with 1 in L by (rewrite Rabs_right; lra).
  rewrite Rmult_1_r in L. replace (h - 0) with h in L by ring.
  replace (g h 1 1 - g h 0 1 - (g 0 1 1 - g 0 0 1)) with (g h 1 1 - g h 0 1 - g 0 1 1 + g 0 0 1) by ring. exact L.
Qed.

Lemma jump_T_mixed : forall lambda, jump (fun h => T_mixed lambda h 1 1 - T_mixed lambda h 0 1) (tanh lambda).
Proof.
  intros lambda. assert (K : jump relu 1).
  { replace 1 with ((1 - 0) * Rabs 1) by (rewrite Rabs_R1; ring).
    apply jump_ext with (fun h => relu (1 * h)); [intros; f_equal; ring|]. apply jump_kinked, relu_kinked. }
  assert (L := jump_scal (tanh lambda) relu 1 K). rewrite Rmult_1_r in L. apply jump_ext with (2 := L).
  intros h. unfold T_mixed. rewrite (proj1 (relu_kinked 1)) by lra. rewrite (proj1 (relu_kinked 0)) by lra.
  replace (lambda * 1) with lambda by ring. ring.
Qed.

(* Whatever is differentiable in x1 across x1 = 0. *)
Theorem mixed_differentiable : forall lambda f E,
  (forall x2 x3, ex_derive (fun x1 => f x1 x2 x3) 0) ->
  mixed_at_most (fun x1 x2 x3 => T_mixed lambda x1 x2 x3 - f x1 x2 x3) E -> tanh lambda / 2 <= E.
Proof.
  intros lambda f E D H.
  assert (J : jump (fun h => (T_mixed lambda h 1 1 - f h 1 1) - (T_mixed lambda h 0 1 - f h 0 1)) (tanh lambda)).
  { replace (tanh lambda) with (tanh lambda + -1 * 0) by ring.
    apply jump_ext with (fun h => (T_mixed lambda h 1 1 - T_mixed lambda h 0 1) + -1 * (f h 1 1 - f h 0 1)); [intros; ring|].
    apply (jump_plus (fun h => T_mixed lambda h 1 1 - T_mixed lambda h 0 1) (fun h => -1 * (f h 1 1 - f h 0 1)));
      [apply jump_T_mixed|]. apply jump_scal, jump_smooth.
    apply (ex_derive_minus (fun h => f h 1 1) (fun h => f h 0 1)); apply D. }
  assert (B := mixed_jump _ E _ H J). apply Rabs_le_between in B. lra.
Qed.

Theorem mixed_smooth_pair : forall lambda s1 s2 m f E,
  (forall k, smooth (s1 k)) -> (forall k, smooth (s2 k)) -> products s1 s2 m f ->
  mixed_at_most (fun x1 x2 x3 => T_mixed lambda x1 x2 x3 - f x1 x2 x3) E -> tanh lambda / 2 <= E.
Proof.
  intros lambda s1 s2 m f E S1 S2 [a [u [v [w [b [u' [v' [w' [b' H]]]]]]]]].
  apply mixed_differentiable. intros x2 x3.
  apply (ex_derive_ext (fun x1 => sum m (fun k =>
    a k * (s1 k (u k * x1 + v k * x2 + w k * x3 + b k) * s2 k (u' k * x1 + v' k * x2 + w' k * x3 + b' k)))));
    [intros; symmetry; apply H|].
  clear H. induction m as [|m IH]; simpl; [apply ex_derive_const|].
  apply (ex_derive_plus (fun x1 => sum m (fun k =>
    a k * (s1 k (u k * x1 + v k * x2 + w k * x3 + b k) * s2 k (u' k * x1 + v' k * x2 + w' k * x3 + b' k))))
    (fun x1 => a m * (s1 m (u m * x1 + v m * x2 + w m * x3 + b m) * s2 m (u' m * x1 + v' m * x2 + w' m * x3 + b' m))));
    [exact IH|].
  apply (ex_derive_scal (fun x1 => s1 m (u m * x1 + v m * x2 + w m * x3 + b m) * s2 m (u' m * x1 + v' m * x2 + w' m * x3 + b' m))).
  apply (ex_derive_mult (fun x1 => s1 m (u m * x1 + v m * x2 + w m * x3 + b m))
    (fun x1 => s2 m (u' m * x1 + v' m * x2 + w' m * x3 + b' m))).
  - apply (ex_derive_ext (fun h => s1 m ((v m * x2 + w m * x3 + b m) + u m * h))); [intros; f_equal; ring|].
    apply ex_derive_affine, S1.
  - apply (ex_derive_ext (fun h => s2 m ((v' m * x2 + w' m * x3 + b' m) + u' m * h))); [intros; f_equal; ring|].
    apply ex_derive_affine, S2.
Qed.

(* The network of 0 has mixed differences of tanh lambda at the most: the bound is within a factor of 2. *)
Theorem mixed_zero : forall lambda, 0 <= lambda -> mixed_at_most (T_mixed lambda) (tanh lambda).
Proof.
  intros lambda Hl x1 y1 x2 y2 x3 Hx1 Hy1 Hx2 Hy2 H3. unfold T_mixed.
  replace (relu y1 * relu y2 * tanh (lambda * x3) - relu y1 * relu x2 * tanh (lambda * x3) - relu x1 * relu y2 * tanh (lambda * x3) +
    relu x1 * relu x2 * tanh (lambda * x3)) with (tanh (lambda * x3) * ((relu y1 - relu x1) * (relu y2 - relu x2))) by ring.
  assert (one : forall x y, Rabs (relu y - relu x) <= Rabs (y - x)).
  { clear. intros x y. destruct (Rle_dec 0 x), (Rle_dec 0 y);
      repeat match goal with
             | H : 0 <= ?z |- context [relu ?z] => rewrite (proj1 (relu_kinked z)) by lra
             | H : ~ 0 <= ?z |- context [relu ?z] => rewrite (proj2 (relu_kinked z)) by lra
             end; unfold Rabs; repeat destruct Rcase_abs; lra. }
  assert (T : Rabs (tanh (lambda * x3)) <= tanh lambda).
  { assert (up : forall s t, s <= t -> tanh s <= tanh t).
    { clear. intros s t H. assert (form : forall x, tanh x = 1 - 2 / (exp x * exp x + 1)).
      { intros x. unfold tanh, sinh, cosh. assert (P := exp_pos x). rewrite exp_Ropp. field. repeat split; nra. }
      rewrite !form. assert (P := exp_pos s). assert (Q := exp_pos t).
      assert (M : exp s <= exp t) by (destruct H as [H| ->]; [left; apply exp_increasing, H|right; reflexivity]).
      assert (/ (exp t * exp t + 1) <= / (exp s * exp s + 1)) by (apply Rinv_le_contravar; nra). unfold Rdiv. lra. }
    unfold inside in H3. apply Rabs_le_between. split; [rewrite <- tanh_odd|]; apply up; nra. }
  rewrite !Rabs_mult. apply Rmult_le_compat; try apply Rmult_le_pos; try apply Rabs_pos; [exact T|].
  apply Rmult_le_compat; try apply Rabs_pos; apply one.
Qed.
