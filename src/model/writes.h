/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writes: the units that ship as formulas, for any choice: what the rows of the table write (model/architecture.h). */
#ifndef STEEP_MODEL_WRITES_H
#define STEEP_MODEL_WRITES_H

#include <stdio.h>

#include "model/unit.h"

void steep_written_la(const steep_choice *choice, FILE *out);
void steep_written_moa(const steep_choice *choice, FILE *out);
void steep_written_qd_moa(const steep_choice *choice, FILE *out);
void steep_written_blend(const steep_choice *choice, FILE *out);
void steep_written_hermite(const steep_choice *choice, FILE *out);
void steep_written_polynorm(const steep_choice *choice, FILE *out);

#endif
