(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The constants of the paper "GLU scaling slopes", eqs 9 and 14, and of the better constructions; the gains of the paper
   "Polynomial, trigonometric, and tropical activations". *)
From Coq Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
Require Import Activations.
Open Scope R_scope.

(* RMSE over a cell [0, h] of an error c * g: from the integral of g^2. *)
Lemma cell_rmse : forall (g : R -> R) h c I, 0 < h -> is_RInt (fun x => g x ^ 2) 0 h I ->
  sqrt (RInt (fun x => (c * g x) ^ 2) 0 h / h) = sqrt (c ^ 2 * I / h).
Proof.
  intros g h c I Hh H. f_equal. f_equal. apply is_RInt_unique.
  apply (is_RInt_ext (fun x => scal (c ^ 2) (g x ^ 2))); [intros; unfold scal; simpl; unfold mult; simpl; ring|].
  apply (is_RInt_scal (fun x => g x ^ 2) 0 h (c ^ 2) I H).
Qed.

Lemma sqrt_of : forall h k c q, 0 < h -> 0 < q -> sqrt ((h ^ k * c) ^ 2 / q) = h ^ k * Rabs c / sqrt q.
Proof.
  intros h k c q Hh Hq. assert (P : 0 < h ^ k) by (apply pow_lt; exact Hh). rewrite sqrt_div; [|apply pow2_ge_0|exact Hq].
  replace (sqrt ((h ^ k * c) ^ 2)) with (Rabs (h ^ k * c)).
  - rewrite Rabs_mult, (Rabs_right (h ^ k)) by lra. reflexivity.
  - rewrite <- sqrt_Rsqr_abs. f_equal. unfold Rsqr. ring.
Qed.

Ltac polynomial_integral G := evar_last;
  [apply (is_RInt_derive G); [intros x _; auto_derive; [trivial|field]
                             |intros x _; apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule)); auto_derive; trivial]
  |unfold minus, plus, opp; simpl; field].

Lemma interpolant_integral : forall h, is_RInt (fun x => (x ^ 2 - h * x) ^ 2) 0 h (h ^ 5 / 30).
Proof.
  intros h. polynomial_integral (fun x => x ^ 5 / 5 - h * x ^ 4 / 2 + h ^ 2 * x ^ 3 / 3).
Qed.

(* eq 9: the leading error of the MLP construction, f''/2 (x^2 - h x), has RMSE h^2 |f''| / sqrt 120. *)
Theorem equation_9 : forall h f2, 0 < h ->
  sqrt (RInt (fun x => (f2 / 2 * (x ^ 2 - h * x)) ^ 2) 0 h / h) = h ^ 2 * Rabs f2 / sqrt 120.
Proof.
  intros h f2 Hh. rewrite (cell_rmse (fun x => x ^ 2 - h * x) h (f2 / 2) (h ^ 5 / 30) Hh (interpolant_integral h)).
  rewrite <- sqrt_of by lra. f_equal. field. lra.
Qed.

Lemma march_integral : forall h, is_RInt (fun x => (x ^ 3 - h ^ 2 * x) ^ 2) 0 h (8 * h ^ 7 / 105).
Proof.
  intros h. polynomial_integral (fun x => x ^ 7 / 7 - 2 * h ^ 2 * x ^ 5 / 5 + h ^ 4 * x ^ 3 / 3).
Qed.

(* eq 14: that of the GLU construction, f'''/6 (x^3 - h^2 x), has RMSE h^3 |f'''| / sqrt (945/2). *)
Theorem equation_14 : forall h f3, 0 < h ->
  sqrt (RInt (fun x => (f3 / 6 * (x ^ 3 - h ^ 2 * x)) ^ 2) 0 h / h) = h ^ 3 * Rabs f3 / sqrt (945 / 2).
Proof.
  intros h f3 Hh. rewrite (cell_rmse (fun x => x ^ 3 - h ^ 2 * x) h (f3 / 6) (8 * h ^ 7 / 105) Hh (march_integral h)).
  rewrite <- sqrt_of by lra. f_equal. field. lra.
Qed.

Lemma midpoint_integral : forall h, is_RInt (fun x => (x * (x - h) * (2 * x - h)) ^ 2) 0 h (h ^ 7 / 210).
Proof.
  intros h. polynomial_integral (fun x => 4 * x ^ 7 / 7 - 2 * h * x ^ 6 + 13 * h ^ 2 * x ^ 5 / 5 - 3 * h ^ 3 * x ^ 4 / 2 + h ^ 4 * x ^ 3 / 3).
Qed.

(* GLU with f'' matched at the middle of the cell: 8 times better. *)
Theorem midpoint_constant : forall h f3, 0 < h ->
  sqrt (RInt (fun x => (f3 / 12 * (x * (x - h) * (2 * x - h))) ^ 2) 0 h / h) = h ^ 3 * Rabs f3 / sqrt 30240.
Proof.
  intros h f3 Hh. rewrite (cell_rmse (fun x => x * (x - h) * (2 * x - h)) h (f3 / 12) (h ^ 7 / 210) Hh (midpoint_integral h)).
  rewrite <- sqrt_of by lra. f_equal. field. lra.
