// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/interpreter_maps.h"

#include <errno.h>
#include <string.h>

#include "record/sampling/program/maps.h"

/* Drains are due when fewer numbers than this are free, and some were left. */
#define FEW_NUMBERS (MAX_INTERPRETERS / 16)

static bool is_of(const struct interpreter_of_file *have, const struct build_id *build_id,
		  const struct file_identity *identity)
{
	if (!build_id_is_none(&have->build_id) || !build_id_is_none(build_id))
		return build_id_equal(&have->build_id, build_id);
	return file_identity_equal(&have->identity, identity);
}

/*
 * Describes to the program what it may use of @found. Made code of PHP, LuaJIT and Guile has rules,
 * also without functions of a language. Returns false if there is nothing.
 */
static bool describe(const struct interpreter_maps *maps, const struct found_interpreter *found,
		     struct interpreter *in)
{
	*in = found->interpreter;
	if (!(maps->languages & 1u << in->language))
		in->language = LANGUAGE_NONE;
	return maps->languages && interpreter_is_any(in);
}

/* From now on, the first sample of a process with that executable knows its interpreter. */
static void put_executable(const struct interpreter_maps *maps,
			   const struct interpreter_of_file *file)
{
	const uint32_t number = file->number - 1;

	if (file->key.ino)
		map_update(maps->executables, &file->key, &number, BPF_ANY);
}

static void remove_executable(const struct interpreter_maps *maps,
			      const struct interpreter_of_file *file)
{
	uint32_t number;

	/* Another file may have the inode by now. */
	if (file->key.ino && !map_lookup(maps->executables, &file->key, &number) &&
	    number == file->number - 1)
		map_delete(maps->executables, &file->key);
}

/* The program finds the interpreter at @at by no number any more. */
static void leave_number(struct interpreter_maps *maps, uint32_t at)
{
	struct interpreter_of_file *file = &maps->files.data[at];

	shares_give(&maps->shares, at);
	if (!file->number)
		return;
	remove_executable(maps, file);
	maps->numbers[file->number - 1] = NUMBER_LEFT;
	file->number = 0;
}

static uint32_t find_number(const struct interpreter_maps *maps, enum interpreter_number state)
{
	uint32_t number = 0;

	while (number < MAX_INTERPRETERS && maps->numbers[number] != state)
		number++;
	return number;
}

/* Takes room for the interpreter at @at. Others may lose theirs. Returns 0, -ENOSPC or -ENOMEM. */
static int take_room(struct interpreter_maps *maps, uint32_t at, uint64_t use)
{
	uint32_t owner = maps->files.data[at].owner, loser;
	int ret;

	while ((ret = shares_take(&maps->shares, at, owner, 1, use, &loser)) == -ENOSPC &&
	       loser != SHARES_NO_ITEM) {
		leave_number(maps, loser);
		maps->renumbered(maps->ctx, loser + 1);
	}
	return ret;
}

/* Tells the program of the interpreter at @at, if there is room. Returns 0 or -ENOMEM. */
static int enter(struct interpreter_maps *maps, uint32_t at, uint64_t use)
{
	struct interpreter_of_file *file = &maps->files.data[at];
	uint32_t number = find_number(maps, NUMBER_FREE);
	struct interpreter in;
	int ret = 0;

	file->was_tried = true;
	if (number == MAX_INTERPRETERS)
		shares_note_lack(&maps->shares, file->owner);
	else
		ret = take_room(maps, at, use);
	if (ret || number == MAX_INTERPRETERS)
		return ret == -ENOMEM ? ret : 0;
	if (!describe(maps, &file->found, &in) ||
	    map_update(maps->interpreters, &number, &in, BPF_ANY)) {
		leave_number(maps, at);
		return 0;
	}
	maps->numbers[number] = NUMBER_TAKEN;
	file->number = number + 1;
	put_executable(maps, file);
	return 0;
}

/* An entry that is free. Returns 0 or -ENOMEM. */
static int find_entry(struct interpreter_maps *maps, uint32_t *at)
{
	*at = 0;
	while (*at < maps->files.nr && maps->files.data[*at].is_there)
		++*at;
	return *at < maps->files.nr ? 0 : vec_push(&maps->files, (struct interpreter_of_file){0});
}

