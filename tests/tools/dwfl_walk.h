/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the stack of a stopped thread with libdwfl of elfutils, which shares no code with ours. */
#ifndef TESTS_DWFL_WALK_H
#define TESTS_DWFL_WALK_H

#include <elfutils/libdwfl.h>
#include <err.h>

#include "tests/tools/table_walk.h"

/* Finds no debug information in other files: the mapped files have all that a walk needs. */
static int dwfl_walk_no_debuginfo(
	Dwfl_Module *module __attribute__((unused)), void **userdata __attribute__((unused)),
	const char *name __attribute__((unused)), Dwarf_Addr base __attribute__((unused)),
	const char *file __attribute__((unused)), const char *link __attribute__((unused)),
	GElf_Word crc __attribute__((unused)), char **found __attribute__((unused)))
{
	return -1;
}

static const Dwfl_Callbacks dwfl_walk_callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_walk_no_debuginfo,
};

/* Tells @dwfl the present mappings of @tid. @tid must be stopped. */
static void dwfl_walk_report(Dwfl *dwfl, pid_t tid)
{
	dwfl_report_begin(dwfl);
	if (dwfl_linux_proc_report(dwfl, tid) || dwfl_report_end(dwfl, NULL, NULL))
		errx(1, "libdwfl: failed to report the modules of %d: %s", tid, dwfl_errmsg(-1));
}

static Dwfl *dwfl_walk_create(pid_t tid)
{
	Dwfl *dwfl = dwfl_begin(&dwfl_walk_callbacks);

	if (!dwfl)
		errx(1, "libdwfl: %s", dwfl_errmsg(-1));
	dwfl_walk_report(dwfl, tid);
	if (dwfl_linux_proc_attach(dwfl, tid, true))
		errx(1, "libdwfl: failed to attach to %d: %s", tid, dwfl_errmsg(-1));
	return dwfl;
}

static int dwfl_walk_frame(Dwfl_Frame *state, void *arg)
{
	struct walk *walk = arg;
	struct walk_frame *frame = &walk->frames[walk->nr];
	Dwarf_Addr pc = 0;
	Dwarf_Word value = 0;

	if (walk->nr == WALK_MAX_DEPTH || !dwfl_frame_pc(state, &pc, NULL))
		return DWARF_CB_ABORT;
	*frame = (struct walk_frame){.pc = pc};
	if (!dwfl_frame_reg(state, UNWIND_REG_SP, &value))
		frame->sp = value;
	frame->has_fp = !dwfl_frame_reg(state, UNWIND_REG_FP, &value);
	frame->fp = frame->has_fp ? value : 0;
	frame->has_kept = !dwfl_frame_reg(state, UNWIND_REG_KEPT, &value);
	frame->kept = frame->has_kept ? value : 0;
	walk->nr++;
	return DWARF_CB_OK;
}

/*
 * Does call frame information say how to leave the code at @lookup_pc? If not, libdwfl goes
 * along the frame pointer.
 */
static bool dwfl_walk_knows(Dwfl *dwfl, uint64_t lookup_pc)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, lookup_pc);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	_cleanup_free_ Dwarf_Frame *frame = NULL;

	return cfi && !dwarf_cfi_addrframe(cfi, lookup_pc - bias, &frame);
}

/* Walks the stack of @tid. Returns NULL, or why libdwfl did not reach the root. */
static const char *dwfl_walk(Dwfl *dwfl, pid_t tid, struct walk *walk)
{
	walk->nr = 0;
	walk->end = STACK_END_ROOT;
	if (dwfl_getthread_frames(dwfl, tid, dwfl_walk_frame, walk) != -1)
		return NULL;
	walk->end = STACK_END_UNREADABLE;
	return dwfl_errmsg(-1);
}

#endif
