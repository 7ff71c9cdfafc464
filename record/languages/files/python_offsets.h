/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the offsets that CPython publishes for debuggers (_Py_DebugOffsets in
 * internal/pycore_debug_offsets.h). A version that nobody has judged has the layout of the last one
 * before it, if these offsets say so; those that differ come from there. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_PYTHON_OFFSETS_H
#define RECORD_LANGUAGES_FILES_PYTHON_OFFSETS_H

#include "bpf/languages/languages.h"
#include "record/languages/files/dynamic_symbols.h"

/* Before the offsets. */
struct python_offsets_head {
	char cookie[8];
	uint64_t version;
	uint64_t is_free_threaded;
};

/*
 * Takes the offsets of the runtime at @runtime, as linked, over into @layout, which has those of
 * the version before. Returns 0, or -ENOENT if something else has changed, with @layout unchanged.
 */
int python_offsets_apply(const struct dynamic_symbols *symbols, uint64_t runtime,
			 struct python_layout *layout);

#endif
