// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/space_maps.h"

#include <pthread.h>
#include <unistd.h>

#include "common/clock.h"
#include "record/machines/registered_code.h"
#include "tests/unit/kernel_maps.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has these ids. */
#define PID_A 5000001u
#define PID_B 5000002u

#define PAGE UINT64_C(0x1000)

/* One process's mappings, the files of all, and the object of the tests. */
struct maps_world {
	struct space_maps u;
	struct file_tables tables;
	struct vdso vdso;
	struct mapped_files files;
	mapping_vec mappings;
};

/* The tables as they begin, without the child that makes them. Returns 0 or -ENOMEM. */
static int try_begin(struct maps_world *w)
{
	const struct file_table none[] = {
		[NO_TABLE] = {.state = TABLE_IMPOSSIBLE},
		[VDSO_TABLE] = {.state = TABLE_NONE},
	};
	int ret;

	*w = (struct maps_world){.tables.cache_fd = -1};
	w->tables.vdso = &w->vdso;
	ret = space_maps_init(&w->u, &w->tables);
	if (!ret)
		ret = table_maps_init(&w->tables.store);
	w->tables.store.maps = (struct unwind_maps){.spaces = MAP_SPACES, .mappings = MAP_MAPPINGS};
	return ret ? ret : vec_append(&w->tables.tables, none, ARRAY_SIZE(none));
}

static void begin(struct maps_world *w)
{
	ck_assert_int_eq(try_begin(w), 0);
}

static void end(struct maps_world *w)
{
	space_maps_deinit(&w->u);
	file_tables_deinit(&w->tables);
	mapped_files_deinit(&w->files);
	vec_free(&w->mappings);
	nr_kernel_spaces = 0;
}

/* Adds to the list of the process at hand. @path NULL: memory without a file. */
static int try_map(struct maps_world *w, const char *path, uint64_t start, uint64_t pgoff)
{
	const struct build_id id = {.size = 4, .bytes = {path ? (uint8_t)path[1] : 0, 1, 2, 3}};
	const struct mapped_file_key key = {.path = path ? path : "//anon",
					    .build_id = path ? &id : NULL};
	struct mapping mapping = {.start = start, .end = start + PAGE, .pgoff = pgoff};
	int ret = mapped_files_get(&w->files, &key, &mapping.file);

	return ret ? ret : mappings_append(&w->mappings, &mapping);
}

static void map(struct maps_world *w, const char *path, uint64_t start, uint64_t pgoff)
{
	ck_assert_int_eq(try_map(w, path, start, pgoff), 0);
}

static int try_put(struct maps_world *w, uint32_t pid, uint64_t space_id)
{
	const struct space_owner owner = {
		.pid = pid, .uid = 1000, .space_id = space_id, .exec_pages = 9};

	return space_maps_put(&w->u, &owner, &w->mappings, &w->files);
}

static const struct unwind_space *put(struct maps_world *w, uint32_t pid, uint64_t space_id)
{
	ck_assert_int_eq(try_put(w, pid, space_id), 0);
	return kernel_space(pid);
}

/* The number of the table of the mapping at @start. */
static uint32_t table_at(struct maps_world *w, uint64_t start)
{
	const struct mapping *mapping = mappings_find(&w->mappings, start);
	uint32_t nr;

	ck_assert_ptr_nonnull(mapping);
	ck_assert_int_eq(
		file_tables_find(&w->tables, mapping_file(&w->files, mapping), mapping, 0, &nr), 0);
	return nr;
}

/* The program must see these borders of mappings, a start and an end each, of @pid. */
static void expect(uint32_t pid, size_t nr, const uint64_t *borders)
{
	const struct unwind_space *space = kernel_space(pid);

	ck_assert_ptr_nonnull(space);
	ck_assert_uint_eq(space->nr, nr / 2);
	for (size_t i = 0; i < space->nr; i++) {
		ck_assert_uint_eq(kernel_mappings[space->first + i].start, borders[2 * i]);
		ck_assert_uint_eq(kernel_mappings[space->first + i].end, borders[2 * i + 1]);
	}
}

