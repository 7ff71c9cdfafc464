// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks at what a process has registered. The answers of the looker are played. */
#include "record/unwind/registered_spaces.h"

#include <errno.h>

#include "common/clock.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "record/machines/registered_look.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has this id. */
#define PID 5000001u

/* Plays a descriptor of names. */
#define NAMES 4711

static struct {
	int ret;
	struct registered_code code;
	int names; /* a descriptor, or an error */
	unsigned int nr_asked, nr_tables, nr_found, nr_named;
	int described; /* when a list was found */
	struct file_place place;
} played;

static struct file_tables tables;
static struct space_maps spaces;
static struct look_budget looks;
static struct unwind_process process;
static u32_vec stale;

int __wrap_registered_code_ask(struct looker *looker, uint32_t pid, uint64_t descriptor,
			       struct registered_code *code);
int __wrap_registered_code_ask(struct looker *looker, uint32_t pid, uint64_t descriptor,
			       struct registered_code *code)
{
	ck_assert_ptr_null(looker);
	ck_assert_uint_eq(pid, PID);
	ck_assert_uint_eq(descriptor, 0x1000);
	played.nr_asked++;
	if (!played.ret)
		*code = played.code;
	return played.ret;
}

int __wrap_registered_code_describe(struct looker *looker, uint32_t pid, uint64_t descriptor);
int __wrap_registered_code_describe(struct looker *looker, uint32_t pid, uint64_t descriptor)
{
	ck_assert_ptr_null(looker);
	ck_assert_uint_eq(pid, PID);
	ck_assert_uint_eq(descriptor, 0x1000);
	played.nr_named++;
	return played.names;
}

int __wrap_file_tables_request(struct file_tables *t, uint32_t nr, const struct mapped_file *file,
			       const struct file_place *place);
int __wrap_file_tables_request(struct file_tables *t, uint32_t nr, const struct mapped_file *file,
			       const struct file_place *place)
{
	ck_assert_str_eq(file->path, "");
	t->tables.data[nr].state = TABLE_ASKED;
	played.nr_tables++;
	played.place = *place;
	return 0;
}

static void note_found(void *ctx, uint32_t pid)
{
	ck_assert_ptr_eq(ctx, &played);
	ck_assert_uint_eq(pid, PID);
	played.nr_found++;
	played.described = registered_spaces_describe(&spaces, &looks, pid);
}

static void begin(void)
{
	const struct file_table none[] = {
		[NO_TABLE] = {.state = TABLE_IMPOSSIBLE},
		[VDSO_TABLE] = {.state = TABLE_NONE},
	};

	memset(&played, 0, sizeof(played));
	played.code = (struct registered_code){.seen = 6, .base = 0x10000};
	played.names = NAMES;
	tables = (struct file_tables){.cache_fd = -1};
	tables.interpreters.machines.found = note_found;
	tables.interpreters.machines.found_ctx = &played;
	ck_assert_int_eq(vec_append(&tables.tables, none, ARRAY_SIZE(none)), 0);
	ck_assert_int_eq(space_maps_init(&spaces, &tables), 0);
	process = (struct unwind_process){.pid = PID, .uid = 1000, .nr = 1};
	process.registered.descriptor = 0x1000;
	ck_assert_int_eq(vec_push(&spaces.processes, process), 0);
	ck_assert_int_eq(index_insert(&spaces.by_pid, hash_u64(PID), 0), 0);
	look_budget_init(&looks, NULL);
	vec_clear(&stale);
}

static void end(void)
{
	look_budget_deinit(&looks);
	space_maps_deinit(&spaces);
	file_tables_deinit(&tables);
}

/* A look that is due. Returns how many processes have another table since. */
static size_t look_now(void)
{
	spaces.registered_due_ns = spaces.processes.data[0].registered.next_ns = 0;
	spaces.processes.data[0].registered.budget_ns = 0;
	spaces.processes.data[0].is_waiting = false;
	vec_clear(&stale);
	ck_assert_int_eq(registered_spaces_look(&spaces, &looks, &stale), 0);
	return stale.nr;
}

static const struct space_registered *registered(void)
{
	return &spaces.processes.data[0].registered;
}

START_TEST(another_list_has_another_table)
{
	uint32_t first;

	ck_assert_uint_eq(look_now(), 1);
	ck_assert_uint_eq(stale.data[0], PID);
	ck_assert(spaces.processes.data[0].is_waiting);
	first = registered()->table;
	ck_assert_uint_ge(first, NR_OWN_TABLES);
	ck_assert_uint_eq(registered()->base, 0x10000);
	ck_assert_uint_eq(tables.tables.data[first].nr_users, 1);
	ck_assert_uint_eq(played.place.made_by, 0x1000);
	ck_assert_uint_eq(played.place.start, 0x10000);
	ck_assert_uint_eq(played.place.user, 1001);
	ck_assert_uint_eq(look_now(), 0);
	ck_assert_uint_eq(played.nr_tables, 1);
	ck_assert_uint_eq(played.nr_found, 1);
	played.code.seen = 8;
	ck_assert_uint_eq(look_now(), 1);
	ck_assert_uint_ne(registered()->table, first);
	ck_assert_uint_eq(tables.tables.data[first].nr_users, 0);
	ck_assert_uint_eq(played.nr_found, 2);
}
END_TEST

