/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/points.h"

#include "chance.h"
#include "opened.h"
#include "scratch.h"

static char path[2][64];
static steep_error error;

/* Writes the text to file number 0 or 1, whose name is path[number]. */
static void put(int number, const char *text)
{
    static const char *folder;
    if (!folder) folder = scratch_make();
    snprintf(path[number], sizeof path[number], "%s/%d.csv", folder, number);
    scratch_put(path[number], text);
}

static steep_status read_text(const char *text, const steep_points_options *options, steep_points *p)
{
    put(0, text);
    error.text[0] = '\0';
    return steep_points_read(path[0], options, p, &error);
}

/* Files of two points, with the numbers 10 k + the column's number. taken: the columns that are read, the value's
 * last. */
START_TEST(columns_are_taken_by_name)
{
    static const struct {
        const char *name[6], *x, *y, *taken;
    } cases[] = {{{"x", "y", "f"}, NULL, NULL, "123"},
                 {{"x", "value", "y"}, NULL, NULL, "13"},
                 {{"x1", "x2", "y"}, NULL, NULL, "123"},
                 {{"x2", "y", "x1"}, NULL, NULL, "312"},
                 {{"value", "x", "y2"}, NULL, NULL, "21"},
                 {{"y", "x", "q"}, NULL, NULL, "21"},
                 {{"f", "y", "x"}, NULL, NULL, "32"},
                 {{"x", "z0", "f"}, NULL, NULL, "13"},
                 {{"width", "a,b", "height", "note", "y"}, "height,\"a,b\"", "width", "321"},
                 {{"x", "y", "f"}, " y , x", NULL, "213"}, /* y is a coordinate, so it is not the value */
                 {{"x1", "x2", "x3"}, NULL, "x2", "132"},  /* the other numbered columns are coordinates */
                 {{"x", "y"}, NULL, "y", "12"},            /* named, so x and z are the coordinates */
                 {{"a", "b", "y", "c"}, "rest", NULL, "1243"},
                 {{"a", "b", "y", "c"}, "rest", "b", "1342"},
                 {{"value", "p", "q,r", "s"}, "rest", NULL, "2341"},
                 {{"x1", "f", "y", "rest"}, "rest", NULL, "1243"},
                 {{"p", "width", "q"}, NULL, "p", "231"}, /* y alone, and no usual name: the rest */
                 {{"t", "x", "p"}, NULL, "p", "23"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200] = "";
        for (const char *const *name = cases[i].name; *name; name++)
            sprintf(text + strlen(text), "%s\"%s\"", text[0] ? "," : "", *name);
        for (int k = 0; k < 2; k++)
            for (int c = 0; cases[i].name[c]; c++) sprintf(text + strlen(text), "%c%d", c ? ',' : '\n', 10 * k + c + 1);
        SCOPED(steep_points_free) steep_points p;
        check_says(read_text(text, &(steep_points_options){.x = cases[i].x, .y = cases[i].y}, &p), STEEP_OK, "");
        const size_t dim = strlen(cases[i].taken) - 1;
        ck_assert_uint_eq(p.dim, dim);
        for (size_t j = 0; j <= dim; j++) {
            const int column = cases[i].taken[j] - '0';
            const double *taken = j < dim ? p.train.x + 2 * j : p.train.y;
            ck_assert_msg(taken[0] == column && taken[1] == 10 + column, "%s: %g", text, taken[0]);
            ck_assert_str_eq(j < dim ? p.x[j] : p.y, cases[i].name[column - 1]);
        }
    }
}

