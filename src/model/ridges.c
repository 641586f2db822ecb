/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/ridges.h"

#include <stdlib.h>
#include <string.h>

#include "base/long_double.h"

#define WIDE  1.25 /* reach of smooth gates beyond the box */
#define TRIES 32   /* directions drawn for each one kept */

/* C(dim + degree, degree) - 1, or limit where it is more. */
static size_t powers(size_t dim, size_t degree, size_t limit)
{
    double count = 1;
    for (size_t i = 1; i <= degree; i++) count = count * (double)(dim + i) / (double)i; /* an integer at each i */
    return count - 1 < (double)limit ? (size_t)(count - 1) : limit;
}

static size_t twins_of(const steep_network *network)
{
    size_t n = network->width, dim = network->dim, unknowns = steep_network_linear(network, 0, NULL);
    steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (piecewise.degree == 0) return 0;
    size_t wanted = (powers(dim, piecewise.degree, n * unknowns) + unknowns - 1) / unknowns;
    if (wanted < dim) wanted = dim;
    return wanted < n / 2 ? wanted : n / 2;
}

/* lines^((dim - 1) / dim) times a factor, rounded, in 1 .. lines. Ties go up, also where rounding errors hide them. */
static size_t near_power(size_t dim, size_t lines, long double factor)
{
    const long double root = (long double)(dim - 1) / (long double)dim;
    long double power = dim == 2 ? sqrtl((long double)lines) : steep_powl((long double)lines, root);
    size_t count = (size_t)(power * factor + 0.500001L);
    if (count < 1) count = 1;
    return count < lines ? count : lines;
}

steep_ridges steep_ridges_of(const steep_network *network, size_t directions)
{
    steep_ridges ridges = {.twins = twins_of(network)};
    ridges.lines = network->width - ridges.twins;
    ridges.directions = directions ? directions : near_power(network->dim, ridges.lines, 1);
    if (ridges.directions > ridges.lines) ridges.directions = ridges.lines;
    return ridges;
}

/* odd: each direction has one line, and the other lines are dealt out in pairs. */
size_t steep_ridges_lines(const steep_ridges *ridges, bool odd, size_t j)
{
    size_t lines = ridges->lines, m = ridges->directions;
    if (!odd) return lines / m + (j < lines % m);
    size_t pairs = (lines - m) / 2, left = (lines - m) % 2;
    return 1 + 2 * (pairs / m + (j < pairs % m)) + (j + 1 == m ? left : 0);
}

/* Does odd change nothing? It moves the twins where a direction has several. */
static bool are_odd(const steep_ridges *ridges)
{
    if (ridges->twins > ridges->directions) return false;
    for (size_t j = 0; j < ridges->directions; j++)
        if (steep_ridges_lines(ridges, false, j) != steep_ridges_lines(ridges, true, j)) return false;
    return true;
}

/* Writes the numbers of directions to try, ascending and distinct. Returns how many there are. */
static size_t numbers_of_directions(const steep_network *network, size_t *number)
{
    static const long double factors[] = {0.5L, 0.625L, 0.75L, 1, 1.25L, 1.5L, 2};
    size_t lines = steep_ridges_of(network, 1).lines, count = 1;
    number[0] = network->dim < lines ? network->dim : lines;
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        size_t m = near_power(network->dim, lines, factors[f]), at = 0;
        while (at < count && number[at] < m) at++;
        if (at < count && number[at] == m) continue;
        memmove(number + at + 1, number + at, (count - at) * sizeof *number);
        number[at] = m;
        count++;
    }
    return count;
}

size_t steep_ridges_candidates(const steep_network *network, steep_ridges_choice *candidate)
{
    size_t number[STEEP_RIDGE_CANDIDATES / 2], numbers = numbers_of_directions(network, number), count = 0;
    for (size_t i = 0; i < numbers; i++) {
        const steep_ridges ridges = steep_ridges_of(network, number[i]);
        candidate[count++] = (steep_ridges_choice){.directions = number[i]};
        if (!are_odd(&ridges)) candidate[count++] = (steep_ridges_choice){.directions = number[i], .odd = true};
    }
    return count;
}

void steep_ridges_direction(size_t dim, steep_random *random, double *w)
{
    double norm = 0;
    while (!(norm > 0)) {
        norm = 0;
        for (size_t c = 0; c < dim; c++) {
            w[c] = steep_random_normal(random);
            norm += w[c] * w[c];
        }
    }
    for (size_t c = 0; c < dim; c++) w[c] /= sqrt(norm);
}

/* The greatest |cos| between w and the first count directions. */
static double nearness(size_t dim, size_t count, const double *direction, const double *w)
{
    double most = 0;
    for (size_t j = 0; j < count; j++) {
        double cosine = 0;
        for (size_t c = 0; c < dim; c++) cosine += direction[j * dim + c] * w[c];
        if (fabs(cosine) > most) most = fabs(cosine);
    }
    return most;
}

