/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/core.h"
#include "certify/core_numerics.h"
#include "certify/search.h"
#include "certify/surface.h"

enum {
    SAMPLES = 900,   /* for least squares */
    CANDIDATES = 24, /* of which one becomes a start */
    ROUNDS = 4,      /* of refinement, for a start that may be the best */
    GO_ON = 8,       /* times that the best ends do */
    EXCHANGES = 3,   /* at the end, each with a certificate */
    BOXES = 20000,   /* of it */
    FIT_STEPS = 60,  /* of least squares */
    STEPS = 40,      /* of programs with parameters held */
    PROGRAMS = 20,   /* with none held: so many must lower W by a hundredth; in one dimension half */
    CHAINS = 2,      /* for each restart */
    FRESH = 8,       /* starts at random after a chain, in one dimension */
    HOPS = 4,        /* restarts, after which each is followed by the best network, moved */
    LISTED = 4,      /* networks of a chain from which programs begin */
    MOVES = 2,       /* of the best, after a chain */
    BEGUN = 20,      /* networks, from the best of which a chain goes on, but no more than moves that lower nothing: */
    PATIENCE = 600,  /* most of these in a row, */
    LEAST_PATIENCE = 8,
    CHEAP = 8,         /* times fewer where programs of folds take the time of few fits */
    NUMBERS = 2000000, /* and no more than make so many numbers in the Jacobians of all */
    SQUARES_STEPS = 40,
    BITS = 30 /* of the steepness of a gate on a kink */
};
static const double REDRAWN = 0.7, /* share of moved networks with a unit drawn anew */
    SMALL = 0.1,                   /* of a parameter that noise moves though it is 0 */
    GAINED = 1e-4,                 /* of an end: it goes on */
    WORTH = 1.05,                  /* an end within this factor of the best is refined */
    WORSE = 0.05, LOWER = 1e-6,    /* relative, of what a chain lowers: from which it goes on; that counts */
    UNLIKE = 1e-3,                 /* relative, of W of two networks that are not the same */
    LIKELY = 3,                    /* of the least sum of squares: W may be the least */
    ON = 1e-5;                     /* of a gate and a kink, in x: they are meant to be the same */

/* The best networks by W, ascending, none like another. */
typedef struct ranking {
    double *theta[LISTED], W[LISTED];
    size_t start[LISTED]; /* where they came from, in search->ends */
} ranking;

/* Where programs began, and the least W of what came of it. */
typedef struct descent {
    double from, to;
} descent;

/* What the starts work with. */
typedef struct lab {
    steep_search *search;
    steep_surface surface;
    steep_folds folds;
    steep_starts starts;
    steep_squares squares;
    steep_samples samples; /* for least squares of values alone */
    double *theta, *v;     /* parameters; 3 + 3 LISTED times as many: of a chain, of ends that go on, of ends */
    ranking ends;          /* of all starts */
    double W_of_0;         /* over points */
    descent *descents;     /* from networks of chains */
    size_t descended;
    unsigned char *held, *active; /* parameters entries: 1 stays; 1 moves */
} lab;

/* Nothing is left to search, or the monitor asks to stop. */
static bool is_done(const steep_search *search)
{
    return search->stopped || search->best->W <= search->enough;
}

/* Room for a ranking at these: LISTED times parameters. */
static ranking open_ranking(double *theta, size_t parameters)
{
    ranking open;
    for (size_t k = 0; k < LISTED; k++) {
        open.theta[k] = theta + k * parameters;
        open.W[k] = INFINITY;
    }
    return open;
}

/* Lists lab->theta where it is one of the best. Returns its place, LISTED: it is not. */
static size_t list(const lab *l, ranking *r, double W)
{
    size_t i = 0;
    while (i < LISTED && W > r->W[i] * (1 + UNLIKE)) i++;
    if (i == LISTED || !(W < r->W[i] * (1 - LOWER))) return LISTED;
    const bool is_like = r->W[i] < W * (1 + UNLIKE);
    double *to = r->theta[is_like ? i : LISTED - 1];
    for (size_t k = LISTED - 1; k > i && !is_like; k--) {
        r->theta[k] = r->theta[k - 1];
        r->W[k] = r->W[k - 1];
        r->start[k] = r->start[k - 1];
    }
    r->theta[i] = memcpy(to, l->theta, l->search->network->parameters * sizeof *to);
    r->W[i] = W;
    r->start[i] = l->search->starts - 1;
    return i;
}

