/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixed_derivative: how near products of activations come to T = x_+ y_+ tanh z in the mixed derivative,
 *
 *   E = ess sup |d^2 (T - f) / dx dy|   over [-1, 1]^3,
 *
 * against the width, beside what no network of qd-la gets below, tanh(1)/4, whatever its width (make proofs,
 * mixed-derivative); pairs of activations with a continuous derivative do not get below tanh(1)/2, for their d^2 f/dx
 * dy does not jump across x = 0. qd-moa has T itself, of width 1.
 *
 * A search: p-norms and linear programs (certify/minimax.h) over points at both sides of x = 0 and y = 0, from random
 * starts, from the width before, and from six units of relu*relu2, which come near the bound:
 *
 *   (a/8) x_+ q(y, z) + (a/8) y_+ q(x, z) - (a/16) (x + 2)_+ q(y, z),   q(s, z) = (s + z + 2)_+^2 - (s - z + 2)_+^2:
 *
 * dq/ds = 4 z, so that d^2 f/dx dy is 3 a z/4 where x, y > 0, -a z/4 where both are below 0, else a z/4.
 *
 * Of units whose gate begins on x = 0 or y = 0 that gate stays there. Then the found network is enclosed. */
#include "experiment.h"
#include "model/written.h"
#include "certify/minimax.h"
#include "certify/norms.h"
#include "certify/witness.h"
#include "numerics/dense.h"

/* COARSE, FINE: points that are searched over, and that the found network is held to; the others: the largest here. */
enum { WIDTHS = 8, DIM = 3, COARSE = 8 * 8 * 10, FINE = 14 * 14 * 36, INPUTS = 8, PARAMETERS = 128, STARTS = 12 };
#define WITNESS "moa_mixed"
static size_t starts = STARTS, boxes = 30000;

typedef struct row {
    double E, low, high; /* on the fine points; its enclosure */
    size_t starts, hits;
} row;

typedef struct task {
    const char *class, *dictionary;
    size_t widths;
    bool smooth; /* both activations have a continuous derivative */
    row row[WIDTHS];
} task;

static task table[] = {
    {.class = "relu*relu2", .widths = 8},
    {.class = "relu*gelu", .widths = 6},
    {.class = "relu*tanh", .widths = 4},
    {.class = "relu*relu", .widths = 4},
    {.class = "relu2*id", .widths = 4, .smooth = true},
    {.class = "gelu*tanh", .widths = 3, .smooth = true},
    {.class = "qd-la", .dictionary = "irr2", .widths = 6},
    {.class = "qd-moa", .dictionary = "r", .widths = 1},
};
enum { TASKS = sizeof table / sizeof *table };

/* Points, x column-major, and d^2 T/dx dy there. */
typedef struct points {
    size_t count;
    double x[DIM * FINE], mixed[FINE];
} points;

/* What one task works with. A search moves theta[unknown[j]] and nothing else. */
typedef struct lab {
    steep_target *witness;
    steep_class class;
    steep_network network;
    steep_formula *unit;
    points coarse, fine;
    double theta[PARAMETERS], scale[PARAMETERS];
    size_t unknown[PARAMETERS], unknowns;
    double columns[INPUTS][FINE], h[FINE], g[INPUTS][FINE], H[INPUTS * (INPUTS + 1) / 2][FINE]; /* of one unit */
    double error[FINE], slope[PARAMETERS][COARSE]; /* e at the points, de/dv */
} lab;

static double witness_mixed(const steep_target *witness, const double *x)
{
    long double at[DIM] = {x[0], x[1], x[2]}, c[2][3];
    for (int k = 0; k < 2; k++) { /* along (1, 1, 0) and (1, -1, 0): second coefficients (T11 +- 2 T12 + T22)/2 */
        const long double along[DIM] = {1, k ? -1 : 1, 0};
        steep_formula_jet(witness->formula, at, along, 2, c[k]);
    }
    return (double)((c[0][2] - c[1][2]) / 2);
}

