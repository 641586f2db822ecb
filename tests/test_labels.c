/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels: places that are found are free by another count; where none is found, none is free. */
#include "draw/figure.h"

#include "chance.h"
#include "harness.h"

enum { POINTS = 24, STEPS = 400 };

/* Whether a line of the scene passes through a box: by many points along each segment. */
static bool hit(const steep_scene *s, steep_box b)
{
    for (size_t i = 0; i < s->points; i++) {
        if (isnan(s->x[i]) || isnan(s->y[i])) continue;
        bool alone = i + 1 == s->points || isnan(s->x[i + 1]) || isnan(s->y[i + 1]);
        for (int k = 0; k <= STEPS; k++) {
            double t = alone ? 0 : (double)k / STEPS, x = s->x[i], y = s->y[i];
            if (!alone) x += t * (s->x[i + 1] - x), y += t * (s->y[i + 1] - y);
            if (x > b.left && x < b.right && y > b.lower && y < b.upper) return true;
        }
    }
    return false;
}

/* Draws a scene of walks, single points and gaps. */
static void draw_scene(steep_random *random, double *x, double *y)
{
    for (int i = 0; i < POINTS; i++) {
        x[i] = chance_within(random, -0.1, 1.1);
        y[i] = chance_within(random, 0, 1);
        if (i > 0 && chance_below(random, 2)) x[i] = x[i - 1] + 0.05, y[i] = y[i - 1] - 0.03;
        if (chance_below(random, 3) == 0) y[i] = NAN;
    }
}

START_RANDOM_TEST(corners, 1)
{
    double x[POINTS], y[POINTS];
    size_t found = 0, none = 0;
    for (size_t n = chance_cases(400); n > 0; n--) {
        draw_scene(&random, x, y);
        steep_scene scene = {.points = POINTS / (1 + chance_below(&random, 6)), .x = x, .y = y};
        double wide = chance_within(&random, 0.05, 0.6), tall = chance_within(&random, 0.05, 0.5);
        steep_box box,
            corner[] = {{0, 0, wide, tall}, {1 - wide, 1 - tall, 1, 1}, {1 - wide, 0, 1, tall}, {0, 1 - tall, wide, 1}};
        int which = steep_labels_corner(&scene, wide, tall, &box);
        ck_assert(which >= 0 && which <= 4);
        if (which) {
            ck_assert_msg(!hit(&scene, box), "corner %d is not free", which);
            check_close(box.left, corner[which - 1].left, 0);
            check_close(box.upper, corner[which - 1].upper, 0);
        }
        /* Corners before it are taken; the box is wider, as a line may touch a corner between two points. */
        for (int i = 0; i < (which ? which - 1 : 4); i++) {
            steep_box wider = {corner[i].left - 0.01, corner[i].lower - 0.01, corner[i].right + 0.01,
                               corner[i].upper + 0.01};
            ck_assert_msg(hit(&scene, wider), "corner %d was passed over", i + 1);
        }
        found += which > 0;
        none += which == 0;
    }
    ck_assert_uint_gt(found, 20);
    ck_assert_uint_gt(none, 5);
}

START_TEST(boxes_and_edges)
{
    const steep_box taken = {0.2, 0.2, 0.5, 0.5};
    const steep_scene scene = {.boxes = 1, .box = &taken};
    ck_assert(steep_labels_free(&scene, (steep_box){0.5, 0.2, 0.7, 0.5})); /* side by side */
    static const steep_box no[] = {{0.49, 0.2, 0.7, 0.5},
                                   {0.3, 0.3, 0.4, 0.4},
                                   {0.8, 0.8, 1.01, 0.9},
                                   {-0.01, 0.8, 0.1, 0.9},
                                   {NAN, 0.8, 0.1, 0.9}};
    for (size_t i = 0; i < 5; i++) ck_assert_msg(!steep_labels_free(&scene, no[i]), "%zu", i);
}