#define EXPECT(pid, ...)                                                                           \
	expect(pid, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[]){__VA_ARGS__})

START_TEST(what_the_program_sees)
{
	struct maps_world w;
	const struct unwind_space *space;

	begin(&w);
	map(&w, "/a", 0x10000, 0x4000);
	map(&w, NULL, 0x20000, 0);
	map(&w, NULL, 0x21000, 0); /* side by side: one */
	map(&w, NULL, 0x23000, 0);
	map(&w, "/b", 0x24000, 0);
	space = put(&w, PID_A, 77);
	EXPECT(PID_A, 0x10000, 0x11000, 0x20000, 0x22000, 0x23000, 0x24000, 0x24000, 0x25000);
	ck_assert_uint_eq(space->space_id, 77);
	ck_assert_uint_eq(space->exec_pages, 9);
	ck_assert(!space->is_settled);
	/* Addresses less the bias are offsets in the file; a table can be asked for. */
	ck_assert_uint_eq(kernel_mappings[space->first].bias, 0xc000);
	ck_assert_uint_eq(kernel_mappings[space->first].pages, UNWIND_TABLE_WANTED);
	ck_assert_uint_eq(kernel_mappings[space->first + 1].pages, UNWIND_WITHOUT_TABLE);
	ck_assert_uint_eq(w.u.list_tables.nr, 4);
	ck_assert_uint_eq(w.u.list_tables.data[0], table_at(&w, 0x10000));
	ck_assert_uint_eq(w.u.list_tables.data[1], NO_TABLE);
	end(&w);
}
END_TEST

START_TEST(a_process_that_maps_nothing)
{
	struct maps_world w;

	begin(&w);
	ck_assert_ptr_null(put(&w, PID_A, 1));
	ck_assert_ptr_null(space_maps_find(&w.u, PID_A));
	end(&w);
}
END_TEST

/* Nothing new: the program is not to ask again for a while, longer each time. */
START_TEST(asked_in_vain)
{
	struct maps_world w;
	const struct unwind_space *space;
	uint64_t wait_ns = 400 * NS_PER_MS, before;
	uint32_t first;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	first = put(&w, PID_A, 1)->first;
	for (int i = 0; i < 10; i++) {
		before = clock_monotonic_ns();
		space = put(&w, PID_A, 1);
		ck_assert(space->is_settled);
		ck_assert_uint_eq(space->first, first);
		ck_assert_uint_ge(space->ask_again_ns, before + wait_ns);
		wait_ns = wait_ns < 5 * NS_PER_S ? wait_ns * 2 : 10 * NS_PER_S;
	}
	/* Another address space with equal mappings is something new. */
	space = put(&w, PID_A, 2);
	ck_assert(!space->is_settled);
	ck_assert_uint_ne(space->first, first);
	end(&w);
}
END_TEST

/* The same addresses, but of another part of the file: other rows of its table. */
START_TEST(another_part_of_a_file)
{
	struct maps_world w;
	const struct mapping *mapping;
	const struct unwind_space *space;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	put(&w, PID_A, 1);
	mapping = mappings_find(&w.mappings, 0x10000);
	ck_assert(!space_maps_differ(&w.u, PID_A, mapping, table_at(&w, 0x10000)));
	vec_clear(&w.mappings);
	map(&w, "/a", 0x10000, 0x4000);
	mapping = mappings_find(&w.mappings, 0x10000);
	ck_assert(space_maps_differ(&w.u, PID_A, mapping, table_at(&w, 0x10000)));
	space = put(&w, PID_A, 1);
	ck_assert(!space->is_settled);
	ck_assert_uint_eq(kernel_mappings[space->first].bias, 0xc000);
	end(&w);
}
END_TEST

