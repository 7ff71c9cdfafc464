/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel stacks that were taken in the scheduler: of threads that leave the CPU, and of tasks that
 * wake them. Such a stack can have frames at both ends that have no part in the wait.
 */
#ifndef RECORD_EPOCH_SWITCH_STACKS_H
#define RECORD_EPOCH_SWITCH_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/epoch/raw_stack.h"
#include "record/symbols/ksyms.h"

/*
 * Removes leaves that belong to the tracer. While others trace the scheduler, too, the kernel calls
 * all of them from a function of its own. Leaves other stacks than those of the scheduler alone.
 * @time_ns is as for ksyms_lookup.
 */
void switch_stack_drop_tracer(struct ksyms *ksyms, uint64_t time_ns, struct raw_stack *stack);

/*
 * If an interrupt woke the thread, removes the callers of the interrupt and returns true. They are
 * those of a task that happened to have the CPU.
 */
bool switch_stack_cut_interrupt(struct ksyms *ksyms, uint64_t time_ns, struct raw_stack *stack);

#endif
