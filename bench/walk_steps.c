// SPDX-License-Identifier: GPL-2.0-or-later
/* walk_steps NR: goes up NR frames of a made stack by a rule, for bench/walk_steps. */
#include <stdlib.h>
#include <string.h>

struct unwind_frame;

#define FRAMES      1000
#define FRAME_BYTES 32

static unsigned long long stack[(FRAMES + 1) * FRAME_BYTES / 8];

static long unwind_read(const struct unwind_frame *f, void *dst, unsigned size,
			unsigned long long addr)
{
	(void)f;
	memcpy(dst, (const void *)addr, size);
	return 0;
}

#include "bpf/walk/unwind_step.h"

#ifdef BPF_HOST_ARCH_AARCH64_H
#define FP_OFF (-FRAME_BYTES) /* stp x29, x30, [sp, #-32]! */
#define KEPT   UNWIND_SAVED_CFA
#else
#define FP_OFF (-16) /* push rbp */
#define KEPT   UNWIND_SAVED_SAME
#endif

static __attribute__((noinline)) enum stack_end step(struct unwind_frame *f,
						     const struct unwind_rule *rule)
{
	return unwind_step(f, rule);
}

int main(int argc, char **argv)
{
	const int nr = argc > 1 ? atoi(argv[1]) : FRAMES;
	struct unwind_rule rule = {.cfa = UNWIND_CFA_REG,
				   .cfa_reg = UNWIND_REG_SP,
				   .cfa_off = FRAME_BYTES,
				   .ra = RETURN_AT_ENTRY,
				   .fp = UNWIND_SAVED_CFA,
				   .fp_off = FP_OFF,
				   .kept = KEPT,
				   .kept_off = FP_OFF + 8};
	struct unwind_frame f = {.pc = 0x10000, .sp = (unsigned long long)stack};

	__asm__ volatile("" : "+m"(rule)); /* the compiler does not know it */
	for (int i = 0; i < FRAMES; i++)
		stack[i * FRAME_BYTES / 8 + (FRAME_BYTES + FP_OFF) / 8 + 1] = 0x10000;
	for (int i = 0; i < nr && i < FRAMES; i++)
		if (step(&f, &rule) != STACK_GOES_ON)
			return 1;
	return f.sp != (unsigned long long)stack + (unsigned long long)nr * FRAME_BYTES;
}
