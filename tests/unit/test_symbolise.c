// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/cleanup.h"
#include "report/print/printers.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

static struct model load(struct world *w)
{
	struct model model;

	ck_assert_int_eq(model_init(&model), 0);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(w)), 0);
	model_finish(&model);
	return model;
}

/* The same frame as a leaf and as a caller: at the first byte of a function, these differ. */
START_TEST(leaf_and_caller)
{
	const struct debug_roots roots = {.symfs_fd = -1};
	uint32_t object, frame, stack, frames[2];
	struct symbols symbols;
	struct model model;
	struct world w;

	world_init(&w);
	object = WORLD_PUSH(&w, objects,
			    {.kind = PROF_OBJECT_KERNEL, .path = world_string(&w, "[kernel]")});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "first"), 0x10, 0x10});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "second"), 0x20, 0x10});
	frame = WORLD_PUSH(&w, frames, {object, 0x20});
	frames[0] = frames[1] = frame;
	stack = world_stack(&w, frames, 2, 0);
	WORLD_PUSH(&w, counts, {0, 0, 0, stack, 1});
	model = load(&w);
	ck_assert_int_eq(symbols_resolve(&symbols, &model, &roots), 0);
	ck_assert_str_eq(
		string_set_get(&symbols.names, symbols_frame(&symbols, 0, FRAME_LEAF)->name),
		"second");
	ck_assert_uint_eq(symbols_frame(&symbols, 0, FRAME_LEAF)->off, 0);
	ck_assert_str_eq(
		string_set_get(&symbols.names, symbols_frame(&symbols, 0, FRAME_CALLER)->name),
		"first");
	ck_assert_uint_eq(symbols_frame(&symbols, 0, FRAME_CALLER)->off, 0x10);
	symbols_deinit(&symbols);
	model_deinit(&model);
	world_deinit(&w);
}
END_TEST

/* A caller that a signal interrupted in the first instruction of a function. */
START_TEST(exact_caller)
{
	const struct debug_roots roots = {.symfs_fd = -1};
	uint32_t object, frames[3];
	struct symbols symbols;
	struct model model;
	struct world w;

	world_init(&w);
	object = WORLD_PUSH(&w, objects,
			    {.kind = PROF_OBJECT_KERNEL, .path = world_string(&w, "[kernel]")});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "first"), 0x10, 0x10});
	WORLD_PUSH(&w, symbols, {object, world_string(&w, "second"), 0x20, 0x10});
	for (uint32_t i = 0; i < 3; i++)
		frames[i] = WORLD_PUSH(&w, frames, {object, 0x20});
	WORLD_PUSH(&w, exact_frames, frames[1]);
	WORLD_PUSH(&w, counts, {0, 0, 0, world_stack(&w, frames, 3, 0), 1});
	model = load(&w);
	ck_assert_uint_eq(model.frames.nr, 2);
	ck_assert_int_eq(symbols_resolve(&symbols, &model, &roots), 0);
	ck_assert_str_eq(
		string_set_get(&symbols.names, symbols_frame(&symbols, 0, FRAME_CALLER)->name),
		"first");
	ck_assert_str_eq(
		string_set_get(&symbols.names, symbols_frame(&symbols, 1, FRAME_CALLER)->name),
		"second");
	ck_assert_uint_eq(symbols_frame(&symbols, 1, FRAME_CALLER)->off, 0);
	symbols_deinit(&symbols);
	model_deinit(&model);
	world_deinit(&w);
}
END_TEST

/* Every kind of object says why there is no name. */
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
	const struct debug_roots roots = {.symfs_fd = -1};
	struct symbols symbols;
	struct model model;
	struct world w;

	world_init(&w);
	WORLD_PUSH(&w, frames, {0, 0xdead});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t object = WORLD_PUSH(
			&w, objects,
			{.kind = cases[i].kind, .path = world_string(&w, cases[i].path)});

		WORLD_PUSH(&w, frames, {object, 0x10});
	}
	for (uint32_t i = 0; i < w.frames.nr; i++)
		world_stack(&w, &i, 1, 0);
	model = load(&w);
	ck_assert_int_eq(symbols_resolve(&symbols, &model, &roots), 0);
	ck_assert_uint_eq(symbols_frame(&symbols, 0, FRAME_LEAF)->reason, UNKNOWN_UNMAPPED);
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct resolved *r = symbols_frame(&symbols, i + 1, FRAME_LEAF);

		ck_assert_uint_eq(r->name, 0);
		ck_assert_uint_eq(r->reason, cases[i].reason);
		ck_assert_uint_eq(symbols.sources[model.frames.data[i + 1].object].reason,
				  cases[i].reason);
	}
	symbols_deinit(&symbols);
	model_deinit(&model);
	world_deinit(&w);
}
END_TEST

