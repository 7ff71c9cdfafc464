// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/io.h"
#include "common/sort.h"

#define STATE "state"

#define LOCK_TRIES    20
#define LOCK_PAUSE_NS 100000000

/* Number, begin and samples. */
#define NAME_FORMAT "%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64
#define NAME_BYTES  (3 * 17 + sizeof(".ready"))

/* How a request ends in its name. */
static const char *const suffixes[] = {".ready", ".sent"};

static void make_name(const struct spool_entry *entry, bool may_be_taken, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, NAME_FORMAT "%s", entry->seq, entry->begin_ns, entry->nr_samples,
		 suffixes[may_be_taken]);
}

/* Reads the facts from @name. Returns false if it is not that of a request. */
static bool read_name(const char *name, struct spool_entry *entry)
{
	char again[NAME_BYTES];

	*entry = (struct spool_entry){0};
	if (sscanf(name, "%" SCNx64 "-%" SCNx64 "-%" SCNx64, &entry->seq, &entry->begin_ns,
		   &entry->nr_samples) != 3)
		return false;
	for (int i = 0; i < 2; i++) {
		make_name(entry, i, again);
		entry->may_be_taken = i;
		entry->has_sent_name = i;
		if (!strcmp(name, again))
			return true;
	}
	return false;
}

static int compare_entries(const void *a, const void *b)
{
	const struct spool_entry *x = a, *y = b;

	COMPARE(x->seq, y->seq);
	return 0;
}

