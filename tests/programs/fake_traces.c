// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_traces N [other|below]: has a function of LuaJIT, and code in anonymous memory that runs in
 * the frame of an interpreter after words of its own, as LuaJIT's traces do. It runs N times for 20
 * ms. With "other" the state names another frame. With "below" the trace has a second state on its
 * stack, which names a frame without a return address.
 *
 * Link it with -Wl,--export-dynamic.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/programs/burn.h"

/* Each half is a state, which has the address of its frame at [10]. */
static void *state[32];

int luaJIT_profile_dumpstack(void);
void run_script(const void *code, long shift);

/* Jumps to @code, which calls @body and jumps to where rbx says. rbp is no frame pointer. */
void interpret(const void *code, void (*body)(void), void **state, long shift);

__asm__(".type interpret, @function\n"
	"interpret:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"push %rbx\n"
	".cfi_def_cfa_offset 24\n"
	".cfi_offset %rbx, -24\n"
	"sub $56, %rsp\n"
	".cfi_def_cfa_offset 80\n"
	"mov %rdx, 16(%rsp)\n"
	"add %rsp, %rcx\n"
	"mov %rcx, 80(%rdx)\n"
	"mov $1, %ebp\n"
	"lea 1f(%rip), %rbx\n"
	"jmp *%rdi\n"
	"nop\n"
	"1: add $56, %rsp\n"
	".cfi_def_cfa_offset 24\n"
	"pop %rbx\n"
	".cfi_def_cfa_offset 16\n"
	"pop %rbp\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size interpret, . - interpret\n");

/* sub $32, %rsp; call *%rsi; add $32, %rsp; jmp *%rbx */
static const unsigned char trace[] = {0x48, 0x83, 0xec, 0x20, 0xff, 0xd6,
				      0x48, 0x83, 0xc4, 0x20, 0xff, 0xe3};

/*
 * sub $32, %rsp; lea 128(%rdx), %rcx; mov %rcx, 16(%rsp); mov %rsp, 80(%rcx); movq $0, 72(%rsp);
 * call *%rsi; add $32, %rsp; jmp *%rbx
 */
static const unsigned char below[] = {0x48, 0x83, 0xec, 0x20, 0x48, 0x8d, 0x8a, 0x80, 0x00, 0x00,
				      0x00, 0x48, 0x89, 0x4c, 0x24, 0x10, 0x48, 0x89, 0x61, 0x50,
				      0x48, 0xc7, 0x44, 0x24, 0x48, 0x00, 0x00, 0x00, 0x00, 0xff,
				      0xd6, 0x48, 0x83, 0xc4, 0x20, 0xff, 0xe3};

int luaJIT_profile_dumpstack(void)
{
	return 0;
}

static void burn_inside(void)
{
	BURN_MS(20);
}

/* Others could call it, so the compiler keeps its name. */
__attribute__((noinline)) void run_script(const void *code, long shift)
{
	interpret(code, burn_inside, state, shift);
	__asm__ volatile("" ::: "memory"); /* this was no tail call */
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5;
	long shift = argc > 2 && !strcmp(argv[2], "other") ? 16 : 0;
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	if (argc > 2 && !strcmp(argv[2], "below"))
		memcpy(memory, below, sizeof(below));
	else
		memcpy(memory, trace, sizeof(trace));
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		return 1;
	for (int i = 0; i < n; i++)
		run_script(memory, shift);
	return 0;
}
