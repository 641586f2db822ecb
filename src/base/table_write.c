/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* gettid */
#include "base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

/* The character that is written for c; plain: for gnuplot. */
static char shown(char c, bool plain)
{
    return !plain ? c : (unsigned char)c < ' ' ? ' ' : c == '"' ? '\'' : c;
}

static void put(FILE *stream, const char *text, bool plain, char after)
{
    const size_t length = strlen(text);
    const bool blank = length > 0 && (shown(*text, plain) == ' ' || shown(text[length - 1], plain) == ' ');
    const bool quoted = strpbrk(text, plain ? ",;" : ",;\t\"\n\r") || *text == '#' || blank;
    if (quoted) fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"' && !plain) fputc('"', stream);
        fputc(shown(*text, plain), stream);
    }
    if (quoted) fputc('"', stream);
    if (after) fputc(after, stream);
}

void steep_table_put(FILE *stream, const char *text, char after)
{
    put(stream, text, false, after);
}

void steep_table_put_plain(FILE *stream, const char *text, char after)
{
    put(stream, text, true, after);
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

/* In place of errno: a write failed earlier, and its errno was not kept. */
enum { UNKNOWN = -1 };

/* Why an earlier write to the stream failed: the errno of writing up to `bytes` more; UNKNOWN if that succeeds, and for
 * a pipe or a terminal, which may have been full for a moment. */
static int reason_of(FILE *stream, size_t bytes)
{
    static const char blanks[1 << 14] = "\n";
    ssize_t some = 0;
    if (lseek(fileno(stream), 0, SEEK_CUR) < 0) return UNKNOWN;
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
    const steep_path name = steep_named_temporary(path);
    *stream = NULL;
    unlink(name.text); /* the file of a killed thread with the same number, or a link that somebody put there */
    int file = open(name.text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    int code = file < 0 ? errno : 0;
    if (file >= 0 && !(*stream = fdopen(file, "w"))) {
        code = errno;
        close(file);
        unlink(name.text);
    }
    return code ? cannot_write(path, code, "", error) : STEEP_OK;
}

/* Does the stream write to path itself (base/table.h), and not to the temporary file beside it? */
static bool is_itself(FILE *stream, const char *path)
{
    struct stat own, named;
    return fstat(fileno(stream), &own) == 0 && stat(path, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

/* A device or a pipe that is written to directly is neither synced nor renamed. */
steep_status steep_table_end(FILE *stream, const char *path, steep_status rows, steep_error *error)
{
    const bool itself = is_itself(stream, path);
    const steep_path name = steep_named_temporary(path);
    if (rows < 0 || rows == STEEP_STOPPED) {
        fclose(stream);
        if (!itself) remove(name.text);
        return rows;
    }
    int code = ferror(stream) ? reason_of(stream, itself ? 1 : 1 << 16) : 0;
    if (fflush(stream) != 0 && !code) code = errno;
    if (!itself && !code && fsync(fileno(stream)) != 0) code = errno;
    if (fclose(stream) != 0 && !code) code = errno;
    if (!itself && !code && rename(name.text, path) != 0) code = errno;
    if (!code) return rows;
    if (!itself) remove(name.text);
    return cannot_write(path, code, itself ? "" : "; what stood there before is unchanged", error);
}

bool steep_named_stands(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || S_ISDIR(facts.st_mode)) return false;
    /* Links in /dev lead to streams: /dev/stdout, /dev/fd/3. In /dev/shm are files. */
    const bool device = strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
    return !S_ISREG(facts.st_mode) || device || strncmp(path, "/proc/", 6) == 0;
}

static steep_status open_as_it_stands(const char *path, FILE **stream, steep_error *error)
{
    /* Opened anew, a file behind standard output would be written from its beginning. */
    const int file = strcmp(path, "/dev/stdout") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                                      : open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    *stream = file < 0 ? NULL : fdopen(file, "w");
    if (*stream) return STEEP_OK;
    const steep_status status = steep_fail(error, errno == ENOMEM ? STEEP_NO_MEMORY : STEEP_BAD_INPUT,
                                           "--out %s: cannot be written to: %s", path, strerror(errno));
    if (file >= 0) close(file);
    return status;
}

steep_path steep_named_temporary(const char *path)
{
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    const pid_t thread = gettid();
    const uint64_t sum = steep_hash_bytes(steep_hash_text(STEEP_HASH_START, host), &thread, sizeof thread);
    steep_path name;
    snprintf(name.text, sizeof name.text, "%s.%08x.tmp", path, (unsigned)(sum ^ sum >> 32));
    return name;
}

bool steep_named_is_temporary(const char *name)
{
    const size_t length = strlen(name);
    if (length <= STEEP_NAMED_TEMPORARY) return false;
    const char *end = name + length - STEEP_NAMED_TEMPORARY;
    return *end == '.' && strspn(end + 1, "0123456789abcdef") == 8 && strcmp(end + 9, ".tmp") == 0;
}

steep_status steep_named_begin(const char *path, FILE **stream, steep_error *error)
{
    struct stat facts;
    steep_error why = {{0}};
    *stream = NULL;
    if (!*path) return steep_fail(error, STEEP_BAD_INPUT, "--out '': use the name of a file");
    if (steep_named_stands(path)) return open_as_it_stands(path, stream, error);
    const char *end = path + strlen(path) - 1;
    if (*end == '/' || (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return steep_fail(error, STEEP_BAD_INPUT, "--out %s: this is a folder: use the name of a file", path);
    const steep_status status = steep_table_begin(path, stream, &why);
    if (status == STEEP_OK) return status;
    return steep_fail(error, steep_input_status(status), "--out %s: use a file in a folder that can be written to",
                      why.text);
}
