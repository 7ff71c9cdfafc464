// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_jit N [shifted]: has the symbols and the version of PHP, and code in shared memory that
 * runs in the frame of execute_ex, as code of PHP's JIT compiler does. It runs N times for 20 ms.
 * With "shifted" the code has a frame of its own, which no rule knows.
 *
 * Link it with -Wl,--export-dynamic.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/programs/burn.h"

#ifndef RELEASE
#define RELEASE "8.2.99"
#endif

const char *const header = "X-Powered-By: PHP/" RELEASE "                        ";

/* Jumps to @code, which calls @body and jumps to where rbx says. rbp is no frame pointer. */
void execute_ex(const void *code, void (*body)(void));
void run_script(const void *code);
int zend_vm_kind(void);

__asm__(".globl execute_ex, zend_vm_kind\n"
	".type execute_ex, @function\n"
	"execute_ex:\n"
	".cfi_startproc\n"
	"push %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbx, -16\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 24\n"
	".cfi_offset %rbp, -24\n"
	"sub $72, %rsp\n"
	".cfi_def_cfa_offset 96\n"
	"mov $1, %ebp\n"
	"lea 1f(%rip), %rbx\n"
	"jmp *%rdi\n"
	".skip 128, 0x90\n"
	"1: add $72, %rsp\n"
	".cfi_def_cfa_offset 24\n"
	"pop %rbp\n"
	".cfi_def_cfa_offset 16\n"
	"pop %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size execute_ex, . - execute_ex\n"
	".type zend_vm_kind, @function\n"
	"zend_vm_kind: mov $4, %eax\n"
	"ret\n"
	".size zend_vm_kind, . - zend_vm_kind\n");

/* call *%rsi; jmp *%rbx */
static const unsigned char made[] = {0xff, 0xd6, 0xff, 0xe3};

/* sub $32, %rsp; call *%rsi; add $32, %rsp; jmp *%rbx */
static const unsigned char shifted[] = {0x48, 0x83, 0xec, 0x20, 0xff, 0xd6,
					0x48, 0x83, 0xc4, 0x20, 0xff, 0xe3};

static void burn_inside(void)
{
	BURN_MS(20);
}

/* Others could call it, so the compiler keeps its name. */
__attribute__((noinline)) void run_script(const void *code)
{
	execute_ex(code, burn_inside);
	__asm__ volatile("" ::: "memory"); /* this was no tail call */
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5;
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || !header)
		return 1;
	if (argc > 2 && !strcmp(argv[2], "shifted"))
		memcpy(memory, shifted, sizeof(shifted));
	else
		memcpy(memory, made, sizeof(made));
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		return 1;
	for (int i = 0; i < n; i++)
		run_script(memory);
	return 0;
}
