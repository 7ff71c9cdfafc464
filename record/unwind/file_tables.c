// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/file_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "record/unwind/table_cache.h"
#include "record/proc/proc_task.h"
#include "record/process/file_send.h"
#include "record/unwind/table_worker.h"

/*
 * A file may have gone before it could be opened, and later processes may map it for longer. So
 * after some attempts there is a pause, which is twice as long each time.
 */
#define ATTEMPTS_MAX      8
#define PAUSE_MIN_NS      (100 * NS_PER_MS)
#define PAUSE_DOUBLES_MAX 6 /* to 6.4 s */

/* The files of one user, but for the system's own, may take this part of the maps: 1 / this. */
#define OWNER_SHARE 4

uint64_t file_table_hash(const struct file_table *t)
{
	uint64_t h = hash_bytes(t->build_id.bytes, t->build_id.size, 0);

	return build_id_is_none(&t->build_id) ? file_identity_hash(&t->identity, h) : h;
}

void file_tables_forget(struct file_tables *u, uint32_t nr)
{
	if (u->tables.data[nr].shared)
		file_tables_unuse(u, u->tables.data[nr].shared);
	u->tables.data[nr] = (struct file_table){.state = TABLE_FORGOTTEN};
	u->free_tables.data[u->free_tables.nr++] = nr;
}

/*
 * The side-band tells the build-id alone, and files with one build-id can differ. Then only a file
 * of root is believed.
 */
static bool find_by_build_id(const struct file_tables *u, const struct file_table *t, uint32_t *nr)
{
	const struct file_table *found = NULL;

	index_for_each(&u->by_file, file_table_hash(t), i) {
		const struct file_table *have = &u->tables.data[i];

		if (have->state == TABLE_FORGOTTEN ||
		    !build_id_equal(&have->build_id, &t->build_id))
			continue;
		if (!found || (found->owner && !have->owner) ||
		    (found->state != TABLE_READY && !have->owner == !found->owner)) {
			found = have;
			continue;
		}
		if (have->state == TABLE_READY && !have->owner == !found->owner &&
		    memcmp(have->hash, found->hash, sizeof(have->hash))) {
			*nr = NO_TABLE;
			return true;
		}
	}
	if (found)
		*nr = found - u->tables.data;
	return found;
}

bool file_tables_are_same(const struct file_tables *u, uint32_t a, uint32_t b)
{
	const struct file_table *x = &u->tables.data[a], *y = &u->tables.data[b];

	if (a == b || build_id_is_none(&x->build_id) || !build_id_equal(&x->build_id, &y->build_id))
		return a == b;
	return x->state != TABLE_READY || y->state != TABLE_READY ||
	       !memcmp(x->hash, y->hash, sizeof(x->hash));
}

int file_tables_find(struct file_tables *u, const struct mapped_file *file, uint64_t start,
		     uint64_t end, uint32_t *nr)
{
	struct file_table t = {.build_id = *mapped_file_build_id(file), .identity = file->identity};
	uint64_t hash;
	int ret;

	if (file->kind != MAPPED_FILE) {
		bool is_own = file->kind == MAPPED_VDSO && vdso_is_same(u->vdso, start, end);

		*nr = is_own ? VDSO_TABLE : NO_TABLE;
		return 0;
	}
	hash = file_table_hash(&t);
	if (!t.identity.inode && find_by_build_id(u, &t, nr))
		return 0;
	index_for_each(&u->by_file, hash, i) {
		const struct file_table *have = &u->tables.data[i];

		if (have->state != TABLE_FORGOTTEN &&
		    build_id_equal(&have->build_id, &t.build_id) &&
		    file_identity_equal(&have->identity, &t.identity)) {
			*nr = i;
			return 0;
		}
	}
	*nr = u->free_tables.nr ? u->free_tables.data[u->free_tables.nr - 1] : u->tables.nr;
	/* Room in the list of free numbers, so that the number can be given back without fail. */
	if (*nr == u->tables.nr &&
	    (vec_reserve(&u->free_tables, *nr + 1) || vec_push(&u->tables, t)))
		return -ENOMEM;
	if (u->free_tables.nr)
		u->free_tables.nr--;
	u->tables.data[*nr] = t;
	ret = index_insert(&u->by_file, hash, *nr);
	if (ret)
		file_tables_forget(u, *nr);
	return ret;
}

