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

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/cleanup.h"
#include "record/unwind/table_cache.h"

/* How often profrec tries a file that has gone before it could be opened. */
#define ATTEMPTS_MAX 8

static uint64_t hash_table(const struct file_table *t)
{
	uint64_t ids[2] = {t->dev, t->inode};
	uint64_t h = XXH3_64bits(t->build_id.bytes, t->build_id.size);

	return XXH3_64bits_withSeed(ids, sizeof(ids), h);
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
	if (build_id_is_none(&t.build_id)) {
		t.dev = file->dev;
		t.inode = file->inode;
	}
	hash = hash_table(&t);
	index_for_each(&u->by_file, hash, i) {
		const struct file_table *have = &u->tables.data[i];

		if (build_id_equal(&have->build_id, &t.build_id) && have->dev == t.dev &&
		    have->inode == t.inode) {
			*nr = i;
			return 0;
		}
	}
	*nr = u->tables.nr;
	ret = index_insert(&u->by_file, hash, *nr);
	return ret ? ret : vec_push(&u->tables, t);
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
		m->pages = UNWIND_PAGES(t->first_page, t->nr_pages);
		break;
	case TABLE_IMPOSSIBLE:
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

/* Returns 0 or -ENOMEM. A table that does not fit into the maps is impossible. */
static int add_table(struct file_tables *u, uint32_t nr, const struct unwind_table *made)
{
	struct file_table *t = &u->tables.data[nr];
	int ret = table_maps_add(&u->store, made, &t->first_page);

	if (ret) {
		set_state(u, nr, TABLE_IMPOSSIBLE);
		return ret == -ENOMEM ? ret : 0;
	}
	t->nr_pages = made->nr_pages;
	t->first_off = made->first_off;
	set_state(u, nr, TABLE_READY);
	return 0;
}

/* Returns 1 when the table was kept, 0 when not, or -ENOMEM. */
static int take_kept(struct file_tables *u, uint32_t nr)
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
static void keep(const struct file_tables *u, uint32_t nr, const struct unwind_table *made)
{
	if (u->cache_fd >= 0)
		table_cache_put(u->cache_fd, &u->tables.data[nr].build_id, made);
}

/* Somebody may have written to a file since its build-id was read. */
static bool is_file_of(int fd, const struct file_table *t)
{
	struct build_id id = {0};

	if (fd < 0)
		return false;
	return build_id_is_none(&t->build_id) ||
	       (!build_id_from_fd(fd, &id) && build_id_equal(&id, &t->build_id));
}

int file_tables_request(struct file_tables *u, uint32_t nr, int fd)
{
	struct file_table *t = &u->tables.data[nr];
	int ret = take_kept(u, nr);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = is_file_of(fd, t) ? table_builder_request(u->builder, fd, nr) : -EBADF;
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
	return 0;
}

int file_tables_finish(struct file_tables *u)
{
	struct unwind_table made;
	uint32_t nr;
	int status, ret = 0;

	while (!ret && table_builder_next(u->builder, &nr, &status, &made)) {
		if (status) {
			set_state(u, nr, TABLE_IMPOSSIBLE);
			continue;
		}
		ret = add_table(u, nr, &made);
		keep(u, nr, &made);
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
static int request_vdso(struct file_tables *u)
{
	const void *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	_cleanup_close_ int fd = -1;

	if (!image || !u->vdso->size)
		return 0;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0 || pwrite(fd, image, u->vdso->size, 0) != (ssize_t)u->vdso->size)
		return 0;
	return file_tables_request(u, VDSO_TABLE, fd);
}

int file_tables_begin(struct file_tables *u, const struct unwind_maps *maps,
		      const struct vdso *vdso)
{
	u->store.maps = *maps;
	u->vdso = vdso;
	return request_vdso(u);
}

bool file_tables_may_keep(const struct file_tables *u, int *reason)
{
	if (u->cache_fd < 0 || !faccessat(u->cache_fd, ".", W_OK | X_OK, AT_EACCESS))
		return true;
	*reason = -errno;
	return false;
}

int file_tables_init(struct file_tables *u, const char *cache, struct err *err)
{
	const struct file_table none[] = {
		[NO_TABLE] = {.state = TABLE_IMPOSSIBLE},
		[VDSO_TABLE] = {.state = TABLE_NONE},
	};

	*u = (struct file_tables){.cache_fd = -1};
	if (vec_append(&u->tables, none, ARRAY_SIZE(none)))
		return err_set(err, -ENOMEM, "failed to begin unwinding: out of memory");
	if (cache) {
		u->cache_fd = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (u->cache_fd < 0)
			return err_set(err, -errno, "failed to open '%s': %m", cache);
	}
	return table_builder_start(&u->builder, err);
}

void file_tables_deinit(struct file_tables *u)
{
	table_builder_destroy(u->builder);
	cleanup_close(&u->cache_fd);
	table_maps_deinit(&u->store);
	vec_free(&u->tables);
	index_deinit(&u->by_file);
}
