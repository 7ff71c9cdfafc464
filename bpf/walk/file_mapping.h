/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings that the recorder has not told yet, of files whose tables are known. A new process may
 * call a probed function a thousand times before the recorder has read its mappings, and few of
 * these stacks could be copied. So the program asks the kernel which file is mapped at an address.
 * Only the programs of probes can do that for each frame: in an interrupt, the kernel answers once.
 */
#ifndef BPF_WALK_FILE_MAPPING_H
#define BPF_WALK_FILE_MAPPING_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/walk/table_search.h"
#include "bpf/walk/unwind.h"

#define PAGE_BITS         12
#define NS_PER_SECOND     1000000000LL
#define INODE_NSEC_MASK   ((1u << 30) - 1)
#define EXECUTABLE_MEMORY 0x4 /* VM_EXEC of include/linux/mm.h */

/* Set before load. */
__setting bool find_files;

struct found_vma {
	struct unwind_file_key key;
	__u64 start, end, base; /* offset 0 of the file is at base */
	__s64 size, ctime_ns;
};

static __always_inline __s64 inode_ctime_ns(const struct inode *inode)
{
	if (bpf_core_field_exists(inode->i_ctime_sec))
		return inode->i_ctime_sec * NS_PER_SECOND + (inode->i_ctime_nsec & INODE_NSEC_MASK);
	if (bpf_core_field_exists(inode->__i_ctime))
		return inode->__i_ctime.tv_sec * NS_PER_SECOND + inode->__i_ctime.tv_nsec;
	return inode->i_ctime.tv_sec * NS_PER_SECOND + inode->i_ctime.tv_nsec;
}

static long describe_vma(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	struct found_vma *found = ctx;
	const struct inode *inode;

	if (!(vma->vm_flags & EXECUTABLE_MEMORY) || !vma->vm_file)
		return 0;
	inode = vma->vm_file->f_inode;
	found->key.dev = inode->i_sb->s_dev;
	found->key.ino = inode->i_ino;
	found->start = vma->vm_start;
	found->end = vma->vm_end;
	found->base = vma->vm_start - ((__u64)vma->vm_pgoff << PAGE_BITS);
	found->size = inode->i_size;
	found->ctime_ns = inode_ctime_ns(inode);
	return 0;
}

/*
 * Finds the file at @pc and puts its mapping into the room of this CPU and @level, behind those of
 * the recorder. Returns the number, or UNWIND_NO_MAPPING if there is no file with a table.
 */
__verified_once __u32 find_file_mapping(__u64 pc, __u32 level)
{
	__u32 at = UNWIND_MAX_MAPPINGS + bpf_get_smp_processor_id() * NR_LEVELS + level;
	struct found_vma found = {.start = 0};
	const struct unwind_file *file;
	struct unwind_mapping *m;

	if (!find_files || bpf_find_vma(bpf_get_current_task_btf(), pc, describe_vma, &found, 0))
		return UNWIND_NO_MAPPING;
	file = bpf_map_lookup_elem(&unwind_files, &found.key);
	m = bpf_map_lookup_elem(&unwind_mappings, &at);
	if (!file || !m || file->size != found.size || file->ctime_ns != found.ctime_ns)
		return UNWIND_NO_MAPPING;
	m->start = found.start;
	m->end = found.end;
	m->bias = found.base + file->first_off;
	m->pages = file->pages;
	return at;
}

#endif
