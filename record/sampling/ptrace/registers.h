/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of a thread in user space, as sources get them by ptrace and by perf events. What
 * an architecture decides about them stands in registers_ARCH.c alone.
 */
#ifndef RECORD_SAMPLING_PTRACE_REGISTERS_H
#define RECORD_SAMPLING_PTRACE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

/* For attr.sample_regs_user: the registers of a sample, and how many they are. */
extern const uint64_t registers_perf_mask;
extern const uint32_t registers_perf_nr;

uint64_t registers_ip(const struct user_regs_struct *regs);
uint64_t registers_sp(const struct user_regs_struct *regs);

/* Are there any? Else all are 0. */
bool registers_are_there(const struct user_regs_struct *regs);

/* Are they those of 64-bit code, which alone can be walked? */
bool registers_are_64_bit(const struct user_regs_struct *regs);

/* Takes what a perf sample has, in the order of registers_perf_mask. */
void registers_from_perf(const uint64_t *from, struct user_regs_struct *regs);

/*
 * Has the thread made a system call that is at its end, and did not wait when it was stopped?
 * Returns false where the registers do not tell.
 */
bool registers_left_call(const struct user_regs_struct *regs);

/* Is the thread about to enter a handler of a signal? Returns false as above. */
bool registers_enter_handler(const struct user_regs_struct *regs);

/*
 * Does the thread return from a system call with EINTR? Then @nr is the number of the call.
 */
bool registers_end_call(const struct user_regs_struct *regs, uint64_t *nr);

/* Has the kernel make that call again, unless a handler of a signal is to run. */
void registers_repeat_call(struct user_regs_struct *regs);

#endif
