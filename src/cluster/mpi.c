/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/link.h"

#include <dlfcn.h>
#include <string.h>

#include "cluster/core.h"

#ifndef STEEP_MPICC
#define STEEP_MPICC "" /* the compiler that makes the object beside this library; "": none was found */
#endif

static steep_status fail_to_load(const steep_place *place, const steep_object *object, steep_error *error)
{
    if (object->found)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s started %zu processes, and %.150s cannot be loaded: %.150s: install that, or use --shard",
                          place->starter, place->size, object->text, object->reason);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s started %zu processes, and " STEEP_MPI_OBJECT " is not there (%.150s, nor where the loader "
                      "looks): %s; or use --shard",
                      place->starter, place->size, object->text,
                      STEEP_MPICC[0] ? "it comes with this build: make all, make install put it beside the library"
                                     : "no mpicc was there to make it: install Open MPI (libopenmpi-dev), make again");
}

static steep_status check(const steep_place *place, steep_link *link, steep_error *error)
{
    if (link->rank == place->rank && link->size == place->size) return STEEP_OK;
    steep_fail(error, STEEP_BAD_INPUT,
               "%s says that this is process %zu of %zu, %.100s says %zu of %zu: use the %s of Steep's own MPI",
               place->starter, place->rank, place->size, link->library, link->rank, link->size, place->starter);
    link->close(link, false);
    return STEEP_BAD_INPUT;
}

static steep_status open_link(const steep_place *place, const char *object, steep_link **link, steep_error *error)
{
    if (place->strangers)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "srun started %zu processes that do not know of each other: use --mpi=pmix, -n 1, or --shard",
                          place->size);
    const steep_object found = steep_object_open(STEEP_MPI_OBJECT, object);
    if (!found.handle) return fail_to_load(place, &found, error);
    steep_link_entry entry = NULL;
    void *symbol = dlsym(found.handle, STEEP_LINK_ENTRY);
    if (symbol) memcpy(&entry, &symbol, sizeof entry);
    if (!entry)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%.300s is none of this library's: install both from the same build, or use --shard",
                          found.text);
    steep_link *opened = entry(error);
    if (!opened) return STEEP_BAD_INPUT;
    const steep_status status = check(place, opened, error);
    if (status == STEEP_OK) *link = opened;
    return status;
}

steep_status steep_mpi_open(const char *object, steep_link **link, steep_error *error)
{
    const steep_place place = steep_place_find();
    steep_error why = {{0}};
    *link = NULL;
    if (place.size == 1) return STEEP_OK;
    const steep_status status = open_link(&place, object, link, &why);
    if (status == STEEP_OK) return status;
    return steep_fail(error, status, "%.380s; if no %s started this, unset %s, which is left over in this shell",
                      why.text, place.starter, place.sign);
}
