// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/file_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "record/sampling/program/maps.h"
#include "record/unwind/table_cache.h"
#include "record/looks/proc_task.h"
#include "record/machines/registered_look.h"
#include "record/unwind/table_time.h"
#include "record/unwind/table_worker.h"

/* At most this many tables without users are remembered, as long as there is room. */
#define IDLE_MAX 4096

/*
 * A file may have gone before it could be opened, and later processes may map it for longer. So
 * after some attempts there is a pause, which is twice as long each time.
 */
#define ATTEMPTS_MAX      8
#define PAUSE_MIN_NS      (100 * NS_PER_MS)
#define PAUSE_DOUBLES_MAX 6 /* to 6.4 s */

/* The files of one user, but for the system's own, may take this part of the maps: 1 / this. */
#define OWNER_SHARE 4

/* Processes of one user may have this part of the requests that wait for a child: 1 / this. */
#define LINE_SHARE 4

/* All files of one build-id have one hash, as the side-band knows nothing else of them. */
static uint64_t hash_of(const struct file_table *t)
{
	uint64_t h = hash_bytes(t->build_id.bytes, t->build_id.size, 0);

	return build_id_is_none(&t->build_id) ? file_identity_hash(&t->identity, h) : h;
}

static void give_shares(struct file_tables *u, uint32_t nr)
{
	shares_give(&u->rules, nr);
	shares_give(&u->rows, nr);
	shares_give(&u->pages, nr);
}

/* The number may be used again. Its entry in the index goes with the next rebuild. */
static void forget_table(struct file_tables *u, uint32_t nr)
{
	if (u->tables.data[nr].shared)
		file_tables_unuse(u, u->tables.data[nr].shared);
	interpreter_maps_forget(&u->interpreters, u->tables.data[nr].interpreter);
	give_shares(u, nr);
	u->tables.data[nr] = (struct file_table){.state = TABLE_FORGOTTEN};
	u->free_tables.data[u->free_tables.nr++] = nr;
}

/*
 * Who has opened the file knows whether its owner is to be believed. 0: root, or nobody has looked.
 */
static uint32_t owner_of(const struct file_table *t)
{
	return t->owner || t->state == TABLE_READY || !t->identity.is_stat ? t->owner
									   : t->identity.owner;
}

/*
 * The side-band tells the build-id alone, and files with one build-id can differ. So a process of
 * @uid gets no table of another user's file, and that of root's file where there are several.
 */
static bool find_by_build_id(const struct file_tables *u, const struct file_table *t, uint32_t uid,
			     uint32_t *nr)
{
	const struct file_table *found = NULL;
	bool is_owned = false;

	index_for_each(&u->by_file, hash_of(t), i) {
		const struct file_table *have = &u->tables.data[i];
		uint32_t owner = owner_of(have);

		if (have->state == TABLE_FORGOTTEN || (owner && owner != uid) ||
		    !build_id_equal(&have->build_id, &t->build_id))
			continue;
		if (!found || (is_owned && !owner) ||
		    (found->state != TABLE_READY && !owner == !is_owned)) {
			found = have;
			is_owned = owner;
			continue;
		}
		if (have->state == TABLE_READY && !owner == !is_owned &&
		    memcmp(have->hash, found->hash, sizeof(have->hash))) {
			*nr = NO_TABLE;
			return true;
		}
	}
	if (found)
		*nr = found - u->tables.data;
	return found;
}

/* What the side-band tells of a file, too. */
static struct file_table table_of(const struct mapped_file *file)
{
	return (struct file_table){.build_id = *mapped_file_build_id(file),
				   .identity = file->identity,
				   .path_hash = hash_bytes(file->path, strlen(file->path), 0)};
}

bool file_tables_know(const struct file_tables *u, const struct mapped_file *file, uint32_t uid)
{
	const struct file_table t = table_of(file);
	size_t nr_files = 0;
	uint32_t nr;

	index_for_each(&u->by_file, hash_of(&t), i) {
		const struct file_table *have = &u->tables.data[i];
		uint32_t owner = owner_of(have);

		if (have->state == TABLE_FORGOTTEN || !build_id_equal(&have->build_id, &t.build_id))
			continue;
		if (have->path_hash != t.path_hash || (owner && owner != uid) ||
		    (!have->identity.is_stat && have->state != TABLE_READY))
			return false;
		nr_files++;
	}
	return nr_files == 1 || (nr_files && find_by_build_id(u, &t, uid, &nr) && nr != NO_TABLE &&
				 u->tables.data[nr].state == TABLE_READY);
}

