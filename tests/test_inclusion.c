/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inclusion: networks of a smaller kind, as networks of a larger one, have the same values. */
#include "model/inclusion.h"

#include "model/activation.h"
#include "units.h"

enum { POINTS = 20, MOST_WIDTH = 5 };

static const char *const rows[] = {
    "mlp",    "glu",   "la",     "moa",   "one-la",      "one-moa",     "bi-la",
    "bi-moa", "qd-la", "qd-moa", "blend", "blend-plain", "blend-layer", "blend-layer-plain"};
enum { ROWS = sizeof rows / sizeof *rows };

/* One of both networks of a case. */
typedef struct teacher {
    steep_network network;
    double *theta;
} teacher;

static steep_network lay_out(const char *name, int activation, const char *dictionary, const char *gate, size_t dim,
                             size_t width)
{
    steep_network network;
    const steep_architecture *row = steep_architecture_find(name, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    ck_assert_int_eq(steep_choice_parse(NULL, dictionary, gate, &choice, NULL), STEEP_OK);
    if (activation >= 0) choice.activation = activation;
    ck_assert_int_eq(steep_network_init(&network, row, &choice, dim, width, NULL), STEEP_OK);
    return network;
}

/* A coefficient: often 0, some tiny, some huge; sign 0: any. */
static double draw_coefficient(steep_random *random, bool zeros, int sign)
{
    size_t kind = chance_below(random, 8);
    double a = chance_within(random, -2, 2);
    if (kind == 0 && zeros) return 0;
    if (kind == 1) a *= 1e-12;
    if (kind == 2) a *= 1e8;
    if (kind == 3) a = 1;
    return sign ? copysign(a == 0 ? 1 : a, sign) : a;
}

static teacher draw_teacher(const steep_network *network, bool zeros, int sign, steep_random *random)
{
    teacher t = {*network, malloc(network->parameters * sizeof(double))};
    ck_assert_ptr_nonnull(t.theta);
    for (size_t p = 0; p < network->parameters; p++)
        t.theta[p] = p >= network->shared_scalars && p < network->output ? draw_coefficient(random, zeros, sign)
                                                                         : chance_within(random, -2, 2);
    return t;
}

/* The size that rounding is relative to: |d| + sum_i |D_i| (sum of |weight| |term| in h_i), coefficients and gates
 * taken as large as they are. Found as the value of the same network with |D|, where h_i is h_i's with every
 * activation's sign removed: bounded by |D_i| sum_c |a_c| max|sigma_c(z)|, |sigma_c(z)| <= max(1, |z|, z^2). */
static double size_of(const teacher *t, const double *x, size_t k)
{
    const steep_network *n = &t->network;
    double size = fabs(t->theta[n->bias]), weights = 1;
    bool sides = n->counts.shared_scalars > 0 && strncmp(n->architecture->name, "bi", 2) == 0;
    double sum[2] = {0, 0};
    for (size_t a = 0; a < n->counts.shared_scalars; a++)
        sum[sides && a >= n->counts.shared_scalars / 2] += fabs(t->theta[n->shared_scalars + a]);
    if (n->counts.shared_scalars > 0) weights = sides ? sum[0] * sum[1] : sum[0];
    if (strncmp(n->architecture->name, "blend", 5) == 0) weights = 4;
    if (n->counts.shared_maps > 0) weights = (double)n->counts.shared_maps * (double)n->counts.shared_maps;
    for (size_t i = 0; i < n->width; i++) {
        double product = fabs(t->theta[n->output + i]) * weights;
        for (size_t b = 0; b < n->counts.branches; b++) {
            const double *W = t->theta + steep_network_place(n, b, i);
            double z = fabs(W[n->dim]);
            for (size_t j = 0; j < n->dim; j++) z += fabs(W[j] * x[k + j * POINTS]);
            product *= fmax(1, z * z);
        }
        size += product;
    }
    return size;
}

/* Whether "to" takes the teacher; then both have the same values at random points, to 64 eps of their size. */
static bool same_values(const teacher *t, const steep_network *to, steep_random *random)
{
    double x[POINTS * 4], y[2][POINTS], *included = malloc(to->parameters * sizeof *included);
    steep_error error = {""};
    for (size_t p = 0; p < to->parameters; p++) included[p] = NAN;
    steep_status status = steep_network_include(&t->network, t->theta, to, included, &error);
    ck_assert(status == STEEP_OK || (status == STEEP_BAD_INPUT && error.text[0]));
    for (size_t i = 0; i < POINTS * to->dim; i++) x[i] = chance_within(random, -1.5, 1.5);
    if (status == STEEP_OK) {
        ck_assert_int_eq(steep_network_values(&t->network, t->theta, POINTS, x, y[0]), STEEP_OK);
        ck_assert_int_eq(steep_network_values(to, included, POINTS, x, y[1]), STEEP_OK);
        for (size_t k = 0; k < POINTS; k++) {
            double size = size_of(t, x, k);
            ck_assert_msg(fabs(y[0][k] - y[1][k]) <= 64 * DBL_EPSILON * size,
                          "%s in %s, %zuD: %.17g and %.17g, size %g", t->network.architecture->name,
                          to->architecture->name, to->dim, y[0][k], y[1][k], size);
        }
    }
    free(included);
    return status == STEEP_OK;
}

/* Any row in any row, dictionaries, gates and activations drawn: what is taken has the same values. */
START_TEST(whatever_is_taken_is_the_same_function)
{
    static size_t taken[ROWS][ROWS];
    steep_random random = chance_start(1);
    for (size_t again = 0; again < chance_cases(20000); again++) {
        size_t a = chance_below(&random, ROWS), b = chance_below(&random, ROWS);
        size_t dim = 1 + chance_below(&random, 4), width = 1 + chance_below(&random, MOST_WIDTH);
        char small[DICTIONARY_TEXT], large[DICTIONARY_TEXT];
        draw_dictionary(&random, small);
        draw_dictionary(&random, large);
        if (chance_below(&random, 2)) strcpy(large, "igsr2ltr");
        if (chance_below(&random, 4) == 0) strcpy(large, small);
        int activation = (int)chance_below(&random, STEEP_ACTIVATIONS);
        const char *gate = steep_gate_names(chance_below(&random, 3));
        bool same = chance_below(&random, 2) > 0;
        steep_network from = lay_out(rows[a], activation, small, gate, dim, width),
                      to = lay_out(rows[b], activation, large, same ? gate : "tanh", dim, width);
        teacher t = draw_teacher(&from, chance_below(&random, 2) > 0, (int)chance_below(&random, 3) - 1, &random);
        taken[a][b] += same_values(&t, &to, &random);
        free(t.theta);
    }
    for (size_t a = 0; a < ROWS; a++) ck_assert_msg(taken[a][a] > 0, "%s is never taken by itself", rows[a]);
    for (size_t a = 2; a < 10; a += 2) ck_assert_msg(taken[a][a + 1] > 0, "%s is never taken by its moa", rows[a]);
}
END_TEST

/* The inclusions of the header's list hold for every network, 0 and large coefficients too. */
START_TEST(the_list)
{
    static const struct {
        const char *small, *large, *gate;
        const char *dictionary; /* of both; NULL: drawn */
        int activation;         /* -1: any of the dictionary */
        bool zeros;
        int sign;
    } list[] = {{"mlp", "la", "tanh", "igsr2ltr", -1, true, 0},
                {"mlp", "moa", "tanh", "rstlir2g", -1, true, 0},
                {"mlp", "glu", "tanh", "g", -1, true, 0},
                {"mlp", "qd-la", "tanh", "igsr2ltr", -1, true, 0},
                {"mlp", "bi-moa", "tanh", "igsr2ltr", -1, true, 0},
                {"glu", "bi-la", "tanh", "gsir2ltr", -1, true, 0},
                {"glu", "bi-moa", "tanh", "igsr2ltr", -1, true, 0},
                {"glu", "qd-la", "tanh", "gsr2iltr", -1, true, 0},
                {"glu", "qd-moa", "tanh", "gsr2iltr", -1, true, 0},
                {"glu", "one-la", "tanh", "igsr2ltr", STEEP_SILU, true, 0},
                {"glu", "one-moa", "tanh", "igsr2ltr", STEEP_SILU, true, 0},
                {"la", "moa", "tanh", NULL, -1, true, 0},
                {"la", "moa", "sigmoid", NULL, -1, false, 1},
                {"la", "moa", "sigmoid", NULL, -1, false, -1},
                {"la", "moa", "softmax", NULL, -1, false, 1},
                {"la", "moa", "softmax", NULL, -1, false, -1},
                {"one-la", "one-moa", "tanh", NULL, -1, true, 0},
                {"one-la", "one-moa", "sigmoid", NULL, -1, false, -1},
                {"one-la", "one-moa", "softmax", NULL, -1, false, -1},
                {"bi-la", "bi-moa", "tanh", NULL, -1, true, 0},
                {"bi-la", "bi-moa", "sigmoid", NULL, -1, false, -1},
                {"bi-la", "bi-moa", "softmax", NULL, -1, false, 1},
                {"qd-la", "qd-moa", "tanh", NULL, -1, true, 0},
                {"qd-la", "qd-moa", "sigmoid", NULL, -1, false, 1},
                {"qd-la", "qd-moa", "softmax", NULL, -1, false, -1},
                {"one-la", "bi-la", "tanh", "gsr2i", -1, true, 0},
                {"one-moa", "bi-moa", "tanh", "gsr2i", -1, true, 0},
                {"one-la", "qd-la", "tanh", "sgr2i", -1, true, 0},
                {"one-la", "qd-moa", "tanh", "gr2is", -1, true, 0},
                {"one-moa", "qd-moa", "tanh", "sgr2i", -1, true, 0},
                {"blend-layer-plain", "bi-la", "tanh", "igsr2ltr", -1, true, 0},
                {"blend-layer-plain", "qd-moa", "tanh", "igsr2ltr", -1, true, 0},
                {"blend-layer-plain", "blend-plain", "tanh", "g", -1, true, 0},
                {"blend-layer-plain", "blend-layer", "tanh", "g", -1, true, 0},
                {"blend-layer", "blend", "tanh", "g", -1, true, 0},
                {"blend-plain", "blend", "tanh", "g", -1, true, 0}};
    steep_random random = chance_start(2);
    for (size_t again = 0; again < chance_cases(100); again++)
        for (size_t l = 0; l < sizeof list / sizeof *list; l++) {
            char drawn[DICTIONARY_TEXT];
            const char *letters = list[l].dictionary ? list[l].dictionary : draw_dictionary(&random, drawn);
            size_t dim = 1 + chance_below(&random, 4), width = 1 + chance_below(&random, MOST_WIDTH);
            steep_network to = lay_out(list[l].large, -1, letters, list[l].gate, dim, width);
            int own = to.choice.dictionary[chance_below(&random, (size_t)to.choice.terms)];
            steep_network from = lay_out(list[l].small, list[l].activation < 0 ? own : list[l].activation, letters,
                                         list[l].gate, dim, width);
            if (strcmp(list[l].large, "glu") == 0) to.choice.activation = own;
            teacher t = draw_teacher(&from, list[l].zeros, list[l].sign, &random);
            ck_assert_msg(same_values(&t, &to, &random), "%s in %s with %s", list[l].small, list[l].large, letters);
            free(t.theta);
        }
}
END_TEST

/* All coefficients 0; the largest and the smallest numbers. */
START_TEST(degenerate_coefficients)
{
    static const double values[][3] = {{0, 0, 0},           {0, 0, 1e300},        {1e-320, 1e300, 0},
                                       {1e200, -1e-200, 1}, {1e-300, -1e-300, 0}, {-0.0, 1, -0.0}};
    static const char *const pairs[][2] = {{"la", "moa"}, {"one-la", "one-moa"}, {"bi-la", "bi-moa"}};
    steep_random random = chance_start(3);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t p = 0; p < 3; p++) {
            steep_network from = lay_out(pairs[p][0], -1, "gr2t", "tanh", 2, 3),
                          to = lay_out(pairs[p][1], -1, "gr2t", "tanh", 2, 3);
            teacher t = draw_teacher(&from, true, 0, &random);
            for (size_t a = 0; a < from.counts.shared_scalars; a++)
                t.theta[from.shared_scalars + a] = a < 3 ? values[v][a] : 1;
            for (size_t i = 0; i < 3; i++) t.theta[from.output + i] *= 1e-3; /* D max|a| stays below the largest */
            ck_assert(same_values(&t, &to, &random));
            free(t.theta);
        }
}
END_TEST

