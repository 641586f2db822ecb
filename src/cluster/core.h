/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the internal headers of the core that this annex includes beside the public ones. */
#pragma once

#include "base/block.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/status.h"
#include "base/text.h"
#include "execute/backend.h"
#include "execute/object.h"
#include "execute/place.h"
#include "execute/pool.h"
#include "record/provenance.h"
#include "study/sweep.h"
