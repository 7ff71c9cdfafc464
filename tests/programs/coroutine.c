// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coroutine MS [fcontext]: burns MS ms of CPU time on a stack that begins as those of greenlets of
 * Python do, or on one of Boost.Context. What lies above its first function has not called it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/programs/burn.h"

/* The names are those that the table child looks for. */
void begin(int ms) __asm__("_ZN8greenlet12UserGreenlet15inner_bootstrapEi");
void *make_fcontext(void *end, size_t size, void (*function)(void));
void jump(void *context);

/* As the code of Boost.Context, without the floating-point unit: rbp, rbx, and where to go on. */
__asm__(".text\n"
	".globl make_fcontext\n.type make_fcontext, @function\n"
	"make_fcontext:\n"
	"	mov %rdi, %rax\n	and $-16, %rax\n	lea -0x28(%rax), %rax\n"
	"	lea 2f(%rip), %rcx\n	mov %rcx, (%rax)\n"
	"	mov %rdx, 8(%rax)\n"
	"	lea 1f(%rip), %rcx\n	mov %rcx, 16(%rax)\n"
	"	ret\n"
	"1:	push %rbp\n	jmp *%rbx\n"
	"2:	xor %rdi, %rdi\n	call _exit@PLT\n	hlt\n"
	".size make_fcontext, . - make_fcontext\n"
	".type jump, @function\n"
	"jump:	mov %rdi, %rsp\n	pop %rbp\n	pop %rbx\n	ret\n"
	".size jump, . - jump\n");

static int all_ms;

__attribute__((noinline)) static void run(int ms)
{
	BURN_MS(ms);
}

__attribute__((noinline)) void begin(int ms)
{
	run(ms);
	__asm__ volatile("");
}

__attribute__((noinline)) static void run_context(void)
{
	run(all_ms);
	_exit(0);
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];

	all_ms = argc > 1 ? atoi(argv[1]) : 300;
	if (argc > 2)
		jump(make_fcontext(stack + sizeof(stack), sizeof(stack), run_context));
	begin(all_ms);
	return 0;
}
