// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time off the CPU, by the program that the scheduler runs at each switch. The switches and the
 * clock are the test's own, so each wait is known to the nanosecond.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/minmax.h"
#include "common/vec.h"
#include "record/sampling/program/program.h"
#include "record/sampling/bpf/sampler.h"
#include "record/host/cpus.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has these ids. */
#define PID_A 5000001
#define PID_B 5000002

#define STACK 0x7fff0000

/* Of task_struct.__state. */
#define RUNNING 0
#define ASLEEP  1
#define ON_DISK 2
#define STOPPED 4
#define DEAD    0x80

static struct sampler *sampler;
static struct filters filters;
static u32_vec cpus;
static struct err err;
static uint64_t now_ns; /* of the next switch */

/* What a drain handed out: by event, and of the last row. */
static struct {
	uint64_t sums[NR_OFF_CPU_STATES], nr_rows;
	struct count_key key;
	struct wake wake;
	enum stack_end kernel_end;
} drained;

static void create_for(struct off_cpu_options off_cpu, const u32_vec *pids)
{
	static const u32_vec none;
	const struct filter_options chosen = {
		.pids = pids ? pids : &none, .tids = &none, .uid = FILTERS_ANY_UID};
	const struct events events = {.nr = 0};
	const struct sampler_options options = {
		.is_own = true,
		.filters = &filters,
		.cpus = &cpus,
		.events = &events,
		.nr_events = off_cpu.by_state ? NR_OFF_CPU_STATES : 1,
		.sample_weight = 1,
		.hit_period = 1,
		.depth = {.most = 64, .of_helper = 64},
		.stack_storage = 1024,
		.hash_storage = 1024,
		.no_slices = true,
		.off_cpu = off_cpu,
	};

	ck_assert_msg(!cpus_possible(&cpus, &err), "%s", err.text);
	ck_assert_msg(!filters_open(&filters, &chosen, &err), "%s", err.text);
	ck_assert_msg(!sampler_create(&options, &sampler, &err), "%s", err.text);
	now_ns = 0;
}

static void create(void)
{
	create_for((struct off_cpu_options){.is_on = true}, NULL);
}

static void end(void)
{
	sampler_destroy(sampler);
	filters_close(&filters);
	vec_free(&cpus);
}

static const struct program_process process_a = {.pid = PID_A, .exec_pages = 16, .start_code = 1};
static const struct program_process process_b = {.pid = PID_B, .exec_pages = 16, .start_code = 1};
static const struct program_process idle = {0};

static struct program_sample thread_of(const struct program_process *process)
{
	static const uint64_t kernel[] = {1, 2, 0xffffffff81000000};

	return (struct program_sample){
		.process = process,
		.tid = process->pid,
		.comm = "waits",
		.time_ns = now_ns,
		.kernel_frames = kernel,
		.nr_kernel_frames = ARRAY_SIZE(kernel),
	};
}

/* At @at_ns, the thread of @process leaves the CPU in @state, and thread @next comes. */
static void leave(uint64_t at_ns, const struct program_process *process, uint32_t state,
		  uint32_t next)
{
	struct program_sample thread;

	now_ns = at_ns;
	thread = thread_of(process);
	program_switch_threads(&(struct program_switch){
		.leaving = &thread, .next = next, .state = state, .nr_left = 1});
}

static void come_back(uint64_t at_ns, const struct program_process *process)
{
	leave(at_ns, &idle, RUNNING, process->pid);
}

static int see_stack(void *ctx, const struct stack_entry *stack)
{
	(void)ctx;
	drained.kernel_end = stack->end;
	if (stack->end == STACK_END_WAKE)
		memcpy(&drained.wake, stack->frames, sizeof(drained.wake));
	return 0;
}

static int see_count(void *ctx, const struct sampled_count *count)
{
	(void)ctx;
	drained.nr_rows++;
	drained.sums[count->key->event] += count->value->count;
	drained.key = *count->key;
	return 0;
}

