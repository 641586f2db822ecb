/* SPDX-License-Identifier: GPL-3.0-or-later */
/* meter: how much of a list of fits is done, and how long the rest will take, by what the fits are expected to cost: the
 * last and widest fits of a list take most of its time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct steep_meter {
    FILE *stream;           /* NULL: nothing is shown */
    bool events;            /* a line of JSON each (base/sheet.h) */
    double pause;           /* seconds between lines where the stream is no terminal; 0: none */
    size_t total, done;     /* fits */
    double cost, cost_done; /* the same, expected */
    double began, shown;    /* seconds; of the last line */
    size_t reported;        /* fits, by the last event */
} steep_meter;

/* last: the line is over. */
void steep_meter_show(steep_meter *meter, bool last);
