/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps 3 and 4 of joint.h: which noises count, and the lattices over the exponents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "law/joint.h"

#define STEP       0.7  /* in standard deviations; the relative error of the sum is some e^(-2 pi^2 / STEP^2) */
#define WIDEST     1.0  /* greatest standard deviation of a log exponent in the steps of a lattice */
#define DROP       10.0 /* a lattice ends where the log likelihood is so far below its maximum */
#define NEGLIGIBLE 3e-3 /* noises with a smaller weight, relative to the greatest, are left out */
enum { COARSE = 13, BEST = 3, REACH = 50, SIDE = 2 * REACH + 1, MOST_NOISES = 400 };
enum { MOST_NODES = 1200, LATTICE_ROOM = MOST_NODES + 4 /* the last node may have added its neighbours */ };

/* Values of the noise's parameters with their prior probabilities: degrees of freedom; deviation common to a budget
 * over s; scatter at the largest loss over scatter at the smallest. changes: in equal parts. */
static const double tails[][2] = {{INFINITY, 0.5}, {10, 0.1}, {5, 0.15}, {3, 0.15}, {2, 0.1}};
static const double shares[][2] = {{0, 0.7}, {0.5, 0.1}, {1, 0.1}, {2, 0.1}};
static const double changes[] = {1, 0.1};
static const double falls[][2] = {{1, 0.6}, {3, 0.1}, {10, 0.1}, {30, 0.1}, {1.0 / 3, 0.1}};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Start values: at every point a power term is at most a quarter of the loss, and E at most half of it. */
static steep_joint_node start_at(const steep_joint_data *d, double log_a, double log_b)
{
    steep_joint_node node = {.s2 = 4e-4};
    const double a = steep_exp(log_a), b = steep_exp(log_b);
    double least[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < d->count; i++) {
        least[0] = fmin(least[0], d->y[i] + a * d->p[i]);
        least[1] = fmin(least[1], d->y[i] + b * d->n[i]);
    }
    node.at[STEEP_JOINT_E] = 0.5 * d->least;
    node.at[STEEP_JOINT_A] = 0.25 * steep_exp(least[0]);
    node.at[STEEP_JOINT_B] = 0.25 * steep_exp(least[1]);
    node.at[STEEP_JOINT_LOG_A] = log_a;
    node.at[STEEP_JOINT_LOG_B] = log_b;
    return node;
}

/* Inserts the node in the list of the best, which is sorted by evidence. */
static void keep(steep_joint_node best[BEST], const steep_joint_node *node)
{
    steep_joint_node own = *node;
    for (size_t k = 0; k < BEST; k++) {
        if (!(own.evidence > best[k].evidence)) continue;
        const steep_joint_node worse = best[k];
        best[k] = own;
        own = worse;
    }
}

/* Solves for all parameters from a node; where that finds no law, the exponents stay, with the covariance WIDEST^2. */
static void solve_whole(const steep_joint_data *d, const steep_joint_noise *noise, steep_joint_node *node,
                        double covariance[4])
{
    const steep_joint_node before = *node;
    steep_joint_solve(d, noise, node, covariance);
    if (node->evidence > -INFINITY) return;
    *node = before;
    steep_joint_solve(d, noise, node, NULL);
    const double unknown[4] = {WIDEST * WIDEST, 0, 0, WIDEST * WIDEST};
    memcpy(covariance, unknown, sizeof unknown);
}

void steep_joint_mode(const steep_joint_data *d, const steep_joint_noise *noise, steep_joint_node *mode)
{
    steep_joint_node best[BEST] = {{.evidence = -INFINITY}, {.evidence = -INFINITY}, {.evidence = -INFINITY}};
    const double low = steep_log(0.04), high = steep_log(12);
    for (size_t i = 0; i < COARSE; i++)
        for (size_t j = 0; j < COARSE; j++) {
            steep_joint_node node = start_at(d, low + (high - low) * (double)i / (COARSE - 1),
                                             low + (high - low) * (double)j / (COARSE - 1));
            if ((i > 0 && d->told[STEEP_JOINT_LOG_A]) || (j > 0 && d->told[STEEP_JOINT_LOG_B])) continue;
            steep_joint_solve(d, noise, &node, NULL);
            keep(best, &node);
        }
    *mode = best[0];
    mode->evidence = -INFINITY;
    for (size_t k = 0; k < BEST && best[k].evidence > -INFINITY; k++) {
        double covariance[4];
        solve_whole(d, noise, &best[k], covariance);
        if (best[k].evidence > mode->evidence) *mode = best[k];
    }
}

typedef struct lattice {
    const steep_joint_data *data;
    steep_joint_posterior *to;
    size_t noise, first;  /* the nodes of the lattice are those of the posterior from first on */
    double step[3], area; /* area: log of the area of a cell */
    int *place;           /* SIDE x SIDE: number of the node, from 1; 0: none */
    short (*index)[2];    /* (i, j) of each node from first on */
    double most;          /* greatest evidence */
} lattice;

static int *place_of(const lattice *l, int i, int j)
{
    return &l->place[(i + REACH) * SIDE + j + REACH];
}

