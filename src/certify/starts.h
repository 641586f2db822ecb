/* SPDX-License-Identifier: GPL-3.0-or-later */
/* starts: where searches begin that are not piecewise linear in one dimension: random networks, the narrower one with a
 * unit more, and constructions that are known for witnesses of the table.. */
#pragma once

#include "base/random.h"
#include "certify/kinks.h"
#include "certify/witness.h"
#include "model/network.h"

#define STEEP_STARTS_FREE ((size_t)-1)
#define STEEP_STARTS_EACH ((size_t)-2)

typedef struct steep_starts {
    const steep_network *network;
    const steep_target *witness;
    const steep_witness *row; /* NULL: none of the table */
    const steep_kinks *kinks; /* of the witness */
    bool has_kinks;           /* units have */
    double size, beyond;      /* size: 0, or gates are as steep as this to twice this; this share of them stands outside
                               * the box, on either side, where units have no kinks */
    double lambda;            /* of the witness */
    const double *narrower;   /* a network of width - 1, or NULL */
} steep_starts;

/* A random network. lay, for units of several maps and a witness with kinks: lays all units out alike, one map on one
 * kink of the witness, the others across it; which map and which kink go by the number lay, in turn. STEEP_STARTS_EACH:
 * most units, each on a kink of its own. STEEP_STARTS_FREE: each gate for itself. */
void steep_starts_draw(const steep_starts *starts, steep_random *random, size_t lay, double *theta);

/* Blocks of the narrower network, and one random unit more with an output weight of 0, drawn as lay says. Fails as
 * steep_network_init does. */
steep_status steep_starts_widen(const steep_starts *starts, steep_random *random, size_t lay, double *theta,
                                steep_error *error);

/* Starts that are known for witnesses of the table, number by number (fewer than STEEP_STARTS_KNOWN); the units that
 * they leave out are drawn, with output weights of 0. False: there is none of this number. */
enum { STEEP_STARTS_KNOWN = 5 };
bool steep_starts_known(const steep_starts *starts, steep_random *random, size_t number, double *theta);
