// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_maps.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "record/sampling/program/maps.h"

/* A number for a new rule: one that is free, or the next. */
static int take_rule_number(struct table_maps *s, uint32_t *nr)
{
	const struct unwind_rule none = {0};

	if (s->free_rules.nr) {
		*nr = s->free_rules.data[--s->free_rules.nr];
		return 0;
	}
	*nr = s->rules.nr;
	if (*nr >= UNWIND_MAX_RULES)
		return -ENOSPC;
	/* Room in the list of free numbers, so that the number can be given back without fail. */
	if (vec_reserve(&s->free_rules, *nr + 1) || vec_push(&s->rules, none))
		return -ENOMEM;
	if (vec_push(&s->rule_users, 0)) {
		s->rules.nr--;
		return -ENOMEM;
	}
	return 0;
}

/* Finds or adds the rule among the rules of all tables, for one table more. */
static int share_rule(struct table_maps *s, const struct unwind_rule *rule, uint32_t *nr)
{
	uint64_t hash = hash_bytes(rule, sizeof(*rule), 0);
	int ret;

	index_for_each(&s->by_rule, hash, i) {
		if (s->rule_users.data[i] && !memcmp(&s->rules.data[i], rule, sizeof(*rule))) {
			s->rule_users.data[i]++;
			*nr = i;
			return 0;
		}
	}
	ret = take_rule_number(s, nr);
	if (ret)
		return ret;
	ret = map_update(s->maps.rules, nr, rule, BPF_ANY) ? -ENOSPC
							   : index_insert(&s->by_rule, hash, *nr);
	if (ret) {
		s->free_rules.data[s->free_rules.nr++] = *nr;
		return ret;
	}
	s->rules.data[*nr] = *rule;
	s->rule_users.data[*nr] = 1;
	return 0;
}

/*
 * The index keeps no trace of rules that have gone. Without memory for it, rules are shared less.
 */
static void index_rules(struct table_maps *s)
{
	index_clear(&s->by_rule);
	for (uint32_t i = 0; i < s->rules.nr; i++)
		if (s->rule_users.data[i] &&
		    index_insert(&s->by_rule,
				 hash_bytes(&s->rules.data[i], sizeof(s->rules.data[i]), 0), i))
			return;
}

static void release_rules(struct table_maps *s, u32_vec *rules)
{
	bool has_gone = false;

	vec_for_each(rules, nr) {
		if (--s->rule_users.data[*nr])
			continue;
		s->free_rules.data[s->free_rules.nr++] = *nr;
		has_gone = true;
	}
	vec_free(rules);
	if (has_gone)
		index_rules(s);
}

/* Mapped segments count as the recorder's memory. */
static void unmap_segments(struct table_maps *s)
{
	for (uint32_t i = 0; i < s->nr_segments; i++) {
		if (s->segments[i])
			munmap(s->segments[i], sizeof(*s->segments[i]));
		s->segments[i] = NULL;
	}
	s->nr_mapped = 0;
}

/* The rows of a table may be in two segments in turn, but hardly in more. */
#define MAPPED_MAX 2

static struct unwind_segment *map_segment(struct table_maps *s, uint32_t nr)
{
	void *p;

	if (s->segments[nr])
		return s->segments[nr];
	if (s->nr_mapped == MAPPED_MAX)
		unmap_segments(s);
	p = mmap(NULL, sizeof(struct unwind_segment), PROT_READ | PROT_WRITE, MAP_SHARED,
		 s->segment_fds[nr], 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, sizeof(struct unwind_segment),
		MADV_DONTFORK); /* the child that makes tables must not have it */
	s->nr_mapped++;
	return s->segments[nr] = p;
}

static int add_segment(struct table_maps *s)
{
	int fd, ret;

	if (s->nr_segments == UNWIND_MAX_SEGMENTS)
		return -ENOSPC;
	fd = map_create_inner(s->maps.segments, "unwind_segment", sizeof(struct unwind_segment));
	/*
	 * The kernel may have no memory for it, or none for this cgroup. That does not end the
	 * recording.
	 */
	if (fd < 0)
		return -ENOSPC;
	ret = map_update(s->maps.segments, &s->nr_segments, &fd, BPF_ANY) ? -ENOSPC : 0;
	if (!ret)
		ret = extents_give(&s->free_rows, s->nr_segments * UNWIND_SEGMENT_ROWS,
				   UNWIND_SEGMENT_ROWS);
	if (ret) {
		map_close_inner(fd);
		return ret;
	}
	s->segment_fds[s->nr_segments++] = fd;
	return 0;
}

static int take_rows(struct table_maps *s, uint32_t nr, uint32_t *first)
{
	int ret = extents_take(&s->free_rows, nr, first);

	if (ret != -ENOSPC)
		return ret;
	ret = add_segment(s);
	return ret ? ret : extents_take(&s->free_rows, nr, first);
}

