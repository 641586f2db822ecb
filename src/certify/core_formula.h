/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_formula: the programs of formulas, for evaluators of certify. Apart from core.h, since operations and activations
 * share names. */
#ifndef STEEP_CERTIFY_CORE_FORMULA_H
#define STEEP_CERTIFY_CORE_FORMULA_H

#include "formula/program.h"

#endif