/* A program may still look at the old room; after the next swap of the sets none does. */
START_TEST(room_is_used_again_after_a_swap)
{
	struct maps_world w;
	uint32_t first;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	first = put(&w, PID_A, 1)->first;
	ck_assert_uint_ne(put(&w, PID_A, 2)->first, first);
	ck_assert_uint_ne(put(&w, PID_B, 1)->first, first);
	ck_assert_int_eq(space_maps_settle(&w.u), 0);
	ck_assert_uint_eq(put(&w, PID_B, 2)->first, first);
	EXPECT(PID_A, 0x10000, 0x11000);
	EXPECT(PID_B, 0x10000, 0x11000);
	end(&w);
}
END_TEST

START_TEST(room_for_more_and_for_fewer)
{
	struct maps_world w;
	uint32_t small, large;

	begin(&w);
	for (uint64_t i = 0; i < 8; i++)
		map(&w, "/a", 0x10000 + 2 * i * PAGE, 0);
	small = put(&w, PID_A, 1)->first;
	map(&w, "/a", 0x90000, 0);
	large = put(&w, PID_A, 1)->first;
	ck_assert_uint_eq(large, small + 8);
	ck_assert_int_eq(space_maps_settle(&w.u), 0);
	/* The room for eight is free, and not enough for nine. */
	ck_assert_uint_eq(put(&w, PID_B, 1)->first, large + 9);
	vec_clear(&w.mappings);
	map(&w, "/a", 0x10000, 0);
	ck_assert_uint_eq(put(&w, PID_B, 2)->first, small);
	end(&w);
}
END_TEST

/* Processes with very many mappings leave room for others, which get some in any case. */
START_TEST(shares_of_the_room)
{
	struct maps_world w;
	uint32_t nr = 4096, last;

	begin(&w);
	for (uint64_t i = 0; i < 5000; i++)
		map(&w, i % 2 ? "/a" : "/b", 0x10000 + i * PAGE, 0);
	for (uint32_t i = 0; i < 50; i++) {
		last = nr;
		nr = put(&w, PID_A + i, 1)->nr;
		ck_assert_uint_le(nr, last);
		ck_assert_uint_ge(nr, 64);
		if (i == 0)
			ck_assert_uint_eq(nr, 4096);
	}
	ck_assert_uint_gt(w.u.room.free.nr_free, 1000);
	end(&w);
}
END_TEST

/* Without room, the program hears that asking is in vain, if it knows the process. */
START_TEST(no_room)
{
	struct maps_world w;
	const struct unwind_space *space;
	uint64_t before = clock_monotonic_ns();
	uint32_t first;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	put(&w, PID_A, 1);
	ck_assert_int_eq(extents_take(&w.u.room.free, w.u.room.free.free.data[0].nr, &first), 0);
	ck_assert_uint_eq(w.u.room.free.nr_free, 0);
	map(&w, "/b", 0x20000, 0);
	space = put(&w, PID_A, 2);
	ck_assert_uint_eq(space->nr, 0);
	ck_assert_uint_eq(space->space_id, 2);
	ck_assert(space->is_settled);
	ck_assert_uint_ge(space->ask_again_ns, before + 10 * NS_PER_S);
	ck_assert_ptr_null(put(&w, PID_B, 1));
	end(&w);
}
END_TEST

START_TEST(a_table_comes)
{
	struct maps_world w;
	const struct unwind_mapping *a, *b;
	struct file_table *table;
	uint32_t nr;

	begin(&w);
	map(&w, "/a", 0x10000, 0x1000);
	map(&w, "/a", 0x20000, 0x2000);
	map(&w, "/b", 0x30000, 0);
	a = &kernel_mappings[put(&w, PID_A, 1)->first];
	b = &kernel_mappings[put(&w, PID_B, 1)->first];
	nr = table_at(&w, 0x10000);
	table = &w.tables.tables.data[nr];
	table->state = TABLE_READY;
	table->place = (struct table_place){.first_page = 5, .nr_pages = 3};
	table->first_off = 0x10000;
	space_maps_table_changed(&w.u, nr);
	/* In all mappings of the file, in each at its own distance. */
	ck_assert_uint_eq(a[0].pages, UNWIND_PAGES(5, 3));
	ck_assert_uint_eq(a[0].bias, 0x10000 - 0x1000 + 0x10000);
	ck_assert_uint_eq(a[1].bias, 0x20000 - 0x2000 + 0x10000);
	ck_assert_mem_eq(a, b, 2 * sizeof(*a));
	ck_assert_uint_eq(a[2].pages, UNWIND_TABLE_WANTED);
	/* Once is enough: the bias does not move again. */
	nr_mapping_updates = 0;
	space_maps_table_changed(&w.u, nr);
	ck_assert_uint_eq(nr_mapping_updates, 0);
	/* A mapping that is put later has it from the beginning. */
	map(&w, "/c", 0x40000, 0);
	a = &kernel_mappings[put(&w, PID_A, 1)->first];
	ck_assert_uint_eq(a[0].pages, UNWIND_PAGES(5, 3));
	ck_assert_uint_eq(a[0].bias, 0x10000 - 0x1000 + 0x10000);
	end(&w);
}
END_TEST

