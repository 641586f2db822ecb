/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session: what is behind the handle (steep/session.h). */
#pragma once

#include "base/options.h"
#include "model/stored.h"
#include "plan/plan.h"
#include "slope/slope.h"
#include "steep/session.h"

struct steep_session {
    steep_proceed proceed;
    void *context;
    size_t options;
    char **word;           /* one that counts for nothing, then "--name=text" of each: as a command line has them */
    struct json_t *record; /* of a network (model/stored.h), or {"result": ...}; NULL: none */
    steep_stored stored;   /* the network; theta NULL: none */
};

/* How a slope is measured: the options of steep slope, the law's name apart (steep_slope_law_find). */
typedef struct steep_slope_chosen {
    steep_slope_options slope;
    const char *law;
} steep_slope_chosen;
extern const steep_option steep_slope_option_table[];

/* What asks the session's proceed. */
steep_monitor steep_session_monitor(steep_session *session);

/* Sets these options from the session's. STEEP_BAD_INPUT as the command line would say it. */
steep_status steep_session_options(const steep_session *session, const steep_option_group *group, steep_error *error);

/* STEEP_BAD_INPUT, with what there are several of, where a plan is not of one fit. */
steep_status steep_session_check_one(const steep_plan *plan, steep_error *error);

/* Forgets network and results; begins results anew, with these texts. */
void steep_session_begin(steep_session *session);
steep_status steep_session_record(steep_session *session, steep_status status, const char *remark, steep_error *error);

/* More results, or the same anew. NaN and infinity are not there. */
steep_status steep_session_put(steep_session *session, const steep_stored_number *number, size_t count,
                               steep_error *error);
