/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gang: the threads of a block, or of several, as coroutines of one thread of the host, for the twin (block.h). Each
 * runs all lines of the code, with variables of its own, up to a barrier; when all have come there, in an order that is
 * drawn, they go on in another. So a number that is read before a barrier lets it be written is read too early in some
 * order, and one that is written again before all have read it too late. Of several blocks each goes on where its own
 * threads are, and some, drawn anew again and again, sleep for a while, so that blocks are far apart when they may be.
 *
 * That this finds races is tested by leaving out one barrier, or one wait for another block (`without`):
 * tests/cuda/test_twin.c. */
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
    size_t barriers, own; /* that it has come to: of all threads; of its block, where there are several */
    int at_barrier;       /* 0: it runs; OF_BLOCK, OF_ALL */
    bool begun, ended;
};

/* What is left out, to see that it shows: of this kind the one with this number, from 1; 0: nothing. */
enum gang_stop { OF_ALL = 1, OF_BLOCK, OF_WAITS };
struct gang_fault {
    size_t number;
    enum gang_stop kind;
};

struct gang {
    enum { STACK = 1 << 17, PATIENCE = 1 << 12 /* passes in which nobody comes anywhere */ };

    int threads, block, me; /* all threads; threads of a block */
    uint64_t state;         /* of the order */
    gang_fault without;
    size_t waits, steps; /* for other blocks, all together; what was reached: barriers, ends, what was awaited */
    int *order;          /* threads entries */
    bool *asleep;        /* a block's */
    gang_member *member;
    ucontext_t host;
    jmp_buf back;
    gang_work work;
    void *context;
#if defined(__SANITIZE_ADDRESS__)
    const void *host_stack;
    size_t host_size;
#endif

    bool open(int blocks, int of_block, uint64_t shuffle, const gang_fault &fault)
    {
        threads = blocks * of_block;
        block = of_block;
        state = shuffle;
        without = fault;
        waits = steps = 0;
        order = (int *)malloc((size_t)threads * sizeof *order);
        asleep = (bool *)calloc((size_t)blocks, sizeof *asleep);
        member = (gang_member *)calloc((size_t)threads, sizeof *member);
        bool there = order && asleep && member;
        for (int t = 0; there && t < threads; t++) {
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
        free(asleep);
        free(order);
    }

    /* Runs work(this, context) by every thread; false when they did not all come to the same barriers, or wait for what
     * does not come. */
    bool run(gang_work what, void *with)
    {
        int ended = 0;
        size_t before = 0;
        work = what;
        context = with;
        for (int t = 0; t < threads; t++) prepare(t);
        for (int idle = 0; ended < threads && idle<PATIENCE; idle = steps> before ? 0 : idle + 1) {
            before = steps;
            reorder();
            for (int i = 0; i < threads; i++) {
                me = order[i];
                gang_member *const m = &member[me];
                if (m->ended || m->at_barrier || asleep[me / block]) continue;
                enter(m);
                ended += m->ended;
            }
            release();
        }
        for (int t = 0; t < threads; t++)
            if (member[t].barriers != member[0].barriers || member[t].own != member[t / block * block].own)
                return false;
        return ended == threads;
    }

    /* A barrier of all threads, or of a block's. */
    void wait(bool of_all)
    {
        gang_member *const mine = &member[me];
        const bool all = of_all || block == threads;
        const size_t number = all ? ++mine->barriers : ++mine->own;
        steps++;
        if (number == without.number && without.kind == (all ? OF_ALL : OF_BLOCK)) return;
        mine->at_barrier = all ? OF_ALL : OF_BLOCK;
        leave(mine);
    }

    /* Until another block has published so much. */
    void await(const int *counter, int value)
    {
        gang_member *const mine = &member[me];
        if (++waits == without.number && without.kind == OF_WAITS) return;
        while (*(const volatile int *)counter < value) leave(mine);
        steps++;
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
        const int blocks = threads / block;
        if (blocks > 1 && draw() % 8 == 0)
            for (int b = 0; b < blocks; b++) asleep[b] = draw() % 2;
    }

    /* Who stands at a barrier that all have come to goes on. A block that has ended comes to no more. */
    void release()
    {
        int all = 0;
        for (int first = 0; first < threads; first += block) {
            int here = 0;
            for (int t = first; t < first + block; t++) {
                here += member[t].at_barrier == OF_BLOCK;
                all += member[t].at_barrier == OF_ALL;
            }
            for (int t = first; here == block && t < first + block; t++) member[t].at_barrier = 0;
        }
        for (int t = 0; all == threads && t < threads; t++) member[t].at_barrier = 0;
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
        all->steps++;
        all->leave(mine);
    }

    void prepare(int t)
    {
        gang_member *const m = &member[t];
        const uintptr_t self = (uintptr_t)this;
        m->barriers = m->own = 0;
        m->at_barrier = 0;
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
