/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of a process of Java or Erlang (struct machine), which begins some time after its
 * file is mapped. Says when it is time to look for it.
 */
#ifndef RECORD_MACHINES_PROCESS_MACHINE_H
#define RECORD_MACHINES_PROCESS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/walk/unwind.h"
#include "record/machines/machines.h"

/* All zero: nobody has looked. */
struct process_machine {
	enum unwind_machine state;
	uint32_t nr_looks;
	uint64_t begin_ns; /* CLOCK_MONOTONIC: the first look */
	uint64_t next_ns;  /* the next one, while the machine is expected or lacks room */
	bool lacks_room;
};

/*
 * Looks for the machine of @owner, which has new mappings. Returns true if the machine is expected
 * from now on, and was not before.
 */
bool process_machine_look(struct process_machine *machine, struct machines *machines,
			  const struct machine_owner *owner);

/* Looks again for a machine that is expected or that lacks room, if it is time. */
void process_machine_look_again(struct process_machine *machine, struct machines *machines,
				const struct machine_owner *owner);

/* The machine has lost its room. */
void process_machine_lose(struct process_machine *machine);

#endif
