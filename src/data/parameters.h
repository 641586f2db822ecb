/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parameters: named numbers in the formula of a catalogue's target, which its user may set: moa_type1:lambda=3. */
#pragma once

#include "base/status.h"

#define STEEP_MAX_PARAMETERS 8

/* The formula with each name of defaults ("lambda=1,beta=0") replaced by its value between parentheses: the one of
 * given (NULL: none), in the same form and in any order, else the default. Values are formulas without variables,
 * commas within parentheses belong to them. target is what messages call the formula. STEEP_BAD_INPUT: a name that
 * defaults do not have or that stands there twice, a value that is missing or no finite number. The caller frees *text,
 * which is NULL on failure. */
steep_status steep_parameters_write(const char *target, const char *formula, const char *defaults, const char *given,
                                    char **text, steep_error *error);
