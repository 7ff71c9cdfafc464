/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the BPF programs and the recorder: the keys and values of the maps. All types are of
 * fixed size (<linux/types.h>). Padding has a name, because the kernel compares keys as bytes.
 */
#ifndef BPF_SHARED_H
#define BPF_SHARED_H

#include <linux/types.h>

#include "bpf/host_arch.h"
#include "bpf/owner_room.h"
#include "bpf/languages/languages.h"
#include "bpf/walk/unwind.h"

#define COMM_SIZE 16 /* the kernel's TASK_COMM_LEN */

/* The events of a recording at most: PROF_MAX_EVENTS (format/prof.h). */
#define MAX_EVENTS 255

/* The programs write to one set of counts and stacks while the recorder drains the other. */
#define NR_SETS 2

/*
 * A stack's id is a hash of its frames by keys that are new for each recording (bpf/keyed_hash.h).
 * The odds that any two of a million distinct stacks share an id are below 1 in 30 million. The
 * lowest ids are those of no stack.
 */
enum stack_id {
	STACK_NONE = 0,     /* there was no such stack to take */
	STACK_MISSED = 1,   /* + enum loss: the stack could not be stored or walked */
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
	STACK_GOES_ON = 0,        /* while a walk by tables is under way */
	STACK_END_FP = 0,         /* the frame pointers ran out */
	STACK_END_ROOT = 1,       /* the stack is complete */
	STACK_END_CUT = 2,        /* no room for another frame: there may have been more */
	STACK_END_NO_TABLE = 6,   /* no table covers the code, and there is no frame pointer */
	STACK_END_BAD_RULE = 7,   /* the rule is not supported, or takes a register nobody knows */
	STACK_END_UNREADABLE = 8, /* memory could not be read, or the stack did not ascend */
	STACK_END_EARLY = 9,      /* mappings or tables of the process were not known yet */
	/* The recorder alone sees these. */
	STACK_END_SWITCH = 13, /* as STACK_END_FP: of the kernel, while a thread leaves the CPU */
	STACK_END_WAKER = 14,  /* as STACK_END_FP: of the kernel, while it wakes a thread */
	STACK_END_WAKE = 15,   /* it is no stack, but a struct wake */
	STACK_END_LABELS = 16, /* it is no stack, but a struct label_values */
};

/*
 * Set in a frame of user space that is no leaf, but whose address is that of the next instruction
 * to run. A signal interrupted the frame, or a handler returns to it. Addresses of user space have
 * 56 bits at most. A walk along frame pointers may find any value; only marks alone in the upper
 * byte are marks.
 */
#define STACK_FRAME_EXACT (1ULL << 63)

/*
 * Set in a frame of user space from which a walk by tables went on along fp without proof that fp
 * was the frame's own. The walk may have passed over the caller. No word of a function has this bit
 * without a language (bpf/languages/languages.h).
 */
#define STACK_FRAME_UNCERTAIN (1ULL << 56)

#define STACK_FRAME_MARKS (STACK_FRAME_EXACT | STACK_FRAME_UNCERTAIN)

static inline int stack_frame_is_exact(__u64 frame)
{
	return (frame & ~STACK_FRAME_UNCERTAIN) >> 56 == STACK_FRAME_EXACT >> 56;
}

static inline int stack_frame_is_uncertain(__u64 frame)
{
	return (frame & ~STACK_FRAME_EXACT) >> 56 == STACK_FRAME_UNCERTAIN >> 56;
}

/* The address of a frame, without marks. */
static inline __u64 stack_frame_addr(__u64 frame)
{
	return stack_frame_is_exact(frame) || stack_frame_is_uncertain(frame)
		       ? frame & ~STACK_FRAME_MARKS
		       : frame;
}

/*
 * A stack as it lies in the memory of a set, and in the buffer of a CPU. It begins with a line, and
 * takes as many lines as its frames need. The words of the last line after the frames mean nothing.
 */
struct stack_entry {
	__u64 id;
	__u32 nr_frames;
	__u32 end;      /* enum stack_end */
	__u64 frames[]; /* leaf first */
};

