/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep: fit shallow networks, sweep their width, measure the slope of their error. This is the whole public interface:
 * these headers are installed, and the shared library exports the functions that they declare with STEEP_API. */
#pragma once

#define STEEP_VERSION "0.1.0"

#include "steep/fit.h"
#include "steep/network.h"
#include "steep/session.h"
#include "steep/slope.h"
#include "steep/spline.h"
#include "steep/status.h"
#include "steep/sweep.h"
#include "steep/target.h"
