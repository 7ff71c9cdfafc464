// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/cleanup.h"

/* Finds or adds the rule among the rules of all tables. */
static int share_rule(struct table_maps *s, const struct unwind_rule *rule, uint32_t *nr)
{
	uint64_t hash = XXH3_64bits(rule, sizeof(*rule));
	int ret;

	index_for_each(&s->by_rule, hash, i) {
		if (!memcmp(&s->rules.data[i], rule, sizeof(*rule))) {
			*nr = i;
			return 0;
		}
	}
	*nr = s->rules.nr;
	if (*nr >= UNWIND_MAX_RULES)
		return -ENOSPC;
	if (bpf_map_update_elem(s->maps.rules, nr, rule, BPF_ANY))
		return -ENOSPC;
	ret = index_insert(&s->by_rule, hash, *nr);
	return ret ? ret : vec_push(&s->rules, *rule);
}

static struct unwind_segment *map_segment(struct table_maps *s, uint32_t nr)
{
	void *p;

	if (s->segments[nr])
		return s->segments[nr];
	p = mmap(NULL, sizeof(struct unwind_segment), PROT_READ | PROT_WRITE, MAP_SHARED,
		 s->segment_fds[nr], 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, sizeof(struct unwind_segment),
		MADV_DONTFORK); /* the child that makes tables must not have it */
	return s->segments[nr] = p;
}

void table_maps_unmap(struct table_maps *s)
{
	for (uint32_t i = 0; i < s->nr_segments; i++) {
		if (s->segments[i])
			munmap(s->segments[i], sizeof(*s->segments[i]));
		s->segments[i] = NULL;
	}
}

static int add_segment(struct table_maps *s)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = -1;

	if (s->nr_segments == UNWIND_MAX_SEGMENTS)
		return -ENOSPC;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_segment", sizeof(uint32_t),
			    sizeof(struct unwind_segment), 1, &opts);
	/*
	 * The kernel may have no memory for it, or none for this cgroup. That does not end the
	 * recording.
	 */
	if (fd < 0 || bpf_map_update_elem(s->maps.segments, &s->nr_segments, &fd, BPF_ANY))
		return -ENOSPC;
	s->segment_fds[s->nr_segments++] = TAKE_FD(fd);
	s->nr_rows = 0;
	return 0;
}

/* Appends a page to the last segment, or to a new one. @shared has the new numbers of its rules. */
static int add_page(struct table_maps *s, const struct unwind_table *table,
		    const struct unwind_page *from, const uint32_t *shared)
{
	struct unwind_page page = {.nr_rows = from->nr_rows};
	uint32_t key = s->pages.nr;
	struct unwind_segment *segment;
	int ret = 0;

	if (!s->nr_segments || from->nr_rows > UNWIND_SEGMENT_ROWS - s->nr_rows)
		ret = add_segment(s);
	if (ret)
		return ret;
	segment = map_segment(s, s->nr_segments - 1);
	if (!segment)
		return -ENOSPC;
	page.first_row = (s->nr_segments - 1) * UNWIND_SEGMENT_ROWS + s->nr_rows;
	for (uint32_t i = 0; i < from->nr_rows; i++) {
		uint32_t row = table->rows[from->first_row + i];

		segment->rows[s->nr_rows++] =
			UNWIND_ROW(UNWIND_ROW_OFF(row), shared[UNWIND_ROW_RULE(row)]);
	}
	if (bpf_map_update_elem(s->maps.pages, &key, &page, BPF_ANY))
		return -ENOSPC;
	return vec_push(&s->pages, page);
}

int table_maps_add(struct table_maps *s, const struct unwind_table *table, uint32_t *first_page)
{
	_cleanup_free_ uint32_t *shared = calloc(table->nr_rules, sizeof(*shared));
	uint32_t first = s->pages.nr;
	int ret = shared ? 0 : -ENOMEM;

	if (!ret && table->nr_pages > UNWIND_MAX_PAGES - first)
		ret = -ENOSPC;
	for (uint32_t i = 0; !ret && i < table->nr_rules; i++)
		ret = share_rule(s, &table->rules[i], &shared[i]);
	for (uint32_t i = 0; !ret && i < table->nr_pages; i++)
		ret = add_page(s, table, &table->pages[i], shared);
	table_maps_unmap(s);
	if (!ret)
		*first_page = first;
	return ret;
}

const struct unwind_rule *table_maps_find(struct table_maps *s,
					  const struct unwind_mapping *mapping, uint64_t pc)
{
	uint64_t off = pc - mapping->bias, nr = off >> UNWIND_PAGE_SHIFT;
	const struct unwind_segment *segment;
	const struct unwind_page *page;
	uint32_t lo, hi;

	if (nr >= UNWIND_NR_PAGES(mapping->pages))
		return NULL;
	page = &s->pages.data[UNWIND_FIRST_PAGE(mapping->pages) + nr];
	if (!page->nr_rows)
		return NULL;
	segment = map_segment(s, page->first_row >> UNWIND_SEGMENT_SHIFT);
	if (!segment)
		return NULL;
	off &= UNWIND_PAGE_SIZE - 1;
	lo = page->first_row % UNWIND_SEGMENT_ROWS;
	hi = lo + page->nr_rows;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (UNWIND_ROW_OFF(segment->rows[mid]) <= off)
			lo = mid;
		else
			hi = mid;
	}
	return &s->rules.data[UNWIND_ROW_RULE(segment->rows[lo])];
}

void table_maps_deinit(struct table_maps *s)
{
	table_maps_unmap(s);
	for (uint32_t i = 0; i < s->nr_segments; i++)
		close(s->segment_fds[i]);
	vec_free(&s->pages);
	vec_free(&s->rules);
	index_deinit(&s->by_rule);
}
