/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairs: y_+ (x_+ + tanh x) by networks of every pair of activations of the dictionary (theorem 4.2 of "Mixture of
 * activations"), h = p(z1) q(z2): the least W and the least RMSE that are found against the width, beside what is
 * proved of the pair: half of the distance of its jump profiles across y = 0 from that of the witness. qd-la has it, of
 * width 1. */
#include "separated.h"

static const char *const letters[] = {"id", "relu", "relu2", "leaky_relu", "gelu", "silu", "tanh"};
enum { LETTERS = sizeof letters / sizeof *letters, PAIRS = LETTERS * (LETTERS + 1) / 2, WIDTHS = 4 };

static separated_series series[PAIRS];
static char names[PAIRS][24];

static void put(FILE *out, const separated_series *s)
{
    char text[24];
    double least = INFINITY;
    printf("%-22s", s->class);
    for (size_t m = 1; m <= s->widths; m++) printf(" %9s", separated_number(s->row[m - 1].bound, text));
    for (size_t m = 1; m <= s->widths; m++) printf(" %8.5f", s->row[m - 1].W);
    for (size_t m = 1; m <= s->widths; m++) {
        const separated_row *r = &s->row[m - 1];
        printf(" %8.5f", r->rmse);
        if (isfinite(r->bound)) least = fmin(least, r->W / r->bound);
        fprintf(out, "%s,%zu,%.17g\n", s->class, m, r->W);
    }
    if (isfinite(least)) printf(" %9.4g\n", least);
    else printf(" %9s\n", "-");
}

int main(int argc, char **argv)
{
    const experiment e =
        experiment_begin(argc, argv, "pairs", "pair", "A Type II witness by networks of every pair of activations.");
    const size_t widths = e.quick ? 1 : WIDTHS;
    size_t count = 0;
    for (size_t i = 0; i < LETTERS; i++)
        for (size_t j = i; j < LETTERS; j++) { /* the kinked one in front */
            const bool turned = i == 0 && j > 0;
            snprintf(names[count], sizeof *names, "%s*%s", letters[turned ? j : i], letters[turned ? i : j]);
            if (!experiment_wants(&e, 0, names[count])) continue;
            series[count] = (separated_series){.witness = "la_type2", .class = names[count], .lambda = 1};
            series[count].widths = widths;
            series[count].restarts = e.quick ? 1 : 4;
            series[count].fewer = series[count].fits = 1;
            count++;
        }
    separated_run(&e, series, count);
    FILE *out = experiment_open(&e, "pairs.csv", "pair,width,W");
    printf("y_+ (x_+ + tanh x) by pairs, m = 1 to %zu: proved of W, W found, RMSE found, the least W by its bound\n",
           widths);
    for (size_t i = 0; i < count; i++) put(out, &series[i]);
    experiment_close(&e, out, "pairs.csv");
    experiment_draw(&e, "pairs");
    return 0;
}
