# SPDX-License-Identifier: GPL-3.0-or-later
"""polyrelu: networks of several layers of PolyReLU units, sum_i e_i relu(z)^i with coefficients of their own, as the
proofs of "Polynomial composition activations" build them.

A form is {place: weight} over the values of the layer below, -1 the constant's place; a layer is a list of units (form,
e); a network a list of layers and the form of its output. Weights are whole numbers or fractions: at fractions a
network has its exact value, at floats what steep computes, for it adds in the same order."""


def at(form, values):
    """The form of values that end with 1, in the order of its places."""
    total = 0
    for place, weight in form.items():
        total += weight * values[place]
    return total


def polynomial(e, v):
    total, power = 0, 1
    for factor in e:
        total += factor * power
        power *= v
    return total


def polyrelu(e, z):
    return polynomial(e, max(z, 0 * z))  # a 0 of the same kind


def value(layers, output, x, unit=polyrelu):
    """The network at the point x, a list."""
    for layer in layers:
        x = [*x, 1]
        x = [unit(e, at(form, x)) for form, e in layer]
    return at(output, [*x, 1])


def add_layer(layers, wires):
    """Adds a layer from which these wires leave, each a sum of terms (form, power, factor): a unit for each side of 0
    (lemma 1). The wires' forms in the new units."""
    units, leaving = [], []
    for terms in wires:
        wire = {}
        for form, power, factor in terms:
            for side in (1, -1):
                wire[len(units)] = factor
                turned = {place: side * weight for place, weight in form.items()}
                units.append((turned, (0,) * power + (side ** power,)))
        leaving.append(wire)
    layers.append(units)
    return leaving
