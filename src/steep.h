/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep: fit shallow networks, sweep their width, measure the slope of L(P). The whole public interface. */
#ifndef STEEP_H
#define STEEP_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" { /* the headers below are C; those above have said what they need of C++ */
#endif

#include "base/monitor.h"
#include "base/options.h"
#include "base/random.h"
#include "base/status.h"
#include "base/table.h"
#include "formula/formula.h"
#include "data/samples.h"
#include "data/target.h"
#include "fit/construct_constant.h"
#include "fit/cost.h"
#include "fit/least_squares.h"
#include "fit/linesearch.h"
#include "fit/problem.h"
#include "measure/measured.h"
#include "slope/slope.h"
#include "model/architecture.h"
#include "model/network.h"
#include "model/start.h"
#include "model/unit.h"
#include "spline/baseline.h"
#include "spline/bracket.h"
#include "spline/constant.h"
#include "spline/free_knots.h"
#include "spline/gates.h"
#include "spline/knots.h"
#include "spline/least_squares.h"
#include "spline/quasi.h"
#include "spline/spline.h"
#include "run/sweep.h"

#ifdef __cplusplus
}
#endif

#define STEEP_VERSION "0.1.0"

#endif
