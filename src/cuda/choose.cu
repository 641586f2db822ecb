/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose: which rows the object for GPUs has, and the calls of them. */
#include "cuda/choose.h"

namespace steep
{

enum {
    BUILT = 0
#define STEEP_UNIT(id, unit, parts, ...) +STEEP_OF_ROW(id, 1, 0)
#include "model/units/list.h"
};
static_assert(BUILT == STEEP_BUILT, "every row that is compiled is called, and no other");

bool has_row(size_t row)
{
    return row_is_built(row);
}

} // namespace steep
