/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan chooses where the options do not say it.
 *
 *   one dimension     frozen gates where the uniform start puts them, 2,000 random points
 *   two and more      start greedy, 20 points for each parameter of the largest network, 2,000 at least: a grid in 2D,
 *                     Sobol points to 40D, random points above. Frozen gates where some unit has the order of a
 *                     piecewise polynomial; else varpro from 5 starts, at widths that take minutes.
 *
 *   several layers    lm from random starts, in any dimension
 *
 * A list with targets in one dimension and in more gets what one dimension gets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fit/solvers.h"
#include "model/network.h"
#include "numerics/quadrature.h"
#include "plan/parts.h"
#include "plan/range.h"

#define USUAL_SAMPLES       2000
#define POINTS_TO_PARAMETER 20
#define FEW_TO_PARAMETER    10 /* with fewer, more points are known to lower errors */
#define MOST_SAMPLES        1e8
#define TRAINED_WIDTHS      "2:32:x1.5"

/* The largest, or the least, dimension of the requested targets. */
static size_t extreme_dim(const steep_plan *plan, bool largest)
{
    size_t found = 0;
    for (size_t t = 0; t < plan->targets; t++) {
        const size_t dim = plan->target[t].dim;
        if (plan->target[t].wanted && (found == 0 || (dim > found) == largest)) found = dim;
    }
    return found;
}

static bool in_planes(const steep_plan *plan)
{
    return extreme_dim(plan, false) > 1;
}

/* Is a unit known to have an order that frozen gates show? */
static bool has_order(const steep_variant *v)
{
    return steep_architecture_order(v->architecture, &v->choice) > 0;
}

static bool is_deep(const steep_plan *plan)
{
    bool some = false;
    for (size_t v = 0; v < plan->variants; v++) some |= plan->variant[v].wanted && plan->variant[v].choice.depth > 1;
    return some;
}

/* Parameters of the largest requested network. */
static double most_parameters(const steep_plan *plan)
{
    double most = 0;
    if (plan->budgets > 0) return (double)plan->budget[plan->budgets - 1];
    for (size_t v = 0; v < plan->variants && plan->wanted_widths > 0; v++) {
        const steep_variant *variant = &plan->variant[v];
        steep_network network;
        if (steep_network_init(&network, variant->architecture, &variant->choice, extreme_dim(plan, true),
                               plan->wanted_width[plan->wanted_widths - 1], NULL) == STEEP_OK)
            most = fmax(most, (double)steep_network_size(&network));
    }
    return most;
}

static steep_sampling usual_sampling(const steep_plan *plan)
{
    const size_t dim = extreme_dim(plan, true);
    if (plan->data || !in_planes(plan) || dim > STEEP_SOBOL_DIM) return STEEP_RANDOM;
    return dim == 2 ? STEEP_GRID : STEEP_SOBOL;
}

static size_t usual_samples(const steep_plan *plan)
{
    if (plan->data || !in_planes(plan)) return USUAL_SAMPLES;
    double count = fmax(USUAL_SAMPLES, POINTS_TO_PARAMETER * most_parameters(plan));
    if (plan->sampling == STEEP_GAUSS) count = fmin(count, pow(STEEP_GAUSS_MOST, (double)extreme_dim(plan, true)));
    count = fmin(count, MOST_SAMPLES);
    if (plan->sampling != STEEP_GRID || extreme_dim(plan, true) != 2) return (size_t)count;
    return steep_samples_train_count(STEEP_GRID, (size_t)count, 2);
}

static bool is_auto(const char *samples)
{
    return !samples || strcmp(samples, "auto") == 0;
}

/* The given values, or else those of the folder. A given solver comes with its own start, not with the folder's. */
static steep_plan_chosen go_on(steep_plan_chosen said, const steep_plan_chosen *folder)
{
    if (is_auto(said.samples)) said.samples = folder->samples;
    if (said.restarts == STEEP_AUTO) said.restarts = folder->restarts;
    if (!said.sampling) said.sampling = folder->sampling;
    if (!said.widths) said.widths = folder->widths;
    if (!said.solver && !said.start) said.start = folder->start;
    if (!said.solver) said.solver = folder->solver;
    return said;
}

/* A copy that the plan owns; NULL stays. */
static steep_status own(const char *text, const char **copy, steep_error *error)
{
    *copy = text ? strdup(text) : NULL;
    return *copy || !text ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for an option");
}