void file_table_describe(const struct file_table *t, uint64_t base, struct unwind_mapping *m)
{
	m->bias = base;
	switch (t->state) {
	case TABLE_NONE:
		m->pages = UNWIND_TABLE_WANTED;
		break;
	case TABLE_ASKED:
		m->pages = UNWIND_TABLE_ASKED_FOR;
		break;
	case TABLE_READY:
		m->bias += t->first_off;
		m->pages = UNWIND_PAGES(t->place.first_page, t->place.nr_pages);
		break;
	case TABLE_IMPOSSIBLE:
	case TABLE_FORGOTTEN:
		m->pages = UNWIND_WITHOUT_TABLE;
		break;
	}
}

void file_tables_describe(const struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			  uint64_t base, struct unwind_mapping *m)
{
	file_table_describe(&u->tables.data[nr], base, m);
	if (mapped_file_is_shared_memory(file))
		m->pages = UNWIND_SHARED_MEMORY;
}

void file_tables_set_state(struct file_tables *u, uint32_t nr, enum table_state state)
{
	struct file_table *t = &u->tables.data[nr];

	u->nr_asked += (state == TABLE_ASKED) - (t->state == TABLE_ASKED);
	t->state = state;
	u->changed(u->ctx, nr);
}

/* Nobody asks for the table of @nr before the end of a pause. */
static void begin_pause(struct file_tables *u, uint32_t nr)
{
	struct file_table *t = &u->tables.data[nr];
	uint32_t doubles = t->attempts / ATTEMPTS_MAX - 1;

	if (doubles > PAUSE_DOUBLES_MAX)
		doubles = PAUSE_DOUBLES_MAX;
	t->pause_end_ns = clock_monotonic_ns() + (PAUSE_MIN_NS << doubles);
	if (!u->pause_end_ns || t->pause_end_ns < u->pause_end_ns)
		u->pause_end_ns = t->pause_end_ns;
	file_tables_set_state(u, nr, TABLE_IMPOSSIBLE);
}

static void end_pauses(struct file_tables *u)
{
	uint64_t now_ns = u->pause_end_ns ? clock_monotonic_ns() : 0, next_ns = 0;

	if (!now_ns || now_ns < u->pause_end_ns)
		return;
	for (size_t i = VDSO_TABLE; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (!t->pause_end_ns)
			continue;
		if (t->pause_end_ns > now_ns) {
			next_ns = next_ns ? min_u64(next_ns, t->pause_end_ns) : t->pause_end_ns;
			continue;
		}
		t->pause_end_ns = t->failed_pid = 0;
		file_tables_set_state(u, i, TABLE_NONE);
	}
	u->pause_end_ns = next_ns;
}

static void note_failed_attempt(struct file_tables *u, uint32_t nr)
{
	if (++u->tables.data[nr].attempts % ATTEMPTS_MAX)
		file_tables_set_state(u, nr, TABLE_NONE);
	else
		begin_pause(u, nr);
}

/* May the owner of @t have another table of the size of @made? The system's files may fill all. */
static bool is_within_share(const struct file_tables *u, const struct file_table *t,
			    const struct unwind_table *made)
{
	uint64_t rules = made->nr_rules, rows = made->nr_rows, pages = made->nr_pages;

	if (!t->owner)
		return true;
	vec_for_each(&u->tables, other) {
		if (other->owner != t->owner || other->state != TABLE_READY || other->shared)
			continue;
		rules += other->place.rules.nr;
		rows += other->place.nr_rows;
		pages += other->place.nr_pages;
	}
	return rules <= UNWIND_MAX_RULES / OWNER_SHARE && rows <= TABLE_MAPS_ROWS / OWNER_SHARE &&
	       pages <= UNWIND_MAX_PAGES / OWNER_SHARE;
}

/*
 * Returns 0 or -ENOMEM. A table that does not fit into the maps is impossible, at least until
 * others are forgotten.
 */
static int add_table(struct file_tables *u, uint32_t nr, const struct unwind_table *made)
{
	struct file_table *t = &u->tables.data[nr];
	int ret =
		is_within_share(u, t, made) ? table_maps_add(&u->store, made, &t->place) : -ENOSPC;

	if (ret) {
		t->lacked_room = u->lacked_room = ret == -ENOSPC;
		file_tables_set_state(u, nr, TABLE_IMPOSSIBLE);
		return ret == -ENOMEM ? ret : 0;
	}
	t->first_off = made->first_off;
	memcpy(t->hash, made->hash, sizeof(t->hash));
	file_tables_set_state(u, nr, TABLE_READY);
	return 0;
}

