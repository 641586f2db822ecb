/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link of cluster/link.h over MPI: a shared object, steep_mpi.so, that links MPI and nothing of Steep. One thread
 * calls MPI and never waits: it starts sends, frees them when they are complete, and takes messages that have come. */
#include "cluster/link.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TAG               1
#define FLUSH_SECONDS     10 /* messages that nobody has taken after this time stay unsent */
#define FLUSH_NANOSECONDS 200000

/* A message that is being sent; its bytes follow the struct. */
typedef struct letter {
    struct letter *next;
    MPI_Request request;
} letter;

typedef struct mpi_link {
    steep_link link; /* first */
    MPI_Comm comm;
    letter *first, *last;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
} mpi_link;

/* Frees messages whose sending is complete, oldest first; false once nothing is left. */
static bool release(mpi_link *m)
{
    int through = 1;
    while (m->first) {
        letter *l = m->first;
        if (MPI_Test(&l->request, &through, MPI_STATUS_IGNORE) == MPI_SUCCESS && !through) return true;
        m->first = l->next;
        if (!m->first) m->last = NULL;
        free(l);
    }
    return false;
}

static bool send(steep_link *link, size_t to, const void *bytes, size_t size)
{
    mpi_link *m = (mpi_link *)link;
    if (size > INT_MAX || to >= link->size) return false;
    release(m);
    letter *l = malloc(sizeof *l + size);
    if (!l) return false;
    l->next = NULL;
    memcpy(l + 1, bytes, size);
    if (MPI_Isend(l + 1, (int)size, MPI_BYTE, (int)to, TAG, m->comm, &l->request) != MPI_SUCCESS) {
        free(l);
        return false;
    }
    if (m->last) m->last->next = l;
    else m->first = l;
    m->last = l;
    return true;
}

static void *receive(steep_link *link, size_t *from, size_t *size)
{
    mpi_link *m = (mpi_link *)link;
    MPI_Message message;
    MPI_Status status;
    int there = 0, count = 0;
    release(m);
    if (MPI_Improbe(MPI_ANY_SOURCE, TAG, m->comm, &there, &message, &status) != MPI_SUCCESS || !there) return NULL;
    MPI_Get_count(&status, MPI_BYTE, &count);
    void *bytes = malloc((size_t)count + 1);
    if (!bytes) MPI_Abort(m->comm, 1); /* a message that is lost would leave the others waiting */
    if (MPI_Mrecv(bytes, count, MPI_BYTE, &message, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        free(bytes);
        return NULL;
    }
    *from = (size_t)status.MPI_SOURCE;
    *size = (size_t)count;
    return bytes;
}

/* MPI_Finalize waits for all ranks. Where some are lost it would wait for ever, and the process ends without it. */
static void end(steep_link *link, bool lost)
{
    mpi_link *m = (mpi_link *)link;
    const struct timespec moment = {0, FLUSH_NANOSECONDS};
    const double began = MPI_Wtime();
    while (release(m) && MPI_Wtime() - began < (lost ? 1 : FLUSH_SECONDS)) nanosleep(&moment, NULL);
    if (!lost) {
        MPI_Comm_free(&m->comm);
        MPI_Finalize();
    }
    free(m);
}

static steep_link *fail(mpi_link *m, steep_error *error, const char *text)
{
    if (error) snprintf(error->text, sizeof error->text, "%s", text);
    free(m);
    return NULL;
}

__attribute__((visibility("default"))) steep_link *steep_mpi_open_2(steep_error *error);
steep_link *steep_mpi_open_2(steep_error *error)
{
    int given = 0, rank = 0, size = 0, length = 0;
    mpi_link *m = calloc(1, sizeof *m);
    if (!m) return fail(m, error, "no memory for MPI");
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &given) != MPI_SUCCESS) return fail(m, error, "MPI_Init failed");
    MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &rank);
    MPI_Comm_size(m->comm, &size);
    MPI_Get_library_version(m->library, &length);
    m->library[strcspn(m->library, ",\n")] = '\0';
    m->link = (steep_link){(size_t)rank, (size_t)size, m->library, send, receive, end};
    return &m->link;
}
