// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes are not looked for: who would find them is played (--wrap). */
#include "record/run/chosen_events.h"

#include <errno.h>

#include "common/clock.h"
#include "record/probes/attach.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

static struct record_options options;
static struct filters filters;
static struct probes probes;
static struct err err;
static struct chosen_events chosen;

/* The events that were added, and of patterns what they were given. */
static struct {
	struct added {
		const struct pattern *pattern; /* NULL: an event without probes */
		const struct hit_weight *weight;
		struct prof_event event;
	} added[16];
	size_t nr, fails_at;
	u32_vec pids;
	bool can_user_multi;
} played;

int __wrap_probes_add(struct probes *p, struct pattern *pattern, struct hit_weight *weight,
		      const u32_vec *pids, struct err *e);
int __wrap_probes_add_event(struct probes *p, const struct prof_event *event, struct err *e);
int __wrap_cgroup_members(int fd, u32_vec *pids);
bool __wrap_attach_can_user_multi(void);

static int add(struct added added)
{
	played.added[played.nr++] = added;
	probes.events.nr++;
	return played.nr == played.fails_at ? -EIO : 0;
}

int __wrap_probes_add(struct probes *p, struct pattern *pattern, struct hit_weight *weight,
		      const u32_vec *pids, struct err *e)
{
	(void)e;
	ck_assert_ptr_eq(p, &probes);
	vec_clear(&played.pids);
	return vec_append(&played.pids, pids->data, pids->nr)
		       ? -ENOMEM
		       : add((struct added){.pattern = pattern, .weight = weight});
}

int __wrap_probes_add_event(struct probes *p, const struct prof_event *event, struct err *e)
{
	(void)e;
	ck_assert_ptr_eq(p, &probes);
	return add((struct added){.event = *event});
}

int __wrap_cgroup_members(int fd, u32_vec *pids)
{
	ck_assert_int_eq(fd, 0);
	return vec_push(pids, 55);
}

bool __wrap_attach_can_user_multi(void)
{
	return played.can_user_multi;
}

static void begin(void)
{
	options = (struct record_options){.kernel_way = KERNEL_BY_KPROBE};
	filters = (struct filters){.cgroup_fd = -1};
	probes = (struct probes){0};
	memset(&played, 0, sizeof(played));
	chosen = (struct chosen_events){
		.options = &options, .filters = &filters, .probes = &probes, .err = &err};
}

static void end(void)
{
	vec_free(&options.patterns);
	vec_free(&options.weights);
	vec_free(&options.pids);
	vec_free(&played.pids);
}

static int find(void)
{
	played.nr = probes.events.nr = 0;
	return chosen_events_find(&chosen);
}

/* Two patterns of hits, the first with a weight. */
static void add_patterns(void)
{
	static char bytes[] = "bytes";

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(vec_push(&options.patterns, (struct pattern){0}), 0);
		ck_assert_int_eq(
			vec_push(&options.weights, ((struct hit_weight){.name = i ? NULL : bytes})),
			0);
	}
	options.events.texts.nr = 2;
}

static void expect_event(size_t i, uint8_t kind, uint8_t unit, const char *name)
{
	ck_assert_uint_lt(i, played.nr);
	ck_assert_ptr_null(played.added[i].pattern);
	ck_assert_int_eq(played.added[i].event.kind, kind);
	ck_assert_int_eq(played.added[i].event.unit, unit);
	ck_assert_str_eq(played.added[i].event.name, name);
	ck_assert_str_eq(played.added[i].event.weight, "");
}

START_TEST(samples_alone_need_no_table)
{
	options.event_text = "cs";
	options.events.texts.nr = 1;
	ck_assert(options_want_samples(&options));
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.nr, 0);
	ck_assert_int_eq(probes.kernel_way, KERNEL_BY_KPROBE);
	ck_assert(!chosen.off_cpu.is_on);
}
END_TEST

START_TEST(who_wants_samples)
{
	ck_assert(options_want_samples(&options));
	options.off_cpu = true;
	ck_assert(!options_want_samples(&options));
	options.on_cpu = true;
	ck_assert(options_want_samples(&options));
	options.off_cpu = options.on_cpu = false;
	options.patterns.nr = 1;
	ck_assert(!options_want_samples(&options));
	options.event_text = "cs";
	ck_assert(options_want_samples(&options));
	options.patterns.nr = 0;
}
END_TEST

START_TEST(patterns_in_their_order)
{
	add_patterns();
	ck_assert_int_eq(vec_push(&options.pids, 44), 0);
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.nr, 2);
	for (size_t i = 0; i < 2; i++)
		ck_assert_ptr_eq(played.added[i].pattern, &options.patterns.data[i]);
	ck_assert_ptr_eq(played.added[0].weight, &options.weights.data[0]);
	ck_assert_ptr_null(played.added[1].weight);
	ck_assert_uint_eq(played.pids.nr, 1);
	ck_assert_uint_eq(played.pids.data[0], 44);
}
END_TEST

