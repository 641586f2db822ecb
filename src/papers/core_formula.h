/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_formula: the programs of formulas. Apart from core.h, since operations and activations share names. */
#ifndef STEEP_PAPERS_CORE_FORMULA_H
#define STEEP_PAPERS_CORE_FORMULA_H

#include "formula/program.h"
#include "formula/tape.h"

#endif
