// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of kernel symbols: sorts it, looks addresses up, and takes symbols over from an earlier
 * table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "common/search.h"
#include "record/symbols/ksyms.h"

/* The rank of a symbol whose code was replaced. */
#define RANK_REPLACED UINT8_MAX

static int compare_syms(const void *pa, const void *pb)
{
	const struct ksym *a = pa, *b = pb;

	COMPARE(a->addr, b->addr);
	COMPARE(a->rank, b->rank);
	/*
	 * Unloaded code stays in the table. So a BPF program wins over older code at its address,
	 * and the last program over all.
	 */
	if (a->part != b->part && (a->part == KSYM_BPF || b->part == KSYM_BPF))
		return a->part == KSYM_BPF ? -1 : 1;
	if (a->part == KSYM_BPF)
		COMPARE(b->name, a->name);
	/* The order in kallsyms. */
	COMPARE(a->name, b->name);
	return 0;
}

/* Number of symbols at or below @addr, of the first @nr. */
static size_t upper_bound(const struct ksyms *ksyms, size_t nr, uint64_t addr)
{
	return search_first(nr, i, ksyms->syms.data[i].addr > addr);
}

/* Marks the symbols that began inside a program that was loaded later. */
static void mark_replaced(struct ksyms *ksyms)
{
	vec_for_each(&ksyms->added, range) {
		for (size_t i = upper_bound(ksyms, ksyms->syms.nr, range->start);
		     i < ksyms->syms.nr && ksyms->syms.data[i].addr < range->end; i++)
			if (ksyms->syms.data[i].name < range->name)
				ksyms->syms.data[i].rank = RANK_REPLACED;
	}
	vec_clear(&ksyms->added);
}

/* In kallsyms the image is in order, and nearly all loaded code comes after it. */
static void sort_all(struct ksym *syms, size_t nr)
{
	size_t sorted = 0, first;

	while (sorted < nr && (!sorted || compare_syms(&syms[sorted - 1], &syms[sorted]) <= 0))
		sorted++;
	if (sorted == nr)
		return;
	qsort(syms + sorted, nr - sorted, sizeof(*syms), compare_syms);
	for (first = sorted; first && compare_syms(&syms[first - 1], &syms[sorted]) > 0;)
		first--;
	if (first < sorted)
		qsort(syms + first, nr - first, sizeof(*syms), compare_syms);
}

void ksyms_sort(struct ksyms *ksyms)
{
	size_t nr = 0;

	sort_all(ksyms->syms.data, ksyms->syms.nr);
	mark_replaced(ksyms);
	vec_for_each(&ksyms->syms, sym)
		if (sym->rank != RANK_REPLACED &&
		    (!nr || ksyms->syms.data[nr - 1].addr != sym->addr))
			ksyms->syms.data[nr++] = *sym;
	ksyms->syms.nr = nr;
	ksyms->dirty = false;
}

static void set_part(struct ksym_hit *hit, uint16_t part)
{
	hit->part = part == KSYM_IMAGE ? KERNEL_IMAGE
		    : part == KSYM_BPF ? KERNEL_BPF
				       : KERNEL_MODULE;
	hit->module = part >= KSYM_FIRST_MODULE ? part - KSYM_FIRST_MODULE : 0;
}

static bool is_within(const struct kernel_module *module, uint64_t addr)
{
	return addr >= module->start && addr < module->end;
}

/* Where the code that @sym is part of ends; 0: not known. */
static uint64_t part_end(const struct ksyms *ksyms, const struct ksym *sym)
{
	uint64_t end = 0;

	if (sym->part == KSYM_IMAGE)
		end = ksyms->image_end;
	else if (sym->part >= KSYM_FIRST_MODULE)
		end = ksyms->modules.data[sym->part - KSYM_FIRST_MODULE].end;
	return sym->addr < end ? end : 0; /* else a trampoline, or another of the module's ranges */
}

/*
 * A symbol reaches to the next symbol, but not beyond the code that it is part of. Code there came
 * later, and no name is better than a wrong one.
 */
static void find_symbol(const struct ksyms *ksyms, uint64_t addr, struct ksym_hit *hit)
{
	size_t i = upper_bound(ksyms, ksyms->syms.nr, addr);
	const struct ksym *sym;
	uint64_t end;

	if (!i)
		return;
	sym = &ksyms->syms.data[i - 1];
	end = part_end(ksyms, sym);
	if (end && addr >= end)
		return;
	if (i < ksyms->syms.nr && (!end || sym[1].addr < end))
		end = sym[1].addr;
	set_part(hit, sym->part);
	hit->name = ksyms->names.data + sym->name;
	hit->start = sym->addr;
	hit->since_ns = sym->since_ns;
	hit->instance = sym->instance;
	hit->size = (end ? end : addr + 1) - sym->addr;
}

