// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/abbrevs.h"

#include <stdlib.h>

#include "common/compare.h"
#include "elf/dwarf_bytes.h"
#include "common/hash.h"
#include "common/search.h"
#include "report/dwarf/dwarf_constants.h"
#include "report/dwarf/dwarf_forms.h"

/* The tables of a thread are forgotten above the first size, and none is made above the second. */
#define CACHE_BYTES_KEPT (16u << 20)
#define CACHE_BYTES_MAX  (256u << 20)

/* Attributes of an abbreviation, each a step for an entry. Compilers make some twenty. */
#define ATTRS_MAX 256

static enum abbrev_kind kind_of_tag(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return ABBREV_SCOPE;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
		return ABBREV_TYPE;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return ABBREV_BLOCK;
	case DW_TAG_subprogram:
		return ABBREV_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return ABBREV_INLINED;
	default:
		return ABBREV_OTHER;
	}
}

static uint8_t slot_of_attr(uint64_t attr)
{
	/* The slot + 1. */
	static const uint8_t slots[] = {
		[DW_AT_low_pc] = DIE_LOW_PC + 1,
		[DW_AT_high_pc] = DIE_HIGH_PC + 1,
		[DW_AT_ranges] = DIE_RANGES + 1,
		[DW_AT_abstract_origin] = DIE_ORIGIN + 1,
		[DW_AT_specification] = DIE_SPECIFICATION + 1,
		[DW_AT_name] = DIE_NAME + 1,
		[DW_AT_linkage_name] = DIE_LINKAGE_NAME + 1,
		[DW_AT_call_file] = DIE_CALL_FILE + 1,
		[DW_AT_call_line] = DIE_CALL_LINE + 1,
		[DW_AT_sibling] = DIE_SIBLING + 1,
		[DW_AT_stmt_list] = DIE_STMT_LIST + 1,
		[DW_AT_comp_dir] = DIE_COMP_DIR + 1,
		[DW_AT_language] = DIE_LANGUAGE + 1,
		[DW_AT_str_offsets_base] = DIE_STR_OFFSETS_BASE + 1,
		[DW_AT_addr_base] = DIE_ADDR_BASE + 1,
		[DW_AT_rnglists_base] = DIE_RNGLISTS_BASE + 1,
		[DW_AT_dwo_name] = DIE_DWO_NAME + 1,
	};

	if (attr < sizeof(slots))
		return slots[attr] ? slots[attr] - 1 : NR_DIE_SLOTS;
	switch (attr) {
	case DW_AT_MIPS_linkage_name:
		return DIE_LINKAGE_NAME;
	case DW_AT_GNU_addr_base:
		return DIE_ADDR_BASE;
	case DW_AT_GNU_ranges_base:
		return DIE_GNU_RANGES_BASE;
	case DW_AT_GNU_dwo_name:
		return DIE_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return DIE_DWO_ID;
	default:
		return NR_DIE_SLOTS;
	}
}

/* Adds a field of @size bytes, or -1, to the steps of the last abbreviation. */
static int add_step(struct abbrev_table *table, struct abbrev *abbrev, uint16_t form, int size)
{
	struct skip_step *last = abbrev->nr_steps ? &table->steps.data[table->steps.nr - 1] : NULL;

	if (!last || last->form || last->bytes > UINT32_MAX / 2) {
		if (vec_push(&table->steps, ((struct skip_step){0})))
			return -ENOMEM;
		abbrev->nr_steps++;
		last = &table->steps.data[table->steps.nr - 1];
	}
	if (size >= 0)
		last->bytes += size;
	else
		last->form = form;
	return 0;
}

/* Notes that the field that was added last is DW_AT_sibling. */
static void note_sibling(const struct abbrev_table *table, struct abbrev *abbrev, uint64_t form)
{
	const struct skip_step *step = &table->steps.data[table->steps.nr - 1];

	abbrev->has_sibling = true;
	if (abbrev->nr_steps == 1 && form == DW_FORM_ref4)
		abbrev->sibling_at = step->bytes - 4;
}

