/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "fit/solvers.h"
#include "plan/parts.h"
#include "plan/range.h"

/* Appends a method. One that is there already is an error in the options' lists, and otherwise ignored. */
static steep_status append(steep_plan *plan, steep_method method, steep_error *error)
{
    const steep_solver_row *solver = steep_solver_table(method.solver);
    if (plan->fit.penalty > 0 && solver->writes)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--penalty %g with --solver %s, which minimises nothing: leave --penalty out, or use "
                          "--solver frozen",
                          plan->fit.penalty, solver->name);
    for (size_t m = 0; m < plan->methods; m++) {
        if (plan->method[m].solver != method.solver || plan->method[m].start != method.start) continue;
        if (!method.listed) return STEEP_OK;
        return steep_fail(error, STEEP_BAD_INPUT, "--solver %s with --start %s stands there twice: name it once",
                          steep_solver_names((size_t)method.solver), steep_start_names((size_t)method.start));
    }
    steep_method *grown = realloc(plan->method, (plan->methods + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the solvers");
    plan->method = grown;
    grown[plan->methods++] = method;
    return STEEP_OK;
}

bool steep_plan_takes(const steep_variant *variant, const steep_method *method, unsigned long solvers)
{
    if (variant->own_solver ? method->solver != variant->solver : !(solvers >> method->solver & 1)) return false;
    return variant->own_start ? method->start == variant->start : variant->own_solver || method->listed;
}

/* Appends this solver with every start of the list. */
static steep_status append_starts(steep_plan *plan, steep_solver solver, const steep_words *starts, bool listed,
                                  steep_error *error)
{
    steep_status status = STEEP_OK;
    size_t start;
    for (size_t j = 0; status == STEEP_OK && j < starts->count; j++) {
        status = steep_options_choose("start", steep_start_names, starts->word[j], &start, error);
        if (status == STEEP_OK)
            status = append(plan, (steep_method){solver, (steep_start_kind)start, true, listed}, error);
    }
    return status;
}

/* Appends what architectures have of their own: a solver with its start, a solver with each start of the list, or a
 * start with each solver of the list. */
static steep_status add_own(steep_plan *plan, const steep_words *starts, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t v = 0; v < plan->variants; v++) {
        const steep_variant *own = &plan->variant[v];
        for (size_t s = 0; status == STEEP_OK && own->own_start && steep_solver_table(s); s++)
            if (own->own_solver ? s == (size_t)own->solver : plan->solvers >> s & 1)
                status = append(plan, (steep_method){(steep_solver)s, own->start, true, false}, error);
        if (status == STEEP_OK && own->own_solver && !own->own_start)
            status = append_starts(plan, own->solver, starts, false, error);
    }
    return status;
}

/* Refuses --solver or --start where each architecture has places of its own and fits output weights alone. */
static steep_status check_placed(const steep_plan *plan, const char *option, const char *given, steep_error *error)
{
    bool placed = plan->variants > 0;
    for (size_t v = 0; v < plan->variants; v++) placed &= plan->variant[v].architecture->place != NULL;
    if (!placed || !given) return STEEP_OK;
    const steep_architecture *row = plan->variant[0].architecture;
    if (strcmp(given, strcmp(option, "solver") == 0 ? row->solver : row->begins) == 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--%s %s: %s trains only its output weights, by solver %s from places of its own: leave it out",
                      option, given, plan->variant[0].label, row->solver);
}

/* Reads the list of solvers. Appends each solver with its starts where some architecture takes it from the list. */
static steep_status read_solvers(steep_plan *plan, const steep_words *solvers, const steep_words *starts,
                                 steep_error *error)
{
    steep_status status = STEEP_OK;
    bool listed = false;
    size_t solver;
    for (size_t v = 0; v < plan->variants; v++) listed |= !plan->variant[v].own_solver && !plan->variant[v].own_start;
    for (size_t i = 0; status == STEEP_OK && i < solvers->count; i++) {
        status = steep_options_choose("solver", steep_solver_names, solvers->word[i], &solver, error);
        if (status != STEEP_OK) return status;
        plan->solvers |= 1UL << solver;
        const steep_method own = {(steep_solver)solver, steep_plan_own_start(plan, NULL, (steep_solver)solver), true,
                                  true};
        if (listed && starts->count == 0) status = append(plan, own, error);
        else if (listed) status = append_starts(plan, own.solver, starts, true, error);
    }
    return status;
}

steep_status steep_plan_add_methods(steep_plan *plan, const steep_solver_options *given, steep_error *error)
{
    const steep_plan_chosen *options = &plan->chosen;
    steep_words solvers = {0}, starts = {0};
    steep_status status = STEEP_OK;
    plan->automatic = strcmp(options->solver, "auto") == 0;
    if (!plan->automatic) status = steep_words_split("solver", options->solver, ',', &solvers, error);
    if (status == STEEP_OK && options->start) status = steep_words_split("start", options->start, ',', &starts, error);
    if (status == STEEP_OK) status = read_solvers(plan, &solvers, &starts, error);
    if (status == STEEP_OK) status = add_own(plan, &starts, error);
    if (status == STEEP_OK && !plan->automatic) status = check_placed(plan, "solver", given->solver, error);
    if (status == STEEP_OK) status = check_placed(plan, "start", given->start, error);
    free(solvers.word);
    free(starts.word);
    return status == STEEP_OK ? steep_plan_name_start(plan, error) : status;
}

size_t steep_plan_find_method(const steep_plan *plan, const char *solver, const char *start)
{
    size_t m = 0;
    while (m < plan->methods && (strcmp(steep_solver_names((size_t)plan->method[m].solver), solver) != 0 ||
                                 strcmp(steep_start_names((size_t)plan->method[m].start), start) != 0))
        m++;
    return m;
}

steep_status steep_plan_admit_method(steep_plan *plan, const char *solver, const char *start, steep_error *error)
{
    size_t s, k;
    if (steep_plan_find_method(plan, solver, start) < plan->methods) return STEEP_OK;
    steep_status status = steep_options_choose("solver", steep_solver_names, solver, &s, error);
    if (status == STEEP_OK) status = steep_options_choose("start", steep_start_names, start, &k, error);
    return status == STEEP_OK ? append(plan, (steep_method){(steep_solver)s, (steep_start_kind)k, false, false}, error)
                              : status;
}
