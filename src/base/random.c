/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Philox4x32-10: ten rounds of two 32x32 -> 64 bit multiplications whose high halves are mixed with the key, which
 * grows by a Weyl constant each round. Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
 * 3", SC'11, section 4.3; the constants are theirs. */
#include "base/random.h"

#include <string.h>

#include "base/long_double.h"

#define MULTIPLIER_0 UINT32_C(0xD2511F53)
#define MULTIPLIER_1 UINT32_C(0xCD9E8D57)
#define WEYL_0       UINT32_C(0x9E3779B9) /* golden ratio */
#define WEYL_1       UINT32_C(0xBB67AE85) /* sqrt(3) - 1 */
#define TWO_PI       6.28318530717958647692528676655900577

enum { ROUNDS = 10 };

steep_random steep_random_start(uint64_t seed, uint64_t stream)
{
    return (steep_random){.seed = seed, .stream = stream, .block = 0, .used = 4};
}

/* The ten rounds. */
static void make_block(steep_random *random)
{
    uint32_t c0 = (uint32_t)random->block, c1 = (uint32_t)(random->block >> 32), c2 = (uint32_t)random->stream,
             c3 = (uint32_t)(random->stream >> 32), k0 = (uint32_t)random->seed, k1 = (uint32_t)(random->seed >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t p0 = (uint64_t)MULTIPLIER_0 * c0, p1 = (uint64_t)MULTIPLIER_1 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    memcpy(random->word, (const uint32_t[]){c0, c1, c2, c3}, sizeof random->word);
    random->block++;
    random->used = 0;
}

double steep_random_uniform(steep_random *random)
{
    if (random->used >= 4) make_block(random);
    const uint64_t high = random->word[random->used++], low = random->word[random->used++];
    return (double)((high << 32 | low) >> 11) * 0x1p-53;
}

double steep_random_normal(steep_random *random)
{
    /* long double: the last digit of double log1p() and cos() depends on the processor; 1 - u > 0: the log is finite */
    const long double radius = sqrtl(-2 * steep_log1pl(-(long double)steep_random_uniform(random)));
    return (double)(radius * cosl(TWO_PI * steep_random_uniform(random)));
}
