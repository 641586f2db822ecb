/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clones: compiles a hot function for several instruction sets and picks one at load time. Contraction into fused
 * multiply-adds is off (-ffp-contract=off), so that every clone gives the same bits. Sanitizers are not ready at that
 * time. */
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(STEEP_NO_CLONES)
#define STEEP_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STEEP_CLONES
#endif
