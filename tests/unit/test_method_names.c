// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of methods of Java that the recorder asks for. The process is the test itself: without a
 * looker, questions are answered here.
 */
#include "record/machines/method_names.h"

#include <bpf/bpf.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/suite.h"

#define TIME  100
#define SPACE 7
#define LINE  12
#define USER  1000

struct symbol {
	uint16_t length;
	char text[30];
};

struct class
{
	struct symbol *name;
};

struct pool {
	struct class *class;
	struct symbol *names[2];
};

struct parts {
	struct pool *pool;
	uint16_t name, code_bytes, flags, reserved;
	uint32_t words, more;
	uint8_t lines[8];
};

struct method {
	struct parts *parts;
};

static struct symbol class_name, names[2];
static struct class class;
static struct pool pool;
static struct parts parts;
static struct parts other_parts;
static struct method method, other;

static struct address_spaces spaces;
static struct memory_budget memory;
static struct function_names functions;
static struct method_names methods;
static struct machines machines;

/* The program's map of functions that have names has room for one. */
static struct seen_function seen;
static bool has_seen;

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	(void)fd;
	(void)value;
	ck_assert_uint_eq(flags, BPF_NOEXIST);
	if (has_seen)
		return -EEXIST;
	memcpy(&seen, key, sizeof(seen));
	has_seen = true;
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	(void)fd;
	ck_assert_mem_eq(key, &seen, sizeof(seen));
	has_seen = false;
	return 0;
}

/* CPU time passes each time that somebody asks for it. */
static uint64_t cpu_ns, cpu_step_ns;

int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return __real_clock_gettime(clock, ts);
	cpu_ns += cpu_step_ns;
	*ts = (struct timespec){.tv_sec = cpu_ns / NS_PER_S, .tv_nsec = cpu_ns % NS_PER_S};
	return 0;
}

static void set_symbol(struct symbol *symbol, const char *text)
{
	symbol->length = strlen(text);
	memcpy(symbol->text, text, symbol->length);
}

static struct machine this_process(void)
{
	return (struct machine){
		.pid = getpid(),
		.java.machine = {.version = 17,
				 .const_pool = offsetof(struct parts, pool),
				 .const_name = offsetof(struct parts, name),
				 .const_code_size = offsetof(struct parts, code_bytes),
				 .const_bytes = offsetof(struct parts, lines),
				 .pool_bytes = offsetof(struct pool, names),
				 .symbol_text = offsetof(struct symbol, text)},
		.java.layout = {.has_lines = 1,
				.const_flags = offsetof(struct parts, flags),
				.const_words = offsetof(struct parts, words)}};
}

static void begin(void)
{
	const struct machine process = this_process();

	set_symbol(&class_name, "a/K");
	set_symbol(&names[0], "first");
	set_symbol(&names[1], "other");
	class.name = &class_name;
	pool = (struct pool){&class, {&names[0], &names[1]}};
	/* The bytecode at 0 has line 12. */
	parts = (struct parts){.pool = &pool,
			       .flags = 1,
			       .words = sizeof(parts) / 8,
			       .lines = {0xff, 0, 2 * LINE, 0}};
	method.parts = &parts;
	spaces = (struct address_spaces){0};
	memory = (struct memory_budget){0};
	address_spaces_limit(&spaces, &memory);
	functions = (struct function_names){.seen_map = 1};
	method_names_init(&methods, NULL);
	machines = (struct machines){.maps = {-1, -1}};
	ck_assert_int_eq(vec_push(&machines.processes, process), 0);
	has_seen = false;
}

static void end(void)
{
	function_names_deinit(&functions);
	method_names_deinit(&methods);
	machines_deinit(&machines);
	address_spaces_deinit(&spaces);
}

static uint64_t word_of(const struct method *m)
{
	return LANGUAGE_WORD(
		LANGUAGE_JAVA,
		java_method_check((uintptr_t)m->parts, (uintptr_t)&pool, m->parts->name),
		(uintptr_t)m);
}

static uint64_t word_of_method(void)
{
	return word_of(&method);
}

/* The program has read the name of @m, and that it is @text. */
static void send_name_of(const struct method *m, const char *text)
{
	struct function_name name = {.word = word_of(m), .time_ns = TIME, .tgid = getpid()};
	uint32_t nr;

	name.name.nr_bytes = strlen(text);
	memcpy(name.name.bytes, text, strlen(text));
	name.file.nr_bytes = 3;
	memcpy(name.file.bytes, "a/K", 3);
	ck_assert_int_eq(function_names_add(&functions, &name, &nr), 0);
	ck_assert_int_eq(method_names_want(&methods, &name, nr, NULL), 0);
}

static void send_name(const char *text)
{
	send_name_of(&method, text);
}

