// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts that a pipeline drives are played (--wrap): they note their names, and one fails. */
#include "record/run/pipeline.h"

#include <inttypes.h>

#include "tests/unit/played_clock.h"
#include "tests/unit/played_steps.h"

#define BEGIN_NS    (1000 * NS_PER_S)
#define DRAINED_NS  (BEGIN_NS + 50 * NS_PER_MS)
#define SWAPPED_NS  (DRAINED_NS + 7)
#define INTERVAL_NS (100 * NS_PER_MS)
#define WANTED_NS   (9 * NS_PER_S)

static struct record_options options;
static struct session session;
static struct recordings recordings;
static struct schedule schedule;
static struct pipeline pipeline;
static struct err err;

/* What the parts say. */
static struct {
	size_t nr_counts; /* of the epoch */
	bool owes_names, wants_drain, has_many_names, lacks_room;
	unsigned int nr_large;      /* times that the epoch grows large */
	unsigned int nr_names_asks; /* until no answer is missing */
	int names_wait;             /* what the wait for them returns */
	uint64_t nr_lost;
} parts;

/* What they were given. */
static struct {
	struct epoch_sources sources;
	uint64_t urgent_ns, records_until_ns, slices_begin_ns, slice_ns, forget_ns;
	uint64_t epoch_begin_ns, epoch_end_ns;
	struct drain_end end;
} given;

PLAY_STEP(drain_create, struct drain **);
PLAY_STEP(drain_take, struct drain *, struct sampler *, struct err *);
PLAY_STEP(drain_keep_waiting, struct drain *, struct sampler *, struct err *);
PLAY_STEP(epoch_reset, struct epoch *);
PLAY_STEP(session_take_samples, struct session *);
PLAY_STEP(session_watch_cpus, struct session *);
PLAY_STEP(unwinder_settle, struct unwinder *);
PLAY_STEP(unwinder_sweep, struct unwinder *);
PLAY_STEP(unwinder_walk_early, struct unwinder *, const struct address_spaces *);
PLAY_STEP(function_names_settle, struct function_names *, struct address_spaces *);
PLAY_STEP(file_names_settle, struct file_names *);
PLAY_STEP(ksyms_load_rest, struct ksyms *);
PLAY_STEP(ksyms_refresh, struct ksyms *);
PLAY_STEP(jit_forget, struct jit *, const struct address_spaces *);
PLAY_STEP(recordings_write_epoch, struct recordings *, struct prof_epoch *);
PLAY_CALL(sampler_clear_wakeups, struct sampler *);
PLAY_CALL(drain_tell_samples, const struct drain *, void (*)(void *, uint32_t, uint64_t), void *);
PLAY_CALL(function_names_age, struct function_names *);
PLAY_CALL(sideband_count_lost, struct sideband *);
PLAY_CALL(address_spaces_distrust, struct address_spaces *);
PLAY_CALL(epoch_destroy, struct epoch *);
PLAY_CALL(drain_destroy, struct drain *);
PLAY_VALUE(uint64_t, sideband_lost, parts.nr_lost, const struct sideband *);
PLAY_VALUE(size_t, epoch_nr_counts, parts.nr_counts, const struct epoch *);
PLAY_VALUE(bool, epoch_owes_names, parts.owes_names, const struct epoch *);
PLAY_VALUE(uint32_t, sampler_set_at_rest, 1, const struct sampler *);
PLAY_VALUE(bool, unwinder_wants_drain, parts.wants_drain, const struct unwinder *);
PLAY_VALUE(bool, unwinder_has_many_names, parts.has_many_names, const struct unwinder *);
PLAY_VALUE(bool, unwinder_lacks_room, parts.lacks_room, const struct unwinder *);
PLAY_VALUE(bool, file_names_is_waiting, parts.nr_names_asks > 0, const struct file_names *);
PLAY_VALUE(struct early_samples *, unwinder_early, NULL, struct unwinder *);
PLAY_VALUE(struct function_names *, unwinder_functions, NULL, struct unwinder *);
PLAY_VALUE(const struct interpreter_maps *, unwinder_interpreters, NULL, const struct unwinder *);
PLAY_VALUE(const struct label_keys *, session_labels, &label_keys_default, const struct session *);

