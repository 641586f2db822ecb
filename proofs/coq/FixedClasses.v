(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Proposition B.2 of the paper "Mixture of activations" with better constants, and the networks that reach them.
   The target is T_LA(t) = t_+ + t_+^2 on [-1, 1]. E1 is the Lipschitz constant of T_LA - f: ess sup |(T_LA - f)'|. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps Steps TypeOne.
Open Scope R_scope.

Definition lipschitz (g : R -> R) (E1 : R) :=
  forall s t, -1 <= s <= 1 -> -1 <= t <= 1 -> Rabs (g s - g t) <= E1 * Rabs (s - t).

Definition W1_at_most (g : R -> R) (W : R) :=
  exists E0 E1, E0 + E1 <= W /\ (forall t, -1 <= t <= 1 -> Rabs (g t) <= E0) /\ lipschitz g E1.

(* Networks of width m in one dimension, with the activation s. *)
Definition F1 (s : R -> R) (m : nat) (f : R -> R) :=
  exists a w b : nat -> R, forall t, f t = sum m (fun k => a k * s (w k * t + b k)).

Lemma jump_T_LA : jump T_LA 1.
Proof.
  replace 1 with ((1 - 0) * Rabs 1 + 0) by (rewrite Rabs_R1; ring). unfold T_LA.
  apply (jump_plus relu relu2).
  - apply jump_ext with (fun h => relu (1 * h)); [intros; f_equal; ring|]. apply jump_kinked, relu_kinked.
  - apply jump_smooth, relu2_smooth.
Qed.

(* No jump in f' at 0: then E1 >= 1/2. *)
Lemma half : forall f E1, jump f 0 -> lipschitz (fun t => T_LA t - f t) E1 -> 1 / 2 <= E1.
Proof.
  intros f E1 Hf HL. assert (B : Rabs (1 + -1 * 0) <= 2 * E1).
  { apply (jump_bound (fun t => T_LA t - f t) _ E1 1 Rlt_0_1).
    - apply jump_ext with (fun h => T_LA h + -1 * f h); [intros; ring|].
      apply (jump_plus T_LA (fun h => -1 * f h)); [apply jump_T_LA|apply jump_scal, Hf].
    - intros h Hh. assert (L := HL h 0 ltac:(lra) ltac:(lra)). rewrite Rminus_0_r in L. exact L. }
  rewrite Rabs_right in B; lra.
Qed.

(* The 1/2 lemma: networks whose activation is differentiable, of any width. *)
Theorem smooth_half : forall s m f E1, smooth s -> F1 s m f -> lipschitz (fun t => T_LA t - f t) E1 -> 1 / 2 <= E1.
Proof.
  intros s m f E1 Hs [a [w [b H]]] HL. apply (half f); [|exact HL].
  replace 0 with (sum m (fun k => a k * 0)) by (rewrite (sum_ext m _ (fun _ => 0)); [apply sum_0|intros; ring]).
  apply jump_ext with (fun t => sum m (fun k => a k * s (w k * t + b k))); [intros; symmetry; apply H|].
  apply (jump_sum m (fun k t => a k * s (w k * t + b k))). intros k _. apply jump_scal, jump_smooth.
  apply (ex_derive_ext (fun h => s (b k + w k * h))); [intros; f_equal; ring|]. apply ex_derive_affine, Hs.
Qed.

(* On an interval where f is one line, E1 is at least its length. *)
Lemma one_line : forall f E1 A B al be, 0 <= A < B -> B <= 1 -> lipschitz (fun t => T_LA t - f t) E1 ->
  (forall t, A <= t <= B -> f t = al * t + be) -> B - A <= E1.
Proof.
  intros f E1 A B al be HA HB HL Hf. destruct (Rle_dec (B - A) E1) as [?|Hn]; [assumption|exfalso].
  set (d := (B - A - E1) / 2).
  assert (P : 0 <= E1).
  { assert (L := HL A B ltac:(lra) ltac:(lra)). assert (Q := Rabs_pos (T_LA A - f A - (T_LA B - f B))).
    rewrite (Rabs_left (A - B)) in L by lra. nra. }
  assert (value : forall t, A <= t <= B -> T_LA t - f t = t + t * t - al * t - be).
  { intros t Ht. rewrite Hf by exact Ht. unfold T_LA, relu. rewrite Rmax_left by lra. ring. }
  assert (L1 := HL (A + d) A ltac:(unfold d; lra) ltac:(lra)). assert (L2 := HL B (B - d) ltac:(lra) ltac:(unfold d; lra)).
  cbv beta in L1, L2. rewrite !value in L1 by (unfold d; lra). rewrite !value in L2 by (unfold d; lra).
  replace (A + d - A) with d in L1 by ring. replace (B - (B - d)) with d in L2 by ring.
  assert (Hd : 0 < d) by (unfold d; lra). rewrite (Rabs_right d) in L1, L2 by lra.
  apply Rabs_le_between in L1. apply Rabs_le_between in L2.
  assert (X1 : - E1 <= 1 + 2 * A + d - al) by nra. assert (X2 : 1 + 2 * B - d - al <= E1) by nra.
  unfold d in *. lra.
Qed.

(* Does one of n numbers have a property that can be decided? *)
Lemma some_or_none : forall n (P : nat -> Prop), (forall k, {P k} + {~ P k}) ->
  {exists k, (k < n)%nat /\ P k} + {forall k, (k < n)%nat -> ~ P k}.
Proof.
  induction n as [|n IH]; intros P D; [right; intros; lia|].
  destruct (D n) as [Y|N]; [left; exists n; split; [lia|exact Y]|].
  destruct (IH P D) as [Y|Z]; [left; destruct Y as [k [Hk Pk]]; exists k; split; [lia|exact Pk]|right].
  intros k Hk. destruct (Nat.eq_dec k n) as [->|Hne]; [exact N|apply Z; lia].
Qed.

(* A unit that has no kink inside (A, B) is one line on [A, B]. *)
Lemma unit_line : forall p q s w b A B, kinked p q s -> A < B -> (w = 0 \/ - b / w <= A \/ B <= - b / w) ->
  exists al be, forall t, A <= t <= B -> s (w * t + b) = al * t + be.
Proof.
  intros p q s w b A B K HAB H. destruct (Req_dec w 0) as [Hw|Hw].
  - exists 0, (s b). intros t _. rewrite Hw. replace (0 * t + b) with b by ring. ring.
  - destruct H as [H|H]; [contradiction|]. set (tau := - b / w) in *.
    assert (Hb : b = - (w * tau)) by (unfold tau; field; exact Hw).
    assert (cases : (forall t, A <= t <= B -> 0 <= w * t + b) \/ (forall t, A <= t <= B -> w * t + b <= 0)).
    { destruct (Rlt_dec 0 w) as [Hp|Hn], H as [H|H]; rewrite Hb.
      - left; intros; nra.
      - right; intros; nra.
      - right; intros; assert (w < 0) by lra; nra.
      - left; intros; assert (w < 0) by lra; nra. }
    destruct cases as [C|C]; [exists (p * w), (p * b)|exists (q * w), (q * b)]; intros t Ht.
    + rewrite (proj1 (K _)) by (apply C; exact Ht). ring.
    + rewrite (proj2 (K _)) by (apply C; exact Ht). ring.
Qed.

Lemma sum_line : forall n (g : nat -> R -> R) A B, (forall k, (k < n)%nat -> exists al be, forall t, A <= t <= B ->
  g k t = al * t + be) -> exists al be, forall t, A <= t <= B -> sum n (fun k => g k t) = al * t + be.
Proof.
  induction n as [|n IH]; intros g A B H; [exists 0, 0; intros; simpl; ring|].
  destruct (IH g A B) as [al [be E]]; [intros; apply H; lia|]. destruct (H n ltac:(lia)) as [al' [be' E']].
  exists (al + al'), (be + be'). intros t Ht. simpl. rewrite E, E' by exact Ht. ring.
Qed.

(* relu and leaky_relu: E1 >= min(1/2, 1/m). *)
Theorem kinked_bound : forall p q s m f E1, kinked p q s -> (1 <= m)%nat -> F1 s m f ->
  lipschitz (fun t => T_LA t - f t) E1 -> Rmin (1 / 2) (1 / INR m) <= E1.
Proof.
  intros p q s m f E1 K Hm [a [w [b H]]] HL.
  assert (HM : 0 < INR m) by (apply lt_0_INR; lia).
  destruct (some_or_none m (fun k => w k <> 0 /\ b k = 0)) as [[k0 [Hk0 [Hw0 Hb0]]]|none].
  { intros k. destruct (Req_EM_T (w k) 0); [right; tauto|]. destruct (Req_EM_T (b k) 0); [left|right]; tauto. }
  2: { (* no kink at 0 *)
    apply Rle_trans with (1 / 2); [apply Rmin_l|]. apply (half f); [|exact HL].
    replace 0 with (sum m (fun k => a k * 0)) by (rewrite (sum_ext m _ (fun _ => 0)); [apply sum_0|intros; ring]).
    apply jump_ext with (fun t => sum m (fun k => a k * s (w k * t + b k))); [intros; symmetry; apply H|].
    apply (jump_sum m (fun k t => a k * s (w k * t + b k))). intros k Hk. apply jump_scal.
    destruct (Req_EM_T (w k) 0) as [Hw|Hw].
    - apply jump_ext with (fun _ => s (b k)); [intros; f_equal; rewrite Hw; ring|apply jump_const].
    - assert (Hb : b k <> 0) by (intros E; apply (none k Hk); split; assumption).
      apply jump_smooth. apply (ex_derive_ext (fun h => s (b k + w k * h))); [intros; f_equal; ring|].
      apply ex_derive_affine, (kinked_smooth_away p q); assumption. }
  apply Rle_trans with (1 / INR m); [apply Rmin_r|].
  destruct (Rle_dec (1 / INR m) E1) as [?|Hn]; [assumption|exfalso].
  set (inside := fun j k => w k <> 0 /\ INR j / INR m < - b k / w k < INR (S j) / INR m).
  assert (every : forall j, (j < m)%nat -> exists k, (k < m)%nat /\ inside j k).
  { intros j Hj. destruct (some_or_none m (inside j)) as [Y|N]; [|exact Y|].
    { intros k. unfold inside. destruct (Req_EM_T (w k) 0); [right; tauto|].
      destruct (Rlt_dec (INR j / INR m) (- b k / w k)); [|right; tauto].
      destruct (Rlt_dec (- b k / w k) (INR (S j) / INR m)); [left|right]; tauto. }
    exfalso. assert (Step : INR (S j) / INR m = INR j / INR m + 1 / INR m) by (rewrite S_INR; field; lra).
    assert (Hj0 : 0 <= INR j / INR m) by (apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; exact HM]).
    assert (Hj1 : INR (S j) / INR m <= 1).
    { apply (Rmult_le_reg_r (INR m)); [exact HM|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
      apply le_INR. lia. }
    assert (P1 : 0 < 1 / INR m) by (apply Rdiv_lt_0_compat; lra).
    destruct (sum_line m (fun k t => a k * s (w k * t + b k)) (INR j / INR m) (INR (S j) / INR m)) as [al [be L]].
    { intros k Hk. destruct (unit_line p q s (w k) (b k) (INR j / INR m) (INR (S j) / INR m) K) as [al [be L]]; [lra| |].
      - destruct (Req_EM_T (w k) 0) as [?|Hw]; [left; assumption|right]. specialize (N k Hk). unfold inside in N.
        destruct (Rle_dec (- b k / w k) (INR j / INR m)) as [?|G]; [left; assumption|right].
        destruct (Rle_dec (INR (S j) / INR m) (- b k / w k)) as [?|G']; [assumption|]. exfalso. apply N. split; [exact Hw|lra].
      - exists (a k * al), (a k * be). intros t Ht. rewrite L by exact Ht. ring. }
    assert (len := one_line f E1 (INR j / INR m) (INR (S j) / INR m) al be ltac:(lra) Hj1 HL).
    assert (INR (S j) / INR m - INR j / INR m <= E1); [|lra].
    apply len. intros t Ht. rewrite H. apply L, Ht. }
  (* m intervals, and m - 1 units whose kink is not 0 *)
  set (skip := fun k => if Nat.ltb k k0 then k else (k - 1)%nat).
  assert (bound : (m <= m - 1)%nat); [|lia].
  apply (pigeonhole m (m - 1) (fun j i => exists k, (k < m)%nat /\ k <> k0 /\ i = skip k /\ inside j k)).
  - intros j Hj. destruct (every j Hj) as [k [Hk I]].
    assert (Hne : k <> k0).
    { intros ->. destruct I as [_ [I _]]. rewrite Hb0 in I.
      assert (0 <= INR j / INR m) by (apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; exact HM]).
      replace (- 0 / w k0) with 0 in I by (field; exact Hw0). lra. }
    exists (skip k). split; [unfold skip; destruct (Nat.ltb_spec k k0); lia|].
    exists k. repeat split; try assumption; apply I.
  - intros i j c Hi Hj [k [Hk [Nk [Ek [_ Ik]]]]] [k' [Hk' [Nk' [Ek' [_ Ik']]]]].
    assert (k = k').
    { rewrite Ek in Ek'. unfold skip in Ek'. destruct (Nat.ltb_spec k k0), (Nat.ltb_spec k' k0); lia. }
    subst k'. destruct (Nat.lt_trichotomy i j) as [L|[L|L]]; [exfalso|exact L|exfalso].
    + assert (INR (S i) / INR m <= INR j / INR m).
      { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact HM|apply le_INR; lia]. } lra.
    + assert (INR (S j) / INR m <= INR i / INR m).
      { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact HM|apply le_INR; lia]. } lra.
Qed.

(* B.2 for the whole dictionary, with the better constant and as printed. *)
Theorem proposition_B2_better : forall eta c m f W, 0 < eta < 1 -> (1 <= m)%nat -> F1 (sigmaI eta c) m f ->
  W1_at_most (fun t => T_LA t - f t) W -> Rmin (1 / 2) (1 / INR m) <= W.
Proof.
  intros eta c m f W He Hm Hf [E0 [E1 [HW [H0 H1]]]].
  assert (0 <= E0) by (eapply Rle_trans; [apply Rabs_pos|apply (H0 0); lra]).
  apply Rle_trans with E1; [|lra]. destruct (sigmaI_cases eta c He) as [S|[p [q K]]].
  - apply Rle_trans with (1 / 2); [apply Rmin_l|]. apply (smooth_half (sigmaI eta c) m f); assumption.
  - apply (kinked_bound p q (sigmaI eta c) m f); assumption.
Qed.

Theorem proposition_B2 : forall eta c m f W, 0 < eta < 1 -> (1 <= m)%nat -> F1 (sigmaI eta c) m f ->
  W1_at_most (fun t => T_LA t - f t) W -> 1 / INR (S m) <= W.
Proof.
  intros eta c m f W He Hm Hf HW. apply Rle_trans with (2 := proposition_B2_better eta c m f W He Hm Hf HW).
  assert (1 <= INR m) by (change 1 with (INR 1); apply le_INR; lia). rewrite S_INR.
  apply Rmin_glb; apply Rmult_le_compat_l; try lra; apply Rinv_le_contravar; lra.
Qed.

(* The upper half of the sharp value 1/m + 1/(4 m^2): f_m(t) = (1 + 1/m) t_+ + (2/m) sum_{0<j<m} (t - j/m)_+. *)
Definition f_sharp (m : nat) (t : R) :=
  sum m (fun k => (match k with O => 1 + 1 / INR m | _ => 2 / INR m end) * relu (1 * t + - (INR k / INR m))).

Lemma f_sharp_in : forall m, F1 relu m (f_sharp m).
Proof.
  intros m. exists (fun k => match k with O => 1 + 1 / INR m | _ => 2 / INR m end), (fun _ => 1), (fun k => - (INR k / INR m)).
  intros t. reflexivity.
Qed.

(* t lies in one of the m equal pieces. *)
Lemma piece : forall m t, (1 <= m)%nat -> 0 <= t <= INR m -> exists k, (k < m)%nat /\ INR k <= t <= INR k + 1.
Proof.
  induction m as [|m IH]; intros t Hm Ht; [lia|]. rewrite S_INR in Ht.
  destruct (Rle_dec (INR m) t) as [H|H]; [exists m; split; [lia|lra]|].
  destruct m as [|m]; [simpl in H; lra|]. destruct (IH t ltac:(lia)) as [k [Hk B]]; [lra|exists k; split; [lia|exact B]].
Qed.

Lemma f_sharp_left : forall m t, (1 <= m)%nat -> t <= 0 -> f_sharp m t = 0.
Proof.
  intros m t Hm Ht. unfold f_sharp. rewrite (sum_ext m _ (fun _ => 0)); [apply sum_0|]. intros k _.
  assert (HM : 0 < INR m) by (apply lt_0_INR; lia).
  assert (0 <= INR k / INR m) by (apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; exact HM]).
  rewrite (proj2 (relu_kinked _)) by lra. ring.
Qed.

(* In piece k the error is (t - k/m) (t - (k+1)/m). *)
Lemma f_sharp_piece : forall m k t, (k < m)%nat -> INR k / INR m <= t <= (INR k + 1) / INR m ->
  T_LA t - f_sharp m t = (t - INR k / INR m) * (t - (INR k + 1) / INR m).
Proof.
  intros m k t Hk Ht. assert (HM : 0 < INR m) by (apply lt_0_INR; lia). set (N := INR m) in *.
  assert (mono : forall i j, INR i <= INR j -> INR i / N <= INR j / N).
  { intros i j L. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact HM|exact L]. }
  assert (open : forall n, (n <= k)%nat -> sum (S n) (fun j => (match j with O => 1 + 1 / N | _ => 2 / N end) *
            relu (1 * t + - (INR j / N))) = t + t / N + 2 * INR n * t / N - INR n * (INR n + 1) / (N * N)).
  { induction n as [|n IH]; intros Hn.
    - assert (Z : INR 0 / N <= INR k / N) by (apply mono, le_INR; lia).
      change (0 + (1 + 1 / N) * relu (1 * t + - (INR 0 / N)) = t + t / N + 2 * INR 0 * t / N - INR 0 * (INR 0 + 1) / (N * N)).
      rewrite (proj1 (relu_kinked _)) by lra. simpl INR. field. lra.
    - change (sum (S (S n)) (fun j => (match j with O => 1 + 1 / N | _ => 2 / N end) * relu (1 * t + - (INR j / N))))
        with (sum (S n) (fun j => (match j with O => 1 + 1 / N | _ => 2 / N end) * relu (1 * t + - (INR j / N))) +
              2 / N * relu (1 * t + - (INR (S n) / N))).
      rewrite IH by lia. assert (Z : INR (S n) / N <= INR k / N) by (apply mono, le_INR; lia).
      rewrite (proj1 (relu_kinked _)) by lra. rewrite S_INR. field. lra. }
  assert (closed : forall n, (k <= n)%nat -> (n < m)%nat -> sum (S n) (fun j => (match j with O => 1 + 1 / N | _ => 2 / N end) *
            relu (1 * t + - (INR j / N))) = t + t / N + 2 * INR k * t / N - INR k * (INR k + 1) / (N * N)).
  { induction n as [|n IH]; intros Hn Hm.
    - replace k with O by lia. apply open. lia.
    - destruct (Nat.eq_dec k (S n)) as [->|Hne]; [apply open; lia|].
      change (sum (S (S n)) (fun j => (match j with O => 1 + 1 / N | _ => 2 / N end) * relu (1 * t + - (INR j / N))))
        with (sum (S n) (fun j => (match j with O => 1 + 1 / N | _ => 2 / N end) * relu (1 * t + - (INR j / N))) +
              2 / N * relu (1 * t + - (INR (S n) / N))).
      rewrite IH by lia. assert (Z : INR (S k) / N <= INR (S n) / N) by (apply mono, le_INR; lia). rewrite (S_INR k) in Z.
      rewrite (proj2 (relu_kinked _)) by lra. ring. }
  unfold f_sharp. destruct m as [|m]; [lia|]. fold N.
  assert (P0 : 0 <= INR k / N) by (apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; exact HM]).
  rewrite (closed m) by lia. unfold T_LA, relu. rewrite Rmax_left by lra. field. lra.
Qed.

Theorem sharp_upper_half : forall m, (1 <= m)%nat ->
  W1_at_most (fun t => T_LA t - f_sharp m t) (1 / INR m + 1 / (4 * INR m ^ 2)).
Proof.
  intros m Hm. assert (HM : 0 < INR m) by (apply lt_0_INR; lia). set (N := INR m) in *.
  set (h := 1 / N). assert (Hh : 0 < h) by (apply Rdiv_lt_0_compat; lra).
  assert (S1 : forall k, (INR k + 1) / N = INR k / N + h) by (intros; unfold h; field; lra).
  (* where t > 0 lies, with what is needed there: |e| <= h^2/4, and |e| <= h * distance to either knot *)
  assert (place : forall t, 0 <= t <= 1 -> exists k, (k < m)%nat /\ INR k / N <= t <= INR k / N + h /\
            T_LA t - f_sharp m t = (t - INR k / N) * (t - (INR k / N + h))).
  { intros t Ht. destruct (piece m (t * N) Hm) as [k [Hk B]]; [fold N; nra|].
    assert (B' : INR k / N <= t <= INR k / N + h).
    { rewrite <- S1. split; apply (Rmult_le_reg_r N); try exact HM.
      - replace (INR k / N * N) with (INR k) by (field; lra). lra.
      - replace ((INR k + 1) / N * N) with (INR k + 1) by (field; lra). lra. }
    exists k. split; [exact Hk|]. split; [exact B'|]. rewrite <- S1. apply f_sharp_piece; [exact Hk|fold N; rewrite S1; exact B']. }
  assert (zero : forall t, t <= 0 -> T_LA t - f_sharp m t = 0).
  { intros t Ht. rewrite f_sharp_left by assumption. unfold T_LA, relu. rewrite Rmax_right by lra. ring. }
  exists (h * h / 4), h. split; [unfold h; apply Req_le; field; lra|]. split.
  - intros t Ht. destruct (Rle_dec t 0) as [Hn|Hp].
    + rewrite zero, Rabs_R0 by exact Hn. nra.
    + destruct (place t ltac:(lra)) as [k [_ [B ->]]]. apply Rabs_le. set (x := t - INR k / N).
      replace (t - (INR k / N + h)) with (x - h) by (unfold x; ring). assert (0 <= x <= h) by (unfold x; lra).
      assert (0 <= (x - h / 2) ^ 2) by apply pow2_ge_0. assert (0 <= x * (h - x)) by (apply Rmult_le_pos; lra). split; nra.
  - (* both on one piece, or a knot, where the error is 0, between them *)
    assert (ordered : forall s t, -1 <= s <= 1 -> -1 <= t <= 1 -> s <= t ->
              Rabs ((T_LA t - f_sharp m t) - (T_LA s - f_sharp m s)) <= h * (t - s)).
    { intros s t Hs Ht Hst. destruct (Rle_dec t 0) as [Tn|Tp].
      - rewrite !zero by lra. rewrite Rminus_0_r, Rabs_R0. nra.
      - destruct (place t ltac:(lra)) as [k [Hk [Bk Ek]]]. rewrite Ek. set (x := t - INR k / N) in *.
        replace (t - (INR k / N + h)) with (x - h) by (unfold x; ring). assert (Hx : 0 <= x <= h) by (unfold x; lra).
        destruct (Rle_dec s 0) as [Sn|Sp].
        + rewrite (zero s Sn). assert (P0 : 0 <= INR k / N).
          { apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; exact HM]. }
          assert (x <= t - s) by (unfold x; lra). apply Rabs_le. nra.
        + destruct (place s ltac:(lra)) as [j [Hj [Bj Ej]]]. rewrite Ej. set (y := s - INR j / N) in *.
          replace (s - (INR j / N + h)) with (y - h) by (unfold y; ring). assert (Hy : 0 <= y <= h) by (unfold y; lra).
          destruct (Nat.lt_trichotomy j k) as [L|[L|L]].
          * assert (INR j / N + h <= INR k / N).
            { rewrite <- S1, <- S_INR. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact HM|apply le_INR; lia]. }
            assert (x + (h - y) <= t - s) by (unfold x, y; lra). apply Rabs_le. nra.
          * subst j. assert (E : t - s = x - y) by (unfold x, y; ring). rewrite E. apply Rabs_le. nra.
          * assert (INR k / N + h <= INR j / N).
            { rewrite <- S1, <- S_INR. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact HM|apply le_INR; lia]. }
            assert (x = h) by (unfold x; lra). assert (y = 0) by (unfold y; lra). assert (t = s) by lra.
            replace (x * (x - h) - y * (y - h)) with 0 by nra. rewrite Rabs_R0. nra. }
    intros s t Hs Ht. destruct (Rle_dec s t) as [L|L].
    + rewrite (Rabs_left1 (s - t)) by lra. rewrite Rabs_minus_sym. replace (- (s - t)) with (t - s) by ring. apply ordered; assumption.
    + rewrite (Rabs_right (s - t)) by lra. apply ordered; lra.
Qed.

