(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Theorem 4.2 of the paper "Mixture of activations" in two dimensions: inclusions, B.6 to B.11, and the bounds
   that hold for every width for pairs of activations. Norm and jumps are those of TypeOne.v and Jumps.v. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps Steps TypeOne FixedClasses.
Open Scope R_scope.

Definition G_fixed (s1 s2 : R -> R) (m : nat) (f : R -> R -> R) := exists a u v b u' v' b' : nat -> R,
  forall x1 x2, f x1 x2 = sum m (fun k => a k * (s1 (u k * x1 + v k * x2 + b k) * s2 (u' k * x1 + v' k * x2 + b' k))).

(* Sums over pairs p <= q of seven activations. *)
Definition pairs (g : nat -> nat -> R) := sum 7 (fun q => sum (S q) (fun p => g p q)).

Definition G_LA (eta : R) (m : nat) (f : R -> R -> R) := exists (a u v b u' v' b' : nat -> R) (al : nat -> nat -> R),
  forall x1 x2, f x1 x2 = sum m (fun k => a k * pairs (fun p q =>
    al p q * (sigmaII eta p (u k * x1 + v k * x2 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + b' k)))).

Definition G_MoA (eta : R) (m : nat) (f : R -> R -> R) :=
  exists (a u v b u' v' b' : nat -> R) (g1 g2 g3 : nat -> nat -> R),
  forall x1 x2, f x1 x2 = sum m (fun k => a k * pairs (fun p q =>
    tanh (g1 p q * x1 + g2 p q * x2 + g3 p q) *
    (sigmaII eta p (u k * x1 + v k * x2 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + b' k)))).

Definition A (t : R) := relu t + tanh t.
Definition T_LA2 (x1 x2 : R) := relu x2 * A x1.
Definition B_ (lambda t : R) := relu t * tanh (lambda * t).
Definition T_MoA2 (lambda x1 x2 : R) := relu x2 * B_ lambda x1.

Lemma pairs_ext : forall f g, (forall p q, (p <= q < 7)%nat -> f p q = g p q) -> pairs f = pairs g.
Proof. intros f g H. unfold pairs. apply sum_ext. intros q Hq. apply sum_ext. intros p Hp. apply H. lia. Qed.

Lemma pairs_scal : forall c f, pairs (fun p q => c * f p q) = c * pairs f.
Proof.
  intros c f. unfold pairs. rewrite <- sum_scal. apply sum_ext. intros q _. apply sum_scal.
Qed.

Lemma pairs_single : forall p0 q0 f, (p0 <= q0 < 7)%nat ->
  pairs (fun p q => (if Nat.eq_dec p p0 then if Nat.eq_dec q q0 then 1 else 0 else 0) * f p q) = f p0 q0.
Proof.
  intros p0 q0 f H. unfold pairs. rewrite (sum_single 7 q0); [|lia|].
  - rewrite (sum_single (S q0) p0); [|lia|].
    + destruct (Nat.eq_dec p0 p0), (Nat.eq_dec q0 q0); try congruence. ring.
    + intros p _ Hp. destruct (Nat.eq_dec p p0); [contradiction|ring].
  - intros q _ Hq. rewrite (sum_ext (S q) _ (fun _ => 0)); [apply sum_0|]. intros p _.
    destruct (Nat.eq_dec p p0), (Nat.eq_dec q q0); try contradiction; ring.
Qed.

Theorem fixed_in_LA2 : forall eta p q m f, (p < 7)%nat -> (q < 7)%nat ->
  G_fixed (sigmaII eta p) (sigmaII eta q) m f -> G_LA eta m f.
Proof.
  intros eta p q m f Hp Hq [a [u [v [b [u' [v' [b' H]]]]]]].
  destruct (Nat.le_gt_cases p q) as [L|L].
  - exists a, u, v, b, u', v', b', (fun i j => if Nat.eq_dec i p then if Nat.eq_dec j q then 1 else 0 else 0).
    intros x1 x2. rewrite H. apply sum_ext. intros k _.
    rewrite (pairs_single p q (fun i j => sigmaII eta i (u k * x1 + v k * x2 + b k) * sigmaII eta j (u' k * x1 + v' k * x2 + b' k)))
      by lia. reflexivity.
  - exists a, u', v', b', u, v, b, (fun i j => if Nat.eq_dec i q then if Nat.eq_dec j p then 1 else 0 else 0).
    intros x1 x2. rewrite H. apply sum_ext. intros k _.
    rewrite (pairs_single q p (fun i j => sigmaII eta i (u' k * x1 + v' k * x2 + b' k) * sigmaII eta j (u k * x1 + v k * x2 + b k)))
      by lia. ring.
Qed.

(* A factor that brings a table of numbers into (-1, 1): over rows, one after the other. *)
Lemma small_factor2 : forall n (al : nat -> nat -> R), exists rho, 0 < rho /\
  forall p q, (p < 7)%nat -> (q < n)%nat -> -1 < rho * al p q < 1.
Proof.
  induction n as [|n IH]; intros al; [exists 1; split; [lra|intros; lia]|].
  destruct (IH al) as [r [Hr H]]. destruct (small_factor 7 (fun p => al p n)) as [r' [Hr' H']].
  exists (Rmin r r'). assert (P := Rmin_pos r r' Hr Hr'). split; [exact P|]. intros p q Hp Hq.
  assert (M : Rmin r r' <= r) by apply Rmin_l. assert (M' : Rmin r r' <= r') by apply Rmin_r.
  apply Rabs_lt_between. rewrite Rabs_mult, (Rabs_right (Rmin r r')) by lra.
  destruct (Nat.eq_dec q n) as [->|Hne].
  - specialize (H' p Hp). apply Rabs_lt_between in H'. rewrite Rabs_mult, (Rabs_right r') in H' by lra.
    apply Rle_lt_trans with (2 := H'). apply Rmult_le_compat_r; [apply Rabs_pos|exact M'].
  - specialize (H p q Hp ltac:(lia)). apply Rabs_lt_between in H. rewrite Rabs_mult, (Rabs_right r) in H by lra.
    apply Rle_lt_trans with (2 := H). apply Rmult_le_compat_r; [apply Rabs_pos|exact M].
Qed.

Theorem LA_in_MoA2 : forall eta m f, G_LA eta m f -> G_MoA eta m f.
Proof.
  intros eta m f [a [u [v [b [u' [v' [b' [al H]]]]]]]]. destruct (small_factor2 7 al) as [rho [Hr Hal]].
  exists (fun k => a k / rho), u, v, b, u', v', b', (fun _ _ => 0), (fun _ _ => 0), (fun p q => artanh (rho * al p q)).
  intros x1 x2. rewrite H. apply sum_ext. intros k _.
  rewrite (pairs_ext (fun p q => tanh (0 * x1 + 0 * x2 + artanh (rho * al p q)) *
    (sigmaII eta p (u k * x1 + v k * x2 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + b' k))) (fun p q => rho * (al p q *
    (sigmaII eta p (u k * x1 + v k * x2 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + b' k))))).
  - rewrite pairs_scal. field. lra.
  - intros p q Hpq. replace (0 * x1 + 0 * x2 + artanh (rho * al p q)) with (artanh (rho * al p q)) by ring.
    rewrite tanh_artanh by (apply Hal; lia). ring.
Qed.

(* B.6, B.10: pairs (relu, relu) = (1, 1) and (relu, tanh) = (1, 6). *)
Theorem proposition_B6 : forall eta, G_LA eta 1 T_LA2.
Proof.
  intros eta. exists (fun _ => 1), (fun _ => 0), (fun _ => 1), (fun _ => 0), (fun _ => 1), (fun _ => 0), (fun _ => 0),
    (fun p q => match p, q with 1%nat, 1%nat => 1 | 1%nat, 6%nat => 1 | _, _ => 0 end).
  intros x1 x2. unfold T_LA2, A, pairs, sum. simpl.
  replace (0 * x1 + 1 * x2 + 0) with x2 by ring. replace (1 * x1 + 0 * x2 + 0) with x1 by ring. ring.
Qed.

Theorem proposition_B10 : forall eta lambda, G_MoA eta 1 (T_MoA2 lambda).
Proof.
  intros eta lambda. exists (fun _ => 1), (fun _ => 0), (fun _ => 1), (fun _ => 0), (fun _ => 1), (fun _ => 0), (fun _ => 0),
    (fun p q => match p, q with 1%nat, 1%nat => lambda | _, _ => 0 end), (fun _ _ => 0), (fun _ _ => 0).
  intros x1 x2. unfold T_MoA2, B_, pairs, sum. simpl.
  replace (0 * x1 + 1 * x2 + 0) with x2 by ring. replace (1 * x1 + 0 * x2 + 0) with x1 by ring.
  replace (lambda * x1 + 0 * x2 + 0) with (lambda * x1) by ring. replace (0 * x1 + 0 * x2 + 0) with 0 by ring.
  rewrite tanh_at_0. ring.
Qed.

(* t tanh(lambda t) by a smooth pair: why T_MoA2 is no harder for networks in RMSE. *)
Theorem silu_identity : forall l t, l <> 0 -> t * tanh (l * t) = silu (2 * l * t) / l - t.
Proof.
  intros l t Hl. unfold tanh, sinh, cosh, silu.
  assert (P : 0 < exp (l * t)) by apply exp_pos. rewrite exp_Ropp.
  replace (- (2 * l * t)) with (- (l * t) + - (l * t)) by ring. rewrite exp_plus, exp_Ropp. set (y := exp (l * t)) in *.
  field. repeat split; nra.
Qed.

(* One unit at x1: either it is differentiable across x2 = 0, or it is kinked on the line x2 = 0 itself. *)
Lemma unit_cases : forall s u v b, (smooth s \/ exists p q, kinked p q s) ->
  (exists p q, kinked p q s /\ u = 0 /\ b = 0) \/
  (exists bad, forall x1, x1 <> bad -> ex_derive (fun h => s (u * x1 + v * h + b)) 0).
Proof.
  intros s u v b [S|[p [q K]]].
  - right. exists 0. intros x1 _. apply (ex_derive_ext (fun h => s ((u * x1 + b) + v * h))); [intros; f_equal; ring|].
    apply ex_derive_affine, S.
  - destruct (Req_dec u 0) as [Hu|Hu]; [destruct (Req_dec b 0) as [Hb|Hb]|].
    + left. exists p, q. repeat split; try assumption; apply K.
    + right. exists 0. intros x1 _. subst. apply (ex_derive_ext (fun h => s (b + v * h))); [intros; f_equal; ring|].
      apply ex_derive_affine, (kinked_smooth_away p q); assumption.
    + right. exists (- b / u). intros x1 Hx.
      apply (ex_derive_ext (fun h => s ((u * x1 + b) + v * h))); [intros; f_equal; ring|].
      apply ex_derive_affine, (kinked_smooth_away p q); [exact K|].
      intros H. apply Hx. apply (Rmult_eq_reg_l u); [|exact Hu]. replace (u * (- b / u)) with (- b) by (field; exact Hu). lra.
Qed.

Lemma dictionary_continuous : forall s, (smooth s \/ exists p q, kinked p q s) -> forall z, continuous s z.
Proof.
  intros s [S|[p [q K]]] z; [apply smooth_continuous, S|].
  destruct (Req_dec z 0) as [->|Hz]; [|apply (ex_derive_continuous s), (kinked_smooth_away p q); assumption].
  apply filterlim_locally. intros eps. set (M := Rabs p + Rabs q + 1).
  assert (PM : 0 < M) by (assert (X := Rabs_pos p); assert (Y := Rabs_pos q); unfold M; lra).
  assert (Pe : 0 < eps / M) by (apply Rdiv_lt_0_compat; [apply cond_pos|exact PM]).
  exists (mkposreal _ Pe). intros y Hy.
  unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
  rewrite Ropp_0, Rplus_0_r in Hy. rewrite (proj1 (K 0)) by lra. rewrite Rmult_0_r, Ropp_0, Rplus_0_r.
  apply Rle_lt_trans with (M * Rabs y).
  - assert (X := Rabs_pos p). assert (Y := Rabs_pos q). assert (Z := Rabs_pos y).
    destruct (Rle_dec 0 y) as [H|H]; [rewrite (proj1 (K y)) by lra|rewrite (proj2 (K y)) by lra]; rewrite Rabs_mult;
      apply Rmult_le_compat_r; try exact Z; unfold M; lra.
  - apply (Rmult_lt_reg_l (/ M)); [apply Rinv_0_lt_compat; exact PM|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
    rewrite Rmult_comm. exact Hy.
Qed.

(* A factor kinked on x2 = 0 times another one. *)
Lemma jump_on_S : forall s s' v v' c p q, kinked p q s -> (smooth s' \/ exists p q, kinked p q s') ->
  jump (fun h => s (v * h) * s' (c + v' * h)) ((p - q) * Rabs v * s' c).
Proof.
  intros s s' v v' c p q K H'. replace (s' c) with (s' (c + v' * 0)) by (f_equal; ring).
  apply (jump_kinked_times p q s v (fun h => s' (c + v' * h))); [exact K|].
  apply (continuous_comp (fun h => c + v' * h) s'); [|apply dictionary_continuous, H'].
  apply (ex_derive_continuous (fun h => c + v' * h)). auto_derive; trivial.
Qed.

(* B.7 for one product: its jump is C s2(u' x1 + b') + D s1(u x1 + b) but for finitely many x1, where C = 0 if s1 is
   smooth or its gate is not on x2 = 0, and D = 0 if s2 is smooth. *)
Lemma product_jump : forall s1 s2 u v b u' v' b',
  (smooth s1 \/ exists p q, kinked p q s1) -> (smooth s2 \/ exists p q, kinked p q s2) ->
  exists C D l, (smooth s1 -> C = 0) /\ (smooth s2 -> D = 0) /\ (C = 0 \/ u = 0 /\ b = 0) /\ forall x1, ~ In x1 l ->
    jump (fun h => s1 (u * x1 + v * h + b) * s2 (u' * x1 + v' * h + b')) (C * s2 (u' * x1 + b') + D * s1 (u * x1 + b)).
Proof.
  intros s1 s2 u v b u' v' b' H1 H2.
  assert (on_S : forall s s' u v b u' v' b' p q, kinked p q s -> u = 0 -> b = 0 ->
            (smooth s' \/ exists p q, kinked p q s') -> forall x1 : R,
            jump (fun h => s (u * x1 + v * h + b) * s' (u' * x1 + v' * h + b')) ((p - q) * Rabs v * s' (u' * x1 + b'))).
  { clear. intros s s' u v b u' v' b' p q K Hu Hb H' x1. subst.
    apply jump_ext with (fun h => s (v * h) * s' ((u' * x1 + b') + v' * h)); [intros; f_equal; f_equal; ring|].
    apply jump_on_S; assumption. }
  assert (flat : forall p q s, kinked p q s -> smooth s -> p - q = 0).
  { clear. intros p q s K S. assert (J1 := jump_kinked p q s 1 K). assert (J2 := jump_smooth s (S 0)).
    rewrite Rabs_R1, Rmult_1_r in J1.
    assert (J3 : jump s (p - q)) by (apply jump_ext with (2 := J1); intros; f_equal; ring).
    apply (filterlim_locally_unique (F := at_right 0) (fun h => (s h + s (- h) - 2 * s 0) / h)); assumption. }
  destruct (unit_cases s1 u v b H1) as [[p [q [K [Hu Hb]]]]|[bad B]].
  - exists ((p - q) * Rabs v), 0, nil. split; [|split; [trivial|split; [auto|]]].
    + intros S. rewrite (flat p q s1 K S). ring.
    + intros x1 _. rewrite Rmult_0_l, Rplus_0_r. apply on_S; assumption.
  - destruct (unit_cases s2 u' v' b' H2) as [[p [q [K [Hu Hb]]]]|[bad' B']].
    + exists 0, ((p - q) * Rabs v'), nil. split; [trivial|split; [|split; [auto|]]].
      * intros S. rewrite (flat p q s2 K S). ring.
      * intros x1 _. rewrite Rmult_0_l, Rplus_0_l.
        apply jump_ext with (fun h => s2 (u' * x1 + v' * h + b') * s1 (u * x1 + v * h + b)); [intros; ring|].
        apply on_S; assumption.
    + exists 0, 0, (bad :: bad' :: nil). split; [trivial|split; [trivial|split; [auto|]]]. intros x1 Hx. simpl in Hx.
      replace (0 * s2 (u' * x1 + b') + 0 * s1 (u * x1 + b)) with 0 by ring. apply jump_smooth.
      apply (ex_derive_mult (fun h => s1 (u * x1 + v * h + b)) (fun h => s2 (u' * x1 + v' * h + b')));
        [apply B|apply B']; intros E; apply Hx; auto.
Qed.

(* B.7: the jump profile of a network of one pair. *)
Definition profile (s1 s2 : R -> R) m (C D r1 t1 r2 t2 : nat -> R) (x : R) :=
  sum m (fun k => C k * s2 (r2 k * x + t2 k) + D k * s1 (r1 k * x + t1 k)).

Theorem lemma_B7 : forall s1 s2 m f,
  (smooth s1 \/ exists p q, kinked p q s1) -> (smooth s2 \/ exists p q, kinked p q s2) -> G_fixed s1 s2 m f ->
  exists C D r1 t1 r2 t2 l, (smooth s1 -> forall k, C k = 0) /\ (smooth s2 -> forall k, D k = 0) /\
    forall x1, ~ In x1 l -> jump (f x1) (profile s1 s2 m C D r1 t1 r2 t2 x1).
Proof.
  intros s1 s2 m f H1 H2 [a [u [v [b [u' [v' [b' H]]]]]]].
  assert (partial : forall n, exists C D l, (smooth s1 -> forall k, C k = 0) /\ (smooth s2 -> forall k, D k = 0) /\
    forall x1, ~ In x1 l -> jump (fun h => sum n (fun k => a k * (s1 (u k * x1 + v k * h + b k) * s2 (u' k * x1 + v' k * h + b' k))))
      (profile s1 s2 n C D u b u' b' x1)).
  { induction n as [|n [C [D [l [HC [HD HJ]]]]]].
    - exists (fun _ => 0), (fun _ => 0), nil. split; [trivial|split; [trivial|]]. intros x1 _. apply (jump_const 0).
    - destruct (product_jump s1 s2 (u n) (v n) (b n) (u' n) (v' n) (b' n) H1 H2) as [c [d [l' [Hc [Hd [_ J]]]]]].
      exists (fun k => if Nat.eq_dec k n then a n * c else C k), (fun k => if Nat.eq_dec k n then a n * d else D k), (l ++ l').
      split; [|split].
      + intros S k. destruct (Nat.eq_dec k n); [rewrite Hc by exact S; ring|apply HC, S].
      + intros S k. destruct (Nat.eq_dec k n); [rewrite Hd by exact S; ring|apply HD, S].
      + intros x1 Hx. unfold profile. simpl.
        destruct (Nat.eq_dec n n) as [_|X]; [|contradiction].
        apply (jump_plus (fun h => sum n (fun k => a k * (s1 (u k * x1 + v k * h + b k) * s2 (u' k * x1 + v' k * h + b' k))))
                 (fun h => a n * (s1 (u n * x1 + v n * h + b n) * s2 (u' n * x1 + v' n * h + b' n)))).
        * rewrite (sum_ext n _ (fun k => C k * s2 (u' k * x1 + b' k) + D k * s1 (u k * x1 + b k))).
          { apply HJ. intros I. apply Hx, in_or_app. left. exact I. }
          intros k Hk. destruct (Nat.eq_dec k n); [lia|reflexivity].
        * replace (a n * c * s2 (u' n * x1 + b' n) + a n * d * s1 (u n * x1 + b n))
            with (a n * (c * s2 (u' n * x1 + b' n) + d * s1 (u n * x1 + b n))) by ring.
          apply jump_scal, J. intros I. apply Hx, in_or_app. right. exact I. }
  destruct (partial m) as [C [D [l [HC [HD HJ]]]]]. exists C, D, u, b, u', b', l. split; [|split]; [exact HC|exact HD|].
  intros x1 Hx. apply jump_ext with (2 := HJ x1 Hx). intros h. symmetry. apply H.
Qed.

Lemma jump_relu : jump relu 1.
Proof.
  replace 1 with ((1 - 0) * Rabs 1) by (rewrite Rabs_R1; ring).
  apply jump_ext with (fun h => relu (1 * h)); [intros; f_equal; ring|]. apply jump_kinked, relu_kinked.
Qed.

Lemma jump_T_LA2 : forall x1, jump (T_LA2 x1) (A x1).
Proof.
  intros x1. unfold T_LA2. assert (K := jump_scal (A x1) relu 1 jump_relu). rewrite Rmult_1_r in K.
  apply jump_ext with (2 := K). intros; ring.
Qed.

(* From the norm to the jump at one x1. *)
Lemma W_jump : forall g W x1 J, W_at_most g W -> -1 < x1 < 1 -> jump (g x1) J -> Rabs J <= 2 * W.
Proof.
  intros g W x1 J [E0 [E1 [HW [H0 H1]]]] Hx HJ.
  assert (P0 : 0 <= E0). { eapply Rle_trans; [apply Rabs_pos|apply (H0 0 0)]. unfold Omega. lra. }
  apply Rle_trans with (2 * E1); [|lra]. apply (jump_bound (g x1) J E1 1 Rlt_0_1 HJ).
  intros h Hh. assert (L := H1 x1 h x1 0 ltac:(unfold Omega; lra) ltac:(unfold Omega; lra)).
  replace ((x1 - x1) ^ 2 + (h - 0) ^ 2) with (h ^ 2) in L by ring.
  replace (sqrt (h ^ 2)) with (Rabs h) in L; [exact L|]. rewrite <- sqrt_Rsqr_abs. f_equal. unfold Rsqr. ring.
Qed.

Lemma continuous_A : forall x, continuous A x.
Proof.
  intros x. apply (continuous_plus relu tanh).
  - apply dictionary_continuous. right. exists 1, 0. apply relu_kinked.
  - apply smooth_continuous, tanh_smooth.
Qed.

(* What a network of a pair leaves: A minus its profile, for all x1 where the profile is continuous. *)
Lemma pair_distance : forall s1 s2 m f W, (smooth s1 \/ exists p q, kinked p q s1) -> (smooth s2 \/ exists p q, kinked p q s2) ->
  G_fixed s1 s2 m f -> W_at_most (fun x1 x2 => T_LA2 x1 x2 - f x1 x2) W ->
  exists C D r1 t1 r2 t2, (smooth s1 -> forall k, C k = 0) /\ (smooth s2 -> forall k, D k = 0) /\
    forall x0, -1 <= x0 <= 1 -> continuous (profile s1 s2 m C D r1 t1 r2 t2) x0 ->
      Rabs (A x0 - profile s1 s2 m C D r1 t1 r2 t2 x0) <= 2 * W.
Proof.
  intros s1 s2 m f W H1 H2 Hf HW.
  destruct (lemma_B7 s1 s2 m f H1 H2 Hf) as [C [D [r1 [t1 [r2 [t2 [l [HC [HD HJ]]]]]]]]].
  exists C, D, r1, t1, r2, t2. split; [|split]; [exact HC|exact HD|]. intros x0 H0 K.
  apply (avoid_limit (fun x => A x - profile s1 s2 m C D r1 t1 r2 t2 x) l (-1) 1); [lra|exact H0| |].
  - apply (continuous_minus A); [apply continuous_A|exact K].
  - intros x Hx Hl. apply (W_jump _ W x _ HW Hx).
    replace (A x - profile s1 s2 m C D r1 t1 r2 t2 x) with (A x + -1 * profile s1 s2 m C D r1 t1 r2 t2 x) by ring.
    apply jump_ext with (fun h => T_LA2 x h + -1 * f x h); [intros; ring|].
    apply (jump_plus (T_LA2 x) (fun h => -1 * f x h)); [apply jump_T_LA2|apply jump_scal, HJ, Hl].
Qed.

Lemma profile_continuous : forall s1 s2 m C D r1 t1 r2 t2 x,
  (smooth s1 \/ exists p q, kinked p q s1) -> (smooth s2 \/ exists p q, kinked p q s2) ->
  continuous (profile s1 s2 m C D r1 t1 r2 t2) x.
Proof.
  intros s1 s2 m C D r1 t1 r2 t2 x H1 H2. unfold profile.
  assert (one : forall s r t, (smooth s \/ exists p q, kinked p q s) -> continuous (fun x => s (r * x + t)) x).
  { intros s r t H. apply (continuous_comp (fun x => r * x + t) s); [|apply dictionary_continuous, H].
    apply (ex_derive_continuous (fun x => r * x + t)). auto_derive; trivial. }
  induction m as [|m IH]; simpl; [apply continuous_const|].
  apply (continuous_plus (fun x => sum m (fun k => C k * s2 (r2 k * x + t2 k) + D k * s1 (r1 k * x + t1 k)))
           (fun x => C m * s2 (r2 m * x + t2 m) + D m * s1 (r1 m * x + t1 m))); [exact IH|].
  apply (continuous_plus (fun x => C m * s2 (r2 m * x + t2 m)) (fun x => D m * s1 (r1 m * x + t1 m)));
    apply (continuous_scal_r (V := R_NormedModule)); apply one; assumption.
Qed.

(* Both activations differentiable: no jump at all, so W >= (1 + tanh 1) / 2 for every width. *)
Theorem smooth_pair : forall s1 s2 m f W, smooth s1 -> smooth s2 -> G_fixed s1 s2 m f ->
  W_at_most (fun x1 x2 => T_LA2 x1 x2 - f x1 x2) W -> (1 + tanh 1) / 2 <= W.
Proof.
  intros s1 s2 m f W S1 S2 Hf HW.
  destruct (pair_distance s1 s2 m f W (or_introl S1) (or_introl S2) Hf HW) as [C [D [r1 [t1 [r2 [t2 [HC [HD H]]]]]]]].
  assert (B := H 1 ltac:(lra) (profile_continuous s1 s2 m C D r1 t1 r2 t2 1 (or_introl S1) (or_introl S2))).
  unfold profile in B. rewrite (sum_ext m _ (fun _ => 0)), sum_0, Rminus_0_r in B
    by (intros; rewrite (HC S1), (HD S2); ring).
  unfold A in B. rewrite (proj1 (relu_kinked 1)) in B by lra. apply Rabs_le_between in B. lra.
Qed.

(* A is at least 1/4 from every line. *)
Lemma A_line : forall p q e, (forall t, -1 <= t <= 1 -> Rabs (A t - (p * t + q)) <= e) -> 1 / 4 <= e.
Proof.
  intros p q e H. assert (H1 := H 1 ltac:(lra)). assert (H2 := H 0 ltac:(lra)). assert (H3 := H (-1) ltac:(lra)).
  unfold A in *. rewrite (proj1 (relu_kinked 1)) in H1 by lra. rewrite (proj1 (relu_kinked 0)) in H2 by lra.
  rewrite (proj2 (relu_kinked (-1))) in H3 by lra. replace (tanh (-1)) with (- tanh 1) in H3 by (rewrite <- tanh_odd; f_equal; ring).
  rewrite tanh_at_0 in H2. apply Rabs_le_between in H1. apply Rabs_le_between in H2. apply Rabs_le_between in H3. lra.
Qed.

(* (N1, id): W >= 1/8 for every width. *)
Theorem kinked_id_pair : forall p q s m f W, kinked p q s -> G_fixed s id m f ->
  W_at_most (fun x1 x2 => T_LA2 x1 x2 - f x1 x2) W -> 1 / 8 <= W.
Proof.
  intros p q s m f W K Hf HW. assert (H1 : smooth s \/ exists p q, kinked p q s) by (right; exists p, q; exact K).
  destruct (pair_distance s id m f W H1 (or_introl id_smooth) Hf HW) as [C [D [r1 [t1 [r2 [t2 [_ [HD H]]]]]]]].
  assert (line : forall n x, profile s id n C D r1 t1 r2 t2 x = sum n (fun k => C k * r2 k) * x + sum n (fun k => C k * t2 k)).
  { unfold profile, id. induction n as [|n IH]; intros x; simpl; [ring|].
    rewrite IH, (HD id_smooth n). ring. }
  assert (1 / 4 <= 2 * W); [|lra].
  apply (A_line (sum m (fun k => C k * r2 k)) (sum m (fun k => C k * t2 k))). intros t Ht. rewrite <- line.
  apply H; [exact Ht|]. apply profile_continuous; [exact H1|left; apply id_smooth].
Qed.

(* B.8, B.9. A has a kink at 0; sums of smooth functions have none. *)
Lemma jump_unique : forall g a b, jump g a -> jump g b -> a = b.
Proof.
  intros g a b Ha Hb. apply (filterlim_locally_unique (F := at_right 0) (fun h => (g h + g (- h) - 2 * g 0) / h)); assumption.
Qed.

Lemma jump_A : jump A 1.
Proof.
  assert (K := jump_plus relu tanh 1 0 jump_relu (jump_smooth tanh (tanh_smooth 0))). rewrite Rplus_0_r in K. exact K.
Qed.

(* On an interval A is no line: tanh is strictly concave. *)
Lemma A_no_line : forall c d al be, 0 <= c < d -> (forall t, c < t < d -> A t = al * t + be) -> False.
Proof.
  intros c d al be H L.
  assert (deriv : forall t, c < t < d -> 1 - tanh t ^ 2 = al - 1).
  { intros t Ht. assert (D1 := tanh_derive t).
    assert (D2 : is_derive tanh t (al - 1)).
    { apply (is_derive_ext_loc (fun t => (al - 1) * t + be)).
      - assert (Pe : 0 < Rmin (t - c) (d - t)) by (apply Rmin_pos; lra). exists (mkposreal _ Pe). intros y Hy.
        unfold ball in Hy; simpl in Hy; unfold AbsRing_ball, abs, minus, plus, opp in Hy; simpl in Hy.
        assert (Rmin (t - c) (d - t) <= t - c) by apply Rmin_l. assert (Rmin (t - c) (d - t) <= d - t) by apply Rmin_r.
        apply Rabs_lt_between in Hy. assert (Y := L y ltac:(lra)). unfold A in Y.
        rewrite (proj1 (relu_kinked y)) in Y by lra. lra.
      - auto_derive; [trivial|ring]. }
    apply is_derive_unique in D1. apply is_derive_unique in D2. lra. }
  set (s := c + (d - c) / 3). set (t := c + 2 * (d - c) / 3).
  assert (Ds := deriv s ltac:(unfold s; lra)). assert (Dt := deriv t ltac:(unfold t; lra)).
  assert (Ps : 0 < tanh s) by (apply tanh_pos; unfold s; lra). assert (Pt : 0 < tanh t) by (apply tanh_pos; unfold t; lra).
  assert (E : tanh s = tanh t) by nra.
  assert (Ls := L s ltac:(unfold s; lra)). assert (Lt := L t ltac:(unfold t; lra)). unfold A in Ls, Lt.
  rewrite (proj1 (relu_kinked s)) in Ls by (unfold s; lra). rewrite (proj1 (relu_kinked t)) in Lt by (unfold t; lra).
  assert (1 - tanh s ^ 2 = 0).
  { assert ((al - 1) * (t - s) = 0) by lra. assert (t - s <> 0) by (unfold s, t; lra). nra. }
  (* |tanh| < 1 *)
  assert (tanh s < 1).
  { unfold tanh. apply (Rmult_lt_reg_r (cosh s)); [apply cosh_pos|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by (assert (X := cosh_pos s); lra).
    unfold sinh, cosh. assert (X := exp_pos (- s)). lra. }
  nra.
Qed.

Lemma jump_local : forall f g J, (forall h, -1 <= h <= 1 -> f h = g h) -> jump f J -> jump g J.
Proof.
  intros f g J E H. unfold jump. apply filterlim_ext_loc with (2 := H).
  apply at_right_0 with 1; [lra|]. intros h Hh. rewrite !E by lra. reflexivity.
Qed.

Lemma smooth_sum_jump : forall m (c r t : nat -> R) s, smooth s -> jump (fun x => sum m (fun k => c k * s (r k * x + t k))) 0.
Proof.
  intros m c r t s S. replace 0 with (sum m (fun k => c k * 0)) by (rewrite (sum_ext m _ (fun _ => 0)); [apply sum_0|intros; ring]).
  apply (jump_sum m (fun k x => c k * s (r k * x + t k))). intros k _. apply jump_scal, jump_smooth.
  apply (ex_derive_ext (fun h => s (t k + r k * h))); [intros; f_equal; ring|]. apply ex_derive_affine, S.
Qed.

Lemma sigmaII_cases : forall eta c, 0 < eta < 1 -> smooth (sigmaII eta c) \/ exists p q, kinked p q (sigmaII eta c).
Proof. intros eta [|c] He; simpl; [left; apply id_smooth|apply sigmaI_cases, He]. Qed.

(* An interval in (0, 1) where a sum of kinked units is one line. *)
Lemma kinked_sum_line : forall p q s m (c r t : nat -> R) A0 B0, kinked p q s -> 0 <= A0 < B0 ->
  exists A1 B1 al be, A0 <= A1 < B1 /\ B1 <= B0 /\
    forall x, A1 <= x <= B1 -> sum m (fun k => c k * s (r k * x + t k)) = al * x + be.
Proof.
  intros p q s m c r t A0 B0 K H0.
  destruct (avoid (map (fun k => - t k / r k) (seq 0 m)) A0 B0) as [A1 [B1 [HA [HB N]]]]; [lra|].
  destruct (sum_line m (fun k x => c k * s (r k * x + t k)) A1 B1) as [al [be L]].
  - intros k Hk. destruct (unit_line p q s (r k) (t k) A1 B1 K) as [al [be L]]; [lra| |].
    + destruct (Req_EM_T (r k) 0) as [?|Hr]; [left; assumption|right].
      destruct (Rle_dec (- t k / r k) A1) as [?|G]; [left; assumption|right].
      destruct (Rle_dec B1 (- t k / r k)) as [?|G']; [assumption|exfalso].
      apply (N (- t k / r k)); [lra|]. apply (in_map (fun k => - t k / r k)), in_seq. lia.
    + exists (c k * al), (c k * be). intros x Hx. rewrite L by exact Hx. ring.
  - exists A1, B1, al, be. split; [lra|split; [lra|exact L]].
Qed.

Theorem proposition_B9 : forall eta p q m f, 0 < eta < 1 -> G_fixed (sigmaII eta p) (sigmaII eta q) m f ->
  ~ forall x1 x2, Omega x1 x2 -> f x1 x2 = T_LA2 x1 x2.
Proof.
  intros eta p q m f He Hf Same. set (s1 := sigmaII eta p) in *. set (s2 := sigmaII eta q) in *.
  assert (H1 : smooth s1 \/ exists p q, kinked p q s1) by apply (sigmaII_cases eta p He).
  assert (H2 : smooth s2 \/ exists p q, kinked p q s2) by apply (sigmaII_cases eta q He).
  assert (HW : W_at_most (fun x1 x2 => T_LA2 x1 x2 - f x1 x2) 0) by (apply W_of_same; intros; symmetry; apply Same; assumption).
  destruct (pair_distance s1 s2 m f 0 H1 H2 Hf HW) as [C [D [r1 [t1 [r2 [t2 [HC [HD H]]]]]]]].
  assert (E : forall x, -1 <= x <= 1 -> profile s1 s2 m C D r1 t1 r2 t2 x = A x).
  { intros x Hx. assert (B := H x Hx (profile_continuous s1 s2 m C D r1 t1 r2 t2 x H1 H2)).
    apply Rabs_le_between in B. lra. }
  destruct H1 as [S1|[p1 [q1 K1]]], H2 as [S2|[p2 [q2 K2]]].
  - assert (T := tanh_pos 1 Rlt_0_1). assert (B := E 1 ltac:(lra)). unfold profile in B.
    rewrite (sum_ext m _ (fun _ => 0)), sum_0 in B by (intros; rewrite (HC S1), (HD S2); ring).
    unfold A in B. rewrite (proj1 (relu_kinked 1)) in B by lra. lra.
  - (* s1 smooth: the profile is a sum of s1 *)
    assert (J : jump A 0).
    { apply jump_local with (2 := smooth_sum_jump m D r1 t1 s1 S1). intros h Hh. rewrite <- E by exact Hh.
      unfold profile. apply sum_ext. intros k _. rewrite (HC S1). ring. }
    assert (X := jump_unique A 0 1 J jump_A). lra.
  - assert (J : jump A 0).
    { apply jump_local with (2 := smooth_sum_jump m C r2 t2 s2 S2). intros h Hh. rewrite <- E by exact Hh.
      unfold profile. apply sum_ext. intros k _. rewrite (HD S2). ring. }
    assert (X := jump_unique A 0 1 J jump_A). lra.
  - destruct (kinked_sum_line p2 q2 s2 m C r2 t2 0 1 K2) as [A1 [B1 [al [be [HA [HB L]]]]]]; [lra|].
    destruct (kinked_sum_line p1 q1 s1 m D r1 t1 A1 B1 K1) as [A2 [B2 [al' [be' [HA' [HB' L']]]]]]; [lra|].
    apply (A_no_line A2 B2 (al + al') (be + be')); [lra|]. intros x Hx. rewrite <- E by lra.
    assert (S : profile s1 s2 m C D r1 t1 r2 t2 x = sum m (fun k => C k * s2 (r2 k * x + t2 k)) + sum m (fun k => D k * s1 (r1 k * x + t1 k))).
    { unfold profile. clear. induction m as [|n IH]; simpl; [ring|rewrite IH; ring]. }
    rewrite S, L, L' by lra. ring.
Qed.

(* B.11: the jump profile of a network of qd-LA of width m. A unit adds one ridge, not two: where both gates are on x2 = 0
   the other factor is sigma(0) = 0. *)
Lemma sigmaII_at_0 : forall eta c, 0 < eta < 1 -> sigmaII eta c 0 = 0.
Proof.
  intros eta [|[|[|[|[|[|c]]]]]] He; simpl.
  - reflexivity.
  - unfold relu. rewrite Rmax_left; lra.
  - unfold relu2, relu. rewrite Rmax_left by lra. ring.
  - unfold leaky. rewrite Rmult_0_r, Rmax_left; lra.
  - unfold gelu. ring.
  - unfold silu, Rdiv. ring.
  - apply tanh_at_0.
Qed.

Definition ridge (eta r t : R) (g : R -> R -> R) := exists (be : nat -> R) (l : list R), forall x1, ~ In x1 l ->
  jump (g x1) (sum 7 (fun c => be c * sigmaII eta c (r * x1 + t))).

Lemma sum_plus : forall n f g, sum n (fun k => f k + g k) = sum n f + sum n g.
Proof. induction n as [|n IH]; intros; simpl; [ring|rewrite IH; ring]. Qed.

Lemma ridge_scal : forall eta r t a g, ridge eta r t g -> ridge eta r t (fun x1 x2 => a * g x1 x2).
Proof.
  intros eta r t a g [be [l H]]. exists (fun c => a * be c), l. intros x1 Hx.
  rewrite (sum_ext 7 _ (fun c => a * (be c * sigmaII eta c (r * x1 + t)))), sum_scal by (intros; ring).
  apply jump_scal, H, Hx.
Qed.

Lemma ridge_sum : forall eta r t n g, (forall k, (k < n)%nat -> ridge eta r t (g k)) -> ridge eta r t (fun x1 x2 => sum n (fun k => g k x1 x2)).
Proof.
  intros eta r t n g. induction n as [|n IH]; intros H.
  - exists (fun _ => 0), nil. intros x1 _. rewrite (sum_ext 7 _ (fun _ => 0)), sum_0 by (intros; ring). apply (jump_const 0).
  - destruct IH as [be [l IH]]; [intros; apply H; lia|]. destruct (H n ltac:(lia)) as [be' [l' H']].
    exists (fun c => be c + be' c), (l ++ l'). intros x1 Hx.
    rewrite (sum_ext 7 _ (fun c => be c * sigmaII eta c (r * x1 + t) + be' c * sigmaII eta c (r * x1 + t))), sum_plus by (intros; ring).
    apply (jump_plus (fun h => sum n (fun k => g k x1 h)) (g n x1));
      [apply IH|apply H']; intros I; apply Hx, in_or_app; auto.
Qed.

Lemma unit_ridge : forall eta u v b u' v' b' (al : nat -> nat -> R), 0 < eta < 1 -> exists r t, ridge eta r t (fun x1 x2 =>
  pairs (fun p q => al p q * (sigmaII eta p (u * x1 + v * x2 + b) * sigmaII eta q (u' * x1 + v' * x2 + b')))).
Proof.
  intros eta u v b u' v' b' al He.
  assert (one : exists r t, forall p q, (p <= q < 7)%nat ->
    ridge eta r t (fun x1 x2 => sigmaII eta p (u * x1 + v * x2 + b) * sigmaII eta q (u' * x1 + v' * x2 + b'))).
  { assert (single : forall c0 c z, (c0 < 7)%nat -> c * sigmaII eta c0 z =
      sum 7 (fun c' => (if Nat.eq_dec c' c0 then c else 0) * sigmaII eta c' z)).
    { intros c0 c z Hc. rewrite (sum_single 7 c0); [destruct (Nat.eq_dec c0 c0); [reflexivity|congruence]|exact Hc|].
      intros k _ Hk. destruct (Nat.eq_dec k c0); [contradiction|ring]. }
    assert (on : (u = 0 /\ b = 0) \/ ~ (u = 0 /\ b = 0)) by (destruct (Req_dec u 0), (Req_dec b 0); tauto).
    destruct on as [[Hu Hb]|Off]; [exists u', b'|exists u, b]; intros p q Hpq;
      destruct (product_jump (sigmaII eta p) (sigmaII eta q) u v b u' v' b' (sigmaII_cases eta p He) (sigmaII_cases eta q He))
        as [C [D [l [_ [_ [HC J]]]]]].
    - exists (fun c => if Nat.eq_dec c q then C else 0), l. intros x1 Hx. rewrite <- single by lia.
      replace (C * sigmaII eta q (u' * x1 + b')) with (C * sigmaII eta q (u' * x1 + b') + D * sigmaII eta p (u * x1 + b));
        [apply J, Hx|]. rewrite Hu, Hb. replace (0 * x1 + 0) with 0 by ring. rewrite sigmaII_at_0 by exact He. ring.
    - destruct HC as [->|HC]; [|contradiction]. exists (fun c => if Nat.eq_dec c p then D else 0), l. intros x1 Hx.
      rewrite <- single by lia.
      replace (D * sigmaII eta p (u * x1 + b)) with (0 * sigmaII eta q (u' * x1 + b') + D * sigmaII eta p (u * x1 + b)) by ring.
      apply J, Hx. }
  destruct one as [r [t one]]. exists r, t. unfold pairs.
  apply (ridge_sum eta r t 7 (fun q x1 x2 => sum (S q) (fun p => al p q * (sigmaII eta p (u * x1 + v * x2 + b) * sigmaII eta q (u' * x1 + v' * x2 + b'))))).
  intros q Hq. apply (ridge_sum eta r t (S q) (fun p x1 x2 => al p q * (sigmaII eta p (u * x1 + v * x2 + b) * sigmaII eta q (u' * x1 + v' * x2 + b')))).
  intros p Hp. apply (ridge_scal eta r t (al p q)), one. lia.
Qed.

Theorem lemma_B11 : forall eta m f, 0 < eta < 1 -> G_LA eta m f -> exists (be : nat -> nat -> R) (r t : nat -> R) l, forall x1, ~ In x1 l ->
  jump (f x1) (sum m (fun k => sum 7 (fun c => be k c * sigmaII eta c (r k * x1 + t k)))).
Proof.
  intros eta m f He [a [u [v [b [u' [v' [b' [al H]]]]]]]].
  assert (partial : forall n, exists (be : nat -> nat -> R) (r t : nat -> R) l, forall x1, ~ In x1 l ->
    jump (fun x2 => sum n (fun k => a k * pairs (fun p q => al p q *
      (sigmaII eta p (u k * x1 + v k * x2 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + b' k)))))
      (sum n (fun k => sum 7 (fun c => be k c * sigmaII eta c (r k * x1 + t k))))).
  { induction n as [|n [be [r [t [l IH]]]]].
    - exists (fun _ _ => 0), (fun _ => 0), (fun _ => 0), nil. intros x1 _. apply (jump_const 0).
    - destruct (unit_ridge eta (u n) (v n) (b n) (u' n) (v' n) (b' n) al He) as [r' [t' U]].
      apply (ridge_scal eta r' t' (a n)) in U. destruct U as [be' [l' U]].
      exists (fun k => if Nat.eq_dec k n then be' else be k), (fun k => if Nat.eq_dec k n then r' else r k),
        (fun k => if Nat.eq_dec k n then t' else t k), (l ++ l'). intros x1 Hx. simpl sum at 2.
      destruct (Nat.eq_dec n n) as [_|X]; [|contradiction].
      rewrite (sum_ext n _ (fun k => sum 7 (fun c => be k c * sigmaII eta c (r k * x1 + t k))))
        by (intros k Hk; destruct (Nat.eq_dec k n); [lia|reflexivity]).
      apply (jump_plus (fun x2 => sum n (fun k => a k * pairs (fun p q => al p q *
          (sigmaII eta p (u k * x1 + v k * x2 + b k) * sigmaII eta q (u' k * x1 + v' k * x2 + b' k)))))
        (fun x2 => a n * pairs (fun p q => al p q *
          (sigmaII eta p (u n * x1 + v n * x2 + b n) * sigmaII eta q (u' n * x1 + v' n * x2 + b' n)))));
        [apply IH|apply U]; intros I; apply Hx, in_or_app; auto. }
  destruct (partial m) as [be [r [t [l P]]]]. exists be, r, t, l. intros x1 Hx. apply jump_ext with (2 := P x1 Hx).
  intros h. symmetry. apply H.
Qed.