/* side places for x and y, ends and both sides of 0 among them, deep ones for z, none at 0. */
static void make_points(const steep_target *witness, size_t side, size_t deep, points *p)
{
    p->count = side * side * deep;
    for (size_t k = 0; k < p->count; k++) {
        const size_t index[DIM] = {k % side, k / side % side, k / side / side};
        double x[DIM];
        for (int j = 0; j < 2; j++) {
            const size_t half = side / 2, i = index[j] % half;
            const double sign = index[j] < half ? -1 : 1;
            x[j] = sign * (i == 0 ? 0x1p-600 : (double)i / (double)(half - 1));
        }
        x[2] = -cos(M_PI * (double)index[2] / (double)(deep - 1)); /* deep is even */
        for (int j = 0; j < DIM; j++) p->x[(size_t)j * p->count + k] = x[j];
        p->mixed[k] = witness_mixed(witness, x);
    }
}

/* Input `in` of unit i (branches, own scalars, shared maps, shared scalars) as an affine map; a scalar is a
 * constant. */
static void input_map(const lab *l, const double *theta, size_t i, size_t in, double w[DIM + 1])
{
    const steep_network *n = &l->network;
    const size_t B = n->counts.branches, E = n->counts.scalars, S = n->counts.shared_maps;
    memset(w, 0, (DIM + 1) * sizeof *w);
    if (in < B) memcpy(w, theta + steep_network_place(n, in, i), (DIM + 1) * sizeof *w);
    else if (in < B + E) w[DIM] = theta[n->scalars + i * E + in - B];
    else if (in < B + E + S) memcpy(w, theta + n->shared_maps + (in - B - E) * (DIM + 1), (DIM + 1) * sizeof *w);
    else w[DIM] = theta[n->shared_scalars + in - B - E - S];
}

/* d^2 (D_i h_i)/dx dy = D_i sum_{a, b} H_ab (du_a/dx) (du_b/dy), which adds to out, times share. */
static void add_unit(lab *l, const double *theta, size_t i, const points *p, double share, double *out)
{
    const size_t m = l->network.inputs, N = p->count;
    const double *in[INPUTS] = {NULL};
    double w[INPUTS][DIM + 1], *slope[INPUTS] = {NULL}, *second[INPUTS * (INPUTS + 1) / 2] = {NULL};
    for (size_t a = 0; a < m; a++) {
        input_map(l, theta, i, a, w[a]);
        for (size_t k = 0; k < N; k++)
            l->columns[a][k] = w[a][0] * p->x[k] + w[a][1] * p->x[N + k] + w[a][2] * p->x[2 * N + k] + w[a][DIM];
        in[a] = l->columns[a];
        slope[a] = l->g[a];
    }
    for (size_t q = 0; q < m * (m + 1) / 2; q++) second[q] = l->H[q];
    steep_formula_derivatives(l->unit, &(steep_tile){N, in, 2, l->h, slope, second});
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            const double weight = share * theta[l->network.output + i] * w[a][0] * w[b][1];
            if (weight != 0) steep_dense_add(N, weight, second[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a], out);
        }
}

/* e = d^2 (T - f)/dx dy at the points into l->error, and its largest size. */
static double errors_at(lab *l, const points *p)
{
    double most = 0;
    memcpy(l->error, p->mixed, p->count * sizeof *l->error);
    for (size_t i = 0; i < l->network.width; i++) add_unit(l, l->theta, i, p, -1, l->error);
    for (size_t k = 0; k < p->count; k++) most = fmax(most, isfinite(l->error[k]) ? fabs(l->error[k]) : INFINITY);
    return most;
}

static void scatter(lab *l, const double *v)
{
    for (size_t j = 0; j < l->unknowns; j++) l->theta[l->unknown[j]] = v[j];
}

static steep_status norms(void *context, const double *v, double E[2])
{
    lab *l = context;
    scatter(l, v);
    E[0] = 0;
    E[1] = errors_at(l, &l->coarse);
    return STEEP_OK;
}

/* The unit that parameter p belongs to; the width: to all. */
static size_t unit_of(const steep_network *n, size_t p)
{
    for (size_t b = 0; b < n->counts.branches; b++)
        if (p >= n->branch[b] && p < n->branch[b] + n->width * n->features[b])
            return (p - n->branch[b]) / n->features[b];
    return p >= n->output && p < n->output + n->width ? p - n->output : n->width;
}

