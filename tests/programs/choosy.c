// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that are hard to probe, as a library (with -DLIBRARY) and a program that calls them:
 *
 *	choosy N FIFO    says its pid, waits for a line of FIFO, and calls N times chosen(),
 *	                 2 N times chosen_within() by way of the library, 3 N times guarded()
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int chosen(int x);
int chosen_within(int x);
int never_called(int x);
int call_within(int x);
int guarded(int x);
int bare(int x);

#ifdef LIBRARY
/* Two kinds of code, of which the loader chooses one (STT_GNU_IFUNC). */
#define CHOICE(name)                                                                               \
	__attribute__((noinline)) static int name##_plus(int x)                                    \
	{                                                                                          \
		__asm__ volatile("");                                                              \
		return x + 1;                                                                      \
	}                                                                                          \
	__attribute__((noinline)) static int name##_minus(int x)                                   \
	{                                                                                          \
		__asm__ volatile("");                                                              \
		return x - 1;                                                                      \
	}                                                                                          \
	static int (*choose_##name(void))(int)                                                     \
	{                                                                                          \
		__builtin_cpu_init();                                                              \
		return __builtin_cpu_supports("sse2") ? name##_plus : name##_minus;                \
	}                                                                                          \
	int name(int x) __attribute__((ifunc("choose_" #name), visibility("protected")));

CHOICE(chosen)
CHOICE(chosen_within) /* the library has a slot of its own for it */
CHOICE(never_called)

int call_within(int x)
{
	return chosen_within(x);
}

/* Begins with an instruction that the kernel takes for a push of edi; with and without endbr64. */
__asm__(".globl guarded, bare\n"
	".type guarded, @function\n"
	".type bare, @function\n"
	"guarded: .cfi_startproc\n"
	"	endbr64\n"
	"	vxorps %xmm0, %xmm0, %xmm0\n"
	"	lea 1(%rdi), %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size guarded, . - guarded\n"
	"bare: .cfi_startproc\n"
	"	vxorps %xmm0, %xmm0, %xmm0\n"
	"	lea 1(%rdi), %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size bare, . - bare\n");
#else
static void wait_for_line(const char *path)
{
	FILE *f;
	char line[16];

	printf("%d\n", (int)getpid());
	fflush(stdout);
	f = fopen(path, "r");
	if (!f || !fgets(line, sizeof(line), f))
		exit(1);
	fclose(f);
}

int main(int argc, char **argv)
{
	long nr = argc > 2 ? atol(argv[1]) : 0, sum = 0;

	if (!nr)
		return never_called(1);
	wait_for_line(argv[2]);
	for (long i = 0; i < nr; i++)
		sum += chosen(0);
	for (long i = 0; i < 2 * nr; i++)
		sum += call_within(0);
	__builtin_cpu_init();
	for (long i = 0; i < 3 * nr; i++)
		sum += __builtin_cpu_supports("avx") ? guarded(0) : 1;
	return sum == 6 * nr ? 0 : 1;
}
#endif
