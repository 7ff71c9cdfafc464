// SPDX-License-Identifier: GPL-2.0-or-later
/* What the user is told of a recording's gaps. The parts of the session are played (--wrap). */
#include "record/run/session_notes.h"

#include "record/looks/file_owner.h"
#include "record/host/cpus.h"
#include "tests/unit/oom.h"
#include "tests/unit/played_steps.h"

static struct session session;
static struct err err;

/* What the parts say. */
static struct {
	uint64_t nr_given_up, most_given_up, nr_stopped, wanted_ns, running_ns;
	uint32_t uid;
	const char *lacks;
	struct shares names, tables, copies;
	uint64_t nr_taken;
	const uint32_t *online; /* NULL: the list cannot be read */
	size_t nr_online;
} parts;

PLAY_VALUE(uint64_t, looker_nr_given_up, parts.nr_given_up, const struct looker *);
PLAY_VALUE(uint64_t, looker_nr_stopped, parts.nr_stopped, const struct looker *);
PLAY_VALUE(const char *, source_lacks, parts.lacks, const struct source *);
PLAY_VALUE(const struct shares *, file_names_unserved, &parts.names, const struct file_names *);

uint64_t __wrap_looker_most_given_up(const struct looker *looker, uint32_t *uid);
void __wrap_events_times(const struct events *events, uint64_t *wanted_ns, uint64_t *running_ns);
const struct shares *__wrap_unwinder_pool(const struct unwinder *unwinder,
					  enum prof_lack_kind kind);
int __wrap_cpus_online(u32_vec *cpus, struct err *e);
int __wrap_sampler_taken(const struct sampler *sampler, uint64_t *taken, struct err *e);

int __wrap_sampler_taken(const struct sampler *sampler, uint64_t *taken, struct err *e)
{
	(void)sampler, (void)e;
	*taken = parts.nr_taken;
	return 0;
}

uint64_t __wrap_looker_most_given_up(const struct looker *looker, uint32_t *uid)
{
	(void)looker;
	*uid = parts.uid;
	return parts.most_given_up;
}

void __wrap_events_times(const struct events *events, uint64_t *wanted_ns, uint64_t *running_ns)
{
	ck_assert_ptr_eq(events, &session.events);
	*wanted_ns = parts.wanted_ns;
	*running_ns = parts.running_ns;
}

const struct shares *__wrap_unwinder_pool(const struct unwinder *unwinder, enum prof_lack_kind kind)
{
	(void)unwinder;
	if (kind == PROF_LACK_COPIES)
		return &parts.copies;
	return kind == PROF_LACK_TABLES ? &parts.tables : NULL;
}

int __wrap_cpus_online(u32_vec *cpus, struct err *e)
{
	ck_assert_ptr_null(e);
	return parts.online ? vec_append(cpus, parts.online, parts.nr_online) : -EIO;
}

static void begin(void)
{
	session.err = &err;
	session.events.event.name = "cycles";
}

static void end(void)
{
	shares_deinit(&parts.names);
	shares_deinit(&parts.tables);
	shares_deinit(&parts.copies);
	shares_deinit(&session.jit.held);
	shares_deinit(&session.jit.unread);
	shares_deinit(&session.looks.left_out);
	vec_free(&session.online);
	vec_free(&session.changed_cpus);
}

static void expect_notes(const char *want)
{
	said_notes[0] = '\0';
	session_note_omissions(&session);
	ck_assert_str_eq(said_notes, want);
}

START_TEST(nothing_to_note)
{
	parts.lacks = "lacks"; /* of another backend than the one in use */
	expect_notes("");
}
END_TEST

START_TEST(what_a_backend_lacks)
{
	parts.lacks = "some threads were not seen";
	session.is_own = true;
	expect_notes("some threads were not seen\n");
	parts.lacks = NULL;
	expect_notes("");
}
END_TEST

