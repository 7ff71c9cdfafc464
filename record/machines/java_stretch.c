// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_stretch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/walk/unwind.h"
#include "common/cleanup.h"
#include "common/minmax.h"
#include "record/machines/java_methods.h"
#include "record/machines/early_copy.h"
#include "record/machines/process_reads.h"

/* Bytes of the stack in one question. Frames of Java take some hundred. */
#define PART_BYTES 6144

/* A part of the copy of a stack. */
struct stack_part {
	uint64_t begin, nr;
	/* All of the stack is within. The process has changed it, so nothing there is read. */
	uint64_t stack_begin, stack_end;
	uint8_t bytes[PART_BYTES];
};

/* What unwind_read() reads in the looker, and whether it lacked a part of the stack. */
static struct {
	const struct stack_part *part;
	struct machine_memory memory;
	uint32_t pid;
	bool lacks_stack;
} source;

struct unwind_frame;

static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr)
{
	const struct stack_part *part = source.part;
	uint64_t off = addr - part->begin;

	(void)f;
	if (off <= part->nr && size <= part->nr - off) {
		memcpy(dst, part->bytes + off, size);
		return 0;
	}
	if (addr + size > part->stack_begin && addr < part->stack_end) {
		source.lacks_stack = true;
		return -1;
	}
	return machine_memory_read(&source.memory, addr, dst, size);
}

#include "bpf/made/java_step.h"

struct stretch_question {
	struct machine machine;
	struct unwind_frame frame;
	struct stack_part part;
};
_Static_assert(sizeof(struct stretch_question) <= LOOK_QUESTION_MAX, "a question has room for it");

struct stretch_answer {
	struct unwind_frame frame;
	struct java_stretch stretch;
};

/* The frame that @step has left, as the stack has it. */
static struct java_stretch_frame keep_frame(const struct java_code *code, const struct java_step *j)
{
	const struct java_scratch *s = j->s;
	struct java_stretch_frame kept = {.address = s->pc};
	uint64_t word = 0;

	if (!s->method)
		return kept;
	if (s->kind == JAVA_NMETHOD && j->m->blob_compile_id) {
		kept.block = s->block;
		if (!machine_memory_read(code->memory, s->block + j->m->blob_compile_id,
					 &kept.compile_id, sizeof(kept.compile_id)))
			word = LANGUAGE_WORD(LANGUAGE_JAVA,
					     java_place_check(s->block, kept.compile_id), s->pc);
	} else {
		word = java_method_word(code, s->method);
	}
	if (word)
		kept.address = word;
	return kept;
}

/* Walks until the code is another's, the stretch is full or the part of the stack ends. */
static void walk_frames(struct look *look, const struct java_code *code, struct java_step *j,
			struct java_stretch *stretch)
{
	while (stretch->end == STACK_GOES_ON && stretch->nr < JAVA_STRETCH_MAX &&
	       is_java_code(j->m, unwind_lookup_pc(j->f)) &&
	       !look_touch(look, look_process(source.pid))) {
		const struct unwind_frame before = *j->f;

		source.lacks_stack = false;
		stretch->end = java_look_at_frame(j) ? java_leave_frame(j) : STACK_END_UNREADABLE;
		if (source.lacks_stack && stretch->nr) {
			*j->f = before;
			stretch->end = STACK_GOES_ON;
			return;
		}
		stretch->frames[stretch->nr++] = keep_frame(code, j);
	}
}

/* A look_fn. The answer is a struct stretch_answer. */
static int look_at_frames(struct look *look)
{
	_cleanup_resident_memory_ struct resident_memory pages = RESIDENT_MEMORY_INIT(0);
	static struct stretch_question q;
	struct stretch_answer answer = {.stretch.nr = 0};
	struct java_scratch scratch = {.block = 0};
	struct java_step step = {&answer.frame, &q.machine.java.machine, &scratch};
	struct java_code code = {&source.memory, &q.machine.java.machine, &q.machine.java.layout};

	if (look->nr_question != sizeof(q))
		return -EBADMSG;
	memcpy(&q, look->question, sizeof(q));
	answer.frame = q.frame;
	source.pid = pages.pid = q.machine.pid;
	source.memory = machine_memory_of(&pages);
	source.part = &q.part;
	walk_frames(look, &code, &step, &answer.stretch);
	return look_answer_append(look, &answer, sizeof(answer)) ? 0 : -ENOBUFS;
}

/* Copies the stack around @sp. */
static void cut_part(const struct early_sample *sample, uint64_t sp, struct stack_part *part)
{
	uint64_t begin = early_stack_begin(sample->regs[UNWIND_REG_SP]), at, nr;

	*part = (struct stack_part){.stack_begin = begin,
				    .stack_end = begin + early_copy_reach(sample)};
	/* The stack goes on where the copy ended, or after the last page that was looked at. */
	if (sample->nr_bytes == EARLY_STACK_BYTES || sample->nr_bytes >= EARLY_COPY_BYTES ||
	    early_copy_reach(sample) >= (uint64_t)EARLY_PAGES * EARLY_PAGE_BYTES)
		part->stack_end += UNWIND_MAX_FRAME;
	part->begin = max_u64(sp - RED_ZONE_BYTES, begin);
	if (!early_copy_find(sample, part->begin - begin, &at, &nr)) {
		/* The page of the red zone may never have been used. */
		part->begin = max_u64(sp & ~(EARLY_PAGE_BYTES - 1ULL), begin);
		if (!early_copy_find(sample, part->begin - begin, &at, &nr))
			return;
	}
	part->nr = min_u64(nr, PART_BYTES);
	memcpy(part->bytes, sample->stack + at, part->nr);
}

int java_stretch_walk(struct looker *looker, const struct machine *machine,
		      const struct early_sample *sample, struct unwind_frame *frame,
		      struct java_stretch *stretch)
{
	_cleanup_free_ struct stretch_question *q = malloc(sizeof(*q));
	_cleanup_free_ struct look_answer *got = malloc(sizeof(*got));
	const struct look_question question = {
		.fn = look_at_frames, .bytes = q, .nr = sizeof(*q), .fd = -1, .pid = machine->pid};
	struct stretch_answer answer;

	if (!is_java_code(&machine->java.machine, unwind_lookup_pc(frame)))
		return 0;
	/* Without an answer, the stack ends here. */
	stretch->end = STACK_END_UNREADABLE;
	stretch->nr = 1;
	stretch->frames[0] = (struct java_stretch_frame){.address = frame->pc};
	if (!q || !got)
		return 1;
	q->machine = *machine;
	q->frame = *frame;
	cut_part(sample, frame->sp, &q->part);
	if (looker_ask(looker, &question, got) || got->nr != sizeof(answer))
		return 1;
	memcpy(&answer, got->bytes, sizeof(answer));
	if (!answer.stretch.nr || answer.stretch.nr > JAVA_STRETCH_MAX)
		return 1;
	*stretch = answer.stretch;
	*frame = answer.frame;
	return 1;
}
