/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counter in memory that all processes share hands out the tasks; results come back through one pipe, each in one
 * write, which the system keeps whole. What a task computes is a function of its index alone, so that results do not
 * depend on how many workers there are or which of them was first. */
#define _GNU_SOURCE
#include "run/workers.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
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

#define POLL_MILLISECONDS 50 /* how soon a stop is seen */

/* One result on its way. Shorter than PIPE_BUF, so that writes of several workers do not mix. */
typedef struct message {
    size_t index;
    steep_status status;
    steep_error error;
    _Alignas(16) unsigned char result[STEEP_WORK_RESULT];
} message;

_Static_assert(sizeof(message) <= PIPE_BUF, "a message must pass the pipe in one piece");

/* Shared by all processes. */
typedef struct counter {
    atomic_size_t next;
    atomic_bool ended;
} counter;

typedef struct crew {
    size_t count, size, jobs;
    steep_work work;
    steep_work_note note;
    void *context;
    const volatile int *stop;
    counter *shared;
    size_t done;
    size_t failed; /* lowest index that failed, count if none */
    steep_status status;
    steep_error error;
} crew;

size_t steep_workers_processors(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (size_t)CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

static bool stopping(const crew *c)
{
    return c->stop && *c->stop;
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
static void take(crew *c, message *m)
{
    c->done++;
    if (m->status >= 0) m->status = c->note(c->context, m->index, m->result, &m->error);
    if (m->status < 0) note_failure(c, m->index, m->status, &m->error);
}

/* The next task, done; false when there is none. */
static bool perform(const crew *c, message *m)
{
    if (atomic_load(&c->shared->ended) || stopping(c)) return false;
    m->index = atomic_fetch_add(&c->shared->next, 1);
    if (m->index >= c->count) return false;
    m->error.text[0] = '\0';
    memset(m->result, 0, c->size);
    m->status = c->work(c->context, m->index, m->result, &m->error);
    if (m->status < 0) atomic_store(&c->shared->ended, true);
    return true;
}

#ifdef STEEP_COVERAGE
void __gcov_dump(void); /* _exit would lose what the process counted */
#else
static void __gcov_dump(void) {}
#endif

/* The life of a worker. It ends with the caller's process, however that ends. */
static _Noreturn void labour(const crew *c, int out, pid_t caller)
{
    message m;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    while (getppid() == caller && perform(c, &m))
        if (write(out, &m, sizeof m) != (ssize_t)sizeof m) break;
    __gcov_dump();
    _exit(0);
}

/* Reads one message; false at the end of the pipe. */
static bool receive(int in, message *m)
{
    size_t got = 0;
    while (got < sizeof *m) {
        ssize_t part = read(in, (char *)m + got, sizeof *m - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        got += (size_t)part;
    }
    return true;
}

/* Takes results until the last worker has closed the pipe; workers are killed once a stop is asked for. */
static void collect(crew *c, int in, const pid_t *worker, size_t workers)
{
    message m;
    bool killed = false;
    for (;;) {
        struct pollfd readable = {.fd = in, .events = POLLIN};
        if (stopping(c) && !killed) {
            killed = true;
            for (size_t i = 0; i < workers; i++) kill(worker[i], SIGKILL);
        }
        int ready = poll(&readable, 1, POLL_MILLISECONDS);
        if (ready > 0) {
            if (!receive(in, &m)) return;
            take(c, &m);
        } else if (ready < 0 && errno != EINTR) {
            return;
        }
    }
}

/* Waits for all; a worker that died of a signal nobody sent from here is a failure of the run. */
static steep_status wait_for(const crew *c, const pid_t *worker, size_t workers, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < workers; i++) {
        int end = 0;
        while (waitpid(worker[i], &end, 0) < 0 && errno == EINTR) continue;
        if (WIFSIGNALED(end) && !stopping(c))
            status = steep_fail(error, STEEP_IO,
                                "a worker was ended by signal %d (%s): what had finished is kept, the same command "
                                "goes on; memory may be short: fewer --jobs would help then",
                                WTERMSIG(end), strsignal(WTERMSIG(end)));
    }
    return status;
}

static steep_status run_processes(crew *c, steep_error *error)
{
    int ends[2];
    pid_t *worker = malloc(c->jobs * sizeof *worker), caller = getpid();
    size_t workers = 0;
    if (!worker || pipe(ends) != 0) {
        free(worker);
        return steep_fail(error, STEEP_IO, "no pipe to workers: %s", strerror(errno));
    }
    while (workers < c->jobs) {
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            labour(c, ends[1], caller);
        }
        if (child < 0) break;
        worker[workers++] = child;
    }
    close(ends[1]);
    if (workers > 0) collect(c, ends[0], worker, workers);
    close(ends[0]);
    steep_status status = wait_for(c, worker, workers, error);
    free(worker);
    if (workers == 0)
        return steep_fail(error, STEEP_IO, "no worker could be started: %s; --jobs 1 would be right", strerror(errno));
    return status;
}

static void run_here(crew *c)
{
    message m;
    while (perform(c, &m)) take(c, &m);
}

steep_status steep_workers_run(size_t jobs, size_t count, size_t size, steep_work work, steep_work_note note,
                               void *context, const volatile int *stop, steep_error *error)
{
    if (size > STEEP_WORK_RESULT)
        return steep_fail(error, STEEP_BAD_INPUT, "a result of %zu bytes: at most %d would be right", size,
                          STEEP_WORK_RESULT);
    if (jobs == 0) jobs = steep_workers_processors();
    if (jobs > count) jobs = count;
    if (count == 0) return STEEP_OK;
    crew c = {.count = count,
              .size = size,
              .jobs = jobs,
              .work = work,
              .note = note,
              .context = context,
              .stop = stop,
              .failed = count};
    c.shared = mmap(NULL, sizeof *c.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.shared == MAP_FAILED) return steep_fail(error, STEEP_NO_MEMORY, "no memory to share with workers");
    steep_status status = STEEP_OK;
    if (jobs == 1) run_here(&c);
    else status = run_processes(&c, error);
    munmap(c.shared, sizeof *c.shared);
    if (c.failed < count) return steep_fail(error, c.status, "%s", c.error.text);
    if (status < 0) return status;
    if (c.done < count) return steep_fail(error, STEEP_STOPPED, "stopped before all tasks were done");
    return STEEP_OK;
}
