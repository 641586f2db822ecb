(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The activations of the paper "Mixture of activations", and what the proofs use of them: each is differentiable
   everywhere, or is two lines that meet at 0. Finite sums are written sum n f = f 0 + ... + f (n-1). *)
From Coq Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S k => sum k f + f k end.

Lemma sum_ext : forall n f g, (forall k, (k < n)%nat -> f k = g k) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; intros f g H; simpl; [reflexivity|].
  rewrite (IH f g), (H n); [reflexivity|lia|intros; apply H; lia].
Qed.

Lemma sum_0 : forall n, sum n (fun _ => 0) = 0.
Proof. induction n as [|n IH]; simpl; [reflexivity|rewrite IH; ring]. Qed.

Lemma sum_scal : forall n c f, sum n (fun k => c * f k) = c * sum n f.
Proof. induction n as [|n IH]; intros; simpl; [ring|rewrite IH; ring]. Qed.

(* Of a sum of terms that are 0 but for one. *)
Lemma sum_single : forall n j f, (j < n)%nat -> (forall k, (k < n)%nat -> k <> j -> f k = 0) -> sum n f = f j.
Proof.
  induction n as [|n IH]; intros j f Hj H; [lia|]. simpl.
  destruct (Nat.eq_dec j n) as [->|Hne].
  - rewrite (sum_ext n f (fun _ => 0)) by (intros; apply H; lia). rewrite sum_0. ring.
  - rewrite (IH j f) by (try lia; intros; apply H; lia). rewrite (H n) by lia. ring.
Qed.

Definition relu (z : R) := Rmax z 0.
Definition relu2 (z : R) := relu z ^ 2.
Definition leaky (eta z : R) := Rmax z (eta * z).
Definition Phi (z : R) := 1 / 2 + RInt (fun s => exp (- s ^ 2 / 2)) 0 z / sqrt (2 * PI).
Definition gelu (z : R) := z * Phi z.
Definition silu (z : R) := z / (1 + exp (- z)).
Definition id (z : R) := z.