/* A line of a processor's cache. */
struct stack_line {
	__u64 words[8];
};

#define STACK_LINES(nr_frames)                                                                     \
	((sizeof(struct stack_entry) + (nr_frames) * sizeof(__u64) + sizeof(struct stack_line) -   \
	  1) /                                                                                     \
	 sizeof(struct stack_line))

/* What a count is of. */
struct count_key {
	__u64 user_stack;
	__u64 kernel_stack;
	__u64 labels; /* of the request: an id as of a stack, or LABELS_OTHER; 0: there are none */
	__u32 tgid;   /* in the recorder's pid namespace */
	/*
	 * Tells apart the mappings that a process id has over time: a hash of start time, count of
	 * execs and number of executable pages. Without it, samples before and after an exec, a
	 * reused id or a dlopen could share a row. Then one time would have to place both.
	 */
	__u32 image;
	char comm[COMM_SIZE - 1]; /* filled up with 0 */
	__u8 event;               /* in the byte where the kernel's name has its NUL */
	__u32 tid;                /* as tgid; 0 unless threads are told apart by ids */
	__u32 padding;
};

/*
 * Labels are attributes of the request that a thread works for, as the thread's process publishes
 * them (OpenTelemetry's OTEP 4947), or as Go's runtime keeps them of a goroutine.
 */
#define LABEL_KEYS_MAX  8   /* that the user asks for */
#define LABEL_NAMES_MAX 256 /* that a process has numbers of */
#define LABEL_KEY_BYTES 64  /* the longest key, with its NUL */

/* The most bytes of a record's attributes that the program reads. */
#define LABEL_BYTES_MAX 640

/* With traces, the place of the last key has the ids of trace and span, as they are in a record. */
#define LINK_PLACE     (LABEL_KEYS_MAX - 1)
#define LINK_BYTES     24
#define TRACE_ID_BYTES 16

/* In place of an id: they found no room. */
#define LABELS_OTHER 1

/* Sets of labels that a process had room for. The program counts. */
struct process_labels {
	__u32 nr;
	__u32 nr_drains; /* as in struct set_state: of another time, they have gone */
};

/* How Go's runtime keeps labels: offsets in its structs g and m. */
struct go_runtime {
	__u16 m;      /* in g: its thread */
	__u16 curg;   /* in m: the goroutine that it runs */
	__u16 labels; /* in g; 0: this is no process of Go */
	__u16 is_map; /* of keys and values; or they are a list of pairs */
};

/*
 * The variable that leads to a thread's record, and what the attributes in it are. In a process of
 * Go it is the g of the thread.
 */
struct thread_context {
	__s64 offset;      /* of the variable, from the thread pointer or in its block */
	__u32 block;       /* the number of the thread's block of variables; 0: there is none */
	__u32 block_bytes; /* from the address of a block to that of the next one */
	struct process_labels labels[NR_SETS];
	struct go_runtime go;
	__u8 keys[LABEL_NAMES_MAX]; /* by number: the key of the user and 1; 0: not asked for */
};

/* A key that the user asks for, filled up with 0. */
struct label_name {
	__u64 length;
	__u64 words[LABEL_KEY_BYTES / 8];
};

/* Each value begins with a word, and the rest of its last word is 0. */
#define LABEL_WORDS ((LABEL_BYTES_MAX + LINK_BYTES) / 8 + LABEL_KEYS_MAX)

/*
 * The values of the keys that the user asked for. Those of length 0 are missing. A set of counts
 * holds them like a stack, whose end is STACK_END_LABELS and whose frames are these words.
 */
struct label_values {
	__u8 lengths[LABEL_KEYS_MAX];
	__u64 words[LABEL_WORDS]; /* as many as the lengths need */
};

#define LABEL_FRAMES_MAX (sizeof(struct label_values) / sizeof(__u64))

struct count_value {
	__u64 count; /* hits, or the sum of their weights */
	/* CLOCK_MONOTONIC of the first and the latest sample: says which mappings were in force. */
	__u64 first_ns;
	__u64 last_ns;
};

