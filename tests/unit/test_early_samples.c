// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/early_samples.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "bpf/walk/unwind_step.h"
#include "tests/unit/suite.h"

#define SP       0x7ffd00001f00 /* the stack lies across the border of a page */
#define PC       0x401000
#define CALLER   0x402000
#define ROOT     0x403000
#define LOOP     0x404000 /* made code runs in the frame of this instruction */
#define FUNCTION LANGUAGE_WORD(LANGUAGE_PHP, 1, PC)
#define METHOD   LANGUAGE_WORD(LANGUAGE_JAVA, 1, PC)
#define DEPTH    8

/* The answers of find_mapping about the process, and the number of its calls. */
static struct process {
	int answer;
	uint64_t pages;
	unsigned int nr_asked;
	unsigned int nr_mapped; /* after so many calls nothing is mapped; 0: all is */
	uint64_t regex;         /* this address is PCRE2's; 0: none is */
	uint64_t made;          /* this address alone is in shared memory, besides @pages */
	bool has_loop;          /* the loop has a table */
} process;

static struct early_samples early;

/* The tests read no register of a frame. */
static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr)
{
	(void)f, (void)dst, (void)size, (void)addr;
	return -1;
}

static void begin(void)
{
	early = (struct early_samples){.max_depth = DEPTH};
}

static void end(void)
{
	early_samples_deinit(&early);
}

static int find_mapping(void *ctx, const struct early_sample *sample, uint64_t pc,
			struct unwind_mapping *mapping, bool *has_regex)
{
	(void)ctx;
	ck_assert_uint_eq(sample->regs[UNWIND_RSP], SP);
	if (process.nr_asked++ >= process.nr_mapped && process.nr_mapped)
		return 0;
	*mapping = (struct unwind_mapping){.start = pc, .end = pc + 1, .pages = process.pages};
	if (pc == process.made)
		mapping->pages = UNWIND_SHARED_MEMORY;
	if (pc == LOOP && process.has_loop) {
		mapping->bias = LOOP;
		mapping->pages = UNWIND_PAGES(0, 1);
	}
	*has_regex = pc == process.regex;
	return process.answer;
}

static void put(struct early_sample *sample, uint64_t addr, uint64_t value)
{
	uint64_t off = addr - early_stack_begin(SP);

	ck_assert_uint_le(off + sizeof(value), sizeof(sample->stack));
	memcpy(sample->stack + off, &value, sizeof(value));
}

/* A leaf, its caller and the root, each with a frame pointer. */
static struct early_sample *make_sample(uint32_t set)
{
	static struct early_sample sample;

	sample = (struct early_sample){
		.key = {.tgid = 42, .comm = "app"},
		.time_ns = 7,
		.set = set,
		.nr_bytes = EARLY_COPY_BYTES,
		.regs = {[UNWIND_RIP] = PC, [UNWIND_RSP] = SP, [UNWIND_RBP] = SP + 0x80},
		.leaf = UNWIND_LEAF_FRAMED,
	};
	put(&sample, SP + 0x80, SP + 0x180);
	put(&sample, SP + 0x88, CALLER);
	put(&sample, SP + 0x180, 0);
	put(&sample, SP + 0x188, ROOT);
	return &sample;
}

static void add_sample(const struct early_sample *sample)
{
	ck_assert_int_eq(early_samples_add(&early, sample), 0);
}

/* Rules of made code that are always there, as table_maps_init makes them, and that of the loop. */
#define LOOP_RULE UNWIND_NR_OWN_RULES
static struct unwind_rule rules[UNWIND_NR_OWN_RULES + 1] = {
	[UNWIND_RULE_NO_FRAME] = {.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_RSP, .cfa_off = 8},
	[UNWIND_RULE_WORD] = {.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_RSP, .cfa_off = 16},
	[UNWIND_RULE_TRACE + 2] = {.cfa = UNWIND_CFA_REG,
				   .cfa_reg = UNWIND_RSP,
				   .cfa_off = UNWIND_LUA_FRAME + 32},
	[LOOP_RULE] = {.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_RSP, .cfa_off = 0x40},
};

