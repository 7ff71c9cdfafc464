// SPDX-License-Identifier: GPL-2.0-or-later
/* What patterns find, and what is attached. The test plays the files and the kernel (--wrap). */
#include "record/probes/probes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/played_places.h"

/* Adds the pattern @text of that kind for processes 1 to @nr_pids. */
static int add_weighted(const char *text, enum pattern_kind kind, struct hit_weight *weight,
			size_t nr_pids)
{
	uint32_t numbers[] = {1, 2, 3, 4};
	const u32_vec pids = {numbers, nr_pids, ARRAY_SIZE(numbers)};

	err = (struct err){0};
	pattern.kind = kind;
	pattern.text = text;
	return probes_add(&probes, &pattern, weight, &pids, &err);
}

static int add(const char *text, enum pattern_kind kind)
{
	return add_weighted(text, kind, NULL, 0);
}

static void expect_error(int ret, int code, const char *text, const char *hint)
{
	ck_assert_int_eq(ret, code);
	ck_assert_str_eq(err.text, text);
	ck_assert_msg(!strncmp(err.hint, hint, strlen(hint)) && !*hint == !*err.hint, "%s",
		      err.hint);
	ck_assert_uint_eq(probes.sets.nr, 0);
	for (size_t i = 0; i < NR_HIT_PROGRAMS; i++)
		ck_assert(!probes.hits[i]);
}

/* A category of tracepoints comes before a library; what is neither is no tracepoint. */
START_TEST(patterns_of_either_kind)
{
	played.nr_tracepoints = 3;
	played.nr_places = 2;
	played.has_category = played.has_library = true;
	ck_assert_int_eq(add("app:x", PATTERN_EITHER), 0);
	ck_assert_int_eq(pattern.kind, PATTERN_TRACEPOINT);
	ck_assert_int_eq(probes.events.data[0].kind, PROF_EVENT_TRACEPOINT);
	ck_assert_uint_eq(probes.events.data[0].nr_probes, 3);
	ck_assert(probes.hits[HIT_TRACEPOINT] && !probes.hits[HIT_USER_CALL]);
	played.has_category = false;
	ck_assert_int_eq(add("app:x", PATTERN_EITHER), 0);
	ck_assert_int_eq(pattern.kind, PATTERN_USER);
	ck_assert_int_eq(probes.events.data[1].kind, PROF_EVENT_USER_CALLS);
	ck_assert_uint_eq(probes.events.data[1].nr_probes, 2);
	ck_assert(probes.hits[HIT_USER_CALL] && !probes.hits[HIT_KERNEL_CALL]);
	played.has_category = true;
	played.has_library = false;
	ck_assert_int_eq(add("p:app:x", PATTERN_USER), 0);
	ck_assert_int_eq(pattern.kind, PATTERN_USER);
}
END_TEST

START_TEST(tracepoints_that_are_not_there)
{
	expect_error(add("app:x", PATTERN_EITHER), -ENOENT, "no tracepoint app:x", "");
	expect_error(add("t:app:x", PATTERN_TRACEPOINT), -ENOENT, "no tracepoint t:app:x", "");
	/* A word without "t:" may be meant as a library, so that is refused, too. */
	played.find_error = -EACCES;
	expect_error(add("app:x", PATTERN_EITHER), -ENOENT, "no tracepoint app:x", "");
	expect_error(add("t:app:x", PATTERN_TRACEPOINT), -EACCES, "no tracefs", "");
	played.find_error = -EIO;
	expect_error(add("app:x", PATTERN_EITHER), -EIO, "no tracefs", "");
}
END_TEST

