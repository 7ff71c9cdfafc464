// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What programs hear of the interpreters, machines and contexts of processes (space_maps.c,
 * space_contexts.c). Looks at them, and the clock, are the test's (--wrap).
 */
#include "record/unwind/space_contexts.h"

#include <malloc.h>

#include "record/unwind/space_maps.h"
#include "tests/unit/kernel_maps.h"
#include "tests/unit/played_clock.h"
#include "tests/unit/suite.h"

#define PID_A    5000001u
#define PID_B    5000002u
#define UID      1000
#define PAGE     UINT64_C(0x1000)
#define START_A  UINT64_C(0x10000)
#define START_B  UINT64_C(0x20000)
#define PGOFF    UINT64_C(0x4000)
#define BASE     (START_A - PGOFF)
#define BEGIN_NS (1000 * NS_PER_S)

static struct space_maps u;
static struct file_tables tables;
static struct vdso vdso;
static struct mapped_files files;

/* The next looks find this, and the last one was at this owner. */
static enum unwind_machine found_machine;
static struct machine_owner looked_at;
static uint32_t nr_looks, nr_late_looks, nr_removed;
static uint32_t sampled_interpreter;
static uint64_t nr_sampled;

static int context_result;
static struct thread_context found_context;
static uint32_t nr_context_looks;
static bool is_gone;

bool __wrap_process_machine_look(struct process_machine *m, struct machines *machines,
				 const struct machine_owner *owner);
void __wrap_process_machine_look_again(struct process_machine *m, struct machines *machines,
				       const struct machine_owner *owner);
void __wrap_machines_remove(struct machines *m, uint32_t pid);
void __wrap_interpreter_maps_sampled(struct interpreter_maps *maps, uint32_t interpreter,
				     uint64_t nr);
int __wrap_thread_context_find(struct looker *looker, uint32_t pid, const struct label_keys *keys,
			       struct seen_context *seen, struct thread_context *found);
bool __wrap_proc_is_gone(uint32_t pid);

bool __wrap_process_machine_look(struct process_machine *m, struct machines *machines,
				 const struct machine_owner *owner)
{
	(void)machines;
	nr_looks++;
	looked_at = *owner;
	m->state = found_machine;
	return found_machine == UNWIND_MACHINE_EXPECTED;
}

void __wrap_process_machine_look_again(struct process_machine *m, struct machines *machines,
				       const struct machine_owner *owner)
{
	(void)machines;
	nr_late_looks++;
	looked_at = *owner;
	m->state = found_machine;
}

void __wrap_machines_remove(struct machines *m, uint32_t pid)
{
	(void)m, (void)pid;
	nr_removed++;
}

void __wrap_interpreter_maps_sampled(struct interpreter_maps *maps, uint32_t interpreter,
				     uint64_t nr)
{
	(void)maps;
	sampled_interpreter = interpreter;
	nr_sampled += nr;
}

int __wrap_thread_context_find(struct looker *looker, uint32_t pid, const struct label_keys *keys,
			       struct seen_context *seen, struct thread_context *found)
{
	(void)looker, (void)pid, (void)keys, (void)seen;
	nr_context_looks++;
	if (!context_result)
		*found = found_context;
	return context_result;
}

bool __wrap_proc_is_gone(uint32_t pid)
{
	(void)pid;
	return is_gone;
}

static void begin(void)
{
	const struct file_table none[] = {
		[NO_TABLE] = {.state = TABLE_IMPOSSIBLE},
		[VDSO_TABLE] = {.state = TABLE_NONE},
	};
	const struct interpreter_of_file interpreters[] = {
		{.number = 7, .is_walked = true, .found.interpreter.language = LANGUAGE_NONE},
		{.number = 9, .is_walked = true, .found.interpreter.language = LANGUAGE_JAVA},
	};

	now_ns = BEGIN_NS;
	tables = (struct file_tables){.cache_fd = -1, .vdso = &vdso};
	ck_assert_int_eq(space_maps_init(&u, &tables), 0);
	ck_assert_int_eq(table_maps_init(&tables.store), 0);
	tables.store.maps = (struct unwind_maps){
		.spaces = MAP_SPACES, .mappings = MAP_MAPPINGS, .thread_contexts = MAP_CONTEXTS};
	ck_assert_int_eq(vec_append(&tables.tables, none, ARRAY_SIZE(none)), 0);
	ck_assert_int_eq(
		vec_append(&tables.interpreters.files, interpreters, ARRAY_SIZE(interpreters)), 0);
}