/* Drains the active set. Returns the totals of @event. */
static struct totals drain_event(uint32_t event)
{
	static const struct sampler_sink sink = {.stack = see_stack, .count = see_count};
	struct totals totals[NR_OFF_CPU_STATES], of_event;
	uint64_t *of_cpus = calloc(cpus.nr, sizeof(*of_cpus));
	struct swap swap;

	memset(&drained, 0, sizeof(drained));
	ck_assert_int_eq(sampler_swap(sampler, &swap, &err), 0);
	ck_assert_msg(!sampler_drain(sampler, &sink, &err), "%s", err.text);
	sampler_take_totals(sampler, totals, &cpus, of_cpus);
	free(of_cpus);
	of_event = totals[event];
	ck_assert_uint_eq(of_event.taken,
			  of_event.counted + of_event.overflows + of_event.lost[LOSS_STORAGE_FULL] +
				  of_event.lost[LOSS_REFUSED] + of_event.lost[LOSS_WALK_FAILED]);
	return of_event;
}

START_TEST(a_wait_from_leaving_to_coming_back)
{
	create();
	leave(1000, &process_a, ASLEEP, 0);
	come_back(5000, &process_a);
	ck_assert_uint_eq(drain_event(0).counted, 1);
	ck_assert_uint_eq(drained.sums[0], 4000);
	ck_assert_uint_eq(drained.key.tgid, PID_A);
	ck_assert_str_eq(drained.key.comm, "waits");
	ck_assert_int_eq(drained.kernel_end, STACK_END_SWITCH);
}
END_TEST

START_TEST(waits_of_one_stack_add_up)
{
	create();
	leave(1000, &process_a, ASLEEP, PID_B);
	leave(1500, &process_b, ASLEEP, PID_A);
	leave(1600, &process_a, ASLEEP, PID_B);
	come_back(2000, &process_a);
	ck_assert_uint_eq(drain_event(0).counted, 3);
	ck_assert_uint_eq(drained.nr_rows, 2);
	ck_assert_uint_eq(drained.sums[0], 500 + 100 + 400);
}
END_TEST

START_TEST(each_state_is_an_event)
{
	static const struct {
		uint32_t state, event;
		bool is_preempted;
	} cases[] = {
		{ASLEEP, OFF_CPU_SLEEPING, false}, {ON_DISK, OFF_CPU_DISK, false},
		{STOPPED, OFF_CPU_OTHER, false},   {RUNNING, OFF_CPU_RUNNABLE, false},
		{ASLEEP, OFF_CPU_RUNNABLE, true},
	};

	create_for((struct off_cpu_options){.is_on = true, .by_state = true}, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct program_sample thread = thread_of(&process_a);

		program_switch_threads(&(struct program_switch){
			.leaving = &thread,
			.state = cases[i].state,
			.is_preempted = cases[i].is_preempted,
		});
		come_back(now_ns + 100, &process_a);
		drain_event(cases[i].event);
		ck_assert_uint_eq(drained.nr_rows, 1);
		ck_assert_uint_eq(drained.sums[cases[i].event], 100);
	}
}
END_TEST

START_TEST(short_and_long_waits_are_left_out)
{
	struct totals totals;

	create_for((struct off_cpu_options){.is_on = true, .min_ns = 100, .max_ns = 1000}, NULL);
	for (uint64_t ns = 99; ns <= 1001; ns += ns == 100 ? 900 : 1) {
		leave(now_ns, &process_a, ASLEEP, 0);
		come_back(now_ns + ns, &process_a);
	}
	totals = drain_event(0);
	ck_assert_uint_eq(totals.filtered, 2);
	ck_assert_uint_eq(totals.counted, 2);
	ck_assert_uint_eq(drained.sums[0], 100 + 1000);
}
END_TEST