/* A file that several processes have is one, whatever else has its inode's number. */
START_TEST(files_of_processes)
{
	static const struct library seen[] = {{.dev = 1, .inode = 1},
					      {.dev = 1, .inode = 1},
					      {.dev = 1, .inode = 2},
					      {.dev = 2, .inode = 1}};

	memcpy(played.libraries, seen, sizeof(seen));
	played.nr_places = 2;
	ck_assert_int_eq(add_weighted("app:x", PATTERN_USER, NULL, 4), 0);
	ck_assert_uint_eq(played.nr_opened, 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(played.opened[i], i + 1);
	ck_assert_uint_eq(played.nr_found, 3);
	ck_assert_int_eq(fcntl(played.second_fd, F_GETFD), -1);
	ck_assert_uint_eq(probes.sets.data[0].files.nr, 3);
	ck_assert_uint_eq(probes.sets.data[0].files.data[1].library.inode, 2);
	ck_assert_uint_eq(probes.sets.data[0].files.data[2].library.dev, 2);
	ck_assert_uint_eq(probes.events.data[0].nr_probes, 6);
	ck_assert_uint_eq(played.nr_usdt + played.nr_resolved, 0);
	/* Without processes it is that of the host. */
	ck_assert_int_eq(add("u:app:x", PATTERN_USDT), 0);
	ck_assert_uint_eq(played.nr_opened, 5);
	ck_assert_uint_eq(played.opened[4], 0);
	ck_assert_uint_eq(played.nr_usdt, 1);
	ck_assert_int_eq(probes.events.data[1].kind, PROF_EVENT_USDT);
}
END_TEST

START_TEST(files_that_cannot_be_read)
{
	static const struct {
		int code;
		const char *text;
	} cases[] = {
		{-ERANGE, "failed to find 'x': there is no code at this offset of '/bin/app'"},
		{-ENOEXEC, "failed to read '/bin/app': not a whole ELF file of 64 bits"},
		{-E2BIG,
		 "failed to read '/bin/app': too many functions, or symbols that repeat long names"},
		{-EIO, "failed to read '/bin/app': Input/output error"},
	};

	played.nr_places = played.nr_indirect = 1;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played.find_error = cases[i].code;
		expect_error(add_weighted("x", PATTERN_USER, NULL, 2), cases[i].code, cases[i].text,
			     "");
		ck_assert_int_eq(fcntl(played.last_fd, F_GETFD), -1);
		ck_assert_uint_eq(played.nr_opened, i + 1);
	}
	ck_assert_uint_eq(played.nr_resolved, 0);
	played.find_error = 0;
	played.resolve_error = -ENOEXEC;
	expect_error(add("x", PATTERN_USER), -ENOEXEC, cases[1].text, "");
	ck_assert_uint_eq(played.nr_resolved, 1);
	played.library_error = -ENOENT;
	expect_error(add("x", PATTERN_USER), -ENOENT, "no library", "");
}
END_TEST

START_TEST(functions_of_a_file_without_a_place)
{
	const char *by_offset = "without debug symbols, stripped files name exported functions "
				"only; 'app:0xOFFSET' counts";

	played.nr_indirect = 1;
	expect_error(add("x", PATTERN_USER), -ENOENT,
		     "failed to find 'x': the code of 'memcpy' is chosen when a program starts "
		     "(IFUNC), and no process that runs tells which",
		     "-p a process that has called it");
	expect_error(add_weighted("x", PATTERN_USER, NULL, 1), -ENOENT,
		     "failed to find 'x': the code of 'memcpy' is chosen when a program starts "
		     "(IFUNC), and no call of the process tells which",
		     "-p a process that has called it");
	played.is_settled = true;
	played.nr_refused = 1;
	expect_error(add("x", PATTERN_USER), -EOPNOTSUPP,
		     "failed to attach to 'x': the kernel would execute its first instruction "
		     "wrongly at a probe (a prefix VEX or EVEX)",
		     "");
	played.nr_refused = 0;
	expect_error(add("x", PATTERN_USER), -ENOENT,
		     "failed to find 'x': no function matches in '/bin/app'", by_offset);
	played.nr_indirect = 0;
	expect_error(add("x", PATTERN_USDT), -ENOENT,
		     "failed to find 'x': no static probe (USDT) matches in '/bin/app'",
		     "'profrec --list u:app:' lists the static probes");
	played.similar = "u:app:y";
	expect_error(add("x", PATTERN_USDT), -ENOENT,
		     "failed to find 'x': no static probe (USDT) matches in '/bin/app'",
		     "did you mean 'u:app:y'?");
	played.similar = "app:y";
	expect_error(add("x", PATTERN_USER), -ENOENT,
		     "failed to find 'x': no function matches in '/bin/app'",
		     "did you mean 'app:y'?");
}
END_TEST

