/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BPF programs, set up for what is to be sampled and loaded; nothing is attached. */
#ifndef RECORD_SAMPLER_SAMPLER_LOAD_H
#define RECORD_SAMPLER_SAMPLER_LOAD_H

#include <stdbool.h>

#include "common/err.h"
#include "record/sampler/sampler.h"

struct profrec_bpf;

/*
 * Loads programs and maps. Returns 0 or a negative errno with @err set; *@bpf is to be released
 * with profrec_bpf__destroy.
 */
int sampler_load(const struct sampler_options *options, struct profrec_bpf **bpf, struct err *err);

/* Has the kernel what walking by tables takes: helper functions of Linux 5.17? Needs privileges. */
bool sampler_can_unwind(void);

#endif
