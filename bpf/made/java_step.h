/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding the code that HotSpot makes: one step, from a frame to its caller. No table covers this
 * code, but HotSpot itself finds the block of code that an address belongs to, and each block knows
 * the size of its frames. The BPF program, the recorder and the tests compile the same code.
 *
 * The size holds where code has called other code. The leaf may be elsewhere: its frame is not made
 * yet, or is gone already. The instructions around the leaf's tell, and those are the
 * architecture's (java_leave_frame). Where nothing is certain the stack ends, because a wrong
 * caller is worse than none.
 *
 * All memory belongs to the process, which may lie. So the number of steps bounds a walk, and each
 * step goes up the stack.
 */
#ifndef BPF_MADE_JAVA_STEP_H
#define BPF_MADE_JAVA_STEP_H

#include <stdbool.h>

#include "bpf/made/java_block.h"

/*
 * Looks at the block of code of the frame at hand. Leaves the kind of the block and the frame's
 * method, or 0, in the scratch. Returns false if the block cannot be read.
 */
static __always_inline bool java_look_at_frame(struct java_step *j)
{
	struct java_scratch *s = j->s;
	enum java_kind kind;

	s->method = 0;
	s->pc = j->f->pc;
	if (!java_read_blob(j, unwind_lookup_pc(j->f)))
		return false;
	s->kind = kind = java_kind_of(j);
	if (kind == JAVA_NMETHOD || kind == JAVA_NATIVE)
		s->method = blob_word(j, j->m->blob_method);
	return (!j->f->has_regs && kind != JAVA_UNSIZED) ||
	       !unwind_read(j->f, s->code, sizeof(s->code), j->f->pc - JAVA_CODE_BEFORE);
}

#ifdef BPF_HOST_ARCH_X86_64_H
#include "bpf/made/java_leave_x86_64.h"
#endif
#ifdef BPF_HOST_ARCH_AARCH64_H
#include "bpf/made/java_leave_aarch64.h"
#endif

#endif
