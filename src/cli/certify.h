/* SPDX-License-Identifier: GPL-3.0-or-later */
/* certify: steep fit --certify: the norms of a fit's error, enclosed, printed. */
#ifndef STEEP_CLI_CERTIFY_H
#define STEEP_CLI_CERTIFY_H

#include "cli/output.h"
#include "measure/norms.h"

/* What is enclosed, and who looks on. */
typedef struct steep_cli_watched {
    const steep_certify_options *options;
    const steep_cli_output *output;
    const volatile int *stop; /* non-zero ends it */
} steep_cli_watched;

/* Encloses with progress on a terminal, or for programs. What was found so far stands in certified. */
steep_status steep_cli_certify(const steep_network *network, const double *theta, const steep_target *target,
                               const steep_cli_watched *how, steep_certified *certified, steep_error *error);

enum { STEEP_CLI_INTERVAL = 80 };

/* "[low, high]" in so many digits, the ends rounded outward: what is printed holds what the interval holds. */
void steep_cli_interval(const steep_interval *interval, int digits, char text[STEEP_CLI_INTERVAL]);

/* What of the unit's formula is not the number that doubles compute with, ", leaky_relu with slope 1/100 ..", or "". */
const char *steep_cli_leak(const steep_architecture *row, const steep_choice *choice);

/* The report, a table of its own. */
void steep_cli_print_certified(const steep_network *network, const steep_certify_options *options,
                               const steep_certified *certified, steep_sheet *sheet);

#endif
