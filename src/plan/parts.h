/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts: the lists of a plan, each read from its options by a file of its own. */
#pragma once

#include "model/written.h"
#include "plan/plan.h"

/* variants.c: architectures and their choices. */
steep_status steep_plan_add_variants(steep_plan *plan, const steep_model_options *options, steep_error *error);
steep_status steep_plan_admit_variant(steep_plan *plan, const char *arch, const char *activation, steep_error *error);
size_t steep_plan_find_variant(const steep_plan *plan, const char *arch, const char *activation);

/* targets.c: names, formulas, or points. */
steep_status steep_plan_add_points(steep_plan *plan, const steep_problem_options *options, steep_error *error);
steep_status steep_plan_add_targets(steep_plan *plan, const steep_problem_options *options, steep_error *error);
steep_status steep_plan_admit_target(steep_plan *plan, const char *name, steep_error *error);
size_t steep_plan_find_target(const steep_plan *plan, const char *name);

/* methods.c: solvers and starts. */
steep_status steep_plan_add_methods(steep_plan *plan, const steep_solver_options *given, steep_error *error);
steep_status steep_plan_admit_method(steep_plan *plan, const char *solver, const char *start, steep_error *error);
size_t steep_plan_find_method(const steep_plan *plan, const char *solver, const char *start);

/* choose.c: choices for options that are left out: lists and sampling before the widths are read, then the number of
 * samples, and at the end the start's name. */
steep_status steep_plan_choose_lists(steep_plan *plan, const steep_problem_options *problem,
                                     const steep_model_options *model, const steep_solver_options *solver,
                                     steep_error *error);
steep_status steep_plan_choose_samples(steep_plan *plan, steep_error *error);
/* The start of a solver where none is named; variant NULL: for all requested variants. */
steep_start_kind steep_plan_own_start(const steep_plan *plan, const steep_variant *variant, steep_solver solver);
steep_status steep_plan_name_start(steep_plan *plan, steep_error *error);

/* counts.c: do the requested fits have what their solvers need? */
steep_status steep_plan_check_needs(const steep_plan *plan, const steep_problem_options *options,
                                    const steep_solver_options *solver, steep_error *error);
steep_status steep_plan_check_sets(const steep_plan *plan, steep_error *error);
steep_status steep_plan_check_unknowns(const steep_plan *plan, const steep_task *task, steep_error *error);