static void walk_samples(bool is_last)
{
	const struct early_finder finder = {.find = find_mapping};
	uint32_t row = UNWIND_ROW(0, LOOP_RULE);
	struct unwind_page page = {.nr_rows = 1};
	struct table_maps store = {
		.rules = {.data = rules, .nr = LOOP_RULE + 1},
		.pages = &page,
		.windows = {{.memory = &row, .rows = &row, .page = page}},
	};

	ck_assert_int_eq(early_samples_walk(&early, &store, &finder, is_last), 0);
}

START_TEST(walked_when_enough_is_known)
{
	process = (struct process){.answer = -EAGAIN};
	add_sample(make_sample(0));
	ck_assert_uint_eq(early.nr_raw, 1);
	walk_samples(false);
	ck_assert_uint_eq(early.nr_raw, 1);
	process = (struct process){.answer = 1, .pages = UNWIND_TABLE_ASKED_FOR};
	walk_samples(false);
	ck_assert_uint_eq(early.nr_raw, 1);
	process.pages = UNWIND_WITHOUT_TABLE;
	walk_samples(false);
	ck_assert_uint_eq(early.nr_raw, 0);
	ck_assert_uint_eq(early.samples.nr, 1);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 3);
	ck_assert_uint_eq(early.samples.data[0].frames[0], PC);
	ck_assert_uint_eq(early.samples.data[0].frames[1], CALLER);
	ck_assert_uint_eq(early.samples.data[0].frames[2], ROOT);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_ROOT);
	ck_assert_uint_eq(early.samples.data[0].key.tgid, 42);
	ck_assert_uint_eq(early.samples.data[0].time_ns, 7);
	/* No sample is walked twice. */
	process.nr_asked = 0;
	walk_samples(true);
	ck_assert_uint_eq(process.nr_asked, 0);
}
END_TEST

/* When the set of a sample is drained, the sample waits no longer. */
START_TEST(the_last_walk)
{
	process = (struct process){.answer = 1, .pages = UNWIND_TABLE_WANTED};
	add_sample(make_sample(0));
	add_sample(make_sample(1));
	early_samples_take(&early, 1);
	walk_samples(true);
	ck_assert_uint_eq(early.nr_raw, 1);
	ck_assert_ptr_nonnull(early.samples.data[0].raw);
	ck_assert_ptr_null(early.samples.data[1].raw);
	/* The walk came to a root, but may have passed over frames. */
	ck_assert_uint_eq(early.samples.data[1].nr_frames, 3);
	ck_assert_int_eq(early.samples.data[1].end, STACK_END_EARLY);
}
END_TEST

START_TEST(a_stack_that_was_not_copied)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){.answer = 1, .pages = UNWIND_TABLE_WANTED};
	sample->nr_bytes = 0;
	add_sample(sample);
	/* Up to SP + 0x100: the frame of the caller is there, that of the root is not. */
	sample->nr_bytes = 0x1000;
	add_sample(sample);
	early_samples_take(&early, 0);
	walk_samples(true);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 1);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_EARLY);
	ck_assert_uint_eq(early.samples.data[1].nr_frames, 2);
	ck_assert_int_eq(early.samples.data[1].end, STACK_END_EARLY);
}
END_TEST

/* The page with the root's frame pointer was not there. */
START_TEST(a_page_that_was_not_copied)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){.answer = 1};
	sample->absent = 1 << 1;
	add_sample(sample);
	early_samples_take(&early, 0);
	walk_samples(true);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 2);
	/* A word that lies in both pages was not copied, either. */
	sample->regs[UNWIND_RBP] = SP + 0xf8;
	add_sample(sample);
	walk_samples(true);
	ck_assert_uint_eq(early.samples.data[1].nr_frames, 1);
}
END_TEST

