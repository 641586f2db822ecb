/* SPDX-License-Identifier: GPL-3.0-or-later */
/* depth: networks of several layers against chains of networks of one layer; derivatives against differences. */
#include "fit/solvers.h"
#include "opened.h"
#include "plane.h"

enum { POINTS = 6, MOST = 12000, MOST_DIM = 33 };

static double theta[MOST], x[MOST_DIM * POINTS];

/* Draws points and a network of a row with one to three layers of random widths, residual or not, with its parameters.
 * In many dimensions the network has one layer, and points are small, so that its maps stay of order 1. */
static void draw_network(steep_random *random, const steep_architecture *row, const steep_choice *usual,
                         steep_network *network)
{
    steep_choice choice = *usual;
    steep_error error = {""};
    const bool many = chance_below(random, 5) == 0;
    const size_t dim = 1 + chance_below(random, many ? MOST_DIM : 3), width = 1 + chance_below(random, 3);
    choice.depth = many ? 1 : 1 + chance_below(random, 3);
    for (size_t l = 0; l + 1 < choice.depth; l++) choice.hidden[l] = chance_below(random, 4);
    choice.residual = choice.depth > 1 && chance_below(random, 2);
    ck_assert_msg(steep_network_init(network, row, &choice, dim, width, &error) == STEEP_OK, "%s", error.text);
    ck_assert_uint_le(network->parameters, MOST);
    chance_fill(random, -1, 1, network->parameters, theta);
    chance_fill(random, -1 / sqrt((double)dim), 1 / sqrt((double)dim), POINTS * dim, x);
}

/* Evaluates the layers one by one, each as a network of one layer: the values agree, and so does the number P. */
static void check_values(const steep_network *network)
{
    double in[MOST_DIM * POINTS], h[16 * POINTS], y[POINTS], whole[POINTS], own[MOST];
    size_t next = 0, fan_in = network->dim;
    memcpy(in, x, sizeof x);
    for (size_t l = 0; l < network->depth; l++) {
        const bool last = l + 1 == network->depth;
        const size_t width = last ? network->width : network->hidden[l];
        steep_network layer;
        steep_choice choice = network->choice;
        choice.depth = 1;
        ck_assert_int_eq(steep_network_init(&layer, network->architecture, &choice, fan_in, width, NULL), STEEP_OK);
        const size_t count = last ? layer.parameters : layer.output;
        memset(own, 0, sizeof own);
        memcpy(own, theta + next, count * sizeof *own);
        ck_assert_int_eq(steep_network_units(&layer, own, POINTS, in, h), STEEP_OK);
        for (size_t k = 0; choice.residual && l > 0 && k < width * POINTS && k < fan_in * POINTS; k++) h[k] += in[k];
        for (size_t k = 0; last && k < POINTS; k++) {
            y[k] = own[layer.bias];
            for (size_t i = 0; i < width; i++) y[k] += own[layer.output + i] * h[i * POINTS + k];
        }
        memcpy(in, h, width * POINTS * sizeof *h);
        next += count;
        fan_in = width;
    }
    ck_assert_uint_eq(next, network->parameters);
    ck_assert_int_eq(steep_network_values(network, theta, POINTS, x, whole), STEEP_OK);
    for (size_t k = 0; k < POINTS; k++) ck_assert(whole[k] == y[k] || (isnan(whole[k]) && isnan(y[k])));
}

/* A number to move, and the function of it: the value at a point, or v'J w if w is given. */
typedef struct sweep {
    const steep_network *network;
    double *moved; /* a parameter or a coordinate */
    size_t point;
    double *J, *w; /* w NULL: the value */
    const double *v;
} sweep;

static double seen(const sweep *s)
{
    double y[POINTS], sum = 0;
    if (!s->w) return steep_network_values(s->network, theta, POINTS, x, y) == STEEP_OK ? y[s->point] : NAN;
    if (steep_network_jacobian(s->network, theta, POINTS, x, y, s->J, POINTS) != STEEP_OK) return NAN;
    for (size_t q = 0; q < POINTS * s->network->parameters; q++) sum += s->v[q % POINTS] * s->J[q] * s->w[q / POINTS];
    return sum;
}

