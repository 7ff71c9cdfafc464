// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/row_changes.h"
#include "report/print/printers.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/random_world.h"
#include "tests/unit/suite.h"

/* The epoch of a test, and the model and the symbols that resolve_world makes of it. */
static struct debug_roots roots;
static struct world w;
static struct model model;
static struct symbols symbols;
static struct demangler_account account;

static void begin(void)
{
	roots = (struct debug_roots){.symfs_fd = -1};
	account = (struct demangler_account){0};
	world_init(&w);
}

static void end(void)
{
	symbols_deinit(&symbols);
	demangler_account_deinit(&account);
	debug_roots_close(&roots);
	model_deinit(&model);
	world_deinit(&w);
}

static void resolve_model(void)
{
	struct elf_pairs pairs = {0};
	const struct symbol_files files = {.roots = &roots, .pairs = &pairs};

	ck_assert_int_eq(symbols_resolve(&symbols, &model, &files, &account), 0);
}

static void resolve_world(void)
{
	ck_assert_int_eq(model_init(&model), 0);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_finish(&model), 0);
	resolve_model();
}

static const char *name_of(uint32_t frame, enum frame_place place)
{
	return string_set_get(&symbols.names, symbols_frame(&symbols, frame, place)->name);
}

/* The first byte of a function belongs to it as a leaf. As a return address, it does not. */
START_TEST(leaf_and_caller)
{
	uint32_t object, frame, stack, frames[2];

	object = WORLD_PUSH(&w, objects,
			    {.kind = PROF_OBJECT_KERNEL, .path = world_string(&w, "[kernel]")});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "first"), 0x10, 0x10});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "second"), 0x20, 0x10});
	frame = WORLD_PUSH(&w, frames, {object, 0x20});
	frames[0] = frames[1] = frame;
	stack = world_stack(&w, frames, 2, 0);
	WORLD_COUNT(&w, 0, 0, 0, stack, 1);
	resolve_world();
	ck_assert_str_eq(name_of(0, FRAME_LEAF), "second");
	ck_assert_uint_eq(symbols_frame(&symbols, 0, FRAME_LEAF)->off, 0);
	ck_assert_str_eq(name_of(0, FRAME_CALLER), "first");
	ck_assert_uint_eq(symbols_frame(&symbols, 0, FRAME_CALLER)->off, 0x10);
}
END_TEST

/* A filter has taken the only row of a stack out: nobody asks for its names. */
START_TEST(frames_of_no_row)
{
	const bool is_kept[] = {false, true};
	uint32_t object, frames[2];

	object = WORLD_PUSH(&w, objects,
			    {.kind = PROF_OBJECT_KERNEL, .path = world_string(&w, "[kernel]")});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "both"), 0x10, 0x30});
	for (uint32_t i = 0; i < 2; i++) {
		frames[i] = WORLD_PUSH(&w, frames, {object, 0x10 + 0x10 * i});
		WORLD_COUNT(&w, 0, 0, 0, world_stack(&w, &frames[i], 1, 0), 1);
	}
	ck_assert_int_eq(model_init(&model), 0);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_finish(&model), 0);
	ck_assert_int_eq(model_change_rows(&model, is_kept, NULL), 0);
	resolve_model();
	ck_assert_str_eq(name_of(0, FRAME_LEAF), "");
	ck_assert_uint_eq(symbols_frame(&symbols, 0, FRAME_LEAF)->reason, 0);
	ck_assert_str_eq(name_of(1, FRAME_LEAF), "both");
}
END_TEST

/* A caller that a signal interrupted in the first instruction of a function. */
START_TEST(exact_caller)
{
	uint32_t object, frames[3];

	object = WORLD_PUSH(&w, objects,
			    {.kind = PROF_OBJECT_KERNEL, .path = world_string(&w, "[kernel]")});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "first"), 0x10, 0x10});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "second"), 0x20, 0x10});
	for (uint32_t i = 0; i < 3; i++)
		frames[i] = WORLD_PUSH(&w, frames, {object, 0x20});
	WORLD_PUSH(&w, exact_frames, frames[1]);
	WORLD_COUNT(&w, 0, 0, 0, world_stack(&w, frames, 3, 0), 1);
	resolve_world();
	ck_assert_uint_eq(model.frames.nr, 2);
	ck_assert_str_eq(name_of(0, FRAME_CALLER), "first");
	ck_assert_str_eq(name_of(1, FRAME_CALLER), "second");
	ck_assert_uint_eq(symbols_frame(&symbols, 1, FRAME_CALLER)->off, 0);
}
END_TEST