START_TEST(files_that_will_not_do_are_named_to_the_line)
{
    static const struct {
        const char *text;
        steep_points_options options;
        const char *says;
    } wrong[] = {{"x,z\n1,2\n3,4\n", {0}, "no column y; its columns are x, z"},
                 {"a,y\n1,2\n3,4\n", {0}, "no column x; its columns are a, y"},
                 {"x1,x3,y\n1,2,3\n4,5,6\n", {0}, "none named x2"},
                 {"x,z,f\n1,2,3\n4,5,6\n", {0}, "none named y"},
                 {"x,y,z\n1,2,3\n4,5,6\n", {0}, "which of y and z"},
                 {"x,y\n1,2\n", {0}, "1 point to train on"},
                 {"x,y\n", {0}, "0 points"},
                 {"x,y\n1,2\n3,four\n", {0}, "line 3, column y: 'four'"},
                 {"x,y\n1,2\n3,4\n5", {0}, "cut short"},
                 {"x,y\n1,2\n1,3\n", {0}, "same x"},
                 {"x\xE9,y\n1,2\n3,4\n", {.x = "x\xE9"}, "the name of column 1 is not UTF-8"},
                 {"\xF4\x90\x80\x80,y\n1,2\n3,4\n", {.x = "\xF4\x90\x80\x80"}, "column 1 is not UTF-8"},
                 {"x,y\n1,2\n3,4\n", {.x = "x,y,x"}, "3 columns are asked for and it has 2"},
                 {"aa,bb,y\n1,2,3\n4,5,6\n", {.x = "aa,b"}, "no column b"},
                 {"a,b,y\n1,2,3\n4,5,6\n", {.x = "a,a"}, "column a is asked for twice"},
                 {"a,b,y\n1,2,3\n4,5,6\n", {.x = "a,y", .y = "y"}, "as coordinate and as value"},
                 {"a,b,y\n1,2,3\n4,5,6\n", {.x = "a,,b"}, "a name is empty"},
                 {"a,b\n1,2\n4,5\n", {.x = "a,b"}, "no column y"},
                 {"x,y\n1,2\n3,4\n", {.domain = "0:2"}, "line 3, column x: 3 is outside the domain [0, 2]"},
                 {"x,y\n1,2\n3,4\n", {.domain = "0:2,0:5"}, "2 intervals for 1 coordinates"},
                 {"x,y\n1,2\n3,4\n", {.domain = "2:0"}, "smaller end first"},
                 {"x,y\n1,2\n3,4\n", {.holdout = 0.1}, "a holdout of 0.1 of 2 distinct points leaves none to test on"},
                 {"x,y\n1,2\n3,4\n", {.holdout = 0.9}, "leaves none to train on"},
                 {"x,y\n1,2\n1,4\n", {.holdout = 0.5, .domain = "0:1"}, "of 1 distinct points"},
                 {"x,y\n1,2\n3,4\n", {.folds = 3}, "3 folds of 2 distinct points: use at most as many folds"},
                 {"x,y\n1,2\n3,4\n", {.holdout = 0.5}, ": 1 point to train on"},
                 {"x,y\n1,2\n3,4\n", {.holdout = 1}, "a holdout of 1: use a part between 0 and 1"},
                 {"x,y\n1,2\n3,4\n", {.holdout = NAN}, "a holdout of nan"},
                 {"x,y\n1,2\n3,4\n", {.holdout = -0.1}, "a holdout of -0.1"},
                 {"x,y\n1,2\n3,4\n", {.holdout = 0.5, .test = "t.csv"}, "use one of them"},
                 {"x,y\n1,2\n3,4\n", {.test = "/nowhere/test.csv"}, "/nowhere/test.csv"},
                 {"x,y\n1,2\n3,4\n", {.test = "t\xE9.csv"}, "the name of the file is not UTF-8"},
                 {"a,y\n1,2\n3,4\n", {.x = "y,a"}, "column y is a coordinate"},
                 {"y\n1\n2\n", {.x = "rest"}, "no coordinates"},
                 {"a,b\n1,2\n2,3\n", {.x = "rest"}, "no column y"},
                 {"x,y\n1e-310,2\n2e-310,4\n", {.standardize = true}, "coordinate 1: its numbers are within"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        steep_points p;
        ck_assert_msg(read_text(wrong[i].text, &wrong[i].options, &p) < 0 && strstr(error.text, wrong[i].says),
                      "%s: %s", wrong[i].text, error.text);
        ck_assert(p.train.x == NULL && p.test.x == NULL && p.x == NULL && p.train.count == 0);
    }
    steep_points p;
    check_says(steep_points_read("/nowhere/points.csv", NULL, &p, &error), STEEP_IO, "/nowhere/points.csv");
    check_says(steep_points_read("/nowhere/\xC3.csv", NULL, &p, &error), STEEP_BAD_INPUT, "is not UTF-8: rename it");
}

/* A file of random numbers among junk. Rows that lack a requested number are in the file, but not in `number`. */
typedef struct sheet {
    size_t columns, rows, kept, dim;
    size_t order[40]; /* of columns: the first dim are coordinates, the next is the value */
    bool used[40];
    double number[22 * 40];
} sheet;

static sheet draw_sheet(steep_random *random)
{
    sheet s = {.columns = 2 + chance_below(random, 39), .rows = 2 + chance_below(random, 20)};
    s.dim = 1 + chance_below(random, s.columns - 1);
    for (size_t c = 0; c < s.columns; c++) s.order[c] = c;
    for (size_t c = 0; c < s.columns; c++) {
        const size_t other = c + chance_below(random, s.columns - c), kept = s.order[c];
        s.order[c] = s.order[other];
        s.order[other] = kept;
        s.used[s.order[c]] = c <= s.dim;
    }
    return s;
}

static void write_sheet(sheet *s, bool holes, steep_random *random, FILE *out)
{
    static const char *const junk[] = {"", "nan", "text", "\"a,b;c\td\"", "-", "1e5", "\"two\nlines\""},
                             *const hole[] = {"", "NA", " na ", "n/a", "NaN", "NULL", "?", " "};
    for (size_t c = 0; c < s->columns; c++) fprintf(out, "%sname %zu", c ? "," : "", c);
    for (size_t k = 0; k < s->rows; k++) {
        const size_t none = holes && chance_below(random, 6) == 0 ? s->order[chance_below(random, s->dim + 1)] : 40;
        for (size_t c = 0; c < s->columns; c++) {
            double *number = &s->number[s->kept * s->columns + c];
            *number = steep_random_normal(random) * pow(10, chance_within(random, -30, 30));
            fputc(c ? ',' : '\n', out);
            if (c == none) fputs(hole[chance_below(random, 8)], out);
            else if (s->used[c]) fprintf(out, "%.17g", *number);
            else fputs(junk[chance_below(random, 7)], out);
        }
        s->kept += none == 40;
    }
    fputc('\n', out);
}

static steep_status hold_out(const steep_samples *s, double part, uint64_t seed, bool *is_test)
{
    return steep_points_hold_out(s, &(steep_points_options){.holdout = part, .seed = seed}, is_test, &error);
}

/* Checks the text read with a holdout: each point is in its set, in the order of `all`, and the box is the box of the
 * training points. */
static void check_shared(const char *text, steep_points_options o, const steep_samples *all)
{
    SCOPED(steep_points_free) steep_points shared;
    bool is_test[22];
    size_t next[2] = {0};
    o.holdout = 0.25;
    check_says(hold_out(all, 0.25, o.seed, is_test), STEEP_OK, "");
    check_says(read_text(text, &o, &shared), STEEP_OK, "");
    for (size_t k = 0; k < all->count; k++) {
        const steep_samples *s = is_test[k] ? &shared.test : &shared.train;
        const size_t i = next[is_test[k]]++;
        ck_assert(i < s->count && s->y[i] == all->y[k]);
        for (size_t j = 0; j < all->dim; j++) ck_assert(s->x[j * s->count + i] == all->x[j * all->count + k]);
    }
    ck_assert(next[0] == shared.train.count && next[1] == shared.test.count);
    for (size_t j = 0; j < all->dim; j++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = j * next[0]; i < (j + 1) * next[0]; i++)
            low = fmin(low, shared.train.x[i]), high = fmax(high, shared.train.x[i]);
        ck_assert(shared.train.low[j] == low && shared.train.high[j] == high);
        ck_assert(shared.test.low[j] == low && shared.test.high[j] == high);
    }
}