static double seen_at(void *context, double t)
{
    const sweep *s = context;
    const double kept = *s->moved;
    *s->moved = kept + t;
    const double found = seen(s);
    *s->moved = kept;
    return found;
}

/* Checks a derivative against differences whose steps shrink until no kink is in reach; *sharp counts those known to
 * 1e-7. */
static void check_one(sweep *s, double *moved, double entry, size_t *sharp, size_t *all)
{
    difference d = {0};
    bool fits = false;
    s->moved = moved;
    for (double step = 2e-3; step > 1e-8 && !fits; step /= 8) {
        d = differentiate(seen_at, s, step);
        fits = fabs(entry - d.value) <= d.tolerance + 1e-11 * fabs(entry);
    }
    ck_assert_msg(fits, "%s: %.17g, by differences %.17g +- %.2g", s->network->architecture->name, entry, d.value,
                  d.tolerance);
    *sharp += d.tolerance <= 1e-7 * (1 + fabs(entry));
    ++*all;
}

/* Checks the curvature of one layer along a random direction: it is added to the lower triangle of H alone. */
static void check_curvature(const steep_network *network, const double *v, steep_random *random, size_t *sharp,
                            size_t *all)
{
    const size_t P = network->parameters;
    SCOPED(release_memory)
    double *H = malloc(P * P * sizeof *H), *J = malloc(POINTS * P * sizeof *J), *w = malloc(P * sizeof *w);
    sweep s = {.network = network, .J = J, .v = v, .w = w};
    ck_assert(H && J && w);
    for (size_t q = 0; q < P * P; q++) H[q] = 0.25;
    chance_fill(random, -1, 1, P, w);
    ck_assert_int_eq(steep_network_curvature(network, theta, POINTS, x, v, H), STEEP_OK);
    for (size_t p = 0; p < P; p += 1 + P / 30) {
        double row = 0;
        for (size_t q = 0; q < P; q++) row += (H[p > q ? p + q * P : q + p * P] - 0.25) * w[q];
        check_one(&s, &theta[p], row, sharp, all);
        for (size_t q = p + 1; q < P; q++) ck_assert(H[p + q * P] == 0.25);
    }
}

static void check_derivatives(const steep_network *network, steep_random *random, size_t *sharp, size_t *all)
{
    const size_t P = network->parameters;
    SCOPED(release_memory) double *J = malloc(POINTS * P * sizeof *J), *sums = malloc(2 * P * sizeof *sums);
    double y[POINTS], r[POINTS], slopes[MOST_DIM * POINTS], own[POINTS];
    ck_assert(J && sums);
    ck_assert_int_eq(steep_network_jacobian(network, theta, POINTS, x, y, J, POINTS), STEEP_OK);
    ck_assert_int_eq(steep_network_input_gradient(network, theta, POINTS, x, own, slopes), STEEP_OK);
    sweep s = {.network = network};
    for (s.point = 0; s.point < 2; s.point++) {
        ck_assert(y[s.point] == own[s.point]);
        for (size_t p = 0; p < P; p += 1 + P / 30) check_one(&s, &theta[p], J[s.point + p * POINTS], sharp, all);
        for (size_t j = 0; j < network->dim; j++)
            check_one(&s, &x[j * POINTS + s.point], slopes[j * POINTS + s.point], sharp, all);
    }
    chance_fill(random, -1, 1, POINTS, r);
    ck_assert_int_eq(
        steep_network_gradient(network, theta, &(steep_residuals){POINTS, x, r, NULL}, NULL, sums, sums + P), STEEP_OK);
    for (size_t p = 0; p < P; p++) {
        double first = 0, second = 0, size = 0;
        for (size_t k = 0; k < POINTS; k++) {
            const double j = J[k + p * POINTS];
            first += r[k] * j / POINTS, second += j * j / POINTS, size += fabs(r[k] * j) / POINTS;
        }
        ck_assert(fabs(sums[p] - first) <= 16 * DBL_EPSILON * size + 1e-300);
        ck_assert(fabs(sums[P + p] - second) <= 16 * DBL_EPSILON * second + 1e-300);
    }
    if (network->depth == 1) check_curvature(network, r, random, sharp, all);
    else ck_assert_int_eq(steep_network_curvature(network, theta, POINTS, x, r, sums), STEEP_BAD_INPUT);
}

