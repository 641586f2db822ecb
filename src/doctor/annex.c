/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep doctor: what was found on this machine, and checks that results are right. */
#include <float.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/annex.h"
#include "cli/cli.h"
#include "doctor/core.h"
#include "steep/sweep.h"

#define TIME_IS_OVER 124 /* exit status of timeout */
#define ASK_SECONDS  10  /* for a program to print its version; nvidia-smi may take some where the driver sleeps */

static const steep_sheet_column found_columns[] = {{"name", NULL, "what", STEEP_SHEET_TEXT, NULL, 0, -12},
                                                   {"text", NULL, "found", STEEP_SHEET_TEXT, NULL, 1, 0}};
static const steep_sheet_layout found_layout = {"found", STEEP_SHEET_LIST, found_columns, 2, 0};
static const steep_sheet_column check_columns[] = {{"verdict", NULL, "verdict", STEEP_SHEET_TEXT, NULL, 0, 0},
                                                   {"name", NULL, "check", STEEP_SHEET_TEXT, NULL, 1, -9},
                                                   {"text", NULL, "result", STEEP_SHEET_TEXT, NULL, 1, 0}};
static const steep_sheet_layout check_layout = {"checks", STEEP_SHEET_LIST, check_columns, 3, 0};

static void row(steep_sheet *sheet, const char *name, const char *text)
{
    const steep_cell cell[] = {steep_cell_text(name), steep_cell_text(text)};
    steep_sheet_row(sheet, cell);
}

/* Adds a row: the first line with `word` that a shell command prints, or `none`, or that the command did not end. */
static void ask(steep_sheet *sheet, const char *name, const char *command, const char *word, const char *none)
{
    char text[600], found[201] = "";
    snprintf(text, sizeof text, "exec timeout -k 1 %d %s 2>/dev/null </dev/null", ASK_SECONDS, command);
    FILE *said = popen(text, "r");
    while (said && fgets(text, sizeof text, said))
        if (!*found && strstr(text, word)) snprintf(found, sizeof found, "%.*s", (int)strcspn(text, "\n"), text);
    const int outcome = said ? pclose(said) : -1, status = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
    if (status == TIME_IS_OVER || status == 128 + SIGKILL) {
        snprintf(text, sizeof text, "it does not work: \"%s\" was not done after %d s", command, ASK_SECONDS);
        row(sheet, name, text);
    } else row(sheet, name, status == 0 && *found ? found : none);
}

static void print_found(steep_sheet *sheet)
{
    const steep_backend *backend = steep_backend_find("cuda");
    const char *name, *version;
    steep_device_options on;
    steep_error why = {"none (this build has no device part: it was built without src/cuda)"};
    char text[300], cpu[256], gpu[256], device[256];
    char mpi[700] = "none (this build has no cluster part: it was built without src/cluster)";
    snprintf(text, sizeof text, "%s (%s)", steep_this_build.version, steep_this_build.commit);
    row(sheet, "steep", text);
    row(sheet, "compiler", steep_this_build.compiler);
    row(sheet, "flags", steep_this_build.flags);
    steep_provenance_cpu(cpu, sizeof cpu);
    snprintf(text, sizeof text, "%s, %zu to use", cpu, steep_processors());
    row(sheet, "processors", text);
    for (size_t i = 0; (name = steep_provenance_library(i, &version)); i++) row(sheet, name, version);
    snprintf(text, sizeof text, "%s; %s loops, 1 thread", STEEP_ALGEBRA, steep_dense_sets(0)->name);
    row(sheet, "algebra", text);
    ask(sheet, "gnuplot", "gnuplot --version", "gnuplot", "none: no figures: install gnuplot-nox");
    ask(sheet, "nvcc", "nvcc --version", "release", "none (not needed)");
    ask(sheet, "gpu", "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader", ",",
        steep_provenance_gpu(gpu, sizeof gpu) ? gpu : "none (not needed)");
    steep_status status = backend ? steep_cli_device(&on, &why) : STEEP_BAD_INPUT;
    if (status == STEEP_OK) status = backend->ready(&on, device, sizeof device, &why);
    row(sheet, "device cuda", status == STEEP_OK ? device : why.text);
    if (steep_annexes_sweep()) steep_annexes_sweep()->doctor(mpi, sizeof mpi); /* whether mpirun works */
    row(sheet, "mpi", mpi);
}