/* Room that a process has left is not written to, as it may be another's by then. */
START_TEST(a_table_comes_too_late)
{
	struct maps_world w;
	uint32_t nr, first;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	first = put(&w, PID_A, 1)->first;
	nr = table_at(&w, 0x10000);
	space_maps_remove(&w.u, PID_A);
	w.tables.tables.data[nr].state = TABLE_ASKED;
	space_maps_table_changed(&w.u, nr);
	ck_assert_uint_eq(kernel_mappings[first].pages, UNWIND_TABLE_WANTED);
	end(&w);
}
END_TEST

START_TEST(looked_up)
{
	struct unwind_mapping found;
	bool has_regex;
	struct maps_world w;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	map(&w, "/b", 0x11000, 0);
	map(&w, "/a", 0x20000, 0);
	ck_assert_int_eq(space_maps_lookup(&w.u, PID_A, 1, 0x10000, &found, &has_regex), -EAGAIN);
	put(&w, PID_A, 1);
	for (uint64_t start = 0x10000; start <= 0x20000; start += start < 0x11000 ? PAGE : 0xf000) {
		ck_assert_int_eq(space_maps_lookup(&w.u, PID_A, 1, start, &found, &has_regex), 1);
		ck_assert_uint_eq(found.start, start);
		ck_assert_int_eq(
			space_maps_lookup(&w.u, PID_A, 1, start + 0xfff, &found, &has_regex), 1);
		ck_assert_uint_eq(found.start, start);
	}
	ck_assert_int_eq(space_maps_lookup(&w.u, PID_A, 1, 0xffff, &found, &has_regex), 0);
	ck_assert_int_eq(space_maps_lookup(&w.u, PID_A, 1, 0x12000, &found, &has_regex), 0);
	ck_assert_int_eq(space_maps_lookup(&w.u, PID_A, 1, 0x21000, &found, &has_regex), 0);
	/* Of another address space nothing is known. One without a name is any. */
	ck_assert_int_eq(space_maps_lookup(&w.u, PID_A, 2, 0x10000, &found, &has_regex), -EAGAIN);
	put(&w, PID_B, 0);
	ck_assert_int_eq(space_maps_lookup(&w.u, PID_B, 2, 0x10000, &found, &has_regex), 1);
	end(&w);
}
END_TEST

