/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums up the time that threads spend off the CPU, by the stacks with which they left it. The
 * program runs when the scheduler switches from one thread to the next, with interrupts off and the
 * lock of the run queue held. The stacks are taken when a thread leaves. Its time is added when it
 * comes back.
 */
#ifndef BPF_COUNT_OFF_CPU_H
#define BPF_COUNT_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/count/count_stacks.h"
#include "bpf/count/hit_cost.h"
#include "bpf/setting.h"
#include "bpf/walk/probed_task.h"
#include "bpf/count/waiting_filters.h"

/* Set before load. */
__setting __u32 off_cpu_event;   /* the first event of time off the CPU */
__setting bool off_cpu_by_state; /* there is one for each enum off_cpu_state */
__setting __u64 min_wait_ns;
__setting __u64 max_wait_ns = -1ULL;
__setting bool take_wakers;

/* Bits of task_struct.__state (include/linux/sched.h). */
#define TASK_INTERRUPTIBLE   0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_DEAD            0x80

/* The kernel's stack begins in this program and in bpf_trace_runN, which calls it. */
#define NR_OWN_FRAMES 2

/* Key: the thread's id in the initial pid namespace. Nothing is allocated under the lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load */
	__type(key, __u32);
	__type(value, struct waiting_thread);
} waiting SEC(".maps");

/*
 * The entries of a thread that comes back and of the thread that leaves, while they are at hand.
 * They would take too much of a program's stack. No switch interrupts another switch.
 */
enum switched_thread { THREAD_BACK, THREAD_LEAVING, NR_SWITCHED };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SWITCHED);
	__type(key, __u32);
	__type(value, struct waiting_thread);
} switched SEC(".maps");

/* A thread that the iterator has found. The recorder runs one iterator at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct found_thread);
} finding SEC(".maps");

/* The event of a thread that leaves the CPU in @state, of task_struct. */
static __always_inline __u32 event_of_state(bool is_preempted, __u32 state)
{
	if (!off_cpu_by_state)
		return off_cpu_event;
	if (is_preempted || !state)
		return off_cpu_event + OFF_CPU_RUNNABLE;
	if (state & TASK_INTERRUPTIBLE)
		return off_cpu_event + OFF_CPU_SLEEPING;
	return off_cpu_event + (state & TASK_UNINTERRUPTIBLE ? OFF_CPU_DISK : OFF_CPU_OTHER);
}

/* An id for a user stack that the recorder must walk. */
static __always_inline __u64 own_stack_id(__u32 tid, __u64 now_ns)
{
	const struct hash_key *keys = find_hash_keys();
	struct hash h;

	if (!keys)
		return STACK_MISSED + LOSS_WALK_FAILED; /* cannot be: the array has the index */
	h = hash_begin(keys);
	hash_word(&h, now_ns, &keys[1]);
	hash_word(&h, tid, &keys[2]);
	return hash_end(&h) | STACK_FIRST_ID;
}

/*
 * Takes the stacks of the current thread and makes sure that the active set has them. A stack that
 * the recorder must walk gets an id of its own. The kernel's side ends with @kernel_end.
 */
static __always_inline void keep_stacks(void *ctx, struct sample *s, enum stack_end kernel_end,
					__u64 now_ns)
{
	__u32 user = BUFFER_OF(s->level, SIDE_USER), kernel = BUFFER_OF(s->level, SIDE_KERNEL);
	struct stack_entry *user_buffer = buffer_of(user);
	struct stack_entry *kernel_buffer = buffer_of(kernel);
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 id;

	if (!user_buffer || !kernel_buffer)
		return; /* cannot be: the arrays have the indexes */
	if (take_kernel)
		s->key.kernel_stack = take_stack(ctx, SIDE_KERNEL, NR_OWN_FRAMES, s->level,
						 kernel_buffer, kernel_end);
	store_stack(s, &s->key.kernel_stack, SIDE_KERNEL);
	if (!take_user || !s->key.tgid)
		return;
	s->key.user_stack = take_user_stack(ctx, user_buffer, s, now_ns);
	if (unwind_by_tables && s->key.user_stack >= STACK_FIRST_ID &&
	    user_buffer->end == STACK_END_EARLY) {
		id = own_stack_id(task->pid, now_ns);
		if (submit_early(&s->key, id, 0, s->set, s->space_id, now_ns, s->level)) {
			s->key.user_stack = id;
			return;
		}
	}
	store_stack(s, &s->key.user_stack, SIDE_USER);
}