/* Reads the attributes of @abbrev. Returns 0, -EBADMSG or -ENOMEM. */
static int read_attrs(struct abbrev_table *table, struct abbrev *abbrev, struct cursor *c)
{
	for (;;) {
		uint64_t name = dwarf_uleb(c), form = dwarf_uleb(c);
		struct abbrev_attr attr = {.form = form, .slot = slot_of_attr(name)};

		if (form == DW_FORM_implicit_const)
			attr.implicit = dwarf_sleb(c);
		if (c->bad || form > UINT16_MAX)
			return -EBADMSG;
		if (!name && !form)
			return 0;
		if (abbrev->nr_attrs == ATTRS_MAX)
			return -EBADMSG;
		attr.size = form_fixed_size(form, table->sizes);
		if (vec_push(&table->attrs, attr) || add_step(table, abbrev, form, attr.size))
			return -ENOMEM;
		abbrev->nr_attrs++;
		abbrev->has_code |= attr.slot == DIE_LOW_PC || attr.slot == DIE_RANGES;
		if (attr.slot == DIE_SIBLING)
			note_sibling(table, abbrev, form);
	}
}

/* Passes the attributes of an abbreviation that nobody asks for. */
static void pass_attrs(struct cursor *c)
{
	uint64_t name, form;

	do {
		name = dwarf_uleb(c);
		form = dwarf_uleb(c);
		if (form == DW_FORM_implicit_const)
			dwarf_sleb(c);
	} while (name || form);
}

static int compare_codes(const void *a, const void *b)
{
	const struct abbrev *x = a, *y = b;

	COMPARE(x->code, y->code);
	COMPARE(x->first_attr, y->first_attr);
	return 0;
}

/* Reads the table, or only the abbreviation @wanted of it. Returns 0, -EBADMSG or -ENOMEM. */
static int read_table(struct abbrev_table *table, struct cursor *c, uint64_t wanted)
{
	table->is_dense = true;
	for (;;) {
		struct abbrev abbrev = {.code = dwarf_uleb(c), .sibling_at = UINT32_MAX};
		uint64_t tag;
		int ret;

		/* A table at the end of the section may lack its end. */
		if (c->bad || !abbrev.code)
			break;
		tag = dwarf_uleb(c);
		abbrev.has_children = dwarf_u8(c);
		if (wanted && abbrev.code != wanted) {
			pass_attrs(c);
			continue;
		}
		abbrev.tag = tag;
		abbrev.kind = kind_of_tag(tag);
		abbrev.first_attr = table->attrs.nr;
		abbrev.first_step = table->steps.nr;
		ret = read_attrs(table, &abbrev, c);
		if (ret)
			return ret;
		table->is_dense &= abbrev.code == table->abbrevs.nr + 1;
		if (vec_push(&table->abbrevs, abbrev))
			return -ENOMEM;
		if (wanted)
			return 0;
	}
	if (!table->is_dense)
		qsort(table->abbrevs.data, table->abbrevs.nr, sizeof(*table->abbrevs.data),
		      compare_codes);
	return 0;
}

const struct abbrev *abbrev_find_sparse(const struct abbrev_table *table, uint64_t code)
{
	size_t at = search_first(table->abbrevs.nr, i, table->abbrevs.data[i].code >= code);

	return at < table->abbrevs.nr && table->abbrevs.data[at].code == code
		       ? &table->abbrevs.data[at]
		       : NULL;
}

void abbrev_table_deinit(struct abbrev_table *table)
{
	vec_free(&table->abbrevs);
	vec_free(&table->attrs);
	vec_free(&table->steps);
}

static void free_table(struct abbrev_table *table)
{
	if (table)
		abbrev_table_deinit(table);
	free(table);
}

