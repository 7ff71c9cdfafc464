// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_user.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "record/epoch/epoch_names.h"
#include "record/languages/language_table.h"

/* The part of an epoch that belongs to interpreted languages: functions, sources, interpreters. */

/*
 * The instances of sources are above those of all other objects. One file can be two sources, where
 * its functions are inlined and where they are not.
 */
#define SOURCE_INSTANCE(language, is_inlined)                                                      \
	(PROF_GAP_INSTANCE + (language) + ((is_inlined) ? 128 : 0))

/* A symbol covers the byte before the offset, too, where a reader may look for it. */
#define SYMBOL_BYTES 2

/* Offset of the frame that stands for callers that a walk may have passed over. */
#define GAP_OFFSET 1

static int add_string(struct epoch_tables *t, const char *s, uint32_t *id)
{
	return epoch_tables_string(t, s, strlen(s), id);
}

static int add_source(struct epoch_tables *t, const char *path, enum language language,
		      bool is_inlined, uint32_t *id)
{
	struct prof_object object = {.kind = PROF_OBJECT_ANON,
				     .instance = SOURCE_INSTANCE(language, is_inlined)};
	struct prof_language source = {.role = PROF_LANGUAGE_SOURCE};
	int ret = add_string(t, path, &object.path);

	if (!ret)
		ret = epoch_tables_object(t, &object, id);
	if (!ret)
		ret = add_string(
			t, is_inlined ? language_inlined_name(language) : language_name(language),
			&source.name);
	if (!ret)
		epoch_tables_set_language(t, *id, &source);
	return ret;
}

static int add_note(struct epoch_tables *t, uint64_t word, uint32_t *frame)
{
	static const char *const names[NR_NOTES] = {
		[NOTE_DISPLACED] = "[displaced]",
		[NOTE_UNREADABLE] = "[not readable]",
	};
	uint64_t addr = word_addr(word), note = addr < NR_NOTES ? addr : PROF_NOTE_UNNAMED;
	uint64_t offset = PROF_SOURCE_NOTE(note);
	uint32_t object;
	int ret = add_source(t, "", word_language(word), false, &object);

	if (!ret && names[note])
		ret = epoch_tables_symbol(t, object, offset - 1, SYMBOL_BYTES, names[note]);
	return ret ? ret : epoch_tables_frame(t, object, offset, false, frame);
}

/* Functions of one line of a source differ in their names. */
static uint64_t source_offset(const struct source_function *function)
{
	uint64_t id = hash_bytes(function->name, strlen(function->name), 0);

	return PROF_SOURCE_OFFSET(function->line, id & 0x7fffffff);
}

static int add_function(struct epoch_tables *t, const struct source_function *function,
			enum language language, bool is_inlined, u32_vec *frames)
{
	uint64_t offset = source_offset(function);
	uint32_t object, frame;
	/* The source without a path is for notes. */
	int ret = add_source(t, function->file[0] ? function->file : "?", language, is_inlined,
			     &object);

	if (!ret)
		ret = epoch_tables_symbol(t, object, offset - 1, SYMBOL_BYTES, function->name);
	if (!ret)
		ret = epoch_tables_frame(t, object, offset, false, &frame);
	return ret ? ret : vec_push(frames, frame);
}

/*
 * Appends to @frames the frames of the functions, or of the note, that @word stands for in the
 * address space @generation. Without a name the frame is one of an unknown function. Returns 0 or
 * -ENOMEM.
 */
static int add_function_frames(struct epoch_tables *t, const struct function_names *names,
			       uint64_t generation, uint64_t word, u32_vec *frames)
{
	const struct source_function *inlined;
	const struct named_function *function =
		function_names_find(names, generation, word, &inlined);
	uint32_t frame;
	int ret = 0;

	if (!function || !function->own.name[0]) {
		ret = add_note(t, word, &frame);
		return ret ? ret : vec_push(frames, frame);
	}
	for (uint32_t i = 0; i < function->nr_inlined && !ret; i++)
		ret = add_function(t, &inlined[i], word_language(word), true, frames);
	return ret ? ret : add_function(t, &function->own, word_language(word), false, frames);
}

