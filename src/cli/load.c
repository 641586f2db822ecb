/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/folder.h"

steep_status steep_cli_table(const char *named, steep_table *table, steep_error *error)
{
    const char *file = steep_folder_there(named) ? "fits.csv" : NULL;
    const steep_status status = steep_table_read(file ? steep_path_in(named, file).text : named, table, error);
    if (status != STEEP_OK) return steep_input_status(status);
    table->rows += table->tail; /* a file written by hand may lack its last newline */
    if (table->torn && !table->tail) fprintf(stderr, "steep: %s: its last line is cut short: left out\n", table->path);
    return STEEP_OK;
}

static int is_network(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return *entry->d_name != '.' && end && strcmp(end, ".json") == 0;
}

steep_status steep_cli_network(const char *named, char path[PATH_MAX], steep_error *error)
{
    struct dirent **entry;
    size_t count;
    char list[400] = "";
    snprintf(path, PATH_MAX, "%s", named);
    if (!steep_folder_there(named)) return STEEP_OK;
    snprintf(path, PATH_MAX, "%.2000s/parameters.json", named);
    if (access(path, F_OK) == 0) return STEEP_OK;
    snprintf(path, PATH_MAX, "%.2000s/" STEEP_FOLDER_NETWORKS, named);
    steep_folder_list(path, is_network, &entry, &count, NULL);
    if (count == 1) snprintf(path, PATH_MAX, "%.2000s/" STEEP_FOLDER_NETWORKS "/%s", named, entry[0]->d_name);
    for (size_t i = 0; i < count && strlen(list) + 80 < sizeof list; i++)
        steep_text_add(list, sizeof list, "%s%.70s", i ? ", " : "", entry[i]->d_name);
    steep_folder_free_list(entry, count);
    if (count == 1) return STEEP_OK;
    if (count > 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%.200s/" STEEP_FOLDER_NETWORKS " holds %zu networks: name one of them with its folder: %s%s",
                          named, count, list, strlen(list) + 80 < sizeof list ? "" : " ...");
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%.200s holds no parameters.json and no " STEEP_FOLDER_NETWORKS
                      ": name a file, or a folder of steep fit --out or steep sweep --keep-networks",
                      named);
}