/* Down with the marked parameters held where lab->theta has them. A failure leaves lab->theta. */
static steep_status run_held(lab *l, double *W, steep_error *error)
{
    steep_minimax_options options = steep_minimax_options_default();
    steep_error message;
    double E[2];
    steep_surface_hold(&l->surface, l->theta, l->held);
    steep_minimax problem = steep_surface_problem(&l->surface);
    options.monitor = l->search->options->monitor;
    options.iterations = STEPS;
    options.tolerance = 1e-5;
    steep_surface_gather(&l->surface, l->theta, l->v);
    const steep_status status = steep_minimax_solve(&problem, &options, l->v, E, &message);
    if (W) *W = status >= 0 ? E[0] + E[1] : INFINITY;
    l->search->stopped |= status == STEEP_STOPPED;
    if (status >= 0) steep_surface_scatter(&l->surface, l->v, l->theta);
    steep_surface_hold(&l->surface, l->theta, NULL);
    return status == STEEP_NO_MEMORY ? steep_fail(error, status, "%s", message.text) : STEEP_OK;
}

/* Puts a gate on a plane, as steep as it is, and facing as it does. */
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
                 few = ldexp(nearbyint(ldexp(scale, BITS)), exponent - BITS); /* times small integers exact */
    for (size_t j = 0; j <= dim; j++) w[j] = few * plane[j];
}

/* Marks the gates that lie on a kink of the witness, and puts those there that come near, where units have kinks too:
 * between gate and kink the gradient has one of the two jumps, which no linear program foresees. False: there are
 * none. */
static bool hold_gates(lab *l)
{
    const steep_network *network = l->search->network;
    const steep_kinks *kinks = &l->surface.kinks;
    bool any = false;
    memset(l->held, 0, network->parameters);
    for (size_t i = 0; i < network->width && l->surface.has_kinks; i++)
        for (size_t k = 0; k < kinks->count; k++) {
            double *w = l->theta + steep_network_gate(network, i);
            const double *plane = steep_kinks_plane(kinks, k), apart = steep_kinks_apart(l->search->witness, w, plane);
            if (apart > ON) continue;
            if (apart > 0) put_on(network->dim, plane, w);
            memset(l->held + steep_network_gate(network, i), 1, network->features[0]);
            any = true;
        }
    return any;
}

/* Measures lab->theta and keeps it if it is the best. */
static steep_status offer(lab *l, steep_status status, steep_error *error)
{
    double E[2];
    steep_surface_gather(&l->surface, l->theta, l->v);
    const steep_status kept = steep_surface_refine(&l->surface, l->v, E, NULL);
    if (kept < 0) return steep_fail(error, kept, "no memory for the end of a start");
    steep_search_offer(l->search, l->theta, E, status);
    list(l, &l->ends, E[0] + E[1]);
    return STEEP_OK;
}

/* Down from lab->theta with nothing held; *ended: the status, negative where the start leads nowhere. */
static steep_status run_free(lab *l, steep_status *ended, steep_error *error)
{
    steep_minimax problem = steep_surface_problem(&l->surface);
    steep_minimax_options options = steep_minimax_options_default();
    steep_error message;
    double E[2];
    size_t joined = 1;
    options.monitor = l->search->options->monitor;
    options.iterations = 300;
    options.patience = l->search->network->dim > 1 ? PROGRAMS : PROGRAMS / 2;
    options.radius = 0.5;
    options.tolerance = 1e-7;
    steep_surface_gather(&l->surface, l->theta, l->v);
    steep_status status = steep_minimax_solve(&problem, &options, l->v, E, &message);
    options.radius = 0.05;
    for (int round = 0; status >= 0 && status != STEEP_STOPPED && round < ROUNDS && joined > 0; round++) {
        if (E[0] + E[1] > WORTH * l->search->best->W) break;
        steep_status refined = steep_surface_refine(&l->surface, l->v, E, &joined);
        if (refined < 0) return steep_fail(error, refined, "no memory for the points of a witness");
        if (joined > 0) status = steep_minimax_solve(&problem, &options, l->v, E, &message);
    }
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s", message.text);
    if (status >= 0) steep_surface_scatter(&l->surface, l->v, l->theta);
    *ended = status;
    return STEEP_OK;
}

