/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "law/joint.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DOUBTFUL 0.05 /* a form with a greater weight cannot be left out */

STEEP_NAMES(steep_law_form_names, "auto", "hoffmann", "kaplan", "product")

STEEP_NAMES(steep_law_parameter_names, "E", "A", "a", "B", "b", "c")

static STEEP_NAMES(noise_names, "student", "normal")

#define AT(field) offsetof(steep_law_chosen, field)

const steep_option steep_law_option_table[] = {
    CHOICE("form", form, "auto", steep_law_form_names,
           "of the law; auto: the average of all, by the weights that the data give them", FREE),
    TEXT("fix", fix, "LIST", NULL, "parameters that are known: a=0.5, E=0; of E, a, b, c, separated by ','", FREE),
    TEXT("compute", compute, "FORMULA", NULL,
         "a number times powers of the two sizes, by their names (default: 6 times both)", FREE),
    TEXT("predict", predict, "SIZES", NULL, "the loss at sizes of one's own: params=7e10,tokens=1.4e12", FREE),
    CHOICE("noise", noise, "student", noise_names, "of the log loss: student, of any tails, or normal", FREE),
    REAL("level", level, "0.95", 0.5, 0.9999, "confidence of the intervals", FREE),
    {.name = NULL},
};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The longest name that the text begins with, and its length; `names`: none. */
static size_t name_at(const char *text, const char *const *name, size_t names, size_t *length)
{
    size_t found = names;
    *length = 0;
    for (size_t k = 0; k < names; k++) {
        const size_t own = strlen(name[k]);
        if (own > *length && strncmp(text, name[k], own) == 0 && !in_word(text[own])) found = k, *length = own;
    }
    return found;
}

/* Whether a word must name a column: it is no function and no constant. The parser of formulas would take x1, y, z as
 * variables, and its messages on other words say nothing of columns. */
static bool is_name(const char *word, size_t length)
{
    const bool constant = (length == 1 && *word == 'e') || (length == 2 && strncmp(word, "pi", 2) == 0);
    return length > 0 && isalpha((unsigned char)*word) && !constant && word[length + strspn(word + length, " ")] != '(';
}

static steep_status no_column(const char *text, const char *word, size_t length, const char *const *name, size_t names,
                              steep_error *error)
{
    char list[200] = "";
    for (size_t k = 0; k < names; k++) steep_text_add(list, sizeof list, "%s%.40s", k ? ", " : "", name[k]);
    return steep_fail(error, STEEP_BAD_INPUT, "'%.80s': %.*s is no column; the columns are %s", text,
                      (int)(length < 40 ? length : 40), word, list);
}

steep_status steep_law_formula(const char *text, const char *const *name, size_t names, bool *used,
                               steep_formula **formula, steep_error *error)
{
    char to[1024];
    size_t length = 0, word;
    bool any = false;
    const char *at = text;
    while (*at && length + 24 < sizeof to) {
        const size_t k = name_at(at, name, names, &word);
        while (k == names && in_word(at[word])) word++;
        if (k < names) length += (size_t)snprintf(to + length, 24, "x%zu", k + 1), used[k] = any = true;
        else if (is_name(at, word)) return no_column(text, at, word, name, names, error);
        else if (word < 2) to[length++] = *at, word = 1;
        else {
            if (length + word + 24 >= sizeof to) break;
            memcpy(to + length, at, word);
            length += word;
        }
        at += word;
    }
    if (*at || !*text)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "'%.60s': a formula of columns has 1 to %zu characters, with x1, x2 in place of the names",
                          text, sizeof to - 24);
    to[length] = '\0';
    if (any) return steep_formula_parse(to, formula, error);
    return steep_fail(error, STEEP_BAD_INPUT, "'%.80s': no column is named in it: use names such as %.60s", text,
                      names ? name[0] : "params");
}

/* The names that may have a number in the text of an option. */
typedef struct numbers {
    const char *option, *const *name;
    size_t names;
} numbers;

/* Sets value[k] and bit k of given for each name k that has a number in the text; text NULL: for none. */
static steep_status read_numbers(const numbers *n, const char *text, double *value, unsigned *given, steep_error *error)
{
    steep_error inner;
    char said[120] = "";
    for (size_t k = 0; k < n->names; k++) steep_text_add(said, sizeof said, "%s%.40s", k ? ", " : "", n->name[k]);
    while (text && *text) {
        const size_t length = strcspn(text, ",");
        size_t equals;
        const size_t k = name_at(text, n->name, n->names, &equals);
        equals += strspn(text + equals, " ");
        if (k == n->names || text[equals] != '=' || *given >> k & 1)
            return steep_fail(error, STEEP_BAD_INPUT, "--%s '%.60s': use NAME=NUMBER, each name once, of %s", n->option,
                              text, said);
        if (steep_formula_number(text + equals + 1, length - equals - 1, &value[k], &inner) < 0)
            return steep_fail(error, STEEP_BAD_INPUT, "--%s '%.60s': behind '=' stands no number", n->option, text);
        *given |= 1u << k;
        text += length;
        if (*text) text += 1 + strspn(text + 1, " ");
    }
    return STEEP_OK;
}

