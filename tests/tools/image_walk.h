/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the stack of a sample by the BPF programs as they are compiled for the recorder, and prints
 * its frames. The memory is that of a process or of an image: whoever includes this is linked so
 * that the programs read by image_walk.read (--wrap, in the Makefile).
 */
#ifndef TESTS_IMAGE_WALK_H
#define TESTS_IMAGE_WALK_H

#include <errno.h>

#include "bpf/walk/unwind.h"
#include "common/arena.h"
#include "record/languages/interpreter_search.h"
#include "record/languages/language_table.h"
#include "record/languages/source_function.h"
#include "record/machines/machine_kinds.h"
#include "record/sampling/program/maps.h"
#include "record/sampling/program/rings.h"
#include "record/sampling/program/program.h"
#include "record/sampling/bpf/sampler.h"
#include "record/unwind/file_tables.h"
#include "tests/tools/sample_image.h"

#define WALK_DEPTH 127
#define WALK_PID   4711

/* As the unwind tables of the image's files, and its interpreter, were found. */
struct walk_file {
	struct unwind_table table;
	bool has_table;
};

struct image_walk {
	const struct sample_image *image;
	const struct walk_file *files; /* one for each of the image's */
	struct found_interpreter found;
	/* Reads up to @len bytes at @addr. Returns their number, or a negative errno. */
	machine_read_fn read;
	void *ctx;
	/* Set by the walk: */
	struct sampler *sampler;
	struct table_maps tables;
	struct unwind_maps maps;
	struct machine machine;
	bool has_machine;
	VEC(struct scoped_function_name) names;
	VEC(uint64_t) frames; /* leaf first */
	uint32_t end;         /* enum stack_end */
};

/* The walk at hand, whose memory the programs read. */
static struct image_walk *current_walk;

long __wrap_bpf_probe_read_user(void *to, uint32_t size, const void *from);
long __wrap_bpf_probe_read_user_str(void *to, uint32_t size, const void *from);

long __wrap_bpf_probe_read_user(void *to, uint32_t size, const void *from)
{
	struct image_walk *w = current_walk;

	if (w->read(w->ctx, (uintptr_t)from, to, size) == (long)size)
		return 0;
	memset(to, 0, size); /* as the kernel's helper */
	return -EFAULT;
}

long __wrap_bpf_probe_read_user_str(void *to, uint32_t size, const void *from)
{
	char *text = to;

	for (uint32_t i = 0; i < size; i++) {
		if (__wrap_bpf_probe_read_user(text + i, 1, (const char *)from + i))
			return -EFAULT;
		if (!text[i])
			return i + 1;
	}
	if (size)
		text[size - 1] = '\0';
	return size;
}

static void walk_fail(const char *what, int ret)
{
	if (ret)
		errx(2, "%s: %s", what, strerror(-ret));
}

static void begin_sampler(struct image_walk *w)
{
	static const struct events events;
	u32_vec none = {0}, cpus = {0};
	const struct filters filters = {
		.options = {.pids = &none, .tids = &none, .uid = FILTERS_ANY_UID},
		.ids = &none,
		.cgroup_fd = -1,
		.cgroup_map_fd = -1,
		.mntns_map_fd = -1,
	};
	const struct sampler_options options = {
		.is_own = true,
		.filters = &filters,
		.cpus = &cpus,
		.events = &events,
		.nr_events = 1,
		.stack_storage = 64,
		.hash_storage = 64,
		.no_slices = true,
		.depth = {.most = WALK_DEPTH, .of_helper = WALK_DEPTH},
		.no_kernel = true,
		.unwind = true,
		.languages = true,
	};
	struct swap swap;
	struct err why = {0};

	/* After the swap, both agree which set is active: the programs have that of the walk
	 * before.
	 */
	if (sampler_create(&options, &w->sampler, &why) || sampler_swap(w->sampler, &swap, &why))
		errx(2, "%s", why.text);
	sampler_unwind_maps(w->sampler, &w->maps);
	walk_fail("tables", table_maps_init(&w->tables));
	table_maps_begin(&w->tables, &w->maps);
}

