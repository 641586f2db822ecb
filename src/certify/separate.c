/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/public.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/search.h"

enum {
    SAMPLES = 900,   /* points for least squares of values */
    CANDIDATES = 24, /* networks from which a start is chosen */
    ROUNDS = 4,      /* most refinements of the points for a start that may be the best */
    GO_ON = 8,       /* most times that each of the best ends goes on */
    EXCHANGES = 3,   /* most exchanges at the end, each with a certificate */
    FIT_STEPS = 60,  /* most steps of least squares of values */
    STEPS = 40,      /* most programs with parameters fixed */
    PROGRAMS = 20,   /* with none fixed, so many programs must lower W by a hundredth; in 1D half as many */
    CHAINS = 2,      /* chains for each restart */
    FRESH = 8,       /* random starts after each chain, in one dimension */
    HOPS = 4,        /* restarts, after which each one is followed by a start from the best network, moved */
    LISTED = 4,      /* networks in a ranking: of the ends, of a chain */
    MOVES = 2,       /* starts from the best network, moved, after each chain */
    BEGUN = 20,      /* networks that a chain draws before it moves the best one; at most the patience */
    PATIENCE = 600,  /* most moves of a chain in a row that lower nothing, */
    LEAST_PATIENCE = 8,
    CHEAP = 8,         /* times fewer for piecewise linear classes, whose programs take the time of few fits */
    NUMBERS = 2000000, /* and together not more numbers in their Jacobians than this */
    SQUARES_STEPS = 40,
    BITS = 30 /* of the steepness of a gate on a kink */
};
static const double REDRAWN = 0.7, /* share of moved networks with a unit drawn anew */
    SMALL = 0.1,                   /* added to a parameter's size, so that noise moves a 0, too */
    GAINED = 1e-4,                 /* relative decrease with which an end goes on */
    WORTH = 1.05,                  /* an end within this factor of the best is refined */
    WORSE = 0.05, LOWER = 1e-6,    /* relative: increase from which a chain goes on; decrease that counts */
    UNLIKE = 1e-3,                 /* relative difference of W from which networks are different */
    LIKELY = 3,                    /* W is measured where the sum of squares is below this times the least one */
    ON = 1e-5,                     /* within this distance in x a gate is put on a kink */
    AGAIN = 1e-4,                  /* relative difference of W up to which ends are the same */
    EXACT = 1e-13,                 /* W up to this is rounding: the network equals the witness; see rounding_of */
    REACHED = 1e-9;                /* relative distance at which a bound is reached */

/* Kinds of start. An end is confirmed when starts of several kinds reach it; MOVED starts begin at the best end and
 * confirm nothing. */
typedef enum origin {
    KNOWN,    /* a construction for the witness */
    NARROWER, /* the narrower network with one more unit */
    DRAWN,    /* at random */
    FITTED,   /* by least squares */
    CHOSEN,   /* the best of several by their output weights; or by least squares, gates of one steepness */
    MOVED
} origin;

/* A network, its W, and the kind of start that it came from. */
typedef struct ranked {
    double *theta, W;
    origin kind;
} ranked;

/* The W at which programs began, and the least W at which they ended. */
typedef struct descent {
    double from, to;
} descent;

/* The state of a search. */
typedef struct lab {
    const steep_network *network;
    const steep_separate_options *options;
    double enough;           /* W at which the search ends */
    origin kind;             /* of the current start */
    bool counted;            /* whether the current start has an end */
    double came;             /* the least W of its ends, in a chain since the last programs began; INFINITY: none */
    double least[MOVED + 1]; /* the least W of all starts of a kind */
    steep_separation *best;
    bool stopped;
    steep_status status; /* negative after the first failure; later calls then do nothing */
    steep_error *error;
    steep_surface surface;
    steep_lines lines;
    steep_starts starts;
    steep_squares squares;
    steep_samples samples; /* for least squares of values alone */
    double *theta, *v;     /* the current network; 3 + 3 LISTED networks: of a chain, of ends that go on, of ends */
    ranked ends[LISTED];   /* ranking of the ends of all starts */
    double W_of_0;         /* W of the network 0 over points */
    descent *descents;     /* programs from networks of chains */
    size_t descended;
    unsigned char *held; /* for each parameter: 1 if fixed */
} lab;

