/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "model/activation_jet.h"
#include "model/check.h"
#include "plan/parts.h"
#include "plan/range.h"

#define LONGEST_NAME 40 /* characters of a label without its activation */

static steep_status unknown_architecture(const char *name, steep_error *error)
{
    const char *near = steep_options_nearest(name, steep_architecture_names);
    if (steep_activation_names(steep_options_index(steep_activation_names, name)))
        return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s': %s is an activation: write mlp:%s", name, name, name);
    return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s': no such architecture: %s%s%s", name,
                      near ? "did you mean " : "", near ? near : "\"steep list architectures\" names them",
                      near ? "?" : "");
}

/* Is the degree the only choice of a row? Then it may follow the name, as in hermite:5. */
static bool names_degree(const steep_architecture *row)
{
    return row->uses_degree && !row->uses_activation && !row->uses_dictionary;
}

/* The degree of a row where none follows its name. */
static int usual_degree(const steep_plan *plan, const steep_architecture *row)
{
    return row->uses_degree && plan->degree ? (int)plan->degree : steep_choice_default(row).degree;
}

static steep_status read_degree(const steep_architecture *row, const char *text, int *degree, steep_error *error)
{
    char *end;
    const long value = strtol(text, &end, 10);
    *degree = (int)value;
    if (end > text && !*end && value >= 1 && value <= STEEP_DEGREE_MOST) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s:%s': behind %s stands a degree, 1 to %d: write %s:5",
                      row->name, text, row->name, STEEP_DEGREE_MOST, row->name);
}

/* Reads the layers after '@': their number, all as wide as the last; or their widths from x on, n for the last:
 * 40/20/n. With + at the end, as in 3+ and 40/20/n+, layers are residual. */
static steep_status read_layers(const char *name, const char *text, steep_choice *choice, steep_error *error)
{
    const char *at = text;
    size_t hidden = 0;
    char *end;
    for (unsigned long value; *at >= '1' && *at <= '9' && hidden < STEEP_MAX_LAYERS - 1; at = end + 1) {
        value = strtoul(at, &end, 10);
        if (hidden == 0 && value <= STEEP_MAX_LAYERS && (!*end || (value > 1 && strcmp(end, "+") == 0))) {
            choice->depth = value;
            choice->residual = *end != 0;
            return STEEP_OK;
        }
        if (*end != '/' || value > STEEP_MAX_WIDTH) break;
        choice->hidden[hidden++] = value;
    }
    choice->depth = hidden + 1;
    choice->residual = strcmp(at, "n+") == 0;
    if (hidden > 0 && (choice->residual || strcmp(at, "n") == 0)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s@%.80s: behind @ stand 1 to %d layers: write %s@2, or "
                      "%s@40/n with their widths from x on; a + at the end where they are residual",
                      name, text, STEEP_MAX_LAYERS, name, name);
}

/* Checks layers in this notation that an option gives, --depth or --layers. */
static steep_status read_option(const steep_model_options *options, const char *text, steep_error *error)
{
    steep_choice choice;
    if (read_layers("", text, &choice, NULL) == STEEP_OK) return STEEP_OK;
    if (options->layers)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--layers '%s': use 1 to %d widths from 1 to %d, as in 40,20, or 40,20+ for residual layers",
                          options->layers, STEEP_MAX_LAYERS, STEEP_MAX_WIDTH);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--depth '%s': use numbers of layers from 1 to %d, as in 1,2, or 2+ for residual ones",
                      options->depth, STEEP_MAX_LAYERS);
}

/* Adds the layers to text in this notation. */
static void write_layers(const steep_choice *choice, char *text, size_t size)
{
    if (choice->depth > 1 && choice->hidden[0] == 0) steep_text_add(text, size, "@%zu", choice->depth);
    for (size_t l = 0; l + 1 < choice->depth && choice->hidden[l] > 0; l++)
        steep_text_add(text, size, "%s%zu%s", l == 0 ? "@" : "/", choice->hidden[l], l + 2 < choice->depth ? "" : "/n");
    if (choice->residual) steep_text_add(text, size, "+");
}

/* Sets the variant's activation, as fits.csv has it, and its label, which no other variant of a plan has: a name that
 * is too long for it is cut, and a hash stands for the rest. */