static steep_joint_node *node_of(const lattice *l, size_t k)
{
    return &l->to->node[l->first + k];
}

/* The steps of a lattice: the Cholesky factor of the covariance of log a and log b, multiplied by STEP and by times. */
static void set_steps(lattice *l, const double covariance[4], double times)
{
    const bool told[2] = {l->data->told[STEEP_JOINT_LOG_A], l->data->told[STEEP_JOINT_LOG_B]};
    const double first = fmin(sqrt(covariance[0]), WIDEST), second = fmin(sqrt(covariance[3]), WIDEST);
    const double r = fmax(-0.995, fmin(covariance[1] / sqrt(covariance[0] * covariance[3]), 0.995));
    l->step[0] = told[0] ? 0 : times * STEP * first;
    l->step[1] = told[0] || told[1] ? 0 : times * STEP * second * r;
    l->step[2] = told[1] ? 0 : times * STEP * second * (told[0] ? 1 : sqrt(1 - r * r));
    l->area = (told[0] ? 0 : steep_log(l->step[0])) + (told[1] ? 0 : steep_log(l->step[2]));
}

static bool is_inside(const lattice *l, const double at[STEEP_JOINT_ALL])
{
    for (size_t k = STEEP_JOINT_LOG_A; k < STEEP_JOINT_ALL; k++)
        if (!l->data->told[k] &&
            !(at[k] > steep_log(STEEP_JOINT_LEAST) - 1e-9 && at[k] < steep_log(STEEP_JOINT_MOST) + 1e-9))
            return false;
    return true;
}

/* Adds the node at (i, j), solved from a start that a neighbour gives. */
static void visit(lattice *l, const steep_joint_node *mode, const steep_joint_node *from, int i, int j)
{
    steep_joint_node node = *from;
    node.at[STEEP_JOINT_LOG_A] = mode->at[STEEP_JOINT_LOG_A] + l->step[0] * i;
    node.at[STEEP_JOINT_LOG_B] = mode->at[STEEP_JOINT_LOG_B] + l->step[1] * i + l->step[2] * j;
    if (!is_inside(l, node.at)) return;
    steep_joint_solve(l->data, &l->to->noise[l->noise], &node, NULL);
    if (node.evidence == -INFINITY) { /* no law: the lattice does not go on from here */
        memcpy(node.at, from->at, STEEP_JOINT_INNER * sizeof *node.at);
        node.s2 = from->s2;
    }
    node.evidence += l->area;
    node.noise = l->noise;
    l->most = fmax(l->most, node.evidence);
    const size_t count = l->to->nodes - l->first;
    l->index[count][0] = (short)i;
    l->index[count][1] = (short)j;
    *place_of(l, i, j) = (int)count + 1;
    l->to->node[l->to->nodes++] = node;
}

