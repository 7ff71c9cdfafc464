// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "tests/unit/epoch_helper.h"
#include "tests/unit/suite.h"

static const char *path_of(uint32_t object)
{
	return string_of(t.objects[object].path);
}

/* The name of the symbol that covers the frame, @back bytes before it; NULL when there is none. */
static const char *symbol_at(const struct prof_frame *frame, uint64_t back)
{
	for (uint32_t i = 0; i < t.nr_symbols; i++)
		if (t.symbols[i].object == frame->object &&
		    frame->offset - back - t.symbols[i].offset < t.symbols[i].size)
			return string_of(t.symbols[i].name);
	return NULL;
}

START_TEST(empty)
{
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 0);
	ck_assert_uint_eq(t.nr_strings, 1);
	ck_assert_uint_eq(t.nr_objects, 1);
	ck_assert_uint_eq(t.nr_processes, 1);
	ck_assert_uint_eq(t.nr_stacks, 1);
	ck_assert(!epoch_is_large(w.epoch));
	epoch_destroy(NULL);
}
END_TEST

START_TEST(addresses_come_back)
{
	static const uint64_t frames[] = {
		0x555555555123, /* app */
		0x7ffff7a00000, /* first byte of lib */
		0x7ffff7bfffff, /* last byte of lib */
		0x7ffff7c00000, /* after lib: nothing */
		0x7fffe0000040, /* JIT */
		0x7ffff7fc1a00, /* vdso */
		0xdeadbeef,     /* nothing */
		0,
		UINT64_MAX,
		0x555555554fff, /* before app: nothing */
	};

	map_file(PID_A, 10, "/bin/app", &id_app, 0x555555555000, 0x2000, 0x1000);
	map_file(PID_A, 10, "/lib/lib.so", &id_lib, 0x7ffff7a00000, 0x200000, 0x28000);
	map_file(PID_A, 10, "//anon", NULL, 0x7fffe0000000, 0x10000, 0);
	map_file(PID_A, 10, "[vdso]", NULL, 0x7ffff7fc1000, 0x2000, 0);
	add_user(PID_A, 20, frames, ARRAY_SIZE(frames));
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 1);
	ck_assert_uint_eq(t.processes[t.counts[0].process].pid, PID_A);
	ck_assert_uint_eq(t.counts[0].kernel_stack, 0);
	ck_assert_str_eq(string_of(t.counts[0].comm), "comm");
	expect_user(0, frames, ARRAY_SIZE(frames));
	/* In files, offsets are file offsets. In other memory they count from the start. */
	ck_assert_uint_eq(user_frame(0, 0)->offset, 0x1123);
	ck_assert_str_eq(path_of(user_frame(0, 0)->object), "/bin/app");
	ck_assert_mem_eq(t.objects[user_frame(0, 0)->object].build_id, id_app.bytes, 20);
	ck_assert_uint_eq(user_frame(0, 1)->offset, 0x28000);
	ck_assert_str_eq(path_of(user_frame(0, 2)->object), "/lib/lib.so");
	ck_assert_int_eq(t.objects[user_frame(0, 3)->object].kind, PROF_OBJECT_NONE);
	ck_assert_int_eq(t.objects[user_frame(0, 4)->object].kind, PROF_OBJECT_ANON);
	ck_assert_uint_eq(user_frame(0, 4)->offset, 0x40);
	ck_assert_int_eq(t.objects[user_frame(0, 5)->object].kind, PROF_OBJECT_VDSO);
	ck_assert_uint_eq(user_frame(0, 5)->offset, 0xa00);
}
END_TEST

/* Address space randomisation multiplies neither objects nor frames nor stacks. */
START_TEST(randomised_processes_share_stacks)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x555555555000, 0x2000, 0x1000);
	map_file(PID_B, 10, "/bin/app", &id_app, 0x56789abcd000, 0x2000, 0x1000);
	add_user(PID_A, 20, FRAMES(0x555555555010, 0x555555556000));
	add_user(PID_B, 20, FRAMES(0x56789abcd010, 0x56789abce000));
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_uint_eq(t.nr_objects, 2);
	ck_assert_uint_eq(t.nr_frames, 2);
	ck_assert_uint_eq(t.nr_stacks, 2);
	ck_assert_uint_eq(t.counts[0].user_stack, t.counts[1].user_stack);
	ck_assert_uint_ne(t.counts[0].process, t.counts[1].process);
	expect_stack(t.counts[0].process, 1, FRAMES(0x555555555010, 0x555555556000));
	expect_stack(t.counts[1].process, 1, FRAMES(0x56789abcd010, 0x56789abce000));
}
END_TEST

