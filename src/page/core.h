/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: what page needs of the core's rooms: figures, the files of a run's folder, and the slope that is named. */
#pragma once

#include "base/json.h"
#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "draw/figure.h"
#include "model/stored.h"
#include "record/folder.h"
#include "record/journal.h"
#include "record/provenance.h"
#include "study/slopes.h"
