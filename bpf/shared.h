/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF programs and the recorder share: the layout of map keys and values. Only fixed-size
 * types of <linux/types.h>, no padding that is not named: keys are compared as bytes.
 */
#ifndef BPF_SHARED_H
#define BPF_SHARED_H

#define COMM_SIZE 16 /* TASK_COMM_LEN */

/* The two sets of maps: the programs write to one while the recorder drains the other. */
#define NR_SETS 2

/*
 * A stack is known by a 64-bit hash of its frames, seeded anew for each recording. At a million
 * distinct stacks the odds that any two share one are below 1 in 30 million. The lowest values
 * are set aside.
 */
enum stack_id {
	STACK_NONE = 0,	   /* there was no such stack to take */
	STACK_MISSED = 1,  /* + enum loss: could not be stored or walked */
	STACK_FIRST_ID = 8, /* lowest id of a stored stack */
};

enum loss {
	LOSS_STORAGE_FULL = 0,
	LOSS_REFUSED = 1,
	LOSS_WALK_FAILED = 2,
	NR_LOSSES,
};

/*
 * Value of the stack maps; the key is the stack's id. How many frames have room is decided when the
 * programs are loaded, and the same for all. What is behind nr_frames means nothing.
 */
struct stack_entry {
	__u32 nr_frames;
	__u32 is_cut; /* as many as have room: there may have been more */
	__u64 frames[]; /* leaf first */
};

#define STACK_ENTRY_SIZE(depth) (sizeof(struct stack_entry) + (depth) * sizeof(__u64))

/* Key of the count maps. */
struct count_key {
	__u64 user_stack;
	__u64 kernel_stack;
	__u32 tgid; /* in the recorder's pid namespace */
	/*
	 * Tells apart the images that a process id had: a hash of start time, exec count and executable
	 * pages. Without it the samples before and after an exec, a reused id or a dlopen could share a
	 * row, and one time would have to place both.
	 */
	__u32 image;
	char comm[COMM_SIZE];
};

struct count_value {
	__u64 count;
	/* CLOCK_MONOTONIC of the first and the latest sample: ties them to the mappings in force. */
	__u64 first_ns;
	__u64 last_ns;
};

/* Fill state of one set. */
struct set_state {
	__u32 nr_stacks;
	__u32 nr_counts;
	__u32 woken; /* the recorder was told that the watermark is reached */
	__u32 reserved;
};

/* A CPU's state of a tracepoint, whose program runs for each hit on every CPU. */
struct hit_state {
	__u64 nr; /* since the last sample */
	__u64 is_sampled; /* the CPU is */
};

/*
 * What happened to the samples of a set, for each CPU. taken = counted + the sum of lost. A missed
 * stack's sample is counted all the same.
 */
struct totals {
	__u64 taken;
	__u64 counted;
	__u64 idle;
	__u64 filtered;
	__u64 lost[NR_LOSSES];
	__u64 missed_user[NR_LOSSES];
	__u64 missed_kernel[NR_LOSSES];
};

#endif