static void end(void)
{
	space_maps_deinit(&u);
	file_tables_deinit(&tables);
	mapped_files_deinit(&files);
}

static void add(mapping_vec *mappings, const char *path, uint64_t start, uint64_t pgoff)
{
	const struct build_id id = {.size = 1, .bytes = {(uint8_t)path[1]}};
	const struct mapped_file_key key = {.path = path, .build_id = &id};
	struct mapping mapping = {.start = start, .end = start + PAGE, .pgoff = pgoff};

	ck_assert_int_eq(mapped_files_get(&files, &key, &mapping.file), 0);
	ck_assert_int_eq(mappings_append(mappings, &mapping), 0);
}

/* The process maps /a and /b. */
static struct unwind_process *put(uint32_t pid, uint64_t space_id)
{
	const struct space_owner owner = {.pid = pid, .uid = UID, .space_id = space_id};
	mapping_vec mappings = {0};

	add(&mappings, "/a", START_A, PGOFF);
	add(&mappings, "/b", START_B, 0);
	ck_assert_int_eq(space_maps_put(&u, &owner, &mappings, &files), 0);
	vec_free(&mappings);
	return space_maps_find(&u, pid);
}

/* The table of /a, or of /b. */
static struct file_table *table_of(size_t i)
{
	return &tables.tables.data[u.list_tables.data[i]];
}

static void change(size_t i)
{
	space_maps_table_changed(&u, u.list_tables.data[i]);
}

/* The program's entry of the process. */
#define SPACE(pid) kernel_space(pid)

START_TEST(an_interpreter_that_turns_up)
{
	put(PID_A, 1);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter, 0);
	nr_looks = 0;
	table_of(0)->interpreter = 2;
	table_of(0)->state = TABLE_READY;
	table_of(0)->first_off = PAGE;
	found_machine = UNWIND_MACHINE_READY;
	change(0);
	ck_assert_uint_eq(nr_looks, 1);
	ck_assert_uint_eq(looked_at.pid, PID_A);
	ck_assert_uint_eq(looked_at.uid, UID);
	ck_assert_uint_eq(looked_at.base, BASE);
	ck_assert_uint_eq(looked_at.use, 1);
	ck_assert_ptr_eq(looked_at.interpreter,
			 &tables.interpreters.files.data[1].found.interpreter);
	ck_assert_ptr_eq(looked_at.notes, &tables.interpreters.files.data[1].machines);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter, 9);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter_base, BASE);
	ck_assert_int_eq(SPACE(PID_A)->machine, UNWIND_MACHINE_READY);
	/* One that has no functions does not take its place. */
	table_of(1)->interpreter = 1;
	change(1);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter, 9);
	ck_assert_uint_eq(nr_looks, 1);
	/* A process that comes later has the better one, too. */
	put(PID_B, 1);
	ck_assert_uint_eq(SPACE(PID_B)->interpreter, 9);
	ck_assert_uint_eq(SPACE(PID_B)->interpreter_base, BASE);
	ck_assert_uint_eq(nr_looks, 2);
}
END_TEST

