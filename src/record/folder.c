/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks are flock(2) on a hidden file of the folder: the kernel drops them with the process, however it ends. A whole
 * run holds ".lock" alone; shards hold it together, and each of them its own ".lock-i-n". */
#include "record/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/table.h"

#define SHARD_PREFIX     "fits.shard-"
#define WHO              112 /* bytes of the text that names the holder of a lock */
#define LOCK_TRIES       30
#define LOCK_NANOSECONDS 10000000

/* Files that runs write (limits.csv: an older version). A killed run may have left a temporary file of each. Temporary
 * files of an older version, and pictures that were set aside, end with ".tmp" alone. */
static const char *const written[] = {
    "fits.csv",       "slopes.csv",     "series.csv", "learning.csv",    "limits.csv",    "slopes.gp",
    "slopes.svg",     "slopes.pdf",     "slopes.png", "parameters.json", "residuals.csv", "surface.csv",
    "units.csv",      "gates.csv",      "fit.gp",     "separation.csv",  "separation.gp", "separation.svg",
    "separation.pdf", "separation.png", "fit.svg",    "fit.pdf",         "fit.png",       "curves.gp",
    "curves.svg",     "curves.pdf",     "curves.png", "run.json"};

static bool is_shard(const char *name)
{
    unsigned i, n;
    int used = 0;
    return sscanf(name, SHARD_PREFIX "%5u-of-%5u.csv%n", &i, &n, &used) == 2 && used > 0 && name[used] == '\0';
}

/* Whether the first length characters of a name are a file that runs write, or a shard's. */
static bool is_written(const char *name, size_t length)
{
    char own[256];
    snprintf(own, sizeof own, "%.*s", (int)length, name);
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (strcmp(own, written[i]) == 0) return true;
    return is_shard(own);
}

/* Whether it is a temporary file of one of these files. */
static int is_leftover(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return steep_named_is_temporary(name) && is_written(name, strlen(name) - STEEP_NAMED_TEMPORARY);
}

bool steep_folder_there(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* mkdir -p. */
steep_status steep_folder_make(const char *path, steep_error *error)
{
    for (size_t length = 1; length <= strlen(path); length++) {
        if (path[length] != '/' && path[length] != '\0') continue;
        steep_path part;
        snprintf(part.text, sizeof part.text, "%.*s", (int)length, path);
        if (mkdir(part.text, 0777) != 0 && errno != EEXIST)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--out %s: cannot make the folder %s: %s: use a folder that can be written to", path,
                              part.text, strerror(errno));
    }
    if (steep_folder_there(path)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--out %s: this is no folder: use the name of a new or empty folder",
                      path);
}

/* Fails: the lock is held. The message has the holder from the lock's file, "process 12 on host" (empty: shards). */
static steep_status in_use(const steep_folder *folder, int lock, steep_error *error)
{
    char who[WHO] = "";
    const ssize_t length = pread(lock, who, sizeof who - 1, 0);
    who[length > 0 ? length : 0] = '\0';
    who[strcspn(who, "\n")] = '\0';
    for (char *c = who; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s%s: another run is at work there%s%s%s: wait for its end, or use another folder",
                      folder->option, folder->path, *who ? " (" : "", who, *who ? ")" : "");
}

