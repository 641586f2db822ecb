/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what the cluster needs of the core beside its public headers. */
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
