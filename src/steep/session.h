/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session: fits, networks and slopes of arrays behind one handle, for other languages. Options and results have the
 * names of the command line and of parameters.json: no struct has to be mirrored. A steep_error is 512 characters.
 *
 * Several threads may work at the same time, each with its own session. One session serves one thread at a time; only
 * values and results may be read by several threads at once. */
#pragma once

#include "steep/network.h"

typedef struct steep_session steep_session;

/* Called once in each outer iteration, in the thread that fits, with the stage of the solver, iterations so far,
 * training error (of a certificate: the lower bound) and seconds so far. False stops the fit and keeps its result. */
typedef bool (*steep_proceed)(void *context, const char *stage, size_t iteration, double rmse, double seconds);

/* A session with options: names and values in turn, ending with NULL: {"arch", "gqu", "width", "20", NULL}; a flag has
 * the value "true" or "false". option NULL: no options. The session keeps copies; the function that uses the options
 * checks them. proceed NULL: no call. Returns NULL without memory. */
STEEP_API steep_session *steep_session_new(const char *const *option, steep_proceed proceed, void *context);
STEEP_API void steep_session_free(steep_session *session);

/* Fits a network to count points in dim dimensions, x column-major (coordinate j of point k at x[j * count + k]), y the
 * values, as steep fit does, with its options on problem, model and solver, and its defaults (gqu of width 20). x NULL:
 * fits the points of the option data or target. On success the session holds the network. Returns the status of the
 * fit, as steep_fit; STEEP_BAD_INPUT, with a sentence, for options and points that steep fit refuses. Option missing
 * "drop" leaves out points with a coordinate or value that is not finite. All results are steep fit's, to the bit. */
STEEP_API steep_status steep_session_fit(steep_session *session, size_t count, size_t dim, const double *x,
                                         const double *y, steep_error *error);

/* Reads a network from a file of steep fit or steep sweep --keep-networks. extra: units in C from outside the library,
 * which are searched for a name first (NULL, 0: none). STEEP_IO: the file cannot be read. STEEP_BAD_INPUT, naming file
 * and place: the file holds no valid network. */
STEEP_API steep_status steep_session_load(steep_session *session, const char *path,
                                          const steep_architecture *const *extra, size_t extra_count,
                                          steep_error *error);

/* Writes the session's network to a file as steep fit does; the file is replaced atomically. */
STEEP_API steep_status steep_session_save(const steep_session *session, const char *path, steep_error *error);

/* Writes the network's values y[k] at count points x (column-major as above) and the derivatives dy/dx_j to
 * gradient[j * count + k] (NULL: not requested), in the units of the data: the numbers of steep predict, to the bit. At
 * a kink, the activation's own derivative. STEEP_NO_MEMORY; STEEP_BAD_INPUT: there is no network. O(count width). */
STEEP_API steep_status steep_session_values(const steep_session *session, size_t count, const double *x, double *y,
                                            double *gradient);

/* Measures the slope of count errors against their sizes (steep_slope_measure, method window), with these options of
 * steep slope: computed, smooth, scatter, level, floor-factor, drift, minimum-points, minimum-span, law. floor: the
 * rounding floor of each error, or NULL. The session then holds these results in place of a network: the numbers slope,
 * low, high, intercept, first, last, points, dropped, apart, drift, floor, offset, offset_low, offset_high, held_out,
 * and the texts remark and status. STEEP_BAD_INPUT: a size or an error is not finite and positive. */
STEEP_API steep_status steep_session_slope(steep_session *session, size_t count, const double *size,
                                           const double *error, const double *floor, steep_error *message);

/* A number by its name. Of a network: dim, width, params, seed, and the numbers in "result" of parameters.json, such as
 * rmse_train. Of a slope or a law: the numbers that its function lists. NaN where there is no such number. */
STEEP_API double steep_session_number(const steep_session *session, const char *name);

/* A text by its name. Of a network: architecture, unit, target, status, reason. Of a slope or a law: remark, status.
 * NULL where there is no such text. The text lives as long as the result. */
STEEP_API const char *steep_session_text(const steep_session *session, const char *name);