START_TEST(a_file_at_two_distances)
{
	const struct prof_object *first, *second;

	map_file(PID_A, 10, "/lib/lib.so", &id_lib, 0x10000000, 0x2000, 0x1000);
	map_file(PID_A, 10, "/lib/lib.so", &id_lib, 0x20000000, 0x2000, 0x1000);
	/* A mapping with the distance of the first is no instance of its own. */
	map_file(PID_A, 10, "/lib/lib.so", &id_lib, 0x10004000, 0x1000, 0x5000);
	add_user(PID_A, 20, FRAMES(0x10000040, 0x20000040, 0x10004040, 0x20001000, 0x10001000));
	finish_epoch();
	expect_user(0, FRAMES(0x10000040, 0x20000040, 0x10004040, 0x20001000, 0x10001000));
	ck_assert_uint_eq(t.nr_objects, 3);
	first = &t.objects[user_frame(0, 0)->object];
	second = &t.objects[user_frame(0, 1)->object];
	ck_assert_uint_eq(first->instance, 0);
	ck_assert_uint_eq(second->instance, 1);
	ck_assert_uint_eq(first->path, second->path);
	ck_assert_uint_eq(user_frame(0, 2)->object, user_frame(0, 0)->object);
	ck_assert_uint_eq(user_frame(0, 3)->object, user_frame(0, 1)->object);
	ck_assert_uint_eq(t.processes[t.counts[0].process].nr_mappings, 3);
}
END_TEST

/* Instances are numbered within each process, from 0. */
START_TEST(instances_are_per_process)
{
	map_file(PID_A, 10, "/lib/lib.so", &id_lib, 0x10000000, 0x2000, 0);
	map_file(PID_A, 10, "/lib/lib.so", &id_lib, 0x20000000, 0x2000, 0);
	map_file(PID_B, 10, "/lib/lib.so", &id_lib, 0x20000000, 0x2000, 0);
	add_user(PID_A, 20, FRAMES(0x10000040, 0x20000040));
	add_user(PID_B, 20, FRAMES(0x20000040));
	finish_epoch();
	ck_assert_uint_eq(t.nr_objects, 3);
	ck_assert_uint_eq(t.objects[user_frame(1, 0)->object].instance, 0);
	expect_user(0, FRAMES(0x10000040, 0x20000040));
	expect_user(1, FRAMES(0x20000040));
}
END_TEST

START_TEST(only_mappings_that_were_hit)
{
	for (uint64_t i = 0; i < 100; i++)
		map_file(PID_A, 10, "/lib/lib.so", &id_lib, 0x10000000 + i * 2 * PAGE, PAGE,
			 i * 2 * PAGE);
	add_user(PID_A, 20, FRAMES(0x10000000 + 50 * 2 * PAGE, 0x10000000 + 7 * 2 * PAGE));
	add_user(PID_A, 20, FRAMES(0x10000000 + 50 * 2 * PAGE + 4));
	finish_epoch();
	ck_assert_uint_eq(t.nr_mappings, 2);
	ck_assert_uint_eq(t.mappings[0].start, 0x10000000 + 7 * 2 * PAGE);
	ck_assert_uint_eq(t.mappings[1].start, 0x10000000 + 50 * 2 * PAGE);
}
END_TEST

START_TEST(deleted_files)
{
	map_file(PID_A, 10, "/bin/app (deleted)", &id_app, 0x10000, 0x2000, 0);
	add_user(PID_A, 20, FRAMES(0x10000));
	finish_epoch();
	ck_assert_uint_eq(t.objects[1].flags, PROF_OBJECT_DELETED);
	ck_assert_str_eq(path_of(1), "/bin/app");
}
END_TEST

