/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device: the shared object that computes on a device (cuda/batch.h): where it is, whether it is of this version, and
 * what it finds. The library links nothing of CUDA: the object is loaded when it is asked for. */
#ifndef STEEP_CUDA_DEVICE_H
#define STEEP_CUDA_DEVICE_H

#include "cuda/batch.h"
#include "cuda/core.h"

#define STEEP_DEVICE_OBJECT "steep_cuda.so"

typedef struct steep_loaded_device {
    void *object;
    const steep_cuda_api *api;
    steep_device kind;
} steep_loaded_device;

/* Loads on->object, or else the first STEEP_DEVICE_OBJECT of: the folder of the file that holds this code (libsteep.so,
 * or the program), the folder ../lib beside that; the same two of the program; where the loader looks. Opens no device.
 * STEEP_BAD_INPUT says where it was looked for and whether this build made one, or why it cannot be loaded: what it
 * needs is missing, another version. */
steep_status steep_device_load(const steep_device_options *on, steep_loaded_device *loaded, steep_error *error);
void steep_device_unload(steep_loaded_device *loaded);

/* Opens the device, in this process: none may be forked from it afterwards. STEEP_BAD_INPUT: no driver, no device, one
 * that is too old, or with too little memory. */
steep_status steep_device_open(const steep_loaded_device *loaded, const steep_device_options *on,
                               steep_cuda_device **device, steep_error *error);

/* All of that in a process of its own, and what the device says of itself in text. */
steep_status steep_device_probe(const steep_device_options *on, char *text, size_t size, steep_error *error);

#endif
