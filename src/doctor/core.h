/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the internal headers of the core that this annex includes beside the public ones. */
#pragma once

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "execute/backend.h"
#include "numerics/dense.h"
#include "record/provenance.h"
