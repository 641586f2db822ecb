/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a journal that the plan does not ask for: the plan takes their fits in. */
#include <stdlib.h>
#include <string.h>

#include "record/journal.h"

/* A row that the plan does not have. */
typedef struct unknown {
    steep_plan_key key; /* texts are the table's */
    size_t row;
} unknown;

static int compare_unknown(const void *a, const void *b)
{
    const unknown *u = a, *v = b;
    int order = strcmp(u->key.target, v->key.target);
    if (order == 0) order = strcmp(u->key.arch, v->key.arch);
    if (order == 0) order = strcmp(u->key.activation, v->key.activation);
    if (order == 0) order = strcmp(u->key.solver, v->key.solver);
    if (order == 0) order = strcmp(u->key.start, v->key.start);
    return order == 0 ? (u->row > v->row) - (u->row < v->row) : order;
}

/* Takes the list's keys in; the complaint says where the key stands that is refused. */
static steep_status admit(const steep_table *table, unknown *list, size_t count, steep_plan *plan, steep_error *error)
{
    steep_error why = {{0}};
    size_t refused = 0;
    steep_plan_key *key = malloc((count + 1) * sizeof *key);
    if (!key) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", table->path);
    qsort(list, count, sizeof *list, compare_unknown);
    for (size_t i = 0; i < count; i++) key[i] = list[i].key;
    steep_status status = steep_plan_admit(plan, key, count, &refused, &why);
    free(key);
    if (status != STEEP_BAD_INPUT) return status == STEEP_OK ? status : steep_fail(error, status, "%s", why.text);
    return steep_fail(error, status,
                      "%s, line %zu: %.160s: mend or remove the line, give another --out, or --fresh to begin anew",
                      table->path, table->line[list[refused].row], why.text);
}

steep_status steep_journal_admit(const char *path, steep_plan *plan, steep_journal_state *state, steep_error *error)
{
    steep_table table;
    steep_status status = steep_journal_open_table(path, &table, state, error);
    unknown *list = malloc((table.rows + 1) * sizeof *list);
    if (status == STEEP_OK && !list) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", path);
    for (size_t r = 0; status == STEEP_OK && r < table.rows; r++) {
        unknown *next = &list[state->rows];
        next->row = r;
        status = steep_journal_read_key(&table, r, &next->key, error);
        state->rows += status == STEEP_OK && !steep_plan_has(plan, &next->key);
    }
    if (status == STEEP_OK && state->rows > 0) status = admit(&table, list, state->rows, plan, error);
    steep_table_free(&table);
    free(list);
    return status;
}
