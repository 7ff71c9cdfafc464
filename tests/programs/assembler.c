// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * assembler N FILE: says its pid, waits for a line of FILE, and calls functions of assembler N
 * times from one and 2 N times from two.
 *
 *	held     keeps its CFA in rax, as AES-GCM of libcrypto does, and calls held_leaf
 *	changed  does so, too, but what it calls changes rax and calls changed_leaf then
 *	bare     has no unwind information, nor has what it calls: bare_middle and bare_leaf,
 *	         which has no frame
 *	moved    has none, and calls moved_leaf with a stack that it has moved by a register
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void held(void);
void changed(void);
void bare(void);
void moved(void);

#define BARE_FUNCTION(name, code)                                                                  \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n" name ":\n" code              \
		".size " name ", .-" name "\n")
#define FUNCTION(name, code) BARE_FUNCTION(name, ".cfi_startproc\n" code ".cfi_endproc\n")

#define BY_RAX(called)                                                                             \
	"lea (%rsp), %rax\n.cfi_def_cfa_register rax\npush %rax\nsub $64, %rsp\ncall " called      \
	"\nmov 64(%rsp), %rsp\n.cfi_def_cfa rsp, 8\nret\n"

FUNCTION("held_leaf", "nop\nret\n");
FUNCTION("changed_leaf", "nop\nret\n");
FUNCTION("changes_rax", "lea 16(%rsp), %rax\ncall changed_leaf\nret\n");
FUNCTION("held", BY_RAX("held_leaf"));
FUNCTION("changed", BY_RAX("changes_rax"));
BARE_FUNCTION("bare_leaf", "nop\nret\n");
BARE_FUNCTION("bare_middle", "push %rbx\nsub $32, %rsp\nxor %ebx, %ebx\n"
			     "1: call bare_leaf\ninc %ebx\ncmp $2, %ebx\njb 1b\n"
			     "add $32, %rsp\npop %rbx\nret\n");
BARE_FUNCTION("bare", "push %rbp\nmov $7, %ebp\ncall bare_middle\npop %rbp\nret\n");
BARE_FUNCTION("moved_leaf", "nop\nret\n");
BARE_FUNCTION("moved", "mov $72, %eax\nsub %rax, %rsp\ncall moved_leaf\nadd $72, %rsp\nret\n");

__attribute__((noinline)) void one(void)
{
	held();
	changed();
	bare();
	moved();
	__asm__ volatile("");
}

__attribute__((noinline)) void two(void)
{
	held();
	changed();
	bare();
	moved();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	FILE *go;

	if (argc < 3)
		return 2;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	go = fopen(argv[2], "re");
	if (!go || getc(go) == EOF)
		return 1;
	for (long n = atol(argv[1]); n > 0; n--) {
		one();
		two();
		two();
	}
	return 0;
}
