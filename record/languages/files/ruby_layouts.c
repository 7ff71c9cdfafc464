// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knows Ruby's versions by their files, and where each keeps its frames. Runs in the table child.
 *
 * The offsets are those of Ruby's headers for x86-64: vm_core.h and internal/string.h. Functions
 * that programs in C may call do nothing but read some of them, and their instructions are
 * compared: rb_iseq_label and rb_iseq_first_lineno.
 */
#include "record/languages/files/language_files.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/languages/files/code_maker_symbols.h"
#include "record/languages/files/host_code.h"
#include "record/languages/files/moved_code.h"
#include "record/languages/files/thread_variable.h"

/* Of a function's body, which its object refers to: */
#define BODY_NAME 80
#define BODY_LINE 88

/* Rows have the tag of https://github.com/ruby/ruby from which on they hold. */
static const struct {
	struct interpreter_version version;
	struct ruby_layout layout;
} layouts[] = {
	/* v2_7_0 */
	{.version = {2, 7},
	 .layout = {.context = RUBY_CONTEXT_GLOBAL,
		    .machine_stack = 152,
		    .frame_bytes = 56,
		    .text = 16}},
	/* v3_0_0 */
	{.version = {3, 0},
	 .layout = {.context = RUBY_CONTEXT_BLOCK,
		    .machine_stack = 152,
		    .frame_bytes = 56,
		    .text = 16}},
	/* v3_1_0 */
	{.version = {3, 1},
	 .layout = {.context = RUBY_CONTEXT_BLOCK,
		    .machine_stack = 144,
		    .frame_bytes = 64,
		    .text = 16,
		    .has_yjit = 1}},
	/* v3_2_0 */
	{.version = {3, 2},
	 .layout = {.context = RUBY_CONTEXT_BLOCK,
		    .machine_stack = 152,
		    .frame_bytes = 64,
		    .text = 24,
		    .has_length = 1,
		    .is_line_number = 1,
		    .has_yjit = 1}},
	/* v3_3_0 */
	{.version = {3, 3},
	 .layout = {.context = RUBY_CONTEXT_BLOCK,
		    .machine_stack = 152,
		    .frame_bytes = 56,
		    .text = 24,
		    .has_length = 1,
		    .is_line_number = 1}},
	/* v3_4_0 */
	{.version = {3, 4},
	 .layout = {.context = RUBY_CONTEXT_BLOCK,
		    .machine_stack = 144,
		    .frame_bytes = 56,
		    .text = 24,
		    .has_length = 1,
		    .is_line_number = 1}},
};

bool ruby_version(size_t i, struct interpreter_version *version)
{
	if (i >= ARRAY_SIZE(layouts))
		return false;
	*version = layouts[i].version;
	return true;
}

bool ruby_yjit_version(size_t i, struct interpreter_version *version)
{
	for (size_t row = 0; row < ARRAY_SIZE(layouts); row++) {
		if (!host_knows_made_code || !layouts[row].layout.has_yjit || i--)
			continue;
		*version = layouts[row].version;
		return true;
	}
	return false;
}

static const struct ruby_layout *find_layout(const char *version)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (interpreter_version_has(&layouts[i].version, version))
			return &layouts[i].layout;
	return NULL;
}

/* Does the function of this name load what is @off bytes after the beginning of the body? */
static bool loads(const struct dynamic_symbols *symbols, const char *name, uint8_t off,
		  bool is_number)
{
	uint8_t code[HOST_CODE_BYTES];
	Elf64_Sym symbol;

	return !dynamic_symbols_find(symbols, name, &symbol) &&
	       !dynamic_symbols_read(symbols, symbol.st_value, code, sizeof(code)) &&
	       host_code_loads(code, off, is_number);
}

static bool is_confirmed(const struct dynamic_symbols *symbols, const struct ruby_layout *layout)
{
	return loads(symbols, "rb_iseq_label", BODY_NAME, false) &&
	       loads(symbols, "rb_iseq_first_lineno", BODY_LINE, layout->is_line_number);
}

/*
 * The loop of the interpreter. From 3.3 on it has no symbol, but it is the only function that both
 * rb_iseq_eval and rb_iseq_eval_main call.
 */
static int find_loop(const struct dynamic_symbols *symbols, Elf64_Sym *loop)
{
	Elf64_Sym eval, eval_main;

	if (!dynamic_symbols_find(symbols, "rb_vm_exec", loop))
		return loop->st_size ? 0 : -1;
	if (dynamic_symbols_find(symbols, "rb_iseq_eval", &eval) ||
	    dynamic_symbols_find(symbols, "rb_iseq_eval_main", &eval_main))
		return -1;
	return moved_code_find_common(symbols, &eval, &eval_main, loop);
}

