/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what certify needs of the core's rooms beside the public headers. */
#pragma once

#include "base/clock.h"
#include "base/options.h"
#include "base/random.h"
#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "data/target.h"
#include "draw/figure.h"
#include "fit/solvers.h"
#include "formula/formula.h"
#include "model/activation.h"
#include "model/architecture.h"
#include "model/evaluate.h"
#include "model/network.h"
#include "model/scaling.h"
#include "model/stored.h"
#include "model/written.h"
#include "plan/range.h"
#include "record/folder.h"
#include "study/session.h"