/* Values against layers, derivatives against differences, for every row with each choice worth testing. */
START_RANDOM_TEST(layers_are_their_parts, 31)
{
    size_t sharp = 0, all = 0;
    const steep_architecture *row;
    steep_choice choice;
    for (size_t c = 0; next_unit(&c, &row, &choice);)
        for (size_t trial = 0; trial < chance_cases(2); trial++) {
            steep_network network;
            draw_network(&random, row, &choice, &network);
            check_values(&network);
            check_derivatives(&network, &random, &sharp, &all);
        }
    ck_assert_msg(sharp > 9 * all / 10, "%zu of %zu differences are sharp", sharp, all);
}

/* The value at point k of MANY in long double: a unit multiplies affine maps, the first one through relu or tanh. */
enum { MANY = 200 };
static long double exact_value(const steep_network *network, const double *points, size_t k)
{
    const bool tanh_first = network->choice.activation == steep_activation_find("tanh");
    long double in[80], out[80], y;
    const double *at = theta;
    size_t fan_in = network->dim;
    for (size_t j = 0; j < fan_in; j++) in[j] = points[j * MANY + k];
    for (size_t l = 0; l < network->depth; l++) {
        const size_t width = l + 1 == network->depth ? network->width : network->hidden[l];
        for (size_t i = 0; i < width; i++) out[i] = 1;
        for (size_t b = 0; b < network->counts.branches; b++)
            for (size_t i = 0; i < width; i++, at += fan_in + 1) {
                long double z = at[fan_in];
                for (size_t j = 0; j < fan_in; j++) z += at[j] * in[j];
                out[i] *= b > 0 ? z : tanh_first ? tanhl(z) : fmaxl(z, 0);
            }
        for (size_t i = 0; network->choice.residual && l > 0 && i < width && i < fan_in; i++) out[i] += in[i];
        memcpy(in, out, width * sizeof *in);
        fan_in = width;
    }
    y = at[network->width];
    for (size_t i = 0; i < network->width; i++) y += at[i] * in[i];
    return y;
}

/* The floor against the rms of rounding errors: over many random networks it is neither too small nor much too large
 * (it counts some roundings that are often exact). Each kind of rounding leads in some row: partial sums of the output
 * in a wide network, partial sums of a map in one unit of many coordinates, and layers in the last row. */
START_RANDOM_TEST(the_floor_is_the_rounding, 32)
{
    static const struct {
        const char *arch, *activation;
        size_t dim, width;
        bool layers; /* random layers, dimensions and widths */
        double least, most;
    } rows[] = {{"mlp", "relu", 1, 80, false, 1, 1.6}, {"mlp", "relu", 9, 1, false, 1, 1.6},
                {"glu", "relu", 4, 80, false, 1, 1.6}, {"glu", "relu", 9, 1, false, 1, 1.6},
                {"gqu", "relu", 1, 80, false, 1, 1.6}, {"gqu", "relu", 9, 1, false, 1, 1.6},
                {"mlp", "tanh", 1, 2, true, 0.5, 2}};
    static double points[MOST_DIM * MANY];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const size_t cases = chance_cases(rows[r].layers ? 200 : 30);
        double mean = 0;
        for (size_t t = 0; t < cases; t++) {
            steep_network network = network_of(rows[r].arch, rows[r].activation, rows[r].dim, rows[r].width);
            double y[MANY], square = 0, floor;
            if (rows[r].layers) draw_network(&random, network.architecture, &network.choice, &network);
            else chance_fill(&random, -1, 1, network.parameters, theta);
            if (rows[r].width == 1) theta[network.bias] = 0, theta[rows[r].dim] = 4; /* open, no sum of outputs */
            const double reach = rows[r].layers ? 1 / sqrt((double)network.dim) : 1;
            chance_fill(&random, -reach, reach, network.dim * MANY, points);
            ck_assert_int_eq(steep_network_values(&network, theta, MANY, points, y), STEEP_OK);
            ck_assert_int_eq(steep_network_floor(&network, theta, MANY, points, &floor), STEEP_OK);
            for (size_t k = 0; k < MANY; k++)
                square += pow((double)(y[k] - exact_value(&network, points, k)), 2) / MANY;
            mean += log(floor / (sqrt(square) + 1e-18)) / (double)cases;
            ck_assert_msg(sqrt(square) < 6 * floor, "error %.3g, floor %.3g", sqrt(square), floor);
        }
        ck_assert_msg(mean > log(rows[r].least) && mean < log(rows[r].most),
                      "%s:%s in %zuD: the floor is %.3f times the rounding", rows[r].arch, rows[r].activation,
                      rows[r].dim, exp(mean));
    }
}