/* A triangle is beside the line, parallel to it, in a free place, with its numbers off other boxes. */
START_RANDOM_TEST(triangles, 2)
{
    double x[POINTS], y[POINTS];
    size_t found = 0, above = 0;
    for (size_t n = chance_cases(400); n > 0; n--) {
        draw_scene(&random, x, y);
        steep_box taken = {0, 0, 0.4, 0.3};
        steep_scene scene = {
            .points = POINTS / (1 + chance_below(&random, 6)), .x = x, .y = y, .boxes = 1, .box = &taken};
        steep_triangle_line line = {.height = chance_within(&random, 0.5, 1.2),
                                    .slope = chance_within(&random, -2, -0.2),
                                    .begin = 0.2,
                                    .end = 1,
                                    .digit_width = 0.02,
                                    .digit_height = 0.04};
        steep_triangle t;
        if (!steep_labels_triangle(&scene, &line, &t)) continue;
        found++;
        above += t.above;
        double slope = (t.lower - t.upper) / (t.right - t.left);
        check_close(slope, line.slope, 1e-12);
        double apart = t.upper - (line.height + line.slope * t.left);
        ck_assert(t.above ? apart > 0 : apart < 0);
        ck_assert(t.box.left >= 0 && t.box.right <= 1 && t.box.lower >= 0 && t.box.upper <= 1);
        ck_assert(t.box.left >= taken.right || t.box.lower >= taken.upper);
        /* The numbers stand within its box: beside the middles of two sides, or beyond the ends of a flat triangle. */
        const double x_middle = (t.left + t.right) / 2, y_middle = (t.lower + t.upper) / 2;
        ck_assert(t.box.lower <= y_middle - line.digit_height / 2 && y_middle + line.digit_height / 2 <= t.box.upper);
        ck_assert(t.box.left <= x_middle - line.digit_width / 2 && x_middle + line.digit_width / 2 <= t.box.right);
        ck_assert(t.above ? t.right + line.digit_width <= t.box.right && t.upper + line.digit_height <= t.box.upper
                          : t.box.left <= t.left - line.digit_width && t.box.lower <= t.lower - line.digit_height);
        /* Thin boxes up the triangle lie within it. */
        for (int k = 0; k < 20; k++) {
            double part = (k + 0.5) / 20, at = t.left + part * (t.right - t.left),
                   side = t.upper + slope * (at - t.left);
            steep_box strip = {at - 1e-3, t.above ? side + 3e-3 : t.lower, at + 1e-3, t.above ? t.upper : side - 3e-3};
            ck_assert_msg(!hit(&scene, strip), "a line crosses the triangle");
        }
    }
    ck_assert_uint_gt(found, 50);
    ck_assert_uint_gt(above, 5);
    ck_assert_uint_lt(above, found);
}

/* No two series look alike. Series of one architecture have one colour, series of one method one dash, whatever their
 * order; mlp, glu and gqu have their own colours. */
START_RANDOM_TEST(looks_tell_series_apart, 3)
{
    enum { ARCHS = 24, METHODS = 3, MOST = ARCHS * METHODS }; /* 27 architectures have looks of their own */
    static const char *const own[] = {"mlp", "glu", "gqu"}, *const solvers[] = {"frozen", "lm", "lm"};
    static const char *const starts[] = {"uniform", "uniform", "random"};
    for (size_t c = 0; c < chance_cases(20); c++) {
        char name[ARCHS][24];
        steep_look look[MOST];
        const size_t archs = 1 + chance_below(&random, ARCHS), methods = 1 + chance_below(&random, METHODS);
        size_t count = 0;
        for (size_t a = 0; a < archs; a++) {
            snprintf(name[a], sizeof name[a], "u%zu", a);
            for (size_t m = 0; m < methods; m++)
                if (m == 0 || chance_below(&random, 3))
                    look[count++] = (steep_look){.label = "",
                                                 .arch = a % 5 < 3 && a < 15 && a / 5 == a % 5 ? own[a % 5] : name[a],
                                                 .solver = solvers[m],
                                                 .start = starts[m]};
        }
        for (size_t i = count; i-- > 1;) {
            const size_t k = chance_below(&random, i + 1);
            const steep_look kept = look[i];
            look[i] = look[k], look[k] = kept;
        }
        steep_look_choose(look, count);
        for (size_t i = 0; i < count; i++) {
            const steep_look *a = &look[i];
            ck_assert(a->colour >= 1 && a->colour <= 9 && a->mark >= 1 && a->mark <= 6 && a->dash >= 1 && a->dash <= 4);
            for (unsigned f = 0; f < 3; f++) ck_assert(strcmp(a->arch, own[f]) != 0 || a->colour == f + 1);
            for (size_t k = 0; k < i; k++) {
                const steep_look *b = &look[k];
                const bool alike = a->colour == b->colour && a->mark == b->mark && a->dash == b->dash;
                ck_assert_msg(!alike, "%s by %s from %s looks as %s by %s from %s", a->arch, a->solver, a->start,
                              b->arch, b->solver, b->start);
                ck_assert(strcmp(a->arch, b->arch) != 0 || a->colour == b->colour);
                ck_assert(a->solver != b->solver || a->start != b->start || a->dash == b->dash);
            }
        }
    }
}
