/* SPDX-License-Identifier: GPL-3.0-or-later */
/* option_rows: short forms for the rows of an options table (base/options.h). A file that includes this header defines
 * AT(field), the offset of a field in its record. role: FREE, LIST, CONDITION. */
#pragma once

#include "base/options.h"

/* clang-format off */
#define FLAG(name, field, help, role) \
    {name, STEEP_OPTION_FLAG, AT(field), NULL, NULL, 0, 0, NULL, help, STEEP_OPTION_##role}
#define TEXT(name, field, argument, initial, help, role) \
    {name, STEEP_OPTION_TEXT, AT(field), argument, initial, 0, 0, NULL, help, STEEP_OPTION_##role}
#define CHOICE(name, field, initial, choices, help, role) \
    {name, STEEP_OPTION_CHOICE, AT(field), "NAME", initial, 0, 0, choices, help, STEEP_OPTION_##role}
#define SIZE(name, field, initial, low, high, help, role) \
    {name, STEEP_OPTION_SIZE, AT(field), "N", initial, low, high, NULL, help, STEEP_OPTION_##role}
#define REAL(name, field, initial, low, high, help, role) \
    {name, STEEP_OPTION_REAL, AT(field), "X", initial, low, high, NULL, help, STEEP_OPTION_##role}
/* clang-format on */
