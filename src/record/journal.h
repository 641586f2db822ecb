/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal: fits.csv, row by row. Finished rows survive, a torn row is dropped; finally rows are in the plan's order. */
#pragma once

#include "base/table.h"
#include "plan/plan.h"
#include "steep/sweep.h"

#define STEEP_FITS_HEADER                                                                                              \
    "arch,activation,target,dim,width,params,seed,start,solver,device,samples,rmse_train,rmse_test,max_error,"         \
    "floor,iterations,evaluations,gradient_norm,status,seconds,starts,hits,coefficient,rmse_single,flops,noise,"       \
    "rmse_clean,noise_train,noise_test,sum"

/* The last column is a checksum of the others but the seconds: FNV-1a of their texts, each with a byte 31 behind it, in
 * 16 hexadecimal digits. It tells a row that was changed by hand, by a disk or by a merge; it is no signature. */

const char *steep_device_names(size_t index); /* NULL past the last */

/* Whether a row is of a usable fit. */
static inline bool steep_fit_row_usable(const steep_fit_row *row)
{
    return row->present && row->status >= 0;
}

/* Whether two rows have the same numbers, to the bit, but for the seconds; what computed them does not matter. */
bool steep_fit_row_same(const steep_fit_row *a, const steep_fit_row *b);

/* What a file held. */
typedef struct steep_journal_state {
    bool torn;  /* the last line was cut short; it is no row */
    long whole; /* bytes up to the end of the last whole line; 0: no whole header */
} steep_journal_state;

/* Takes the fits that a journal holds and the plan lacks into the plan (steep_plan_admit), in an order that does not
 * depend on the order of the file; the caller lays the plan out anew. A file that is not there counts as empty.
 * STEEP_BAD_INPUT names file and line: another header, a wrong number of fields, an unknown name. */
steep_status steep_journal_admit(const char *path, steep_plan *plan, steep_error *error);

/* Reads a journal into row[plan->tasks], by task; a row that is already present stays as it is. A file that is not
 * there counts as empty. Nothing is written. STEEP_BAD_INPUT names file and line: another header, a wrong number of
 * fields, a text in place of a number, an unknown status, a row of another plan, a row with values that no fit has (a
 * negative error, converged without an error, another number of points than the plan's), a row with another checksum.
 * known: rows of fits that the plan does not know are skipped. */
steep_status steep_journal_read(const char *path, const steep_plan *plan, bool known, steep_fit_row *row,
                                steep_journal_state *state, steep_error *error);

/* Every row of a journal whose run has ended, without a plan: row r of the table is (*row)[r], checked as by
 * steep_journal_read. The caller frees both: *row by free, the table by steep_table_free. STEEP_IO: it cannot be read;
 * STEEP_BAD_INPUT also where the last line is cut short; then there is nothing to free. */
steep_status steep_journal_table(const char *path, steep_table *table, steep_fit_row **row, steep_error *error);

/* The file, open for appending; one process appends. */
typedef struct steep_journal {
    int file; /* the caller closes it */
    long size;
    const char *path; /* the caller's */
    const steep_plan *plan;
} steep_journal;

/* Opens or creates path, cuts it to "whole" bytes (steep_journal_state), and writes the header where there is none. */
steep_status steep_journal_open(steep_journal *journal, const char *path, const steep_plan *plan, long whole,
                                steep_error *error);
/* Appends one line by one write(). STEEP_IO (a full disk): the file is cut back to its last whole line. */
steep_status steep_journal_append(steep_journal *journal, size_t task, const steep_fit_row *row, steep_error *error);

/* Replaces the file by the rows present, of task i only if here[i] (here NULL: of all), in the plan's order. */
steep_status steep_journal_finish(const char *path, const steep_plan *plan, const steep_fit_row *row, const bool *here,
                                  steep_error *error);
