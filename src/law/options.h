/* SPDX-License-Identifier: GPL-3.0-or-later */
/* law: options of steep law as texts, with the names of the two sizes; formulas of columns; what is said of a law. */
#pragma once

#include "law/core.h"
#include "law/public.h"

typedef struct steep_law_chosen {
    const char *form, *noise, *fix, *compute, *predict;
    double level;
} steep_law_chosen;
extern const steep_option steep_law_option_table[];

/* What the texts stand for; name: of the two sizes. STEEP_BAD_INPUT names the option, and what to write. */
steep_status steep_law_choose(const steep_law_chosen *chosen, const char *const name[2], steep_law_options *options,
                              steep_error *error);

/* The formula of the text, where the names, in word characters, stand for x1, x2, ...; used[k]: name k is there.
 * STEEP_BAD_INPUT: it is none, too long, or none of the names is there. The caller frees it. */
steep_status steep_law_formula(const char *text, const char *const *name, size_t names, bool *used,
                               steep_formula **formula, steep_error *error);

/* "auto", "hoffmann", "kaplan", "product"; "E", "A", "a", "B", "b", "c", as rows have them. NULL past the last. */
const char *steep_law_form_names(size_t index);
const char *steep_law_parameter_names(size_t index);

/* The sentences that must be known of the law; returns how many. name: the sizes. */
enum { STEEP_LAW_REMARKS = 10, STEEP_LAW_REMARK = 256 };
size_t steep_law_remarks(const steep_law *law, const char *const name[2],
                         char text[STEEP_LAW_REMARKS][STEEP_LAW_REMARK]);
