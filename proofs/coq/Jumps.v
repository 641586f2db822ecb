(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* The jump of a derivative without the derivative: jump g J says that (g(h) + g(-h) - 2 g(0)) / h comes to J as h falls
   to 0, which is g'(0+) - g'(0-) where these exist. A function that is Lipschitz with constant e has |J| <= 2 e: this is
   the factor two of Propositions B.2 and B.5, and it needs no trace theorem. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations.
Open Scope R_scope.

Definition jump (g : R -> R) (J : R) :=
  filterlim (fun h => (g h + g (- h) - 2 * g 0) / h) (at_right 0) (locally J).

(* What holds for 0 < h < d holds near 0 on the right. *)
Lemma at_right_0 : forall (P : R -> Prop) d, 0 < d -> (forall h, 0 < h < d -> P h) -> at_right 0 P.
Proof.
  intros P d Hd H. exists (mkposreal d Hd). intros y Hy Hp. apply H. split; [exact Hp|].
  unfold ball in Hy; simpl in Hy; unfold AbsRing_ball, abs, minus, plus, opp in Hy; simpl in Hy.
  apply Rabs_lt_between in Hy. lra.
Qed.

Lemma jump_ext : forall f g J, (forall h, f h = g h) -> jump f J -> jump g J.
Proof.
  intros f g J E H. unfold jump. apply filterlim_ext with (2 := H). intros h. rewrite !E. reflexivity.
Qed.

Lemma jump_plus : forall f g a b, jump f a -> jump g b -> jump (fun h => f h + g h) (a + b).
Proof.
  intros f g a b Hf Hg. unfold jump.
  apply filterlim_ext with (fun h => (f h + f (- h) - 2 * f 0) / h + (g h + g (- h) - 2 * g 0) / h).
  { intros h. unfold Rdiv. ring. }
  apply (filterlim_comp_2 _ _ Rplus (F := at_right 0) (G := locally a) (H := locally b)); [exact Hf|exact Hg|].
  apply (filterlim_plus a b).
Qed.

Lemma jump_scal : forall c f a, jump f a -> jump (fun h => c * f h) (c * a).
Proof.
  intros c f a Hf. unfold jump.
  apply filterlim_ext with (fun h => c * ((f h + f (- h) - 2 * f 0) / h)).
  { intros h. unfold Rdiv. ring. }
  apply (filterlim_comp _ _ _ _ (Rmult c) (at_right 0) (locally a)); [exact Hf|].
  apply (filterlim_scal_r c a).
Qed.

Lemma jump_const : forall c, jump (fun _ => c) 0.
Proof.
  intros c. unfold jump. apply filterlim_ext with (fun _ => 0); [|apply filterlim_const].
  intros h. unfold Rdiv. ring.
Qed.

Lemma jump_sum : forall n (f : nat -> R -> R) (a : nat -> R),
  (forall k, (k < n)%nat -> jump (f k) (a k)) -> jump (fun h => sum n (fun k => f k h)) (sum n a).
Proof.
  induction n as [|n IH]; intros f a H; simpl; [apply jump_const|].
  apply (jump_plus (fun h => sum n (fun k => f k h)) (f n)); [apply IH; intros; apply H; lia|apply H; lia].
Qed.

(* |J| <= 2 e for a function with Lipschitz constant e at 0. *)
Lemma jump_bound : forall g J e d, 0 < d -> jump g J ->
  (forall h, -d < h < d -> Rabs (g h - g 0) <= e * Rabs h) -> Rabs J <= 2 * e.
Proof.
  intros g J e d Hd Hj Hl.
  apply (filterlim_le (F := at_right 0) (fun h => Rabs ((g h + g (- h) - 2 * g 0) / h)) (fun _ => 2 * e)
           (Rabs J) (2 * e)).
  - apply at_right_0 with d; [exact Hd|]. intros h Hh.
    assert (A := Hl h ltac:(lra)). assert (B := Hl (- h) ltac:(lra)).
    rewrite (Rabs_right h) in A by lra. rewrite (Rabs_left (- h)) in B by lra.
    unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_right h) by lra.
    apply (Rmult_le_reg_r h); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rabs_le_between in A. apply Rabs_le_between in B. apply Rabs_le. nra.
  - apply (filterlim_comp _ _ _ _ Rabs (at_right 0) (locally J) (locally (Rabs J))); [exact Hj|].
    apply continuous_Rabs.
  - apply filterlim_const.
Qed.

