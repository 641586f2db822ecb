/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_numerics: what certify needs of the core's algebra. */
#pragma once

#include "numerics/elementary.h"
#include "numerics/gram.h"
#include "numerics/qr.h"
#include "numerics/sort.h"
#include "numerics/symmetric.h"