/*
 * A count was hit for the first time in a slice. All its hits before that, @count of them or the
 * sum of their weights, were in earlier slices. Two CPUs may note one slice of one count at the
 * same time; then the smaller @count is right.
 */
struct slice_change {
	__u64 count;
	__u32 slot;  /* of the count */
	__u32 slice; /* since slices_begin_ns */
};

/* A place for a count. It is free while the id is 0; then the value is 0, too. */
struct count_slot {
	__u64 id; /* the hash of the key */
	struct count_value value;
	struct count_key key;
};

/*
 * Bytes of a stack that a copy has at most. Compilers use some 30 KiB, and PCRE2 has as many for
 * its work (MACHINE_STACK_SIZE in pcre2_jit_match.c), with its callers above that.
 */
#define EARLY_COPY_BYTES  65536
#define EARLY_STACK_BYTES 32768 /* of it, those that are noted; and what the looker copies */
#define EARLY_PAGE_BYTES  PAGE_BYTES
#define EARLY_PAGES       32 /* of a stack that the program looks at; copies have fewer */
#define EARLY_WORDS       128
#define EARLY_SEGMENTS    16

/*
 * Code that a runtime has made (bpf/made/made_code.h) may have gone when the recorder walks the
 * copy of a stack. So the program looks at code when it takes the sample, and notes words of the
 * stack. Only an interpreter that is an executable has notes (bpf/walk/early_code.h).
 */
enum early_code_kind {
	EARLY_CODE_NONE,
	EARLY_CODE_LOOP, /* PHP; noted: an address of the executable after a call */
	/* CPython; noted: a return address in a stub, above which is another one after a call. */
	EARLY_CODE_STUB,
	EARLY_CODE_TRACE, /* LuaJIT; noted: where the frame of the interpreter is */
};

#define EARLY_NOTES (EARLY_STACK_BYTES / 8 / 64)

struct early_code {
	__u64 loop;      /* with EARLY_CODE_LOOP: made code runs in the frame of this instruction */
	__u32 kind;      /* enum early_code_kind */
	__u32 leaf_rule; /* of the innermost frame, with EARLY_CODE_STUB; UNWIND_NO_RULE: none */
	/*
	 * Bits for the words of the stack's first EARLY_STACK_BYTES, from early_stack_begin() on.
	 */
	__u64 notes[EARLY_NOTES];
};

/* The copy of an early sample's stack begins with the page that holds the red zone. */
static inline __u64 early_stack_begin(__u64 sp)
{
	return (sp - RED_ZONE_BYTES) & ~(EARLY_PAGE_BYTES - 1ULL);
}

/*
 * A sample whose stack could not be walked when it was taken, because mappings or tables of the
 * process were not known yet. The recorder walks the copy of the stack when it knows more. The
 * sample is not in the count maps; the recorder adds it to the counts of its set. Its kernel stack
 * is in the stack map of that set.
 */
struct early_sample {
	/* The user stack is STACK_NONE, or the id by which a later count refers to this stack. */
	struct count_key key;
	__u64 time_ns;
	__u64 space_id; /* as in struct unwind_space */
	__u32 set;
	__u32 nr_bytes; /* of stack; bytes of the first page below the red zone mean nothing */
	__u64 weight;
	__u32 is_at_entry; /* the innermost frame is at the entry of its function */
	__u32 uid;         /* of its process */
	__u64 leaf;        /* enum unwind_leaf of that frame */
	/*
	 * Bits 1 << n: page number n could not be read, most often as it was never used. It is not
	 * in the copy, and the next page follows the one before.
	 */
	__u64 absent;
	__u64 regs[UNWIND_NR_REGS];
	/*
	 * Of the innermost frame, if its code can be that of a regular expression: then it holds if
	 * the return address is in PCRE2's own code. Else its cfa is UNWIND_CFA_NONE.
	 */
	struct unwind_rule regex_rule;
	struct early_code code;
	/* Functions of interpreted languages, as in struct language_stack. */
	__u32 nr_words, nr_segments;
	struct language_loops loops;
	struct language_segment segments[EARLY_SEGMENTS];
	__u64 words[EARLY_WORDS];
	__u8 stack[EARLY_COPY_BYTES]; /* memory ends after nr_bytes, or later */
};