/* A ready table of another file with the build-id of @t; with its hash, too, if @with_hash. */
static struct file_table *find_alike(const struct file_tables *u, const struct file_table *t,
				     bool with_hash)
{
	if (build_id_is_none(&t->build_id))
		return NULL;
	index_for_each(&u->by_file, file_table_hash(t), i) {
		struct file_table *have = &u->tables.data[i];

		if (have != t && have->state == TABLE_READY && !have->shared &&
		    build_id_equal(&have->build_id, &t->build_id) &&
		    (!with_hash || !memcmp(have->hash, t->hash, sizeof(t->hash))))
			return have;
	}
	return NULL;
}

/* The files of two tables have one hash, so @nr uses the rows of @of. */
static void share_table(struct file_tables *u, uint32_t nr, const struct file_table *of)
{
	struct file_table *t = &u->tables.data[nr];

	t->shared = of - u->tables.data;
	file_tables_use(u, t->shared);
	t->place = (struct table_place){.first_page = of->place.first_page,
					.nr_pages = of->place.nr_pages};
	t->first_off = of->first_off;
	file_tables_set_state(u, nr, TABLE_READY);
}

/*
 * The hash of a table that need not be made for @t: that of a file with the same build-id, or of
 * the table in the cache. NULL: there is none.
 */
static const uint8_t *known_hash(const struct file_tables *u, struct file_table *t)
{
	const struct file_table *alike = find_alike(u, t, false);

	if (alike)
		memcpy(t->hash, alike->hash, sizeof(t->hash));
	else if (u->cache_fd < 0 || t->is_damaged ||
		 table_cache_get_hash(u->cache_fd, &t->build_id, t->hash))
		return NULL;
	return t->hash;
}

/*
 * Takes the table from the cache, whose hash is that of the file, as the child has said. If
 * somebody has removed or replaced it meanwhile, the table is asked for again.
 */
static int take_kept_table(struct file_tables *u, uint32_t nr)
{
	struct file_table *t = &u->tables.data[nr];
	struct unwind_table kept;
	int ret = u->cache_fd < 0 ? -ENOENT : table_cache_get(u->cache_fd, &t->build_id, &kept);

	if (ret == -ENOMEM)
		return ret;
	if (!ret && !memcmp(kept.hash, t->hash, sizeof(kept.hash))) {
		ret = add_table(u, nr, &kept);
	} else {
		t->is_damaged = true;
		note_failed_attempt(u, nr);
	}
	if (!ret || ret == -ENOMEM)
		unwind_table_deinit(&kept);
	return ret == -ENOMEM ? ret : 0;
}

/* The child has found that the file of table @nr has the hash that was sent with the request. */
static int take_known_table(struct file_tables *u, uint32_t nr)
{
	const struct file_table *alike = find_alike(u, &u->tables.data[nr], true);

	if (!alike)
		return take_kept_table(u, nr);
	share_table(u, nr, alike);
	return 0;
}

/* A table that cannot be kept is made again next time. */
static void keep_table(const struct file_tables *u, uint32_t nr, const struct unwind_table *made)
{
	if (u->cache_fd >= 0)
		table_cache_put(u->cache_fd, &u->tables.data[nr].build_id, made);
}

/* Returns 0 or a negative errno: -EAGAIN when too many wait in line. */
static int request_from_worker(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			       const struct file_place *place)
{
	struct file_table *t = &u->tables.data[nr];
	struct table_request request = table_request_make(nr, known_hash(u, t));
	struct file_message message = {.bytes = &request, .nr = sizeof(request)};
	struct sent_file sent;
	int ret = worker_line_sock(u->builder, &message.sock);

	if (ret)
		return ret;
	ret = file_send(u->looker, file, place, &message, &sent);
	t->owner = sent.owner;
	t->dev = sent.dev;
	t->ino = sent.ino;
	if (!ret)
		worker_line_expect(u->builder, nr);
	return ret;
}

/* Notes that the table was asked for, with the result @ret. */
static void note_request(struct file_tables *u, uint32_t nr, int ret)
{
	/* Waiting for a place in the line is no failed attempt. */
	if (!ret)
		file_tables_set_state(u, nr, TABLE_ASKED);
	else if (ret == -EAGAIN)
		file_tables_set_state(u, nr, TABLE_NONE);
	else
		note_failed_attempt(u, nr);
}

int file_tables_request(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			const struct file_place *place)
{
	struct file_table *t = &u->tables.data[nr];
	int ret;

	/* Many samples of one process that has gone are one attempt. */
	if (t->failed_pid == place->pid && proc_is_gone(place->pid))
		return 0;
	ret = request_from_worker(u, nr, file, place);
	if (ret && ret != -EAGAIN)
		t->failed_pid = place->pid;
	note_request(u, nr, ret);
	return 0;
}