/* Without a table, the bias of the mapping is its own. */
START_TEST(an_interpreter_without_a_table)
{
	put(PID_A, 1);
	table_of(1)->interpreter = 1;
	table_of(1)->first_off = PAGE;
	table_of(1)->state = TABLE_IMPOSSIBLE;
	change(1);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter, 7);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter_base, START_B);
	/* It gets another number, as those of others do. */
	tables.interpreters.files.data[0].number = 5;
	space_maps_interpreter_renumbered(&u, 2);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter, 7);
	space_maps_interpreter_renumbered(&u, 1);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter, 5);
	/* Another address space has come into the entry meanwhile. */
	tables.interpreters.files.data[0].number = 6;
	kernel_spaces[0].space.first++;
	space_maps_interpreter_renumbered(&u, 1);
	kernel_spaces[0].space.first--;
	kernel_spaces[0].space.nr++;
	space_maps_interpreter_renumbered(&u, 1);
	ck_assert_uint_eq(SPACE(PID_A)->interpreter, 5);
}
END_TEST

/* Of several files of PCRE2 the first counts, whenever it is known to be one. */
START_TEST(regular_expressions)
{
	put(PID_A, 1);
	table_of(1)->has_regex = true;
	change(1);
	ck_assert_uint_eq(SPACE(PID_A)->regex_start, START_B);
	ck_assert_uint_eq(SPACE(PID_A)->regex_bytes, PAGE);
	table_of(0)->has_regex = true;
	change(0);
	ck_assert_uint_eq(SPACE(PID_A)->regex_start, START_B);
	put(PID_B, 1);
	ck_assert_uint_eq(SPACE(PID_B)->regex_start, START_A);
	ck_assert_uint_eq(SPACE(PID_B)->regex_bytes, PAGE);
}
END_TEST

/* Machines that are expected are looked for again, until they are there or given up. */
START_TEST(machines_that_are_expected)
{
	static const enum unwind_machine ends[] = {UNWIND_MACHINE_READY, UNWIND_NO_MACHINE};

	for (uint32_t i = 0; i < ARRAY_SIZE(ends); i++) {
		found_machine = UNWIND_MACHINE_EXPECTED;
		put(PID_A + i, 1);
		ck_assert_uint_eq(u.expecting.nr, 1);
		ck_assert_int_eq(SPACE(PID_A + i)->machine, UNWIND_MACHINE_EXPECTED);
		nr_late_looks = 0;
		for (uint32_t k = 0; k < 2; k++)
			space_maps_look_for_machines(&u);
		ck_assert_uint_eq(nr_late_looks, 2);
		ck_assert_uint_eq(looked_at.pid, PID_A + i);
		ck_assert_uint_eq(u.expecting.nr, 1);
		found_machine = ends[i];
		space_maps_look_for_machines(&u);
		ck_assert_int_eq(SPACE(PID_A + i)->machine, ends[i]);
		ck_assert_int_eq(space_maps_machine(&u, PID_A + i, 1), ends[i]);
		ck_assert_uint_eq(u.expecting.nr, 0);
		space_maps_look_for_machines(&u);
		ck_assert_uint_eq(nr_late_looks, 3);
	}
	ck_assert_int_eq(space_maps_machine(&u, PID_A, 2), UNWIND_NO_MACHINE);
	ck_assert_int_eq(space_maps_machine(&u, PID_A + 9, 1), UNWIND_NO_MACHINE);
	/* Its process is removed. */
	found_machine = UNWIND_MACHINE_EXPECTED;
	put(PID_A + 5, 1);
	space_maps_remove(&u, PID_A + 5);
	space_maps_look_for_machines(&u);
	ck_assert_uint_eq(nr_late_looks, 3);
	ck_assert_uint_eq(u.expecting.nr, 0);
}
END_TEST