/* What a process has registered has a table in memory without a file that is near. */
START_TEST(registered_code)
{
	const uint64_t far = 0x8000 + REGISTERED_CODE_SPAN;
	struct space_registered *r;
	struct maps_world w;
	uint32_t library, made, first;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	map(&w, NULL, 0x20000, 0);
	map(&w, NULL, 0x21000, 0); /* side by side: one */
	map(&w, "/made", 0x30000, 0);
	map(&w, NULL, far, 0);
	put(&w, PID_A, 1);
	library = table_at(&w, 0x10000);
	made = table_at(&w, 0x30000);
	r = &space_maps_find(&w.u, PID_A)->registered;
	ck_assert_uint_eq(r->descriptor, 0);
	w.tables.tables.data[library].descriptor = 0x80;
	space_maps_table_changed(&w.u, library);
	ck_assert_uint_eq(r->descriptor, 0x10080);
	r->table = made;
	r->base = 0x8000;
	file_tables_use(&w.tables, made);
	first = put(&w, PID_A, 1)->first;
	ck_assert_uint_eq(r->descriptor, 0x10080);
	EXPECT(PID_A, 0x10000, 0x11000, 0x20000, 0x22000, 0x30000, 0x31000, far, far + PAGE);
	ck_assert_uint_eq(kernel_mappings[first + 1].bias, 0x8000);
	ck_assert_uint_eq(kernel_mappings[first + 1].pages, UNWIND_TABLE_WANTED);
	ck_assert_uint_eq(kernel_mappings[first + 3].pages, UNWIND_WITHOUT_TABLE);
	ck_assert_uint_eq(w.tables.tables.data[made].nr_users, 3);
	/* Samples bring looks, but not before the time that the last one forbids. */
	for (int is_empty = 0; is_empty < 2; is_empty++) {
		r->is_empty = is_empty;
		r->next_ns = r->pause_ns = r->budget_ns = 7;
		space_maps_sampled(&w.u, PID_A, 1);
		ck_assert_uint_eq(r->next_ns, 0);
		ck_assert_uint_eq(r->pause_ns, is_empty ? 7 : 0);
		ck_assert_uint_eq(r->budget_ns, 7);
	}
	/* Another program has registered nothing yet. */
	first = put(&w, PID_A, 2)->first;
	ck_assert_uint_eq(kernel_mappings[first + 1].pages, UNWIND_WITHOUT_TABLE);
	ck_assert_uint_eq(r->descriptor, 0x10080);
	ck_assert_uint_eq(r->table, NO_TABLE);
	ck_assert_uint_eq(r->next_ns, 0);
	ck_assert_uint_eq(r->budget_ns, 7);
	space_maps_remove(&w.u, PID_A);
	ck_assert_uint_eq(w.tables.tables.data[made].nr_users, 0);
	end(&w);
}
END_TEST

/* A process that registers nothing brings no look at those that do. */
START_TEST(nothing_is_registered)
{
	struct maps_world w;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	for (int registers = 0; registers < 2; registers++) {
		w.tables.tables.data[table_at(&w, 0x10000)].descriptor = registers ? 0x80 : 0;
		w.u.registered_due_ns = 7;
		put(&w, PID_A + registers, 1);
		ck_assert_uint_eq(w.u.registered_due_ns, registers ? 0 : 7);
	}
	end(&w);
}
END_TEST

START_TEST(mappings_that_differ)
{
	struct mapping mapping = {.start = 0x10800, .end = 0x11000, .pgoff = 0x800};
	struct maps_world w;
	uint32_t a, b;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	map(&w, "/b", 0x11000, 0);
	put(&w, PID_A, 1);
	a = table_at(&w, 0x10000);
	b = table_at(&w, 0x11000);
	ck_assert(!space_maps_differ(&w.u, PID_A, &mapping, a));
	ck_assert(space_maps_differ(&w.u, PID_A, &mapping, b));
	mapping.end = 0x11001; /* into the next one */
	ck_assert(space_maps_differ(&w.u, PID_A, &mapping, a));
	mapping = (struct mapping){.start = 0x12000, .end = 0x13000};
	ck_assert(!space_maps_differ(&w.u, PID_A, &mapping, a));
	ck_assert(!space_maps_differ(&w.u, PID_B, &mapping, a));
	end(&w);
}
END_TEST

/* The file at an address has turned out to be another one than that of the process's table. */
START_TEST(mistaken_files)
{
	struct maps_world w;
	uint32_t nr;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	put(&w, PID_A, 1);
	nr = table_at(&w, 0x10000);
	ck_assert(!space_maps_mistake(&w.u, PID_B, 0x10000, nr + 1));
	ck_assert(!space_maps_mistake(&w.u, PID_A, 0x10000, nr));
	ck_assert(!space_maps_mistake(&w.u, PID_A, 0x10000 - 1, nr + 1));
	ck_assert(!space_maps_mistake(&w.u, PID_A, 0x10000 + PAGE, nr + 1));
	/* The table may be of what is registered in memory without a file. */
	space_maps_find(&w.u, PID_A)->registered.table = nr;
	ck_assert(!space_maps_mistake(&w.u, PID_A, 0x10000, NO_TABLE));
	space_maps_find(&w.u, PID_A)->registered.table = NO_TABLE;
	ck_assert(space_maps_mistake(&w.u, PID_A, 0x10000 + PAGE - 1, nr + 1));
	/* It waits for a look by now. */
	ck_assert(!space_maps_mistake(&w.u, PID_A, 0x10000, nr + 1));
	end(&w);
}
END_TEST

