# SPDX-License-Identifier: GPL-3.0-or-later
# The mixed derivative that networks miss against their width, each class of pairs, beside the two bounds: mixed_derivative.csv of experiments/mixed_derivative.c.
