/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <flint/flint.h>
#include <glpk.h>
#include <gmp.h>
#include <gsl/gsl_errno.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/streams.h"
#include "cli/cli.h"
#include "execute/place.h"
#include "record/provenance.h"
#include "steep.h"

static const steep_command commands[] = {
    {"sweep", steep_command_sweep, steep_cli_sweep_tables,
     "fit every architecture at every width, measure the slopes, draw the figure", false},
    {"fit", steep_command_fit, steep_cli_fit_tables, "one fit: report, parameters, residuals, a picture", false},
    {"join", steep_command_join, steep_cli_join_tables,
     "rows of several folders into one, with their slopes and figure", true},
    {"slope", steep_command_slope, steep_cli_slope_tables,
     "slopes with intervals from any CSV with a size and an error column", false},
    {"predict", steep_command_predict, steep_cli_predict_tables,
     "values and derivatives of a saved network at points of a CSV or on a grid", false},
    {"figure", steep_command_figure, steep_cli_figure_tables,
     "the figure of a sweep again: other series, sizes, formats", true},
    {"list", steep_command_list, steep_cli_list_tables, "architectures, activations, targets, starts, solvers", true},
    {"doctor", steep_command_doctor, steep_cli_doctor_tables, "what was found on this machine, and whether it works", true},
    {"completion", steep_command_completion, NULL, "a script that makes bash complete commands, options and names", true},
};
#define COMMANDS (sizeof commands / sizeof *commands)

/* Behind those of the core the annexes' ones. */
const steep_command *steep_cli_command(size_t index)
{
    if (index < COMMANDS) return &commands[index];
    index -= COMMANDS;
    for (const steep_annex *const *annex = steep_annexes; *annex; index -= (*annex++)->commands)
        if (index < (*annex)->commands) return &(*annex)->command[index];
    return NULL;
}

static const char *command_names(size_t index)
{
    const steep_command *command = steep_cli_command(index);
    return command ? command->name : NULL;
}

/* --- shared by the commands --- */

int steep_cli_fail(steep_status status, const steep_error *error)
{
    const char *text = error->text[0] ? error->text : steep_status_advice(status);
    const bool unsaid = status == STEEP_NO_MEMORY && !strstr(text, "emory"); /* of what it was that found none */
    fprintf(stderr, "steep: %s%s\n", text, unsaid ? ": no memory" : "");
    return status == STEEP_BAD_INPUT ? 2 : 1;
}

steep_status steep_cli_parse(const steep_option *table, void *record, steep_command_line *line, steep_error *error)
{
    steep_status status = steep_options_default(table, record, error);
    if (status != STEEP_OK) return status;
    line->word = calloc((size_t)line->argc + 1, sizeof *line->word);
    if (!line->word) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %d words", line->argc);
    return steep_options_parse(table, record, line, error);
}

steep_status steep_cli_parse_groups(const steep_option_group *groups, steep_command_line *line, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (const steep_option_group *g = groups; status == STEEP_OK && g->table; g++)
        status = steep_options_default(g->table, g->record, error);
    if (status != STEEP_OK) return status;
    line->word = calloc((size_t)line->argc + 1, sizeof *line->word);
    if (!line->word) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %d words", line->argc);
    return steep_options_parse_groups(groups, line, error);
}

static void print_help(const char *usage, const char *what)
{
    printf("Usage: %s\n\n%s\n", usage, what);
}

static void print_end(const char *const *examples)
{
    puts("  --help                   this text");
    if (examples) puts("\nExamples:");
    for (; examples && *examples; examples++) printf("  %s\n", *examples);
}

void steep_cli_help(const char *usage, const char *what, const steep_option *table, const char *const *examples)
{
    print_help(usage, what);
    if (table) {
        puts("\nOptions:");
        steep_options_print(table, stdout);
    }
    print_end(examples);
}

void steep_cli_help_tables(const char *usage, const char *what, const steep_option *(*tables)(size_t index),
                           const char *const *examples)
{
    print_help(usage, what);
    puts("\nOptions:");
    for (size_t i = 0; tables(i); i++) steep_options_print(tables(i), stdout);
    print_end(examples);
}

