// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "record/sampling/ptrace/registers.h"

#include "bpf/host_arch.h"

/* All of PERF_REG_ARM64. */
const uint64_t registers_perf_mask = (1ull << UNWIND_NR_REGS) - 1;
const uint32_t registers_perf_nr = UNWIND_NR_REGS;

uint64_t registers_ip(const struct user_regs_struct *regs)
{
	return regs->pc;
}

uint64_t registers_sp(const struct user_regs_struct *regs)
{
	return regs->sp;
}

bool registers_are_there(const struct user_regs_struct *regs)
{
	return regs->pc;
}

bool registers_are_64_bit(const struct user_regs_struct *regs)
{
	return !(regs->pstate & USER_MODE_32_BIT);
}

/* The order of enum perf_event_arm_regs (arch/arm64/include/uapi/asm/perf_regs.h). */
void registers_from_perf(const uint64_t *from, struct user_regs_struct *regs)
{
	memcpy(regs->regs, from, sizeof(regs->regs));
	regs->sp = from[UNWIND_SP];
	regs->pc = from[UNWIND_PC];
	regs->pstate = 0;
}

/* The number of the call is in a set of its own (NT_ARM_SYSTEM_CALL). */
bool registers_left_call(const struct user_regs_struct *regs)
{
	(void)regs;
	return false;
}

/* A handler without SA_SIGINFO gets its number alone. */
bool registers_enter_handler(const struct user_regs_struct *regs)
{
	(void)regs;
	return false;
}

/*
 * The kernel decides before it stops a task whether it makes a call again, and the registers lack
 * the call's first argument by then.
 */
bool registers_end_call(const struct user_regs_struct *regs, uint64_t *nr)
{
	(void)regs, (void)nr;
	return false;
}

void registers_repeat_call(struct user_regs_struct *regs)
{
	(void)regs;
}
