// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/machine_kinds.h"

#include <errno.h>
#include <string.h>

#include "record/machines/java_methods.h"
#include "record/machines/java_stubs.h"
#include "record/machines/node_functions.h"

static int read_java(const struct machine_memory *memory, const struct interpreter *in,
		     uint64_t base, struct machine *m)
{
	return java_machine_read(memory, in, base, &m->java.machine, &m->java.layout);
}

/*
 * The methods at @place, as java_scopes_find. Without a block the place is a word: of a method by
 * itself, as it was when the word was made.
 */
static int find_scopes(const struct java_code *code, const struct java_place *place,
		       struct java_scope scopes[JAVA_MAX_SCOPES])
{
	if (place->block)
		return java_scopes_find(code, place, scopes);
	scopes[0] = (struct java_scope){.method = word_addr(place->pc), .index = -1};
	return java_method_word(code, scopes[0].method) == place->pc ? 1 : -ESTALE;
}

static int name_java(const struct machine_memory *memory, const struct machine *m,
		     const union machine_place *place, machine_function_fn take, void *ctx)
{
	const struct java_code code = {memory, &m->java.machine, &m->java.layout};
	struct java_scope scopes[JAVA_MAX_SCOPES];
	int nr = find_scopes(&code, &place->java, scopes), ret = 0;

	for (int i = 0; !ret && i < nr; i++) {
		struct machine_function method;

		/* A chain that lacks a method would have a wrong caller. */
		ret = java_method_read(&code, scopes[i].method, &method);
		if (!ret)
			ret = take(ctx, &method);
	}
	/* The names may have become those of other code meanwhile. */
	if (nr > 0 && !ret && place->java.block)
		ret = java_scopes_check(&code, &place->java);
	return nr < 0 ? nr : ret;
}

static int describe_java(const struct machine_memory *memory, const struct machine *m, FILE *out)
{
	return java_stubs_write(memory, &m->java.machine, out);
}

static int read_beam(const struct machine_memory *memory, const struct interpreter *in,
		     uint64_t base, struct machine *m)
{
	return beam_machine_read(memory, in, base, &m->beam.machine, &m->beam.tables);
}

static int name_beam(const struct machine_memory *memory, const struct machine *m,
		     const union machine_place *place, machine_function_fn take, void *ctx)
{
	struct machine_function function;
	int ret = beam_function_read(memory, &m->beam.tables, place->beam, &function);

	return ret ? ret : take(ctx, &function);
}

static int find_inlined(const struct machine_memory *memory, const struct machine *m,
			const struct node_place *place, uint64_t shared[NODE_MAX_INLINED])
{
	return node_inlined_find(memory, &m->node.layout, &m->node.look->nr_candidates, place,
				 shared);
}

/*
 * Finds the functions that are put into that of @place, and reads them. Returns their number. If
 * anything is wrong there are none: a chain that lacks a function would have a wrong caller.
 */
static uint32_t read_inlined(const struct machine_memory *memory, const struct machine *m,
			     const struct node_place *place)
{
	uint64_t shared[NODE_MAX_INLINED], after[NODE_MAX_INLINED];
	struct node_look *look = m->node.look;
	int nr = place->pc ? find_inlined(memory, m, place, shared) : 0;

	for (int i = 0; i < nr; i++)
		if (node_function_describe(memory, &m->node.layout, &look->lines, shared[i],
					   &look->inlined[i]))
			return 0;
	/* The collector may have moved them meanwhile, and others have come to their places. */
	if (nr <= 0 || find_inlined(memory, m, place, after) != nr ||
	    memcmp(shared, after, nr * sizeof(*shared)))
		return 0;
	return nr;
}

static int name_node(const struct machine_memory *memory, const struct machine *m,
		     const union machine_place *place, machine_function_fn take, void *ctx)
{
	const uint32_t nr = read_inlined(memory, m, &place->node);
	struct machine_function own = {.line = 0};
	int ret = 0;

	for (uint32_t i = 0; !ret && i < nr; i++)
		ret = take(ctx, &m->node.look->inlined[i]);
	if (ret)
		return ret;
	if (node_line_find(memory, &m->node.layout, &m->node.look->lines, &place->node.function,
			   &own.line))
		own.line = 0;
	return take(ctx, &own);
}

const struct machine_kind machine_kinds[NR_NAMING_KINDS] = {
	[MACHINE_JAVA] = {.language = LANGUAGE_JAVA,
			  .read = read_java,
			  .name = name_java,
			  .describe = describe_java},
	[MACHINE_BEAM] = {.language = LANGUAGE_BEAM, .read = read_beam, .name = name_beam},
	[MACHINE_NODE] = {.language = LANGUAGE_NODE, .name = name_node},
};

uint32_t machine_kind_of(uint32_t language)
{
	uint32_t kind = 0;

	while (kind < NR_NAMING_KINDS && machine_kinds[kind].language != language)
		kind++;
	return kind;
}