/* The reason why a frame has no name, for each kind of object. */
START_TEST(reasons)
{
	static const struct {
		uint8_t kind;
		const char *path;
		enum unknown_reason reason;
	} cases[] = {
		{PROF_OBJECT_ANON, "[heap]", UNKNOWN_ANONYMOUS},
		{PROF_OBJECT_VDSO, "[vdso]", UNKNOWN_NOT_RECORDED},
		{PROF_OBJECT_KERNEL, "[kernel]", UNKNOWN_NOT_RECORDED},
		{PROF_OBJECT_MODULE, "[ext4]", UNKNOWN_NOT_RECORDED},
		{PROF_OBJECT_BPF, "[bpf]", UNKNOWN_NOT_RECORDED},
		{PROF_OBJECT_FILE, "/nonexistent/file", UNKNOWN_NO_FILE},
		{PROF_OBJECT_FILE, "/dev/null", UNKNOWN_NOT_READABLE},
		{PROF_OBJECT_FILE, "", UNKNOWN_NO_FILE},
	};
	WORLD_PUSH(&w, frames, {0, 0xdead});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t object = WORLD_PUSH(
			&w, objects,
			{.kind = cases[i].kind, .path = world_string(&w, cases[i].path)});

		WORLD_PUSH(&w, frames, {object, 0x10});
	}
	for (uint32_t i = 0; i < w.frames.nr; i++)
		WORLD_COUNT(&w, 0, 0, 0, world_stack(&w, &i, 1, 0), 1);
	resolve_world();
	ck_assert_uint_eq(symbols_frame(&symbols, 0, FRAME_LEAF)->reason, UNKNOWN_UNMAPPED);
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct resolved *r = symbols_frame(&symbols, i + 1, FRAME_LEAF);

		ck_assert_uint_eq(r->name, 0);
		ck_assert_uint_eq(r->reason, cases[i].reason);
		ck_assert_uint_eq(symbols.sources[model.frames.data[i + 1].object].reason,
				  cases[i].reason);
	}
}
END_TEST

START_TEST(files_that_differ)
{
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t object = WORLD_PUSH(&w, objects,
					     {.kind = PROF_OBJECT_FILE,
					      .instance = i,
					      .path = world_string(&w, "/bin/a")});

		WORLD_PUSH(&w, file_infos, {object, 7, 8, 9, 10 + i / 2});
		w.objects.data[object].instance = 0;
	}
	resolve_world();
	ck_assert_uint_eq(model.objects.nr, 3);
}
END_TEST

/* Frames at the beginning, the end and after the function "a::b()", and outside of all segments. */
static void resolve_file(bool is_stripped)
{
	static const struct elfw_symbol list[] = {{"_ZN1a1bEv", 0x2010, 16, STB_GLOBAL, 0, 0}};
	static const struct elfw_segment segment = {0x100, 0x1000, 0x2000, 0x1000, PF_R | PF_X};
	static const uint64_t offsets[] = {0x110, 0x11f, 0x120, 0x90};
	const struct elfw spec = {.text_vaddr = 0x2000,
				  .text_size = 0x1000,
				  .segments = &segment,
				  .nr_segments = 1,
				  .symbols = list,
				  .nr_symbols = !is_stripped};
	char path[PATH_MAX];
	uint32_t object;

	snprintf(path, sizeof(path), "%s/elf", enter_new_dir());
	elfw_write(&spec, path);
	object =
		WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .path = world_string(&w, path)});
	for (uint32_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		WORLD_PUSH(&w, frames, {object, offsets[i]});
		WORLD_COUNT(&w, 0, 0, 0, world_stack(&w, &i, 1, 0), 1);
	}
	resolve_world();
	ck_assert_str_eq(symbols.sources[1].binary, path);
}

static void expect_reason(uint32_t frame, enum unknown_reason reason)
{
	ck_assert_uint_eq(symbols_frame(&symbols, frame, FRAME_LEAF)->reason, reason);
}

START_TEST(a_file)
{
	resolve_file(false);
	ck_assert_str_eq(name_of(0, FRAME_LEAF), "a::b()");
	ck_assert_str_eq(name_of(1, FRAME_LEAF), "a::b()");
	expect_reason(2, UNKNOWN_NO_SYMBOL);
	expect_reason(3, UNKNOWN_NO_SYMBOL);
}
END_TEST

START_TEST(a_stripped_file)
{
	resolve_file(true);
	expect_reason(0, UNKNOWN_NO_SYMBOLS);
	expect_reason(2, UNKNOWN_NO_SYMBOLS);
	expect_reason(3, UNKNOWN_NO_SYMBOL);
}
END_TEST

/* A process with a mapping of @object and a count of a one-frame stack for each of @offsets. */
static void add_mapped_process(uint32_t pid, struct prof_mapping mapping, const uint64_t offsets[2])
{
	uint32_t process;

	WORLD_PUSH(&w, mappings, mapping);
	process = WORLD_PUSH(&w, processes, {pid, pid, w.mappings.nr - 1, 1});
	for (int i = 0; i < 2; i++) {
		uint32_t frame = WORLD_PUSH(&w, frames, {mapping.object, offsets[i]});
		uint32_t stack = world_stack(&w, &frame, 1, 0);

		WORLD_COUNT(&w, process, 0, stack, 0, 1);
	}
}