/* How often @task left the CPU. The scheduler counts before it runs the program. */
static __always_inline __u64 nr_left(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* Puts a wake into the set and into the key, in place of the kernel stack. */
static __always_inline void join_waker(struct sample *s, const struct waker *waker)
{
	struct stack_entry *buffer;
	__u32 kernel;

	if (!claim_level(s))
		return;
	kernel = BUFFER_OF(s->level, SIDE_KERNEL);
	buffer = buffer_of(kernel);
	if (buffer && max_depth >= WAKE_WORDS) {
		struct wake *wake = (struct wake *)buffer->frames;

		wake->kernel_stack = s->key.kernel_stack;
		wake->waker = *waker;
		buffer->nr_frames = WAKE_WORDS;
		buffer->end = STACK_END_WAKE;
		s->key.kernel_stack = hash_stack(kernel);
		store_stack(s, &s->key.kernel_stack, SIDE_KERNEL);
	}
	release_level(s);
}

/*
 * The time that the current thread was off the CPU since it left as @thread, of @passed_ns. The
 * program did not see it come back. Returns false if it left again since, with other stacks.
 */
static __always_inline bool took_off_cpu(const struct waiting_thread *thread, __u64 *passed_ns)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u64 ran_ns = task->se.sum_exec_runtime - thread->ran_ns;

	if (nr_left(task) != thread->nr_left + 1 || ran_ns > *passed_ns)
		return false;
	*passed_ns -= ran_ns;
	return true;
}

/*
 * Adds the time that thread @tid spent off the CPU. It comes back now, or came back unseen and
 * leaves again.
 */
__verified_once int end_wait(__u32 tid, __u64 now_ns, bool is_leaving)
{
	struct waiting_thread *entry = bpf_map_lookup_elem(&waiting, &tid), *thread;
	struct sample s = {};
	__u32 back = THREAD_BACK;

	if (!entry)
		return 0;
	thread = bpf_map_lookup_elem(&switched, &back);
	if (!thread)
		return 0; /* cannot be: the array has the index */
	*thread = *entry;
	bpf_map_delete_elem(&waiting, &tid);
	s.key = thread->key;
	s.weight = now_ns - thread->since_ns;
	s.totals = find_totals(&s, s.key.event);
	if (!s.totals)
		return 0;
	if (is_leaving && !took_off_cpu(thread, &s.weight)) {
		count_up(&s.totals->taken);
		count_up(&s.totals->lost[LOSS_REFUSED]);
		return 0;
	}
	if (s.weight < min_wait_ns || s.weight > max_wait_ns) {
		count_up(&s.totals->filtered);
		return 0;
	}
	count_up(&s.totals->taken);
	s.weight = scale_weight(thread->stands_for, s.weight);
	if (s.weight > WEIGHT_MAX) {
		count_up(&s.totals->overflows);
		return 0;
	}
	if (take_wakers && (thread->waker.user_stack || thread->waker.kernel_stack))
		join_waker(&s, &thread->waker);
	note_result(&s, insert_or_add(&s, now_ns));
	return 0;
}

/* A wait that begins. */
struct wait {
	__u32 event;
	bool is_asleep;
	__u32 stands_for; /* the number of waits */
	__u64 now_ns;
};

