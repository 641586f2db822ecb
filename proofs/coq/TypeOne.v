(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Theorem 4.1 of the paper "Mixture of activations" in two dimensions, in the paper's notation, with its witnesses.
   The norm: W_at_most g W says that sup |g| + Lip g <= W on Omega = [-1,1]^2, Lip the Lipschitz constant for the Euclidean
   distance. Omega is convex and all functions here are locally Lipschitz, so Lip g = ess sup |grad g|_2 and the sum is the
   norm of W^{1,infinity}; Lip is taken as its definition here, so that no measure theory is needed. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps Steps.
Open Scope R_scope.

Definition Omega (x1 x2 : R) := -1 <= x1 <= 1 /\ -1 <= x2 <= 1.

Definition W_at_most (g : R -> R -> R) (W : R) := exists E0 E1, E0 + E1 <= W /\
  (forall x1 x2, Omega x1 x2 -> Rabs (g x1 x2) <= E0) /\
  (forall x1 x2 y1 y2, Omega x1 x2 -> Omega y1 y2 ->
    Rabs (g x1 x2 - g y1 y2) <= E1 * sqrt ((x1 - y1) ^ 2 + (x2 - y2) ^ 2)).

(* The three classes of width m. w_k = (u k, v k, b k) multiplies (x1, x2, 1). *)
Definition F_fixed (s : R -> R) (m : nat) (f : R -> R -> R) := exists a u v b : nat -> R,
  forall x1 x2, f x1 x2 = sum m (fun k => a k * s (u k * x1 + v k * x2 + b k)).

Definition F_LA (eta : R) (m : nat) (f : R -> R -> R) := exists a u v b al : nat -> R,
  forall x1 x2, f x1 x2 = sum m (fun k => a k * sum 6 (fun c => al c * sigmaI eta c (u k * x1 + v k * x2 + b k))).

Definition F_MoA (eta : R) (m : nat) (f : R -> R -> R) := exists a u v b p q r : nat -> R,
  forall x1 x2, f x1 x2 = sum m (fun k => a k * sum 6 (fun c =>
    tanh (p c * x1 + q c * x2 + r c) * sigmaI eta c (u k * x1 + v k * x2 + b k))).

Definition T_LA (t : R) := relu t + relu t ^ 2.
Definition T_MoA (lambda x1 x2 : R) := tanh (lambda * x1) * relu x2.

(* B.1.1: the inclusions. *)
Theorem fixed_in_LA : forall eta c m f, (c < 6)%nat -> F_fixed (sigmaI eta c) m f -> F_LA eta m f.
Proof.
  intros eta c m f Hc [a [u [v [b H]]]].
  exists a, u, v, b, (fun j => if Nat.eq_dec j c then 1 else 0). intros x1 x2. rewrite H.
  apply sum_ext. intros k _. f_equal.
  rewrite (sum_single 6 c); [destruct (Nat.eq_dec c c); [ring|congruence]|exact Hc|].
  intros j _ Hj. destruct (Nat.eq_dec j c); [contradiction|ring].
Qed.

(* A number rho that brings n numbers into (-1, 1). *)
Lemma small_factor : forall n (al : nat -> R), exists rho, 0 < rho /\ forall c, (c < n)%nat -> -1 < rho * al c < 1.
Proof.
  induction n as [|n IH]; intros al; [exists 1; split; [lra|intros; lia]|].
  destruct (IH al) as [r [Hr H]].
  assert (P : 0 < 1 + Rabs (al n)) by (assert (A := Rabs_pos (al n)); lra).
  assert (D : 0 < / (1 + Rabs (al n))) by (apply Rinv_0_lt_compat; exact P).
  exists (Rmin r (/ (1 + Rabs (al n)))). split; [apply Rmin_pos; assumption|]. intros c Hc.
  assert (M1 : Rmin r (/ (1 + Rabs (al n))) <= r) by apply Rmin_l.
  assert (M2 : Rmin r (/ (1 + Rabs (al n))) <= / (1 + Rabs (al n))) by apply Rmin_r.
  assert (M3 : 0 < Rmin r (/ (1 + Rabs (al n)))) by (apply Rmin_pos; assumption).
  set (rho := Rmin r (/ (1 + Rabs (al n)))) in *.
  apply Rabs_lt_between. rewrite Rabs_mult, (Rabs_right rho) by lra.
  destruct (Nat.eq_dec c n) as [->|Hne].
  - apply Rle_lt_trans with (/ (1 + Rabs (al n)) * Rabs (al n)).
    + apply Rmult_le_compat_r; [apply Rabs_pos|exact M2].
    + apply (Rmult_lt_reg_l (1 + Rabs (al n))); [exact P|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
  - specialize (H c ltac:(lia)). apply Rabs_lt_between in H. rewrite Rabs_mult, (Rabs_right r) in H by lra.
    apply Rle_lt_trans with (2 := H). apply Rmult_le_compat_r; [apply Rabs_pos|exact M1].
Qed.

Theorem LA_in_MoA : forall eta m f, F_LA eta m f -> F_MoA eta m f.
Proof.
  intros eta m f [a [u [v [b [al H]]]]]. destruct (small_factor 6 al) as [rho [Hr Hal]].
  exists (fun k => a k / rho), u, v, b, (fun _ => 0), (fun _ => 0), (fun c => artanh (rho * al c)).
  intros x1 x2. rewrite H. apply sum_ext. intros k _.
  rewrite (sum_ext 6 (fun c => tanh (0 * x1 + 0 * x2 + artanh (rho * al c)) * sigmaI eta c (u k * x1 + v k * x2 + b k))
            (fun c => rho * (al c * sigmaI eta c (u k * x1 + v k * x2 + b k)))).
  - rewrite sum_scal. field. lra.
  - intros c Hc. rewrite !Rmult_0_l, !Rplus_0_l, tanh_artanh by (apply Hal; exact Hc). ring.
Qed.

(* B.3 *)
Theorem proposition_B3 : forall eta lambda, F_MoA eta 1 (T_MoA lambda).
Proof.
  intros eta lambda. exists (fun _ => 1), (fun _ => 0), (fun _ => 1), (fun _ => 0),
    (fun c => if Nat.eq_dec c 0 then lambda else 0), (fun _ => 0), (fun _ => 0).
  intros x1 x2. unfold T_MoA, sum. simpl.
  replace (0 * x1 + 1 * x2 + 0) with x2 by ring. replace (lambda * x1 + 0 * x2 + 0) with (lambda * x1) by ring.
  replace (0 * x1 + 0 * x2 + 0) with 0 by ring. rewrite tanh_at_0. ring.
Qed.

(* B.1.2: T_LA is in LA of width 1. *)
Theorem T_LA_in_LA : forall eta, F_LA eta 1 (fun x1 _ => T_LA x1).
Proof.
  intros eta. exists (fun _ => 1), (fun _ => 1), (fun _ => 0), (fun _ => 0),
    (fun c => match c with O => 1 | 1%nat => 1 | _ => 0 end).
  intros x1 x2. unfold T_LA, sum. simpl. replace (1 * x1 + 0 * x2 + 0) with x1 by ring. unfold relu2. ring.
Qed.

(* B.4: the jump across x2 = 0 is the same number at all x1 but finitely many. *)
Theorem lemma_B4 : forall eta m f, 0 < eta < 1 -> F_LA eta m f ->
  exists C (l : list R), forall x1, ~ In x1 l -> jump (f x1) C.
Proof.
  intros eta m f He [a [u [v [b [al H]]]]].
  assert (units : forall n, exists C (l : list R), forall x1, ~ In x1 l -> jump (fun h => sum n (fun k => a k *
            sum 6 (fun c => al c * sigmaI eta c (u k * x1 + v k * h + b k)))) C).
  { induction n as [|n [C [l IH]]]; [exists 0, nil; intros x1 _; apply (jump_const 0)|].
    assert (terms : forall j, exists C (l : list R), forall x1, ~ In x1 l -> jump (fun h =>
              sum j (fun c => al c * sigmaI eta c (u n * x1 + v n * h + b n))) C).
    { induction j as [|j [C' [l' IH']]]; [exists 0, nil; intros x1 _; apply (jump_const 0)|].
      destruct (ridge_jump (sigmaI eta j) (u n) (v n) (b n) (sigmaI_cases eta j He)) as [J [bad HJ]].
      exists (C' + al j * J), (bad :: l'). intros x1 Hx. simpl in Hx.
      apply (jump_plus (fun h => sum j (fun c => al c * sigmaI eta c (u n * x1 + v n * h + b n)))
               (fun h => al j * sigmaI eta j (u n * x1 + v n * h + b n))).
      - apply IH'. intros I. apply Hx. right. exact I.
      - apply jump_scal, HJ. intros E. apply Hx. left. symmetry. exact E. }
    destruct (terms 6%nat) as [C' [l' T]]. exists (C + a n * C'), (l ++ l'). intros x1 Hx.
    apply (jump_plus (fun h => sum n (fun k => a k * sum 6 (fun c => al c * sigmaI eta c (u k * x1 + v k * h + b k))))
             (fun h => a n * sum 6 (fun c => al c * sigmaI eta c (u n * x1 + v n * h + b n)))).
    - apply IH. intros I. apply Hx, in_or_app. left. exact I.
    - apply jump_scal, T. intros I. apply Hx, in_or_app. right. exact I. }
  destruct (units m) as [C [l U]]. exists C, l. intros x1 Hx.
  apply jump_ext with (2 := U x1 Hx). intros h. symmetry. apply H.
Qed.

Lemma jump_T_MoA : forall lambda x1, jump (T_MoA lambda x1) (tanh (lambda * x1)).
Proof.
  intros lambda x1. assert (K : jump (fun h => tanh (lambda * x1) * relu h) (tanh (lambda * x1) * ((1 - 0) * Rabs 1))).
  { apply jump_scal. apply jump_ext with (fun h => relu (1 * h)); [intros; f_equal; ring|].
    apply jump_kinked, relu_kinked. }
  rewrite Rabs_R1 in K. replace (tanh (lambda * x1) * ((1 - 0) * 1)) with (tanh (lambda * x1)) in K by ring. exact K.
Qed.

(* Half of the best constant for tanh(lambda x1): from a bound on the jumps for all x1 but finitely many. *)
Lemma jumps_of_tanh : forall lambda C e (l : list R),
  (forall x1, -1 < x1 < 1 -> ~ In x1 l -> Rabs (tanh (lambda * x1) - C) <= 2 * e) -> tanh lambda / 2 <= e.
Proof.
  intros lambda C e l H.
  assert (all : forall x0, -1 <= x0 <= 1 -> Rabs (tanh (lambda * x0) - C) <= 2 * e).
  { intros x0 H0. apply (avoid_limit (fun x => tanh (lambda * x) - C) l (-1) 1); [lra|exact H0| |exact H].
    apply (ex_derive_continuous (fun x => tanh (lambda * x) - C)).
    apply (ex_derive_minus (fun x => tanh (lambda * x)) (fun _ => C)); [|apply ex_derive_const].
    apply (ex_derive_comp tanh (fun x => lambda * x)); [apply tanh_smooth|apply ex_derive_scal, ex_derive_id]. }
  assert (A := all 1 ltac:(lra)). assert (B := all (-1) ltac:(lra)).
  rewrite Rmult_1_r in A. replace (lambda * -1) with (- lambda) in B by ring. rewrite tanh_odd in B.
  apply Rabs_le_between in A. apply Rabs_le_between in B. lra.
Qed.

(* B.5, the whole argument: every network of LA, of any width, is at least tanh(lambda)/2 away. *)
Theorem proposition_B5 : forall eta lambda m f W, 0 < eta < 1 -> F_LA eta m f ->
  W_at_most (fun x1 x2 => T_MoA lambda x1 x2 - f x1 x2) W -> tanh lambda / 2 <= W.
Proof.
  intros eta lambda m f W He Hf [E0 [E1 [HW [H0 H1]]]].
  assert (P0 : 0 <= E0). { eapply Rle_trans; [apply Rabs_pos|apply (H0 0 0)]. unfold Omega. lra. }
  apply Rle_trans with E1; [|lra].
  destruct (lemma_B4 eta m f He Hf) as [C [l HC]].
  apply (jumps_of_tanh lambda C E1 l). intros x1 Hx Hl.
  apply (jump_bound (fun x2 => T_MoA lambda x1 x2 - f x1 x2) _ E1 1 Rlt_0_1).
  - replace (tanh (lambda * x1) - C) with (tanh (lambda * x1) + -1 * C) by ring.
    apply jump_ext with (fun h => T_MoA lambda x1 h + -1 * f x1 h); [intros; ring|].
    apply (jump_plus (T_MoA lambda x1) (fun h => -1 * f x1 h)); [apply jump_T_MoA|apply jump_scal, HC, Hl].
  - intros h Hh. assert (L := H1 x1 h x1 0 ltac:(unfold Omega; lra) ltac:(unfold Omega; lra)).
    replace ((x1 - x1) ^ 2 + (h - 0) ^ 2) with (h ^ 2) in L by ring.
    replace (sqrt (h ^ 2)) with (Rabs h) in L; [exact L|].
    rewrite <- sqrt_Rsqr_abs. f_equal. unfold Rsqr. ring.
Qed.

Lemma W_of_same : forall f g, (forall x1 x2, Omega x1 x2 -> f x1 x2 = g x1 x2) -> W_at_most (fun x1 x2 => f x1 x2 - g x1 x2) 0.
Proof.
  intros f g H. exists 0, 0. repeat split; [lra| |].
  - intros. rewrite H, Rminus_diag_eq, Rabs_R0 by (reflexivity || assumption). lra.
  - intros. rewrite !H by assumption. replace (g x1 x2 - g x1 x2 - (g y1 y2 - g y1 y2)) with 0 by ring. rewrite Rabs_R0. lra.
Qed.

Theorem MoA_not_in_LA : forall eta lambda m f, 0 < eta < 1 -> 0 < lambda -> F_LA eta m f ->
  ~ forall x1 x2, Omega x1 x2 -> f x1 x2 = T_MoA lambda x1 x2.
Proof.
  intros eta lambda m f He Hl H Same. assert (T := tanh_pos lambda Hl).
  assert (tanh lambda / 2 <= 0); [|lra]. apply (proposition_B5 eta lambda m f 0 He H), W_of_same.
  intros; symmetry; apply Same; assumption.
Qed.