/* W up to this is rounding. For a witness near 0 it is relative to W of the network 0. */
static double rounding_of(const lab *l)
{
    return EXACT * fmin(1, l->W_of_0);
}

/* Something failed, or the monitor asks to stop. */
static bool is_over(const lab *l)
{
    return l->status < 0 || l->stopped;
}

/* The search is over, or its best W is low enough. */
static bool is_done(const lab *l)
{
    return is_over(l) || l->best->W <= fmax(l->enough, rounding_of(l));
}

static void lack(lab *l, const char *what)
{
    l->status = steep_fail(l->error, STEEP_NO_MEMORY, "no memory for %s", what);
}

/* Begins a start: networks that are kept from here on are its ends. */
static void begin(lab *l, origin kind)
{
    l->kind = kind;
    l->counted = false;
    l->came = INFINITY;
}

/* Notes an end of the current start. */
static void count_end(lab *l, double W)
{
    if (!isfinite(W)) return;
    l->best->starts += !l->counted && l->kind != MOVED;
    l->counted = true;
    l->came = fmin(l->came, W);
    l->least[l->kind] = fmin(l->least[l->kind], W);
}

/* Opens a ranking: the LISTED best networks, W ascending, all different. theta: room for their parameters. */
static void open_ranking(ranked *r, double *theta, size_t parameters)
{
    for (size_t k = 0; k < LISTED; k++) r[k] = (ranked){theta + k * parameters, INFINITY, DRAWN};
}

/* Puts lab->theta into the ranking if it is one of the best. Returns its place; LISTED: it is not. */
static size_t list(const lab *l, ranked *r, double W)
{
    size_t i = 0;
    while (i < LISTED && W > r[i].W * (1 + UNLIKE)) i++;
    if (i == LISTED || !(W < r[i].W * (1 - LOWER))) return LISTED;
    const bool is_like = r[i].W < W * (1 + UNLIKE);
    double *to = r[is_like ? i : LISTED - 1].theta;
    if (!is_like) memmove(&r[i + 1], &r[i], (LISTED - 1 - i) * sizeof *r);
    memcpy(to, l->theta, l->network->parameters * sizeof *to);
    r[i] = (ranked){to, W, l->kind};
    return i;
}

/* Makes lab->theta the best network so far. */
static void set_best(lab *l, const double E[2])
{
    memcpy(l->best->theta, l->theta, l->network->parameters * sizeof *l->theta);
    l->best->E0 = E[0];
    l->best->E1 = E[1];
    l->best->W = E[0] + E[1];
}

/* Notes lab->theta as an end of the start; keeps it if it is the best, or one of the best. */
static void keep(lab *l, const double E[2], steep_status status)
{
    const double W = E[0] + E[1];
    if (!isfinite(W)) return;
    count_end(l, W);
    l->stopped |= status == STEEP_STOPPED;
    if (W < l->best->W) set_best(l, E), l->best->status = status;
    list(l, l->ends, W);
}

/* Minimises from lab->theta by programs. */
static steep_status solve(lab *l, steep_minimax_options *options, double E[2])
{
    const steep_minimax problem = steep_surface_problem(&l->surface);
    options->monitor = l->options->monitor;
    const steep_status status = steep_minimax_solve(&problem, options, l->theta, E, l->error);
    if (status == STEEP_NO_MEMORY) l->status = status;
    return status;
}

/* Minimises over the parameters without a mark; marked ones stay. Returns W over points, INFINITY on failure. */
static double run_held(lab *l)
{
    steep_minimax_options options = steep_minimax_options_default();
    double E[2];
    if (l->status < 0) return INFINITY;
    options.iterations = STEPS;
    options.tolerance = 1e-5;
    l->surface.held = l->held;
    const steep_status status = solve(l, &options, E);
    l->surface.held = NULL;
    l->stopped |= status == STEEP_STOPPED;
    return status >= 0 ? E[0] + E[1] : INFINITY;
}

/* Puts a gate on a plane; its steepness and the side that it faces stay. */
static void put_on(size_t dim, const double *plane, double *w)
{
    double lengths[2] = {0, 0}, dot = 0;
    int exponent;
    for (size_t j = 0; j < dim; j++) {
        lengths[0] += plane[j] * plane[j];
        lengths[1] += w[j] * w[j];
        dot += plane[j] * w[j];
    }
    const double scale = frexp(copysign(sqrt(lengths[1] / lengths[0]), dot), &exponent),
                 few = ldexp(nearbyint(ldexp(scale, BITS)), exponent - BITS); /* exact times small integers */
    for (size_t j = 0; j <= dim; j++) w[j] = few * plane[j];
}

