/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the place of libbpf's headers for programs (<bpf/bpf_helpers.h>, <bpf/bpf_core_read.h>)
 * where the programs are compiled for the recorder. The functions are those of the kernel, in the
 * terms of bpf-helpers(7).
 */
#ifndef RECORD_SAMPLING_PROGRAM_HELPERS_H
#define RECORD_SAMPLING_PROGRAM_HELPERS_H

/* The guards of the headers that this one stands for. */
#define __BPF_HELPERS__
#define __BPF_CORE_READ_H__

#include <linux/bpf.h>
#include <linux/types.h>
#include <stddef.h>

#include "record/sampling/program/memory_map.h"
#include "record/sampling/program/task_memory.h"

#define SEC(name)
#define __uint(name, value)  int(*name)[value]
#define __type(name, value)  typeof(value) *name
#define __array(name, value) typeof(value) *name[]
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline      __attribute__((noinline))
#define barrier()       asm volatile("" ::: "memory")
#define barrier_var(v)  asm volatile("" : "+r"(v))

/* The types are those of bpf/kernel.h, so all fields exist. Ids need no translation. */
#define bpf_core_field_exists(...) 1
#define bpf_core_field_size(...)   0

/*
 * Maps of programs begin with a pointer that nobody uses but libbpf's macros. It leads to the map.
 */
#define bpf_map_lookup_elem(map, key) memory_map_lookup(memory_map_of(map), key)
#define bpf_map_update_elem(map, key, value, flags)                                                \
	memory_map_update(memory_map_of(map), key, value, flags)
#define bpf_map_delete_elem(map, key) memory_map_delete(memory_map_of(map), key)

#define bpf_loop(nr, turn, ctx, flags)                                                             \
	({                                                                                         \
		__u32 turns_ = 0;                                                                  \
		while (turns_ < (nr) && !turn(turns_, ctx))                                        \
			turns_++;                                                                  \
		(long)turns_;                                                                      \
	})

#define bpf_ringbuf_reserve(ring, bytes, flags)      own_ringbuf_reserve(ring, bytes)
#define bpf_ringbuf_output(ring, data, bytes, flags) own_ringbuf_output(ring, data, bytes)

/* One user's processes have the ring alone: all of it is free. */
#define bpf_ringbuf_query(ring, what) ((what) == BPF_RB_RING_SIZE ? ~0ULL : 0)

struct task_struct;
struct vm_area_struct;

void *own_ringbuf_reserve(void *ring, __u64 bytes);
long own_ringbuf_output(void *ring, const void *data, __u64 bytes);
void bpf_ringbuf_submit(void *data, __u64 flags);
void bpf_ringbuf_discard(void *data, __u64 flags);

struct task_struct *bpf_get_current_task_btf(void);
long bpf_task_pt_regs(struct task_struct *task);
void *bpf_task_storage_get(void *map, struct task_struct *task, void *value, __u64 flags);
long bpf_get_current_comm(void *buffer, __u32 size);
__u64 bpf_get_current_uid_gid(void);
__u64 bpf_get_current_cgroup_id(void);
__u64 bpf_ktime_get_ns(void);
__u32 bpf_get_prandom_u32(void);
long bpf_probe_read_kernel(void *to, __u32 size, const void *from);
long bpf_get_stack(void *ctx, void *buffer, __u32 size, __u64 flags);
long bpf_find_vma(struct task_struct *task, __u64 address,
		  long (*found)(struct task_struct *, struct vm_area_struct *, void *), void *ctx,
		  __u64 flags);

/* Only programs for probes, which do not run here, or filters that need the kernel call these. */
#define bpf_get_ns_current_pid_tgid(dev, inum, info, size) (-1L)
#define bpf_get_current_pid_tgid()                         0ULL
#define bpf_current_task_under_cgroup(map, index)          0L
#define bpf_get_attach_cookie(ctx)                         0ULL
#define bpf_get_smp_processor_id()                         memory_map_cpu
#define bpf_get_func_arg(ctx, n, value)                    (-1L)
#define bpf_seq_write(seq, data, size)                     (-1L)
#define bpf_get_task_stack(task, buffer, size, flags)      (-1L)

#endif