START_TEST(functions_of_the_kernel_without_a_place)
{
	played.are_hidden = true;
	played.nr_left_out = 2;
	expect_error(add("x", PATTERN_KERNEL), -EPERM,
		     "failed to find 'x': kernel addresses are hidden (kptr_restrict)", "");
	played.are_hidden = false;
	expect_error(add("x", PATTERN_KERNEL), -ENOENT,
		     "failed to find 'x': the kernel allows no probe in the 2 functions that match",
		     "inlined, or marked as notrace");
	played.nr_left_out = 0;
	expect_error(
		add("x", PATTERN_KERNEL), -ENOENT,
		"failed to find 'x': no function of the kernel matches",
		"LIB:FUNC names a function of a library, CATEGORY:EVENT a tracepoint; 'profrec --list' takes a part");
	played.similar = "c:x";
	expect_error(add("x", PATTERN_KERNEL), -ENOENT,
		     "failed to find 'x': no function of the kernel matches",
		     "did you mean 'c:x'?");
	played.nr_addrs = 2;
	played.way_error = -EOPNOTSUPP;
	expect_error(add("x", PATTERN_KERNEL), -EOPNOTSUPP, "failed to attach to 'x': the reason",
		     "");
	played.find_error = -EACCES;
	expect_error(add("x", PATTERN_KERNEL), -EACCES, "no kallsyms", "");
	/* Those that were found are what counts. */
	played.find_error = played.way_error = 0;
	played.are_hidden = true;
	played.nr_left_out = 1;
	played.way = KERNEL_BY_MULTI;
	ck_assert_int_eq(add("x", PATTERN_KERNEL), 0);
	ck_assert_int_eq(probes.kernel_way, KERNEL_BY_MULTI);
	ck_assert_int_eq(probes.events.data[0].kind, PROF_EVENT_KERNEL_CALLS);
	ck_assert_uint_eq(probes.events.data[0].nr_probes, 2);
	ck_assert(probes.hits[HIT_KERNEL_CALL]);
	ck_assert_uint_eq(probes_first_entry(&probes), 0);
}
END_TEST

START_TEST(functions_of_the_kernel_by_fentry)
{
	static const struct {
		int error;
		size_t nr_explained;
		const char *text;
	} cases[] = {
		{-EPERM, 1, "failed to attach to 'x': the reason: Operation not permitted"},
		{-EACCES, 2, "failed to attach to 'x': the reason: Permission denied"},
		{-EINVAL, 2, "failed to attach to 'x': the reason: Invalid argument"},
	};

	played.way = KERNEL_BY_FENTRY;
	played.nr_addrs = 130;
	expect_error(add("x", PATTERN_KERNEL), -ENOENT,
		     "failed to attach to 'x': the reason: the types of the kernel (BTF) lack the "
		     "function",
		     "system calls have tracepoints");
	played.resolve_error = -ENOENT;
	expect_error(add("x", PATTERN_KERNEL), -ENOENT, "no BTF", "");
	played.resolve_error = 0;
	played.nr_entries = 129;
	expect_error(add("x", PATTERN_KERNEL), -E2BIG,
		     "failed to attach to 'x': it matches 129 functions, and 128 are allowed by "
		     "fentry",
		     "choose a narrower pattern; a kernel with CONFIG_FPROBE");
	played.nr_entries = 128;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played.entry_error = cases[i].error;
		expect_error(add("x", PATTERN_KERNEL), cases[i].error, cases[i].text, "");
		ck_assert_uint_eq(played.nr_explained, cases[i].nr_explained);
	}
	played.entry_error = 0;
	played.nr_left_out = 5;
	ck_assert_int_eq(add("x", PATTERN_KERNEL), 0);
	ck_assert_uint_eq(probes.events.data[0].nr_probes, 128);
	ck_assert_uint_eq(probes.sets.data[0].functions.nr_left_out, 7);
	ck_assert_uint_eq(probes_first_entry(&probes), 10);
}
END_TEST

START_TEST(as_many_places_as_are_allowed)
{
	played.nr_places = 65536;
	ck_assert_int_eq(add("x", PATTERN_USER), 0);
	ck_assert_uint_eq(probes.events.data[0].nr_probes, 65536);
	probes_deinit(&probes);
	probes = (struct probes){0};
	played.nr_places++;
	expect_error(add("x", PATTERN_USER), -E2BIG,
		     "failed to attach to 'x': it matches 65537 functions, and 65536 are allowed",
		     "choose a narrower pattern");
}
END_TEST