/* Where units have kinks: puts gates near a kink of the witness on it, and marks the gates on kinks. Between a gate and
 * a kink the gradient has only one of the two jumps, which no linear program foresees. False: there are none. */
static bool hold_gates(lab *l)
{
    const steep_network *network = l->network;
    const steep_kinks *kinks = &l->surface.kinks;
    bool any = false;
    memset(l->held, 0, network->parameters);
    for (size_t i = 0; i < network->width && l->surface.has_kinks; i++)
        for (size_t k = 0; k < kinks->count; k++) {
            double *w = l->theta + steep_network_gate(network, i);
            const double *plane = steep_kinks_plane(kinks, k), apart = steep_kinks_apart(l->surface.witness, w, plane);
            if (apart > ON) continue;
            if (apart > 0) put_on(network->dim, plane, w);
            memset(l->held + steep_network_gate(network, i), 1, network->features[0]);
            any = true;
        }
    return any;
}

/* Measures lab->theta and keeps it. */
static void offer(lab *l, steep_status status)
{
    double E[2];
    if (l->status >= 0 && steep_surface_refine(&l->surface, l->theta, E, NULL) < 0) lack(l, "the end of a start");
    if (l->status >= 0) keep(l, E, status);
}

/* Minimises from lab->theta over all parameters; negative: the start failed. */
static steep_status run_free(lab *l)
{
    steep_minimax_options options = steep_minimax_options_default();
    double E[2];
    size_t joined = 1;
    if (l->status < 0) return l->status;
    options.iterations = 300;
    options.patience = l->network->dim > 1 ? PROGRAMS : PROGRAMS / 2;
    options.radius = 0.5;
    options.tolerance = 1e-7;
    steep_status status = solve(l, &options, E);
    options.radius = 0.05;
    for (int round = 0; status >= 0 && status != STEEP_STOPPED && round < ROUNDS && joined > 0; round++) {
        if (E[0] + E[1] > WORTH * l->best->W) break;
        if (steep_surface_refine(&l->surface, l->theta, E, &joined) < 0) lack(l, "the points of a witness");
        if (l->status < 0) return l->status;
        if (joined > 0) status = solve(l, &options, E);
    }
    return status;
}

/* Minimises the exact norms from lab->theta. */
static void run_lines(lab *l)
{
    double E[2];
    if (l->status < 0) return;
    hold_gates(l);
    const steep_status ended = steep_lines_descend(&l->lines, &l->options->monitor, l->theta, E, l->error);
    if (ended >= 0) keep(l, E, ended);
    else if (ended == STEEP_NO_MEMORY) l->status = ended;
}

/* From lab->theta: first with gates on kinks fixed; then all free; then again with gates near kinks fixed on them. */
static void run_start(lab *l)
{
    if (l->lines.block) {
        run_lines(l);
        return;
    }
    steep_probes_free(&l->surface.extra);
    if (hold_gates(l)) run_held(l);
    const steep_status ended = run_free(l);
    if (ended < 0) return;
    offer(l, ended);
    if (ended == STEEP_STOPPED || !hold_gates(l)) return;
    run_held(l);
    offer(l, ended);
}

/* Fits lab->theta by least squares: a fair start for classes such as products, whose random networks seldom are. After
 * a failure lab->theta is unchanged. */
static void fit_start(lab *l)
{
    const steep_network *network = l->network;
    const steep_problem problem = {.network = network, .train = &l->samples};
    steep_fit_options options = steep_fit_options_default();
    options.max_iterations = FIT_STEPS;
    options.monitor = l->options->monitor;
    steep_solve solve = {.held = l->held};
    if (l->status < 0) return;
    memset(l->held, 0, network->parameters);
    l->held[network->bias] = 1;
    memcpy(l->v, l->theta, network->parameters * sizeof *l->v);
    const steep_status status = steep_solve_marquardt(&problem, &options, l->v, &solve, l->error);
    if (status == STEEP_NO_MEMORY) l->status = status;
    bool finite = status >= 0;
    for (size_t p = 0; p < network->parameters; p++) finite &= isfinite(l->v[p]) != 0;
    if (finite) memcpy(l->theta, l->v, network->parameters * sizeof *l->v);
}

