// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs as the recorder itself runs them, with samples of the test's own. So each sample is
 * known, and each must be counted or said to be lost.
 */
#include "record/sampling/bpf/sampler.h"

#include <string.h>

#include "common/clock.h"
#include "common/vec.h"
#include "record/sampling/program/program.h"
#include "record/sampling/ptrace/thread_debts.h"
#include "record/host/cpus.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has these ids. */
#define PID_A 5000001
#define PID_B 5000002

#define CODE  0x400000
#define STACK 0x7fff0000

static struct sampler *sampler;
static struct filters filters;
static u32_vec cpus;
static struct err err;

/* What drains handed out. */
static struct {
	uint64_t nr_rows, sum, sum_of_b, nr_stacks, last_nr, last_frames[64];
	char last_name[COMM_SIZE];
	uint32_t last_tid;
	uint64_t first_ns, last_ns, nr_changes;
	struct slice_change changes[8]; /* of the last row */
} drained;

/* Samples are of @pids, or of all if it is NULL. */
static void create_as(struct sampler_options options, const u32_vec *pids)
{
	static const u32_vec none;
	const struct filter_options chosen = {
		.pids = pids ? pids : &none, .tids = &none, .uid = FILTERS_ANY_UID};
	const struct events events = {.nr = 0};

	options.is_own = true;
	options.filters = &filters;
	options.cpus = &cpus;
	options.events = &events;
	options.nr_events = 1;
	options.hit_period = 1;
	options.depth = (struct stack_depth){.most = 64, .of_helper = 64};

	ck_assert_msg(!cpus_possible(&cpus, &err), "%s", err.text);
	ck_assert_msg(!filters_open(&filters, &chosen, &err), "%s", err.text);
	ck_assert_msg(!sampler_create(&options, &sampler, &err), "%s", err.text);
}

/* As create_as. Both sets together have room for @stacks and @counts. */
static void create(uint64_t stacks, uint64_t counts, const u32_vec *pids)
{
	const struct sampler_options options = {.sample_weight = 1,
						.stack_storage = stacks,
						.hash_storage = counts,
						.no_slices = true};

	create_as(options, pids);
}

static void end(void)
{
	sampler_destroy(sampler);
	filters_close(&filters);
	vec_free(&cpus);
}

#define PROCESS(id, user)                                                                          \
	{                                                                                          \
		.pid = (id), .uid = (user), .has_uid = true, .exec_pages = 16, .start_code = CODE, \
		.end_code = CODE + 0x10000, .start_stack = STACK + 0x1000                          \
	}

/* Options with room for all samples of a test. */
#define ROOM .sample_weight = 1, .stack_storage = 1024, .hash_storage = 1024

static const struct program_process process_a = PROCESS(PID_A, 1000);
static const struct program_process process_b = PROCESS(PID_B, 1001);

static uint64_t now_ns; /* of the next samples */
static uint32_t tid;    /* as well; 0: the main thread */

/*
 * Takes a sample that was at @place in user space, below two callers that the frame pointers tell,
 * or in these functions of the kernel.
 */
static void take(const struct program_process *process, uint64_t place, const uint64_t *kernel,
		 size_t nr_kernel)
{
	/* From the stack pointer on: the caller's frame pointer, and the return address. */
	static const uint64_t stack[1024] = {STACK + 16, CODE + 0x200, 0, CODE + 0x300};
	struct program_sample sample = {
		.process = process,
		.tid = tid ? tid : process->pid,
		.comm = "sampled",
		.time_ns = now_ns,
		.regs = {.rip = CODE + place, .rsp = STACK, .rbp = STACK, .cs = 0x33},
		.memory = {.begin = STACK,
			   .nr = sizeof(stack),
			   .copy = (const char *)stack,
			   .is_whole = true},
		.kernel_frames = kernel,
		.nr_kernel_frames = nr_kernel,
	};
	struct program_wants wants;

	program_take_sample(&sample, &wants);
}

static int see_stack(void *ctx, const struct stack_entry *stack)
{
	(void)ctx;
	drained.nr_stacks++;
	drained.last_nr = stack->nr_frames;
	memcpy(drained.last_frames, stack->frames, stack->nr_frames * sizeof(stack->frames[0]));
	return 0;
}

