/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Abbreviation tables. Each entry of .debug_info names an abbreviation, which tells its tag and the
 * form of each attribute. Most entries are of no interest here and are only passed. So a table is
 * compiled once: fields of fixed size are added up, and an entry is passed in one or a few steps.
 */
#ifndef REPORT_DWARF_ABBREVS_H
#define REPORT_DWARF_ABBREVS_H

#include "common/index.h"
#include "report/dwarf/dwarf_file.h"
#include "report/dwarf/dwarf_work.h"

/* The meaning of an entry for a search by address. */
enum abbrev_kind {
	ABBREV_OTHER,    /* holds no code */
	ABBREV_SCOPE,    /* a unit or a namespace */
	ABBREV_TYPE,     /* a class or structure: its name qualifies others */
	ABBREV_BLOCK,    /* a block in a function */
	ABBREV_FUNCTION, /* a function */
	ABBREV_INLINED,  /* a function inlined into another */
};

/* The attributes that somebody asks for. */
enum die_slot {
	DIE_LOW_PC,
	DIE_HIGH_PC,
	DIE_RANGES,
	DIE_ORIGIN,
	DIE_SPECIFICATION,
	DIE_NAME,
	DIE_LINKAGE_NAME,
	DIE_CALL_FILE,
	DIE_CALL_LINE,
	DIE_SIBLING,
	DIE_STMT_LIST,
	DIE_COMP_DIR,
	DIE_LANGUAGE,
	DIE_STR_OFFSETS_BASE,
	DIE_ADDR_BASE,
	DIE_RNGLISTS_BASE,
	DIE_GNU_RANGES_BASE,
	DIE_DWO_NAME,
	DIE_DWO_ID,
	NR_DIE_SLOTS, /* of no interest */
};

struct abbrev_attr {
	uint16_t form;
	uint8_t slot;     /* enum die_slot */
	int8_t size;      /* bytes of the field; -1: that depends on its contents */
	int64_t implicit; /* of DW_FORM_implicit_const */
};

/* Pass these bytes, then a field of the form; form 0: none. */
struct skip_step {
	uint32_t bytes;
	uint16_t form;
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	uint8_t kind; /* enum abbrev_kind */
	bool has_children;
	bool has_code;    /* it has DW_AT_low_pc or DW_AT_ranges */
	bool has_sibling; /* it has DW_AT_sibling */
	uint32_t first_attr, nr_attrs;
	uint32_t first_step, nr_steps;
	/* the bytes before DW_AT_sibling, a DW_FORM_ref4; UINT32_MAX: it is elsewhere */
	uint32_t sibling_at;
};

struct abbrev_table {
	const struct dwarf_file *file;
	uint64_t off;
	struct dwarf_sizes sizes;
	bool is_dense;              /* the codes are 1, 2, 3, ... */
	VEC(struct abbrev) abbrevs; /* sorted by code */
	VEC(struct abbrev_attr) attrs;
	VEC(struct skip_step) steps;
};

/* Tables that were read. All zero: none yet. */
struct abbrev_cache {
	VEC(struct abbrev_table *) tables;
	struct index index;
	size_t bytes;
};

/*
 * Returns the table at @off in @file. It lives until abbrev_cache_trim or _deinit. Returns NULL for
 * a damaged table, or with an error in @work.
 */
const struct abbrev_table *abbrev_cache_get(struct abbrev_cache *cache, struct dwarf_work *work,
					    const struct dwarf_file *file, uint64_t off,
					    struct dwarf_sizes sizes);

/*
 * Reads the abbreviation of @code in the table at @table->off into @table, which keeps its memory
 * from call to call. Returns it, NULL if the table is damaged or with an error in @work.
 */
const struct abbrev *abbrev_read_one(struct abbrev_table *table, struct dwarf_work *work,
				     uint64_t code);

/* Releases the memory of a table that abbrev_read_one filled. */
void abbrev_table_deinit(struct abbrev_table *table);

/* Forgets all tables if they take much memory. Call it when nobody uses a table. */
void abbrev_cache_trim(struct abbrev_cache *cache);

/* Forgets all tables. */
void abbrev_cache_deinit(struct abbrev_cache *cache);

/* Returns the abbreviation of @code, NULL if the table has none. */
const struct abbrev *abbrev_find_sparse(const struct abbrev_table *table, uint64_t code);

static inline const struct abbrev *abbrev_find(const struct abbrev_table *table, uint64_t code)
{
	if (table->is_dense)
		return code - 1 < table->abbrevs.nr ? &table->abbrevs.data[code - 1] : NULL;
	return abbrev_find_sparse(table, code);
}

#endif
