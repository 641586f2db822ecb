/* SPDX-License-Identifier: GPL-3.0-or-later */
/* range: lists of words and of whole numbers, as the command line writes them. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* The words of a text, without the spaces around them. */
typedef struct steep_words {
    char **word; /* the caller frees it; the texts stand in the same block */
    size_t count;
} steep_words;

/* Splits text at the separator. An empty word is STEEP_BAD_INPUT; what names the option in the message. */
steep_status steep_words_split(const char *what, const char *text, char separator, steep_words *list,
                               steep_error *error);

/* What an option's whole numbers may be: what names the option, low and high are its range. */
typedef struct steep_range_limits {
    const char *what;
    size_t low, high;
} steep_range_limits;

/* "a", "a,b,c", "first:last", "first:last:step", "first:last:xfactor" (geometric, rounded, duplicates dropped; factor
 * from 1.001 on) into ascending distinct values; mixes of these separated by commas too. Everything else (empty,
 * reversed, negative, out of the limits) is STEEP_BAD_INPUT saying what is wrong. The caller frees. */
steep_status steep_range(const steep_range_limits *limits, const char *text, size_t **result, size_t *count,
                         steep_error *error);

/* Where value stands in an ascending list, count if it does not. */
size_t steep_range_find(const size_t *list, size_t count, size_t value);

/* Adds the values of value[more] to an ascending list of distinct values, each in its place unless it is there. */
steep_status steep_range_unite(size_t **list, size_t *count, const size_t *value, size_t more, steep_error *error);

/* "2/4" into index 2 of count 4 (1 <= index <= count <= 10000); NULL is the whole, 1/1. */
steep_status steep_shard(const char *text, size_t *index, size_t *count, steep_error *error);
