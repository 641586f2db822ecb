/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varpro: which parameters variable projection solves for and which it moves. */
#ifndef STEEP_FIT_VARPRO_H
#define STEEP_FIT_VARPRO_H

#include "model/network.h"

typedef struct steep_varpro_split {
    unsigned linear;     /* branches that are solved for, with the bias; 0: the output weights are */
    bool held;           /* the output weights stay at their start: h = 0 where the linear branches are */
    size_t lines, moves; /* how many parameters are solved for and how many move */
} steep_varpro_split;

/* linear, moving: room for network->parameters indices each, or NULL; lines and moves of them are written, ascending.
 * */
steep_varpro_split steep_varpro_split_of(const steep_network *network, size_t *linear, size_t *moving);

#endif