/* Requested columns come back to the bit, whatever else the file has. Rows without a value are left out and counted, or
 * the first of them is named. A holdout divides the other rows. */
START_RANDOM_TEST(chosen_columns_come_back_to_the_bit, 1)
{
    size_t with_holes = 0;
    for (size_t i = 0; i < chance_cases(600); i++) {
        sheet s = draw_sheet(&random);
        char names[600], y[16], *at = names;
        SCOPED(release_memory) char *text = NULL;
        for (size_t j = 0; j < s.dim; j++) at += sprintf(at, "%sname %zu", j ? "," : "", s.order[j]);
        sprintf(y, "name %zu", s.order[s.dim]);
        FILE *stream = text_stream(&text);
        write_sheet(&s, i % 2, &random, stream);
        fclose(stream);
        if (s.kept < 2) continue;
        SCOPED(steep_points_free) steep_points p, all;
        steep_points_options o = {.x = names, .y = y, .drop_missing = true, .seed = i};
        check_says(read_text(text, &o, &p), STEEP_OK, "");
        ck_assert(p.train.count == s.kept && p.dim == s.dim && p.dropped[0] == s.rows - s.kept);
        ck_assert(steep_points_train(&p) == &p.train && !steep_points_test(&p) && !p.train.weight && !p.standard.dim);
        for (size_t k = 0; k < s.kept; k++) {
            size_t row = k; /* in one dimension points are sorted */
            while (s.dim == 1 && row < 2 * s.kept && p.train.x[k] != s.number[row % s.kept * s.columns + s.order[0]])
                row++;
            const double *number = s.number + row % s.kept * s.columns;
            ck_assert(p.train.y[k] == number[s.order[s.dim]] && (s.dim > 1 || !k || p.train.x[k] >= p.train.x[k - 1]));
            for (size_t j = 0; j < s.dim; j++) {
                const double x = p.train.x[j * s.kept + k];
                ck_assert(x == number[s.order[j]] && x >= p.train.low[j] && x <= p.train.high[j]);
            }
        }
        if (s.kept > 2 && s.dim > 1) check_shared(text, o, &p.train);
        o.drop_missing = false;
        const bool holes = s.kept < s.rows;
        with_holes += holes;
        check_says(read_text(text, &o, &all), holes ? STEEP_BAD_INPUT : STEEP_OK, holes ? "(--missing drop)" : "");
        ck_assert(!holes || strstr(error.text, "line "));
    }
    ck_assert_uint_gt(with_holes, 100);
}