int __wrap_epoch_create(const struct epoch_sources *sources, struct epoch **epoch);
int __wrap_epoch_ask_names(struct epoch *epoch, uint64_t urgent_ns);
int __wrap_epoch_finish(struct epoch *epoch, uint64_t begin_ns, uint64_t end_ns,
			struct prof_epoch *tables);
void __wrap_epoch_begin_slices(struct epoch *epoch, uint64_t begin_ns, uint64_t slice_ns);
void __wrap_sampler_begin_slices(struct sampler *sampler, uint64_t begin_ns);
int __wrap_sampler_swap(struct sampler *sampler, struct swap *swap, struct err *e);
int __wrap_session_apply_records(struct session *s, uint64_t until_ns);
int __wrap_session_forget(struct session *s, uint64_t time_ns);
int __wrap_unwinder_take_early(struct unwinder *unwinder, uint32_t set);
int __wrap_drain_add_next(struct drain *drain, struct early_samples *early, struct epoch *epoch);
int __wrap_drain_count_waiting(struct drain *drain, struct sampler *sampler,
			       const struct drain_end *end, uint64_t *waited_ns, struct err *e);

int __wrap_epoch_create(const struct epoch_sources *sources, struct epoch **epoch)
{
	(void)epoch;
	given.sources = *sources;
	return step("epoch_create");
}

int __wrap_epoch_ask_names(struct epoch *epoch, uint64_t urgent_ns)
{
	(void)epoch;
	given.urgent_ns = urgent_ns;
	return step("epoch_ask_names");
}

int __wrap_epoch_finish(struct epoch *epoch, uint64_t begin_ns, uint64_t end_ns,
			struct prof_epoch *tables)
{
	(void)epoch, (void)tables;
	given.epoch_begin_ns = begin_ns;
	given.epoch_end_ns = end_ns;
	return step("epoch_finish");
}

void __wrap_epoch_begin_slices(struct epoch *epoch, uint64_t begin_ns, uint64_t slice_ns)
{
	(void)epoch;
	note_step("epoch_begin_slices");
	given.slice_ns = slice_ns;
	ck_assert_uint_eq(begin_ns, given.slices_begin_ns);
}

void __wrap_sampler_begin_slices(struct sampler *sampler, uint64_t begin_ns)
{
	(void)sampler;
	note_step("sampler_begin_slices");
	given.slices_begin_ns = begin_ns;
}

int __wrap_sampler_swap(struct sampler *sampler, struct swap *swap, struct err *e)
{
	(void)sampler, (void)e;
	*swap = (struct swap){.begin_ns = DRAINED_NS, .end_ns = SWAPPED_NS};
	return step("sampler_swap");
}

int __wrap_session_apply_records(struct session *s, uint64_t until_ns)
{
	(void)s;
	given.records_until_ns = until_ns;
	return step("session_apply_records");
}

int __wrap_session_forget(struct session *s, uint64_t time_ns)
{
	(void)s;
	given.forget_ns = time_ns;
	return step("session_forget");
}

int __wrap_unwinder_take_early(struct unwinder *unwinder, uint32_t set)
{
	(void)unwinder;
	ck_assert_uint_eq(set, 1);
	return step("unwinder_take_early");
}

int __wrap_drain_add_next(struct drain *drain, struct early_samples *early, struct epoch *epoch)
{
	int ret = step("drain_add_next");

	(void)drain, (void)early, (void)epoch;
	if (ret || !parts.nr_large)
		return ret;
	parts.nr_large--;
	return 1;
}

int __wrap_drain_count_waiting(struct drain *drain, struct sampler *sampler,
			       const struct drain_end *end, uint64_t *waited_ns, struct err *e)
{
	(void)drain, (void)sampler, (void)e;
	ck_assert_ptr_eq(waited_ns, session.waited_ns);
	given.end = *end;
	return step("drain_count_waiting");
}

static int wait_for_names(void *ctx)
{
	ck_assert_ptr_eq(ctx, &parts);
	parts.nr_names_asks--;
	note_step("wait");
	return parts.names_wait;
}

