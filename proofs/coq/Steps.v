(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Lemma B.1 of the paper "Mixture of activations" and that it is tight; a pigeonhole that other files use. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations.
Open Scope R_scope.

Lemma constant_piece : forall a b c e, a < b ->
  (forall t, a < t < b -> Rabs (2 * t - c) <= e) -> b - a <= e.
Proof.
  intros a b c e Hab H.
  destruct (Rle_dec (b - a) e) as [?|Hn]; [assumption|exfalso].
  assert (He : e < b - a) by lra.
  set (d := (b - a - e) / 4). assert (Hd : 0 < d) by (unfold d; lra).
  assert (H0 : 0 <= e). { eapply Rle_trans; [apply Rabs_pos|apply (H ((a + b) / 2)); lra]. }
  assert (H1 := H (a + d)). assert (H2 := H (b - d)).
  assert (a < a + d < b) by (unfold d; lra). assert (a < b - d < b) by (unfold d; lra).
  specialize (H1 H3). specialize (H2 H4).
  apply Rabs_le_between in H1. apply Rabs_le_between in H2.
  unfold d in *; lra.
Qed.

Lemma gaps : forall (t : nat -> R) n L, (0 < n)%nat ->
  (forall i, (i < n)%nat -> t (S i) - t i < L) -> t n - t O < INR n * L.
Proof.
  intros t n L Hn H. induction n as [|n IH]; [lia|].
  destruct n as [|n].
  - specialize (H O ltac:(lia)). simpl. lra.
  - assert (t (S n) - t O < INR (S n) * L) by (apply IH; [lia|intros; apply H; lia]).
    specialize (H (S n) ltac:(lia)). rewrite (S_INR (S n)). lra.
Qed.

(* s is a step function on [0, 1] with at most m discontinuities, at t 1 <= ... <= t m, and the value v i between them. *)
Definition step_function (m : nat) (t v : nat -> R) (s : R -> R) :=
  t O = 0 /\ t (S m) = 1 /\ (forall i, (i <= m)%nat -> t i <= t (S i)) /\
  (forall i x, (i <= m)%nat -> t i < x < t (S i) -> s x = v i).

Theorem lemma_B1 : forall m (t v : nat -> R) (s : R -> R) e, step_function m t v s ->
  (forall i x, (i <= m)%nat -> t i < x < t (S i) -> Rabs (2 * x - s x) <= e) -> 1 / INR (S m) <= e.
Proof.
  intros m t v s e [T0 [T1 [Mono Hs]]] He.
  destruct (Rle_dec (1 / INR (S m)) e) as [?|Hn]; [assumption|exfalso].
  assert (Hlt : e < 1 / INR (S m)) by lra.
  assert (HP : 0 < INR (S m)) by (apply lt_0_INR; lia).
  assert (Hpos : 0 < 1 / INR (S m)) by (apply Rdiv_lt_0_compat; lra).
  assert (K : t (S m) - t O < INR (S m) * (1 / INR (S m))).
  { apply gaps; [lia|]. intros i Hi.
    destruct (Rlt_dec (t i) (t (S i))) as [Hl|Hge].
    - apply Rle_lt_trans with e; [|exact Hlt].
      apply constant_piece with (v i); [exact Hl|]. intros x Hx.
      rewrite <- (Hs i x); [apply (He i x); [lia|exact Hx]|lia|exact Hx].
    - specialize (Mono i ltac:(lia)). lra. }
  rewrite T0, T1 in K. field_simplify in K; lra.
Qed.

(* Equal pieces with the value at their middle miss 2 t by 1/(m+1) and no more. *)
Theorem lemma_B1_tight : forall m, exists t v, forall s, step_function m t v s ->
  forall i x, (i <= m)%nat -> t i < x < t (S i) -> Rabs (2 * x - s x) <= 1 / INR (S m).
Proof.
  intros m. exists (fun i => INR i / INR (S m)), (fun i => (2 * INR i + 1) / INR (S m)).
  intros s [_ [_ [_ Hs]]] i x Hi Hx. rewrite (Hs i x Hi Hx).
  assert (HP : 0 < INR (S m)) by (apply lt_0_INR; lia).
  assert (E : INR (S i) / INR (S m) = INR i / INR (S m) + 1 / INR (S m)) by (rewrite (S_INR i); field; lra).
  rewrite E in Hx. replace ((2 * INR i + 1) / INR (S m)) with (2 * (INR i / INR (S m)) + 1 / INR (S m)) by (field; lra).
  apply Rabs_le. lra.
Qed.

(* And there is such a step function. *)
Lemma lemma_B1_tight_exists : forall m, exists t v s, step_function m t v s /\
  forall i x, (i <= m)%nat -> t i < x < t (S i) -> Rabs (2 * x - s x) <= 1 / INR (S m).
Proof.
  intros m. assert (HP : 0 < INR (S m)) by (apply lt_0_INR; lia).
  set (N := INR (S m)).
  exists (fun i => INR i / N), (fun i => (2 * INR i + 1) / N), (fun x => (2 * IZR (Int_part (x * N)) + 1) / N).
  assert (part : forall i x, INR i / N < x < INR (S i) / N -> IZR (Int_part (x * N)) = INR i).
  { intros i x Hx. rewrite S_INR in Hx.
    assert (A : INR i < x * N < INR i + 1).
    { split; apply (Rmult_lt_reg_r (/ N)); try (apply Rinv_0_lt_compat; exact HP);
        unfold Rdiv in Hx; rewrite ?Rmult_assoc, ?Rinv_r, ?Rmult_1_r by (unfold N; lra); lra. }
    destruct (base_Int_part (x * N)) as [B1 B2]. rewrite INR_IZR_INZ in *.
    f_equal. assert (Int_part (x * N) < Z.of_nat i + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra).
    assert (Z.of_nat i < Int_part (x * N) + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra). lia. }
  assert (steps : forall i, INR (S i) / N = INR i / N + 1 / N) by (intros i; rewrite S_INR; field; unfold N; lra).
  assert (HN : 0 < 1 / N) by (apply Rdiv_lt_0_compat; unfold N; lra).
  split; [repeat split|].
  - simpl. unfold Rdiv. ring.
  - unfold N. field. lra.
  - intros i _. rewrite steps. lra.
  - intros i x _ Hx. rewrite (part i x Hx). reflexivity.
  - intros i x _ Hx. rewrite (part i x Hx). rewrite steps in Hx.
    replace ((2 * INR i + 1) / N) with (2 * (INR i / N) + 1 / N) by (field; unfold N; lra).
    apply Rabs_le. lra.
Qed.

(* If each of n things has a place below m, no two the same, then n <= m. *)
Lemma choose : forall n (P : nat -> nat -> Prop), (forall j, (j < n)%nat -> exists k, P j k) ->
  exists g : nat -> nat, forall j, (j < n)%nat -> P j (g j).
Proof.
  induction n as [|n IH]; intros P H; [exists (fun _ => O); intros; lia|].
  destruct (IH P) as [g Hg]; [intros; apply H; lia|]. destruct (H n ltac:(lia)) as [k Hk].
  exists (fun j => if Nat.eq_dec j n then k else g j). intros j Hj.
  destruct (Nat.eq_dec j n) as [->|Hne]; [exact Hk|apply Hg; lia].
Qed.

Lemma NoDup_map : forall (g : nat -> nat) l, NoDup l ->
  (forall i j, In i l -> In j l -> g i = g j -> i = j) -> NoDup (map g l).
Proof.
  intros g l N. induction N as [|x l Hx N IH]; intros H; simpl; constructor.
  - intros A. apply in_map_iff in A. destruct A as [y [E Hy]]. apply Hx.
    rewrite <- (H y x); [exact Hy|right; exact Hy|left; reflexivity|exact E].
  - apply IH. intros i j Hi Hj. apply H; right; assumption.
Qed.

Lemma pigeonhole : forall n m (P : nat -> nat -> Prop), (forall j, (j < n)%nat -> exists k, (k < m)%nat /\ P j k) ->
  (forall i j k, (i < n)%nat -> (j < n)%nat -> P i k -> P j k -> i = j) -> (n <= m)%nat.
Proof.
  intros n m P H U. destruct (choose n (fun j k => (k < m)%nat /\ P j k) H) as [g Hg].
  rewrite <- (seq_length n 0), <- (seq_length m 0), <- (map_length g).
  apply NoDup_incl_length.
  - apply NoDup_map; [apply seq_NoDup|].
    intros i j Hi Hj E. apply in_seq in Hi. apply in_seq in Hj.
    destruct (Hg i ltac:(lia)) as [_ Pi]. destruct (Hg j ltac:(lia)) as [_ Pj]. rewrite E in Pi.
    apply (U i j (g j)); try lia; assumption.
  - intros k Hk. apply in_map_iff in Hk. destruct Hk as [j [<- Hj]]. apply in_seq in Hj. apply in_seq.
    destruct (Hg j ltac:(lia)). lia.
Qed.
