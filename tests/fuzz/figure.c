/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: a line of options (architectures, title, formats, against, width, between bars), then series.csv. gnuplot is
 * not run: its script must be text that it can read, every number finite, every quote closed. Linked with
 * --wrap=steep_gnuplot_run. */
#include "draw/figure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

steep_status __wrap_steep_gnuplot_run(const steep_figure_writer *job, steep_error *error);

/* A number of C's printf that gnuplot does not read. */
static bool is_no_number(const char *word, size_t length)
{
    static const char *const bad[] = {"nan", "inf", "infinity"};
    for (size_t i = 0; i < 3; i++)
        if (strlen(bad[i]) == length && strncmp(bad[i], word, length) == 0) return true;
    return false;
}

/* Texts in quotes are closed on their line; outside them are plain characters and finite numbers. */
static void check_head(const char *head)
{
    char quote = 0;
    for (const char *c = head; *c; c++) {
        if (*c == '\n' && quote) fuzz_broken("a quote is open: %.300s", head);
        if (*c == '#' && !quote) { /* a remark */
            while (c[1] && c[1] != '\n') c++;
        } else if ((unsigned char)*c < ' ' && *c != '\n') {
            fuzz_broken("character %d in a script", *c);
        } else if (quote) {
            if (*c == quote) quote = 0;
        } else if (*c == '\'' || *c == '"') {
            quote = *c;
        } else if (isalpha((unsigned char)*c)) {
            size_t length = 1;
            while (isalnum((unsigned char)c[length]) || c[length] == '_') length++;
            if (is_no_number(c, length))
                fuzz_broken("%.*s in a script: %.300s", (int)length, c, c - (c - head < 200 ? c - head : 200));
            c += length - 1;
        } else if ((unsigned char)*c >= 127) {
            fuzz_broken("byte %d outside quotes", (unsigned char)*c);
        }
    }
    if (quote) fuzz_broken("a quote is open at the end");
}

/* Checks the head of the script, which stands between the style and the body. */
steep_status __wrap_steep_gnuplot_run(const steep_figure_writer *job, steep_error *error)
{
    size_t size;
    char *script = fuzz_read(fuzz_path("slopes.gp"), &size);
    const size_t begin = strlen(steep_script_style), end = strlen(job->body) + strlen("unset output\n");
    (void)error;
    if (!*job->body || size <= begin + end) fuzz_broken("nothing is drawn");
    script[size - end] = '\0';
    check_head(script + begin);
    free(script);
    return STEEP_OK;
}

void fuzz_figure(const uint8_t *data, size_t size)
{
    fuzz_text input = fuzz_split(data, size);
    const char *field[5] = {NULL};
    char *rest = input.first;
    for (size_t i = 0; i < 5 && rest; i++) {
        char *end = strchr(rest, '|');
        if (end) *end = '\0';
        field[i] = *rest ? rest : NULL;
        rest = end ? end + 1 : NULL;
    }
    const steep_figure_options options = {.arch = field[0],
                                          .title = field[1],
                                          .terminal = field[2],
                                          .against = field[3] ? *field[3] : '\0',
                                          .width = field[4] ? strtod(field[4], NULL) : 0};
    fuzz_write(fuzz_path("series.csv"), input.rest, input.size);
    fuzz_accepted(steep_figure_slopes(fuzz_path(NULL), &options, NULL, &fuzz_error));
    free(input.first);
}
