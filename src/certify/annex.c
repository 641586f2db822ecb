/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/command_fit.h"
#include "certify/command_separate.h"
#include "certify/poles.h"
#include "cli/annex.h"

static const steep_command commands[] = {
    {"separate", steep_command_separate, steep_cli_separate_tables,
     "best W1inf approximation of a witness by a class, against the bound", false},
};

const steep_annex steep_annex_certify = {
    .name = "certify",
    .what = "enclosures of norms, separations",
    .command = commands,
    .commands = sizeof commands / sizeof *commands,
    .fit = &steep_certify_of_fit,
    .remark = steep_target_pole_remark,
};
