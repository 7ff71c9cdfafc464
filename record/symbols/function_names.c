// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/function_names.h"

#include <errno.h>
#include <string.h>

#include "common/hash.h"
#include "record/sampling/program/maps.h"

/*
 * A generation is full with half of the functions that the program can remember, or with
 * TEXT_BYTES_MAX of texts. Until the next settle, it may have twice as much.
 */
#define FUNCTIONS_MAX  (MAX_SEEN_FUNCTIONS / 2)
#define TEXT_BYTES_MAX (1u << 20)

/* Has user @uid room for more texts? Those other than root have at most as much as is free. */
static bool has_room(struct function_names *names, uint32_t uid)
{
	const struct name_generation *young = &names->young;
	uint64_t used = young->texts.total, max = 2 * TEXT_BYTES_MAX;

	if (used < max && (!uid || young->text_bytes[owner_room_of(owner_id(uid))] <= max - used))
		return true;
	shares_note_lack(&names->lacks, uid);
	return false;
}

static void charge(struct name_generation *young, uint32_t uid, uint64_t bytes)
{
	young->text_bytes[owner_room_of(owner_id(uid))] += bytes;
}

int function_names_add(struct function_names *names, const struct function_name *name, uint32_t *nr)
{
	struct name_generation *young = &names->young;
	uint64_t bytes = young->texts.total;
	struct named_function new = {.word = name->word, .uid = name->uid, .own.line = name->line};
	struct waiting_function waiting = {.tgid = name->tgid, .time_ns = name->time_ns};

	*nr = NO_FUNCTION;
	if (!has_room(names, name->uid))
		return 0;
	if (source_function_decode(&young->texts, name, &new.own) ||
	    vec_push(&names->waiting, waiting) || vec_push(&young->functions, new))
		return -ENOMEM;
	charge(young, name->uid, young->texts.total - bytes);
	*nr = young->functions.nr - 1;
	return 0;
}

/* The functions that are put into @f are @functions. */
static int set_inlined(struct function_names *names, struct named_function *f,
		       const struct machine_function *functions, uint32_t nr)
{
	struct name_generation *young = &names->young;
	const size_t first = young->inlined.nr;
	const uint64_t bytes = young->texts.total;

	for (uint32_t i = 0; i < nr; i++) {
		const struct function_name name = {
			.word = f->word, .name = functions[i].name, .file = functions[i].file};
		struct source_function function = {.line = functions[i].line};
		int ret = word_language(f->word) != LANGUAGE_NODE
				  ? source_function_decode_method(
					    &young->texts, word_language(f->word),
					    &functions[i].class, &functions[i].name,
					    &functions[i].file, &function)
				  : source_function_decode(&young->texts, &name, &function);

		if (ret || vec_push(&young->inlined, function))
			return -ENOMEM;
	}
	charge(young, f->uid, young->texts.total - bytes);
	f->first_inlined = first;
	f->nr_inlined = nr;
	return 0;
}

int function_names_set_methods(struct function_names *names, uint32_t nr,
			       const struct machine_function *methods, uint32_t nr_methods)
{
	struct name_generation *young = &names->young;
	struct named_function *f = &young->functions.data[nr];

	if (!has_room(names, f->uid))
		return 0;
	if (set_inlined(names, f, methods, nr_methods))
		return -ENOMEM;
	f->own = young->inlined.data[--young->inlined.nr];
	f->nr_inlined--;
	return 0;
}

int function_names_set_inlined(struct function_names *names, uint32_t nr, uint32_t line,
			       const struct machine_function *functions, uint32_t nr_functions)
{
	struct named_function *f = &names->young.functions.data[nr];

	f->own.line = line;
	return has_room(names, f->uid) ? set_inlined(names, f, functions, nr_functions) : 0;
}

static uint64_t hash_function(uint64_t generation, uint64_t word)
{
	const uint64_t key[] = {generation, word};

	return hash_bytes(key, sizeof(key), 0);
}

static const struct named_function *find_in(const struct name_generation *g, uint64_t generation,
					    uint64_t word)
{
	index_for_each(&g->by_word, hash_function(generation, word), i) {
		const struct named_function *have = &g->functions.data[i];

		if (have->generation == generation && have->word == word)
			return have;
	}
	return NULL;
}

const struct named_function *function_names_find(const struct function_names *names,
						 uint64_t generation, uint64_t word,
						 const struct source_function **inlined)
{
	const struct name_generation *g = &names->young;
	const struct named_function *found = find_in(g, generation, word);

	if (!found) {
		g = &names->old;
		found = find_in(g, generation, word);
	}
	if (found)
		*inlined = g->inlined.data + found->first_inlined;
	return found;
}

static void free_generation(struct name_generation *g)
{
	vec_free(&g->functions);
	vec_free(&g->inlined);
	index_deinit(&g->by_word);
	arena_deinit(&g->texts);
	*g = (struct name_generation){0};
}

/* The program sends all names again from now on. */
static void forget_seen(const struct function_names *names)
{
	struct seen_function keys[256];
	uint32_t nr;

	do {
		struct seen_function *last = NULL;

		for (nr = 0; nr < sizeof(keys) / sizeof(*keys); nr++) {
			if (map_next_key(names->seen_map, last, &keys[nr]))
				break;
			last = &keys[nr];
		}
		for (uint32_t i = 0; i < nr; i++)
			map_delete(names->seen_map, &keys[i]);
	} while (nr);
	memset(names->named, 0, sizeof(*names->named));
	__atomic_fetch_add(names->seen_period, 1, __ATOMIC_RELEASE);
}

void function_names_forget(const struct function_names *names, const struct seen_function *function)
{
	if (map_delete(names->seen_map, function))
		return;
	/* A CPU may have met it meanwhile. */
	if (names->seen_period)
		__atomic_fetch_add(names->seen_period, 1, __ATOMIC_RELEASE);
}

bool function_names_are_full(const struct function_names *names)
{
	return names->young.functions.nr >= FUNCTIONS_MAX ||
	       names->young.texts.total >= TEXT_BYTES_MAX;
}

void function_names_age(struct function_names *names)
{
	if (!names || !function_names_are_full(names))
		return;
	free_generation(&names->old);
	names->old = names->young;
	names->young = (struct name_generation){0};
	forget_seen(names);
}

int function_names_settle(struct function_names *names, struct address_spaces *spaces)
{
	struct name_generation *young;
	size_t first;
	int ret = 0;

	if (!names)
		return 0;
	young = &names->young;
	first = young->functions.nr - names->waiting.nr;
	for (size_t i = 0; !ret && i < names->waiting.nr; i++) {
		const struct waiting_function *w = &names->waiting.data[i];
		struct named_function *f = &young->functions.data[first + i];
		struct address_space *space;

		ret = address_spaces_get(spaces, w->tgid, w->time_ns, &space);
		if (ret)
			break;
		f->generation = space->generation;
		ret = index_insert(&young->by_word, hash_function(f->generation, f->word),
				   first + i);
	}
	vec_clear(&names->waiting);
	return ret;
}

void function_names_deinit(struct function_names *names)
{
	free_generation(&names->young);
	free_generation(&names->old);
	vec_free(&names->waiting);
	shares_deinit(&names->lacks);
}
