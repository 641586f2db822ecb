/* SPDX-License-Identifier: GPL-3.0-or-later */
/* svg: a picture that gnuplot drew (plots/slopes.gp), as a part of an HTML page. Elements and attributes that draw are
 * kept where their values are plain characters; nothing else in the file comes into the page. Groups of a series get
 * class="s LAYER" and data-s="LABEL": page.js shows and hides them, and finds the marks in them. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "page/core.h"

typedef struct steep_svg {
    const char *kind, *name; /* a class; a text for people who do not see the picture */
    size_t series;           /* in the panel */
    const size_t *label;     /* of each: its number on the page */
    const size_t *marks;     /* of each: how many marks it has */
} steep_svg;

/* The shapes of the marks of all pictures: once in a page. */
void steep_svg_put_shapes(FILE *out);

/* STEEP_IO, with nothing written: the file cannot be read, is no picture of this kind, or lacks marks. */
steep_status steep_svg_put(FILE *out, const char *path, const steep_svg *svg, steep_error *error);