static void begin(void)
{
	static const struct schedule_lengths lengths = {.interval_ns = INTERVAL_NS};

	err = (struct err){0};
	options = (struct record_options){.slice_ns = 20 * NS_PER_MS};
	session = (struct session){.options = &options, .err = &err, .has_kernel = true};
	schedule_begin(&schedule, BEGIN_NS, &lengths);
	fail_at = NO_STEP;
	now_ns = BEGIN_NS;
	ck_assert_int_eq(pipeline_init(&pipeline, &session, &recordings, &schedule), 0);
	pipeline.drained_ns = DRAINED_NS;
	pipeline.wait_for_names = wait_for_names;
	pipeline.wait_ctx = &parts;
	nr_steps = 0;
}

static struct file_names *some_names(void)
{
	return (struct file_names *)&parts;
}

/* Steps that cannot fail. */
static bool is_call(const char *name)
{
	static const char *const calls[] = {"sideband_count_lost", "drain_tell_samples",
					    "function_names_age", "address_spaces_distrust"};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(name, calls[i]))
			return true;
	return false;
}

/* Runs @run anew with each of its steps failing, until none does; the error of each comes back. */
static void expect_failures(int (*run)(void), int code)
{
	bool has_failed = true;

	failure = code;
	for (size_t at = 0; has_failed; at++) {
		const char *failed;
		int ret;

		nr_steps = 0;
		fail_at = at;
		err = (struct err){0};
		ret = run();
		has_failed = at < nr_steps;
		failed = has_failed && !is_call(steps[at]) ? steps[at] : NULL;
		ck_assert_int_eq(ret, failed ? code : 0);
		/* The recording words its own errors. */
		if (failed && ret == -ENOMEM && strcmp(failed, "recordings_write_epoch") != 0)
			ck_assert_str_eq(err.text, "failed to record: out of memory");
	}
	fail_at = NO_STEP;
}

static int take_set(void)
{
	return pipeline_take_set(&pipeline);
}

START_TEST(a_set_is_taken)
{
	pipeline.drained_ns = 0;
	ck_assert_int_eq(take_set(), 0);
	expect_steps("sampler_clear_wakeups session_take_samples sampler_swap unwinder_settle "
		     "session_apply_records unwinder_take_early drain_take");
	ck_assert_uint_eq(pipeline.drained_ns, DRAINED_NS);
	ck_assert_uint_eq(given.records_until_ns, SWAPPED_NS);
	nr_steps = 0;
	session.off_cpu.is_on = true;
	ck_assert_int_eq(take_set(), 0);
	ck_assert_str_eq(steps[nr_steps - 1], "drain_keep_waiting");
}
END_TEST

START_TEST(a_set_that_cannot_be_taken)
{
	static const char *const failing[] = {"session_take_samples", "sampler_swap",
					      "unwinder_settle",      "session_apply_records",
					      "unwinder_take_early",  "drain_take",
					      "drain_keep_waiting"};

	session.off_cpu.is_on = true;
	failure = -EIO;
	for (size_t i = 0; i < ARRAY_SIZE(failing); i++) {
		nr_steps = 0;
		fail_at = 1 + i;
		pipeline.drained_ns = 0;
		ck_assert_int_eq(take_set(), -EIO);
		ck_assert_str_eq(steps[nr_steps - 1], failing[i]);
		ck_assert_uint_eq(pipeline.drained_ns, i > 1 ? DRAINED_NS : 0);
	}
	nr_steps = 0;
	failure = -ENOMEM;
	ck_assert_int_eq(take_set(), -ENOMEM);
	ck_assert_str_eq(err.text, "failed to record: out of memory");
}
END_TEST

static int take_waiting(void)
{
	return pipeline_take_waiting(&pipeline, 77);
}

