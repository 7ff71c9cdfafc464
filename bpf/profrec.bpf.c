// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs. One takes samples of a perf event. The others run for each hit of a probe. All
 * count in one way (bpf/count_stacks.h).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/count_stacks.h"
#include "bpf/event_hits.h"
#include "bpf/memory_changes.h"
#include "bpf/off_cpu.h"

const volatile bool include_idle; /* set before load */

/* Runs for every sample, in an interrupt or an NMI. */
SEC("perf_event")
int take_sample(struct bpf_perf_event_data *ctx)
{
	return handle_event(ctx, sample_event, sample_weight, include_idle, 0);
}

char LICENSE[] SEC("license") = "GPL";
