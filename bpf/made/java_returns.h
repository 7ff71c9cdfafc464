/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Return addresses in HotSpot's code. */
#ifndef BPF_MADE_JAVA_RETURNS_H
#define BPF_MADE_JAVA_RETURNS_H

#include <stdbool.h>

#include "bpf/made/java_block.h"
#include "bpf/made/java_code.h"
#include "bpf/made/made_code.h"

/*
 * Is @ra an address to return to from [@begin, @end)? In HotSpot's code it stands after a call with
 * a target there. C++ calls the stubs by a register or by memory.
 */
static __always_inline bool is_return_from(const struct java_step *j, __u64 ra, __u64 begin,
					   __u64 end)
{
	__u8 *before = (__u8 *)j->s->words; /* @ra */
	__s32 distance;
	__u64 target;

	if (!is_java_code(j->m, ra))
		return call_before(j->f, ra) == CALL_INDIRECT;
	if (unwind_read(j->f, before, sizeof(j->s->words), ra - 16))
		return false;
	__builtin_memcpy(&distance, before + 12, sizeof(distance));
	__builtin_memcpy(&target, before + 5, sizeof(target));
	if (IS2(before + 3, 0x49, 0xba) && IS3(before + 13, 0x41, 0xff, 0xd2))
		return target - begin < end - begin; /* mov r10, target; call r10 */
	return before[11] == 0xe8 && ra + distance - begin < end - begin;
}

/* Is @ra an address that a method returns to: in the interpreter, or after a call? */
static __always_inline bool is_java_return(const struct java_step *j, __u64 ra)
{
	return is_interpreted(j, ra) || is_return_from(j, ra, j->m->low, j->m->high);
}

#endif
