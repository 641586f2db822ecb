/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <flint/flint.h>
#include <gmp.h>
#include <gsl/gsl_errno.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/cli.h"
#include "execute/place.h"
#include "record/provenance.h"
#include "steep.h"

static void print_usage(void)
{
    puts("Usage: steep COMMAND [OPTIONS]\n\n"
         "Fits shallow networks of growing width and measures the slope of error against parameters.\n\nCommands:");
    const steep_command *command;
    for (size_t i = 0; (command = steep_cli_command(i)); i++) printf("  %-10s %s\n", command->name, command->what);
    puts("\n\"steep COMMAND --help\" lists a command's options; \"steep --version\" prints the version.\n"
         "Exit status: 0 success, 1 a failed run, 2 bad use or bad input.");
}

static int unknown_command(const char *name)
{
    static const char *const meant[][2] = {
        {"plot", "figure"},          {"draw", "figure"}, {"show", "list' or 'report"},
        {"train", "fit' or 'sweep"}, {"run", "sweep"},   {"info", "doctor"}};
    const char *near = steep_options_nearest(name, steep_cli_command_names);
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (strcmp(name, meant[i][0]) == 0) near = meant[i][1];
    if (near) fprintf(stderr, "steep: '%.80s' is no command: did you mean '%s'?\n", name, near);
    else fprintf(stderr, "steep: '%.80s' is no command: \"steep help\" lists them\n", name);
    return 2;
}

static int run_command(int argc, char **argv)
{
    const steep_command *command = steep_cli_find(argv[0]);
    const steep_place place = steep_place_find();
    if (!command) return unknown_command(argv[0]);
    if (command->alone && place.rank > 0) {
        fprintf(stderr,
                "steep: by %s this is process %zu of %zu, and process 0 alone does %s; if no %s started it, unset %s, "
                "which is left over in this shell\n",
                place.sign, place.rank, place.size, argv[0], place.starter, place.sign);
        return 0;
    }
    if (command == &steep_command_completion && argc > 1 && strcmp(argv[1], "words") == 0)
        return steep_cli_complete(argc - 2, argv + 2);
    return steep_cli_run(command, argc, argv);
}

static int dispatch(int argc, char **argv)
{
    const char *word = argc < 2 ? "help" : argv[1];
    const bool help = strcmp(word, "help") == 0;
    char flag[] = "--help";
    if (help && argc > 2) return run_command(2, (char *[]){argv[2], flag, NULL});
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0)
        printf("steep %s (%s)\n", STEEP_VERSION, steep_this_build.commit);
    else if (help || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) print_usage();
    else return run_command(argc - 1, argv + 1);
    return 0;
}

/* Ends the program without memory, where jansson, FLINT and GMP would fail an assertion, abort, or write elsewhere. */
static void *found(void *memory, size_t size)
{
    if (memory || size == 0) return memory;
    fputs("steep: no memory: use fewer samples, smaller widths or fewer jobs; what is done is kept, the same command "
          "goes on from there\n",
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

/* Where nobody reads standard output any more, ends without a message by SIGPIPE, as programs in a pipe do. */
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
    gsl_set_error_handler_off(); /* errors come back as statuses */
    json_set_alloc_funcs(allocate, free);
    mp_set_memory_functions(allocate, reallocate_from, NULL); /* NULL: free(3) */
    __flint_set_memory_functions(allocate, allocate_zeros, reallocate, free);
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        end_as_in_a_pipe();
        fputs("steep: cannot write to standard output: use a place with room\n", stderr);
        if (status == 0) status = 1;
    }
    return status;
}
