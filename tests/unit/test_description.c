// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "common/clock.h"
#include "record/run/description.h"
#include "record/run/session_notes.h"
#include "tests/unit/suite.h"

static struct record_options options;
static struct session session;
static struct description description;

/* What the sampler tells when the recording ends (--wrap). */
static struct {
	struct totals totals[3];
	uint64_t unfollowed, refused, skipped, lost, wanted_ns, running_ns;
	int lacks_error;
} played;

void __wrap_sampler_take_totals(struct sampler *sampler, struct totals *totals, const u32_vec *cpus,
				uint64_t *cpu_taken);
uint64_t __wrap_sampler_unfollowed(const struct sampler *sampler);
uint64_t __wrap_sampler_early_refused(const struct sampler *sampler);
uint64_t __wrap_sampler_skipped_hits(const struct sampler *sampler);
uint64_t __wrap_sideband_lost(const struct sideband *sideband);
void __wrap_events_times(const struct events *events, uint64_t *wanted_ns, uint64_t *running_ns);
int __wrap_session_tell_lacks(const struct session *s, struct prof_end *end);

void __wrap_sampler_take_totals(struct sampler *sampler, struct totals *totals, const u32_vec *cpus,
				uint64_t *cpu_taken)
{
	(void)sampler;
	memcpy(totals, played.totals, session.nr_events * sizeof(*totals));
	for (size_t i = 0; i < cpus->nr; i++)
		cpu_taken[i] = 10 + cpus->data[i];
}

uint64_t __wrap_sampler_unfollowed(const struct sampler *sampler)
{
	(void)sampler;
	return played.unfollowed;
}

uint64_t __wrap_sampler_early_refused(const struct sampler *sampler)
{
	(void)sampler;
	return played.refused;
}

uint64_t __wrap_sampler_skipped_hits(const struct sampler *sampler)
{
	(void)sampler;
	return played.skipped;
}

uint64_t __wrap_sideband_lost(const struct sideband *sideband)
{
	(void)sideband;
	return played.lost;
}

void __wrap_events_times(const struct events *events, uint64_t *wanted_ns, uint64_t *running_ns)
{
	(void)events;
	*wanted_ns = played.wanted_ns;
	*running_ns = played.running_ns;
}

int __wrap_session_tell_lacks(const struct session *s, struct prof_end *end)
{
	(void)s, (void)end;
	return played.lacks_error;
}

static void begin(void)
{
	options = (struct record_options){
		.command_line = (char *)(uintptr_t) "profrec -F 99",
		.freq_hz = 99,
		.interval_ns = 2 * NS_PER_S,
		.uid = FILTERS_ANY_UID,
	};
	session = (struct session){
		.has_kernel = true,
		.options = &options,
		.filters.options.uid = FILTERS_ANY_UID,
		.events.event = {.name = "cpu-clock", .type = 1},
		.depth = {.most = 64},
	};
	for (uint32_t cpu = 0; cpu < 6; cpu++)
		ck_assert_int_eq(cpu == 4 ? 0 : vec_push(&session.cpus, cpu), 0);
}

static void end(void)
{
	description_deinit(&description);
	vec_free(&session.cpus);
	vec_free(&options.cpus);
}

static const struct prof_meta *describe(uint64_t planned_ns)
{
	ck_assert_int_eq(
		description_begin(&description, &session, clock_monotonic_ns(), planned_ns), 0);
	return &description.meta;
}

