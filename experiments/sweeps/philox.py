# SPDX-License-Identifier: GPL-3.0-or-later
"""philox: the random numbers of steep, Philox4x32-10 (src/base/random.h); normal ones but for their last digit."""
import math

MASK = (1 << 32) - 1
SAMPLES, START, JITTER, TEST, SIMULATION = range(1, 6)  # streams


class Random:
    def __init__(self, seed, stream):
        self.stream, self.block, self.words = stream, 0, []
        self.keys = [((seed & MASK) + i * 0x9E3779B9 & MASK, (seed >> 32) + i * 0xBB67AE85 & MASK) for i in range(10)]

    def word(self):
        if not self.words:
            a, b, c, d = self.block & MASK, self.block >> 32, self.stream & MASK, self.stream >> 32
            for first, second in self.keys:
                p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
                a, b, c, d = q >> 32 ^ b ^ first, q & MASK, p >> 32 ^ d ^ second, p & MASK
            self.words = [d, c, b, a]
            self.block += 1
        return self.words.pop()

    def uniform(self):
        """In [0, 1), 53 bits."""
        high = self.word()
        return ((high << 32 | self.word()) >> 11) * 2.0 ** -53

    def normal(self):
        radius = math.sqrt(-2 * math.log1p(-self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())
