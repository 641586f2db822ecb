/* SPDX-License-Identifier: GPL-3.0-or-later */
/* title: names and formulas as a figure writes them. */
#ifndef STEEP_DRAW_TITLE_H
#define STEEP_DRAW_TITLE_H

#include <stdbool.h>

/* Text for a figure, in gnuplot's enhanced mode, or for LaTeX. What the formula room reads is typeset: x^2 with a
 * raised 2, pi as the Greek letter, variables slanted, a product as a thin space (a dot before a digit), - as a minus
 * sign, 1e-3 as a power of ten. Everything else, names and files, stands as it is, its special characters guarded. The
 * caller frees it; NULL without memory. */
char *steep_title_formula(const char *text, bool latex);

/* The text as it is, its special characters guarded, control characters as blanks. */
char *steep_title_plain(const char *text, bool latex);

/* The first `most` characters of UTF-8 text; where there are more, the last of these is "...", as one character. */
char *steep_title_cut(const char *text, unsigned most);

/* Number of characters of UTF-8 text. */
unsigned steep_title_length(const char *text);

#endif