/* Down from lab->theta by exact norms. */
static steep_status run_folds(lab *l, steep_error *error)
{
    steep_error message;
    double E[2];
    hold_gates(l);
    const steep_status ended = steep_folds_descend(&l->folds, &l->search->options->monitor, l->theta, E, &message);
    if (ended == STEEP_NO_MEMORY) return steep_fail(error, ended, "%s", message.text);
    if (ended < 0) return STEEP_OK;
    steep_search_offer(l->search, l->theta, E, ended);
    list(l, &l->ends, E[0] + E[1]);
    return STEEP_OK;
}

/* From lab->theta: first with the gates on kinks held; then all free; and where gates end near kinks, on them again. */
static steep_status run_start(lab *l, steep_error *error)
{
    steep_status status = STEEP_OK, ended = STEEP_OK;
    if (l->folds.block) return run_folds(l, error);
    steep_surface_forget(&l->surface);
    if (hold_gates(l)) status = run_held(l, NULL, error);
    if (status >= 0) status = run_free(l, &ended, error);
    if (status < 0 || ended < 0) return status;
    status = offer(l, ended, error);
    if (status < 0 || ended == STEEP_STOPPED || !hold_gates(l)) return status;
    status = run_held(l, NULL, error);
    return status >= 0 ? offer(l, ended, error) : status;
}

/* Down by least squares from lab->theta: a fair start for classes that seldom meet one, such as products. A failure
 * leaves it. */
static steep_status fit_start(lab *l, steep_error *error)
{
    const steep_network *network = l->search->network;
    const steep_problem problem = {.network = network, .train = &l->samples};
    steep_fit_options options = steep_fit_options_default();
    steep_error message;
    options.max_iterations = FIT_STEPS;
    options.monitor = l->search->options->monitor;
    steep_solve solve = {.active = l->active};
    memset(l->active, 1, network->parameters);
    memset(l->held, 0, network->parameters);
    l->held[network->bias] = 1;
    memcpy(l->v, l->theta, network->parameters * sizeof *l->v);
    const steep_status status = steep_solve_marquardt_held(&problem, &options, l->held, l->v, &solve, &message);
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s", message.text);
    bool finite = status >= 0;
    for (size_t p = 0; p < network->parameters; p++) finite &= isfinite(l->v[p]) != 0;
    if (finite) memcpy(l->theta, l->v, network->parameters * sizeof *l->v);
    return STEEP_OK;
}

/* Unit i adds nothing to lab->theta, but would where its linear parameters changed. */
static void silence(lab *l, size_t i)
{
    const steep_network *network = l->search->network;
    l->theta[network->output + i] = l->surface.in_branches;
    for (size_t b = 0; b < network->counts.branches && l->surface.in_branches; b++)
        if (network->branch[b] - l->surface.linear < l->surface.linears)
            memset(l->theta + steep_network_place(network, b, i), 0, network->features[b] * sizeof *l->theta);
}

/* The best of some starts by what their output weights alone can do, or the parameters of the branches that units are
 * affine in: a convex problem, which its programs end. The starts are laid out and begin from the network of 0; or,
 * wider, they are the narrower network with one unit more. number: of the start. Into lab->theta. */
