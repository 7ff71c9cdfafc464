// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_names.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "elf/minidebug.h"

/* A source of ranges for hits that have none yet. @target is the source's own. */
typedef int stage_fn(void *target, struct elf_file *file, struct range_hit *hits, size_t nr_hits);

#define NR_STAGES 3

struct stage {
	stage_fn *run;
	void *target;
	uint8_t part; /* enum name_part */
};

/* Asks a source for the ranges of the hits without one. Notes in *@parts that it gave some. */
static int run_stage(const struct stage *stage, struct elf_file *file, struct range_hit *hits,
		     size_t nr_hits, uint8_t *parts)
{
	_cleanup_free_ struct range_hit *open = NULL;
	size_t nr = 0, next = 0;
	int ret;

	for (size_t i = 0; i < nr_hits; i++)
		nr += !hits[i].range;
	if (!nr || !file)
		return 0;
	open = calloc(nr, sizeof(*open));
	if (!open)
		return -ENOMEM;
	for (size_t i = 0; i < nr_hits; i++)
		if (!hits[i].range)
			open[next++] = hits[i];
	ret = stage->run(stage->target, file, open, nr);
	for (size_t i = 0; i < nr && !ret; i++)
		if (open[i].range)
			*parts |= stage->part;
	next = 0;
	for (size_t i = 0; i < nr_hits && !ret; i++)
		if (!hits[i].range)
			hits[i] = open[next++];
	return ret;
}

static int run_plt(void *target, struct elf_file *file, struct range_hit *hits, size_t nr_hits)
{
	return plt_resolve(target, file, hits, nr_hits);
}

static int run_go(void *target, struct elf_file *file, struct range_hit *hits, size_t nr_hits)
{
	return gopclntab_resolve(target, file, hits, nr_hits);
}

static int run_bounds(void *target, struct elf_file *file, struct range_hit *hits, size_t nr_hits)
{
	return bounds_resolve(target, file, hits, nr_hits);
}

/* Reads all symbol tables. MiniDebugInfo is a part of .symtab, so it matters only without that. */
static int add_tables(struct elf_names *names, struct elf_file *const files[2],
		      const struct range_hit *hits, size_t nr_hits)
{
	struct elf_file *packed = NULL;
	int ret = 0;

	for (size_t i = 0; i < 2 && !ret; i++) {
		enum elf_quality quality = files[i] ? elf_file_quality(files[i]) : ELF_NO_NAMES;

		if (quality == ELF_MINIDEBUG && !packed)
			packed = files[i];
		if (quality > names->quality)
			names->quality = quality;
		if (files[i])
			ret = symtab_add(&names->symtab, files[i], hits, nr_hits);
	}
	if (!ret && packed && names->quality < ELF_SYMTAB)
		ret = minidebug_open(packed, &names->mini, &names->has_mini);
	if (!ret && names->has_mini)
		ret = symtab_add(&names->symtab, &names->mini, hits, nr_hits);
	return ret;
}

/* Notes which tables gave ranges. The best tables stand for all others. */
static void note_tables(struct elf_names *names, struct elf_file *const files[2],
			const struct range_hit *hits, size_t nr_hits)
{
	bool has_any = false;

	for (size_t i = 0; i < nr_hits && !has_any; i++)
		has_any = hits[i].range;
	for (size_t i = 0; i < 2 && has_any; i++) {
		enum elf_quality quality = files[i] ? elf_file_quality(files[i]) : ELF_NO_NAMES;

		if (quality < names->quality)
			continue;
		if (quality == ELF_SYMTAB)
			names->parts[i] |= NAME_PART_SYMTAB;
		else if (quality == ELF_MINIDEBUG && names->has_mini)
			names->parts[i] |= NAME_PART_MINIDEBUG;
		else if (quality != ELF_NO_NAMES)
			names->parts[i] |= NAME_PART_DYNSYM;
	}
}

int elf_names_resolve(struct elf_names *names, struct elf_file *binary, struct elf_file *debug,
		      struct range_hit *hits, size_t nr_hits)
{
	struct elf_file *const files[] = {binary, debug};
	int ret = add_tables(names, files, hits, nr_hits);

	if (!ret)
		ret = symtab_resolve(&names->symtab, hits, nr_hits);
	if (!ret)
		note_tables(names, files, hits, nr_hits);
	for (size_t s = 0; s < NR_STAGES; s++) {
		for (size_t i = 0; i < ARRAY_SIZE(files) && !ret; i++) {
			const struct stage stages[NR_STAGES] = {
				{run_plt, &names->plt[i], NAME_PART_PLT},
				{run_go, &names->go[i], NAME_PART_GO},
				{run_bounds, &names->bounds[i], NAME_PART_BOUNDS},
			};

			ret = run_stage(&stages[s], files[i], hits, nr_hits, &names->parts[i]);
		}
	}
	return ret;
}

bool elf_names_has_any(const struct elf_names *names)
{
	return names->symtab.nr_symbols || names->go[0].ranges.nr || names->go[1].ranges.nr;
}

void elf_names_deinit(struct elf_names *names)
{
	symtab_deinit(&names->symtab);
	if (names->has_mini)
		elf_file_close(&names->mini);
	for (size_t i = 0; i < ARRAY_SIZE(names->plt); i++) {
		plt_deinit(&names->plt[i]);
		gopclntab_deinit(&names->go[i]);
		bounds_deinit(&names->bounds[i]);
	}
}
