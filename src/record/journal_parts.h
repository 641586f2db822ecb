/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of the journal, inside this room. */
#pragma once

#include <stdint.h>

#include "record/journal.h"

/* What identifies the fit of a row. */
steep_status steep_journal_read_key(const steep_table *table, size_t r, steep_plan_key *key, steep_error *error);

/* The rows, a part at a time; none where there is no file, or a header cut short. */
steep_status steep_journal_read_parts(const char *path, steep_table_take take, void *context,
                                      steep_journal_state *state, steep_error *error);
