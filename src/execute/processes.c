/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each worker has a socket for tasks to it and results from it; sending to a side that is gone raises no signal. A
 * worker answers its tasks in the order in which it got them: it died in the first task without an answer. */
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

#include "base/memory.h"

#define CANNOT_SEND 3 /* exit status of a worker that cannot send a result */
#define NO_TASK     ((size_t)-1)

#ifdef STEEP_COVERAGE
void __gcov_dump(void); /* _exit would lose what the process counted */
#else
#define __gcov_dump() (void)0
#endif

/* The head of an answer; behind it come the result, the error of a failure, the payload. */
typedef struct answer {
    size_t index, count; /* NO_TASK: the run cannot go on; count: of the payload */
    steep_status status;
} answer;

typedef struct process {
    pid_t id;
    int end;      /* the caller's end of its socket; -1: the worker is gone */
    size_t tasks; /* the number of tasks that it has not answered */
} process;

typedef struct team {
    const steep_work_list *list;
    process *worker;
    struct pollfd *news;
    size_t workers, next; /* next: the worker whose results are read first */
    pid_t caller;
    steep_payload payload;
    _Alignas(16) unsigned char result[STEEP_WORK_RESULT];
} team;

/* false: the other side is gone. */
static bool send_all(int end, const void *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        const ssize_t part = send(end, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        sent += (size_t)part;
    }
    return true;
}

/* false: the other side has ended. */
static bool receive_all(int end, void *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        const ssize_t part = read(end, (char *)bytes + got, size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        got += (size_t)part;
    }
    return true;
}

bool steep_worker_answer(const steep_worker *worker, size_t index, steep_status status, const void *result,
                         const steep_payload *payload, const steep_error *error)
{
    const answer a = {index, payload->count, status};
    return send_all(worker->end, &a, sizeof a) && send_all(worker->end, result, worker->list->size) &&
           (status >= 0 || send_all(worker->end, error, sizeof *error)) &&
           send_all(worker->end, payload->value, payload->count * sizeof *payload->value);
}

void steep_worker_fail(const steep_worker *worker, steep_status status, const steep_error *error)
{
    const _Alignas(16) unsigned char nothing[STEEP_WORK_RESULT] = {0};
    steep_worker_answer(worker, NO_TASK, status, nothing, &(steep_payload){NULL, 0}, error);
}

static bool do_task(const steep_worker *worker, size_t index)
{
    _Alignas(16) unsigned char result[STEEP_WORK_RESULT];
    steep_payload payload = {NULL, 0};
    steep_error error = {{0}};
    memset(result, 0, worker->list->size);
    const steep_status status = worker->list->work(worker->list->context, index, result, &payload, &error);
    const bool sent = steep_worker_answer(worker, index, status, result, &payload, &error);
    free(payload.value);
    return sent;
}

/* Does the tasks, parcel by parcel; false when the caller no longer reads the results. */
static bool do_tasks(const steep_worker *worker, pid_t caller)
{
    size_t count, index;
    while (receive_all(worker->end, &count, sizeof count))
        for (; count > 0 && getppid() == caller && receive_all(worker->end, &index, sizeof index); count--)
            if (!do_task(worker, index)) return false;
    return true;
}

