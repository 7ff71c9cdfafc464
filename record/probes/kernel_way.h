/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways to attach programs to functions of the kernel, and which of them this kernel has. */
#ifndef RECORD_PROBES_KERNEL_WAY_H
#define RECORD_PROBES_KERNEL_WAY_H

#include "record/sampling/bpf/sampler_load.h"

/*
 * Turns KERNEL_BY_ANY into the first way that this kernel has. The last way is fentry, of which
 * only a function tells whether it works (attach_check_entry). Returns 0, or -EOPNOTSUPP if the
 * kernel lacks the way that is asked for. Sets *@reason to the words for a failure, now or later.
 */
int kernel_way_choose(enum kernel_way *way, const char **reason);

#endif
