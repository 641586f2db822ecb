/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a journal that the plan does not ask for: the plan takes their fits in. */
#include <stdlib.h>
#include <string.h>

#include "record/journal.h"

/* The first row with names, a seed, a width or a number of points that are in no row before it: what a plan admits is
 * every name with every such number, so that the others add nothing. */
typedef struct unknown {
    steep_plan_key key; /* texts are the table's */
    size_t row, line;
} unknown;

typedef struct admission {
    unknown *list;
    size_t count, room, unknown_rows;
} admission;

static int compare_names(const steep_plan_key *x, const steep_plan_key *y)
{
    int order = strcmp(x->target, y->target);
    if (order == 0) order = strcmp(x->arch, y->arch);
    if (order == 0) order = strcmp(x->activation, y->activation);
    if (order == 0) order = strcmp(x->solver, y->solver);
    return order == 0 ? strcmp(x->start, y->start) : order;
}

/* Names, seed and width stand in rows of the list; the latest first, of whose names the row most likely is. */
static bool is_covered(const admission *a, const steep_plan_key *key)
{
    bool names = false, seed = false, width = false, samples = false;
    for (size_t i = a->count; i-- > 0 && !(names && seed && width && samples);) {
        const steep_plan_key *own = &a->list[i].key;
        seed |= own->seed == key->seed;
        width |= own->width == key->width;
        samples |= own->samples == key->samples;
        names = names || compare_names(own, key) == 0;
    }
    return names && seed && width && samples;
}

static steep_status note_unknown(admission *a, const steep_table *table, size_t r, const steep_plan_key *key,
                                 steep_error *error)
{
    if (a->count == a->room) {
        const size_t room = 2 * a->room + 64;
        unknown *grown = realloc(a->list, room * sizeof *grown);
        if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", table->path);
        a->list = grown;
        a->room = room;
    }
    a->list[a->count++] = (unknown){*key, r, table->line[r]};
    return STEEP_OK;
}

static steep_status note_keys(admission *a, const steep_plan *plan, const steep_table *table, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t r = 0; status == STEEP_OK && r < table->rows; r++) {
        steep_plan_key key;
        status = steep_journal_read_key(table, r, &key, error);
        if (status != STEEP_OK || steep_plan_has(plan, &key)) continue;
        a->unknown_rows++;
        if (!is_covered(a, &key)) status = note_unknown(a, table, r, &key, error);
    }
    return status;
}

static int compare_keys(const void *a, const void *b)
{
    const unknown *u = a, *v = b;
    const int order = compare_names(&u->key, &v->key);
    return order == 0 ? (u->row > v->row) - (u->row < v->row) : order;
}

/* Takes the list's keys in; the complaint says where the key stands that is refused. */
static steep_status admit(const char *path, admission *a, steep_plan *plan, steep_error *error)
{
    steep_error why = {{0}};
    size_t refused = 0;
    steep_plan_key *key = malloc((a->count + 1) * sizeof *key);
    if (!key) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", path);
    if (a->count == 0) {
        free(key);
        return STEEP_OK;
    }
    qsort(a->list, a->count, sizeof *a->list, compare_keys);
    for (size_t i = 0; i < a->count; i++) key[i] = a->list[i].key;
    steep_status status = steep_plan_admit(plan, key, a->count, &refused, &why);
    free(key);
    if (status != STEEP_BAD_INPUT) return status == STEEP_OK ? status : steep_fail(error, status, "%s", why.text);
    return steep_fail(error, status,
                      "%s, line %zu: %.160s: mend or remove the line, give another --out, or --fresh to begin anew",
                      path, a->list[refused].line, why.text);
}

steep_status steep_journal_admit(const char *path, steep_plan *plan, steep_journal_state *state, steep_error *error)
{
    admission a = {0};
    steep_table table;
    steep_status status = steep_journal_open_table(path, &table, state, error);
    if (status == STEEP_OK) status = note_keys(&a, plan, &table, error);
    if (status == STEEP_OK) status = admit(path, &a, plan, error);
    state->rows = a.unknown_rows;
    steep_table_free(&table);
    free(a.list);
    return status;
}