/* de/dtheta_p by central differences. */
static void difference(lab *l, size_t p, double *slope)
{
    const double kept = l->theta[p], step = 1e-6 * fmax(1, fabs(kept));
    const size_t unit = unit_of(&l->network, p), all = l->network.width;
    memset(slope, 0, l->coarse.count * sizeof *slope);
    for (int side = -1; side <= 1; side += 2) {
        l->theta[p] = kept + side * step;
        for (size_t i = unit < all ? unit : 0; i < (unit < all ? unit + 1 : all); i++)
            add_unit(l, l->theta, i, &l->coarse, -side / (2 * step), slope);
    }
    l->theta[p] = kept;
}

static steep_status rows(void *context, const double *v, steep_minimax_rows *out)
{
    static const double NEAR = 0.3; /* rows below this share of the largest are left out */
    lab *l = context;
    scatter(l, v);
    const double top = errors_at(l, &l->coarse);
    for (size_t j = 0; j < l->unknowns; j++) {
        difference(l, l->unknown[j], l->slope[j]);
        l->scale[j] = fmax(0.3, fabs(v[j]));
    }
    for (size_t k = 0; k < l->coarse.count; k++) {
        if (!(fabs(l->error[k]) >= NEAR * top)) continue;
        double *g = steep_minimax_add(out, 1, fabs(l->error[k]));
        if (!g) return STEEP_NO_MEMORY;
        for (size_t j = 0; j < l->unknowns; j++) g[j] = copysign(1, l->error[k]) * l->slope[j][k];
    }
    return STEEP_OK;
}

static bool on_kink(const double *w)
{
    return w[2] == 0 && w[DIM] == 0 && (w[0] == 0 || w[1] == 0);
}

/* All parameters but the output bias and first branches on x = 0 or y = 0. */
static void list_unknowns(lab *l)
{
    const steep_network *n = &l->network;
    l->unknowns = 0;
    for (size_t p = 0; p < n->parameters; p++) {
        const bool is_gate = p >= n->branch[0] && p < n->branch[0] + n->width * n->features[0];
        if (p == n->bias || (is_gate && on_kink(l->theta + steep_network_gate(n, unit_of(n, p))))) continue;
        l->unknown[l->unknowns++] = p;
    }
}

/* From l->theta down; into best and r if it ends lower. ends: of all starts. */
static steep_status run_start(lab *l, double *best, row *r, double *ends, steep_error *error)
{
    steep_minimax_options options = steep_minimax_options_default();
    double v[PARAMETERS], E[2];
    list_unknowns(l);
    const steep_minimax problem = {
        .unknowns = l->unknowns, .context = l, .norms = norms, .rows = rows, .scale = l->scale};
    for (size_t j = 0; j < l->unknowns; j++) v[j] = l->theta[l->unknown[j]], l->scale[j] = 1;
    options.iterations = 40;
    options.tolerance = 1e-7;
    steep_status status = steep_minimax_solve(&problem, &options, v, E, error);
    if (status == STEEP_NO_MEMORY) return status;
    if (status < 0) return STEEP_OK; /* this start leads nowhere */
    scatter(l, v);
    const double found = errors_at(l, &l->fine);
    ends[r->starts++] = found;
    if (found < r->E) {
        r->E = found;
        memcpy(best, l->theta, l->network.parameters * sizeof *best);
    }
    return STEEP_OK;
}

/* Unit i: its first branch on x = 0, on y = 0, or anywhere, the second anywhere. */
static void draw_unit(lab *l, steep_random *random, size_t i)
{
    const steep_network *n = &l->network;
    for (size_t b = 0; b < n->counts.branches; b++) {
        double *w = l->theta + steep_network_place(n, b, i);
        for (size_t j = 0; j <= DIM; j++) w[j] = steep_random_normal(random);
        if (b > 0 || steep_random_uniform(random) < 0.3) continue;
        const double sign = steep_random_uniform(random) < 0.5 ? -1 : 1;
        const size_t j = steep_random_uniform(random) < 0.5 ? 0 : 1;
        memset(w, 0, (DIM + 1) * sizeof *w);
        w[j] = sign;
    }
    l->theta[n->output + i] = 0.2 * steep_random_normal(random);
}

static void draw_start(lab *l, steep_random *random)
{
    const steep_network *n = &l->network;
    memset(l->theta, 0, n->parameters * sizeof *l->theta);
    for (size_t i = 0; i < n->width; i++) draw_unit(l, random, i);
    for (size_t a = 0; a < n->counts.shared_scalars; a++)
        l->theta[n->shared_scalars + a] = 0.5 * steep_random_normal(random);
}