/* The core has 16 KiB and more, and other functions that the loop calls are much smaller. */
#define CORE_BYTES_MIN 8192

/* Finds vm_exec_core, which the compiler may have made a part of the loop. */
static void find_core(const struct dynamic_symbols *symbols, const Elf64_Sym *loop, uint64_t bias,
		      struct language_code *code)
{
	uint64_t begin, end;
	Elf64_Sym core;

	if (moved_code_find_largest(symbols, loop, &core) || core.st_size < CORE_BYTES_MIN ||
	    moved_code_find(symbols, &core, &begin, &end))
		return;
	code->core = core.st_value - bias;
	code->core_bytes = core.st_size;
	code->core_cold = begin - bias;
	code->core_cold_bytes = end - begin;
}

/*
 * Finds vm_sendish, which the core calls. The core may be a part of the loop. The core may call the
 * loop, too, which also calls code of YJIT, and is not meant.
 */
static void find_send(const struct dynamic_symbols *symbols, uint64_t bias,
		      struct ruby_layout *layout)
{
	const struct language_code *code = &layout->code;
	const Elf64_Sym loop = {.st_value = code->loop + bias, .st_size = code->loop_bytes};
	const Elf64_Sym core = {.st_value = code->core + bias, .st_size = code->core_bytes};
	Elf64_Sym send;

	if (moved_code_find_called(symbols, core.st_size ? &core : &loop, loop.st_value,
				   host_code_calls_yjit, &send))
		return;
	layout->send = send.st_value - bias;
	layout->send_bytes = send.st_size;
}

static int find_code(const struct dynamic_symbols *symbols, uint64_t bias,
		     struct language_code *code)
{
	uint64_t begin, end;
	Elf64_Sym loop;

	if (find_loop(symbols, &loop) || moved_code_find(symbols, &loop, &begin, &end))
		return -1;
	*code = (struct language_code){
		.loop = loop.st_value - bias,
		.loop_bytes = loop.st_size,
		.cold = begin - bias,
		.cold_bytes = end - begin,
	};
	find_core(symbols, &loop, bias, code);
	return 0;
}

/* Finds the place of the execution context. @data is a symbol of the interpreter's data. */
static int find_context(const struct dynamic_symbols *symbols, const Elf64_Sym *data,
			struct ruby_layout *layout, uint64_t *place)
{
	struct thread_variable context;
	Elf64_Sym global;

	if (layout->context == RUBY_CONTEXT_GLOBAL) {
		if (dynamic_symbols_find(symbols, "ruby_current_execution_context_ptr", &global))
			return -1;
		*place = global.st_value;
		return 0;
	}
	if (thread_variable_find(symbols, "rb_thread_current", data->st_value, &context))
		return -1;
	layout->context = context.is_in_block ? RUBY_CONTEXT_BLOCK : RUBY_CONTEXT_VARIABLE;
	layout->variable = context.variable;
	*place = data->st_value + (int64_t)context.key;
	return 0;
}

static void find_ruby_functions(const struct dynamic_symbols *symbols, const char *version,
				const Elf64_Sym *data, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	const struct ruby_layout *layout = find_layout(version);
	struct interpreter in = {.language = LANGUAGE_RUBY};
	uint64_t bias = code->p_vaddr - code->p_offset, place;

	if (!layout || !is_confirmed(symbols, layout))
		return;
	in.ruby = *layout;
	in.ruby.has_yjit &= host_knows_made_code;
	if (find_context(symbols, data, &in.ruby, &place) ||
	    find_code(symbols, bias, &in.ruby.code))
		return;
	if (in.ruby.has_yjit)
		find_send(symbols, bias, &in.ruby);
	in.runtime = place - bias;
	in.code_off = code->p_offset;
	found->interpreter = in;
}

void ruby_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	char version[16];
	Elf64_Sym text, current;

	if (!dynamic_symbols_code(symbols) ||
	    dynamic_symbols_find(symbols, "ruby_version", &text) ||
	    dynamic_symbols_find(symbols, "rb_thread_current", &current) ||
	    dynamic_symbols_read(symbols, text.st_value, version, sizeof(version)))
		return;
	version[sizeof(version) - 1] = '\0';
	version[strspn(version, "0123456789.")] = '\0';
	found->language = LANGUAGE_RUBY;
	snprintf(found->name, sizeof(found->name), "Ruby %s",
		 version[0] ? version : "without a version");
	find_ruby_functions(symbols, version, &text, found);
}
