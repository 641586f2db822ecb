/* SPDX-License-Identifier: GPL-3.0-or-later */
/* joint_coverage: how often the 95 % intervals of steep_law_measure hold the truth, on simulated losses of networks of
 * two sizes. Beside it, on the first 200 surfaces of a case, what papers do: Huber's loss (1e-3) of the log loss with
 * 200 bootstraps (Besiroglu and others, arXiv 2404.10102), and least squares with (J'J)^-1. Surfaces E + A P^-a + B
 * N^-b with a, b of .2 to .6, ratio .4 to 2.5, E of 1.2 to 2.2; five budgets over a factor 500, 9 to 15 networks each,
 * whose grid drifts; scatter .2 to 3 %. Cases:
 *   normal    normal noise          student  Student's, of 3 degrees, over sqrt 3
 *   budget    normal, half of its deviation common to each budget
 *   kaplan    E + (A P^(-a/b) + B/N)^b
 *   product   A P^-a + B P^c N^-b, c of -.1 to .1
 *   falling   noise that falls with the loss, 2 to some .3 times
 *   scattered normal, 12 to 45 networks of drawn sizes; a, b of .1 to 1.2, of any ratio; every other E is 0
 * Intervals of a, b, E, the exponent of the best P, and the loss at the best size of ten times the largest compute. */
#include "experiment.h"
#include "law/public.h"
#include "numerics/symmetric.h"

enum { BUDGETS = 5, MOST = 15 * BUDGETS, TRUTHS = 5, METHODS = 3, BOOTS = 200, USUAL = 200, FREE = 5 };
enum { SURFACES = 1000 };
enum { CASES = 7, SCATTERED = 6 };
static const char *const cases[CASES] = {"normal", "student", "budget", "kaplan", "product", "falling", "scattered"};
static const char *const methods[METHODS] = {"steep", "bootstrap", "squares"};

typedef struct surface {
    size_t count;
    double p[MOST], n[MOST], loss[MOST]; /* log of sizes relative to the middle ones */
    double truth[TRUTHS], beyond[2];     /* log of the sizes at which L10 is predicted */
} surface;

/* 1 where the interval contains the truth, and its length; weights of the forms, and the weight of errors that a budget
 * shares. */
typedef struct held {
    double inside[METHODS][TRUTHS], length[METHODS][TRUTHS], form[STEEP_LAW_FORMS], shared;
} held;

typedef struct job {
    size_t kind, number;
    held end;
} job;

static double between(steep_random *r, double low, double high)
{
    return low + (high - low) * steep_random_uniform(r);
}

typedef struct constants {
    double E, A, B, a, b, c;
    bool kaplan;
} constants;

static double loss_at(const constants *k, double p, double n)
{
    if (k->kaplan) return k->E + pow(pow(k->A * exp(-k->a * p), 1 / k->b) + pow(k->B * exp(-k->b * n), 1 / k->b), k->b);
    return k->E + k->A * exp(-k->a * p) + k->B * exp(k->c * p - k->b * n);
}

static double noise_of(steep_random *r, size_t kind)
{
    const double z = steep_random_normal(r);
    if (kind != 1) return z;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double own = steep_random_normal(r);
        square += own * own;
    }
    return z / sqrt(square);
}

/* Draws the constants with a A = b B: then the middle sizes are the best ones of their compute. */
static constants draw_constants(steep_random *r, size_t kind, bool limited)
{
    constants k = {.kaplan = kind == 3};
    const bool any = kind == SCATTERED;
    do {
        k.a = any ? between(r, 0.1, 1.2) : between(r, 0.2, 0.6);
        k.b = any ? between(r, 0.1, 1.2) : between(r, 0.2, 0.6);
    } while (!any && !(k.b / k.a >= 0.4 && k.b / k.a <= 2.5));
    k.E = limited ? between(r, 1.2, 2.2) : 0;
    const double excess = between(r, 0.4, 1.2);
    k.A = excess * k.b / (k.a + k.b);
    k.B = excess - k.A;
    if (kind == 4) k.c = between(r, -0.1, 0.1);
    return k;
}

