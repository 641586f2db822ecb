/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose: which rows the object for GPUs has, and the calls of them. */
#include "cuda/choose.h"
