/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polycom: of the paper on polynomial composition what can be counted or computed exactly: operations and memory of its
 * activations (tables 8 and 9), counted from the units' formulas; degrees of deep polynomial networks (proposition F.3
 * of the paper on orthogonal activations), by exact expansion; networks of relu and of polynomials as networks of
 * PolyReLU (lemma 1, theorem 1), in exact arithmetic; equation 13 at i = 0. */
#include "experiment.h"
#include "papers/exact.h"
#include "papers/expansion.h"
#include "papers/polycom.h"

#include "model/written.h"
#include "papers/operations.h"

enum { HIDDEN = 1024, BATCH = 4, LENGTH = 4096, FUNCTION = 10 };

static const steep_architecture *row_of(const char *name)
{
    return steep_architecture_find(name, NULL, 0);
}

/* The paper's: operations and values kept for each element, all units of the intermediate layer, whose size is
 * `over`/`under` times H. */
static const struct {
    const char *name, *row, *activation, *formula;
    int over, under, operations, kept_halves;
} counted[] = {{"relu", "mlp", "relu", NULL, 4, 1, 1, 2},
               {"gelu", "mlp", "gelu", NULL, 4, 1, 18, 5},
               {"gelu by tanh", NULL, NULL, "0.5*z1*(1+tanh(0.7978845608028654*(z1+0.044715*z1^3)))", 4, 1, 18, 5},
               {"swiglu", "glu", "silu", NULL, 8, 3, 14, 6},
               {"relu2", "mlp", "relu2", NULL, 4, 1, 2, 4},
               {"polynorm", "polynorm", NULL, NULL, 4, 1, 18, 6},
               {"polyrelu", "polyrelu", NULL, NULL, 4, 1, 10, 4}};

static steep_operations count_row(const experiment *e, size_t i, size_t *moments)
{
    size_t counts[5] = {1, 0, 0, 0, 0};
    steep_formula *formula = NULL;
    steep_error error;
    if (counted[i].formula) {
        if (steep_formula_parse_unit(counted[i].formula, &formula, counts, &error) < 0) experiment_die(e, &error, 1);
    } else {
        const steep_architecture *row = row_of(counted[i].row);
        steep_choice choice = steep_choice_default(row);
        steep_counts own;
        if (steep_choice_parse(counted[i].activation, NULL, NULL, &choice, &error) < 0 ||
            steep_written_open(row, &choice, &formula, &error) < 0)
            experiment_die(e, &error, 1);
        row->counts(&choice, &own);
        const size_t found[5] = {own.branches, own.scalars, own.shared_maps, own.shared_scalars, own.moments};
        memcpy(counts, found, sizeof counts);
    }
    *moments = counts[4];
    const steep_operations all = steep_formula_operations(formula, counts);
    steep_formula_free(formula);
    return all;
}

static void print_counts(const experiment *e)
{
    printf(
        "tables 8 and 9: operations of one forward pass for each element, exp, tanh and their like as %d; the same for "
        "a "
        "layer over its %s; values\nkept for the pass backwards; their memory in BF16, %d x %d x %d. With checkpoints: "
        "operations twice, nothing kept.\n",
        FUNCTION, "24 BSH^2", BATCH, LENGTH, HIDDEN);
    printf("%-14s %5s %-18s %-18s %-20s %-14s %s\n", "", "layer", "ours", "operations", "share of a layer", "kept",
           "memory, MiB");
    printf("%-14s %5s %-18s %5s %10s   %9s %10s %5s %8s   %5s %8s\n", "activation", "over", "arithmetic + functions",
           "ours", "paper", "ours", "paper", "ours", "paper", "ours", "paper");
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        size_t moments;
        const steep_operations all = count_row(e, i, &moments);
        /* Each moment takes a square of a power that is there, and an addition. */
        const size_t operations = all.arithmetic + 2 * moments + FUNCTION * all.functions;
        const double size = (double)counted[i].over / counted[i].under,
                     share = (double)operations * size / (24.0 * HIDDEN),
                     paper = counted[i].operations * size / (24.0 * HIDDEN),
                     tensor = 2.0 * BATCH * LENGTH * HIDDEN * size / (1 << 20), kept = counted[i].kept_halves / 2.0;
        printf("%-14s %3d/%d %9zu + %zu %17zu %10d   %8.3f%% %9.3f%% %5zu %8.1f   %5.0f %8.0f\n", counted[i].name,
               counted[i].over, counted[i].under, all.arithmetic + 2 * moments, all.functions, operations,
               counted[i].operations, 100 * share, 100 * paper, all.kept, kept, (double)all.kept * tensor,
               kept * tensor);
    }
}

