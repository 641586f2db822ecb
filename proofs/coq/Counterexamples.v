(* SPDX-License-Identifier: GPL-3.0-or-later *)
(* Statements that are false as printed, with the functions that show it. *)
From Coq Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Activations Jumps TypeOne TypeTwo.
Open Scope R_scope.

(* B.1.4 of "Mixture of activations": for tanh(u.x + beta) (w.x + b)_+ it claims W >= osc / 4, osc the oscillation of the
   gate over S and Omega, S the line w.x + b = 0. With u = (1, 0), beta = 0 and a horizontal line the claim is W >= tanh(1)/2. *)
Definition T_general (w b x1 x2 : R) := tanh x1 * relu (w * x2 + b).

Lemma zero_in_LA : forall eta m, F_LA eta m (fun _ _ => 0).
Proof.
  intros eta m. exists (fun _ => 0), (fun _ => 0), (fun _ => 0), (fun _ => 0), (fun _ => 0). intros x1 x2.
  rewrite (sum_ext m _ (fun _ => 0)) by (intros; ring). symmetry. apply sum_0.
Qed.

Lemma tanh_bound : forall x, Rabs (tanh x) <= 1.
Proof.
  intros x. assert (X := exp_pos x). assert (Y := exp_pos (- x)). unfold tanh.
  assert (C := cosh_pos x). assert (E : sinh x / cosh x * cosh x = sinh x) by (field; lra).
  assert (B : - cosh x <= sinh x <= cosh x) by (unfold sinh, cosh; lra).
  apply Rabs_le. split; apply (Rmult_le_reg_r (cosh x)); try exact C; rewrite E; lra.
Qed.

Lemma tanh_lipschitz : forall x y, Rabs (tanh x - tanh y) <= Rabs (x - y).
Proof.
  assert (ordered : forall x y, x <= y -> 0 <= tanh y - tanh x <= y - x).
  { intros x y H. destruct (MVT_gen tanh x y (fun z => 1 - tanh z ^ 2)) as [c [_ E]].
    - intros z _. apply tanh_derive.
    - intros z _. apply derivable_continuous_pt. exists (1 - tanh z ^ 2). apply is_derive_Reals, tanh_derive.
    - rewrite E. assert (B := tanh_bound c). apply Rabs_le_between in B.
      assert (0 <= tanh c ^ 2 <= 1) by (split; [apply pow2_ge_0|nra]). nra. }
  intros x y. destruct (Rle_dec x y) as [H|H].
  - assert (O := ordered x y H). rewrite (Rabs_left1 (x - y)), (Rabs_left1 (tanh x - tanh y)) by lra. lra.
  - assert (O := ordered y x ltac:(lra)). rewrite (Rabs_right (x - y)), (Rabs_right (tanh x - tanh y)) by lra. lra.
Qed.

