/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block of code that an address in HotSpot's code belongs to: where it is, and of which kind.
 * HotSpot's own map of each heap of code leads to it (codeBlob.cpp, heap.cpp). All memory belongs
 * to the process, which may lie. So each block is checked, and the number of steps is bounded.
 */
#ifndef BPF_MADE_JAVA_BLOCK_H
#define BPF_MADE_JAVA_BLOCK_H

#include <stdbool.h>

#include "bpf/made/language_machines.h"
#include "bpf/walk/unwind_step.h"

/*
 * Steps back from a segment of a block to its first one. Real blocks take six at most, and the
 * interpreter of version 8 takes nine.
 */
#define JAVA_SEGMENT_STEPS 12

/* Bytes of a frame at most, as along rbp. */
#define JAVA_MAX_FRAME UNWIND_MAX_FRAME

enum java_kind {
	JAVA_NMETHOD,
	JAVA_NATIVE, /* the wrapper of a method in C */
	JAVA_INTERPRETER,
	JAVA_STUBS,    /* without a size of frames; some have a frame of rbp */
	JAVA_FEATURES, /* stubs that ask the processor for its features */
	JAVA_PARKED,   /* frames of a virtual thread that is in no stack now */
	JAVA_NO_FRAME, /* adapters and tables of calls, which never wait for a return */
	JAVA_RUNTIME,  /* stubs with a size */
	JAVA_UNSIZED,  /* stubs of the C1 compiler for which HotSpot gives -1 as the size */
};

/* The size -1, in words of 8 bytes. */
#define JAVA_NO_SIZE (~0U * 8)

struct java_step {
	struct unwind_frame *f;
	const struct java_machine *m;
	struct java_scratch *s;
};

static __always_inline bool is_java_code(const struct java_machine *m, __u64 pc)
{
	return pc - m->low < m->high - m->low;
}

static __always_inline __u64 blob_word(const struct java_step *j, __u8 off)
{
	return *(const __u64 *)((const char *)j->s->blob + (off & (JAVA_BLOB_BYTES - 8)));
}

static __always_inline __u32 blob_number(const struct java_step *j, __u8 off)
{
	return *(const __u32 *)((const char *)j->s->blob + (off & (JAVA_BLOB_BYTES - 4)));
}

/* The address of the block of code at @pc; 0: there is none. */
static __always_inline __u64 java_find_blob(const struct java_step *j, __u64 pc)
{
	const struct java_machine *m = j->m;
	__u64 low = 0, map = 0, begin = ~0ULL, at;
	__u32 shift = 0;

	for (int i = 0; i < MAX_JAVA_HEAPS; i++)
		if (pc >= m->heaps[i].low && pc < m->heaps[i].high) {
			low = m->heaps[i].low;
			map = m->heaps[i].map;
			shift = m->heaps[i].shift & 31;
		}
	if (!low)
		return 0;
	at = (pc - low) >> shift;
	for (int i = 0; i < JAVA_SEGMENT_STEPS; i++) {
		__u64 addr = map + at;
		__u8 back;

		if (addr - begin >= JAVA_MAP_BYTES) {
			begin = addr & ~(JAVA_MAP_BYTES - 1ULL);
			if (unwind_read(j->f, j->s->map, JAVA_MAP_BYTES, begin))
				return 0;
		}
		back = j->s->map[addr & (JAVA_MAP_BYTES - 1)];
		if (back == 0xff || back > at)
			return 0;
		if (!back)
			return low + (at << shift) + m->block_header;
		at -= back;
	}
	return 0;
}

/* Reads the name of a block at @addr. All methods have one name, so the last one is remembered. */
static __always_inline bool java_read_name(const struct java_step *j, __u64 addr)
{
	if (addr == j->s->name_at)
		return true;
	j->s->name_at = 0;
	if (unwind_read(j->f, j->s->name, sizeof(j->s->name), addr))
		return false;
	j->s->name_at = addr;
	return true;
}

