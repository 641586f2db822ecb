/* SPDX-License-Identifier: GPL-3.0-or-later */
/* team: threads that do the independent parts of one computation. Which thread does a part changes no number. */
#pragma once

#include <stddef.h>

typedef struct steep_team steep_team;

/* A team of the caller's thread and up to threads - 1 more. NULL if threads < 2 or no thread could be made:
 * steep_team_run then does all parts in the caller's thread. */
steep_team *steep_team_open(size_t threads);
void steep_team_close(steep_team *team);

/* The number of threads that do parts, with the caller's: 1 for NULL. */
size_t steep_team_size(const steep_team *team);

/* job(context, i) for i = 0, ..., count - 1, each once, in any order; returns when all are done. The parts must not
 * call steep_team_run. */
void steep_team_run(steep_team *team, size_t count, void (*job)(void *context, size_t part), void *context);