/* Asks, and finds the function with @word. */
static const struct named_function *answer(uint64_t word)
{
	const struct source_function *inlined;
	struct address_space *space;

	ck_assert_int_eq(method_names_ask(&methods, &machines, &functions), 0);
	ck_assert_uint_eq(methods.wanted.nr, 0);
	ck_assert_int_eq(function_names_settle(&functions, &spaces), 0);
	ck_assert_int_eq(address_spaces_get(&spaces, getpid(), TIME, &space), 0);
	return function_names_find(&functions, space->generation, word, &inlined);
}

START_TEST(an_answer_adds_the_line)
{
	send_name("first");
	ck_assert_str_eq(answer(word_of_method())->own.name, "a.K.first");
	ck_assert_uint_eq(answer(word_of_method())->own.line, LINE);
}
END_TEST

/* One question is of several methods. */
START_TEST(answers_of_several_methods)
{
	other_parts = parts;
	other_parts.name = 1;
	other_parts.lines[2] = 2 * (LINE + 1);
	other.parts = &other_parts;
	send_name_of(&method, "first");
	send_name_of(&other, "other");
	ck_assert_uint_eq(answer(word_of(&method))->own.line, LINE);
	ck_assert_str_eq(answer(word_of(&other))->own.name, "a.K.other");
	ck_assert_uint_eq(answer(word_of(&other))->own.line, LINE + 1);
}
END_TEST

/* The memory has come to hold another name before the looker reads it. */
START_TEST(an_answer_with_another_name_is_not_kept)
{
	send_name("gone");
	ck_assert_str_eq(answer(word_of_method())->own.name, "a.K.gone");
	ck_assert_uint_eq(answer(word_of_method())->own.line, 0);
}
END_TEST

/* The program has read no name. */
START_TEST(an_answer_names_what_has_no_name)
{
	send_name("");
	ck_assert_str_eq(answer(word_of_method())->own.name, "a.K.first");
	ck_assert_uint_eq(answer(word_of_method())->own.line, LINE);
}
END_TEST

START_TEST(without_an_answer_there_is_no_name)
{
	uint64_t word = word_of_method();

	send_name("");
	parts.name = 1;
	ck_assert_str_eq(answer(word)->own.name, "");
}
END_TEST

/* Names are equal, and the method is another. */
START_TEST(an_answer_of_another_method_is_not_kept)
{
	uint64_t word = word_of_method();

	send_name("first");
	parts.name = 1;
	set_symbol(&names[1], "first");
	ck_assert_str_eq(answer(word)->own.name, "a.K.first");
	ck_assert_uint_eq(answer(word)->own.line, 0);
}
END_TEST

static void want_unnamed(uint64_t word)
{
	const struct early_sample sample = {
		.key.tgid = getpid(), .time_ns = TIME, .space_id = SPACE};
	const struct java_stretch_frame frame = {.address = word};

	ck_assert_int_eq(method_names_want_unnamed(&methods, &functions, &sample, &frame), 0);
}

START_TEST(the_recorder_names_what_it_has_found)
{
	want_unnamed(word_of_method());
	ck_assert(has_seen);
	ck_assert_uint_eq(seen.space_id, SPACE);
	/* It is asked for once. */
	want_unnamed(word_of_method());
	ck_assert_uint_eq(methods.wanted.nr, 1);
	ck_assert_str_eq(answer(word_of_method())->own.name, "a.K.first");
	ck_assert_str_eq(answer(word_of_method())->own.file, "a.K");
	ck_assert_uint_eq(answer(word_of_method())->own.line, LINE);
	ck_assert(has_seen);
}
END_TEST

START_TEST(an_address_needs_no_name)
{
	want_unnamed((uintptr_t)&method);
	ck_assert_uint_eq(methods.wanted.nr, 0);
}
END_TEST

/* The method has gone, or its process: the program may send the name later. */
START_TEST(without_an_answer_the_next_sample_asks)
{
	uint64_t word = word_of_method();

	want_unnamed(word);
	parts.name = 1;
	ck_assert_ptr_null(answer(word));
	ck_assert(!has_seen);
	want_unnamed(word);
	ck_assert(has_seen);
	machines.processes.data[0].pid = 0;
	ck_assert_ptr_null(answer(word));
	ck_assert(!has_seen);
}
END_TEST

/* A Script of V8 with its text, and their maps. */
static struct {
	uint64_t script[9], text[6];
	struct {
		uint32_t reserved[3], type;
	} script_map, text_map;
} v8;