/*
 * Appends to @frames the one that says that callers may be missing between the frame before it and
 * the one after it. Returns 0 or -ENOMEM.
 */
static int add_gap(struct epoch_tables *t, u32_vec *frames)
{
	struct prof_object object = {.kind = PROF_OBJECT_ANON, .instance = PROF_GAP_INSTANCE};
	uint32_t id, frame;
	int ret = add_string(t, "", &object.path);

	if (!ret)
		ret = epoch_tables_object(t, &object, &id);
	if (!ret)
		ret = epoch_tables_symbol(t, id, GAP_OFFSET - 1, SYMBOL_BYTES, "[...]");
	if (!ret)
		ret = epoch_tables_frame(t, id, GAP_OFFSET, false, &frame);
	return ret ? ret : vec_push(frames, frame);
}

/* Notes that @object, which is @file, is an interpreter, if it is one. Returns 0 or -ENOMEM. */
static int mark_interpreter(struct epoch_tables *t, const struct epoch_sources *sources,
			    const struct mapped_file *file, uint32_t object)
{
	const struct interpreter_of_file *known =
		sources->interpreters ? interpreter_maps_find(sources->interpreters, file) : NULL;
	struct prof_language interpreter = {.role = PROF_LANGUAGE_UNSUPPORTED};
	int ret;

	if (!known)
		return 0;
	if (known->found.interpreter.language &&
	    (known->machines.has_known || !known->machines.has_strange))
		interpreter.role = PROF_LANGUAGE_INTERPRETER;
	ret = add_string(t, language_name(known->found.language), &interpreter.name);
	if (!ret)
		ret = add_string(t, known->found.name, &interpreter.version);
	if (!ret)
		epoch_tables_set_language(t, object, &interpreter);
	return ret;
}

/* Finds or adds the epoch's process for an address space. */
static int get_process(struct epoch_user *u, const struct address_space *space, uint32_t *id)
{
	/* Generation 0 is the kernel's. */
	struct prof_process entry = {.pid = space->pid, .generation = space->generation + 1};
	int ret;

	if (epoch_tables_find_process(u->tables, entry.generation, id))
		return 0;
	ret = epoch_tables_process(u->tables, &entry, id);
	return ret ? ret : epoch_names_process(u->tables, u->sources, space, *id);
}

/*
 * The identity of @file, with number @nr in file_names, as far as objects need it. Anybody can have
 * a file with the path and the build-id of another one, so these suffice for a file of root alone.
 * A deleted file without a build-id does not change.
 */
static struct file_identity object_identity(const struct epoch_user *u,
					    const struct mapped_file *file, uint32_t nr)
{
	struct file_identity identity = file->identity;

	if (!build_id_is_none(mapped_file_build_id(file))) {
		const struct file_identity *named =
			nr == FILE_NAMES_NONE ? NULL : file_names_identity(u->sources->names, nr);

		return named ? *named : (struct file_identity){0};
	}
	if (file->deleted)
		identity.size = identity.mtime_ns = identity.ctime_ns = 0;
	return identity;
}

static const enum prof_object_kind kinds[] = {
	[MAPPED_FILE] = PROF_OBJECT_FILE,
	[MAPPED_ANON] = PROF_OBJECT_ANON,
	[MAPPED_VDSO] = PROF_OBJECT_VDSO,
};

/* Can @file hold the own code of a process that writes a perf map? */
static bool is_jit(const struct epoch_user *u, const struct address_space *space,
		   const struct mapped_file *file)
{
	return mapped_file_is_made_code(file) && u->sources->jit &&
	       jit_has_map(u->sources->jit, space);
}

/* No two processes may share the object, and its offsets are addresses, as in the map. */
static int make_jit(struct epoch_user *u, const struct address_space *space,
		    const struct mapped_file *file, struct prof_object *object,
		    struct prof_mapping *used)
{
	char map[64];
	const char *path = map;

	*object = (struct prof_object){.kind = PROF_OBJECT_JIT,
				       .instance = (uint32_t)(space->generation + 1)};
	used->pgoff = used->start;
	snprintf(map, sizeof(map), "/tmp/perf-%u.map", space->pid);
	if (jit_is_described(u->sources->jit, space))
		path = file->path;
	return epoch_tables_string(u->tables, path, strlen(path), &object->path);
}