START_TEST(a_domain_is_the_box)
{
    steep_points p;
    steep_points_options o = {.domain = "0:2*pi,-1:1"};
    ck_assert_int_eq(read_text("x,y,f\n0,1,1\n", &o, &p), STEEP_OK); /* one point will do then */
    ck_assert(p.train.low[0] == 0 && p.train.high[0] == 2 * 3.14159265358979323846 && p.train.low[1] == -1);
    steep_points_free(&p);
    o = (steep_points_options){.domain = "0:10", .standardize = true};
    ck_assert_int_eq(read_text("x,y\n4,1\n4,1\n", &o, &p), STEEP_OK); /* constant: centred, scale 1 */
    const steep_samples *s = steep_points_train(&p);
    ck_assert(s != &p.train && s->x[0] == 0 && s->y[1] == 0 && s->low[0] == -4 && s->high[0] == 6);
    steep_points_free(&p);
}

START_TEST(a_test_file_has_the_same_columns_and_scales)
{
    static const char text[] = "a,b,c\n1,2,1\n3,6,1\n5,4,3\n";
    put(1, "c\tb\ta\n2\t7\t20\n4\t8\t-30\n6\tnone\t0\n");
    steep_points p;
    steep_points_options o = {.x = "a,c", .y = "b", .test = path[1], .standardize = true};
    check_says(read_text(text, &o, &p), STEEP_BAD_INPUT, "line 4, column b: 'none'");
    ck_assert_ptr_nonnull(strstr(error.text, path[1]));
    put(1, "c\tb\ta\n2\t7\t20\n4\t8\t-30\n");
    o.test = path[1];
    check_says(read_text(text, &o, &p), STEEP_OK, "");
    const steep_samples *train = steep_points_train(&p), *test = steep_points_test(&p);
    ck_assert(p.train.count == 3 && p.test.count == 2 && p.test.x[0] == 20 && p.test.x[1] == -30 && p.test.x[2] == 2);
    ck_assert(p.standard.x_mean[0] == 3 && p.standard.y_mean == 4); /* of the training points alone */
    ck_assert(p.standard.x_scale[0] == sqrt(8 / 3.0) && p.standard.y_scale == sqrt(8 / 3.0));
    ck_assert(test->x[0] == 17 / p.standard.x_scale[0] && test->y[1] == 4 / p.standard.y_scale);
    ck_assert(test->low[0] == train->low[0] && train->low[0] == train->x[0] && p.test.low[0] == 1 &&
              p.test.high[1] == 3);
    steep_points_free(&p);
    o.domain = "0:20,0:5";
    check_says(read_text(text, &o, &p), STEEP_BAD_INPUT, "line 3, column a: -30 is outside");
    ck_assert_ptr_nonnull(strstr(error.text, path[1]));
}