START_TEST(threads_that_wait_at_the_end)
{
	ck_assert_int_eq(take_waiting(), 0);
	ck_assert_uint_eq(nr_steps, 0);
	session.off_cpu = (struct off_cpu_options){.is_on = true, .min_ns = 5, .max_ns = 6};
	expect_failures(take_waiting, -ENOMEM);
	expect_failures(take_waiting, -EIO);
	expect_steps("drain_count_waiting");
	ck_assert_uint_eq(given.end.time_ns, 77);
	ck_assert_uint_eq(given.end.min_ns, 5);
	ck_assert_uint_eq(given.end.max_ns, 6);
}
END_TEST

START_TEST(slices_begin_unless_nobody_wants_them)
{
	pipeline_begin_slices(&pipeline, 55);
	expect_steps("sampler_begin_slices epoch_begin_slices");
	ck_assert_uint_eq(given.slices_begin_ns, 55);
	ck_assert_uint_eq(given.slice_ns, 20 * NS_PER_MS);
	nr_steps = 0;
	options.no_slices = true;
	pipeline_begin_slices(&pipeline, 55);
	ck_assert_uint_eq(nr_steps, 0);
}
END_TEST

static int init(void)
{
	return pipeline_init(&pipeline, &session, &recordings, &schedule);
}

/* Labels are taken where stacks are walked by tables. */
START_TEST(what_an_epoch_is_made_of)
{
	ck_assert_ptr_null(given.sources.label_keys);
	ck_assert_ptr_null(given.sources.names);
	ck_assert_ptr_eq(given.sources.spaces, &session.spaces);
	session.unwinder = (struct unwinder *)&parts;
	session.names = some_names();
	ck_assert_int_eq(init(), 0);
	ck_assert_ptr_eq(given.sources.label_keys, &label_keys_default);
	ck_assert_ptr_eq(given.sources.names, session.names);
	expect_failures(init, -ENOMEM);
	expect_steps("drain_create epoch_create");
	nr_steps = 0;
	pipeline_deinit(&pipeline);
	expect_steps("epoch_destroy drain_destroy");
	ck_assert_ptr_null(pipeline.session);
}
END_TEST

static int end_epoch(void)
{
	return pipeline_end_epoch(&pipeline);
}

START_TEST(an_epoch_is_written)
{
	parts.nr_counts = 5;
	ck_assert_uint_eq(pipeline_nr_stacks(&pipeline), 5);
	ck_assert_int_eq(end_epoch(), 0);
	expect_steps(
		"epoch_finish recordings_write_epoch epoch_reset jit_forget file_names_settle");
	ck_assert_uint_eq(given.epoch_begin_ns, BEGIN_NS);
	ck_assert_uint_eq(given.epoch_end_ns, DRAINED_NS);
	ck_assert_uint_eq(schedule.epoch_begin_ns, DRAINED_NS);
	ck_assert_uint_eq(pipeline.nr_stacks, 5);
	ck_assert_uint_eq(pipeline_nr_stacks(&pipeline), 10);
	expect_failures(end_epoch, -ENOMEM);
	fail_at = 1;
	nr_steps = 0;
	failure = -EIO; /* the writer words its errors */
	ck_assert_int_eq(end_epoch(), -EIO);
	ck_assert_uint_eq(nr_steps, 2);
}
END_TEST

/* Without rows it is written at the end of the run only, for names that earlier ones lack. */
START_TEST(an_epoch_without_rows)
{
	for (int i = 0; i < 4; i++) {
		nr_steps = 0;
		parts.owes_names = i & 1;
		pipeline.is_over = i & 2;
		ck_assert_int_eq(end_epoch(), 0);
		ck_assert_int_eq(has_step("recordings_write_epoch"), i == 3);
		ck_assert_uint_eq(schedule.epoch_begin_ns, DRAINED_NS);
	}
}
END_TEST

