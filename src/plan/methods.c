/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "fit/solvers.h"
#include "plan/parts.h"
#include "plan/range.h"

/* A name of the list, by its number; STEEP_BAD_INPUT suggests the nearest. */
static steep_status read_name(const char *what, const char *(*names)(size_t), const char *name, size_t *index,
                              steep_error *error)
{
    char all[320] = "";
    *index = steep_plan_name(names, name);
    if (names(*index)) return STEEP_OK;
    const char *near = steep_options_nearest(name, names);
    for (size_t i = 0, used = 0; names(i) && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names(i));
    return steep_fail(error, STEEP_BAD_INPUT, "--%s '%.80s': unknown%s%s%s; use one of %s", what, name,
                      near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "", all);
}

static steep_status append(steep_plan *plan, steep_method method, steep_error *error)
{
    const steep_solver_row *solver = steep_solver_table(method.solver);
    if (plan->fit.penalty > 0 && solver->writes)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--penalty %g with --solver %s, which minimises nothing: leave --penalty out, or use "
                          "--solver frozen",
                          plan->fit.penalty, solver->name);
    steep_method *grown = realloc(plan->method, (plan->methods + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the solvers");
    plan->method = grown;
    for (size_t m = 0; m < plan->methods; m++)
        if (grown[m].solver == method.solver && grown[m].start == method.start)
            return steep_fail(error, STEEP_BAD_INPUT, "--solver %s with --start %s stands there twice: name it once",
                              steep_solver_names((size_t)method.solver), steep_start_names((size_t)method.start));
    grown[plan->methods++] = method;
    return STEEP_OK;
}

steep_status steep_plan_add_methods(steep_plan *plan, steep_error *error)
{
    const steep_plan_chosen *options = &plan->chosen;
    steep_words solvers = {0}, starts = {0};
    size_t solver, start;
    steep_status status = steep_words_split("solver", options->solver, ',', &solvers, error);
    if (status == STEEP_OK && options->start) status = steep_words_split("start", options->start, ',', &starts, error);
    for (size_t i = 0; status == STEEP_OK && i < solvers.count; i++) {
        status = read_name("solver", steep_solver_names, solvers.word[i], &solver, error);
        if (status == STEEP_OK && starts.count == 0)
            status = append(
                plan, (steep_method){(steep_solver)solver, steep_plan_own_start(plan, (steep_solver)solver), true},
                error);
        for (size_t j = 0; status == STEEP_OK && j < starts.count; j++) {
            status = read_name("start", steep_start_names, starts.word[j], &start, error);
            if (status == STEEP_OK)
                status = append(plan, (steep_method){(steep_solver)solver, (steep_start_kind)start, true}, error);
        }
    }
    steep_words_free(&solvers);
    steep_words_free(&starts);
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
    steep_status status = read_name("solver", steep_solver_names, solver, &s, error);
    if (status == STEEP_OK) status = read_name("start", steep_start_names, start, &k, error);
    return status == STEEP_OK ? append(plan, (steep_method){(steep_solver)s, (steep_start_kind)k, false}, error)
                              : status;
}