static int see_count(void *ctx, const struct sampled_count *count)
{
	(void)ctx;
	drained.nr_rows++;
	drained.sum += count->value->count;
	drained.sum_of_b += count->key->tgid == PID_B ? count->value->count : 0;
	memcpy(drained.last_name, count->key->comm, sizeof(count->key->comm));
	drained.last_tid = count->key->tid;
	drained.first_ns = count->value->first_ns;
	drained.last_ns = count->value->last_ns;
	drained.nr_changes = count->nr_changes;
	ck_assert_uint_le(count->nr_changes, ARRAY_SIZE(drained.changes));
	for (uint32_t i = 0; i < count->nr_changes; i++)
		drained.changes[i] = count->changes[i];
	return 0;
}

/* Drains the active set. Returns what it and those before had together. */
static struct totals drain(void)
{
	static const struct sampler_sink sink = {.stack = see_stack, .count = see_count};
	uint64_t *of_cpus = calloc(cpus.nr, sizeof(*of_cpus)), sum = 0;
	struct totals totals;
	struct swap swap;

	memset(&drained, 0, sizeof(drained));
	ck_assert_int_eq(sampler_swap(sampler, &swap, &err), 0);
	ck_assert_msg(!sampler_drain(sampler, &sink, &err), "%s", err.text);
	sampler_take_totals(sampler, &totals, &cpus, of_cpus);
	for (size_t i = 0; i < cpus.nr; i++)
		sum += of_cpus[i];
	/* No sample is lost without being counted. */
	ck_assert_uint_eq(totals.taken, sum);
	ck_assert_uint_eq(totals.counted, drained.sum);
	ck_assert_uint_eq(totals.taken, totals.counted + totals.lost[LOSS_STORAGE_FULL] +
						totals.lost[LOSS_REFUSED] +
						totals.lost[LOSS_WALK_FAILED]);
	free(of_cpus);
	return totals;
}

static uint64_t taken(void)
{
	uint64_t nr;

	ck_assert_int_eq(sampler_taken(sampler, &nr, &err), 0);
	return nr;
}

START_TEST(samples_are_counted_by_stack)
{
	struct totals totals;

	create(1024, 1024, NULL);
	for (int i = 0; i < 3; i++)
		take(&process_a, 0x100, NULL, 0);
	take(&process_a, 0x110, NULL, 0);
	take(&process_b, 0x100, NULL, 0);
	totals = drain();
	ck_assert_uint_eq(totals.taken, 5);
	ck_assert_uint_eq(totals.counted, 5);
	ck_assert_uint_eq(drained.nr_rows, 3);
	ck_assert_uint_eq(drained.sum_of_b, 1);
	ck_assert_str_eq(drained.last_name, "sampled");
}
END_TEST

START_TEST(a_stack_by_frame_pointers)
{
	create(1024, 1024, NULL);
	take(&process_a, 0x100, NULL, 0);
	drain();
	ck_assert_uint_eq(drained.nr_stacks, 1);
	ck_assert_uint_eq(drained.last_nr, 3);
	ck_assert_uint_eq(drained.last_frames[0], CODE + 0x100);
	ck_assert_uint_eq(drained.last_frames[1], CODE + 0x200);
	ck_assert_uint_eq(drained.last_frames[2], CODE + 0x300);
}
END_TEST

/* A sample in the kernel has a stack of each. */
START_TEST(stacks_of_the_kernel)
{
	const uint64_t kernel[] = {0xffffffff81000010, 0xffffffff81000020};

	create(1024, 1024, NULL);
	take(&process_a, 0x100, kernel, ARRAY_SIZE(kernel));
	take(&process_a, 0x100, NULL, 0);
	drain();
	ck_assert_uint_eq(drained.nr_rows, 2);
	ck_assert_uint_eq(drained.nr_stacks, 2);
}
END_TEST

/* What the recorder shows while it records: both sets, and those that were drained. */
START_TEST(the_number_so_far)
{
	create(1024, 1024, NULL);
	ck_assert_uint_eq(taken(), 0);
	take(&process_a, 0x100, NULL, 0);
	take(&process_a, 0x110, NULL, 0);
	ck_assert_uint_eq(taken(), 2);
	drain();
	ck_assert_uint_eq(taken(), 2);
	take(&process_a, 0x100, NULL, 0);
	ck_assert_uint_eq(taken(), 3);
	ck_assert_uint_eq(drain().taken, 1);
	ck_assert_uint_eq(drained.nr_rows, 1);
	ck_assert_uint_eq(drain().taken, 0);
	ck_assert_uint_eq(taken(), 3);
}
END_TEST

