/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each worker has a socket for tasks, where a write to one that is gone is no signal, and a pipe for results. It is given one task, and a second one beforehand while
 * there are more tasks in the queue than workers: then it need not wait for the next. It answers in the order in which
 * it was given them, so that the first one without an answer is the one that it died at. */
#define _GNU_SOURCE
#include "execute/pool.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/failure.h"
#include "execute/pipe.h"

#define AHEAD 2 /* tasks that a worker has at most */

typedef struct answer {
    size_t index, count; /* count: of the payload */
    steep_status status;
} answer;

typedef struct hand {
    pid_t process;
    int in, out; /* results, tasks; -1: it is gone */
    size_t task[AHEAD], tasks;
} hand;

struct steep_pool {
    steep_pool_options options;
    hand *hand;
    struct pollfd *end;
    size_t hands, next; /* next: whose results are looked at first */
    size_t *queue, first, queued, room;
    pid_t caller;
    steep_payload payload;
    _Alignas(16) unsigned char result[STEEP_WORK_RESULT];
};

/* --- a worker --- */

static bool answer_task(const steep_pool *p, size_t index, int out)
{
    _Alignas(16) unsigned char result[STEEP_WORK_RESULT];
    steep_payload payload = {NULL, 0};
    steep_error error = {{0}};
    memset(result, 0, p->options.size);
    answer a = {.index = index};
    a.status = p->options.work(p->options.context, index, result, &payload, &error);
    a.count = payload.count;
    const bool sent = steep_pipe_send(out, &a, sizeof a) && steep_pipe_send(out, result, p->options.size) &&
                      (a.status >= 0 || steep_pipe_send(out, &error, sizeof error)) &&
                      steep_pipe_send(out, payload.value, payload.count * sizeof *payload.value);
    free(payload.value);
    return sent;
}

/* Its life. It ends with the caller's process, however that ends. */
static _Noreturn void labour(const steep_pool *p, int in, int out)
{
    size_t index;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    while (getppid() == p->caller && steep_pipe_receive(in, &index, sizeof index) && answer_task(p, index, out))
        continue;
    __gcov_dump();
    _exit(0);
}

/* Starts one in the place of a hand; the pipes of the others are closed in it. */
static bool start(steep_pool *p, hand *h)
{
    int tasks[2], results[2];
    *h = (hand){.in = -1, .out = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, tasks) != 0) return false;
    if (pipe(results) != 0) {
        close(tasks[0]);
        close(tasks[1]);
        return false;
    }
    h->process = fork();
    if (h->process == 0) {
        for (size_t i = 0; i < p->hands; i++) {
            if (&p->hand[i] == h || p->hand[i].in < 0) continue;
            close(p->hand[i].in);
            close(p->hand[i].out);
        }
        close(tasks[1]);
        close(results[0]);
        labour(p, tasks[0], results[1]);
    }
    close(tasks[0]);
    close(results[1]);
    h->in = results[0];
    h->out = tasks[1];
    if (h->process > 0) return true;
    close(h->in);
    close(h->out);
    h->in = h->out = -1;
    return false;
}

/* --- the queue --- */

static steep_status push(steep_pool *p, size_t index, bool front, steep_error *error)
{
    if (p->queued == p->room) {
        const size_t room = 2 * p->room + 16;
        size_t *queue = malloc(room * sizeof *queue);
        if (!queue) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a queue of %zu fits", room);
        for (size_t i = 0; i < p->queued; i++) queue[i] = p->queue[(p->first + i) % p->room];
        free(p->queue);
        p->queue = queue;
        p->room = room;
        p->first = 0;
    }
    if (front) p->first = (p->first + p->room - 1) % p->room;
    p->queue[front ? p->first : (p->first + p->queued) % p->room] = index;
    p->queued++;
    return STEEP_OK;
}

/* Gives what is in the queue to those that have nothing, and then a second one to each. A pipe that is broken shows
 * when its results are read. */
static void distribute(steep_pool *p)
{
    for (size_t depth = 1; depth <= AHEAD; depth++)
        for (size_t i = 0; i < p->hands && p->queued > (depth - 1) * p->hands; i++) {
            hand *h = &p->hand[i];
            if (h->in < 0 || h->tasks >= depth) continue;
            const size_t index = p->queue[p->first];
            p->first = (p->first + 1) % p->room;
            p->queued--;
            h->task[h->tasks++] = index;
            send(h->out, &index, sizeof index, MSG_NOSIGNAL);
        }
}

steep_status steep_pool_give(steep_pool *pool, size_t index, steep_error *error)
{
    steep_status status = push(pool, index, false, error);
    if (status == STEEP_OK) distribute(pool);
    return status;
}

