/* SPDX-License-Identifier: GPL-3.0-or-later */
/* same: networks that equal a formula are proved to equal it, whatever their size; if they differ anywhere, never. */
#include "chance.h"
#include "opened.h"
#include "certify/norms.h"
#include "certify/enclose.h"
#include "model/written.h"
#include "certify/witness.h"

static steep_error error;

static bool is_zero(const steep_network *network, const double *theta, const char *target)
{
    SCOPED(release_formula) steep_formula *formula = NULL;
    steep_enclosure *e = NULL;
    ck_assert_msg(steep_formula_parse(target, &formula, &error) == STEEP_OK, "%s: %s", target, error.text);
    check_says(steep_enclosure_open(network, theta, formula, network->dim, &e, &error), STEEP_OK, "");
    const bool is = steep_enclosure_is_zero(e);
    steep_enclosure_free(e);
    return is;
}

/* Units and targets that are the same or not. The network is one unit, a function of z1 = x and z2 = y. */
START_TEST(what_is_the_same)
{
    static const struct {
        const char *unit, *target;
        bool same;
    } known[] = {
        {"relu(z1)+0*z2", "max(x,0)+0*y", true},
        {"z1*z2", "y*x", true},
        {"max(0,z1)*z2", "y*relu(x)", true},
        {"min(z1,z2)", "min(y,x)", true},
        {"max(z1,z2)", "min(x,y)", false},
        {"relu(-z1)*z2", "relu(x)*y", false},
        {"0.1*z1+z2", "y+x/10", true},
        {"0.1*z1+z2", "y+x*0.1000000000000000055511151231257827", false}, /* the double 0.1 */
        {"z1+z2+1e-30", "x+y", false},
        {"0*exp(z1*z2)", "0*y", true},
        {"tanh(0*z1)*exp(z1*z2)", "0*y", true},
        {"0*log(z1*z2)", "0*y", false}, /* not defined everywhere */
        {"log(z1*z2)-log(z1*z2)", "0*y", false},
        {"z1*z2/(z1*z2)", "1+0*y", false},
        {"exp(z1*z2)-exp(z2*z1)", "0*y", true},
        {"z1^2*z2", "y*x^2", true},
        {"z1^2*z2", "y*x^3", false},
        {"-(-tanh(z1*z2))", "tanh(x*y)", true},
        {"tanh(z1*z2)", "-tanh(x*y)", false},
        {"z1*z2-0*gelu(z1)", "x*y", true},
        {"sign(z1)*z2", "sign(x)*y", true},
        {"abs(z1)*z2", "sign(x)*y", false},
        {"exp(z1)*tanh(z2)*cos(z1*z2)", "cos(y*x)*(tanh(y)*exp(x))", true},
        {"exp(z1)*tanh(z2)*cos(z1*z2)", "cos(y*x)*(tanh(y)*exp(y))", false},
        {"exp(z1)-tanh(z2)+2*cos(z1)+z2", "2*cos(x)+(y+(exp(x)-tanh(y)))", true},
        {"exp(z1)-tanh(z2)+2*cos(z1)+z2", "2*cos(x)+(y+(exp(x)+tanh(y)))", false},
        {"2*exp(z1)*(3*tanh(z2))", "6*tanh(y)*exp(x)", true},
        {"exp(z1)+tanh(z2)-exp(z1)+exp(z1)-exp(z1)", "tanh(y)+0*x", true},
        {"log(z1)+tanh(z2)-log(z1)", "tanh(y)+0*x", false},
        {"z1*z1*z2", "x*(x*y)", true},
        {"relu(z1)*(relu(z2)+tanh(z2))", "relu(y)*relu(x)+tanh(y)*relu(x)", true},
        {"relu(z1)*(relu(z2)+tanh(z2))", "relu(y)*relu(x)+tanh(y)*relu(y)", false},
        {"(exp(z1)+tanh(z2))*(exp(z1)-tanh(z2))", "exp(x)*exp(x)-tanh(y)*tanh(y)", true},
        {"(exp(z1)+tanh(z2))*(exp(z1)-tanh(z2))", "exp(x)*exp(x)+tanh(y)*tanh(y)", false},
        {"log(z1)*(exp(z2)-exp(z2))", "0*x+0*y", false},
        {"2*exp(z1)*tanh(z2)+exp(z1)*tanh(z2)", "3*tanh(y)*exp(x)", true},
        {"z1*z1*z2", "x*(y*y)", false},
        /* too many terms to be written out: a product is then an atom */
        {"(exp(z1)+tanh(z2)+1)^40", "(tanh(y)+1+exp(x))^40", true},
        {"(exp(z1)+tanh(z2)+1)^40", "(tanh(y)+1+exp(x))^39", false},
        {"(exp(z1)+tanh(z2)+1)^40", "(tanh(y)+2+exp(x))^40", false},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        steep_written *unit = NULL;
        check_says(steep_written_parse(known[k].unit, &unit, &error), STEEP_OK, "");
        const steep_choice choice = steep_choice_default(&unit->row);
        steep_network network = layout_of(&unit->row, &choice, 2, 1);
        SCOPED(release_memory) double *theta = calloc(network.parameters, sizeof *theta);
        theta[steep_network_place(&network, 0, 0)] = 1;
        if (network.counts.branches > 1) theta[steep_network_place(&network, 1, 0) + 1] = 1;
        theta[network.output] = 1;
        ck_assert_msg(is_zero(&network, theta, known[k].target) == known[k].same, "%s and %s", known[k].unit,
                      known[k].target);
        steep_written_free(unit);
    }
}