START_TEST(removed)
{
	struct maps_world w;
	uint32_t first, nr;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	first = put(&w, PID_A, 1)->first;
	put(&w, PID_B, 1);
	nr = table_at(&w, 0x10000);
	ck_assert_uint_eq(w.tables.tables.data[nr].nr_users, 2);
	space_maps_remove(&w.u, PID_A);
	space_maps_remove(&w.u, PID_A);
	ck_assert_uint_eq(w.tables.tables.data[nr].nr_users, 1);
	ck_assert_ptr_null(kernel_space(PID_A));
	ck_assert_ptr_null(space_maps_find(&w.u, PID_A));
	ck_assert_ptr_nonnull(space_maps_find(&w.u, PID_B));
	ck_assert_int_eq(space_maps_settle(&w.u), 0);
	ck_assert_uint_eq(put(&w, PID_A, 2)->first, first);
	ck_assert_uint_eq(w.u.processes.nr, 2);
	end(&w);
}
END_TEST

static void *run_thread(void *pipe_fd)
{
	char c;

	return read(*(int *)pipe_fd, &c, 1) ? NULL : pipe_fd;
}

/* A process goes with its last thread, and one of which no record tells with the next sweep. */
START_TEST(processes_that_end)
{
	struct maps_world w;
	pthread_t thread;
	int pipes[2];

	begin(&w);
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run_thread, &pipes[0]), 0);
	map(&w, "/a", 0x10000, 0);
	put(&w, PID_A, 1);
	put(&w, PID_B, 1);
	put(&w, getpid(), 1);
	ck_assert_int_eq(space_maps_exited(&w.u, PID_A), 0);
	ck_assert_ptr_null(kernel_space(PID_A));
	ck_assert_int_eq(space_maps_exited(&w.u, getpid()), 0);
	ck_assert_int_eq(space_maps_settle(&w.u), 0);
	ck_assert_ptr_nonnull(kernel_space(getpid()));
	/* Its main thread "has ended": with the last thread it goes, here when the id is free. */
	ck_assert_uint_eq(w.u.outlived.nr, 1);
	w.u.outlived.data[0] = PID_B;
	ck_assert_int_eq(space_maps_settle(&w.u), 0);
	ck_assert_uint_eq(w.u.outlived.nr, 0);
	ck_assert_ptr_null(kernel_space(PID_B));
	put(&w, PID_A, 1);
	put(&w, PID_B, 1);
	ck_assert_int_eq(space_maps_sweep(&w.u), 0);
	ck_assert_ptr_null(kernel_space(PID_A));
	ck_assert_ptr_null(kernel_space(PID_B));
	ck_assert_ptr_nonnull(kernel_space(getpid()));
	close(pipes[1]);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	close(pipes[0]);
	end(&w);
}
END_TEST

/* Processes come and go: neither room nor the index of processes grows with all that ever were. */
START_TEST(many_processes)
{
	struct maps_world w;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	for (uint32_t i = 0; i < 20000; i++) {
		put(&w, PID_A + i, i + 1);
		if (i >= 10)
			space_maps_remove(&w.u, PID_A + i - 10);
		if (i % 10 == 0)
			ck_assert_int_eq(space_maps_settle(&w.u), 0);
		ck_assert_ptr_nonnull(space_maps_find(&w.u, PID_A + i));
	}
	ck_assert_uint_eq(nr_kernel_spaces, 10);
	ck_assert_uint_le(w.u.processes.nr, 11);
	ck_assert_uint_le(w.u.nr_mappings, 64);
	ck_assert_uint_le(w.u.nr_indexed, 1100);
	end(&w);
}
END_TEST