/* Two pages before that of the root's frame were not there, and are not in the copy. */
START_TEST(pages_between_that_were_not_copied)
{
	struct early_sample *sample = make_sample(0);
	uint64_t frame = SP + 0x100 + 2 * EARLY_PAGE_BYTES + 0x30;

	process = (struct process){.answer = 1};
	sample->absent = 3 << 1;
	put(sample, SP + 0x80, frame);
	put(sample, frame - 2 * EARLY_PAGE_BYTES, 0);
	put(sample, frame - 2 * EARLY_PAGE_BYTES + 8, ROOT);
	sample->nr_bytes = 2 * EARLY_PAGE_BYTES;
	add_sample(sample);
	/* The copy ends before the root's frame. */
	sample->nr_bytes = EARLY_PAGE_BYTES + 0x30;
	add_sample(sample);
	/* The frame is in a page that was not there. */
	sample->nr_bytes = EARLY_COPY_BYTES;
	put(sample, SP + 0x80, SP + 0x130);
	add_sample(sample);
	early_samples_take(&early, 0);
	walk_samples(true);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 3);
	ck_assert_uint_eq(early.samples.data[0].frames[2], ROOT);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_ROOT);
	for (int i = 1; i <= 2; i++) {
		ck_assert_uint_eq(early.samples.data[i].nr_frames, 2);
		ck_assert_int_eq(early.samples.data[i].end, STACK_END_NO_TABLE);
	}
}
END_TEST

/* The program has looked at the leaf's code, and says where its return address is. */
START_TEST(a_leaf_without_a_frame)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){.answer = 1, .pages = UNWIND_WITHOUT_TABLE};
	put(sample, SP, LOOP);
	sample->leaf = UNWIND_LEAF_RETURN;
	add_sample(sample);
	put(sample, SP + 8, LOOP);
	put(sample, SP, SP + 0x80);
	sample->regs[UNWIND_RBP] = 1;
	sample->leaf = UNWIND_LEAF_PUSHED;
	add_sample(sample);
	sample = make_sample(0);
	sample->leaf = UNWIND_LEAF_UNKNOWN;
	add_sample(sample);
	walk_samples(false);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(early.samples.data[i].nr_frames, 4);
		ck_assert_uint_eq(early.samples.data[i].frames[1], LOOP);
		ck_assert_uint_eq(early.samples.data[i].frames[2], CALLER);
		ck_assert_int_eq(early.samples.data[i].end, STACK_END_ROOT);
	}
	/* The walk goes on along rbp, and may have passed over a caller. */
	ck_assert_uint_eq(early.samples.data[2].nr_frames, 3);
	ck_assert_uint_eq(early.samples.data[2].frames[1], CALLER);
	ck_assert_int_eq(early.samples.data[2].end, STACK_END_NO_TABLE);
}
END_TEST

/*
 * rbp leads nowhere in the code of an expression. Its caller is PCRE2, or the rule does not hold.
 */
START_TEST(a_regular_expression)
{
	struct early_sample *sample = make_sample(0);

	sample->regs[UNWIND_RBP] = 1;
	sample->regex_rule = (struct unwind_rule){.cfa = UNWIND_CFA_REG,
						  .cfa_reg = UNWIND_RSP,
						  .cfa_off = 0x90,
						  .fp = UNWIND_SAVED_CFA,
						  .fp_off = -16};
	process = (struct process){.answer = 1, .regex = CALLER};
	add_sample(sample);
	walk_samples(false);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 3);
	ck_assert_uint_eq(early.samples.data[0].frames[1], CALLER);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_ROOT);
	process.regex = ROOT;
	add_sample(sample);
	walk_samples(false);
	ck_assert_uint_eq(early.samples.data[1].nr_frames, 1);
	ck_assert_int_eq(early.samples.data[1].end, STACK_END_NO_TABLE);
}
END_TEST

/* Notes the word at @addr, as the program does. */
static void note(struct early_sample *sample, uint64_t addr)
{
	uint64_t i = (addr - early_stack_begin(SP)) / 8;

	sample->code.notes[i / 64] |= 1ULL << i % 64;
}

/* Walks the sample, in which rbp leads nowhere, and expects that it has these frames. */
static void walk_made(const struct early_sample *sample, uint32_t nr, uint64_t caller)
{
	size_t at = early.samples.nr;

	add_sample(sample);
	walk_samples(false);
	ck_assert_uint_eq(early.samples.data[at].nr_frames, nr);
	ck_assert_int_eq(early.samples.data[at].end, STACK_END_NO_TABLE);
	if (nr > 1)
		ck_assert_uint_eq(early.samples.data[at].frames[1], caller);
}

