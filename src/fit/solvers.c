/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of solvers, made of the list. */
#include "fit/solvers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/frozen_form.h"
#include "fit/strategy.h"

#define STEEP_SOLVER(id, function, name_, text_, ...)                                                                  \
    {.name = name_, .text = text_, .solve = steep_solve_##function, __VA_ARGS__},
static const steep_solver_row table[STEEP_SOLVERS] = {
#include "fit/list.h"
};

const steep_solver_row *steep_solver_table(size_t index)
{
    return index < STEEP_SOLVERS ? &table[index] : NULL;
}

const char *steep_solver_names(size_t index)
{
    return index < STEEP_SOLVERS ? table[index].name : NULL;
}

steep_solver steep_solver_find(const char *name)
{
    for (int i = 0; i < STEEP_SOLVERS; i++)
        if (name && strcmp(name, table[i].name) == 0) return i;
    return -1;
}

const char *steep_solver_formula(size_t index)
{
    return index < STEEP_SOLVERS ? table[index].text : NULL;
}

/* --- what solvers share --- */

void steep_reason_add(char *reason, const char *format, ...)
{
    const size_t room = sizeof((steep_solve *)0)->reason, used = strlen(reason);
    va_list list;
    va_start(list, format);
    vsnprintf(reason + used, room - used, format, list);
    va_end(list);
}

steep_status steep_solve_end(steep_solve *solve, steep_status status, const char *reason)
{
    snprintf(solve->reason, sizeof solve->reason, "%s", reason);
    return solve->status = status;
}

double *steep_share_block(const steep_share *share, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += share[i].size;
    double *block = calloc(total, sizeof *block), *next = block;
    for (size_t i = 0; block && i < count; next += share[i++].size) *share[i].array = next;
    return block;
}
