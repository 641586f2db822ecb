/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: the words of a command line of steep sweep, one on a line. Options that are parsed, printed and set again
 * are the same; lists come back as they are written; a plan is made, with cost and memory of its fits. Words that are
 * no options are read as ranges, boxes, parts and parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include("cluster/ranks.h")
#include "cluster/ranks.h"
#endif
#include "data/columns.h"
#include "data/target.h"
#include "data/points.h"
#include "fuzz.h"
#include "plan/range.h"
#include "study/sweep.h"

size_t fuzz_plans;

enum { MOST_TEXT = 8192, MOST_VALUES = 1000, MOST_FITS = 2000, MOST_WORDS = 4, LARGEST = 50000 };

/* Every field is printed as text, and is the same when set from this text. */
static void check_texts(const steep_option_group *groups)
{
    steep_sweep_options other = steep_sweep_options_default();
    steep_option_group again[STEEP_SWEEP_GROUPS];
    char text[MOST_TEXT], back[MOST_TEXT];
    steep_sweep_groups(&other, again);
    for (const steep_option_group *g = groups; g->table; g++) {
        fuzz_must("parsed, refused", steep_options_check(g->table, g->record, &fuzz_error));
        for (const steep_option *o = g->table; o->name; o++) {
            steep_options_value(o, g->record, text, sizeof text);
            if (!*text) continue;
            if (steep_options_set(again, o->name, text, &fuzz_error) != STEEP_OK)
                fuzz_broken("--%s prints '%s': %s", o->name, text, fuzz_error.text);
            steep_options_value(o, again[g - groups].record, back, sizeof back);
            if (strcmp(text, back) != 0) fuzz_broken("--%s: '%s' is set to '%s'", o->name, text, back);
        }
    }
}

/* Options that name files get a file of this process. */
static void name_files(steep_sweep_options *o)
{
    static const char points[] = "x,y,z,f\n0,1,2,3\n1,3,4,9\n2,0,1,1\n3,5,2,7\n4,4,4,4\n5,2,8,-1\n";
    if (o->problem.data || o->problem.test_data) fuzz_write(fuzz_path("in"), points, sizeof points - 1);
    if (o->problem.data) o->problem.data = fuzz_path("in");
    if (o->problem.test_data) o->problem.test_data = fuzz_path("in");
    if (o->model.unit && *o->model.unit == '@') o->model.unit = "z1*z2";
}

/* How many fits there are of one architecture and target: a plan of a million fits takes a second. */
static size_t fits_of(const steep_sweep_options *o)
{
    const steep_range_limits limits = {"list", 0, SIZE_MAX};
    const char *const text[] = {o->model.widths, o->problem.seeds};
    size_t fits = 1;
    for (int i = 0; i < 2; i++) {
        size_t *value = NULL, count = 0;
        if (steep_range(&limits, text[i], &value, &count, NULL) == STEEP_OK) fits *= count;
        free(value);
    }
    return fits;
}

/* True for a formula in x6600, say: samples in so many dimensions take a second with sanitizers, a tenth without. */
static bool many_dimensions(const char *formula)
{
    enum { MOST_DIGITS = 3 };
    for (const char *at = formula ? strchr(formula, 'x') : NULL; at; at = strchr(at + 1, 'x'))
        if (strspn(at + 1, "0123456789") > MOST_DIGITS) return true;
    return false;
}

static void check_plan(const steep_sweep_options *o)
{
    steep_plan plan;
    if (!fuzz_accepted(steep_plan_init(&o->problem, &o->model, &o->solver, &plan, &fuzz_error))) return;
    if (plan.tasks == 0 || plan.wanted == 0) fuzz_broken("a plan of nothing");
    for (size_t i = 0; i < plan.tasks && i < MOST_VALUES; i++) {
        const steep_task *task = &plan.task[i];
        const steep_plan_key key = steep_plan_key_of(&plan, task);
        if (steep_plan_find(&plan, &key) != i) fuzz_broken("task %zu is found at %zu", i, steep_plan_find(&plan, &key));
        const double cost = steep_plan_cost(&plan, task), bytes = steep_memory_needed(&plan, task);
        const size_t dim = plan.target[task->target].formula ? plan.target[task->target].formula->dim : 1;
        if (!(cost > 0 && isfinite(cost))) fuzz_broken("task %zu costs %g", i, cost);
        if (!(bytes > 0 && isfinite(bytes))) fuzz_broken("task %zu needs %g bytes", i, bytes);
        if (steep_plan_points(&plan, task) == 0) fuzz_broken("task %zu has no points", i);
        if (dim > 1 && steep_samples_test_count(plan.sampling, plan.test, plan.set[0], dim) == 0)
            fuzz_broken("task %zu has no test points", i);
    }
#if __has_include("cluster/ranks.h") /* an annex */
    const size_t parts = plan.wanted < MOST_WORDS ? plan.wanted : MOST_WORDS;
    const steep_slurm_needs needs = steep_slurm_estimate(&plan, 0, parts);
    if (needs.parts != parts || !isfinite(needs.seconds) || needs.minutes == 0) fuzz_broken("a script for nothing");
#endif
    fuzz_plans++;
    steep_plan_free(&plan);
}

