// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/watcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "common/sort.h"

#define PART_SUFFIX ".part"

/* The directory is no more, or has another name. */
#define GONE (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)

/*
 * How often the directory is looked at even without a change, because the kernel reports its end
 * only when no file below it is open, and the spool is one. Recordings that could not be read for
 * want of memory or room are tried again then.
 */
#define LOOK_NS (10 * NS_PER_S)

/* The retry delay of a recording doubles at most this many times, to 11 minutes. */
#define RETRY_STEP_MAX 6

/* A file that is not taken yet. */
struct found_file {
	struct taken_file file;
	char *path;
};

/* A file with an error that may pass. */
struct trouble {
	char *path;
	struct taken_file file; /* without the name */
	unsigned int nr_failures;
	uint64_t retry_at_ns; /* by CLOCK_MONOTONIC */
};

struct watch {
	struct watcher *w;
	int inotify;
	VEC(struct found_file) found;
	size_t next;         /* in found */
	uint64_t look_at_ns; /* by CLOCK_MONOTONIC; look at the directory */
	VEC(struct trouble) troubles;
	struct spool_sender sending;
};

bool is_recording_name(const char *name)
{
	size_t len = strlen(name), suffix = strlen(PART_SUFFIX);

	return name[0] != '.' && (len < suffix || strcmp(name + len - suffix, PART_SUFFIX) != 0);
}

static void free_found(struct watch *watch)
{
	for (size_t i = 0; i < watch->found.nr; i++) {
		free(watch->found.data[i].file.name);
		free(watch->found.data[i].path);
	}
	watch->found.nr = watch->next = 0;
}

/* The oldest first: it is too old soonest. */
static int compare_found(const void *a, const void *b)
{
	const struct found_file *x = a, *y = b;

	COMPARE(x->file.mtime_ns, y->file.mtime_ns);
	return strcmp(x->path, y->path);
}

static struct trouble *find_trouble(struct watch *watch, const struct found_file *found)
{
	const struct taken_file *file = &found->file;

	vec_for_each(&watch->troubles, trouble) {
		const struct taken_file *have = &trouble->file;

		if (!strcmp(trouble->path, found->path) && have->inode == file->inode &&
		    have->size == file->size && have->mtime_ns == file->mtime_ns)
			return trouble;
	}
	return NULL;
}

/* Forgets the troubles of files that are not there. */
static void prune_troubles(struct watch *watch)
{
	size_t nr = 0;

	vec_for_each(&watch->troubles, trouble) {
		if (trouble->file.is_there)
			watch->troubles.data[nr++] = *trouble;
		else
			free(trouble->path);
	}
	watch->troubles.nr = nr;
}

/* Returns true if it is too early to try @found again. */
static bool must_wait(struct watch *watch, const struct found_file *found)
{
	struct trouble *trouble = find_trouble(watch, found);

	if (trouble)
		trouble->file.is_there = true;
	return trouble && clock_monotonic_ns() < trouble->retry_at_ns;
}