START_TEST(weights_of_events)
{
	static const struct {
		enum pattern_kind kind;
		enum weight_source source;
		int ret;
		enum hit_program program;
		const char *text;
	} cases[] = {
		{PATTERN_KERNEL, WEIGHT_ARG, 0, HIT_KERNEL_CALL, ""},
		{PATTERN_USER, WEIGHT_ARG, 0, HIT_USER_CALL, ""},
		{PATTERN_TRACEPOINT, WEIGHT_FIELD, 0, HIT_WEIGHTED_TRACEPOINT, ""},
		{PATTERN_USDT, WEIGHT_ARG, -EINVAL, 0, "failed to use 'len': 'x' has no arguments"},
		{PATTERN_TRACEPOINT, WEIGHT_ARG, -EINVAL, 0,
		 "failed to use 'len': 'x' has no arguments"},
		{PATTERN_USER, WEIGHT_FIELD, -EINVAL, 0, "failed to use 'len': 'x' has no fields"},
		{PATTERN_KERNEL, WEIGHT_FIELD, -EINVAL, 0,
		 "failed to use 'len': 'x' has no fields"},
	};
	char name[] = "len";

	played.nr_addrs = played.nr_places = played.nr_tracepoints = 1;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hit_weight weight = {
			{.source = cases[i].source, .at = 2}, name, PROF_UNIT_NS};

		ck_assert_int_eq(add_weighted("x", cases[i].kind, &weight, 0), cases[i].ret);
		ck_assert_str_eq(err.text, cases[i].text);
		ck_assert_uint_eq(probes.has_weights, !cases[i].ret);
		ck_assert_uint_eq(probes.sets.nr, !cases[i].ret);
		if (!cases[i].ret) {
			ck_assert(probes.hits[cases[i].program]);
			ck_assert_str_eq(probes.events.data[0].weight, "len");
			ck_assert_int_eq(probes.events.data[0].unit, PROF_UNIT_NS);
			ck_assert_int_eq(probes.weights.data[0].source, cases[i].source);
			ck_assert_uint_eq(probes.weights.data[0].at,
					  cases[i].source == WEIGHT_FIELD ? 24 : 2);
		}
		probes_deinit(&probes);
		probes = (struct probes){0};
	}
	played.field_error = -ENOENT;
	expect_error(add_weighted("x", PATTERN_TRACEPOINT,
				  &(struct hit_weight){{.source = WEIGHT_FIELD}, name, 0}, 0),
		     -ENOENT, "no field", "");
}
END_TEST

START_TEST(as_many_events_as_a_recording_has)
{
	const struct prof_event event = {.name = "cpu-clock", .weight = ""};

	for (uint32_t i = 0; i < PROF_MAX_EVENTS; i++)
		ck_assert_int_eq(probes_add_event(&probes, &event, &err), 0);
	ck_assert_int_eq(probes_add_event(&probes, &event, &err), -E2BIG);
	ck_assert_str_eq(err.text, "failed to record: more than 255 events");
	ck_assert_uint_eq(probes.events.nr, PROF_MAX_EVENTS);
	ck_assert_uint_eq(probes.sets.nr, PROF_MAX_EVENTS);
	ck_assert_uint_eq(probes.weights.nr, PROF_MAX_EVENTS);
	ck_assert(!probes.has_weights);
	/* There is nothing to attach. */
	ck_assert_int_eq(probes_attach(&probes, NULL, &err), 0);
	ck_assert_uint_eq(played.nr_calls, 0);
}
END_TEST

static void expect_calls(const struct call *calls, size_t nr)
{
	ck_assert_uint_eq(played.nr_calls, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct call *call = &played.calls[i];

		ck_assert_int_eq(call->way, calls[i].way);
		ck_assert_int_eq(call->program, calls[i].program);
		ck_assert_uint_eq(call->first, calls[i].first);
		ck_assert_uint_eq(call->nr, calls[i].nr);
		ck_assert_uint_eq(call->event, calls[i].event);
	}
	played.nr_calls = 0;
}

#define EXPECT_CALLS(...)                                                                          \
	expect_calls((const struct call[]){__VA_ARGS__},                                           \
		     ARRAY_SIZE(((const struct call[]){__VA_ARGS__})))

/* Adds an event without probes, then a pattern of that kind, and attaches. */
static int attach_second(enum pattern_kind kind)
{
	const struct prof_event event = {.name = "cpu-clock", .weight = ""};

	probes_deinit(&probes);
	probes = (struct probes){.has_user_multi = probes.has_user_multi};
	ck_assert_int_eq(probes_add_event(&probes, &event, &err), 0);
	ck_assert_int_eq(add("x", kind), 0);
	return probes_attach(&probes, NULL, &err);
}