static int add_file(struct spool *spool, const char *name)
{
	struct spool_entry entry;
	struct stat st;

	if (!read_name(name, &entry))
		return 0;
	/* Without the state nobody knows which requests are whole. */
	if (!spool->taken.was_read)
		return -ENOTRECOVERABLE;
	/* A recording whose requests were not all written is taken anew. */
	if (entry.seq >= spool->taken.next_seq)
		return unlinkat(spool->fd, name, 0) ? -errno : 0;
	if (fstatat(spool->fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	entry.bytes = st.st_size;
	spool->bytes += entry.bytes;
	return vec_push(&spool->entries, entry);
}

static int read_entries(struct spool *spool)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int ret = 0;

	if (!dir) {
		ret = -errno;
		cleanup_close(&fd);
		return ret;
	}
	while (!ret && (entry = readdir(dir)))
		ret = add_file(spool, entry->d_name);
	closedir(dir);
	sort_items(spool->entries.data, spool->entries.nr, sizeof(*spool->entries.data),
		   compare_entries);
	return ret;
}

/* A child of a profrep that somebody killed may have the lock a moment longer. */
static int lock_directory(int fd)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK || i == LOCK_TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* The name of a new directory survives a failure of power, if its parent can be read. */
static int keep_name(int fd)
{
	_cleanup_close_ int parent = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return parent >= 0 && fsync(parent) ? -errno : 0;
}

/* The directory is the user's alone: requests have names of functions. */
static int open_directory(struct spool *spool)
{
	bool is_new = !mkdir(spool->name, 0700);
	int ret;

	if (!is_new && errno != EEXIST)
		return -errno;
	spool->fd = open(spool->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spool->fd < 0)
		return -errno;
	ret = lock_directory(spool->fd);
	return !ret && is_new ? keep_name(spool->fd) : ret;
}

/* A spool has a state from the first, so that one without is known to have lost it. */
static int read_spool(struct spool *spool)
{
	int ret = read_entries(spool);

	if (ret || spool->taken.was_read)
		return ret;
	return taken_write(&spool->taken, spool->fd, STATE);
}

/* Removes entry @i, whatever its name is. */
static void unlink_entry(struct spool *spool, const struct spool_entry *entry)
{
	char name[NAME_BYTES];

	for (int i = 0; i < 2; i++) {
		make_name(entry, i, name);
		unlinkat(spool->fd, name, 0);
	}
	spool->bytes -= entry->bytes;
}

/* Forgets the entries before the first one, now and then. */
static void pass_first(struct spool *spool)
{
	spool->first++;
	if (spool->first < 1024 || spool->first < spool->entries.nr / 2)
		return;
	spool->entries.nr -= spool->first;
	memmove(spool->entries.data, spool->entries.data + spool->first,
		spool->entries.nr * sizeof(*spool->entries.data));
	spool->first = 0;
}

/* Drops the oldest requests until the others fit. */
static void make_room(struct spool *spool)
{
	while (spool->bytes > spool->bytes_max && spool->first < spool->entries.nr) {
		const struct spool_entry *entry = &spool->entries.data[spool->first];

		push_count_add(&spool->fates[PUSH_DROPPED], entry->nr_samples);
		unlink_entry(spool, entry);
		pass_first(spool);
	}
}

static int hint_anew(const char *name, int error, struct err *err)
{
	return err_hint(err, error, "remove '%s' to begin anew: all recordings are pushed again",
			name);
}

int spool_open(struct spool *spool, const char *name, uint64_t bytes_max, struct push_count *fates,
	       struct err *err)
{
	int ret;

	*spool = (struct spool){.name = name, .fd = -1, .bytes_max = bytes_max, .fates = fates};
	ret = open_directory(spool);
	if (ret == -EWOULDBLOCK)
		return err_set(err, ret, "failed to open the spool '%s': another profrep has it",
			       name);
	if (!ret) {
		ret = taken_read(&spool->taken, spool->fd, STATE, err);
		if (ret)
			return ret == -EBADMSG ? hint_anew(name, ret, err) : ret;
		ret = read_spool(spool);
	}
	if (ret == -ENOTRECOVERABLE) {
		err_set(err, ret,
			"failed to open the spool '%s': it has requests, but its file '" STATE
			"' is gone",
			name);
		return hint_anew(name, ret, err);
	}
	spool->next_seq = spool->taken.next_seq;
	if (!ret)
		make_room(spool);
	return ret ? err_set(err, ret, "failed to open the spool '%s': %s", name, strerror(-ret))
		   : 0;
}

void spool_close(struct spool *spool)
{
	if (spool->name)
		cleanup_close(&spool->fd);
	vec_free(&spool->entries);
	taken_deinit(&spool->taken);
}

static int write_entry(struct spool *spool, const struct spool_entry *entry, const void *body)
{
	_cleanup_close_ int fd = -1;
	char name[NAME_BYTES];
	int ret;

	make_name(entry, false, name);
	fd = openat(spool->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* -EEXIST would say that the recording was taken before. */
	if (fd < 0)
		return errno == EEXIST ? -EIO : -errno;
	ret = io_write_all(fd, body, entry->bytes);
	if (!ret && fsync(fd))
		ret = -errno;
	if (ret)
		unlinkat(spool->fd, name, 0);
	return ret;
}

/* Drops the oldest request of the recording that is not committed. */
static void drop_pending(struct spool *spool)
{
	struct spool_entry *entry = &spool->entries.data[spool->first];
	struct spool_entry *end = &spool->entries.data[spool->entries.nr];

	while (entry->seq < spool->taken.next_seq)
		entry++;
	push_count_add(&spool->pending[PUSH_DROPPED], entry->nr_samples);
	unlink_entry(spool, entry);
	spool->pending_bytes -= entry->bytes;
	memmove(entry, entry + 1, (end - entry - 1) * sizeof(*entry));
	spool->entries.nr--;
}

int spool_add(struct spool *spool, const void *body, size_t len, uint64_t nr_samples,
	      uint64_t begin_ns)
{
	const struct spool_entry entry = {
		.seq = spool->next_seq,
		.begin_ns = begin_ns,
		.nr_samples = nr_samples,
		.bytes = len,
	};
	int ret;

	if (len > spool->bytes_max) {
		push_count_add(&spool->pending[PUSH_DROPPED], nr_samples);
		return 0;
	}
	while (spool->pending_bytes + len > spool->bytes_max)
		drop_pending(spool);
	ret = vec_reserve(&spool->entries, 1);
	if (!ret)
		ret = write_entry(spool, &entry, body);
	if (ret)
		return ret;
	spool->next_seq++;
	spool->bytes += len;
	spool->pending_bytes += len;
	return vec_push(&spool->entries, entry);
}

static void clear_pending(struct spool *spool)
{
	spool->pending_bytes = 0;
	memset(spool->pending, 0, sizeof(spool->pending));
}

void spool_abort(struct spool *spool)
{
	while (spool->entries.nr > spool->first &&
	       spool->entries.data[spool->entries.nr - 1].seq >= spool->taken.next_seq)
		unlink_entry(spool, &spool->entries.data[--spool->entries.nr]);
	spool->next_seq = spool->taken.next_seq;
	clear_pending(spool);
}

bool spool_lacks_disk(int ret)
{
	return ret == -ENOSPC || ret == -EDQUOT;
}

static void take_pending(struct spool *spool)
{
	for (int i = 0; i < NR_PUSH_FATES; i++) {
		spool->fates[i].nr_profiles += spool->pending[i].nr_profiles;
		spool->fates[i].nr_samples += spool->pending[i].nr_samples;
	}
	clear_pending(spool);
}

/* Removes what is not committed. Of a stream, nobody brings it again. */
static int give_up(struct spool *spool, const struct taken_file *file, int ret)
{
	if (file || !spool_lacks_disk(ret)) {
		spool_abort(spool);
		return ret;
	}
	for (size_t i = spool->first; i < spool->entries.nr; i++)
		if (spool->entries.data[i].seq >= spool->taken.next_seq)
			push_count_add(&spool->pending[PUSH_NO_DISK],
				       spool->entries.data[i].nr_samples);
	take_pending(spool);
	spool_abort(spool);
	return 0;
}

/* The next look at the directory forgets the file that was taken last, and finds it anew. */
static void forget_last(struct spool *spool)
{
	struct taken_file *last = &spool->taken.files.data[spool->taken.files.nr - 1];

	last->inode = last->size = last->mtime_ns = UINT64_MAX;
	last->recording_id = 0;
}

int spool_commit(struct spool *spool, struct taken_file *file)
{
	uint64_t before = spool->taken.next_seq;
	int ret = fsync(spool->fd) ? -errno : 0;

	if (!ret && file)
		ret = taken_add(&spool->taken, file);
	if (ret)
		return give_up(spool, file, ret);
	spool->taken.next_seq = spool->next_seq;
	if (file)
		file->name = NULL;
	ret = taken_write(&spool->taken, spool->fd, STATE);
	if (ret) {
		if (file)
			forget_last(spool);
		spool->taken.next_seq = before;
		return give_up(spool, file, ret);
	}
	take_pending(spool);
	make_room(spool);
	return 0;
}

struct spool_entry *spool_first(struct spool *spool)
{
	return spool->first < spool->entries.nr ? &spool->entries.data[spool->first] : NULL;
}

/* Gives the file of @entry the name that says whether it was sent, unless it has it. */
static int rename_entry(struct spool *spool, struct spool_entry *entry, bool is_sent)
{
	char from[NAME_BYTES], to[NAME_BYTES];

	if (entry->has_sent_name == is_sent)
		return 0;
	make_name(entry, !is_sent, from);
	make_name(entry, is_sent, to);
	if (renameat(spool->fd, from, spool->fd, to))
		return -errno;
	entry->has_sent_name = is_sent;
	return 0;
}

static int read_entry(struct spool *spool, const struct spool_entry *entry, char_vec *body)
{
	_cleanup_close_ int fd = -1;
	char name[NAME_BYTES];
	int ret;

	make_name(entry, true, name);
	fd = openat(spool->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fsync(spool->fd))
		return -errno;
	vec_clear(body);
	ret = vec_reserve(body, entry->bytes + 1);
	if (!ret)
		ret = io_read_all(fd, body->data, entry->bytes);
	body->nr = entry->bytes;
	return ret;
}

int spool_begin(struct spool *spool, struct spool_entry *entry, char_vec *body)
{
	int ret = rename_entry(spool, entry, true);

	if (!ret)
		ret = read_entry(spool, entry, body);
	/* Nothing brings back a file that is gone, or is a link now. */
	return ret == -ENOENT || ret == -ELOOP ? -ENODATA : ret;
}

void spool_put_back(struct spool *spool, struct spool_entry *entry)
{
	/* If that fails, a later start counts it as sent twice, and loses nothing. */
	if (!entry->may_be_taken)
		rename_entry(spool, entry, false);
}

void spool_remove(struct spool *spool, const struct spool_entry *entry)
{
	unlink_entry(spool, entry);
	pass_first(spool);
}

void spool_discard(struct spool *spool)
{
	for (size_t i = spool->first; i < spool->entries.nr; i++)
		unlink_entry(spool, &spool->entries.data[i]);
	spool->first = spool->entries.nr = 0;
	unlinkat(spool->fd, STATE, 0);
	rmdir(spool->name);
}

void spool_count(const struct spool *spool, struct push_count *count)
{
	for (size_t i = spool->first; i < spool->entries.nr; i++)
		push_count_add(count, spool->entries.data[i].nr_samples);
}