START_TEST(samples_between_patterns)
{
	add_patterns();
	options.events.texts.nr = 3;
	options.event_text = "cs";
	options.event_position = 1;
	options.period = 9;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.nr, 3);
	expect_event(1, PROF_EVENT_SAMPLES, PROF_UNIT_EVENTS, "cs");
	ck_assert_uint_eq(played.added[1].event.period, 9);
	ck_assert_uint_eq(chosen.sample_event, 1);
	ck_assert_ptr_eq(played.added[2].pattern, &options.patterns.data[1]);
}
END_TEST

/* Libraries are those that the processes see: the chosen ones, or those of a cgroup. */
START_TEST(who_looks_at_libraries)
{
	add_patterns();
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.pids.nr, 0);
	filters.cgroup_fd = 0;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.pids.nr, 1);
	ck_assert_uint_eq(played.pids.data[0], 55);
	ck_assert_int_eq(vec_push(&options.pids, 44), 0);
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.pids.nr, 1);
	ck_assert_uint_eq(played.pids.data[0], 44);
}
END_TEST

START_TEST(time_off_the_cpu)
{
	add_patterns();
	options.off_cpu = options.wakers = true;
	options.min_us = 5;
	options.max_us = 6;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.nr, 3);
	expect_event(2, PROF_EVENT_OFF_CPU, PROF_UNIT_NS, "off-cpu");
	ck_assert(chosen.off_cpu.is_on && !chosen.off_cpu.by_state && chosen.off_cpu.takes_wakers);
	ck_assert_uint_eq(chosen.off_cpu.event, 2);
	ck_assert_uint_eq(chosen.off_cpu.min_ns, 5 * NS_PER_US);
	ck_assert_uint_eq(chosen.off_cpu.max_ns, 6 * NS_PER_US);
}
END_TEST

START_TEST(time_on_and_off_the_cpu)
{
	options.off_cpu = options.on_cpu = options.by_state = true;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.nr, 5);
	expect_event(0, PROF_EVENT_SAMPLES, PROF_UNIT_NS, "on-cpu");
	expect_event(1, PROF_EVENT_OFF_CPU, PROF_UNIT_NS, "off-cpu:S");
	expect_event(2, PROF_EVENT_OFF_CPU, PROF_UNIT_NS, "off-cpu:D");
	expect_event(3, PROF_EVENT_OFF_CPU, PROF_UNIT_NS, "off-cpu:R");
	expect_event(4, PROF_EVENT_OFF_CPU, PROF_UNIT_NS, "off-cpu:other");
	ck_assert(chosen.off_cpu.by_state && !chosen.off_cpu.takes_wakers);
	ck_assert_uint_eq(chosen.off_cpu.event, 1);
	/* The event that the user names is the one on the CPU. */
	options.event_text = "cpu-clock";
	options.events.texts.nr = 1;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.nr, 5);
	expect_event(0, PROF_EVENT_SAMPLES, PROF_UNIT_NS, "cpu-clock");
}
END_TEST

START_TEST(calls_of_many_functions_at_once)
{
	for (int i = 0; i < 4; i++) {
		probes.hits[HIT_USER_CALL] = i & 1;
		played.can_user_multi = i & 2;
		ck_assert_int_eq(chosen_events_find(&chosen), 0);
		ck_assert_int_eq(probes.has_user_multi, i == 3);
	}
}
END_TEST

/* The first failure is the last event. */
START_TEST(failures)
{
	add_patterns();
	options.off_cpu = options.on_cpu = options.by_state = true;
	for (played.fails_at = 1; played.fails_at <= 7; played.fails_at++) {
		ck_assert_int_eq(find(), -EIO);
		ck_assert_uint_eq(played.nr, played.fails_at);
	}
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(played.nr, 7);
}
END_TEST

START_TEST(out_of_memory)
{
	ck_assert_int_eq(vec_push(&options.pids, 44), 0);
	oom_for_each_call(n)
	{
		err = (struct err){0};
		ck_assert_int_eq(find(), oom_hit ? -ENOMEM : 0);
		ck_assert_str_eq(err.text, oom_hit ? "failed to record: out of memory" : "");
	}
}
END_TEST

SUITE_MAIN_WITH("chosen_events", begin, end, samples_alone_need_no_table, who_wants_samples,
		patterns_in_their_order, samples_between_patterns, who_looks_at_libraries,
		time_off_the_cpu, time_on_and_off_the_cpu, calls_of_many_functions_at_once,
		failures, out_of_memory)