/* A sample belongs to the image and to the mapping of its time. */
START_TEST(the_time_of_a_sample)
{
	const struct prof_process *before, *after;

	map_file(PID_A, 10, "/bin/sh", &id_app, 0x10000, 0x2000, 0);
	map_file(PID_A, 50, "/lib/lib.so", &id_lib, 0x10000, 0x1000, 0x7000);
	ck_assert_int_eq(address_spaces_exec(&w.spaces, PID_A, 100), 0);
	map_file(PID_A, 101, "/bin/cc", NULL, 0x10000, 0x2000, 0x1000);
	add_user(PID_A, 20, FRAMES(0x10040));
	add_user(PID_A, 60, FRAMES(0x10040));
	add_user(PID_A, 200, FRAMES(0x10040));
	add_user(PID_A, 99, FRAMES(0x10040)); /* equals the second sample */
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 3);
	ck_assert_uint_eq(t.counts[1].count, 2);
	ck_assert_str_eq(path_of(user_frame(0, 0)->object), "/bin/sh");
	ck_assert_str_eq(path_of(user_frame(1, 0)->object), "/lib/lib.so");
	ck_assert_uint_eq(user_frame(1, 0)->offset, 0x7040);
	ck_assert_str_eq(path_of(user_frame(2, 0)->object), "/bin/cc");
	ck_assert_uint_eq(t.counts[0].process, t.counts[1].process);
	ck_assert_uint_ne(t.counts[0].process, t.counts[2].process);
	before = &t.processes[t.counts[0].process];
	after = &t.processes[t.counts[2].process];
	ck_assert_uint_eq(before->pid, PID_A);
	ck_assert_uint_eq(after->pid, PID_A);
	ck_assert_uint_ne(before->generation, after->generation);
	ck_assert_uint_ne(before->generation, 0);
	for (uint32_t row = 0; row < 3; row++)
		expect_user(row, FRAMES(0x10040));
}
END_TEST

/* Adds @count samples of one address, taken from @first_ns to @last_ns. */
static void add_span(uint64_t addr, uint64_t count, uint64_t first_ns, uint64_t last_ns)
{
	add_sample(&(struct sample){.pid = PID_A,
				    .comm = "comm",
				    .first_ns = first_ns,
				    .time_ns = last_ns,
				    .count = count,
				    .user = &addr,
				    .nr_user = 1});
}

/* While a count was collected, its address had two meanings. */
START_TEST(counts_are_divided_at_a_change)
{
	map_file(PID_A, 10, "/lib/one.so", &id_lib, 0x10000, 0x2000, 0);
	map_file(PID_A, 400, "/lib/two.so", &id_app, 0x10000, 0x2000, 0);
	add_span(0x10040, 100, 200, 1000);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_str_eq(path_of(user_frame(0, 0)->object), "/lib/one.so");
	ck_assert_str_eq(path_of(user_frame(1, 0)->object), "/lib/two.so");
	ck_assert_uint_eq(t.counts[0].count, 25);
	ck_assert_uint_eq(t.counts[1].count, 75);
	ck_assert_uint_eq(nr_samples, 100);
}
END_TEST

/* The samples whose leaf is in @path. */
static uint64_t samples_in(const char *path)
{
	uint64_t nr = 0;

	for (uint32_t row = 0; row < t.nr_counts; row++)
		if (!strcmp(path_of(user_frame(row, 0)->object), path))
			nr += t.counts[row].count;
	return nr;
}

static void map_in_turn(uint64_t time_ns, const char *path)
{
	map_file(PID_A, time_ns, path, path[5] == 'o' ? &id_lib : &id_app, 0x10000, 0x2000, 0);
}

/* Two libraries take turns: each has a row, with a share by the time of all its turns. */
START_TEST(libraries_take_turns)
{
	for (uint64_t i = 0; i < 50; i++) {
		map_in_turn(1000 + i * 40, "/lib/one.so");
		map_in_turn(1030 + i * 40, "/lib/two.so");
	}
	add_span(0x10040, 1000, 1000, 3000);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_uint_ge(samples_in("/lib/one.so"), 748);
	ck_assert_uint_le(samples_in("/lib/one.so"), 752);
	ck_assert_uint_eq(samples_in("/lib/one.so") + samples_in("/lib/two.so"), 1000);
}
END_TEST

/* Many counts of three samples: the rounding of their middle samples favours nobody. */
START_TEST(small_counts_in_turns)
{
	map_in_turn(10, "/lib/one.so");
	map_in_turn(5000, "/lib/two.so");
	for (uint64_t i = 0; i < 1000; i++)
		add_span(0x10000 + i, 3, i * 4, 10000 - i * 4);
	finish_epoch();
	ck_assert_uint_ge(samples_in("/lib/one.so"), 1450);
	ck_assert_uint_le(samples_in("/lib/one.so"), 1550);
}
END_TEST