static steep_status choose_start(lab *l, steep_random *random, size_t number, bool wider, steep_error *error)
{
    const steep_network *network = l->search->network;
    double best = INFINITY, W;
    steep_status status = STEEP_OK;
    double *kept = malloc(network->parameters * sizeof *kept);
    if (!kept) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a network");
    for (size_t c = 0; c < CANDIDATES && status >= 0 && !l->search->stopped; c++) {
        const size_t turn = wider && c % 2 == 1 ? STEEP_STARTS_FREE : number * CANDIDATES + c;
        if (wider) status = steep_starts_widen(&l->starts, random, turn, l->theta, error);
        else steep_starts_draw(&l->starts, random, turn, l->theta);
        for (size_t i = wider ? network->width - 1 : 0; i < network->width; i++) silence(l, i);
        memset(l->held, 1, network->parameters);
        if (l->surface.in_branches) memset(l->held + l->surface.linear, 0, l->surface.linears);
        else memset(l->held + network->output, 0, network->width);
        if (status >= 0) status = run_held(l, &W, error);
        if (status < 0 || !(W < best)) continue;
        best = W;
        memcpy(kept, l->theta, network->parameters * sizeof *kept);
    }
    if (best < INFINITY) memcpy(l->theta, kept, network->parameters * sizeof *kept);
    free(kept);
    return status;
}

/* A network, moved: one of its units drawn anew, with an output weight of 0 but where least squares follow, or all
 * parameters by noise of 1/64 to 1/2 of their size, gates that lie on a kink left there in every other turn. Into
 * lab->theta. Minima of W are many and lie near each other: better ones are met more often from here than from afar.
 * (Basin hopping: Wales and Doye, J. Phys. Chem. A 101, 1997.) */