/* Puts the tables and mappings into the maps of the programs. */
static void put_mappings(struct image_walk *w)
{
	struct file_table *tables = calloc(w->image->files.nr + 1, sizeof(*tables));
	uint32_t nr = 0;

	if (!tables)
		errx(2, "out of memory");
	for (size_t i = 0; i < w->image->files.nr; i++) {
		const struct walk_file *f = &w->files[i];

		tables[i].state = TABLE_IMPOSSIBLE;
		if (!f->has_table)
			continue;
		walk_fail("table", table_maps_add(&w->tables, &f->table, &tables[i].place));
		tables[i].first_off = f->table.first_off;
		tables[i].state = TABLE_READY;
	}
	vec_for_each(&w->image->mappings, m) {
		struct unwind_mapping mapping = {m->start, m->end, 0, UNWIND_WITHOUT_TABLE};

		if (image_mapping_has_file(m))
			file_table_describe(&tables[m->file], m->start - m->pgoff, &mapping);
		if (m->file == IMAGE_SHARED_MEMORY)
			mapping.pages = UNWIND_SHARED_MEMORY;
		if (map_update(w->maps.mappings, &nr, &mapping, BPF_ANY))
			err(2, "mapping");
		nr++;
	}
	for (size_t i = 0; i < w->image->files.nr; i++)
		vec_free(&tables[i].place.rules);
	free(tables);
}

/* Tells the programs of the interpreter, and of the machine of Java or Erlang. */
static void put_interpreter(struct image_walk *w)
{
	const struct interpreter *in = &w->found.interpreter;
	const struct machine_memory memory = {w->read, w->ctx};
	struct unwind_space space = {.nr = w->image->mappings.nr,
				     .regex_start = w->image->regex_start,
				     .regex_bytes = w->image->regex_bytes,
				     .is_settled = 1};
	const uint32_t pid = WALK_PID, number = 0, kind = machine_kind_of(in->language);
	const int machine_maps[] = {
		[MACHINE_JAVA] = w->maps.java_machines, [MACHINE_BEAM] = w->maps.beam_machines};

	if (interpreter_is_any(in)) {
		map_update(w->maps.interpreters, &number, in, BPF_ANY);
		space.interpreter = number + 1;
		space.interpreter_base = w->image->base;
	}
	if (in->language && kind < NR_MACHINE_KINDS) {
		w->machine = (struct machine){.pid = pid, .kind = kind};
		w->has_machine =
			!machine_kinds[kind].read(&memory, in, w->image->base, &w->machine);
		if (w->has_machine) {
			map_update(machine_maps[kind], &pid, &w->machine.java, BPF_ANY);
			space.machine = UNWIND_MACHINE_READY;
		}
	}
	if (map_update(w->maps.spaces, &pid, &space, BPF_ANY))
		err(2, "process");
}

/* A rings_fn. */
static int take_name(void *ctx, void *record, size_t bytes)
{
	struct image_walk *w = ctx;
	struct scoped_function_name name = {0};

	memcpy(&name, record, bytes < sizeof(name) ? bytes : sizeof(name));
	IMAGE_PUSH(&w->names, name);
	return 0;
}

/* A sampler_sink's functions. */
static int take_stack(void *ctx, const struct stack_entry *stack)
{
	struct image_walk *w = ctx;

	w->end = stack->end;
	return vec_append(&w->frames, stack->frames, stack->nr_frames);
}

static int take_count(void *ctx, const struct sampled_count *count)
{
	(void)ctx, (void)count;
	return 0;
}

static void take_sample(struct image_walk *w)
{
	const struct program_process process = {
		.pid = WALK_PID, .start = 1, .exec_pages = 1, .start_code = 1};
	const struct program_sample sample = {.process = &process,
					      .tid = WALK_PID,
					      .comm = "image",
					      .time_ns = 1,
					      .regs = w->image->regs,
					      .has_thread_pointer = true,
					      .memory = {.is_stopped = true}};
	const struct sampler_sink sink = {take_stack, take_count, w};
	struct program_wants wants;
	struct rings *rings;
	struct swap swap;
	struct err why = {0};

	program_take_sample(&sample, &wants);
	if (sampler_swap(w->sampler, &swap, &why) || sampler_drain(w->sampler, &sink, &why))
		errx(2, "%s", why.text);
	walk_fail("names", rings_create(&rings));
	walk_fail("names", rings_add(rings, w->maps.function_names, take_name, w));
	walk_fail("names", rings_consume(rings));
	rings_destroy(rings);
}