static void take_100_places(void)
{
	for (uint64_t i = 0; i < 100; i++)
		take(i % 2 ? &process_a : &process_b, 16 * i, NULL, 0);
}

START_TEST(no_room_for_counts)
{
	struct totals totals;

	create(1024, 8, NULL);
	take_100_places();
	totals = drain();
	ck_assert_uint_eq(totals.taken, 100);
	ck_assert_uint_eq(totals.counted, drained.nr_rows);
	ck_assert_uint_lt(totals.counted, 100);
	ck_assert_uint_eq(totals.lost[LOSS_STORAGE_FULL], 100 - totals.counted);
	/* The next set has its room again. */
	take(&process_a, 0x100, NULL, 0);
	ck_assert_uint_eq(drain().counted, 1);
}
END_TEST

/* The samples of stacks without room are counted all the same. */
START_TEST(no_room_for_stacks)
{
	struct totals totals;

	create(8, 1024, NULL);
	take_100_places();
	totals = drain();
	ck_assert_uint_eq(totals.counted, 100);
	ck_assert_uint_gt(totals.missed_user[LOSS_STORAGE_FULL], 0);
	ck_assert_uint_eq(totals.missed_user[LOSS_STORAGE_FULL], 100 - drained.nr_stacks);
	ck_assert_uint_eq(totals.missed_kernel[LOSS_STORAGE_FULL], 0);
	take(&process_a, 0x100, NULL, 0);
	totals = drain();
	ck_assert_uint_eq(totals.missed_user[LOSS_STORAGE_FULL], 0);
	ck_assert_uint_eq(drained.nr_stacks, 1);
}
END_TEST

START_TEST(samples_that_could_not_be_taken)
{
	struct totals totals;

	create(1024, 1024, NULL);
	take(&process_a, 0x100, NULL, 0);
	program_lose_samples(0, 7);
	totals = drain();
	ck_assert_uint_eq(totals.taken, 8);
	ck_assert_uint_eq(totals.counted, 1);
	ck_assert_uint_eq(totals.lost[LOSS_REFUSED], 7);
}
END_TEST

/* Four periods of a thread and a tenth of a second are patience enough: all but one are lost. */
START_TEST(periods_that_a_thread_owes)
{
	const struct thread_debts debts = {.period_ns = 50 * NS_PER_MS};
	const struct thread_debts short_ones = {.period_ns = 1000};
	uint64_t owed = 4 * debts.period_ns - 1;

	create(1024, 1024, NULL);
	thread_debts_limit(&debts, 0, &owed); /* long, but few periods */
	ck_assert_uint_eq(owed, 4 * debts.period_ns - 1);
	owed = 1000 * short_ones.period_ns;
	thread_debts_limit(&short_ones, 0, &owed); /* many periods, but a millisecond */
	ck_assert_uint_eq(owed, 1000 * short_ones.period_ns);
	ck_assert_uint_eq(drain().taken, 0);
	owed = 5 * debts.period_ns + 7;
	thread_debts_limit(&debts, 0, &owed);
	ck_assert_uint_eq(owed, debts.period_ns + 7);
	ck_assert_uint_eq(drain().lost[LOSS_REFUSED], 4);
}
END_TEST

static struct totals take_idle(bool included)
{
	static const struct program_process idle;

	create_as((struct sampler_options){ROOM, .no_slices = true, .include_idle = included},
		  NULL);
	take(&idle, 0x100, NULL, 0);
	take(&process_a, 0x100, NULL, 0);
	return drain();
}

START_TEST(idle_tasks)
{
	struct totals totals = take_idle(false);

	ck_assert_uint_eq(totals.taken, 1);
	ck_assert_uint_eq(totals.idle, 1);
}
END_TEST

START_TEST(idle_tasks_that_are_wanted)
{
	struct totals totals = take_idle(true);

	ck_assert_uint_eq(totals.taken, 2);
	ck_assert_uint_eq(totals.idle, 0);
}
END_TEST

