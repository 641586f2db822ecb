/* SPDX-License-Identifier: GPL-3.0-or-later */
/* singles: pictures of folders of steep fit in one dimension, as gnuplot draws them from their tables
 * (draw/figure_fit.c). */
#include <jansson.h>
#include <math.h>

#include "page/core.h"
#include "page/parts.h"

static double number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* What stands above a picture: the network, its errors, how its fit ended. */
static void put_heading(FILE *out, const steep_page *page, const steep_page_run *run, const json_t *record,
                        const char *title)
{
    const json_t *result = json_object_get(record, "result");
    const double train = number_of(result, "rmse_train"), test = number_of(result, "rmse_test");
    steep_html_print(out, "<figure class=\"plot single\"><figcaption><h3>%s</h3><span class=\"run\">%s", title,
                     steep_page_text(record, "target", ""));
    if (page->runs > 1) steep_html_print(out, " · %s", run->name);
    fputs("</span></figcaption>\n<p class=\"note\">", out);
    if (isfinite(train)) fprintf(out, "training RMSE <data value=\"%.17g\">%.3e</data>", train, train);
    if (isfinite(test)) fprintf(out, ", test RMSE <data value=\"%.17g\">%.3e</data>", test, test);
    steep_html_print(out, "%s%s: %s</p>\n", isfinite(train) ? "; " : "", steep_page_text(result, "status", ""),
                     steep_page_text(result, "reason", ""));
}

/* gnuplot draws the folder's tables, as they stand in the scratch folder, too. */
static steep_status put_folder(FILE *out, const steep_page *page, const steep_page_run *run, steep_error *error)
{
    static const char *const tables[] = {"residuals.csv", "units.csv", "gates.csv"};
    const char *const scratch = page->scratch->folder;
    char title[200];
    json_t *record = NULL;
    steep_status status = steep_page_json(run, "parameters.json", &record, error);
    steep_scratch_clear(page->scratch);
    for (size_t i = 0; i < 3 && status == STEEP_OK; i++)
        status = steep_scratch_link(page->scratch, run, tables[i], error);
    if (status == STEEP_OK) {
        snprintf(title, sizeof title, "%.120s, width %lld", steep_page_text(record, "architecture", ""),
                 (long long)json_integer_value(json_object_get(record, "width")));
        put_heading(out, page, run, record, title);
        status = steep_figure_fit(scratch, NULL, "svg", page->options->limits, error);
        const steep_image image = {scratch, "fit.svg", "whole", title};
        if (status == STEEP_OK) status = steep_page_put_image(out, &image, error);
        status = steep_scratch_note(page->scratch, out, status, error);
        fputs("</figure>\n", out);
    }
    json_decref(record);
    return status;
}

steep_status steep_page_put_singles(FILE *out, const steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    size_t singles = 0;
    for (size_t r = 0; r < page->runs; r++) singles += page->run[r].curve;
    if (singles == 0) return STEEP_OK;
    steep_page_begin(out, "singles", "Single fits");
    fputs("<p class=\"note\">The target is wide and grey; the residual, network less target, stands below it. Vertical "
          "lines are where gates open; beside them is what each unit adds.</p>\n<div class=\"plots\">\n",
          out);
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++)
        if (page->run[r].curve) status = put_folder(out, page, &page->run[r], error);
    fputs("</div>\n</section>\n", out);
    return status;
}