/* A stack of two libraries can only have been seen while both were mapped. */
START_TEST(turns_without_all_mappings)
{
	static const uint64_t frames[] = {0x10040, 0x30040};

	map_in_turn(10, "/lib/one.so");
	map_file(PID_A, 800, "/bin/app", &id_app, 0x30000, 0x2000, 0);
	map_in_turn(900, "/lib/two.so");
	add_sample(&(struct sample){.pid = PID_A,
				    .comm = "comm",
				    .first_ns = 10,
				    .time_ns = 1000,
				    .count = 102,
				    .user = frames,
				    .nr_user = 2});
	finish_epoch();
	/* The first sample has a known place, and so has the latest. */
	ck_assert_uint_ge(samples_in("/lib/one.so"), 51);
	ck_assert_uint_le(samples_in("/lib/one.so"), 53);
}
END_TEST

/* More meanings than a count is divided into: no sample gets lost. */
START_TEST(very_many_turns)
{
	for (uint64_t i = 0; i < 100; i++)
		map_file(PID_A, 10 + i, "/lib/one.so", &id_lib, 0x10000, 0x2000, i * PAGE);
	add_span(0x10040, 1000, 10, 110);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 65);
	ck_assert_uint_eq(samples_in("/lib/one.so") + samples_in("/lib/two.so"), 1000);
}
END_TEST

/* Each part has one sample at least, since the first and the last sample have known places. */
START_TEST(divided_counts_are_never_empty)
{
	map_file(PID_A, 10, "/lib/one.so", &id_lib, 0x10000, 0x2000, 0);
	map_file(PID_A, 400, "/lib/two.so", &id_app, 0x10000, 0x2000, 0);
	add_span(0x10040, 2, 399, 10000);
	add_span(0x10044, 2, 100, 400);
	add_span(0x10048, 1, 100, 400); /* a single sample is the last */
	add_span(0x1004c, 5, 400, 500);
	add_span(0x10050, 5, 100, 399);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 7);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(t.counts[i].count, 1);
		ck_assert_str_eq(path_of(user_frame(i, 0)->object),
				 i % 2 ? "/lib/two.so" : "/lib/one.so");
	}
	ck_assert_str_eq(path_of(user_frame(4, 0)->object), "/lib/two.so");
	ck_assert_str_eq(path_of(user_frame(5, 0)->object), "/lib/two.so");
	ck_assert_uint_eq(t.counts[5].count, 5);
	ck_assert_str_eq(path_of(user_frame(6, 0)->object), "/lib/one.so");
	ck_assert_uint_eq(t.counts[6].count, 5);
}
END_TEST

/* A change elsewhere in the process leaves one row. */
START_TEST(other_changes_do_not_show)
{
	map_file(PID_A, 10, "/lib/one.so", &id_lib, 0x10000, 0x2000, 0);
	map_file(PID_A, 10, "/bin/app", &id_app, 0x20000, 0x2000, 0);
	map_file(PID_A, 400, "//anon", NULL, 0x20000, 0x2000, 0);
	map_file(PID_A, 500, "/lib/one.so", &id_lib, 0x10000, 0x2000, 0); /* repeated */
	add_span(0x10040, 100, 200, 1000);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 1);
	ck_assert_uint_eq(t.counts[0].count, 100);
}
END_TEST

START_TEST(kernel_frames)
{
	static const uint64_t frames[] = {
		TEXT + 0x3010,
		TEXT + 0x2020,
		0xffffffffc0100020,
		0xffffffffc0200008,
		TEXT + 0x10,
		0xffffffffc0100004,
		0x1234,
	};
	static const char *const names[] = {"do_read",    "do_syscall", "ext_read", "bpf_prog_1",
					    "startup_64", NULL,         NULL};
	static const char *const paths[] = {"[kernel]", "[kernel]", "[ext]",   "[bpf]",
					    "[kernel]", "[ext]",    "[kernel]"};
	const struct prof_stack *stack;

	add_kernel(frames, ARRAY_SIZE(frames));
	finish_epoch();
	ck_assert_uint_eq(t.counts[0].process, 0);
	ck_assert_uint_eq(t.counts[0].user_stack, 0);
	expect_kernel(0, frames, ARRAY_SIZE(frames));
	stack = &t.stacks[t.counts[0].kernel_stack];
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
		const struct prof_frame *frame = &t.frames[t.stack_frames[stack->first_frame + i]];

		ck_assert_str_eq(path_of(frame->object), paths[i]);
		ck_assert_pstr_eq(symbol_at(frame, 0), names[i]);
	}
	/* Offsets count from _stext; those of a module count from its start. */
	ck_assert_uint_eq(t.frames[t.stack_frames[stack->first_frame]].offset, 0x2010);
	ck_assert_uint_eq(t.frames[t.stack_frames[stack->first_frame + 2]].offset, 0x20);
	ck_assert_uint_eq(t.frames[t.stack_frames[stack->first_frame + 4]].offset,
			  (uint64_t)-0xff0);
	for (uint32_t i = 1; i < t.nr_objects; i++) {
		bool is_image = t.objects[i].kind == PROF_OBJECT_KERNEL;

		ck_assert_uint_eq(t.objects[i].build_id_size, is_image ? 3 : 0);
	}
}
END_TEST