START_TEST(all_processes)
{
	const struct prof_meta *meta = describe(7 * NS_PER_S);

	ck_assert_str_eq(meta->command_line, "profrec -F 99");
	ck_assert_str_eq(meta->command, "");
	ck_assert_str_eq(meta->filters, "");
	ck_assert_str_eq(meta->event, "cpu-clock");
	ck_assert_str_eq(meta->cpus, "0-3,5");
	ck_assert_uint_eq(meta->nr_cpus, 5);
	ck_assert_uint_eq(meta->only_cpu, 0);
	ck_assert_uint_eq(meta->freq_hz, 99);
	ck_assert_uint_eq(meta->duration_ns, 7 * NS_PER_S);
	ck_assert_uint_eq(meta->interval_ns, 2 * NS_PER_S);
	ck_assert_uint_eq(meta->max_stack_depth, 64);
	ck_assert_uint_eq(meta->sides, PROF_SIDES_BOTH);
	ck_assert_uint_eq(meta->unwinding, PROF_UNWINDING_FP);
	ck_assert_uint_ge(meta->host.nr_cpus_online, 1);
	ck_assert_int_ne(meta->kernel_release[0], '\0');
}
END_TEST

/* The two clocks name one moment. */
START_TEST(two_clocks)
{
	struct timespec before, after;
	uint64_t start_ns, real_ns;

	clock_gettime(CLOCK_REALTIME, &before);
	start_ns = clock_monotonic_ns();
	clock_gettime(CLOCK_REALTIME, &after);
	ck_assert_int_eq(description_begin(&description, &session, start_ns, 0), 0);
	ck_assert_uint_eq(description.meta.start_monotonic_ns, start_ns);
	real_ns = description.meta.start_realtime_ns;
	/* Somebody may set the clock meanwhile, but not by a day. */
	ck_assert_uint_ge(real_ns / NS_PER_S + 86400, before.tv_sec);
	ck_assert_uint_le(real_ns / NS_PER_S, after.tv_sec + 86400);
}
END_TEST

START_TEST(a_command)
{
	char *command[] = {(char *)(uintptr_t) "make", (char *)(uintptr_t) "-j", NULL};

	options.command = command;
	ck_assert_str_eq(describe(0)->command, "make -j");
	ck_assert_uint_eq(description.meta.duration_ns, 0);
}
END_TEST

START_TEST(sides_and_a_cpu)
{
	session.has_kernel = false;
	ck_assert_uint_eq(describe(0)->sides, PROF_SIDES_USER);
	session.has_kernel = true;
	options.kernel_only = true;
	ck_assert_int_eq(vec_push(&options.cpus, 3), 0);
	ck_assert_uint_eq(describe(0)->sides, PROF_SIDES_KERNEL);
	ck_assert_uint_eq(description.meta.only_cpu, 4);
}
END_TEST

/* A command line may be longer than a string of the format. */
START_TEST(a_long_command_line)
{
	static char line[PROF_MAX_STRING_BYTES + 100];

	memset(line, 'x', sizeof(line) - 1);
	options.command_line = line;
	ck_assert_uint_eq(strlen(describe(0)->command_line), PROF_MAX_STRING_BYTES);
	ck_assert_uint_eq(strlen(line), sizeof(line) - 1);
}
END_TEST

static const uint64_t sums[3] = {100, 200, 300}, overflows[3] = {0, 2, 0};
static const struct counted counted = {.sums = sums, .overflows = overflows};

/* Each number of the totals of event @i is another one. */
static void play_totals(uint64_t i)
{
	uint64_t *numbers = (uint64_t *)&played.totals[i];

	for (uint64_t k = 0; k < sizeof(played.totals[i]) / sizeof(*numbers); k++)
		numbers[k] = 100 * (i + 1) + k;
}

static const struct prof_end *describe_end(void)
{
	ck_assert_int_eq(description_end(&description, &session, &counted,
					 description.meta.start_monotonic_ns + 9, PROF_END_SIGNAL),
			 0);
	return &description.end;
}

