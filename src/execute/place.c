/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
steep_place steep_place_find(void)
{
    steep_place place = {0, 1, "", "", false};
    size_t size = 0, rank = 0;
    if (number("OMPI_COMM_WORLD_SIZE", &size) && number("OMPI_COMM_WORLD_RANK", &rank))
        place = (steep_place){rank, size, "mpirun", "OMPI_COMM_WORLD_SIZE", false};
    else if (number("PMI_SIZE", &size) && number("PMI_RANK", &rank))
        place = (steep_place){rank, size, "mpirun", "PMI_SIZE", false};
    else if (number("SLURM_STEP_NUM_TASKS", &size) && number("SLURM_PROCID", &rank))
        place = (steep_place){rank, size, "srun", "SLURM_STEP_NUM_TASKS", !getenv("PMIX_RANK")};
    return size > 1 && rank < size ? place : (steep_place){0, 1, "", "", false};
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

bool steep_place_started(void)
{
    static const char *const starters[] = {"mpirun", "mpiexec", "orte", "prte", "hydra", "pmi_", "slurmstep", "srun"};
    for (long process = getpid(); process > 0;) {
        char name[32] = "";
        process = parent_of(process, name);
        for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
            if (strncmp(name, starters[i], strlen(starters[i])) == 0) return true;
    }
    return false;
}