static void draw_surface(surface *s, size_t kind, size_t number)
{
    steep_random r = steep_random_start(number, ((uint64_t)STEEP_STREAM_SIMULATION << 32) + kind);
    const constants k = draw_constants(&r, kind, kind != SCATTERED || number % 2);
    const size_t each = 9 + (size_t)(7 * steep_random_uniform(&r));
    const double drift = between(&r, -1.1, 1.1), wide = between(&r, log(4), log(12));
    const double scatter = exp(between(&r, log(0.002), log(0.03))), last = log(500) / 2, along = k.b / (k.a + k.b);
    double least = INFINITY, most = 0;
    s->count = 0;
    for (size_t i = 0; i < BUDGETS; i++)
        for (size_t j = 0; j < each; j++) {
            const double z = (double)i / (BUDGETS - 1) * 2 - 1, t = (double)j / (double)(each - 1) * 2 - 1;
            s->p[s->count] = along * z * last + drift * z + wide * t;
            s->n[s->count] = z * last - s->p[s->count];
            s->count++;
        }
    if (kind == SCATTERED) s->count = 12 + (size_t)(34 * steep_random_uniform(&r));
    for (size_t i = 0; i < s->count; i++) {
        if (kind == SCATTERED) s->p[i] = between(&r, -last, last), s->n[i] = between(&r, -last, last);
        s->loss[i] = loss_at(&k, s->p[i], s->n[i]);
        least = fmin(least, s->loss[i]);
        most = fmax(most, s->loss[i]);
    }
    for (size_t i = 0; i < BUDGETS; i++) {
        const double common = steep_random_normal(&r);
        for (size_t j = i * each; j < (i + 1) * each && j < s->count; j++) {
            double e = noise_of(&r, kind);
            if (kind == 2) e = sqrt(0.75) * e + 0.5 * common;
            if (kind == 5) e *= 2 * (s->loss[j] - 0.9 * least) / (most - 0.9 * least);
            s->loss[j] *= exp(scatter * e);
        }
    }
    const double line = last + log(10), best = k.b / (k.a + k.c + k.b) * line; /* only close to it where c is not 0 */
    s->beyond[0] = best;
    s->beyond[1] = line - best;
    const double truth[TRUTHS] = {k.a, k.b, k.E, k.b / (k.a + k.c + k.b), loss_at(&k, best, line - best)};
    memcpy(s->truth, truth, sizeof truth);
}

typedef struct fitted {
    double at[FREE], cost, gram[FREE * FREE];
} fitted;

/* log f of f = E + A P^-a + B N^-b, at: log E, log A, log B, a, b; J: the derivatives of log f. */
static double model(const double *at, double p, double n, double *J)
{
    const double term[3] = {exp(at[0]), exp(at[1] - at[3] * p), exp(at[2] - at[4] * n)},
                 f = term[0] + term[1] + term[2];
    for (int k = 0; k < 3; k++) J[k] = term[k] / f;
    J[3] = -p * J[1];
    J[4] = -n * J[2];
    return log(f);
}

/* Returns the cost and sets the normal equations H d = g, H in lower band storage. huber 0: least squares. */
static double normal_equations(const surface *s, const double *weight, double huber, const double *at, double *H,
                               double *g)
{
    double cost = 0, J[FREE];
    memset(H, 0, FREE * FREE * sizeof *H);
    memset(g, 0, FREE * sizeof *g);
    for (size_t i = 0; i < s->count; i++) {
        const double r = log(s->loss[i]) - model(at, s->p[i], s->n[i], J), size = fabs(r);
        const bool far = huber > 0 && size > huber;
        const double w = weight[i] * (far ? huber / size : 1);
        cost += weight[i] * (far ? huber * (size - 0.5 * huber) : 0.5 * r * r);
        for (int k = 0; k < FREE; k++) {
            g[k] += w * J[k] * r;
            for (int l = 0; l <= k; l++) H[k - l + l * FREE] += w * J[k] * J[l];
        }
    }
    return cost;
}

/* x = (H + damping diag H)^-1 g; false if the matrix is not positive definite. */
static bool solve(const double *H, double damping, const double *g, double *x)
{
    double L[FREE * FREE];
    memcpy(L, H, sizeof L);
    memcpy(x, g, FREE * sizeof *x);
    for (int i = 0; i < FREE; i++) L[i * FREE] *= 1 + damping;
    if (steep_symmetric_band_cholesky(FREE, FREE - 1, L, FREE, 0, NULL) != 0) return false;
    steep_symmetric_band_solve(FREE, FREE - 1, L, FREE, x);
    return true;
}