/* A worker. It ends with the caller's process. With list->life it ignores a terminal's signals: the caller ends it. */
static _Noreturn void live(const team *t, int end)
{
    const steep_worker worker = {t->list, end};
    const int terminal[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    bool sent = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    for (size_t i = 0; t->list->life && i < sizeof terminal / sizeof *terminal; i++) signal(terminal[i], SIG_IGN);
    if (getppid() == t->caller && t->list->life) t->list->life(t->list->context, &worker);
    else if (getppid() == t->caller) sent = do_tasks(&worker, t->caller);
    __gcov_dump();
    _exit(sent ? 0 : CANNOT_SEND);
}

/* Starts a worker; its process closes the sockets of the other workers. */
static bool start_one(team *t, process *w)
{
    int end[2];
    *w = (process){.end = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0) return false;
    w->id = fork();
    if (w->id == 0) {
        for (size_t i = 0; i < t->workers; i++)
            if (t->worker[i].end >= 0) close(t->worker[i].end);
        close(end[0]);
        live(t, end[1]);
    }
    close(end[1]);
    if (w->id > 0) w->end = end[0];
    else close(end[0]);
    return w->id > 0;
}

static void stop_crew(steep_crew *crew)
{
    team *t = crew->own;
    if (!t) return; /* there was no memory for it */
    for (size_t i = 0; i < t->workers; i++) {
        const process *w = &t->worker[i];
        if (w->end < 0) continue;
        shutdown(w->end, SHUT_WR); /* an idle worker ends by itself */
        if (w->tasks > 0) kill(w->id, SIGKILL);
        while (waitpid(w->id, NULL, 0) < 0 && errno == EINTR) continue;
        close(w->end);
    }
    free(t->payload.value);
    free(t->worker);
    free(t->news);
    free(t);
    crew->own = NULL;
}

static steep_status start_crew(steep_crew *crew, steep_error *error)
{
    const steep_work_list *list = crew->list;
    const size_t asked = list->jobs ? list->jobs : steep_processors();
    const size_t jobs = list->life ? 1 : asked < list->count || list->count == 0 ? asked : list->count;
    team *t = crew->own = calloc(1, sizeof *t);
    if (!t) return steep_fail(error, STEEP_NO_MEMORY, "no memory for workers");
    t->list = list;
    t->caller = getpid();
    t->worker = calloc(jobs, sizeof *t->worker);
    t->news = calloc(jobs, sizeof *t->news);
    if (!t->worker || !t->news) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu workers", jobs);
    while (t->workers < jobs && start_one(t, &t->worker[t->workers])) t->workers++;
    if (t->workers == 0)
        return steep_fail(error, steep_failure_of(errno),
                          "no worker could be started: %s: end other processes, or raise the limit", strerror(errno));
    crew->places = crew->ready = t->workers;
    return STEEP_OK;
}

static bool submit(steep_crew *crew, size_t place, const size_t *index, size_t count)
{
    const team *t = crew->own;
    process *w = &t->worker[place];
    w->tasks += count;
    if (t->list->life) return true; /* it has them all from its start */
    if (send_all(w->end, &count, sizeof count)) send_all(w->end, index, count * sizeof *index);
    return true; /* a socket that is broken shows when results are read */
}

/* Reads one whole answer; false: the worker ended. */
static bool read_answer(team *t, process *w, steep_crew_event *e)
{
    const int end = w->end;
    answer a;
    if (!receive_all(end, &a, sizeof a) || !receive_all(end, t->result, t->list->size) ||
        (a.status < 0 && !receive_all(end, &e->error, sizeof e->error)))
        return false;
    e->news = a.index == NO_TASK ? STEEP_CREW_FAILED : STEEP_CREW_RESULT;
    e->index = a.index;
    e->status = a.status;
    w->tasks--;
    if (a.count == 0) return true;
    e->payload = t->payload = (steep_payload){malloc(a.count * sizeof *t->payload.value), a.count};
    if (t->payload.value) return receive_all(end, t->payload.value, a.count * sizeof *t->payload.value);
    e->news = STEEP_CREW_FAILED;
    e->status = steep_fail(&e->error, STEEP_NO_MEMORY, "no memory for the %zu parameters of a fit", a.count);
    return true;
}

/* Reports a worker that ended, and replaces it where list->replace asks for this, but not under a stop. */
static void bury(team *t, process *w, bool stop, steep_crew_event *e)
{
    int state = 0;
    while (waitpid(w->id, &state, 0) < 0 && errno == EINTR) continue;
    close(w->end);
    w->end = -1;
    *e = (steep_crew_event){.news = t->list->life ? STEEP_CREW_GONE : STEEP_CREW_DIED,
                            .place = e->place,
                            .signal = WIFSIGNALED(state) ? WTERMSIG(state) : -1,
                            .workers = t->list->replace && !stop && start_one(t, w)};
}

/* Whether there is something to read. Under a stop it kills the workers, and is false only when all are gone. */
static bool wait_for_news(team *t, bool stop, double seconds)
{
    bool open;
    do {
        const struct timespec patience = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
        open = false;
        for (size_t i = 0; i < t->workers; i++) {
            const process *w = &t->worker[i];
            t->news[i] = (struct pollfd){.fd = w->end, .events = POLLIN}; /* poll ignores a negative fd */
            if (w->end < 0) continue;
            if (stop) kill(w->id, SIGKILL);
            open = true;
        }
        if (open && ppoll(t->news, (nfds_t)t->workers, &patience, NULL) > 0) return true;
        seconds = 0.05;
    } while (stop && open);
    return false;
}

static bool poll_crew(steep_crew *crew, double seconds, steep_crew_event *event)
{
    team *t = crew->own;
    *event = (steep_crew_event){.result = t->result};
    free(t->payload.value);
    t->payload = (steep_payload){NULL, 0};
    if (!wait_for_news(t, crew->stop, seconds)) return false;
    for (size_t k = 0; k < t->workers; k++) {
        const size_t i = (t->next + k) % t->workers;
        if (!t->news[i].revents || t->worker[i].end < 0) continue;
        event->place = i;
        if (!read_answer(t, &t->worker[i], event)) bury(t, &t->worker[i], crew->stop, event);
        t->next = i + 1;
        return true;
    }
    return false;
}

const steep_crew_kind steep_crew_processes = {start_crew, submit, poll_crew, stop_crew};
