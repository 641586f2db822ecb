/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stored: networks in files, as steep fit writes them (parameters.json): every number exact, with a format number.
 *
 *   format 2   has, where the points were standardized, "scaling of the data" (theta is then a network of x' and y',
 *              data/standard.h), and the names of the "columns" where the points came from a file
 *   format 3   several layers: has "layers", too
 *   format 4   residual layers: has "residual", too
 *   format 1   has none of these; it is read, but not written */
#pragma once

#include <stdint.h>

#include "data/standard.h"
#include "model/network.h"
#include "steep/network.h"

#define STEEP_STORED_FORMAT 4

typedef struct steep_stored {
    steep_network network;
    double *theta;                 /* network.parameters entries */
    struct steep_written *written; /* the unit by formula; NULL for other units */
    double *low, *high;      /* box of the training points in units of the data, one array; NaN where it is unknown */
    steep_standard standard; /* dim = 0: x and y are not scaled */
    char **x, *y;            /* names of the columns, dim and one; NULL where the file has none */
} steep_stored;

/* Reads the file of a network. STEEP_IO where the file cannot be read. STEEP_BAD_INPUT, with file and place, where it
 * is no network: torn or other JSON, another format, an unknown unit, blocks or scales that do not fit, an entry that
 * is no number. */
steep_status steep_stored_read(const char *path, steep_stored *stored, steep_error *error);

/* The two steps of steep_stored_read: the file's JSON, unchecked, and the network from it. path names the file in
 * messages. extra: the caller's units in C, in which a name is looked up first (NULL, 0: none). */
struct json_t;
steep_status steep_stored_record(const char *path, struct json_t **record, steep_error *error);
steep_status steep_stored_of(const char *path, const struct json_t *record, const steep_architecture *const *extra,
                             size_t extra_count, steep_stored *stored, steep_error *error);
void steep_stored_free(steep_stored *stored);

/* Writes y[k] at count points x (column-major), and dy/dx_j to gradient[j * count + k] unless it is NULL, all in units
 * of the data: x is scaled, the results are scaled back. Fails only with STEEP_NO_MEMORY. */
steep_status steep_stored_values(const steep_stored *stored, size_t count, const double *x, double *y,
                                 double *gradient);

/* A number of the record: NaN and infinity are written as null. */
typedef struct steep_stored_number {
    const char *name;
    double value;
} steep_stored_number;

/* The content of a file. A pointer may be NULL where its comment says so. */
typedef struct steep_stored_facts {
    const steep_network *network;
    const double *theta;
    const double *low, *high;       /* the box in the units of the data */
    const steep_standard *standard; /* NULL or dim = 0: x and y are not scaled */
    const char *const *x, *y;       /* names of the columns; both NULL: none */
    const char *target;             /* name of the target, or of the file of points */
    uint64_t seed;
    const char *status, *reason;       /* how the fit ended, */
    const steep_stored_number *number; /* and its errors, in the units of the data */
    size_t numbers;
} steep_stored_facts;

/* The record of a network. NULL: no memory, or a name in it is not UTF-8. */
struct json_t *steep_stored_describe(const steep_stored_facts *facts);

/* Writes a record to a file that steep_stored_read reads, all or nothing, and releases it. A NULL record fails. */
steep_status steep_stored_write(const char *path, struct json_t *record, steep_error *error);
