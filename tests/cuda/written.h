/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written: units by formula with every operation of a tape, with own and shared scalars and maps. */
#include <stdio.h>

static const char *const written_units[] = {"relu(z1)*z2", /* glu's */
                                            "exp(-z1^2)*z2",
                                            "sin(z1)*cos(z2) + tan(z1/4)",
                                            "asin(sin(z1)/2) + acos(cos(z2)/2)*z1",
                                            "atan(z1)*sinh(z2/4) + cosh(z1/4)",
                                            "tanh(z1)*z2 + sigmoid(z2)",
                                            "log(1 + z1^2)*z2 + sqrt(1 + z2^2)",
                                            "erf(z1) + erfc(z2)*z1",
                                            "J0(z1)*z2 + J1(z2)",
                                            "expm1(-abs(z1))*z2 + log1p(z2^2)",
                                            "cbrt(2 + z1^2)*sign(z2)",
                                            "max(z1, e1*z1)*z2 + min(z2, a1); e1 = 0.2; a1 = 0.3",
                                            "(1 + z1^2)^(e1/3)*z2; e1 = 1",
                                            "sigmoid(s1)*z1 + (1 - sigmoid(s1))*abs(z2)",
                                            "z1/(1 + abs(z2)) - 3*z2^3"};
enum { WRITTEN_UNITS = sizeof written_units / sizeof *written_units };

/* A formula with more numbers at once than a device has room for: the terms of both sums are kept in between. */
static inline const char *written_long(void)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "long = z1");
    for (int turn = 0; turn < 2; turn++)
        for (int k = 1; k <= 80; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, turn ? " + exp(sin(%d*z1))" : " + sin(%d*z1)", k);
    return text;
}
