/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_formula: the programs of formulas, for evaluators of certify. Apart from core.h, since operations and activations
 * share names. */
#pragma once

#include "formula/program.h"