static size_t table_bytes(const struct abbrev_table *table)
{
	return sizeof(*table) + vec_bytes(&table->abbrevs) + vec_bytes(&table->attrs) +
	       vec_bytes(&table->steps);
}

/*
 * Reads the table at table->off as read_table does, and charges its bytes. Returns 0, -EBADMSG or
 * the error of @work.
 */
static int make_table(struct abbrev_table *table, struct dwarf_work *work, uint64_t wanted)
{
	struct cursor c = dwarf_cursor(table->file, DWARF_ABBREV, table->off);
	const uint8_t *start = c.p;
	int ret = c.bad ? -EBADMSG : read_table(table, &c, wanted);

	if (ret == -ENOMEM)
		dwarf_work_no_memory(work);
	else if (start && !dwarf_work_charge(work, c.p - start))
		return work->error;
	return ret;
}

const struct abbrev *abbrev_read_one(struct abbrev_table *table, struct dwarf_work *work,
				     uint64_t code)
{
	vec_clear(&table->abbrevs);
	vec_clear(&table->attrs);
	vec_clear(&table->steps);
	/* The code 0 ends the table. */
	if (!code || make_table(table, work, code) || !table->abbrevs.nr)
		return NULL;
	return &table->abbrevs.data[0];
}

/* Returns true if @table is the one at @off in @file for @sizes. */
static bool is_table(const struct abbrev_table *table, const struct dwarf_file *file, uint64_t off,
		     struct dwarf_sizes sizes)
{
	return table->file == file && table->off == off && table->sizes.address == sizes.address &&
	       table->sizes.offset == sizes.offset && table->sizes.ref_address == sizes.ref_address;
}

/* Makes an empty table with room for as much as the last one has: neighbours are alike. */
static struct abbrev_table *new_table(const struct abbrev_cache *cache)
{
	const struct abbrev_table *last =
		cache->tables.nr ? cache->tables.data[cache->tables.nr - 1] : NULL;
	struct abbrev_table *table = calloc(1, sizeof(*table));

	if (table && last &&
	    (vec_reserve(&table->abbrevs, last->abbrevs.nr) ||
	     vec_reserve(&table->attrs, last->attrs.nr) ||
	     vec_reserve(&table->steps, last->steps.nr))) {
		free_table(table);
		return NULL;
	}
	return table;
}

const struct abbrev_table *abbrev_cache_get(struct abbrev_cache *cache, struct dwarf_work *work,
					    const struct dwarf_file *file, uint64_t off,
					    struct dwarf_sizes sizes)
{
	uint64_t hash = hash_u64(off);
	struct abbrev_table *table;
	int ret;

	index_for_each(&cache->index, hash, i)
		if (is_table(cache->tables.data[i], file, off, sizes))
			return cache->tables.data[i];
	if (work->error)
		return NULL;
	if (cache->bytes > CACHE_BYTES_MAX) {
		work->error = -E2BIG;
		return NULL;
	}
	table = new_table(cache);
	if (!table) {
		dwarf_work_no_memory(work);
		return NULL;
	}
	table->file = file;
	table->off = off;
	table->sizes = sizes;
	ret = make_table(table, work, 0);
	if (!ret && index_push(&cache->index, &cache->tables, hash, table)) {
		ret = -ENOMEM;
		dwarf_work_no_memory(work);
	}
	if (ret) {
		free_table(table);
		return NULL;
	}
	cache->bytes += table_bytes(table);
	return table;
}

void abbrev_cache_trim(struct abbrev_cache *cache)
{
	if (cache->bytes > CACHE_BYTES_KEPT)
		abbrev_cache_deinit(cache);
}

void abbrev_cache_deinit(struct abbrev_cache *cache)
{
	vec_for_each(&cache->tables, table)
		free_table(*table);
	vec_free(&cache->tables);
	index_deinit(&cache->index);
	cache->bytes = 0;
}