/* The index is made anew when most of its entries are of processes that have gone. */
START_TEST(the_index_of_processes)
{
	enum { NR = 5 };
	struct maps_world w;
	size_t nr_before = 0;
	uint32_t pid = PID_A + NR;

	begin(&w);
	map(&w, "/a", 0x10000, 0);
	for (uint32_t i = 0; i < NR; i++)
		put(&w, PID_A + i, 1);
	space_maps_remove(&w.u, PID_A + 1);
	ck_assert_uint_eq(w.u.nr_indexed, NR);
	for (; w.u.nr_indexed > nr_before; pid++) {
		nr_before = w.u.nr_indexed;
		ck_assert_uint_le(nr_before, 1024 + 2 * (NR - 1) + 1);
		put(&w, pid, 1);
		space_maps_remove(&w.u, pid);
		ck_assert_int_eq(space_maps_settle(&w.u), 0);
	}
	ck_assert_uint_eq(nr_before, 1024 + 2 * (NR - 1) + 1);
	/* Those that live, and the one for which it was made. */
	ck_assert_uint_eq(w.u.nr_indexed, NR);
	ck_assert_uint_eq(w.u.by_pid.nr, NR);
	for (uint32_t i = 0; i < NR; i++) {
		const struct unwind_process *p = space_maps_find(&w.u, PID_A + i);

		ck_assert_int_eq(p != NULL, i != 1);
		ck_assert(!p || p->pid == PID_A + i);
	}
	ck_assert_ptr_null(space_maps_find(&w.u, 0));
	end(&w);
}
END_TEST

/* Where the program can know no more processes, one that is used no more goes, or none. */
START_TEST(more_processes_than_room)
{
	struct maps_world w;

	begin(&w);
	w.u.room.processes.size = 2;
	map(&w, "/a", 0x10000, 0);
	put(&w, PID_A, 1);
	ck_assert_ptr_nonnull(put(&w, PID_B, 1));
	ck_assert_ptr_nonnull(kernel_space(PID_A));
	ck_assert_ptr_null(put(&w, PID_B + 1, 1));
	shares_use(&w.u.room.processes, 0, 1);
	shares_age(&w.u.room.processes);
	ck_assert_ptr_nonnull(put(&w, PID_B + 1, 1));
	ck_assert_ptr_nonnull(kernel_space(PID_A));
	ck_assert_ptr_null(kernel_space(PID_B));
	ck_assert_ptr_null(space_maps_find(&w.u, PID_B));
	/* One that finds no room leaves none behind that it does not have. */
	end(&w);
	begin(&w);
	w.u.room.processes.size = 0;
	map(&w, "/a", 0x10000, 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_ptr_null(put(&w, PID_A, 1));
		ck_assert_uint_eq(w.u.processes.nr, 1);
		ck_assert_uint_eq(w.u.free_processes.nr, 1);
	}
	w.u.room.processes.size = 1;
	ck_assert_ptr_nonnull(put(&w, PID_A, 1));
	end(&w);
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		struct maps_world w;
		int ret = try_begin(&w);

		for (uint32_t i = 0; !ret && i < 20; i++) {
			ret = try_map(&w, i % 2 ? "/a" : "/b", 0x10000 + i * PAGE, 0);
			if (!ret)
				ret = try_put(&w, PID_A + i % 3, 1);
		}
		if (!ret)
			ret = space_maps_settle(&w.u);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		end(&w);
	}
}
END_TEST

SUITE_MAIN("space_maps", what_the_program_sees, a_process_that_maps_nothing, asked_in_vain,
	   another_part_of_a_file, room_is_used_again_after_a_swap, room_for_more_and_for_fewer,
	   shares_of_the_room, no_room, a_table_comes, a_table_comes_too_late, looked_up,
	   registered_code, nothing_is_registered, mappings_that_differ, mistaken_files, removed,
	   processes_that_end, many_processes, the_index_of_processes, more_processes_than_room,
	   out_of_memory)