/* Unit i of lab->theta becomes 0 by its linear parameters, which programs can then change. */
static void silence(lab *l, size_t i)
{
    const steep_network *network = l->network;
    l->theta[network->output + i] = l->surface.in_branches;
    for (size_t b = 0; b < network->counts.branches && l->surface.in_branches; b++)
        if (network->branch[b] - l->surface.linear < l->surface.linears)
            memset(l->theta + steep_network_place(network, b, i), 0, network->features[b] * sizeof *l->theta);
}

/* lab->theta = the best of some candidates after a minimisation over their output weights alone, or over the branches
 * in which units are affine: a convex problem, which programs solve. Candidates are laid out and begin from the network
 * 0; or, wider, they are the narrower network with one more unit. number: of the start. */
static void choose_start(lab *l, steep_random *random, size_t number, bool wider)
{
    const steep_network *network = l->network;
    double best = INFINITY, *kept = l->v + network->parameters;
    for (size_t c = 0; c < CANDIDATES && !is_over(l); c++) {
        const size_t turn = wider && c % 2 == 1 ? STEEP_STARTS_FREE : number * CANDIDATES + c;
        if (wider) l->status = steep_starts_widen(&l->starts, random, turn, l->theta, l->error);
        else steep_starts_draw(&l->starts, random, turn, l->theta);
        for (size_t i = wider ? network->width - 1 : 0; i < network->width; i++) silence(l, i);
        memset(l->held, 1, network->parameters);
        if (l->surface.in_branches) memset(l->held + l->surface.linear, 0, l->surface.linears);
        else memset(l->held + network->output, 0, network->width);
        const double W = run_held(l);
        if (!(W < best)) continue;
        best = W;
        memcpy(kept, l->theta, network->parameters * sizeof *kept);
    }
    if (best < INFINITY) memcpy(l->theta, kept, network->parameters * sizeof *kept);
}

/* lab->theta = the network `from`, moved. Either one of its units is drawn anew, with output weight 0 unless least
 * squares follow; or all parameters get noise of 1/64 to 1/2 of their size, and gates on a kink stay there in half of
 * the cases. Minima of W are many and near each other: better ones are found more often from here than from a random
 * network. (Basin hopping: Wales and Doye, J. Phys. Chem. A 101, 1997.) */
static void hop(lab *l, const double *from, steep_random *random, size_t lay, bool is_fitted)
{
    const steep_network *network = l->network;
    const size_t E = network->counts.scalars, n = network->width;
    memcpy(l->theta, from, network->parameters * sizeof *l->theta);
    if ((n > 1 || is_fitted) && steep_random_uniform(random) < REDRAWN) {
        const size_t i = (size_t)(steep_random_uniform(random) * (double)n);
        steep_starts_draw(&l->starts, random, lay, l->v);
        for (size_t b = 0; b < network->counts.branches; b++) {
            const size_t at = steep_network_place(network, b, i);
            memcpy(l->theta + at, l->v + at, network->features[b] * sizeof *l->theta);
        }
        memcpy(l->theta + network->scalars + i * E, l->v + network->scalars + i * E, E * sizeof *l->theta);
        l->theta[network->output + i] = l->v[network->output + i];
        if (!is_fitted) silence(l, i);
        return;
    }
    const double size = ldexp(1, -1 - (int)(6 * steep_random_uniform(random)));
    hold_gates(l);
    if (steep_random_uniform(random) < 0.5) memset(l->held, 0, network->parameters);
    for (size_t p = 0; p < network->parameters; p++) {
        const double noise = steep_random_normal(random);
        if (p != network->bias && !l->held[p]) l->theta[p] += size * noise * (fabs(l->theta[p]) + SMALL);
    }
}

/* Makes the network 0 the first best network. It does not count as a start. */
static void take_zero(lab *l)
{
    double E[2];
    memset(l->theta, 0, l->network->parameters * sizeof *l->theta);
    if (steep_surface_refine(&l->surface, l->theta, E, NULL) < 0) lack(l, "the points of a witness");
    else if (isfinite(E[0] + E[1])) set_best(l, E);
    l->W_of_0 = l->best->W;
    l->best->status = is_done(l) ? STEEP_CONVERGED : STEEP_MAX_ITERATIONS;
}

