/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine: what a record says of the program and of the machine that it runs on. Inside this room; what others ask for
 * is in record/provenance.h. */
#ifndef STEEP_RECORD_MACHINE_H
#define STEEP_RECORD_MACHINE_H

#include <stddef.h>

const char *steep_machine_version(void);

/* Compiler, libraries, processor, GPU, fits side by side; NULL: no memory. */
struct json_t *steep_machine_describe(size_t jobs);

#endif
