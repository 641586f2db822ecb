# SPDX-License-Identifier: GPL-3.0-or-later
"""philox: the uniform random numbers of steep, Philox4x32-10 (src/base/random.h)."""
MASK = (1 << 32) - 1
SAMPLES, START, JITTER, TEST, SIMULATION = range(1, 6)  # streams


class Random:
    def __init__(self, seed, stream):
        self.seed, self.stream, self.block, self.words = seed, stream, 0, []

    def word(self):
        if not self.words:
            c, k = [self.block & MASK, self.block >> 32, self.stream & MASK, self.stream >> 32], [self.seed & MASK, self.seed >> 32]
            for _ in range(10):
                p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
                c = [q >> 32 ^ c[1] ^ k[0], q & MASK, p >> 32 ^ c[3] ^ k[1], p & MASK]
                k = [k[0] + 0x9E3779B9 & MASK, k[1] + 0xBB67AE85 & MASK]
            self.words = c[::-1]
            self.block += 1
        return self.words.pop()

    def uniform(self):
        """In [0, 1), 53 bits."""
        high = self.word()
        return ((high << 32 | self.word()) >> 11) * 2.0 ** -53