bool file_tables_are_same(const struct file_tables *u, uint32_t a, uint32_t b)
{
	const struct file_table *x = &u->tables.data[a], *y = &u->tables.data[b];

	if (a == b || build_id_is_none(&x->build_id) || !build_id_equal(&x->build_id, &y->build_id))
		return a == b;
	return x->state != TABLE_READY || y->state != TABLE_READY ||
	       !memcmp(x->hash, y->hash, sizeof(x->hash));
}

int file_tables_find(struct file_tables *u, const struct mapped_file *file, const struct mapping *m,
		     uint32_t uid, uint32_t *nr)
{
	struct file_table t;
	uint64_t hash;
	int ret;

	if (file->kind != MAPPED_FILE) {
		bool is_own = file->kind == MAPPED_VDSO && vdso_is_same(u->vdso, m->start, m->end);

		*nr = is_own ? VDSO_TABLE : NO_TABLE;
		return 0;
	}
	t = table_of(file);
	hash = hash_of(&t);
	if (!t.identity.inode && find_by_build_id(u, &t, uid, nr))
		return 0;
	index_for_each(&u->by_file, hash, i) {
		const struct file_table *have = &u->tables.data[i];

		if (have->state != TABLE_FORGOTTEN && t.identity.inode &&
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
		forget_table(u, *nr);
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

static struct unwind_file_key file_key(const struct file_table *t)
{
	return (struct unwind_file_key){.dev = file_identity_kernel_dev(t->dev), .ino = t->ino};
}

/* From now on, programs know the table of the file before they know who maps it. */
static void tell_file(struct file_tables *u, struct file_table *t)
{
	const struct unwind_file_key key = file_key(t);
	const struct unwind_file file = {
		.size = t->size,
		.ctime_ns = t->ctime_ns,
		.first_off = t->first_off,
		.pages = UNWIND_PAGES(t->place.first_page, t->place.nr_pages),
	};

	t->is_told = t->ino && !map_update(u->store.maps.files, &key, &file, BPF_ANY);
}

/* Tells the program the new state of table @nr, too. */
static void set_state(struct file_tables *u, uint32_t nr, enum table_state state)
{
	struct file_table *t = &u->tables.data[nr];

	if (t->state == state)
		return;
	u->nr_asked += (state == TABLE_ASKED) - (t->state == TABLE_ASKED);
	t->state = state;
	if (state == TABLE_READY)
		tell_file(u, t);
	u->changed(u->ctx, nr);
}

/* The table of @nr is not requested again until a pause has passed. */
static void begin_pause(struct file_tables *u, uint32_t nr, uint64_t pause_ns)
{
	struct file_table *t = &u->tables.data[nr];

	t->pause_end_ns = clock_monotonic_ns() + pause_ns;
	if (!u->pause_end_ns || t->pause_end_ns < u->pause_end_ns)
		u->pause_end_ns = t->pause_end_ns;
	set_state(u, nr, TABLE_IMPOSSIBLE);
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
		set_state(u, i, TABLE_NONE);
	}
	u->pause_end_ns = next_ns;
}

static void note_failed_attempt(struct file_tables *u, uint32_t nr)
{
	uint32_t attempts = ++u->tables.data[nr].attempts;

	if (attempts % ATTEMPTS_MAX)
		set_state(u, nr, TABLE_NONE);
	else
		begin_pause(u, nr,
			    PAUSE_MIN_NS
				    << min_u64(attempts / ATTEMPTS_MAX - 1, PAUSE_DOUBLES_MAX));
}

/*
 * Takes what the table @made needs of its owner's share. The system's files may fill all. Returns
 * 0, -ENOSPC or -ENOMEM.
 */
static int take_shares(struct file_tables *u, uint32_t nr, const struct unwind_table *made)
{
	uint32_t owner = u->tables.data[nr].owner, loser;
	int ret = shares_take(&u->rules, nr, owner, made->nr_rules, 1, &loser)
			  ?: shares_take(&u->rows, nr, owner, made->nr_rows, 1, &loser)
			  ?: shares_take(&u->pages, nr, owner, made->nr_pages, 1, &loser);

	if (ret)
		give_shares(u, nr);
	return ret;
}

/*
 * Returns 0 or -ENOMEM. A table that does not fit into the maps is impossible, at least until
 * others are forgotten.
 */
static int add_table(struct file_tables *u, uint32_t nr, const struct unwind_table *made)
{
	struct file_table *t = &u->tables.data[nr];
	int ret = take_shares(u, nr, made);

	if (!ret)
		ret = table_maps_add(&u->store, made, &t->place);
	if (ret == -ENOSPC)
		shares_note_lack(&u->unserved, t->owner);
	if (ret) {
		give_shares(u, nr);
		t->lacked_room = u->lacked_room = ret == -ENOSPC;
		set_state(u, nr, TABLE_IMPOSSIBLE);
		return ret == -ENOMEM ? ret : 0;
	}
	t->first_off = made->first_off;
	memcpy(t->hash, made->hash, sizeof(t->hash));
	set_state(u, nr, TABLE_READY);
	return 0;
}

/* A ready table of another file with the build-id of @t; with its hash, too, if @with_hash. */
static struct file_table *find_alike(const struct file_tables *u, const struct file_table *t,
				     bool with_hash)
{
	if (build_id_is_none(&t->build_id))
		return NULL;
	index_for_each(&u->by_file, hash_of(t), i) {
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
	set_state(u, nr, TABLE_READY);
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

/* Sends a request to @line. Returns as request_from_worker. */
static int send_request(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			const struct file_place *place, struct worker_line *line,
			struct table_request *request)
{
	struct file_message message = {.bytes = request, .nr = sizeof(*request)};
	struct file_table *t = &u->tables.data[nr];
	struct sent_file sent;
	int ret = worker_line_sock(line, &message.sock);

	/* Without a child, it is as without a place in the line. */
	if (ret)
		return ret == -EIO ? -EAGAIN : ret;
	request->is_made = place->made_by != 0;
	ret = request->is_made ? registered_code_send(u->looker, place, &message, &sent)
			       : file_send(u->looker, file, place, &message, &sent);
	/* The looker could not open it. */
	if (ret && sent.owner == PROC_NOBODY)
		return ret;
	t->owner = sent.owner;
	t->payer = share_owner_of(request->uid, sent.owner);
	t->dev = sent.identity.dev;
	t->ino = sent.identity.inode;
	t->size = sent.identity.size;
	t->ctime_ns = sent.identity.ctime_ns;
	if (!ret)
		worker_line_expect(line, nr);
	return ret;
}

/* The same, when there is a place for it. -EAGAIN: there is none. */
static int send_in_turn(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			const struct file_place *place, struct worker_line *line,
			struct table_request *request)
{
	/* Slow files wait for long, and must not keep out the others. */
	struct shares *places = line == u->builder.patient ? &u->patient_line : &u->line;
	uint32_t loser;
	int ret = shares_take(places, nr, request->uid, 1, 1, &loser);

	if (ret)
		return ret == -ENOSPC ? -EAGAIN : ret;
	ret = send_request(u, nr, file, place, line, request);
	if (ret)
		shares_give(places, nr);
	return ret;
}

/* Returns 0, -EAGAIN when too many wait in line, or another negative errno of table_time_get. */
static int request_from_worker(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			       const struct file_place *place)
{
	struct file_table *t = &u->tables.data[nr];
	struct table_request request;
	struct worker_line *line;
	uint32_t uid;
	uint64_t left_ns;
	int ret = table_time_get(u, t, place, &uid, &left_ns);

	if (ret)
		return ret;
	line = table_builder_line(&u->builder, t->is_slow, t->payer);
	if (!line)
		return -EAGAIN;
	request = table_request_make(nr, known_hash(u, t));
	request.uid = uid;
	request.cpu_max_us = min_u64(left_ns, TABLE_TIME_MAX_NS) / 1000;
	return send_in_turn(u, nr, file, place, line, &request);
}

/*
 * Notes that the table was asked for, with the result @ret. -ETOOMANYREFS: a user has so many
 * descriptors on their way that the looker cannot send the file (unix(7)).
 */
static void note_request(struct file_tables *u, uint32_t nr, int ret)
{
	if (ret == -ETOOMANYREFS)
		shares_note_lack(&u->unserved, u->tables.data[nr].owner);
	/* Waiting for a place in the line is no failed attempt. */
	if (!ret)
		set_state(u, nr, TABLE_ASKED);
	else if (ret == -EAGAIN)
		set_state(u, nr, TABLE_NONE);
	else if (ret == -EDQUOT)
		begin_pause(u, nr, TABLE_TIME_PAUSE_NS);
	else
		note_failed_attempt(u, nr);
}

/* The vdso is in no file: the child gets a copy. */
static void request_vdso(struct file_tables *u)
{
	const void *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	_cleanup_close_ int fd = -1;
	int ret;

	if (!image || !u->vdso->size)
		return;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0 || pwrite(fd, image, u->vdso->size, 0) != (ssize_t)u->vdso->size)
		return;
	ret = table_builder_request(&u->builder, fd, VDSO_TABLE, NULL);
	note_request(u, VDSO_TABLE, ret == -EIO ? -EAGAIN : ret);
}

int file_tables_request(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			const struct file_place *place)
{
	struct file_table *t = &u->tables.data[nr];
	int ret;

	if (nr == VDSO_TABLE)
		return request_vdso(u), 0;
	if (table_time_refuses(u, nr, place->user))
		return 0;
	/* Many samples of one process that has gone are one attempt. */
	if (t->failed_pid == place->pid && proc_is_gone(place->pid))
		return 0;
	ret = request_from_worker(u, nr, file, place);
	if (ret && ret != -EAGAIN && ret != -EDQUOT)
		t->failed_pid = place->pid;
	/* A memfd is opened by way of /proc/PID/map_files alone. Who may not do that never may. */
	if ((place->made_by || mapped_file_is_made_code(file)) &&
	    (ret == -EPERM || ret == -EACCES || ret == -ENOENT))
		set_state(u, nr, TABLE_IMPOSSIBLE);
	else
		note_request(u, nr, ret);
	return 0;
}

/*
 * After -EAGAIN another file was to blame, and after -EBUSY the file is for the patient child.
 * After -EDQUOT, or if the child died, it had no time.
 */
static void note_failure(struct file_tables *u, uint32_t nr, int status)
{
	struct file_table *t = &u->tables.data[nr];

	if (status == -EDQUOT || status == -EIO || status == -ETIMEDOUT)
		shares_note_lack(&u->unserved, t->owner);
	if (status == -ETIMEDOUT)
		looker_blame(u->looker, look_device(t->dev));
	if (status == -EBUSY) {
		t->is_slow = true;
		table_builder_charge_wait(&u->builder, t->payer);
		status = -EAGAIN;
	}
	u->has_lost |= status == -EAGAIN;
	if (status == -EAGAIN || status == -EDQUOT)
		note_request(u, nr, status);
	else
		set_state(u, nr, TABLE_IMPOSSIBLE);
}

/* Notes whether the file of @nr is PCRE2. Tells the program of its interpreter, if it has one. */
static int note_interpreter(struct file_tables *u, uint32_t nr,
			    const struct found_interpreter *found)
{
	struct file_table *t = &u->tables.data[nr];
	const struct interpreter_place place = {.build_id = &t->build_id,
						.identity = &t->identity,
						.dev = t->dev,
						.ino = t->ino,
						.owner = t->owner};

	t->has_regex = found->has_regex && u->interpreters.languages;
	t->descriptor = found->descriptor;
	/* A table that is made once more is of the same file. */
	return t->interpreter
		       ? 0
		       : interpreter_maps_add(&u->interpreters, found, &place, &t->interpreter);
}

int file_tables_finish(struct file_tables *u)
{
	struct found_interpreter found;
	struct unwind_table made;
	uint64_t cpu_ns;
	uint32_t nr;
	int status, ret = 0;

	end_pauses(u);
	while (!ret && table_builder_next(&u->builder, &nr, &status, &cpu_ns, &made, &found)) {
		shares_give(&u->line, nr);
		shares_give(&u->patient_line, nr);
		table_time_charge(u, &u->tables.data[nr], status, cpu_ns);
		ret = note_interpreter(u, nr, &found);
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

bool file_tables_are_due(const struct file_tables *u)
{
	return u->line.used || u->tables.data[VDSO_TABLE].state == TABLE_ASKED;
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

	/* Tables share rules, and the maps themselves know what is free. */
	*u = (struct file_tables){
		.cache_fd = -1,
		.builder.epoll_fd = -1,
		.looker = looker,
		.rules = {.size = UINT64_MAX, .owner_max = UNWIND_MAX_RULES / OWNER_SHARE},
		.rows = {.size = UINT64_MAX, .owner_max = TABLE_MAPS_ROWS / OWNER_SHARE},
		.pages = {.size = UINT64_MAX, .owner_max = UNWIND_MAX_PAGES / OWNER_SHARE},
		.line = {.size = WORKER_WAITING_MAX, .owner_max = WORKER_WAITING_MAX / LINE_SHARE},
		.patient_line = {.size = WORKER_WAITING_MAX,
				 .owner_max = WORKER_WAITING_MAX / LINE_SHARE},
		.time = {.part = TABLE_TIME_PART, .max_ns = TABLE_TIME_MAX_NS},
		.payers = {.part = TABLE_TIME_PART, .max_ns = TABLE_PAYERS_MAX_NS},
		.interpreters.shares.size = INTERPRETER_NUMBERS,
		.interpreters.machines.shares.size = MAX_MACHINES,
	};
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

/* Counts for how many settles each table had no users. Returns how many tables have none. */
static size_t age_tables(struct file_tables *u)
{
	size_t nr_idle = 0;

	for (size_t i = NR_OWN_TABLES; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (t->state == TABLE_FORGOTTEN)
			continue;
		if (t->nr_users || t->state == TABLE_ASKED)
			t->nr_idle = 0;
		else
			t->nr_idle++;
		nr_idle += t->nr_idle != 0;
	}
	return nr_idle;
}

/*
 * Forgets the tables that had no users at the last two settles. Those that programs find by their
 * files are forgotten at the next settle.
 */
static void forget_idle(struct file_tables *u)
{
	for (size_t i = NR_OWN_TABLES; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (t->state == TABLE_FORGOTTEN || t->nr_idle < 2)
			continue;
		/* Programs do not find it by its file any more, from the next grace period on. */
		if (t->is_told) {
			const struct unwind_file_key key = file_key(t);

			map_delete(u->store.maps.files, &key);
			t->is_told = false;
			continue;
		}
		if (!t->shared)
			table_maps_remove(&u->store, &t->place);
		forget_table(u, i);
	}
}

/* Files whose tables did not fit may be asked for again. */
static void retry_tables(struct file_tables *u)
{
	for (size_t i = NR_OWN_TABLES; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (t->state == TABLE_IMPOSSIBLE && t->lacked_room) {
			t->lacked_room = false;
			set_state(u, i, TABLE_NONE);
		}
	}
}

static int index_tables(struct file_tables *u)
{
	int ret = 0;

	index_clear(&u->by_file);
	for (size_t i = NR_OWN_TABLES; i < u->tables.nr && !ret; i++)
		if (u->tables.data[i].state != TABLE_FORGOTTEN)
			ret = index_insert(&u->by_file, hash_of(&u->tables.data[i]), i);
	return ret;
}

int file_tables_settle(struct file_tables *u)
{
	size_t nr_idle = age_tables(u), nr_forgotten = u->free_tables.nr;

	u->lacked_time = false;
	interpreter_maps_settle(&u->interpreters);
	if (nr_idle <= IDLE_MAX && !u->lacked_room && !table_maps_are_tight(&u->store))
		return 0;
	forget_idle(u);
	if (u->free_tables.nr == nr_forgotten)
		return 0;
	u->lacked_room = false;
	retry_tables(u);
	return index_tables(u);
}

void file_tables_deinit(struct file_tables *u)
{
	vec_for_each(&u->tables, t)
		vec_free(&t->place.rules);
	shares_deinit(&u->rules);
	shares_deinit(&u->rows);
	shares_deinit(&u->pages);
	shares_deinit(&u->line);
	shares_deinit(&u->patient_line);
	shares_deinit(&u->unserved);
	owner_time_deinit(&u->time);
	owner_time_deinit(&u->payers);
	vec_free(&u->free_tables);
	table_builder_deinit(&u->builder);
	cleanup_close(&u->cache_fd);
	table_maps_deinit(&u->store);
	interpreter_maps_deinit(&u->interpreters);
	vec_free(&u->tables);
	index_deinit(&u->by_file);
}