/* While samples are taken, nobody waits for answers. */
START_TEST(names_are_asked_for_and_waited_for)
{
	static const struct {
		bool is_over;
		unsigned int nr_asks;
		int wait;
		const char *steps;
	} cases[] = {
		{false, 3, 0, "epoch_ask_names"},
		{true, 0, 0, "epoch_ask_names"},
		{true, 1, 0, "epoch_ask_names wait epoch_ask_names"},
		{true, 2, 0, "epoch_ask_names wait epoch_ask_names wait epoch_ask_names"},
		{true, 5, 0,
		 "epoch_ask_names wait epoch_ask_names wait epoch_ask_names wait wait wait"},
		{true, 5, 1, "epoch_ask_names wait"},
	};

	session.names = some_names();
	parts.nr_counts = 1;
	given.urgent_ns = 1;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char want[512];

		nr_steps = 0;
		pipeline.is_over = cases[i].is_over;
		parts.nr_names_asks = cases[i].nr_asks;
		parts.names_wait = cases[i].wait;
		ck_assert_int_eq(end_epoch(), 0);
		snprintf(want, sizeof(want),
			 "%s epoch_finish recordings_write_epoch epoch_reset jit_forget "
			 "file_names_settle",
			 cases[i].steps);
		expect_steps(want);
		ck_assert_uint_eq(given.urgent_ns, 0);
	}
	nr_steps = 0;
	parts.nr_names_asks = 5;
	parts.names_wait = -EIO;
	ck_assert_int_eq(end_epoch(), -EIO);
	expect_steps("epoch_ask_names wait");
	parts.names_wait = 0;
	parts.nr_names_asks = 0;
	expect_failures(end_epoch, -ENOMEM);
	ck_assert_int_eq(pipeline_ask_names(&pipeline, 33), 0);
	ck_assert_uint_eq(given.urgent_ns, 33);
}
END_TEST

static int fill_epoch(void)
{
	return pipeline_fill_epoch(&pipeline);
}

START_TEST(a_drain_fills_the_epoch)
{
	session.spaces.nr_exited = 9;
	session.memory.used_bytes = 1234;
	ck_assert_int_eq(fill_epoch(), 0);
	expect_steps("ksyms_load_rest ksyms_refresh session_watch_cpus sideband_count_lost "
		     "unwinder_walk_early function_names_settle drain_tell_samples drain_add_next "
		     "function_names_age session_forget");
	ck_assert_uint_eq(given.forget_ns, DRAINED_NS);
	ck_assert_uint_eq(pipeline.nr_exited, 9);
	ck_assert_uint_eq(pipeline.used_bytes, 1234);
	nr_steps = 0;
	session.has_kernel = false;
	ck_assert_int_eq(fill_epoch(), 0);
	ck_assert(!has_step("ksyms_refresh"));
	session.has_kernel = true;
	expect_failures(fill_epoch, -ENOMEM);
}
END_TEST

/* After a failure, the steps that follow it are left out. */
START_TEST(a_drain_that_fails)
{
	static const struct {
		size_t at;
		const char *last;
	} cases[] = {
		{0, "drain_tell_samples"}, {1, "drain_tell_samples"}, {2, "drain_tell_samples"},
		{4, "drain_tell_samples"}, {5, "drain_tell_samples"}, {7, "drain_add_next"},
		{9, "session_forget"},
	};

	failure = -EIO;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		nr_steps = 0;
		fail_at = cases[i].at;
		ck_assert_int_eq(fill_epoch(), cases[i].at == 9 ? -ENOMEM : -EIO);
		ck_assert_str_eq(steps[nr_steps - 1], cases[i].last);
	}
}
END_TEST

/* A part of an interval ends before the interval does, so that a reader expects more of it. */
START_TEST(large_epochs_are_written_in_parts)
{
	parts.nr_counts = 5;
	parts.nr_large = 2;
	ck_assert_int_eq(fill_epoch(), 0);
	ck_assert_uint_eq(pipeline.nr_stacks, 10);
	ck_assert_uint_eq(given.epoch_end_ns, DRAINED_NS);
	ck_assert_uint_eq(schedule.epoch_begin_ns, BEGIN_NS);
	parts.nr_large = 1;
	pipeline.drained_ns = BEGIN_NS + 2 * INTERVAL_NS;
	ck_assert_int_eq(fill_epoch(), 0);
	ck_assert_uint_eq(given.epoch_end_ns, BEGIN_NS + INTERVAL_NS - 1);
}
END_TEST

