/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stubs of the C1 compiler for which HotSpot gives -1 as the size of their frame
 * (c1_Runtime1_x86.cpp, g1BarrierSetAssembler_x86.cpp). Their first instructions tell how a stub
 * keeps its return address: in a frame of rbp, or below registers that it pushes. The address has
 * to stand after a call of this stub. Other stubs end the stack.
 */
#ifndef BPF_MADE_JAVA_UNSIZED_H
#define BPF_MADE_JAVA_UNSIZED_H

#include "bpf/made/java_returns.h"

/* The stub that looks for a class among the superclasses of another pushes rdi, rsi, rcx, rax. */
#define JAVA_CHECK_PUSHES 4
#define JAVA_CHECK_SUB    14 /* where later versions take room for further registers */

/*
 * The words that the stub which checks a class has pushed at the leaf's instruction @c, @off bytes
 * after its first. After the check it gives the room back, and writes the result: mov rdi, 1; jne;
 * mov [rsp + 48], result. Then it pops the registers.
 */
static __always_inline __u64 java_words_of_check(const __u8 *c, const __u8 *entry, __u64 off)
{
	if (off < JAVA_CHECK_PUSHES)
		return off;
	switch (c[0]) {
	case 0x59:
		return 3;
	case 0x5e:
		return 2;
	case 0x5f:
		return 1;
	case 0xc3:
		return 0;
	}
	if (off <= JAVA_CHECK_SUB || c[0] == 0x58 || IS2(c, 0x0f, 0x85) ||
	    IS3(c, 0x48, 0xc7, 0xc7) || IS3(c, 0x48, 0xc7, 0x44))
		return JAVA_CHECK_PUSHES;
	entry += JAVA_CHECK_SUB; /* sub rsp, number */
	return JAVA_CHECK_PUSHES + (IS3(entry, 0x48, 0x83, 0xec) ? entry[3] / 8 : 0);
}

/* Bytes of the instruction that pops a register at @c; 0: it is another. */
static __always_inline __u32 bytes_of_pop(const __u8 *c)
{
	if (c[0] == 0x41)
		return (c[1] & 0xf8) == 0x58 ? 2 : 0;
	return (c[0] & 0xf8) == 0x58;
}

/* The same of two such instructions. */
static __always_inline __u32 bytes_of_pops(const __u8 *c)
{
	__u32 first = bytes_of_pop(c), second = bytes_of_pop(c + first);

	return first && second ? first + second : 0;
}

/*
 * The words that compiled code has pushed for the check of a class, by the code @c to which the
 * check returns. It pops two words. Code that copies an array has pushed two more: test reg, reg;
 * jne; pop; pop. 0: the code is not known.
 */
static __always_inline __u32 java_words_for_check(const __u8 *c)
{
	__u32 pops = bytes_of_pops(c);

	if (!pops)
		return 0;
	c += pops;
	c += (c[0] & 0xf0) == 0x40; /* a prefix */
	return c[0] == 0x85 && IS2(c + 2, 0x0f, 0x85) && bytes_of_pops(c + 8) ? 4 : 2;
}

/* Does a call of the stub at hand return to the address at @at? Then that is in the scratch. */
static __always_inline bool is_return_from_stub(const struct java_step *j, __u64 at)
{
	__u64 *ra = &j->s->ra;

	return !unwind_read(j->f, ra, sizeof(*ra), at) && is_java_code(j->m, *ra) &&
	       is_return_from(j, *ra, j->s->begin, j->s->end);
}

/* The leaf checks a class. Its caller takes words off the stack when the check has returned. */
static __always_inline enum stack_end java_leave_check(const struct java_step *j)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;
	__u8 *code = j->s->entry;
	__u64 at = j->f->sp + 8 * java_words_of_check(c, code, j->f->pc - j->s->begin);
	__u32 words;

	if (!is_return_from_stub(j, at) || unwind_read(j->f, code, sizeof(j->s->entry), j->s->ra))
		return STACK_END_UNREADABLE;
	words = java_words_for_check(code);
	return words ? java_leave(j->f, j->s->ra, at + 8 + 8 * words, 0) : STACK_END_UNREADABLE;
}

/* The stub begins with: push rbp; mov rbp, rsp. It ends with: leave; ret. */
static __always_inline enum stack_end java_leave_entered(const struct java_step *j)
{
	__u64 off = j->f->pc - j->s->begin, rbp = 0;

	if (off == 1)
		rbp = j->f->sp;
	else if (off && j->s->code[JAVA_CODE_BEFORE] != 0xc3 &&
		 (unwind_get_reg(j->f, UNWIND_REG_FP, &rbp) || rbp & 7 || rbp < j->f->sp))
		return STACK_END_UNREADABLE;
	if (!is_return_from_stub(j, rbp ? rbp + 8 : j->f->sp))
		return STACK_END_UNREADABLE;
	return java_leave(j->f, j->s->ra, rbp ? rbp + 16 : j->f->sp + 8, rbp);
}

/*
 * A method passes an exception on: it has left its frame, and has jumped to a stub. The address at
 * which its caller goes on is still at sp. The stub asks C++ code for the address of the handler.
 * It may move sp by a word around that call: sub rsp, 8; call; add rsp, 8. At last it jumps.
 */
static __always_inline enum stack_end java_leave_exception(const struct java_step *j)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;
	bool is_moved = IS3(c, 0x48, 0x83, 0xc4) || (c[0] == 0xe8 && IS3(c - 4, 0x48, 0x83, 0xec));
	__u64 at = j->f->sp + (is_moved ? 8 : 0), *ra = &j->s->ra;

	if (IS2(c, 0xff, 0xe3) || unwind_read(j->f, ra, sizeof(*ra), at) ||
	    !is_java_code(j->m, *ra) || !is_java_return(j, *ra))
		return STACK_END_UNREADABLE;
	return java_leave(j->f, *ra, at + 8, 0);
}

/* The code around the frame's address is in the scratch, also where the frame is no leaf. */
static __always_inline enum stack_end java_leave_unsized(const struct java_step *j)
{
	const __u8 *c = j->s->entry;

	if (unwind_read(j->f, j->s->entry, sizeof(j->s->entry), j->s->begin))
		return STACK_END_UNREADABLE;
	if (c[0] == 0x55 && is_mov_rbp(c + 1))
		return java_leave_entered(j);
	if (j->f->has_regs && IS3(c, 0x57, 0x56, 0x51) && IS3(c + 3, 0x50, 0x48, 0x8b))
		return java_leave_check(j);
	c += IS2(c, 0x0f, 0x77) ? 2 : 0; /* emms */
	if (IS3(c, 0x4c, 0x8b, 0xf0) &&
	    IS3(c + 3, 0x48, 0x8b, 0x14)) /* mov r14, rax; mov rdx, [rsp] */
		return java_leave_exception(j);
	return STACK_END_UNREADABLE;
}

#endif