START_TEST(files_that_differ)
{
	struct model model;
	struct world w;

	world_init(&w);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t object = WORLD_PUSH(&w, objects,
					     {.kind = PROF_OBJECT_FILE,
					      .instance = i,
					      .path = world_string(&w, "/bin/a")});

		WORLD_PUSH(&w, file_infos, {object, 7, 8, 9, 10 + i / 2});
		w.objects.data[object].instance = 0;
	}
	model = load(&w);
	ck_assert_uint_eq(model.objects.nr, 3);
	model_deinit(&model);
	world_deinit(&w);
}
END_TEST

START_TEST(files_with_and_without)
{
	static const struct elfw_symbol list[] = {{"_ZN1a1bEv", 0x2010, 16, STB_GLOBAL, 0, 0}};
	static const struct elfw_segment segment = {0x100, 0x1000, 0x2000, 0x1000, PF_R | PF_X};
	struct elfw spec = {.text_vaddr = 0x2000,
			    .text_size = 0x1000,
			    .segments = &segment,
			    .nr_segments = 1,
			    .symbols = list,
			    .nr_symbols = 1};
	const struct debug_roots roots = {.symfs_fd = -1};
	char *dir = temp_create(), path[64];
	static const uint64_t offsets[] = {0x110, 0x11f, 0x120, 0x90};

	snprintf(path, sizeof(path), "%s/elf", dir);
	for (int stripped = 0; stripped < 2; stripped++) {
		struct symbols symbols;
		struct model model;
		struct world w;
		uint32_t object;

		spec.nr_symbols = !stripped;
		elfw_write(&spec, path);
		world_init(&w);
		object = WORLD_PUSH(&w, objects,
				    {.kind = PROF_OBJECT_FILE, .path = world_string(&w, path)});
		for (uint32_t i = 0; i < ARRAY_SIZE(offsets); i++) {
			WORLD_PUSH(&w, frames, {object, offsets[i]});
			world_stack(&w, &i, 1, 0);
		}
		model = load(&w);
		ck_assert_int_eq(symbols_resolve(&symbols, &model, &roots), 0);
		for (uint32_t i = 0; i < 2 && !stripped; i++)
			ck_assert_str_eq(
				string_set_get(&symbols.names,
					       symbols_frame(&symbols, i, FRAME_LEAF)->name),
				"a::b()");
		ck_assert_uint_eq(symbols_frame(&symbols, 2, FRAME_LEAF)->reason,
				  stripped ? UNKNOWN_NO_SYMBOLS : UNKNOWN_NO_SYMBOL);
		ck_assert_uint_eq(symbols_frame(&symbols, 3, FRAME_LEAF)->reason,
				  UNKNOWN_NO_SYMBOL);
		ck_assert_str_eq(symbols.sources[1].binary, path);
		symbols_deinit(&symbols);
		model_deinit(&model);
		world_deinit(&w);
	}
	temp_remove(dir);
}
END_TEST

/* A process with a mapping of @object and a count of a one-frame stack for each of @offsets. */
static void add_mapped_process(struct world *w, uint32_t pid, struct prof_mapping mapping,
			       const uint64_t offsets[2])
{
	uint32_t process;

	WORLD_PUSH(w, mappings, mapping);
	process = WORLD_PUSH(w, processes, {pid, pid, w->mappings.nr - 1, 1});
	for (int i = 0; i < 2; i++) {
		uint32_t frame = WORLD_PUSH(w, frames, {mapping.object, offsets[i]});
		uint32_t stack = world_stack(w, &frame, 1, 0);

		WORLD_PUSH(w, counts, {process, 0, stack, 0, 1});
	}
}

