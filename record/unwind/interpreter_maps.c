// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/maps/maps.h"
#include "record/unwind/interpreter_maps.h"

#include <stdbool.h>

static bool is_of(const struct interpreter_of_file *have, const struct build_id *build_id,
		  const struct file_identity *identity)
{
	if (!build_id_is_none(&have->build_id) || !build_id_is_none(build_id))
		return build_id_equal(&have->build_id, build_id);
	return file_identity_equal(&have->identity, identity);
}

/* The number of the interpreter, which may be new; MAX_INTERPRETERS: there is no room. */
static uint32_t find_or_add(struct interpreter_maps *maps, const struct found_interpreter *found,
			    const struct interpreter_place *place)
{
	for (uint32_t i = 0; i < maps->nr; i++)
		if (is_of(&maps->files[i], place->build_id, place->identity) &&
		    !memcmp(&maps->files[i].found, found, sizeof(*found)))
			return i;
	if (maps->nr == MAX_INTERPRETERS)
		return MAX_INTERPRETERS;
	maps->files[maps->nr] = (struct interpreter_of_file){
		.build_id = *place->build_id, .identity = *place->identity, .found = *found};
	return maps->nr++;
}

/* From now on, the first sample of a process with that executable knows its interpreter. */
static void put_executable(const struct interpreter_maps *maps, uint32_t nr,
			   const struct interpreter_place *place)
{
	const struct interpreter_file key = {
		.dev = file_identity_kernel_dev(place->dev),
		.ino = place->ino,
	};

	if (place->ino)
		map_update(maps->executables, &key, &nr, BPF_ANY);
}

/*
 * Describes to the program what it may use of @found. Made code of PHP and LuaJIT has rules, also
 * without functions of a language. Returns false if there is nothing.
 */
static bool describe(const struct interpreter_maps *maps, const struct found_interpreter *found,
		     struct interpreter *in)
{
	*in = found->interpreter;
	if (!(maps->languages & 1u << in->language))
		in->language = LANGUAGE_NONE;
	return maps->languages && (in->language || in->loop || in->has_traces);
}

uint32_t interpreter_maps_add(struct interpreter_maps *maps, const struct found_interpreter *found,
			      const struct interpreter_place *place)
{
	uint32_t nr = found_interpreter_is_any(found) ? find_or_add(maps, found, place)
						      : MAX_INTERPRETERS;
	struct interpreter in;

	if (nr == MAX_INTERPRETERS || !describe(maps, found, &in) ||
	    map_update(maps->interpreters, &nr, &in, BPF_ANY))
		return 0;
	put_executable(maps, nr, place);
	return nr + 1;
}

const struct interpreter_of_file *interpreter_maps_find(const struct interpreter_maps *maps,
							const struct mapped_file *file)
{
	for (uint32_t i = 0; file->kind == MAPPED_FILE && i < maps->nr; i++)
		if (maps->files[i].found.language &&
		    is_of(&maps->files[i], mapped_file_build_id(file), &file->identity))
			return &maps->files[i];
	return NULL;
}

static bool has_functions(const struct interpreter_maps *maps, uint32_t nr)
{
	return maps->files[nr - 1].found.interpreter.language != LANGUAGE_NONE;
}

bool interpreter_maps_is_better(const struct interpreter_maps *maps, uint32_t nr, uint32_t old)
{
	return nr && (!old || (has_functions(maps, nr) && !has_functions(maps, old)));
}
