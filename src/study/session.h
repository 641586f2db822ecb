/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session: the struct behind the handle of steep/session.h. */
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
    char **word;           /* word[0] is unused; then "--name=text" of each option, as on a command line */
    struct json_t *record; /* of a network (model/stored.h), or {"result": ...}; NULL: none */
    steep_stored stored;   /* the network; theta NULL: none */
};

/* The options of steep slope; law is the name of slope.law, which they do not set (steep_slope_law_find). */
typedef struct steep_slope_chosen {
    steep_slope_options slope;
    const char *law;
} steep_slope_chosen;
extern const steep_option steep_slope_option_table[];

/* A monitor that asks the session's proceed. */
steep_monitor steep_session_monitor(steep_session *session);

/* Sets the options of these groups as the session has them. STEEP_BAD_INPUT, with the message of the command line. */
steep_status steep_session_options(const steep_session *session, const steep_option_group *group, steep_error *error);

/* What measures the error on points that no fit has seen, for a note; "" where a plan has test points. */
const char *steep_session_untested(const steep_plan *plan);

/* STEEP_BAD_INPUT where a plan has not one fit; the message says what there are several of. */
steep_status steep_session_check_one(const steep_plan *plan, steep_error *error);

/* begin: frees network and results; record: begins new results with these texts. */
void steep_session_begin(steep_session *session);
steep_status steep_session_record(steep_session *session, steep_status status, const char *remark, steep_error *error);

/* Adds results, or replaces them. NaN and infinity become null, and count as missing. */
steep_status steep_session_put(steep_session *session, const steep_stored_number *number, size_t count,
                               steep_error *error);
