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

/* The questions [begin, ...) about one file, and the samples whose leaves are in it. */
struct file_turn {
	uint64_t nr_samples;
	size_t begin;
};

typedef VEC(struct file_turn) turn_vec;

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
			uint32_t object, uint64_t off, question_vec *questions)
{
	const uint32_t file = t->named.data[object] - 1;
	const struct question question = {
		.owner = file_names_payer(names, file), .file = file, .object = object, .off = off};

	return vec_push(questions, question);
}

/*
 * Lists the addresses of the epoch that need names. A leaf is looked up at its address, a caller at
 * the byte before, unless a signal interrupted it.
 */
static int gather_frames(const struct epoch_tables *t, const struct file_names *names,
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
			ret = add_question(t, names, frame->object, frame->offset, questions);
		if (!ret && places[i] & IS_CALLER && !is_exact && frame->offset)
			ret = add_question(t, names, frame->object, frame->offset - 1, questions);
	}
	return ret;
}

/* Lists the addresses of an object of earlier epochs. */
static int gather_owed(struct epoch_tables *t, struct file_names *names,
		       const struct owed_object *owed, question_vec *questions)
{
	uint32_t id = 0;
	int ret = owed_object_put(owed, t, &id);

	if (ret == -EEXIST) {
		file_names_note_unserved(names, owed->named - 1);
		return 0;
	}
	for (size_t i = 0; i < owed->offsets.nr && !ret; i++)
		ret = add_question(t, names, id, owed->offsets.data[i], questions);
	return ret;
}

static int gather_questions(struct epoch_tables *t, struct file_names *names,
			    const struct owed_names *owed, question_vec *questions)
{
	int ret = gather_frames(t, names, questions);

	vec_for_each(&owed->objects, object)
		if (!ret)
			ret = gather_owed(t, names, object, questions);
	if (!ret && questions->nr)
		qsort(questions->data, questions->nr, sizeof(*questions->data), compare_questions);
	return ret;
}

/* The samples whose user stacks have their leaf in an object, by its number. NULL: no memory. */
static uint64_t *count_leaves(const struct epoch_tables *t)
{
	uint64_t *samples = calloc(t->objects.nr + 1, sizeof(*samples));

	for (size_t i = 0; samples && i < t->counts.nr; i++) {
		const struct prof_count *count = &t->counts.data[i];
		const struct prof_stack *stack = &t->stacks.data[count->user_stack];

		if (stack->nr_frames)
			samples[t->frames.data[t->stack_frames.data[stack->first_frame]].object] +=
				count->count;
	}
	return samples;
}

static int compare_turns(const void *a, const void *b)
{
	const struct file_turn *x = a, *y = b;

	COMPARE(y->nr_samples, x->nr_samples);
	COMPARE(x->begin, y->begin);
	return 0;
}

/* Lists the files that @questions are about, those with most samples first. */
static int list_turns(const struct epoch_tables *t, const question_vec *questions, turn_vec *turns)
{
	_cleanup_free_ uint64_t *samples = count_leaves(t);
	int ret = samples ? 0 : -ENOMEM;

	for (size_t i = 0; i < questions->nr && !ret; i++) {
		const struct question *question = &questions->data[i];

		if (!i || question->file != question[-1].file)
			ret = vec_push(turns, (struct file_turn){.begin = i});
		if (!ret) {
			struct file_turn *turn = &turns->data[turns->nr - 1];

			turn->nr_samples = max_u64(turn->nr_samples, samples[question->object]);
		}
	}
	if (!ret && turns->nr)
		qsort(turns->data, turns->nr, sizeof(*turns->data), compare_turns);
	return ret;
}

/* Asks for the questions about one file, which begin at @at. */
static int ask_file(const question_vec *questions, size_t at, struct file_names *names,
		    uint64_t urgent_ns)
{
	const uint32_t file = questions->data[at].file;
	u64_vec offsets = {0};
	int ret = 0;

	for (; at < questions->nr && questions->data[at].file == file && !ret; at++) {
		uint64_t off = questions->data[at].off;

		if (!offsets.nr || offsets.data[offsets.nr - 1] != off)
			ret = vec_push(&offsets, off);
	}
	if (!ret)
		ret = file_names_ask(names, file, offsets.data, offsets.nr, urgent_ns);
	vec_free(&offsets);
	return ret;
}