static void name_variant(const steep_plan *plan, steep_variant *v)
{
    const steep_architecture *row = v->architecture;
    const steep_choice usual = steep_choice_default(row);
    char initial[sizeof v->activation] = "-";
    snprintf(v->activation, sizeof v->activation, "-");
    if (row->uses_activation) {
        snprintf(v->activation, sizeof v->activation, "%s", steep_activation_names((size_t)v->choice.activation));
        snprintf(initial, sizeof initial, "%s", steep_activation_names((size_t)usual.activation));
    } else if (row->uses_dictionary) {
        steep_choice_dictionary(&v->choice, v->activation, sizeof v->activation);
        steep_choice_dictionary(&usual, initial, sizeof initial);
    } else if (names_degree(row) && v->choice.degree != usual_degree(plan, row))
        snprintf(v->activation, sizeof v->activation, "%d", v->choice.degree);
    char layers[sizeof v->activation - 24] = "";
    write_layers(&v->choice, layers, sizeof layers);
    const bool other = strcmp(v->activation, initial) != 0, whole = strlen(row->name) <= LONGEST_NAME;
    if (whole) snprintf(v->label, sizeof v->label, "%s", row->name);
    else
        snprintf(v->label, sizeof v->label, "%.*s..%08" PRIx32, LONGEST_NAME - 10, row->name,
                 (uint32_t)steep_hash_text(STEEP_HASH_START, row->name));
    if (other) steep_text_add(v->label, sizeof v->label, ":%.20s", v->activation);
    steep_text_add(v->label, sizeof v->label, "%s", layers);
    steep_text_add(v->activation, sizeof v->activation, "%s", layers);
}

/* mlp:3 and spline:3 have the activation relu3. */
static const char *of_degree(const steep_architecture *row, const char *activation)
{
    static const char *const powers[] = {"relu", "relu2", "relu3", "relu4"};
    const bool digit = row->uses_activation && activation && activation[0] >= '1' && activation[0] <= '4';
    return digit && !activation[1] ? powers[activation[0] - '1'] : activation;
}

/* Appends a row with its default choice, changed by this activation, dictionary and layers (NULL: not) and by the
 * plan's gate and degree. */
static steep_status append(steep_plan *plan, const steep_architecture *row, const char *activation,
                           const char *dictionary, const char *layers, steep_error *error)
{
    steep_choice choice = steep_choice_default(row);
    const char *degree = names_degree(row) ? activation : NULL;
    if (degree) activation = NULL;
    if (activation && !row->uses_activation)
        return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s:%s': %s has no activation to choose: use '%s'", row->name,
                          activation, row->name, row->name);
    activation = of_degree(row, activation);
    const int number = activation ? steep_activation_find(activation) : -1;
    if (row->stores && row->piecewise && activation && !(number >= 0 && steep_activation_power(number) > 0))
        return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s:%s': a spline's degree is 1 to 4: write %s:3", row->name,
                          activation, row->name);
    steep_status status =
        steep_choice_parse(activation, row->uses_dictionary ? dictionary : NULL, NULL, &choice, error);
    if (row->uses_gate && plan->choice.gate) choice.gate = plan->choice.gate;
    choice.degree = usual_degree(plan, row);
    if (status == STEEP_OK && degree) status = read_degree(row, degree, &choice.degree, error);
    if (status == STEEP_OK && layers && (row->place || row->stores))
        status = steep_fail(error, STEEP_BAD_INPUT, "--arch '%s@%s': %s has one layer: leave the layers out", row->name,
                            layers, row->name);
    if (status == STEEP_OK && layers) status = read_layers(row->name, layers, &choice, error);
    /* Rows from outside the library are checked before they fit anything. */
    for (size_t i = 0; status == STEEP_OK && i < plan->extra_count; i++)
        if (plan->extra[i] == row) status = steep_architecture_check(row, &choice, error);
    if (status != STEEP_OK) return status;
    steep_variant *grown = realloc(plan->variant, (plan->variants + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the architectures");
    plan->variant = grown;
    grown[plan->variants] = (steep_variant){.architecture = row, .choice = choice};
    name_variant(plan, &grown[plan->variants++]);
    return STEEP_OK;
}

/* Appends a requested variant. A variant that is there already is an error. */
static steep_status want_one(steep_plan *plan, const steep_model_options *options, const steep_architecture *row,
                             const char *activation, const char *layers, steep_error *error)
{
    steep_status status = append(plan, row, activation, options->dictionary, layers, error);
    if (status != STEEP_OK) return status;
    steep_variant *v = &plan->variant[plan->variants - 1];
    v->wanted = true;
    for (size_t i = 0; i + 1 < plan->variants; i++)
        if (strcmp(plan->variant[i].label, v->label) == 0)
            return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s': %s stands there twice: name it once",
                              options->arch ? options->arch : options->unit, v->label);
    return STEEP_OK;
}

