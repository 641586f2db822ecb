/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/memory.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"

#define NO_LIMIT 1e18 /* version 1 of the control groups writes a huge number where there is no limit */
#define LINE     512

bool steep_kernel_field(const char *path, const char *name, char *text, size_t size)
{
    char line[LINE];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *at = line + strlen(name);
        found = strncmp(line, name, strlen(name)) == 0;
        if (!found) continue;
        at += strspn(at, " \t:");
        snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
    }
    if (file) fclose(file);
    return found;
}

/* The number on the first line of the file that begins with name; NaN if there is none. */
static double number_in(const char *path, const char *name)
{
    char text[64] = "", *end;
    steep_kernel_field(path, name, text, sizeof text);
    const double number = strtod(text, &end);
    return end > text ? number : NAN;
}

typedef struct left {
    double bytes;
    const char *who;
} left;

static void consider(left *l, double bytes, const char *who)
{
    if (!(bytes < l->bytes)) return;
    l->bytes = fmax(bytes, 0);
    l->who = who;
}

/* One control group: its limit less its usage. Inactive file pages count as free. second: groups of version 2. */
static void consider_group(left *l, const char *folder, bool second)
{
    const double limit = number_in(steep_path_in(folder, second ? "memory.max" : "memory.limit_in_bytes").text, "");
    if (!(limit < NO_LIMIT)) return;
    const double used = number_in(steep_path_in(folder, second ? "memory.current" : "memory.usage_in_bytes").text, "");
    const double files =
        number_in(steep_path_in(folder, "memory.stat").text, second ? "inactive_file " : "total_inactive_file ");
    if (!isnan(used)) consider(l, limit - used + (isnan(files) ? 0 : files), "its control group leaves");
}

/* The control group in the folder root/group, and all its parents up to the root of the hierarchy. */
static void consider_groups(left *l, const char *root, const char *group, bool second)
{
    char folder[2 * LINE];
    snprintf(folder, sizeof folder, "%s%s", root, group);
    for (;;) {
        consider_group(l, folder, second);
        char *last = strrchr(folder, '/');
        if (strlen(folder) <= strlen(root) || !last) return;
        *last = '\0';
    }
}

static void consider_control_groups(left *l)
{
    char line[LINE];
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *group = strchr(line, ':'); /* hierarchy:controllers:path */
        if (!group || !(group = strchr(group + 1, ':'))) continue;
        if (strncmp(line, "0::", 3) == 0) consider_groups(l, "/sys/fs/cgroup", group + 1, true);
        else if (strstr(line, ":memory:")) consider_groups(l, "/sys/fs/cgroup/memory", group + 1, false);
    }
    if (file) fclose(file);
}

static void consider_limit(left *l, int resource, double used, const char *who)
{
    struct rlimit limit;
    if (isnan(used) || getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    consider(l, (double)limit.rlim_cur - used, who);
}

double steep_memory_left(const char **who)
{
    left l = {INFINITY, "there is"};
    consider(&l, 1024 * number_in("/proc/meminfo", "MemAvailable:"), "the machine has");
    consider_limit(&l, RLIMIT_AS, 1024 * number_in("/proc/self/status", "VmSize:"), "ulimit -v leaves");
    consider_limit(&l, RLIMIT_DATA, 1024 * number_in("/proc/self/status", "VmData:"), "ulimit -d leaves");
    consider_control_groups(&l);
    if (who) *who = l.who;
    return l.bytes;
}

size_t steep_processors(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (size_t)CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}