START_TEST(numbers_of_what_was_left_out)
{
	session.spaces.nr_left_out = 3;
	session.new_processes.nr_left_out = 4;
	parts.nr_stopped = 5;
	expect_notes(
		"3 mappings were not kept: they did not fit into --max-memory, and their frames are unknown\n"
		"4 processes were not described when they began: --max-memory was half in use\n"
		"5 times a signal stopped the child that looks at processes, and another took its place: some mappings were read late\n");
}
END_TEST

START_TEST(counters_that_others_had)
{
	parts.wanted_ns = 1000;
	parts.running_ns = 1000;
	expect_notes("");
	parts.running_ns = 250;
	expect_notes(
		"event 'cycles' was counted for 25 % of the time, since others used the counters of the CPUs: samples are missing\n");
}
END_TEST

#define GIVEN_UP                                                                                   \
	"7 looks at files or mappings of processes were given up, since no answer came in time (a file server that hangs?): frames there may be unknown, and stacks cut\n"

START_TEST(looks_that_were_given_up)
{
	parts.nr_given_up = 7;
	parts.most_given_up = 6;
	parts.uid = 1000;
	expect_notes(GIVEN_UP "6 of them were at processes of user 1000\n");
	parts.uid = SHARES_OTHERS;
	expect_notes(GIVEN_UP "6 of them were at processes that had ended\n");
}
END_TEST

static void expect_lacks(const char *what, enum prof_lack_kind kind)
{
	char want[1024];

	snprintf(want, sizeof(want), "%s %s\n", what, prof_lack_words[kind].message);
	expect_notes(want);
}

/* The message has the sum, and the user with most of it, if he is known. */
START_TEST(lacks_by_user)
{
	char want[1024];

	shares_note_lack(&parts.tables, SHARES_OTHERS);
	expect_lacks("1 time", PROF_LACK_TABLES);
	shares_note_lack(&parts.tables, FILE_OWNER_UNSURE);
	shares_note_lack(&parts.tables, FILE_OWNER_UNSURE);
	expect_lacks("3 times", PROF_LACK_TABLES);
	shares_note_lacks(&parts.tables, 1000, 5);
	snprintf(want, sizeof(want), "8 times %s; 5 of user 1000\n",
		 prof_lack_words[PROF_LACK_TABLES].message);
	expect_notes(want);
}
END_TEST

/* They are a part of each recording of programs that begin. */
START_TEST(few_copies_that_lack_room)
{
	char want[1024];

	parts.nr_taken = 1000;
	shares_note_lacks(&parts.copies, SHARES_OTHERS, 9);
	expect_notes("");
	shares_note_lack(&parts.copies, SHARES_OTHERS);
	expect_lacks("10 times", PROF_LACK_COPIES);
	session.probes.events.nr = 1;
	snprintf(want, sizeof(want), "10 times %s (-c COUNT counts fewer hits)\n",
		 prof_lack_words[PROF_LACK_COPIES].message);
	expect_notes(want);
	session.probes.events.nr = 0;
}
END_TEST

START_TEST(lacks_of_all_kinds)
{
	struct shares *const pools[] = {
		[PROF_LACK_TABLES] = &parts.tables,
		[PROF_LACK_NAMES] = &parts.names,
		[PROF_LACK_JIT_MAPS] = &session.jit.held,
		[PROF_LACK_JIT_READS] = &session.jit.unread,
		[PROF_LACK_LOOKS] = &session.looks.left_out,
	};
	static struct prof_end end;
	uint32_t nr = 0;

	for (uint32_t kind = 0; kind < ARRAY_SIZE(pools); kind++)
		if (pools[kind])
			shares_note_lacks(pools[kind], 1000 + kind, 1 + kind);
	ck_assert_int_eq(session_tell_lacks(&session, &end), 0);
	for (uint32_t kind = 0; kind < ARRAY_SIZE(pools); kind++) {
		if (!pools[kind])
			continue;
		ck_assert_uint_lt(nr, end.nr_lacks);
		ck_assert_uint_eq(end.lacks[nr].kind, kind);
		ck_assert_uint_eq(end.lacks[nr].uid, 1000 + kind);
		ck_assert_uint_eq(end.lacks[nr++].nr, 1 + kind);
	}
	ck_assert_uint_eq(end.nr_lacks, nr);
}
END_TEST