(* The dictionaries K of Type-I (six) and Type-II networks (seven, the identity first), in the paper's order. *)
Definition sigmaI (eta : R) (c : nat) : R -> R :=
  match c with
  | O => relu | 1%nat => relu2 | 2%nat => leaky eta | 3%nat => gelu | 4%nat => silu | _ => tanh
  end.
Definition sigmaII (eta : R) (c : nat) : R -> R :=
  match c with O => id | S k => sigmaI eta k end.

Definition smooth (s : R -> R) := forall z, ex_derive s z.
Definition kinked (p q : R) (s : R -> R) := forall z, (0 <= z -> s z = p * z) /\ (z <= 0 -> s z = q * z).

Lemma relu_kinked : kinked 1 0 relu.
Proof. intros z; unfold relu; split; intros H; [rewrite Rmax_left|rewrite Rmax_right]; lra. Qed.

Lemma leaky_kinked : forall eta, 0 < eta < 1 -> kinked 1 eta (leaky eta).
Proof. intros eta He z; unfold leaky; split; intros H; [rewrite Rmax_left|rewrite Rmax_right]; nra. Qed.

Lemma relu2_smooth : smooth relu2.
Proof.
  intros z. exists (2 * relu z). apply is_derive_Reals. intros eps Heps.
  exists (mkposreal eps Heps). intros h Hh Hd. simpl in Hd.
  assert (B : Rabs (relu2 (z + h) - relu2 z - 2 * relu z * h) <= h ^ 2).
  { unfold relu2, relu. apply Rabs_le. unfold Rmax; destruct (Rle_dec (z + h) 0), (Rle_dec z 0); nra. }
  replace ((relu2 (z + h) - relu2 z) / h - 2 * relu z)
    with ((relu2 (z + h) - relu2 z - 2 * relu z * h) / h) by (field; assumption).
  unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply Rle_lt_trans with (h ^ 2 * / Rabs h).
  - apply Rmult_le_compat_r; [|exact B]. left. apply Rinv_0_lt_compat, Rabs_pos_lt; assumption.
  - rewrite <- (pow2_abs h). replace (Rabs h ^ 2 * / Rabs h) with (Rabs h); [exact Hd|].
    field. apply Rabs_no_R0; assumption.
Qed.

Lemma gauss_continuous : forall s, continuous (fun s => exp (- s ^ 2 / 2)) s.
Proof. intros s. apply (ex_derive_continuous (fun s => exp (- s ^ 2 / 2))). auto_derive; trivial. Qed.

Lemma Phi_smooth : smooth Phi.
Proof.
  intros z. unfold Phi.
  apply (ex_derive_plus (fun _ => 1 / 2) (fun z => RInt (fun s => exp (- s ^ 2 / 2)) 0 z / sqrt (2 * PI))).
  - apply ex_derive_const.
  - apply (ex_derive_ext (fun z => / sqrt (2 * PI) * RInt (fun s => exp (- s ^ 2 / 2)) 0 z)).
    { intros t. unfold Rdiv. apply Rmult_comm. }
    apply ex_derive_scal. exists (exp (- z ^ 2 / 2)).
    apply (is_derive_RInt (fun s => exp (- s ^ 2 / 2)) (fun z => RInt (fun s => exp (- s ^ 2 / 2)) 0 z) 0).
    + apply filter_forall. intros y. apply (@RInt_correct R_CompleteNormedModule).
      apply (@ex_RInt_continuous R_CompleteNormedModule). intros; apply gauss_continuous.
    + apply gauss_continuous.
Qed.

Lemma gelu_smooth : smooth gelu.
Proof. intros z. apply (ex_derive_mult (fun z => z) Phi); [apply ex_derive_id|apply Phi_smooth]. Qed.

Lemma silu_smooth : smooth silu.
Proof. intros z. unfold silu. auto_derive. assert (H := exp_pos (- z)). lra. Qed.

Lemma cosh_pos : forall z, 0 < cosh z.
Proof. intros z. unfold cosh. assert (A := exp_pos z). assert (B := exp_pos (- z)). lra. Qed.

Lemma tanh_derive : forall z, is_derive tanh z (1 - tanh z ^ 2).
Proof.
  intros z. unfold tanh, sinh, cosh. assert (A := exp_pos z). assert (B := exp_pos (- z)).
  auto_derive; [lra|]. field. lra.
Qed.

Lemma tanh_smooth : smooth tanh.
Proof. intros z. exists (1 - tanh z ^ 2). apply tanh_derive. Qed.

Lemma id_smooth : smooth id.
Proof. intros z. apply ex_derive_id. Qed.

Lemma smooth_continuous : forall s, smooth s -> forall z, continuous s z.
Proof. intros s H z. apply (ex_derive_continuous s), H. Qed.

(* Every member of the dictionaries is one or the other. *)
Lemma sigmaI_cases : forall eta c, 0 < eta < 1 ->
  smooth (sigmaI eta c) \/ exists p q, kinked p q (sigmaI eta c).
Proof.
  intros eta c He. destruct c as [|[|[|[|[|c]]]]]; simpl.
  - right. exists 1, 0. apply relu_kinked.
  - left. apply relu2_smooth.
  - right. exists 1, eta. apply leaky_kinked; assumption.
  - left. apply gelu_smooth.
  - left. apply silu_smooth.
  - left. apply tanh_smooth.
Qed.

Lemma kinked_smooth_away : forall p q s z, kinked p q s -> z <> 0 -> ex_derive s z.
Proof.
  intros p q s z K Hz. destruct (Rlt_dec 0 z) as [Hp|Hn].
  - apply (ex_derive_ext_loc (fun t => p * t)).
    + exists (mkposreal z Hp). intros y Hy. symmetry. apply K.
      unfold ball in Hy; simpl in Hy; unfold AbsRing_ball, abs, minus, plus, opp in Hy; simpl in Hy.
      apply Rabs_lt_between in Hy. lra.
    + apply ex_derive_scal, ex_derive_id.
  - assert (Hz' : 0 < - z) by lra. apply (ex_derive_ext_loc (fun t => q * t)).
    + exists (mkposreal (- z) Hz'). intros y Hy. symmetry. apply K.
      unfold ball in Hy; simpl in Hy; unfold AbsRing_ball, abs, minus, plus, opp in Hy; simpl in Hy.
      apply Rabs_lt_between in Hy. lra.
    + apply ex_derive_scal, ex_derive_id.
Qed.

(* tanh *)
Lemma tanh_odd : forall x, tanh (- x) = - tanh x.
Proof.
  intros. unfold tanh, sinh, cosh. rewrite Ropp_involutive.
  assert (0 < exp x) by apply exp_pos. assert (0 < exp (- x)) by apply exp_pos. field. lra.
Qed.

Lemma tanh_at_0 : tanh 0 = 0.
Proof. unfold tanh, sinh. rewrite Ropp_0. unfold Rdiv. rewrite Rminus_diag_eq by reflexivity. ring. Qed.

Lemma tanh_pos : forall x, 0 < x -> 0 < tanh x.
Proof.
  intros x H. unfold tanh. apply Rdiv_lt_0_compat; [|apply cosh_pos].
  unfold sinh. assert (exp (- x) < exp x) by (apply exp_increasing; lra). lra.
Qed.

(* Gates: tanh of an artanh is the number itself. *)
Definition artanh r := ln ((1 + r) / (1 - r)) / 2.

Lemma tanh_artanh : forall r, -1 < r < 1 -> tanh (artanh r) = r.
Proof.
  intros r Hr. unfold tanh, sinh, cosh, artanh.
  set (u := ln ((1 + r) / (1 - r)) / 2).
  assert (Hq : 0 < (1 + r) / (1 - r)) by (apply Rdiv_lt_0_compat; lra).
  assert (E : exp u * exp u = (1 + r) / (1 - r)).
  { rewrite <- exp_plus. unfold u.
    replace (ln ((1 + r) / (1 - r)) / 2 + ln ((1 + r) / (1 - r)) / 2) with (ln ((1 + r) / (1 - r))) by field.
    apply exp_ln; assumption. }
  assert (P : 0 < exp u) by apply exp_pos. rewrite exp_Ropp.
  set (y := exp u) in *.
  assert (Hy : y * y * (1 - r) = 1 + r) by (rewrite E; field; lra).
  assert (Hs : 0 < y * y + 1) by nra.
  replace ((y - / y) / 2 / ((y + / y) / 2)) with ((y * y - 1) / (y * y + 1)) by (field; repeat split; nra).
  apply (Rmult_eq_reg_r (y * y + 1)); [|nra]. field_simplify; nra.
Qed.
