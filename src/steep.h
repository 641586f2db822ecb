/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep: fit shallow networks, sweep their width, measure the slope of L(P). The whole public interface.
 *
 * This is the list of public headers: what they declare is what the library exports, and src/header.sh puts them
 * together into the one header that is installed. A header that one of these includes stands here too. */
#ifndef STEEP_H
#define STEEP_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STEEP_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" { /* the headers below are C; those above have said what they need of C++ */
#endif

#include "base/status.h"
#include "base/monitor.h"
#include "base/format.h"
#include "base/options.h"
#include "base/table.h"
#include "base/random.h"
#include "base/inline.h"
#include "numerics/quadrature.h"
#include "formula/formula.h"
#include "data/target.h"
#include "data/box.h"
#include "data/samples.h"
#include "data/standard.h"
#include "data/points.h"
#include "model/activation.h"
#include "model/unit.h"
#include "model/architecture.h"
#include "model/network.h"
#include "model/start.h"
#include "model/stored.h"
#include "spline/spline.h"
#include "spline/knots.h"
#include "spline/least_squares.h"
#include "spline/free_knots.h"
#include "spline/quasi.h"
#include "spline/gates.h"
#include "spline/constant.h"
#include "spline/bracket.h"
#include "spline/baseline.h"
#include "measure/measured.h"
#include "measure/single.h"
#include "measure/continuous.h"
#include "slope/slope.h"
#include "fit/problem.h"
#include "fit/least_squares.h"
#include "fit/cost.h"
#include "plan/options.h"
#include "plan/plan.h"
#include "execute/options.h"
#include "record/rows.h"
#include "study/slopes.h"
#include "study/sweep.h"
#include "draw/figure.h"

#ifdef __cplusplus
}
#endif

#endif
