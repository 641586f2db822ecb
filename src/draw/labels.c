/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels: a segment touches a convex polygon if some of the segment is left after cuts at the lines of all sides. */
#include "draw/figure.h"

#include <math.h>

/* Whether the segment a b has a part within the polygon of count corners, which run counterclockwise. */
static bool touches(size_t count, const double (*corner)[2], const double a[2], const double b[2])
{
    double from = 0, to = 1; /* the part that is left: a + t (b - a), from <= t <= to */
    for (size_t i = 0; i < count; i++) {
        const double *p = corner[i], *q = corner[(i + 1) % count];
        double at_a = (q[0] - p[0]) * (a[1] - p[1]) - (q[1] - p[1]) * (a[0] - p[0]); /* > 0: left of the side */
        double at_b = (q[0] - p[0]) * (b[1] - p[1]) - (q[1] - p[1]) * (b[0] - p[0]);
        if (at_a < 0 && at_b < 0) return false;
        if (at_a < 0) from = fmax(from, at_a / (at_a - at_b));
        if (at_b < 0) to = fmin(to, at_a / (at_a - at_b));
    }
    return from <= to;
}

/* Whether no line of the scene touches the polygon. */
static bool clear(const steep_scene *scene, size_t count, const double (*corner)[2])
{
    for (size_t i = 0; i < scene->points; i++) {
        const double here[2] = {scene->x[i], scene->y[i]};
        if (isnan(here[0]) || isnan(here[1])) continue;
        bool last = i + 1 == scene->points || isnan(scene->x[i + 1]) || isnan(scene->y[i + 1]);
        const double next[2] = {last ? here[0] : scene->x[i + 1], last ? here[1] : scene->y[i + 1]};
        if (touches(count, corner, here, next)) return false;
    }
    return true;
}

static bool clear_of_lines(const steep_scene *scene, steep_box b)
{
    const double corner[4][2] = {{b.left, b.lower}, {b.right, b.lower}, {b.right, b.upper}, {b.left, b.upper}};
    return clear(scene, 4, corner);
}

static bool clear_of_boxes(const steep_scene *scene, steep_box b)
{
    if (!(b.left >= 0 && b.right <= 1 && b.lower >= 0 && b.upper <= 1)) return false;
    for (size_t i = 0; i < scene->boxes; i++) {
        const steep_box *a = &scene->box[i];
        if (a->left < b.right && b.left < a->right && a->lower < b.upper && b.lower < a->upper) return false;
    }
    return true;
}

bool steep_labels_free(const steep_scene *scene, steep_box box)
{
    return clear_of_boxes(scene, box) && clear_of_lines(scene, box);
}

int steep_labels_corner(const steep_scene *scene, double width, double height, steep_box *box)
{
    for (int corner = 1; corner <= 4; corner++) {
        bool left = corner == 1 || corner == 4, lower = corner == 1 || corner == 3;
        *box = (steep_box){left ? 0 : 1 - width, lower ? 0 : 1 - height, left ? width : 1, lower ? height : 1};
        if (steep_labels_free(scene, *box)) return corner;
    }
    return 0;
}

/* Whether the triangle, and its numbers beside one side and beyond the other, are free of lines; sets t->box. */
static bool triangle_fits(const steep_scene *scene, const steep_triangle_line *line, steep_triangle *t)
{
    double w = line->digit_width, h = line->digit_height, corner_x = t->above ? t->right : t->left,
           corner_y = t->above ? t->upper : t->lower;
    double middle_x = 0.5 * (t->left + t->right), middle_y = 0.5 * (t->upper + t->lower);
    steep_box down = {t->above ? corner_x : corner_x - w, middle_y - 0.5 * h, t->above ? corner_x + w : corner_x,
                      middle_y + 0.5 * h};
    steep_box across = {middle_x - 0.5 * w, t->above ? corner_y : corner_y - h, middle_x + 0.5 * w,
                        t->above ? corner_y + h : corner_y};
    /* The numbers of a flat or a narrow triangle extend beyond the triangle in the other direction, too. */
    t->box =
        (steep_box){fmin(fmin(t->left, down.left), across.left), fmin(fmin(t->lower, across.lower), down.lower),
                    fmax(fmax(t->right, down.right), across.right), fmax(fmax(t->upper, across.upper), down.upper)};
    /* Counterclockwise: above, the right angle is at the upper right; below, at the lower left. */
    const double above[3][2] = {{t->left, t->upper}, {t->right, t->lower}, {t->right, t->upper}};
    const double below[3][2] = {{t->left, t->upper}, {t->left, t->lower}, {t->right, t->lower}};
    return clear_of_boxes(scene, t->box) && clear_of_lines(scene, down) && clear_of_lines(scene, across) &&
           clear(scene, 3, t->above ? above : below);
}

bool steep_labels_triangle(const steep_scene *scene, const steep_triangle_line *line, steep_triangle *t)
{
    enum { STEPS = 25 };
    static const double sizes[] = {0.10, 0.07, 0.05}, gap = 0.035; /* tuned by eye */
    for (int trial = 0; trial < 3 * STEPS; trial++)
        for (int above = 0; above < 2; above++) {
            double across = sizes[trial / STEPS];
            t->right = line->end - 0.03 - (line->end - line->begin) * (trial % STEPS) / (STEPS - 1);
            t->left = t->right - across;
            t->above = above;
            t->upper = line->height + line->slope * t->left + (above ? gap : -gap);
            t->lower = t->upper + line->slope * across;
            if (triangle_fits(scene, line, t)) return true;
        }
    return false;
}
