/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: scripts written in one stroke, gnuplot run as a child with its complaints caught. */
#include "draw/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw/figure_parts.h"
#include "draw/scripts.h"

extern char **environ;

const char *steep_figure_style(void)
{
    return STEEP_FIGURE_STYLE;
}

char *steep_figure_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void steep_figure_quote(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', stream);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, stream);
    }
    fputc('\'', stream);
}

/* Starts gnuplot with stdin and stdout closed off and stderr into the pipe; returns posix_spawnp's error number. */
static int start(char *const *argv, int complaints[2], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, complaints[1], 2);
    if (!failed) failed = posix_spawn_file_actions_addclose(&actions, complaints[0]);
    if (!failed) failed = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Reads everything there is, keeps what fits, as one line. */
static void listen(int file, char *text, size_t size)
{
    char part[512];
    size_t length = 0;
    for (;;) {
        ssize_t got = read(file, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (ssize_t i = 0; i < got; i++) {
            char c = (unsigned char)part[i] < ' ' ? ' ' : part[i];
            bool doubled = c == ' ' && (length == 0 || text[length - 1] == ' ');
            if (!doubled && length + 1 < size) text[length++] = c;
        }
    }
    text[length] = 0;
}

/* Waits for the child; *outcome as waitpid has it. */
static bool await(pid_t child, int *outcome)
{
    pid_t ended;
    do ended = waitpid(child, outcome, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child;
}

static steep_status spawn(char *const *argv, const char *folder, const char *script, steep_error *error)
{
    int complaints[2], outcome = 0;
    pid_t child;
    if (pipe(complaints) != 0) return steep_fail(error, STEEP_IO, "no pipe for gnuplot: %s", strerror(errno));
    for (int i = 0; i < 2; i++) fcntl(complaints[i], F_SETFD, FD_CLOEXEC);
    int failed = start(argv, complaints, &child);
    close(complaints[1]);
    char said[256];
    if (failed) {
        close(complaints[0]);
        return steep_fail(error, STEEP_IO,
                          "%s/%s is written but not drawn: gnuplot could not be started (%s); install the package "
                          "gnuplot-nox (Debian: apt install gnuplot-nox), then run \"gnuplot %s\" in that folder",
                          folder, script, strerror(failed), script);
    }
    listen(complaints[0], said, sizeof said);
    close(complaints[0]);
    if (!await(child, &outcome)) return steep_fail(error, STEEP_IO, "lost track of gnuplot: %s", strerror(errno));
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) return STEEP_OK;
    return steep_fail(error, STEEP_IO, "%s/%s is written but not drawn: gnuplot failed (%s %d): %s", folder, script,
                      WIFEXITED(outcome) ? "exit status" : "signal",
                      WIFEXITED(outcome) ? WEXITSTATUS(outcome) : WTERMSIG(outcome), said);
}

steep_status steep_figure_run(const char *folder, const char *name, steep_error *error)
{
    /* gnuplot's own cd: the folder may have any name, quotes doubled as gnuplot reads them; -d leaves out users' own
     * settings. */
    char *script = steep_figure_text("%s.gp", name), *command = NULL, *buffer = NULL;
    size_t size;
    FILE *stream = open_memstream(&buffer, &size);
    if (stream) {
        fputs("cd ", stream);
        steep_figure_quote(stream, folder);
        fputs("; load ", stream);
        if (script) steep_figure_quote(stream, script);
        if (fclose(stream) == 0) command = buffer;
    }
    steep_status status;
    if (!script || !command) {
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a gnuplot command");
    } else {
        char *argv[] = {(char[]){"gnuplot"}, (char[]){"-d"}, (char[]){"-e"}, command, NULL};
        status = spawn(argv, folder, script, error);
    }
    free(buffer);
    free(script);
    return status;
}

steep_status steep_figure_begin(const char *folder, const char *name, steep_figure_file *file, steep_error *error)
{
    *file = (steep_figure_file){.path = steep_figure_text("%s/%s.gp", folder, name)};
    if (!file->path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    file->stream = steep_table_begin(file->path, error);
    if (!file->stream) {
        free(file->path);
        return STEEP_IO;
    }
    fputs(STEEP_FIGURE_STYLE "\n", file->stream);
    return STEEP_OK;
}

steep_status steep_figure_commit(steep_figure_file *file, steep_error *error)
{
    steep_status status = steep_table_commit(file->stream, file->path, error);
    free(file->path);
    return status;
}

/* gnuplot counts lines where steep counts rows. */
static steep_status check_lines(const steep_table *table, steep_error *error)
{
    if (table->torn)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: the last line is cut short: write the file anew", table->path);
    for (size_t row = 0; row < table->rows; row++) {
        bool apart = row > 0 && table->line[row] != table->line[row - 1] + 1;
        for (size_t i = 0; i < table->columns; i++)
            apart |= strchr(table->cell[row * table->columns + i], '\n') != NULL;
        if (apart)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s, line %zu: gnuplot reads a row a line: remove blank lines, comments and line breaks "
                              "within fields",
                              table->path, table->line[row]);
    }
    return STEEP_OK;
}

steep_status steep_figure_table(const char *folder, const char *name, const char *const *columns, size_t count,
                                size_t *column, steep_table *table, steep_error *error)
{
    char *path = steep_figure_text("%s/%s", folder, name);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_status status = steep_table_read(path, table, error);
    free(path);
    if (status < 0) return status;
    status = check_lines(table, error);
    for (size_t i = 0; i < count && status >= 0; i++) {
        column[i] = steep_table_column(table, columns[i]);
        if (column[i] == table->columns)
            status = steep_fail(error, STEEP_BAD_INPUT, "%s has no column \"%s\"", table->path, columns[i]);
    }
    if (status < 0) steep_table_free(table);
    return status;
}

/* A text file of any length; NULL with a message. */
static char *slurp(const char *path, steep_error *error)
{
    FILE *stream = fopen(path, "r");
    char *text = NULL, part[4096];
    size_t size, got;
    FILE *memory = stream ? open_memstream(&text, &size) : NULL;
    bool fine = memory != NULL;
    while (fine && (got = fread(part, 1, sizeof part, stream)) > 0) fine = fwrite(part, 1, got, memory) == got;
    if (fine) fine = !ferror(stream);
    if (memory && fclose(memory) != 0) fine = false;
    if (!fine) steep_fail(error, STEEP_IO, "cannot read %s: %s", path, strerror(errno));
    if (stream) fclose(stream);
    if (fine) return text;
    free(text);
    return NULL;
}

steep_status steep_figure_script(const char *folder, const char *name, const char *path, steep_error *error)
{
    char *text = slurp(path, error);
    if (!text) return STEEP_IO;
    steep_figure_file file;
    steep_status status = steep_figure_begin(folder, name, &file, error);
    if (status >= 0) {
        fputs(text, file.stream);
        status = steep_figure_commit(&file, error);
    }
    free(text);
    return status < 0 ? status : steep_figure_run(folder, name, error);
}
