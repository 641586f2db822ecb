/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/range.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define RANGE_FORMS     "20, 5,10,20, 1:50, 1:103:3 (steps of 3) or 8:4096:x2 (doubling)"
#define MAX_VALUES      1000000
#define SMALLEST_FACTOR 1.001

steep_status steep_words_split(const char *what, const char *text, char separator, steep_words *list,
                               steep_error *error)
{
    *list = (steep_words){0};
    size_t count = 1;
    for (const char *c = text; *c; c++) count += *c == separator;
    const size_t size = strlen(text) + 1;
    list->word = malloc(count * sizeof *list->word + size);
    if (!list->word) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the list %s", what);
    char *next = memcpy(list->word + count, text, size);
    while (next) {
        char *end = strchr(next, separator), *word = next;
        if (end) *end = '\0';
        next = end ? end + 1 : NULL;
        word = steep_text_trim(word);
        if (!*word) {
            free(list->word);
            *list = (steep_words){0};
            return steep_fail(error, STEEP_BAD_INPUT, "--%s '%s': an item is empty: use items separated by '%c'", what,
                              text, separator);
        }
        list->word[list->count++] = word;
    }
    return STEEP_OK;
}

typedef struct range {
    const steep_range_limits *limits;
    const char *text; /* for messages */
    size_t *value, count, room;
    steep_error *error;
} range;

static steep_status push(range *r, size_t value)
{
    if (r->count == MAX_VALUES)
        return steep_fail(r->error, STEEP_BAD_INPUT, "--%s '%s': more than %d values: use a larger step",
                          r->limits->what, r->text, MAX_VALUES);
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        size_t *grown = realloc(r->value, room * sizeof *grown);
        if (!grown) return steep_fail(r->error, STEEP_NO_MEMORY, "no memory for --%s", r->limits->what);
        r->value = grown;
        r->room = room;
    }
    r->value[r->count++] = value;
    return STEEP_OK;
}

/* A whole number in [low, high], also as 1e3; limits are at most 2^53. */
static steep_status read_whole(range *r, const char *text, size_t low, size_t *value)
{
    char *end;
    double number;
    const bool decimal = !steep_decimal_read(text, &number, &end) && end > text && !*end;
    if (decimal && number == floor(number) && number >= (double)low && number <= (double)r->limits->high) {
        *value = (size_t)number;
        return STEEP_OK;
    }
    if (decimal)
        return steep_fail(r->error, STEEP_BAD_INPUT, "--%s '%s': %s is out of range: use whole numbers from %zu to %zu",
                          r->limits->what, r->text, text, low, r->limits->high);
    return steep_fail(r->error, STEEP_BAD_INPUT, "--%s '%s': '%s' is no whole number: write %s", r->limits->what,
                      r->text, text, RANGE_FORMS);
}

static steep_status push_geometric(range *r, size_t first, size_t last, const char *text)
{
    char *end;
    double factor;
    const char *wrong = steep_decimal_read(text, &factor, &end);
    if (wrong || end == text || *end || !(factor >= SMALLEST_FACTOR && factor <= 1e9))
        return steep_fail(r->error, STEEP_BAD_INPUT, "--%s '%s': the factor '%s' is not from %g to 1e9: use x2 or x1.5",
                          r->limits->what, r->text, text, SMALLEST_FACTOR);
    if (first == 0)
        return steep_fail(r->error, STEEP_BAD_INPUT, "--%s '%s': a geometric range cannot begin at 0: use 1:%zu:x%s",
                          r->limits->what, r->text, last, text);
    steep_status status = STEEP_OK;
    for (size_t k = 0; status == STEEP_OK; k++) {
        double next = floor((double)first * pow(factor, (double)k) + 0.5);
        if (!(next <= (double)last)) break;
        status = push(r, (size_t)next);
    }
    return status;
}

static steep_status push_item(range *r, char *item)
{
    char *second = strchr(item, ':'), *third = second ? strchr(second + 1, ':') : NULL;
    if (second) *second++ = '\0';
    if (third) *third++ = '\0';
    size_t first, last, step = 1;
    steep_status status = read_whole(r, steep_text_trim(item), r->limits->low, &first);
    if (status != STEEP_OK || !second) return status == STEEP_OK ? push(r, first) : status;
    status = read_whole(r, steep_text_trim(second), r->limits->low, &last);
    if (status != STEEP_OK) return status;
    if (last < first)
        return steep_fail(r->error, STEEP_BAD_INPUT,
                          "--%s '%s': the range is empty, it runs from %zu down to %zu: use %zu:%zu", r->limits->what,
                          r->text, first, last, last, first);
    if (third && *steep_text_trim(third) == 'x') return push_geometric(r, first, last, steep_text_trim(third) + 1);
    if (third) status = read_whole(r, steep_text_trim(third), 1, &step);
    for (size_t value = first; status == STEEP_OK; value += step) {
        status = push(r, value);
        if (last - value < step) break;
    }
    return status;
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, drops duplicates, and returns how many values are left. */
static size_t sort_distinct(size_t *value, size_t count)
{
    size_t distinct = 0;
    qsort(value, count, sizeof *value, compare_sizes);
    for (size_t i = 0; i < count; i++)
        if (distinct == 0 || value[i] != value[distinct - 1]) value[distinct++] = value[i];
    return distinct;
}

steep_status steep_range(const steep_range_limits *limits, const char *text, size_t **result, size_t *count,
                         steep_error *error)
{
    *result = NULL;
    *count = 0;
    if (!text || !*text)
        return steep_fail(error, STEEP_BAD_INPUT, "--%s '': the list is empty: write %s", limits->what, RANGE_FORMS);
    steep_words items;
    steep_status status = steep_words_split(limits->what, text, ',', &items, error);
    if (status != STEEP_OK) return status;
    range r = {.limits = limits, .text = text, .error = error};
    for (size_t i = 0; status == STEEP_OK && i < items.count; i++) status = push_item(&r, items.word[i]);
    free(items.word);
    if (status == STEEP_OK) {
        *result = r.value;
        *count = sort_distinct(r.value, r.count);
    } else free(r.value);
    return status;
}

steep_status steep_shard(const char *text, size_t *index, size_t *count, steep_error *error)
{
    *index = *count = 1;
    if (!text) return STEEP_OK;
    char *end;
    unsigned long first = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0, second = 0;
    if (first > 0 && *end == '/' && isdigit((unsigned char)end[1])) {
        second = strtoul(end + 1, &end, 10);
        if (*end) second = 0;
    }
    if (first < 1 || first > second || second > 10000)
        return steep_fail(error, STEEP_BAD_INPUT, "--shard '%s': no part of a whole: use 1/4 to 4/4", text);
    *index = first;
    *count = second;
    return STEEP_OK;
}

size_t steep_range_find(const size_t *list, size_t count, size_t value)
{
    const size_t *found = count ? bsearch(&value, list, count, sizeof *list, compare_sizes) : NULL;
    return found ? (size_t)(found - list) : count;
}

steep_status steep_range_unite(size_t **list, size_t *count, const size_t *value, size_t more, steep_error *error)
{
    size_t all = *count, *grown = realloc(*list, (*count + more + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu numbers", *count + more);
    *list = grown;
    for (size_t i = 0; i < more; i++)
        if (steep_range_find(grown, *count, value[i]) == *count) grown[all++] = value[i];
    *count = sort_distinct(grown, all);
    return STEEP_OK;
}