static steep_samples random_samples(steep_random *random, size_t count, size_t dim, size_t values)
{
    steep_samples s = samples_of(count, dim);
    for (size_t i = 0; i < count * dim; i++) s.x[i] = (double)chance_below(random, values);
    for (size_t k = 0; k < count; k++) s.y[k] = (double)k;
    return s;
}

static bool same_place(const steep_samples *s, size_t a, size_t b)
{
    for (size_t j = 0; j < s->dim; j++)
        if (s->x[j * s->count + a] != s->x[j * s->count + b]) return false;
    return true;
}

/* Returns the number of distinct test points. No point is on both sides. */
static size_t tested(size_t count, const size_t *first, const bool *is_test)
{
    size_t tests = 0;
    for (size_t k = 0; k < count; k++) {
        ck_assert(is_test[k] == is_test[first[k]]);
        tests += first[k] == k && is_test[k];
    }
    return tests;
}

/* A holdout takes its part of the distinct points; each point is in one fold; sizes of folds differ by one at most. */
START_RANDOM_TEST(holdouts_and_folds_split_no_point, 2)
{
    for (size_t i = 0; i < chance_cases(1000); i++) {
        size_t count = 2 + chance_below(&random, 40), dim = 1 + chance_below(&random, 3), distinct = 0, first[42];
        SCOPED(steep_samples_free) steep_samples s = random_samples(&random, count, dim, 1 + chance_below(&random, 30));
        const double part = chance_within(&random, 0.001, 0.999);
        const size_t folds = 2 + chance_below(&random, 6);
        bool test[42], again[42];
        for (size_t k = 0; k < count; k++) {
            for (first[k] = 0; !same_place(&s, first[k], k);) first[k]++;
            distinct += first[k] == k;
        }
        const size_t wanted = (size_t)round(part * (double)distinct);
        const bool possible = wanted >= 1 && wanted < distinct;
        check_says(hold_out(&s, part, i, test), possible ? STEEP_OK : STEEP_BAD_INPUT, "");
        if (possible) {
            ck_assert_uint_eq(tested(count, first, test), wanted);
            ck_assert_int_eq(hold_out(&s, part, i, again), STEEP_OK);
            ck_assert_mem_eq(test, again, count * sizeof *test);
        }
        size_t times[42] = {0}, tests;
        for (size_t f = 0; distinct >= folds && f < folds; f++) {
            const steep_points_options o = {.folds = folds, .fold = f, .seed = i};
            check_says(steep_points_hold_out(&s, &o, test, &error), STEEP_OK, "");
            tests = tested(count, first, test);
            ck_assert(tests == distinct / folds || tests == distinct / folds + (distinct % folds > 0));
            for (size_t k = 0; k < count; k++) times[k] += test[k];
        }
        for (size_t k = 0; distinct >= folds && k < count; k++) ck_assert_uint_eq(times[k], 1);
        const steep_points_options beyond = {.folds = folds, .fold = folds};
        ck_assert_int_eq(steep_points_hold_out(&s, &beyond, test, NULL), STEEP_BAD_INPUT);
    }
}

