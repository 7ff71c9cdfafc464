// SPDX-License-Identifier: GPL-2.0-or-later
/* The versions of Ruby, and the code of its interpreter. */
#include "record/languages/files/language_files.h"

#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

/* Places in the data. */
#define VERSION_AT      0
#define CONTEXT         32
#define CURRENT         64
#define LABEL           128
#define LINE            160
#define TABLE           256
#define LOOP            1024
#define LOOP_BYTES      100
#define EVAL            1200
#define EVAL_MAIN       1300
#define EVAL_BYTES      50
#define SEND            1400
#define SEND_BYTES      50
#define COLD            1500
#define COLD_BYTES      100
#define CORE            4096
#define CORE_BYTES      8192
#define CORE_COLD       12400
#define CORE_COLD_BYTES 100

/* Numbers of symbols. */
enum {
	RUBY_VERSION = 1,
	THREAD_CURRENT,
	ISEQ_LABEL,
	ISEQ_LINE,
	VM_EXEC,
	ISEQ_EVAL,
	ISEQ_EVAL_MAIN,
	CURRENT_CONTEXT,
};

static struct dynamic_file file;

static void set_functions(uint32_t core_bytes)
{
	const uint32_t functions[] = {LOOP,
				      LOOP + LOOP_BYTES,
				      EVAL,
				      EVAL + EVAL_BYTES,
				      EVAL_MAIN,
				      EVAL_MAIN + EVAL_BYTES,
				      SEND,
				      SEND + SEND_BYTES,
				      COLD,
				      COLD + COLD_BYTES,
				      CORE,
				      CORE + core_bytes,
				      CORE_COLD,
				      CORE_COLD + CORE_COLD_BYTES,
				      CORE_COLD + CORE_COLD_BYTES + 1};

	dynamic_file_set_functions(&file, TABLE, functions, ARRAY_SIZE(functions));
}

static void set_version(const char *version, bool is_line_number)
{
	memset(file.data + VERSION_AT, 0, 16);
	memcpy(file.data + VERSION_AT, version, strlen(version));
	memcpy(file.data + LABEL, "\x48\x8b\x47\x10\x48\x8b\x40\x50", 8);
	memcpy(file.data + LINE, "\x48\x8b\x47\x10\x48\x8b\x40\x58", 8);
	if (is_line_number)
		file.data[LINE + 5] = 0x63;
}

static void begin(void)
{
	dynamic_file_init(&file);
	dynamic_file_skip_header(&file);
	dynamic_file_add(&file, "ruby_version", VERSION_AT, 16);
	dynamic_file_add(&file, "rb_thread_current", CURRENT, 32);
	dynamic_file_add(&file, "rb_iseq_label", LABEL, 16);
	dynamic_file_add(&file, "rb_iseq_first_lineno", LINE, 16);
	dynamic_file_add(&file, "rb_vm_exec", LOOP, LOOP_BYTES);
	dynamic_file_add(&file, "rb_iseq_eval", EVAL, EVAL_BYTES);
	dynamic_file_add(&file, "rb_iseq_eval_main", EVAL_MAIN, EVAL_BYTES);
	dynamic_file_add(&file, "ruby_current_execution_context_ptr", CONTEXT, 8);
	set_version("3.2.2", true);
	set_functions(CORE_BYTES);
	memcpy(file.data + CURRENT, "\x64\x48\x8b\x04\x25\xd8\xff\xff\xff", 9);
	dynamic_file_put_insn(&file, LOOP, "\xe8", CORE);
	dynamic_file_put_insn(&file, EVAL + 3, "\xe8", LOOP);
	dynamic_file_put_insn(&file, EVAL_MAIN + 3, "\xe9", LOOP);
	dynamic_file_put_insn(&file, CORE, "\xe8", SEND);
	dynamic_file_put_insn(&file, CORE + 10, "\xe8", LOOP);
	memcpy(file.data + SEND + 20, "\x48\x8b\x73\x10\x48\x89\xdf\xff\xd0", 9);
	for (size_t i = 1; i <= 4; i++) {
		dynamic_file_put_insn(&file, LOOP + 10 * i, "\xe9", COLD + i);
		dynamic_file_put_insn(&file, CORE + 10 * i + 10, "\xe9", CORE_COLD + i);
	}
}

