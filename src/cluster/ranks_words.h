/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between ranks: a head, and data that depend on its kind. All ranks are of one build, which HELLO makes sure
 * of, so that structs are sent as they are. Private to this room. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/core.h"
#include "cluster/ranks.h"

#define CUT_TEXT         "sent a message of another build: install the same build on every machine"
#define BEAT_SECONDS     5.0
#define PATIENCE_SECONDS 60.0

typedef enum kind {
    /* to rank 0 */
    HELLO,  /* hello: who the rank is, or why it cannot take part */
    READY,  /* number: its workers */
    RESULT, /* index; a steep_outcome, then the fit's parameters, `number` of them */
    LOST,   /* index: the worker of this task ended; signal: by which, -1: by none */
    LEAVE,  /* it was told to end */
    FAILED, /* text: it cannot go on */
    /* from rank 0 */
    WORK,  /* number: how many fits are missing; then a size_t for each: which of the requested fits it is; flag:
              parameters are sent; signal: curves are sent */
    TASKS, /* number: how many tasks; then a size_t for each: which of the missing fits it is */
    END,   /* flag: some ranks are gone */
    /* both ways */
    BEAT, /* the sender is alive */
    CUT   /* never sent: what was received is shorter than its kind says */
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

/* The head of a message, with CUT in place of the kind where its data would reach beyond its end. */
static inline head head_of(const void *message, size_t size)
{
    head h = {.kind = CUT};
    if (size < sizeof h) return h;
    memcpy(&h, message, sizeof h);
    const size_t bytes = size - sizeof h, fixed = h.kind == HELLO    ? sizeof(hello)
                                                  : h.kind == RESULT ? sizeof(steep_outcome)
                                                  : h.kind == FAILED ? sizeof(steep_error)
                                                                     : 0;
    const bool counted = h.kind == RESULT || h.kind == WORK || h.kind == TASKS; /* numbers of 8 bytes */
    if (bytes < fixed || (counted && h.number > (bytes - fixed) / 8)) h.kind = CUT;
    return h;
}

/* Sends two pieces as one message; false: no memory, or the link is broken. */
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

/* A checksum of what must be the same in all ranks: the program, the requested fits, the points. */
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
