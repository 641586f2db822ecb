/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session: fits, networks and slopes of arrays behind one handle, for other languages: options and results have the
 * names of the command line and of parameters.json, and no struct need be mirrored. A steep_error is 512 characters.
 *
 * Several threads may use a session each at the same time; one session is used by one thread at a time, but values and
 * results may be asked for by several. */
#pragma once

#include "steep/network.h"

typedef struct steep_session steep_session;

/* Called once in each outer iteration, in the thread that fits: the stage of the solver, iterations so far, training
 * error (of a certificate: the lower bound), seconds so far. False stops the fit: what it has is kept. */
typedef bool (*steep_proceed)(void *context, const char *stage, size_t iteration, double rmse, double seconds);

/* A session with options: names and values in turn, ending with NULL: {"arch", "gqu", "width", "20", NULL}; a flag has
 * the value "true" or "false". NULL: none. They are copied, and looked at by what uses them. proceed NULL: nobody is
 * asked. Returns NULL without memory. */
STEEP_API steep_session *steep_session_new(const char *const *option, steep_proceed proceed, void *context);
STEEP_API void steep_session_free(steep_session *session);

/* Fits a network to count points in dim dimensions, x column-major (coordinate j of point k at x[j * count + k]), y
 * their values; as steep fit does, with its options on problem, model and solver, and its defaults: gqu of width 20. x
 * NULL: to what the options data or target name. Then the session has a network. The status is the fit's, as of
 * steep_fit; STEEP_BAD_INPUT, with a sentence, for options and points that steep fit refuses; missing "drop" leaves out
 * points with a coordinate or value that is not finite. Fit and network are those of steep fit, to the bit. */
STEEP_API steep_status steep_session_fit(steep_session *session, size_t count, size_t dim, const double *x,
                                         const double *y, steep_error *error);

/* Reads a network from a file of steep fit or steep sweep --keep-networks. extra: units in C from outside the library,
 * by which a name is looked up first (NULL, 0 for none). STEEP_IO where the file cannot be read; STEEP_BAD_INPUT,
 * naming file and place, for anything that is no such network. */
STEEP_API steep_status steep_session_load(steep_session *session, const char *path,
                                          const steep_architecture *const *extra, size_t extra_count,
                                          steep_error *error);

/* Writes the session's network as steep fit does, in one stroke. */
STEEP_API steep_status steep_session_save(const steep_session *session, const char *path, steep_error *error);

/* y[k] of the session's network at count points x (column-major as above), and dy/dx_j into gradient[j * count + k]
 * unless it is NULL, all in the units of the data: the numbers of steep predict, to the bit. At a kink, the
 * activation's own derivative there. STEEP_NO_MEMORY; STEEP_BAD_INPUT: there is no network. O(count width). */
STEEP_API steep_status steep_session_values(const steep_session *session, size_t count, const double *x, double *y,
                                            double *gradient);

/* The slope of count errors against their sizes (steep_slope_measure, method window), with the options of steep slope
 * computed, smooth, scatter, level, floor-factor, drift, minimum-points, minimum-span, law. floor: a rounding floor of
 * each error, or NULL. The session then has its results in place of a network: slope, low, high, intercept, first,
 * last, points, dropped, apart, drift, floor, offset, offset_low, offset_high, held_out as numbers, remark and status
 * as texts. Size and error that are not finite and positive are STEEP_BAD_INPUT here. */
STEEP_API steep_status steep_session_slope(steep_session *session, size_t count, const double *size,
                                           const double *error, const double *floor, steep_error *message);

/* A result by its name: of a network dim, width, params, seed and the numbers of "result" in parameters.json,
 * rmse_train and so on; of a slope and of a law those above. NaN for one that is not there. */
STEEP_API double steep_session_number(const steep_session *session, const char *name);

/* A text by its name: of a network architecture, unit, target, status, reason; of a slope and a law remark and status.
 * NULL for one that is not there. It lives as long as the result. */
STEEP_API const char *steep_session_text(const steep_session *session, const char *name);
