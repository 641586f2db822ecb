/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what the host side of cuda needs of the core beside its public headers; device code: core_device.h. */
#ifndef STEEP_CUDA_CORE_H
#define STEEP_CUDA_CORE_H

#include "base/memory.h"
#include "cuda/core_device.h"
#include "execute/backend.h"
#include "execute/object.h"
#include "execute/pool.h"
#include "execute/processes.h"
#include "fit/frozen_form.h"
#include "fit/solvers.h"
#include "measure/measured.h"
#include "model/piecewise.h"

#endif
