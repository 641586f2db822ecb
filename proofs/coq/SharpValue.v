(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The sharp value of Theorem 4.1(i) for relu: inf W = 1/m + 1/(4 m^2), m >= 2. FixedClasses.v has the network that attains
   it; here no network of width m does better. With a kink at 0 and E1 < 1/(m-1) each of m-1 equal intervals of [0, 1] has
   one of the other kinks, and f' rises at each; so f(0) >= 0, T - f is at most 0 at 0, and the first piece is no longer than
   sqrt E0 + E1/2, where the others may have E1: 1 <= sqrt E0 + (m - 1/2) E1. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps Steps TypeOne FixedClasses.
Open Scope R_scope.

Definition kink_inside (w b : nat -> R) (A B : R) (k : nat) := w k <> 0 /\ A < - b k / w k < B.

Lemma kink_inside_dec : forall w b A B k, {kink_inside w b A B k} + {~ kink_inside w b A B k}.
Proof.
  intros w b A B k. unfold kink_inside. destruct (Req_EM_T (w k) 0); [right; tauto|].
  destruct (Rlt_dec A (- b k / w k)); [|right; tauto]. destruct (Rlt_dec (- b k / w k) B); [left|right]; tauto.
Qed.

(* A sum of units none of which, but perhaps k1, has its kink inside (A, B), less unit k1, is one line on [A, B]. *)
Lemma line_but_one : forall m (a w b : nat -> R) k1 A B, A < B ->
  (forall k, (k < m)%nat -> k <> k1 -> ~ kink_inside w b A B k) ->
  exists al be, forall t, A <= t <= B ->
    sum m (fun k => if Nat.eq_dec k k1 then 0 else a k * relu (w k * t + b k)) = al * t + be.
Proof.
  intros m a w b k1 A B HAB N.
  apply (sum_line m (fun k t => if Nat.eq_dec k k1 then 0 else a k * relu (w k * t + b k)) A B).
  intros k Hk. destruct (Nat.eq_dec k k1) as [E|E]; [exists 0, 0; intros; ring|].
  destruct (unit_line 1 0 relu (w k) (b k) A B relu_kinked HAB) as [al [be L]].
  - destruct (Req_EM_T (w k) 0) as [?|Hw]; [left; assumption|right]. specialize (N k Hk E). unfold kink_inside in N.
    destruct (Rle_dec (- b k / w k) A) as [?|G]; [left; assumption|right].
    destruct (Rle_dec B (- b k / w k)) as [?|G']; [assumption|]. exfalso. apply N. split; [exact Hw|lra].
  - exists (a k * al), (a k * be). intros t Ht. rewrite L by exact Ht. ring.
Qed.

Lemma sum_split : forall m (g : nat -> R) k1, (k1 < m)%nat ->
  sum m g = sum m (fun k => if Nat.eq_dec k k1 then 0 else g k) + g k1.
Proof.
  induction m as [|m IH]; intros g k1 H; [lia|]. simpl. destruct (Nat.eq_dec m k1) as [E|E].
  - subst k1. rewrite (sum_ext m g (fun k => if Nat.eq_dec k m then 0 else g k)); [ring|].
    intros k Hk. destruct (Nat.eq_dec k m); [lia|reflexivity].
  - rewrite (IH g k1) by lia. ring.
Qed.

(* The same for all units. *)
Lemma line_without_kinks : forall m (a w b : nat -> R) f A B, A < B ->
  (forall t, f t = sum m (fun k => a k * relu (w k * t + b k))) ->
  (forall k, (k < m)%nat -> ~ kink_inside w b A B k) -> exists al be, forall t, A <= t <= B -> f t = al * t + be.
Proof.
  intros m a w b f A B HAB Hf N. destruct (line_but_one m a w b m A B HAB) as [al [be L]]; [intros; apply N; assumption|].
  exists al, be. intros t Ht. rewrite Hf, <- L by exact Ht. apply sum_ext. intros k Hk.
  destruct (Nat.eq_dec k m); [lia|reflexivity].
Qed.

Lemma error_right : forall f t, 0 <= t -> T_LA t - f t = t + t * t - f t.
Proof. intros f t Ht. unfold T_LA, relu. rewrite Rmax_left by lra. ring. Qed.

Lemma error_left : forall f t, t <= 0 -> T_LA t - f t = - f t.
Proof. intros f t Ht. unfold T_LA, relu. rewrite Rmax_right by lra. ring. Qed.

(* Where one kink is inside an interval longer than E1, the slope rises there. *)
Lemma kink_rises : forall m (a w b : nat -> R) f E1 A B k1, 0 <= A < B -> B <= 1 -> (k1 < m)%nat -> E1 < B - A ->
  (forall t, f t = sum m (fun k => a k * relu (w k * t + b k))) -> lipschitz (fun t => T_LA t - f t) E1 ->
  kink_inside w b A B k1 -> (forall k, (k < m)%nat -> k <> k1 -> ~ kink_inside w b A B k) -> 0 < a k1 * Rabs (w k1).
Proof.
  intros m a w b f E1 A B k1 HA HB Hk1 HE Hf HL [Hw Htau] N.
  destruct (line_but_one m a w b k1 A B ltac:(lra) N) as [al [be L]].
  set (tau := - b k1 / w k1) in *. assert (Hb : b k1 = - (w k1 * tau)) by (unfold tau; field; exact Hw).
  assert (val : forall t, A <= t <= B -> T_LA t - f t = t + t * t - (al * t + be) - a k1 * relu (w k1 * (t - tau))).
  { intros t Ht. rewrite error_right by lra. rewrite Hf, (sum_split m _ k1 Hk1), L by exact Ht.
    replace (w k1 * t + b k1) with (w k1 * (t - tau)) by (rewrite Hb; ring). ring. }
  set (d := Rmin (Rmin (tau - A) (B - tau)) ((B - A - E1) / 2)).
  assert (D1 : d <= tau - A /\ d <= B - tau /\ d <= (B - A - E1) / 2).
  { unfold d. repeat split.
    - eapply Rle_trans; [apply Rmin_l|apply Rmin_l].
    - eapply Rle_trans; [apply Rmin_l|apply Rmin_r].
    - apply Rmin_r. }
  assert (D0 : 0 < d) by (unfold d; repeat apply Rmin_pos; lra).
  assert (L1 := HL (A + d) A ltac:(lra) ltac:(lra)). assert (L2 := HL B (B - d) ltac:(lra) ltac:(lra)).
  cbv beta in L1, L2. rewrite !val in L1 by lra. rewrite !val in L2 by lra.
  replace (A + d - A) with d in L1 by ring. replace (B - (B - d)) with d in L2 by ring.
  rewrite (Rabs_right d) in L1, L2 by lra. apply Rabs_le_between in L1. apply Rabs_le_between in L2.
  destruct (Rlt_dec 0 (w k1)) as [Hp|Hn].
  - rewrite (Rabs_right (w k1)) by lra.
    rewrite (proj2 (relu_kinked (w k1 * (A + d - tau)))) in L1 by nra. rewrite (proj2 (relu_kinked (w k1 * (A - tau)))) in L1 by nra.
    rewrite (proj1 (relu_kinked (w k1 * (B - tau)))) in L2 by nra. rewrite (proj1 (relu_kinked (w k1 * (B - d - tau)))) in L2 by nra.
    assert (X1 : - E1 <= 1 + 2 * A + d - al) by nra. assert (X2 : 1 + 2 * B - d - al - a k1 * w k1 <= E1) by nra. lra.
  - rewrite (Rabs_left (w k1)) by lra. assert (Hneg : w k1 < 0) by lra.
    rewrite (proj1 (relu_kinked (w k1 * (A + d - tau)))) in L1 by nra. rewrite (proj1 (relu_kinked (w k1 * (A - tau)))) in L1 by nra.
    rewrite (proj2 (relu_kinked (w k1 * (B - tau)))) in L2 by nra. rewrite (proj2 (relu_kinked (w k1 * (B - d - tau)))) in L2 by nra.
    assert (X1 : - E1 <= 1 + 2 * A + d - al - a k1 * w k1) by nra. assert (X2 : 1 + 2 * B - d - al <= E1) by nra. nra.
Qed.

(* The first piece: one line on [0, x], T - f at most 0 at 0. *)
Lemma first_piece : forall f E0 E1 x al be, 0 < x <= 1 -> (forall t, -1 <= t <= 1 -> Rabs (T_LA t - f t) <= E0) ->
  lipschitz (fun t => T_LA t - f t) E1 -> (forall t, 0 <= t <= x -> f t = al * t + be) -> 0 <= f 0 -> x <= sqrt E0 + E1 / 2.
Proof.
  intros f E0 E1 x al be Hx H0 HL Hf F0.
  assert (B0 : 0 <= be) by (assert (E := Hf 0 ltac:(lra)); lra).
  assert (P0 : 0 <= E0) by (eapply Rle_trans; [apply Rabs_pos|apply (H0 0); lra]).
  assert (P1 : 0 <= E1).
  { assert (L := HL 1 0 ltac:(lra) ltac:(lra)). rewrite Rminus_0_r, (Rabs_right 1), Rmult_1_r in L by lra.
    eapply Rle_trans; [apply Rabs_pos|exact L]. }
  assert (val : forall t, 0 <= t <= x -> T_LA t - f t = t + t * t - al * t - be).
  { intros t Ht. rewrite error_right by lra. rewrite Hf by exact Ht. ring. }
  (* the slope at x, from the left *)
  assert (slope : 1 + 2 * x - al <= E1).
  { destruct (Rle_dec (1 + 2 * x - al) E1) as [?|G]; [assumption|exfalso].
    set (d := Rmin x ((1 + 2 * x - al - E1) / 2)). assert (Dx : d <= x) by apply Rmin_l.
    assert (De : d <= (1 + 2 * x - al - E1) / 2) by apply Rmin_r. assert (D0 : 0 < d) by (apply Rmin_pos; lra).
    assert (L := HL x (x - d) ltac:(lra) ltac:(lra)). cbv beta in L. rewrite !val in L by lra.
    replace (x - (x - d)) with d in L by ring. rewrite (Rabs_right d) in L by lra. apply Rabs_le_between in L.
    assert (1 + 2 * x - d - al <= E1) by nra. lra. }
  set (v := (al - 1) / 2). assert (Hv : x <= v + E1 / 2) by (unfold v; lra).
  assert (S0 := sqrt_pos E0). assert (below : forall t, 0 <= t <= x -> t * t - 2 * v * t - be >= - E0).
  { intros t Ht. assert (B := H0 t ltac:(lra)). rewrite val in B by exact Ht. apply Rabs_le_between in B. unfold v. nra. }
  assert (root : forall y, 0 <= y -> y * y <= E0 -> y <= sqrt E0).
  { intros y Hy H. rewrite <- (sqrt_square y Hy). apply sqrt_le_1_alt. exact H. }
  destruct (Rle_dec v 0) as [V0|V0]; [lra|]. destruct (Rle_dec v x) as [V|V].
  - assert (B := below v ltac:(lra)). assert (v <= sqrt E0) by (apply root; nra). lra.
  - assert (B := below x ltac:(lra)). assert (x <= sqrt E0) by (apply root; nra). lra.
Qed.

(* Disjoint intervals, each with a kink, and a unit without: fewer intervals than units. *)
Lemma spare_unit : forall n m (w b : nat -> R) (A B : nat -> R) k0, (k0 < m)%nat ->
  (forall j, (j < n)%nat -> ~ kink_inside w b (A j) (B j) k0) ->
  (forall i j, (i < j)%nat -> (j < n)%nat -> B i <= A j) ->
  (forall j, (j < n)%nat -> exists k, (k < m)%nat /\ kink_inside w b (A j) (B j) k) -> (n <= m - 1)%nat.
Proof.
  intros n m w b A B k0 Hk0 Hno Hord H.
  set (skip := fun k => if Nat.ltb k k0 then k else (k - 1)%nat).
  apply (pigeonhole n (m - 1) (fun j i => exists k, (k < m)%nat /\ k <> k0 /\ i = skip k /\ kink_inside w b (A j) (B j) k)).
  - intros j Hj. destruct (H j Hj) as [k [Hk I]]. assert (Hne : k <> k0) by (intros ->; exact (Hno j Hj I)).
    exists (skip k). split; [unfold skip; destruct (Nat.ltb_spec k k0); lia|]. exists k. repeat split; try assumption; apply I.
  - intros i j c Hi Hj [k [Hk [Nk [Ek [_ Ik]]]]] [k' [Hk' [Nk' [Ek' [_ Ik']]]]].
    assert (k = k') by (rewrite Ek in Ek'; unfold skip in Ek'; destruct (Nat.ltb_spec k k0), (Nat.ltb_spec k' k0); lia).
    subst k'. destruct (Nat.lt_trichotomy i j) as [L|[L|L]]; [exfalso|exact L|exfalso].
    + specialize (Hord i j L Hj). lra.
    + specialize (Hord j i L Hi). lra.
Qed.

(* The same with two units that do not count. *)
Lemma two_spare_units : forall n m (w b : nat -> R) (A B : nat -> R) k0 k1, (k0 < m)%nat -> (k1 < m)%nat -> k0 <> k1 ->
  (forall i j, (i < j)%nat -> (j < n)%nat -> B i <= A j) ->
  (forall j, (j < n)%nat -> exists k, (k < m)%nat /\ k <> k0 /\ k <> k1 /\ kink_inside w b (A j) (B j) k) -> (n <= m - 2)%nat.
Proof.
  intros n m w b A B k0 k1 Hk0 Hk1 Hne Hord H.
  set (lo := Nat.min k0 k1). set (hi := Nat.max k0 k1).
  set (skip := fun k => if Nat.ltb k lo then k else if Nat.ltb k hi then (k - 1)%nat else (k - 2)%nat).
  apply (pigeonhole n (m - 2) (fun j i => exists k, (k < m)%nat /\ k <> k0 /\ k <> k1 /\ i = skip k /\ kink_inside w b (A j) (B j) k)).
  - intros j Hj. destruct (H j Hj) as [k [Hk [N0 [N1 I]]]].
    exists (skip k). split; [unfold skip, lo, hi; destruct (Nat.ltb_spec k (Nat.min k0 k1)), (Nat.ltb_spec k (Nat.max k0 k1)); lia|].
    exists k. repeat split; try assumption; apply I.
  - intros i j c Hi Hj [k [Hk [N0 [N1 [Ek [_ Ik]]]]]] [k' [Hk' [N0' [N1' [Ek' [_ Ik']]]]]].
    assert (k = k').
    { rewrite Ek in Ek'. unfold skip, lo, hi in Ek'.
      destruct (Nat.ltb_spec k (Nat.min k0 k1)), (Nat.ltb_spec k' (Nat.min k0 k1)),
        (Nat.ltb_spec k (Nat.max k0 k1)), (Nat.ltb_spec k' (Nat.max k0 k1)); lia. }
    subst k'. destruct (Nat.lt_trichotomy i j) as [L|[L|L]]; [exfalso|exact L|exfalso].
    + specialize (Hord i j L Hj). lra.
    + specialize (Hord j i L Hi). lra.
Qed.

Lemma sum_nonneg : forall n g, (forall k, (k < n)%nat -> 0 <= g k) -> 0 <= sum n g.
Proof.
  induction n as [|n IH]; intros g H; simpl; [lra|]. assert (0 <= sum n g) by (apply IH; intros; apply H; lia).
  specialize (H n ltac:(lia)). lra.
Qed.

(* With a kink at 0 and E1 < 1/(m-1), every other unit rises, so f(0) >= 0. *)
Lemma start_nonneg : forall m (a w b : nat -> R) f E1 k0, (2 <= m)%nat -> (k0 < m)%nat -> w k0 <> 0 -> b k0 = 0 ->
  (forall t, f t = sum m (fun k => a k * relu (w k * t + b k))) -> lipschitz (fun t => T_LA t - f t) E1 ->
  E1 < 1 / INR (m - 1) -> 0 <= f 0.
Proof.
  intros m a w b f E1 k0 Hm Hk0 Hw0 Hb0 Hf HL HE.
  assert (HN : 0 < INR (m - 1)) by (apply lt_0_INR; lia). set (n := (m - 1)%nat) in *. set (N := INR n) in *.
  set (A := fun j => INR j / N). set (B := fun j => INR (S j) / N).
  assert (width : forall j, B j = A j + 1 / N) by (intros; unfold A, B; rewrite S_INR; field; lra).
  assert (A0 : forall j, 0 <= A j).
  { intros. unfold A. apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; exact HN]. }
  assert (B1 : forall j, (j < n)%nat -> B j <= 1).
  { intros j Hj. unfold B. apply (Rmult_le_reg_r N); [exact HN|].
    replace (INR (S j) / N * N) with (INR (S j)) by (field; lra). rewrite Rmult_1_l. apply le_INR. lia. }
  assert (P1 : 0 < 1 / N) by (apply Rdiv_lt_0_compat; lra).
  assert (ordered : forall i j, (i < j)%nat -> (j < n)%nat -> B i <= A j).
  { intros i j L _. unfold A, B. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact HN|apply le_INR; lia]. }
  assert (every : forall j, (j < n)%nat -> exists k, (k < m)%nat /\ kink_inside w b (A j) (B j) k).
  { intros j Hj. destruct (some_or_none m (kink_inside w b (A j) (B j)) (kink_inside_dec w b (A j) (B j))) as [Y|Z]; [exact Y|exfalso].
    destruct (line_without_kinks m a w b f (A j) (B j)) as [al [be L]]; [rewrite width; lra|exact Hf|exact Z|].
    assert (len := one_line f E1 (A j) (B j) al be ltac:(rewrite width; specialize (A0 j); lra) (B1 j Hj) HL L).
    rewrite width in len. lra. }
  rewrite Hf. apply sum_nonneg. intros k Hk. rewrite Rmult_0_r, Rplus_0_l.
  destruct (Nat.eq_dec k k0) as [->|Hne]; [rewrite Hb0, (proj1 (relu_kinked 0)) by lra; lra|].
  (* an interval with no unit but k *)
  destruct (some_or_none n (fun j => forall k', (k' < m)%nat -> k' <> k -> ~ kink_inside w b (A j) (B j) k')) as [[j [Hj only]]|none].
  - intros j. destruct (some_or_none m (fun k' => k' <> k /\ kink_inside w b (A j) (B j) k')) as [Y|Z].
    + intros k'. destruct (Nat.eq_dec k' k); [right; tauto|]. destruct (kink_inside_dec w b (A j) (B j) k'); [left|right]; tauto.
    + right. intros H. destruct Y as [k' [Hk' [Nk I]]]. exact (H k' Hk' Nk I).
    + left. intros k' Hk' Nk I. apply (Z k' Hk'). split; assumption.
  - assert (I : kink_inside w b (A j) (B j) k).
    { destruct (every j Hj) as [k' [Hk' I]]. destruct (Nat.eq_dec k' k) as [->|Nk]; [exact I|exfalso; exact (only k' Hk' Nk I)]. }
    assert (R := kink_rises m a w b f E1 (A j) (B j) k ltac:(rewrite width; specialize (A0 j); lra) (B1 j Hj) Hk
                   ltac:(rewrite width; lra) Hf HL I only).
    destruct I as [Hw _]. assert (0 < Rabs (w k)) by (apply Rabs_pos_lt; exact Hw).
    assert (0 < a k) by nra. apply Rmult_le_pos; [lra|]. unfold relu. apply Rmax_r.
  - exfalso. assert ((n <= m - 2)%nat); [|unfold n in *; lia].
    apply (two_spare_units n m w b A B k0 k Hk0 Hk); [auto|exact ordered|]. intros j Hj.
    destruct (some_or_none m (fun k' => k' <> k /\ kink_inside w b (A j) (B j) k')) as [Y|Z].
    + intros k'. destruct (Nat.eq_dec k' k); [right; tauto|]. destruct (kink_inside_dec w b (A j) (B j) k'); [left|right]; tauto.
    + destruct Y as [k' [Hk' [Nk I]]]. exists k'. split; [exact Hk'|]. split; [|split; [exact Nk|exact I]].
      intros ->. destruct I as [_ [I _]]. rewrite Hb0 in I. replace (- 0 / w k0) with 0 in I by (field; exact Hw0).
      specialize (A0 j). lra.
    + exfalso. apply (none j Hj). intros k' Hk' Nk I. apply (Z k' Hk'). split; assumption.
Qed.

(* 1 <= sqrt E0 + (m - 1/2) E1. *)
Lemma pieces : forall m (a w b : nat -> R) f E0 E1 k0, (2 <= m)%nat -> (k0 < m)%nat -> w k0 <> 0 -> b k0 = 0 ->
  (forall t, f t = sum m (fun k => a k * relu (w k * t + b k))) -> (forall t, -1 <= t <= 1 -> Rabs (T_LA t - f t) <= E0) ->
  lipschitz (fun t => T_LA t - f t) E1 -> 0 <= E1 -> 0 <= f 0 -> 1 <= sqrt E0 + E1 / 2 + INR (m - 1) * E1.
Proof.
  intros m a w b f E0 E1 k0 Hm Hk0 Hw0 Hb0 Hf H0 HL PE F0.
  destruct (Rle_dec 1 (sqrt E0 + E1 / 2 + INR (m - 1) * E1)) as [?|Hn]; [assumption|exfalso].
  assert (HM : 0 < INR m) by (apply lt_0_INR; lia).
  assert (EM : INR m = INR (m - 1) + 1) by (rewrite <- S_INR; f_equal; lia).
  set (de := (1 - (sqrt E0 + E1 / 2 + INR (m - 1) * E1)) / INR m).
  assert (PD : 0 < de) by (apply Rdiv_lt_0_compat; lra).
  set (X := sqrt E0 + E1 / 2 + de). set (L := E1 + de).
  assert (total : X + INR (m - 1) * L = 1).
  { assert (INR m * de = 1 - (sqrt E0 + E1 / 2 + INR (m - 1) * E1)) by (unfold de; field; lra). unfold X, L. nra. }
  assert (S0 := sqrt_pos E0). assert (PX : 0 < X) by (unfold X; lra). assert (PL : 0 < L) by (unfold L; lra).
  set (B := fun j => X + INR j * L). set (A := fun j => match j with O => 0 | S i => B i end).
  assert (B1 : forall j, (j < m)%nat -> B j <= 1).
  { intros j Hj. unfold B. rewrite <- total. apply Rplus_le_compat_l, Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
  assert (A0 : forall j, 0 <= A j).
  { intros [|j]; simpl; [lra|]. unfold B. assert (0 <= INR j) by apply pos_INR. nra. }
  assert (AB : forall j, A j < B j).
  { intros [|j]; unfold A, B; [simpl; lra|]. rewrite S_INR. lra. }
  assert ((m <= m - 1)%nat); [|lia].
  apply (spare_unit m m w b A B k0 Hk0).
  - intros j _ [_ [I _]]. rewrite Hb0 in I. replace (- 0 / w k0) with 0 in I by (field; exact Hw0). specialize (A0 j). lra.
  - intros i [|j] Hij Hj; [lia|]. simpl. unfold B. apply Rplus_le_compat_l, Rmult_le_compat_r; [lra|]. apply le_INR. lia.
  - intros j Hj. destruct (some_or_none m (kink_inside w b (A j) (B j)) (kink_inside_dec w b (A j) (B j))) as [Y|Z]; [exact Y|exfalso].
    destruct (line_without_kinks m a w b f (A j) (B j) (AB j) Hf Z) as [al [be Li]].
    destruct j as [|j].
    + assert (Q := first_piece f E0 E1 (B 0%nat) al be). unfold A in Li. assert (B0 : B 0%nat = X) by (unfold B; simpl; ring).
      rewrite B0 in *. assert (X <= sqrt E0 + E1 / 2); [|unfold X in *; lra].
      apply Q; try assumption. split; [lra|]. rewrite <- B0. apply B1. exact Hj.
    + assert (Q := one_line f E1 (A (S j)) (B (S j)) al be ltac:(split; [apply A0|apply AB]) (B1 (S j) Hj) HL Li).
      unfold A, B in Q. rewrite S_INR in Q. unfold L in *. nra.
Qed.

(* No kink at 0: the slope of f at 0 is one number, within E1 of 0 and of 1. *)
Lemma no_kink_jump : forall m (a w b : nat -> R) f, (forall t, f t = sum m (fun k => a k * relu (w k * t + b k))) ->
  (forall k, (k < m)%nat -> ~ (w k <> 0 /\ b k = 0)) -> jump f 0.
Proof.
  intros m a w b f Hf none.
  replace 0 with (sum m (fun k => a k * 0)) by (rewrite (sum_ext m _ (fun _ => 0)); [apply sum_0|intros; ring]).
  apply jump_ext with (fun t => sum m (fun k => a k * relu (w k * t + b k))); [intros; symmetry; apply Hf|].
  apply (jump_sum m (fun k t => a k * relu (w k * t + b k))). intros k Hk. apply jump_scal.
  destruct (Req_EM_T (w k) 0) as [Hw|Hw].
  - apply jump_ext with (fun _ => relu (b k)); [intros; f_equal; rewrite Hw; ring|apply jump_const].
  - assert (Hb : b k <> 0) by (intros E; apply (none k Hk); split; assumption).
    apply jump_smooth. apply (ex_derive_ext (fun h => relu (b k + w k * h))); [intros; f_equal; ring|].
    apply ex_derive_affine, (kinked_smooth_away 1 0); [apply relu_kinked|assumption].
Qed.

Lemma small_h : forall f eps, jump f 0 -> 0 < eps -> exists h, 0 < h < eps /\ Rabs (f h + f (- h) - 2 * f 0) < eps * h.
Proof.
  intros f eps J He. unfold jump in J. apply (proj1 (filterlim_locally _ 0)) with (eps := mkposreal eps He) in J.
  destruct J as [d Hd]. assert (Pd := cond_pos d). set (h := Rmin (d / 2) (eps / 2)).
  assert (H1 : h <= d / 2) by apply Rmin_l. assert (H2 : h <= eps / 2) by apply Rmin_r.
  assert (H0 : 0 < h) by (apply Rmin_pos; lra). exists h. split; [lra|].
  assert (B := Hd h). unfold ball in B; simpl in B; unfold AbsRing_ball, abs, minus, plus, opp in B; simpl in B.
  specialize (B ltac:(rewrite Rabs_right; lra) H0). rewrite Ropp_0, Rplus_0_r in B.
  unfold Rdiv in B. rewrite Rabs_mult, Rabs_inv, (Rabs_right h) in B by lra.
  apply (Rmult_lt_compat_r h) in B; [|exact H0]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in B by lra. exact B.
Qed.

(* f is one line on the right of 0: its slope is at most E1 all the same; on the left: at least 1 - E1. *)
Lemma slope_right : forall f E1 al be d, 0 < d -> jump f 0 -> lipschitz (fun t => T_LA t - f t) E1 ->
  (forall t, 0 <= t <= d -> f t = al * t + be) -> al <= E1.
Proof.
  intros f E1 al be d Hd J HL L. destruct (Rle_dec al E1) as [?|Hn]; [assumption|exfalso].
  set (eps := Rmin (Rmin d 1) (al - E1)). assert (He : 0 < eps) by (repeat apply Rmin_pos; lra).
  assert (E2 : eps <= d /\ eps <= 1 /\ eps <= al - E1).
  { unfold eps. repeat split; [eapply Rle_trans; [apply Rmin_l|apply Rmin_l]|eapply Rle_trans; [apply Rmin_l|apply Rmin_r]|apply Rmin_r]. }
  destruct (small_h f eps J He) as [h [Hh B]]. assert (Lh := HL (- h) 0 ltac:(lra) ltac:(lra)). cbv beta in Lh.
  rewrite !error_left in Lh by lra. rewrite Rminus_0_r, (Rabs_left (- h)) in Lh by lra.
  rewrite (L h), (L 0) in B by lra. rewrite (L 0) in Lh by lra. apply Rabs_le_between in Lh. apply Rabs_lt_between in B.
  assert (eps * h <= (al - E1) * h) by (apply Rmult_le_compat_r; lra). nra.
Qed.

Lemma slope_left : forall f E1 al be d, 0 < d -> jump f 0 -> lipschitz (fun t => T_LA t - f t) E1 ->
  (forall t, - d <= t <= 0 -> f t = al * t + be) -> 1 - E1 <= al.
Proof.
  intros f E1 al be d Hd J HL L. destruct (Rle_dec (1 - E1) al) as [?|Hn]; [assumption|exfalso].
  set (eps := Rmin (Rmin d 1) (1 - E1 - al)). assert (He : 0 < eps) by (repeat apply Rmin_pos; lra).
  assert (E2 : eps <= d /\ eps <= 1 /\ eps <= 1 - E1 - al).
  { unfold eps. repeat split; [eapply Rle_trans; [apply Rmin_l|apply Rmin_l]|eapply Rle_trans; [apply Rmin_l|apply Rmin_r]|apply Rmin_r]. }
  destruct (small_h f eps J He) as [h [Hh B]]. assert (Lh := HL h 0 ltac:(lra) ltac:(lra)). cbv beta in Lh.
  rewrite !error_right in Lh by lra. rewrite Rminus_0_r, (Rabs_right h) in Lh by lra.
  rewrite (L (- h)), (L 0) in B by lra. rewrite (L 0) in Lh by lra. apply Rabs_le_between in Lh. apply Rabs_lt_between in B.
  assert (eps * h <= (1 - E1 - al) * h) by (apply Rmult_le_compat_r; lra). assert (eps * h <= 1 * h) by (apply Rmult_le_compat_r; lra).
  set (y := f h) in *. assert (F : y - be >= (1 - E1) * h) by nra. nra.
Qed.

(* m = 2 without a kink at 0: W >= 9/16, for else each of (-1/2, 0), (0, 1/8), (1/8, 1) would need a kink. *)
Lemma two_units : forall (a w b : nat -> R) f E0 E1, (forall t, f t = sum 2 (fun k => a k * relu (w k * t + b k))) ->
  (forall k, (k < 2)%nat -> ~ (w k <> 0 /\ b k = 0)) -> (forall t, -1 <= t <= 1 -> Rabs (T_LA t - f t) <= E0) ->
  lipschitz (fun t => T_LA t - f t) E1 -> 9 / 16 <= E0 + E1.
Proof.
  intros a w b f E0 E1 Hf none H0 HL. assert (J := no_kink_jump 2 a w b f Hf none). assert (E12 := half f E1 J HL).
  destruct (Rle_dec (9 / 16) (E0 + E1)) as [?|Hn]; [assumption|exfalso].
  assert (P0 : 0 <= E0) by (eapply Rle_trans; [apply Rabs_pos|apply (H0 0); lra]).
  set (A := fun j => match j with O => -1 / 2 | 1%nat => 0 | _ => 1 / 8 end).
  set (B := fun j => match j with O => 0 | 1%nat => 1 / 8 | _ => 1 end).
  assert ((3 <= 2)%nat); [|lia].
  apply (pigeonhole 3 2 (fun j k => kink_inside w b (A j) (B j) k)).
  - intros j Hj. destruct (some_or_none 2 (kink_inside w b (A j) (B j)) (kink_inside_dec w b (A j) (B j))) as [Y|Z]; [exact Y|exfalso].
    assert (AB : A j < B j) by (destruct j as [|[|j]]; unfold A, B; lra).
    destruct (line_without_kinks 2 a w b f (A j) (B j) AB Hf Z) as [al [be L]].
    destruct j as [|[|j]]; unfold A, B in L.
    + assert (S := slope_left f E1 al be (1 / 2) ltac:(lra) J HL ltac:(intros; apply L; lra)).
      assert (X := H0 0 ltac:(lra)). assert (Y := H0 (-1 / 2) ltac:(lra)). rewrite error_left in X, Y by lra. rewrite !L in X, Y by lra.
      apply Rabs_le_between in X. apply Rabs_le_between in Y. lra.
    + assert (S := slope_right f E1 al be (1 / 8) ltac:(lra) J HL L).
      assert (X := HL (1 / 8) (1 / 8 - 1 / 16) ltac:(lra) ltac:(lra)). cbv beta in X. rewrite !error_right, !L in X by lra.
      rewrite (Rabs_right (1 / 8 - (1 / 8 - 1 / 16))) in X by lra. apply Rabs_le_between in X. lra.
    + assert (Q := one_line f E1 (1 / 8) 1 al be ltac:(lra) ltac:(lra) HL L). lra.
  - intros i j k Hi Hj [_ I] [_ I']. destruct i as [|[|[|i]]], j as [|[|[|j]]]; unfold A, B in *; try lia; try lra; reflexivity.
Qed.

(* No relu network of width m >= 2 has a smaller W. *)
Theorem sharp_lower_half : forall m f W, (2 <= m)%nat -> F1 relu m f -> W1_at_most (fun t => T_LA t - f t) W ->
  1 / INR m + 1 / (4 * INR m ^ 2) <= W.
Proof.
  intros m f W Hm [a [w [b Hf]]] [E0 [E1 [HW [H0 HL]]]]. apply Rle_trans with (2 := HW).
  assert (M2 : 2 <= INR m) by (change 2 with (INR 2); apply le_INR; lia).
  assert (P0 : 0 <= E0) by (eapply Rle_trans; [apply Rabs_pos|apply (H0 0); lra]).
  set (N := INR m) in *. assert (EM : INR (m - 1) = N - 1).
  { unfold N. rewrite <- (Nat.sub_add 1 m) at 2 by lia. rewrite plus_INR. simpl. ring. }
  set (h := 1 / (2 * N)). assert (Ph : 0 < h) by (apply Rdiv_lt_0_compat; lra).
  assert (value : 1 / N + 1 / (4 * N ^ 2) = 2 * h + h * h) by (unfold h; field; lra). rewrite value.
  assert (hN : h * (2 * N) = 1) by (unfold h; field; lra).
  destruct (some_or_none m (fun k => w k <> 0 /\ b k = 0)) as [[k0 [Hk0 [Hw0 Hb0]]]|none].
  - intros k. destruct (Req_EM_T (w k) 0); [right; tauto|]. destruct (Req_EM_T (b k) 0); [left|right]; tauto.
  - destruct (Rlt_dec E1 (1 / INR (m - 1))) as [HE|HE].
    + assert (F0 := start_nonneg m a w b f E1 k0 Hm Hk0 Hw0 Hb0 Hf HL HE).
      assert (P1 : 0 <= E1).
      { assert (L := HL 1 0 ltac:(lra) ltac:(lra)). rewrite Rminus_0_r, (Rabs_right 1), Rmult_1_r in L by lra.
        eapply Rle_trans; [apply Rabs_pos|exact L]. }
      assert (K := pieces m a w b f E0 E1 k0 Hm Hk0 Hw0 Hb0 Hf H0 HL P1 F0). rewrite EM in K.
      assert (S0 := sqrt_pos E0). assert (SS : sqrt E0 * sqrt E0 = E0) by (apply sqrt_sqrt; exact P0). set (s := sqrt E0) in *.
      assert (KB : 2 * h <= E1).
      { assert (B := kinked_bound 1 0 relu m f E1 relu_kinked ltac:(lia) (ex_intro _ a (ex_intro _ w (ex_intro _ b Hf))) HL).
        fold N in B. assert (E : 1 / N = 2 * h) by (unfold h; field; lra). rewrite E in B.
        assert (2 * h <= 1 / 2) by nra. rewrite Rmin_right in B by lra. exact B. }
      destruct (Rle_dec h s) as [Hs|Hs]; [nra|].
      (* (N - 1/2) E1 >= 1 - s, s < h: E1 >= 2 h (1 - s)/(1 - h) *)
      assert (Hh : h <= 1 / 4) by nra.
      assert (K2 : 2 * h * (1 - s) <= E1 * (1 - h)) by nra.
      assert (Q : (s * s + E1 - 2 * h - h * h) * (1 - h) >= 0); [|nra].
      assert (G : 0 < h - s) by lra. assert (E1 * (1 - h) >= 2 * h - 2 * h * s) by nra.
      assert ((s * s - h * h) * (1 - h) + 2 * h - 2 * h * s - 2 * h * (1 - h) >= 0); [|nra].
      replace ((s * s - h * h) * (1 - h) + 2 * h - 2 * h * s - 2 * h * (1 - h))
        with ((h - s) * (2 * h - (h + s) * (1 - h))) by ring.
      apply Rle_ge, Rmult_le_pos; [lra|]. assert (0 <= s * h) by (apply Rmult_le_pos; lra). nra.
    + assert (HE' : 1 / (N - 1) <= E1) by (rewrite <- EM; lra).
      assert (1 / (N - 1) * (N - 1) = 1) by (field; lra). set (g := 1 / (N - 1)) in *.
      assert (Pg : 0 < g) by (apply Rdiv_lt_0_compat; lra). assert (Hh : h <= 1 / 4) by nra.
      assert (Y : g * (1 - 2 * h) = 2 * h) by nra. assert (g >= 2 * h + h * h); [|nra].
      apply Rle_ge. apply (Rmult_le_reg_r (1 - 2 * h)); [lra|]. rewrite Y. nra.
  - destruct (Nat.eq_dec m 2) as [E|E].
    + subst m. assert (HN : N = 2) by (unfold N; simpl; ring). assert (Hh : h = 1 / 4) by (unfold h; rewrite HN; field).
      rewrite Hh. assert (Q := two_units a w b f E0 E1 Hf none H0 HL). lra.
    + assert (E12 := half f E1 (no_kink_jump m a w b f Hf none) HL).
      assert (3 <= N) by (unfold N; replace 3 with (INR 3) by (simpl; ring); apply le_INR; lia). assert (h <= 1 / 6) by nra. nra.
Qed.

(* Both halves: the value is the least one, and f_sharp m attains it. *)
Theorem sharp_value : forall m, (2 <= m)%nat ->
  (exists f, F1 relu m f /\ W1_at_most (fun t => T_LA t - f t) (1 / INR m + 1 / (4 * INR m ^ 2))) /\
  (forall f W, F1 relu m f -> W1_at_most (fun t => T_LA t - f t) W -> 1 / INR m + 1 / (4 * INR m ^ 2) <= W).
Proof.
  intros m Hm. split.
  - exists (f_sharp m). split; [apply f_sharp_in|apply sharp_upper_half; lia].
  - intros f W. apply sharp_lower_half. exact Hm.
Qed.
