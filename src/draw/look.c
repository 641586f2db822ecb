/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/figure_parts.h"

#include <string.h>

static bool same_method(const steep_look *a, const steep_look *b)
{
    const char *set = a->set ? a->set : "", *other = b->set ? b->set : "";
    return strcmp(a->solver, b->solver) == 0 && strcmp(a->start, b->start) == 0 && strcmp(set, other) == 0;
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
        size_t arch = 0, method = 0;     /* the first of each that is the same */
        unsigned f = 0;
        while (strcmp(look[arch].arch, look[i].arch) != 0) arch++;
        while (!same_method(&look[method], &look[i])) method++;
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