/* Fills page @nr. @shared has the numbers of the table's rules in the map. */
static int add_page(struct table_maps *s, const struct unwind_table *table,
		    const struct unwind_page *from, const u32_vec *shared, uint32_t nr)
{
	struct unwind_page *page = &s->pages[nr];
	struct unwind_segment *segment;
	uint32_t *rows;
	int ret;

	*page = (struct unwind_page){0};
	if (from->nr_rows) {
		ret = take_rows(s, from->nr_rows, &page->first_row);
		if (ret)
			return ret;
		page->nr_rows = from->nr_rows;
		segment = map_segment(s, page->first_row >> UNWIND_SEGMENT_SHIFT);
		if (!segment)
			return -ENOSPC;
		rows = &segment->rows[page->first_row % UNWIND_SEGMENT_ROWS];
		for (uint32_t i = 0; i < from->nr_rows; i++) {
			uint32_t row = table->rows[from->first_row + i];

			rows[i] =
				UNWIND_ROW(UNWIND_ROW_OFF(row), shared->data[UNWIND_ROW_RULE(row)]);
		}
	}
	return map_update(s->maps.pages, &nr, page, BPF_ANY) ? -ENOSPC : 0;
}

static int add_rules(struct table_maps *s, const struct unwind_table *table, u32_vec *shared)
{
	int ret = vec_reserve(shared, table->nr_rules);

	for (uint32_t i = 0; !ret && i < table->nr_rules; i++) {
		ret = share_rule(s, &table->rules[i], &shared->data[i]);
		shared->nr += !ret;
	}
	return ret;
}

static int add_pages(struct table_maps *s, const struct unwind_table *table,
		     struct table_place *place)
{
	int ret = 0;

	if (!table->nr_pages)
		return 0;
	if (extents_take(&s->free_pages, table->nr_pages, &place->first_page))
		return -ENOSPC;
	place->nr_pages = table->nr_pages;
	memset(&s->pages[place->first_page], 0, place->nr_pages * sizeof(*s->pages));
	for (uint32_t i = 0; !ret && i < table->nr_pages; i++)
		ret = add_page(s, table, &table->pages[i], &place->rules, place->first_page + i);
	return ret;
}

/* Clears the rules that programs have found. Returns 0 or -ENOSPC. */
static int forget_known_rules(struct table_maps *s)
{
	const size_t bytes = UNWIND_KNOWN_RULES * sizeof(uint64_t);
	void *p;

	if (!s->knows_removed)
		return 0;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->maps.known_rules, 0);
	if (p == MAP_FAILED)
		return -ENOSPC;
	memset(p, 0, bytes);
	munmap(p, bytes);
	s->knows_removed = false;
	return 0;
}

int table_maps_add(struct table_maps *s, const struct unwind_table *table,
		   struct table_place *place)
{
	struct table_place new = {.nr_rows = table->nr_rows};
	int ret;

	if (table->nr_rules > TABLE_RULES_MAX || table->nr_rows > TABLE_ROWS_MAX ||
	    table->nr_pages > TABLE_PAGES_MAX)
		return -EFBIG;
	ret = forget_known_rules(s);
	if (!ret)
		ret = add_rules(s, table, &new.rules);
	if (!ret)
		ret = add_pages(s, table, &new);
	unmap_segments(s);
	if (ret)
		table_maps_remove(s, &new);
	else
		*place = new;
	return ret;
}

void table_maps_remove(struct table_maps *s, struct table_place *place)
{
	/* Without memory for the note, rows and pages are lost, and nothing else. */
	for (uint32_t i = 0; i < place->nr_pages; i++) {
		const struct unwind_page *page = &s->pages[place->first_page + i];

		if (page->nr_rows)
			extents_give(&s->free_rows, page->first_row, page->nr_rows);
	}
	if (place->nr_pages)
		extents_give(&s->free_pages, place->first_page, place->nr_pages);
	release_rules(s, &place->rules);
	s->knows_removed = true;
	*place = (struct table_place){0};
}

bool table_maps_are_tight(const struct table_maps *s)
{
	uint64_t free_rows = s->free_rows.nr_free +
			     (uint64_t)(UNWIND_MAX_SEGMENTS - s->nr_segments) * UNWIND_SEGMENT_ROWS;
	uint32_t free_rules = UNWIND_MAX_RULES - s->rules.nr + s->free_rules.nr;

	return free_rows < TABLE_MAPS_ROWS / 4 || free_rules < UNWIND_MAX_RULES / 4 ||
	       s->free_pages.nr_free < UNWIND_MAX_PAGES / 4;
}

static void unmap_window(struct table_window *w)
{
	if (w->memory)
		munmap(w->memory, w->bytes);
	w->memory = NULL;
}

/* The rows of @page, or NULL. Another page may take the place of their window later. */
static const uint32_t *map_rows(struct table_maps *s, const struct unwind_page *page)
{
	struct table_window *w = &s->windows[SPREAD_HASH_32(page->first_row, TABLE_WINDOW_BITS)];
	size_t at = page->first_row % UNWIND_SEGMENT_ROWS * sizeof(*w->rows);
	size_t begin = at & -(size_t)getpagesize();
	size_t bytes = at - begin + page->nr_rows * sizeof(*w->rows);
	void *p;

	/* A table that took the place of an earlier one is in the same memory. */
	if (w->memory && !memcmp(&w->page, page, sizeof(*page)))
		return w->rows;
	p = mmap(NULL, bytes, PROT_READ, MAP_SHARED,
		 s->segment_fds[page->first_row >> UNWIND_SEGMENT_SHIFT], begin);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_DONTFORK); /* as of a segment */
	unmap_window(w);
	*w = (struct table_window){
		.memory = p,
		.bytes = bytes,
		.rows = (const uint32_t *)((const char *)p + (at - begin)),
		.page = *page,
	};
	return w->rows;
}

