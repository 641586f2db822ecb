/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot runs in a process group of its own, so that what it starts ends with it; its standard error is a pipe. It is
 * waited for without being trusted: it may hang, close the pipe and go on, or end well and leave nothing. */
#include "draw/gnuplot.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"

#define POLL_MILLISECONDS 20 /* how soon a stop, or the end of gnuplot, is seen */
#define CANNOT_ENTER      125
#define CANNOT_START      127

/* --- pictures --- */

/* "folder/name.terminal"; with LaTeX "folder/name-terminal.tex". NULL without memory. */
static char *picture_of(const steep_gnuplot_job *job, const char *terminal, size_t length)
{
    bool latex = strncmp(terminal, "cairolatex", length) == 0 || strncmp(terminal, "tikz", length) == 0;
    size_t size = strlen(job->folder) + strlen(job->name) + length + sizeof "/-.tex";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, latex ? "%s/%s-%.*s.tex" : "%s/%s.%.*s", job->folder, job->name, (int)length, terminal);
    return path;
}

/* What is done with each picture; false ends it. */
typedef bool (*visitor)(const char *path, size_t *there, steep_error *error);

/* Beside a picture, while it is drawn anew: the one that was there. */
static char *name_aside(const char *path)
{
    const size_t size = strlen(path) + sizeof ".tmp";
    char *aside = malloc(size);
    if (aside) snprintf(aside, size, "%s.tmp", path);
    return aside;
}

/* Where there is none, one that a killed run had set aside stays there. */
static bool set_aside(const char *path, size_t *there, steep_error *error)
{
    char *aside = name_aside(path);
    struct stat facts;
    (void)there;
    errno = ENOMEM;
    bool fine = aside != NULL;
    if (fine && lstat(path, &facts) == 0) {
        errno = EISDIR;
        fine = !S_ISDIR(facts.st_mode) && rename(path, aside) == 0;
    }
    if (!fine) steep_fail(error, steep_failure_of(errno), "%s: cannot be replaced: %s", path, strerror(errno));
    free(aside);
    return fine;
}

static bool take_away(const char *path, size_t *there, steep_error *error)
{
    (void)there, (void)error;
    unlink(path);
    return true;
}

static bool put_back(const char *path, size_t *there, steep_error *error)
{
    char *aside = name_aside(path);
    struct stat facts;
    (void)there, (void)error;
    if (aside && lstat(path, &facts) != 0) rename(aside, path);
    free(aside);
    return true;
}

static bool drop_aside(const char *path, size_t *there, steep_error *error)
{
    char *aside = name_aside(path);
    (void)there, (void)error;
    if (aside) unlink(aside);
    free(aside);
    return true;
}

static bool look_at(const char *path, size_t *there, steep_error *error)
{
    struct stat facts;
    const bool found = stat(path, &facts) == 0, whole = found && S_ISREG(facts.st_mode) && facts.st_size > 0;
    if (!found) steep_fail(error, STEEP_IO, "there is no %s", path);
    else if (!whole) steep_fail(error, STEEP_IO, "%s is %s", path, S_ISREG(facts.st_mode) ? "empty" : "no file");
    *there += whole;
    return whole;
}

/* The same for all of several. */
static bool look_on(const char *path, size_t *there, steep_error *error)
{
    (void)error;
    look_at(path, there, NULL);
    return true;
}

/* STEEP_IO where the visitor ends it. *there of *count pictures are. */
static steep_status visit(const steep_gnuplot_job *job, visitor each, size_t *there, size_t *count, steep_error *error)
{
    const char *at = job->terminals ? job->terminals : "svg,pdf,png";
    *there = *count = 0;
    for (size_t length; *(at += strspn(at, ", ")); at += length) {
        length = strcspn(at, ", ");
        char *path = picture_of(job, at, length);
        if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
        bool fine = each(path, there, error);
        free(path);
        if (!fine) return STEEP_IO;
        ++*count;
    }
    return STEEP_OK;
}

/* --- the process --- */

typedef struct child {
    pid_t process;
    int said;    /* its standard error; -1: at its end */
    int outcome; /* of waitpid */
    bool ended;
    char text[256];
    size_t length;
} child;

/* In the child: no call here may allocate. */
static _Noreturn void become_gnuplot(const steep_gnuplot_job *job, int said)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0 || chdir(job->folder) != 0)
        _exit(CANNOT_ENTER);
    execlp("gnuplot", "gnuplot", "-d", job->script, (char *)NULL); /* -d: without users' own settings */
    static const char missing[] = "gnuplot: not found";
    ssize_t told = write(2, missing, sizeof missing - 1);
    _exit(told < 0 ? CANNOT_ENTER : CANNOT_START);
}