/* What cannot be is refused, with the reason. */
START_TEST(refusals)
{
    static const struct {
        const char *small, *large, *letters[2], *gate[2], *reason;
        double a[3];
    } cases[] = {{"la", "moa", {"gs", "gs"}, {"tanh", "sigmoid"}, "both signs", {1, -1, 0}},
                 {"la", "moa", {"gs", "gs"}, {"tanh", "softmax"}, "is 0", {0, 1, 0}},
                 {"la", "moa", {"gs", "gr"}, {"tanh", "tanh"}, "larger dictionary", {1, 1, 0}},
                 {"la", "mlp", {"gs", "g"}, {"tanh", "tanh"}, "fixed", {1, 1, 0}},
                 {"moa", "la", {"gs", "gs"}, {"tanh", "tanh"}, "depend on x", {0}},
                 {"moa", "moa", {"gs", "gs"}, {"tanh", "sigmoid"}, "not the same", {0}},
                 {"moa", "moa", {"gs", "gsr"}, {"softmax", "softmax"}, "no weight", {0}},
                 {"one-moa", "bi-moa", {"gs", "gs"}, {"sigmoid", "sigmoid"}, "is 0", {0}},
                 {"bi-moa", "qd-moa", {"gs", "gs"}, {"tanh", "tanh"}, "products of gates", {0}},
                 {"bi-la", "la", {"gs", "gs"}, {"tanh", "tanh"}, "two branches", {1, 1, 1}},
                 {"bi-la", "qd-la", {"gs", "gs"}, {"tanh", "tanh"}, "diagonal", {1, 1, 1}},
                 {"qd-la", "bi-la", {"gs", "gs"}, {"tanh", "tanh"}, "no product", {1, 1, 1}},
                 {"mlp", "hermite", {"g", "g"}, {"tanh", "tanh"}, "no inclusion", {0}},
                 {"blend", "blend-plain", {"g", "g"}, {"tanh", "tanh"}, "residual", {0}},
                 {"blend-plain", "blend-layer", {"g", "g"}, {"tanh", "tanh"}, "of their own", {0}}};
    steep_random random = chance_start(4);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        steep_network from = lay_out(cases[c].small, -1, cases[c].letters[0], cases[c].gate[0], 2, 2),
                      to = lay_out(cases[c].large, -1, cases[c].letters[1], cases[c].gate[1], 2, 2);
        teacher t = draw_teacher(&from, false, 0, &random);
        double *included = malloc(to.parameters * sizeof *included);
        steep_error error = {""};
        for (size_t a = 0; a < from.counts.shared_scalars && a < 3 && cases[c].large[0] != 'b'; a++)
            t.theta[from.shared_scalars + a] = cases[c].a[a];
        ck_assert_msg(steep_network_include(&t.network, t.theta, &to, included, &error) == STEEP_BAD_INPUT, "%s in %s",
                      cases[c].small, cases[c].large);
        ck_assert_msg(strstr(error.text, cases[c].reason) != NULL, "%s in %s: '%s', not '%s'", cases[c].small,
                      cases[c].large, error.text, cases[c].reason);
        free(t.theta), free(included);
    }
    steep_network a = lay_out("la", -1, "g", NULL, 1, 2), b = lay_out("la", -1, "g", NULL, 1, 3);
    double theta[20] = {0}, included[20];
    ck_assert_int_eq(steep_network_include(&a, theta, &b, included, NULL), STEEP_BAD_INPUT);
}
END_TEST

STEEP_TEST_MAIN("inclusion", whatever_is_taken_is_the_same_function, the_list, degenerate_coefficients, refusals)