Lemma tanh_1 : 1 / 2 <= tanh 1.
Proof.
  set (y := exp (Ropp 1)). assert (P : 0 < y) by apply exp_pos.
  assert (E : 2 < exp 1) by (assert (X := exp_ineq1 1); lra).
  assert (I : exp 1 * y = 1) by (unfold y; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (H : y < 1 / 2) by nra.
  assert (C := cosh_pos 1). unfold tanh. apply (Rmult_le_reg_r (cosh 1)); [exact C|].
  replace (sinh 1 / cosh 1 * cosh 1) with (sinh 1) by (field; lra). unfold sinh, cosh. fold y. lra.
Qed.

Lemma sum_le_distance : forall a b, Rabs a + Rabs b <= 29 / 20 * sqrt (a ^ 2 + b ^ 2).
Proof.
  intros a b. assert (A := Rabs_pos a). assert (B := Rabs_pos b).
  assert (S : 0 <= sqrt (a ^ 2 + b ^ 2)) by apply sqrt_pos.
  apply Rsqr_incr_0; [|lra|lra]. unfold Rsqr.
  replace (29 / 20 * sqrt (a ^ 2 + b ^ 2) * (29 / 20 * sqrt (a ^ 2 + b ^ 2)))
    with (841 / 400 * (sqrt (a ^ 2 + b ^ 2) * sqrt (a ^ 2 + b ^ 2))) by field.
  rewrite sqrt_sqrt by (assert (X := pow2_ge_0 a); assert (Y := pow2_ge_0 b); lra).
  rewrite <- (pow2_abs a), <- (pow2_abs b). assert (X := pow2_ge_0 (Rabs a - Rabs b)). nra.
Qed.

(* First: the jump carries |w|. With w = (0, 1/10) the network 0 is nearer than the bound says. *)
Theorem B14_first : forall eta m, exists f, F_LA eta m f /\ exists W, W < tanh 1 / 2 /\
  W_at_most (fun x1 x2 => T_general (1 / 10) 0 x1 x2 - f x1 x2) W.
Proof.
  intros eta m. exists (fun _ _ => 0). split; [apply zero_in_LA|]. exists (1 / 10 + 29 / 200). split.
  { assert (T := tanh_1). lra. }
  assert (R01 : forall x2, -1 <= x2 <= 1 -> Rabs (relu (1 / 10 * x2 + 0)) <= 1 / 10).
  { intros x2 H. apply Rabs_le. unfold relu, Rmax. destruct (Rle_dec (1 / 10 * x2 + 0) 0); lra. }
  assert (RL : forall x y, Rabs (relu (1 / 10 * x + 0) - relu (1 / 10 * y + 0)) <= 1 / 10 * Rabs (x - y)).
  { intros x y. unfold relu, Rmax, Rabs.
    destruct (Rle_dec (1 / 10 * x + 0) 0), (Rle_dec (1 / 10 * y + 0) 0); repeat destruct Rcase_abs; lra. }
  exists (1 / 10), (29 / 200). split; [lra|]. unfold T_general. split.
  - intros x1 x2 [_ H2]. rewrite Rminus_0_r, Rabs_mult.
    assert (X := tanh_bound x1). assert (Y := R01 x2 H2). assert (X' := Rabs_pos (tanh x1)).
    assert (Y' := Rabs_pos (relu (1 / 10 * x2 + 0))). nra.
  - intros x1 x2 y1 y2 [_ H2] [_ _]. rewrite !Rminus_0_r.
    replace (tanh x1 * relu (1 / 10 * x2 + 0) - tanh y1 * relu (1 / 10 * y2 + 0))
      with ((tanh x1 - tanh y1) * relu (1 / 10 * x2 + 0) + tanh y1 * (relu (1 / 10 * x2 + 0) - relu (1 / 10 * y2 + 0))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
    assert (L := tanh_lipschitz x1 y1). assert (Y := R01 x2 H2). assert (X := tanh_bound y1). assert (Z := RL x2 y2).
    assert (D := sum_le_distance (x1 - y1) (x2 - y2)).
    assert (P1 := Rabs_pos (tanh x1 - tanh y1)). assert (P2 := Rabs_pos (tanh y1)).
    assert (P3 := Rabs_pos (relu (1 / 10 * x2 + 0))).
    assert (P4 := Rabs_pos (relu (1 / 10 * x2 + 0) - relu (1 / 10 * y2 + 0))).
    assert (U : Rabs (tanh x1 - tanh y1) * Rabs (relu (1 / 10 * x2 + 0)) <= Rabs (x1 - y1) * (1 / 10)).
    { apply Rmult_le_compat; assumption. }
    assert (V : Rabs (tanh y1) * Rabs (relu (1 / 10 * x2 + 0) - relu (1 / 10 * y2 + 0)) <= 1 * (1 / 10 * Rabs (x2 - y2))).
    { apply Rmult_le_compat; assumption. }
    lra.
Qed.

(* Second: S may touch Omega only at its edge. With w = (0, 1), b = -1 the target is 0 on Omega, and so is the network 0. *)
Theorem B14_second : forall eta m, exists f, F_LA eta m f /\ 0 < tanh 1 / 2 /\
  W_at_most (fun x1 x2 => T_general 1 (-1) x1 x2 - f x1 x2) 0.
Proof.
  intros eta m. exists (fun _ _ => 0). split; [apply zero_in_LA|]. split; [assert (T := tanh_1); lra|].
  assert (Z : forall x1 x2, Omega x1 x2 -> T_general 1 (-1) x1 x2 = 0).
  { intros x1 x2 [_ H]. unfold T_general. rewrite (proj2 (relu_kinked _)) by lra. ring. }
  exists 0, 0. split; [lra|]. split.
  - intros x1 x2 H. rewrite Z by exact H. rewrite Rminus_0_r, Rabs_R0. lra.
  - intros x1 x2 y1 y2 H H'. rewrite !Z by assumption. rewrite !Rminus_0_r, Rabs_R0. lra.
Qed.

(* What is true there, for a gate tanh(lambda x1) and w = (0, s): the oscillation is 2 tanh(lambda), and |w| = |s|. *)
Theorem B14_repaired : forall eta lambda s m f W, 0 < eta < 1 -> F_LA eta m f ->
  W_at_most (fun x1 x2 => tanh (lambda * x1) * relu (s * x2) - f x1 x2) W -> Rabs s * tanh lambda / 2 <= W.
Proof.
  intros eta lambda s m f W He Hf HW. destruct (lemma_B4 eta m f He Hf) as [C [l HC]].
  assert (J : forall x1, -1 < x1 < 1 -> ~ In x1 l -> Rabs (Rabs s * tanh (lambda * x1) - C) <= 2 * W).
  { intros x1 Hx Hl. apply (W_jump (fun x1 x2 => tanh (lambda * x1) * relu (s * x2) - f x1 x2) W x1 _ HW Hx).
    replace (Rabs s * tanh (lambda * x1) - C) with (tanh (lambda * x1) * ((1 - 0) * Rabs s) + -1 * C) by ring.
    apply jump_ext with (fun h => tanh (lambda * x1) * relu (s * h) + -1 * f x1 h); [intros; ring|].
    apply (jump_plus (fun h => tanh (lambda * x1) * relu (s * h)) (fun h => -1 * f x1 h)).
    - apply (jump_scal (tanh (lambda * x1)) (fun h => relu (s * h))), jump_kinked, relu_kinked.
    - apply jump_scal, HC, Hl. }
  destruct (Req_dec s 0) as [Hs|Hs].
  - subst s. rewrite Rabs_R0. destruct (avoid l (-1) 1 ltac:(lra)) as [c [d [Hc [Hd Hl]]]].
    assert (X := J ((c + d) / 2) ltac:(lra) (Hl ((c + d) / 2) ltac:(lra))).
    assert (Y := Rabs_pos (Rabs 0 * tanh (lambda * ((c + d) / 2)) - C)). lra.
  - assert (P : 0 < Rabs s) by (apply Rabs_pos_lt; exact Hs).
    assert (T : tanh lambda / 2 <= W / Rabs s).
    { apply (jumps_of_tanh lambda (C / Rabs s) (W / Rabs s) l). intros x1 Hx Hl.
      apply (Rmult_le_reg_l (Rabs s)); [exact P|]. rewrite <- (Rabs_Rabsolu s) at 1. rewrite <- Rabs_mult.
      replace (Rabs s * (tanh (lambda * x1) - C / Rabs s)) with (Rabs s * tanh (lambda * x1) - C) by (field; lra).
      replace (Rabs s * (2 * (W / Rabs s))) with (2 * W) by (field; lra). apply J; assumption. }
    apply (Rmult_le_compat_l (Rabs s)) in T; [|lra]. replace (Rabs s * (W / Rabs s)) with W in T by (field; lra). lra.
Qed.

(* eq 65 of "Polynomial, trigonometric, and tropical activations" bounds |F'| by sum_{k<n} 1/k!: for n = 1 by 1, but there
   F'(x) = cos x - sin x, which is sqrt 2 at -pi/4. *)
Theorem equation_65 : exists x, is_derive (fun x => cos x + sin x) x (sqrt 2) /\ 1 < sqrt 2.
Proof.
  assert (S2 : 1 < sqrt 2) by (rewrite <- sqrt_1 at 1; apply sqrt_lt_1_alt; lra).
  exists (- (PI / 4)). split; [|exact S2]. auto_derive; [trivial|].
  rewrite sin_neg, cos_neg, sin_PI4, cos_PI4. assert (Q : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
  apply (Rmult_eq_reg_r (sqrt 2)); [|lra]. field_simplify; lra.
Qed.

(* eq 55 says that the integral of sin(m x) cos(n x) and its like are pi delta for all integers; for cos it is 2 pi at 0. *)
Theorem equation_55_at_0 : is_RInt (fun x => cos (0 * x) * cos (0 * x)) (- PI) PI (2 * PI) /\ 2 * PI <> PI.
Proof.
  split; [|assert (P := PI_RGT_0); lra].
  apply (is_RInt_ext (fun _ => 1)).
  { intros x _. rewrite Rmult_0_l, cos_0. symmetry. apply Rmult_1_r. }
  evar_last; [apply (is_RInt_const (V := R_NormedModule))|]. unfold scal; simpl; unfold mult; simpl. ring.
Qed.