/* w_1 x1 + .. + b with exact decimals, its terms in a random order. */
static void put_affine(FILE *out, size_t d, const double *w, steep_random *random)
{
    const size_t first = chance_below(random, d + 1);
    fputc('(', out);
    for (size_t i = 0; i <= d; i++) {
        const size_t j = (first + i) % (d + 1);
        if (j == d) fprintf(out, "%s%.60g", i ? "+" : "", w[d]);
        else if (chance_below(random, 2)) fprintf(out, "%sx%zu*%.60g", i ? "+" : "", j + 1, w[j]);
        else fprintf(out, "%s%.60g*x%zu", i ? "+" : "", w[j], j + 1);
    }
    fputc(')', out);
}

/* Writes an input of unit i: z1 .., s1 .., a1 ... */
static void put_input(FILE *out, const steep_network *n, const double *theta, size_t i, char kind, size_t index,
                      steep_random *random)
{
    if (kind == 'z') put_affine(out, n->dim, theta + steep_network_place(n, index, i), random);
    else if (kind == 's') put_affine(out, n->dim, theta + n->shared_maps + index * (n->dim + 1), random);
    else fprintf(out, "(%.60g)", theta[n->shared_scalars + index]);
}

/* d + D_1 h_1 + .., by the formula of the row. The caller frees. */
static char *write_network(const steep_network *n, const double *theta, steep_random *random)
{
    char *unit = NULL, *text = NULL;
    size_t size;
    FILE *out = open_memstream(&unit, &size);
    steep_written_formula(n->architecture, &n->choice, out);
    fclose(out);
    out = open_memstream(&text, &size);
    const size_t first = chance_below(random, n->width);
    fprintf(out, "%.60g", theta[n->bias]);
    for (size_t k = 0; k < n->width; k++) {
        const size_t i = (first + k) % n->width;
        const bool turned = chance_below(random, 2);
        if (turned) fputs("+(", out);
        else fprintf(out, "+%.60g*(", theta[n->output + i]);
        for (const char *at = unit; *at;) {
            const bool starts = at == unit || !strchr("abcdefghijklmnopqrstuvwxyz_0123456789.", at[-1]);
            if (starts && strchr("zsa", *at) && at[1] >= '1' && at[1] <= '9') {
                char *end;
                const size_t index = strtoul(at + 1, &end, 10) - 1;
                put_input(out, n, theta, i, *at, index, random);
                at = end;
            } else fputc(*at++, out);
        }
        if (turned) fprintf(out, ")*%.60g", theta[n->output + i]);
        else fputc(')', out);
    }
    fclose(out);
    free(unit);
    return text;
}

static double farthest(const steep_network *n, const double *theta, const double *moved, steep_random *random)
{
    double most = 0;
    for (int k = 0; k < 200; k++) {
        double x[3], y[2];
        for (size_t j = 0; j < n->dim; j++) x[j] = chance_within(random, -3, 3);
        ck_assert_int_eq(steep_network_values(n, theta, 1, x, &y[0]), STEEP_OK);
        ck_assert_int_eq(steep_network_values(n, moved, 1, x, &y[1]), STEEP_OK);
        most = fmax(most, fabs(y[1] - y[0]));
    }
    return most;
}

