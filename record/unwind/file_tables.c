// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/file_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "record/system/fd_message.h"
#include "record/unwind/table_cache.h"
#include "record/unwind/table_worker.h"

/* How often profrec tries a file that has gone before it could be opened. */
#define ATTEMPTS_MAX 8

/* The files of one user, but for the system's own, may take this part of the maps: 1 / this. */
#define OWNER_SHARE 4

/* The owner of a file that cannot be looked at. */
#define NOBODY 65534

/* So many tables without users are remembered, as long as there is room. */
#define IDLE_MAX 4096

static uint64_t hash_table(const struct file_table *t)
{
	uint64_t h = hash_bytes(t->build_id.bytes, t->build_id.size, 0);

	return file_identity_hash(&t->identity, h);
}

/* The number may be used again. Its entry in the index goes with the next rebuild. */
static void forget_table(struct file_tables *u, uint32_t nr)
{
	u->tables.data[nr] = (struct file_table){.state = TABLE_FORGOTTEN};
	u->free_tables.data[u->free_tables.nr++] = nr;
}

int file_tables_find(struct file_tables *u, const struct mapped_file *file, uint64_t start,
		     uint64_t end, uint32_t *nr)
{
	struct file_table t = {.build_id = *mapped_file_build_id(file)};
	uint64_t hash;
	int ret;

	if (file->kind != MAPPED_FILE) {
		bool is_own = file->kind == MAPPED_VDSO && vdso_is_same(u->vdso, start, end);

		*nr = is_own ? VDSO_TABLE : NO_TABLE;
		return 0;
	}
	if (build_id_is_none(&t.build_id))
		t.identity = file->identity;
	hash = hash_table(&t);
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

static void set_state(struct file_tables *u, uint32_t nr, enum table_state state)
{
	struct file_table *t = &u->tables.data[nr];

	u->nr_asked += (state == TABLE_ASKED) - (t->state == TABLE_ASKED);
	t->state = state;
	u->changed(u->ctx, nr);
}

/* May the owner of @t have another table of the size of @made? The system's files may fill all. */
static bool is_within_share(const struct file_tables *u, const struct file_table *t,
			    const struct unwind_table *made)
{
	uint64_t rules = made->nr_rules, rows = made->nr_rows, pages = made->nr_pages;

	if (!t->owner)
		return true;
	vec_for_each(&u->tables, other) {
		if (other->owner != t->owner || other->state != TABLE_READY)
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
		set_state(u, nr, TABLE_IMPOSSIBLE);
		return ret == -ENOMEM ? ret : 0;
	}
	t->first_off = made->first_off;
	set_state(u, nr, TABLE_READY);
	return 0;
}

/* Returns 1 when the table was kept, 0 when not, or -ENOMEM. */
static int take_kept_table(struct file_tables *u, uint32_t nr)
{
	struct unwind_table kept;
	int ret;

	if (u->cache_fd < 0)
		return 0;
	ret = table_cache_get(u->cache_fd, &u->tables.data[nr].build_id, &kept);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = add_table(u, nr, &kept);
	unwind_table_deinit(&kept);
	return ret ? ret : 1;
}

/* A table that cannot be kept is made again next time. */
static void keep_table(const struct file_tables *u, uint32_t nr, const struct unwind_table *made)
{
	if (u->cache_fd >= 0)
		table_cache_put(u->cache_fd, &u->tables.data[nr].build_id, made);
}

/* The looker's answer about a file. */
struct opened {
	uint32_t owner;
	uint64_t dev;
};

/* Somebody may have written to a file since its build-id was read. */
static bool is_file_of(int fd, const struct build_id *expected)
{
	struct build_id id = {0};

	return build_id_is_none(expected) ||
	       (!build_id_from_fd(fd, &id) && build_id_equal(&id, expected));
}

/*
 * A look_fn: opens a file, and sends it to the worker, whose socket comes with the question. The
 * recorder never has the descriptor, since closing one can take for ever, too.
 */
static int answer_request(struct look *look)
{
	struct table_request request;
	_cleanup_close_ int fd = -1;
	struct mapped_file file;
	struct file_place place;
	struct opened opened;
	struct stat st;
	int ret = file_question_get(look, &request.tag, &file, &place);

	if (ret)
		return ret;
	fd = mapped_file_open(look, &file, &place);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (!is_file_of(fd, mapped_file_build_id(&file)))
		return -ESTALE;
	opened = (struct opened){.owner = st.st_uid, .dev = st.st_dev};
	look_answer_append(look, &opened, sizeof(opened));
	return look->fd < 0 ? 0 : fd_message_send(look->fd, &request, sizeof(request), fd);
}

/*
 * Has the looker open @file, and send it to the worker at @sock unless that is negative. Notes the
 * owner of the file. Returns 0 or a negative errno.
 */
static int ask_for_file(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			const struct file_place *place, int sock)
{
	struct look_question question = {.fn = answer_request, .fd = sock};
	struct file_table *t = &u->tables.data[nr];
	struct file_question about;
	struct look_answer answer;
	struct opened opened;
	int ret;

	t->owner = NOBODY;
	if (!file_question_put(&about, nr, file, place))
		return -E2BIG;
	question.bytes = about.bytes;
	question.nr = about.nr;
	ret = looker_ask(u->looker, &question, &answer);
	if (answer.nr == sizeof(opened)) {
		memcpy(&opened, answer.bytes, sizeof(opened));
		t->owner = opened.owner;
		t->dev = opened.dev;
	}
	return ret;
}

/* Returns 0 or a negative errno: -EAGAIN when too many wait in line. */
static int request_from_worker(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			       const struct file_place *place)
{
	int sock, ret = table_builder_sock(u->builder, &sock);

	if (!ret)
		ret = ask_for_file(u, nr, file, place, sock);
	if (!ret)
		table_builder_expect(u->builder, nr);
	return ret;
}

/* Notes that the table was asked for, with the result @ret. */
static void note_request(struct file_tables *u, uint32_t nr, int ret)
{
	struct file_table *t = &u->tables.data[nr];

	/*
	 * The file may open through another process, or later. Waiting for a place in the line is
	 * no failed attempt.
	 */
	if (ret && ret != -EAGAIN)
		t->attempts++;
	if (!ret)
		set_state(u, nr, TABLE_ASKED);
	else
		set_state(u, nr, t->attempts < ATTEMPTS_MAX ? TABLE_NONE : TABLE_IMPOSSIBLE);
}

int file_tables_request(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			const struct file_place *place)
{
	int ret = 0;

	if (u->cache_fd >= 0) {
		ask_for_file(u, nr, file, place, -1);
		ret = take_kept_table(u, nr);
	}
	if (ret)
		return ret < 0 ? ret : 0;
	note_request(u, nr, request_from_worker(u, nr, file, place));
	return 0;
}

/* After -EAGAIN, another file was to blame. */
static void note_failure(struct file_tables *u, uint32_t nr, int status)
{
	if (status == -EAGAIN)
		note_request(u, nr, -EAGAIN);
	else
		set_state(u, nr, TABLE_IMPOSSIBLE);
}

int file_tables_finish(struct file_tables *u)
{
	struct unwind_table made;
	uint32_t nr;
	int status, ret = 0;

	while (!ret && table_builder_next(u->builder, &nr, &status, &made)) {
		if (status == -ETIMEDOUT)
			looker_blame(u->looker, look_device(u->tables.data[nr].dev));
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
	struct pollfd pollfd = {.fd = table_builder_fd(u->builder), .events = POLLIN};
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
	note_request(u, VDSO_TABLE, table_builder_request(u->builder, fd, VDSO_TABLE));
}

void file_tables_begin(struct file_tables *u, const struct unwind_maps *maps,
		       const struct vdso *vdso)
{
	u->store.maps = *maps;
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

/* Forgets the tables that had no users at the last two settles. */
static void forget_idle(struct file_tables *u)
{
	for (size_t i = NR_OWN_TABLES; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (t->state == TABLE_FORGOTTEN || t->nr_idle < 2)
			continue;
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
			ret = index_insert(&u->by_file, hash_table(&u->tables.data[i]), i);
	return ret;
}

int file_tables_settle(struct file_tables *u)
{
	size_t nr_idle = age_tables(u), nr_forgotten = u->free_tables.nr;

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
	vec_free(&u->free_tables);
	table_builder_destroy(u->builder);
	cleanup_close(&u->cache_fd);
	table_maps_deinit(&u->store);
	vec_free(&u->tables);
	index_deinit(&u->by_file);
}
