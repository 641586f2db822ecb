/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counter in memory that all processes share hands out the tasks; results come back through a pipe of each
 * worker's own. What a task computes is a function of its index alone, so that results do not
 * depend on how many workers there are or which of them was first. */
#define _GNU_SOURCE
#include "execute/workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/processors.h"
#include "execute/pipe.h"

#define POLL_MILLISECONDS 50 /* how soon a stop is seen */
#define CANNOT_SEND       3  /* exit status of a worker */

/* One result on its way: this, and then its payload. */
typedef struct message {
    size_t index, count; /* count: of the payload */
    steep_status status;
    steep_error error;
    _Alignas(16) unsigned char result[STEEP_WORK_RESULT];
} message;

/* Shared by all processes. */
typedef struct counter {
    atomic_size_t next;
    atomic_bool ended;
} counter;

/* A worker, and the end of its own pipe: no two workers' results mix. */
typedef struct worker {
    pid_t process;
    int in; /* -1: closed */
    bool gone;
    int outcome; /* of waitpid, where it is gone */
} worker;

typedef struct crew {
    const steep_work_list *list;
    counter *shared;
    size_t jobs, done;
    size_t failed; /* lowest index that failed, count if none */
    steep_status status;
    steep_error error;
} crew;

static bool stopping(const crew *c)
{
    return c->list->stop && *c->list->stop;
}

static void note_failure(crew *c, size_t index, steep_status status, const steep_error *error)
{
    if (index >= c->failed) return;
    c->failed = index;
    c->status = status;
    c->error = *error;
    atomic_store(&c->shared->ended, true);
}

/* A result that has come in. */
static void take(crew *c, message *m, const steep_payload *payload)
{
    c->done++;
    if (m->status >= 0) m->status = c->list->note(c->list->context, m->index, m->result, payload, &m->error);
    if (m->status < 0) note_failure(c, m->index, m->status, &m->error);
}

/* The next task, done; false when there is none. */
static bool perform(const crew *c, message *m, steep_payload *payload)
{
    const steep_work_list *list = c->list;
    *payload = (steep_payload){NULL, 0};
    if (atomic_load(&c->shared->ended) || stopping(c)) return false;
    m->index = atomic_fetch_add(&c->shared->next, 1);
    if (m->index >= list->count) return false;
    m->error.text[0] = '\0';
    memset(m->result, 0, list->size);
    m->status = list->work(list->context, m->index, m->result, payload, &m->error);
    m->count = payload->count;
    if (m->status < 0) atomic_store(&c->shared->ended, true);
    return true;
}

/* The life of a worker. It ends with the caller's process, however that ends. */
static _Noreturn void labour(const crew *c, int out, pid_t caller)
{
    message m = {.index = 0};
    steep_payload payload;
    bool sent = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    while (sent && getppid() == caller && perform(c, &m, &payload)) {
        sent = steep_pipe_send(out, &m, sizeof m) &&
               steep_pipe_send(out, payload.value, payload.count * sizeof *payload.value);
        free(payload.value);
    }
    __gcov_dump();
    _exit(sent ? 0 : CANNOT_SEND);
}

static void wait_for_one(worker *w)
{
    while (!w->gone && waitpid(w->process, &w->outcome, 0) < 0 && errno == EINTR) continue;
    w->gone = true;
}

/* A worker whose pipe has ended; one that was killed is told at once, as the others may go on for long. */
static void bury(const crew *c, worker *dead)
{
    char text[200];
    wait_for_one(dead);
    if (!WIFSIGNALED(dead->outcome) || stopping(c) || c->jobs == 1 || !c->list->say) return;
    snprintf(text, sizeof text, "a worker was ended by signal %d (%s), and what it fitted last is lost",
             WTERMSIG(dead->outcome), strsignal(WTERMSIG(dead->outcome)));
    c->list->say(c->list->context, text);
}

/* One whole result; a pipe that ends is closed. */
static void receive_result(crew *c, worker *from)
{
    message m;
    steep_payload payload = {NULL, 0};
    bool whole = steep_pipe_receive(from->in, &m, sizeof m);
    if (whole && m.count > 0) {
        payload = (steep_payload){malloc(m.count * sizeof *payload.value), m.count};
        whole = payload.value && steep_pipe_receive(from->in, payload.value, m.count * sizeof *payload.value);
        if (!payload.value) {
            steep_fail(&m.error, STEEP_NO_MEMORY, "no memory for the %zu parameters of a fit", m.count);
            note_failure(c, m.index, STEEP_NO_MEMORY, &m.error);
        }
    }
    if (whole) take(c, &m, &payload);
    free(payload.value);
    if (whole) return;
    close(from->in);
    from->in = -1;
    if (c->failed == c->list->count) bury(c, from); /* else it may be alive: there was no memory for what it sent */
}