/*
 * Only a debug file is at hand. The first process maps the binary as its linker meant it, the
 * second process a page further into the file. The second has no names, and takes none from the
 * first.
 */
START_TEST(debug_file_by_own_mapping)
{
	static const struct elfw_symbol list[] = {{"near", 0x2010, 16, STB_GLOBAL, STT_FUNC, 0},
						  {"far", 0x3010, 16, STB_GLOBAL, STT_FUNC, 0}};
	static const struct elfw_segment segment = {0x200, 0, 0x2000, 0x2000, PF_R | PF_X};
	const struct elfw spec = {.build_id = "id",
				  .text_vaddr = 0x2000,
				  .text_size = 0x2000,
				  .text_is_nobits = true,
				  .segments = &segment,
				  .nr_segments = 1,
				  .symbols = list,
				  .nr_symbols = 2};
	static const uint64_t good[] = {0x1010, 0x2014}, moved[] = {0x2010, 0x2014};
	struct prof_object object = {
		.kind = PROF_OBJECT_FILE, .build_id_size = 2, .build_id = "id"};

	ck_assert_int_eq(debug_roots_open(&roots, enter_new_dir(), NULL), 0);
	elfw_write(&spec, "elf");
	object.path = world_string(&w, "/elf");
	WORLD_PUSH(&w, objects, object);
	add_mapped_process(1, (struct prof_mapping){1, 0x10000, 0x2000, 0x1000}, good);
	add_mapped_process(2, (struct prof_mapping){1, 0x20000, 0x1000, 0x2000}, moved);
	resolve_world();
	/* 0x1010 is in the first process alone; the second contradicts it about 0x2014. */
	ck_assert_str_eq(name_of(0, FRAME_LEAF), "near");
	for (uint32_t i = 1; i < model.frames.nr; i++) {
		ck_assert_uint_eq(symbols_frame(&symbols, i, FRAME_LEAF)->name, 0);
		expect_reason(i, UNKNOWN_NO_SYMBOL);
	}
}
END_TEST

/* Of all bytes at once, since Check writes a message for each assertion. */
static size_t nr_controls(const struct textbuf *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < out->nr; i++)
		nr += out->data[i] != '\n' && (unsigned char)out->data[i] < 0x20;
	return nr;
}

/* Of folded lines: the numbers at their ends. */
static uint64_t sum_of_counts(struct textbuf *out)
{
	uint64_t sum = 0;
	char *save = NULL;

	textbuf_char(out, '\0');
	for (char *s = strtok_r(out->data, "\n", &save); s; s = strtok_r(NULL, "\n", &save))
		sum += strtoull(strrchr(s, ' ') + 1, NULL, 10);
	return sum;
}

/* All printers take the symbols. Their text has no control characters; folded counts add up. */
static void print_all(const struct view *view)
{
	const struct recording rec = {
		.name = "random", .meta = &test_meta, .end = &test_end, .model = model};
	struct textbuf out = {.fd = -1}, folded = {.fd = -1};
	struct rows_summary summary;
	struct labels labels;
	const struct printout p = {&rec, &symbols, &labels, view, &out, NULL, NULL};
	const struct printout p_folded = {&rec, &symbols, &labels, view, &folded, NULL, NULL};
	const struct printout_sides both = {(struct printout[]){p, p}, 1, 2};

	ck_assert_int_eq(labels_init(&labels, &rec.model, &symbols, view), 0);
	ck_assert_int_eq(print_folded(&p_folded, &summary), 0);
	ck_assert_uint_eq(nr_controls(&folded), 0);
	ck_assert_uint_eq(sum_of_counts(&folded), model.totals[0]);
	ck_assert_int_eq(print_stacks(&p, &summary), 0);
	ck_assert_int_eq(print_files(&p, &(struct terminal){0}), 0);
	ck_assert_int_eq(print_info(&rec, &out), 0);
	ck_assert_int_eq(print_diff(&both, rec.model.totals[0], &summary), 0);
	ck_assert_int_eq(out.error, 0);
	ck_assert_uint_eq(nr_controls(&out), 0);
	textbuf_deinit(&folded);
	textbuf_deinit(&out);
	labels_deinit(&labels);
}

START_TEST(random_recordings)
{
	struct random rng = {.state = 99 + _i};
	const struct view view = {.folded = _i % 2,
				  .modules = _i % 3,
				  .offsets = _i % 5,
				  .addresses = true,
				  .user_only = _i % 7 == 0};

	world_deinit(&w);
	world_random(&w, &rng, 1 + _i * 4);
	resolve_world();
	print_all(&view);
}
END_TEST

SUITE_MAIN_LOOP_WITH("symbolise", begin, end, random_recordings, 60, leaf_and_caller, reasons,
		     a_file, a_stripped_file, debug_file_by_own_mapping, exact_caller,
		     frames_of_no_row, files_that_differ)
