/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>

/* Processors that this process may use, at least 1. */
size_t steep_processors(void);
