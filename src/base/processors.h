/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STEEP_BASE_PROCESSORS_H
#define STEEP_BASE_PROCESSORS_H

#include <stddef.h>

/* Processors that this process may use, at least 1. */
size_t steep_processors(void);

#endif