/* Walks the stack. image_walk_deinit is due. */
static void image_walk_run(struct image_walk *w)
{
	current_walk = w;
	begin_sampler(w);
	put_mappings(w);
	put_interpreter(w);
	take_sample(w);
}

static void image_walk_deinit(struct image_walk *w)
{
	table_maps_deinit(&w->tables);
	sampler_destroy(w->sampler);
	vec_free(&w->names);
	vec_free(&w->frames);
}

static const struct image_mapping *find_image_mapping(const struct sample_image *image, uint64_t pc)
{
	vec_for_each(&image->mappings, m)
		if (pc >= m->start && pc < m->end)
			return m;
	return NULL;
}

/* The address of frame @i by which its code is looked up. */
static uint64_t frame_pc(const struct image_walk *w, size_t i)
{
	uint64_t frame = w->frames.data[i];

	if (stack_frame_is_exact(frame))
		return stack_frame_addr(frame);
	return i ? stack_frame_addr(frame) - 1 : stack_frame_addr(frame);
}

static const struct function_name *find_name(const struct image_walk *w, uint64_t word)
{
	vec_for_each(&w->names, n)
		if (n->function.word == word)
			return &n->function;
	return NULL;
}

/* The lines that one word becomes, the innermost function first. */
struct frame_lines {
	char text[JAVA_MAX_SCOPES][600];
	size_t nr;
};

struct method_lines {
	struct frame_lines *lines;
	enum language language;
	struct arena texts;
};

/* A machine_function_fn. */
static int take_method(void *ctx, const struct machine_function *method)
{
	struct method_lines *m = ctx;
	struct source_function f = {0};

	if (m->lines->nr == JAVA_MAX_SCOPES)
		return -ENOBUFS;
	walk_fail("a name", source_function_decode_method(&m->texts, m->language, &method->class,
							  &method->name, &method->file, &f));
	snprintf(m->lines->text[m->lines->nr++], sizeof(m->lines->text[0]), "%s", f.name);
	return 0;
}

/* The function of @word, and those that the compiler has put into it. */
static void name_methods(const struct image_walk *w, uint64_t word,
			 const struct function_name *name, struct frame_lines *lines)
{
	const struct machine_memory memory = {w->read, w->ctx};
	struct method_lines m = {.lines = lines, .language = word_language(word)};
	union machine_place place = {.beam = word_language(word) == LANGUAGE_BEAM ? word : 0};

	if (name && name->block) {
		place.java.pc = word_addr(word);
		place.java.block = name->block;
		place.java.compile_id = name->compile_id;
	}
	if (w->has_machine && (m.language == LANGUAGE_BEAM || place.java.block) &&
	    machine_kinds[w->machine.kind].name(&memory, &w->machine, &place, take_method, &m))
		lines->nr = 0;
	for (size_t i = 0; i < lines->nr; i++) {
		const char *key = i + 1 < lines->nr ? language_inlined_name(m.language)
						    : language_name(m.language);

		snprintf(lines->text[i] + strlen(lines->text[i]), 16, "_[%s]", key);
	}
	arena_deinit(&m.texts);
}

static void name_word(const struct image_walk *w, uint64_t word, struct frame_lines *lines)
{
	const struct function_name *name = find_name(w, word);
	const char *key = language_name(word_language(word));
	struct source_function f = {0};
	struct arena texts = {0};

	if (word_addr(word) < NR_NOTES) {
		snprintf(lines->text[lines->nr++], sizeof(lines->text[0]), "%s_[%s]",
			 word_addr(word) == NOTE_DISPLACED ? "[displaced]" : "[not readable]", key);
		return;
	}
	name_methods(w, word, name, lines);
	if (lines->nr)
		return;
	if (name && !source_function_decode(&texts, name, &f))
		snprintf(lines->text[lines->nr++], sizeof(lines->text[0]), "%s_[%s]", f.name, key);
	else
		snprintf(lines->text[lines->nr++], sizeof(lines->text[0]), "[no name]_[%s]", key);
	arena_deinit(&texts);
}

