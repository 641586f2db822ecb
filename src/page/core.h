/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core: the headers that page uses of the core: figures, the files of a run's folder, and the reported slope. */
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
