/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const fuzz_harness fuzz_harnesses[] = {
    {"formula", fuzz_formula}, {"csv", fuzz_csv},       {"journal", fuzz_journal}, {"network", fuzz_network},
    {"options", fuzz_options}, {"figure", fuzz_figure}, {"slope", fuzz_slope},     {NULL, NULL}};

static char folder[64];
static pid_t owner;

void fuzz_broken(const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text) length = sizeof text - 1;
    text[length++] = '\n';
    if (write(2, "fuzz: ", 6) + write(2, text, (size_t)length) < 0) abort();
    fuzz_remove();
    abort();
}

steep_error fuzz_error;

bool fuzz_accepted(steep_status status)
{
    if (status == STEEP_NO_MEMORY) fuzz_broken("no memory: %s", fuzz_error.text);
    if (status < 0 && !fuzz_error.text[0]) fuzz_broken("%s without a message", steep_status_name(status));
    fuzz_error.text[0] = '\0';
    return status >= 0;
}

void fuzz_must(const char *what, steep_status status)
{
    if (status != STEEP_OK) fuzz_broken("%s: %s", what, fuzz_error.text);
}

void *fuzz_new(size_t count, size_t size)
{
    void *zeros = calloc(count, size);
    if (!zeros) fuzz_broken("no memory for %zu times %zu bytes", count, size);
    return zeros;
}

fuzz_text fuzz_split(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    fuzz_text text = {fuzz_new(length + 1, 1), data + length + (end != NULL), size - length - (end != NULL)};
    if (length) memcpy(text.first, data, length);
    return text;
}

size_t fuzz_words(char *line, char **word, size_t room)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *w = strtok_r(line, " ", &rest); w && count < room; w = strtok_r(NULL, " ", &rest)) word[count++] = w;
    return count;
}

const char *fuzz_path(const char *name)
{
    static char path[4][100];
    static unsigned turn;
    if (!folder[0] || owner != getpid()) {
        strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/steep-fuzz-XXXXXX" : "/tmp/steep-fuzz-XXXXXX");
        if (!mkdtemp(folder)) abort();
        owner = getpid();
        atexit(fuzz_remove);
    }
    if (!name) return folder;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

void fuzz_remove(void)
{
    if (!folder[0] || owner != getpid()) return;
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        unlinkat(dirfd(entries), entry->d_name, 0); /* harnesses make no folders */
    if (entries) closedir(entries);
    rmdir(folder);
    folder[0] = '\0';
}

void fuzz_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
        fuzz_broken("%s cannot be written", path);
}

char *fuzz_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    long length = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text || fseek(file, 0, SEEK_SET) != 0 || fread(text, 1, (size_t)length, file) != (size_t)length)
        fuzz_broken("%s cannot be read", path);
    fclose(file);
    text[length] = '\0';
    *size = (size_t)length;
    return text;
}

bool fuzz_same(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}
