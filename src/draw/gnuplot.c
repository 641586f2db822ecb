/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot runs in a process group of its own, so that its children end with it; its standard error is a file in memory.
 * gnuplot is not trusted: it may hang, or report success without a picture or, on a full disk, with half a picture. */
#define _GNU_SOURCE /* memmem, memfd_create */
#include "draw/figure.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define POLL_MICROSECONDS 2000 /* how soon a stop, or the end of gnuplot, is seen */
enum { KINDS = 6, MOST_SAID = 4096 };
#define ASIDE        ".tmp" /* an older picture is moved to a name with this ending in the meantime */
#define CANNOT_ENTER 125
#define CANNOT_START 127

/* A picture of a terminal: its file is NAME and ENDING, and the last bytes of a complete file contain `last`. gnuplot
 * reports no error on a full disk. */
typedef struct kind {
    const char *terminal, *ending, *last;
} kind;

static const kind kinds[KINDS] = {{"svg", ".svg", "</svg>"},
                                  {"pdf", ".pdf", "%%EOF"},
                                  {"png", ".png", "IEND\xae\x42\x60\x82"},
                                  {"cairolatex", "-cairolatex.tex", "\\endgroup"},
                                  {"cairolatex", "-cairolatex.pdf", "%%EOF"},
                                  {"tikz", "-tikz.tex", "\\end{tikzpicture}"}};

/* The first kind behind `last` (NULL: of all) whose terminal the job names; NULL: there is none. */
static const kind *next_kind(const steep_figure_writer *job, const kind *last)
{
    for (const kind *k = last ? last + 1 : kinds; k < kinds + KINDS; k++) {
        const size_t length = strlen(k->terminal);
        const char *at = job->terminals ? job->terminals : STEEP_FIGURE_TERMINALS;
        for (; *(at += strspn(at, ",")); at += strcspn(at, ","))
            if (strcspn(at, ",") == length && strncmp(at, k->terminal, length) == 0) return k;
    }
    return NULL;
}

/* Moves older pictures aside. Where there is none, one that a killed run has moved aside stays there. */
static steep_status set_aside(const steep_figure_writer *job, steep_error *error)
{
    struct stat facts;
    for (const kind *k = NULL; (k = next_kind(job, k));) {
        const steep_path path = steep_figure_path(job, k->ending, ""), aside = steep_figure_path(job, k->ending, ASIDE);
        if (lstat(path.text, &facts) != 0) continue;
        errno = EISDIR;
        if (!S_ISDIR(facts.st_mode) && rename(path.text, aside.text) == 0) continue;
        return steep_fail(error, STEEP_IO, "%s: cannot be replaced: %s", path.text, strerror(errno));
    }
    return STEEP_OK;
}

/* Checks that the last bytes of a picture contain `last`. */
static steep_status look_at(const char *path, const char *last, steep_error *error)
{
    char bytes[64];
    struct stat facts;
    struct statvfs disk;
    if (stat(path, &facts) != 0) return steep_fail(error, STEEP_IO, "there is no %s", path);
    const off_t size = facts.st_size, from = size > (off_t)sizeof bytes ? size - (off_t)sizeof bytes : 0;
    const int file = S_ISREG(facts.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t got = file >= 0 ? pread(file, bytes, sizeof bytes, from) : -1;
    if (file >= 0) close(file);
    if (got > 0 && memmem(bytes, (size_t)got, last, strlen(last))) return STEEP_OK;
    const char *what = !S_ISREG(facts.st_mode) ? "no file" : size == 0 ? "empty" : "cut short";
    return steep_fail(error, STEEP_IO, "%s is %s%s", path, what,
                      statvfs(path, &disk) == 0 && disk.f_bavail == 0 ? ", no room is left on its disk" : "");
}

typedef struct child {
    pid_t process;
    int said;       /* its standard error, a file of MOST_SAID bytes that cannot grow */
    int outcome;    /* of waitpid */
    char text[256]; /* the text of said, as one line */
} child;

/* The path of gnuplot by PATH, as seen from here: the child's folder may hold a program of that name. "": none. */
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

/* In the child, where no call may allocate memory. */
static _Noreturn void become_gnuplot(const char *folder, const char *script, const char *program, int said)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0 || chdir(folder) != 0)
        _exit(CANNOT_ENTER);
    if (*program) execl(program, "gnuplot", "-d", script, (char *)NULL); /* -d: without users' own settings */
    _exit(CANNOT_START);
}