static int make_object(struct epoch_user *u, uint32_t process, const struct mapped_file *file,
		       const struct file_identity *identity, const struct prof_mapping *used,
		       struct prof_object *object)
{
	const struct vdso *vdso = u->sources->vdso;
	int ret;

	*object = (struct prof_object){.kind = kinds[file->kind],
				       .flags = file->deleted ? PROF_OBJECT_DELETED : 0};
	epoch_object_set_build_id(object, mapped_file_build_id(file));
	if (file->kind == MAPPED_VDSO && vdso &&
	    vdso_is_same(vdso, used->start, used->start + used->size))
		epoch_object_set_build_id(object, &vdso->build_id);
	ret = epoch_tables_string(u->tables, file->path, strlen(file->path), &object->path);
	if (!ret)
		object->instance = placements_instance(&u->placements, u->tables, process, object,
						       identity, used->start - used->pgoff);
	return ret;
}

/*
 * Has the file held for its names while @space, the epoch's @process, maps it. *@nr is the file
 * that has them.
 */
static int hold_file(struct epoch_user *u, uint32_t process, const struct address_space *space,
		     const struct mapping *mapping, uint32_t *nr)
{
	const struct mapped_file *file = mapping_file(&u->sources->spaces->files, mapping);
	struct file_place place = address_space_place(space, mapping);

	*nr = FILE_NAMES_NONE;
	place.owner = u->tables->processes.data[process].owner;
	return u->sources->names ? file_names_hold(u->sources->names, file, &place, nr) : 0;
}

/* The state of the way through a stack. */
struct user_walk {
	const struct user_stack *stack;
	uint32_t process; /* the epoch's */
	/* The last mapping. Consecutive frames mostly lie in one mapping. */
	uint64_t start, end; /* of it */
	uint64_t bias;       /* by which its addresses exceed offsets in the object */
	uint32_t object;
	bool is_leaf; /* the next native frame is */
	bool may_stray;
	bool strayed;
};

/* Finds or adds the object and the mapping of the epoch's process for a mapping that was hit. */
static int use_mapping(struct epoch_user *u, const struct mapping *mapping, struct user_walk *walk)
{
	const struct address_space *space = walk->stack->space;
	const struct mapped_file *file = mapping_file(&u->sources->spaces->files, mapping);
	struct prof_mapping used = {.start = mapping->start,
				    .size = mapping->end - mapping->start,
				    .pgoff = mapping->pgoff};
	struct placement placement = {
		.process = walk->process, .start = used.start, .size = used.size};
	struct file_identity identity = {0};
	struct prof_object object;
	uint32_t named = FILE_NAMES_NONE;
	int ret;

	if (is_jit(u, space, file)) {
		ret = make_jit(u, space, file, &object, &used);
	} else {
		ret = hold_file(u, walk->process, space, mapping, &named);
		identity = object_identity(u, file, named);
		if (!ret)
			ret = make_object(u, walk->process, file, &identity, &used, &object);
	}
	if (!ret)
		ret = epoch_tables_object(u->tables, &object, &walk->object);
	if (ret)
		return ret;
	epoch_tables_set_file(u->tables, walk->object, &identity);
	if (named != FILE_NAMES_NONE)
		u->tables->named.data[walk->object] = named + 1;
	ret = mark_interpreter(u->tables, u->sources, file, walk->object);
	if (ret)
		return ret;
	walk->start = mapping->start;
	walk->end = mapping->end;
	walk->bias = used.start - used.pgoff;
	placement.object = used.object = walk->object;
	placement.distance = walk->bias;
	if (placements_has(&u->placements, &placement))
		return 0;
	ret = placements_add(&u->placements, u->tables, &placement);
	return ret ? ret : epoch_tables_mapping(u->tables, walk->process, &used);
}

/*
 * Programs without frame pointers can have anything in the register that a walk along frame
 * pointers follows. If all mappings of a process are known, an address outside them is no caller.
 * Then the walk has strayed, and one frame stands for the rest, which means nothing. If such values
 * stayed, nearly every stack would be a new one.
 */