/* A network equals its own formula. With one parameter moved it must not, unless the parameter matters nowhere. */
static void check_network(const steep_network *n, double *theta, steep_random *random, size_t *moved_away)
{
    SCOPED(release_memory) char *text = write_network(n, theta, random);
    SCOPED(release_memory) double *moved = malloc(n->parameters * sizeof *moved);
    ck_assert_msg(is_zero(n, theta, text), "%s: %s", n->architecture->name, text);
    memcpy(moved, theta, n->parameters * sizeof *moved);
    moved[chance_below(random, n->parameters)] += ldexp(1, -(int)chance_below(random, 30));
    const bool same = is_zero(n, moved, text);
    const double apart = farthest(n, theta, moved, random);
    ck_assert_msg(!same || apart <= 1e-9, "%s: %g apart, yet taken for %s", n->architecture->name, apart, text);
    *moved_away += !same;
}

START_RANDOM_TEST(networks_are_their_formulas, 1)
{
    static const struct {
        const char *row, *activation, *dictionary;
    } rows[] = {{"mlp", "relu", NULL}, {"mlp", "tanh", NULL},   {"glu", "relu2", NULL}, {"mlp", "leaky_relu", NULL},
                {"la", NULL, "rr2t"},  {"bi-la", NULL, "ir2r"}, {"moa", NULL, "rr2t"},  {"qd-moa", NULL, "rt"}};
    size_t moved_away = 0, all = chance_cases(80);
    for (size_t c = 0; c < all; c++) {
        const size_t r = chance_below(&random, sizeof rows / sizeof *rows);
        const steep_architecture *row = steep_architecture_find(rows[r].row, NULL, 0);
        steep_choice choice = steep_choice_default(row);
        check_says(steep_choice_parse(rows[r].activation, rows[r].dictionary, NULL, &choice, &error), STEEP_OK, "");
        steep_network network = layout_of(row, &choice, 1 + chance_below(&random, 3), 1 + chance_below(&random, 2));
        SCOPED(release_memory) double *theta = malloc(network.parameters * sizeof *theta);
        for (size_t p = 0; p < network.parameters; p++) /* 0, 1, and numbers of few digits, for a text has 4096 */
            theta[p] = chance_below(&random, 3) ? round(8 * steep_random_normal(&random)) / 8
                                                : (double)chance_below(&random, 2);
        check_network(&network, theta, &random, &moved_away);
    }
    ck_assert_uint_gt(2 * moved_away, all);
}

/* moa of width 1 equals its witness at any double lambda, with all norms 0; at the next double it does not. */
START_RANDOM_TEST(certificates_of_exact_networks, 2)
{
    static const double round_ones[] = {0.1, 0.5, 1, 2, 5};
    for (size_t c = 0; c < chance_cases(10); c++) {
        const double lambda = c < 5 ? round_ones[c] : chance_within(&random, 1e-3, 8);
        const steep_witness *row;
        SCOPED(release_target) steep_target *witness;
        SCOPED(steep_class_free) steep_class class;
        steep_certified certified;
        steep_certify_options options = steep_certify_options_default();
        ck_assert_int_eq(steep_witness_open("moa_type1", lambda, &row, &witness, &error), STEEP_OK);
        ck_assert_int_eq(steep_class_open("moa", "gsrt", "tanh", &class, &error), STEEP_OK);
        steep_network network = layout_of(class.architecture, &class.choice, 2, 1);
        SCOPED(release_memory) double *theta = calloc(network.parameters, sizeof *theta);
        theta[steep_network_gate(&network, 0) + 1] = theta[network.output] = 1;
        theta[network.shared_maps + 2 * 3] = lambda;
        options.what |= STEEP_CERTIFY_SECOND;
        options.second = (const double[]){0, 1, 0}; /* d_1 d_2 */
        options.boxes = 300;
        ck_assert_msg(steep_certify(&network, theta, witness, &options, &certified, &error) == STEEP_CONVERGED, "%s",
                      error.text);
        ck_assert_msg(certified.w.high == 0 && certified.rmse.bound.high == 0 && certified.second.bound.high == 0,
                      "lambda %.17g: W at most %g", lambda, certified.w.high);
        ck_assert(certified.rounding > 0 && certified.rounding < 1e-13);
        theta[network.shared_maps + 2 * 3] = nextafter(lambda, 9);
        ck_assert_int_ge(steep_certify(&network, theta, witness, &options, &certified, &error), 0);
        ck_assert(certified.w.high > 0 && certified.rmse.bound.high > 0 && certified.second.bound.high > 0);
    }
}
