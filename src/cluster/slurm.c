/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/ranks.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/core.h"

#define HOUR            3600.0 /* seconds that a part is to take where the number of parts is not given */
#define MOST_PARTS      1000   /* in this case; Slurm's own limit for an array, MaxArraySize, is 1001 by default */
#define MARGIN          4.0    /* time limit over expected time */
#define SPARE_MINUTES   5.0
#define JOIN_MINUTES    10.0
#define JOIN_FITS       1e5 /* the joining job has one more minute for so many fits */
#define SPARE_MEGABYTES 300.0
#define MEGABYTE        1e6
#define YEAR            (8766 * HOUR)

/* Expected seconds of the longest part; *bytes: memory of the largest fit. */
static double longest(const steep_plan *plan, size_t parts, size_t jobs, double *bytes)
{
    double *sum = calloc(parts, sizeof *sum), most = 0, largest = 0;
    *bytes = 0;
    for (size_t i = 0, wanted = 0; i < plan->tasks; i++) {
        const steep_task *task = &plan->task[i];
        if (!task->wanted) continue;
        const double seconds = 1e-6 * steep_plan_cost(plan, task);
        if (sum) sum[wanted % parts] += seconds;
        else most += seconds / (double)parts; /* no memory for the sums: the mean of the parts */
        wanted++;
        largest = fmax(largest, seconds);
        *bytes = fmax(*bytes, steep_memory_needed(plan, task));
    }
    for (size_t i = 0; sum && i < parts; i++) most = fmax(most, sum[i]);
    free(sum);
    return fmax(most / (double)jobs, largest);
}

/* The value rounded up, at most 1e15: this fits in an integer, and no machine grants it. */
static size_t whole(double value)
{
    return (size_t)fmin(ceil(value), 1e15);
}

steep_slurm_needs steep_slurm_estimate(const steep_plan *plan, size_t jobs, size_t parts)
{
    steep_slurm_needs needs = {.parts = parts, .processors = jobs ? jobs : 1};
    double bytes;
    const double processors = (double)needs.processors;
    if (parts == 0) {
        const double hours = ceil(longest(plan, 1, needs.processors, &bytes) / HOUR);
        needs.parts = (size_t)fmax(1, fmin(fmin(hours, MOST_PARTS), (double)plan->wanted));
    }
    needs.seconds = longest(plan, needs.parts, needs.processors, &bytes);
    needs.minutes = whole(MARGIN * needs.seconds / 60 + SPARE_MINUTES);
    needs.joining = whole(JOIN_MINUTES + (double)plan->wanted / JOIN_FITS);
    needs.megabytes = whole(SPARE_MEGABYTES + 1.25 * processors * bytes / MEGABYTE);
    return needs;
}

/* What the script is made of. */
typedef struct script {
    FILE *out;
    const steep_command_line *line;
    const char *program, *jobs; /* jobs: an option of each part, or "" */
    steep_slurm_needs needs;
} script;

/* Is this word the option, with its value where it has a =? */
static bool is_option(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (!word[length] || word[length] == '=');
}

static void put_command(const script *s)
{
    steep_text_put_word(s->out, s->program);
    for (int i = 0; i < s->line->argc; i++) {
        const char *word = s->line->argv[i];
        if (is_option(word, "--parts") || (*s->jobs && is_option(word, "--jobs"))) i += !strchr(word, '=');
        else if (strcmp(word, "--print-slurm") != 0) {
            fputc(' ', s->out);
            steep_text_put_word(s->out, word);
        }
    }
}

static void put_submission(const script *s, const char *part, size_t minutes)
{
    fprintf(s->out,
            "sbatch --parsable --export=ALL,STEEP_PART=%s --cpus-per-task=%zu --mem=%zuM --time=%zu-%02zu:%02zu:00",
            part, s->needs.processors, s->needs.megabytes, minutes / 1440, minutes / 60 % 24, minutes % 60);
}

static void put_script(const script *s, size_t fits)
{
    const size_t parts = s->needs.parts;
    fputs("#!/bin/bash\n# ", s->out);
    put_command(s);
    fprintf(
        s->out,
        "\n# %zu fits in %zu part%s, the longest about %.0f s, and a job that joins them. Submit both: bash FILE. The "
        "same again goes on where\n# something was left: what is done is kept.\n"
        "#SBATCH --job-name=steep --ntasks=1 --requeue --open-mode=append\n"
        "case ${STEEP_PART:-} in\n\"\")\n    parts=$(",
        fits, parts, parts > 1 ? "s" : "", s->needs.seconds);
    put_submission(s, "one", s->needs.minutes);
    fprintf(s->out,
            " --array=1-%zu \\\n        --output=steep-%%A-%%a.log --signal=B:TERM@30 \"$0\") || exit 1\n    joined=$(",
            parts);
    put_submission(s, "join", s->needs.joining);
    fputs(
        " --dependency=\"afterok:${parts%%;*}\" \\\n        --kill-on-invalid-dep=yes --output=steep-%j.log \"$0\") || "
        "exit 1\n    echo \"submitted: parts ${parts%%;*}, then ${joined%%;*}\"\n    ;;\none) exec ",
        s->out);
    put_command(s);
    fprintf(s->out, "%s --shard \"$SLURM_ARRAY_TASK_ID/%zu\" ;;\njoin) exec ", s->jobs, parts);
    put_command(s);
    fprintf(s->out, "%s ;;\nesac\n", s->jobs);
}

/* Refuses control characters: a newline would end the script's comment, and the rest of the word would run. */
static steep_status check_words(const script *s, steep_error *error)
{
    for (int i = 0; i < s->line->argc; i++) {
        const char *word = i > 0 ? s->line->argv[i] : s->program;
        for (const unsigned char *c = (const unsigned char *)word; *c; c++)
            if (*c < ' ' || *c == 127)
                return steep_fail(
                    error, STEEP_BAD_INPUT,
                    "--print-slurm: '%.80s' holds a control character (%d), and a batch script has a line "
                    "for each command: use names and formulas without newlines and tabs",
                    word, *c);
    }
    return STEEP_OK;
}

steep_status steep_slurm_print(size_t parts, const steep_sweep_options *options, const steep_command_line *line,
                               FILE *out, steep_error *error)
{
    steep_sweep_options filled = *options;
    steep_plan plan = {0};
    char program[PATH_MAX] = "";
    if (filled.run.shard || filled.run.fresh)
        return steep_fail(
            error, STEEP_BAD_INPUT, "--print-slurm %s: its parts are shards of one folder: leave that out%s",
            filled.run.shard ? "--shard" : "--fresh", filled.run.shard ? "" : ", and remove the folder by hand");
    const bool found = readlink("/proc/self/exe", program, sizeof program - 1) > 0;
    script s = {.out = out, .line = line, .program = found ? program : "steep"};
    s.jobs = options->run.jobs ? "" : " --jobs 1";
    steep_status status = check_words(&s, error);
    if (status == STEEP_OK) status = steep_sweep_complete(&filled, &plan, error);
    if (status != STEEP_OK) return status;
    s.needs = steep_slurm_estimate(&plan, filled.run.jobs, parts);
    if (s.needs.parts > plan.wanted)
        status = steep_fail(error, STEEP_BAD_INPUT, "--parts %zu: there are %zu fits: use fewer", s.needs.parts,
                            plan.wanted);
    else if (s.needs.seconds > YEAR)
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "--print-slurm: the longest part is expected to take %.2g years: use more --parts, "
                            "smaller widths, or fewer iterations",
                            s.needs.seconds / YEAR);
    else put_script(&s, plan.wanted);
    steep_plan_free(&plan);
    return status;
}