const struct unwind_rule *table_maps_find(struct table_maps *s,
					  const struct unwind_mapping *mapping, uint64_t pc)
{
	uint64_t off = pc - mapping->bias, nr = off >> UNWIND_PAGE_SHIFT;
	const struct unwind_page *page;
	const uint32_t *rows;
	uint32_t row;

	if (nr >= UNWIND_NR_PAGES(mapping->pages))
		return NULL;
	page = &s->pages[UNWIND_FIRST_PAGE(mapping->pages) + nr];
	if (!page->nr_rows)
		return NULL;
	rows = map_rows(s, page);
	if (!rows)
		return NULL;
	off &= UNWIND_PAGE_SIZE - 1;
	row = unwind_rows_find(rows, page->nr_rows, off);
	return &s->rules.data[UNWIND_ROW_RULE(row)];
}

const struct unwind_rule *table_maps_own_rule(const struct table_maps *store, uint32_t nr)
{
	return &store->rules.data[nr];
}

/* These rules stay, whatever tables come and go. */
static int add_own_rules(struct table_maps *s)
{
	static const struct unwind_rule own[UNWIND_NR_OWN_RULES] = {
		[UNWIND_RULE_NO_FRAME] = {.cfa = UNWIND_CFA_REG,
					  .cfa_reg = UNWIND_REG_SP,
					  .cfa_off = RETURN_BYTES},
		[UNWIND_RULE_WORD] = {.cfa = UNWIND_CFA_REG,
				      .cfa_reg = UNWIND_REG_SP,
				      .cfa_off = RETURN_BYTES + 8},
		[UNWIND_RULE_BEAM] = {.cfa = UNWIND_CFA_UNSUPPORTED},
		[UNWIND_RULE_ROOT] = {.cfa = UNWIND_CFA_REG,
				      .cfa_reg = UNWIND_REG_SP,
				      .ra = UNWIND_RA_UNDEFINED},
		[UNWIND_RULE_STOP] = {.cfa = UNWIND_CFA_UNSUPPORTED},
		[UNWIND_RULE_THREE_WORDS] = {.cfa = UNWIND_CFA_REG,
					     .cfa_reg = UNWIND_REG_SP,
					     .cfa_off = 32,
					     .kept = UNWIND_SAVED_CFA,
					     .kept_off = -32},
	};
	int ret = 0;

	for (uint32_t i = 0; !ret && i < UNWIND_NR_OWN_RULES; i++) {
		struct unwind_rule rule = own[i];

		if (i - UNWIND_RULE_TRACE < UNWIND_NR_TRACE_RULES)
			rule = (struct unwind_rule){.cfa = UNWIND_CFA_REG,
						    .cfa_reg = UNWIND_REG_SP,
						    .cfa_off = UNWIND_LUA_FRAME +
							       16 * (int)(i - UNWIND_RULE_TRACE),
						    .fp = UNWIND_SAVED_CFA,
						    .fp_off = -16,
						    .kept = UNWIND_SAVED_CFA,
						    .kept_off = -24};
		if (vec_push(&s->rules, rule) || vec_push(&s->rule_users, 1))
			return -ENOMEM;
		ret = index_insert(&s->by_rule, hash_bytes(&rule, sizeof(rule), 0), i);
	}
	return ret;
}

void table_maps_begin(struct table_maps *s, const struct unwind_maps *maps)
{
	s->maps = *maps;
	/* Without these rules, the walk goes along fp. */
	for (uint32_t i = 0; i < UNWIND_NR_OWN_RULES; i++)
		map_update(s->maps.rules, &i, &s->rules.data[i], BPF_ANY);
}

int table_maps_init(struct table_maps *s)
{
	*s = (struct table_maps){.free_rows.boundary = UNWIND_SEGMENT_ROWS};
	/* The kernel gives no memory to room that is never touched. */
	s->pages = calloc(UNWIND_MAX_PAGES, sizeof(*s->pages));
	if (!s->pages || extents_give(&s->free_pages, 0, UNWIND_MAX_PAGES))
		return -ENOMEM;
	return add_own_rules(s);
}

void table_maps_deinit(struct table_maps *s)
{
	unmap_segments(s);
	for (uint32_t i = 0; i < TABLE_WINDOWS; i++)
		unmap_window(&s->windows[i]);
	for (uint32_t i = 0; i < s->nr_segments; i++)
		map_close_inner(s->segment_fds[i]);
	free(s->pages);
	extents_deinit(&s->free_pages);
	extents_deinit(&s->free_rows);
	vec_free(&s->rules);
	vec_free(&s->rule_users);
	vec_free(&s->free_rules);
	index_deinit(&s->by_rule);
}