/* Those with most are told apart, so they come first; of several, the one with the lowest id. */
START_TEST(users_with_most_are_told_apart)
{
	static struct prof_end end;
	const struct prof_lack *lacks = end.lacks;

	for (uint32_t i = 0; i < PROF_MAX_LACK_USERS + 2; i++)
		shares_note_lacks(&parts.tables, 1010 - i, i < 3 ? 1 : 9);
	shares_note_lacks(&parts.tables, SHARES_OTHERS, 100);
	shares_note_lacks(&parts.tables, 2000, 0);
	ck_assert_int_eq(session_tell_lacks(&session, &end), 0);
	ck_assert_uint_eq(end.nr_lacks, PROF_MAX_LACK_USERS + 1);
	for (uint32_t i = 0; i < 7; i++) {
		ck_assert_uint_eq(lacks[i].uid, 1001 + i);
		ck_assert_uint_eq(lacks[i].nr, 9);
	}
	ck_assert_uint_eq(lacks[7].uid, 1008);
	ck_assert_uint_eq(lacks[8].uid, PROF_UID_UNKNOWN);
	ck_assert_uint_eq(lacks[8].nr, 102);
}
END_TEST

START_TEST(out_of_memory)
{
	shares_note_lack(&parts.tables, 1000);
	shares_note_lack(&parts.names, 1000);
	oom_for_each_call(n)
	{
		static struct prof_end end;

		ck_assert_int_eq(session_tell_lacks(&session, &end), oom_hit ? -ENOMEM : 0);
	}
}
END_TEST

static void play_online(const uint32_t *cpus, size_t nr)
{
	parts.online = cpus;
	parts.nr_online = nr;
	said_notes[0] = '\0';
	ck_assert_int_eq(session_watch_cpus(&session), 0);
}

#define CPUS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4

#define OFFLINE " went offline: it is not sampled from now on, also when it comes back\n"
#define ONLINE  " came online: it is not sampled, and mappings that are made on it may be unknown\n"

/* Each change is told once, and the CPU counts as changed from then on. */
START_TEST(cpus_that_come_and_go)
{
	ck_assert_int_eq(vec_push(&session.online, 0), 0);
	ck_assert_int_eq(vec_push(&session.online, 1), 0);
	play_online(CPUS(0, 1));
	ck_assert_str_eq(said_notes, "");
	play_online(NULL, 0);
	ck_assert_str_eq(said_notes, "");
	play_online(CPUS(0, 2));
	ck_assert_str_eq(said_notes, "CPU 1" OFFLINE "CPU 2" ONLINE);
	ck_assert_uint_eq(session.changed_cpus.nr, 2);
	play_online(CPUS(0, 1, 3));
	ck_assert_str_eq(said_notes, "CPU 3" ONLINE);
	ck_assert_uint_eq(session.changed_cpus.nr, 3);
}
END_TEST

START_TEST(no_memory_for_cpus)
{
	static const uint32_t cpus[] = {1};

	parts.online = cpus;
	parts.nr_online = 1;
	oom_granted = 1;
	ck_assert_int_eq(session_watch_cpus(&session), -ENOMEM);
	ck_assert_str_eq(err.text, "failed to record: out of memory");
	oom_granted = SIZE_MAX;
}
END_TEST

SUITE_MAIN_WITH("session_notes", begin, end, nothing_to_note, what_a_backend_lacks,
		numbers_of_what_was_left_out, counters_that_others_had, looks_that_were_given_up,
		lacks_by_user, few_copies_that_lack_room, lacks_of_all_kinds,
		users_with_most_are_told_apart, out_of_memory, cpus_that_come_and_go,
		no_memory_for_cpus)
