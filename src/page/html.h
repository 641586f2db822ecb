/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html: texts, numbers and files of a run as a page may hold them. Nothing that a file says can end an element, an
 * attribute or a script: characters with a meaning are escaped, bytes that are no UTF-8 become U+FFFD, control
 * characters blanks. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "page/core.h"

/* Text between tags, and between the double quotes of an attribute. */
void steep_html_text(FILE *out, const char *text);

/* HTML with texts: %s is written by steep_html_text, %zu a number, %% a percent sign; there are no others. */
__attribute__((format(printf, 2, 3))) void steep_html_print(FILE *out, const char *format, ...);

/* A JSON string with its quotes, for an element <script type="application/json">. */
void steep_html_json(FILE *out, const char *text);

/* A path as a URL relative to the page, between the quotes of an attribute. */
void steep_html_url(FILE *out, const char *path);

/* A number of so many digits ("%.*g") in JSON; null where it is not finite. */
void steep_html_value(FILE *out, int digits, double value);

/* A number that people read: "−2.000", so many decimals; "–" where there is none. */
void steep_html_decimal(FILE *out, int decimals, double value);

/* The same with its exact value beside it: <data value="%.17g">. */
void steep_html_data(FILE *out, int decimals, double value);

/* The bytes of a file in base64, to its end; path names it where it cannot be read: STEEP_IO. */
steep_status steep_html_file(FILE *out, FILE *in, const char *path, steep_error *error);