/* The frame of LuaJIT's interpreter is 32 bytes above sp. A note elsewhere says nothing of it. */
START_TEST(a_trace)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){.answer = 1, .pages = UNWIND_WITHOUT_TABLE};
	sample->regs[UNWIND_RBP] = 1;
	put(sample, SP + 32 + UNWIND_LUA_FRAME - 8, CALLER);
	sample->code.kind = EARLY_CODE_TRACE;
	walk_made(sample, 1, 0);
	note(sample, SP + 40);
	note(sample, SP - 16);
	walk_made(sample, 1, 0);
	note(sample, SP + 32);
	walk_made(sample, 2, CALLER);
	/* Memory that processes share is no trace's. */
	process.pages = UNWIND_SHARED_MEMORY;
	walk_made(sample, 1, 0);
	process.pages = UNWIND_WITHOUT_TABLE;
	sample->code.kind = EARLY_CODE_NONE;
	walk_made(sample, 1, 0);
}
END_TEST

/* The program has found the leaf's rule. A caller is a stub if its return address has a note. */
START_TEST(a_stub)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){.answer = 1, .pages = UNWIND_WITHOUT_TABLE};
	sample->regs[UNWIND_RBP] = 1;
	put(sample, SP, CALLER);
	put(sample, SP + 16, ROOT);
	sample->code.kind = EARLY_CODE_STUB;
	sample->code.leaf_rule = UNWIND_NO_RULE;
	walk_made(sample, 1, 0);
	sample->code.leaf_rule = UNWIND_NR_OWN_RULES;
	walk_made(sample, 1, 0);
	sample->code.leaf_rule = UNWIND_RULE_NO_FRAME;
	walk_made(sample, 2, CALLER);
	note(sample, SP + 8);
	walk_made(sample, 2, CALLER);
	note(sample, SP);
	walk_made(sample, 3, CALLER);
}
END_TEST

/* The program has not looked at the word with the stub's address, which is too far up. */
START_TEST(a_stub_above_the_notes)
{
	struct early_sample *sample = make_sample(0);
	const struct unwind_rule none = rules[UNWIND_RULE_NO_FRAME];

	process = (struct process){.answer = 1, .pages = UNWIND_WITHOUT_TABLE};
	rules[UNWIND_RULE_NO_FRAME].cfa_off = EARLY_STACK_BYTES + 8;
	sample->regs[UNWIND_RBP] = 1;
	put(sample, SP + EARLY_STACK_BYTES, CALLER);
	sample->code.kind = EARLY_CODE_STUB;
	sample->code.leaf_rule = UNWIND_RULE_NO_FRAME;
	add_sample(sample);
	walk_samples(false);
	ck_assert_uint_eq(early.nr_raw, 1);
	early_samples_take(&early, 0);
	walk_samples(true);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 2);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_EARLY);
	rules[UNWIND_RULE_NO_FRAME] = none;
}
END_TEST

/* A signal interrupted the third frame. The leaf's rule is not for it, though its pc is exact. */
START_TEST(an_interrupted_frame_is_not_the_leaf)
{
	struct early_sample *sample = make_sample(0);
	const struct unwind_rule word = rules[UNWIND_RULE_WORD];
	const uint64_t context = SP + 8 + UNWIND_UCONTEXT_REGS;

	process = (struct process){.answer = 1, .pages = UNWIND_WITHOUT_TABLE};
	rules[UNWIND_RULE_WORD] = (struct unwind_rule){.cfa = UNWIND_CFA_SIGNAL};
	put(sample, SP, CALLER);
	put(sample, context + 8 * 10, 1); /* rbp */
	put(sample, context + 8 * 15, SP + 0x200);
	put(sample, context + 8 * 16, PC);
	put(sample, SP + 0x200, ROOT);
	sample->code.kind = EARLY_CODE_STUB;
	sample->code.leaf_rule = UNWIND_RULE_NO_FRAME;
	note(sample, SP);
	walk_made(sample, 3, CALLER | STACK_FRAME_EXACT);
	rules[UNWIND_RULE_WORD] = word;
}
END_TEST

