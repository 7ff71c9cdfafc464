/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads words of the current task's stack. Each call of the kernel's helper costs as much as the
 * copy of a few hundred bytes, and the frames of a stack are near each other. So the program reads
 * a window of the stack, and looks into that as long as it can.
 *
 * Windows are aligned to their size, so none crosses a page. A window can be read if one word in it
 * can.
 *
 * A return address that a uprobe has replaced is read as it was before (bpf/walk/probed_task.h).
 */
#ifndef BPF_WALK_STACK_WINDOW_H
#define BPF_WALK_STACK_WINDOW_H

#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/made/language_machines.h"
#include "bpf/made/regex_code.h"
#include "bpf/walk/probed_task.h"
#include "bpf/walk/unwind_walk.h"
#include "bpf/walk/user_registers.h"

#define WINDOW_BYTES 512

/* Words that are read of an object of V8. All offsets into it are below. */
#define NODE_OBJECT_WORDS 8

/* Memory of the search for a function of JavaScript (bpf/languages/node_frames.h). */
struct node_scratch {
	__u64 function_map, shared_map;  /* of such objects in this stack; 0: not known */
	__u64 slots[2];                  /* of the frame: the function and the context */
	__u64 object[NODE_OBJECT_WORDS]; /* the one at hand */
	__u64 name, script, flags;       /* of the function, as its SharedFunctionInfo has them */
	__u64 words[4];
	__u64 skip, length; /* of a string: the first character that counts, and their number */
	__u64 is_tail;      /* characters before them are in another string */
	__u64 pc, code;     /* as in struct function_name */
	__u64 position;     /* of the function in its text, as a small number; 1: not known */
	__u64 string, type; /* the string at hand, and the type of that with the characters */
	struct seen_function function;
};

/*
 * Of each CPU and level: the walk, the process, and a window of the stack. The numbers are here,
 * and not on the program's stack. Older kernels have 512 bytes of that, and the verifier follows
 * every value of a number there.
 */
struct walk_memory {
	struct unwind_walk walk;
	__u32 level;
	__u32 tgid;
	__u64 now_ns;
	__u32 exec_pages;             /* of the process */
	__u32 has_context;            /* as in struct unwind_space */
	__u32 first, nr;              /* its mappings, as its space said at first */
	__u32 mapping;                /* of the frame before */
	__u64 has_functions;          /* of interpreted languages, which have a place by marks */
	__u64 java_low, java_bytes;   /* the code of HotSpot; 0 bytes: there is none */
	__u64 code_start, code_bytes; /* the mapping of the frame, which has no table */
	__u64 probe_page;             /* of the process; NO_PROBE_PAGE: there is none */
	__u64 word;                   /* the word that was read last */
	__u64 start;                  /* of the window; NO_WINDOW: there is none */
	__u8 window[WINDOW_BYTES];
	__u64 searched;         /* up to there, the stack has no address of PCRE2's code */
	__u64 code_parts;       /* that were read to find the beginnings of expressions */
	__u32 nr_name_failures; /* names that could not be read in this stack */
	struct java_machine java_machine; /* of the process, if it has such code */
	struct java_scratch java;
	struct regex_scratch regex;
	struct beam_scratch beam;
	struct node_scratch node;
};

#define NO_WINDOW (~0ULL)

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* for each level, set before load */
	__type(key, __u32);
	__type(value, struct walk_memory);
} walk_memories SEC(".maps");

static __patched_once struct walk_memory *walk_memory_of(__u32 at)
{
	return bpf_map_lookup_elem(&walk_memories, &at);
}

/*
 * The memory of @level for a new walk. Its window may be another task's, so it is forgotten. All
 * walks of a sample begin at the same place, so this does not change walk.is_at_entry.
 */
static __always_inline struct walk_memory *walk_memory_begin(__u32 level)
{
	struct walk_memory *m = walk_memory_of(level);

	if (m) {
		m->walk.end = STACK_GOES_ON;
		m->walk.by_fp = m->walk.has_leaf = m->walk.is_early = false;
		m->walk.is_uncertain = false;
		m->walk.leaf = UNWIND_LEAF_UNKNOWN;
		m->level = level;
		m->mapping = UNWIND_NO_MAPPING;
		m->has_context = 0;
		m->probe_page = probe_page_of(bpf_get_current_task_btf());
		m->start = NO_WINDOW;
		m->code_start = m->code_bytes = 0;
		m->searched = m->code_parts = m->nr_name_failures = 0;
		m->beam.is_on_stack = m->beam.word = m->beam.searched = 0;
		m->beam.has_machine = m->beam.around = 0;
		m->node.function_map = m->node.shared_map = 0;
	}
	return m;
}

/* Reads the word at @addr. Returns 0, or another number on failure. */
static __always_inline long read_plain_word(struct walk_memory *m, __u64 addr)
{
	const __u64 last = WINDOW_BYTES - sizeof(m->word);
	__u64 off = addr - m->start;

	if (off > last) {
		off = addr & (WINDOW_BYTES - 1);
		if (off > last)
			return bpf_probe_read_user(&m->word, sizeof(m->word), (void *)addr);
		m->start = addr - off;
		if (bpf_probe_read_user(m->window, WINDOW_BYTES, (void *)m->start)) {
			m->start = NO_WINDOW;
			return -1;
		}
	}
	m->word = *(__u64 *)(m->window + off);
	return 0;
}

/* Reads the word at @addr into the memory of @level. Returns 0, or another number on failure. */
__verified_once long read_word(__u64 addr, __u32 level)
{
	struct walk_memory *m = bpf_map_lookup_elem(&walk_memories, &level);
	long ret;

	if (!m)
		return -1; /* cannot be: the array has the index */
	ret = read_plain_word(m, addr);
	if (is_in_probe_page(m->probe_page, m->word))
		m->word = find_probed_return(m->word, addr);
	return ret;
}

static __always_inline long window_read(struct walk_memory *m, __u64 *value, __u64 addr)
{
	long ret = read_word(addr, m->level);

	*value = m->word;
	return ret;
}

_Static_assert(offsetof(struct walk_memory, walk.frame) == 0,
	       "unwind_read has the frame's address");

/* @f is in a struct walk_memory. */
static __always_inline long unwind_read(const struct unwind_frame *f, void *dst, __u32 size,
					__u64 addr)
{
	if (size == sizeof(__u64))
		return window_read((struct walk_memory *)f, dst, addr);
	return bpf_probe_read_user(dst, size, (void *)addr);
}

static __always_inline __u64 unwind_thread_pointer(void)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return has_thread_pointer(task) ? thread_pointer(task) : 0;
}

#endif
