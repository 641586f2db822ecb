/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot runs in a process group of its own, so that what it starts ends with it; its standard error is a pipe. It is
 * waited for without being trusted: it may hang, close the pipe and go on, or end well and leave nothing, or half a
 * picture where the disk is full. */
#define _GNU_SOURCE /* memmem */
#include "draw/gnuplot.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"

#define POLL_MILLISECONDS 20 /* how soon a stop, or the end of gnuplot, is seen */
#define CANNOT_ENTER      125
#define CANNOT_START      127

/* --- pictures --- */

/* What a terminal draws, NAME and ENDING, and what stands in the last bytes of it where it is whole: gnuplot says
 * nothing where a disk is full. */
typedef struct kind {
    const char *terminal, *ending, *last;
} kind;

static const kind kinds[] = {{"svg", ".svg", "</svg>"},
                             {"pdf", ".pdf", "%%EOF"},
                             {"png", ".png", "IEND\xae\x42\x60\x82"},
                             {"cairolatex", "-cairolatex.tex", "\\endgroup"},
                             {"cairolatex", "-cairolatex.pdf", "%%EOF"},
                             {"tikz", "-tikz.tex", "\\end{tikzpicture}"}};

typedef struct picture {
    char *path, *aside; /* aside: the one that was there, while it is drawn anew */
    const char *last;
} picture;

/* False without memory; free both, whatever comes back. */
static bool name_picture(const steep_gnuplot_job *job, const kind *k, picture *p)
{
    const size_t size = strlen(job->folder) + strlen(job->name) + strlen(k->ending) + sizeof "/.tmp";
    *p = (picture){malloc(size), malloc(size), k->last};
    if (!p->path || !p->aside) return false;
    snprintf(p->path, size, "%s/%s%s", job->folder, job->name, k->ending);
    snprintf(p->aside, size, "%s.tmp", p->path);
    return true;
}

/* What is done with each picture; false ends it. */
typedef bool (*visitor)(const picture *p, size_t *there, steep_error *error);

/* Where there is none, one that a killed run had set aside stays there. */
static bool set_aside(const picture *p, size_t *there, steep_error *error)
{
    struct stat facts;
    (void)there;
    if (lstat(p->path, &facts) != 0) return true;
    errno = EISDIR;
    if (!S_ISDIR(facts.st_mode) && rename(p->path, p->aside) == 0) return true;
    steep_fail(error, steep_failure_of(errno), "%s: cannot be replaced: %s", p->path, strerror(errno));
    return false;
}

static bool take_away(const picture *p, size_t *there, steep_error *error)
{
    (void)there, (void)error;
    unlink(p->path);
    return true;
}

static bool put_back(const picture *p, size_t *there, steep_error *error)
{
    struct stat facts;
    (void)there, (void)error;
    if (lstat(p->path, &facts) != 0) rename(p->aside, p->path);
    return true;
}

static bool drop_aside(const picture *p, size_t *there, steep_error *error)
{
    (void)there, (void)error;
    unlink(p->aside);
    return true;
}

