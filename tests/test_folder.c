/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder: foreign folders are left alone; one run at a time, but shards together; --fresh removes only runs' files. */
#include "record/folder.h"

#include "scratch.h"
#include "plans.h"

static steep_error error;
static steep_sweep_options options;
static steep_option_group group[STEEP_SWEEP_GROUPS];
static const steep_plan plan = {.device = "cpu"};

static steep_provenance make(const char *shard)
{
    steep_provenance p = {.command = "sweep", .groups = group, .plan = &plan, .shard = shard};
    options = steep_sweep_options_default();
    options.problem.samples = "2000";
    steep_sweep_groups(&options, group);
    ck_assert_int_eq(steep_provenance_begin(&p, NULL), STEEP_OK);
    return p;
}

static void write_record(const char *folder, const steep_provenance *p)
{
    steep_tally tally = {0};
    ck_assert_int_eq(steep_provenance_write(p, scratch_path(folder, "run.json"), "done", &tally, NULL), STEEP_OK);
}

/* Requires that the folder can be opened; closes it. */
static void expect_taken(const char *path, const steep_provenance *p)
{
    steep_folder folder;
    check_says(steep_folder_open(&folder, path, p, false, &error), STEEP_OK, "");
    steep_folder_close(&folder);
}

static void expect_refused(const char *path, const steep_provenance *p, bool fresh, const char *says)
{
    steep_folder folder;
    check_says(steep_folder_open(&folder, path, p, fresh, &error), STEEP_BAD_INPUT, says);
}

START_TEST(folders_are_made_with_those_above)
{
    steep_provenance p = make(NULL);
    steep_folder folder;
    const char *base = scratch_make();
    static const char *const names[] = {"a/b/c", "d//e/", "a/b/c"};
    for (size_t i = 0; i < 3; i++) {
        const char *path = scratch_path(base, names[i]);
        ck_assert_msg(steep_folder_open(&folder, path, &p, false, &error) == STEEP_OK, "%s", error.text);
        scratch_put(steep_path_in(folder.path, "run.json.01234567.tmp").text, "{"); /* as a killed run leaves it */
        steep_folder_close(&folder);
    }
}

START_TEST(foreign_folders_are_left_alone)
{
    steep_provenance p = make(NULL);
    const char *base = scratch_make();
    scratch_put(scratch_path(base, "notes.txt"), "mine");
    expect_refused(base, &p, false, "notes.txt");
    expect_refused(base, &p, true, "notes.txt");
    expect_refused(scratch_path(base, "notes.txt"), &p, false, "no folder");
    expect_refused(scratch_path(base, "notes.txt/sub"), &p, false, "cannot make");
    expect_refused("/proc/steep", &p, false, "cannot make");
    expect_refused("", &p, false, "--out");
    expect_refused(NULL, &p, false, "--out");
    ck_assert_uint_eq(scratch_count(base), 1); /* nothing was written, no lock either */
    scratch_put(scratch_path(base, "run.json"), "{}");
    expect_refused(base, &p, false, "no record");
    expect_refused(base, &p, true, "no record");
    ck_assert_uint_eq(scratch_count(base), 2);
}

START_TEST(fresh_takes_what_runs_write)
{
    static const char *const names[] = {"fits.csv",      "fits.csv.tmp",     "fits.shard-1-of-2.csv",
                                        "slopes.csv",    "slopes.gp",        "slopes.svg",
                                        "slopes.pdf",    "slopes.png",       "parameters.json",
                                        "residuals.csv", "units.csv",        "gates.csv",
                                        "fit.gp",        "fit.svg",          "fit.pdf",
                                        "fit.png",       "run.json.tmp",     "notes.txt",
                                        "fits.csv.bak",  "fits.shard-x.csv", "fits.shard-1-of-2.csv.old",
                                        "my.svg"};
    enum { NAMES = sizeof names / sizeof *names, OWN = NAMES - 5 /* the others are foreign */ };
    steep_provenance p = make(NULL);
    steep_folder folder;
    const char *base = scratch_make();
    for (size_t i = 0; i < NAMES; i++) scratch_put(scratch_path(base, names[i]), "x");
    write_record(base, &p);
    options.problem.noise = ".5";
    expect_refused(base, &p, false, "--noise 0 and this command has .5");
    ck_assert_int_eq(steep_folder_open(&folder, base, &p, true, NULL), STEEP_OK);
    for (size_t i = 0; i < NAMES; i++) ck_assert(scratch_exists(scratch_path(base, names[i])));
    ck_assert_int_eq(steep_folder_clear(&folder, NULL), STEEP_OK);
    steep_folder_close(&folder);
    ck_assert(!scratch_exists(scratch_path(base, "run.json")));
    for (size_t i = 0; i < NAMES; i++)
        ck_assert_msg(scratch_exists(scratch_path(base, names[i])) == (i >= OWN), "%s", names[i]);
}

/* Shards leave temporary files alone, which may be of other shards. A whole run, alone in the folder, removes them,
 * also among its kept networks, but not behind a link. */
START_TEST(leftovers_of_killed_runs_go)
{
    steep_provenance whole = make(NULL), shard = make("1/2");
    const char *base = scratch_make();
    const steep_path networks = steep_path_in(base, STEEP_FOLDER_NETWORKS), aside = steep_path_in(base, "aside");
    const steep_path torn = steep_path_in(networks.text, "w5-s3.json.4a4688fe.tmp"),
                     other = steep_path_in(aside.text, "w5-s3.csv.4a4688fe.tmp");
    write_record(base, &whole);
    ck_assert(mkdir(networks.text, 0777) == 0 && mkdir(aside.text, 0777) == 0);
    ck_assert_int_eq(symlink("aside", scratch_path(base, STEEP_FOLDER_CURVES)), 0);
    scratch_put(steep_path_in(networks.text, "w5-s3.json").text, "{}");
    scratch_put(steep_path_in(networks.text, "mine.tmp").text, "x");
    scratch_put(torn.text, "{");
    scratch_put(other.text, "x");
    expect_taken(base, &shard);
    ck_assert(scratch_exists(torn.text));
    expect_taken(base, &whole);
    ck_assert(!scratch_exists(torn.text) && scratch_exists(other.text));
    ck_assert_uint_eq(scratch_count(networks.text), 2);
}

/* One run at a time, or several shards. flock(2) locks open files: two opens in one process are like two processes. */
START_TEST(there_is_one_run_at_a_time)
{
    steep_provenance whole = make(NULL), first = make("1/2"), second = make("2/2");
    steep_folder a, b, c;
    const char *base = scratch_make();
    ck_assert_int_eq(steep_folder_open(&a, base, &whole, false, NULL), STEEP_OK);
    expect_refused(base, &whole, false, "another run");
    expect_refused(base, &first, false, "another run");
    write_record(base, &whole);
    expect_refused(base, &whole, true, "another run");
    ck_assert(scratch_exists(scratch_path(base, "run.json")));
    steep_folder_close(&a);
    ck_assert_int_eq(steep_folder_open(&b, base, &first, false, NULL), STEEP_OK);
    ck_assert_int_eq(steep_folder_open(&c, base, &second, false, NULL), STEEP_OK);
    expect_refused(base, &first, false, "another run");
    expect_refused(base, &whole, false, "another run");
    expect_refused(base, &first, true, "--fresh with --shard");
    steep_folder_close(&b);
    steep_folder_close(&c);
    expect_taken(base, &whole);
}
