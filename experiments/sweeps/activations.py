# SPDX-License-Identifier: GPL-3.0-or-later
"""activations: classic ones and their slopes, for scripts that run no steep."""
from math import erfc, exp, expm1, log1p, pi, sqrt, tanh


def density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def sigmoid(x):
    return 1 / (1 + exp(-x)) if x > 0 else exp(x) / (1 + exp(x))


def gelu(x):
    below = erfc(-x / sqrt(2)) / 2
    return x * below, below + x * density(x)


def silu(x):
    s = sigmoid(x)
    return x * s, s * (1 + x * (1 - s))


def softplus(x):
    return max(x, 0) + log1p(exp(-abs(x))), sigmoid(x)


def mish(x):
    value, slope = softplus(x)
    return x * tanh(value), tanh(value) + x * slope * (1 - tanh(value) ** 2)


ACTIVATIONS = {"relu": lambda x: (x, 1) if x > 0 else (0 * x, 0), "relu2": lambda x: (x * x, 2 * x) if x > 0 else (0, 0),
               "leaky_relu": lambda x: (x, 1) if x > 0 else (0.01 * x, 0.01), "gelu": gelu, "silu": silu,
               "tanh": lambda x: (tanh(x), 1 - tanh(x) ** 2), "sigmoid": lambda x: (sigmoid(x), sigmoid(x) * sigmoid(-x)),
               "softplus": softplus, "mish": mish, "elu": lambda x: (x, 1) if x > 0 else (expm1(x), exp(x))}