/* Visits the neighbours of node k that are not in the lattice yet. */
static void spread(lattice *l, const steep_joint_node *mode, size_t k)
{
    static const int side[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (size_t s = 0; s < 4; s++) {
        const int i = l->index[k][0] + side[s][0], j = l->index[k][1] + side[s][1];
        const bool none = (side[s][0] && l->step[0] == 0) || (side[s][1] && l->step[2] == 0);
        if (none || abs(i) > REACH - 2 || abs(j) > REACH - 2 || *place_of(l, i, j)) continue;
        steep_joint_node from = *node_of(l, k);
        const int behind = *place_of(l, i - 2 * side[s][0], j - 2 * side[s][1]);
        for (size_t c = 0; behind && c < STEEP_JOINT_INNER; c++) /* half a linear extrapolation */
            from.at[c] += 0.5 * (from.at[c] - node_of(l, (size_t)behind - 1)->at[c]);
        visit(l, mode, &from, i, j);
    }
}

/* Sets lean and tilt of each node: how weight and constants change from node to node. */
static void fill_tilts(const lattice *l)
{
    for (size_t k = 0; k < l->to->nodes - l->first; k++)
        for (int axis = 0; axis < 2; axis++) {
            const int i = l->index[k][0], j = l->index[k][1], di = axis == 0, dj = axis == 1;
            const int next = *place_of(l, i + di, j + dj), before = *place_of(l, i - di, j - dj);
            steep_joint_node *own = node_of(l, k);
            const steep_joint_node *high = next ? node_of(l, (size_t)next - 1) : own;
            const steep_joint_node *low = before ? node_of(l, (size_t)before - 1) : own;
            const double steps = next && before ? 2 : 1, change = steep_exp(fmin(high->evidence - own->evidence, 5)) -
                                                                  steep_exp(fmin(low->evidence - own->evidence, 5));
            own->lean[axis] = fmax(-2, fmin(change / steps, 2));
            for (size_t c = 0; c < STEEP_JOINT_INNER; c++) own->tilt[axis][c] = (high->at[c] - low->at[c]) / steps;
        }
}

/* Grows a lattice from the mode outward; false where it has more than MOST_NODES nodes. */
static bool grow(lattice *l, const steep_joint_node *mode)
{
    memset(l->place, 0, (size_t)SIDE * SIDE * sizeof *l->place);
    l->to->nodes = l->first;
    l->most = -INFINITY;
    visit(l, mode, mode, 0, 0);
    for (size_t k = 0; k < l->to->nodes - l->first; k++) {
        if (l->to->nodes - l->first > MOST_NODES) return false;
        if (node_of(l, k)->evidence > l->most - DROP) spread(l, mode, k);
    }
    fill_tilts(l);
    return true;
}

typedef struct candidate {
    steep_joint_noise noise;
    steep_joint_node mode;
    double covariance[4];
} candidate;

/* Solves for every noise of a form, from the likeliest law with one of them. Returns how many; 0: it has no law. */
static size_t try_form(const steep_joint_data *d, const steep_law_options *o, double range, steep_law_form form,
                       candidate *to)
{
    const steep_joint_noise first = {.form = form, .nu = o->normal ? INFINITY : 3, .change = 1};
    steep_joint_node mode;
    size_t count = 0;
    const size_t widths = form == STEEP_LAW_FORM_PRODUCT && !d->told[STEEP_JOINT_C] ? COUNT(changes) : 1;
    steep_joint_mode(d, &first, &mode);
    if (mode.evidence == -INFINITY) return 0;
    for (size_t k = 0; k < (o->normal ? 1 : COUNT(tails)); k++)
        for (size_t t = 0; t < (d->groups > 1 ? COUNT(shares) : 1); t++)
            for (size_t q = 0; q < widths * (range > 0 ? COUNT(falls) : 1); q++) {
                const double *fall = falls[q / widths], odds = tails[k][1] * shares[t][1] * fall[1];
                candidate *c = &to[count++];
                c->noise = (steep_joint_noise){.form = form,
                                               .nu = tails[k][0],
                                               .shared = shares[t][0],
                                               .power = range > 0 ? steep_log(fall[0]) / range : 0,
                                               .change = changes[q % widths],
                                               .prior = steep_log(odds / (double)widths)};
                c->mode = mode;
                solve_whole(d, &c->noise, &c->mode, c->covariance);
            }
    return count;
}

/* Appends a candidate's lattice to the posterior's nodes, with longer steps where it has too many; false: no memory. */
static bool add_lattice(lattice *l, const candidate *c)
{
    steep_joint_node *room = realloc(l->to->node, (l->to->nodes + LATTICE_ROOM) * sizeof *room);
    bool grown = false;
    if (!room) return false;
    l->to->node = room;
    l->first = l->to->nodes;
    l->noise = l->to->noises++;
    l->to->noise[l->noise] = c->noise;
    for (double times = 1; !grown; times *= 1.5) {
        set_steps(l, c->covariance, times);
        grown = grow(l, &c->mode);
    }
    memcpy(l->to->step[l->noise], l->step, sizeof l->step);
    return true;
}

static void settle(steep_joint_posterior *p)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < p->nodes; i++)
        if (p->node[i].evidence > most) most = p->node[i].evidence, p->likely = i;
    for (size_t i = 0; i < p->nodes; i++) sum += p->node[i].evidence = steep_exp(p->node[i].evidence - most);
    for (size_t i = 0; i < p->nodes; i++) p->node[i].evidence /= sum;
}

static bool add_lattices(const steep_joint_data *d, const candidate *c, size_t count, steep_joint_posterior *to)
{
    lattice l = {.data = d, .to = to};
    double most = -INFINITY;
    for (size_t k = 0; k < count; k++) most = fmax(most, c[k].mode.evidence);
    void *block = STEEP_BLOCK(STEEP_SHARE(l.place, SIDE * SIDE), STEEP_SHARE(l.index, LATTICE_ROOM));
    to->block = STEEP_BLOCK(STEEP_SHARE(to->noise, count), STEEP_SHARE(to->step, count));
    bool fine = block && to->block;
    for (size_t k = 0; k < count && fine; k++)
        if (c[k].mode.evidence > most + steep_log(NEGLIGIBLE)) fine = add_lattice(&l, &c[k]);
    free(block);
    return fine;
}

steep_status steep_joint_integrate(const steep_joint_data *d, const steep_law_options *o, double range,
                                   steep_joint_posterior *to, steep_error *error)
{
    candidate *c = malloc(MOST_NOISES * sizeof *c);
    size_t count = 0;
    *to = (steep_joint_posterior){NULL};
    for (steep_law_form form = STEEP_LAW_FORM_HOFFMANN; c && form < STEEP_LAW_FORMS; form++)
        if (o->form == STEEP_LAW_FORM_AUTO || o->form == form) count += try_form(d, o, range, form, c + count);
    const bool fine = c && add_lattices(d, c, count, to);
    free(c);
    if (!fine) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a law of %zu points", d->count);
    settle(to);
    if (to->nodes > 0 && isfinite(to->node[to->likely].evidence)) return STEEP_OK;
    return steep_fail(error, STEEP_SINGULAR,
                      "no law of these forms has the points: look at the columns and at what is fixed");
}

void steep_joint_free(steep_joint_posterior *p)
{
    free(p->node);
    free(p->block);
    *p = (steep_joint_posterior){NULL};
}
