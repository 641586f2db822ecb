# SPDX-License-Identifier: GPL-3.0-or-later
"""targets_2d: the targets of the studies in two dimensions."""
SPECIAL = {"sin4sin4": "sin4sin4", "cos4cos4": "cos4cos4"}  # sums of two ridges along the diagonals
GENERAL = {
    "runge3_2d": "runge3_2d",
    "franke": "franke",
    # six waves; amplitudes, frequencies and phases by a random generator, rounded to two digits
    "waves": "0.36*sin(2.1*x-3.4*y+0.9)+0.81*sin(-1.3*x+4.6*y+2.2)-0.54*sin(3.9*x+0.7*y-1.7)+0.23*sin(5.2*x-1.1*y+0.4)-"
             "0.67*sin(0.8*x+2.9*y+2.8)+0.45*sin(-4.4*x-3.1*y-0.6)",
    # three ridges and a wave that is none, numbers likewise
    "formula": "0.98*exp(-(0.03*x+0.76*y+0.67)^2)+0.33*tanh(1.02*x+2.43*y-1.31)+0.65*cos(1.05*x^2-0.06*x*y-1.61*y)+"
               "0.67/(1+(3.52*x+1.63*y+0.07)^2)"}
