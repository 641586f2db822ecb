/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: a line of options, then a CSV file, as "steep slope FILE OPTIONS" reads them. With --csv and without it, the
 * command ends with the same status, and with a message if it fails. (test_slope.c: slopes are in their intervals.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fuzz.h"

/* Runs the command, with its streams in memory. Returns its exit status. */
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
        for (int i = 0; i < 2; i++) free(out[i]), free(complaint[i]);
    }
    free(input.first);
}
