/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu: the back end that runs fits in processes of this machine (run/workers). It can run every task. */
#ifndef STEEP_RUN_CPU_H
#define STEEP_RUN_CPU_H

#include "run/backend.h"

extern const steep_backend steep_backend_cpu;

#endif
