/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves the program that walks stacks by tables. Tells it the mappings of processes, and has the
 * tables made that it asks for. Design: doc/recorder.md, "Unwinding".
 */
#ifndef RECORD_UNWIND_UNWINDER_H
#define RECORD_UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "format/prof.h"
#include "record/process/address_spaces.h"
#include "record/looks/look_budget.h"
#include "record/unwind/early_samples.h"
#include "record/unwind/interpreter_maps.h"
#include "record/unwind/table_maps.h"
#include "record/symbols/file_names.h"
#include "record/symbols/function_names.h"
#include "record/symbols/vdso.h"

/*
 * Where stacks are walked along frame pointers, there is none. After unwinder_begin, all functions
 * take NULL: they have nothing to do and nothing to show.
 */
struct unwinder;
struct sideband;

struct unwinder_options {
	uint32_t max_depth;        /* frames of a stack at most */
	const char *cache;         /* the directory that keeps tables, or NULL */
	struct look_budget *looks; /* charged with looks at processes; must outlive the unwinder */
	struct file_names *names;  /* gets the files that tables are made of; NULL: nobody does */
	const struct label_keys *labels; /* of requests; NULL: none. Must outlive the unwinder */
	uint32_t languages;              /* whose functions are found: 1 << enum language each */
	void (*machine_found)(void *ctx, uint32_t pid); /* as in struct machines; or NULL */
	void *ctx;                                      /* for that */
};

/*
 * Starts the child that makes tables. Call it early, while the child has little to inherit. Returns
 * 0 or a negative errno with @err set.
 */
int unwinder_create(const struct unwinder_options *options, struct unwinder **unwinder,
		    struct err *err);

/* As file_tables_may_keep. */
bool unwinder_may_keep(const struct unwinder *unwinder, int *reason);

/*
 * Begins to serve the maps with the address spaces of the scan and the vdso. Keeps @vdso and
 * @sideband, which is NULL where the kernel does not tell of mappings. Returns 0 or a negative
 * errno with @err set.
 */
int unwinder_begin(struct unwinder *unwinder, const struct unwind_maps *maps,
		   struct address_spaces *spaces, const struct vdso *vdso,
		   struct sideband *sideband, struct err *err);

/*
 * Ask for tables after unwinder_begin: of all files that this process maps; of the files that many
 * of the processes in @spaces map, and of all files of those that make code. @unwinder is not NULL.
 * Both return 0 or -ENOMEM.
 */
int unwinder_request_own(struct unwinder *unwinder);
int unwinder_request_popular(struct unwinder *unwinder, const struct address_spaces *spaces);

/*
 * The descriptors that poll readable when there is work; *@nr is their number. Valid after
 * unwinder_begin.
 */
const int *unwinder_fds(const struct unwinder *unwinder, size_t *nr);

/* Does the work that is due, without waiting. Returns 0 or -ENOMEM. */
int unwinder_work(struct unwinder *unwinder);

/* Has the looker tell of the code that @pid has made (struct jit). */
int unwinder_describe(const void *unwinder, uint32_t pid, bool *is_whole);

/* Did a process of the scan run code that it has made itself? */
bool unwinder_has_makers(const struct unwinder *unwinder);

/*
 * The side-band tells that @pid has mapped @file at [start, end), or that its main thread has
 * ended. Without a mapping, @pid has moved some. Both return 0 or -ENOMEM.
 */
int unwinder_mapped(struct unwinder *unwinder, uint32_t pid, const struct mapping *mapping,
		    const struct mapped_file *file);
int unwinder_exited(struct unwinder *unwinder, uint32_t pid);

/*
 * Wait until the tables that were asked for are made, as long as table_wait_asking does: those of
 * unwinder_request_own (@unwinder is not NULL), and of unwinder_request_popular. Both return 0 or
 * -ENOMEM.
 */
int unwinder_wait_own(struct unwinder *unwinder, int ms);
int unwinder_wait_popular(struct unwinder *unwinder, const struct address_spaces *spaces, int ms);

/* Call it after a loss of the side-band's records. Returns 0 or -ENOMEM. */
int unwinder_sweep(struct unwinder *unwinder);

/*
 * Call it after a swap. Marks the early samples of @set, which is at rest, as taken. Returns 0 or
 * -ENOMEM.
 */
int unwinder_take_early(struct unwinder *unwinder, uint32_t set);

/*
 * Walks the taken early samples that are left. @spaces must be known up to the last swap. Returns 0
 * or -ENOMEM.
 */
int unwinder_walk_early(struct unwinder *unwinder, const struct address_spaces *spaces);

/*
 * Walks the early samples up to @until_ns, when @spaces is known up to then: those of processes
 * that have gone need not wait for a drain. Returns 0 or -ENOMEM.
 */
int unwinder_walk_known(struct unwinder *unwinder, const struct address_spaces *spaces,
			uint64_t until_ns);

/* All early samples, or NULL. The caller counts the taken ones, and then forgets them. */
struct early_samples *unwinder_early(struct unwinder *unwinder);

/* The functions of interpreted languages, and the interpreters; NULL without an unwinder. */
struct function_names *unwinder_functions(struct unwinder *unwinder);
const struct interpreter_maps *unwinder_interpreters(const struct unwinder *unwinder);

/* Is a drain due because many samples are waiting? */
bool unwinder_wants_drain(const struct unwinder *unwinder);

/* Is a drain due because there are many names of functions? It makes room for others. */
bool unwinder_has_many_names(const struct unwinder *unwinder);

/* What users share, of this kind. NULL without an unwinder, or if others have it. */
const struct shares *unwinder_pool(const struct unwinder *unwinder, enum prof_lack_kind kind);

/* Process @pid had its first sample, or the first one for some time. */
void unwinder_told(struct unwinder *unwinder, uint32_t pid);

/* A process had @nr samples more. May be NULL. */
void unwinder_sampled(void *unwinder, uint32_t pid, uint64_t nr);

/* Is a drain due because so much room was left that is not free before? */
bool unwinder_lacks_room(const struct unwinder *unwinder);

/*
 * Call it right after a swap, before anything else is replaced. No program looks any more at
 * mappings that were replaced until now, so their room is used again. Returns 0 or -ENOMEM.
 */
int unwinder_settle(struct unwinder *unwinder);

void unwinder_destroy(struct unwinder *unwinder);

#endif
