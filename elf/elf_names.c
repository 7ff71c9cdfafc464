// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_names.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "elf/minidebug.h"

/* A source of ranges for hits that have none yet. @target is the source's own. */
typedef int stage_fn(void *target, struct elf_file *file, struct range_hit *hits, size_t nr_hits);

/* Asks a source for the ranges of the hits without one. */
static int run_stage(stage_fn *stage, void *target, struct elf_file *file, struct range_hit *hits,
		     size_t nr_hits)
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
	ret = stage(target, file, open, nr);
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

int elf_names_resolve(struct elf_names *names, struct elf_file *binary, struct elf_file *debug,
		      struct range_hit *hits, size_t nr_hits)
{
	struct elf_file *const files[] = {binary, debug};
	int ret = add_tables(names, files, hits, nr_hits);

	if (!ret)
		ret = symtab_resolve(&names->symtab, hits, nr_hits);
	for (size_t i = 0; i < ARRAY_SIZE(files) && !ret; i++)
		ret = run_stage(run_plt, &names->plt[i], files[i], hits, nr_hits);
	for (size_t i = 0; i < ARRAY_SIZE(files) && !ret; i++)
		ret = run_stage(run_go, &names->go[i], files[i], hits, nr_hits);
	for (size_t i = 0; i < ARRAY_SIZE(files) && !ret; i++)
		ret = run_stage(run_bounds, &names->bounds[i], files[i], hits, nr_hits);
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