/* Counts know their slices of time, however the samples come. */
START_TEST(slices_of_time)
{
	static const uint64_t times_ns[] = {5000, 5099, 5150, 5350, 5351};
	create_as((struct sampler_options){ROOM, .slice_ns = 100}, NULL);
	sampler_begin_slices(sampler, 5000);
	for (size_t i = 0; i < ARRAY_SIZE(times_ns); i++) {
		now_ns = times_ns[i];
		take(&process_a, 0x100, NULL, 0);
	}
	drain();
	ck_assert_uint_eq(drained.nr_rows, 1);
	ck_assert_uint_eq(drained.sum, 5);
	ck_assert_uint_eq(drained.first_ns, 5000);
	ck_assert_uint_eq(drained.last_ns, 5351);
	ck_assert_uint_eq(drained.nr_changes, 2);
	ck_assert_uint_eq(drained.changes[0].slice, 1);
	ck_assert_uint_eq(drained.changes[0].count, 2);
	ck_assert_uint_eq(drained.changes[1].slice, 3);
	ck_assert_uint_eq(drained.changes[1].count, 3);
}
END_TEST

/* However late the recorder stops, samples from the end on do not exist. */
START_TEST(samples_after_the_end)
{
	struct totals totals;

	create_as((struct sampler_options){ROOM, .no_slices = true}, NULL);
	sampler_end_at(sampler, 5100);
	for (now_ns = 5098; now_ns <= 5102; now_ns++)
		take(&process_a, 0x100, NULL, 0);
	totals = drain();
	ck_assert_uint_eq(drained.sum, 2);
	ck_assert_uint_eq(totals.taken, 2);
}
END_TEST

START_TEST(threads_by_their_ids)
{
	create_as((struct sampler_options){ROOM, .no_slices = true, .keep_tids = true}, NULL);
	for (tid = PID_A; tid < PID_A + 3; tid++)
		take(&process_a, 0x100, NULL, 0);
	drain();
	ck_assert_uint_eq(drained.nr_rows, 3);
	ck_assert_uint_ge(drained.last_tid, PID_A);
	ck_assert_uint_lt(drained.last_tid, PID_A + 3);
}
END_TEST

/* With --on-cpu, beside times off the CPU, a sample stands for the time of a period. */
START_TEST(samples_that_stand_for_time)
{
	static const struct sampler_sink sink = {.stack = see_stack, .count = see_count};
	struct swap swap;

	create_as((struct sampler_options){.sample_weight = 1000,
					   .off_cpu.is_on = true,
					   .stack_storage = 8,
					   .hash_storage = 8,
					   .no_slices = true},
		  NULL);
	take(&process_a, 0x100, NULL, 0);
	take(&process_a, 0x100, NULL, 0);
	ck_assert_int_eq(sampler_swap(sampler, &swap, &err), 0);
	drained.sum = 0;
	ck_assert_int_eq(sampler_drain(sampler, &sink, &err), 0);
	ck_assert_uint_eq(drained.sum, 2000);
	ck_assert_uint_eq(taken(), 2);
}
END_TEST

START_TEST(processes_that_were_not_chosen)
{
	u32_vec pids = {0};
	struct totals totals;

	ck_assert_int_eq(vec_push(&pids, (uint32_t)getpid()), 0);
	create(1024, 1024, &pids);
	take(&(const struct program_process)PROCESS(getpid(), 1000), 0x100, NULL, 0);
	take(&process_b, 0x100, NULL, 0);
	take(&process_b, 0x100, NULL, 0);
	totals = drain();
	ck_assert_uint_eq(totals.taken, 1);
	ck_assert_uint_eq(totals.filtered, 2);
	ck_assert_uint_eq(drained.sum_of_b, 0);
	vec_free(&pids);
}
END_TEST

SUITE_MAIN_WITH("sampler", NULL, end, samples_are_counted_by_stack, a_stack_by_frame_pointers,
		stacks_of_the_kernel, the_number_so_far, no_room_for_counts, no_room_for_stacks,
		samples_that_could_not_be_taken, periods_that_a_thread_owes,
		processes_that_were_not_chosen, idle_tasks, idle_tasks_that_are_wanted,
		slices_of_time, samples_after_the_end, threads_by_their_ids,
		samples_that_stand_for_time)
