// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no_table ACT [FILE] runs functions that no table covers, RUNS times. With FILE it first says its
 * pid, and waits for a line of FILE. ACT is
 *
 *	bare    a page fault in a function without a frame, which one with a frame along rbp calls
 *	moved   the same, and it moves its stack by a register
 *	framed  one in such a frame, in which words are no return addresses
 *	begin   functions that hardly do more than to make their frames and to leave them, for a
 *	        second of CPU time
 */
#include <string.h>

#include "burn.h"
#include "wait_for_line.h"

#define RUNS 100

typedef void act_function(volatile char *page);

act_function call_bare, call_moved, framed;
void call_begin(long n);

#define FUNCTION(name, code)                                                                       \
	__asm__(".text\n.globl " name "\n.hidden " name "\n.type " name ", @function\n" name       \
		":\n" code ".size " name ", .-" name "\n")

#define BEGIN "push %rbp\nmov %rsp, %rbp\n"
#define END   "leave\nret\n"

FUNCTION("bare", "movb $1, (%rdi)\nret\n");
FUNCTION("call_bare", BEGIN "sub $16, %rsp\ncall bare\n" END);
FUNCTION("moved", "mov $64, %eax\nsub %rax, %rsp\nmovb $1, (%rdi)\nadd %rax, %rsp\nret\n");
FUNCTION("call_moved", BEGIN "sub $16, %rsp\ncall moved\n" END);
FUNCTION("framed", BEGIN "sub $64, %rsp\nmov %rsp, (%rsp)\nmovq $7, 8(%rsp)\nmovq $-1, 16(%rsp)\n"
			 "movabs $0x500000000000, %rax\nmov %rax, 24(%rsp)\nmov %rbp, 32(%rsp)\n"
			 "movq $0, 40(%rsp)\nmovq $0, 48(%rsp)\nmovq $0, 56(%rsp)\n"
			 "movb $1, (%rdi)\n" END);
FUNCTION("begin_end", BEGIN "pop %rbp\nret\n");
FUNCTION("begin_marked", "endbr64\n" BEGIN "pop %rbp\nrepz ret\n");
FUNCTION("call_begin", BEGIN "push %rbx\npush %rbx\nmov %rdi, %rbx\n"
			     "1: call begin_end\ncall begin_marked\ndec %rbx\njnz 1b\n"
			     "pop %rbx\npop %rbx\n" END);

int main(int argc, char **argv)
{
	static volatile char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
	act_function *act = call_bare;

	if (argc > 1 && !strcmp(argv[1], "moved"))
		act = call_moved;
	else if (argc > 1 && !strcmp(argv[1], "framed"))
		act = framed;
	while (argc > 1 && !strcmp(argv[1], "begin") && clock() < CLOCKS_PER_SEC)
		call_begin(1000000);
	if (argc > 2)
		wait_for_line(argv[2]);
	for (int i = 0; i < RUNS; i++) {
		madvise((void *)page, PAGE_BYTES, MADV_DONTNEED);
		act(page);
	}
	return 0;
}
