/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The methods at an address of compiled code. HotSpot's compilers put methods into their callers,
 * and describe that for the places where a thread can stop (debugInfoRec.hpp): an array says which
 * scope belongs to an address, and a scope says its method, the bytecode at hand, and the scope of
 * its caller. All memory belongs to the process, which may lie: the work is bounded, and what
 * contradicts itself is no answer. Runs in the looker.
 */
#ifndef RECORD_MACHINES_JAVA_SCOPES_H
#define RECORD_MACHINES_JAVA_SCOPES_H

#include "record/machines/java_machine.h"

/* Methods at one address at most. HotSpot puts about 15 into each other, lambdas apart. */
#define JAVA_MAX_SCOPES 64

struct java_scope {
	uint64_t method; /* the address of its Method */
	int32_t index;   /* of the bytecode; negative: not known */
};

/* An address in compiled code. */
struct java_place {
	uint64_t block; /* struct nmethod */
	uint32_t compile_id;
	uint32_t reserved;
	uint64_t pc; /* of a caller its return address */
};

struct java_code {
	const struct machine_memory *memory;
	const struct java_machine *machine;
	const struct java_layout *layout;
};

/*
 * Finds the methods at @place, the innermost first. The last one is the method of the code itself.
 * Where HotSpot does not describe the very address, the methods are those that its neighbours have
 * in common, in code of C1 that of the code alone. Where a description contradicts itself, the
 * method of the code is the only one. Returns their number; or -ESTALE when the code is not that of
 * the place any more, -ENOENT when the version's layout is not known, -EBADMSG when the block of
 * code contradicts itself, or -EFAULT.
 */
int java_scopes_find(const struct java_code *code, const struct java_place *place,
		     struct java_scope scopes[JAVA_MAX_SCOPES]);

/*
 * Is the block of @place still the code that the place was in? Returns 0, -ESTALE if it is not, or
 * -EFAULT.
 */
int java_scopes_check(const struct java_code *code, const struct java_place *place);

#endif
