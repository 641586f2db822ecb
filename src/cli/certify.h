/* SPDX-License-Identifier: GPL-3.0-or-later */
/* certify: steep fit --certify: the norms of a fit's error, enclosed, printed. */
#ifndef STEEP_CLI_CERTIFY_H
#define STEEP_CLI_CERTIFY_H

#include "measure/norms.h"

/* Encloses with progress on a terminal; *stop ends it. What was found so far stands in certified. */
steep_status steep_cli_certify(const steep_network *network, const double *theta, const steep_target *target,
                               const steep_certify_options *options, const volatile int *stop,
                               steep_certified *certified, steep_error *error);
/* Lines of the report. */
void steep_cli_print_certified(const steep_certify_options *options, const steep_certified *certified);

#endif
