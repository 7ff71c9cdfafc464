/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreters that the recorder has found, and reads of the memory of the current process,
 * which the walks of all languages share.
 *
 * The layout of thread-specific data and of blocks of variables is that of glibc 2.36 to 2.43 and
 * of musl 1.2.
 */
#ifndef BPF_LANGUAGES_INTERPRETERS_H
#define BPF_LANGUAGES_INTERPRETERS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/host_arch.h"
#include "bpf/kernel.h"
#include "bpf/languages/languages.h"
#include "bpf/setting.h"
#include "bpf/walk/user_registers.h"

/* Set before load. */
__setting bool walk_languages;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before load */
	__type(key, __u32);
	__type(value, struct interpreter);
} interpreters SEC(".maps");

/* The number of the interpreter. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load */
	__type(key, struct interpreter_file);
	__type(value, __u32);
} interpreter_files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* for each level, set before load */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct language_stack)); /* and words, set before load */
} language_stacks SEC(".maps");

static __always_inline long read_user(void *dst, __u32 size, __u64 addr)
{
	return bpf_probe_read_user(dst, size, (void *)addr);
}

static __always_inline __u64 read_user_word(__u64 addr)
{
	__u64 word = 0;

	return read_user(&word, sizeof(word), addr) ? 0 : word;
}

#define MAX_KEY    1024 /* of thread-specific data (bpf/host_arch.h) */
#define MAX_BLOCKS 4096 /* of thread-specific variables */

static __always_inline __u64 glibc_value(__u64 thread, __u32 key)
{
	__u64 pairs = key < 32 ? thread + GLIBC_FIRST_KEYS
			       : read_user_word(thread + GLIBC_KEY_BLOCKS + 8 * (key >> 5));

	return read_user_word(pairs + 16 * (key & 31) + 8);
}

static __always_inline __u64 musl_value(__u64 thread, __u32 key)
{
	return read_user_word(read_user_word(thread + MUSL_KEYS) + 8 * key);
}

/*
 * The number of the interpreter of the current task's executable, its base, and the bounds of the
 * executable's code. The verifier searches all kernel types several times when a program loads a
 * pointer out of a task. So there is one such load.
 */
static __always_inline bool find_executable_interpreter(struct task_struct *task, __u32 *nr,
							__u64 *base, __u64 *code, __u64 *code_end)
{
	struct mm_struct *mm = task->mm;
	const __u64 start_code = mm->start_code;
	struct inode *inode = mm->exe_file->f_inode;
	struct interpreter_file key = {.dev = inode->i_sb->s_dev, .ino = inode->i_ino};
	const struct interpreter *in;
	const __u32 *found;

	if (!start_code)
		return false; /* without memory, loads through NULL give 0 */
	found = bpf_map_lookup_elem(&interpreter_files, &key);
	if (!found)
		return false;
	*nr = *found;
	in = bpf_map_lookup_elem(&interpreters, nr);
	if (!in)
		return false;
	*base = start_code - in->code_off;
	*code = start_code;
	*code_end = mm->end_code;
	return true;
}

#endif
