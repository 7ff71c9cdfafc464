/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ABI: System V Application Binary Interface, AMD64 Architecture Processor Supplement. */
#ifndef BPF_HOST_ARCH_X86_64_H
#define BPF_HOST_ARCH_X86_64_H

/* The bytes below sp that a function may use (ABI, 3.2.2). */
#define RED_ZONE_BYTES 128

/* The bits of an address of user space, unless the process asked for a larger address space. */
#define USER_ADDRESS_BITS 47

/* Bytes that a call pushes. At the entry of a function the CFA is this far above sp. */
#define RETURN_BYTES 8

/* Where a function's return address is as it begins (enum unwind_ra). */
#define RETURN_AT_ENTRY UNWIND_RA_CFA

/* An address as a call has left it, which may be signed: here none is. */
#define PLAIN_RETURN(address) (address)

/* The longest instruction. */
#define INSN_BYTES_MAX 15

/* The selector of 64-bit code (arch/x86/include/asm/segment.h). */
#define USER_CS 0x33

/* DWARF's numbers of registers (ABI, figure 3.36). */
enum unwind_reg {
	UNWIND_RAX = 0,
	UNWIND_RDX,
	UNWIND_RCX,
	UNWIND_RBX,
	UNWIND_RSI,
	UNWIND_RDI,
	UNWIND_RBP,
	UNWIND_RSP,
	UNWIND_R8,
	UNWIND_R9,
	UNWIND_R10,
	UNWIND_R11,
	UNWIND_R12,
	UNWIND_R13,
	UNWIND_R14,
	UNWIND_R15,
	UNWIND_RIP,
	UNWIND_NR_REGS,
	/* By their part in a walk: */
	UNWIND_REG_FP = UNWIND_RBP,
	UNWIND_REG_SP = UNWIND_RSP,
	UNWIND_REG_PC = UNWIND_RIP,
	/* The other register that callees must preserve and whose place a walk knows. */
	UNWIND_REG_KEPT = UNWIND_RBX,
	/* The one that it is in some files instead (struct unwind_rule). */
	UNWIND_REG_KEPT_INSTEAD = UNWIND_R12,
	/* The interpreter of HotSpot has the return address here while a method begins. */
	UNWIND_REG_ENTERED = UNWIND_RAX,
	UNWIND_REG_RETURN =
		UNWIND_RIP, /* the column of the return address in call frame information */
};

/* The kernel's functions for system calls, of 64-bit and of 32-bit programs. */
#define CALL_FUNCTION(call)        "__x64_sys_" call
#define COMPAT_CALL_FUNCTION(call) "__ia32_sys_" call

/* Where the libraries keep a thread's data of a key, seen from the thread pointer. */
#define GLIBC_THREADS                                                                              \
	{                                                                                          \
		0                                                                                  \
	}
#define GLIBC_FIRST_KEYS 0x310 /* of pairs: a sequence number and the value */
#define GLIBC_KEY_BLOCKS 0x510 /* of pointers to such pairs, 32 each */
#define MUSL_KEYS        0x80  /* a pointer to the values */

/* Is @self what pthread_self() returns in the thread? */
#define IS_THREAD_SELF(thread, self) ((thread) == (self))

/*
 * The thread's blocks of variables: a pointer to their addresses, which libraries have numbers of.
 */
#define GLIBC_BLOCKS 8
#define MUSL_BLOCKS  8

/* The linker puts the number of the block there, and an offset in it. */
#define HAS_BLOCK_FUNCTIONS 0

#endif
