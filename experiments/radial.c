/* SPDX-License-Identifier: GPL-3.0-or-later */
/* radial: f = 1/(1 + 9 r^2) as a sum of ridges that are known. A radial function is the mean over all directions of one
 * profile, f(r) = (1/pi) int_0^pi g(r cos t) dt, g(t) = f(0) + t int_0^{pi/2} f'(t sin s) ds (Abel), here
 * g = 1/(1+9t^2) - 3t asinh(3t)/(1+9t^2)^(3/2). Gates stand on m equispaced directions, in each k knots equidistributed
 * for g (spline/knots), and 2 (gqu 3) are open on the whole box; frozen fits on a grid of 40,000 points, tested on one
 * of half the spacing; of all m the least training error. n = 16 to 1,024. The file has theory's
 * line through the first error, against gates: -1/2 - (2k + 1)/4 for units of degree k. */
#include "experiment.h"

#define PROFILE "1/(1+9*x^2)-3*x*log(3*x+sqrt(1+9*x^2))/(1+9*x^2)^1.5"
enum { ARCHS = 3, WIDTHS = 7, SCANNED = 512, WORSE = 3 };
static const char *const archs[ARCHS] = {"mlp", "glu", "gqu"};
static const size_t widths[WIDTHS] = {16, 32, 64, 128, 256, 512, 1024};

typedef struct radial {
    const experiment *e;
    const steep_architecture *row;
    steep_problem problem;
    size_t order, open; /* of the error in one dimension; gates open on the whole box */
} radial;

typedef struct best {
    size_t width, m, k;
    double train, test;
} best;

static void set_gate(double angle, double offset, double *gate)
{
    gate[0] = cos(angle);
    gate[1] = sin(angle);
    gate[2] = -offset;
}

/* Gates on m directions with k knots each, then those that are open. */
static void set_gates(const radial *r, const steep_network *network, size_t m, size_t k, double *theta)
{
    const double pi = acos(-1.0);
    double *knot = experiment_numbers(r->e, k + 2);
    for (size_t j = 0; j < m; j++) {
        double angle = pi * ((double)j + 0.5) / (double)m, reach = fabs(cos(angle)) + fabs(sin(angle));
        char domain[80];
        steep_error error;
        steep_target *profile;
        snprintf(domain, sizeof domain, "%.17g:%.17g", -reach, reach);
        if (steep_target_open_on(PROFILE, domain, &profile, &error) < 0 ||
            steep_knots_equidistributed(profile, r->order, k + 1, knot, &error) < 0)
            experiment_die(r->e, &error, 1);
        for (size_t i = 0; i < k; i++) set_gate(angle, knot[i + 1], theta + steep_network_gate(network, j * k + i));
        steep_target_free(profile);
    }
    for (size_t h = 0; h < r->open; h++)
        set_gate(2 * pi * ((double)h + 0.3) / (double)r->open, -1.5, theta + steep_network_gate(network, m * k + h));
    free(knot);
}

/* The frozen fit with m directions and k knots, into *least where it is the best so far. */
static void try_ridges(const radial *r, size_t m, size_t k, best *least)
{
    steep_network network;
    steep_error error;
    steep_fit_result result;
    steep_choice choice = steep_choice_default(r->row);
    if (steep_network_init(&network, r->row, &choice, 2, m * k + r->open, &error) < 0) experiment_die(r->e, &error, 1);
    double *theta = experiment_numbers(r->e, network.parameters);
    set_gates(r, &network, m, k, theta);
    steep_problem problem = r->problem;
    steep_fit_options options = steep_fit_options_default();
    problem.network = &network;
    options.initial = theta;
    if (steep_fit(&problem, &options, &result, &error) < 0) experiment_die(r->e, &error, 1);
    if (result.rmse_train < least->train) *least = (best){network.width, m, k, result.rmse_train, result.rmse_test};
    steep_fit_result_free(&result);
    free(theta);
}

/* The best m for so many gates. Up to SCANNED all from 0.5 to 2 times the root of n, below 20, of gqu below 24. Beyond,
 * where the best m grows slowly: from one less than at the width before, or a scan where that was not run, until WORSE
 * in a row are no better. */