static steep_network layers_of(const char *activation, size_t dim, size_t depth, size_t width)
{
    const steep_architecture *row = steep_architecture_find("mlp", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.activation = steep_activation_find(activation);
    choice.depth = depth;
    return layout_of(row, &choice, dim, width);
}

/* What does not suit layers is refused: residual glu has no branch to eliminate; a grown layer needs enough width. */
START_TEST(fits_that_layers_do_not_have_are_refused)
{
    static const struct {
        const char *arch, *solver, *text;
        size_t below, width;
        bool residual;
    } row[] = {
        {"glu", "varpro", "use lm", 4, 4, true},           {"glu", "frozen", "use lm", 4, 4, true},
        {"mlp", "lm", "use start layerwise", 5, 4, false}, {"polynorm", "lm", "a norm couples the units", 4, 4, false},
        {"polynorm", "varpro", NULL, 4, 3, true},          {"mlp", "varpro", NULL, 4, 4, true}};
    PLANE_AT(p, "x^2", true, 100, 0, "mlp", NULL, 4);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        plane_change(&p, row[i].arch, NULL, row[i].width);
        steep_choice choice = p.network.choice;
        choice.depth = 2;
        choice.hidden[0] = row[i].below;
        choice.residual = row[i].residual;
        p.network = layout_of(p.network.architecture, &choice, 1, row[i].width);
        steep_fit_options options =
            options_by(steep_solver_find(row[i].solver), row[i].residual ? STEEP_START_RANDOM : STEEP_START_GROWN);
        options.max_iterations = 5;
        if (row[i].text) plane_refuses(&p, &options, row[i].text);
        else {
            FITTED result = plane_fit_by(&p, &options);
        }
    }
}

/* From the same starts, lm ends below GSL's trust region in 100 iterations: from 4 of 5 starts, at half of the error on
 * average (measured: a tenth, 148 of 150 starts). The target is fixed; with SEEDS=2 a random one follows. */
START_RANDOM_TEST(fits_end_below_those_of_gsl, 34)
{
    enum { STARTS = 5 };
    const size_t cases = chance_cases(1);
    size_t lower = 0;
    double ratio = 0;
    for (size_t t = 0; t < cases; t++) {
        char formula[400] = "exp(sin(pi*x)+y^2)";
        SCOPED(plane_close) plane p;
        if (t > 0) draw_formula(&random, 2, formula, sizeof formula);
        plane_open_at(&p, formula, true, 144, 0, "mlp", "tanh", 6);
        p.network = layers_of("tanh", 2, 2, 6);
        for (size_t s = 0; s < STARTS; s++) {
            steep_fit_options options = options_by(STEEP_SOLVER_LM, STEEP_START_RANDOM);
            options.seed = s;
            options.restarts = 0;
            options.max_iterations = 100;
            FITTED lm = plane_fit_by(&p, &options);
            options.solver = STEEP_SOLVER_GSL;
            FITTED gsl = plane_fit_by(&p, &options);
            lower += lm.rmse_train < gsl.rmse_train;
            ratio += log(lm.rmse_train / gsl.rmse_train) / (double)(STARTS * cases);
        }
    }
    ck_assert_msg(5 * lower >= 4 * STARTS * cases && exp(ratio) < 0.5, "%zu of %zu starts, %g times", lower,
                  STARTS * cases, exp(ratio));
}

/* E h(z)^2, z normal, by the trapezoidal rule. */
static double mean_square(const steep_network *network)
{
    double sum = 0, h;
    for (double z = -12; z <= 12; z += 1.0 / 128) {
        steep_architecture_unit(network->architecture, &network->choice, &z, 0, &h, NULL, NULL);
        sum += h * h * exp(-z * z / 2) / (128 * sqrt(2 * acos(-1)));
    }
    return sum;
}