/* Without code there is no table. Without an answer, the table stays. */
START_TEST(nothing_is_registered)
{
	uint32_t nr;

	look_now();
	nr = registered()->table;
	played.ret = -ETIMEDOUT;
	ck_assert_uint_eq(look_now(), 0);
	ck_assert_uint_eq(registered()->table, nr);
	played.ret = -ENOTSUP;
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(look_now(), 0);
	ck_assert_uint_eq(played.nr_asked, 3);
	spaces.processes.data[0].registered.is_strange = false;
	played.ret = -ENOENT;
	ck_assert_uint_eq(look_now(), 1);
	ck_assert_uint_eq(registered()->table, NO_TABLE);
	ck_assert(registered()->is_empty);
	ck_assert_uint_eq(look_now(), 0);
	ck_assert_uint_eq(played.nr_found, 1);
	played.ret = 0;
	look_now();
	ck_assert(!registered()->is_empty);
}
END_TEST

START_TEST(looks_become_rare)
{
	uint64_t pause_ns;

	look_now();
	pause_ns = registered()->pause_ns;
	ck_assert_uint_ge(registered()->next_ns, pause_ns);
	ck_assert_uint_gt(registered()->budget_ns, 0);
	ck_assert_uint_eq(spaces.registered_due_ns,
			  max_u64(registered()->next_ns, registered()->budget_ns));
	look_now();
	ck_assert_uint_eq(registered()->pause_ns, 2 * pause_ns);
	/* Nobody looks before it is time. */
	spaces.processes.data[0].registered.next_ns = spaces.registered_due_ns = UINT64_MAX;
	ck_assert_int_eq(registered_spaces_look(&spaces, &looks, &stale), 0);
	ck_assert_uint_eq(played.nr_asked, 2);
	/* Also if it would be time for another one, but for what the last look has cost. */
	spaces.processes.data[0].registered.next_ns = spaces.registered_due_ns = 0;
	spaces.processes.data[0].registered.budget_ns = UINT64_MAX;
	ck_assert_int_eq(registered_spaces_look(&spaces, &looks, &stale), 0);
	ck_assert_uint_eq(played.nr_asked, 2);
	process.registered.descriptor = 0;
	spaces.processes.data[0] = process;
	look_now();
	ck_assert_uint_eq(played.nr_asked, 2);
}
END_TEST

/* Users have a part of the time, and keep half of it for programs that begin. */
START_TEST(no_time)
{
	/* A little is left: it takes 10 s to become half again. */
	owner_time_charge(&looks.owners, 1000, looks.owners.max_ns - NS_PER_MS,
			  clock_monotonic_ns());
	ck_assert_uint_eq(look_now(), 0);
	ck_assert_uint_eq(played.nr_asked, 0);
	ck_assert_uint_gt(registered()->budget_ns, clock_monotonic_ns());
	ck_assert_uint_eq(look_budget_haste(&looks, 1000), LOOK_LATER);
	spaces.processes.data[0].uid = 1001;
	ck_assert_uint_eq(look_now(), 1);
}
END_TEST

static int describe_now(void)
{
	spaces.processes.data[0].registered.budget_ns = 0;
	return registered_spaces_describe(&spaces, &looks, PID);
}

/* A look that finds a list asks for its names. Who asks at another time has a look of its own. */
START_TEST(names_are_looks)
{
	ck_assert_int_eq(describe_now(), -ENOENT);
	ck_assert_int_eq(registered_spaces_describe(&spaces, &looks, PID + 1), -ENOENT);
	ck_assert_uint_eq(played.nr_named, 0);
	look_now();
	ck_assert_int_eq(played.described, NAMES);
	look_now();
	ck_assert_uint_eq(played.nr_named, 1);
	spaces.processes.data[0].uid = 1001;
	ck_assert_int_eq(describe_now(), NAMES);
	ck_assert_uint_eq(played.nr_named, 2);
	ck_assert_uint_gt(registered()->budget_ns, 0);
	ck_assert_uint_eq(looks.owners.accounts.data[looks.owners.accounts.nr - 1].uid, 1001);
	spaces.processes.data[0].registered.budget_ns = UINT64_MAX;
	ck_assert_int_eq(registered_spaces_describe(&spaces, &looks, PID), -EAGAIN);
	owner_time_charge(&looks.owners, 1001, 3600 * NS_PER_S, clock_monotonic_ns());
	ck_assert_int_eq(describe_now(), -EAGAIN);
	ck_assert_uint_eq(shares_nr_lacked(&looks.left_out), 1);
	ck_assert_uint_eq(played.nr_named, 2);
}
END_TEST

/* A list without names is asked for them once, and the next one again. */
START_TEST(lists_without_names)
{
	played.names = -ENOENT;
	for (unsigned int i = 1; i < 3; i++) {
		look_now();
		ck_assert_int_eq(played.described, -ENOENT);
		ck_assert_int_eq(describe_now(), -ENOENT);
		ck_assert_uint_eq(played.nr_named, i);
		played.code.seen += 2;
	}
	/* No answer is none. */
	played.names = -ETIMEDOUT;
	look_now();
	ck_assert_int_eq(describe_now(), -ETIMEDOUT);
	ck_assert_uint_eq(played.nr_named, 4);
}
END_TEST

SUITE_MAIN_WITH("registered_spaces", begin, end, another_list_has_another_table,
		nothing_is_registered, looks_become_rare, no_time, names_are_looks,
		lists_without_names)
