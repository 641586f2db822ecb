/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/failure.h"
#include "base/named.h"

void steep_table_put(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    if (!strpbrk(text, ",;\t\"\n\r") && *text != '#' && *text != ' ' && (length == 0 || text[length - 1] != ' ')) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void steep_table_put_number(FILE *stream, double value, char after)
{
    char text[STEEP_DECIMAL_ROOM];
    steep_decimal(value, text);
    fputs(text, stream);
    fputc(after, stream);
}

void steep_table_put_numbers(FILE *stream, const double *value, size_t count, char after)
{
    for (size_t i = 0; i < count; i++) steep_table_put_number(stream, value[i], i + 1 < count ? ',' : after);
}

/* What went wrong with a stream: an error's number, or that a write failed while nobody looked at why. */
enum { UNKNOWN = -1 };

/* Why an earlier write to the stream failed: what the next ones say, of so many bytes, if they fail too. */
static int reason_of(FILE *stream, size_t bytes)
{
    static const char blanks[1 << 14] = "\n";
    ssize_t some = 0;
    while (bytes > 0 && (some = write(fileno(stream), blanks, bytes < sizeof blanks ? bytes : sizeof blanks)) > 0)
        bytes -= (size_t)some;
    return some < 0 ? errno : UNKNOWN;
}

static steep_status cannot_write(const char *path, int code, const char *more, steep_error *error)
{
    return steep_fail(error, code == UNKNOWN ? STEEP_IO : steep_failure_of(code), "%s: cannot be written: %s%s", path,
                      code == UNKNOWN ? "an earlier write failed" : strerror(code), more);
}

steep_status steep_table_begin(const char *path, FILE **stream, steep_error *error)
{
    char *name = steep_named_temporary(path);
    *stream = NULL;
    if (!name) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to write it", path);
    unlink(name); /* of a killed thread of the same number, or a link that somebody laid there */
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    int code = file < 0 ? errno : 0;
    if (file >= 0 && !(*stream = fdopen(file, "w"))) {
        code = errno;
        close(file);
        unlink(name);
    }
    steep_status status = STEEP_OK;
    if (code) status = cannot_write(name, code, "", error);
    free(name);
    return status;
}

/* Is it path itself that is written to (base/named.h), and not the file beside it? */
static bool is_itself(FILE *stream, const char *path)
{
    struct stat own, named;
    return fstat(fileno(stream), &own) == 0 && stat(path, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

/* What a stream of its own kind, which nothing replaces, says at its end. */
static steep_status commit_itself(FILE *stream, const char *path, steep_error *error)
{
    int code = ferror(stream) ? reason_of(stream, 1) : 0;
    if (fflush(stream) != 0 && !code) code = errno;
    if (fclose(stream) != 0 && !code) code = errno;
    return code ? cannot_write(path, code, "", error) : STEEP_OK;
}

steep_status steep_table_commit(FILE *stream, const char *path, steep_error *error)
{
    if (is_itself(stream, path)) return commit_itself(stream, path, error);
    char *name = steep_named_temporary(path);
    int code = !name ? ENOMEM : ferror(stream) ? reason_of(stream, 1 << 16) : 0;
    if (fflush(stream) != 0 && !code) code = errno;
    if (!code && fsync(fileno(stream)) != 0) code = errno;
    if (fclose(stream) != 0 && !code) code = errno;
    if (!name) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to write it", path);
    if (!code && rename(name, path) != 0) code = errno;
    steep_status status = STEEP_OK;
    if (code) {
        status = cannot_write(path, code, "; what stood there before is unchanged", error);
        remove(name);
    }
    free(name);
    return status;
}

void steep_table_abandon(FILE *stream, const char *path)
{
    const bool itself = is_itself(stream, path);
    char *name = steep_named_temporary(path);
    fclose(stream);
    if (name && !itself) unlink(name);
    free(name);
}
