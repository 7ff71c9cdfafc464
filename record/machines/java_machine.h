/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads from a process of Java how to walk the code that HotSpot has made there. HotSpot describes
 * its own data for debuggers (vmStructs.hpp): the offsets of fields, and the addresses of
 * variables. So no offset is guessed. The process may write anything into this memory: the answer
 * is bounded, and spoils the stacks of the process alone. Runs in the looker.
 */
#ifndef RECORD_MACHINES_JAVA_MACHINE_H
#define RECORD_MACHINES_JAVA_MACHINE_H

#include <stdint.h>

#include "bpf/made/language_machines.h"
#include "record/machines/machine_memory.h"

/*
 * Where HotSpot keeps what it knows of methods and of compiled code, beyond what a walk needs
 * (struct java_machine). Numbers are offsets in bytes, in the struct that the comment names.
 */
struct java_layout {
	uint32_t has_lines, has_scopes; /* else the rest of that kind is not known */
	/* ConstMethod: */
	uint16_t const_flags; /* 2 bytes */
	uint16_t const_words; /* the size of all in words, 4 bytes */
	/* Compiled code, struct nmethod: */
	uint16_t compile_id;       /* 4 bytes */
	uint16_t level;            /* of the compiler, at least a byte; 0: not known */
	uint16_t pcs;              /* where the array of PcDesc begins, 4 bytes; */
	uint16_t pcs_end;          /* where it ends */
	uint16_t scopes;           /* where the scopes begin: a pointer, or 4 bytes as the others */
	uint16_t scopes_is_offset; /* they are, in a version that has no immutable */
	/*
	 * From version 25 on, the offsets above are into memory that this pointer says, and the
	 * methods are in other memory.
	 */
	uint16_t immutable;  /* a pointer; 0: the offsets are from the block of code */
	uint16_t scopes_end; /* 4 bytes */
	uint16_t mutable;    /* a pointer */
	uint16_t mutable_bytes, relocation_bytes; /* 4 bytes each; the methods follow the latter */
	uint16_t metadata; /* without these: where the methods begin, 4 bytes */
};

/*
 * Describes the machine of the process whose memory is @memory. Its library is @in, and offset 0 of
 * that file is at @base. Returns 0; -EAGAIN if the machine has not begun to work yet; -ENOTSUP if a
 * field is missing or of a size that the walk cannot read; -EFAULT; or -ENOMEM. A library that is
 * being loaded may lack anything. @layout has what is known.
 */
int java_machine_read(const struct machine_memory *memory, const struct interpreter *in,
		      uint64_t base, struct java_machine *machine, struct java_layout *layout);

#endif
