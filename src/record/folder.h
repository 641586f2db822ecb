/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder: the folder of a run's files: to whom it belongs, which run works in it, and which files may be removed. */
#pragma once

#include <dirent.h>

#include "base/text.h"
#include "record/provenance.h"

#define STEEP_FOLDER_NETWORKS "networks" /* where a run keeps its networks, in its folder */
#define STEEP_FOLDER_CURVES   "curves"   /* and the iterations of its fits */

typedef struct steep_folder {
    const char *path;     /* the caller's */
    const char *option;   /* how messages on its lock begin: "--out " or "" */
    int lock, shard_lock; /* files that hold this run's locks, -1 for none */
} steep_folder;

/* Makes the folder if it is not there, locks it against other runs (shards of one run share the lock, and each shard
 * runs once at a time), and checks to whom it belongs. STEEP_BAD_INPUT, with nothing written: it is no folder, cannot
 * be written to, is in use, holds files but no run.json, or, unless fresh, a run.json with another identity. */
steep_status steep_folder_open(steep_folder *folder, const char *path, const steep_provenance *provenance, bool fresh,
                               steep_error *error);

/* Locks a folder that is there for one run alone. STEEP_BAD_INPUT: it is in use, or cannot be written to. */
steep_status steep_folder_lock(steep_folder *folder, const char *path, steep_error *error);

/* Removes the files that a run writes, and no others: for --fresh, after all checks. */
steep_status steep_folder_clear(const steep_folder *folder, steep_error *error);
void steep_folder_close(steep_folder *folder);

/* Is there a folder of that name? */
bool steep_folder_there(const char *path);

/* Makes a folder and those above it, where they are not there. */
steep_status steep_folder_make(const char *path, steep_error *error);

/* The entries of a folder that `which` takes, sorted by their names; to be freed by steep_folder_free_list, whatever is
 * returned. A failure leaves errno. steep_folder_is_shard takes files of the form fits.shard-i-of-n.csv. */
steep_status steep_folder_list(const char *path, int (*which)(const struct dirent *), struct dirent ***entries,
                               size_t *count, steep_error *error);
int steep_folder_is_shard(const struct dirent *entry);
void steep_folder_free_list(struct dirent **entries, size_t count);