/* Sets direction j: of TRIES random directions the one that is least near to the directions before. */
static void spread_direction(size_t dim, size_t j, steep_random *random, double *direction)
{
    double *kept = direction + j * dim, least = INFINITY;
    steep_random best = *random;
    for (size_t t = 0; t < TRIES; t++) {
        const steep_random before = *random;
        steep_ridges_direction(dim, random, kept);
        double near = nearness(dim, j, direction, kept);
        if (near < least) {
            least = near;
            best = before;
        }
    }
    steep_ridges_direction(dim, &best, kept);
}

/* Long double, since the last digit of the double functions cos() and sin() depends on the processor. */
void steep_ridges_directions(size_t dim, size_t count, steep_random *random, double *direction)
{
    static const long double PI = 3.14159265358979323846264338327950288L;
    steep_random own = steep_random_start(0, STEEP_STREAM_START);
    long double place = random && dim == 2 ? (long double)steep_random_uniform(random) : 0.5L;
    for (size_t j = 0; j < count; j++) {
        long double angle = PI * ((long double)j + place) / (long double)count;
        if (dim > 2) spread_direction(dim, j, random ? random : &own, direction);
        else {
            direction[2 * j] = (double)cosl(angle);
            direction[2 * j + 1] = (double)sinl(angle);
        }
    }
}

/* Sets the gate with normal w, facing sign w (sign -1: a twin), at a part of the box's projection, -1 to 1. */
static void set_gate(const steep_start_options *start, size_t dim, const double *w, double part, double sign,
                     double *gate)
{
    double offset = 0;
    for (size_t c = 0; c < dim; c++) {
        double low = start->low[c], high = start->high[c];
        offset += w[c] * (low + high) / 2 + part * fabs(w[c]) * (high - low) / 2;
        gate[c] = sign * w[c];
    }
    gate[dim] = -sign * offset;
}

/* The part of the projection where line i of k is, for lines between -reach and reach. */
static double part_of(size_t i, size_t k, double reach)
{
    return reach * (2 * (double)(i + 1) / (double)(k + 1) - 1);
}

/* Returns the line of twin q, and its direction. No line has two twins. */
static size_t line_of_twin(const steep_ridges *r, bool odd, size_t q, size_t *direction)
{
    size_t m = r->directions, k, j = 0;
    if (odd && r->twins > m) {
        size_t i = q * r->lines / r->twins;
        for (; i >= (k = steep_ridges_lines(r, odd, j)); j++) i -= k;
        *direction = j;
        return i;
    }
    j = *direction = r->twins > m ? q % m : q * m / r->twins;
    k = steep_ridges_lines(r, odd, j);
    return ((k - 1) / 3 + (r->twins > m ? q / m : 0)) % k;
}

steep_status steep_ridges_set(const steep_network *network, const steep_start_options *start, double *theta)
{
    const steep_ridges r = steep_ridges_of(network, start->directions);
    size_t dim = network->dim, m = r.directions, gate = 0;
    const double reach = start->steepness > 0 && start->steepness != 1 ? WIDE : 1;
    steep_random random = steep_random_start(start->seed, STEEP_STREAM_JITTER);
    double *w = malloc(m * dim * sizeof *w);
    if (!w) return STEEP_NO_MEMORY;
    steep_ridges_directions(dim, m, start->turned ? &random : NULL, w);
    for (size_t j = 0; j < m; j++) {
        size_t k = steep_ridges_lines(&r, start->odd, j);
        for (size_t i = 0; i < k; i++)
            set_gate(start, dim, w + j * dim, part_of(i, k, reach), 1, theta + steep_network_gate(network, gate++));
    }
    for (size_t q = 0; q < r.twins; q++) {
        size_t j, i = line_of_twin(&r, start->odd, q, &j);
        set_gate(start, dim, w + j * dim, part_of(i, steep_ridges_lines(&r, start->odd, j), reach), -1,
                 theta + steep_network_gate(network, gate++));
    }
    free(w);
    return STEEP_OK;
}

steep_status steep_ridges_draw(const steep_network *network, const steep_start_options *start, double *theta)
{
    size_t n = network->width, dim = network->dim, m = near_power(dim, n, 1), gate = 0;
    steep_random random = steep_random_start(start->seed, STEEP_STREAM_JITTER);
    double *w = malloc(m * dim * sizeof *w);
    if (!w) return STEEP_NO_MEMORY;
    steep_ridges_directions(dim, m, &random, w);
    for (size_t j = 0; j < m; j++) {
        size_t k = n / m + (j < n % m);
        double place = steep_random_uniform(&random), facing = j % 2 ? -1 : 1;
        set_gate(start, dim, w + j * dim, -facing, facing, theta + steep_network_gate(network, gate++));
        for (size_t i = 1; i < k; i++)
            set_gate(start, dim, w + j * dim, 2 * ((double)(i - 1) + place) / (double)(k - 1) - 1, (i + j) % 2 ? -1 : 1,
                     theta + steep_network_gate(network, gate++));
    }
    free(w);
    return STEEP_OK;
}