/* The size of a sample that has room for @stack_bytes of the stack. */
#define EARLY_SAMPLE_SIZE(stack_bytes)                                                             \
	(sizeof(struct early_sample) - EARLY_COPY_BYTES + (stack_bytes))

/* The task that ended a wait. All zero: it is not known. */
struct waker {
	__u64 user_stack;
	__u64 kernel_stack;
	__u32 tgid;  /* as in struct count_key */
	__u32 image; /* as well */
};

/*
 * A thread that is off the CPU, until it runs again. The stacks of the key are those with which it
 * left the CPU. The set that was active then has them, and the recorder keeps them for as long.
 * That holds for the stacks of the waker, too.
 */
struct waiting_thread {
	struct count_key key;
	__u64 since_ns; /* CLOCK_MONOTONIC */
	__u64 ran_ns;   /* its time on the CPU, by the scheduler */
	__u64 nr_left;  /* how often it left the CPU, by the scheduler */
	struct waker waker;
	__u32 is_asleep;  /* it left the CPU by itself, so another task must wake it */
	__u32 stands_for; /* the number of waits, since hits are left out; 0: 1 */
};

/*
 * The kernel stack of a thread that waited, and the task that woke it. Keys of counts have no room
 * for the waker. So the set holds a wake like a stack, whose end is STACK_END_WAKE and whose frames
 * are these words. The key has its id in place of the kernel stack.
 */
struct wake {
	__u64 kernel_stack;
	struct waker waker;
};

#define WAKE_WORDS (sizeof(struct wake) / sizeof(__u64))

/* Calls of a task that wait for return probes, at most: the kernel's MAX_URETPROBE_DEPTH. */
#define PROBED_CALLS_MAX 64

/* One of them. */
struct probed_call {
	__u64 sp;      /* at the function's entry */
	__u64 address; /* to which it returns */
};

/*
 * Of such calls, the latest first: is it the first that can have its return address at @at of the
 * stack? The call has pushed the address to @sp, or the function has saved it below.
 */
static inline int is_return_of_call(__u64 sp, __u64 at)
{
	return RETURN_BYTES ? sp == at : sp > at;
}

/*
 * A thread that was off the CPU when the recording began. The recorder reads its user stack from
 * its memory, and counts refer to it by the id in the key.
 */
struct found_thread {
	struct count_key key;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 space_id;
	__u32 set; /* has the kernel stack */
	__u32 has_user_stack;
	__u64 regs[UNWIND_NR_REGS];
	/* The calls whose return address on the stack is that of a trampoline. */
	__u64 trampoline;
	__u32 nr_calls;
	__u32 padding;
	struct probed_call calls[PROBED_CALLS_MAX];
};

/* CPUs that times off the CPU can be chosen by, at most: PROF_MAX_CPUS (format/prof.h). */
#define WAIT_CPUS_MAX 8192

/* Which samples of a task that is followed count. Children have 0. */
enum follow_mark {
	FOLLOW_ALL = 0,
	FOLLOW_FROM_EXEC, /* those after its next exec: until then it is a copy of the recorder */
};

/* Why a thread is off the CPU. Each may be an event of its own. */
enum off_cpu_state {
	OFF_CPU_SLEEPING, /* until something happens, or a signal comes (S) */
	OFF_CPU_DISK,     /* until something happens, and no signal ends it (D) */
	OFF_CPU_RUNNABLE, /* another thread has the CPU */
	OFF_CPU_OTHER,    /* stopped, traced, ... */
	NR_OFF_CPU_STATES,
};

enum memory_change_type {
	MEMORY_MOVED,  /* mremap moved code, or changed its size */
	MEMORY_SHARED, /* a process began with the memory of its parent */
};