static bool report(steep_sheet *sheet, const char *name, bool good, const char *remark)
{
    const steep_cell cell[] = {
        steep_cell_toned(good ? "PASS" : "FAIL", good ? STEEP_TONE_GOOD : STEEP_TONE_BAD),
        steep_cell_text(name),
        steep_cell_text(remark),
    };
    steep_sheet_row(sheet, cell);
    return good;
}

/* Checks a product of 64 x 64 matrices by the loops of each instruction set: near the plain sum, with equal bits. */
static bool check_algebra(steep_sheet *sheet)
{
    enum { N = 64 };
    static double a[N * N], b[N * N], c[N * N], first[N * N];
    char remark[600];
    double worst = 0;
    bool same = true;
    const steep_dense_set *set;
    steep_random random = steep_random_start(1, STEEP_STREAM_TEST);
    for (size_t i = 0; i < N * N; i++) {
        a[i] = 2 * steep_random_uniform(&random) - 1;
        b[i] = 2 * steep_random_uniform(&random) - 1;
    }
    snprintf(remark, sizeof remark, "products by");
    for (size_t s = 0; (set = steep_dense_sets(s)); s++) {
        set->inner(&(steep_product){N, {N, a, N}, {N, b, N}, c, N});
        if (s == 0) memcpy(first, c, sizeof c);
        same = same && memcmp(first, c, sizeof c) == 0;
        steep_text_add(remark, sizeof remark, " %s", set->name);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++) sum += a[k + i * N] * b[k + j * N];
            worst = fmax(worst, fabs(sum - c[i + j * N]));
        }
    steep_text_add(remark, sizeof remark, ": %s, off by %.1e", same ? "the same bits" : "not the same bits", worst);
    return report(sheet, "algebra", same && worst <= N * DBL_EPSILON, remark);
}

/* Checks that the errors of arch at widths 16 and 32 on cos4 fall with theory's order, by this solver. */
static bool check_fit(steep_sheet *sheet, const char *solver, const char *arch, double order)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_sweep_result result;
    steep_error error = {{0}};
    char remark[600];
    double rmse[2] = {NAN, NAN};
    options.model.arch = arch;
    options.model.widths = "16,32";
    options.problem.target = "cos4";
    options.problem.samples = "400";
    options.solver.solver = solver;
    options.run.out = NULL;
    options.run.jobs = 1;
    steep_status status = steep_sweep_run(&options, &result, &error);
    for (size_t i = 0; status == STEEP_OK && i < 2; i++) rmse[i] = result.row[i].rmse_test;
    steep_sweep_result_free(&result);
    double slope = log(rmse[1] / rmse[0]) / log(2);
    if (status < 0) snprintf(remark, sizeof remark, "%s", error.text);
    else
        snprintf(remark, sizeof remark, "%s by %s: error %.1e at width 16, %.1e at 32, slope %.2f", arch, solver,
                 rmse[0], rmse[1], slope);
    return report(sheet, solver, status == STEEP_OK && slope <= -order + 0.3, remark);
}

static steep_status run(void *record, const steep_command_line *line, steep_error *error)
{
    steep_sheet sheet;
    (void)line;
    steep_sheet_open(&sheet, stdout, steep_cli_style(record), "doctor");
    steep_sheet_begin(&sheet, &found_layout, NULL);
    print_found(&sheet);
    steep_sheet_begin(&sheet, &check_layout, NULL);
    bool good = check_algebra(&sheet);
    good &= check_fit(&sheet, "construct", "glu", 3);
    good &= check_fit(&sheet, "frozen", "gqu", 4);
    const steep_status status = steep_cli_close(&sheet, STEEP_OK, error);
    return good ? status : steep_fail(error, STEEP_SINGULAR, "a check failed: please report what is printed");
}

static const steep_command command = {
    .name = "doctor",
    .what = "what was found on this machine, and whether it works",
    .about = "Prints what was found: libraries and versions, instruction set, compiler, gnuplot, GPU;\n"
             "then checks that a matrix product and two small fits come out right. Exit status 1 when one fails.",
    .size = sizeof(steep_cli_output),
    .prints = STEEP_PRINTS_TABLES,
    .work = run,
    .alone = true,
};

const steep_annex steep_annex_doctor = {.name = "doctor", .command = &command};
