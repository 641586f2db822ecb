(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Theorems 4.1 and 4.2 of the paper "Mixture of activations" are about [-1, 1]^d with d >= 2, their proofs about d = 1 and 2.
   The step: where the n further coordinates y are 0, a network is one of x1 and x2 with the same activations, and the norm
   of the restriction is no greater. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps Steps TypeOne FixedClasses TypeTwo.
Open Scope R_scope.

Definition cube (n : nat) (y : nat -> R) := forall j, (j < n)%nat -> -1 <= y j <= 1.

Definition W_at_most_in (n : nat) (g : R -> R -> (nat -> R) -> R) (W : R) := exists E0 E1, E0 + E1 <= W /\
  (forall x1 x2 y, Omega x1 x2 -> cube n y -> Rabs (g x1 x2 y) <= E0) /\
  (forall x1 x2 y z1 z2 z, Omega x1 x2 -> cube n y -> Omega z1 z2 -> cube n z -> Rabs (g x1 x2 y - g z1 z2 z) <=
    E1 * sqrt ((x1 - z1) ^ 2 + (x2 - z2) ^ 2 + sum n (fun j => (y j - z j) ^ 2))).

Definition zero : nat -> R := fun _ => 0.

Lemma cube_zero : forall n, cube n zero.
Proof. intros n j _. unfold zero. lra. Qed.

Lemma W_restrict : forall n g W, W_at_most_in n g W -> W_at_most (fun x1 x2 => g x1 x2 zero) W.
Proof.
  intros n g W [E0 [E1 [HW [H0 H1]]]]. exists E0, E1. split; [exact HW|split].
  - intros x1 x2 Hx. apply H0; [exact Hx|apply cube_zero].
  - intros x1 x2 y1 y2 Hx Hy. assert (L := H1 x1 x2 zero y1 y2 zero Hx (cube_zero n) Hy (cube_zero n)).
    rewrite (sum_ext n _ (fun _ => 0)), sum_0, Rplus_0_r in L by (intros; unfold zero; ring). exact L.
Qed.

Lemma W_line : forall g W, W_at_most g W -> W1_at_most (fun t => g t 0) W.
Proof.
  intros g W [E0 [E1 [HW [H0 H1]]]]. exists E0, E1. split; [exact HW|split].
  - intros t Ht. apply H0. unfold Omega. lra.
  - intros s t Hs Ht. assert (L := H1 s 0 t 0 ltac:(unfold Omega; lra) ltac:(unfold Omega; lra)).
    replace ((s - t) ^ 2 + (0 - 0) ^ 2) with (Rsqr (s - t)) in L by (unfold Rsqr; ring). rewrite sqrt_Rsqr_abs in L. exact L.
Qed.

(* A gate's argument: u x1 + v x2 + w y + b, w y over the n further coordinates. *)
Definition gate (n : nat) (u v : R) (w : nat -> R) (b x1 x2 : R) (y : nat -> R) := u * x1 + v * x2 + sum n (fun j => w j * y j) + b.

Lemma gate_restrict : forall n u v w b x1 x2, gate n u v w b x1 x2 zero = u * x1 + v * x2 + b.
Proof.
  intros. unfold gate. rewrite (sum_ext n _ (fun _ => 0)), sum_0 by (intros; unfold zero; ring). ring.
Qed.

Definition F_fixed_in (n : nat) (s : R -> R) (m : nat) (f : R -> R -> (nat -> R) -> R) := exists (a u v b : nat -> R) w,
  forall x1 x2 y, f x1 x2 y = sum m (fun k => a k * s (gate n (u k) (v k) (w k) (b k) x1 x2 y)).

Definition F_LA_in (n : nat) (eta : R) (m : nat) (f : R -> R -> (nat -> R) -> R) := exists (a u v b al : nat -> R) w,
  forall x1 x2 y, f x1 x2 y = sum m (fun k => a k * sum 6 (fun c => al c * sigmaI eta c (gate n (u k) (v k) (w k) (b k) x1 x2 y))).

Definition G_fixed_in (n : nat) (s1 s2 : R -> R) (m : nat) (f : R -> R -> (nat -> R) -> R) := exists (a u v b u' v' b' : nat -> R) w w',
  forall x1 x2 y, f x1 x2 y = sum m (fun k =>
    a k * (s1 (gate n (u k) (v k) (w k) (b k) x1 x2 y) * s2 (gate n (u' k) (v' k) (w' k) (b' k) x1 x2 y))).

Lemma G_restrict : forall n s1 s2 m f, G_fixed_in n s1 s2 m f -> G_fixed s1 s2 m (fun x1 x2 => f x1 x2 zero).
Proof.
  intros n s1 s2 m f [a [u [v [b [u' [v' [b' [w [w' H]]]]]]]]]. exists a, u, v, b, u', v', b'. intros x1 x2. rewrite H.
  apply sum_ext. intros k _. rewrite !gate_restrict. reflexivity.
