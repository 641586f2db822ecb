/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz: what the harnesses share. A harness takes any bytes, gives them to one reader of Steep, and holds what comes
 * back against a second route. What must never be ends the process by fuzz_broken, as a fault that a sanitizer finds
 * does. "make fuzz" runs them with libFuzzer, tests/test_fuzz.c with every file of tests/fuzz/corpus. */
#ifndef STEEP_TESTS_FUZZ_FUZZ_H
#define STEEP_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

void fuzz_formula(const uint8_t *data, size_t size);
void fuzz_csv(const uint8_t *data, size_t size);
void fuzz_journal(const uint8_t *data, size_t size);
void fuzz_network(const uint8_t *data, size_t size);
void fuzz_options(const uint8_t *data, size_t size);
void fuzz_figure(const uint8_t *data, size_t size);
void fuzz_slope(const uint8_t *data, size_t size);

extern size_t fuzz_plans; /* how many fuzz_options has made */

typedef struct fuzz_harness {
    const char *name; /* of the function, without fuzz_, and of its folder in tests/fuzz/corpus */
    void (*run)(const uint8_t *data, size_t size);
} fuzz_harness;
extern const fuzz_harness fuzz_harnesses[]; /* ends with a NULL name */

/* Says what is broken and ends the process. */
__attribute__((noreturn, format(printf, 1, 2))) void fuzz_broken(const char *format, ...);

/* What the last call said. */
extern steep_error fuzz_error;

/* False where a call was refused, as it may be: with a message. An input of this size never needs so much memory that
 * there is none. */
bool fuzz_accepted(steep_status status);

/* A call that nothing may refuse. */
void fuzz_must(const char *what, steep_status status);

/* Zeros, which there is room for. */
void *fuzz_new(size_t count, size_t size);

/* The input as text, up to its first 0, and how it goes on behind its first line; free(first). */
typedef struct fuzz_text {
    char *first;
    const uint8_t *rest;
    size_t size;
} fuzz_text;
fuzz_text fuzz_split(const uint8_t *data, size_t size);

/* Splits a line at blanks, in place, into word[0..room-1]; how many there are. */
enum { FUZZ_WORDS = 40 };
size_t fuzz_words(char *line, char **word, size_t room);

/* "FOLDER/name" of a folder of this process, static; FOLDER with name NULL. fuzz_remove removes it. */
const char *fuzz_path(const char *name);
void fuzz_write(const char *path, const void *data, size_t size);
char *fuzz_read(const char *path, size_t *size);
void fuzz_remove(void);

/* Whether two numbers are the same to the bit; any NaN is any other. */
bool fuzz_same(double a, double b);

#endif