static steep_status start(const steep_gnuplot_job *job, child *c, steep_error *error)
{
    int ends[2];
    *c = (child){.said = -1};
    if (pipe(ends) != 0) return steep_fail(error, steep_failure_of(errno), "no pipe to gnuplot: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    c->process = fork();
    if (c->process == 0) become_gnuplot(job, ends[1]);
    int code = errno;
    close(ends[1]);
    c->said = ends[0];
    if (c->process > 0) return STEEP_OK;
    close(ends[0]);
    return steep_fail(error, steep_failure_of(code), "no process for gnuplot: %s", strerror(code));
}

/* Keeps what fits of what it says, as one line. */
static void listen(child *c)
{
    char bytes[256];
    ssize_t got;
    while (c->said >= 0 && (got = read(c->said, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return; /* nothing now */
        for (ssize_t i = 0; i < got; i++) {
            bool doubled = bytes[i] <= ' ' && (c->length == 0 || c->text[c->length - 1] == ' ');
            if (!doubled && c->length + 1 < sizeof c->text)
                c->text[c->length++] = (char)(bytes[i] < ' ' ? ' ' : bytes[i]);
        }
    }
    if (c->said >= 0) close(c->said);
    c->said = -1;
}

/* Until it has ended, is stopped or is out of time; it is not there afterwards. */
static steep_status wait_for(const steep_gnuplot_job *job, child *c, steep_error *error)
{
    const steep_figure_limits *limits = job->limits;
    const double seconds = limits && limits->seconds > 0 ? limits->seconds : STEEP_FIGURE_SECONDS;
    const double end = steep_clock_seconds() + seconds;
    steep_status status = STEEP_OK;
    while (!c->ended) {
        if (limits && limits->stop && *limits->stop)
            status = steep_fail(error, STEEP_STOPPED, "stopped while gnuplot drew: %s/%s draws it later", job->folder,
                                job->script);
        else if (!(steep_clock_seconds() < end))
            status =
                steep_fail(error, STEEP_IO, "%s/%s is written but not drawn: gnuplot took more than %g s and was ended",
                           job->folder, job->script, seconds);
        if (status != STEEP_OK) kill(-c->process, SIGKILL);
        if (status != STEEP_OK) kill(c->process, SIGKILL); /* it may have no group of its own yet */
        struct pollfd said = {.fd = c->said, .events = POLLIN};
        if (status == STEEP_OK) poll(&said, 1, c->said >= 0 ? POLL_MILLISECONDS : 2);
        listen(c);
        pid_t ended = waitpid(c->process, &c->outcome, status == STEEP_OK ? WNOHANG : 0);
        c->ended = ended == c->process || (ended < 0 && errno != EINTR);
    }
    listen(c);
    if (c->said >= 0) close(c->said);
    return status;
}

/* Of a gnuplot that ended well: the first picture that is missing, and what it said, which is why. */
static steep_status check_pictures(const steep_gnuplot_job *job, const child *c, steep_error *error)
{
    size_t there, count, passed;
    steep_error missing = {{0}};
    steep_status status = visit(job, look_on, &there, &count, error);
    if (status != STEEP_OK || (job->terminals ? there == count : there > 0)) return status;
    if (visit(job, look_at, &passed, &count, &missing) == STEEP_NO_MEMORY)
        return steep_fail(error, STEEP_NO_MEMORY, "%s", missing.text);
    return steep_fail(error, STEEP_IO, "%s/%s is written but gnuplot drew %s: %s; it said%s%s", job->folder,
                      job->script, there > 0 ? "a part of it only" : "nothing", missing.text,
                      c->length > 0 ? ": " : " nothing", c->text);
}

static steep_status judge(const steep_gnuplot_job *job, const child *c, steep_error *error)
{
    const bool exited = WIFEXITED(c->outcome);
    const int code = exited ? WEXITSTATUS(c->outcome) : WTERMSIG(c->outcome);
    if (exited && code == 0) return check_pictures(job, c, error);
    if (exited && code == CANNOT_START)
        return steep_fail(error, STEEP_IO,
                          "%s/%s is written but not drawn: gnuplot could not be started (%s); install the package "
                          "gnuplot-nox (Debian: apt install gnuplot-nox), then run \"gnuplot %s\" in that folder",
                          job->folder, job->script, c->text, job->script);
    return steep_fail(error, STEEP_IO, "%s/%s is written but not drawn: gnuplot failed (%s %d): %s", job->folder,
                      job->script, exited ? "exit status" : "signal", code, c->text);
}

steep_status steep_gnuplot_run(const steep_gnuplot_job *job, steep_error *error)
{
    child c;
    size_t there, count;
    steep_status status = visit(job, set_aside, &there, &count, error);
    if (status == STEEP_OK) {
        status = start(job, &c, error);
        if (status == STEEP_OK) status = wait_for(job, &c, error);
        if (status == STEEP_OK) status = judge(job, &c, error);
        if (status != STEEP_OK) visit(job, take_away, &there, &count, NULL); /* what is half drawn */
    }
    visit(job, status == STEEP_OK ? drop_aside : put_back, &there, &count, NULL);
    return status;
}