/* The frame of the loop has 64 bytes. Made code has the rule if the return address has a note. */
START_TEST(made_code_in_a_loop)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){.answer = 1, .pages = UNWIND_SHARED_MEMORY, .has_loop = true};
	sample->regs[UNWIND_RBP] = 1;
	sample->code.kind = EARLY_CODE_LOOP;
	sample->code.loop = LOOP;
	put(sample, SP + 0x38, CALLER);
	walk_made(sample, 1, 0);
	note(sample, SP + 0x30);
	note(sample, SP + 0x40);
	walk_made(sample, 1, 0);
	note(sample, SP + 0x38);
	walk_made(sample, 2, CALLER);
	/* Memory of one process is not opcache's. */
	process.pages = UNWIND_WITHOUT_TABLE;
	walk_made(sample, 1, 0);
	process.pages = UNWIND_SHARED_MEMORY;
	/* A loop whose frame is not along rsp or rbp gives made code no rule. */
	rules[LOOP_RULE].cfa_reg = UNWIND_RBX;
	walk_made(sample, 1, 0);
	rules[LOOP_RULE].cfa_reg = UNWIND_RSP;
}
END_TEST

/* Made code counts as a loop, and has a function. Without the rule, no function has a place. */
START_TEST(functions_of_made_code)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){
		.answer = 1, .pages = UNWIND_WITHOUT_TABLE, .made = PC, .has_loop = true};
	sample->regs[UNWIND_RBP] = 1;
	sample->code.kind = EARLY_CODE_LOOP;
	sample->code.loop = LOOP;
	sample->loops = (struct language_loops){.code = {.loop = LOOP, .loop_bytes = 1},
						.nr_segments = 1,
						.is_whole = 1,
						.is_own_stack = 1};
	sample->nr_words = sample->nr_segments = sample->segments[0].end = 1;
	sample->words[0] = FUNCTION;
	put(sample, SP + 0x38, CALLER);
	note(sample, SP + 0x38);
	walk_made(sample, 3, PC);
	ck_assert_uint_eq(early.samples.data[0].frames[0], FUNCTION);
	ck_assert_uint_eq(early.samples.data[0].frames[2], CALLER);
	memset(sample->code.notes, 0, sizeof(sample->code.notes));
	walk_made(sample, 3, LANGUAGE_WORD(LANGUAGE_PHP, 0, NOTE_DISPLACED));
	ck_assert_uint_eq(early.samples.data[1].frames[0], PC);
	ck_assert_uint_eq(early.samples.data[1].frames[2], FUNCTION);
}
END_TEST

/* No table has the loop of PHP. So nobody knows the frame of made code. */
START_TEST(made_code_without_its_loop)
{
	struct early_sample *sample = make_sample(0);

	process = (struct process){.answer = 1, .pages = UNWIND_SHARED_MEMORY};
	sample->regs[UNWIND_RBP] = 1;
	sample->code.kind = EARLY_CODE_LOOP;
	memset(sample->code.notes, 0xff, sizeof(sample->code.notes));
	walk_made(sample, 1, 0);
}
END_TEST

/* Code that runs is mapped. So the known mappings are of another time, as before an exec. */
START_TEST(the_leaf_is_not_mapped)
{
	process = (struct process){.answer = 0};
	add_sample(make_sample(0));
	walk_samples(false);
	ck_assert_uint_eq(early.nr_raw, 1);
	early_samples_take(&early, 0);
	walk_samples(true);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 1);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_EARLY);
}
END_TEST

/* The frame pointer led to an address that is no code. */
START_TEST(a_caller_is_not_mapped)
{
	process = (struct process){.answer = 1, .nr_mapped = 1};
	add_sample(make_sample(0));
	walk_samples(false);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 1);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_NO_TABLE);
}
END_TEST

START_TEST(the_depth_limit)
{
	process = (struct process){.answer = 1, .pages = UNWIND_WITHOUT_TABLE};
	early.max_depth = 2;
	add_sample(make_sample(0));
	walk_samples(false);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 2);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_CUT);
}
END_TEST

/* After some turns, there is as much memory as before. */
START_TEST(copies_are_given_back)
{
	size_t bytes[12];

	process = (struct process){.answer = 1, .pages = UNWIND_WITHOUT_TABLE};
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		add_sample(make_sample(0));
		walk_samples(true);
		ck_assert_uint_eq(early.raw_bytes, 0);
		add_sample(make_sample(1));
		ck_assert_uint_eq(early.raw_bytes, EARLY_SAMPLE_SIZE(EARLY_COPY_BYTES));
		early_samples_deinit(&early);
		begin();
		bytes[i] = mallinfo2().uordblks;
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
}
END_TEST