/* Restart r, one of these by turns: the narrower network with one more unit; the best of several networks by their
 * output weights, laid out if units have several branches and the witness has kinks; a random one, fitted by least
 * squares; a random one whose shared coefficients are fixed at first. */
static void run_restart(lab *l, steep_random *random, size_t r)
{
    const steep_network *network = l->network;
    const bool widens = l->options->narrower && r % 3 == 2, chooses = r % 4 == 0 || r % 4 == 3,
               holds = !chooses && network->counts.shared_scalars > 0 && r % 3 != 2 && r % 4 == 1;
    begin(l, r % 4 == 2 ? FITTED : widens ? NARROWER : chooses ? CHOSEN : DRAWN);
    if (widens) choose_start(l, random, 1 + r / 3, true);
    else if (chooses) choose_start(l, random, r / 4 * 2 + (r % 4 == 3), false);
    else steep_starts_draw(&l->starts, random, STEEP_STARTS_FREE, l->theta);
    if (r % 4 == 2) fit_start(l);
    if (holds) {
        /* the end depends on the activation with which a mixture begins; programs that may change it at once go to the
         * nearest corner instead */
        memset(l->held, 0, network->parameters);
        memset(l->held + network->shared_scalars, 1, network->counts.shared_scalars);
        run_held(l);
    }
    run_start(l);
}

/* A start from a moved network. Its linear parameters are solved for first: large ones cancel each other, and a move
 * destroys the cancellation. */
static void run_moved(lab *l, const double *theta, steep_random *random)
{
    const steep_surface *s = &l->surface;
    begin(l, MOVED);
    hop(l, theta, random, STEEP_STARTS_FREE, false);
    memset(l->theta + s->linear, 0, s->linears * sizeof *l->theta);
    memset(l->held, 1, l->network->parameters);
    memset(l->held + s->linear, 0, s->linears);
    run_held(l);
    run_start(l);
}

/* A random start, in every other turn after a fit by least squares of values: chains end where least squares lead, and
 * a better minimum may lie elsewhere. */
static void run_fresh(lab *l, steep_random *random, size_t number)
{
    const bool fits = number % 2 == 1;
    begin(l, fits ? FITTED : DRAWN);
    steep_starts_draw(&l->starts, random, STEEP_STARTS_FREE, l->theta);
    if (fits) fit_start(l);
    run_start(l);
}

/* One of the best ends, at random. */
static const double *draw_end(const lab *l, steep_random *random)
{
    size_t count = 0;
    while (count < LISTED && l->ends[count].W < INFINITY) count++;
    return count > 0 ? l->ends[(size_t)(steep_random_uniform(random) * (double)count)].theta : l->best->theta;
}

/* Runs the programs from lab->theta; W: its W over points. Where programs began at this W before, their end counts
 * again instead, and *spared is raised. */
static void run_listed(lab *l, double W, size_t *spared)
{
    for (size_t i = 0; i < l->descended; i++)
        if (fabs(W - l->descents[i].from) <= UNLIKE * W) {
            count_end(l, l->descents[i].to);
            ++*spared;
            return;
        }
    l->came = INFINITY;
    run_start(l);
    l->descents[l->descended++] = (descent){W, l->came};
}

/* Calls the monitor; false: it asks to stop. */
static bool proceed(lab *l, size_t fits)
{
    const steep_progress progress = {.stage = "squares", .iteration = fits, .rmse = l->best->W, .gradient_norm = NAN};
    l->stopped |= !steep_monitor_proceed(&l->options->monitor, &progress);
    return !l->stopped;
}

/* A chain: the network that is moved, at its sum of squares; the least sum; its network; the best networks by W. */
typedef struct chain {
    double *from, at, least;
    ranked best, listed[LISTED];
    size_t failed; /* moves in a row that lowered neither the least sum nor the least W */
} chain;

/* lab->theta is the end of a fit with this sum of squares. If sum < below, it is moved next; it is kept if it is one of
 * the best. */