/* A change of a process's memory that the side-band leaves out. */
struct memory_change {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 type;    /* enum memory_change_type */
	__u32 tgid;    /* in the recorder's pid namespace */
	__u32 parent;  /* MEMORY_SHARED: as tgid; 0 if it is not visible */
	/* MEMORY_MOVED: from [old_addr, old_size) to [new_addr, new_size). */
	__u32 keeps_old; /* the old range stays mapped, too */
	__u64 old_addr, old_size;
	__u64 new_addr, new_size;
};

/* A process, as the program saw it at a sample. */
struct told_process {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 cgroup;  /* the id of the task's cgroup of the unified hierarchy; 0: not known */
	__u32 tgid;    /* in the recorder's pid namespace */
	__u32 ns_tgid; /* in its own one; 0: not known */
	__u32 uid;     /* effective, of the main thread, in the initial user namespace */
	__u32 padding;
	char name[COMM_SIZE]; /* of the main thread; "": not known */
};

/* So many of them may wait for the recorder. */
#define TOLD_PROCESSES_MAX 8192

/* Fill state of one set. */
struct set_state {
	/*
	 * Stacks in the upper half, and their lines in the lower half. This includes stacks that
	 * found no room. There are some if a number is larger than the room is.
	 */
	__u64 stacks;
	__u32 lines_end; /* where the lines in use end, if a stack found no room */
	__u32 nr_counts;
	__u32 woken;      /* the recorder was told that the watermark is reached */
	__u32 nr_changes; /* of slices; those beyond max_changes found no room */
	__u32 nr_labels;  /* sets of labels */
	__u32 nr_drains;  /* of this set before */
};

#define SET_ONE_STACK      (1ULL << 32)
#define SET_STACKS(stacks) ((__u32)((stacks) >> 32))
#define SET_LINES(stacks)  ((__u32)(stacks))

/*
 * The state of the programs that run for each hit of an event on every CPU, for each event and CPU.
 */
struct hit_state {
	__u64 nr;         /* hits so far */
	__u64 is_sampled; /* the user asked for this CPU */
};

/* The state of the cost of an event, for each event and CPU. */
struct hit_cost {
	__u64 run_ns;  /* estimate of the time that programs have run for its hits */
	__u64 nr_runs; /* of the programs */
	__u64 nr_left; /* hits that are left out before the next one that counts */
	__u64 gap;     /* the number of hits that it stands for; 0: 1 */
};

/* A counted hit stands for less than 2 to the power of this many hits. */
#define SHED_GAP_BITS 12

/*
 * Set in the number of the event that a probe in user space carries: where the probe is, there
 * is no frame yet, as at the entry of a function.
 */
#define PROBE_AT_ENTRY (1ULL << 32)

/*
 * Programs that are taking stacks on one CPU at one time, at most. A program on a uprobe can be
 * interrupted by others, also by those of other tasks.
 */
#define NR_LEVELS 4

/* Which buffers of a CPU are in use. */
struct levels {
	__u64 busy[NR_LEVELS];
};

/* Where the weight of a hit comes from. */
enum weight_source {
	WEIGHT_ONE = 0, /* hits are counted */
	WEIGHT_ARG,     /* an argument of the function */
	WEIGHT_FIELD,   /* a field of the tracepoint */
};

/* How to weigh the hits of an event. */
struct weight {
	__u32 source; /* enum weight_source */
	__u32 at;     /* argument, from 1; or offset of the field */
	__u32 size;   /* bytes: 1, 2, 4 or 8 */
	__u32 is_signed;
};

/*
 * The fate of the hits of an event in a set, for each CPU. taken = counted + overflows + the sum of
 * lost. The missed stacks are those of counted hits.
 */
struct totals {
	__u64 taken;
	__u64 counted;
	__u64 idle;
	__u64 filtered;
	__u64 lost[NR_LOSSES];
	__u64 missed_user[NR_LOSSES];
	__u64 missed_kernel[NR_LOSSES];
	__u64 overflows; /* hits that were left out, because a sum would exceed 64 bits */
};

#endif