static void add_bpf_sample(const char *comm, uint64_t first_ns, uint64_t time_ns)
{
	static const uint64_t frame = 0xffffffffc0200008;

	add_sample(&(struct sample){.comm = comm,
				    .first_ns = first_ns,
				    .time_ns = time_ns,
				    .count = 2,
				    .kernel = &frame,
				    .nr_kernel = 1});
}

/* A program takes the place of another one while the epoch goes on. */
START_TEST(bpf_programs_at_one_address)
{
	static const char *const names[] = {"bpf_prog_1", "bpf_prog_2", NULL, NULL};

	add_bpf_sample("first", 10, 50);
	ck_assert_int_eq(ksyms_add_bpf(&w.ksyms, 100, 0xffffffffc0200000, 64, "bpf_prog_2"), 0);
	add_bpf_sample("second", 100, 150);
	add_bpf_sample("both", 50, 150);
	add_bpf_sample("first, late", 10, 50);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const struct prof_stack *stack = &t.stacks[t.counts[i].kernel_stack];

		ck_assert_pstr_eq(symbol_at(&t.frames[t.stack_frames[stack->first_frame]], 0),
				  names[i]);
		expect_kernel(i, FRAMES(0xffffffffc0200008));
	}
}
END_TEST

/* A call that does not return may be the last instruction of its function, the caller. */
START_TEST(symbols_of_return_addresses)
{
	add_kernel(FRAMES(TEXT + 0x4000, TEXT + 0x4000, 0xffffffffc0200000));
	finish_epoch();
	ck_assert_str_eq(symbol_at(&t.frames[0], 0), "do_exit_noreturn");
	ck_assert_str_eq(symbol_at(&t.frames[0], 1), "do_read");
	ck_assert_str_eq(symbol_at(&t.frames[1], 0), "bpf_prog_1");
}
END_TEST

/* The last symbol has no known end: it covers all frames after it, in any order. */
START_TEST(frames_of_the_last_symbol)
{
	add_kernel(FRAMES(0xffffffffc0200010));
	add_kernel(FRAMES(0xffffffffc0200400));
	add_kernel(FRAMES(0xffffffffc0200020));
	finish_epoch();
	ck_assert_uint_eq(t.nr_symbols, 1);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_pstr_eq(symbol_at(&t.frames[i], 0), "bpf_prog_1");
		ck_assert_pstr_eq(symbol_at(&t.frames[i], 1), "bpf_prog_1");
	}
}
END_TEST

START_TEST(a_kernel_that_hides_its_addresses)
{
	struct epoch_sources sources = {.spaces = &w.spaces, .ksyms = &w.ksyms};

	world_destroy();
	w = (struct world){.ksyms.restricted = true};
	ck_assert_int_eq(epoch_create(&sources, &w.epoch), 0);
	add_kernel(FRAMES(TEXT, UINT64_MAX, 0));
	finish_epoch();
	expect_kernel(0, FRAMES(TEXT, UINT64_MAX, 0));
	ck_assert_uint_eq(t.nr_symbols, 0);
}
END_TEST