static void expect_attached(size_t nr_links, uint64_t nr_probes, uint64_t nr_unattached)
{
	ck_assert_uint_eq(probes.links.nr, nr_links);
	ck_assert_uint_eq(probes.events.data[1].nr_probes, nr_probes);
	ck_assert_uint_eq(probes.nr_unattached[0], 0);
	ck_assert_uint_eq(probes.nr_unattached[1], nr_unattached);
}

START_TEST(one_program_for_each_place)
{
	const int user = PROGRAM + HIT_USER_CALL, kernel = PROGRAM + HIT_KERNEL_CALL;
	int fd;

	played.nr_tracepoints = played.nr_places = played.nr_addrs = 2;
	ck_assert_int_eq(attach_second(PATTERN_TRACEPOINT), 0);
	EXPECT_CALLS({'t', PROGRAM + HIT_TRACEPOINT, 0x10, 1, 1},
		     {'t', PROGRAM + HIT_TRACEPOINT, 0x20, 1, 1});
	expect_attached(2, 2, 0);
	fd = probes.links.data[1];
	probes_detach(&probes);
	ck_assert_uint_eq(probes.links.nr, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	played.refused_place = 0x10;
	played.refusal = -EBUSY;
	played.nr_refused = 3;
	played.nr_indirect = 2;
	played.is_settled = true;
	ck_assert_int_eq(attach_second(PATTERN_USER), 0);
	EXPECT_CALLS({'u', user, 0x10, 1, 1}, {'u', user, 0x20, 1, 1});
	expect_attached(1, 1, 5); /* three were refused, and one of the two indirect ones */
	played.way = KERNEL_BY_KPROBE;
	played.nr_left_out = 4;
	ck_assert_int_eq(attach_second(PATTERN_KERNEL), 0);
	EXPECT_CALLS({'k', kernel, 0x10, 1, 1}, {'k', kernel, 0x20, 1, 1});
	expect_attached(1, 1, 5);
	played.way = KERNEL_BY_FENTRY;
	played.nr_entries = 2;
	ck_assert_int_eq(attach_second(PATTERN_KERNEL), 0);
	EXPECT_CALLS({'e', COPY + 10, 0x10, 1, 1}, {'e', COPY + 20, 0x20, 1, 1});
	expect_attached(1, 1, 5);
}
END_TEST

/* The kernel refuses all for the sake of one. */
START_TEST(many_places_at_once)
{
	const int user = PROGRAM + HIT_USER_CALL, kernel = PROGRAM + HIT_KERNEL_CALL;

	probes.has_user_multi = true;
	played.way = KERNEL_BY_MULTI;
	played.nr_places = played.nr_addrs = 5;
	ck_assert_int_eq(attach_second(PATTERN_USER), 0);
	EXPECT_CALLS({'U', user, 0x10, 5, 1});
	expect_attached(1, 5, 0);
	ck_assert_int_eq(attach_second(PATTERN_KERNEL), 0);
	EXPECT_CALLS({'K', kernel, 0x10, 5, 1});
	expect_attached(1, 5, 0);
	played.refused_place = 0x40;
	played.refusal = -EINVAL;
	ck_assert_int_eq(attach_second(PATTERN_USER), 0);
	EXPECT_CALLS({'U', user, 0x10, 5, 1}, {'U', user, 0x10, 2, 1}, {'U', user, 0x30, 3, 1},
		     {'U', user, 0x30, 1, 1}, {'U', user, 0x40, 2, 1}, {'U', user, 0x40, 1, 1},
		     {'U', user, 0x50, 1, 1});
	expect_attached(3, 4, 1);
	ck_assert_int_eq(attach_second(PATTERN_KERNEL), 0);
	EXPECT_CALLS({'K', kernel, 0x10, 5, 1}, {'K', kernel, 0x10, 2, 1},
		     {'K', kernel, 0x30, 3, 1}, {'K', kernel, 0x30, 1, 1},
		     {'K', kernel, 0x40, 2, 1}, {'K', kernel, 0x40, 1, 1},
		     {'K', kernel, 0x50, 1, 1});
	expect_attached(3, 4, 1);
}
END_TEST

/* Some errors hold for all places alike. The first reason is what the user reads. */
START_TEST(places_that_are_all_refused)
{
	static const enum pattern_kind kinds[] = {PATTERN_USER, PATTERN_KERNEL};

	probes.has_user_multi = true;
	played.way = KERNEL_BY_MULTI;
	played.nr_places = played.nr_addrs = 2;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		played.other_refusal = -EPERM;
		ck_assert_int_eq(attach_second(kinds[i]), -EPERM);
		ck_assert_str_eq(err.text, "failed to attach to 'x': Operation not permitted");
		ck_assert_uint_eq(played.nr_explained, 2 * i + 1);
		ck_assert_uint_eq(played.nr_calls, 1);
		ck_assert_uint_eq(probes.nr_unattached[1], 2);
		played.other_refusal = -ENOMEM;
		ck_assert_int_eq(attach_second(kinds[i]), -ENOMEM);
		ck_assert_str_eq(err.text, "failed to find the probes: out of memory");
		ck_assert_uint_eq(played.nr_calls, 2);
		played.other_refusal = -EACCES;
		played.refused_place = 0x20;
		played.refusal = -EINVAL;
		ck_assert_int_eq(attach_second(kinds[i]), -EACCES);
		ck_assert_uint_eq(played.nr_explained, 2 * i + 2);
		ck_assert_uint_eq(played.nr_calls, 5);
		played.refused_place = 0x10;
		ck_assert_int_eq(attach_second(kinds[i]), -EINVAL);
		ck_assert_str_eq(err.text, "failed to attach to 'x': Invalid argument");
		ck_assert_uint_eq(played.nr_explained, 2 * i + 2);
		played.refused_place = played.nr_calls = 0;
	}
	ck_assert_uint_eq(probes.links.nr, 0);
}
END_TEST

