/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/annex.h"

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
