/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the headers of the core's rooms that bounds need beside the public headers. */
#pragma once

#include "base/block.h"
#include "base/inline.h"
#include "base/status.h"
#include "data/samples.h"
#include "data/target.h"
#include "numerics/quadrature.h"
#include "numerics/symmetric.h"
#include "study/limits.h"
