// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs of bpf/ in this unit, and the kernel's part for them: the current task, and the
 * helper functions.
 */
#include "record/sampling/program/helpers.h"

/* The programs are written for clang and the verifier. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wreturn-type"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"
#include "bpf/profrec.bpf.c"
#pragma GCC diagnostic pop

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "record/sampling/program/program.h"
#include "record/sampling/program/put_registers.h"
#include "record/sampling/program/skeleton.h"
#include "record/sampling/program/task_memory.h"

/* A device as the kernel has it (include/linux/kdev_t.h). */
#define KERNEL_MINOR_BITS 20

/* The sampled task, as the program sees it. */
static struct {
	const struct program_sample *sample;
	struct task_struct task, leader;
	struct pid pid;
	struct cred cred;
	struct mm_struct mm;
	struct file exe;
	struct inode exe_inode;
	struct super_block exe_device;
	struct pt_regs regs;
	__u8 mark;
} current;

static struct memory_map *reserved_ring;

void *own_ringbuf_reserve(void *ring, __u64 bytes)
{
	reserved_ring = memory_map_of(ring);
	return memory_ring_reserve(reserved_ring, bytes);
}

void bpf_ringbuf_submit(void *data, __u64 flags)
{
	(void)data, (void)flags;
	memory_ring_submit(reserved_ring);
}

void bpf_ringbuf_discard(void *data, __u64 flags)
{
	(void)data, (void)flags;
	memory_ring_discard(reserved_ring);
}

long own_ringbuf_output(void *ring, const void *data, __u64 bytes)
{
	void *record = own_ringbuf_reserve(ring, bytes);

	if (!record)
		return -EAGAIN;
	memcpy(record, data, bytes);
	memory_ring_submit(reserved_ring);
	return 0;
}

struct task_struct *bpf_get_current_task_btf(void)
{
	return &current.task;
}

long bpf_task_pt_regs(struct task_struct *task)
{
	(void)task;
	return (long)&current.regs;
}

void *bpf_task_storage_get(void *map, struct task_struct *task, void *value, __u64 flags)
{
	(void)map, (void)task, (void)value, (void)flags;
	return current.sample->process->is_followed ? &current.mark : NULL;
}

long bpf_get_current_comm(void *buffer, __u32 size)
{
	memcpy(buffer, current.task.comm, size);
	return 0;
}

__u64 bpf_get_current_uid_gid(void)
{
	return current.sample->process->uid;
}

__u64 bpf_get_current_cgroup_id(void)
{
	return current.sample->process->cgroup;
}

__u64 bpf_ktime_get_ns(void)
{
	return current.sample->time_ns;
}

__u32 bpf_get_prandom_u32(void)
{
	return random();
}

long bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size); /* of the program's own memory */
	return 0;
}

long bpf_get_stack(void *ctx, void *buffer, __u32 size, __u64 flags)
{
	const struct program_sample *s = current.sample;
	size_t nr = size / sizeof(*s->kernel_frames);

	(void)ctx;
	if (flags & BPF_F_USER_STACK || !s->nr_kernel_frames)
		return -EFAULT;
	if (nr > s->nr_kernel_frames)
		nr = s->nr_kernel_frames;
	memcpy(buffer, s->kernel_frames, nr * sizeof(*s->kernel_frames));
	return nr * sizeof(*s->kernel_frames);
}

/* Early samples of code that PCRE2 has made go without the rule for it. */
long bpf_find_vma(struct task_struct *task, __u64 address,
		  long (*found)(struct task_struct *, struct vm_area_struct *, void *), void *ctx,
		  __u64 flags)
{
	(void)task, (void)address, (void)found, (void)ctx, (void)flags;
	return -ENOENT;
}

static void put_task(const struct program_sample *s)
{
	const struct program_process *p = s->process;

	current.exe_device.s_dev =
		(unsigned int)(major(p->exe_dev) << KERNEL_MINOR_BITS | minor(p->exe_dev));
	current.exe_inode = (struct inode){.i_ino = p->exe_ino, .i_sb = &current.exe_device};
	current.exe = (struct file){.f_inode = &current.exe_inode};
	current.mm = (struct mm_struct){
		.exe_file = &current.exe,
		.exec_vm = p->exec_pages,
		.start_code = p->start_code,
		.end_code = p->end_code,
		.start_stack = p->start_stack,
	};
	put_regs(&current.regs, &s->regs);
	current.task = (struct task_struct){
		.pid = s->tid,
		.tgid = p->pid,
		.start_time = p->start,
		.self_exec_id = p->nr_execs,
		.group_leader = &current.leader,
		.mm = &current.mm,
	};
	if (s->has_thread_pointer)
		put_thread_pointer(&current.task.thread, &s->regs);
	memcpy(current.task.comm, s->comm, sizeof(current.task.comm));
	current.cred.euid.val = p->has_uid ? p->uid : ~0u;
	current.pid.level = UINT32_MAX; /* it is not known */
	current.leader = (struct task_struct){
		.start_time = p->start, .thread_pid = &current.pid, .cred = &current.cred};
	/* The name of the main thread is known if that is the one. */
	if (s->tid == p->pid)
		memcpy(current.leader.comm, s->comm, sizeof(current.leader.comm));
}