/* Notes that the current thread leaves the CPU, if the user wants it. */
static __always_inline void begin_wait(void *ctx, const struct wait *wait)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid, leaving = THREAD_LEAVING, tgid;
	struct waiting_thread *thread;
	struct sample s = {};
	long ret;

	s.totals = find_totals(&s, wait->event);
	if (!s.totals)
		return;
	tgid = visible_tgid(task);
	bpf_get_current_comm(s.key.comm, COMM_SIZE);
	if (!is_wanted(task, tgid, s.key.comm)) {
		count_up(&s.totals->filtered);
		return;
	}
	s.key.tgid = tgid;
	s.key.tid = kept_tid(task);
	s.key.event = wait->event;
	identify_process(&s, task);
	tell_process(tgid, s.space_id, wait->now_ns);
	if (!claim_level(&s)) {
		count_up(&s.totals->taken);
		count_up(&s.totals->lost[LOSS_REFUSED]);
		return;
	}
	keep_stacks(ctx, &s, STACK_END_SWITCH, wait->now_ns);
	store_labels(&s);
	release_level(&s);
	/* Only now, because what is kept during the walk takes its stack. */
	task = bpf_get_current_task_btf();
	tid = task->pid;
	thread = bpf_map_lookup_elem(&switched, &leaving);
	if (!thread)
		return; /* cannot be: the array has the index */
	*thread = (struct waiting_thread){.key = s.key,
					  .since_ns = wait->now_ns,
					  .ran_ns = task->se.sum_exec_runtime,
					  .nr_left = nr_left(task),
					  .is_asleep = wait->is_asleep,
					  .stands_for = wait->stands_for};
	ret = bpf_map_update_elem(&waiting, &tid, thread, BPF_NOEXIST);
	if (ret == -EEXIST) {
		end_wait(tid, wait->now_ns, true);
		ret = bpf_map_update_elem(&waiting, &tid, thread, BPF_NOEXIST);
	}
	if (ret) {
		count_up(&s.totals->taken);
		count_up(&s.totals->lost[LOSS_STORAGE_FULL]);
	}
}

/*
 * Notes the stacks of the current task, which wakes @thread. A waker that finds no buffers counts
 * as one whose stacks are missed.
 */
static __always_inline void keep_waker(void *ctx, struct waiting_thread *thread)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample s = {};

	s.totals = find_totals(&s, thread->key.event);
	if (!s.totals)
		return;
	s.key.tgid = visible_tgid(task);
	s.key.event = thread->key.event;
	identify_process(&s, task);
	if (claim_level(&s)) {
		keep_stacks(ctx, &s, STACK_END_WAKER, bpf_ktime_get_ns());
		release_level(&s);
	} else {
		s.key.user_stack = s.key.kernel_stack = STACK_MISSED + LOSS_REFUSED;
	}
	thread->waker.user_stack = s.key.user_stack;
	thread->waker.kernel_stack = s.key.kernel_stack;
	thread->waker.tgid = s.key.tgid;
	thread->waker.image = s.key.image;
}

/* Takes the kernel stack of @task, which waits. */
static __always_inline void keep_kernel_stack(struct sample *s, struct task_struct *task)
{
	__u32 kernel = BUFFER_OF(s->level, SIDE_KERNEL);
	struct stack_entry *buffer = buffer_of(kernel);
	long bytes;

	if (!buffer)
		return; /* cannot be: the array has the index */
	bytes = bpf_get_task_stack(task, buffer->frames, helper_depth * sizeof(__u64), 0);
	if (bytes <= 0)
		return;
	buffer->nr_frames = bytes / sizeof(__u64);
	buffer->end = buffer->nr_frames == helper_depth ? STACK_END_CUT : STACK_END_FP;
	s->key.kernel_stack = hash_stack(kernel);
	store_stack(s, &s->key.kernel_stack, SIDE_KERNEL);
}

/*
 * Notes that @task was off the CPU when the recording began. If it comes back and leaves again at
 * this moment, the note of the scheduler's program is the one that stays.
 */