/* Requests a row with each --depth, or with --layers but its last width; own: the item's own layers, or NULL. */
static steep_status want(steep_plan *plan, const steep_model_options *options, const steep_architecture *row,
                         const char *activation, const char *own, steep_error *error)
{
    steep_words depths = {0};
    char widths[sizeof plan->variant->activation] = "";
    const bool comparator = row->place || row->stores; /* of one layer */
    if (own || comparator || !(options->layers || options->depth))
        return want_one(plan, options, row, activation, own, error);
    const char *list = options->layers ? options->layers : options->depth;
    const bool residual = strchr(list, '+') == list + strlen(list) - 1;
    steep_status status = steep_words_split(options->layers ? "layers" : "depth", list, ',', &depths, error);
    for (size_t i = 0; options->layers && i + 1 < depths.count; i++)
        steep_text_add(widths, sizeof widths, "%.12s/", depths.word[i]);
    steep_text_add(widths, sizeof widths, residual ? "n+" : "n");
    for (size_t i = 0; status == STEEP_OK && i < (options->layers ? 1 : depths.count); i++) {
        const char *layers = !options->layers ? depths.word[i] : depths.count > 1 || residual ? widths : NULL;
        if (layers) status = read_option(options, layers, error);
        if (status == STEEP_OK) status = want_one(plan, options, row, activation, layers, error);
    }
    free(depths.word);
    return status;
}

/* --arch all: every row of the tables, and the variants in `more`. */
static steep_status want_all(steep_plan *plan, const steep_model_options *options, steep_error *error)
{
    static const char *const more[][2] = {{"mlp", "relu2"}, {"mlp", "relu3"}, {"mlp", "gelu"}, {"mlp", "silu"},
                                          {"mlp", "tanh"},  {"glu", "gelu"},  {"glu", "silu"}, {"gqu", "gelu"},
                                          {"gqu", "silu"},  {NULL, NULL}};
    const steep_architecture *row;
    const size_t first = plan->variants;
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && (row = steep_architecture_table(i)); i++)
        status = want(plan, options, row, NULL, NULL, error);
    for (size_t i = 0; status == STEEP_OK && more[i][0]; i++)
        status = want(plan, options, steep_architecture_find(more[i][0], NULL, 0), more[i][1], NULL, error);
    for (size_t i = 0; status == STEEP_OK && (row = steep_architecture_comparator(i)); i++)
        status = want(plan, options, row, NULL, NULL, error);
    for (size_t v = first; v < plan->variants; v++) plan->variant[v].optional = true;
    return status;
}

/* Requests one item of --arch, with its own activation or else with each of --activation, which sets *heard. */
static steep_status want_item(steep_plan *plan, const steep_model_options *options, char *item,
                              const steep_words *activations, bool *heard, steep_error *error)
{
    char *layers = strchr(item, '@'), *own = strchr(item, ':');
    if (layers) *layers++ = '\0';
    if (own && layers && own > layers) own = NULL;
    if (own) *own++ = '\0';
    if (strcmp(item, "all") == 0) return want_all(plan, options, error);
    const steep_architecture *row = steep_architecture_find(item, options->extra, options->extra_count);
    if (!row) return unknown_architecture(item, error);
    if (own || !row->uses_activation || activations->count == 0) return want(plan, options, row, own, layers, error);
    steep_status status = STEEP_OK;
    *heard = true;
    for (size_t i = 0; status == STEEP_OK && i < activations->count; i++)
        status = want(plan, options, row, activations->word[i], layers, error);
    return status;
}

/* Refuses a choice that no architecture of the list has, since it would be ignored. heard: --activation is used. */
static steep_status check_choices(const steep_plan *plan, const steep_model_options *options, bool heard,
                                  steep_error *error)
{
    bool activation = false, dictionary = false, gate = false, degree = false;
    for (size_t v = 0; v < plan->variants; v++) {
        const steep_architecture *row = plan->variant[v].architecture;
        activation |= row->uses_activation;
        dictionary |= row->uses_dictionary;
        gate |= row->uses_gate;
        degree |= row->uses_degree && plan->variant[v].choice.degree == usual_degree(plan, row);
    }
    const char *unused = options->activation && !activation   ? "activation"
                         : options->dictionary && !dictionary ? "dictionary"
                         : options->gate && !gate             ? "gate"
                         : options->degree && !degree         ? "degree"
                                                              : NULL;
    if (!unused && options->activation && !heard)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--activation: each architecture of --arch '%s' that has one names its own: leave it out",
                          options->arch ? options->arch : options->unit);
    if (!unused) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--%s: no architecture of --arch '%s' has one to choose: leave it out",
                      unused, options->arch ? options->arch : options->unit);
}