/*
 * Only a debug file is at hand. One process maps the binary as its linker meant it, another one a
 * page further into the file: that process has no names then, and takes none from the first one.
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
	struct debug_roots roots = {.symfs_fd = -1};
	char *dir = temp_create(), path[64];
	struct prof_object object = {
		.kind = PROF_OBJECT_FILE, .build_id_size = 2, .build_id = "id"};
	struct symbols symbols;
	struct model model;
	struct world w;

	snprintf(path, sizeof(path), "%s/elf", dir);
	elfw_write(&spec, path);
	ck_assert_int_eq(debug_roots_open(&roots, dir, NULL), 0);
	world_init(&w);
	object.path = world_string(&w, "/elf");
	WORLD_PUSH(&w, objects, object);
	add_mapped_process(&w, 1, (struct prof_mapping){1, 0x10000, 0x2000, 0x1000}, good);
	add_mapped_process(&w, 2, (struct prof_mapping){1, 0x20000, 0x1000, 0x2000}, moved);
	model = load(&w);
	ck_assert_int_eq(symbols_resolve(&symbols, &model, &roots), 0);
	/* 0x1010 is in the first process alone; the second one contradicts it about 0x2014. */
	ck_assert_str_eq(
		string_set_get(&symbols.names, symbols_frame(&symbols, 0, FRAME_LEAF)->name),
		"near");
	for (uint32_t i = 1; i < model.frames.nr; i++) {
		ck_assert_uint_eq(symbols_frame(&symbols, i, FRAME_LEAF)->name, 0);
		ck_assert_uint_eq(symbols_frame(&symbols, i, FRAME_LEAF)->reason,
				  UNKNOWN_NO_SYMBOL);
	}
	symbols_deinit(&symbols);
	debug_roots_close(&roots);
	model_deinit(&model);
	world_deinit(&w);
	temp_remove(dir);
}
END_TEST

/* One assertion for all bytes: Check writes a message for each. */
static size_t nr_controls(const struct textbuf *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < out->nr; i++)
		nr += out->data[i] != '\n' && (unsigned char)out->data[i] < 0x20;
	return nr;
}

/* Whatever a reader may hand out goes through all printers; the folded counts add up. */
START_TEST(random_recordings)
{
	const struct debug_roots roots = {.symfs_fd = -1};
	uint64_t rng = 99;

	for (int i = 0; i < 60; i++) {
		struct view view = {.folded = i % 2,
				    .modules = i % 3,
				    .offsets = i % 5,
				    .addresses = true,
				    .user_only = i % 7 == 0};
		struct recording rec = {.name = "random", .meta = &test_meta, .end = &test_end};
		struct textbuf out = {.fd = -1};
		struct rows_summary summary;
		struct symbols symbols;
		struct labels labels;
		struct world w;

		world_random(&w, &rng, 1 + i * 4);
		rec.model = load(&w);
		ck_assert_int_eq(symbols_resolve(&symbols, &rec.model, &roots), 0);
		ck_assert_int_eq(labels_init(&labels, &rec.model, &symbols, &view), 0);
		const struct printout p = {&rec, &symbols, &labels, &view, &out};

		ck_assert_int_eq(
			view.folded ? print_folded(&p, &summary) : print_stacks(&p, &summary), 0);
		ck_assert_int_eq(print_files(&p), 0);
		ck_assert_int_eq(print_info(&rec, &out), 0);
		if (view.folded)
			ck_assert_int_eq(print_diff(&p, &p, rec.model.total, &summary), 0);
		ck_assert_int_eq(out.error, 0);
		ck_assert_uint_eq(nr_controls(&out), 0);
		textbuf_deinit(&out);
		labels_deinit(&labels);
		symbols_deinit(&symbols);
		model_deinit(&rec.model);
		world_deinit(&w);
	}
}
END_TEST

SUITE_MAIN("symbolise", leaf_and_caller, reasons, files_with_and_without, random_recordings,
	   debug_file_by_own_mapping, exact_caller, files_that_differ)