(* A function that is differentiable at 0 has no jump there. *)
Lemma jump_smooth : forall g, ex_derive g 0 -> jump g 0.
Proof.
  intros g [l Hl]. apply is_derive_Reals in Hl. apply filterlim_locally. intros eps.
  assert (He : 0 < eps / 2) by (destruct eps; simpl; lra).
  destruct (Hl (eps / 2) He) as [d Hd]. apply at_right_0 with d; [apply cond_pos|]. intros h Hh.
  assert (A := Hd h ltac:(lra) ltac:(rewrite Rabs_right; lra)).
  assert (B := Hd (- h) ltac:(lra) ltac:(rewrite Rabs_left; lra)).
  rewrite Rplus_0_l in A, B.
  unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl.
  replace ((g h + g (- h) - 2 * g 0) / h + - 0) with (((g h - g 0) / h - l) - ((g (- h) - g 0) / - h - l)) by (field; lra).
  apply Rabs_lt_between in A. apply Rabs_lt_between in B. apply Rabs_lt_between. lra.
Qed.

(* s(v h) for two lines that meet at 0, times a function that is continuous at 0. *)
Lemma jump_kinked_times : forall p q s v (g : R -> R), kinked p q s -> continuous g 0 ->
  jump (fun h => s (v * h) * g h) ((p - q) * Rabs v * g 0).
