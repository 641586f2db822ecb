/* SPDX-License-Identifier: GPL-3.0-or-later */
/* witness: the functions that separate architectures in W^{1,inf}, the classes that they are held against, and what is
 * proved about the two. */
#ifndef STEEP_CERTIFY_WITNESS_H
#define STEEP_CERTIFY_WITNESS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/target.h"
#include "model/architecture.h"

/* Targets of the catalogue that separate two classes. what: which. */
typedef struct steep_witness {
    const char *name;
    bool has_lambda; /* the target's parameter */
    const char *what;
} steep_witness;

const steep_witness *steep_witness_table(size_t index);
const char *steep_witness_names(size_t index);

/* A witness by name, with this lambda where it has one; or any other target, by name or formula. *row: the table's,
 * NULL for any other. */
steep_status steep_witness_open(const char *text, double lambda, const steep_witness **row, steep_target **witness,
                                steep_error *error);

/* A class of networks without output bias: a row of the table of architectures with its choice; an activation (relu:
 * mlp with it); a pair of them (relu*tanh: h = relu(z1) tanh(z2)); or a unit by formula. */
typedef struct steep_class {
    char *name;
    const steep_architecture *architecture;
    steep_choice choice;
    struct steep_written *written; /* of a pair or formula; NULL: none */
} steep_class;

/* dictionary, gate: as for --arch, NULL: the row's own. STEEP_BAD_INPUT names what is not known. The caller frees. */
steep_status steep_class_open(const char *text, const char *dictionary, const char *gate, steep_class *opened,
                              steep_error *error);
void steep_class_free(steep_class *opened);

/* A lower bound of W = E0 + E1 over the class at this width, and who proved it. */
typedef struct steep_bound {
    double value;       /* NaN: none is known */
    double sharp;       /* the greatest lower bound where it is known, else NaN */
    const char *source; /* "" for none */
} steep_bound;

/* For the Euclidean norm of gradients; with the maximum norm the bounds on one entry hold as well, for they are proved
 * for the derivative across one kink. */
steep_bound steep_witness_bound(const steep_witness *row, const steep_class *among, size_t width, double lambda);

#endif
