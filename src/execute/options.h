/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: the run group: where and how the work is done, and what is left of it. */
#ifndef STEEP_EXECUTE_OPTIONS_H
#define STEEP_EXECUTE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"

/* Of --device cuda (docs/gpu.md). */
typedef struct steep_device_options {
    const char *object; /* the shared object that computes; NULL: the one that is found (execute/device.h) */
    size_t memory;      /* bytes of the device's memory to use at most; 0: what is free */
    size_t narrow;      /* parameters of a fit above which all of the device solves it; 0: its own choice */
} steep_device_options;

struct steep_backend;
struct steep_ranks;

typedef struct steep_run_options {
    size_t jobs;               /* fits side by side; 0: one per processor, where ranks is not NULL one in each */
    const char *device;        /* execute/backend.h */
    steep_device_options on;   /* no options of the command line: steep takes them from its environment */
    const struct steep_backend *backend; /* of ranks, where it is not NULL */
    struct steep_ranks *ranks; /* other processes that take part (cluster/ranks.h), no option either; NULL: none */
    const char *out;           /* folder; NULL: no files */
    bool fresh, quiet;
    const char *shard; /* "1/4"; NULL: everything */
    const char *law;   /* slope/slope.h; NULL: power */
    bool keep_networks;
    bool mixed; /* rows may be of other versions, builds and processors */
} steep_run_options;

/* For every command that fits; and for those of many fits. */
extern const steep_option steep_run_option_table[], steep_many_option_table[];

#endif
