// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/node_functions.h"

#include <errno.h>
#include <string.h>

#include "common/minmax.h"

/* Words of a ScopeInfo, and its flags, as in bpf/languages/node_frames.h. */
enum { SCOPE_FLAGS = 1, SCOPE_NR_LOCALS = 3, SCOPE_POSITION, NR_SCOPE_WORDS };
#define HAS_CLASS(f)   ((f) >> 10 & 1)
#define HAS_NAME(f)    ((f) >> 12 & 3)
#define IS_INFERRED(f) ((f) >> 14 & 1)
#define TABLE_LOCALS   75
#define MAX_LOCALS     (1u << 20)

#define SYNTAX(flags)  ((flags) >> 7 & 7)
#define SYNTAX_WRAPPED 4

#define SCRIPT_ID 64 /* of a Script */

static int read_at(const struct machine_memory *m, uint64_t addr, void *buf, size_t len)
{
	return machine_memory_read(m, addr, buf, len);
}

static uint16_t type_at(const struct machine_memory *m, uint64_t object)
{
	uint64_t map;

	return !NODE_IS_OBJECT(object) || read_at(m, object - NODE_TAG, &map, sizeof(map))
		       ? NODE_NO_TYPE
		       : node_type_of(m, map);
}

int node_function_read(const struct machine_memory *memory, const struct node_layout *layout,
		       uint64_t shared, struct node_function *function)
{
	uint64_t at = shared - NODE_TAG, flags;

	if (type_at(memory, shared) != layout->shared_type)
		return -ESTALE;
	if (read_at(memory, at + layout->shared_name, &function->name, sizeof(function->name)) ||
	    read_at(memory, at + layout->shared_script, &function->script,
		    sizeof(function->script)) ||
	    read_at(memory, at + layout->shared_flags, &flags, sizeof(flags)))
		return -EFAULT;
	function->script = type_at(memory, function->script) == layout->script_type
				   ? function->script - NODE_TAG
				   : 0;
	function->flags = flags;
	function->number = flags >> 32;
	return 0;
}

/* Reads the string at @string, of a path the last characters. Another object is no text. */
static int read_text(const struct machine_memory *m, uint64_t string, bool is_path,
		     struct language_text *text)
{
	struct node_text found;
	uint64_t most, skip;
	int ret;

	*text = (struct language_text){0};
	ret = node_text_find(m, string, &found);
	if (ret)
		return ret == -ENODATA ? 0 : ret;
	most = NAME_BYTES >> found.is_wide;
	skip = is_path && found.nr > most ? found.nr - most : 0;
	text->kind = 1 + found.is_wide;
	text->is_cut = found.nr > most || (is_path && found.is_tail);
	text->nr_bytes = min_u64(found.nr, most) << found.is_wide;
	return read_at(m, found.begin + (skip << found.is_wide), text->bytes, text->nr_bytes);
}

/* Reads the word at *@at, a string, as the name, unless it is there. Goes to the word after it. */
static int take_name(const struct machine_memory *m, uint64_t *at, struct language_text *name)
{
	uint64_t word;

	*at += 8;
	if (name->nr_bytes)
		return 0;
	return read_at(m, *at - 8, &word, sizeof(word)) ? -EFAULT : read_text(m, word, false, name);
}

/* Reads name and position in the ScopeInfo at @scope. */
static int read_scope(const struct machine_memory *m, const struct node_layout *layout,
		      uint64_t scope, struct language_text *name, uint64_t *position)
{
	uint64_t words[NR_SCOPE_WORDS - 1], at;
	uint32_t flags, nr;
	int ret = 0;

	if (read_at(m, scope, words, sizeof(words)))
		return -EFAULT;
	flags = (uint32_t)words[SCOPE_FLAGS] ? (uint32_t)words[SCOPE_FLAGS]
					     : NODE_SMALL_VALUE(words[SCOPE_FLAGS]);
	nr = NODE_SMALL_VALUE(words[SCOPE_NR_LOCALS]);
	if (nr > MAX_LOCALS)
		return -ESTALE;
	nr += (nr > TABLE_LOCALS ? 1 : nr) + HAS_CLASS(flags);
	at = scope + layout->scope_locals + UINT64_C(8) * nr;
	if (HAS_NAME(flags)) {
		ret = take_name(m, &at, name);
		at += 8; /* where the variable is */
	}
	if (!ret && IS_INFERRED(flags))
		ret = take_name(m, &at, name);
	if (ret)
		return ret;
	if (layout->scope_locals > 8 * SCOPE_POSITION)
		at = scope + 8 * SCOPE_POSITION;
	if (read_at(m, at, position, sizeof(*position)))
		*position = NODE_TAG;
	return 0;
}

#define ANONYMOUS "(anonymous)"

int node_function_name(const struct machine_memory *memory, const struct node_layout *layout,
		       const struct node_function *function, struct language_text *name,
		       uint32_t *position)
{
	uint64_t at = NODE_TAG;
	struct language_text unused;
	int ret;

	if (!name)
		name = &unused;
	*name = (struct language_text){0};
	if (type_at(memory, function->name) == layout->scope_type)
		ret = read_scope(memory, layout, function->name - NODE_TAG, name, &at);
	else
		ret = read_text(memory, function->name, false, name);
	if (ret)
		return ret;
	if (!function->number) {
		at = 0;
	} else if (!name->nr_bytes && SYNTAX(function->flags) != SYNTAX_WRAPPED) {
		name->kind = 0;
		name->nr_bytes = strlen(ANONYMOUS);
		memcpy(name->bytes, ANONYMOUS, strlen(ANONYMOUS));
	}
	*position = NODE_SMALL_VALUE(at);
	return NODE_IS_SMALL(at) ? 0 : -ENODATA;
}

#define EVALUATED "eval"

static int read_file(const struct machine_memory *m, const struct node_layout *layout,
		     uint64_t script, struct language_text *file)
{
	uint64_t name;
	int ret;

	if (read_at(m, script + layout->script_name, &name, sizeof(name)))
		return -EFAULT;
	ret = read_text(m, name, true, file);
	if (!ret && !file->nr_bytes) {
		file->kind = 0;
		file->nr_bytes = strlen(EVALUATED);
		memcpy(file->bytes, EVALUATED, strlen(EVALUATED));
	}
	return ret;
}

int node_function_describe(const struct machine_memory *memory, const struct node_layout *layout,
			   struct node_lines *notes, uint64_t shared,
			   struct machine_function *described)
{
	struct node_function function;
	struct node_position position;
	uint64_t id;
	int ret = node_function_read(memory, layout, shared, &function);

	*described = (struct machine_function){.line = 0};
	if (ret)
		return ret;
	ret = node_function_name(memory, layout, &function, &described->name, &position.position);
	if ((ret && ret != -ENODATA) || !function.script)
		return ret == -ENODATA ? 0 : ret;
	if (read_file(memory, layout, function.script, &described->file) ||
	    read_at(memory, function.script + SCRIPT_ID, &id, sizeof(id)))
		return -EFAULT;
	position.script = function.script;
	position.id = NODE_SMALL_VALUE(id);
	/* A name without a line is better than none. */
	if (!ret && node_line_find(memory, layout, notes, &position, &described->line))
		described->line = 0;
	return 0;
}