int interpreter_maps_add(struct interpreter_maps *maps, const struct found_interpreter *found,
			 const struct interpreter_place *place, uint32_t *interpreter)
{
	struct interpreter in;
	uint32_t at;
	int ret;

	*interpreter = 0;
	if (!found_interpreter_is_any(found))
		return 0;
	ret = find_entry(maps, &at);
	if (ret)
		return ret;
	maps->files.data[at] = (struct interpreter_of_file){
		.build_id = *place->build_id,
		.identity = *place->identity,
		.key = {.dev = file_identity_kernel_dev(place->dev), .ino = place->ino},
		.owner = place->owner,
		.is_there = true,
		.is_walked = describe(maps, found, &in),
		.found = *found,
	};
	*interpreter = at + 1;
	return maps->files.data[at].is_walked ? enter(maps, at, 1) : 0;
}

void interpreter_maps_forget(struct interpreter_maps *maps, uint32_t interpreter)
{
	if (!interpreter)
		return;
	leave_number(maps, interpreter - 1);
	maps->files.data[interpreter - 1].is_there = false;
}

uint32_t interpreter_maps_number(const struct interpreter_maps *maps, uint32_t interpreter)
{
	return interpreter ? maps->files.data[interpreter - 1].number : 0;
}

const struct interpreter *interpreter_maps_numbered(const struct interpreter_maps *maps,
						    uint32_t number)
{
	vec_for_each(&maps->files, file)
		if (number && file->is_there && file->number == number)
			return &file->found.interpreter;
	return NULL;
}

void interpreter_maps_sampled(struct interpreter_maps *maps, uint32_t interpreter, uint64_t nr)
{
	struct interpreter_of_file *file = interpreter ? &maps->files.data[interpreter - 1] : NULL;

	if (!file)
		return;
	shares_use(&maps->shares, interpreter - 1, nr);
	if (file->number || file->was_tried)
		return;
	enter(maps, interpreter - 1, nr);
	if (file->number)
		maps->renumbered(maps->ctx, interpreter);
}

bool interpreter_maps_is_short(const struct interpreter_maps *maps)
{
	uint32_t nr_free = 0;

	if (find_number(maps, NUMBER_LEFT) == MAX_INTERPRETERS)
		return false;
	for (uint32_t i = 0; i < MAX_INTERPRETERS; i++)
		nr_free += maps->numbers[i] == NUMBER_FREE;
	return nr_free < FEW_NUMBERS;
}

void interpreter_maps_settle(struct interpreter_maps *maps)
{
	for (uint32_t i = 0; i < MAX_INTERPRETERS; i++)
		if (maps->numbers[i] == NUMBER_LEFT)
			maps->numbers[i] = NUMBER_FREE;
	vec_for_each(&maps->files, file)
		file->was_tried = false;
	shares_age(&maps->shares);
	shares_age(&maps->machines.shares);
}

/* Several processes of one build-id can have found different machines. A known one counts. */
const struct interpreter_of_file *interpreter_maps_find(const struct interpreter_maps *maps,
							const struct mapped_file *file)
{
	const struct interpreter_of_file *found = NULL;

	if (file->kind != MAPPED_FILE)
		return NULL;
	vec_for_each(&maps->files, have)
		if (have->is_there && have->found.language &&
		    is_of(have, mapped_file_build_id(file), &file->identity) &&
		    (!found || (have->machines.has_known && !found->machines.has_known)))
			found = have;
	return found;
}

static bool has_functions(const struct interpreter_maps *maps, uint32_t nr)
{
	return maps->files.data[nr - 1].found.interpreter.language != LANGUAGE_NONE;
}

bool interpreter_maps_is_better(const struct interpreter_maps *maps, uint32_t nr, uint32_t old)
{
	return nr && maps->files.data[nr - 1].is_walked &&
	       (!old || (has_functions(maps, nr) && !has_functions(maps, old)));
}

void interpreter_maps_deinit(struct interpreter_maps *maps)
{
	machines_deinit(&maps->machines);
	shares_deinit(&maps->shares);
	vec_free(&maps->files);
}
