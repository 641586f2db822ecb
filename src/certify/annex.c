/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/command_fit.h"
#include "certify/norms.h"
#include "cli/annex.h"

const steep_annex steep_annex_certify = {
    .name = "certify",
    .command = &steep_command_separate,
    .fit = &steep_certify_of_fit,
    .remark = steep_target_pole_remark,
};