START_TEST(threads_that_were_not_chosen)
{
	const struct program_process chosen = {.pid = getpid(), .exec_pages = 16, .start_code = 1};
	u32_vec pids = {0};
	struct totals totals;

	ck_assert_int_eq(vec_push(&pids, chosen.pid), 0);
	create_for((struct off_cpu_options){.is_on = true}, &pids);
	leave(1000, &process_b, ASLEEP, chosen.pid);
	leave(2000, &chosen, ASLEEP, PID_B);
	come_back(5000, &chosen);
	totals = drain_event(0);
	ck_assert_uint_eq(totals.filtered, 1);
	ck_assert_uint_eq(drained.nr_rows, 1);
	ck_assert_uint_eq(drained.sums[0], 3000);
	vec_free(&pids);
}
END_TEST

/* Its id may be another thread's soon. */
START_TEST(a_thread_that_ends_waits_no_more)
{
	create();
	leave(1000, &process_a, DEAD, 0);
	come_back(5000, &process_a);
	ck_assert_uint_eq(drain_event(0).taken, 0);
	ck_assert_uint_eq(drained.nr_rows, 0);
}
END_TEST

/* The kernel may keep the program from a switch. The scheduler's own numbers tell of it. */
START_TEST(a_thread_that_came_back_unseen)
{
	struct program_sample thread = thread_of(&process_a);
	struct totals totals;

	create();
	leave(1000, &process_a, ASLEEP, 0);
	now_ns = 5000;
	thread.time_ns = now_ns;
	program_switch_threads(&(struct program_switch){
		.leaving = &thread, .state = ASLEEP, .nr_left = 2, .ran_ns = 700});
	/* It left twice more: nobody knows for how long. */
	now_ns = 9000;
	thread.time_ns = now_ns;
	program_switch_threads(&(struct program_switch){
		.leaving = &thread, .state = ASLEEP, .nr_left = 4, .ran_ns = 800});
	totals = drain_event(0);
	ck_assert_uint_eq(totals.counted, 1);
	ck_assert_uint_eq(totals.lost[LOSS_REFUSED], 1);
	ck_assert_uint_eq(drained.sums[0], 4000 - 700);
}
END_TEST

START_TEST(the_waker_of_a_wait)
{
	struct program_sample waker;

	create_for((struct off_cpu_options){.is_on = true, .takes_wakers = true}, NULL);
	leave(1000, &process_a, ASLEEP, 0);
	now_ns = 3000;
	waker = thread_of(&process_b);
	program_wake(&waker, PID_A);
	come_back(4000, &process_a);
	ck_assert_uint_eq(drain_event(0).counted, 1);
	ck_assert_uint_eq(drained.sums[0], 3000);
	ck_assert_int_eq(drained.kernel_end, STACK_END_WAKE);
	ck_assert_uint_eq(drained.wake.waker.tgid, PID_B);
	ck_assert_uint_ne(drained.wake.waker.kernel_stack, 0);
}
END_TEST

/* A thread that was preempted is woken by nobody. */
START_TEST(a_runnable_thread_has_no_waker)
{
	struct program_sample waker;

	create_for((struct off_cpu_options){.is_on = true, .takes_wakers = true}, NULL);
	leave(1000, &process_a, RUNNING, 0);
	waker = thread_of(&process_b);
	program_wake(&waker, PID_A);
	come_back(4000, &process_a);
	drain_event(0);
	ck_assert_int_eq(drained.kernel_end, STACK_END_SWITCH);
}
END_TEST

/* From the end on, no wait ends and none begins. */
START_TEST(switches_after_the_end)
{
	create();
	sampler_end_at(sampler, 5000);
	leave(1000, &process_a, ASLEEP, PID_B);
	leave(4999, &process_b, ASLEEP, PID_A);
	leave(5000, &process_a, ASLEEP, PID_B);
	leave(6000, &process_b, ASLEEP, 0);
	ck_assert_uint_eq(drain_event(0).counted, 1);
	ck_assert_uint_eq(drained.key.tgid, PID_A);
	ck_assert_uint_eq(drained.sums[0], 3999);
}
END_TEST

/* The kernel hands out the threads that wait in batches (--wrap). */
static struct {
	uint32_t nr, next; /* threads */
	unsigned int nr_calls, fails_at;
	uint32_t position;
	int visit_fails_at;
	uint32_t nr_visited;
} batches;

