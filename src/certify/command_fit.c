/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/command_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct certify_record {
    bool certify;
    double tolerance;
    size_t bits, power;
    bool second;
    const char *vector_norm;
} certify_record;

#define AT(field) offsetof(certify_record, field)
static const steep_option table[] = {
    FLAG("certify", certify, "enclose RMSE, sup and W1inf norm of the error on the whole box", FREE),
    REAL("certify-tolerance", tolerance, "0", 0, 0.5,
         "relative width of these enclosures; 0: 1e-8 in 1D (means 1e-6), 1e-3 in 2D, 1e-2; Hessians 1e-4, 1e-2", FREE),
    SIZE("certify-bits", bits, "0", 0, 4096,
         "balls of so many bits throughout, 32 at least; 0: doubles where they suffice", FREE),
    CHOICE("vector-norm", vector_norm, "euclidean", steep_vector_norm_names,
           "norm of gradients in the W1inf norm, of Hessians in the W2inf norm", FREE),
    {"certify-power", STEEP_OPTION_SIZE, AT(power), "P", "0", 0, STEEP_CERTIFY_MOST_POWER, NULL,
     "also the L^P norm, (mean |e|^P)^(1/P); 0: none", STEEP_OPTION_FREE},
    FLAG("certify-second", second,
         "also W2inf and W2,P norm and the Laplacian of the error, the residual of -Laplace y = f; P: 2, or "
         "--certify-power",
         FREE),
    {.name = NULL},
};

enum {
    REPORTS = 10, /* calls of the monitor for each update of the progress line */
    DIGITS = 12
};

typedef struct watch {
    const volatile int *stop;
    bool json, terminal, shown;
    size_t calls;
    double told; /* time of the last event in seconds */
} watch;

static bool proceed(void *context, const steep_progress *progress)
{
    watch *w = context;
    const double now = steep_clock_seconds();
    if (w->json && now - w->told >= STEEP_EVENT_SECONDS) {
        w->told = now;
        STEEP_EVENT(stderr, "progress", steep_fact_text("stage", progress->stage),
                    steep_fact_count("boxes", progress->iteration), steep_fact_real("relative_width", progress->step));
    }
    if (w->terminal && ++w->calls % REPORTS == 0) {
        fprintf(stderr, "\rcertify %-8s %9zu boxes, relative width %-10.2e", progress->stage, progress->iteration,
                progress->step);
        fflush(stderr);
        w->shown = true;
    }
    return !*w->stop;
}

/* Prints x rounded towards sign (-1: down, 1: up). A unit of the last digit is at most |x| 10^(1 - digits). */
static void put_end(double x, double sign, int digits, char text[32])
{
    snprintf(text, 32, "%.*g", digits, x);
    if (!isfinite(x) || sign * (strtod(text, NULL) - x) >= 0) return;
    snprintf(text, 32, "%.*g", digits, x + sign * fabs(x) * pow(10, 1 - digits));
}

void steep_cli_interval(const steep_interval *interval, int digits, char text[STEEP_CLI_INTERVAL])
{
    char low[32], high[32];
    put_end(interval->low, -1, digits, low);
    put_end(interval->high, 1, digits, high);
    snprintf(text, STEEP_CLI_INTERVAL, "[%s, %s]", low, high);
}

const char *steep_cli_leak(const steep_architecture *row, const steep_choice *choice)
{
    bool leaks = row->uses_activation && choice->activation == STEEP_LEAKY_RELU;
    leaks = leaks || (row->written && strstr(row->written->text, "leaky_relu"));
    for (int k = 0; row->uses_dictionary && k < choice->terms; k++)
        leaks = leaks || choice->dictionary[k] == STEEP_LEAKY_RELU;
    return leaks ? ", leaky_relu with slope 1/100 on the left, not its double" : "";
}