static void expect_missed(enum loss loss, enum prof_stack_end end)
{
	uint64_t id = STACK_MISSED + loss;

	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	add_sample(&(struct sample){.pid = PID_A, .comm = "u", .count = 1, .user_id = id});
	add_sample(&(struct sample){.pid = PID_A, .comm = "k", .count = 1, .kernel_id = id});
	add_sample(&(struct sample){.pid = PID_A, .comm = "none", .count = 1});
	finish_epoch();
	ck_assert_int_eq(t.stacks[t.counts[0].user_stack].end, end);
	ck_assert_uint_eq(t.counts[0].kernel_stack, 0);
	ck_assert_int_eq(t.stacks[t.counts[1].kernel_stack].end, end);
	ck_assert_uint_eq(t.counts[1].user_stack, 0);
	ck_assert_uint_eq(t.counts[2].user_stack, 0);
	ck_assert_uint_eq(t.counts[2].kernel_stack, 0);
}

START_TEST(missed_stacks)
{
	expect_missed(LOSS_STORAGE_FULL, PROF_STACK_MISSED_FULL);
	expect_missed(LOSS_REFUSED, PROF_STACK_MISSED_ERROR);
	expect_missed(LOSS_WALK_FAILED, PROF_STACK_MISSED_ERROR);
}
END_TEST

START_TEST(stacks_cut_at_the_depth_limit)
{
	uint64_t frames[PROF_MAX_STACK_FRAMES];
	struct sample s = {.pid = PID_A, .comm = "deep", .time_ns = 10, .count = 1};

	for (uint64_t i = 0; i < ARRAY_SIZE(frames); i++)
		frames[i] = 0x10000 + 8 * i;
	s.user = frames;
	s.nr_user = ARRAY_SIZE(frames);
	s.end = STACK_END_CUT;
	add_sample(&s);
	add_user(PID_A, 10, frames, ARRAY_SIZE(frames) - 1);
	finish_epoch();
	ck_assert_int_eq(t.stacks[t.counts[0].user_stack].end, PROF_STACK_CUT);
	ck_assert_int_eq(t.stacks[t.counts[1].user_stack].end, PROF_STACK_UNKNOWN);
	expect_user(0, frames, ARRAY_SIZE(frames));
}
END_TEST

START_TEST(how_walks_by_tables_end)
{
	static const struct {
		enum stack_end raw;
		enum prof_stack_end want;
	} ends[] = {
		{STACK_END_FP, PROF_STACK_UNKNOWN},
		{STACK_END_ROOT, PROF_STACK_COMPLETE},
		{STACK_END_NO_TABLE, PROF_STACK_NO_TABLE},
		{STACK_END_BAD_RULE, PROF_STACK_BAD_RULE},
		{STACK_END_UNREADABLE, PROF_STACK_UNREADABLE},
		{STACK_END_EARLY, PROF_STACK_EARLY},
	};
	const uint64_t frames[] = {0x10010, 0x10020};

	ck_assert_int_eq(address_spaces_exec(&w.spaces, PID_A, 5), 0);
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x10000, 0);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct sample s = {.pid = PID_A,
				   .comm = "app",
				   .time_ns = 20,
				   .count = 1 + i,
				   .user = frames,
				   .nr_user = 2,
				   .user_id = 100 + i,
				   .end = ends[i].raw};

		add_sample(&s);
	}
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, ARRAY_SIZE(ends));
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		ck_assert_uint_eq(t.counts[i].count, 1 + i);
		ck_assert_int_eq(t.stacks[t.counts[i].user_stack].end, ends[i].want);
	}
}
END_TEST

/* A walk by tables leads to code, also where the recorder knows no mapping. */
START_TEST(walks_by_tables_do_not_stray)
{
	const uint64_t frames[] = {0x10010, 0x7ff0001234, 0x10020};
	struct sample s = {.pid = PID_A,
			   .comm = "app",
			   .time_ns = 20,
			   .count = 1,
			   .user = frames,
			   .nr_user = 3,
			   .end = STACK_END_ROOT};

	ck_assert_int_eq(address_spaces_exec(&w.spaces, PID_A, 5), 0);
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x10000, 0);
	add_sample(&s);
	finish_epoch();
	expect_user(0, frames, 3);
	ck_assert_int_eq(t.stacks[t.counts[0].user_stack].end, PROF_STACK_COMPLETE);
}
END_TEST

