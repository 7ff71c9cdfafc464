/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the code that BEAM makes (bpf/made/beam_step.h), in processes that the recorder knows. Its
 * functions have words of their own, whose names the recorder finds.
 */
#ifndef BPF_MADE_BEAM_FRAMES_H
#define BPF_MADE_BEAM_FRAMES_H

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/made/beam_pointers.h"
#include "bpf/made/beam_step.h"
#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/languages/send_names.h"
#include "bpf/walk/stack_window.h"

/* By process, in the recorder's pid namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load */
	__type(key, __u32);
	__type(value, struct beam_machine);
} beam_machines SEC(".maps");

/* The verifier would follow each value of each byte wherever a loop reads instructions. */
__verified_once int read_beam_instruction(__u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);

	if (walk_languages && memory)
		beam_read_instruction(&memory->beam);
	return 0;
}

static __always_inline void beam_read_next(const struct beam_step *b)
{
	read_beam_instruction(((struct walk_memory *)b->f)->level);
}

/* The state of a step for the frame at hand of @level. Returns false if there is none. */
static __always_inline bool find_beam_step(struct beam_step *b, __u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);

	if (!memory)
		return false;
	b->m = &memory->beam.machine;
	b->f = &memory->walk.frame;
	b->process = 0;
	b->s = &memory->beam;
	return memory->beam.has_machine;
}

/*
 * Copies the machine of the process of @level, once in a walk: each look into the map takes longer.
 */
static __always_inline void take_beam_machine(__u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);
	const struct beam_machine *m;

	if (!memory || memory->beam.has_machine)
		return;
	m = bpf_map_lookup_elem(&beam_machines, &memory->tgid);
	if (!m)
		return;
	memory->beam.machine = *m;
	memory->beam.has_machine = 1;
}

/*
 * The Erlang process that the thread runs, or 0. The scheduler's data has the value of rbx in made
 * code, so data that are not of this thread's scheduler are not believed.
 */
static __always_inline __u64 find_beam_process(const struct beam_step *b)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 scheduler, registers;

	if (b->f->has_regs || !has_thread_pointer(task) || b->m->key >= MAX_KEY ||
	    unwind_get_reg(b->f, UNWIND_REG_KEPT, &registers))
		return 0;
	scheduler = thread_value(thread_pointer(task), b->m->key, 0);
	if (read_user_word(scheduler + b->m->scheduler_registers) + b->m->registers_base !=
	    registers)
		return 0;
	return read_user_word(scheduler + b->m->scheduler_process);
}

/*
 * The word of the function at hand. Its place in the code stands for it, and a hash of the code
 * tells whether other code has come there.
 */
static __always_inline __u64 beam_word(const struct beam_step *b)
{
	const struct unwind_frame *f = b->f;
	__u64 code[2];

	if (b->s->around == f->pc && word_addr(f->pc) == f->pc && f->pc >= NR_NOTES)
		return beam_word_of(f->pc, b->s->near + 1);
	if (word_addr(f->pc) != f->pc || f->pc < NR_NOTES || read_user(code, sizeof(code), f->pc))
		return 0;
	return beam_word_of(f->pc, code);
}

/* Hands the function at hand of @level to the recorder, which finds the name. Returns 0. */
__verified_once int send_beam_function(__u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);
	struct function_name *name;

	if (!walk_languages || !memory)
		return 0;
	name = begin_name(&memory->beam.function, memory->tgid, &memory->nr_name_failures,
			  sizeof(*name));
	if (!name)
		return 0;
	name->line = 0;
	name->block = 0;
	name->name.nr_bytes = name->name.is_cut = name->name.kind = 0;
	name->file.nr_bytes = name->file.is_cut = name->file.kind = 0;
	end_name(name, true, &memory->beam.function, &memory->nr_name_failures);
	return 0;
}

/*
 * Finds the word of the frame at hand of @level, if it is a function's. The step is in several
 * functions, as that of bpf/made/java_frames.h is in two. Returns 1 if the frames have frame
 * pointers, else 0.
 */
__verified_once int look_at_beam_frame(__u64 space_id, __u32 level)
{
	struct beam_step b;

	if (!walk_languages)
		return 0;
	take_beam_machine(level);
	if (!find_beam_step(&b, level))
		return 0;
	if (!is_beam_shared(b.m, b.f->pc)) {
		b.s->function.space_id = space_id;
		b.s->word = b.s->function.word = beam_word(&b);
	}
	return b.m->has_frame_pointers != 0;
}

/* As beam_enter_frame, for the frame at hand of @level. */
__verified_once __u32 enter_beam_frame(__u32 level)
{
	struct beam_step b;

	if (!walk_languages || !find_beam_step(&b, level))
		return UNWIND_RULE_STOP;
	if (!b.s->is_on_stack)
		b.process = find_beam_process(&b);
	return beam_enter_frame(&b);
}

/* As beam_step_pointers, for the frame at hand of @level. */
__verified_once __u32 step_beam_pointers(__u32 level)
{
	struct beam_step b;

	if (!walk_languages || !find_beam_step(&b, level))
		return UNWIND_RULE_STOP;
	if (!b.s->is_on_stack)
		b.process = find_beam_process(&b);
	return beam_step_pointers(&b);
}

/* As beam_search_return, for the frame at hand of @level. */
__verified_once __u32 search_beam_return(__u32 level)
{
	struct beam_step b;

	return walk_languages && find_beam_step(&b, level) ? beam_search_return(&b)
							   : UNWIND_RULE_STOP;
}

#endif
