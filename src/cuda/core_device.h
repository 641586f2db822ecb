/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_device: what device code shares with the CPU, all of it inline or plain data. Its files include what they need of
 * it, not the whole, so that a unit is compiled without the solvers. */
#ifndef STEEP_CUDA_CORE_DEVICE_H
#define STEEP_CUDA_CORE_DEVICE_H

#include "base/clock.h"
#include "base/status.h"
#include "data/samples.h"
#include "fit/rules.h"
#include "model/activation_jet.h"
#include "model/architecture.h"
#include "model/limits.h"
#include "model/network.h"
#include "model/scaling.h"
#include "model/units/list.h"

#endif
