/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/backend.h"

#include <math.h>
#include <string.h>


static const steep_backend *const backends[] = {&steep_backend_cpu};
#define BACKENDS (sizeof backends / sizeof *backends)

const steep_backend *steep_backend_at(size_t index)
{
    if (index < BACKENDS) return backends[index];
    const steep_backend *const *annex = steep_annex_backends;
    for (index -= BACKENDS; *annex && index > 0; index--) annex++;
    return *annex;
}

const char *steep_backend_names(size_t index)
{
    const steep_backend *backend = steep_backend_at(index);
    return backend ? backend->name : NULL;
}

const steep_backend *steep_backend_find(const char *name)
{
    if (!name) return backends[0];
    const steep_backend *backend = NULL;
    for (size_t i = 0; (backend = steep_backend_at(i)); i++)
        if (strcmp(backend->name, name) == 0) break;
    return backend;
}

steep_fit_row steep_backend_row(const steep_fit_result *result, steep_status status, size_t points, steep_device device)
{
    const steep_fit_result unknown = {.rmse_train = NAN,
                                      .rmse_test = NAN,
                                      .max_error = NAN,
                                      .floor = NAN,
                                      .gradient_norm = NAN,
                                      .coefficient = NAN,
                                      .rmse_single = NAN,
                                      .operations = NAN};
    const steep_fit_result *known = status < 0 ? &unknown : result;
    return (steep_fit_row){.present = true,
                           .status = status,
                           .device = device,
                           .rmse_train = known->rmse_train,
                           .rmse_test = known->rmse_test,
                           .max_error = known->max_error,
                           .floor = known->floor,
                           .gradient_norm = known->gradient_norm,
                           .coefficient = known->coefficient,
                           .rmse_single = known->rmse_single,
                           .operations = known->operations,
                           .noise = NAN,
                           .rmse_clean = NAN,
                           .noise_train = NAN,
                           .noise_test = NAN,
                           .seconds = result->seconds,
                           .samples = points,
                           .iterations = result->iterations,
                           .evaluations = result->evaluations,
                           .starts = result->starts,
                           .hits = result->hits};
}
