/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: a line of options, then a CSV file, as "steep slope FILE OPTIONS" reads them. What it prints with --csv is a
 * table with a slope inside its interval, and the table for eyes ends with the same status. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "cli/cli.h"
#include "fuzz.h"

/* The command, its streams into memory; its exit status. */
static int run(int argc, char **argv, char **out, char **complaint)
{
    FILE *const streams[] = {stdout, stderr};
    size_t size[2];
    FILE *to = open_memstream(out, &size[0]), *of = open_memstream(complaint, &size[1]);
    if (!to || !of) fuzz_broken("no memory for two streams");
    stdout = to;
    stderr = of;
    const int status = steep_cli_run(&steep_command_slope, argc, argv);
    stdout = streams[0];
    stderr = streams[1];
    fclose(to);
    fclose(of);
    return status;
}

/* A number of a row of ours, NaN for "nan". */
static double number(const steep_table *t, size_t row, const char *name)
{
    const size_t column = steep_table_column(t, name);
    double value = NAN;
    if (column >= t->columns) fuzz_broken("no column %s", name);
    if (strcmp(t->cell[row * t->columns + column], "nan") == 0) return NAN;
    fuzz_must(name, steep_table_number(t, row, column, &value, &fuzz_error));
    return value;
}

static void check_table(const char *text)
{
    const char *path = fuzz_path("again");
    steep_table t;
    fuzz_write(path, text, strlen(text));
    fuzz_must(text, steep_table_read(path, &t, &fuzz_error));
    if (t.torn) fuzz_broken("its own table is torn");
    for (size_t r = 0; r < t.rows; r++) {
        const double slope = number(&t, r, "slope"), low = number(&t, r, "low"), high = number(&t, r, "high"),
                     first = number(&t, r, "first"), last = number(&t, r, "last");
        if (isnan(low) != isnan(high)) fuzz_broken("half an interval");
        if (!isnan(low) && !(low <= slope && slope <= high)) fuzz_broken("%g is not in [%g, %g]", slope, low, high);
        if (!isnan(slope) && !(first <= last)) fuzz_broken("sizes from %g to %g", first, last);
    }
    steep_table_free(&t);
}

/* Whether a name of the header would be one of ours, or is empty. */
static bool has_our_names(const char *path)
{
    static const char *const ours[] = {"slope", "low", "high", "first", "last", "method", "points", "drift"};
    steep_table t;
    bool any = false;
    if (steep_table_read(path, &t, NULL) != STEEP_OK) return true;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) any = any || steep_table_column(&t, ours[i]) < t.columns;
    steep_table_free(&t);
    return any;
}

void fuzz_slope(const uint8_t *data, size_t size)
{
    fuzz_text input = fuzz_split(data, size);
    char csv[] = "--csv", *word[FUZZ_WORDS + 3] = {(char *)"slope", csv, (char *)fuzz_path("in")};
    char *out[2], *complaint[2];
    const size_t count = 3 + fuzz_words(input.first, word + 3, FUZZ_WORDS);
    bool given = false;
    for (size_t i = 3; i < count; i++) given = given || strcmp(word[i], csv) == 0;
    fuzz_write(word[2], input.rest, input.size);
    if (!given) {
        const int table = run((int)count, word, &out[1], &complaint[1]);
        word[1] = word[0];
        const int plain = run((int)count - 1, word + 1, &out[0], &complaint[0]);
        if (plain < 0 || plain > 2) fuzz_broken("exit status %d", plain);
        if (plain != table) fuzz_broken("statuses %d and %d", plain, table);
        if (plain && !*complaint[0]) fuzz_broken("exit status %d without a word", plain);
        if (plain == 1 && strstr(complaint[0], "no memory")) fuzz_broken("%s", complaint[0]);
        const bool help = strncmp(out[1], "Usage", 5) == 0;
        if (table < 2 && !help && !has_our_names(word[2])) check_table(out[1]);
        for (int i = 0; i < 2; i++) free(out[i]), free(complaint[i]);
    }
    free(input.first);
}
