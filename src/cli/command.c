/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of commands; parsing, help and run of a command. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "execute/place.h"

static const steep_command *const commands[] = {
    &steep_command_sweep,  &steep_command_contest, &steep_command_fit,
    &steep_command_join,   &steep_command_slope,   &steep_command_predict,
    &steep_command_figure, &steep_command_list,    &steep_command_completion,
};
#define COMMANDS (sizeof commands / sizeof *commands)

const steep_command *steep_cli_command(size_t index)
{
    if (index < COMMANDS) return commands[index];
    index -= COMMANDS;
    for (const steep_annex *const *annex = steep_annexes; *annex; annex++)
        if ((*annex)->command && index-- == 0) return (*annex)->command;
    return NULL;
}

const char *steep_cli_command_names(size_t index)
{
    const steep_command *command = steep_cli_command(index);
    return command ? command->name : NULL;
}

const steep_command *steep_cli_find(const char *name)
{
    return steep_cli_command(steep_options_index(steep_cli_command_names, name));
}

void steep_cli_group(steep_option_group *group, const char *title, const steep_option *table, void *record)
{
    while (group->table) group++;
    *group = (steep_option_group){title, table, record};
    steep_options_default(table, record);
}

void steep_cli_options(const steep_command *command, void *record, steep_option_group *group)
{
    if (command->table) steep_cli_group(group, "Options:", command->table, record);
    if (command->groups) command->groups(record, group);
    if (command->prints >= STEEP_PRINTS_TABLES)
        steep_cli_group(group, group->table ? NULL : "Options:", steep_cli_output_table, record);
    if (command->prints == STEEP_PRINTS_EVENTS) steep_cli_group(group, NULL, steep_cli_events_table, record);
}

static void print_help(const steep_command *command, const steep_option_group *group)
{
    if (command->usage) printf("Usage: %s\n\n%s\n", command->usage, command->about);
    else printf("Usage: steep %s [OPTIONS]\n\n%s\n", command->name, command->about);
    if (group->table) putchar('\n');
    steep_options_print(group, stdout);
    puts("  --help                   this text");
    if (command->examples) printf("\nExamples:\n%s", command->examples);
}

static steep_status parse(const steep_command *command, const steep_option_group *group, steep_command_line *line,
                          steep_error *error)
{
    const steep_status status = steep_options_parse(group, line, error);
    if (status < 0 || line->help || command->most_words == 0) return status;
    if (line->words <= command->most_words && (line->words > 0 || !command->words_error)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s", command->words_error);
}

/* Of several processes that share the work of a command, rank 0 alone prints. */
static bool is_silent(const steep_command *command)
{
    return command->together && steep_place_find().rank > 0;
}

/* Returns the exit status: 2 for STEEP_BAD_INPUT, 1 for other failures and STEEP_STOPPED, else 0. Prints failures as
 * "steep: message" on stderr; with --json every end is the event "end". output NULL: no --json. */
static int end(const steep_command *command, const steep_cli_output *output, steep_status status,
               const steep_error *error)
{
    const int code = status == STEEP_BAD_INPUT ? 2 : status < 0 || status == STEEP_STOPPED ? 1 : 0;
    const char *text = error->text[0] ? error->text : steep_status_advice(status);
    const bool unsaid = status == STEEP_NO_MEMORY && !strstr(text, "emory"); /* the text names no memory */
    const char *state = status == STEEP_STOPPED ? "stopped" : status < 0 ? "failed" : "done"; /* as in run.json */
    if (is_silent(command)) return code;
    if (output && output->json)
        STEEP_EVENT(stderr, "end", steep_fact_text("state", state), steep_fact_count("exit", (size_t)code),
                    steep_fact_text("text", code ? text : NULL));
    else if (code) fprintf(stderr, "steep: %s%s\n", text, unsaid ? ": no memory" : "");
    return code;
}

static int run(const steep_command *command, void *record, steep_command_line *line)
{
    steep_option_group group[STEEP_COMMAND_GROUPS] = {{NULL, NULL, NULL}};
    steep_error error = {{0}};
    steep_cli_options(command, record, group);
    steep_status status = parse(command, group, line, &error);
    const bool ready = status == STEEP_OK && !line->help, events = ready && command->prints == STEEP_PRINTS_EVENTS;
    if (line->help && !is_silent(command)) print_help(command, group);
    if (ready) status = command->work(record, line, &error);
    return end(command, events ? record : NULL, status, &error);
}

int steep_cli_run(const steep_command *command, int argc, char **argv)
{
    steep_command_line line = {.argc = argc, .argv = argv};
    void *record = calloc(1, command->size + 1);
    const char **word = calloc((size_t)argc + 1, sizeof *word);
    const steep_error no_memory = {"no memory for options"};
    if (command->most_words > 0) line.word = word;
    const int code = record && word ? run(command, record, &line) : end(command, NULL, STEEP_NO_MEMORY, &no_memory);
    free(word);
    free(record);
    return code;
}

void steep_cli_as_given(const steep_command_line *line, steep_model_options *model)
{
    if (model->unit && !steep_options_given(line->argc, line->argv, "arch")) model->arch = NULL;
    if (model->params && !steep_options_given(line->argc, line->argv, "widths") &&
        !steep_options_given(line->argc, line->argv, "width"))
        model->widths = NULL;
}