Proof.
  intros p q s v g K C. unfold jump.
  assert (S0 : s (v * 0) = 0) by (rewrite Rmult_0_r; rewrite (proj1 (K 0)) by lra; ring).
  set (P := if Rle_dec 0 v then p * v else q * v). set (Q := if Rle_dec 0 v then q * v else p * v).
  assert (E : (p - q) * Rabs v * g 0 = P * g 0 - Q * g 0).
  { unfold P, Q. destruct (Rle_dec 0 v); [rewrite Rabs_right by lra|rewrite Rabs_left by lra]; ring. }
  rewrite E.
  assert (right : filterlim g (at_right 0) (locally (g 0))).
  { refine (filterlim_filter_le_1 _ _ C). apply filter_le_within. }
  assert (left : filterlim (fun h => g (- h)) (at_right 0) (locally (g 0))).
  { assert (C' : continuous (fun h => g (- h)) 0).
    { apply (continuous_comp Ropp g 0); [apply (continuous_opp (fun h => h) 0), continuous_id|rewrite Ropp_0; exact C]. }
    unfold continuous in C'. rewrite Ropp_0 in C'. refine (filterlim_filter_le_1 _ _ C'). apply filter_le_within. }
  apply filterlim_within_ext with (fun h => P * g h - Q * g (- h)).
  - intros h Hh. rewrite S0. unfold P, Q. destruct (Rle_dec 0 v) as [Hv|Hv].
    + rewrite (proj1 (K (v * h))) by nra. rewrite (proj2 (K (v * - h))) by nra. field. lra.
    + rewrite (proj2 (K (v * h))) by nra. rewrite (proj1 (K (v * - h))) by nra. field. lra.
  - apply (filterlim_comp_2 (fun h => P * g h) (fun h => Q * g (- h)) Rminus (G := locally (P * g 0)) (H := locally (Q * g 0))).
    + apply (filterlim_comp _ _ _ g (Rmult P) (at_right 0) (locally (g 0))); [exact right|apply (filterlim_scal_r P (g 0))].
    + apply (filterlim_comp _ _ _ (fun h => g (- h)) (Rmult Q) (at_right 0) (locally (g 0))); [exact left|apply (filterlim_scal_r Q (g 0))].
    + apply filterlim_ext with (fun z => plus (fst z) (opp (snd z))); [intros; reflexivity|].
      apply (filterlim_comp_2 fst (fun z => opp (snd z)) plus (G := locally (P * g 0)) (H := locally (opp (Q * g 0)))).
      * apply filterlim_fst.
      * apply (filterlim_comp _ _ _ snd opp _ (locally (Q * g 0))); [apply filterlim_snd|apply (filterlim_opp (Q * g 0))].
      * apply (filterlim_plus (P * g 0) (opp (Q * g 0))).
Qed.

Lemma jump_kinked : forall p q s v, kinked p q s -> jump (fun h => s (v * h)) ((p - q) * Rabs v).
Proof.
  intros p q s v K. replace ((p - q) * Rabs v) with ((p - q) * Rabs v * 1) by ring.
  apply jump_ext with (fun h => s (v * h) * 1); [intros; ring|].
  apply (jump_kinked_times p q s v (fun _ => 1)); [exact K|apply continuous_const].
Qed.

(* An affine map inside a function that is differentiable where the map meets it. *)
Lemma ex_derive_affine : forall (s : R -> R) z v, ex_derive s z -> ex_derive (fun h => s (z + v * h)) 0.
Proof.
  intros s z v H. assert (A : @ex_derive R_AbsRing R_NormedModule (fun h => z + v * h) 0) by (auto_derive; trivial).
  apply (ex_derive_comp s (fun h => z + v * h)); [|exact A].
  rewrite Rmult_0_r, Rplus_0_r. exact H.
Qed.

(* One unit s(u x1 + v x2 + b): but for one x1, its jump across x2 = 0 is the same number. *)
Lemma ridge_jump : forall s u v b, (smooth s \/ exists p q, kinked p q s) ->
  exists C bad, forall x1, x1 <> bad -> jump (fun h => s (u * x1 + v * h + b)) C.
Proof.
  intros s u v b [Hs|[p [q K]]].
  - exists 0, 0. intros x1 _. apply jump_smooth.
    apply (ex_derive_ext (fun h => s ((u * x1 + b) + v * h))); [intros; f_equal; ring|].
    apply ex_derive_affine, Hs.
  - destruct (Req_dec u 0) as [Hu|Hu].
    + destruct (Req_dec b 0) as [Hb|Hb].
      * exists ((p - q) * Rabs v), 0. intros x1 _. subst.
        apply jump_ext with (fun h => s (v * h)); [intros; f_equal; ring|]. apply jump_kinked; exact K.
      * exists 0, 0. intros x1 _. apply jump_smooth. subst.
        apply (ex_derive_ext (fun h => s (b + v * h))); [intros; f_equal; ring|].
        apply ex_derive_affine. apply (kinked_smooth_away p q); assumption.
    + exists 0, (- b / u). intros x1 Hx. apply jump_smooth.
      apply (ex_derive_ext (fun h => s ((u * x1 + b) + v * h))); [intros; f_equal; ring|].
      apply ex_derive_affine. apply (kinked_smooth_away p q); [exact K|].
      intros H. apply Hx. apply (Rmult_eq_reg_l u); [|exact Hu].
      replace (u * (- b / u)) with (- b) by (field; exact Hu). lra.
Qed.

(* Away from finitely many numbers there are numbers in each interval. *)
Lemma avoid : forall (l : list R) a b, a < b -> exists c d, a <= c < d /\ d <= b /\ forall x, c < x < d -> ~ In x l.
Proof.
  induction l as [|y l IH]; intros a b H.
  - exists a, b. repeat split; try lra. intros x _ [].
  - destruct (IH a b H) as [c [d [Hc [Hd Hl]]]]. destruct (Rle_dec y c) as [Hy|Hy].
    + exists c, d. repeat split; try lra. intros x Hx [E|E]; [lra|exact (Hl x Hx E)].
    + destruct (Rle_dec d y) as [Hy'|Hy'].
      * exists c, d. repeat split; try lra. intros x Hx [E|E]; [lra|exact (Hl x Hx E)].
      * exists c, y. repeat split; try lra. intros x Hx [E|E]; [lra|exact (Hl x ltac:(lra) E)].
Qed.

(* What is true of a number near b but for finitely many, and of a continuous function, is true at b: |f - c| <= e. *)
Lemma avoid_limit : forall (f : R -> R) (l : list R) a b e x0, a < b -> a <= x0 <= b -> continuous f x0 ->
  (forall x, a < x < b -> ~ In x l -> Rabs (f x) <= e) -> Rabs (f x0) <= e.
Proof.
  intros f l a b e x0 Hab H0 C H.
  destruct (Rle_dec (Rabs (f x0)) e) as [?|Hn]; [assumption|exfalso].
  assert (He : 0 < Rabs (f x0) - e) by lra.
  apply (proj1 (filterlim_locally f (f x0))) with (eps := mkposreal _ He) in C. destruct C as [d Hd].
  assert (Pd : 0 < d) by apply cond_pos.
  destruct (avoid l (Rmax a (x0 - d)) (Rmin b (x0 + d))) as [c [c' [Hc [Hc' Hl]]]].
  { unfold Rmax, Rmin; destruct (Rle_dec a (x0 - d)), (Rle_dec b (x0 + d)); lra. }
  set (x := (c + c') / 2). assert (Hx : c < x < c') by (unfold x; lra).
  assert (Rmax a (x0 - d) >= a /\ Rmax a (x0 - d) >= x0 - d) by (split; apply Rle_ge; [apply Rmax_l|apply Rmax_r]).
  assert (Rmin b (x0 + d) <= b /\ Rmin b (x0 + d) <= x0 + d) by (split; [apply Rmin_l|apply Rmin_r]).
  assert (B := Hd x). unfold ball in B; simpl in B; unfold AbsRing_ball, abs, minus, plus, opp in B; simpl in B.
  assert (B' := B ltac:(apply Rabs_lt_between; lra)).
  assert (A := H x ltac:(lra) (Hl x Hx)).
  assert (T := Rabs_triang (f x) (f x0 - f x)). replace (f x + (f x0 - f x)) with (f x0) in T by ring.
  rewrite (Rabs_minus_sym (f x0)) in T. replace (f x - f x0) with (f x + - f x0) in T by ring. lra.
Qed.
