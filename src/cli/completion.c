/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep completion: the shell asks the installed program what may stand at the cursor. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "model/architecture.h"

/* The script that the shell runs. Status 3 of the program: the word is the name of a file. */
static const char script[] =
    "# Completion of steep for bash. In ~/.bashrc: eval \"$(steep completion bash)\"\n"
    "_steep() {\n"
    "    local IFS=$'\\n' status\n"
    "    COMPREPLY=($(\"$1\" completion words \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null))\n"
    "    status=$?\n"
    "    if [ \"$status\" -eq 3 ]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]#=}\"))\n"
    "    fi\n"
    "}\n"
    "complete -F _steep steep\n";

enum { DONE = 0, FILES = 3 };

static STEEP_NAMES(shells, "bash")

/* Options without a command. */
static STEEP_NAMES(general, "--help", "--version")

/* The words as they were typed. Bash passes "--arch=mlp:relu" in pieces, "--arch", "=", "mlp", ":", "relu", and expects
 * completions of the last piece: an offer leaves out the first `given` characters of current. */
typedef struct line {
    char command[256], before[256], current[1024];
    size_t words, given;
} line;

static bool is_break(const char *word)
{
    return *word && word[strspn(word, "=:")] == '\0';
}

static line read_line(int count, char **word)
{
    line l = {.words = 0};
    for (int i = 0; i < count; i++) {
        bool joined = i > 0 && (is_break(word[i]) || is_break(word[i - 1]));
        size_t used = joined ? strlen(l.current) : 0;
        if (!joined) {
            snprintf(l.before, sizeof l.before, "%.255s", l.current);
            l.words++;
        }
        snprintf(l.current + used, sizeof l.current - used, "%s", word[i]);
        l.given = is_break(word[i]) ? strlen(l.current) : used;
        if (l.words == 1) snprintf(l.command, sizeof l.command, "%.255s", l.current);
    }
    return l;
}

/* Prints the names that complete the current word, where a name begins after its first `fixed` characters. */
static void offer(const line *l, size_t fixed, const char *(*names)(size_t index))
{
    for (size_t i = 0; names(i); i++) {
        char whole[1400];
        snprintf(whole, sizeof whole, "%.*s%s", (int)fixed, l->current, names(i));
        if (strncmp(whole, l->current, strlen(l->current)) == 0) puts(whole + l->given);
    }
}

static void offer_options(const line *l, const steep_option_group *group)
{
    size_t length = strlen(l->current);
    for (; group->table; group++)
        for (const steep_option *o = group->table; o->name; o++)
            if (length <= 2 || strncmp(o->name, l->current + 2, length - 2) == 0) printf("--%s\n", o->name);
    if (strncmp("--help", l->current, length) == 0) puts("--help");
}

/* Offers the values of an option; the value begins at character `at` of the current word. */
static int offer_values(const line *l, const steep_option *option, size_t at)
{
    const char *value = l->current + at;
    bool targets = strcmp(option->name, "target") == 0;
    const char *(*names)(size_t index) = targets ? steep_target_names : option->choices;
    const bool list = option->kind != STEEP_OPTION_CHOICE;
    bool file = option->argument && (strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "DIR") == 0);
    if (!names) return file ? FILES : DONE;
    const char *last = list ? strrchr(value, targets ? ';' : ',') : NULL, *colon = strrchr(last ? last : value, ':');
    if (colon && names == steep_architecture_names) offer(l, (size_t)(colon + 1 - l->current), steep_activation_names);
    else offer(l, (size_t)((last ? last + 1 : value) - l->current), names);
    return DONE;
}

/* The option that a word "--name" or "--name=value" gives, if it takes a value. */
static const steep_option *option_of(const char *word, const steep_option_group *group)
{
    if (strncmp(word, "--", 2) != 0) return NULL;
    const steep_option *o = steep_options_find(group, word + 2, NULL);
    return o && o->kind != STEEP_OPTION_FLAG ? o : NULL;
}

/* Offers what may follow within a command: values, options, words or files. */
static int offer_more(const line *l, const steep_command *command, const steep_option_group *group)
{
    const steep_option *before = strchr(l->before, '=') ? NULL : option_of(l->before, group);
    const char *equals = strchr(l->current, '=');
    const steep_option *own = equals ? option_of(l->current, group) : NULL;
    if (before) return offer_values(l, before, 0);
    if (own) return offer_values(l, own, (size_t)(equals + 1 - l->current));
    if (l->current[0] == '-') offer_options(l, group);
    else if (command->words) offer(l, 0, command->words);
    else if (command->most_words > 0) return FILES;
    return DONE;
}

int steep_cli_complete(int count, char **word)
{
    const line l = read_line(count, word);
    steep_option_group group[STEEP_COMMAND_GROUPS] = {{NULL, NULL, NULL}};
    const steep_command *command = steep_cli_find(l.command);
    if (l.words <= 1 || strcmp(l.command, "help") == 0) offer(&l, 0, steep_cli_command_names);
    if (l.words <= 1 && l.current[0] == '-') offer(&l, 0, general);
    void *record = l.words > 1 && command ? calloc(1, command->size + 1) : NULL;
    if (!record) return DONE;
    steep_cli_options(command, record, group);
    const int result = offer_more(&l, command, group);
    free(record);
    return result;
}

static steep_status print_script(void *record, const steep_command_line *question, steep_error *error)
{
    (void)record;
    if (strcmp(question->word[0], "bash") == 0) return fputs(script, stdout) < 0 ? STEEP_IO : STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "steep completion '%.80s': use bash, the one shell there is",
                      question->word[0]);
}

const steep_command steep_command_completion = {
    .name = "completion",
    .what = "a script that makes bash complete commands, options and names",
    .usage = "steep completion bash",
    .about = "Prints what makes bash complete steep's commands, options, names and files. make install puts it\n"
             "where bash finds it by itself.",
    .examples = "  eval \"$(steep completion bash)\"\n",
    .work = print_script,
    .most_words = 1,
    .words_error = "steep completion takes one word: use bash",
    .words = shells,
    .alone = true,
};