void steep_cli_help_groups(const char *usage, const char *what, const steep_option_group *groups,
                           const char *const *examples)
{
    print_help(usage, what);
    putchar('\n');
    steep_options_print_groups(groups, stdout);
    print_end(examples);
}

void steep_cli_unit_alone(const char *initial, steep_model_options *model)
{
    if (model->unit && model->arch == initial) model->arch = NULL;
}

#define MINUTE       60
#define SAME_SECONDS 1 /* signals that come so soon after the first are the same wish: timeout(1) sends two */

static volatile int stop_asked;
static volatile double first_asked; /* when */

/* The first asks; one that comes later ends the program. No call here may allocate or lock. */
static void ask_to_stop(int signal_number)
{
    const int code = errno;
    const double now = steep_clock_seconds();
    if (!stop_asked) first_asked = now;
    stop_asked = 1;
    if (now - first_asked > SAME_SECONDS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* it comes when this returns */
    }
    errno = code;
}

const volatile int *steep_cli_stop(void)
{
    return &stop_asked;
}

const volatile int *steep_cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        /* nohup and background jobs of a shell ignore some of them, and that is to stay */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    return &stop_asked;
}

/* NULL: it is not there, or empty. */
static const char *seconds_of(const char *variable)
{
    const char *text = getenv(variable);
    return text && *text ? text : NULL;
}

static steep_status check_seconds(const char *variable, const char *what, int usual, steep_error *error)
{
    const char *text = seconds_of(variable);
    char *end = NULL;
    if (!text) return STEEP_OK;
    const double seconds = strtod(text, &end);
    if (strspn(text, "0123456789.eE+-") == strlen(text) && !*end && seconds > 0 && seconds <= 1e9) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s is '%.40s': use the seconds %s, more than 0 and at most 1e9, or leave it out (%d)", variable,
                      text, what, usual);
}

steep_status steep_cli_check_gnuplot(steep_error *error)
{
    const steep_status status =
        check_seconds("STEEP_GNUPLOT_SECONDS", "that gnuplot may take", STEEP_FIGURE_SECONDS, error);
    return status < 0 ? status : check_seconds("STEEP_PROGRESS_SECONDS", "between lines of progress", MINUTE, error);
}

double steep_cli_progress_seconds(void)
{
    const char *text = seconds_of("STEEP_PROGRESS_SECONDS");
    return text ? strtod(text, NULL) : MINUTE;
}

steep_figure_limits steep_cli_figure_limits(const volatile int *stop)
{
    const char *text = seconds_of("STEEP_GNUPLOT_SECONDS");
    return (steep_figure_limits){stop, text ? strtod(text, NULL) : 0};
}

steep_status steep_cli_drawn(const char *folder, steep_status status)
{
    char path[PATH_MAX];
    if (status == STEEP_STOPPED && snprintf(path, sizeof path, "%s/run.json", folder) < (int)sizeof path)
        steep_provenance_stopped(path, NULL); /* that it was stopped is what is told */
    return status;
}

/* --- main --- */

static void print_usage(FILE *stream)
{
    fputs("Usage: steep COMMAND [OPTIONS]\n\n"
          "Fits shallow networks of growing width and measures the slope of error against parameters.\n\nCommands:\n",
          stream);
    const steep_command *command;
    for (size_t i = 0; (command = steep_cli_command(i)); i++)
        fprintf(stream, "  %-10s %s\n", command->name, command->what);
    fputs("\n\"steep COMMAND --help\" lists a command's options; \"steep --version\" prints the version.\n"
          "Exit status: 0 success, 1 a failed run, 2 bad use or bad input.\n",
          stream);
}

const steep_command *steep_cli_find(const char *name)
{
    const steep_command *command = NULL;
    for (size_t i = 0; (command = steep_cli_command(i)); i++)
        if (strcmp(name, command->name) == 0) break;
    return command;
}

