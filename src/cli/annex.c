/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/annex.h"

#include <string.h>

/* Commands and options of annexes, for the message of a build that lacks the annex, and for nothing else. */
/* clang-format off */
static const char *const known[][2] = {
    {"separate", "certify"},
    {"law", "law"},
    {"--certify", "certify"},
    {"--certify-tolerance", "certify"},
    {"--certify-bits", "certify"},
    {"--certify-power", "certify"},
    {"--certify-second", "certify"},
    {"--vector-norm", "certify"},
    {"report", "page"},
    {"doctor", "doctor"},
    {"--print-slurm", "cluster"},
    {"--parts", "cluster"},
};
/* clang-format on */

bool steep_annexes_missing(const char *word, char *text, size_t size)
{
    const size_t length = strcspn(word, "=");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strlen(known[k][0]) != length || strncmp(word, known[k][0], length) != 0) continue;
        for (const steep_annex *const *annex = steep_annexes; *annex; annex++)
            if (strcmp((*annex)->name, known[k][1]) == 0) return false;
        snprintf(text, size, "this build has no %s: it was built without src/%s; use a build with that folder",
                 known[k][0], known[k][1]);
        return true;
    }
    return false;
}

const steep_annex_of_fit *steep_annexes_fit(void)
{
    for (const steep_annex *const *annex = steep_annexes; *annex; annex++)
        if ((*annex)->fit) return (*annex)->fit;
    return NULL;
}

const steep_annex_of_sweep *steep_annexes_sweep(void)
{
    for (const steep_annex *const *annex = steep_annexes; *annex; annex++)
        if ((*annex)->sweep) return (*annex)->sweep;
    return NULL;
}

void steep_annexes_remark(const steep_target *target, char *text, size_t size)
{
    text[0] = '\0';
    for (const steep_annex *const *annex = steep_annexes; *annex; annex++)
        if ((*annex)->remark) (*annex)->remark(target, "a --domain without it", text, size);
}
