/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* gettid */
#include "base/named.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/hash.h"
#include "base/table.h"

/* Links there lead to streams: /dev/stdout, /dev/fd/3. In /dev/shm are files. */
static bool is_of_the_system(const char *path)
{
    if (strncmp(path, "/dev/shm/", 9) == 0) return false;
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

bool steep_named_stands(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || S_ISDIR(facts.st_mode)) return false;
    return !S_ISREG(facts.st_mode) || is_of_the_system(path);
}

static steep_status open_as_it_stands(const char *path, FILE **stream, steep_error *error)
{
    const int file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    *stream = file < 0 ? NULL : fdopen(file, "w");
    if (*stream) return STEEP_OK;
    const steep_status status = steep_fail(error, errno == ENOMEM ? STEEP_NO_MEMORY : STEEP_BAD_INPUT,
                                           "--out %s: cannot be written to: %s", path, strerror(errno));
    if (file >= 0) close(file);
    return status;
}

char *steep_named_temporary(const char *path)
{
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    uint64_t sum = steep_hash_text(STEEP_HASH_START, host);
    for (unsigned thread = (unsigned)gettid(), i = 0; i < 4; i++, thread >>= 8)
        sum = steep_hash_byte(sum, (unsigned char)thread);
    const size_t size = strlen(path) + STEEP_NAMED_TEMPORARY + 1;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%s.%08x.tmp", path, (unsigned)(sum ^ sum >> 32));
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
    return steep_fail(error, status == STEEP_IO ? STEEP_BAD_INPUT : status,
                      "--out %s: use a file in a folder that can be written to", why.text);
}
