/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/meter.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sheet.h"

static double part_of(const steep_meter *m)
{
    return m->cost > 0 ? m->cost_done / m->cost : 0;
}

static void write_event(steep_meter *m, double now)
{
    const double part = part_of(m), passed = now - m->began;
    m->shown = now;
    m->reported = m->done;
    steep_event_write(m->stream, "progress",
                      (const steep_event_field[]){steep_event_count("done", m->done),
                                                  steep_event_count("total", m->total),
                                                  steep_event_real("part", part),
                                                  steep_event_real("seconds", passed),
                                                  steep_event_real("left", part > 0 ? passed * (1 - part) / part : NAN),
                                                  {0}});
}

/* On a terminal one line that changes. */
static void write_line(steep_meter *m, bool terminal, double now)
{
    const double part = part_of(m), passed = now - m->began;
    m->shown = now;
    fprintf(m->stream, "%s%zu of %zu fits, %.0f %% of the work", terminal ? "\r" : "", m->done, m->total, 100 * part);
    if (part > 0) fprintf(m->stream, ", about %.0f s left", ceil(fmax(passed * (1 - part) / part, 0)));
    fputs(terminal ? "\033[K" : "\n", m->stream);
    fflush(m->stream);
}

void steep_meter_show(steep_meter *m, bool last)
{
    if (!m->stream) return;
    const double now = steep_clock_seconds();
    if (m->events) {
        if (last ? m->reported != m->done : now - m->shown >= STEEP_EVENT_SECONDS) write_event(m, now);
        return;
    }
    const bool terminal = isatty(fileno(m->stream));
    if (!terminal && (last || m->pause <= 0)) return;
    if (!last && now - fmax(m->shown, terminal ? 0 : m->began) >= (terminal ? 0.1 : m->pause))
        write_line(m, terminal, now);
    if (!last) return;
    if (m->shown > 0) fputs("\r\033[K", m->stream);
    fflush(m->stream);
}
