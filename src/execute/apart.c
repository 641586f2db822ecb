/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "execute/apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "execute/pipe.h"

#define POLL_MILLISECONDS 50 /* how soon a stop is seen */
#define PATIENCE          20 /* seconds from a stop to the end of a process that does not heed it, by default */

bool steep_post_send(const steep_post *post, const steep_parcel *parcel)
{
    const size_t bytes = parcel->head_bytes + parcel->tail_bytes;
    return steep_pipe_send(post->out, &bytes, sizeof bytes) &&
           steep_pipe_send(post->out, parcel->head, parcel->head_bytes) &&
           steep_pipe_send(post->out, parcel->tail, parcel->tail_bytes);
}

/* A process, seen from the caller's. */
typedef struct child {
    const steep_apart *apart;
    volatile int *stop; /* shared with it */
    pid_t process;
    int in;
    double told; /* when it was told to end, 0: not yet */
    bool killed;
} child;

/* Its life. What a terminal sends goes to the caller too, who decides. */
static _Noreturn void labour(const child *c, int out, pid_t caller)
{
    const steep_post post = {out, c->stop};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (getppid() == caller) c->apart->work(c->apart->context, &post);
    __gcov_dump();
    _exit(0);
}

static double patience(const child *c)
{
    return c->apart->patience > 0 ? c->apart->patience : PATIENCE;
}

/* Tells it to end where the caller is asked to, and makes it end where it does not. */
static void heed_stop(child *c)
{
    if (!c->apart->stop || !*c->apart->stop) return;
    *c->stop = 1;
    if (c->told == 0) c->told = steep_clock_seconds();
    if (c->killed || steep_clock_seconds() - c->told < patience(c)) return;
    c->killed = true;
    kill(c->process, SIGKILL);
}

/* Reads size bytes; false at the end of the pipe. */
static bool receive(child *c, void *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        struct pollfd end = {.fd = c->in, .events = POLLIN};
        heed_stop(c);
        int ready = poll(&end, 1, POLL_MILLISECONDS);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t part = ready < 0 ? ready : read(c->in, (char *)bytes + got, size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        got += (size_t)part;
    }
    return true;
}

/* Reads until it has closed its end. After a failure the rest is passed over. */
static steep_status read_all(child *c, steep_error *error)
{
    steep_status status = STEEP_OK;
    size_t bytes;
    while (receive(c, &bytes, sizeof bytes)) {
        void *message = malloc(bytes + 1);
        if (!message) {
            status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a message of %zu bytes", bytes);
            kill(c->process, SIGKILL);
            c->killed = true;
            break;
        }
        const bool whole = receive(c, message, bytes);
        if (whole && status == STEEP_OK) status = c->apart->read(c->apart->context, message, bytes, error);
        if (status < 0) *c->stop = 1;
        free(message);
    }
    return status;
}

static steep_status wait_for(const child *c, steep_status status, steep_error *error)
{
    int end = 0;
    while (waitpid(c->process, &end, 0) < 0 && errno == EINTR) continue;
    if (status < 0) return status;
    if (c->killed)
        return steep_fail(error, STEEP_STOPPED, "what the device was at did not end in %g s and was ended",
                          patience(c));
    if (WIFSIGNALED(end))
        return steep_fail(error, STEEP_IO,
                          "the process that runs the device was ended by signal %d (%s): what had finished is kept, "
                          "the same command goes on",
                          WTERMSIG(end), strsignal(WTERMSIG(end)));
    return STEEP_OK;
}

steep_status steep_apart_run(const steep_apart *apart, steep_error *error)
{
    int ends[2];
    child c = {.apart = apart};
    const pid_t caller = getpid();
    if (pipe(ends) != 0) return steep_fail(error, STEEP_IO, "no pipe to a process: %s", strerror(errno));
    void *shared = mmap(NULL, sizeof *c.stop, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    steep_status status = STEEP_OK;
    if (shared == MAP_FAILED) status = steep_fail(error, STEEP_NO_MEMORY, "no memory to share with a process");
    c.stop = shared;
    c.in = ends[0];
    if (status == STEEP_OK) {
        c.process = fork();
        if (c.process == 0) {
            close(ends[0]);
            labour(&c, ends[1], caller);
        }
        if (c.process < 0) status = steep_fail(error, STEEP_IO, "no process could be started: %s", strerror(errno));
    }
    close(ends[1]);
    if (status == STEEP_OK) status = wait_for(&c, read_all(&c, error), error);
    close(ends[0]);
    if (shared != MAP_FAILED) munmap(shared, sizeof *c.stop);
    return status;
}