/* Reads the block of code at @pc. Returns false if there is none, or it contradicts itself. */
static __always_inline bool java_read_blob(struct java_step *j, __u64 pc)
{
	const struct java_machine *m = j->m;

	j->s->block = java_find_blob(j, pc);
	if (!j->s->block || unwind_read(j->f, j->s->blob, sizeof(j->s->blob), j->s->block) ||
	    !java_read_name(j, blob_word(j, m->blob_name)))
		return false;
	if (m->code_is_offset) {
		j->s->begin = j->s->block + blob_number(j, m->blob_code_begin);
		j->s->end = j->s->block + blob_number(j, m->blob_code_end);
	} else {
		j->s->begin = blob_word(j, m->blob_code_begin);
		j->s->end = blob_word(j, m->blob_code_end);
	}
	j->s->frame_bytes = blob_number(j, m->blob_frame_size) * 8;
	return pc >= j->s->begin && pc < j->s->end &&
	       (j->s->frame_bytes <= JAVA_MAX_FRAME || j->s->frame_bytes == JAVA_NO_SIZE);
}

#define JAVA_NAME(a, b, c, d, e, f, g, h)                                                          \
	((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24 | (__u64)(e) << 32 |   \
	 (__u64)(f) << 40 | (__u64)(g) << 48 | (__u64)(h) << 56)

/* The kind of the block at hand, by its name (codeBlob.cpp, nmethod.cpp, stubRoutines.cpp). */
static __always_inline enum java_kind java_kind_of(const struct java_step *j)
{
	const __u64 *name = j->s->name;

	if (j->s->frame_bytes == JAVA_NO_SIZE)
		return JAVA_UNSIZED;
	if (name[0] == JAVA_NAME('n', 'm', 'e', 't', 'h', 'o', 'd', 0))
		return j->s->frame_bytes ? JAVA_NMETHOD : JAVA_NO_FRAME;
	if (name[0] == JAVA_NAME('n', 'a', 't', 'i', 'v', 'e', ' ', 'n'))
		return j->s->frame_bytes ? JAVA_NATIVE : JAVA_NO_FRAME;
	if (name[0] == JAVA_NAME('I', 'n', 't', 'e', 'r', 'p', 'r', 'e'))
		return JAVA_INTERPRETER;
	if (j->s->frame_bytes)
		return JAVA_RUNTIME;
	/* "VM_Version stub", of version 8 "get_cpu_info_stub"; "getCPUIDBrandString_stub" */
	if (name[0] == JAVA_NAME('V', 'M', '_', 'V', 'e', 'r', 's', 'i') ||
	    name[0] == JAVA_NAME('g', 'e', 't', '_', 'c', 'p', 'u', '_') ||
	    name[0] == JAVA_NAME('g', 'e', 't', 'C', 'P', 'U', 'I', 'D'))
		return JAVA_FEATURES;
	if (name[0] != JAVA_NAME('S', 't', 'u', 'b', 'R', 'o', 'u', 't'))
		return JAVA_NO_FRAME;
	/* "StubRoutines (continuationstubs)" */
	return (name[1] | 0x20ULL << 48) >> 48 == 'c' + ('o' << 8) &&
			       (__u32)name[2] == ('n' | 't' << 8 | 'i' << 16 | 'n' << 24)
		       ? JAVA_PARKED
		       : JAVA_STUBS;
}

static __always_inline bool is_interpreted(const struct java_step *j, __u64 pc)
{
	return pc - j->m->interpreter_begin < j->m->interpreter_size;
}

/* Goes to the caller. @fp_at has the caller's rbp; 0: it is where it was. */
static __always_inline enum stack_end java_leave(struct unwind_frame *f, __u64 pc, __u64 sp,
						 __u64 fp_at)
{
	if (sp < f->sp || sp - f->sp > JAVA_MAX_FRAME || sp & 7 || (sp == f->sp && !f->has_regs))
		return STACK_END_UNREADABLE;
	f->pc = pc;
	f->sp = sp;
	if (fp_at) {
		f->fp_at = fp_at;
		f->lost &= ~(1u << UNWIND_REG_FP);
	}
	f->lost |= UNWIND_LOST_KEPT;
	f->has_regs = 0;
	return pc ? STACK_GOES_ON : STACK_END_UNREADABLE;
}

#endif