/* The last width of --layers, without the + of residual ones. */
static const char *last_width(const char *layers, char text[64])
{
    const char *last = strrchr(layers, ',') ? strrchr(layers, ',') + 1 : layers;
    const size_t length = strlen(last);
    snprintf(text, 64, "%.*s", (int)(length > 1 && last[length - 1] == '+' ? length - 1 : length), last);
    return text;
}

steep_start_kind steep_plan_own_start(const steep_plan *plan, const steep_variant *variant, steep_solver solver)
{
    bool lines = plan->data == NULL && !plan->standardize && !plan->noise.deviation; /* a 1D formula as it is */
    if (variant ? variant->choice.depth > 1 : is_deep(plan)) return STEEP_START_RANDOM;
    for (size_t t = 0; t < plan->targets; t++) lines = lines && plan->target[t].dim == 1;
    const steep_start_of of = in_planes(plan) ? STEEP_OF_PLANES : lines ? STEEP_OF_FORMULA : STEEP_OF_LINE;
    return steep_solver_table(solver)->start[of];
}

/* lm for several layers; the solver that moves knots where there are knots in 1D; else varpro. */
static steep_solver automatic_solver(const steep_plan *plan, const steep_variant *variant)
{
    const steep_solver_case asked = {
        variant->architecture, &variant->choice, variant->label, "", extreme_dim(plan, true), 1};
    if (variant->choice.depth > 1) return STEEP_SOLVER_LM;
    const bool knots = steep_solver_table(STEEP_SOLVER_REDUCED_NEWTON)->takes(&asked, NULL) == STEEP_OK;
    return knots ? STEEP_SOLVER_REDUCED_NEWTON : STEEP_SOLVER_VARPRO;
}

/* Sets the solver and start of a comparator, or with --solver auto of any variant. */
static void own_method(const steep_plan *plan, const steep_plan_chosen *said, steep_variant *variant)
{
    const steep_architecture *row = variant->architecture;
    const bool automatic = said->solver && strcmp(said->solver, "auto") == 0, placed = row->place != NULL;
    variant->own_solver = placed || automatic || (row->solver && !said->solver);
    variant->own_start = placed || (automatic && !said->start) || (row->begins && !said->start);
    if (variant->own_solver)
        variant->solver = row->solver ? (steep_solver)steep_options_index(steep_solver_names, row->solver)
                                      : automatic_solver(plan, variant);
    if (!variant->own_start) return;
    variant->start = row->begins ? (steep_start_kind)steep_options_index(steep_start_names, row->begins)
                                 : steep_plan_own_start(plan, variant, variant->solver);
    if (variant->start == STEEP_START_EQUIDISTRIBUTED)
        variant->start = steep_plan_own_start(plan, variant, STEEP_SOLVER_REDUCED_NEWTON);
}

steep_status steep_plan_choose_lists(steep_plan *plan, const steep_problem_options *problem,
                                     const steep_model_options *model, const steep_solver_options *solver,
                                     steep_error *error)
{
    const steep_plan_chosen *folder = in_planes(plan) ? problem->folder : NULL;
    steep_plan_chosen said = {solver->restarts, problem->samples, problem->sampling,
                              solver->solver,   solver->start,    model->widths};
    if (folder) said = go_on(said, folder);
    bool ordered = false;
    for (size_t v = 0; v < plan->variants; v++) ordered |= has_order(&plan->variant[v]);
    const bool deep = is_deep(plan), trained = (deep || (in_planes(plan) && !ordered)) && !said.solver;
    char last[64];
    if (model->layers) said.widths = last_width(model->layers, last);
    if (trained && said.restarts == STEEP_AUTO) said.restarts = STEEP_PLAN_RESTARTS;
    for (size_t v = 0; v < plan->variants; v++) own_method(plan, &said, &plan->variant[v]);
    if (!said.widths && !model->params) said.widths = trained ? TRAINED_WIDTHS : STEEP_DEFAULT_WIDTHS;
    if (!said.solver) said.solver = deep ? "lm" : trained ? "varpro" : "frozen";
    if (!said.sampling) said.sampling = steep_sampling_names((size_t)usual_sampling(plan));
    plan->sampling = (steep_sampling)steep_options_index(steep_sampling_names, said.sampling);
    said.sampling = steep_sampling_names((size_t)plan->sampling);
    plan->fit.restarts = said.restarts;
    plan->chosen = (steep_plan_chosen){.restarts = said.restarts, .sampling = said.sampling};
    if (is_auto(said.samples)) said.samples = NULL;
    steep_status status = own(said.samples, &plan->chosen.samples, error);
    if (status == STEEP_OK) status = own(said.widths, &plan->chosen.widths, error);
    if (status == STEEP_OK) status = own(said.solver, &plan->chosen.solver, error);
    return status == STEEP_OK ? own(said.start, &plan->chosen.start, error) : status;
}