/* Where all mappings are known, an address outside of them ends the walk, unless it is the leaf. */
START_TEST(walks_that_stray)
{
	ck_assert_int_eq(address_spaces_exec(&w.spaces, PID_A, 5), 0);
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x10000, 0);
	add_user(PID_A, 20, FRAMES(0x10010, 0x7ff0001234, 0x10020));
	add_user(PID_A, 20, FRAMES(0x10010, 0x5678));
	add_user(PID_A, 20, FRAMES(0xdead, 0x10010));
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_uint_eq(t.counts[0].count, 2);
	expect_user(0, FRAMES(0x10010, 0));
	ck_assert_int_eq(t.stacks[t.counts[0].user_stack].end, PROF_STACK_STRAYED);
	expect_user(1, FRAMES(0xdead, 0x10010));
	ck_assert_int_eq(t.stacks[t.counts[1].user_stack].end, PROF_STACK_UNKNOWN);
	ck_assert_int_eq(epoch_reset(w.epoch), 0);

	address_spaces_distrust(&w.spaces);
	add_user(PID_A, 30, FRAMES(0x10010, 0x5678, 0x10020));
	finish_epoch();
	expect_user(0, FRAMES(0x10010, 0x5678, 0x10020));
}
END_TEST

START_TEST(equal_rows_are_one)
{
	struct sample s = {.pid = PID_A,
			   .comm = "worker",
			   .time_ns = 10,
			   .count = 3,
			   .user = (const uint64_t[]){0x10000, 0x20000},
			   .nr_user = 2,
			   .kernel = (const uint64_t[]){TEXT + 0x2000},
			   .nr_kernel = 1};

	add_sample(&s);
	s.time_ns = 20;
	s.count = 4;
	add_sample(&s);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 1);
	ck_assert_uint_eq(t.counts[0].count, 7);
	/* Any difference makes another row. */
	s.comm = "other";
	add_sample(&s);
	s.nr_user = 1;
	add_sample(&s);
	s.nr_kernel = 0;
	add_sample(&s);
	s.pid = PID_B;
	add_sample(&s);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 5);
	ck_assert_uint_eq(nr_samples, 3 + 5 * 4);
}
END_TEST

START_TEST(thread_names)
{
	add_sample(&(struct sample){.pid = PID_A, .comm = "fifteen bytes k", .count = 1});
	add_sample(&(struct sample){.pid = PID_A, .comm = "", .count = 1});
	add_sample(&(struct sample){.pid = PID_A, .comm = "\xff\n;\033[", .count = 1});
	finish_epoch();
	ck_assert_str_eq(string_of(t.counts[0].comm), "fifteen bytes k");
	ck_assert_uint_eq(t.counts[1].comm, 0);
	ck_assert_str_eq(string_of(t.counts[2].comm), "\xff\n;\033[");
}
END_TEST

/* Adds the same samples each time. */
static void fill_epoch(void)
{
	add_user(PID_A, 20, FRAMES(0x10040, 0x20040));
	add_user(PID_B, 20, FRAMES(0x30040));
	add_kernel(FRAMES(TEXT + 0x2000));
	finish_epoch();
}

START_TEST(reset)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x2000, 0);
	map_file(PID_B, 10, "/lib/lib.so", &id_lib, 0x30000, 0x2000, 0);
	/* Other samples come first, so that ids of an earlier epoch would show. */
	add_user(PID_B, 20, FRAMES(0x31000));
	add_kernel(FRAMES(TEXT + 0x3000));
	fill_epoch();
	ck_assert_uint_eq(t.nr_counts, 5);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
		ck_assert_uint_eq(epoch_nr_counts(w.epoch), 0);
		finish_epoch();
		ck_assert_uint_eq(nr_samples, 0);
		ck_assert_uint_eq(t.nr_counts + t.nr_frames + t.nr_symbols + t.nr_mappings, 0);
		fill_epoch();
		ck_assert_uint_eq(t.nr_counts, 3);
		ck_assert_uint_eq(t.nr_processes, 3);
		ck_assert_uint_eq(t.nr_objects, 4);
		ck_assert_uint_eq(t.processes[t.counts[0].process].pid, PID_A);
		expect_user(0, FRAMES(0x10040, 0x20040));
		expect_user(1, FRAMES(0x30040));
		expect_kernel(2, FRAMES(TEXT + 0x2000));
	}
}
END_TEST

