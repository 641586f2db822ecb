/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the internal headers of the core that this annex includes beside the public ones. */
#pragma once

#include "base/block.h"
#include "base/inline.h"
#include "base/option_rows.h"
#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "data/columns.h"
#include "draw/figure.h"
#include "formula/formula.h"
#include "numerics/dense.h"
#include "numerics/elementary.h"
#include "numerics/sort.h"
#include "numerics/symmetric.h"
#include "record/folder.h"
#include "slope/mixture.h"
#include "study/session.h"
