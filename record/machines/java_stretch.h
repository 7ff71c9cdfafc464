/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the frames of HotSpot's code in an early sample (struct early_sample). The rules are those
 * of bpf/made/java_step.h. The stack is the copy that came with the sample, and the code is still
 * in the process. The looker reads it there, for all frames that follow each other at once.
 */
#ifndef RECORD_MACHINES_JAVA_STRETCH_H
#define RECORD_MACHINES_JAVA_STRETCH_H

#include <stdint.h>

#include "bpf/shared.h"
#include "record/machines/machines.h"

/* Frames that one question finds at most. */
#define JAVA_STRETCH_MAX 64

/* A frame as a stack has it: an address, or the word of a method (bpf/languages/languages.h). */
struct java_stretch_frame {
	uint64_t address;
	/* Of a word: as in struct java_place. */
	uint64_t block;
	uint32_t compile_id;
	uint32_t reserved;
};

struct java_stretch {
	uint32_t end; /* enum stack_end */
	uint32_t nr;
	struct java_stretch_frame frames[JAVA_STRETCH_MAX];
};

struct unwind_frame;

/*
 * Walks from @frame of @sample up to the first frame that is in no code of HotSpot, or as far as it
 * gets. The frame's fp is among its registers, or is lost. Returns 1 with @frame the one to go on
 * with; or 0 if @frame is in no code of HotSpot.
 */
int java_stretch_walk(struct looker *looker, const struct machine *machine,
		      const struct early_sample *sample, struct unwind_frame *frame,
		      struct java_stretch *stretch);

#endif