steep_status steep_plan_add_variants(steep_plan *plan, const steep_model_options *options, steep_error *error)
{
    steep_words names = {0}, activations = {0};
    steep_status status = STEEP_OK;
    bool heard = false;
    plan->layered = options->layers != NULL;
    if (options->arch || !options->unit)
        status = steep_words_split("arch", options->arch ? options->arch : "", ',', &names, error);
    if (status == STEEP_OK && options->activation)
        status = steep_words_split("activation", options->activation, ',', &activations, error);
    for (size_t i = 0; status == STEEP_OK && i < names.count; i++)
        status = want_item(plan, options, names.word[i], &activations, &heard, error);
    if (status == STEEP_OK && options->unit)
        status = steep_written_read(options->unit, &plan->unit, &plan->units, error);
    for (size_t i = 0; status == STEEP_OK && i < plan->units; i++)
        status = want(plan, options, &plan->unit[i]->row, NULL, NULL, error);
    if (status == STEEP_OK) status = check_choices(plan, options, heard, error);
    free(names.word);
    free(activations.word);
    return status;
}

size_t steep_plan_find_variant(const steep_plan *plan, const char *arch, const char *activation)
{
    size_t v = 0;
    while (v < plan->variants && (strcmp(plan->variant[v].architecture->name, arch) != 0 ||
                                  strcmp(plan->variant[v].activation, activation) != 0))
        v++;
    return v;
}

static bool same_unit(const steep_written *a, const steep_written *b)
{
    for (size_t i = 0; i < sizeof a->start / sizeof *a->start; i++)
        if (a->start[i] != b->start[i]) return false;
    return strcmp(a->text, b->text) == 0 && a->order == b->order;
}

steep_status steep_plan_know_unit(steep_plan *plan, const char *text, steep_error *error)
{
    steep_written *unit, **grown = realloc(plan->unit, (plan->units + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a unit");
    plan->unit = grown;
    steep_status status = steep_written_parse(text, &unit, error);
    if (status != STEEP_OK) return status;
    size_t i = 0;
    while (i < plan->units && strcmp(grown[i]->name, unit->name) != 0) i++;
    if (i == plan->units) {
        grown[plan->units++] = unit;
        return STEEP_OK;
    }
    if (!same_unit(grown[i], unit))
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "the unit %s is '%s' in the folder and '%s' here: use another name, or another --out",
                            unit->name, unit->given, grown[i]->given);
    steep_written_free(unit);
    return status;
}

/* A row of the table, of the caller, or of a unit by formula; NULL where there is none. */
static const steep_architecture *find_row(const steep_plan *plan, const char *name)
{
    const steep_architecture *row = steep_architecture_find(name, plan->extra, plan->extra_count);
    for (size_t i = 0; !row && i < plan->units; i++)
        if (strcmp(plan->unit[i]->name, name) == 0) row = &plan->unit[i]->row;
    return row;
}

steep_status steep_plan_admit_variant(steep_plan *plan, const char *arch, const char *activation, steep_error *error)
{
    if (steep_plan_find_variant(plan, arch, activation) < plan->variants) return STEEP_OK;
    const steep_architecture *row = find_row(plan, arch);
    if (!row && strcmp(activation, "-") == 0 && steep_plan_know_unit(plan, arch, NULL) == STEEP_OK)
        row = find_row(plan, arch); /* a unit by formula that is its own name */
    if (!row)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "this program has no architecture '%s': give it by --unit, or use the program that defines it", arch);
    char name[sizeof plan->variant->activation];
    snprintf(name, sizeof name, "%s", activation);
    char *layers = strchr(name, '@');
    if (layers) *layers++ = '\0';
    const bool chosen = row->uses_activation || (names_degree(row) && strcmp(name, "-") != 0);
    steep_status status = append(plan, row, chosen ? name : NULL, name, layers, error);
    if (status == STEEP_OK && strcmp(plan->variant[plan->variants - 1].activation, activation) != 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s has no activation '%s'", arch, activation);
    return status;
}