/* All points are equally likely: over many seeds each is held out with probability 1/4, within 5 deviations. Neither
 * the values nor later rows change the order in which rows are taken. */
START_TEST(a_holdout_is_random_in_the_row_alone)
{
    enum { COUNT = 40, SEEDS = 4000 };
    SCOPED(steep_samples_free) steep_samples s = samples_of(COUNT, 1), longer = samples_of(2 * COUNT, 1);
    for (int k = 0; k < 2 * COUNT; k++) longer.x[k] = -k * k, longer.y[k] = k;
    for (int k = 0; k < COUNT; k++) s.x[k] = sin(k), s.y[k] = -k;
    double taken[COUNT] = {0}, both = 0;
    bool test[COUNT], more[2 * COUNT];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        ck_assert_int_eq(hold_out(&s, 0.25, seed, test), STEEP_OK);
        for (int k = 0; k < COUNT; k++) taken[k] += test[k];
        both += test[3] && test[4];
        ck_assert_int_eq(hold_out(&longer, 0.25, seed, more), STEEP_OK);
        bool all_in = true, all_out = true; /* one order of rows: one choice holds the other */
        for (int k = 0; k < COUNT; k++)
            all_in = all_in && (!test[k] || more[k]), all_out = all_out && (!more[k] || test[k]);
        ck_assert(all_in || all_out);
    }
    for (int k = 0; k < COUNT; k++) check_close(taken[k] / SEEDS, 0.25, 5 * sqrt(0.25 * 0.75 / SEEDS));
    check_close(both / SEEDS, 0.25 * 9 / 39, 5 * sqrt(0.06 * 0.94 / SEEDS));
}

START_TEST(inputs_are_read_in_the_order_of_the_file)
{
    static const char *const names[] = {"b", "a"};
    steep_points p;
    put(0, "a;b;c\n3;1;x\n2;5;y\n2;4;z\n");
    ck_assert_int_eq(steep_points_read_inputs(path[0], names, 2, NULL, &p, NULL), STEEP_OK);
    ck_assert(p.train.count == 3 && p.train.y == NULL && p.train.x[0] == 1 && p.train.x[1] == 5 && p.train.x[5] == 2);
    steep_points_free(&p);
    ck_assert_int_eq(steep_points_read_inputs(path[0], names, 1, "a", &p, NULL), STEEP_OK);
    ck_assert(p.train.y[0] == 3 && p.train.x[2] == 4 && strcmp(p.y, "a") == 0); /* not sorted */
    steep_points_free(&p);
    check_says(steep_points_read_inputs(path[0], names, 2, "a", &p, &error), STEEP_BAD_INPUT,
               "as coordinate and as value");
    check_says(steep_points_read_inputs(path[0], NULL, 2, NULL, &p, &error), STEEP_BAD_INPUT,
               "no column x1; its columns are a, b, c");
    ck_assert_int_eq(steep_points_read_inputs(path[0], NULL, 4, NULL, &p, &error), STEEP_BAD_INPUT);
    put(0, "y,x,z\n"); /* no points: none to predict */
    ck_assert_int_eq(steep_points_read_inputs(path[0], NULL, 3, NULL, &p, NULL), STEEP_OK);
    ck_assert(p.train.count == 0 && strcmp(p.x[0], "x") == 0 && strcmp(p.x[1], "y") == 0);
    steep_points_free(&p);
}
