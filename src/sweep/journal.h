/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal: fits.csv, row by row: what is done survives, what is torn is dropped, the order in the end is the grid's. */
#ifndef STEEP_SWEEP_JOURNAL_H
#define STEEP_SWEEP_JOURNAL_H

#include "sweep/grid.h"

#define STEEP_FITS_HEADER                                                                                       \
    "arch,activation,target,dim,width,params,seed,start,solver,device,samples,rmse_train,rmse_test,max_error," \
    "floor,iterations,evaluations,gradient_norm,status,seconds"

/* A row as it stands in fits.csv: names by index into the grid, numbers as they are. */
typedef struct steep_row {
    size_t task;
    steep_status status;
    double rmse_train, rmse_test, max_error, floor, gradient_norm, seconds;
    size_t iterations, evaluations, samples;
} steep_row;

#endif
