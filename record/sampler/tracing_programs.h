/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that the kernel binds to one of its own functions, tracepoints or iterators by the
 * number of a type in its BTF. libbpf reads all types of the kernel for a program of that kind, and
 * knows no other way. So until libbpf loads such a program, it is of another kind.
 */
#ifndef RECORD_SAMPLER_TRACING_PROGRAMS_H
#define RECORD_SAMPLER_TRACING_PROGRAMS_H

#include <bpf/libbpf.h>

#include "record/sampler/kernel_types.h"

/* The kind of programs that are not loaded yet. */
#define TRACING_PROGRAM_BEFORE BPF_PROG_TYPE_RAW_TRACEPOINT

#define NR_TRACING_SECTIONS 3

/* All zero: nothing is registered. */
struct tracing_programs {
	int numbers[NR_TRACING_SECTIONS];
	size_t nr;
};

/*
 * Has libbpf bind programs by the numbers in @types, which must stay. Call it before the programs
 * are opened. Returns 0 or a negative errno. tracing_programs_unregister is due in any case.
 */
int tracing_programs_register(struct tracing_programs *programs, const struct kernel_types *types);

/* Gives the program its kind. Call it right before libbpf loads it. Returns 0 or a negative errno.
 */
int tracing_programs_settle(struct bpf_program *program);

void tracing_programs_unregister(struct tracing_programs *programs);

#endif
