/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The units of .debug_info, and the entries in them. The headers of all units are read in one pass,
 * then the first entry of each, which tells where the unit's tables begin.
 */
#ifndef REPORT_DWARF_DWARF_UNITS_H
#define REPORT_DWARF_DWARF_UNITS_H

#include "report/dwarf/abbrevs.h"
#include "report/dwarf/dwarf_forms.h"

struct dwarf_unit {
	const struct dwarf_file *file;
	/* In .debug_info: the unit is [off, end), its first entry is at die_off. */
	uint64_t off, die_off, end;
	uint64_t abbrev_off;
	struct dwarf_sizes sizes;
	uint8_t version, type; /* DW_UT_*, also for DWARF before 5 */
	/* From the first entry, after unit_read_die. */
	bool has_line, has_dwo;
	bool has_scopes; /* the language has namespaces */
	uint64_t line_off, low_pc;
	uint64_t str_offsets_base, addr_base, rnglists_base, gnu_ranges_base;
	uint64_t dwo_id;
	struct dwarf_text name, comp_dir, dwo_name;
	/* The file with .debug_addr and .debug_ranges: for a split unit that of its skeleton. */
	const struct dwarf_file *main_file;
};

/* An entry. values[i] is set if bit i of has is. */
struct die {
	uint64_t off;
	uint32_t has;
	const struct abbrev *abbrev;
	struct dwarf_value values[NR_DIE_SLOTS];
};

static inline bool die_has(const struct die *die, enum die_slot slot)
{
	return die->has & (UINT32_C(1) << slot);
}

/*
 * Reads the headers of the units of @file into @file->units. Ends at a damaged header. Returns 0 or
 * -ENOMEM.
 */
int dwarf_units_read(struct dwarf_file *file);

/* Releases the list of units. */
void dwarf_units_deinit(struct dwarf_file *file);

/* Returns the abbreviations of @unit, NULL if they are damaged or with an error in @work. */
const struct abbrev_table *unit_abbrevs(const struct dwarf_unit *unit, struct abbrev_cache *cache,
					struct dwarf_work *work);

/*
 * Reads the first entry of @unit into *@die, and the unit's facts from it. Of its abbreviations,
 * only the first ones are read, into @scratch, which lasts as long as @die. Returns false if
 * something is damaged, or with an error in @work.
 */
bool unit_read_die(struct dwarf_unit *unit, struct abbrev_table *scratch, struct dwarf_work *work,
		   struct die *die);

/* Returns a cursor from @off of .debug_info to the end of @unit; bad if @off is not in the unit. */
struct cursor unit_cursor(const struct dwarf_unit *unit, uint64_t off);

/* Reads the attributes of an entry with @abbrev at the cursor. die->off is the caller's. */
void die_read(struct cursor *c, const struct dwarf_unit *unit, const struct abbrev_table *table,
	      const struct abbrev *abbrev, struct die *die);

/* Reads the entry at @off. Returns false if there is none or it is damaged. */
bool die_read_at(const struct dwarf_unit *unit, const struct abbrev_table *table, uint64_t off,
		 struct die *die);

/*
 * Passes the entries inside @die, whose attributes end at the cursor, if @die tells where its
 * sibling is. Returns false if they must be read. A sibling is never before the cursor.
 */
bool die_pass_children(struct cursor *c, const struct dwarf_unit *unit, const struct die *die);

/* Returns the text that @value stands for; none if it is damaged or no text. */
struct dwarf_text unit_text(const struct dwarf_unit *unit, const struct dwarf_value *value);

/* Returns the text of attribute @slot; none if the entry lacks it. */
struct dwarf_text die_text(const struct dwarf_unit *unit, const struct die *die,
			   enum die_slot slot);

/* Computes address @index of .debug_addr. Returns false if there is none. */
bool unit_address_at(const struct dwarf_unit *unit, uint64_t index, uint64_t *addr);

/* Computes the address that @value stands for. Returns false if it is none. */
bool unit_address(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *addr);

/*
 * Finds the unit and the offset of the entry that @value refers to. Returns false if there is none.
 */
bool unit_reference(const struct dwarf_unit *unit, const struct dwarf_value *value,
		    const struct dwarf_unit **target, uint64_t *off);

#endif
