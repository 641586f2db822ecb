/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose: calls the phase of a row of the list by its index, once per phase, so that no loop chooses a row. For a GPU
 * each row is compiled in a file of its own (cuda/unit.cu): with all rows in one file the compiler takes hours.
 * Included once in each object. */
#pragma once

#include "cuda/host.h"

namespace steep
{

#ifdef __CUDACC__
/* The rows that the object has: STEEP_BUILT_<id> is defined, as "0,", for each compiled row (Makefile). */
#define STEEP_SECOND_OF(first, second, ...) second
#define STEEP_SECOND(...)                   STEEP_SECOND_OF(__VA_ARGS__)
#define STEEP_OF_ROW(id, there, missing)    STEEP_SECOND(STEEP_BUILT_##id there, missing, )
#define STEEP_CALL_ROW(id, ...)             STEEP_OF_ROW(id, phase_##id(__VA_ARGS__), (void)0)
#define STEEP_UNIT(id, unit, parts, ...)                                                                               \
    extern __device__ void phase_##id(const block &team, const model &m, const tile_room &t, const product &p);
#include "model/units/list.h"
extern __device__ void phase_written(const block &team, const model &m, const tile_room &t, const product &p);
#else
#define STEEP_OF_ROW(id, there, missing) there
#define STEEP_CALL_ROW(id, ...)          run_phase<unit_##id>(__VA_ARGS__)
#endif

bool has_row(size_t row)
{
    static const bool built[] = {
#define STEEP_UNIT(id, unit, parts, ...) STEEP_OF_ROW(id, true, false),
#include "model/units/list.h"
        STEEP_OF_ROW(written, true, false)};
    return row <= ROW_written && built[row];
}

STEEP_CHOICE void row_phase(const block &team, size_t row, const model &m, const tile_room &t, const product &p)
{
    switch (row) {
#define STEEP_UNIT(id, unit, parts, ...)                                                                               \
    case ROW_##id:                                                                                                     \
        STEEP_CALL_ROW(id, team, m, t, p);                                                                             \
        break;
#include "model/units/list.h"
    case ROW_written: STEEP_CALL_ROW(written, team, m, t, p);
    }
}

} // namespace steep
