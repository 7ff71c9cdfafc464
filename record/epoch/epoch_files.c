// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_files.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "common/vec.h"

/*
 * Bytes of names in an epoch: no process can make an epoch too large to be written. A symbol costs
 * some bytes besides its name.
 */
#define NAMES_BYTES_PER_EPOCH (4u << 20)
#define BYTES_PER_SYMBOL      8

/* An address that needs a name. */
struct question {
	uint32_t owner;  /* of the file */
	uint32_t file;   /* its number in file_names */
	uint32_t object; /* of the epoch */
	uint64_t off;
};

typedef VEC(struct question) question_vec;

enum { IS_LEAF = 1, IS_CALLER = 2 };

static int compare_questions(const void *a, const void *b)
{
	const struct question *x = a, *y = b;

	COMPARE(x->owner, y->owner);
	COMPARE(x->file, y->file);
	COMPARE(x->off, y->off);
	COMPARE(x->object, y->object);
	return 0;
}

/* Notes for each frame the places that it has in stacks. */
static void note_places(const struct epoch_tables *t, uint8_t *places)
{
	vec_for_each(&t->stacks, stack)
		for (uint32_t i = 0; i < stack->nr_frames; i++)
			places[t->stack_frames.data[stack->first_frame + i]] |=
				i ? IS_CALLER : IS_LEAF;
}

static int add_question(const struct epoch_tables *t, const struct file_names *names,
			const struct prof_frame *frame, uint64_t off, question_vec *questions)
{
	const uint32_t file = t->named.data[frame->object] - 1;
	const struct question question = {.owner = file_names_owner(names, file),
					  .file = file,
					  .object = frame->object,
					  .off = off};

	return vec_push(questions, question);
}

/*
 * Lists the addresses that need names. A leaf is looked up at its address, a caller at the byte
 * before, unless a signal interrupted it.
 */
static int gather_questions(const struct epoch_tables *t, const struct file_names *names,
			    question_vec *questions)
{
	_cleanup_free_ uint8_t *places = calloc(t->frames.nr + 1, 1);
	int ret = places ? 0 : -ENOMEM;

	if (!ret)
		note_places(t, places);
	for (size_t i = 0; i < t->frames.nr && !ret; i++) {
		const struct prof_frame *frame = &t->frames.data[i];
		bool is_exact = t->frame_is_exact.data[i];

		if (!t->named.data[frame->object])
			continue;
		if (places[i] & IS_LEAF || is_exact)
			ret = add_question(t, names, frame, frame->offset, questions);
		if (!ret && places[i] & IS_CALLER && !is_exact && frame->offset)
			ret = add_question(t, names, frame, frame->offset - 1, questions);
	}
	if (!ret && questions->nr)
		qsort(questions->data, questions->nr, sizeof(*questions->data), compare_questions);
	return ret;
}

/* Asks for the questions [*@at, ...) about one file, and moves *@at to those about the next. */
static int ask_file(const question_vec *questions, size_t *at, struct file_names *names,
		    uint64_t urgent_ns)
{
	uint32_t file = questions->data[*at].file;
	u64_vec offsets = {0};
	int ret = 0;

	for (; *at < questions->nr && questions->data[*at].file == file; ++*at) {
		uint64_t off = questions->data[*at].off;

		if (!ret && (!offsets.nr || offsets.data[offsets.nr - 1] != off))
			ret = vec_push(&offsets, off);
	}
	if (!ret)
		ret = file_names_ask(names, file, offsets.data, offsets.nr, urgent_ns);
	vec_free(&offsets);
	return ret;
}

int epoch_files_ask(const struct epoch_tables *t, struct file_names *names, uint64_t urgent_ns)
{
	question_vec questions = {0};
	int ret = gather_questions(t, names, &questions);

	for (size_t at = 0; at < questions.nr && !ret;)
		ret = ask_file(&questions, &at, names, urgent_ns);
	vec_free(&questions);
	return ret ? ret : file_names_work(names);
}

/*
 * Can a later epoch have an equal object? Instances depend on the order of samples, and the
 * identity of a file without a build-id on whether it was deleted.
 */
static bool is_lasting(const struct prof_object *object)
{
	return object->build_id_size && !object->instance;
}

/* Adds the symbol that answers @question, unless an earlier epoch of the recording has it. */
static int add_symbol(struct epoch_tables *t, const struct file_names *names,
		      const struct question *question)
{
	bool lasts = is_lasting(&t->objects.data[question->object]);
	struct file_symbol symbol;
	int ret;

	if (!file_names_find(names, question->file, question->off, &symbol) ||
	    (lasts && symbol.is_written))
		return 0;
	ret = epoch_tables_symbol(t, question->object, symbol.off, symbol.size, symbol.name);
	if (!ret)
		t->name_parts.data[question->object] |= symbol.parts;
	if (!ret && lasts)
		file_names_note_written(names, &symbol);
	return ret;
}

static size_t used_bytes(const struct epoch_tables *t)
{
	return t->string_bytes.nr + t->symbols.nr * BYTES_PER_SYMBOL;
}

static uint32_t count_owners(const question_vec *questions)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < questions->nr; i++)
		nr += !i || questions->data[i].owner != questions->data[i - 1].owner;
	return nr;
}

/*
 * Adds the symbols of the files of one owner, until the epoch has @max_bytes. Moves *@at to the
 * questions of the next owner. Files whose names have no room are counted.
 */
static int add_owner(struct epoch_tables *t, struct file_names *names,
		     const question_vec *questions, size_t *at, size_t max_bytes)
{
	const uint32_t owner = questions->data[*at].owner;
	uint32_t counted = FILE_NAMES_NONE;
	int ret = 0;

	for (; !ret && *at < questions->nr && questions->data[*at].owner == owner; ++*at) {
		const struct question *question = &questions->data[*at];

		if (used_bytes(t) <= max_bytes && t->symbols.nr < PROF_MAX_TABLE / 2) {
			ret = add_symbol(t, names, question);
		} else if (question->file != counted) {
			counted = question->file;
			file_names_note_unserved(names, counted);
		}
	}
	return ret;
}

int epoch_files_add(struct epoch_tables *t, struct file_names *names)
{
	const size_t max_bytes = used_bytes(t) + NAMES_BYTES_PER_EPOCH;
	question_vec questions = {0};
	int ret = gather_questions(t, names, &questions);
	uint32_t nr_owners = count_owners(&questions);

	/* Root is first, and has what it needs. What one of the others leaves is for those after.
	 */
	for (size_t at = 0; !ret && at < questions.nr; nr_owners--) {
		size_t left = max_bytes - min_u64(used_bytes(t), max_bytes);
		bool is_root = !questions.data[at].owner;

		ret = add_owner(t, names, &questions, &at,
				used_bytes(t) + (is_root ? left : left / nr_owners));
	}
	vec_free(&questions);
	return ret;
}
