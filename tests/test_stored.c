/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/stored.h"

#include "chance.h"
#include "model/start.h"
#include "scratch.h"

/* A random network of a row and dimension, and the facts that its file states. */
typedef struct lab {
    steep_network network;
    steep_standard standard;
    double *theta, low[30], high[30];
    char name[30][40];
    const char *x[30];
    steep_stored_facts facts;
} lab;

static steep_error error;
static const steep_stored_number numbers[] = {{"rmse_train", 0.5}, {"rmse_test", NAN}};

static void open_lab(lab *l, steep_random *random, const char *arch, size_t dim, bool scaled, size_t layers)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.depth = layers;
    choice.residual = choice.depth > 1 && chance_below(random, 2);
    for (size_t i = 0; i + 1 < choice.depth; i++) choice.hidden[i] = chance_below(random, 4);
    ck_assert_int_eq(steep_network_init(&l->network, row, &choice, dim, 1 + chance_below(random, 6), NULL), STEEP_OK);
    l->theta = malloc(l->network.parameters * sizeof *l->theta);
    for (size_t p = 0; p < l->network.parameters; p++) l->theta[p] = steep_random_normal(random);
    ck_assert_int_eq(steep_standard_init(dim, &l->standard, NULL), STEEP_OK);
    for (size_t j = 0; j < dim; j++) {
        l->standard.x_mean[j] = 10 * steep_random_normal(random);
        l->standard.x_scale[j] = pow(10, chance_within(random, -3, 3));
        l->low[j] = l->standard.x_mean[j] - l->standard.x_scale[j];
        l->high[j] = l->standard.x_mean[j] + 2 * l->standard.x_scale[j];
        snprintf(l->name[j], sizeof l->name[j], "col \"%zu\", caf\xC3\xA9", j);
        l->x[j] = l->name[j];
    }
    l->standard.y_mean = steep_random_normal(random);
    l->standard.y_scale = pow(10, chance_within(random, -3, 3));
    l->facts = (steep_stored_facts){.network = &l->network,
                                    .theta = l->theta,
                                    .low = l->low,
                                    .high = l->high,
                                    .standard = scaled ? &l->standard : NULL,
                                    .x = scaled ? l->x : NULL,
                                    .y = scaled ? "value" : NULL,
                                    .target = "points.csv",
                                    .seed = 7,
                                    .status = "converged",
                                    .reason = "tolerance",
                                    .number = numbers,
                                    .numbers = 2};
}

static void close_lab(lab *l)
{
    free(l->theta);
    steep_standard_free(&l->standard);
}

static bool same(size_t count, const double *a, const double *b)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

START_RANDOM_TEST(what_is_written_is_read_to_the_bit, 1)
{
    static const char *const arch[] = {"mlp", "glu", "gqu", "qd-moa", "moa", "la", "hermite"};
    const char *path = scratch_path(scratch_make(), "network.json");
    for (size_t i = 0; i < chance_cases(300); i++) {
        SCOPED(close_lab) lab l;
        size_t dim = 1 + chance_below(&random, 20);
        bool scaled = chance_below(&random, 2);
        open_lab(&l, &random, arch[chance_below(&random, sizeof arch / sizeof *arch)], dim, scaled,
                 1 + chance_below(&random, 3));
        for (size_t p = 0; p < l.network.parameters; p++)
            l.theta[p] = ldexp(l.theta[p], (int)chance_below(&random, 2000) - 1050);
        SCOPED(steep_stored_free) steep_stored stored;
        check_says(steep_stored_write(path, steep_stored_describe(&l.facts), &error), STEEP_OK, "");
        check_says(steep_stored_read(path, &stored, &error), STEEP_OK, "");
        ck_assert(stored.network.architecture == l.network.architecture && stored.network.dim == dim);
        ck_assert(stored.network.choice.residual == l.network.choice.residual);
        ck_assert(same(l.network.parameters, stored.theta, l.theta) && same(dim, stored.low, l.low) &&
                  same(dim, stored.high, l.high));
        ck_assert_uint_eq(stored.standard.dim, scaled ? dim : 0);
        ck_assert((stored.x != NULL) == scaled && (stored.y != NULL) == scaled);
        if (scaled) {
            ck_assert(same(dim, stored.standard.x_mean, l.standard.x_mean) &&
                      same(dim, stored.standard.x_scale, l.standard.x_scale));
            ck_assert(stored.standard.y_mean == l.standard.y_mean && stored.standard.y_scale == l.standard.y_scale);
            for (size_t j = 0; j < dim; j++) ck_assert_str_eq(stored.x[j], l.x[j]);
            ck_assert_str_eq(stored.y, "value");
        }
    }
}

/* Values and gradients at raw points are the network's at scaled points, scaled back. */
START_RANDOM_TEST(raw_points_give_raw_values_and_gradients, 2)
{
    enum { COUNT = 9, MOST = 20 };
    for (size_t i = 0; i < chance_cases(200); i++) {
        SCOPED(close_lab) lab l;
        size_t dim = 1 + chance_below(&random, MOST);
        open_lab(&l, &random, "hermite", dim, true, 1);
        steep_stored stored = {.network = l.network, .theta = l.theta, .standard = l.standard}, plain = stored;
        double x[MOST * COUNT], own[MOST * COUNT], y[COUNT], raw[COUNT], again[COUNT], slope[MOST * COUNT],
            gradient[MOST * COUNT];
        for (size_t p = 0; p < dim * COUNT; p++) {
            const size_t j = p / COUNT;
            x[p] = chance_within(&random, l.low[j], l.high[j]);
            own[p] = (x[p] - l.standard.x_mean[j]) / l.standard.x_scale[j];
        }
        plain.standard.dim = 0;
        ck_assert_int_eq(steep_stored_values(&plain, COUNT, own, y, slope), STEEP_OK);
        ck_assert_int_eq(steep_stored_values(&stored, COUNT, x, raw, NULL), STEEP_OK);
        ck_assert_int_eq(steep_stored_values(&stored, COUNT, x, again, gradient), STEEP_OK);
        for (size_t k = 0; k < COUNT; k++)
            ck_assert(raw[k] == l.standard.y_mean + l.standard.y_scale * y[k] && again[k] == raw[k]);
        for (size_t p = 0; p < dim * COUNT; p++) {
            const double expected = slope[p] * (l.standard.y_scale / l.standard.x_scale[p / COUNT]);
            check_close(gradient[p], expected, 4 * 0x1p-53 * fabs(expected));
        }
    }
}

