/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/written.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/activation.h"

#define TRIALS     24
#define MOST_BYTES (1 << 20) /* of a file of units */

static void counts_of(const steep_choice *choice, steep_counts *counts)
{
    const size_t *c = choice->written->counts;
    steep_counts_set(counts, c[0], c[1], c[2], c[3], 0);
}

static void start_of(const steep_choice *choice, double *scalars, double *shared_scalars)
{
    const steep_written *w = choice->written;
    if (w->counts[1]) memcpy(scalars, w->start, w->counts[1] * sizeof *scalars);
    if (w->counts[3]) memcpy(shared_scalars, w->start + w->counts[1], w->counts[3] * sizeof *shared_scalars);
}

static void tile_of(const steep_choice *choice, const steep_tile *tile)
{
    steep_formula_derivatives(choice->written->formula, tile);
}

/* Input j at trial t: numbers of a fixed sequence, in [-2, 2], [-32, 32] and [-512, 512] in turn. */
static double trial(size_t t, size_t j)
{
    return ldexp(4 * fmod(0.6180339887498949 * (double)((t + 1) * (2 * j + 3)), 1) - 2, 4 * (int)(t % 3));
}

/* Is h jointly affine in the branches of the set? Halfway between two points that differ in these alone, it has the
 * mean of its two values there. A kink or a bend shows at one pair of points or another, that of a clipped branch at
 * distant ones. */
static bool is_affine(const steep_written *w, unsigned set)
{
    const steep_choice choice = {.written = w};
    size_t m = steep_formula_dim(w->formula), B = w->counts[0];
    for (size_t t = 0; t < TRIALS; t++) {
        double u[3][STEEP_MAX_INPUTS], h[3];
        for (size_t j = 0; j < m; j++) {
            u[0][j] = trial(t, j);
            u[1][j] = j < B && set >> j & 1 ? trial(TRIALS + t, m + j) : u[0][j];
            u[2][j] = (u[0][j] + u[1][j]) / 2;
        }
        for (int p = 0; p < 3; p++) steep_architecture_unit(&w->row, &choice, u[p], 0, &h[p], NULL, NULL);
        const double size = fabs(h[0]) + fabs(h[1]) + fabs(h[2]);
        if (t % 3 && !isfinite(size)) continue;                                       /* too large */
        const double rounding = t % 3 ? 1e-9 * (1 + size) : 256 * DBL_EPSILON * size; /* far: terms may cancel */
        if (!(fabs(h[0] + h[1] - 2 * h[2]) <= rounding)) return false;
    }
    return true;
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text)) return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-') return false;
    return true;
}

/* "e1 = 2", "a1 = 0.1", "order = 3". */
static steep_status read_start(steep_written *w, char *item, steep_error *error)
{
    char *equals = strchr(item, '='), *end = NULL;
    if (equals) *equals = '\0';
    const char *name = steep_text_trim(item), *text = equals ? steep_text_trim(equals + 1) : "";
    double value;
    if (steep_decimal_read(text, &value, &end) || !equals || end == text || *end || !isfinite(value))
        return steep_fail(error, STEEP_BAD_INPUT, "unit %s: '%s%s%s' is no start: write e1 = 2, a1 = 0.1 or order = 3",
                          w->name, name, equals ? " = " : "", text);
    if (strcmp(name, "order") == 0) {
        if (!(value >= 1 && value <= 20 && value == floor(value)))
            return steep_fail(error, STEEP_BAD_INPUT, "unit %s: order = %s: use a whole number from 1 to 20", w->name,
                              text);
        w->order = (size_t)value;
        return STEEP_OK;
    }
    bool own = name[0] == 'e', shared = name[0] == 'a';
    size_t count = own ? w->counts[1] : shared ? w->counts[3] : 0;
    unsigned long number = isdigit((unsigned char)name[1]) ? strtoul(name + 1, &end, 10) : 0;
    if (number < 1 || number > count || *end)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "unit %s: it has no scalar %s to start at %s: its formula has %zu scalars e and %zu a",
                          w->name, name, text, w->counts[1], w->counts[3]);
    w->start[(own ? 0 : w->counts[1]) + number - 1] = value;
    return STEEP_OK;
}

static steep_status check_counts(const steep_written *w, steep_error *error)
{
    if (w->counts[4] > 0)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "unit %s: m1 is a moment of the layer, which no formula can have: use z, e, s and a",
                          w->name);
    if (w->counts[0] > STEEP_MAX_BRANCHES)
        return steep_fail(error, STEEP_BAD_INPUT, "unit %s: %zu branches: use at most z1 to z%d", w->name, w->counts[0],
                          STEEP_MAX_BRANCHES);
    return STEEP_OK;
}

static void make_row(steep_written *w)
{
    w->row = (steep_architecture){.name = w->name,
                                  .formula = w->text,
                                  .source = "by formula",
                                  .counts = counts_of,
                                  .tile = tile_of,
                                  .start = start_of,
                                  .written = w};
    unsigned affine = 0; /* the branches after the first that h is jointly affine in */
    for (size_t b = 1; b < w->counts[0]; b++) {
        if (!is_affine(w, affine | 1u << b)) continue;
        affine |= 1u << b;
        w->row.role[b] = STEEP_ROLE_PART;
    }
}