/* The network of one unit less, and a drawn one of output weight 0. */
static steep_status widen(lab *l, const double *from, steep_random *random, steep_error *error)
{
    const steep_network *wide = &l->network;
    steep_network thin;
    steep_status status = steep_network_init(&thin, wide->architecture, &wide->choice, DIM, wide->width - 1, error);
    if (status < 0) return status;
    draw_start(l, random);
    for (size_t b = 0; b < thin.counts.branches; b++)
        memcpy(l->theta + wide->branch[b], from + thin.branch[b], thin.width * thin.features[b] * sizeof *from);
    memcpy(l->theta + wide->shared_scalars, from + thin.shared_scalars, thin.counts.shared_scalars * sizeof *from);
    memcpy(l->theta + wide->output, from + thin.output, thin.width * sizeof *from);
    l->theta[wide->output + thin.width] = 0;
    return STEEP_OK;
}

/* The six units of the opening comment, in relu*relu2 or in a mixture that has it, the others drawn. */
static bool build_six(lab *l, const char *class, steep_random *random)
{
    static const double slope = 0.78; /* a: of tanh z, as a line */
    const steep_network *n = &l->network;
    const bool is_mixture = n->counts.shared_scalars == 6; /* of id, relu, relu2: a5 is relu relu2 */
    if (n->width < 6 || !(is_mixture || strcmp(class, "relu*relu2") == 0)) return false;
    draw_start(l, random);
    for (size_t i = 0; i < n->width; i++) {
        double *w = l->theta + steep_network_place(n, 0, i), *u = l->theta + steep_network_place(n, 1, i);
        l->theta[n->output + i] = 0;
        if (i >= 6) continue;
        const size_t kind = i / 2; /* x_+, y_+, x + 2 */
        memset(w, 0, (DIM + 1) * sizeof *w);
        memset(u, 0, (DIM + 1) * sizeof *u);
        w[kind == 1] = 1;
        w[DIM] = kind == 2 ? 2 : 0;
        u[kind != 1] = 1;
        u[2] = i % 2 ? -1 : 1;
        u[DIM] = 2;
        l->theta[n->output + i] = (i % 2 ? -1 : 1) * slope / (kind == 2 ? -16 : 8);
    }
    for (size_t a = 0; is_mixture && a < 6; a++) l->theta[n->shared_scalars + a] = a == 4;
    return true;
}

/* x_+ y_+ tanh z as a product of two relus with a gate. */
static void build_gated(lab *l)
{
    const steep_network *n = &l->network;
    memset(l->theta, 0, n->parameters * sizeof *l->theta);
    l->theta[steep_network_place(n, 0, 0)] = 1;
    l->theta[steep_network_place(n, 1, 0) + 1] = 1;
    l->theta[n->shared_maps + 2] = 1;
    l->theta[n->output] = 1;
}

static steep_status search(lab *l, const task *t, const double *narrower, double *best, row *r, steep_error *error)
{
    const bool is_exact = strcmp(t->class, "qd-moa") == 0;
    steep_random random = steep_random_start(1, l->network.width);
    double ends[STARTS + 1];
    steep_status status = STEEP_OK;
    if (is_exact) build_gated(l);
    if (is_exact || build_six(l, t->class, &random)) status = run_start(l, best, r, ends, error);
    for (size_t s = 0; s < starts && !is_exact && status >= 0; s++) {
        if (narrower && s % 2 == 0) status = widen(l, narrower, &random, error);
        else draw_start(l, &random);
        if (status >= 0) status = run_start(l, best, r, ends, error);
    }
    for (size_t i = 0; i < r->starts; i++) r->hits += ends[i] <= r->E * (1 + 1e-3);
    return status;
}

static steep_status certify(const lab *l, const double *theta, row *r, steep_error *error)
{
    steep_certify_options options = steep_certify_options_default();
    steep_certified certified;
    options.what = STEEP_CERTIFY_SECOND;
    options.second = (const double[]){0, 1, 0, 0, 0, 0}; /* d_1 d_2 */
    options.boxes = boxes;
    const steep_status status = steep_certify(&l->network, theta, l->witness, &options, &certified, error);
    r->low = certified.second.bound.low;
    r->high = certified.second.bound.high;
    r->E = fmax(r->E, r->low); /* what points between the others show */
    return status;
}

