/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cluster/mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "execute/object.h"

#ifndef STEEP_MPICC
#define STEEP_MPICC "" /* the compiler that makes the object beside this library, "": none was there */
#endif

/* A number of the environment; false: there is none. */
static bool number(const char *name, size_t *value)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return false;
    const unsigned long found = strtoul(text, &end, 10);
    if (*end) return false;
    *value = found;
    return true;
}

/* mpirun of Open MPI, of MPICH and its kin, srun with PMIx or PMI, srun without. A step of srun that is one process,
 * and the script of a job, are alone. */
steep_mpi_place steep_mpi_find(void)
{
    steep_mpi_place place = {0, 1, "", "", false};
    size_t size = 0, rank = 0;
    if (number("OMPI_COMM_WORLD_SIZE", &size) && number("OMPI_COMM_WORLD_RANK", &rank))
        place = (steep_mpi_place){rank, size, "mpirun", "OMPI_COMM_WORLD_SIZE", false};
    else if (number("PMI_SIZE", &size) && number("PMI_RANK", &rank))
        place = (steep_mpi_place){rank, size, "mpirun", "PMI_SIZE", false};
    else if (number("SLURM_STEP_NUM_TASKS", &size) && number("SLURM_PROCID", &rank))
        place = (steep_mpi_place){rank, size, "srun", "SLURM_STEP_NUM_TASKS", !getenv("PMIX_RANK")};
    return size > 1 && rank < size ? place : (steep_mpi_place){0, 1, "", "", false};
}

/* The name of a process, 15 characters at most, and the one that started it; 0: not to be seen. */
static long parent_of(long process, char name[32])
{
    char path[48], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const char *begin = strchr(line, '('), *end = strrchr(line, ')');
    if (!read || !begin || !end) return 0;
    snprintf(name, 32, "%.*s", (int)(end - begin - 1), begin + 1);
    return strtol(end + strcspn(end, "0123456789"), NULL, 10);
}

bool steep_mpi_started(void)
{
    static const char *const starters[] = {"mpirun", "mpiexec", "orte",      "prte",
                                           "hydra",  "pmi_",    "slurmstep", "srun"};
    for (long process = getpid(); process > 0;) {
        char name[32] = "";
        process = parent_of(process, name);
        for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
            if (strncmp(name, starters[i], strlen(starters[i])) == 0) return true;
    }
    return false;
}

static steep_status fail_to_load(const steep_mpi_place *place, const steep_object *object, steep_error *error)
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

static steep_status check(const steep_mpi_place *place, steep_link *link, steep_error *error)
{
    if (link->rank == place->rank && link->size == place->size) return STEEP_OK;
    steep_fail(error, STEEP_BAD_INPUT,
               "%s says that this is process %zu of %zu, and %.100s that it is %zu of %zu: use the %s of the MPI that "
               "Steep was built with",
               place->starter, place->rank, place->size, link->library, link->rank, link->size, place->starter);
    link->close(link, false);
    return STEEP_BAD_INPUT;
}

static steep_status open_link(const steep_mpi_place *place, const char *object, steep_link **link, steep_error *error)
{
    if (place->strangers)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "srun started %zu processes that know nothing of each other: give srun --mpi=pmix, or start "
                          "one (-n 1), or use --shard",
                          place->size);
    const steep_object found = steep_object_open(STEEP_MPI_OBJECT, object);
    if (!found.handle) return fail_to_load(place, &found, error);
    steep_link_entry_function entry = NULL;
    void *symbol = dlsym(found.handle, STEEP_LINK_ENTRY);
    if (symbol) memcpy(&entry, &symbol, sizeof entry);
    const steep_link_api *api = entry ? entry() : NULL;
    if (!api || api->version != STEEP_LINK_VERSION || api->link_bytes != sizeof(steep_link))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%.300s is none of this library's: install both from the same build, or use --shard",
                          found.text);
    steep_link *opened = api->open(error);
    if (!opened) return STEEP_BAD_INPUT;
    const steep_status status = check(place, opened, error);
    if (status == STEEP_OK) *link = opened;
    return status;
}

steep_status steep_mpi_open(const char *object, steep_link **link, steep_error *error)
{
    const steep_mpi_place place = steep_mpi_find();
    steep_error why = {{0}};
    *link = NULL;
    if (place.size == 1) return STEEP_OK;
    const steep_status status = open_link(&place, object, link, &why);
    if (status == STEEP_OK) return status;
    const bool started = steep_mpi_started();
    return steep_fail(error, status, "%.380s%s%s%s", why.text, started ? "" : "; no such program started this: unset ",
                      started ? "" : place.sign, started ? "" : ", if it is left over in this shell");
}
