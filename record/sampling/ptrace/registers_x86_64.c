// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>

#include "record/sampling/ptrace/registers.h"

#include "bpf/host_arch.h"

/*
 * The kernel's own mark in rax (include/linux/errno.h). It calls again, unless a handler of a
 * signal is to run: then the program sees EINTR.
 */
#define ERESTARTNOHAND 514

/* These and those between them are of calls that were cut short, and begin again. */
#define ERESTARTSYS           512
#define ERESTART_RESTARTBLOCK 516

/* All of PERF_REG_X86 but the selectors ds, es, fs and gs. */
const uint64_t registers_perf_mask = 0xffffffull & ~(0xfull << 12);
const uint32_t registers_perf_nr = 20;

uint64_t registers_ip(const struct user_regs_struct *regs)
{
	return regs->rip;
}

uint64_t registers_sp(const struct user_regs_struct *regs)
{
	return regs->rsp;
}

bool registers_are_there(const struct user_regs_struct *regs)
{
	return regs->cs;
}

bool registers_are_64_bit(const struct user_regs_struct *regs)
{
	return regs->cs == USER_CS;
}

/* The order of enum perf_event_x86_regs (arch/x86/include/uapi/asm/perf_regs.h). */
void registers_from_perf(const uint64_t *from, struct user_regs_struct *regs)
{
	*regs = (struct user_regs_struct){
		.rax = from[0],
		.rbx = from[1],
		.rcx = from[2],
		.rdx = from[3],
		.rsi = from[4],
		.rdi = from[5],
		.rbp = from[6],
		.rsp = from[7],
		.rip = from[8],
		.eflags = from[9],
		.cs = from[10],
		.ss = from[11],
		.r8 = from[12],
		.r9 = from[13],
		.r10 = from[14],
		.r11 = from[15],
		.r12 = from[16],
		.r13 = from[17],
		.r14 = from[18],
		.r15 = from[19],
		.orig_rax = -1,
	};
}

bool registers_left_call(const struct user_regs_struct *regs)
{
	uint64_t error = -regs->rax;

	/* Of interrupts and faults, orig_rax is -1. */
	return (int64_t)regs->orig_rax >= 0 && error != EINTR &&
	       (error < ERESTARTSYS || error > ERESTART_RESTARTBLOCK);
}

/* The arguments, whether the handler takes them or not (arch/x86/kernel/signal_64.c). */
bool registers_enter_handler(const struct user_regs_struct *regs)
{
	return regs->rdx == regs->rsp + sizeof(uint64_t) && regs->rdi && regs->rdi < NSIG &&
	       !regs->rax;
}

bool registers_end_call(const struct user_regs_struct *regs, uint64_t *nr)
{
	*nr = regs->orig_rax;
	return regs->cs == USER_CS && regs->rax == (uint64_t)-EINTR;
}

void registers_repeat_call(struct user_regs_struct *regs)
{
	regs->rax = (uint64_t)-ERESTARTNOHAND;
}