static steep_status open_lab(lab *l, const task *t, steep_error *error)
{
    const steep_witness *witness;
    steep_status status = steep_witness_open(WITNESS, 1, &witness, &l->witness, error);
    if (status >= 0) status = steep_class_open(t->class, t->dictionary, NULL, &l->class, error);
    if (status >= 0) status = steep_written_open(l->class.architecture, &l->class.choice, &l->unit, error);
    if (status < 0) return status;
    make_points(l->witness, 8, 10, &l->coarse);
    make_points(l->witness, 14, 36, &l->fine);
    return STEEP_OK;
}

static steep_status work_width(lab *l, const task *t, const double *narrower, double *best, row *r, steep_error *error)
{
    const size_t m = l->network.width;
    *r = (row){.E = INFINITY};
    steep_status status = search(l, t, narrower, best, r, error);
    if (status >= 0) status = certify(l, best, r, error);
    /* no wider network is worse: where this one's is, its certificate saw what points had not */
    if (status < 0 || !narrower || r->E <= r[-1].E) return status;
    steep_random random = steep_random_start(1, m);
    status = widen(l, narrower, &random, error);
    memcpy(best, l->theta, l->network.parameters * sizeof *best);
    r->E = r[-1].E, r->low = r[-1].low, r->high = r[-1].high;
    r->hits = 0;
    return status;
}

/* In a process of its own. */
static steep_status work(const void *item, void *result, steep_error *error)
{
    static lab l;
    const task *t = item;
    double best[WIDTHS + 1][PARAMETERS] = {0};
    memset(&l, 0, sizeof l);
    steep_status status = open_lab(&l, t, error);
    for (size_t m = 1; m <= t->widths && status >= 0; m++) {
        status = steep_network_init(&l.network, l.class.architecture, &l.class.choice, DIM, m, error);
        if (status >= 0) status = work_width(&l, t, m > 1 ? best[m - 1] : NULL, best[m], (row *)result + m - 1, error);
    }
    steep_formula_free(l.unit);
    steep_class_free(&l.class);
    steep_target_free(l.witness);
    return status < 0 ? status : STEEP_OK;
}

static double bound_of(const task *t)
{
    return strcmp(t->class, "qd-moa") == 0 ? 0 : tanh(1) / (t->smooth ? 2 : 4);
}

static void put(FILE *out, const task *t)
{
    for (size_t m = 1; m <= t->widths; m++) {
        const row *r = &t->row[m - 1];
        const double bound = bound_of(t);
        char text[16] = "-";
        if (bound > 0) snprintf(text, sizeof text, "%.3f", r->E / bound);
        printf("%-11s %-8s %5zu %9.6f %9.6f %9.6f %9.6f %8s %3zu/%zu\n", t->class, t->dictionary ? t->dictionary : "-",
               m, bound, r->E, r->low, r->high, text, r->hits, r->starts);
        fprintf(out, "%s,%zu,%.17g\n", t->class, m, r->E);
    }
}

int main(int argc, char **argv)
{
    const experiment e =
        experiment_begin(argc, argv, "mixed_derivative", "class",
                         "How near networks come to a witness in the mixed derivative, against the width.");
    size_t count = 0;
    for (size_t i = 0; i < TASKS; i++)
        if (experiment_wants(&e, 0, table[i].class)) table[count++] = table[i];
    experiment_found(&e);
    for (size_t i = 0; i < count && e.quick; i++) table[i].widths = 1;
    if (e.quick) starts = 2, boxes = 3000;
    experiment_run(&e, (experiment_jobs){table, count, sizeof(task), offsetof(task, row), sizeof table->row, work});
    FILE *out = experiment_open(&e, "mixed_derivative.csv", "class,width,E");
    printf("ess sup |d^2 (T - f)/dx dy|, T = x_+ y_+ tanh z\n%-11s %-8s %5s %9s %9s %19s %8s %s\n", "class", "letters",
           "width", "bound", "found", "enclosed", "by bound", "hits");
    for (size_t i = 0; i < count; i++) put(out, &table[i]);
    experiment_close(&e, out, "mixed_derivative.csv");
    experiment_draw(&e, "mixed_derivative");
    return 0;
}