START_TEST(samples_go_with_their_set)
{
	for (uint32_t i = 0; i < 4; i++)
		add_sample(make_sample(i % 2));
	early_samples_take(&early, 1);
	early_samples_forget(&early);
	ck_assert_uint_eq(early.samples.nr, 2);
	ck_assert_uint_eq(early.nr_raw, 2);
	ck_assert_uint_eq(early.samples.data[0].set, 0);
	ck_assert_uint_eq(early.samples.data[1].set, 0);
	/* A sample that came later was not taken. */
	add_sample(make_sample(1));
	early_samples_forget(&early);
	ck_assert_uint_eq(early.samples.nr, 3);
}
END_TEST

/* The leaf is a method of Java. Another was compiled into it, and its frame has no rbp. */
static unsigned int nr_java_walks;

/* The caller may be one of Java, too. */
static bool is_caller_java;

static int walk_java(void *ctx, const struct early_sample *sample, struct unwind_frame *frame,
		     struct java_stretch *stretch)
{
	(void)ctx;
	ck_assert_uint_eq(sample->regs[UNWIND_RSP], SP);
	if (frame->pc == CALLER && is_caller_java && nr_java_walks++ == 1) {
		*stretch = (struct java_stretch){
			.end = STACK_GOES_ON, .nr = 1, .frames = {{.address = METHOD}}};
		frame->pc = ROOT;
		frame->sp = SP + 0x190;
		frame->fp_at = SP + 0x180;
		return 1;
	}
	if (nr_java_walks++)
		return 0;
	ck_assert_uint_eq(frame->pc, PC);
	ck_assert_uint_eq(frame->regs[UNWIND_RBP], SP + 0x80);
	*stretch = (struct java_stretch){.end = STACK_GOES_ON,
					 .nr = 2,
					 .frames = {{.address = METHOD}, {.address = PC + 1}}};
	frame->pc = CALLER;
	frame->sp = SP + 0x90;
	frame->fp_at = SP + 0x80;
	frame->has_regs = 0;
	return 1;
}

static void walk_with_java(void)
{
	const struct early_finder finder = {.find = find_mapping, .walk_java = walk_java};
	struct table_maps store = {0};

	ck_assert_int_eq(early_samples_walk(&early, &store, &finder, false), 0);
}

/*
 * The process may end before the rest of the stack can be walked. So Java's frames are found once.
 */
static void expect_java(uint64_t caller)
{
	const uint64_t frames[] = {METHOD, PC + 1, caller, ROOT};

	process = (struct process){.answer = 1, .pages = UNWIND_TABLE_ASKED_FOR};
	add_sample(make_sample(0));
	nr_java_walks = 0;
	walk_with_java();
	ck_assert_uint_eq(early.nr_raw, 1);
	process.pages = UNWIND_WITHOUT_TABLE;
	walk_with_java();
	ck_assert_uint_eq(early.nr_raw, 0);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 4);
	ck_assert_mem_eq(early.samples.data[0].frames, frames, sizeof(frames));
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_ROOT);
}

START_TEST(frames_of_java)
{
	expect_java(CALLER);
}
END_TEST

START_TEST(several_stretches_of_java)
{
	is_caller_java = true;
	expect_java(METHOD);
	/* The root is none. Each walk asks for it. */
	ck_assert_uint_eq(nr_java_walks, 4);
}
END_TEST

SUITE_MAIN_WITH("early_samples", begin, end, walked_when_enough_is_known, the_last_walk,
		a_stack_that_was_not_copied, a_page_that_was_not_copied,
		pages_between_that_were_not_copied, a_leaf_without_a_frame, a_regular_expression,
		a_trace, a_stub, a_stub_above_the_notes, an_interrupted_frame_is_not_the_leaf,
		made_code_in_a_loop, functions_of_made_code, made_code_without_its_loop,
		the_leaf_is_not_mapped, a_caller_is_not_mapped, the_depth_limit,
		copies_are_given_back, samples_go_with_their_set, frames_of_java,
		several_stretches_of_java)
