/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/backend.h"

#include <math.h>

#include "base/option_rows.h"
#include "slope/slope.h"

/* The back end of the core, then those of annexes; NULL past the last. */
static const steep_backend *backend_at(size_t index)
{
    const steep_backend *const *annex = steep_annex_backends;
    if (index == 0) return &steep_backend_cpu;
    for (; *annex && index > 1; index--) annex++;
    return *annex;
}

static const char *names(size_t index)
{
    const steep_backend *backend = backend_at(index);
    return backend ? backend->name : NULL;
}

const steep_backend *steep_backend_find(const char *name)
{
    return backend_at(steep_options_index(names, name));
}

steep_fit_row steep_backend_row(const steep_fit_result *result, steep_status status, size_t points, steep_device device)
{
    steep_fit_row row = {.present = true,
                         .status = status,
                         .device = device,
                         .rmse_train = result->rmse_train,
                         .rmse_test = result->rmse_test,
                         .max_error = result->max_error,
                         .floor = result->floor,
                         .gradient_norm = result->gradient_norm,
                         .coefficient = result->coefficient,
                         .rmse_single = result->rmse_single,
                         .operations = result->operations,
                         .seconds = result->seconds,
                         .samples = points,
                         .iterations = result->iterations,
                         .evaluations = result->evaluations,
                         .starts = result->starts,
                         .hits = result->hits};
    double *const measured[] = {&row.rmse_train,    &row.rmse_test,   &row.max_error,   &row.floor,
                                &row.gradient_norm, &row.coefficient, &row.rmse_single, &row.operations};
    for (size_t i = 0; status < 0 && i < sizeof measured / sizeof *measured; i++) *measured[i] = NAN;
    row.noise = row.rmse_clean = row.noise_train = row.noise_test = NAN;
    return row;
}

#define AT(field) offsetof(steep_run_options, field)

const steep_option steep_run_option_table[] = {
    SIZE("jobs", jobs, "0", 0, 4096, "fits side by side; 0: one per processor, under MPI one in each rank", FREE),
    SIZE("threads", threads, "auto", 0, 4096,
         "threads of one fit, for large steps of lm and varpro, the losses of adam, adamw, sgd, muon and lbfgs, and "
         "start greedy; auto, 0: the processors that --jobs leaves",
         FREE),
    CHOICE("device", device, "cpu", names, "where fits run: processes of this machine, or one GPU", FREE),
    TEXT("out", out, "DIR", "results/sweep", "folder for the files that the command leaves", FREE),
    FLAG("curve", curve, "also write error, gradient, step and more by iteration: curves/, a file for each fit", FREE),
    FLAG("fresh", fresh, "remove what an earlier run left in the folder", FREE),
    FLAG("quiet", quiet, "no progress, no notes", FREE),
    {.name = NULL},
};

const steep_option steep_many_option_table[] = {
    TEXT("shard", shard, "I/N", NULL, "do the I-th part of N only; a later run without it joins them", FREE),
    CHOICE("law", law, "power", steep_slope_law_names, "of the slopes: A P^s in the end, or with an offset, E + A P^s",
           FREE),
    FLAG("keep-networks", keep_networks, "also save each network, a file each in networks/", FREE),
    FLAG("mixed", mixed, "keep rows that another version, commit or processor wrote", FREE),
    {.name = NULL},
};
