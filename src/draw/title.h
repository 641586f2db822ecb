/* SPDX-License-Identifier: GPL-3.0-or-later */
/* title: names and formulas as a figure writes them. */
#pragma once

#include <stdbool.h>

/* Text for a figure, in gnuplot's enhanced mode, or for LaTeX; the caller frees it; NULL without memory. typeset: where
 * the formula room reads it, x^2 gets a raised 2, pi is the Greek letter, variables slant, a product is a thin space (a
 * dot before a digit), - a minus sign. All else stands as it is: special characters guarded, control characters blanks.
 */
char *steep_title(const char *text, bool typeset, bool latex);

/* The first `most` characters of UTF-8 text, the last of them an ellipsis where there are more; the caller frees it. */
char *steep_title_cut(const char *text, unsigned most);

/* Number of characters of UTF-8 text. */
unsigned steep_title_length(const char *text);
