/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what papers needs of the core beside the public headers and its algebra (core_numerics.h). */
#ifndef STEEP_PAPERS_CORE_H
#define STEEP_PAPERS_CORE_H

#include "base/status.h"
#include "data/target.h"
#include "formula/formula.h"
#include "model/network.h"
#include "model/written.h"

#endif
