/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what papers needs of the core beside the public headers and its algebra (core_numerics.h). */
#ifndef STEEP_PAPERS_CORE_H
#define STEEP_PAPERS_CORE_H

#include "base/clock.h"
#include "data/sample_weight.h"
#include "model/pull.h"
#include "model/written.h"

#endif