/* A new address space has no machine yet. Other mappings of the same one leave it. */
START_TEST(machines_of_new_programs)
{
	put(PID_A, 1);
	nr_removed = 0;
	u.mappings[space_maps_find(&u, PID_A)->first].end--; /* they are other ones now */
	put(PID_A, 1);
	ck_assert_uint_eq(nr_removed, 0);
	put(PID_A, 2);
	ck_assert_uint_eq(nr_removed, 1);
	/* The same as before: it is looked for, as a machine that has been given up may begin. */
	nr_looks = 0;
	put(PID_A, 2);
	ck_assert_uint_eq(nr_looks, 1);
	ck_assert_uint_eq(nr_removed, 1);
	/* The interpreter is found to be another one, or elsewhere. */
	table_of(1)->interpreter = 1;
	u.mappings[space_maps_find(&u, PID_A)->first].end--;
	put(PID_A, 2);
	ck_assert_uint_eq(nr_removed, 2);
	space_maps_find(&u, PID_A)->interpreter_base++;
	u.mappings[space_maps_find(&u, PID_A)->first].end--;
	put(PID_A, 2);
	ck_assert_uint_eq(nr_removed, 3);
}
END_TEST

/* A machine without room is tried again with the samples of its process. */
START_TEST(machines_that_lack_room)
{
	struct unwind_process *p;

	put(PID_A, 1);
	table_of(0)->interpreter = 2;
	found_machine = UNWIND_MACHINE_READY;
	change(0);
	p = space_maps_find(&u, PID_A);
	space_maps_sampled(&u, PID_A, 5);
	ck_assert_uint_eq(sampled_interpreter, 2);
	ck_assert_uint_eq(nr_sampled, 5);
	ck_assert_uint_eq(nr_late_looks, 0);
	nr_removed = 0;
	space_maps_machine_lost(&u, looked_at.item);
	ck_assert_uint_eq(nr_removed, 1);
	ck_assert_int_eq(SPACE(PID_A)->machine, UNWIND_NO_MACHINE);
	ck_assert(p->machine.lacks_room);
	found_machine = UNWIND_NO_MACHINE;
	kernel_spaces[0].space.machine = 99;
	space_maps_sampled(&u, PID_A, 1);
	ck_assert_uint_eq(nr_late_looks, 1);
	ck_assert_uint_ge(looked_at.use, 5);
	ck_assert_int_eq(SPACE(PID_A)->machine, 99);
	found_machine = UNWIND_MACHINE_EXPECTED;
	space_maps_sampled(&u, PID_A, 1);
	ck_assert_int_eq(SPACE(PID_A)->machine, UNWIND_MACHINE_EXPECTED);
	ck_assert_uint_eq(u.expecting.nr, 1);
	found_machine = UNWIND_MACHINE_READY;
	space_maps_sampled(&u, PID_A, 1);
	ck_assert_int_eq(SPACE(PID_A)->machine, UNWIND_MACHINE_READY);
	ck_assert_uint_eq(u.expecting.nr, 1);
	/* Without an interpreter there is none. */
	p->interpreter = 0;
	space_maps_sampled(&u, PID_A, 1);
	space_maps_sampled(&u, PID_B, 1);
	ck_assert_uint_eq(nr_late_looks, 3);
}
END_TEST

/* Labels are wanted, of keys that nobody looks at. */
static void want_labels(void)
{
	static char something;

	u.label_keys = (const struct label_keys *)&something;
}

/* Looks for contexts at @ns after the beginning. Says whether one was looked for. */
static bool looks_at(uint64_t ns)
{
	uint32_t before = nr_context_looks;

	now_ns = BEGIN_NS + ns;
	space_contexts_look(&u);
	return nr_context_looks != before;
}

