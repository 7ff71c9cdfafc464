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

static __patched_once struct interpreter *interpreter_of(__u32 at)
{
	return bpf_map_lookup_elem(&interpreters, &at);
}

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

static __patched_once struct language_stack *language_stack_of(__u32 at)
{
	return bpf_map_lookup_elem(&language_stacks, &at);
}

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

/* Blocks at a fixed distance from the thread pointer are near to it, and nothing else is so low. */
#define MAX_DISTANCE 65536

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

static const __s32 glibc_threads[] = GLIBC_THREADS;

/* Nothing says which C library a process has, nor its version. So a walk tries each one. */
#define NR_C_LIBRARIES (sizeof(glibc_threads) / sizeof(glibc_threads[0]) + 1)

/* The value that the thread has under @key if its C library is number @library. */
static __always_inline __u64 thread_value(__u64 thread, __u32 key, __u32 library)
{
	if (library < NR_C_LIBRARIES - 1)
		return glibc_value(thread + glibc_threads[library], key);
	return musl_value(thread, key);
}

/*
 * The address of the variable of a library that the two words at @place lead to, and @off bytes
 * more, if the C library is glibc or else musl; 0: there is none. @words is room for them.
 */
static __always_inline __u64 block_variable(__u64 thread, __u64 place, __s32 off, bool is_glibc,
					    __u64 words[2])
{
	__u64 blocks = thread + (is_glibc ? GLIBC_BLOCKS : MUSL_BLOCKS);

	if (read_user(words, 2 * sizeof(*words), place))
		return 0;
	if (HAS_BLOCK_FUNCTIONS && words[1] + MAX_DISTANCE < 2 * MAX_DISTANCE)
		return thread + words[1] + off;
	if (HAS_BLOCK_FUNCTIONS && read_user(words, 2 * sizeof(*words), words[1]))
		return 0;
	if (words[0] >= MAX_BLOCKS)
		return 0;
	/* glibc has two words for each block, musl one. */
	return read_user_word(read_user_word(blocks) + (is_glibc ? 16 : 8) * words[0]) + words[1] +
	       off;
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
	in = interpreter_of(*nr);
	if (!in)
		return false;
	*base = start_code - in->code_off;
	*code = start_code;
	*code_end = mm->end_code;
	return true;
}

#endif