/* The cells of one norm: interval, boxes, status, and a sentence with all three. text: room for the sentence. */
/* clang-format off */
#define ENCLOSED(name, title, c, text)                                                                                 \
    {{name "_low", name "_high", NULL, STEEP_SHEET_PAIR, NULL, 0, 0}, steep_cell_pair((c).bound.low, (c).bound.high)}, \
        {{.key = name "_boxes", .kind = STEEP_SHEET_COUNT}, steep_cell_count((c).boxes)},                              \
        {{.key = name "_status"}, steep_cell_text(steep_status_name((c).status))},                                     \
        {{NULL, NULL, title, STEEP_SHEET_TEXT, NULL, 0, -14},                                                          \
         steep_cell_toned(sentence(&(c), text), steep_cell_status((c).status).tone)}
/* clang-format on */

static const char *sentence(const steep_certificate *c, char text[160])
{
    char interval[STEEP_CLI_INTERVAL];
    steep_cli_interval(&c->bound, DIGITS, interval);
    snprintf(text, 160, "in %s   %zu boxes, %s", interval, c->boxes, steep_status_name(c->status));
    return text;
}

static void print_certified(const steep_network *network, const steep_certify_options *options,
                            const steep_certified *certified, steep_sheet *sheet)
{
    char title[260], text[11][160], interval[STEEP_CLI_INTERVAL], name[3][24];
    steep_sheet_line line;
    snprintf(
        title, sizeof title, "certified on the whole box, of network minus target, gradients in the %s norm, by %s%s",
        steep_vector_norm_names(options->norm), options->precision > 0 ? "balls" : "intervals of doubles and balls",
        steep_cli_leak(network->architecture, &network->choice));
    snprintf(name[0], sizeof name[0], "L%u", options->power);
    snprintf(name[1], sizeof name[1], "W2,%u", options->power);
    snprintf(name[2], sizeof name[2], "Laplacian L%u", options->power);
    steep_cli_interval(&certified->w2, DIGITS, interval);
    snprintf(text[7], sizeof text[7], "in %s   sup + gradient + Hessian", interval);
    steep_cli_interval(&certified->w, DIGITS, interval);
    snprintf(text[3], sizeof text[3], "in %s   sup + gradient", interval);
    snprintf(text[4], sizeof text[4],
             certified->rounding < INFINITY ? "at most %.3g between the network in double and in real numbers"
                                            : "no bound between the network in double and in real numbers",
             certified->rounding);
    const steep_sheet_part part[] = {
        ENCLOSED("rmse", "RMSE", certified->rmse, text[0]),
        ENCLOSED("sup", "sup", certified->sup, text[1]),
        ENCLOSED("gradient", "gradient", certified->gradient, text[2]),
        {{"w1inf_low", "w1inf_high", NULL, STEEP_SHEET_PAIR, NULL, 0, 0},
         steep_cell_pair(certified->w.low, certified->w.high)},
        {{NULL, NULL, "W1inf", STEEP_SHEET_TEXT, NULL, 0, -14}, steep_cell_text(text[3])},
    };
    const steep_sheet_part power[] = {ENCLOSED("lp", name[0], certified->power, text[5])};
    const steep_sheet_part second[] = {
        ENCLOSED("hessian", "Hessian", certified->hessian, text[6]),
        {{"w2inf_low", "w2inf_high", NULL, STEEP_SHEET_PAIR, NULL, 0, 0},
         steep_cell_pair(certified->w2.low, certified->w2.high)},
        {{NULL, NULL, "W2inf", STEEP_SHEET_TEXT, NULL, 0, -14}, steep_cell_text(text[7])},
        ENCLOSED("w2p", name[1], certified->sobolev, text[8]),
        ENCLOSED("laplacian", "Laplacian", certified->second, text[9]),
        ENCLOSED("laplacian_lp", name[2], certified->second_power, text[10]),
    };
    const steep_sheet_part end[] = {
        {{.key = "rounding", .kind = STEEP_SHEET_REAL}, steep_cell_real(certified->rounding)},
        {{NULL, NULL, "rounding", STEEP_SHEET_TEXT, NULL, 0, -14}, steep_cell_text(text[4])},
        {{.key = "vector_norm"}, steep_cell_text(steep_vector_norm_names(options->norm))},
    };
    steep_sheet_line_set(&line, "certificate", part, sizeof part / sizeof *part);
    if (options->what & STEEP_CERTIFY_POWER) steep_sheet_line_add(&line, power, sizeof power / sizeof *power);
    if (options->what & STEEP_CERTIFY_SECOND) steep_sheet_line_add(&line, second, sizeof second / sizeof *second);
    steep_sheet_line_add(&line, end, sizeof end / sizeof *end);
    line.layout.shape = STEEP_SHEET_RECORD, line.layout.indent = 2;
    steep_sheet_begin(sheet, &line.layout, title);
    steep_sheet_row(sheet, line.cell);
    steep_sheet_end(sheet);
}