/* Lost records, and CPUs without records, make all mappings doubtful. */
START_TEST(losses_make_mappings_doubtful)
{
	ck_assert_int_eq(fill_epoch(), 0);
	ck_assert(!has_step("address_spaces_distrust"));
	for (int i = 0; i < 2; i++) {
		nr_steps = 0;
		parts.nr_lost = 3;
		ck_assert_int_eq(fill_epoch(), 0);
		ck_assert_int_eq(has_step("address_spaces_distrust"), !i);
		ck_assert_int_eq(has_step("unwinder_sweep"), !i);
	}
	nr_steps = 0;
	ck_assert_int_eq(vec_push(&session.changed_cpus, 1), 0);
	ck_assert_int_eq(fill_epoch(), 0);
	ck_assert(has_step("address_spaces_distrust"));
	expect_failures(fill_epoch, -ENOMEM);
	vec_free(&session.changed_cpus);
}
END_TEST

START_TEST(reasons_for_a_drain)
{
	static const struct {
		bool wants_drain, lacks_room, has_many_names, has_many_ended, is_full;
		uint64_t passed_ns;
		size_t nr_exited, nr_ended;
		uint64_t used_bytes;
		bool is_due;
	} cases[] = {
		{.is_due = false},
		{.passed_ns = WANTED_NS, .is_due = false},
		{.wants_drain = true, .is_due = true},
		{.lacks_room = true, .passed_ns = NS_PER_S - 1, .is_due = false},
		{.lacks_room = true, .passed_ns = NS_PER_S, .is_due = true},
		{.has_many_names = true, .passed_ns = 200 * NS_PER_MS - 1, .is_due = false},
		{.has_many_names = true, .passed_ns = 200 * NS_PER_MS, .is_due = true},
		{.has_many_ended = true, .passed_ns = 200 * NS_PER_MS - 1, .is_due = false},
		{.has_many_ended = true, .passed_ns = 200 * NS_PER_MS, .is_due = true},
		{.is_full = true, .passed_ns = 5 * NS_PER_S - 1, .is_due = false},
		{.is_full = true, .passed_ns = 5 * NS_PER_S, .is_due = true},
		{.is_full = true, .used_bytes = 8000, .is_due = false},
		{.nr_exited = 10 + 1023, .is_due = false},
		{.nr_exited = 10 + 1024, .is_due = true},
		{.nr_ended = 16383, .is_due = false},
		{.nr_ended = 16384, .is_due = true},
		{.used_bytes = 1999, .is_due = false}, /* of 8000, and 500 after the last drain */
		{.used_bytes = 2000, .is_due = true},
	};

	session.memory.max_bytes = 8000;
	pipeline.nr_exited = 10;
	pipeline.used_bytes = 500;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parts.wants_drain = cases[i].wants_drain;
		parts.lacks_room = cases[i].lacks_room;
		parts.has_many_names = cases[i].has_many_names;
		session.spaces.has_many_ended = cases[i].has_many_ended;
		session.spaces.is_full = cases[i].is_full;
		session.spaces.nr_exited = cases[i].nr_exited;
		session.spaces.nr_ended = cases[i].nr_ended;
		session.memory.used_bytes = cases[i].used_bytes;
		now_ns = DRAINED_NS + cases[i].passed_ns;
		ck_assert_int_eq(pipeline_wants_drain(&pipeline), cases[i].is_due);
	}
	/* An eighth must have come since. */
	session.spaces.nr_ended = 0;
	session.memory.used_bytes = 3999;
	pipeline.used_bytes = 3000;
	ck_assert(!pipeline_wants_drain(&pipeline));
	session.memory.used_bytes = 4000;
	ck_assert(pipeline_wants_drain(&pipeline));
}
END_TEST

SUITE_MAIN_WITH("pipeline", begin, NULL, a_set_is_taken, a_set_that_cannot_be_taken,
		threads_that_wait_at_the_end, slices_begin_unless_nobody_wants_them,
		what_an_epoch_is_made_of, an_epoch_is_written, an_epoch_without_rows,
		names_are_asked_for_and_waited_for, a_drain_fills_the_epoch, a_drain_that_fails,
		large_epochs_are_written_in_parts, losses_make_mappings_doubtful,
		reasons_for_a_drain)
