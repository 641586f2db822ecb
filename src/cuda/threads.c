/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cuda/threads.h"

#include <pthread.h>
#include <stdlib.h>

#include "cuda/core.h"

typedef struct queue {
    steep_piece *first, **end;
} queue;

struct steep_threads {
    pthread_mutex_t lock;
    pthread_cond_t given, done;
    queue waiting, ready;
    size_t open; /* pieces given and not taken back */
    bool closing;
    size_t count;
    pthread_t thread[];
};

static void put(queue *q, steep_piece *piece)
{
    piece->next = NULL;
    *q->end = piece;
    q->end = &piece->next;
}

static void put_first(queue *q, steep_piece *piece)
{
    piece->next = q->first;
    q->first = piece;
    if (!piece->next) q->end = &piece->next;
}

static steep_piece *get(queue *q)
{
    steep_piece *piece = q->first;
    if (!piece) return NULL;
    q->first = piece->next;
    if (!q->first) q->end = &q->first;
    return piece;
}

static void *labour(void *context)
{
    steep_threads *t = context;
    pthread_mutex_lock(&t->lock);
    while (!t->closing) {
        steep_piece *piece = get(&t->waiting);
        if (!piece) {
            pthread_cond_wait(&t->given, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        piece->work(piece);
        pthread_mutex_lock(&t->lock);
        put(&t->ready, piece);
        pthread_cond_signal(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

steep_status steep_threads_open(size_t count, steep_threads **threads, steep_error *error)
{
    if (count == 0) count = steep_processors();
    steep_threads *t = *threads = calloc(1, sizeof *t + count * sizeof *t->thread);
    if (!t) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu threads", count);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->given, NULL);
    pthread_cond_init(&t->done, NULL);
    t->waiting.end = &t->waiting.first;
    t->ready.end = &t->ready.first;
    while (t->count < count && pthread_create(&t->thread[t->count], NULL, labour, t) == 0) t->count++;
    if (t->count > 0) return STEEP_OK;
    steep_threads_close(t);
    *threads = NULL;
    return steep_fail(error, STEEP_NO_MEMORY, "no thread could be started");
}

void steep_threads_close(steep_threads *t)
{
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->closing = true;
    pthread_cond_broadcast(&t->given);
    pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < t->count; i++) pthread_join(t->thread[i], NULL);
    pthread_cond_destroy(&t->done);
    pthread_cond_destroy(&t->given);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static void give(steep_threads *t, steep_piece *piece, void (*place)(queue *q, steep_piece *piece))
{
    pthread_mutex_lock(&t->lock);
    place(&t->waiting, piece);
    t->open++;
    pthread_cond_signal(&t->given);
    pthread_mutex_unlock(&t->lock);
}

void steep_threads_give(steep_threads *t, steep_piece *piece)
{
    give(t, piece, put);
}

void steep_threads_give_first(steep_threads *t, steep_piece *piece)
{
    give(t, piece, put_first);
}

steep_piece *steep_threads_take(steep_threads *t, bool wait)
{
    pthread_mutex_lock(&t->lock);
    while (wait && t->open > 0 && !t->ready.first) pthread_cond_wait(&t->done, &t->lock);
    steep_piece *piece = get(&t->ready);
    t->open -= piece != NULL;
    pthread_mutex_unlock(&t->lock);
    return piece;
}
