/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The depth of stacks, which several parts of the programs need as a constant. */
#ifndef BPF_WALK_DEPTH_LIMIT_H
#define BPF_WALK_DEPTH_LIMIT_H

#include <linux/types.h>

#include "bpf/setting.h"

/* Set before load: frames that a stack_entry has room for. */
__setting __u32 max_depth = 1;

/* Set before load: frames that the kernel's helper takes at most, which has a limit of its own. */
__setting __u32 helper_depth = 1;

#endif
