(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Beyond Theorem 4.2 of the paper "Mixture of activations", in three dimensions: T = (x1)_+ (x2)_+ tanh(lambda x3), which is
   in qd-MoA of width 1, against qd-LA of any width, and against sums of products of two differentiable activations. The mixed derivative is bounded by its
   increments: mixed_at_most g E says that over every rectangle in (x1, x2) the mixed difference of g is at most E times the
   rectangle's area. Where d1 d2 g is a bounded function and g its double integral, as for T and for units whose derivatives
   are Lipschitz, the least such E is ess sup |d1 d2 g|; so no measure theory is needed. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps Steps TypeOne TypeTwo.
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

(* All of the dictionary, kinks too. Fix x3 and take the jump J(x1) across x2 = 0: of T it is (x1)_+ tanh(lambda x3), of a
   product a ridge in (x1, x3) (Lemma B.7). The slope of J jumps at x1 = 0 by tanh(lambda x3) for T, and for a ridge by a number
   that is the same at all x3 but one. J may have another value at x1 = 0 itself, so its slope is taken between h and 2 h. *)
Definition profiled (g : R -> R -> R -> R) := exists K l3, forall x3, ~ In x3 l3 -> exists (J : R -> R) l1,
  (forall x1, ~ In x1 l1 -> jump (fun h => g x1 h x3) (J x1)) /\ jump (fun h => J (2 * h) - J h) K.

Lemma profiled_ext : forall f g, (forall x1 x2 x3, f x1 x2 x3 = g x1 x2 x3) -> profiled f -> profiled g.
Proof.
  intros f g E [K [l3 H]]. exists K, l3. intros x3 H3. destruct (H x3 H3) as [J [l1 [HJ HK]]]. exists J, l1. split; [|exact HK].
  intros x1 H1. apply jump_ext with (2 := HJ x1 H1). intros; apply E.
Qed.

Lemma profiled_scal : forall c g, profiled g -> profiled (fun x1 x2 x3 => c * g x1 x2 x3).
Proof.
  intros c g [K [l3 H]]. exists (c * K), l3. intros x3 H3. destruct (H x3 H3) as [J [l1 [HJ HK]]]. exists (fun x => c * J x), l1. split.
  - intros x1 H1. apply jump_scal, HJ, H1.
  - apply jump_ext with (fun h => c * (J (2 * h) - J h)); [intros; ring|]. apply jump_scal, HK.
Qed.

Lemma profiled_sum : forall n g, (forall k, (k < n)%nat -> profiled (g k)) -> profiled (fun x1 x2 x3 => sum n (fun k => g k x1 x2 x3)).
Proof.
  intros n g. induction n as [|n IH]; intros H.
  - exists 0, nil. intros x3 _. exists (fun _ => 0), nil. split; [intros x1 _; apply (jump_const 0)|].
    apply jump_ext with (fun _ => 0); [intros; ring|apply jump_const].
  - destruct IH as [K [l3 IH]]; [intros; apply H; lia|]. destruct (H n ltac:(lia)) as [K' [l3' H']].
    exists (K + K'), (l3 ++ l3'). intros x3 H3.
    destruct (IH x3) as [J [l1 [HJ HK]]]; [intros I; apply H3, in_or_app; auto|].
    destruct (H' x3) as [J' [l1' [HJ' HK']]]; [intros I; apply H3, in_or_app; auto|].
    exists (fun x => J x + J' x), (l1 ++ l1'). split.
    + intros x1 H1. apply (jump_plus (fun h => sum n (fun k => g k x1 h x3)) (fun h => g n x1 h x3));
        [apply HJ|apply HJ']; intros I; apply H1, in_or_app; auto.
    + apply jump_ext with (fun h => (J (2 * h) - J h) + (J' (2 * h) - J' h)); [intros; ring|].
      apply (jump_plus (fun h => J (2 * h) - J h)); assumption.
Qed.

(* The slope of one ridge. *)
Lemma ridge_slope : forall s u w b, (smooth s \/ exists p q, kinked p q s) -> exists K l3, forall x3, ~ In x3 l3 ->
  jump (fun h => s (u * (2 * h) + (w * x3 + b)) - s (u * h + (w * x3 + b))) K.
Proof.
  intros s u w b H.
  assert (away : forall c, ex_derive s c -> jump (fun h => s (u * (2 * h) + c) - s (u * h + c)) 0).
  { intros c D. apply jump_smooth. apply (ex_derive_minus (fun h => s (u * (2 * h) + c)) (fun h => s (u * h + c))).
    - apply (ex_derive_ext (fun h => s (c + (2 * u) * h))); [intros; f_equal; ring|]. apply ex_derive_affine, D.
    - apply (ex_derive_ext (fun h => s (c + u * h))); [intros; f_equal; ring|]. apply ex_derive_affine, D. }
  destruct H as [S|[p [q K]]]; [exists 0, nil; intros x3 _; apply away, S|].
  destruct (Req_dec w 0) as [->|Hw]; [destruct (Req_dec b 0) as [->|Hb]|].
  - exists ((p - q) * Rabs (2 * u) + -1 * ((p - q) * Rabs u)), nil. intros x3 _.
    apply jump_ext with (fun h => s (2 * u * h) + -1 * s (u * h)).
    { intros h. replace (u * (2 * h) + (0 * x3 + 0)) with (2 * u * h) by ring.
      replace (u * h + (0 * x3 + 0)) with (u * h) by ring. ring. }
    apply (jump_plus (fun h => s (2 * u * h)) (fun h => -1 * s (u * h)));
      [apply jump_kinked, K|apply jump_scal, jump_kinked, K].
  - exists 0, nil. intros x3 _. apply away, (kinked_smooth_away p q); [exact K|].
    replace (0 * x3 + b) with b by ring. exact Hb.
  - exists 0, (- b / w :: nil). intros x3 H3. apply away, (kinked_smooth_away p q); [exact K|].
    intros E. apply H3. left. apply (Rmult_eq_reg_l w); [|exact Hw]. replace (w * (- b / w)) with (- b) by (field; exact Hw). lra.
Qed.

(* A gate is on x1 = x2 = 0 whatever x3 is, or at one x3 alone. *)
Lemma gate_off : forall u w b, (u = 0 /\ w = 0 /\ b = 0) \/ exists bad, forall x3, x3 <> bad -> ~ (u = 0 /\ w * x3 + b = 0).
Proof.
  intros u w b. destruct (Req_dec u 0) as [->|Hu]; [|right; exists 0; tauto].
  destruct (Req_dec w 0) as [->|Hw].
  - destruct (Req_dec b 0) as [->|Hb]; [left; auto|right; exists 0]. intros x3 _ [_ E]. apply Hb. lra.
  - right. exists (- b / w). intros x3 H3 [_ E]. apply H3. apply (Rmult_eq_reg_l w); [|exact Hw].
    replace (w * (- b / w)) with (- b) by (field; exact Hw). lra.
Qed.

Lemma gate_cases : forall s u v w b, (smooth s \/ exists p q, kinked p q s) ->
  (exists p q, kinked p q s /\ u = 0 /\ w = 0 /\ b = 0) \/
  (exists l3, forall x3, ~ In x3 l3 -> exists bad, forall x1, x1 <> bad -> ex_derive (fun h => s (u * x1 + v * h + (w * x3 + b))) 0).
Proof.
  intros s u v w b H. destruct (gate_off u w b) as [On|[bad Off]].
  - destruct H as [S|[p [q K]]]; [right|left; exists p, q; tauto].
    exists nil. intros x3 _. destruct (unit_cases s u v (w * x3 + b) (or_introl S)) as [[p [q [K _]]]|Y]; [|exact Y].
    exists 0. intros x1 _. apply (ex_derive_ext (fun h => s ((u * x1 + (w * x3 + b)) + v * h))); [intros; f_equal; ring|].
    apply ex_derive_affine, S.
  - right. exists (bad :: nil). intros x3 H3. destruct (unit_cases s u v (w * x3 + b) H) as [[p [q [_ [Hu Hb]]]]|Y]; [|exact Y].
    exfalso. apply (Off x3); [intros E; apply H3; left; symmetry; exact E|split; assumption].
Qed.

Lemma product_profiled : forall s1 s2 u v w b u' v' w' b',
  (smooth s1 \/ exists p q, kinked p q s1) -> (smooth s2 \/ exists p q, kinked p q s2) ->
  profiled (fun x1 x2 x3 => s1 (u * x1 + v * x2 + w * x3 + b) * s2 (u' * x1 + v' * x2 + w' * x3 + b')).
Proof.
  assert (on : forall s s' u v w b u' v' w' b', (exists p q, kinked p q s /\ u = 0 /\ w = 0 /\ b = 0) ->
    (smooth s' \/ exists p q, kinked p q s') ->
    profiled (fun x1 x2 x3 => s (u * x1 + v * x2 + w * x3 + b) * s' (u' * x1 + v' * x2 + w' * x3 + b'))).
  { intros s s' u v w b u' v' w' b' [p [q [K [-> [-> ->]]]]] H'.
    destruct (ridge_slope s' u' w' b' H') as [M [l3 HM]]. exists ((p - q) * Rabs v * M), l3. intros x3 H3.
    exists (fun x1 => (p - q) * Rabs v * s' (u' * x1 + (w' * x3 + b'))), nil. split.
    - intros x1 _. apply jump_ext with (fun h => s (v * h) * s' ((u' * x1 + (w' * x3 + b')) + v' * h));
        [intros; f_equal; f_equal; ring|]. apply jump_on_S; assumption.
    - apply jump_ext with (fun h => (p - q) * Rabs v * (s' (u' * (2 * h) + (w' * x3 + b')) - s' (u' * h + (w' * x3 + b'))));
        [intros; ring|]. apply jump_scal, HM, H3. }
  intros s1 s2 u v w b u' v' w' b' H1 H2.
  destruct (gate_cases s1 u v w b H1) as [On|[l3 Off]]; [apply on; assumption|].
  destruct (gate_cases s2 u' v' w' b' H2) as [On'|[l3' Off']].
  - apply (profiled_ext (fun x1 x2 x3 => s2 (u' * x1 + v' * x2 + w' * x3 + b') * s1 (u * x1 + v * x2 + w * x3 + b)));
      [intros; ring|]. apply on; assumption.
  - exists 0, (l3 ++ l3'). intros x3 H3. destruct (Off x3) as [bad B]; [intros I; apply H3, in_or_app; auto|].
    destruct (Off' x3) as [bad' B']; [intros I; apply H3, in_or_app; auto|].
    exists (fun _ => 0), (bad :: bad' :: nil). split; [|apply jump_ext with (fun _ => 0); [intros; ring|apply jump_const]].
    intros x1 Hx. simpl in Hx.
    apply jump_ext with (fun h => s1 (u * x1 + v * h + (w * x3 + b)) * s2 (u' * x1 + v' * h + (w' * x3 + b')));
      [intros; f_equal; f_equal; ring|].
    apply jump_smooth, (ex_derive_mult (fun h => s1 (u * x1 + v * h + (w * x3 + b))) (fun h => s2 (u' * x1 + v' * h + (w' * x3 + b'))));
      [apply B|apply B']; intros E; apply Hx; auto.
Qed.

(* Near 0, but not at it, there is none of finitely many numbers. *)
Lemma punctured : forall l : list R, exists d, 0 < d /\ forall x, 0 < Rabs x < d -> ~ In x l.
Proof.
  induction l as [|y l [d [Hd IH]]]; [exists 1; split; [lra|intros x _ []]|].
  destruct (Req_dec y 0) as [->|Hy].
  - exists d. split; [exact Hd|]. intros x Hx [E|I]; [subst; rewrite Rabs_R0 in Hx; lra|exact (IH x Hx I)].
  - exists (Rmin d (Rabs y)). split; [apply Rmin_pos; [exact Hd|apply Rabs_pos_lt, Hy]|].
    assert (A := Rmin_l d (Rabs y)). assert (B := Rmin_r d (Rabs y)).
    intros x Hx [E|I]; [subst; lra|apply (IH x); [lra|exact I]].
Qed.

Lemma slope_bound : forall g E x3 J l1 K, inside x3 -> mixed_at_most g E ->
  (forall x1, ~ In x1 l1 -> jump (fun h => g x1 h x3) (J x1)) -> jump (fun h => J (2 * h) - J h) K -> Rabs K <= 2 * (2 * E).
Proof.
  intros g E x3 J l1 K H3 H HJ HK. destruct (punctured l1) as [d [Hd N]].
  assert (P := Rmin_pos d 1 Hd Rlt_0_1). assert (A := Rmin_l d 1). assert (B := Rmin_r d 1).
  apply (jump_bound (fun h => J (2 * h) - J h) K (2 * E) (Rmin d 1 / 2)); [lra|exact HK|]. intros h Hh.
  replace (2 * 0) with 0 by ring. replace (J 0 - J 0) with 0 by ring. rewrite Rminus_0_r.
  destruct (Req_dec h 0) as [->|Hn].
  { replace (2 * 0) with 0 by ring. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra. }
  assert (Q := Rabs_pos_lt h Hn). assert (T : Rabs (2 * h) = 2 * Rabs h) by (rewrite Rabs_mult, (Rabs_right 2); lra).
  assert (S : Rabs h < Rmin d 1 / 2) by (apply Rabs_lt_between; lra).
  replace (2 * E * Rabs h) with (2 * (E * Rabs h)) by ring.
  apply (jump_bound (fun k => g (2 * h) k x3 + -1 * g h k x3) _ (E * Rabs h) 1 Rlt_0_1).
  - replace (J (2 * h) - J h) with (J (2 * h) + -1 * J h) by ring.
    apply (jump_plus (fun k => g (2 * h) k x3) (fun k => -1 * g h k x3)); [|apply jump_scal]; apply HJ, N; lra.
  - intros k Hk. assert (L := H h (2 * h) 0 k x3 ltac:(unfold inside; lra) ltac:(unfold inside; lra) ltac:(unfold inside; lra)
      ltac:(unfold inside; lra) H3).
    replace (2 * h - h) with h in L by ring. rewrite Rminus_0_r in L.
    replace (g (2 * h) k x3 + -1 * g h k x3 - (g (2 * h) 0 x3 + -1 * g h 0 x3))
      with (g (2 * h) k x3 - g (2 * h) 0 x3 - g h k x3 + g h 0 x3) by ring.
    replace (E * Rabs h * Rabs k) with (E * (Rabs h * Rabs k)) by ring. exact L.
Qed.

Theorem mixed_profiled : forall lambda f E, profiled f ->
  mixed_at_most (fun x1 x2 x3 => T_mixed lambda x1 x2 x3 - f x1 x2 x3) E -> tanh lambda / 4 <= E.
Proof.
  intros lambda f E [K [l3 H]] HE. assert (tanh lambda / 2 <= 2 * E); [|lra].
  apply (jumps_of_tanh lambda K (2 * E) l3). intros x3 H3 Hl. destruct (H x3 Hl) as [J [l1 [HJ HK]]].
  apply (slope_bound _ E x3 (fun x1 => relu x1 * tanh (lambda * x3) + -1 * J x1) l1 _ ltac:(unfold inside; lra) HE).
  - intros x1 H1. apply jump_ext with (fun h => relu x1 * tanh (lambda * x3) * relu h + -1 * f x1 h x3);
      [intros; unfold T_mixed; ring|].
    apply (jump_plus (fun h => relu x1 * tanh (lambda * x3) * relu h) (fun h => -1 * f x1 h x3)); [|apply jump_scal, HJ, H1].
    assert (R1 := jump_scal (relu x1 * tanh (lambda * x3)) relu 1 jump_relu). rewrite Rmult_1_r in R1. exact R1.
  - apply jump_ext with (fun h => tanh (lambda * x3) * (relu (2 * h) + -1 * relu h) + -1 * (J (2 * h) - J h)); [intros; ring|].
    replace (tanh (lambda * x3) - K) with (tanh (lambda * x3) * 1 + -1 * K) by ring.
    apply (jump_plus (fun h => tanh (lambda * x3) * (relu (2 * h) + -1 * relu h)) (fun h => -1 * (J (2 * h) - J h)));
      [|apply jump_scal, HK]. apply jump_scal.
    replace 1 with ((1 - 0) * Rabs 2 + -1 * 1) by (rewrite Rabs_right; lra).
    apply (jump_plus (fun h => relu (2 * h)) (fun h => -1 * relu h));
      [apply jump_kinked, relu_kinked|apply jump_scal, jump_relu].
Qed.

(* Networks of qd-LA in three dimensions. *)
Definition G_LA3 (eta : R) (m : nat) (f : R -> R -> R -> R) := exists (a u v w b u' v' w' b' : nat -> R) (al : nat -> nat -> R),
  forall x1 x2 x3, f x1 x2 x3 = sum m (fun k => a k * pairs (fun p q => al p q *
    (sigmaII eta p (u k * x1 + v k * x2 + w k * x3 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + w' k * x3 + b' k)))).

Definition G_MoA3 (eta : R) (m : nat) (f : R -> R -> R -> R) :=
  exists (a u v w b u' v' w' b' : nat -> R) (g1 g2 g3 g4 : nat -> nat -> R),
  forall x1 x2 x3, f x1 x2 x3 = sum m (fun k => a k * pairs (fun p q => tanh (g1 p q * x1 + g2 p q * x2 + g3 p q * x3 + g4 p q) *
    (sigmaII eta p (u k * x1 + v k * x2 + w k * x3 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + w' k * x3 + b' k)))).

Theorem T_mixed_in_MoA : forall eta lambda, G_MoA3 eta 1 (T_mixed lambda).
Proof.
  intros eta lambda. exists (fun _ => 1), (fun _ => 1), (fun _ => 0), (fun _ => 0), (fun _ => 0), (fun _ => 0), (fun _ => 1),
    (fun _ => 0), (fun _ => 0), (fun _ _ => 0), (fun _ _ => 0),
    (fun p q => match p, q with 1%nat, 1%nat => lambda | _, _ => 0 end), (fun _ _ => 0).
  intros x1 x2 x3. unfold T_mixed, pairs, sum. simpl.
  replace (1 * x1 + 0 * x2 + 0 * x3 + 0) with x1 by ring. replace (0 * x1 + 1 * x2 + 0 * x3 + 0) with x2 by ring.
  replace (0 * x1 + 0 * x2 + lambda * x3 + 0) with (lambda * x3) by ring.
  replace (0 * x1 + 0 * x2 + 0 * x3 + 0) with 0 by ring. rewrite tanh_at_0. ring.
Qed.

Theorem mixed_derivative : forall eta lambda m f E, 0 < eta < 1 -> G_LA3 eta m f ->
  mixed_at_most (fun x1 x2 x3 => T_mixed lambda x1 x2 x3 - f x1 x2 x3) E -> tanh lambda / 4 <= E.
Proof.
  intros eta lambda m f E He [a [u [v [w [b [u' [v' [w' [b' [al H]]]]]]]]]]. apply mixed_profiled.
  apply (profiled_ext _ f (fun x1 x2 x3 => eq_sym (H x1 x2 x3))). unfold pairs.
  apply (profiled_sum m (fun k x1 x2 x3 => a k * sum 7 (fun q => sum (S q) (fun p => al p q *
    (sigmaII eta p (u k * x1 + v k * x2 + w k * x3 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + w' k * x3 + b' k)))))).
  intros k _. apply profiled_scal.
  apply (profiled_sum 7 (fun q x1 x2 x3 => sum (S q) (fun p => al p q *
    (sigmaII eta p (u k * x1 + v k * x2 + w k * x3 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + w' k * x3 + b' k))))).
  intros q _.
  apply (profiled_sum (S q) (fun p x1 x2 x3 => al p q *
    (sigmaII eta p (u k * x1 + v k * x2 + w k * x3 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + w' k * x3 + b' k)))).
  intros p _. apply profiled_scal, product_profiled; apply sigmaII_cases; exact He.
Qed.