void program_take_sample(const struct program_sample *sample, struct program_wants *wants)
{
	*wants = (struct program_wants){0};
	current.sample = sample;
	memory_map_cpu = sample->cpu;
	task_memory_begin(sample, wants);
	put_task(sample);
	handle_event(NULL, sample_event, sample_weight, include_idle,
		     sample->nr_kernel_frames ? 0 : NO_KERNEL_STACK);
	task_memory_end();
}

void program_switch_threads(const struct program_switch *s)
{
	struct task_struct next = {.pid = s->next};
	unsigned long long ctx[] = {s->is_preempted, (uintptr_t)&current.task, (uintptr_t)&next};
	struct program_wants wants;

	current.sample = s->leaving;
	memory_map_cpu = s->leaving->cpu;
	task_memory_begin(s->leaving, &wants);
	put_task(s->leaving);
	current.task.__state = s->state;
	current.task.nvcsw = s->nr_left;
	current.task.se.sum_exec_runtime = s->ran_ns;
	switch_threads(ctx);
	task_memory_end();
}

void program_wake(const struct program_sample *waker, uint32_t tid)
{
	struct task_struct task = {.pid = tid};
	unsigned long long ctx[] = {(uintptr_t)&task};
	struct program_wants wants;

	current.sample = waker;
	memory_map_cpu = waker->cpu;
	task_memory_begin(waker, &wants);
	put_task(waker);
	note_waker(ctx);
	task_memory_end();
}

void program_lose_samples(uint32_t cpu, uint64_t nr)
{
	uint32_t at = (active_set & (NR_SETS - 1)) * nr_events + sample_event;
	struct totals *t;

	memory_map_cpu = cpu;
	t = bpf_map_lookup_elem(&totals, &at);
	if (!t)
		return; /* cannot be: the array has the index */
	t->taken += nr;
	t->lost[LOSS_REFUSED] += nr;
}

bool program_needs_stop(uint32_t pid)
{
	const struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &pid);

	return walk_languages && space && (space->interpreter || space->machine);
}

/* The names of maps and settings come from the skeleton of the programs. */
#define PROGRAM_MAP(name) {offsetof(struct profrec_bpf, maps.name), &name},
static const struct {
	size_t at; /* of the map in the skeleton */
	void *own;
} maps[] = {
#include "program_maps.h"
};
#undef PROGRAM_MAP

static struct bpf_map *skeleton_map(const struct profrec_bpf *bpf, size_t i)
{
	return *(struct bpf_map *const *)((const char *)bpf + maps[i].at);
}

static void take_settings(const struct profrec_bpf *bpf)
{
#define PROGRAM_SETTING(name)                                                                      \
	_Static_assert(sizeof(name) == sizeof(bpf->rodata->name), "another type");                 \
	memcpy(&name, &bpf->rodata->name, sizeof(name));
#include "program_settings.h"
#undef PROGRAM_SETTING
	/* Ids are those that the recorder sees. */
	pidns_inum = 0;
}

static int make_map(const struct bpf_map *map, void **own)
{
	struct map_shape shape = {
		.type = bpf_map__type(map),
		.key_size = bpf_map__key_size(map),
		.value_size = bpf_map__value_size(map),
		.max_entries = bpf_map__max_entries(map),
	};
	int fd;

	/* The filters that need them are refused; their maps are never looked at. */
	if (shape.type == BPF_MAP_TYPE_CGROUP_ARRAY || shape.type == BPF_MAP_TYPE_TASK_STORAGE)
		shape = (struct map_shape){BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 8, 1};
	fd = memory_map_create(&shape);
	if (fd < 0)
		return fd;
	*own = memory_map_of_fd(fd);
	return 0;
}

int program_begin(struct profrec_bpf *bpf)
{
	int ret = 0;

	take_settings(bpf);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]) && !ret; i++)
		ret = make_map(skeleton_map(bpf, i), maps[i].own);
	return ret;
}

void program_end(void)
{
	memory_maps_close();
}

int program_map_fd(const struct profrec_bpf *bpf, const struct bpf_map *map)
{
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		if (skeleton_map(bpf, i) == map)
			return memory_map_of(maps[i].own)->fd;
	return -1;
}

void program_state(struct program_state *state)
{
	*state = (struct program_state){
		.active_set = &active_set,
		.set_states = set_states,
		.slices_begin_ns = &slices_begin_ns,
		.sampling_end_ns = &sampling_end_ns,
		.seen_period = &seen_period,
		.shed_gaps = shed_gaps,
		.nr_unmarked = &nr_unmarked,
		.nr_early_refused = &nr_early_refused,
		.early_rooms = early_rooms,
		.name_rooms = name_rooms,
		.named_functions = &named_functions,
		.label_rooms = label_rooms,
		.nr_other_labels = &nr_other_labels,
		.nr_other_traces = &nr_other_traces,
	};
}