static void consider(lab *l, chain *c, double sum, double below)
{
    const size_t bytes = l->network->parameters * sizeof *l->theta;
    double W = INFINITY;
    if (!(sum < LIKELY * c->least)) return;
    if (steep_surface_weigh(&l->surface, l->theta, &W) < 0) lack(l, "the points of a witness");
    if (l->status < 0 || !isfinite(W)) return;
    if (list(l, c->listed, W) == 0) c->failed = 0;
    if (sum < below) c->at = sum, memcpy(c->from, l->theta, bytes);
    if (!(sum < (1 - LOWER) * c->least)) return;
    c->least = sum;
    c->best.W = W;
    c->failed = 0;
    memcpy(c->best.theta, l->theta, bytes);
}

/* Moves in a row that lower nothing, after which a chain ends. */
static size_t patience_of(const lab *l)
{
    const size_t share = NUMBERS / (l->squares.rows * l->network->parameters),
                 most = l->lines.block ? PATIENCE / CHEAP : PATIENCE;
    return share < LEAST_PATIENCE ? LEAST_PATIENCE : share < most ? share : most;
}

/* Chain r. Some networks are fitted by least squares of value and gradient; the best one is moved and fitted again and
 * again, each time from the last end, or, where that is much worse, from the network before. A fit takes about a
 * hundredth of the time of programs. Then programs begin at the best networks of the chain. In every other chain all
 * gates have one steepness: the best networks of any steepness have steep gates on kinks and are much alike. */
static void run_chain(lab *l, steep_random *random, size_t r, size_t *spared)
{
    static const double size[] = {1, 0.5, 2, 4}, beyond[] = {0.3, 0.9};
    const steep_network *network = l->network;
    const size_t P = network->parameters, patience = patience_of(l), begun = patience < BEGUN ? patience : BEGUN,
                 lay =
                     network->counts.branches > 1 && l->surface.kinks.count > 0 ? STEEP_STARTS_EACH : STEEP_STARTS_FREE;
    chain c = {.from = l->v + P, .at = INFINITY, .least = INFINITY, .best = {l->v + 2 * P, INFINITY, DRAWN}};
    open_ranking(c.listed, l->v + 3 * P, P);
    begin(l, r % 2 ? CHOSEN : FITTED);
    steep_probes_free(&l->surface.extra);
    if (r % 2) {
        l->starts.size = size[r / 2 % 4];
        l->starts.beyond = beyond[r / 2 % 2];
    }
    for (size_t fits = 0; c.failed < patience && c.least > rounding_of(l) * rounding_of(l); fits++, c.failed++) {
        double sum = INFINITY, below = fits < begun ? c.least : (1 + WORSE) * c.at;
        if (l->status < 0 || !proceed(l, fits)) break;
        if (fits < begun || !(c.at < INFINITY)) steep_starts_draw(&l->starts, random, lay, l->theta);
        else hop(l, c.from, random, lay, true);
        hold_gates(l);
        if (steep_squares_fit(&l->squares, l->held, SQUARES_STEPS, below, l->theta, &sum) < 0)
            lack(l, "the points of a witness");
        consider(l, &c, sum, below);
    }
    l->starts.size = l->starts.beyond = 0;
    for (size_t k = 0; k <= LISTED && !is_over(l); k++) { /* the last: the network of the least sum */
        const ranked *from = k < LISTED ? &c.listed[k] : &c.best;
        if (!(from->W < INFINITY)) continue;
        memcpy(l->theta, from->theta, P * sizeof *l->theta);
        run_listed(l, from->W, spared);
    }
}

static steep_random open_stream(const lab *l, uint64_t stream)
{
    return steep_random_start(l->options->seed, stream << 32 | l->network->width);
}

static void run_chains(lab *l)
{
    steep_random random = open_stream(l, STEEP_STREAM_CHOSEN),
                 own = open_stream(l, STEEP_STREAM_MOVED); /* chains do not depend on other starts */
    const size_t chains = (l->lines.block ? 1 : CHAINS) * l->options->restarts;
    l->descents = malloc(chains * (LISTED + 1) * sizeof *l->descents);
    if (!l->descents) lack(l, "the ends of chains");
    for (size_t r = 0; r < chains && !is_done(l); r++) {
        size_t spared = 0;
        run_chain(l, &random, r, &spared);
        for (size_t h = 0; h < MOVES + spared && !is_done(l); h++)
            run_moved(l, h < MOVES ? l->best->theta : draw_end(l, &own), &own);
        for (size_t f = 0; f < FRESH && l->network->dim == 1 && !is_done(l); f++) run_fresh(l, &own, f);
    }
    free(l->descents);
}

