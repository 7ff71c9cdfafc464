// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * assembler N: calls functions of assembler N times from one and 2 N times from two.
 *
 *	held     keeps its CFA in rax, as AES-GCM of libcrypto does, and calls held_leaf
 *	changed  does so, too, but what it calls changes rax and calls changed_leaf then
 */
#include <stdlib.h>

void held(void);
void changed(void);

#define FUNCTION(name, code)                                                                       \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n" name                         \
		":\n.cfi_startproc\n" code ".cfi_endproc\n.size " name ", .-" name "\n")

#define BY_RAX(called)                                                                             \
	"lea (%rsp), %rax\n.cfi_def_cfa_register rax\npush %rax\nsub $64, %rsp\ncall " called      \
	"\nmov 64(%rsp), %rsp\n.cfi_def_cfa rsp, 8\nret\n"

FUNCTION("held_leaf", "nop\nret\n");
FUNCTION("changed_leaf", "nop\nret\n");
FUNCTION("changes_rax", "lea 16(%rsp), %rax\ncall changed_leaf\nret\n");
FUNCTION("held", BY_RAX("held_leaf"));
FUNCTION("changed", BY_RAX("changes_rax"));

__attribute__((noinline)) void one(void)
{
	held();
	changed();
	__asm__ volatile("");
}

__attribute__((noinline)) void two(void)
{
	held();
	changed();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	for (long n = argc > 1 ? atol(argv[1]) : 0; n > 0; n--) {
		one();
		two();
		two();
	}
	return 0;
}