steep_status steep_plan_choose_samples(steep_plan *plan, steep_error *error)
{
    char usual[32];
    steep_status status = STEEP_OK;
    if (!plan->chosen.samples) {
        snprintf(usual, sizeof usual, "%zu", usual_samples(plan));
        status = own(usual, &plan->chosen.samples, error);
    }
    const steep_range_limits limits = {"samples", 2, (size_t)MOST_SAMPLES};
    return status == STEEP_OK ? steep_range(&limits, plan->chosen.samples, &plan->set, &plan->sets, error) : status;
}

/* Records the start in two and more dimensions where all methods have the same; in one each solver has its own. */
steep_status steep_plan_name_start(steep_plan *plan, steep_error *error)
{
    bool same = in_planes(plan) && plan->methods > 0;
    for (size_t m = 1; m < plan->methods; m++) same = same && plan->method[m].start == plan->method[0].start;
    if (!same || plan->chosen.start) return STEEP_OK;
    return own(steep_start_names((size_t)plan->method[0].start), &plan->chosen.start, error);
}

void steep_plan_advice(const steep_plan *plan, char *text, size_t size)
{
    const size_t dim = extreme_dim(plan, true);
    const double needed = fmin(MOST_SAMPLES, ceil(most_parameters(plan)) * POINTS_TO_PARAMETER);
    const bool few = plan->sets == 1 && (double)plan->set[0] < needed / POINTS_TO_PARAMETER * FEW_TO_PARAMETER;
    char better[200];
    text[0] = better[0] = '\0';
    if (dim <= 1) return;
    if (!in_planes(plan)) {
        snprintf(text, size, "targets in 1D and in %zuD have what suits 1D: give those in %zuD a command of their own",
                 dim, dim);
        return;
    }
    const bool deep = is_deep(plan);
    bool some = false, smooth = false, placed = false, greedy = false, trained = false;
    for (size_t v = 0; v < plan->variants; v++) {
        const steep_variant *variant = &plan->variant[v];
        const bool moves = variant->wanted && !variant->architecture->place;
        some |= moves;
        smooth |= moves && !has_order(variant);
        placed |= variant->wanted && variant->own_solver;
    }
    for (size_t m = 0; m < plan->methods; m++) {
        const steep_method *method = &plan->method[m];
        const steep_solver_row *solver = steep_solver_table(method->solver);
        const bool own = solver->start[STEEP_OF_PLANES] != STEEP_START_GREEDY; /* its default start is another */
        greedy |= method->wanted && (method->start == STEEP_START_GREEDY || own);
        trained |= method->wanted && !solver->frozen;
    }
#define ADD(...) steep_text_add(better, sizeof better, __VA_ARGS__)
    if (!deep && some && !greedy) ADD(", --start greedy");
    if (!deep && smooth && !trained) ADD(", --solver varpro --restarts %d", STEEP_PLAN_RESTARTS);
    const steep_network largest = {.parameters = (size_t)most_parameters(plan)};
    const steep_solver_row *row;
    for (size_t s = 0; !deep && !smooth && !placed && !trained && (row = steep_solver_table(s)); s++)
        if (row->planes_alone && row->restarts && row->restarts(&largest).most > 0) ADD(", --solver %s", row->name);
    if (!plan->data && plan->sampling == STEEP_RANDOM && dim <= STEEP_SOBOL_DIM)
        ADD(", --sampling %s", dim == 2 ? "grid" : "sobol");
    if (!plan->data && few) ADD(", --samples %.0f", needed);
#undef ADD
    if (*better) snprintf(text, size, "in %zuD other options are known to end lower: %s", dim, better + 2);
}
