/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the stack of a stopped thread in user space, with the code of the BPF program
 * (bpf/walk/unwind_walk.h). The tables are made from the files that the process maps. It differs
 * from the program only in where it looks up memory, mappings and rows.
 */
#ifndef TESTS_TABLE_WALK_H
#define TESTS_TABLE_WALK_H

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "bpf/walk/leaf_frame.h"
#include "bpf/walk/unwind_walk.h"
#include "common/cleanup.h"
#include "common/readfile.h"
#include "common/vec.h"
#include "record/proc/proc_maps.h"
#include "record/cfi/unwind_table.h"

/* A walk has at most this many frames. The walk by libdwfl stops there as well. */
#define WALK_MAX_DEPTH 1024
#define WALK_MAX_MAPS  (16u << 20)

/* A walk, with the registers of each frame. */
struct walk {
	size_t nr;
	struct walk_frame {
		uint64_t pc, sp;
		uint64_t lookup_pc; /* only in our walk */
		uint64_t fp, kept;
		bool has_fp, has_kept;   /* false: nobody knows the register */
		struct unwind_rule rule; /* only in our walk: it led to the next frame */
	} frames[WALK_MAX_DEPTH];
	enum stack_end end;
};

/* A file's table. Device and inode tell files apart. */
struct table_file {
	uint64_t dev, inode;
	int status; /* as unwind_table_build() returned it */
	struct unwind_table table;
};

struct table_mapping {
	uint64_t start, end, pgoff;
	size_t file; /* SIZE_MAX: it has no table, as JIT code */
	char name[64];
};

struct table_files {
	VEC(struct table_file) files;
	size_t nr_rows;
};

typedef VEC(struct table_mapping) table_mapping_vec;

/* The walked thread. unwind_read() has no parameter for it. */
static pid_t table_walk_pid;

static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr)
{
	struct iovec local = {dst, size}, remote = {(void *)addr, size};

	(void)f;
	return process_vm_readv(table_walk_pid, &local, 1, &remote, 1, 0) == size ? 0 : -1;
}

/* Copies the bytes of a mapping to a file: the vdso is no file. Returns a descriptor or -1. */
static int table_copy_memory(pid_t pid, const struct proc_map *map)
{
	_cleanup_close_ int fd = memfd_create("image", MFD_CLOEXEC);
	_cleanup_free_ char *bytes = malloc(map->end - map->start);

	table_walk_pid = pid;
	if (fd < 0 || !bytes || unwind_read(NULL, bytes, map->end - map->start, map->start) ||
	    write(fd, bytes, map->end - map->start) != (ssize_t)(map->end - map->start))
		return -1;
	return TAKE_FD(fd);
}

static int table_open_mapped(pid_t pid, const struct proc_map *map)
{
	char path[128];
	int fd;

	if (strcmp(map->path, "[vdso]") == 0)
		return table_copy_memory(pid, map);
	if (!map->inode)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", pid, map->start, map->end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : open(map->path, O_RDONLY | O_CLOEXEC);
}

/* The index of the table for @map, or SIZE_MAX if it has none. */
static size_t table_files_get(struct table_files *files, pid_t pid, const struct proc_map *map)
{
	struct table_file file = {.dev = map->dev, .inode = map->inode};
	_cleanup_close_ int fd = -1;

	vec_for_each(&files->files, f)
		if (f->dev == file.dev && f->inode == file.inode &&
		    (file.inode || strcmp(map->path, "[vdso]") == 0))
			return f->status ? SIZE_MAX : (size_t)(f - files->files.data);
	fd = table_open_mapped(pid, map);
	if (fd < 0)
		return SIZE_MAX;
	file.status = unwind_table_build(fd, &file.table);
	if (!file.status)
		files->nr_rows += file.table.nr_rows;
	if (vec_push(&files->files, file))
		errx(1, "out of memory");
	return file.status ? SIZE_MAX : files->files.nr - 1;
}