static bool has_strayed(const struct epoch_user *u, const struct user_walk *walk)
{
	const struct address_space *space = walk->stack->space;

	return walk->may_stray && space->memory->complete && !rescans_has(&u->rescans, space);
}

static int translate_frame(struct epoch_user *u, struct user_walk *walk, uint64_t raw,
			   uint32_t *frame)
{
	/* Functions that run in the native leaf stand before it. */
	bool is_exact = stack_frame_is_exact(raw) || (walk->is_leaf && u->frames.nr);
	uint64_t addr = stack_frame_addr(raw);
	const struct mapping *mapping;

	if (addr < walk->start || addr >= walk->end) {
		int ret;

		mapping = address_space_lookup(walk->stack->space, addr, walk->stack->time_ns);
		if (!mapping) {
			walk->strayed = !walk->is_leaf && has_strayed(u, walk);
			return epoch_tables_frame(u->tables, 0, walk->strayed ? 0 : addr,
						  is_exact && !walk->strayed, frame);
		}
		ret = use_mapping(u, mapping, walk);
		if (ret)
			return ret;
	}
	return epoch_tables_frame(u->tables, walk->object, addr - walk->bias, is_exact, frame);
}

/* Appends what @raw stands for to the frames of the stack at hand. */
static int add_frames(struct epoch_user *u, struct user_walk *walk, uint64_t raw)
{
	uint32_t frame;
	int ret;

	/* Walks along frame pointers alone find no functions, and may find anything. */
	if (word_is_function(raw) && u->sources->functions &&
	    walk->stack->raw->end != STACK_END_FP) {
		walk->is_leaf &= word_is_before_frame(raw);
		return add_function_frames(u->tables, u->sources->functions,
					   walk->stack->space->generation, raw, &u->frames);
	}
	ret = translate_frame(u, walk, raw, &frame);
	walk->is_leaf = false;
	return ret ? ret : vec_push(&u->frames, frame);
}

/* May callers of frame @i of @raw be missing before the next one? */
static bool has_gap(const struct raw_stack *raw, size_t i)
{
	return raw->end != STACK_END_FP && i + 1 < raw->nr_frames &&
	       stack_frame_is_uncertain(raw->frames[i]);
}

int epoch_user_prepare(struct epoch_user *u, const struct user_stack *stack)
{
	return rescans_look(&u->rescans, u->sources->spaces, stack->space, stack->raw,
			    stack->time_ns);
}

int epoch_user_add(struct epoch_user *u, const struct user_stack *stack, struct prof_count *row)
{
	const struct raw_stack *raw = stack->raw;
	/* Tables lead to code, even if nobody has told of its mapping. */
	struct user_walk walk = {
		.stack = stack,
		.is_leaf = true,
		.may_stray = raw->end == STACK_END_FP || raw->end == STACK_END_CUT ||
			     raw->end == STACK_END_NO_TABLE || raw->end == STACK_END_EARLY};
	enum prof_stack_end end = raw_stack_end(raw);
	int ret = get_process(u, stack->space, &walk.process);

	vec_clear(&u->frames);
	for (size_t i = 0; !ret && i < raw->nr_frames && !walk.strayed; i++) {
		ret = add_frames(u, &walk, raw->frames[i]);
		if (!ret && has_gap(raw, i))
			ret = add_gap(u->tables, &u->frames);
	}
	if (ret)
		return ret;
	row->process = walk.process;
	if (walk.strayed)
		end = PROF_STACK_STRAYED;
	/* Compiled code can have many functions at one address. */
	if (u->frames.nr > PROF_MAX_STACK_FRAMES) {
		u->frames.nr = PROF_MAX_STACK_FRAMES;
		end = PROF_STACK_CUT;
	}
	return epoch_tables_stack(u->tables, u->frames.data, u->frames.nr, end, &row->user_stack);
}

void epoch_user_reset(struct epoch_user *u)
{
	placements_clear(&u->placements);
}

void epoch_user_deinit(struct epoch_user *u)
{
	placements_deinit(&u->placements);
	rescans_deinit(&u->rescans);
	vec_free(&u->frames);
}