START_TEST(the_end_of_a_recording_of_samples)
{
	const struct prof_end *end;

	session.nr_events = 1;
	played.totals[0].counted = 77;
	played.wanted_ns = 5;
	played.running_ns = 4;
	describe(0);
	end = describe_end();
	ck_assert_uint_eq(end->duration_ns, 9);
	ck_assert_int_eq(end->reason, PROF_END_SIGNAL);
	ck_assert_uint_eq(end->counted, 100); /* as it is in the file */
	ck_assert_uint_eq(end->nr_events, 0);
	ck_assert_uint_eq(end->wanted_ns, 5);
	ck_assert_uint_eq(end->running_ns, 4);
	ck_assert_uint_eq(end->nr_cpu_taken, 5);
	ck_assert_uint_eq(end->cpu_taken[4], 15);
	played.lacks_error = -ENOMEM;
	ck_assert_int_eq(description_end(&description, &session, &counted, 0, PROF_END_SIGNAL),
			 -ENOMEM);
}
END_TEST

/* Losses of all events add up. */
START_TEST(the_end_of_a_recording_of_events)
{
	static const uint8_t kinds[] = {PROF_EVENT_SAMPLES, PROF_EVENT_TRACEPOINT,
					PROF_EVENT_OFF_CPU};
	const struct prof_end *end;

	options.hit_period = 8;
	session.nr_events = ARRAY_SIZE(kinds);
	for (uint64_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		play_totals(i);
		session.overhead.largest[i] = 40 + i;
		session.waited_ns[i] = 50 + i;
		session.probes.nr_unattached[i] = 60 + i;
		ck_assert_int_eq(
			vec_push(&session.probes.events, ((struct prof_event){.kind = kinds[i]})),
			0);
	}
	describe(0);
	end = describe_end();
	ck_assert_uint_eq(end->taken, 600);
	ck_assert_uint_eq(end->counted, 603 - 2);
	ck_assert_uint_eq(end->idle, 606);
	ck_assert_uint_eq(end->filtered, 609);
	for (uint64_t i = 0; i < NR_LOSSES; i++) {
		ck_assert_uint_eq(end->lost[i], 612 + 3 * i);
		ck_assert_uint_eq(end->missed_user[i], 612 + 3 * (NR_LOSSES + i));
		ck_assert_uint_eq(end->missed_kernel[i], 612 + 3 * (2 * NR_LOSSES + i));
	}
	ck_assert_uint_eq(end->nr_events, 3);
	for (uint64_t i = 0; i < 3; i++) {
		const struct prof_event_end *event = &end->events[i];

		ck_assert_uint_eq(event->taken, 100 * (i + 1));
		ck_assert_uint_eq(event->counted, 100 * (i + 1) + 1 - overflows[i]);
		ck_assert_uint_eq(event->sum, sums[i]);
		ck_assert_uint_eq(event->overflows, played.totals[i].overflows + overflows[i]);
		ck_assert_uint_eq(event->every_nth, i == 1 ? 8 : 0);
		ck_assert_uint_eq(event->shed_gap, 40 + i);
		ck_assert_uint_eq(event->blocked, 50 + i);
		ck_assert_uint_eq(event->unattached, 60 + i);
	}
	vec_free(&session.probes.events);
}
END_TEST

/* Numbers that go on from recording to recording are told as what came since the last one. */
START_TEST(recordings_one_after_the_other)
{
	session.nr_events = 1;
	for (uint64_t i = 1; i < 4; i++) {
		const struct prof_end *end;

		played.lost = 10 * i;
		played.skipped = 20 * i;
		played.unfollowed = 3;
		played.refused = 4;
		describe(0);
		end = describe_end();
		ck_assert_uint_eq(end->lost_records, 10);
		ck_assert_uint_eq(end->skipped, 20);
		ck_assert_uint_eq(end->unfollowed, 3);
		ck_assert_uint_eq(end->copies_left_out, 4);
	}
}
END_TEST

SUITE_MAIN_WITH("description", begin, end, all_processes, two_clocks, a_command, sides_and_a_cpu,
		a_long_command_line, the_end_of_a_recording_of_samples,
		the_end_of_a_recording_of_events, recordings_one_after_the_other)