static void draw(steep_random *random, const steep_layers *layers)
{
    for (size_t p = 0; p < layers->entries; p++)
        layers->theta[p] =
            (steep_random_uniform(random) < 0.5 ? -1 : 1) * (1 + floor(15 * steep_random_uniform(random))) / 16;
}

static steep_polynomial *expand(const experiment *e, const steep_layers *layers)
{
    steep_polynomial **x = steep_polynomial_new_all(layers->dim, layers->dim), *y = steep_polynomial_new(layers->dim);
    steep_error error;
    for (size_t j = 0; j < layers->dim; j++) steep_polynomial_set_variable(x[j], j);
    if (steep_layers_exact(layers, (const steep_polynomial *const *)x, y, &error) < 0) experiment_die(e, &error, 1);
    steep_polynomial_free_all(x, layers->dim);
    return y;
}

static void open_layers(const experiment *e, steep_layers *layers, const steep_layer *layer, size_t dim, size_t count)
{
    steep_error error;
    if (steep_layers_init(layers, dim, count, layer, &error) < 0) experiment_die(e, &error, 1);
}

/* Degrees and terms of networks with hermite units, random dyadic parameters, expanded exactly. */
static void print_degrees(const experiment *e)
{
    static const size_t cases[][3] = {{2, 2, 1}, {3, 2, 1}, {4, 2, 1}, {5, 2, 1}, {3, 3, 1}, {4, 3, 1},
                                      {2, 2, 2}, {3, 2, 2}, {4, 2, 2}, {3, 3, 2}, {3, 2, 3}, {3, 3, 3}};
    steep_random random = steep_random_start(0, STEEP_STREAM_SIMULATION);
    printf("\nproposition F.3: L affine maps with units of degree d between, expanded exactly: its degree and terms; "
           "d^(L-1); the "
           "paper's d^L; terms of\nd^(L-1), and by remark F.5 of d^L\n");
    printf("%2s %2s %3s %8s %8s %6s %8s %10s %12s\n", "L", "d", "dim", "degree", "d^(L-1)", "d^L", "terms", "possible",
           "F.5");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const size_t L = cases[c][0], d = cases[c][1], dim = cases[c][2];
        steep_choice choice = steep_choice_default(row_of("hermite"));
        steep_layer layer[5];
        steep_layers layers;
        choice.degree = (int)d;
        for (size_t l = 0; l + 1 < L; l++) layer[l] = (steep_layer){row_of("hermite"), &choice, 3};
        open_layers(e, &layers, layer, dim, L - 1);
        draw(&random, &layers);
        steep_polynomial *y = expand(e, &layers);
        const double sharp = pow((double)d, (double)L - 1), paper = pow((double)d, (double)L);
        double most = 1, more = 1;
        for (size_t j = 1; j <= dim; j++)
            most *= (sharp + (double)j) / (double)j, more *= (paper + (double)j) / (double)j;
        printf("%2zu %2zu %3zu %8zu %8.0f %6.0f %8zu %10.0f %12.0f\n", L, d, dim, steep_polynomial_degree(y), sharp,
               paper, steep_polynomial_terms(y), most, more);
        steep_polynomial_free(y);
        steep_layers_free(&layers);
    }
}

static const struct {
    const char *name, *row, *activation; /* row NULL: the unit by formula below */
    size_t most;                         /* layers */
} kinds[] = {{"relu", "mlp", "relu", 3},
             {"relu2", "mlp", "relu2", 3},
             {"leaky_relu", "mlp", "leaky_relu", 3},
             {"polynomial, order 3", NULL, NULL, 2},
             {"hermite, degree 3", "hermite", NULL, 2},
             {"polyprelu, order 3", "polyprelu", NULL, 2}};
#define POLYNOMIAL "a1+a2*z1+a3*z1^2+a4*z1^3"