static int look_at(struct watch *watch, int dir_fd, const char *name)
{
	struct found_file found = {0};
	struct taken_file *have;
	struct stat st;
	int ret;

	if (!is_recording_name(name) || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return 0;
	ret = taken_file_init(&found.file, name, &st);
	if (ret)
		return ret;
	have = taken_find(&watch->w->spool->taken, &found.file);
	if (have) {
		have->is_there = true;
	} else if (asprintf(&found.path, "%s/%s", watch->w->dir, name) < 0) {
		found.path = NULL;
		ret = -ENOMEM;
	} else if (!must_wait(watch, &found)) {
		ret = vec_push(&watch->found, found);
		if (!ret)
			return 0;
	}
	free(found.file.name);
	free(found.path);
	return ret;
}

/* Looks at all files of the directory. Files that are gone are forgotten. */
static int read_directory(struct watch *watch)
{
	struct taken *taken = &watch->w->spool->taken;
	DIR *dir = opendir(watch->w->dir);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	free_found(watch);
	vec_for_each(&taken->files, file)
		file->is_there = false;
	vec_for_each(&watch->troubles, trouble)
		trouble->file.is_there = false;
	while (!ret && (entry = readdir(dir)))
		ret = look_at(watch, dirfd(dir), entry->d_name);
	closedir(dir);
	sort_items(watch->found.data, watch->found.nr, sizeof(*watch->found.data), compare_found);
	watch->look_at_ns = clock_monotonic_ns() + LOOK_NS;
	if (ret)
		return ret;
	prune_troubles(watch);
	return taken_prune(taken);
}

/* Returns true if @error says nothing about the recording @path. */
static bool may_pass(int error, const char *path)
{
	static const int errors[] = {-ENOMEM, -ENOSPC, -EIO,   -EDQUOT, -EMFILE,
				     -ENFILE, -EACCES, -EROFS, -EPERM};

	/* A recording in which filters leave nothing has that error, too. */
	if (error == -ENOENT)
		return access(path, F_OK);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (error == errors[i])
			return true;
	return false;
}

/* Notes that @found could not be taken for now. Says the first error of a file alone. */
static void note_trouble(struct watch *watch, struct found_file *found, const struct err *err)
{
	struct trouble *trouble = find_trouble(watch, found);
	const struct trouble first = {.path = found->path, .file = found->file};

	watch->look_at_ns = clock_monotonic_ns() + LOOK_NS;
	if (!trouble) {
		watch->w->left(watch->w->ctx, found->path, err);
		/* Without memory it is said again. */
		if (vec_push(&watch->troubles, first))
			return;
		found->path = NULL;
		trouble = &watch->troubles.data[watch->troubles.nr - 1];
		trouble->file.name = NULL;
	}
	trouble->retry_at_ns =
		clock_monotonic_ns() + (LOOK_NS << min_u64(trouble->nr_failures++, RETRY_STEP_MAX));
}

/* Takes a recording, or leaves it for good. */
static void take_next(struct watch *watch)
{
	struct watcher *w = watch->w;
	struct found_file *found = &watch->found.data[watch->next++];
	struct err err = {0};
	int ret = w->take(w->ctx, found->path, &found->file.recording_id, &err);

	if (ret) {
		spool_abort(w->spool);
		/* A copy of a recording stays known when its first file is gone. */
		if (ret != -EEXIST)
			found->file.recording_id = 0;
	}
	if (may_pass(ret, found->path)) {
		note_trouble(watch, found, &err);
		return;
	}
	if (ret)
		w->left(w->ctx, found->path, &err);
	ret = spool_commit(w->spool, &found->file);
	if (!ret)
		return;
	err_set(&err, ret, "failed to write the spool '%s': %s", w->spool->name, strerror(-ret));
	note_trouble(watch, found, &err);
}

/* Waits until @until_ns for a change in the directory. Returns 0, or -ENOENT if it is gone. */
static int wait_for_change(struct watch *watch, uint64_t until_ns)
{
	char events[sizeof(struct inotify_event) + NAME_MAX + 1]
		__attribute__((aligned(__alignof__(struct inotify_event))));
	struct pollfd fds[] = {{watch->inotify, POLLIN, 0}, {watch->w->wake_fd, POLLIN, 0}};
	uint64_t now = clock_monotonic_ns();
	uint64_t wait_ms = until_ns > now ? (until_ns - now) / NS_PER_MS + 1 : 0;
	bool is_gone = false;
	ssize_t n;

	if (poll(fds, ARRAY_SIZE(fds),
		 until_ns == UINT64_MAX ? -1 : (int)min_u64(wait_ms, INT_MAX)) <= 0)
		return 0;
	while ((n = read(watch->inotify, events, sizeof(events))) > 0) {
		watch->look_at_ns = 0;
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const void *)(events + at);

			is_gone |= (event->mask & GONE) != 0;
			at += sizeof(*event) + event->len;
		}
	}
	return is_gone ? -ENOENT : 0;
}

/* Does what can be done now, and then waits. */
static int step(struct watch *watch)
{
	struct spool *spool = watch->w->spool;
	uint64_t now = clock_monotonic_ns();
	int ret;

	spool_sender_report(&watch->sending);
	if (now >= watch->look_at_ns) {
		ret = read_directory(watch);
		if (ret)
			return ret;
	}
	/* While the receiver takes requests, the spool stays small. */
	if (watch->next < watch->found.nr && (watch->sending.has_trouble || !spool_first(spool))) {
		take_next(watch);
		return 0;
	}
	if (spool_first(spool) && now >= watch->sending.send_at_ns) {
		spool_sender_send(&watch->sending);
		return wait_for_change(watch, 0);
	}
	return wait_for_change(watch, min_u64(watch->look_at_ns, spool_first(spool)
									 ? watch->sending.send_at_ns
									 : UINT64_MAX));
}

int watcher_run(struct watcher *watcher, struct err *err)
{
	struct watch watch = {
		.w = watcher,
		.inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.sending = {.spool = watcher->spool,
			    .sender = watcher->sender,
			    .is_ended = watcher->is_ended,
			    .report_ns = watcher->report_ns,
			    .report_at_ns = clock_monotonic_ns() + watcher->report_ns},
	};
	int ret = 0;

	/* Before the first look, so that no file falls between. */
	if (watch.inotify < 0 || inotify_add_watch(watch.inotify, watcher->dir,
						   IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF |
							   IN_MOVE_SELF | IN_ONLYDIR) < 0)
		ret = -errno;
	while (!ret && !*watcher->is_ended)
		ret = step(&watch);
	cleanup_close(&watch.inotify);
	free_found(&watch);
	vec_free(&watch.found);
	vec_for_each(&watch.troubles, trouble)
		free(trouble->path);
	vec_free(&watch.troubles);
	spool_sender_deinit(&watch.sending);
	return ret ? err_set(err, ret, "failed to watch '%s': %s", watcher->dir, strerror(-ret))
		   : 0;
}
