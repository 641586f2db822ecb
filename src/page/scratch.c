/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page/parts.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page/core.h"

steep_status steep_scratch_make(steep_scratch *s, steep_error *error)
{
    const char *above = getenv("TMPDIR");
    if (!above || !*above) above = "/tmp";
    const int length = snprintf(s->folder, sizeof s->folder, "%s/steep-page-XXXXXX", above);
    if (length < (int)sizeof s->folder && mkdtemp(s->folder)) return STEEP_OK;
    const int code = length < (int)sizeof s->folder ? errno : ENAMETOOLONG;
    *s->folder = '\0';
    return steep_fail(error, steep_failure_of(code), "TMPDIR %s: no folder can be made there to draw in: %s", above,
                      strerror(code));
}

/* By their names, which takes no memory. */
void steep_scratch_clear(const steep_scratch *s)
{
    static const char *const names[] = {"series.csv", "slopes.gp", "slopes.svg", "residuals.csv",
                                        "units.csv",  "gates.csv", "fit.gp",     "fit.svg"};
    char path[sizeof s->folder + 16];
    for (size_t i = 0; i < sizeof names / sizeof *names && *s->folder; i++) {
        snprintf(path, sizeof path, "%s/%s", s->folder, names[i]);
        unlink(path);
    }
}

void steep_scratch_remove(steep_scratch *s)
{
    steep_scratch_clear(s);
    if (*s->folder) rmdir(s->folder);
}

steep_status steep_scratch_link(const steep_scratch *s, const steep_page_run *run, const char *name, steep_error *error)
{
    if (!steep_page_has(run, name)) return STEEP_OK;
    char *whole = realpath(steep_path_in(run->folder, name).text, NULL);
    const bool fine = whole && symlink(whole, steep_path_in(s->folder, name).text) == 0;
    free(whole);
    return fine ? STEEP_OK : steep_fail(error, STEEP_IO, "%s/%s: cannot be reached", run->folder, name);
}

steep_status steep_scratch_note(steep_scratch *s, FILE *page, steep_status status, const steep_error *error)
{
    if (status == STEEP_OK) return STEEP_OK;
    const char *own = strstr(error->text, ": gnuplot "), *end = strstr(error->text, ", then run");
    if (status != STEEP_BAD_INPUT && !(status == STEEP_IO && own)) return status;
    const char *text = own ? own + 2 : error->text; /* without the scratch folder, which is gone when this is read */
    steep_error why;
    snprintf(why.text, sizeof why.text, "%.*s", (int)(end ? end - text : (ptrdiff_t)strlen(text)), text);
    steep_html_print(page, "<p class=\"warn\">This picture is missing: %s.</p>\n", why.text);
    if (s->missing++ == 0) s->error = why;
    return STEEP_OK;
}
