/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the frame at rbp that of the leaf, when the leaf is in HotSpot's interpreter? Its registers
 * and its instructions tell. Between two methods, rbp is still that of a caller.
 */
#ifndef BPF_MADE_JAVA_INTERPRETER_H
#define BPF_MADE_JAVA_INTERPRETER_H

#include "bpf/made/java_block.h"
#include "bpf/made/java_code.h"

/* The registers that the interpreter has a use for (interp_masm_x86.hpp). */
#define JAVA_BYTECODE 13                 /* the bytecode; before a method begins the caller's sp */
#define JAVA_RETURN   UNWIND_REG_ENTERED /* the return address, while a method begins */
#define JAVA_SENDER   UNWIND_REG_KEPT    /* the caller's sp, while a method ends */
#define JAVA_METHOD   UNWIND_REG_KEPT    /* the Method, while it begins */

/* Of a frame of the interpreter, below rbp (frame_x86.hpp). */
#define JAVA_FRAME_METHOD 24

/*
 * Bytes after the instruction at hand in which the interpreter takes the bytecode back. It puts the
 * flags of a call into the register of the bytecode, and goes at most 28 bytes further.
 */
#define JAVA_FLAGS_SEEN 32

/*
 * The end of the instructions with flags: mov edx, r13d; mov r13, [rbp - 64], and in version 8
 * [rbp - 56].
 */
static inline long java_look_for_bytecode(__u32 i, struct java_turns *t)
{
	const __u8 *c = t->scratch->code + JAVA_CODE_BEFORE;

	if (i >= JAVA_FLAGS_SEEN)
		return 1;
	c += i;
	if (IS3(c, 0x41, 0x8b, 0xd5) && IS3(c + 3, 0x4c, 0x8b, 0x6d) &&
	    (c[6] == 0xc0 || c[6] == 0xc8))
		t->scratch->bytecode_at = 256 - c[6];
	return t->scratch->bytecode_at != 0;
}

/*
 * The bytecode at which the leaf's frame is, if that is the one at rbp. Right before a call, the
 * interpreter keeps it in the frame, and has the flags of the call in its register: 32 bits.
 */
static __always_inline __u64 java_bytecode_at_hand(const struct java_step *j)
{
	__u64 bytecode = j->f->regs[JAVA_BYTECODE];
	struct java_turns turns = {.scratch = j->s};

	if (bytecode >> 32)
		return bytecode;
	j->s->bytecode_at = 0;
	take_turns(JAVA_FLAGS_SEEN, java_look_for_bytecode, &turns);
	if (!j->s->bytecode_at || unwind_read(j->f, &j->s->bytecode, sizeof(j->s->bytecode),
					      j->f->regs[UNWIND_REG_FP] - j->s->bytecode_at))
		return bytecode;
	return j->s->bytecode;
}

/*
 * Does rbp point to the leaf's own frame? If so, the bytecode at hand belongs to the frame's
 * method; if not, rbp points to some frame further up. After a call of C code the register has the
 * ConstMethod first, and then the bytecode in it.
 */
static __always_inline bool is_at_bytecode(const struct java_step *j)
{
	const struct java_machine *m = j->m;
	__u64 *words = j->s->words, at, bytecode = java_bytecode_at_hand(j);
	__u16 size;

	if (unwind_read(j->f, words, 2 * sizeof(*words),
			j->f->regs[UNWIND_REG_FP] - JAVA_FRAME_METHOD) ||
	    unwind_read(j->f, words, 2 * sizeof(*words), words[0] + m->method_const))
		return false;
	at = words[0];
	if (unwind_read(j->f, &size, sizeof(size), at + m->const_code_size))
		return false;
	return bytecode == at || bytecode - (at + m->const_bytes) <= size;
}

/*
 * Has the leaf pushed rbp, and the caller's sp after it, for the frame of a method that begins? One
 * word more may follow. The method itself is in rbx, and its ConstMethod in another register, as
 * the interpreter makes the address of the bytecode of it.
 */
static __always_inline bool is_frame_begun(const struct java_step *j)
{
	const struct java_machine *m = j->m;
	const __u64 *regs = j->f->regs;
	__u64 *words = j->s->words, rbp = regs[UNWIND_REG_FP], sender, at;

	if ((rbp - j->f->sp != 8 && rbp - j->f->sp != 16) ||
	    unwind_read(j->f, words, sizeof(*words), rbp - 8))
		return false;
	sender = words[0];
	if (unwind_read(j->f, words, sizeof(*words), regs[JAVA_METHOD] + m->method_const))
		return false;
	at = words[0];
	return regs[JAVA_BYTECODE] == at || regs[JAVA_BYTECODE] == at + m->const_bytes ||
	       (regs[JAVA_RETURN] == at && regs[JAVA_BYTECODE] == sender);
}

/*
 * Does the instruction of the leaf take a word of the frame at rbp? So the interpreter begins after
 * a call has returned. Up to version 17: mov rsp, [rbp - 16]. Later: mov rcx, [rbp - 16]; lea rsp,
 * [rbp + 8 * rcx]. All: movq [rbp - 16], 0. From 11 on: mov r13, [rbp - 64], and in version 8
 * [rbp - 56].
 */
static __always_inline bool is_after_return(const __u8 *c)
{
	return (IS3(c, 0x48, 0x8b, 0x65) && c[3] == 0xf0) ||
	       (IS3(c, 0x48, 0x8b, 0x4d) && c[3] == 0xf0) ||
	       (IS3(c, 0x48, 0x8d, 0x64) && IS2(c + 3, 0xcd, 0)) ||
	       (IS3(c, 0x48, 0xc7, 0x45) && c[3] == 0xf0) ||
	       (IS3(c, 0x4c, 0x8b, 0x6d) && (c[3] == 0xc0 || c[3] == 0xc8));
}

/*
 * Has the leaf left its frame, and not taken its return address yet? The register of the bytecode
 * is still that of the method which ends. If that method has called itself, the register says the
 * same as in the caller's frame. A method that returns does: leave; pop r13. One that passes an
 * exception on pops rdx. Version 25 clears a byte of the thread before the pop.
 */
static __always_inline bool is_frame_left(const __u8 *c)
{
	const __u8 *before = c - 1;

	if (IS3(c, 0x41, 0xc6, 0x87)) /* mov byte [r15 + number], 0 */
		c += 8;
	else if (IS3(c - 8, 0x41, 0xc6, 0x87))
		before -= 8;
	return *before == 0xc9 && (IS2(c, 0x41, 0x5d) || c[0] == 0x5a);
}

#endif
