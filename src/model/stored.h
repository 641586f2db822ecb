/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stored: networks in files, as steep fit writes them (parameters.json): every number exact, with a format number.
 *
 *   format 2   has, where the points were standardized, "scaling of the data" (theta is then a network of x' and y',
 *              data/standard.h), and the names of the "columns" where they came from a file
 *   format 1   has neither; it is read, and no longer written */
#ifndef STEEP_MODEL_STORED_H
#define STEEP_MODEL_STORED_H

#include <stdint.h>

#include "data/standard.h"
#include "model/network.h"
#include "steep/network.h"

#define STEEP_STORED_FORMAT 2

#endif
