/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gang: the threads of a block as coroutines of one thread of the host, for the twin (block.h). Each runs all lines of
 * the block's code, with variables of its own, up to a barrier; when all have come there, in an order that is drawn,
 * they go on in another. So a number that is read before a barrier lets it be written is read too early in some order,
 * and one that is written again before all have read it too late.
 *
 * That this finds races is tested by leaving out one barrier (`without`): tests/test_cuda_twin.c. */
#ifndef STEEP_CUDA_GANG_H
#define STEEP_CUDA_GANG_H

#include <cstddef>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace steep
{

struct gang;

/* What each thread runs. */
typedef void (*gang_work)(gang *all, void *context);

struct gang_member {
    ucontext_t at;
    jmp_buf jump;
    unsigned char *stack;
    size_t barriers; /* that it has come to */
    bool begun, ended;
};

struct gang {
    enum { STACK = 1 << 17 };

    int threads, me;
    uint64_t state; /* of the order */
    size_t without; /* > 0: the barrier of this number is none */
    int *order;     /* threads entries */
    gang_member *member;
    ucontext_t host;
    jmp_buf back;
    gang_work work;
    void *context;
#if defined(__SANITIZE_ADDRESS__)
    const void *host_stack;
    size_t host_size;
#endif

    bool open(int count, uint64_t shuffle, size_t missing)
    {
        threads = count;
        state = shuffle;
        without = missing;
        order = (int *)malloc((size_t)count * sizeof *order);
        member = (gang_member *)calloc((size_t)count, sizeof *member);
        bool there = order && member;
        for (int t = 0; there && t < count; t++) {
            order[t] = t;
            member[t].stack = (unsigned char *)malloc(STACK);
            there = member[t].stack != nullptr;
        }
        return there;
    }

    void close()
    {
        for (int t = 0; member && t < threads; t++) free(member[t].stack);
        free(member);
        free(order);
    }

    /* Runs work(this, context) by every thread; false when they did not all come to the same barriers. */
    bool run(gang_work what, void *with)
    {
        int ended = 0;
        work = what;
        context = with;
        for (int t = 0; t < threads; t++) prepare(t);
        while (ended == 0) {
            reorder();
            for (int i = 0; i < threads; i++) {
                me = order[i];
                enter(&member[me]);
                ended += member[me].ended;
            }
        }
        for (int t = 0; t < threads; t++)
            if (member[t].barriers != member[0].barriers) return false;
        return ended == threads;
    }

    /* A barrier. */
    void wait()
    {
        gang_member *const mine = &member[me];
        if (++mine->barriers != without) leave(mine);
    }

  private:
    uint64_t draw()
    {
        state += 0x9e3779b97f4a7c15u;
        uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    void reorder()
    {
        for (int t = threads - 1; t > 0; t--) {
            int other = (int)(draw() % (uint64_t)(t + 1)), swap = order[t];
            order[t] = order[other];
            order[other] = swap;
        }
    }

    /* From the host's stack to a thread's and back. swapcontext keeps the mask of signals too, by calls of the system
     * that would be most of the time: it makes the first step, jumps the others. The address sanitizer must be told of
     * stacks, and knows no such jumps. */
#if defined(__SANITIZE_ADDRESS__)
    void enter(gang_member *m)
    {
        void *kept = nullptr;
        __sanitizer_start_switch_fiber(&kept, m->stack, STACK);
        swapcontext(&host, &m->at);
        __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
    }

    void leave(gang_member *m)
    {
        void *kept = nullptr;
        __sanitizer_start_switch_fiber(m->ended ? nullptr : &kept, host_stack, host_size);
        swapcontext(&m->at, &host);
        __sanitizer_finish_switch_fiber(kept, &host_stack, &host_size);
    }
#else
    __attribute__((noinline)) void enter(gang_member *m)
    {
        if (_setjmp(back)) return;
        if (m->begun) _longjmp(m->jump, 1);
        m->begun = true;
        setcontext(&m->at);
    }

    __attribute__((noinline)) void leave(gang_member *m)
    {
        if (!_setjmp(m->jump)) _longjmp(back, 1);
    }
#endif

    /* A pointer in two halves, as makecontext hands over ints. */
    static void begin(unsigned high, unsigned low)
    {
        gang *const all = (gang *)((uintptr_t)high << 32 | (uintptr_t)low);
        gang_member *const mine = &all->member[all->me];
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(nullptr, &all->host_stack, &all->host_size);
#endif
        all->work(all, all->context);
        mine->ended = true;
        all->leave(mine);
    }

    void prepare(int t)
    {
        gang_member *const m = &member[t];
        const uintptr_t self = (uintptr_t)this;
        m->barriers = 0;
        m->begun = m->ended = false;
        getcontext(&m->at);
        m->at.uc_stack.ss_sp = m->stack;
        m->at.uc_stack.ss_size = STACK;
        m->at.uc_link = nullptr;
        makecontext(&m->at, (void (*)())begin, 2, (unsigned)(self >> 32), (unsigned)self);
    }
};

} // namespace steep

#endif