/* Takes results until the last worker has closed its pipe; workers are killed once a stop is asked for. */
static void collect(crew *c, worker *workers, struct pollfd *ends, size_t count)
{
    bool killed = false, open = true;
    while (open) {
        if (stopping(c) && !killed) {
            killed = true;
            for (size_t i = 0; i < count; i++) kill(workers[i].process, SIGKILL);
        }
        open = false;
        for (size_t i = 0; i < count; i++) {
            ends[i] = (struct pollfd){.fd = workers[i].in, .events = POLLIN}; /* poll passes over a negative one */
            open |= workers[i].in >= 0;
        }
        int ready = open ? poll(ends, (nfds_t)count, POLL_MILLISECONDS) : 0;
        if (ready < 0 && errno != EINTR) return;
        for (size_t i = 0; ready > 0 && i < count; i++)
            if (workers[i].in >= 0 && ends[i].revents) receive_result(c, &workers[i]);
    }
}

/* Waits for all; a worker that died of a signal nobody sent from here is a failure of the run. */
static steep_status wait_for(const crew *c, worker *workers, size_t count, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < count; i++) {
        wait_for_one(&workers[i]);
        const int end = workers[i].outcome;
        if (WIFSIGNALED(end) && !stopping(c))
            status = steep_fail(error, STEEP_IO,
                                "a worker was ended by signal %d (%s): what had finished is kept, the same command "
                                "goes on; memory may be short: fewer --jobs would help then",
                                WTERMSIG(end), strsignal(WTERMSIG(end)));
        else if (WIFEXITED(end) && WEXITSTATUS(end) != 0 && !stopping(c))
            status = steep_fail(error, STEEP_IO,
                                "a worker could not hand over a result, and what it fitted last is lost: what had "
                                "finished is kept, the same command goes on");
    }
    return status;
}

/* Starts one worker with a pipe of its own; the pipes of those before it are closed in it. */
static bool start(const crew *c, worker *workers, size_t before, pid_t caller)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < before; i++) close(workers[i].in);
        close(ends[0]);
        labour(c, ends[1], caller);
    }
    close(ends[1]);
    if (child < 0) close(ends[0]);
    else workers[before] = (worker){.process = child, .in = ends[0]};
    return child > 0;
}

static steep_status run_processes(crew *c, steep_error *error)
{
    worker *workers = malloc(c->jobs * sizeof *workers);
    struct pollfd *ends = malloc(c->jobs * sizeof *ends);
    pid_t caller = getpid();
    size_t count = 0;
    steep_status status = STEEP_OK;
    if (!workers || !ends) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu workers", c->jobs);
    while (status == STEEP_OK && count < c->jobs && start(c, workers, count, caller)) count++;
    int reason = errno;
    if (count > 0) collect(c, workers, ends, count);
    for (size_t i = 0; i < count; i++)
        if (workers[i].in >= 0) close(workers[i].in);
    if (status == STEEP_OK) status = wait_for(c, workers, count, error);
    if (status == STEEP_OK && count == 0)
        status = steep_fail(error, steep_failure_of(reason), "no worker could be started: %s; use --jobs 1",
                            strerror(reason));
    free(workers);
    free(ends);
    return status;
}

static void run_here(crew *c)
{
    message m = {.index = 0};
    steep_payload payload;
    while (perform(c, &m, &payload)) {
        take(c, &m, &payload);
        free(payload.value);
    }
}

steep_status steep_workers_run(const steep_work_list *list, steep_error *error)
{
    if (list->size > STEEP_WORK_RESULT)
        return steep_fail(error, STEEP_BAD_INPUT, "a result of %zu bytes: use at most %d", list->size,
                          STEEP_WORK_RESULT);
    if (list->count == 0) return STEEP_OK;
    crew c = {.list = list, .jobs = list->jobs ? list->jobs : steep_processors(), .failed = list->count};
    if (c.jobs > list->count) c.jobs = list->count;
    c.shared = mmap(NULL, sizeof *c.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.shared == MAP_FAILED) return steep_fail(error, STEEP_NO_MEMORY, "no memory to share with workers");
    steep_status status = STEEP_OK;
    if (c.jobs == 1 && !list->apart) run_here(&c);
    else status = run_processes(&c, error);
    munmap(c.shared, sizeof *c.shared);
    if (c.failed < list->count) return steep_fail(error, c.status, "%s", c.error.text);
    if (status < 0) return status;
    if (c.done < list->count) return steep_fail(error, STEEP_STOPPED, "stopped before all tasks were done");
    return STEEP_OK;
}
