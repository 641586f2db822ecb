/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the headers that cuda uses of the core, besides public ones. Device code includes single files of these, which
 * hold inline functions or plain data and serve the CPU too, so that a unit is compiled without the solvers. */
#pragma once

#include "base/memory.h"
#include "base/clock.h"
#include "base/status.h"
#include "base/team.h"
#include "data/samples.h"
#include "execute/backend.h"
#include "execute/object.h"
#include "execute/pool.h"
#include "fit/frozen_form.h"
#include "fit/rules.h"
#include "fit/solvers.h"
#include "formula/steps.h"
#include "formula/tape.h"
#include "measure/measured.h"
#include "model/activation_jet.h"
#include "model/architecture.h"
#include "model/network.h"
#include "model/piecewise.h"
#include "model/scaling.h"
#include "model/units/list.h"
#include "model/written.h"
