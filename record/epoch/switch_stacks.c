// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/switch_stacks.h"

#include <string.h>

#include "common/cleanup.h"
#include "record/host/host_abi.h"

/* Beginnings of the names of functions that call tracers (include/linux/tracepoint.h). */
static const char *const tracer_names[] = {"__traceiter_", "__bpf_trace_", "bpf_trace_run"};

static const char *const interrupt_names[] = {HOST_INTERRUPT_NAMES};

/* Begins the name of the code at @addr with one of the @nr in @names? */
static bool is_named(struct ksyms *ksyms, uint64_t addr, uint64_t time_ns, const char *const *names,
		     size_t nr)
{
	struct ksym_hit hit;

	ksyms_lookup(ksyms, addr, time_ns, &hit);
	for (size_t i = 0; hit.name && i < nr; i++)
		if (!strncmp(hit.name, names[i], strlen(names[i])))
			return true;
	return false;
}

void switch_stack_drop_tracer(struct ksyms *ksyms, uint64_t time_ns, struct raw_stack *stack)
{
	if (stack->end != STACK_END_SWITCH && stack->end != STACK_END_WAKER)
		return;
	while (stack->nr_frames &&
	       is_named(ksyms, stack->frames[0], time_ns, tracer_names, ARRAY_SIZE(tracer_names))) {
		stack->frames++;
		stack->nr_frames--;
	}
}

bool switch_stack_cut_interrupt(struct ksyms *ksyms, uint64_t time_ns, struct raw_stack *stack)
{
	if (stack->end != STACK_END_WAKER)
		return false;
	for (size_t i = 0; i < stack->nr_frames; i++) {
		/* The interrupt's frame has a return address. */
		if (!is_named(ksyms, stack->frames[i] - 1, time_ns, interrupt_names,
			      ARRAY_SIZE(interrupt_names)))
			continue;
		stack->nr_frames = i + 1;
		return true;
	}
	return false;
}