/* Reads "name = formula", the first item. A formula without a name is its own name. */
static steep_status read_formula(steep_written *w, char *item, steep_error *error)
{
    char *equals = strchr(item, '=');
    if (equals) *equals = '\0';
    char *name = steep_text_trim(item), *formula = equals ? steep_text_trim(equals + 1) : name;
    if (equals && !is_name(name))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "unit '%s': a name begins with a letter and has letters, digits, _ and - only", name);
    w->name = strdup(name);
    w->text = strdup(formula);
    if (!w->name || !w->text) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a unit");
    if (steep_architecture_find(w->name, NULL, 0))
        return steep_fail(error, STEEP_BAD_INPUT, "unit %s: an architecture of this name is there already: use another",
                          w->name);
    const steep_status status = steep_formula_parse_unit(formula, &w->formula, w->counts, error);
    return status == STEEP_OK ? check_counts(w, error) : status;
}

steep_status steep_written_parse(const char *text, steep_written **unit, steep_error *error)
{
    char *copy = strdup(text ? text : ""), *next = copy;
    steep_written *w = calloc(1, sizeof *w);
    steep_status status = STEEP_OK;
    *unit = NULL;
    if (w) w->given = strdup(text ? text : "");
    if (!copy || !w || !w->given) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a unit");
    for (size_t i = 0; status == STEEP_OK && next; i++) {
        char *item = strsep(&next, ";");
        if (i == 0) status = read_formula(w, item, error);
        else if (*steep_text_trim(item)) status = read_start(w, steep_text_trim(item), error);
    }
    free(copy);
    if (status != STEEP_OK) {
        steep_written_free(w);
        return status;
    }
    make_row(w);
    *unit = w;
    return STEEP_OK;
}

void steep_written_free(steep_written *unit)
{
    if (!unit) return;
    steep_formula_free(unit->formula);
    free(unit->name);
    free(unit->text);
    free(unit->given);
    free(unit);
}

void steep_written_free_all(steep_written **units, size_t count)
{
    for (size_t i = 0; i < count; i++) steep_written_free(units[i]);
    free(units);
}

steep_status steep_written_open(const steep_architecture *row, const steep_choice *choice, steep_formula **formula,
                                steep_error *error)
{
    steep_text out;
    size_t found[5];
    steep_counts counts;
    *formula = NULL;
    if (steep_text_open(&out) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula");
    steep_written_formula(row, choice, out.stream);
    if (steep_text_close(&out) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula");
    row->counts(choice, &counts);
    steep_error inner = {""};
    steep_status status = steep_formula_parse_unit(out.text, formula, found, &inner);
    if (status < 0) steep_fail(error, status, "architecture %s: %.400s", row->name, inner.text);
    else if (found[0] != counts.branches || found[1] != counts.scalars || found[2] != counts.shared_maps ||
             found[3] != counts.shared_scalars || found[4] != counts.moments) {
        status =
            steep_fail(error, STEEP_BAD_INPUT, "architecture %s: its formula %.300s has other inputs than its counts",
                       row->name, out.text);
        steep_formula_free(*formula);
        *formula = NULL;
    }
    free(out.text);
    return status;
}

steep_status steep_written_is_smooth(const steep_architecture *row, const steep_choice *choice, bool *smooth,
                                     steep_error *error)
{
    steep_formula *formula;
    *smooth = row->uses_activation && steep_activation_smooth(choice->activation);
    if (*smooth) return STEEP_OK;
    const steep_status status = steep_written_open(row, choice, &formula, error);
    if (status < 0) return status == STEEP_BAD_INPUT ? STEEP_OK : status; /* the row has no formula */
    *smooth = !steep_formula_has_kinks(formula);
    steep_formula_free(formula);
    return STEEP_OK;
}

static steep_status add(const char *text, steep_written ***units, size_t *count, steep_error *error)
{
    steep_written *one = NULL, **grown = realloc(*units, (*count + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu units", *count + 1);
    *units = grown;
    steep_status status = steep_written_parse(text, &one, error);
    if (status == STEEP_OK) grown[(*count)++] = one;
    return status;
}

/* Reads a whole file of units into *text, which the caller frees. A device may have no end: the size is limited. */
static steep_status read_units(const char *path, char **text, steep_error *error)
{
    *text = malloc(MOST_BYTES + 1);
    if (!*text) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to read it", path);
    errno = 0;
    FILE *file = fopen(path, "r");
    const size_t got = file ? fread(*text, 1, MOST_BYTES + 1, file) : 0;
    const char *wrong = !file || ferror(file)              ? strerror(errno)
                        : got > MOST_BYTES                 ? "it is longer than a megabyte"
                        : memchr(*text, '\0', got) != NULL ? "it holds a zero byte"
                                                           : NULL;
    if (file) fclose(file);
    if (wrong)
        return steep_fail(error, STEEP_BAD_INPUT, "--unit @%s: %s: name a file of units, one a line", path, wrong);
    (*text)[got] = '\0';
    return STEEP_OK;
}

static steep_status add_lines(const char *path, steep_written ***units, size_t *count, steep_error *error)
{
    char *all;
    steep_status status = read_units(path, &all, error);
    char *next = all;
    for (size_t number = 1; status == STEEP_OK && next; number++) {
        steep_error inner = {""};
        const char *text = steep_text_trim(strsep(&next, "\n"));
        if (*text && *text != '#') status = add(text, units, count, &inner);
        if (status < 0) steep_fail(error, status, "%s, line %zu: %.900s", path, number, inner.text);
    }
    if (status == STEEP_OK && *count == 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "--unit @%s: the file has no unit: write one a line", path);
    free(all);
    return status;
}

steep_status steep_written_read(const char *text, steep_written ***units, size_t *count, steep_error *error)
{
    *units = NULL;
    *count = 0;
    steep_status status = text[0] == '@' ? add_lines(text + 1, units, count, error) : add(text, units, count, error);
    if (status == STEEP_OK) return status;
    steep_written_free_all(*units, *count);
    *units = NULL;
    *count = 0;
    return status;
}
