/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of the program that counts calls of kernel functions by fentry. The verifier binds a
 * program to one function, so each function needs a copy. libbpf loads the first one, the model.
 */
#ifndef RECORD_SAMPLING_BPF_ENTRY_PROGRAMS_H
#define RECORD_SAMPLING_BPF_ENTRY_PROGRAMS_H

#include <bpf/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

/* All zero: there is no model. */
struct entry_programs {
	uint32_t model_btf_id;          /* the function of the model */
	struct bpf_prog_load_opts opts; /* of the model */
	struct bpf_insn *insns;
	size_t nr_insns;
	void *func_info; /* of its functions; opts refers to it */
	VEC(int) copies;
};

/*
 * Has libbpf bind the model to the function @btf_id of the kernel, and keep its code in @programs.
 * Call it before the programs are opened. Returns a number for entry_programs_unregister, or a
 * negative errno.
 */
int entry_programs_register(struct entry_programs *programs, uint32_t btf_id);

void entry_programs_unregister(int number);

/*
 * Loads a copy of the model for the function @btf_id. Returns its descriptor, which belongs to
 * @programs, or a negative errno.
 */
int entry_programs_copy(struct entry_programs *programs, uint32_t btf_id);

/* Closes the copies. The model is libbpf's. */
void entry_programs_deinit(struct entry_programs *programs);

#endif
