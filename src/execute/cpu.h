/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu: the back end that runs fits in processes of this machine. */
#pragma once

#include "execute/backend.h"
#include "execute/pool.h"

extern const steep_backend steep_backend_cpu;

/* The fits of a batch as a list of tasks, for the pool; jobs: of batch->jobs as many as have room in memory. */
steep_work_list steep_cpu_list(const steep_batch *batch, size_t jobs);

/* One fit of a batch, in a worker: context is the batch, result a steep_outcome. */
steep_status steep_cpu_fit(void *context, size_t index, void *result, steep_payload *payload, steep_error *error);
