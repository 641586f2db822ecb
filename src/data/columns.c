/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/columns.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

steep_status steep_columns_names(const char *text, char ***names, size_t *count, steep_error *error)
{
    size_t most = 1, length = strlen(text);
    for (const char *c = text; *c; c++) most += *c == ',';
    *names = malloc(most * sizeof **names + length + 1);
    if (!*names) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the names of %zu columns", most);
    char *copy = memcpy(*names + most, text, length + 1);
    *count = steep_table_split(copy, ',', *names, most);
    for (size_t i = 0; i < *count; i++)
        if (!*(*names)[i]) {
            free(*names);
            *names = NULL;
            return steep_fail(error, STEEP_BAD_INPUT,
                              "the columns '%.80s': a name is empty: write names separated by commas, such as a,b",
                              text);
        }
    return STEEP_OK;
}

/* The usual name of coordinate j: a letter x, y, z, or x1, x2, ... */
static const char *usual_name(bool letters, size_t j, char name[24])
{
    if (letters) snprintf(name, 24, "%c", "xyz"[j]);
    else snprintf(name, 24, "x%zu", j + 1);
    return name;
}

static steep_status find_chosen(const steep_table *table, const char *const *names, steep_columns *c,
                                steep_error *error)
{
    for (size_t j = 0; j < c->dim; j++) {
        steep_status status = steep_table_find(table, names[j], &c->x[j], error);
        if (status != STEEP_OK) return status;
        for (size_t i = 0; i < j; i++)
            if (c->x[i] == c->x[j])
                return steep_fail(error, STEEP_BAD_INPUT, "%s: column %s is asked for twice: name it once", table->path,
                                  names[j]);
        if (c->x[j] == c->value)
            return steep_fail(error, STEEP_BAD_INPUT, "%s: column %s is asked for as coordinate and as value: use one",
                              table->path, names[j]);
    }
    return STEEP_OK;
}

static bool is_among(size_t column, const steep_columns *c)
{
    for (size_t j = 0; j < c->dim; j++)
        if (c->x[j] == column) return true;
    return false;
}

/* The last column that is named like a value and is no coordinate. */
static steep_status find_usual_value(const steep_table *table, steep_columns *c, steep_error *error)
{
    static const char *const names[] = {"y", "f", "value"};
    for (size_t k = table->columns; k-- > 0;)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(table->header[k], names[i]) == 0 && !is_among(k, c))
                return steep_table_find(table, names[i], &c->value, error);
    if (steep_table_column(table, "y") < table->columns)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "%s: column y is a coordinate, and no other one is named y, f or value: name the value's column",
            table->path);
    return steep_table_find(table, "y", &c->value, error);
}

/* The number of a name x1, x2, ..., or of a letter x, y, z, from 1; 0 for any other. */
static size_t number_of(const char *name, bool letters)
{
    char again[24];
    if (letters) return *name >= 'x' && *name <= 'z' && !name[1] ? (size_t)(*name - 'x') + 1 : 0;
    const size_t number = *name == 'x' ? (size_t)strtoul(name + 1, NULL, 10) : 0;
    snprintf(again, sizeof again, "x%zu", number);
    return strcmp(name, again) == 0 ? number : 0;
}

/* The highest number of a usual name among the columns other than the value's. */
static size_t usual_last(const steep_table *table, bool letters, size_t value)
{
    size_t last = 0;
    for (size_t k = 0; k < table->columns; k++) {
        const size_t number = number_of(table->header[k], letters);
        if (number > last && k != value) last = number;
    }
    return last;
}

static steep_status find_rest(const steep_table *table, steep_columns *c, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t k = 0; status == STEEP_OK && k < table->columns; k++)
        if (k != c->value) status = steep_table_find(table, table->header[k], &c->x[c->dim++], error);
    if (status != STEEP_OK || c->dim > 0) return status;
    return steep_fail(error, STEEP_BAD_INPUT, "%s: its only column is the value's: it has no coordinates", table->path);
}

/* Finds x1, x2, ... or x, y, z without the value; all up to the highest must be there. chosen: the user named y; then
 * all other columns where none has a usual name. */
static steep_status find_usual(const steep_table *table, bool chosen, steep_columns *c, steep_error *error)
{
    const bool letters = steep_table_column(table, "x1") == table->columns;
    const size_t last = usual_last(table, letters, c->value);
    char name[24], highest[24];
    size_t column;
    if (last == 0) return chosen ? find_rest(table, c, error) : steep_table_find(table, "x", &column, error);
    if (letters && !chosen && last == 3 && strcmp(table->header[c->value], "y") == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: which of y and z is the value? Call it f, or choose the columns",
                          table->path);
    for (size_t j = 0; j < last; j++) {
        column = steep_table_column(table, usual_name(letters, j, name));
        if (column == table->columns)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s: a column %s in its header, but none named %s: name all, or choose the columns",
                              table->path, usual_name(letters, last - 1, highest), name);
        if (column == c->value) continue;
        steep_status status = steep_table_find(table, name, &c->x[c->dim++], error);
        if (status != STEEP_OK) return status;
    }
    return STEEP_OK;
}

steep_status steep_columns_find(const steep_table *table, const char *const *names, size_t dim, const char *y,
                                steep_columns *c, steep_error *error)
{
    steep_status status = STEEP_OK;
    c->dim = names ? dim : 0;
    c->value = SIZE_MAX;
    if (c->dim > table->columns)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: %zu columns are asked for and it has %zu", table->path, dim,
                          table->columns);
    if (y) status = steep_table_find(table, y, &c->value, error);
    if (status == STEEP_OK && names) status = find_chosen(table, names, c, error);
    if (status == STEEP_OK && !y) status = find_usual_value(table, c, error);
    if (status != STEEP_OK || names) return status;
    return dim == STEEP_COLUMNS_REST ? find_rest(table, c, error) : find_usual(table, y != NULL, c, error);
}

steep_status steep_columns_inputs(const steep_table *table, const char *const *names, size_t dim, const char *y,
                                  steep_columns *c, steep_error *error)
{
    steep_status status = STEEP_OK;
    char name[24];
    c->dim = dim;
    c->value = SIZE_MAX;
    if (y) status = steep_table_find(table, y, &c->value, error);
    if (status == STEEP_OK && names) status = find_chosen(table, names, c, error);
    for (size_t j = 0; status == STEEP_OK && !names && j < dim; j++) {
        const bool letter = j < 3 && steep_table_column(table, usual_name(false, j, name)) == table->columns &&
                            steep_table_column(table, usual_name(true, j, name)) < table->columns;
        status = steep_table_find(table, usual_name(letter, j, name), &c->x[j], error);
    }
    return status;
}