static void check_range(const char *text)
{
    const steep_range_limits limits = {"widths", 1, LARGEST}; /* a list of a million takes a tenth of a second */
    size_t *value = NULL, *back = NULL, count = 0, again = 0, size;
    if (!fuzz_accepted(steep_range(&limits, text, &value, &count, &fuzz_error))) return;
    char *list = NULL;
    FILE *stream = open_memstream(&list, &size);
    if (count == 0 || !stream) fuzz_broken("a range of nothing");
    for (size_t i = 0; i < count; i++) {
        if (value[i] < 1 || value[i] > LARGEST || (i && value[i] <= value[i - 1]))
            fuzz_broken("%zu in place %zu of '%s'", value[i], i, text);
        if (i < MOST_VALUES) fprintf(stream, "%s%zu", i ? "," : "", value[i]);
    }
    fclose(stream);
    fuzz_must(list, steep_range(&limits, list, &back, &again, &fuzz_error));
    const size_t shown = count < MOST_VALUES ? count : MOST_VALUES;
    if (again != shown || memcmp(value, back, shown * sizeof *value) != 0) fuzz_broken("'%s' is another list", list);
    for (size_t i = 0; i < again; i++)
        if (steep_range_find(value, count, back[i]) != i) fuzz_broken("%zu is not found", back[i]);
    free(list), free(value), free(back);
}

static void check_box(const char *text)
{
    for (size_t dim = 1; dim <= 3; dim++) {
        double low[3], high[3];
        if (!fuzz_accepted(steep_box_parse(text, dim, low, high, &fuzz_error))) continue;
        for (size_t j = 0; j < dim; j++)
            if (!(low[j] < high[j]) || !isfinite(high[j] - low[j])) fuzz_broken("box %g:%g", low[j], high[j]);
    }
}

static void check_word(const char *text)
{
    size_t index = 0, count = 0;
    char **names = NULL, name[4200];
    steep_target *target = NULL;
    check_range(text);
    check_box(text);
    if (fuzz_accepted(steep_shard(text, &index, &count, &fuzz_error)) && !(index >= 1 && index <= count))
        fuzz_broken("part %zu of %zu", index, count);
    if (fuzz_accepted(steep_columns_names(text, &names, &count, &fuzz_error))) free(names);
    snprintf(name, sizeof name, "moa_ridge:%s", text);
    if (fuzz_accepted(steep_target_open(name, &target, &fuzz_error))) steep_target_free(target);
}

void fuzz_options(const uint8_t *data, size_t size)
{
    char *text = fuzz_new(size + 1, 1), *word[FUZZ_WORDS + 1] = {(char *)"fuzz"}, *rest = NULL;
    if (size) memcpy(text, data, size);
    steep_sweep_options o = steep_sweep_options_default();
    steep_option_group groups[STEEP_SWEEP_GROUPS];
    const char *left[FUZZ_WORDS + 1];
    steep_command_line line = {.argc = 1, .argv = word, .word = left};
    for (char *w = strtok_r(text, "\n", &rest); w && line.argc <= FUZZ_WORDS; w = strtok_r(NULL, "\n", &rest))
        word[line.argc++] = w;
    steep_sweep_groups(&o, groups);
    if (fuzz_accepted(steep_options_parse(groups, &line, &fuzz_error)) && !line.help) {
        check_texts(groups);
        name_files(&o);
        if (line.words == 0 && fits_of(&o) <= MOST_FITS && !many_dimensions(o.problem.target)) check_plan(&o);
        for (size_t i = 0; i < line.words && i < MOST_WORDS; i++) check_word(left[i]);
    }
    free(text);
}
