/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz: what the harnesses share. A harness takes any bytes, gives them to one reader of Steep, and checks the result
 * by a second route. A broken rule ends the process by fuzz_broken, as a fault that a sanitizer finds does. "make fuzz"
 * runs them with libFuzzer, tests/test_fuzz.c with every file of tests/fuzz/corpus. */
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

/* The error of the last call. */
extern steep_error fuzz_error;

/* False if the call was refused, which is allowed with a message. A lack of memory is never right: no input of this
 * size needs so much. */
bool fuzz_accepted(steep_status status);

/* For a call that must succeed. */
void fuzz_must(const char *what, steep_status status);

/* Returns memory filled with 0; a lack of memory ends the process. */
void *fuzz_new(size_t count, size_t size);

/* first: the first line, as text up to its first 0, to be freed; rest: the `size` bytes of the input behind it. */
typedef struct fuzz_text {
    char *first;
    const uint8_t *rest;
    size_t size;
} fuzz_text;
fuzz_text fuzz_split(const uint8_t *data, size_t size);

/* Splits a line at blanks, in place, into word[0..room-1]. Returns how many words there are. */
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
