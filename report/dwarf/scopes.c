// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/scopes.h"

#include "elf/dwarf_bytes.h"
#include "common/search.h"
#include "report/dwarf/dwarf_constants.h"

/* Entries inside each other; names of deeper ones are not qualified. */
#define DEPTH_MAX 4096

#define SEPARATOR "::"

struct scope_walk {
	struct scope_cache *cache;
	const struct dwarf_unit *unit;
	const struct abbrev_table *table;
	struct dwarf_work *work;
	struct cursor c;
	uint32_t depth;
	uint32_t scopes[DEPTH_MAX]; /* the scope around the entries of each depth */
};

static bool is_scope(const struct abbrev *abbrev)
{
	return abbrev->has_children && abbrev->tag != DW_TAG_enumeration_type &&
	       (abbrev->kind == ABBREV_SCOPE || abbrev->kind == ABBREV_TYPE);
}

/* Adds the entry to the list. Returns its number, SCOPE_NONE for the unit's own entry. */
static uint32_t add_scope(struct scope_walk *w, const struct die *die, uint64_t start)
{
	struct scope scope = {
		.start = start,
		.end = w->unit->end,
		.parent = w->scopes[w->depth],
		.is_namespace = die->abbrev->kind == ABBREV_SCOPE,
		.name = die_text(w->unit, die, DIE_NAME),
	};

	if (!w->depth)
		return SCOPE_NONE;
	if (vec_push(&w->cache->scopes, scope)) {
		dwarf_work_no_memory(w->work);
		return SCOPE_NONE;
	}
	return w->cache->scopes.nr - 1;
}

/* Reads an entry that has others inside it. */
static void read_parent(struct scope_walk *w, const struct die *die, uint64_t start)
{
	uint32_t scope = w->scopes[w->depth];

	if (is_scope(die->abbrev))
		scope = add_scope(w, die, start);
	else if (die_pass_children(&w->c, w->unit, die))
		return;
	if (++w->depth >= DEPTH_MAX)
		cursor_fail(&w->c);
	else
		w->scopes[w->depth] = scope;
}

/* Ends the entries of a depth at @off. */
static void leave_depth(struct scope_walk *w, uint64_t off)
{
	uint32_t scope = w->scopes[w->depth];

	w->depth--;
	/* Entries of no scope inside the scope end here, too. The last end counts. */
	if (scope != SCOPE_NONE && scope != w->scopes[w->depth])
		w->cache->scopes.data[scope].end = off;
}

static void list_scopes(struct scope_walk *w)
{
	const uint8_t *data = w->unit->file->sections[DWARF_INFO].data;

	w->c = unit_cursor(w->unit, w->unit->die_off);
	w->depth = 0;
	w->scopes[0] = SCOPE_NONE;
	if (!dwarf_work_charge(w->work, cursor_left(&w->c)))
		return;
	do {
		uint64_t off = w->c.p - data, code = dwarf_uleb(&w->c);
		const struct abbrev *abbrev = abbrev_find(w->table, code);
		struct die die;

		if (!code && w->depth)
			leave_depth(w, off);
		if (!code)
			continue;
		if (!abbrev || !dwarf_work_charge(w->work, abbrev->nr_attrs))
			break;
		die_read(&w->c, w->unit, w->table, abbrev, &die);
		if (abbrev->has_children && !w->c.bad)
			read_parent(w, &die, off);
	} while (w->depth && cursor_left(&w->c) && !w->work->error);
}

static void read_scopes(struct scope_cache *cache, struct abbrev_cache *abbrevs,
			struct dwarf_work *work, const struct dwarf_unit *unit)
{
	struct scope_walk w;

	if (cache->unit == unit)
		return;
	vec_clear(&cache->scopes);
	cache->unit = unit;
	w.cache = cache;
	w.unit = unit;
	w.work = work;
	w.table = unit_abbrevs(unit, abbrevs, work);
	if (w.table)
		list_scopes(&w);
}

/* Returns the innermost scope around @off. The work is bounded by the depth. */
static uint32_t find_scope(const struct scope_cache *cache, uint64_t off)
{
	uint32_t at = search_first(cache->scopes.nr, i, cache->scopes.data[i].start >= off) - 1;

	while (at != SCOPE_NONE && cache->scopes.data[at].end <= off)
		at = cache->scopes.data[at].parent;
	return at;
}

/* Puts @text before the @len bytes at the end of @buf. Returns the new length, 0 without room. */
static size_t put_before(char *buf, size_t size, size_t len, const char *text, size_t text_len)
{
	if (text_len > size - len)
		return 0;
	memcpy(buf + size - len - text_len, text, text_len);
	return len + text_len;
}

static struct dwarf_text shown_name(const struct scope *scope)
{
	static const char namespace[] = "(anonymous namespace)", other[] = "(anonymous)";

	if (scope->name.len)
		return scope->name;
	return scope->is_namespace ? (struct dwarf_text){namespace, sizeof(namespace) - 1}
				   : (struct dwarf_text){other, sizeof(other) - 1};
}

size_t scopes_print(struct scope_cache *cache, struct abbrev_cache *abbrevs,
		    struct dwarf_work *work, const struct dwarf_unit *unit, uint64_t off, char *buf,
		    size_t size)
{
	size_t len = 0;

	read_scopes(cache, abbrevs, work, unit);
	for (uint32_t i = find_scope(cache, off); i != SCOPE_NONE;
	     i = cache->scopes.data[i].parent) {
		struct dwarf_text name = shown_name(&cache->scopes.data[i]);

		if (!dwarf_work_charge(work, 1 + name.len))
			return 0;
		len = put_before(buf, size, len, SEPARATOR, strlen(SEPARATOR));
		if (len)
			len = put_before(buf, size, len, name.s, name.len);
		if (!len)
			return 0;
	}
	memmove(buf, buf + size - len, len);
	return len;
}

void scope_cache_forget(struct scope_cache *cache)
{
	cache->unit = NULL;
	vec_clear(&cache->scopes);
}

void scope_cache_deinit(struct scope_cache *cache)
{
	vec_free(&cache->scopes);
	*cache = (struct scope_cache){0};
}
