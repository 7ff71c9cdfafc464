// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Burns CPU for a second of CPU time in functions that no table covers. no_table ACT:
 *
 *	bare    a function without a frame, which one with a frame along rbp calls
 *	framed  a function with such a frame, and words in it that are no return addresses
 *	begin   a function that hardly does more than to make its frame and to leave it
 */
#include <string.h>
#include <time.h>

void call_bare(long n);
void framed(long n);
void call_begin(long n);

#define FUNCTION(name, code)                                                                       \
	__asm__(".text\n.globl " name "\n.hidden " name "\n.type " name ", @function\n" name       \
		":\n" code ".size " name ", .-" name "\n")

#define BEGIN "push %rbp\nmov %rsp, %rbp\n"
#define END   "leave\nret\n"

FUNCTION("bare", "1: dec %rdi\njnz 1b\nret\n");
FUNCTION("call_bare", BEGIN "sub $16, %rsp\ncall bare\n" END);
FUNCTION("framed", BEGIN "sub $64, %rsp\nmov %rsp, (%rsp)\nmovq $7, 8(%rsp)\nmovq $-1, 16(%rsp)\n"
			 "movabs $0x500000000000, %rax\nmov %rax, 24(%rsp)\nmov %rbp, 32(%rsp)\n"
			 "movq $0, 40(%rsp)\nmovq $0, 48(%rsp)\nmovq $0, 56(%rsp)\n"
			 "1: dec %rdi\njnz 1b\n" END);
FUNCTION("begin_end", BEGIN "pop %rbp\nret\n");
FUNCTION("begin_marked", "endbr64\n" BEGIN "pop %rbp\nrepz ret\n");
FUNCTION("call_begin", BEGIN "push %rbx\npush %rbx\nmov %rdi, %rbx\n"
			     "1: call begin_end\ncall begin_marked\ndec %rbx\njnz 1b\n"
			     "pop %rbx\npop %rbx\n" END);

int main(int argc, char **argv)
{
	void (*act)(long) = call_bare;

	if (argc > 1 && !strcmp(argv[1], "framed"))
		act = framed;
	else if (argc > 1 && !strcmp(argv[1], "begin"))
		act = call_begin;
	while (clock() < CLOCKS_PER_SEC)
		act(1000000);
	return 0;
}