static struct interpreter find(const char *name, bool is_walked)
{
	struct found_interpreter found;
	int fd = dynamic_file_open(&file);

	interpreter_search(fd, &found);
	close(fd);
	ck_assert_str_eq(found.name, name);
	ck_assert_uint_eq(found.language, *name ? LANGUAGE_RUBY : LANGUAGE_NONE);
	ck_assert_uint_eq(found.interpreter.language, is_walked ? LANGUAGE_RUBY : LANGUAGE_NONE);
	return found.interpreter;
}

START_TEST(versions)
{
	static const struct {
		const char *version, *name;
		bool is_line_number;
		uint8_t frame_bytes, text, has_length, has_yjit; /* frame_bytes 0: not walked */
	} cases[] = {
		{"2.7.4", "Ruby 2.7.4", false, 56, 16, 0, 0},
		{"3.0.2", "Ruby 3.0.2", false, 56, 16, 0, 0},
		{"3.1.2", "Ruby 3.1.2", false, 64, 16, 0, 1},
		{"3.2.2", "Ruby 3.2.2", true, 64, 24, 1, 1},
		{"3.3.8", "Ruby 3.3.8", true, 56, 24, 1, 0},
		{"3.4.1", "Ruby 3.4.1", true, 56, 24, 1, 0},
		{"3.5.0", "Ruby 3.5.0", true, 0, 0, 0, 0},
		{"3.2.2dev", "Ruby 3.2.2", true, 64, 24, 1, 1},
		{"dev", "Ruby without a version", true, 0, 0, 0, 0},
		{"3.4.5.6.7.8.9.0.1", "Ruby 3.4.5.6.7.8.9.0", true, 56, 24, 1, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct interpreter in;

		set_version(cases[i].version, cases[i].is_line_number);
		in = find(cases[i].name, cases[i].frame_bytes);
		ck_assert_uint_eq(in.ruby.frame_bytes, cases[i].frame_bytes);
		ck_assert_uint_eq(in.ruby.text, cases[i].text);
		ck_assert_uint_eq(in.ruby.has_length, cases[i].has_length);
		ck_assert_uint_eq(in.ruby.is_line_number, cases[i].is_line_number && in.language);
		ck_assert_uint_eq(in.ruby.has_yjit, cases[i].has_yjit);
		ck_assert_uint_eq(in.ruby.send_bytes, cases[i].has_yjit ? SEND_BYTES : 0);
		if (!cases[i].frame_bytes)
			continue;
		/* The functions that tell where the name and the line are. */
		set_version(cases[i].version, !cases[i].is_line_number);
		find(cases[i].name, false);
		set_version(cases[i].version, cases[i].is_line_number);
		file.data[LABEL + 7]++;
		find(cases[i].name, false);
	}
}
END_TEST

START_TEST(places_of_the_context)
{
	struct interpreter in = find("Ruby 3.2.2", true);

	ck_assert_uint_eq(in.ruby.context, RUBY_CONTEXT_VARIABLE);
	ck_assert_int_eq(in.ruby.variable, -0x28);
	ck_assert_uint_eq(in.runtime, DYNAMIC_FILE_PLACE(VERSION_AT));
	/* lea CONTEXT(%rip),%rdi; call; mov 0x18(%rax),%rax */
	dynamic_file_put_insn(&file, CURRENT, "\x48\x8d\x3d", CONTEXT);
	memcpy(file.data + CURRENT + 7, "\xe8\x11\x11\x11\x11\x48\x8b\x40\x18", 9);
	in = find("Ruby 3.2.2", true);
	ck_assert_uint_eq(in.ruby.context, RUBY_CONTEXT_BLOCK);
	ck_assert_int_eq(in.ruby.variable, 0x18);
	ck_assert_uint_eq(in.runtime, DYNAMIC_FILE_PLACE(CONTEXT));
	file.data[CURRENT]++;
	find("Ruby 3.2.2", false);
	set_version("2.7.4", false);
	in = find("Ruby 2.7.4", true);
	ck_assert_uint_eq(in.ruby.context, RUBY_CONTEXT_GLOBAL);
	ck_assert_uint_eq(in.runtime, DYNAMIC_FILE_PLACE(CONTEXT));
	file.names[file.symbols[CURRENT_CONTEXT].st_name]++;
	find("Ruby 2.7.4", false);
}
END_TEST

static void expect_code(const struct language_code *code)
{
	ck_assert_uint_eq(code->loop, DYNAMIC_FILE_PLACE(LOOP));
	ck_assert_uint_eq(code->loop_bytes, LOOP_BYTES);
	ck_assert_uint_eq(code->cold, DYNAMIC_FILE_PLACE(COLD));
	ck_assert_uint_eq(code->cold_bytes, COLD_BYTES);
	ck_assert_uint_eq(code->core, DYNAMIC_FILE_PLACE(CORE));
	ck_assert_uint_eq(code->core_bytes, CORE_BYTES);
	ck_assert_uint_eq(code->core_cold, DYNAMIC_FILE_PLACE(CORE_COLD));
	ck_assert_uint_eq(code->core_cold_bytes, CORE_COLD_BYTES);
}

START_TEST(code_of_the_interpreter)
{
	struct interpreter in = find("Ruby 3.2.2", true);

	expect_code(&in.ruby.code);
	ck_assert_uint_eq(in.code_off, DYNAMIC_FILE_CODE_OFF);
	ck_assert_uint_eq(in.ruby.send, DYNAMIC_FILE_PLACE(SEND));
	ck_assert_uint_eq(in.ruby.send_bytes, SEND_BYTES);
	/* A function that is smaller is no core. The loop itself then calls made code. */
	set_functions(CORE_BYTES - 1);
	in = find("Ruby 3.2.2", true);
	ck_assert_uint_eq(in.ruby.code.core_bytes, 0);
	ck_assert_uint_eq(in.ruby.send_bytes, 0);
	dynamic_file_put_insn(&file, LOOP + 60, "\xe8", SEND);
	ck_assert_uint_eq(find("Ruby 3.2.2", true).ruby.send, DYNAMIC_FILE_PLACE(SEND));
	file.symbols[VM_EXEC].st_size = 0;
	find("Ruby 3.2.2", false);
}
END_TEST

/* Newer versions do not export the loop. */
START_TEST(loops_without_a_name)
{
	struct interpreter in;

	set_version("3.3.8", true);
	file.names[file.symbols[VM_EXEC].st_name]++;
	in = find("Ruby 3.3.8", true);
	expect_code(&in.ruby.code);
	dynamic_file_put_insn(&file, EVAL_MAIN + 3, "\xe9", SEND);
	find("Ruby 3.3.8", false);
	/* Both call two functions. */
	dynamic_file_put_insn(&file, EVAL_MAIN + 10, "\xe8", LOOP);
	find("Ruby 3.3.8", true);
	dynamic_file_put_insn(&file, EVAL + 10, "\xe8", SEND);
	find("Ruby 3.3.8", false);
	for (int i = ISEQ_EVAL; i <= ISEQ_EVAL_MAIN; i++) {
		begin();
		set_version("3.3.8", true);
		file.names[file.symbols[VM_EXEC].st_name]++;
		file.names[file.symbols[i].st_name]++;
		find("Ruby 3.3.8", false);
	}
}
END_TEST

/* The code of the function that calls made code, byte by byte. */
START_TEST(calls_of_made_code)
{
	for (size_t i = 0; i < 9; i++) {
		begin();
		file.data[SEND + 20 + i] ^= 0x40;
		ck_assert_uint_eq(find("Ruby 3.2.2", true).ruby.send_bytes, 0);
	}
	/* At the end of the function, and cut off by it. */
	begin();
	memmove(file.data + SEND + SEND_BYTES - 9, file.data + SEND + 20, 9);
	memset(file.data + SEND + 20, 0, 9);
	ck_assert_uint_eq(find("Ruby 3.2.2", true).ruby.send_bytes, SEND_BYTES);
	memmove(file.data + SEND + SEND_BYTES - 8, file.data + SEND + SEND_BYTES - 9, 9);
	file.data[SEND + SEND_BYTES - 9] = 0;
	ck_assert_uint_eq(find("Ruby 3.2.2", true).ruby.send_bytes, 0);
	for (int i = RUBY_VERSION; i <= THREAD_CURRENT; i++) {
		begin();
		file.names[file.symbols[i].st_name]++;
		find("", false);
	}
}
END_TEST

SUITE_MAIN_WITH("ruby_layouts", begin, NULL, versions, places_of_the_context,
		code_of_the_interpreter, loops_without_a_name, calls_of_made_code)
