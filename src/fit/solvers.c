/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of solvers, made of the list. */
#include "fit/solvers.h"

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
