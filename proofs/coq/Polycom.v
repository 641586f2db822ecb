(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The paper "Polynomial composition activations": Lemma 1, eq 13, Lemma 2 as printed, the form of Lemma A.2 that can be
   checked, and the partition of unity of Theorem 3. *)
From Coq Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
Require Import Activations Steps.
Open Scope R_scope.

(* Lemma 1: a power is two units. As printed, eq 13 is said for i = 0 too, where relu(x)^0 = 1 makes it false. *)
Theorem lemma_1 : forall x i, (1 <= i)%nat -> x ^ i = relu x ^ i + (-1) ^ i * relu (- x) ^ i.
Proof.
  intros x i Hi. unfold relu. destruct (Rle_dec 0 x) as [H|H].
  - rewrite Rmax_left by lra. rewrite (Rmax_right (- x) 0) by lra. rewrite (pow_i i) by lia. ring.
  - rewrite (Rmax_right x 0) by lra. rewrite (Rmax_left (- x) 0) by lra. rewrite (pow_i i) by lia.
    rewrite <- Rpow_mult_distr. replace (-1 * - x) with x by ring. ring.
Qed.

Theorem equation_13_at_0 : forall x, x ^ 0 <> relu x ^ 0 + (-1) ^ 0 * relu (- x) ^ 0.
Proof. intros; simpl; lra. Qed.

(* Theorem 1: relu is the polyrelu with a_1 = 1 and no other coefficient, so a relu network is one of polyrelu units. *)
Definition polyrelu (r : nat) (a : nat -> R) (x : R) := sum (S r) (fun i => a i * relu x ^ i).

Theorem relu_is_polyrelu : forall r x, (1 <= r)%nat -> polyrelu r (fun i => if Nat.eq_dec i 1 then 1 else 0) x = relu x.
Proof.
  intros r x Hr. unfold polyrelu. rewrite (sum_single (S r) 1); [simpl; ring|lia|].
  intros k _ Hk. destruct (Nat.eq_dec k 1); [contradiction|ring].
Qed.

(* Lemma 2 as printed wants a range of [-1, 1] of each activation with |a_i| <= 1: a_0 = a_1 = 1 leaves it. *)
Theorem lemma_2_leaves_the_range : exists a0 a1 x, Rabs a0 <= 1 /\ Rabs a1 <= 1 /\ -1 <= x <= 1 /\ 1 < a0 + a1 * relu x.
Proof.
  exists 1, 1, 1. rewrite Rabs_R1. rewrite (proj1 (relu_kinked 1)) by lra. lra.
Qed.

(* A line misses x^2 on [a, b] by (b - a)^2 / 8 at least. *)
Lemma line_misses : forall a b al be e, a <= b -> (forall x, a <= x <= b -> Rabs (x ^ 2 - (al * x + be)) <= e) ->
  (b - a) ^ 2 / 8 <= e.
Proof.
  intros a b al be e Hab H. assert (A := H a ltac:(lra)). assert (B := H b ltac:(lra)).
  assert (M := H ((a + b) / 2) ltac:(lra)).
  apply Rabs_le_between in A. apply Rabs_le_between in B. apply Rabs_le_between in M. nra.
Qed.

(* Lemma A.2: p pieces, each a line of its own (continuous or not), miss x^2 on [0, 1] by 1/(8 p^2) at least. *)
Theorem lemma_A2 : forall p (t al be : nat -> R) e, (1 <= p)%nat -> t O = 0 -> t p = 1 ->
  (forall i, (i < p)%nat -> t i <= t (S i)) ->
  (forall i x, (i < p)%nat -> t i <= x <= t (S i) -> Rabs (x ^ 2 - (al i * x + be i)) <= e) -> 1 / (8 * INR p ^ 2) <= e.
Proof.
  intros p t al be e Hp T0 T1 Mono H. assert (HP : 0 < INR p) by (apply lt_0_INR; lia).
  destruct (Rle_dec (1 / (8 * INR p ^ 2)) e) as [?|Hn]; [assumption|exfalso].
  assert (P1 : 0 < 1 / INR p) by (apply Rdiv_lt_0_compat; lra).
  assert (K : t p - t O < INR p * (1 / INR p)).
  { apply gaps; [lia|]. intros i Hi. specialize (Mono i Hi).
    assert (L := line_misses (t i) (t (S i)) (al i) (be i) e Mono (fun x Hx => H i x Hi Hx)).
    assert (E : 1 / (8 * INR p ^ 2) = (1 / INR p) ^ 2 / 8) by (field; lra). rewrite E in Hn.
    destruct (Rlt_dec (t (S i) - t i) (1 / INR p)) as [?|G]; [assumption|exfalso].
    assert ((1 / INR p) ^ 2 <= (t (S i) - t i) ^ 2) by (apply pow_incr; lra). lra. }
  rewrite T0, T1 in K. field_simplify in K; lra.
Qed.

(* Theorem 3: the trapezoids phi(3 N (x - m/N)) add to 1; in one cell, with s = N (x - m/N). So the factor 2^d is not needed. *)
Definition phi z := Rmax 0 (Rmin 1 (2 - Rabs z)).

Theorem partition_of_unity : forall s, 0 <= s <= 1 -> phi (3 * s) + phi (3 * (s - 1)) = 1.
Proof.
  intros s Hs. unfold phi. rewrite (Rabs_right (3 * s)) by lra. rewrite (Rabs_left1 (3 * (s - 1))) by lra.
  unfold Rmax, Rmin; repeat (destruct Rle_dec); lra.
Qed.