Qed.

Lemma hermite_integral : forall h, is_RInt (fun x => (x ^ 2 * (x - h) ^ 2) ^ 2) 0 h (h ^ 9 / 630).
Proof.
  intros h. polynomial_integral (fun x => x ^ 9 / 9 - h * x ^ 8 / 2 + 6 * h ^ 2 * x ^ 7 / 7 - 2 * h ^ 3 * x ^ 6 / 3 + h ^ 4 * x ^ 5 / 5).
Qed.

(* GQU as a C^1 cubic Hermite interpolant. *)
Theorem gqu_constant : forall h f4, 0 < h ->
  sqrt (RInt (fun x => (f4 / 24 * (x ^ 2 * (x - h) ^ 2)) ^ 2) 0 h / h) = h ^ 4 * Rabs f4 / sqrt (24 ^ 2 * 630).
Proof.
  intros h f4 Hh. rewrite (cell_rmse (fun x => x ^ 2 * (x - h) ^ 2) h (f4 / 24) (h ^ 9 / 630) Hh (hermite_integral h)).
  rewrite <- sqrt_of by lra. f_equal. field. lra.
Qed.

(* Theorem 3.8, Hermite: with a_k = 1 and a_0^2 = 1 - 1/n!, second moments of F and F' are both sum_{k<n} 1/k!.
   Theorem 3.13, Fourier, with squares of factorials. c k stands for 1/k! or 1/k!^2. *)
Theorem equal_gains : forall (c : nat -> R) n, (1 <= n)%nat -> c O = 1 ->
  (1 - c n) + sum n (fun k => c (S k)) = sum n c.
Proof.
  intros c n Hn H0. induction n as [|n IH]; [lia|]. destruct n as [|n]; [simpl; rewrite H0; ring|].
  change (sum (S (S n)) (fun k => c (S k))) with (sum (S n) (fun k => c (S k)) + c (S (S n))).
  change (sum (S (S n)) c) with (sum (S n) c + c (S n)). specialize (IH ltac:(lia)). lra.
Qed.

Theorem hermite_gain : forall n, (1 <= n)%nat ->
  (1 - / INR (fact n)) + sum n (fun k => / INR (fact (S k))) = sum n (fun k => / INR (fact k)).
Proof. intros n Hn. apply (equal_gains (fun k => / INR (fact k))); [exact Hn|simpl; field]. Qed.

Theorem fourier_gain : forall n, (1 <= n)%nat ->
  (1 - / INR (fact n) ^ 2) + sum n (fun k => / INR (fact (S k)) ^ 2) = sum n (fun k => / INR (fact k) ^ 2).
Proof. intros n Hn. apply (equal_gains (fun k => / INR (fact k) ^ 2)); [exact Hn|simpl; field]. Qed.

(* Remark D.8 repaired: with the frequency om, E F'^2 gains om^2, so that a_0^2 = sum (om^2 k^2 - 1) / k!^2 equalises them. *)
Theorem remark_D8_repaired : forall om n,
  sum n (fun k => (om ^ 2 * INR (S k) ^ 2 - 1) / INR (fact (S k)) ^ 2) + sum n (fun k => / INR (fact (S k)) ^ 2) =
  om ^ 2 * sum n (fun k => / INR (fact k) ^ 2).
Proof.
  intros om n. induction n as [|n IH]; [simpl; ring|].
  assert (F : INR (fact (S n)) = INR (S n) * INR (fact n)) by (rewrite <- mult_INR; reflexivity).
  assert (P : INR (fact n) <> 0) by apply INR_fact_neq_0. assert (Q : INR (S n) <> 0) by (apply not_0_INR; lia).
  assert (step : (om ^ 2 * INR (S n) ^ 2 - 1) / INR (fact (S n)) ^ 2 + / INR (fact (S n)) ^ 2 = om ^ 2 * / INR (fact n) ^ 2).
  { rewrite F. field. split; assumption. }
  change (sum n (fun k => (om ^ 2 * INR (S k) ^ 2 - 1) / INR (fact (S k)) ^ 2) +
          (om ^ 2 * INR (S n) ^ 2 - 1) / INR (fact (S n)) ^ 2 +
          (sum n (fun k => / INR (fact (S k)) ^ 2) + / INR (fact (S n)) ^ 2) =
          om ^ 2 * (sum n (fun k => / INR (fact k) ^ 2) + / INR (fact n) ^ 2)).
  rewrite Rmult_plus_distr_l, <- step. rewrite <- IH. ring.
Qed.

(* The same for any coefficients, c k = (a_k^2 + b_k^2) / (2 k!^2): a_0^2 + E (F - a_0)^2 = E F'^2. *)
Theorem remark_D8_any : forall om (c : nat -> R) n,
  sum n (fun k => (om ^ 2 * INR (S k) ^ 2 - 1) * c (S k)) + sum n (fun k => c (S k)) = sum n (fun k => om ^ 2 * INR (S k) ^ 2 * c (S k)).
Proof.
  intros om c n. induction n as [|n IH]; [simpl; ring|].
  change (sum (S n) ?f) with (sum n f + f n). cbn [sum]. rewrite <- IH. ring.
Qed.