/* A function of JavaScript that begins in line 3 of its text. */
static void send_node_name(uint64_t word, uint64_t script)
{
	const struct interpreter in = {.node = {.script_type = 167, .array_type = 175}};
	struct function_name name = {.word = word,
				     .time_ns = TIME,
				     .tgid = getpid(),
				     .uid = USER,
				     .block = script,
				     .compile_id = 5,
				     .position = 4,
				     .name = {.nr_bytes = 1, .bytes = "f"},
				     .file = {.nr_bytes = 4, .bytes = "a.js"}};
	uint32_t nr;

	v8.script_map.type = 167;
	v8.text_map.type = 8;
	v8.script[0] = (uintptr_t)&v8.script_map + 1;
	v8.script[1] = (uintptr_t)v8.text + 1;
	v8.script[8] = UINT64_C(5) << 32;
	v8.text[0] = (uintptr_t)&v8.text_map + 1;
	v8.text[1] = UINT64_C(10) << 32;
	memcpy(&v8.text[2], "1\n2\n3\n4\n5\n", 10);
	ck_assert_int_eq(function_names_add(&functions, &name, &nr), 0);
	ck_assert_int_eq(method_names_want(&methods, &name, nr, &in), 0);
	ck_assert_int_eq(method_names_want(&methods, &name, nr, NULL), 0);
}

START_TEST(functions_of_javascript_get_lines)
{
	const uint64_t word = LANGUAGE_WORD(LANGUAGE_NODE, 1, 0x1000);
	const uint64_t gone = LANGUAGE_WORD(LANGUAGE_NODE, 2, 0x1000);
	const uint64_t none = LANGUAGE_WORD(LANGUAGE_NODE, 3, 0x1000);

	send_name("first");
	send_node_name(word, (uintptr_t)v8.script);
	send_node_name(gone, 0x1000);
	send_node_name(none, 0);
	ck_assert_uint_eq(methods.wanted.nr, 3);
	ck_assert_uint_eq(answer(word)->own.line, 3);
	ck_assert_str_eq(answer(word)->own.name, "f");
	ck_assert_str_eq(answer(word)->own.file, "a.js");
	ck_assert_uint_eq(answer(gone)->own.line, 0);
	ck_assert_str_eq(answer(gone)->own.name, "f");
	ck_assert_uint_eq(answer(word_of_method())->own.line, LINE);
}
END_TEST

/* Whose time is spent gets no lines; methods of Java have theirs. Who has time pays. */
START_TEST(functions_of_javascript_take_time)
{
	const uint64_t word = LANGUAGE_WORD(LANGUAGE_NODE, 1, 0x1000);
	const uint64_t late = LANGUAGE_WORD(LANGUAGE_NODE, 2, 0x1000);
	const uint64_t slow = LANGUAGE_WORD(LANGUAGE_NODE, 3, 0x1000);

	send_node_name(word, (uintptr_t)v8.script);
	ck_assert_uint_eq(answer(word)->own.line, 3);
	ck_assert_uint_eq(methods.looks.owners.accounts.nr, 1);
	ck_assert_uint_eq(methods.looks.owners.accounts.data[0].uid, USER);
	methods.looks.took_ns = NS_PER_S;
	look_budget_charge(&methods.looks, USER);
	send_node_name(late, (uintptr_t)v8.script);
	send_name("first");
	ck_assert_uint_eq(answer(late)->own.line, 0);
	ck_assert_str_eq(answer(late)->own.name, "f");
	ck_assert_uint_eq(answer(word_of_method())->own.line, LINE);
	/* A question reads nothing more after 20 ms of CPU time. */
	method_names_deinit(&methods);
	method_names_init(&methods, NULL);
	cpu_step_ns = 20 * NS_PER_MS;
	send_node_name(slow, (uintptr_t)v8.script);
	ck_assert_uint_eq(answer(slow)->own.line, 0);
	cpu_step_ns = 0;
}
END_TEST

/* So many processes take the time of a pass. */
#define NR_OTHERS 45

/* What waits for the recorder does not wait for many processes of Node.js. */
START_TEST(a_pass_ends)
{
	const uint64_t word = LANGUAGE_WORD(LANGUAGE_NODE, 1, 0x1000);

	for (uint32_t i = 0; i <= NR_OTHERS; i++)
		send_node_name(word + i, (uintptr_t)v8.script);
	for (uint32_t i = 0; i <= NR_OTHERS; i++) {
		methods.wanted.data[i].uid = 0;
		methods.wanted.data[i].pid -= NR_OTHERS - i;
	}
	cpu_step_ns = NS_PER_MS;
	ck_assert_uint_eq(answer(word + NR_OTHERS)->own.line, 0);
	send_node_name(word + 100, (uintptr_t)v8.script);
	ck_assert_uint_eq(answer(word + 100)->own.line, 3);
	cpu_step_ns = 0;
}
END_TEST

SUITE_MAIN_WITH("method_names", begin, end, an_answer_adds_the_line, answers_of_several_methods,
		an_answer_with_another_name_is_not_kept, an_answer_names_what_has_no_name,
		without_an_answer_there_is_no_name, an_answer_of_another_method_is_not_kept,
		the_recorder_names_what_it_has_found, functions_of_javascript_get_lines,
		functions_of_javascript_take_time, a_pass_ends, an_address_needs_no_name,
		without_an_answer_the_next_sample_asks)