static void descend(const surface *s, const double *weight, double huber, fitted *f)
{
    double H[FREE * FREE], g[FREE], step[FREE], at[FREE], damping = 1e-3, next[FREE * FREE], more[FREE];
    f->cost = normal_equations(s, weight, huber, f->at, H, g);
    for (int k = 0; k < 200 && damping < 1e9; k++) {
        double cost = INFINITY;
        if (solve(H, damping, g, step)) {
            for (int i = 0; i < FREE; i++) at[i] = f->at[i] + fmax(-1, fmin(step[i], 1));
            cost = normal_equations(s, weight, huber, at, next, more);
        }
        const bool better = cost < f->cost;
        damping = better ? fmax(damping / 5, 1e-9) : damping * 4;
        if (!better) continue;
        const bool done = f->cost - cost < 1e-10 * cost;
        f->cost = cost;
        memcpy(f->at, at, sizeof at);
        memcpy(H, next, sizeof H);
        memcpy(g, more, sizeof g);
        if (done) break;
    }
    memcpy(f->gram, H, sizeof H);
}

static fitted fit_from_grid(const surface *s, const double *weight, double huber)
{
    fitted best = {.cost = INFINITY};
    double least = INFINITY;
    for (size_t i = 0; i < s->count; i++) least = fmin(least, s->loss[i]);
    for (int k = 0; k < 18; k++) {
        static const double start[] = {0.2, 0.5, 0.9};
        fitted own = {.at = {log(least * (k % 2 ? 0.8 : 0.3)), log(0.3 * least), log(0.3 * least), start[k / 2 % 3],
                             start[k / 6]}};
        descend(s, weight, huber, &own);
        if (own.cost < best.cost) best = own;
    }
    return best;
}

static const double one[MOST] = {[0 ... MOST - 1] = 1};

static void truths_of(const surface *s, const double *at, double value[TRUTHS])
{
    double J[FREE];
    value[0] = at[3];
    value[1] = at[4];
    value[2] = exp(at[0]);
    value[3] = at[4] / (at[3] + at[4]);
    value[4] = exp(model(at, s->beyond[0], s->beyond[1], J));
}

static void note(held *h, size_t method, size_t k, double truth, double low, double high)
{
    h->inside[method][k] = low <= truth && truth <= high;
    h->length[method][k] = high - low;
}

static void bootstrap(const surface *s, size_t number, held *h)
{
    steep_random r = steep_random_start(number, (uint64_t)STEEP_STREAM_SIMULATION << 40);
    const fitted whole = fit_from_grid(s, one, 1e-3);
    double value[TRUTHS][BOOTS], own[TRUTHS];
    for (size_t i = 0; i < BOOTS; i++) {
        double weight[MOST] = {0};
        fitted again = whole;
        for (size_t j = 0; j < s->count; j++) weight[(size_t)((double)s->count * steep_random_uniform(&r))]++;
        descend(s, weight, 1e-3, &again);
        truths_of(s, again.at, own);
        for (size_t k = 0; k < TRUTHS; k++) value[k][i] = own[k];
    }
    for (size_t k = 0; k < TRUTHS; k++) {
        steep_sort_numbers(value[k], BOOTS);
        note(h, 1, k, s->truth[k], value[k][BOOTS / 40], value[k][BOOTS - 1 - BOOTS / 40]);
    }
}

