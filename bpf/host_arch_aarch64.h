/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ABI: Procedure Call Standard, and DWARF, for the Arm 64-bit Architecture. */
#ifndef BPF_HOST_ARCH_AARCH64_H
#define BPF_HOST_ARCH_AARCH64_H

/* The bytes below sp that a function may use: none. */
#define RED_ZONE_BYTES 0

/* The bits of an address of user space, unless the process asked for a larger address space. */
#define USER_ADDRESS_BITS 48

/* A call pushes nothing: the CFA is sp at an entry. */
#define RETURN_BYTES 0

/* Where a function's return address is as it begins (enum unwind_ra). */
#define RETURN_AT_ENTRY UNWIND_RA_KEPT

/*
 * An address as a call has left it, which a function may have signed (pointer authentication). The
 * signature is in bits that no address has.
 */
#define PLAIN_RETURN(address) ((address) & ((1ULL << USER_ADDRESS_BITS) - 1))

/* The longest instruction. */
#define INSN_BYTES_MAX 4

/* Of pstate: the task runs code of 32 bits, or is not at EL0
 * (arch/arm64/include/uapi/asm/ptrace.h). */
#define USER_MODE_32_BIT 0x10
#define USER_MODE_MASK   0x1f

/* DWARF's numbers of registers. */
enum unwind_reg {
	UNWIND_X0 = 0,
	UNWIND_X19 = 19,
	UNWIND_X29 = 29,
	UNWIND_X30,
	UNWIND_SP,
	UNWIND_PC,
	UNWIND_NR_REGS,
	/* By their part in a walk: */
	UNWIND_REG_FP = UNWIND_X29,
	UNWIND_REG_SP = UNWIND_SP,
	UNWIND_REG_PC = UNWIND_PC,
	/* A call puts the return address there, and callees keep it for their own return. */
	UNWIND_REG_KEPT = UNWIND_X30,
	/* The one that it is in some files instead: nothing needs any. */
	UNWIND_REG_KEPT_INSTEAD = UNWIND_X19,
	UNWIND_REG_ENTERED = UNWIND_X30,
	UNWIND_REG_RETURN = UNWIND_X30,
};

/* The kernel's functions for system calls, of 64-bit and of 32-bit programs. */
#define CALL_FUNCTION(call)        "__arm64_sys_" call
#define COMPAT_CALL_FUNCTION(call) "__arm64_compat_sys_" call

/*
 * Where the libraries keep a thread's data of a key, seen from the thread pointer, which is the end
 * of the thread's own struct. The size of glibc's differs from version to version: that of 2.41 to
 * 2.43, 2.36, 2.31.
 */
#define GLIBC_THREADS                                                                              \
	{                                                                                          \
		-0x720, -0x740, -0x700                                                             \
	}
#define GLIBC_FIRST_KEYS 0x110 /* in the struct, of pairs: a sequence number and the value */
#define GLIBC_KEY_BLOCKS 0x310 /* of pointers to such pairs, 32 each */
#define MUSL_KEYS        -88   /* a pointer to the values */

/* No such struct has more bytes. */
#define THREAD_BYTES_MAX 0x800

/* Is @self what pthread_self() returns in the thread? That is the begin of the struct. */
#define IS_THREAD_SELF(thread, self) ((thread) - (self)-1 < THREAD_BYTES_MAX)

/*
 * The thread's blocks of variables: a pointer to their addresses, which libraries have numbers of.
 */
#define GLIBC_BLOCKS 0
#define MUSL_BLOCKS  -8

/*
 * How a library finds a variable of its block: the linker puts two words there, the address of a
 * function and its argument. That is the distance from the thread pointer, where the block has the
 * same in each thread. Otherwise it is the address of the number of the block, and an offset in it
 * (ELF for the Arm 64-bit Architecture, "Thread Local Storage").
 */
#define HAS_BLOCK_FUNCTIONS 1

#endif