Qed.

Theorem proposition_B2_in : forall n eta c m f W, 0 < eta < 1 -> (1 <= m)%nat -> F_fixed_in n (sigmaI eta c) m f ->
  W_at_most_in n (fun x1 x2 y => T_LA x1 - f x1 x2 y) W -> 1 / INR (S m) <= W.
Proof.
  intros n eta c m f W He Hm [a [u [v [b [w H]]]]] HW.
  apply (proposition_B2 eta c m (fun t => f t 0 zero) W He Hm).
  - exists a, u, b. intros t. rewrite H. apply sum_ext. intros k _. rewrite gate_restrict. do 2 f_equal. ring.
  - apply (W_line (fun x1 x2 => T_LA x1 - f x1 x2 zero)), (W_restrict n _ W HW).
Qed.

Theorem proposition_B5_in : forall n eta lambda m f W, 0 < eta < 1 -> F_LA_in n eta m f ->
  W_at_most_in n (fun x1 x2 y => T_MoA lambda x1 x2 - f x1 x2 y) W -> tanh lambda / 2 <= W.
Proof.
  intros n eta lambda m f W He [a [u [v [b [al [w H]]]]]] HW.
  apply (proposition_B5 eta lambda m (fun x1 x2 => f x1 x2 zero) W He); [|exact (W_restrict n _ W HW)].
  exists a, u, v, b, al. intros x1 x2. rewrite H. apply sum_ext. intros k _. rewrite gate_restrict. reflexivity.
Qed.

Theorem proposition_B9_in : forall n eta p q m f, 0 < eta < 1 -> G_fixed_in n (sigmaII eta p) (sigmaII eta q) m f ->
  ~ forall x1 x2 y, Omega x1 x2 -> cube n y -> f x1 x2 y = T_LA2 x1 x2.
Proof.
  intros n eta p q m f He Hf Same. apply (proposition_B9 eta p q m _ He (G_restrict n _ _ m f Hf)).
  intros x1 x2 Hx. apply Same; [exact Hx|apply cube_zero].
Qed.

Theorem smooth_pair_in : forall n s1 s2 m f W, smooth s1 -> smooth s2 -> G_fixed_in n s1 s2 m f ->
  W_at_most_in n (fun x1 x2 y => T_LA2 x1 x2 - f x1 x2 y) W -> (1 + tanh 1) / 2 <= W.
Proof.
  intros n s1 s2 m f W S1 S2 Hf HW.
  exact (smooth_pair s1 s2 m _ W S1 S2 (G_restrict n s1 s2 m f Hf) (W_restrict n _ W HW)).
Qed.

Theorem kinked_id_pair_in : forall n p q s m f W, kinked p q s -> G_fixed_in n s id m f ->
  W_at_most_in n (fun x1 x2 y => T_LA2 x1 x2 - f x1 x2 y) W -> 1 / 8 <= W.
Proof.
  intros n p q s m f W K Hf HW. exact (kinked_id_pair p q s m _ W K (G_restrict n s id m f Hf) (W_restrict n _ W HW)).
Qed.