static steep_status choose_fixed(const char *list, steep_law_options *o, steep_error *error)
{
    const char *name[STEEP_LAW_PARAMETERS];
    for (size_t k = 0; k < STEEP_LAW_PARAMETERS; k++) name[k] = steep_law_parameter_names(k);
    const numbers fixed = {"fix", name, STEEP_LAW_PARAMETERS};
    return read_numbers(&fixed, list, o->fixed_value, &o->fixed, error);
}

static steep_status choose_predicted(const char *list, const char *const name[2], steep_law_options *o,
                                     steep_error *error)
{
    double at[2] = {0};
    unsigned given = 0;
    const steep_status status = read_numbers(&(numbers){"predict", name, 2}, list, at, &given, error);
    if (status != STEEP_OK) return status;
    if (list && !(at[0] > 0 && at[1] > 0 && isfinite(at[0] + at[1])))
        return steep_fail(error, STEEP_BAD_INPUT, "--predict '%.60s': use two positive sizes, %.40s=..,%.40s=..", list,
                          name[0], name[1]);
    o->predict_params = at[0];
    o->predict_data = at[1];
    return STEEP_OK;
}

static double value_at(const steep_formula *f, double first, double second)
{
    const double x[2] = {first, second};
    double y;
    steep_formula_values(f, 1, x, &y);
    return y;
}

/* Computes factor and powers from three values; false where other values show that f is no product of powers. */
static bool find_powers(const steep_formula *f, steep_law_options *o)
{
    static const double tried[][2] = {{3, 5}, {0.1, 7}, {1e9, 1e11}};
    o->compute_factor = value_at(f, 1, 1);
    o->compute_params = log2(value_at(f, 2, 1) / o->compute_factor);
    o->compute_data = log2(value_at(f, 1, 2) / o->compute_factor);
    bool fine = o->compute_factor > 0 && o->compute_params > 0 && o->compute_data > 0 && isfinite(o->compute_factor);
    for (size_t k = 0; fine && k < sizeof tried / sizeof *tried; k++) {
        const double expected =
            o->compute_factor * pow(tried[k][0], o->compute_params) * pow(tried[k][1], o->compute_data);
        fine = fabs(value_at(f, tried[k][0], tried[k][1]) / expected - 1) < 1e-9;
    }
    return fine;
}

static steep_status choose_compute(const char *text, const char *const name[2], steep_law_options *o,
                                   steep_error *error)
{
    bool used[2] = {false};
    steep_formula *f;
    steep_error inner = {{0}};
    if (!text) return STEEP_OK;
    const steep_status status = steep_law_formula(text, name, 2, used, &f, &inner);
    if (status != STEEP_OK)
        return steep_fail(error, status, "--compute '%.80s': use numbers and the names %.40s and %.40s: %.250s", text,
                          name[0], name[1], inner.text);
    const bool fine = steep_formula_dim(f) <= 2 && find_powers(f, o);
    steep_formula_free(f);
    if (fine) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--compute '%.80s': use a number times powers of both sizes, all above 0, as 6*%.40s*%.40s", text,
                      name[0], name[1]);
}

steep_status steep_law_choose(const steep_law_chosen *chosen, const char *const name[2], steep_law_options *o,
                              steep_error *error)
{
    *o = (steep_law_options){.level = chosen->level, .normal = strcmp(chosen->noise, "normal") == 0};
    o->form = (steep_law_form)steep_options_index(steep_law_form_names, chosen->form);
    steep_status status = choose_fixed(chosen->fix, o, error);
    if (status == STEEP_OK) status = choose_compute(chosen->compute, name, o, error);
    return status == STEEP_OK ? choose_predicted(chosen->predict, name, o, error) : status;
}

/* Names the forms whose weight is above DOUBTFUL, with their weights. */
static void say_forms(const steep_law *l, char text[STEEP_LAW_REMARK])
{
    size_t many = 0;
    text[0] = '\0';
    for (size_t f = 1; f < STEEP_LAW_FORMS; f++) many += l->weight[f] > DOUBTFUL;
    for (size_t f = 1; f < STEEP_LAW_FORMS; f++)
        if (l->weight[f] > DOUBTFUL)
            steep_text_add(text, STEEP_LAW_REMARK, "%s%s %.2g",
                           *text      ? ", "
                           : many > 1 ? "the data do not tell the forms apart, the law is their average: "
                                      : "form, with its weight beside the others: ",
                           steep_law_form_names(f), l->weight[f]);
}

