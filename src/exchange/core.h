/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the internal headers of the core that this annex includes beside the public ones. */
#pragma once

#include "base/block.h"
#include "base/random.h"
#include "fit/cost.h"
#include "fit/greedy.h"
#include "fit/penalty.h"
#include "fit/rows.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/fold.h"
#include "numerics/gram.h"
