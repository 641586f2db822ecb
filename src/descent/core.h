/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the internal headers of the core that this annex includes beside the public ones. */
#pragma once

#include "base/block.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/sizes.h"
#include "fit/cost.h"
#include "fit/objective.h"
#include "fit/penalty.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/symmetric.h"