static void name_frame(const struct image_walk *w, size_t i, struct frame_lines *lines)
{
	const struct image_mapping *m = find_image_mapping(w->image, frame_pc(w, i));
	const char *name = !m                           ? "not mapped"
			   : !image_mapping_has_file(m) ? "made code"
							: w->image->files.data[m->file].name;

	lines->nr = 0;
	if (word_is_function(w->frames.data[i]))
		name_word(w, w->frames.data[i], lines);
	else
		snprintf(lines->text[lines->nr++], sizeof(lines->text[0]), "[%s]", name);
}

/*
 * Writes what was found to @f: the interpreter, the end of the stack, its frames from the root on.
 */
static void image_walk_print(const struct image_walk *w, FILE *f)
{
	static const char *const ends[] = {
		[STACK_END_FP] = "along rbp",      [STACK_END_ROOT] = "complete",
		[STACK_END_CUT] = "cut",           [STACK_END_NO_TABLE] = "no table",
		[STACK_END_BAD_RULE] = "bad rule", [STACK_END_UNREADABLE] = "not readable",
		[STACK_END_EARLY] = "early"};
	struct frame_lines *lines = malloc(sizeof(*lines));

	if (!lines)
		errx(2, "out of memory");
	fprintf(f, "%s, %s\n", w->found.name,
		w->end < ARRAY_SIZE(ends) && ends[w->end] ? ends[w->end] : "unknown end");
	for (size_t i = w->frames.nr; i--;) {
		if (i + 1 < w->frames.nr && stack_frame_is_uncertain(w->frames.data[i]))
			fprintf(f, "[...]\n");
		name_frame(w, i, lines);
		while (lines->nr)
			fprintf(f, "%s\n", lines->text[--lines->nr]);
	}
	free(lines);
}

/*
 * Reads a line of HotSpot's map of segments, of which an image may have the bytes alone that tell
 * where a block begins. A missing one is 0xff, which stands for no block.
 */
static size_t read_map_line(const struct sample_image *image, uint64_t addr, uint8_t *line)
{
	size_t nr = 0;

	memset(line, 0xff, JAVA_MAP_BYTES);
	for (size_t i = 0; i < JAVA_MAP_BYTES; i++)
		nr += image_bytes_copy(&image->reads, addr + i, &line[i], 1);
	return nr ? JAVA_MAP_BYTES : 0;
}

/* A machine_read_fn. @ctx is the image. */
static long read_image(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct sample_image *image = ctx;
	size_t nr = len == JAVA_MAP_BYTES && !(addr % JAVA_MAP_BYTES)
			    ? read_map_line(image, addr, buf)
			    : image_bytes_copy(&image->reads, addr, buf, len);

	return nr || !len ? (long)nr : -EFAULT;
}

/* Walks @image by itself alone, and writes to @f what was found. */
static void sample_image_walk(const struct sample_image *image, FILE *f)
{
	struct walk_file *files = calloc(image->files.nr + 1, sizeof(*files));
	struct image_walk w = {
		.image = image, .files = files, .read = read_image, .ctx = (void *)image};

	if (!files)
		errx(2, "out of memory");
	if (image->interpreter != IMAGE_NO_FILE) {
		int fd = image_file_open(&image->files.data[image->interpreter]);

		interpreter_search(fd, &w.found);
		close(fd);
	}
	for (size_t i = 0; i < image->files.nr; i++) {
		files[i].has_table = image->files.data[i].rules.nr > 0;
		if (files[i].has_table)
			image_file_table(&image->files.data[i], &files[i].table);
	}
	image_walk_run(&w);
	image_walk_print(&w, f);
	image_walk_deinit(&w);
	for (size_t i = 0; i < image->files.nr; i++)
		if (files[i].has_table)
			unwind_table_deinit(&files[i].table);
	free(files);
}

#endif
