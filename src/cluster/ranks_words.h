/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks say to each other: a head, and what its kind has behind it. All are of one build, which they make sure of
 * first, so that structs travel as they are. Inside this room. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/core.h"
#include "cluster/ranks.h"

#define BEAT_SECONDS     5.0
#define PATIENCE_SECONDS 60.0

typedef enum kind {
    /* to rank 0 */
    HELLO,  /* hello: who it is, or why it cannot take part */
    READY,  /* number: its workers */
    RESULT, /* index; a steep_outcome, then the fit's parameters, `number` of them */
    LOST,   /* index: its worker ended, by signal `number` (-1: otherwise) */
    LEAVE,  /* it was told to end */
    FAILED, /* text: it cannot go on */
    /* from rank 0 */
    WORK,  /* number of fits that are missing: size_t each, which of those that the options ask for; flag: parameters
              are sent; signal: curves are */
    TASKS, /* number of them: size_t each, which of the missing ones */
    END,   /* flag: some ranks are gone */
    /* both ways */
    BEAT /* it is there */
} kind;

typedef struct head {
    kind kind;
    steep_status status;
    bool flag;
    int signal;
    size_t index, number;
} head;

typedef struct hello {
    uint64_t identity; /* of program, plan and points */
    char host[64];
    steep_error error; /* where head.status < 0 */
} hello;

/* Two pieces as one message. */
static inline bool say(steep_link *link, size_t to, const head *h, const void *tail, size_t bytes)
{
    unsigned char *message = malloc(sizeof *h + bytes);
    if (!message) return false;
    memcpy(message, h, sizeof *h);
    if (bytes > 0) memcpy(message + sizeof *h, tail, bytes);
    const bool sent = link->send(link, to, message, sizeof *h + bytes);
    free(message);
    return sent;
}

/* A sum of what must be the same in all ranks: the program, the fits that the options ask for, the points. */
static inline uint64_t ranks_identity(const steep_plan *plan)
{
    uint64_t sum = steep_hash_text(steep_hash_text(STEEP_HASH_START, steep_this_build.commit), steep_this_build.flags);
    for (size_t i = 0; i < plan->tasks; i++) {
        const steep_task *task = &plan->task[i];
        const steep_plan_key key = steep_plan_key_of(plan, task);
        const char *const name[] = {key.target, key.arch, key.activation, key.solver, key.start};
        const size_t number[] = {key.seed, key.width, steep_plan_points(plan, task), sizeof(steep_fit_row)};
        if (!task->wanted) continue;
        for (size_t k = 0; k < sizeof name / sizeof *name; k++) sum = steep_hash_text(sum, name[k]);
        sum = steep_hash_bytes(sum, number, sizeof number);
    }
    if (!plan->data) return sum;
    sum = steep_hash_bytes(sum, plan->data->x, plan->data->count * plan->data->dim * sizeof *plan->data->x);
    return steep_hash_bytes(sum, plan->data->y, plan->data->count * sizeof *plan->data->y);
}
