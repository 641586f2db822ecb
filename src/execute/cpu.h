/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu: the back end that runs fits in processes of this machine. */
#ifndef STEEP_EXECUTE_CPU_H
#define STEEP_EXECUTE_CPU_H

#include "execute/backend.h"
#include "execute/workers.h"

extern const steep_backend steep_backend_cpu;

/* One fit of a batch, in a worker (execute/workers.h): context is the batch, result a steep_outcome. */
steep_status steep_cpu_fit(void *context, size_t index, void *result, steep_payload *payload, steep_error *error);

#endif
