/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF programs and the recorder share: the layout of map keys and values. Only fixed-size
 * types of <linux/types.h>, no padding that is not named: keys are compared as bytes.
 */
#ifndef BPF_SHARED_H
#define BPF_SHARED_H

#include <linux/types.h>

#define COMM_SIZE 16 /* TASK_COMM_LEN */

/* The two sets of maps: the programs write to one while the recorder drains the other. */
#define NR_SETS 2

/*
 * A stack is known by a 64-bit hash of its frames, seeded anew for each recording. At a million
 * distinct stacks the odds that any two share one are below 1 in 30 million. The lowest values
 * are set aside.
 */
enum stack_id {
	STACK_NONE = 0,     /* there was no such stack to take */
	STACK_MISSED = 1,   /* + enum loss: could not be stored or walked */
	STACK_FIRST_ID = 8, /* lowest id of a stored stack */
};

enum loss {
	LOSS_STORAGE_FULL = 0,
	LOSS_REFUSED = 1,
	LOSS_WALK_FAILED = 2,
	NR_LOSSES,
};

/* How a stack ended. The numbers are those of enum prof_stack_end (format/prof.h). */
enum stack_end {
	STACK_GOES_ON = 0,  /* while it is walked by tables */
	STACK_END_FP = 0,   /* the frame pointers ran out */
	STACK_END_ROOT = 1, /* it is complete */
	STACK_END_CUT = 2,  /* as many frames as have room: there may have been more */
	STACK_END_NO_TABLE =
		6, /* no table says how to leave the code, and rbp is no frame pointer */
	STACK_END_BAD_RULE = 7, /* a rule that is not supported, or registers that are not known */
	STACK_END_UNREADABLE = 8, /* memory could not be read, or the stack did not ascend */
	STACK_END_EARLY = 9,      /* mappings or tables of the process were not there yet */
};

/*
 * Value of the stack maps; the key is the stack's id. How many frames have room is decided when the
 * programs are loaded, and the same for all. What is behind nr_frames means nothing.
 */
struct stack_entry {
	__u32 nr_frames;
	__u32 end;      /* enum stack_end */
	__u64 frames[]; /* leaf first */
};

#define STACK_ENTRY_SIZE(depth) (sizeof(struct stack_entry) + (depth) * sizeof(__u64))

/* Key of the count maps. */
struct count_key {
	__u64 user_stack;
	__u64 kernel_stack;
	__u32 tgid; /* in the recorder's pid namespace */
	/*
	 * Tells apart what a process id has mapped over time: a hash of start time, count of execs
	 * and number of executable pages. Without it the samples before and after an exec, a reused
	 * id or a dlopen could share a row, and one time would have to place both.
	 */
	__u32 image;
	char comm[COMM_SIZE];
};

struct count_value {
	__u64 count;
	/* CLOCK_MONOTONIC of the first and the latest sample: ties them to the mappings in force.
	 */
	__u64 first_ns;
	__u64 last_ns;
};

/*
 * A sample whose stack could not be walked when it was taken, since mappings or tables of the
 * process were not known yet. It is not in the count maps: the recorder walks the copy of the stack
 * when it knows more, and counts the sample as one of its set. Its kernel stack is in the set.
 */
#define EARLY_STACK_BYTES 32768
#define EARLY_PAGE_BYTES  4096

/* What is copied begins with the page of the red zone below sp (System V ABI, AMD64
 * supplement, 3.2.2). */
static inline __u64 early_stack_begin(__u64 sp)
{
	return (sp - 128) & ~(EARLY_PAGE_BYTES - 1ULL);
}

struct early_sample {
	struct count_key key; /* without the user stack */
	__u64 time_ns;
	__u64 space_id; /* as in struct unwind_space */
	__u32 set;
	__u32 nr_bytes; /* of stack; those of its first page below the red zone are nothing */
	__u64 regs[17]; /* by enum unwind_reg */
	__u8 stack[EARLY_STACK_BYTES];
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
	__u64 nr;         /* since the last sample */
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
