/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what certify needs of the core's rooms beside the public headers. */
#ifndef STEEP_CERTIFY_CORE_H
#define STEEP_CERTIFY_CORE_H

#include "base/clock.h"
#include "base/failure.h"
#include "base/text.h"
#include "fit/solvers.h"
#include "model/written.h"
#include "plan/range.h"
#include "record/folder.h"

#endif