static void hop(lab *l, const double *from, steep_random *random, size_t lay, bool is_fitted)
{
    const steep_network *network = l->search->network;
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

/* The network of 0 is the best at first. It is no start. */
static steep_status take_zero(lab *l, steep_error *error)
{
    steep_separation *best = l->search->best;
    double E[2];
    memset(l->theta, 0, l->search->network->parameters * sizeof *l->theta);
    steep_surface_gather(&l->surface, l->theta, l->v);
    if (steep_surface_refine(&l->surface, l->v, E, NULL) < 0)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the points of a witness");
    l->W_of_0 = INFINITY;
    if (!isfinite(E[0] + E[1])) return STEEP_OK;
    best->E0 = E[0];
    best->E1 = E[1];
    best->W = l->W_of_0 = E[0] + E[1];
    return STEEP_OK;
}

/* Units of several branches, and kinks to lay them on. */
static bool has_layouts(const lab *l)
{
    return l->search->network->counts.branches > 1 && l->surface.kinks.count > 0;
}

/* Restart r, one of these in turn: the narrower network with one unit more; the best of several by their output
 * weights, laid out where units have several branches and the witness has kinks; a random one, fitted by least squares;
 * and a random one whose shared coefficients are held at first. */
static steep_status run_restart(lab *l, steep_random *random, size_t r, steep_error *error)
{
    const steep_search *search = l->search;
    const bool widens = search->options->narrower && r % 3 == 2, chooses = r % 4 == 0 || r % 4 == 3,
               holds = !chooses && search->network->counts.shared_scalars > 0 && r % 3 != 2 && r % 4 == 1;
    const steep_origin kind = r % 4 == 2 ? STEEP_ORIGIN_FITTED
                              : widens   ? STEEP_ORIGIN_NARROWER
                              : chooses  ? STEEP_ORIGIN_CHOSEN
                                         : STEEP_ORIGIN_DRAWN;
    steep_status status = steep_search_begin(l->search, kind, error);
    if (status < 0) return status;
    if (widens) status = choose_start(l, random, 1 + r / 3, true, error);
    else if (chooses) status = choose_start(l, random, r / 4 * 2 + (r % 4 == 3), false, error);
    else steep_starts_draw(&l->starts, random, STEEP_STARTS_FREE, l->theta);
    if (status >= 0 && r % 4 == 2) status = fit_start(l, error);
    if (status >= 0 && holds) {
        /* which activation a mixture begins with decides what it comes to, and programs that may change it go to the
         * nearest corner instead */
        memset(l->held, 0, search->network->parameters);
        memset(l->held + search->network->shared_scalars, 1, search->network->counts.shared_scalars);
        status = run_held(l, NULL, error);
    }
    return status >= 0 ? run_start(l, error) : status;
}

/* From a network, moved: its linear parameters are found anew first, since what large ones leave of each other does not
 * outlast a move. */
static steep_status run_moved(lab *l, const double *theta, steep_random *random, steep_error *error)
{
    const steep_surface *s = &l->surface;
    steep_status status = steep_search_begin(l->search, STEEP_ORIGIN_MOVED, error);
    if (status < 0) return status;
    hop(l, theta, random, STEEP_STARTS_FREE, false);
    memset(l->theta + s->linear, 0, s->linears * sizeof *l->theta);
    memset(l->held, 1, l->search->network->parameters);
    memset(l->held + s->linear, 0, s->linears);
    status = run_held(l, NULL, error);
    return status >= 0 ? run_start(l, error) : status;
}

/* From afar, by least squares of values in every other turn: a chain comes to what least squares come to, and a better
 * minimum may lie where these lead away from. */
static steep_status run_fresh(lab *l, steep_random *random, size_t number, steep_error *error)
{
    const bool fits = number % 2 == 1;
    steep_status status = steep_search_begin(l->search, fits ? STEEP_ORIGIN_FITTED : STEEP_ORIGIN_DRAWN, error);
    if (status < 0) return status;
    steep_starts_draw(&l->starts, random, STEEP_STARTS_FREE, l->theta);
    if (fits) status = fit_start(l, error);
    return status >= 0 ? run_start(l, error) : status;
}

/* One of the best ends. */
static const double *draw_end(const lab *l, steep_random *random)
{
    size_t count = 0;
    while (count < LISTED && l->ends.W[count] < INFINITY) count++;
    return count > 0 ? l->ends.theta[(size_t)(steep_random_uniform(random) * (double)count)] : l->search->best->theta;
}

/* The programs from lab->theta, whose W over points this is, or, where a chain came to it before, what these ended in
 * then; *again: so it was. */
static steep_status run_listed(lab *l, double W, bool *again, steep_error *error)
{
    double *end = &l->search->ends[l->search->starts - 1].W;
    const double before = *end;
    for (size_t i = 0; i < l->descended; i++)
        if (fabs(W - l->descents[i].from) <= UNLIKE * W) {
            *end = fmin(*end, l->descents[i].to);
            *again = true;
            return STEEP_OK;
        }
    *end = INFINITY;
    *again = false;
    const steep_status status = run_start(l, error);
    l->descents[l->descended++] = (descent){W, *end};
    *end = fmin(*end, before);
    return status;
}

/* False: the monitor asks to stop. */
static bool proceed(lab *l, size_t fits)
{
    const steep_progress progress = {
        .stage = "squares", .iteration = fits, .rmse = l->search->best->W, .gradient_norm = NAN};
    l->search->stopped |= !steep_monitor_proceed(&l->search->options->monitor, &progress);
    return !l->search->stopped;
}

/* The networks of a chain: the one that is moved, and its sum of squares; that of the least sum; and the best by W. */
typedef struct chain {
    double *from, at, *best, least, its_W;
    ranking listed;
    size_t failed; /* moves in a row that lowered neither the least sum nor the least W */
} chain;

/* lab->theta, the end of a fit with this sum of squares, is moved next where the sum is below this, and kept where it
 * is one of the best. */
static steep_status consider(lab *l, chain *c, double sum, double below, steep_error *error)
{
    const size_t bytes = l->search->network->parameters * sizeof *l->theta;
    double W;
    if (!(sum < LIKELY * c->least)) return STEEP_OK;
    if (steep_surface_weigh(&l->surface, l->theta, &W) < 0)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the points of a witness");
    if (!isfinite(W)) return STEEP_OK;
    if (list(l, &c->listed, W) == 0) c->failed = 0;
    if (sum < below) {
        c->at = sum;
        memcpy(c->from, l->theta, bytes);
    }
    if (sum < (1 - LOWER) * c->least) {
        c->least = sum;
        c->its_W = W;
        c->failed = 0;
        memcpy(c->best, l->theta, bytes);
    }
    return STEEP_OK;
}

/* Moves in a row that lower nothing, after which a chain ends. */
static size_t patience_of(const lab *l)
{
    const size_t share = NUMBERS / (l->squares.rows * l->search->network->parameters),
                 most = l->folds.block ? PATIENCE / CHEAP : PATIENCE;
    return share < LEAST_PATIENCE ? LEAST_PATIENCE : share < most ? share : most;
}

/* A search of its own, r its number: the best of some networks by least squares of value and gradient, which is moved
 * again and again, each time from the end before or, where that is much worse, from what that began at. Such a fit takes
 * about a hundredth of what programs take. Then the programs, from the best of the chain. In every other turn all gates
 * are drawn of one steepness: the best of all steepnesses are steep gates on kinks, and much alike. */
static steep_status run_chain(lab *l, steep_random *random, size_t r, size_t *spared, steep_error *error)
{
    static const double size[] = {1, 0.5, 2, 4}, beyond[] = {0.3, 0.9};
    const steep_network *network = l->search->network;
    const size_t P = network->parameters, patience = patience_of(l), begun = patience < BEGUN ? patience : BEGUN,
                 lay = has_layouts(l) ? STEEP_STARTS_EACH : STEEP_STARTS_FREE;
    chain c = {.from = l->v + P,
               .at = INFINITY,
               .best = l->v + 2 * P,
               .least = INFINITY,
               .its_W = INFINITY,
               .listed = open_ranking(l->v + 3 * P, P)};
    bool again;
    steep_status status = steep_search_begin(l->search, r % 2 ? STEEP_ORIGIN_CHOSEN : STEEP_ORIGIN_FITTED, error);
    steep_surface_forget(&l->surface);
    if (r % 2) {
        l->starts.size = size[r / 2 % 4];
        l->starts.beyond = beyond[r / 2 % 2];
    }
    for (size_t fits = 0; c.failed < patience && c.least > STEEP_SEARCH_EXACT * STEEP_SEARCH_EXACT;
         fits++, c.failed++) {
        double sum, below = fits < begun ? c.least : (1 + WORSE) * c.at;
        if (status < 0 || !proceed(l, fits)) break;
        if (fits < begun || !(c.at < INFINITY)) steep_starts_draw(&l->starts, random, lay, l->theta);
        else hop(l, c.from, random, lay, true);
        if (!hold_gates(l)) memset(l->held, 0, P);
        if (steep_squares_fit(&l->squares, l->held, SQUARES_STEPS, below, l->theta, &sum) < 0)
            return steep_fail(error, STEEP_NO_MEMORY, "no memory for the points of a witness");
        status = consider(l, &c, sum, below, error);
    }
    l->starts.size = l->starts.beyond = 0;
    for (size_t k = 0; k <= LISTED && status >= 0 && !l->search->stopped; k++) { /* the last: of the least sum */
        const double W = k < LISTED ? c.listed.W[k] : c.its_W;
        if (!(W < INFINITY)) continue;
        memcpy(l->theta, k < LISTED ? c.listed.theta[k] : c.best, P * sizeof *l->theta);
        status = run_listed(l, W, &again, error);
        *spared += again;
    }
    return status;
}

static steep_status run_chains(lab *l, steep_error *error)
{
    steep_search *search = l->search;
    steep_random random =
        steep_random_start(search->options->seed, (uint64_t)STEEP_STREAM_CHOSEN << 32 | search->network->width);
    steep_random own = /* so that chains are the same with and without what is moved */
        steep_random_start(search->options->seed, (uint64_t)STEEP_STREAM_MOVED << 32 | search->network->width);
    steep_status status = STEEP_OK;
    const size_t chains = (l->folds.block ? 1 : CHAINS) * search->options->restarts;
    l->descents = malloc(chains * (LISTED + 1) * sizeof *l->descents);
    if (!l->descents) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the ends of chains");
    for (size_t r = 0; r < chains && status >= 0; r++) {
        size_t spared = 0;
        if (is_done(search)) break;
        status = run_chain(l, &random, r, &spared, error);
        for (size_t h = 0; h < MOVES + spared && status >= 0 && !is_done(search); h++)
            status = run_moved(l, h < MOVES ? search->best->theta : draw_end(l, &own), &own, error);
        for (size_t f = 0; f < FRESH && search->network->dim == 1; f++) {
            if (status < 0 || is_done(search)) break;
            status = run_fresh(l, &own, f, error);
        }
    }
    free(l->descents);
    return status;
}

static steep_status run_all(lab *l, steep_error *error)
{
    steep_search *search = l->search;
    const steep_separate_options *options = search->options;
    steep_random random =
        steep_random_start(options->seed, (uint64_t)STEEP_STREAM_START << 32 | search->network->width);
    steep_random own = /* so that restarts are the same with and without what is moved */
        steep_random_start(options->seed, (uint64_t)STEEP_STREAM_MOVED << 32 | search->network->width);
    steep_status status = take_zero(l, error);
    for (size_t number = 0; number < STEEP_STARTS_KNOWN && status >= 0 && !search->stopped; number++) {
        if (!steep_starts_known(&l->starts, &random, number, l->theta)) continue;
        status = steep_search_begin(search, STEEP_ORIGIN_KNOWN, error);
        if (status >= 0) status = offer(l, STEEP_CONVERGED, error);
        if (status >= 0 && !is_done(search)) status = run_start(l, error);
    }
    if (status < 0 || is_done(search)) return status;
    if (options->narrower && search->network->width > 1) {
        status = steep_search_begin(search, STEEP_ORIGIN_NARROWER, error);
        if (status >= 0) status = choose_start(l, &random, 0, true, error);
        if (status >= 0) status = run_start(l, error);
    }
    for (size_t r = 0; r < options->restarts && status >= 0 && !is_done(search); r++) {
        status = run_restart(l, &random, r, error);
        if (status < 0 || r < HOPS || is_done(search)) continue;
        status = run_moved(l, search->best->theta, &own, error);
    }
    return status;
}

/* Norms of lab->theta over points and by a certificate; keeps it as the best if it is better than *least, which no other
 * network is held against but those that went through here. */
static steep_status weigh(lab *l, double *least, size_t *joined, steep_error *error)
{
    steep_separation *best = l->search->best;
    double E[2];
    size_t seen;
    steep_surface_gather(&l->surface, l->theta, l->v);
    steep_status status = steep_surface_refine(&l->surface, l->v, E, NULL);
    if (status >= 0) status = steep_surface_refine(&l->surface, l->v, (double[2]){0}, &seen);
    if (status < 0) return steep_fail(error, status, "no memory for the points of a witness");
    status = steep_surface_certify(&l->surface, l->v, BOXES, E, joined, error);
    *joined += seen;
    if (status < 0 || !(E[0] + E[1] < *least)) return status;
    memcpy(best->theta, l->theta, l->search->network->parameters * sizeof *l->theta);
    best->E0 = E[0];
    best->E1 = E[1];
    *least = best->W = E[0] + E[1];
    return STEEP_OK;
}

/* The best ends go on, each until its programs lower it no more: patience ends many descents early. */
static steep_status run_on(lab *l, steep_error *error)
{
    const size_t P = l->search->network->parameters;
    ranking from = l->ends; /* which change */
    steep_status status = STEEP_OK;
    for (size_t k = 0; k < LISTED; k++)
        from.theta[k] = memcpy(l->v + (3 + LISTED + k) * P, l->ends.theta[k], P * sizeof *l->theta);
    for (size_t k = 0; k < LISTED && status >= 0 && from.W[k] < INFINITY; k++) {
        status = steep_search_begin(l->search, STEEP_ORIGIN_MOVED, error);
        if (status < 0) return status;
        steep_search_end *end = l->search->ends + l->search->starts - 1, *first = l->search->ends + from.start[k];
        memcpy(l->theta, from.theta[k], P * sizeof *l->theta);
        for (int round = 0; round < GO_ON && status >= 0 && !l->search->stopped; round++) {
            status = run_start(l, error);
            if (!(end->W < from.W[k] * (1 - GAINED))) break;
            from.W[k] = first->W = end->W;
        }
    }
    return status;
}

/* By exchange (Remez): the points where a certificate finds the norms of lab->theta join the problem, which is solved
 * again, until they are no larger than the points show. */
static steep_status run_exchange(lab *l, double *least, steep_error *error)
{
    size_t joined = 1;
    steep_status status = STEEP_OK;
    steep_surface_forget(&l->surface);
    for (size_t round = 0; status >= 0 && joined > 0 && !l->search->stopped; round++) {
        status = weigh(l, least, &joined, error);
        if (status < 0 || round == EXCHANGES) break;
        hold_gates(l);
        if (joined > 0) status = run_held(l, NULL, error);
    }
    return status;
}

/* Ends the search: the best by exchange, and others whose points show less than what becomes of it. The end is no worse
 * than the network of 0 and the narrower network by the same measure. */
static steep_status run_last(lab *l, steep_error *error)
{
    steep_search *search = l->search;
    const size_t bytes = search->network->parameters * sizeof *l->theta;
    double least = INFINITY;
    size_t joined;
    steep_status status = STEEP_OK;
    for (size_t k = 0; k < LISTED && status >= 0 && l->ends.W[k] < least && !search->stopped; k++) {
        memcpy(l->theta, l->ends.theta[k], bytes);
        status = run_exchange(l, &least, error);
    }
    if (status >= 0 && l->W_of_0 < least) {
        memset(l->theta, 0, bytes);
        status = weigh(l, &least, &joined, error);
    }
    if (status < 0 || !search->options->narrower || search->network->width < 2) return status;
    steep_random random = steep_random_start(search->options->seed, STEEP_STREAM_START);
    status = steep_starts_widen(&l->starts, &random, STEEP_STARTS_FREE, l->theta, error);
    return status >= 0 ? weigh(l, &least, &joined, error) : status;
}

/* The same by exact norms, which the network of 0 has not had yet. */
static steep_status run_last_folds(lab *l, steep_error *error)
{
    steep_search *search = l->search;
    steep_status status = steep_search_begin(search, STEEP_ORIGIN_MOVED, error);
    if (status < 0) return status;
    memcpy(l->theta, search->best->theta, search->network->parameters * sizeof *l->theta);
    search->best->W = INFINITY;
    status = run_folds(l, error);
    search->best->is_exact = l->surface.kinks.is_complete;
    if (status < 0 || !search->options->narrower || search->network->width < 2) return status;
    steep_random random = steep_random_start(search->options->seed, STEEP_STREAM_START);
    status = steep_starts_widen(&l->starts, &random, STEEP_STARTS_FREE, l->theta, error);
    return status >= 0 ? run_folds(l, error) : status;
}

static steep_status run_end(lab *l, steep_error *error)
{
    const steep_search *search = l->search;
    if (!isfinite(search->best->W)) return STEEP_OK;
    if (l->folds.block) return run_last_folds(l, error);
    if (search->best->W <= STEEP_SEARCH_EXACT || search->stopped) return STEEP_OK;
    const steep_status status = run_on(l, error);
    return status < 0 || search->stopped ? status : run_last(l, error);
}

steep_status steep_search_surfaces(steep_search *search, steep_error *error)
{
    const size_t parameters = search->network->parameters;
    lab l = {.search = search};
    steep_status status =
        steep_surface_open(&l.surface, search->network, search->witness, search->options->norm, error);
    if (status < 0) return status;
    l.starts = (steep_starts){.network = search->network,
                              .witness = search->witness,
                              .row = search->row,
                              .kinks = &l.surface.kinks,
                              .has_kinks = l.surface.has_kinks,
                              .lambda = search->options->lambda,
                              .narrower = search->options->narrower};
    l.theta = calloc((4 + 3 * LISTED) * parameters, sizeof *l.theta);
    l.held = malloc(2 * parameters);
    if (l.theta && l.held) {
        l.active = l.held + parameters;
        l.v = l.theta + parameters;
        l.ends = open_ranking(l.v + (3 + 2 * LISTED) * parameters, parameters);
    } else status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a network");
    if (status >= 0) status = steep_folds_open(search->witness, &l.surface.kinks, search->network, &l.folds, error);
    if (status >= 0) status = steep_samples_grid(search->witness, SAMPLES, &l.samples, error);
    if (status >= 0 && steep_squares_open(&l.squares, &l.surface) < 0)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the points of a witness");
    if (status >= 0) status = run_all(&l, error);
    if (status >= 0) status = run_chains(&l, error);
    if (status >= 0) status = run_end(&l, error);
    steep_folds_close(&l.folds);
    steep_samples_free(&l.samples);
    free(l.theta);
    free(l.held);
    steep_squares_close(&l.squares);
    steep_surface_close(&l.surface);
    return status;
}