static steep_status check(const void *context, const steep_annex_fit *fit, const steep_command_line *line,
                          steep_error *error)
{
    const certify_record *record = context;
    const steep_target *target = fit->target;
    steep_error why;
    for (const steep_option *o = table + 1; !record->certify && o->name; o++)
        if (steep_options_given(line->argc, line->argv, o->name))
            return steep_fail(error, STEEP_BAD_INPUT, "--%s belongs to --certify: give that too, or leave it out",
                              o->name);
    if (!record->certify) return STEEP_OK;
    if (!target)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "--certify: points from a file say nothing of what lies between them: use a target by formula");
    if (steep_options_given(line->argc, line->argv, "standardize"))
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "--certify: certificates are of networks in the units of the target: leave --standardize out");
    if (record->bits > 0 && record->bits < 32)
        return steep_fail(error, STEEP_BAD_INPUT, "--certify-bits %zu: use 0 or 32 to 4096", record->bits);
    if (target->dim > STEEP_ENCLOSE_DIM)
        return steep_fail(error, STEEP_BAD_INPUT, "--certify in %zuD: enclosures are of 1 to %d dimensions",
                          target->dim, STEEP_ENCLOSE_DIM);
    const steep_status status = steep_certify_check(fit->network, target, &why);
    return status < 0 ? steep_fail(error, status, "%s, or leave --certify out", why.text) : status;
}

static steep_status run(const void *context, const steep_annex_fit *fit, steep_stored_number *number, size_t *numbers,
                        steep_error *error)
{
    const certify_record *record = context;
    watch w = {.stop = fit->stop,
               .json = fit->output->json && !fit->quiet,
               .terminal = !fit->output->json && !fit->quiet && isatty(STDERR_FILENO)};
    steep_certify_options options = steep_certify_options_default();
    steep_certified certified;
    *numbers = 0;
    if (!record->certify) return STEEP_OK;
    options.tolerance = record->tolerance;
    options.precision = (int)record->bits;
    options.monitor = (steep_monitor){proceed, &w};
    if (record->power > 0) options.power = (unsigned)record->power, options.what |= STEEP_CERTIFY_POWER;
    if (record->second)
        options.what |=
            STEEP_CERTIFY_HESSIAN | STEEP_CERTIFY_SECOND | STEEP_CERTIFY_SOBOLEV | STEEP_CERTIFY_SECOND_POWER;
    options.norm = (steep_vector_norm)steep_options_index(steep_vector_norm_names, record->vector_norm);
    const steep_status status = steep_certify(fit->network, fit->theta, fit->target, &options, &certified, error);
    if (w.shown) fprintf(stderr, "\r%*s\r", 60, "");
    if (status < 0) return status;
    print_certified(fit->network, &options, &certified, fit->sheet);
    *numbers = steep_certified_numbers(&certified, options.what, number);
    return status;
}

_Static_assert(sizeof(certify_record) <= sizeof(steep_annex_record), "enlarge steep_annex_record");

const steep_annex_of_fit steep_certify_of_fit = {table, check, run};
