/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stored: networks in files, as steep fit writes them (parameters.json): every number exact, with a format number. */
#ifndef STEEP_MODEL_STORED_H
#define STEEP_MODEL_STORED_H

#include "formula/formula.h"
#include "model/network.h"

#define STEEP_STORED_FORMAT 1

typedef struct steep_stored {
    steep_network network;
    double *theta;                                  /* network.parameters entries, laid out as network.h says */
    struct steep_written *written;                  /* the unit, where it is one by formula */
    double low[STEEP_MAX_DIM], high[STEEP_MAX_DIM]; /* the box of its training points; NaN where the file has none */
} steep_stored;

/* Reads a network. extra: units in C from outside the library, by which a name is looked up first (NULL, 0 for none).
 * STEEP_IO where the file cannot be read; STEEP_BAD_INPUT, naming file and place, for anything that is no such network:
 * torn or other JSON, another format, an unknown unit, blocks that do not fit, a number that is none. */
steep_status steep_stored_read(const char *path, const steep_architecture *const *extra, size_t extra_count,
                               steep_stored *stored, steep_error *error);
void steep_stored_free(steep_stored *stored);

#endif