static __always_inline void note_waiting(struct task_struct *task, struct found_thread *found)
{
	__u32 tid = task->pid, tgid = visible_tgid(task), state = task->__state;
	struct waiting_thread thread = {.since_ns = found->time_ns,
					.ran_ns = task->se.sum_exec_runtime,
					.nr_left = nr_left(task),
					.is_asleep = state != 0};
	struct sample s = {};

#pragma unroll
	for (int i = 0; i < COMM_SIZE - 1; i++)
		s.key.comm[i] = task->comm[i];
	s.totals = find_totals(&s, event_of_state(!state, state));
	if (!s.totals || !is_wanted_task(task, tgid, s.key.comm) || !claim_level(&s))
		return;
	s.key.tgid = tgid;
	s.key.tid = kept_tid(task);
	s.key.event = event_of_state(!state, state);
	identify_process(&s, task);
	if (take_kernel)
		keep_kernel_stack(&s, task);
	release_level(&s);
	found->has_user_stack = take_user && task->mm;
	if (found->has_user_stack)
		s.key.user_stack = own_stack_id(tid, found->time_ns);
	thread.key = found->key = s.key;
	found->space_id = s.space_id;
	found->set = s.set;
	bpf_map_update_elem(&waiting, &tid, &thread, BPF_NOEXIST);
}

/* Notes what uprobes have changed in the registers of @task, and on its stack. */
static __noinline void note_probes(const struct task_struct *task, struct found_thread *found)
{
	const struct uprobe_task *utask = probed_task(task);
	const struct return_instance *call;
	__u64 pc;

	if (!utask)
		return;
	pc = find_out_of_line(utask, found->regs[UNWIND_REG_PC]);
	if (pc)
		found->regs[UNWIND_REG_PC] = pc;
	found->trampoline = probe_page_of(task);
	call = utask->return_instances;
	for (__u32 i = 0; i < PROBED_CALLS_MAX && call; i++) {
		found->calls[i].sp = call->stack;
		found->calls[i].address = call->orig_ret_vaddr;
		found->nr_calls = i + 1;
		call = call->next;
	}
}

SEC("iter/task")
int find_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 zero = 0;
	struct found_thread *found = bpf_map_lookup_elem(&finding, &zero);

	if (!found || !task || !task->pid || task->on_cpu || task->__state & TASK_DEAD ||
	    !can_see_others())
		return 0;
	__builtin_memset(found, 0, offsetof(struct found_thread, calls));
	found->time_ns = bpf_ktime_get_ns();
	note_waiting(task, found);
	if (!found->has_user_stack)
		return 0;
	load_regs(found->regs, (struct pt_regs *)bpf_task_pt_regs(task));
	note_probes(task, found);
	bpf_seq_write(ctx->meta->seq, found, sizeof(*found));
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switch_threads, bool is_preempted, struct task_struct *prev, struct task_struct *next)
{
	__u64 now_ns = bpf_ktime_get_ns();
	__u32 state = prev->__state;
	struct run run;

	/* Threads that wait now are those that wait at the end. */
	if (now_ns >= sampling_end_ns)
		return 0;
	begin_run(&run, off_cpu_event, now_ns);
	if (next->pid)
		end_wait(next->pid, now_ns, false);
	/* A thread that has ended does not come back. */
	if (prev->pid && !is_preempted && state & TASK_DEAD)
		end_wait(prev->pid, now_ns, true);
	else if (prev->pid && is_wanted_cpu(bpf_get_smp_processor_id()) &&
		 is_kept(&run, off_cpu_event)) {
		__u32 event = event_of_state(is_preempted, state);
		bool is_asleep = !is_preempted && state;

		begin_wait(ctx, &(struct wait){event, is_asleep, run.stands_for, now_ns});
	}
	end_run(&run);
	return 0;
}

/*
 * Runs on the waker's CPU. The scheduler holds the lock of @task, and a thread that sleeps cannot
 * run before the lock is free. So nobody else changes the thread's entry meanwhile.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(note_waker, struct task_struct *task)
{
	__u32 tid = task->pid;
	struct waiting_thread *thread;
	struct run run;

	begin_run(&run, off_cpu_event, 0);
	thread = bpf_map_lookup_elem(&waiting, &tid);
	if (thread && thread->is_asleep)
		keep_waker(ctx, thread);
	end_run(&run);
	return 0;
}

#endif