static bool is_doubtful(const struct ksyms *ksyms, uint64_t addr)
{
	vec_for_each(&ksyms->doubtful, range)
		if (addr >= range->start && addr < range->end)
			return true;
	return false;
}

void ksyms_lookup(struct ksyms *ksyms, uint64_t addr, uint64_t time_ns, struct ksym_hit *hit)
{
	*hit = (struct ksym_hit){.part = KERNEL_IMAGE};
	if (ksyms->dirty)
		ksyms_sort(ksyms);
	if (is_doubtful(ksyms, addr))
		return;
	find_symbol(ksyms, addr, hit);
	if (hit->since_ns > time_ns) {
		*hit = (struct ksym_hit){.part = KERNEL_IMAGE, .since_ns = hit->since_ns};
		return;
	}
	/*
	 * An address in a module belongs to it also without a symbol. But since Linux 6.4 the size
	 * of a module counts all its ranges, so other code may lie inside. Then a symbol of that
	 * code wins.
	 */
	for (size_t m = 0; m < ksyms->modules.nr; m++) {
		const struct kernel_module *module = &ksyms->modules.data[m];

		if (!is_within(module, addr) || (hit->name && hit->start >= module->start))
			continue;
		*hit = (struct ksym_hit){.part = KERNEL_MODULE, .module = m};
		return;
	}
}

/* Is other code at @addr now? The first symbols, which are sorted, and the first modules say so. */
static bool is_taken(const struct ksyms *ksyms, size_t nr_syms, size_t nr_modules, uint64_t addr)
{
	size_t i = upper_bound(ksyms, nr_syms, addr);

	if (i && ksyms->syms.data[i - 1].addr == addr)
		return true;
	for (i = 0; i < nr_modules; i++)
		if (is_within(&ksyms->modules.data[i], addr))
			return true;
	return false;
}

/* The part in @ksyms for module @number of @old. @parts remembers the answers; 0: none yet. */
static int inherit_module(struct ksyms *ksyms, const struct ksyms *old, size_t number,
			  uint16_t *parts, uint16_t *part)
{
	int ret = 0;

	if (!parts[number]) {
		if (ksyms->modules.nr >= UINT16_MAX - KSYM_FIRST_MODULE)
			return -ENOMEM;
		ret = vec_push(&ksyms->modules, old->modules.data[number]);
		parts[number] = KSYM_FIRST_MODULE + ksyms->modules.nr - 1;
	}
	*part = parts[number];
	return ret;
}

static bool is_same_module(const struct kernel_module *a, const struct kernel_module *b)
{
	return a->start == b->start && a->end == b->end && a->inode == b->inode &&
	       !strcmp(a->name, b->name);
}

static bool has_module(const struct ksyms *ksyms, const struct kernel_module *module)
{
	vec_for_each(&ksyms->modules, m)
		if (is_same_module(m, module))
			return true;
	return false;
}

/* Notes the ranges of modules that went in which modules that came are now. */
static int note_doubtful(struct ksyms *ksyms, const struct ksyms *old)
{
	int ret = 0;

	vec_for_each(&old->modules, before) {
		if (has_module(ksyms, before))
			continue;
		vec_for_each(&ksyms->modules, now) {
			struct kernel_range both = {max_u64(now->start, before->start),
						    min_u64(now->end, before->end)};

			if (!ret && both.start < both.end && !has_module(old, now))
				ret = vec_push(&ksyms->doubtful, both);
		}
	}
	return ret;
}

int ksyms_inherit(struct ksyms *ksyms, const struct ksyms *old)
{
	_cleanup_free_ uint16_t *parts = calloc(old->modules.nr + 1, sizeof(*parts));
	size_t nr_syms, nr_modules = ksyms->modules.nr;
	int ret = 0;

	if (!parts || note_doubtful(ksyms, old))
		return -ENOMEM;
	if (ksyms->dirty)
		ksyms_sort(ksyms);
	nr_syms = ksyms->syms.nr;
	vec_for_each(&old->syms, sym) {
		struct ksym gone = {.addr = sym->addr,
				    .since_ns = sym->since_ns,
				    .instance = sym->instance,
				    .part = sym->part,
				    .gone = true};
		/* Code that was gone earlier can have no samples any more. */
		if (sym->part == KSYM_IMAGE || sym->gone ||
		    is_taken(ksyms, nr_syms, nr_modules, sym->addr))
			continue;
		if (sym->part >= KSYM_FIRST_MODULE)
			ret = inherit_module(ksyms, old, sym->part - KSYM_FIRST_MODULE, parts,
					     &gone.part);
		if (!ret)
			ret = ksyms_add_symbol(ksyms, gone, old->names.data + sym->name);
		if (ret)
			return ret;
	}
	return 0;
}