/* --- results --- */

/* One whole answer; false: the worker ended. */
static bool read_answer(steep_pool *p, const hand *h, steep_pool_event *event)
{
    answer a;
    event->error.text[0] = '\0';
    if (!steep_pipe_receive(h->in, &a, sizeof a) || !steep_pipe_receive(h->in, p->result, p->options.size) ||
        (a.status < 0 && !steep_pipe_receive(h->in, &event->error, sizeof event->error)))
        return false;
    event->index = a.index;
    event->status = a.status;
    if (a.count == 0) return true;
    p->payload = (steep_payload){malloc(a.count * sizeof *p->payload.value), a.count};
    if (p->payload.value) return steep_pipe_receive(h->in, p->payload.value, a.count * sizeof *p->payload.value);
    return false;
}

/* What a worker left that ended: its task is lost, one that it had not begun goes back. Another takes its place. */
static bool bury(steep_pool *p, hand *h, steep_pool_event *event)
{
    int end = 0;
    const hand gone = *h;
    kill(gone.process, SIGKILL); /* it may be alive, with an answer that found no memory here */
    while (waitpid(gone.process, &end, 0) < 0 && errno == EINTR) continue;
    close(gone.in);
    close(gone.out);
    start(p, h);
    for (size_t i = gone.tasks; i-- > 1;) push(p, gone.task[i], true, NULL); /* there is room: it was there before */
    if (gone.tasks == 0) return false;
    event->index = gone.task[0];
    event->signal = WIFSIGNALED(end) ? WTERMSIG(end) : -1;
    event->status = STEEP_IO;
    return true;
}

static bool take_from(steep_pool *p, hand *h, steep_pool_event *event)
{
    *event = (steep_pool_event){.result = p->result, .payload = &p->payload};
    free(p->payload.value);
    p->payload = (steep_payload){NULL, 0};
    bool come = read_answer(p, h, event);
    if (come) {
        h->tasks--;
        memmove(h->task, h->task + 1, h->tasks * sizeof *h->task);
    } else come = bury(p, h, event);
    distribute(p);
    return come;
}

bool steep_pool_take(steep_pool *pool, double seconds, steep_pool_event *event)
{
    const struct timespec patience = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    for (size_t i = 0; i < pool->hands; i++)
        pool->end[i] = (struct pollfd){.fd = pool->hand[i].in, .events = POLLIN}; /* poll passes over a negative one */
    if (ppoll(pool->end, (nfds_t)pool->hands, &patience, NULL) <= 0) return false;
    for (size_t k = 0; k < pool->hands; k++) {
        const size_t i = (pool->next + k) % pool->hands;
        if (!pool->end[i].revents || pool->hand[i].in < 0) continue;
        if (!take_from(pool, &pool->hand[i], event)) continue;
        pool->next = i + 1;
        return true;
    }
    return false;
}

/* --- the whole --- */

steep_status steep_pool_open(const steep_pool_options *options, steep_pool **pool, steep_error *error)
{
    steep_pool *p = calloc(1, sizeof *p);
    *pool = NULL;
    if (!p) return steep_fail(error, STEEP_NO_MEMORY, "no memory for workers");
    p->options = *options;
    p->caller = getpid();
    p->hand = calloc(options->hands, sizeof *p->hand);
    p->end = calloc(options->hands, sizeof *p->end);
    steep_status status =
        p->hand && p->end ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu workers", options->hands);
    while (status == STEEP_OK && p->hands < options->hands && start(p, &p->hand[p->hands])) p->hands++;
    const int reason = errno;
    if (status == STEEP_OK && p->hands == 0)
        status = steep_fail(error, steep_failure_of(reason), "no worker could be started: %s", strerror(reason));
    if (status == STEEP_OK) *pool = p;
    else steep_pool_close(p);
    return status;
}

size_t steep_pool_hands(const steep_pool *pool)
{
    size_t alive = 0;
    for (size_t i = 0; i < pool->hands; i++) alive += pool->hand[i].in >= 0;
    return alive;
}

void steep_pool_close(steep_pool *pool)
{
    if (!pool) return;
    for (size_t i = 0; i < pool->hands; i++) {
        const hand *h = &pool->hand[i];
        if (h->in < 0) continue;
        close(h->out); /* an idle one ends by itself */
        if (h->tasks > 0) kill(h->process, SIGKILL);
        while (waitpid(h->process, NULL, 0) < 0 && errno == EINTR) continue;
        close(h->in);
    }
    free(pool->payload.value);
    free(pool->queue);
    free(pool->hand);
    free(pool->end);
    free(pool);
}