int epoch_files_ask(struct epoch_tables *t, struct file_names *names, const struct owed_names *owed,
		    uint64_t urgent_ns)
{
	question_vec questions = {0};
	turn_vec turns = {0};
	int ret = gather_questions(t, names, owed, &questions);

	if (!ret)
		ret = list_turns(t, &questions, &turns);
	for (size_t i = 0; i < turns.nr && !ret; i++)
		ret = ask_file(&questions, turns.data[i].begin, names, urgent_ns);
	vec_free(&questions);
	vec_free(&turns);
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

/* What becomes of the questions of an epoch. */
struct answering {
	struct epoch_tables *tables;
	struct file_names *names;
	struct owed_names owed; /* to this epoch, from now on */
	uint32_t counted;       /* the latest file of which names were left out; FILE_NAMES_NONE */
};

/* A name of the file of @question is left out, which counts once. */
static void note_unserved(struct answering *a, const struct question *question)
{
	if (question->file != a->counted)
		file_names_note_unserved(a->names, question->file);
	a->counted = question->file;
}

/* There is no answer yet. A later epoch may bring it if it can have the object. */
static int owe_symbol(struct answering *a, const struct question *question, bool lasts)
{
	int ret = lasts ? owed_names_add(&a->owed, a->tables, question->object, question->off)
			: -ENOSPC;

	if (ret == -ENOSPC)
		note_unserved(a, question);
	return ret == -ENOSPC ? 0 : ret;
}

/* Adds the symbol that covers @question, unless an earlier epoch of the recording has it. */
static int add_symbol(struct answering *a, const struct question *question, bool lasts)
{
	struct epoch_tables *t = a->tables;
	struct file_symbol symbol;
	int ret;

	if (!file_names_find(a->names, question->file, question->off, &symbol) ||
	    (lasts && symbol.is_written))
		return 0;
	ret = epoch_tables_symbol(t, question->object, symbol.off, symbol.size, symbol.name);
	if (!ret)
		t->name_parts.data[question->object] |= symbol.parts;
	if (!ret && lasts)
		file_names_note_written(a->names, &symbol);
	return ret;
}

static int answer(struct answering *a, const struct question *question)
{
	bool lasts = is_lasting(&a->tables->objects.data[question->object]);

	switch (file_names_state(a->names, question->file, question->off)) {
	case FILE_NAMES_KNOWN:
		return add_symbol(a, question, lasts);
	case FILE_NAMES_EXPECTED:
		return owe_symbol(a, question, lasts);
	case FILE_NAMES_LEFT_OUT:
		note_unserved(a, question);
		return 0;
	case FILE_NAMES_UNREADABLE:
		break;
	}
	return 0;
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
 * Answers the questions about the files of one owner, until the epoch has @max_bytes. Moves *@at to
 * the questions of the next owner. Files whose names have no room are counted.
 */
static int answer_owner(struct answering *a, const question_vec *questions, size_t *at,
			size_t max_bytes)
{
	const struct epoch_tables *t = a->tables;
	const uint32_t owner = questions->data[*at].owner;
	int ret = 0;

	for (; !ret && *at < questions->nr && questions->data[*at].owner == owner; ++*at) {
		const struct question *question = &questions->data[*at];

		if (used_bytes(t) <= max_bytes && t->symbols.nr < PROF_MAX_TABLE / 2)
			ret = answer(a, question);
		else
			note_unserved(a, question);
	}
	return ret;
}

int epoch_files_add(struct epoch_tables *t, struct file_names *names, struct owed_names *owed)
{
	const size_t max_bytes = used_bytes(t) + NAMES_BYTES_PER_EPOCH;
	struct answering a = {.tables = t, .names = names, .counted = FILE_NAMES_NONE};
	question_vec questions = {0};
	int ret = gather_questions(t, names, owed, &questions);
	uint32_t nr_owners = count_owners(&questions);

	/*
	 * Root is first, and has what it needs. What one of the others leaves is for those after.
	 */
	for (size_t at = 0; !ret && at < questions.nr; nr_owners--) {
		size_t left = max_bytes - min_u64(used_bytes(t), max_bytes);
		bool is_root = !questions.data[at].owner;

		ret = answer_owner(&a, &questions, &at,
				   used_bytes(t) + (is_root ? left : left / nr_owners));
	}
	vec_free(&questions);
	owed_names_deinit(owed);
	*owed = a.owed;
	return ret;
}

void epoch_files_give_up(struct file_names *names, struct owed_names *owed)
{
	uint32_t counted = 0;

	/* Objects of one file come one after the other. */
	vec_for_each(&owed->objects, o) {
		if (o->named != counted)
			file_names_note_unserved(names, o->named - 1);
		counted = o->named;
	}
	owed_names_deinit(owed);
}
