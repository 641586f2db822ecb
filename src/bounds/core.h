/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what bounds need of the core's rooms beside the public headers. */
#pragma once

#include "base/clones.h"
#include "data/sample_weight.h"
#include "numerics/quadrature.h"
#include "study/limits.h"
