/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a record says of the program and of the machine that it runs on. */
#include "record/provenance.h"

#include <flint/flint.h>
#include <glob.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "numerics/dense.h"

#ifndef STEEP_VERSION
#define STEEP_VERSION "unknown"
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

const steep_build steep_this_build = {STEEP_VERSION, STEEP_COMMIT, STEEP_CFLAGS, COMPILER};

void steep_provenance_cpu(char *text, size_t size)
{
    static const char file[] = "/proc/cpuinfo";
    if (!steep_kernel_field(file, "model name", text, size) && !steep_kernel_field(file, "Model", text, size))
        snprintf(text, size, "unknown");
}

bool steep_provenance_gpu(char *text, size_t size)
{
    glob_t file = {0}; /* a file for each GPU */
    bool found = false;
    snprintf(text, size, "none");
    glob("/proc/driver/nvidia/gpus/*/information", 0, NULL, &file);
    for (size_t i = 0; !found && i < file.gl_pathc; i++)
        found = steep_kernel_field(file.gl_pathv[i], "Model", text, size);
    globfree(&file);
    return found;
}

/* Until FLINT 3, Arb was a library of its own. */
#define FLINT (__FLINT_RELEASE < 30000 ? FLINT_VERSION ", Arb 2" : FLINT_VERSION)

const char *steep_provenance_library(size_t index, const char **version)
{
    static const char *const name[] = {"gsl", "jansson", "flint"};
    const char *const found[] = {gsl_version, jansson_version_str(), FLINT};
    if (index >= sizeof name / sizeof *name) return NULL;
    *version = found[index];
    return name[index];
}

struct json_t *steep_machine_describe(size_t jobs)
{
    const char *name, *version;
    char cpu[256], gpu[256];
    json_t *libraries = json_object();
    for (size_t i = 0; (name = steep_provenance_library(i, &version)); i++)
        libraries = steep_json_put(libraries, name, json_string(version));
    steep_provenance_cpu(cpu, sizeof cpu);
    bool has_gpu = steep_provenance_gpu(gpu, sizeof gpu);
    return json_pack("{s:s, s:s, s:o, s:{s:s, s:s, s:i}, s:s, s:o, s:I, s:I}", "compiler", COMPILER, "flags",
                     STEEP_CFLAGS, "libraries", libraries, "blas", "build", STEEP_ALGEBRA, "kernel",
                     steep_dense_sets(0)->name, "threads", 1, "cpu", cpu, "gpu",
                     has_gpu ? json_string(gpu) : json_null(), "processors", (json_int_t)steep_processors(), "jobs",
                     (json_int_t)jobs);
}