/* Writes the holder into the lock's file (shards: nothing), unless the file has a second name: it may be another's. */
static void sign(int lock, bool alone)
{
    char host[HOST_NAME_MAX + 1] = "", who[WHO] = "";
    struct stat facts;
    if (fstat(lock, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_nlink != 1) return;
    gethostname(host, sizeof host - 1);
    if (alone) snprintf(who, sizeof who, "process %ld on %.64s\n", (long)getpid(), host);
    if (ftruncate(lock, 0) != 0 || pwrite(lock, who, strlen(who), 0) < 0) return; /* the lock holds without it */
}

static steep_status take_lock(const steep_folder *folder, const char *name, int how, int *lock, steep_error *error)
{
    *lock = open(steep_path_in(folder->path, name).text, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    const int reason = errno;
    if (*lock < 0 && reason == ELOOP)
        return steep_fail(error, STEEP_BAD_INPUT, "%s%s: its file %s is a link, and locks follow none: remove it",
                          folder->option, folder->path, name);
    if (*lock < 0)
        return steep_fail(error, STEEP_BAD_INPUT, "%s%s: cannot write there: %s: use a folder that can be written to",
                          folder->option, folder->path, strerror(reason));
    /* The workers of a killed run hold its lock, too, until they end a moment later. */
    for (int i = 0; flock(*lock, how | LOCK_NB) != 0 && errno == EWOULDBLOCK && i < LOCK_TRIES; i++)
        nanosleep(&(struct timespec){0, LOCK_NANOSECONDS}, NULL);
    /* Some shared file systems keep no locks, and the run goes on without one. Locks only stop a second run of the same
     * command: runs that are meant to work side by side write different files. */
    if (flock(*lock, how | LOCK_NB) == 0 || errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP) {
        sign(*lock, how == LOCK_EX);
        return STEEP_OK;
    }
    return errno == EWOULDBLOCK
               ? in_use(folder, *lock, error)
               : steep_fail(error, STEEP_IO, "%s%s: cannot lock: %s", folder->option, folder->path, strerror(errno));
}

static steep_status lock_folder(steep_folder *folder, const char *shard, steep_error *error)
{
    steep_status status = take_lock(folder, ".lock", shard ? LOCK_SH : LOCK_EX, &folder->lock, error);
    if (status != STEEP_OK || !shard) return status;
    char name[48];
    snprintf(name, sizeof name, ".lock-%.36s", shard);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '-';
    return take_lock(folder, name, LOCK_EX, &folder->shard_lock, error);
}

steep_status steep_folder_list(const char *path, int (*which)(const struct dirent *), struct dirent ***entries,
                               size_t *count, steep_error *error)
{
    *entries = NULL;
    const int found = scandir(path, entries, which, alphasort);
    *count = found > 0 ? (size_t)found : 0;
    if (found >= 0) return STEEP_OK;
    return steep_fail(error, steep_failure_of(errno), "%s: cannot be read: %s", path, strerror(errno));
}

/* Files that a run does not make before run.json or leave when killed. A folder without them counts as empty. */
static int is_foreign(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, "run.json") != 0 &&
           strncmp(name, ".lock", 5) != 0 && !is_leftover(entry);
}

/* Refuses a folder with files but without run.json, or with another identity; before the lock file is made. */
static steep_status check_owner(const steep_folder *folder, const steep_provenance *provenance, bool fresh,
                                steep_error *error)
{
    const steep_path run = steep_path_in(folder->path, "run.json");
    struct dirent **entries;
    size_t count;
    /* The list first: another shard may be making its files, and run.json comes before them. */
    steep_status status = steep_folder_list(folder->path, is_foreign, &entries, &count, error);
    if (status != STEEP_OK) return status;
    if (access(run.text, F_OK) == 0)
        status = fresh ? steep_provenance_ours(run.text, error) : steep_provenance_compare(provenance, run.text, error);
    else if (count > 0)
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "--out %s: holds files (%s) but no run.json, so is no folder of steep: use a new folder",
                            folder->path, entries[0]->d_name);
    steep_folder_free_list(entries, count);
    return status;
}

static int is_result(const struct dirent *entry)
{
    const char *name = entry->d_name;
    const size_t length = strlen(name);
    const bool aside = length > 4 && strcmp(name + length - 4, ".tmp") == 0;
    return strcmp(name, "run.json") != 0 && is_written(name, aside ? length - 4 : length);
}

/* A network, or the iterations of a fit, in a folder of their own. */
static int is_kept(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && (strcmp(end, ".json") == 0 || strcmp(end, ".csv") == 0 || strcmp(end, ".tmp") == 0);
}

