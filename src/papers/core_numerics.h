/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_numerics: what papers needs of the core's algebra. */
#ifndef STEEP_PAPERS_CORE_NUMERICS_H
#define STEEP_PAPERS_CORE_NUMERICS_H

#include "numerics/dense.h"
#include "numerics/elementary.h"
#include "numerics/polynomial.h"
#include "numerics/qr.h"

#endif
