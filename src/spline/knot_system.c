/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/knot_system.h"

#include <stdlib.h>

#include "spline/joint.h"

steep_status steep_knot_system_init(size_t degree, size_t continuity, size_t cells, steep_knot_system *s,
                                    steep_error *error)
{
    steep_joint_begin(degree, continuity, cells, s);
    s->coefficient = malloc(steep_joint_room(s) * sizeof *s->coefficient);
    if (!s->coefficient) return steep_fail(error, STEEP_NO_MEMORY, "no memory for free knots in %zu cells", cells);
    steep_joint_cut(s, s->coefficient);
    return STEEP_OK;
}

void steep_knot_system_free(steep_knot_system *s)
{
    free(s->coefficient);
    s->coefficient = NULL;
}

size_t steep_knot_system_place(const steep_knot_system *s, size_t i)
{
    return steep_joint_place(s, i);
}

void steep_knot_system_assemble(steep_knot_system *s, const steep_knot_data *data, const double *knot)
{
    steep_joint_assemble(s, data, knot);
}

void steep_knot_system_isolate(const steep_knot_system *s, double *matrix, size_t row)
{
    steep_joint_isolate(s, matrix, row);
}