/* A file of format 1, which has no scaling of the data. */
static const char old_format[] =
    "{\"format\": 1, \"architecture\": \"mlp\", \"unit\": \"act(z1)\", \"choice\": {\"activation\": \"relu\"}, "
    "\"domain\": [[-1.0, 1.0]], \"target\": \"runge3\", \"dim\": 1, \"width\": 1, \"params\": 4, \"seed\": 0, "
    "\"blocks\": [{\"name\": \"branch 1, affine\", \"offset\": 0, \"shape\": [1, 2], \"values\": [[2.0, 0.5]]}, "
    "{\"name\": \"output\", \"offset\": 2, \"shape\": [1, 1], \"values\": [[3.0]]}, "
    "{\"name\": \"bias\", \"offset\": 3, \"shape\": [1, 1], \"values\": [[-1.0]]}]}";

START_TEST(the_older_format_is_read)
{
    const char *path = scratch_path(scratch_make(), "old.json");
    SCOPED(steep_stored_free) steep_stored stored;
    scratch_put(path, old_format);
    check_says(steep_stored_read(path, &stored, &error), STEEP_OK, "");
    const double x[] = {-1, 0, 2};
    double y[3], gradient[3];
    ck_assert_int_eq(steep_stored_values(&stored, 3, x, y, gradient), STEEP_OK);
    ck_assert(y[0] == -1 && y[1] == 0.5 && y[2] == 12.5 && gradient[0] == 0 && gradient[2] == 6);
    ck_assert(stored.standard.dim == 0 && stored.x == NULL && stored.low[0] == -1);
}

/* Returns the text with the first `what` replaced by `by`; the caller frees it. */
static char *replaced(const char *text, const char *what, const char *by)
{
    const char *at = strstr(text, what);
    ck_assert_msg(at != NULL, "%s", what);
    char *out = malloc(strlen(text) + strlen(by) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
    return out;
}

START_RANDOM_TEST(what_does_not_fit_is_refused, 3)
{
    static const struct {
        const char *what, *says, *by[4];
    } wrong[] = {{"\"format\": 2", "format: another version", {"\"format\": 5", "\"format\": 0", "\"format\": \"2\""}},
                 {"\"mean\": [\n    1.0", "scaling of the data: a mean is no number", {"\"mean\": [\n    null"}},
                 {"\"mean\": [\n    1.0,", "scaling of the data: it does not have a mean", {"\"mean\": ["}},
                 {"[\n    2.0", "scale is no number above 0", {"[\n    0.0", "[\n    -2.0", "[\n    \"2\""}},
                 {"\"mean\": 5.0", "scaling of the data: a mean is no number", {"\"mean\": []"}},
                 {"\"scale\": 6.0", "scaling of the data", {"\"size\": 6.0"}},
                 {"\"y\": \"value\"", "columns: it does not name", {"\"z\": \"value\""}},
                 {"\"x\": [\n   \"a\",", "columns: it does not name", {"\"x\": ["}},
                 {"\"x\": [\n   \"a\",", "columns: a name is no text", {"\"x\": [\n   7,"}},
                 {"\"domain\"",
                  "layers: it is no list of the widths of 2 to 8",
                  {"\"layers\": [4], \"domain\"", "\"layers\": [3, 4, 5, 6, 7, 8, 9, 10, 11], \"domain\""}},
                 {"\"domain\"",
                  "layers: a width is no whole number",
                  {"\"layers\": [3, 0, 4], \"domain\"", "\"layers\": [\"3\", 4], \"domain\""}},
                 {"\"domain\"", "layers: its last width", {"\"layers\": [3, 100], \"domain\""}}};
    const char *path = scratch_path(scratch_make(), "network.json");
    SCOPED(close_lab) lab l;
    open_lab(&l, &random, "mlp", 2, true, 1);
    l.x[0] = "a";
    l.standard.x_mean[0] = 1;
    l.standard.x_scale[0] = 2;
    l.standard.y_mean = 5;
    l.standard.y_scale = 6;
    ck_assert_int_eq(steep_stored_write(path, steep_stored_describe(&l.facts), NULL), STEEP_OK);
    SCOPED(release_memory) char *good = scratch_read(path, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (const char *const *by = wrong[i].by; *by; by++) {
            steep_stored stored;
            SCOPED(release_memory) char *bad = replaced(good, wrong[i].what, *by);
            scratch_put(path, bad);
            check_says(steep_stored_read(path, &stored, &error), STEEP_BAD_INPUT, wrong[i].says);
            ck_assert(strstr(error.text, path) != NULL);
            ck_assert(stored.theta == NULL && stored.low == NULL && stored.x == NULL && stored.standard.x_mean == NULL);
        }
    for (size_t cut = 0; cut + 2 < strlen(good); cut += 13) { /* a torn file */
        steep_stored stored;
        scratch_write(path, good, cut);
        ck_assert_int_eq(steep_stored_read(path, &stored, NULL), STEEP_BAD_INPUT);
    }
}