/* Nothing more is attached when memory is short. */
START_TEST(attaching_without_memory)
{
	static const struct {
		enum pattern_kind kind;
		enum kernel_way way;
	} cases[] = {{PATTERN_TRACEPOINT, KERNEL_BY_ANY},
		     {PATTERN_USER, KERNEL_BY_ANY},
		     {PATTERN_KERNEL, KERNEL_BY_KPROBE},
		     {PATTERN_KERNEL, KERNEL_BY_FENTRY}};

	played.nr_tracepoints = played.nr_places = played.nr_addrs = played.nr_entries = 3;
	played.refused_place = 0x20;
	played.refusal = -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played.way = cases[i].way;
		played.nr_calls = 0;
		ck_assert_int_eq(attach_second(cases[i].kind), -ENOMEM);
		ck_assert_uint_eq(played.nr_calls, 2);
		ck_assert_uint_eq(probes.links.nr, 1);
	}
	/* The copy of a program was refused. */
	played.nr_calls = 0;
	played.entry_error = -EINVAL;
	ck_assert_int_eq(probes_attach(&probes, NULL, &err), -EINVAL);
	ck_assert_uint_eq(played.nr_calls, 0);
}
END_TEST

/* Files that cannot be mapped are left out. */
START_TEST(files_that_are_mapped)
{
	struct probed_file files[] = {{.library.fd = memfd_create("library", MFD_CLOEXEC)},
				      {.library.fd = -1}};
	struct probe_set sets[] = {{.files = {files, ARRAY_SIZE(files), ARRAY_SIZE(files)}}};
	struct probes given = {.sets = {sets, 1, 1}};
	unsigned char is_there;

	ck_assert_int_eq(ftruncate(files[0].library.fd, 1), 0);
	ck_assert_uint_eq(probes_map_files(&given), 1);
	ck_assert_ptr_nonnull(files[0].mapped);
	ck_assert_ptr_null(files[1].mapped);
	ck_assert_int_eq(mincore(files[0].mapped, 1, &is_there), 0);
	probes_unmap_files(&given);
	ck_assert_int_lt(mincore(files[0].mapped, 1, &is_there), 0);
	close(files[0].library.fd);
}
END_TEST

SUITE_MAIN_WITH("probes", begin, end, patterns_of_either_kind, tracepoints_that_are_not_there,
		files_of_processes, files_that_cannot_be_read, functions_of_a_file_without_a_place,
		functions_of_the_kernel_without_a_place, functions_of_the_kernel_by_fentry,
		as_many_places_as_are_allowed, weights_of_events, as_many_events_as_a_recording_has,
		one_program_for_each_place, many_places_at_once, places_that_are_all_refused,
		attaching_without_memory, files_that_are_mapped)