/* Makes @mappings of @maps, the text of /proc/PID/maps. This changes the text. */
static void table_mappings_read(struct table_files *files, pid_t pid, char *maps,
				table_mapping_vec *mappings)
{
	vec_clear(mappings);
	for (char *line = maps; line && *line;) {
		struct proc_map map;
		const char *slash;
		struct table_mapping m;

		line = proc_map_parse(line, &map);
		if (!line || !map.executable)
			continue;
		slash = strrchr(map.path, '/');
		m = (struct table_mapping){.start = map.start, .end = map.end, .pgoff = map.pgoff};
		m.file = table_files_get(files, pid, &map);
		snprintf(m.name, sizeof(m.name), "%s", slash ? slash + 1 : map.path);
		if (vec_push(mappings, m))
			errx(1, "out of memory");
	}
}

static const struct table_mapping *table_mapping_at(const table_mapping_vec *mappings,
						    uint64_t addr)
{
	vec_for_each(mappings, m)
		if (addr >= m->start && addr < m->end)
			return m;
	return NULL;
}

#ifdef BPF_HOST_ARCH_AARCH64_H
static void table_frame_init(struct unwind_frame *f, const struct user_regs_struct *regs)
{
	*f = (struct unwind_frame){.pc = regs->pc, .sp = regs->sp, .has_regs = 1};
	memcpy(f->regs, regs->regs, sizeof(regs->regs));
	f->regs[UNWIND_REG_SP] = regs->sp;
	f->regs[UNWIND_REG_PC] = regs->pc;
}
#else
static void table_frame_init(struct unwind_frame *f, const struct user_regs_struct *regs)
{
	*f = (struct unwind_frame){
		.pc = regs->rip,
		.sp = regs->rsp,
		.has_regs = 1,
		.regs = {regs->rax, regs->rdx, regs->rcx, regs->rbx, regs->rsi, regs->rdi,
			 regs->rbp, regs->rsp, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12,
			 regs->r13, regs->r14, regs->r15, regs->rip},
	};
}
#endif

/* The rule for the code at @pc in mapping @m, or NULL without a table. */
static const struct unwind_rule *table_find_rule(const struct table_files *files,
						 const struct table_mapping *m, uint64_t pc)
{
	if (m->file == SIZE_MAX)
		return NULL;
	return unwind_table_find(&files->files.data[m->file].table, pc - m->start + m->pgoff);
}

/* Notes frame @f and the rule by which the walk will leave it; NULL: along the frame pointer. */
static void table_keep_frame(const struct unwind_frame *f, const struct unwind_rule *rule,
			     struct walk_frame *frame)
{
	static const struct unwind_rule no_rule;
	__u64 fp = 0, kept = 0;

	*frame = (struct walk_frame){.pc = f->pc,
				     .sp = f->sp,
				     .lookup_pc = unwind_lookup_pc(f),
				     .rule = rule ? *rule : no_rule};
	frame->has_fp = !unwind_get_reg(f, UNWIND_REG_FP, &fp);
	frame->has_kept = !unwind_get_reg(f, UNWIND_REG_KEPT, &kept);
	frame->fp = fp;
	frame->kept = kept;
}

/* Walks the stack of the stopped thread @tid, whose registers are @regs. */
static void table_walk(const struct table_files *files, const table_mapping_vec *mappings,
		       pid_t tid, const struct user_regs_struct *regs, struct walk *walk)
{
	struct unwind_walk w = {0};
	struct unwind_frame *f = &w.frame;

	table_walk_pid = tid;
	table_frame_init(f, regs);
	walk->nr = 0;
	while (w.end == STACK_GOES_ON && walk->nr < WALK_MAX_DEPTH) {
		const struct table_mapping *m = table_mapping_at(mappings, unwind_lookup_pc(f));
		const struct unwind_rule *rule;
		__u64 address;

		if (!unwind_enter_frame(&w, m))
			break;
		rule = m ? table_find_rule(files, m, unwind_lookup_pc(f)) : NULL;
		table_keep_frame(f, rule, &walk->frames[walk->nr++]);
		if (unwind_needs_leaf(&w, rule))
			w.leaf = find_leaf(f);
		unwind_leave_frame(&w, rule, &address);
	}
	walk->end = unwind_walk_end(&w);
}

#endif