/* Random networks of each kind and their images: equal at random rational points, exactly. */
static void print_images(const experiment *e)
{
    const size_t networks = e->quick ? 40 : 1000;
    steep_random random = steep_random_start(1, STEEP_STREAM_SIMULATION);
    steep_written *polynomial;
    steep_error error;
    if (steep_written_parse(POLYNOMIAL, &polynomial, &error) < 0) experiment_die(e, &error, 1);
    printf("\nlemma 1 and theorem 1: %zu random networks of each kind, 1 to 3 layers of 4 units, as networks of "
           "PolyReLU: values equal "
           "exactly at rational points,\nthe same bits in double; units of the image over those of the network\n",
           networks);
    printf("%-20s %8s %8s %10s %8s\n", "kind", "points", "equal", "same bits", "units");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t equal = 0, bits = 0, units = 0, images = 0;
        for (size_t n = 0; n < networks; n++) {
            const steep_architecture *row = kinds[k].row ? row_of(kinds[k].row) : &polynomial->row;
            steep_choice choice = steep_choice_default(row);
            steep_layers from, to;
            double x[2], y, z;
            if (steep_choice_parse(kinds[k].activation, NULL, NULL, &choice, &error) < 0) experiment_die(e, &error, 1);
            const steep_layer one = {row, &choice, 4}, layer[3] = {one, one, one};
            open_layers(e, &from, layer, 2, 1 + n % kinds[k].most);
            draw(&random, &from);
            if (steep_polycom_represent(&from, 3, &to, &error) < 0) experiment_die(e, &error, 1);
            steep_polynomial **p = steep_polynomial_new_all(4, 1), **a = p + 2, **b = p + 3;
            for (size_t j = 0; j < 2; j++) {
                steep_polynomial_set_ratio(p[j], (long)(2000 * steep_random_uniform(&random)) - 1000,
                                           1 + (unsigned long)(999 * steep_random_uniform(&random)));
                x[j] = steep_polynomial_number(p[j]);
            }
            if (steep_layers_exact(&from, (const steep_polynomial *const *)p, a[0], &error) < 0 ||
                steep_layers_exact(&to, (const steep_polynomial *const *)p, b[0], &error) < 0 ||
                steep_layers_values(&from, 1, x, &y) < 0 || steep_layers_values(&to, 1, x, &z) < 0)
                experiment_die(e, &error, 1);
            equal += steep_polynomial_equal(*a, *b);
            bits += y == z;
            units += steep_layers_units(&from), images += steep_layers_units(&to);
            steep_polynomial_free_all(p, 4);
            steep_layers_free(&from);
            steep_layers_free(&to);
        }
        printf("%-20s %8zu %8zu %10zu %8.2f\n", kinds[k].name, networks, equal, bits, (double)images / (double)units);
    }
    steep_written_free(polynomial);
    printf("(hermite's coefficients a_k/k! are rounded to double; the others are doubles)\n");
}

/* Eq. 13, both sides at z = -2/3. */
static void print_equation(const experiment *e)
{
    steep_polynomial **p = steep_polynomial_new_all(3, 1);
    steep_polynomial_set_ratio(p[0], -2, 3);
    printf("\neq. 13, z^i = relu(z)^i + (-1)^i relu(-z)^i, both sides at z = -2/3:");
    for (int i = 0; i <= 3; i++) {
        char sum[64];
        steep_error error;
        snprintf(sum, sizeof sum, "relu(x)^%d+(-1)^%d*relu(-x)^%d", i, i, i);
        steep_target *target = experiment_target(e, sum);
        if (steep_formula_exact(target->formula, (const steep_polynomial *const *)p, p[1], &error) < 0)
            experiment_die(e, &error, 1);
        steep_polynomial_power(p[2], p[0], (unsigned)i);
        char *left = steep_polynomial_text(p[2]), *right = steep_polynomial_text(p[1]);
        printf("%s i = %d: %s, %s", i ? ";" : "", i, left, right);
        free(left);
        free(right);
        steep_target_free(target);
    }
    printf("\n");
    steep_polynomial_free_all(p, 3);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "polycom", "part",
                                         "Operations, degrees and exact maps (images) of polynomial compositions.");
    static const char *const name[] = {"operations", "degrees", "images"};
    void (*const part[])(const experiment *) = {print_counts, print_degrees, print_images};
    bool found = false;
    for (size_t i = 0; i < 3; i++) {
        if (!experiment_wants(&e, 0, name[i])) continue;
        found = true;
        part[i](&e);
    }
    experiment_found(&e, found);
    if (!e.only) print_equation(&e);
    return 0;
}