/* A file that cannot be removed is replaced later, or replacing it fails and says so. */
static steep_status remove_files(const char *path, int (*which)(const struct dirent *), steep_error *error)
{
    struct dirent **entries;
    size_t count;
    const steep_status status = steep_folder_list(path, which, &entries, &count, error);
    for (size_t i = 0; i < count; i++) unlink(steep_path_in(path, entries[i]->d_name).text);
    steep_folder_free_list(entries, count);
    return status;
}

static int is_kept_leftover(const struct dirent *entry)
{
    return steep_named_is_temporary(entry->d_name);
}

/* The folders of what a run kept. */
static const char *const list[] = {STEEP_FOLDER_NETWORKS, STEEP_FOLDER_CURVES};
enum { LISTS = sizeof list / sizeof *list };

/* Temporary files of runs that were killed, here and among networks and curves, unless these are behind a link. */
static void remove_leftovers(const char *path)
{
    remove_files(path, is_leftover, NULL);
    for (size_t i = 0; i < LISTS; i++) {
        const steep_path kept = steep_path_in(path, list[i]);
        struct stat facts;
        if (lstat(kept.text, &facts) == 0 && S_ISDIR(facts.st_mode)) remove_files(kept.text, is_kept_leftover, NULL);
    }
}

/* Networks and curves go with their folders; of a link in place of a folder, only the link. run.json goes last, as it
 * says to whom the folder belongs. */
steep_status steep_folder_clear(const steep_folder *folder, steep_error *error)
{
    steep_status status = remove_files(folder->path, is_result, error);
    for (size_t i = 0; status == STEEP_OK && i < LISTS; i++) {
        const steep_path kept = steep_path_in(folder->path, list[i]);
        struct stat facts = {0};
        if (lstat(kept.text, &facts) != 0 && errno == ENOENT) continue;
        if (!S_ISLNK(facts.st_mode)) status = remove_files(kept.text, is_kept, error);
        if (status == STEEP_OK) remove(kept.text);
    }
    if (status == STEEP_OK) unlink(steep_path_in(folder->path, "run.json").text);
    return status;
}

steep_status steep_folder_open(steep_folder *folder, const char *path, const steep_provenance *provenance, bool fresh,
                               steep_error *error)
{
    *folder = (steep_folder){.lock = -1, .shard_lock = -1, .option = "--out "};
    if (!path || !*path) return steep_fail(error, STEEP_BAD_INPUT, "--out '': use the name of a folder");
    if (fresh && provenance->shard)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--fresh with --shard would remove what other shards made: remove %s by hand", path);
    folder->path = path;
    steep_status status = steep_folder_make(path, error);
    if (status == STEEP_OK) status = check_owner(folder, provenance, fresh, error);
    if (status == STEEP_OK) status = lock_folder(folder, provenance->shard, error);
    /* Again, now that nobody else writes: another run may have begun in between. */
    if (status == STEEP_OK) status = check_owner(folder, provenance, fresh, error);
    /* Nobody else writes the folder's files while it is locked. */
    if (status == STEEP_OK && !provenance->shard) remove_leftovers(folder->path);
    if (status != STEEP_OK) steep_folder_close(folder);
    return status;
}

steep_status steep_folder_lock(steep_folder *folder, const char *path, steep_error *error)
{
    *folder = (steep_folder){.lock = -1, .shard_lock = -1, .path = path, .option = ""};
    const steep_status status =
        steep_folder_there(path)
            ? lock_folder(folder, NULL, error)
            : steep_fail(error, STEEP_BAD_INPUT, "%s: there is no such folder: use one that a run left", path);
    if (status != STEEP_OK) steep_folder_close(folder);
    return status;
}

void steep_folder_close(steep_folder *folder)
{
    if (folder->shard_lock >= 0) close(folder->shard_lock);
    if (folder->lock >= 0) close(folder->lock);
    *folder = (steep_folder){.lock = -1, .shard_lock = -1};
}

int steep_folder_is_shard(const struct dirent *entry)
{
    return is_shard(entry->d_name);
}

void steep_folder_free_list(struct dirent **entries, size_t count)
{
    for (size_t i = 0; i < count; i++) free(entries[i]);
    free(entries);
}
