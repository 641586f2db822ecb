/* SPDX-License-Identifier: GPL-3.0-or-later */
/* star: ranks as processes of this machine, each with a socket to rank 0: the link of cluster/link.h without MPI. */
#ifndef STEEP_TESTS_STAR_H
#define STEEP_TESTS_STAR_H

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/link.h"
#include "harness.h"

#define STAR_MOST 16

typedef struct star {
    steep_link link;    /* must be first */
    int end[STAR_MOST]; /* to each rank, -1: none */
    pid_t rank[STAR_MOST];
    size_t turn;
} star;

static inline bool star_send(steep_link *link, size_t to, const void *bytes, size_t size)
{
    const star *s = (star *)link;
    /* A rank that has died is no failure, as in MPI: bytes that are sent to it are lost. */
    return send(s->end[to], bytes, size, MSG_NOSIGNAL) == (ssize_t)size || errno != EMSGSIZE;
}

static inline void *star_receive(steep_link *link, size_t *from, size_t *size)
{
    star *s = (star *)link;
    for (size_t k = 0; k < link->size; k++) {
        const size_t i = (s->turn + k) % link->size;
        const ssize_t waits = s->end[i] < 0 ? 0 : recv(s->end[i], NULL, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
        if (waits <= 0) continue;
        char *bytes = malloc((size_t)waits);
        ck_assert_ptr_nonnull(bytes);
        ck_assert_int_eq(recv(s->end[i], bytes, (size_t)waits, 0), waits);
        *from = i;
        *size = (size_t)waits;
        s->turn = i + 1;
        return bytes;
    }
    return NULL;
}

static inline void star_close(steep_link *link, bool lost)
{
    star *s = (star *)link;
    (void)lost;
    for (size_t i = 0; i < link->size; i++)
        if (s->end[i] >= 0) close(s->end[i]);
    /* Waits for all ranks, 30 s each: one that goes on after the order to end is a fault of the code under test. */
    for (size_t i = 1; link->rank == 0 && i < link->size; i++) {
        pid_t ended = 0;
        for (int turn = 0; turn < 30000 && (ended = waitpid(s->rank[i], NULL, WNOHANG)) == 0; turn++) usleep(1000);
        if (ended == 0) kill(s->rank[i], SIGKILL);
        ck_assert_msg(ended != 0, "rank %zu goes on after the order to end", i);
    }
    free(s);
}

/* Starts the other ranks, which run serve(context, link) and exit with its result; the caller is rank 0. */
static inline steep_link *star_open(size_t size, int (*serve)(void *context, steep_link *link), void *context)
{
    star *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_le(size, STAR_MOST);
    s->link = (steep_link){0, size, "sockets", star_send, star_receive, star_close};
    for (size_t i = 0; i < STAR_MOST; i++) s->end[i] = -1;
    fflush(NULL);
    for (size_t i = 1; i < size; i++) {
        int ends[2];
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
        s->rank[i] = fork();
        ck_assert_int_ge(s->rank[i], 0);
        if (s->rank[i] == 0) {
            for (size_t j = 0; j < STAR_MOST; j++) {
                if (s->end[j] >= 0) close(s->end[j]);
                s->end[j] = -1;
            }
            close(ends[0]);
            s->end[0] = ends[1];
            s->link.rank = i;
            _exit(serve(context, &s->link));
        }
        close(ends[1]);
        s->end[i] = ends[0];
    }
    return &s->link;
}

#endif
