// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/kernel_way.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/probes/attach.h"

static bool has_kprobes(void)
{
	return !access("/sys/bus/event_source/devices/kprobe/type", F_OK);
}

int kernel_way_choose(enum kernel_way *way, const char **reason)
{
	switch (*way) {
	case KERNEL_BY_ANY:
		*way = attach_can_kernel_multi() ? KERNEL_BY_MULTI
		       : has_kprobes()           ? KERNEL_BY_KPROBE
						 : KERNEL_BY_FENTRY;
		*reason = "this kernel has no kprobes (CONFIG_KPROBES), and fentry fails";
		return 0;
	case KERNEL_BY_MULTI:
		*reason = "this kernel has no kprobe.multi (CONFIG_FPROBE)";
		return attach_can_kernel_multi() ? 0 : -EOPNOTSUPP;
	case KERNEL_BY_KPROBE:
		*reason = "this kernel has no kprobes (CONFIG_KPROBES)";
		return has_kprobes() ? 0 : -EOPNOTSUPP;
	default:
		*reason = "fentry fails";
		return 0;
	}
}