static int unknown_command(const char *name)
{
    static const char *const meant[][2] = {{"plot", "figure"},        {"draw", "figure"}, {"show", "list' or 'report"},
                                           {"train", "fit' or 'sweep"}, {"run", "sweep"},   {"info", "doctor"}};
    const char *near = steep_options_nearest(name, command_names);
    char missing[160];
    if (steep_annexes_missing(name, missing, sizeof missing)) {
        fprintf(stderr, "steep: %s\n", missing);
        return 2;
    }
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (strcmp(name, meant[i][0]) == 0) near = meant[i][1];
    if (near) fprintf(stderr, "steep: '%.80s' is no command: did you mean '%s'?\n", name, near);
    else fprintf(stderr, "steep: '%.80s' is no command: \"steep help\" lists them\n", name);
    return 2;
}

static int leave_to_rank_0(const char *command)
{
    const steep_place place = steep_place_find();
    if (steep_place_started()) return 0;
    fprintf(stderr,
            "steep: by %s this is process %zu of %zu, and process 0 alone does %s; but no %s started it: unset %s, which "
            "is left over in this shell\n",
            place.sign, place.rank, place.size, command, place.starter, place.sign);
    return 2;
}

static int run_command(int argc, char **argv)
{
    const steep_command *command = steep_cli_find(argv[0]);
    if (!command) return unknown_command(argv[0]);
    return command->alone && steep_place_find().rank > 0 ? leave_to_rank_0(argv[0]) : command->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stdout);
        return 0;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0) {
        printf("steep %s (%s)\n", STEEP_VERSION, steep_provenance_commit());
        return 0;
    }
    bool help = strcmp(word, "help") == 0;
    if ((help && argc == 2) || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_usage(stdout);
        return 0;
    }
    if (help) {
        char flag[] = "--help", *shown[] = {argv[2], flag, NULL};
        return run_command(2, shown);
    }
    return run_command(argc - 1, argv + 1);
}

/* jansson, FLINT, GMP and GLPK end by an assertion, by abort(), or in somebody else's memory where they find no room:
 * it is told here instead. */
static void *found(void *memory, size_t size)
{
    if (memory || size == 0) return memory;
    fputs("steep: no memory: use fewer samples, smaller widths or fewer jobs; what is done is kept, the same command "
          "goes "
          "on from there\n",
          stderr);
    exit(1);
}

static void *allocate(size_t size)
{
    return found(malloc(size), size);
}

static void *allocate_zeros(size_t count, size_t size)
{
    return found(calloc(count, size), count * size);
}

static void *reallocate(void *memory, size_t size)
{
    return found(realloc(memory, size), size);
}

static void *reallocate_from(void *memory, size_t before, size_t size)
{
    (void)before;
    return reallocate(memory, size);
}

static void free_sized(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

static void glpk_failed(void *nothing)
{
    (void)nothing;
    fputs("steep: GLPK ended, most likely for want of memory: use fewer points or a smaller width\n", stderr);
    exit(1);
}

static void guard_libraries(void)
{
    gsl_set_error_handler_off(); /* errors come back as statuses */
    json_set_alloc_funcs(allocate, free);
    mp_set_memory_functions(allocate, reallocate_from, free_sized);
    __flint_set_memory_functions(allocate, allocate_zeros, reallocate, free);
    if (glp_init_env() == 2) found(NULL, 1);
    glp_error_hook(glpk_failed, NULL);
}

/* Where nobody reads standard output any more a program of a pipe ends by SIGPIPE, without a word. */
static void end_as_in_a_pipe(void)
{
    struct pollfd out = {.fd = 1, .events = POLLOUT};
    if (poll(&out, 1, 0) != 1 || !(out.revents & POLLERR)) return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

int main(int argc, char **argv)
{
    if (!steep_streams_open()) return 1;
    guard_libraries();
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        end_as_in_a_pipe();
        fputs("steep: cannot write to standard output: use a place with room\n", stderr);
        if (status == 0) status = 1;
    }
    return status;
}