static best best_ridges(const radial *r, size_t n, bool cubic, const best *before)
{
    best least = {.train = INFINITY};
    const double root = sqrt((double)n);
    if (n > SCANNED && before->m > 1) {
        size_t worse = 0;
        for (size_t m = before->m - 1; worse < WORSE; m++) {
            const double known = least.train;
            try_ridges(r, m, (n - r->open) / m, &least);
            worse = least.train < known ? 0 : worse + 1;
        }
        return least;
    }
    for (size_t m = 3; (double)m <= 2 * root && m < (cubic ? 24 : 20); m++)
        if ((double)m >= 0.5 * root && n >= 2 * m + r->open) try_ridges(r, m, (n - r->open) / m, &least);
    return least;
}

static void print_slope(const char *arch, const best *from, const best *to)
{
    printf("%-4s slope from %zu to %zu gates: %.2f\n", arch, from->width, to->width,
           log(to->test / from->test) / log((double)to->width / (double)from->width));
}

/* One width, after those that were fitted: a line of the table and of the file. */
static void print_width(FILE *out, size_t a, size_t n, const best *fitted, size_t count)
{
    const best *now = fitted + count - 1;
    const double grown = (double)now->width / (double)fitted->width,
                 theory = fitted->test * pow(grown, -(3 + 2 * (double)(a + 1)) / 4);
    printf("%-4s %5zu %5zu %4zu %4zu %11.3e %11.3e", archs[a], n, now->width, now->m, now->k, now->train, now->test);
    if (count > 1) printf(" %6.2f\n", log(now->test / now[-1].test) / log((double)now->width / (double)now[-1].width));
    else printf(" %6s\n", "-");
    fflush(stdout);
    fprintf(out, "%s,%zu,%zu,%.17g,%.17g\n", archs[a], now->width, now->m, now->test, theory);
}

/* All widths of one unit, and the slopes from n = 64 and over the last three widths. Widths of which one alone was asked
 * for stand for themselves. */
static void print_arch(const radial *r, FILE *out, size_t a)
{
    const bool alone = r->e->only && experiment_count_words(r->e->only) > 1;
    best fitted[WIDTHS];
    size_t count = 0, narrow = WIDTHS; /* narrow: where n = 64 stands */
    for (size_t w = 0; w < (r->e->quick ? 2 : WIDTHS); w++) {
        if (!experiment_wants_size(r->e, 1, widths[w])) continue;
        const best nothing = {0};
        if (widths[w] == 64) narrow = count;
        fitted[count] = best_ridges(r, widths[w], a == 2, count > 0 ? fitted + count - 1 : &nothing);
        print_width(out, a, widths[w], fitted, ++count);
    }
    if (alone || count < 3) return;
    const best *last = fitted + count - 1;
    if (narrow < count - 3) print_slope(archs[a], fitted + narrow, last);
    print_slope(archs[a], last - 2, last);
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "radial", "arch width", "1/(1+9r^2) by ridges on its own profile.");
    steep_error error;
    steep_target *target = experiment_target(&e, "runge3_2d");
    steep_samples train, test;
    const size_t points = e.quick ? 2500 : 40000;
    if (steep_samples_train(target, STEEP_GRID, points, 0, &train, &error) < 0 ||
        steep_samples_test(target, STEEP_GRID, false, points, &test, &error) < 0)
        experiment_die(&e, &error, 1);
    FILE *out = experiment_open(&e, "radial.csv", "arch,width,m,test,theory");
    printf("%-4s %5s %5s %4s %4s %11s %11s %6s\n", "arch", "n", "gates", "m", "k", "RMSE train", "RMSE test", "slope");
    bool any = false;
    for (size_t a = 0; a < ARCHS; a++) {
        if (!experiment_wants(&e, 0, archs[a])) continue;
        radial r = {
            &e, steep_architecture_find(archs[a], NULL, 0), {NULL, target, &train, &test}, a + 2, a == 2 ? 3 : 2};
        any = true;
        print_arch(&r, out, a);
    }
    experiment_found(&e, any);
    puts(
        "1/(1+9r^2), gates frozen on m directions with k knots each, equidistributed for its ridge profile; n: at most "
        "so many gates; slope: against gates, from the line above");
    experiment_close(&e, out, "radial.csv");
    experiment_draw(&e, "radial");
    steep_samples_free(&train);
    steep_samples_free(&test);
    steep_target_free(target);
    return 0;
}