/* After -EAGAIN, another file was to blame. */
static void note_failure(struct file_tables *u, uint32_t nr, int status)
{
	if (status == -EAGAIN)
		note_request(u, nr, -EAGAIN);
	else
		file_tables_set_state(u, nr, TABLE_IMPOSSIBLE);
}

/* Notes whether the file of @nr is PCRE2. Tells the program of its interpreter, if it has one. */
static void note_interpreter(struct file_tables *u, uint32_t nr,
			     const struct found_interpreter *found)
{
	struct file_table *t = &u->tables.data[nr];
	const struct interpreter_place place = {
		.build_id = &t->build_id, .identity = &t->identity, .dev = t->dev, .ino = t->ino};

	t->has_regex = found->has_regex && u->interpreters.languages;
	if (found_interpreter_is_any(found))
		t->interpreter = interpreter_maps_add(&u->interpreters, found, &place);
}

int file_tables_finish(struct file_tables *u)
{
	struct found_interpreter found;
	struct unwind_table made;
	uint32_t nr;
	int status, ret = 0;

	end_pauses(u);
	while (!ret && table_builder_next(u->builder, &nr, &status, &made, &found)) {
		note_interpreter(u, nr, &found);
		if (status == -ETIMEDOUT)
			looker_blame(u->looker, look_device(u->tables.data[nr].dev));
		if (status == -EALREADY) {
			ret = take_known_table(u, nr);
			continue;
		}
		if (status) {
			note_failure(u, nr, status);
			continue;
		}
		ret = add_table(u, nr, &made);
		keep_table(u, nr, &made);
		unwind_table_deinit(&made);
	}
	return ret;
}

int file_tables_wait(struct file_tables *u, int ms)
{
	struct pollfd pollfd = {.fd = worker_line_fd(u->builder), .events = POLLIN};
	struct timespec begin, now;
	int ret = file_tables_finish(u), left = ms;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (!ret && u->nr_asked && left > 0 && poll(&pollfd, 1, left) > 0) {
		ret = file_tables_finish(u);
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = ms - (int)((now.tv_sec - begin.tv_sec) * 1000 +
				  (now.tv_nsec - begin.tv_nsec) / 1000000);
	}
	return ret;
}

/* The vdso is in no file: the builder gets a copy. */
static void request_vdso(struct file_tables *u)
{
	const void *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	_cleanup_close_ int fd = -1;

	if (!image || !u->vdso->size)
		return;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0 || pwrite(fd, image, u->vdso->size, 0) != (ssize_t)u->vdso->size)
		return;
	note_request(u, VDSO_TABLE, table_builder_request(u->builder, fd, VDSO_TABLE, NULL));
}

void file_tables_begin(struct file_tables *u, const struct unwind_maps *maps,
		       const struct vdso *vdso)
{
	table_maps_begin(&u->store, maps);
	u->vdso = vdso;
	request_vdso(u);
}

bool file_tables_may_keep(const struct file_tables *u, int *reason)
{
	if (u->cache_fd < 0 || !faccessat(u->cache_fd, ".", W_OK | X_OK, AT_EACCESS))
		return true;
	*reason = -errno;
	return false;
}

int file_tables_init(struct file_tables *u, const char *cache, struct looker *looker,
		     struct err *err)
{
	const struct file_table none[] = {
		[NO_TABLE] = {.state = TABLE_IMPOSSIBLE},
		[VDSO_TABLE] = {.state = TABLE_NONE},
	};

	*u = (struct file_tables){.cache_fd = -1, .looker = looker};
	if (table_maps_init(&u->store) || vec_append(&u->tables, none, ARRAY_SIZE(none)))
		return err_set(err, -ENOMEM, "failed to begin unwinding: out of memory");
	if (cache) {
		u->cache_fd = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (u->cache_fd < 0)
			return err_set(err, -errno, "failed to open '%s': %m", cache);
	}
	return table_builder_start(&u->builder, err);
}

void file_tables_use(struct file_tables *u, uint32_t nr)
{
	u->tables.data[nr].nr_users++;
}

void file_tables_unuse(struct file_tables *u, uint32_t nr)
{
	u->tables.data[nr].nr_users--;
}

void file_tables_deinit(struct file_tables *u)
{
	vec_for_each(&u->tables, t)
		vec_free(&t->place.rules);
	vec_free(&u->free_tables);
	worker_line_destroy(u->builder);
	cleanup_close(&u->cache_fd);
	table_maps_deinit(&u->store);
	java_machines_deinit(&u->interpreters.java);
	vec_free(&u->tables);
	index_deinit(&u->by_file);
}
