// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/dwarf_names.h"

#include "common/hash.h"

/* References from entry to entry. Compilers make two or three; a loop would never end. */
#define REFERENCES_MAX 16

/* Bytes of a name with its scopes. */
#define NAME_BYTES_MAX 4096

/* Entries that are known at a time. */
#define KNOWN_MAX (1u << 18)

/* The entries that a function's entry leads to. */
struct found_name {
	struct dwarf_text linkage, plain;
	const struct dwarf_unit *unit; /* of the last entry */
	uint64_t off;
};

/* Follows the references from the entry, until one has the name for the linker. */
static struct found_name find_name(struct dwarf_names *names, struct dwarf_work *work,
				   const struct dwarf_unit *unit, uint64_t off)
{
	struct found_name found = {.unit = unit, .off = off};

	for (unsigned int i = 0; i < REFERENCES_MAX; i++) {
		const struct abbrev_table *table = unit_abbrevs(unit, names->abbrevs, work);
		enum die_slot next = DIE_ORIGIN;
		struct die die;

		if (!table || !die_read_at(unit, table, off, &die))
			break;
		found.unit = unit;
		found.off = off;
		found.linkage = die_text(unit, &die, DIE_LINKAGE_NAME);
		if (!found.plain.len)
			found.plain = die_text(unit, &die, DIE_NAME);
		if (found.linkage.len)
			break;
		if (!die_has(&die, next))
			next = DIE_SPECIFICATION;
		if (!die_has(&die, next) || !unit_reference(unit, &die.values[next], &unit, &off))
			break;
	}
	return found;
}

/* Returns the name for the linker, or the name after its scopes in @buf. */
static struct dwarf_text full_name(struct dwarf_names *names, struct dwarf_work *work,
				   const struct found_name *found, char buf[NAME_BYTES_MAX])
{
	size_t len;

	if (found->linkage.len || !found->plain.len || !found->unit->has_scopes)
		return found->linkage.len ? found->linkage : found->plain;
	len = scopes_print(&names->scopes, names->abbrevs, work, found->unit, found->off, buf,
			   NAME_BYTES_MAX);
	if (!len || found->plain.len > NAME_BYTES_MAX - len)
		return found->plain;
	memcpy(buf + len, found->plain.s, found->plain.len);
	return (struct dwarf_text){buf, len + found->plain.len};
}

uint32_t dwarf_names_get(struct dwarf_names *names, struct dwarf_work *work,
			 const struct dwarf_unit *unit, uint64_t off)
{
	struct known_name known = {.unit = unit, .off = off};
	uint64_t hash = hash_u64(off);
	struct found_name found;
	char buf[NAME_BYTES_MAX];
	struct dwarf_text text;

	index_for_each(&names->index, hash, i)
		if (names->known.data[i].off == off && names->known.data[i].unit == unit)
			return names->known.data[i].name;
	found = find_name(names, work, unit, off);
	text = full_name(names, work, &found, buf);
	if (work->error)
		return 0;
	if (names->known.nr >= KNOWN_MAX)
		dwarf_names_forget(names);
	if (string_set_add(names->set, text.len ? text.s : "", text.len, &known.name) ||
	    index_push(&names->index, &names->known, hash, known)) {
		dwarf_work_no_memory(work);
		return 0;
	}
	return known.name;
}

void dwarf_names_forget(struct dwarf_names *names)
{
	vec_clear(&names->known);
	index_clear(&names->index);
	scope_cache_forget(&names->scopes);
}

void dwarf_names_deinit(struct dwarf_names *names)
{
	vec_free(&names->known);
	index_deinit(&names->index);
	scope_cache_deinit(&names->scopes);
}