static steep_status start(const steep_figure_writer *job, child *c, steep_error *error)
{
    char program[PATH_MAX];
    const steep_path script = steep_figure_path(job, ".gp", "");
    find_gnuplot(program);
    fflush(NULL);
    *c = (child){.said = memfd_create("gnuplot", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    const bool heard =
        c->said >= 0 && ftruncate(c->said, MOST_SAID) == 0 && fcntl(c->said, F_ADD_SEALS, F_SEAL_GROW) == 0;
    c->process = heard ? fork() : -1;
    if (c->process == 0) become_gnuplot(job->folder, strrchr(script.text, '/') + 1, program, c->said);
    if (c->process > 0) return STEEP_OK;
    const int code = errno;
    if (c->said >= 0) close(c->said);
    return steep_fail(error, steep_failure_of(code), "no process for gnuplot: %s", strerror(code));
}

/* Reads gnuplot's standard error into c->text as one line, as far as it fits. */
static void listen(child *c)
{
    unsigned char bytes[MOST_SAID];
    const ssize_t got = pread(c->said, bytes, sizeof bytes, 0);
    size_t length = 0;
    for (ssize_t i = 0; i < got && bytes[i] && length + 1 < sizeof c->text; i++) {
        const bool doubled = bytes[i] <= ' ' && (length == 0 || c->text[length - 1] == ' ');
        if (!doubled) c->text[length++] = (char)(bytes[i] < ' ' ? ' ' : bytes[i]);
    }
    close(c->said);
}

/* Waits until gnuplot ends, or ends it on a stop or after its time. The process is gone on return. */
static steep_status wait_for(const steep_figure_writer *job, child *c, steep_error *error)
{
    const steep_figure_limits *limits = job->limits;
    const double seconds = limits && limits->seconds > 0 ? limits->seconds : STEEP_FIGURE_SECONDS;
    const double end = steep_clock_seconds() + seconds;
    steep_status status = STEEP_OK;
    for (bool ended = false; !ended;) {
        if (limits && limits->stop && *limits->stop)
            status = steep_fail(error, STEEP_STOPPED, "stopped: no picture; gnuplot draws it from %s/%s.gp",
                                job->folder, job->name);
        else if (!(steep_clock_seconds() < end))
            status = steep_fail(error, STEEP_IO,
                                "%s/%s.gp is written but not drawn: gnuplot took more than %g s and was ended",
                                job->folder, job->name, seconds);
        if (status != STEEP_OK) kill(-c->process, SIGKILL);
        if (status != STEEP_OK) kill(c->process, SIGKILL); /* it may have no group of its own yet */
        if (status == STEEP_OK) usleep(POLL_MICROSECONDS);
        const pid_t gone = waitpid(c->process, &c->outcome, status == STEEP_OK ? WNOHANG : 0);
        ended = gone == c->process || (gone < 0 && errno != EINTR);
    }
    listen(c);
    return status;
}

/* Refuses the pictures of a successful gnuplot where one is missing or incomplete; the message has gnuplot's text.
 * Without job->terminals some pictures may be missing, but not all, and the others must be complete. */
static steep_status check_pictures(const steep_figure_writer *job, const child *c, steep_error *error)
{
    size_t there = 0;
    steep_error why = {{0}};
    for (const kind *k = NULL; (k = next_kind(job, k));)
        there += look_at(steep_figure_path(job, k->ending, "").text, k->last, NULL) == STEEP_OK;
    for (const kind *k = NULL; !*why.text && (k = next_kind(job, k));) {
        const steep_path path = steep_figure_path(job, k->ending, "");
        if (job->terminals || there == 0 || access(path.text, F_OK) == 0) look_at(path.text, k->last, &why);
    }
    if (!*why.text) return STEEP_OK;
    return steep_fail(error, STEEP_IO, "%s/%s.gp is written but gnuplot drew %s: %s; it said%s%s", job->folder,
                      job->name, there > 0 ? "a part of it only" : "nothing", why.text, *c->text ? ": " : " nothing",
                      c->text);
}

static steep_status judge(const steep_figure_writer *job, const child *c, steep_error *error)
{
    const bool exited = WIFEXITED(c->outcome);
    const int code = exited ? WEXITSTATUS(c->outcome) : WTERMSIG(c->outcome);
    if (exited && code == 0) return check_pictures(job, c, error);
    if (exited && code == CANNOT_START)
        return steep_fail(error, STEEP_IO,
                          "%s/%s.gp is written but not drawn: gnuplot could not be started (%s); install the package "
                          "gnuplot-nox (Debian: apt install gnuplot-nox), then run \"gnuplot %s.gp\" in that folder",
                          job->folder, job->name, *c->text ? c->text : "gnuplot: not found", job->name);
    return steep_fail(error, STEEP_IO, "%s/%s.gp is written but not drawn: gnuplot failed (%s %d): %s", job->folder,
                      job->name, exited ? "exit status" : "signal", code, c->text);
}

steep_status steep_gnuplot_run(const steep_figure_writer *job, steep_error *error)
{
    child c;
    steep_status status = set_aside(job, error);
    if (status == STEEP_OK) {
        status = start(job, &c, error);
        if (status == STEEP_OK) status = wait_for(job, &c, error);
        if (status == STEEP_OK) status = judge(job, &c, error);
        for (const kind *k = NULL; status != STEEP_OK && (k = next_kind(job, k));)
            unlink(steep_figure_path(job, k->ending, "").text); /* incomplete pictures */
    }
    for (const kind *k = NULL; (k = next_kind(job, k));) { /* older pictures go if all are drawn, else they come back */
        const steep_path path = steep_figure_path(job, k->ending, ""), aside = steep_figure_path(job, k->ending, ASIDE);
        if (status == STEEP_OK) unlink(aside.text);
        else if (access(path.text, F_OK) != 0) rename(aside.text, path.text);
    }
    return status;
}
