/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a process is a program in Go, and where its runtime keeps the labels of goroutines, which
 * the program sets by pprof.Do. Nothing in the process says where, so a table has it by version.
 */
#ifndef RECORD_LOOKS_GO_LABELS_H
#define RECORD_LOOKS_GO_LABELS_H

#include "bpf/shared.h"
#include "record/looks/resident_memory.h"

/*
 * Finds where the process of @memory has its labels. Only the looker calls this. Returns 0 with
 * found->offset and found->go set; -ENOENT if it is no program in Go, of a version that is not
 * known, or has variables of threads besides Go's.
 */
int go_labels_find(struct resident_memory *memory, struct thread_context *found);

/*
 * Where Go keeps labels in the version @text of @len bytes, as its build information has it.
 * Returns 0, or -ENOENT if that is not known.
 */
int go_labels_layout(const char *text, size_t len, struct go_runtime *go);

#endif
