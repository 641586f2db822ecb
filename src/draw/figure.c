/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: scripts written in one stroke, gnuplot run as a child with its complaints caught. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
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

/* Starts gnuplot in the folder, without users' own settings (-d), stdin and stdout closed off, stderr into the pipe;
 * returns posix_spawnp's error number. */
static int start(const char *folder, char *script, int complaints[2], pid_t *child)
{
    char *argv[] = {(char[]){"gnuplot"}, (char[]){"-d"}, script, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, complaints[1], 2);
    if (!failed) failed = posix_spawn_file_actions_addchdir_np(&actions, folder);
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

static steep_status run(const char *folder, char *script, steep_error *error)
{
    int complaints[2], outcome = 0;
    pid_t child;
    if (pipe(complaints) != 0) return steep_fail(error, STEEP_IO, "no pipe for gnuplot: %s", strerror(errno));
    for (int i = 0; i < 2; i++) fcntl(complaints[i], F_SETFD, FD_CLOEXEC);
    int failed = start(folder, script, complaints, &child);
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

steep_status steep_figure_draw(const char *folder, const char *name, const char *head, const char *body,
                               steep_error *error)
{
    char *path = steep_figure_text("%s/%s.gp", folder, name);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    FILE *stream = steep_table_begin(path, error);
    steep_status status = STEEP_IO;
    if (stream) {
        fprintf(stream, "%s\n%s\n%s", STEEP_FIGURE_STYLE, head, body);
        status = steep_table_commit(stream, path, error);
    }
    if (status >= 0) status = run(folder, path + strlen(folder) + 1, error);
    free(path);
    return status;
}

/* gnuplot counts lines where steep counts rows, and ends a field at a doubled quote and a comma. */
static steep_status check_lines(const steep_table *table, steep_error *error)
{
    if (table->torn)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: the last line is cut short: write the file anew", table->path);
    for (size_t row = 0; row < table->rows; row++) {
        bool apart = row > 0 && table->line[row] != table->line[row - 1] + 1;
        for (size_t i = 0; i < table->columns; i++)
            apart |= strpbrk(table->cell[row * table->columns + i], "\n\"") != NULL;
        if (apart)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s, line %zu: gnuplot reads a row a line: remove blank lines, comments, and line breaks "
                              "and quotes within fields",
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
    steep_status status = text ? steep_figure_draw(folder, name, "", text, error) : STEEP_IO;
    free(text);
    return status;
}