/* A context is looked for when the program has had time to make it. Then it is kept up to date. */
START_TEST(contexts_of_threads)
{
	put(PID_A, 1);
	ck_assert(!looks_at(NS_PER_S));
	want_labels();
	now_ns = BEGIN_NS;
	put(PID_B, 1);
	/* A look that finds nothing to do is not repeated within a millisecond. */
	ck_assert(!looks_at(CONTEXT_PAUSE_NS - NS_PER_MS));
	found_context.offset = 4711;
	ck_assert(looks_at(CONTEXT_PAUSE_NS));
	ck_assert_uint_eq(kernel_context_pid, PID_B);
	ck_assert_int_eq(kernel_context.offset, 4711);
	ck_assert(SPACE(PID_B)->has_context);
	ck_assert_uint_eq(u.nr_contexts, 1);
	/* What the program has counted stays. */
	memset(kernel_context.labels, 0x5a, sizeof(kernel_context.labels));
	found_context.offset = 4712;
	ck_assert(!looks_at(CONTEXT_PAUSE_NS + 750 * NS_PER_MS - 1));
	ck_assert(looks_at(CONTEXT_PAUSE_NS + 750 * NS_PER_MS));
	ck_assert_int_eq(kernel_context.offset, 4712);
	ck_assert_int_eq(((uint8_t *)kernel_context.labels)[3], 0x5a);
	ck_assert_uint_eq(u.nr_contexts, 1);
	/* Nothing has changed since. */
	context_result = -EALREADY;
	ck_assert(looks_at(2 * NS_PER_S));
	ck_assert(SPACE(PID_B)->has_context);
	context_result = -ENOENT;
	ck_assert(looks_at(3 * NS_PER_S));
	ck_assert(!SPACE(PID_B)->has_context);
	ck_assert_uint_eq(kernel_context_pid, 0);
	ck_assert_uint_eq(u.nr_contexts, 0);
}
END_TEST

/* Where there is none, the pauses double. What tells of the process shortens them. */
START_TEST(processes_without_a_context)
{
	const uint64_t pause_ns = CONTEXT_PAUSE_NS;
	uint64_t at_ns = pause_ns;

	want_labels();
	put(PID_A, 1);
	context_result = -ENOENT;
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert(looks_at(at_ns));
		at_ns += pause_ns << i;
		ck_assert(!looks_at(at_ns - 1));
	}
	space_maps_expect_context(&u, PID_A);
	ck_assert(looks_at(at_ns));
	now_ns = BEGIN_NS + at_ns;
	ck_assert(!looks_at(at_ns + pause_ns - 1));
	is_gone = true;
	ck_assert(!looks_at(at_ns + 3600 * NS_PER_S));
	ck_assert(!looks_at(at_ns + 7200 * NS_PER_S));
	ck_assert_uint_eq(space_maps_find(&u, PID_A)->context.next_ns, 0);
	/* Of a process from before the recording, it is there at once. */
	is_gone = false;
	now_ns = BEGIN_NS;
	put(PID_B, 0);
	u.contexts_due_ns = 0;
	ck_assert(looks_at(0));
}
END_TEST

/* A new program in the process has no context. */
START_TEST(contexts_of_new_programs)
{
	want_labels();
	put(PID_A, 1);
	ck_assert(looks_at(CONTEXT_PAUSE_NS));
	ck_assert_uint_eq(kernel_context_pid, PID_A);
	put(PID_A, 2);
	ck_assert(!SPACE(PID_A)->has_context);
	ck_assert_uint_eq(kernel_context_pid, 0);
	ck_assert(looks_at(2 * CONTEXT_PAUSE_NS));
	ck_assert(SPACE(PID_A)->has_context);
	space_maps_remove(&u, PID_A);
	ck_assert_uint_eq(kernel_context_pid, 0);
	ck_assert_uint_eq(u.nr_contexts, 0);
}
END_TEST

/* After some turns, there is as much memory as before. */
START_TEST(what_is_given_back)
{
	size_t bytes[12];

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		found_machine = UNWIND_MACHINE_EXPECTED;
		put(PID_A, 1);
		put(PID_B, 1);
		put(PID_A, 2);
		space_maps_remove(&u, PID_A);
		ck_assert_int_eq(vec_push(&u.outlived, PID_B), 0);
		end();
		files = (struct mapped_files){0};
		bytes[i] = mallinfo2().uordblks;
		begin();
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
}
END_TEST

SUITE_MAIN_WITH("space_machines", begin, end, an_interpreter_that_turns_up,
		an_interpreter_without_a_table, regular_expressions, machines_that_are_expected,
		machines_of_new_programs, machines_that_lack_room, contexts_of_threads,
		processes_without_a_context, contexts_of_new_programs, what_is_given_back)
