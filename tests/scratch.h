/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scratch: a folder for one test, and whole files as text. */
#ifndef STEEP_TESTS_SCRATCH_H
#define STEEP_TESTS_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

/* Removes everything in the open folder, subfolders included, and closes the folder. */
static inline void scratch_empty(int folder)
{
    DIR *entries = fdopendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(folder, entry->d_name, 0) == 0) continue;
        int inner = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY);
        if (inner >= 0) scratch_empty(inner);
        unlinkat(folder, entry->d_name, AT_REMOVEDIR);
    }
    if (entries) closedir(entries);
}

static inline void scratch_remove(const char *folder)
{
    int open_folder = open(folder, O_RDONLY | O_DIRECTORY);
    if (open_folder >= 0) scratch_empty(open_folder);
    rmdir(folder);
}

static char scratch_folder[32];
static pid_t scratch_maker;

static inline void scratch_leave(void)
{
    if (scratch_maker == getpid()) scratch_remove(scratch_folder);
}

/* Makes an empty folder, in memory if possible (files are synced often); its name is static. Each call removes the
 * folder before; the process that made the last folder removes it at its end. */
static inline const char *scratch_make(void)
{
    if (scratch_maker == 0) atexit(scratch_leave);
    scratch_leave();
    scratch_maker = getpid();
    strcpy(scratch_folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/steep-test-XXXXXX" : "/tmp/steep-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch_folder));
    return scratch_folder;
}

/* Returns "folder/name": static, valid until the fourth call after this one. */
static inline const char *scratch_path(const char *folder, const char *name)
{
    static char path[4][760];
    static unsigned turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* Returns the whole of a file, which the caller frees; NULL if there is no such file. `size` may be NULL. */
static inline char *scratch_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t room = 1 << 20;
    char *text = malloc(room + 1);
    ck_assert_ptr_nonnull(text);
    size_t used = fread(text, 1, room, file);
    fclose(file);
    ck_assert_uint_lt(used, room);
    text[used] = '\0';
    if (size) *size = used;
    return text;
}

static inline void scratch_write(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void scratch_put(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

static inline bool scratch_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Whether there is a file with this text in it. */
static inline bool scratch_holds(const char *path, const char *says)
{
    char *text = scratch_read(path, NULL);
    const bool holds = text && strstr(text, says);
    free(text);
    return holds;
}

/* Requires that two files have the same text. */
static inline void scratch_same(const char *one, const char *other)
{
    char *a = scratch_read(one, NULL), *b = scratch_read(other, NULL);
    ck_assert_msg(a && b, "%s or %s is not there", one, other);
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
}

/* The text of a CSV file without its column "seconds" (if any), which the caller frees; NULL without the file. */
static inline char *scratch_untimed(const char *path)
{
    char *text = scratch_read(path, NULL), *out = text;
    const char *header = text ? strstr(text, "seconds") : NULL, *end = text ? strchr(text, '\n') : NULL;
    size_t column = 0, timed = 0;
    bool quoted = false;
    if (!header || !end || header > end) return text;
    for (const char *c = text; c < header; c++) timed += *c == ',';
    for (const char *c = text; *c; c++) {
        quoted ^= *c == '"';
        column = quoted ? column : *c == '\n' ? 0 : column + (*c == ',');
        if (column != timed) *out++ = *c;
    }
    *out = '\0';
    return text;
}

/* How many entries the folder has, hidden ones included. */
static inline size_t scratch_count(const char *folder)
{
    DIR *entries = opendir(folder);
    size_t count = 0;
    while (entries && readdir(entries)) count++;
    if (entries) closedir(entries);
    return count >= 2 ? count - 2 : 0;
}

#endif