/* The process ends and is forgotten before the epoch is written, and its id is used again. */
START_TEST(processes_that_are_gone)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x2000, 0);
	add_user(PID_A, 20, FRAMES(0x10040));
	address_spaces_exit(&w.spaces, PID_A, 30);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(address_spaces_forget(&w.spaces, 40, is_gone), 0);
	ck_assert_ptr_null(address_spaces_find(&w.spaces, PID_A, 40));
	ck_assert_int_eq(address_spaces_fork(&w.spaces, PID_A, PID_B, 50), 0);
	map_file(PID_A, 50, "/lib/lib.so", &id_lib, 0x10000, 0x2000, 0);
	add_user(PID_A, 60, FRAMES(0x10040));
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_uint_ne(t.processes[t.counts[0].process].generation,
			  t.processes[t.counts[1].process].generation);
	ck_assert_str_eq(path_of(user_frame(0, 0)->object), "/bin/app");
	ck_assert_str_eq(path_of(user_frame(1, 0)->object), "/lib/lib.so");
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	finish_epoch();
}
END_TEST

/* The recorder looks into /proc for a process without records, here this very process. */
START_TEST(unknown_mappings_are_looked_up)
{
	uint64_t here = (uintptr_t)&try_add_sample;
	const struct prof_frame *frame;

	add_user(getpid(), 20, FRAMES(here, 0x1));
	finish_epoch();
	frame = user_frame(0, 0);
	ck_assert_int_eq(t.objects[frame->object].kind, PROF_OBJECT_FILE);
	ck_assert_ptr_nonnull(strstr(path_of(frame->object), "test_epoch"));
	ck_assert_uint_ne(t.objects[frame->object].build_id_size, 0);
	ck_assert_int_eq(t.objects[user_frame(0, 1)->object].kind, PROF_OBJECT_NONE);
	expect_user(0, FRAMES(here, 0x1));
}
END_TEST

/* /proc shows the present image of a process, not the image before its exec. */
START_TEST(an_earlier_image_is_not_looked_up)
{
	uint64_t here = (uintptr_t)&try_add_sample;

	map_file(getpid(), 10, "/bin/sh", &id_app, 0x10000, 0x2000, 0);
	ck_assert_int_eq(address_spaces_exec(&w.spaces, getpid(), 100), 0);
	add_user(getpid(), 50, FRAMES(here));
	finish_epoch();
	ck_assert_int_eq(t.objects[user_frame(0, 0)->object].kind, PROF_OBJECT_NONE);
	expect_user(0, FRAMES(here));
}
END_TEST

/* Records count more than /proc, which shows the mappings of now. */
START_TEST(a_look_up_does_not_change_the_past)
{
	uint64_t here = (uintptr_t)&try_add_sample & ~(PAGE - 1);

	map_file(getpid(), 10, "/lib/one.so", &id_lib, here, PAGE, 0);
	map_file(getpid(), 30, "/lib/two.so", &id_app, here, PAGE, 0);
	add_user(getpid(), 15, FRAMES(0x1000)); /* looked up */
	add_user(getpid(), 20, FRAMES(here));
	add_user(getpid(), 40, FRAMES(here));
	finish_epoch();
	ck_assert_int_eq(t.objects[user_frame(0, 0)->object].kind, PROF_OBJECT_NONE);
	ck_assert_str_eq(path_of(user_frame(1, 0)->object), "/lib/one.so");
	ck_assert_str_eq(path_of(user_frame(2, 0)->object), "/lib/two.so");
}
END_TEST

SUITE_MAIN_WITH("epoch", world_create, world_destroy, empty, addresses_come_back,
		randomised_processes_share_stacks, a_file_at_two_distances,
		instances_are_per_process, only_mappings_that_were_hit, deleted_files,
		the_time_of_a_sample, kernel_frames, bpf_programs_at_one_address,
		symbols_of_return_addresses, frames_of_the_last_symbol,
		a_kernel_that_hides_its_addresses, missed_stacks, stacks_cut_at_the_depth_limit,
		how_walks_by_tables_end, walks_by_tables_do_not_stray, walks_that_stray,
		equal_rows_are_one, thread_names, reset, processes_that_are_gone,
		unknown_mappings_are_looked_up, an_earlier_image_is_not_looked_up,
		a_look_up_does_not_change_the_past, counts_are_divided_at_a_change,
		divided_counts_are_never_empty, libraries_take_turns,
		divided_counts_are_never_empty, small_counts_in_turns,
		divided_counts_are_never_empty, turns_without_all_mappings,
		divided_counts_are_never_empty, very_many_turns, divided_counts_are_never_empty,
		other_changes_do_not_show)
