/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link: messages between the processes of one run, which may be on several machines. They are carried by a shared
 * object that cluster/mpi.c loads (cluster/link.c), or by functions of a program. The object links nothing of Steep. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* The number changes with steep_link, so that an object of another build lacks the name. */
#define STEEP_LINK_ENTRY "steep_mpi_open_2"

typedef struct steep_link {
    size_t rank, size;   /* this process's number, from 0, and how many there are */
    const char *library; /* name of the library that carries the messages, for people */
    /* Sends a message without waiting; the bytes may be changed at once. false: no memory, or a broken connection. */
    bool (*send)(struct steep_link *link, size_t to, const void *bytes, size_t size);
    /* The next message that has come, malloc'ed, of *size bytes from rank *from; NULL: there is none now. Messages of
     * one sender come in the order in which they were sent. */
    void *(*receive)(struct steep_link *link, size_t *from, size_t *size);
    /* Ends the connection and frees the link; messages sent still arrive. lost: some ranks are gone; do not wait. */
    void (*close)(struct steep_link *link, bool lost);
} steep_link;

/* The function that the object exports by the name STEEP_LINK_ENTRY. NULL: it failed, and *error has the reason. */
typedef steep_link *(*steep_link_entry)(steep_error *error);

#define STEEP_MPI_OBJECT "steep_mpi.so"

/* Opens the link to the other processes; *link stays NULL where the process is alone. STEEP_BAD_INPUT: there are
 * others, but no object beside the library (execute/object.h says where it is looked for), another MPI than the
 * starter's, or a step of srun without PMIx. object: a file to load in place of the object that is found, or NULL. */
steep_status steep_mpi_open(const char *object, steep_link **link, steep_error *error);