/* Intervals of 1.96 standard deviations from (J'J)^-1, with each truth linearised by central differences. */
static void squares(const surface *s, held *h)
{
    const fitted f = fit_from_grid(s, one, 0);
    double value[TRUTHS], high[TRUTHS], low[TRUTHS], slope[TRUTHS][FREE], x[FREE];
    truths_of(s, f.at, value);
    for (int i = 0; i < FREE; i++) {
        double at[FREE];
        memcpy(at, f.at, sizeof at);
        at[i] = f.at[i] + 1e-5;
        truths_of(s, at, high);
        at[i] = f.at[i] - 1e-5;
        truths_of(s, at, low);
        for (int k = 0; k < TRUTHS; k++) slope[k][i] = (high[k] - low[k]) / 2e-5;
    }
    for (size_t k = 0; k < TRUTHS; k++) {
        double variance = 0;
        if (!solve(f.gram, 1e-12, slope[k], x)) variance = INFINITY;
        else
            for (int i = 0; i < FREE; i++) variance += slope[k][i] * x[i];
        const double half = 1.96 * sqrt(2 * f.cost / (double)(s->count - FREE) * variance);
        note(h, 2, k, s->truth[k], value[k] - half, value[k] + half);
    }
}

static steep_status measure(void *context, steep_error *error)
{
    job *j = context;
    held *h = &j->end;
    surface s;
    double params[MOST], data[MOST];
    steep_law law;
    draw_surface(&s, j->kind, j->number);
    for (size_t i = 0; i < s.count; i++) params[i] = 1e9 * exp(s.p[i]), data[i] = 2e10 * exp(s.n[i]);
    const steep_law_options options = {.predict_params = 1e9 * exp(s.beyond[0]),
                                       .predict_data = 2e10 * exp(s.beyond[1])};
    const steep_law_points points = {s.count, params, data, s.loss, NULL, NULL};
    const steep_status status = steep_law_measure(&points, &options, &law, error);
    if (status < 0) return status;
    const steep_law_interval got[TRUTHS] = {law.parameter[STEEP_LAW_EXPONENT_A], law.parameter[STEEP_LAW_EXPONENT_B],
                                            law.parameter[STEEP_LAW_E], law.params_exponent, law.prediction};
    for (size_t k = 0; k < TRUTHS; k++) note(h, 0, k, s.truth[k], got[k].low, got[k].high);
    memcpy(h->form, law.weight, sizeof h->form);
    h->shared = law.shared;
    if (j->number >= USUAL) return STEEP_OK;
    bootstrap(&s, j->number, h);
    squares(&s, h);
    return STEEP_OK;
}

/* Prints a case; the bootstrap and least squares ran on its first USUAL surfaces only. */
static void print_case(const job *first, size_t all)
{
    size_t count = all;
    double length[SURFACES], form[STEEP_LAW_FORMS] = {0}, shared = 0;
    for (size_t i = 0; i < count; i++) {
        shared += first[i].end.shared / (double)count;
        for (size_t f = 0; f < STEEP_LAW_FORMS; f++) form[f] += first[i].end.form[f] / (double)count;
    }
    for (size_t m = 0; m < METHODS; m++) {
        if (m > 0) count = all < USUAL ? all : USUAL;
        printf("%-9s %-9s %5zu |", cases[first->kind], methods[m], count);
        for (size_t k = 0; k < TRUTHS; k++) {
            double inside = 0;
            for (size_t i = 0; i < count; i++) {
                inside += first[i].end.inside[m][k] / (double)count;
                length[i] = first[i].end.length[m][k] / first[i].end.length[0][k];
            }
            printf(" %5.3f %5.2f", inside, experiment_median(length, count));
        }
        if (m == 0) printf(" | %4.2f %4.2f %4.2f  %4.2f\n", form[1], form[2], form[3], shared);
        else puts(" |");
    }
}

int main(int argc, char **argv)
{
    const experiment e = experiment_begin(argc, argv, "joint_coverage", "case",
                                          "how often intervals of laws of two sizes hold the truth");
    static job jobs[SURFACES];
    puts("                          | inside the interval, and its length over steep's:               | forms' "
         "weights, budgets\n"
         "case      method   number |     a           b           E          P*         L10          | hoff kapl prod  "
         "shared");
    for (size_t kind = 0; kind < CASES; kind++) {
        const size_t count = e.quick ? 20 : kind < 2 ? SURFACES : 300;
        if (!experiment_wants(&e, 0, cases[kind])) continue;
        for (size_t i = 0; i < count; i++) jobs[i] = (job){.kind = kind, .number = i};
        experiment_run(&e, (experiment_jobs){jobs, count, sizeof *jobs, measure});
        print_case(jobs, count);
        fflush(stdout);
    }
    experiment_found(&e);
    return 0;
}
