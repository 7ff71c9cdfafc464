// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs. One takes samples of a perf event. The others run for each hit of a probe. All
 * count in one way (bpf/count/count_stacks.h).
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define UNWIND_KNOWS_THREAD
#include "bpf/count/count_stacks.h"
#include "bpf/count/event_hits.h"
#include "bpf/count/memory_changes.h"
#include "bpf/count/off_cpu.h"
#include "bpf/count/hit_cost.h"
#include "bpf/setting.h"

/* Set before load. */
__setting bool include_idle;
__setting bool measures_samples; /* they can come at any rate */

/*
 * The frames of the kernel's stack to leave out; NO_KERNEL_STACK if the sample hit user space.
 * There is no branch (sample_hit_user).
 */
static __always_inline int frames_to_skip(const struct bpf_perf_event_data *ctx)
{
	return sample_hit_user(ctx) * NO_KERNEL_STACK;
}

/* Runs for every sample, in an interrupt or an NMI. */
SEC("perf_event")
int take_sample(struct bpf_perf_event_data *ctx)
{
	int own_frames = frames_to_skip(ctx);
	struct run run = {};

	if (measures_samples)
		begin_run(&run, sample_event, 0);
	handle_event(ctx, sample_event, sample_weight, include_idle, own_frames);
	end_run(&run);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
