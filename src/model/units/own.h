/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own: learned activations with coefficients of each unit's own, e in place of the shared a. The coefficients stand at
 * the same places of u, so that the unit's code is the same; counts and start differ. */
#pragma once

#include "model/units/fourier.h"
#include "model/units/orthogonal.h"
#include "model/units/polyrelu.h"
#include "model/units/tropical.h"

#define STEEP_OWN(name)                                                                                                \
    STEEP_INLINE void steep_##name##_own_counts(const steep_choice *choice, steep_counts *counts)                      \
    {                                                                                                                  \
        steep_##name##_counts(choice, counts);                                                                         \
        counts->scalars = counts->shared_scalars;                                                                      \
        counts->shared_scalars = 0;                                                                                    \
    }                                                                                                                  \
    STEEP_INLINE void steep_##name##_own_start(const steep_choice *choice, double *scalars, double *shared_scalars)    \
    {                                                                                                                  \
        (void)shared_scalars;                                                                                          \
        steep_##name##_start(choice, NULL, scalars);                                                                   \
    }
STEEP_OWN(hermite)
STEEP_OWN(fourier)
STEEP_OWN(fourier_phase)
STEEP_OWN(tropical)
STEEP_OWN(tropical_rational)
STEEP_OWN(prelu)
STEEP_OWN(polyrelu)