/* The mean of h^2 over 8 starts and the units of the last of three layers of 100, divided by E h^2. */
static double ratio_of_squares(const char *activation, steep_start_kind kind, steep_random *random)
{
    enum { WIDE = 100, SOME = 20, STARTS = 8 };
    static double own[WIDE * (2 * WIDE + 8)], h[SOME * WIDE];
    const double low[] = {-2, 0, -1}, high[] = {2, 3, 1};
    const steep_network network = layers_of(activation, 3, 3, WIDE);
    double at[3 * SOME], mean = 0;
    for (uint64_t seed = 0; seed < STARTS; seed++) {
        const steep_start_options start = {
            .kind = kind, .low = low, .high = high, .seed = seed + chance_below(random, 1000)};
        ck_assert_int_eq(steep_start(&network, &start, own, NULL), STEEP_OK);
        for (size_t k = 0; k < 3 * SOME; k++) at[k] = chance_within(random, low[k / SOME], high[k / SOME]);
        ck_assert_int_eq(steep_network_units(&network, own, SOME, at, h), STEEP_OK);
        for (size_t k = 0; k < SOME * WIDE; k++) mean += h[k] * h[k] / (SOME * WIDE * STARTS);
    }
    return mean / mean_square(&network);
}

/* With start gain the mean of h^2 is E h^2 within a factor of 1.5; with random starts it is below 0.3 E h^2. */
START_RANDOM_TEST(gains_keep_the_mean_square, 33)
{
    static const char *const activation[] = {"relu", "tanh", "gelu", "silu"};
    for (size_t i = 0; i < 4; i++) {
        const double gain = ratio_of_squares(activation[i], STEEP_START_GAIN, &random);
        const double plain = ratio_of_squares(activation[i], STEEP_START_RANDOM, &random);
        ck_assert_msg(gain > 1 / 1.5 && gain < 1.5 && plain < 0.3, "%s: %g and %g of E h^2", activation[i], gain,
                      plain);
    }
}

/* Starts by layers keep the trained layers of the network without its last layer. A grown layer that is linear where it
 * starts (id, relu) also keeps the values, to rounding. */
START_TEST(starts_stand_on_the_layers_below)
{
    enum { N = 100 };
    static const char *const activation[] = {"id", "relu", "tanh"};
    PLANE_AT(p, "exp(sin(pi*x)+y^2)", true, N, 0, "mlp", NULL, 5);
    for (size_t i = 0; i < 6; i++) {
        const steep_network shallow = layers_of(activation[i / 2], 2, 2, 5),
                            network = layers_of(activation[i / 2], 2, 3, 5);
        steep_solve solve = {.reason = ""};
        steep_fit_options options = steep_fit_options_default();
        double below[MOST], y[2][N], size = 0;
        const steep_start_options start = {.kind = i % 2 ? STEEP_START_LAYERWISE : STEEP_START_GROWN,
                                           .low = p.train.low,
                                           .high = p.train.high,
                                           .seed = i};
        options.max_iterations = 10;
        p.problem.network = &shallow;
        ck_assert_int_eq(steep_layer_start(&p.problem, &options, &start, below, NULL), STEEP_OK);
        ck_assert_int_ge(steep_solve_marquardt(&p.problem, &options, below, &solve, NULL), 0);
        p.problem.network = &network;
        ck_assert_int_eq(steep_layer_start(&p.problem, &options, &start, theta, NULL), STEEP_OK);
        ck_assert_mem_eq(theta, below, shallow.output * sizeof *theta);
        ck_assert_int_eq(steep_network_values(&shallow, below, N, p.train.x, y[0]), STEEP_OK);
        ck_assert_int_eq(steep_network_values(&network, theta, N, p.train.x, y[1]), STEEP_OK);
        for (size_t j = 0; j < network.parameters; j++) size += fabs(theta[j]);
        for (size_t k = 0; k < N && i % 2 == 0 && i < 4; k++)
            check_close(y[1][k], y[0][k], 4 * DBL_EPSILON * size * (1 + fabs(y[0][k])));
    }
}
