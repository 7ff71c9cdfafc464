/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BPF programs, set up for what is to be sampled and loaded; nothing is attached. */
#ifndef RECORD_SAMPLER_SAMPLER_LOAD_H
#define RECORD_SAMPLER_SAMPLER_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "record/sampler/events.h"
#include "record/sampler/filters.h"

struct sampler_options {
	const struct filters *filters;
	const u32_vec *cpus;         /* sampled ones */
	const struct events *events; /* what is going to be attached to */
	uint64_t stack_storage;      /* stacks that both sets hold together */
	uint64_t hash_storage;       /* counts that both sets hold together */
	uint32_t max_depth;          /* frames of a stack */
	bool no_user, no_kernel;
	bool include_idle;
	bool unwind; /* by tables: unwinder_begin is to follow */
};

struct profrec_bpf;

/*
 * Loads programs and maps. Returns 0 or a negative errno with @err set; *@bpf is to be released
 * with profrec_bpf__destroy.
 */
int sampler_load(const struct sampler_options *options, struct profrec_bpf **bpf, struct err *err);

/* Has the kernel what walking by tables takes: helper functions of Linux 5.17? Needs privileges. */
bool sampler_can_unwind(void);

#endif