static void run_all(lab *l)
{
    const steep_separate_options *options = l->options;
    steep_random random = open_stream(l, STEEP_STREAM_START),
                 own = open_stream(l, STEEP_STREAM_MOVED); /* restarts do not depend on moved ones */
    take_zero(l);
    for (size_t number = 0; number < STEEP_STARTS_KNOWN && !is_over(l); number++) {
        if (!steep_starts_known(&l->starts, &random, number, l->theta)) continue;
        begin(l, KNOWN);
        offer(l, STEEP_CONVERGED);
        if (!is_done(l)) run_start(l);
    }
    if (is_done(l)) return;
    if (options->narrower && l->network->width > 1) {
        begin(l, NARROWER);
        choose_start(l, &random, 0, true);
        run_start(l);
    }
    for (size_t r = 0; r < options->restarts && !is_done(l); r++) {
        run_restart(l, &random, r);
        if (r >= HOPS && !is_done(l)) run_moved(l, l->best->theta, &own);
    }
}

/* Norms of lab->theta over points and by a certificate. If W < *least, lab->theta becomes the best network; *least is
 * the least W of networks measured by this function. Returns how many points joined. */
static size_t weigh(lab *l, double *least)
{
    double E[2];
    size_t joined;
    if (steep_surface_refine(&l->surface, l->theta, E, &joined) < 0) lack(l, "the points of a witness");
    else l->status = steep_surface_certify(&l->surface, l->theta, E, &joined, l->error);
    if (l->status < 0 || !(E[0] + E[1] < *least)) return joined;
    set_best(l, E);
    *least = l->best->W;
    return joined;
}

/* Each of the best ends goes on until programs lower it no more: patience ended many descents early. */
static void run_on(lab *l)
{
    const size_t P = l->network->parameters;
    ranked from[LISTED]; /* a copy: the ends change */
    for (size_t k = 0; k < LISTED; k++) {
        from[k] = l->ends[k];
        from[k].theta = memcpy(l->v + (3 + LISTED + k) * P, l->ends[k].theta, P * sizeof *l->theta);
    }
    for (size_t k = 0; k < LISTED && l->status >= 0 && from[k].W < INFINITY; k++) {
        double *least = &l->least[from[k].kind]; /* a lower end counts for the kind of start of the end */
        begin(l, MOVED);
        memcpy(l->theta, from[k].theta, P * sizeof *l->theta);
        for (int round = 0; round < GO_ON && !is_over(l); round++) {
            run_start(l);
            if (!(l->came < from[k].W * (1 - GAINED))) break;
            from[k].W = l->came;
            *least = fmin(*least, l->came);
        }
    }
}

/* Exchange (Remez): points where a certificate finds larger norms of lab->theta join the problem, which is solved
 * again, until none joins, at most EXCHANGES times. */
static void run_exchange(lab *l, double *least)
{
    size_t joined = 1;
    steep_probes_free(&l->surface.extra);
    for (size_t round = 0; joined > 0 && !is_over(l); round++) {
        joined = weigh(l, least);
        if (round == EXCHANGES) break;
        hold_gates(l);
        if (joined > 0) run_held(l);
    }
}

/* Ends the search: exchange for the best end and for other ends whose W over points is below the result so far; then
 * the network 0. */
static void run_last(lab *l, double *least)
{
    const size_t bytes = l->network->parameters * sizeof *l->theta;
    for (size_t k = 0; k < LISTED && l->ends[k].W < *least && !is_over(l); k++) {
        memcpy(l->theta, l->ends[k].theta, bytes);
        run_exchange(l, least);
    }
    if (l->status < 0 || !(l->W_of_0 < *least)) return;
    memset(l->theta, 0, bytes);
    weigh(l, least);
}

