/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/figure_parts.h"

#include <stdbool.h>
#include <string.h>

static bool same_arch(const steep_look *a, const steep_look *b)
{
    return strcmp(a->arch, b->arch) == 0;
}

static bool same_method(const steep_look *a, const steep_look *b)
{
    const char *set = a->set ? a->set : "", *other = b->set ? b->set : "";
    return strcmp(a->solver, b->solver) == 0 && strcmp(a->start, b->start) == 0 && strcmp(set, other) == 0;
}

/* The first that is the same as look[i]. */
static size_t first_of(const steep_look *look, size_t i, bool (*same)(const steep_look *, const steep_look *))
{
    size_t k = 0;
    while (!same(&look[k], &look[i])) k++;
    return k;
}

steep_look steep_look_of(const char *series, const char *arch, const char *solver, const char *start)
{
    return (steep_look){
        .arch = arch, .solver = solver, .start = start, .set = strstr(series, ", N = "), .label = series};
}

void steep_look_choose(steep_look *look, size_t count)
{
    static const char *const fixed[] = {"mlp", "glu", "gqu"};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    unsigned archs = FIXED, methods = 0;
    for (size_t i = 0; i < count; i++) { /* colour and mark are the numbers of architecture and method, from 0 */
        const size_t arch = first_of(look, i, same_arch), method = first_of(look, i, same_method);
        unsigned f = 0;
        while (f < FIXED && strcmp(fixed[f], look[i].arch) != 0) f++;
        look[i].colour = f < FIXED ? f : arch < i ? look[arch].colour : archs++;
        look[i].mark = method < i ? look[method].mark : methods++;
    }
    for (steep_look *l = look; l < look + count; l++) {
        const unsigned arch = l->colour, round = arch / STEEP_LOOK_COLOURS, method = l->mark;
        l->colour = 1 + arch % STEEP_LOOK_COLOURS;
        l->mark = 1 + ((methods > 1 ? method : arch) + round) % STEEP_LOOK_MARKS;
        l->dash = 1 + method % STEEP_LOOK_DASHES;
    }
}