int __wrap_bpf_map_lookup_batch(int fd, void *in, void *out, void *keys, void *values,
				uint32_t *count, const struct bpf_map_batch_opts *opts);

int __wrap_bpf_map_lookup_batch(int fd, void *in, void *out, void *keys, void *values,
				uint32_t *count, const struct bpf_map_batch_opts *opts)
{
	struct waiting_thread *threads = values;
	const uint32_t nr = min_u64(*count, batches.nr - batches.next);

	(void)fd, (void)keys, (void)opts;
	ck_assert_int_eq(in == NULL, !batches.nr_calls);
	if (in)
		ck_assert_uint_eq(*(uint32_t *)in, batches.position);
	*count = 0;
	errno = EPERM;
	if (++batches.nr_calls == batches.fails_at)
		return -1;
	for (uint32_t i = 0; i < nr; i++)
		threads[i].since_ns = batches.next++;
	*count = nr;
	*(uint32_t *)out = batches.position = 7 * batches.nr_calls;
	errno = ENOENT;
	return batches.next == batches.nr ? -1 : 0;
}

static int visit(void *ctx, const struct waiting_thread *thread)
{
	ck_assert_ptr_eq(ctx, &batches);
	ck_assert_uint_eq(thread->since_ns, batches.nr_visited);
	return ++batches.nr_visited == (uint32_t)batches.visit_fails_at ? -EIO : 0;
}

START_TEST(threads_that_wait_are_visited)
{
	static const struct {
		uint32_t nr, nr_visited;
		unsigned int fails_at, nr_calls;
		int visit_fails_at, ret;
	} cases[] = {
		{0, 0, 0, 1, 0, 0},
		{1, 1, 0, 1, 0, 0},
		{1024, 1024, 0, 1, 0, 0},
		{1025, 1025, 0, 2, 0, 0},
		{2500, 2500, 0, 3, 0, 0},
		{2500, 1024, 2, 2, 0, -EPERM},
		{2500, 1030, 0, 2, 1030, -EIO},
		{2500, 1024, 0, 1, 1024, -EIO},
	};

	create();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&batches, 0, sizeof(batches));
		batches.nr = cases[i].nr;
		batches.fails_at = cases[i].fails_at;
		batches.visit_fails_at = cases[i].visit_fails_at;
		err = (struct err){0};
		ck_assert_int_eq(sampler_visit_waiting(sampler, visit, &batches, &err),
				 cases[i].ret);
		ck_assert_uint_eq(batches.nr_visited, cases[i].nr_visited);
		ck_assert_uint_eq(batches.nr_calls, cases[i].nr_calls);
		ck_assert_str_eq(err.text, cases[i].ret == -EPERM
						   ? "failed to read the threads that wait: "
						     "Operation not permitted"
						   : "");
	}
}
END_TEST

/* Waits that the end of the recording cuts count as taken, as all others do. */
START_TEST(waits_at_the_end_are_counted)
{
	const struct count_key key = {.event = OFF_CPU_DISK};
	uint64_t nr;

	create_for((struct off_cpu_options){.is_on = true, .by_state = true}, NULL);
	sampler_count_waiting(sampler, &key);
	sampler_count_waiting(sampler, &key);
	ck_assert_int_eq(sampler_taken(sampler, &nr, &err), 0);
	ck_assert_uint_eq(nr, 2);
	ck_assert_uint_eq(drain_event(OFF_CPU_DISK).counted, 2);
	ck_assert_uint_eq(drain_event(OFF_CPU_DISK).taken, 0);
}
END_TEST

SUITE_MAIN_WITH("off_cpu", NULL, end, a_wait_from_leaving_to_coming_back, waits_of_one_stack_add_up,
		each_state_is_an_event, short_and_long_waits_are_left_out,
		threads_that_were_not_chosen, a_thread_that_ends_waits_no_more,
		a_thread_that_came_back_unseen, the_waker_of_a_wait, a_runnable_thread_has_no_waker,
		switches_after_the_end, threads_that_wait_are_visited, waits_at_the_end_are_counted)