/* The last steps. The end is no worse than the network 0 and the narrower network by the same measure. */
static void run_end(lab *l)
{
    double least = INFINITY;
    if (l->status < 0 || !isfinite(l->best->W)) return;
    if (l->lines.block) { /* by exact norms; the network 0 was measured over points */
        begin(l, MOVED);
        memcpy(l->theta, l->best->theta, l->network->parameters * sizeof *l->theta);
        l->best->W = INFINITY;
        run_lines(l);
        l->best->is_exact = l->surface.kinks.is_complete;
    } else {
        if (l->best->W <= rounding_of(l) || l->stopped) return;
        run_on(l);
        if (is_over(l)) return;
        run_last(l, &least);
    }
    if (l->status < 0 || !l->options->narrower || l->network->width < 2) return;
    steep_random random = steep_random_start(l->options->seed, STEEP_STREAM_START);
    l->status = steep_starts_widen(&l->starts, &random, STEEP_STARTS_FREE, l->theta, l->error);
    if (l->lines.block) run_lines(l);
    else if (l->status >= 0) weigh(l, &least);
}

static void search(lab *l, const steep_target *witness)
{
    const size_t P = l->network->parameters;
    l->status = steep_surface_open(&l->surface, l->network, witness, l->options->norm, l->error);
    if (l->status < 0) return;
    void *memory =
        STEEP_BLOCK(STEEP_SHARE(l->theta, P), STEEP_SHARE(l->v, (3 + 3 * LISTED) * P), STEEP_SHARE(l->held, P));
    if (memory) open_ranking(l->ends, l->v + (3 + 2 * LISTED) * P, P);
    else lack(l, "a network");
    if (memory) l->status = steep_lines_open(&l->surface, &l->lines, l->error);
    if (l->status >= 0) l->status = steep_samples_grid(witness, SAMPLES, &l->samples, l->error);
    if (l->status >= 0 && steep_squares_open(&l->squares, &l->surface) < 0) lack(l, "the points of a witness");
    if (l->status >= 0) {
        run_all(l);
        run_chains(l);
        run_end(l);
    }
    free(l->lines.block);
    steep_samples_free(&l->samples);
    free(memory);
    steep_squares_close(&l->squares);
    steep_surface_close(&l->surface);
}

/* How many kinds of start, without MOVED, reached the best end. */
static size_t count_hits(const lab *l)
{
    size_t hits = 0;
    double best = INFINITY;
    for (int kind = 0; kind <= MOVED; kind++) best = fmin(best, l->least[kind]);
    for (int kind = 0; kind < MOVED; kind++) hits += isfinite(best) && l->least[kind] <= best * (1 + AGAIN);
    return hits;
}

/* A proved bound, raised by what points may miss of W; without a bound, 0. */
static double enough_for(const steep_network *network, const steep_starts *starts)
{
    const steep_class among = {.architecture = network->architecture, .choice = network->choice};
    if (among.architecture->written) return 0;
    const steep_bound bound = steep_witness_bound(starts->row, &among, network->width, starts->lambda);
    const double value = isnan(bound.sharp) ? bound.value : bound.sharp;
    return isnan(value) ? 0 : (1 + REACHED) * value;
}

steep_separate_options steep_separate_options_default(void)
{
    return (steep_separate_options){.restarts = 20, .lambda = 1};
}

steep_status steep_separate(const steep_witness *row, const steep_target *witness, const steep_network *network,
                            const steep_separate_options *options, steep_separation *separation, steep_error *error)
{
    const steep_separate_options chosen = options ? *options : steep_separate_options_default();
    const double began = steep_clock_seconds();
    lab l = {.network = network, .options = &chosen, .best = separation, .error = error};
    for (int kind = 0; kind <= MOVED; kind++) l.least[kind] = INFINITY;
    l.starts = (steep_starts){.surface = &l.surface, .row = row, .lambda = chosen.lambda, .narrower = chosen.narrower};
    l.enough = enough_for(network, &l.starts);
    *separation = (steep_separation){.E0 = INFINITY, .E1 = INFINITY, .W = INFINITY};
    separation->theta = calloc(network->parameters, sizeof *separation->theta);
    if (separation->theta) search(&l, witness);
    else lack(&l, "a network");
    separation->hits = count_hits(&l);
    separation->seconds = steep_clock_seconds() - began;
    if (l.status >= 0 && !isfinite(separation->W))
        l.status = steep_fail(error, STEEP_NOT_FINITE, "no start of %s has finite norms on %s",
                              network->architecture->name, witness->name);
    if (l.status < 0) separation->status = l.status;
    else if (l.stopped) separation->status = STEEP_STOPPED;
    return separation->status;
}

void steep_separation_free(steep_separation *separation)
{
    free(separation->theta);
    *separation = (steep_separation){0};
}
