// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Burns CPU for two seconds of CPU time in code where rbp looks like a frame pointer and is none.
 * The return address there would look like a function of an interpreter
 * (bpf/languages/languages.h). The stack is large, so that few copies of it have room.
 */
#include <string.h>
#include <time.h>

void astray(long n);

__asm__(".text\n.globl astray\n.hidden astray\n.type astray, @function\nastray:\n"
	"push %rbp\nmovabs $0x5123456789abcdef, %rax\npush %rax\npush $0\nmov %rsp, %rbp\n"
	"1: dec %rdi\njnz 1b\n"
	"add $16, %rsp\npop %rbp\nret\n.size astray, .-astray\n");

int main(void)
{
	volatile char room[40000];

	memset((char *)room, 1, sizeof(room));
	while (clock() < 2 * CLOCKS_PER_SEC)
		astray(100000);
	return room[0] - 1;
}