/* Whether its last bytes hold what they should. */
static bool is_whole(const picture *p, off_t size)
{
    char bytes[64];
    const off_t from = size > (off_t)sizeof bytes ? size - (off_t)sizeof bytes : 0;
    const int file = open(p->path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file >= 0 ? pread(file, bytes, sizeof bytes, from) : -1;
    if (file >= 0) close(file);
    return got > 0 && memmem(bytes, (size_t)got, p->last, strlen(p->last)) != NULL;
}

/* Whether nothing more can be written where it stands. */
static bool is_disk_full(const char *path)
{
    struct statvfs disk;
    return statvfs(path, &disk) == 0 && disk.f_bavail == 0;
}

static bool look_at(const picture *p, size_t *there, steep_error *error)
{
    struct stat facts;
    if (stat(p->path, &facts) != 0) {
        steep_fail(error, STEEP_IO, "there is no %s", p->path);
        return false;
    }
    const bool file = S_ISREG(facts.st_mode), whole = file && is_whole(p, facts.st_size);
    if (!whole)
        steep_fail(error, STEEP_IO, "%s is %s%s", p->path,
                   !file                ? "no file"
                   : facts.st_size == 0 ? "empty"
                                        : "cut short",
                   is_disk_full(p->path) ? ", no room is left on its disk" : "");
    *there += whole;
    return whole;
}

/* The same for all of several. */
static bool look_on(const picture *p, size_t *there, steep_error *error)
{
    (void)error;
    look_at(p, there, NULL);
    return true;
}

/* Nothing stands at its name, or a picture that is whole. */
static bool look_for_torn(const picture *p, size_t *there, steep_error *error)
{
    struct stat facts;
    return lstat(p->path, &facts) != 0 || look_at(p, there, error);
}

/* STEEP_IO where the visitor ends it. *there of *count pictures are. */
static steep_status visit(const steep_gnuplot_job *job, visitor each, size_t *there, size_t *count, steep_error *error)
{
    const char *at = job->terminals ? job->terminals : "svg,pdf,png";
    *there = *count = 0;
    for (size_t length; *(at += strspn(at, ", ")); at += length) {
        length = strcspn(at, ", ");
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (strlen(kinds[k].terminal) != length || strncmp(kinds[k].terminal, at, length) != 0) continue;
            picture p;
            const bool named = name_picture(job, &kinds[k], &p), fine = named && each(&p, there, error);
            free(p.path);
            free(p.aside);
            if (!named) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
            if (!fine) return STEEP_IO;
            ++*count;
        }
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

/* Where PATH has it as seen from here, before the child is in another folder, which may hold a program of that name. "":
 * nowhere. */
static void find_gnuplot(char program[PATH_MAX])
{
    const char *at = getenv("PATH");
    char candidate[PATH_MAX];
    struct stat facts;
    for (size_t length; at; at = at[length] ? at + length + 1 : NULL) {
        length = strcspn(at, ":");
        snprintf(candidate, sizeof candidate, "%.*s%sgnuplot", (int)length, at, length ? "/" : "./");
        if (access(candidate, X_OK) != 0 || stat(candidate, &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
        if (realpath(candidate, program)) return;
    }
    program[0] = '\0';
}

/* In the child: no call here may allocate. */
static _Noreturn void become_gnuplot(const steep_gnuplot_job *job, const char *program, int said)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0 || chdir(job->folder) != 0)
        _exit(CANNOT_ENTER);
    if (*program) execl(program, "gnuplot", "-d", job->script, (char *)NULL); /* -d: without users' own settings */
    static const char missing[] = "gnuplot: not found";
    ssize_t told = write(2, missing, sizeof missing - 1);
    _exit(told < 0 ? CANNOT_ENTER : CANNOT_START);
}

static steep_status start(const steep_gnuplot_job *job, child *c, steep_error *error)
{
    int ends[2];
    char program[PATH_MAX];
    find_gnuplot(program);
    *c = (child){.said = -1};
    if (pipe(ends) != 0) return steep_fail(error, steep_failure_of(errno), "no pipe to gnuplot: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    c->process = fork();
    if (c->process == 0) become_gnuplot(job, program, ends[1]);
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

/* Of a gnuplot that ended well: the first picture that is missing or torn, and what it said, which is why. */
static steep_status check_pictures(const steep_gnuplot_job *job, const child *c, steep_error *error)
{
    size_t there, count, passed;
    steep_error wrong = {{0}};
    steep_status status = visit(job, look_on, &there, &count, error);
    if (status != STEEP_OK || (job->terminals && there == count)) return status;
    /* Where any will do, what is there must be whole. */
    status = visit(job, job->terminals || there == 0 ? look_at : look_for_torn, &passed, &count, &wrong);
    if (status == STEEP_OK) return status;
    if (status == STEEP_NO_MEMORY) return steep_fail(error, STEEP_NO_MEMORY, "%s", wrong.text);
    return steep_fail(error, STEEP_IO, "%s/%s is written but gnuplot drew %s: %s; it said%s%s", job->folder,
                      job->script, there > 0 ? "a part of it only" : "nothing", wrong.text,
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
