/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose: the rows of the object for GPUs, and the calls of their phases. */
#include "cuda/choose.h"