static void say_held_out(const steep_law *l, char text[STEEP_LAW_REMARK])
{
    if (isnan(l->wider)) {
        snprintf(text, STEEP_LAW_REMARK,
                 "predictions are not calibrated: too few points or computes to hold the largest out");
        return;
    }
    char wider[80] = "";
    if (l->wider > 1.05)
        snprintf(wider, sizeof wider, ": intervals of losses beyond are %.2g times as wide for it", l->wider);
    snprintf(text, STEEP_LAW_REMARK, "%zu points of the largest compute, held out, are predicted to %.2g %%%s",
             l->held_out, 100 * l->held_out_error, wider);
}

size_t steep_law_remarks(const steep_law *l, const char *const name[2], char text[STEEP_LAW_REMARKS][STEEP_LAW_REMARK])
{
    size_t n = 0;
    say_forms(l, text[n++]);
    say_held_out(l, text[n++]);
    if (l->shared > 0.5)
        snprintf(text[n++], sizeof *text, "points of one budget deviate together (probability %.2g)", l->shared);
    if (l->falls > 2 || l->falls < 0.5)
        snprintf(text[n++], sizeof *text,
                 "the scatter changes with the loss: at the largest it is %.2g times that at the smallest", l->falls);
    if (l->apart > 0) snprintf(text[n++], sizeof *text, "points that stand apart, and count for less: %zu", l->apart);
    for (size_t k = 0; k < 2; k++)
        if (l->turns[k]) snprintf(text[n++], sizeof *text, "the loss falls with %s, then rises: no power law", name[k]);
    for (size_t k = 0; k < 2; k++)
        if (l->no_gain[k]) snprintf(text[n++], sizeof *text, "it is not certain that the loss falls with %s", name[k]);
    if (l->one_line)
        snprintf(text[n++], sizeof *text, "%s and %s grow together: what either does alone cannot be told", name[0],
                 name[1]);
    return n;
}

static steep_status put_interval(steep_session *s, const char *name, steep_law_interval i, steep_error *error)
{
    char low[64], high[64];
    snprintf(low, sizeof low, "%s_low", name);
    snprintf(high, sizeof high, "%s_high", name);
    return steep_session_put(s, (const steep_stored_number[]){{name, i.value}, {low, i.low}, {high, i.high}}, 3, error);
}

static steep_status put_numbers(steep_session *s, const steep_law *l, steep_error *error)
{
    const steep_stored_number number[] = {{"hoffmann", l->weight[STEEP_LAW_FORM_HOFFMANN]},
                                          {"kaplan", l->weight[STEEP_LAW_FORM_KAPLAN]},
                                          {"product", l->weight[STEEP_LAW_FORM_PRODUCT]},
                                          {"scatter", l->scatter},
                                          {"falls", l->falls},
                                          {"shared", l->shared},
                                          {"held_out", l->held_out_error},
                                          {"wider", l->wider},
                                          {"condition", l->condition},
                                          {"apart", (double)l->apart},
                                          {"budgets", (double)l->budgets}};
    steep_status status = STEEP_OK;
    for (size_t k = 0; status == STEEP_OK && k < STEEP_LAW_PARAMETERS; k++)
        status = put_interval(s, steep_law_parameter_names(k), l->parameter[k], error);
    if (status == STEEP_OK) status = put_interval(s, "params_exponent", l->params_exponent, error);
    if (status == STEEP_OK) status = put_interval(s, "data_exponent", l->data_exponent, error);
    if (status == STEEP_OK) status = put_interval(s, "prediction", l->prediction, error);
    if (status == STEEP_OK) status = put_interval(s, "one_run", l->one_run, error);
    return status == STEEP_OK ? steep_session_put(s, number, sizeof number / sizeof *number, error) : status;
}

steep_status steep_session_law(steep_session *session, size_t count, const double *params, const double *data,
                               const double *loss, steep_error *error)
{
    static const char *const name[2] = {"params", "data"};
    steep_law_chosen chosen;
    steep_law_options options;
    steep_law law;
    char remark[1500] = "", one[STEEP_LAW_REMARKS][STEEP_LAW_REMARK];
    const steep_law_points points = {count, params, data, loss, NULL, NULL};
    steep_session_begin(session);
    steep_options_default(steep_law_option_table, &chosen);
    steep_status status = steep_session_options(session, STEEP_ONE_GROUP(steep_law_option_table, &chosen), error);
    if (status == STEEP_OK) status = steep_law_choose(&chosen, name, &options, error);
    if (status == STEEP_OK) status = steep_law_measure(&points, &options, &law, error);
    if (status < 0) return status;
    const size_t remarks = steep_law_remarks(&law, name, one);
    for (size_t k = 0; k < remarks; k++) steep_text_add(remark, sizeof remark, "%s%s", k ? "; " : "", one[k]);
    status = steep_session_record(session, law.status, remark, error);
    return status == STEEP_OK ? put_numbers(session, &law, error) : status;
}
