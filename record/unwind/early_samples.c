// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/early_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/minmax.h"
#include "record/machines/early_copy.h"

/* The sample whose stack is being walked. unwind_read() reads from its copy of the stack. */
static const struct early_sample *walked;

struct unwind_frame;

static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr)
{
	uint64_t at, nr;

	(void)f;
	if (!early_copy_find(walked, addr - early_stack_begin(walked->regs[UNWIND_REG_SP]), &at,
			     &nr) ||
	    size > nr)
		return -1;
	memcpy(dst, walked->stack + at, size);
	return 0;
}

#define UNWIND_READS_NO_CODE
#include "bpf/languages/loop_places.h"
#include "bpf/made/made_code.h"
#include "bpf/walk/unwind_walk.h"

/* Stretches of a stack at most. Each one is a question to the looker. */
#define STRETCHES_MAX 8

/* Frames of Java in a stack, from the frame with @pc and @sp on. The walk goes on at @next. */
struct early_stretch {
	uint64_t pc, sp;
	struct unwind_frame next;
	struct java_stretch found;
};

/* Bytes of @sample with as much of the stack as was copied. */
static size_t size_of(const struct early_sample *sample)
{
	return EARLY_SAMPLE_SIZE(sample->nr_bytes <= EARLY_COPY_BYTES ? sample->nr_bytes : 0);
}

/* Frees the copy of the stack. */
static void release_raw(struct early_samples *early, struct early *e)
{
	vec_free(&e->stretches);
	if (!e->raw)
		return;
	early->nr_raw--;
	early->raw_bytes -= size_of(e->raw);
	free(e->raw);
	e->raw = NULL;
}

int early_samples_add(struct early_samples *early, const struct early_sample *sample)
{
	struct early new = {.key = sample->key,
			    .time_ns = sample->time_ns,
			    .weight = sample->weight,
			    .set = sample->set};
	size_t size = size_of(sample);
	int ret;

	new.raw = malloc(size);
	if (!new.raw)
		return -ENOMEM;
	memcpy(new.raw, sample, size);
	ret = vec_push(&early->samples, new);
	if (ret) {
		free(new.raw);
		return ret;
	}
	early->nr_raw++;
	early->raw_bytes += size;
	return 0;
}

/* A walk of the stack of @walked. */
struct stack_walk {
	struct early *early;
	const struct early_finder *finder;
	struct table_maps *store;
	struct language_stack *functions;
	struct unwind_walk w;
	bool is_last; /* the walk goes as far as it gets */
	size_t depth; /* frames of the stack so far, with functions of languages */
	/* Frames of Java that have been found and are not in the stack yet: */
	size_t stretch; /* in early->stretches; the rest of it, from number @at on */
	uint32_t at;
	bool has_stretch;
};

/* The walk at hand, of @walked. */
static struct stack_walk *walking;

/*
 * A copy of a stack comes without the code. So only the caller of the innermost frame may hold its
 * CFA in a register, which that frame leaves alone, and code has to be mapped at @pc.
 */
static bool unwind_may_return_to(__u64 pc)
{
	struct unwind_mapping mapping;
	bool has_regex;
	int found;

	if (walking->depth > 1)
		return false;
	found = walking->finder->find(walking->finder->ctx, walked, pc - 1, &mapping, &has_regex);
	walking->w.is_early |= found == -EAGAIN;
	return found == 1;
}

/* May the table of @mapping be known later? */
static bool may_get_table(const struct unwind_mapping *mapping)
{
	return mapping->pages == UNWIND_TABLE_WANTED || mapping->pages == UNWIND_TABLE_ASKED_FOR;
}

/*
 * The rule that the program has made of the innermost frame's code holds if the return address is
 * in PCRE2's own code. *@rule is left alone otherwise. Returns 0 or -ENOMEM.
 */
static int find_regex_rule(struct stack_walk *walk, const struct unwind_rule **rule)
{
	const struct unwind_rule *made = &walked->regex_rule;
	struct unwind_walk *w = &walk->w;
	struct unwind_mapping mapping;
	bool has_regex;
	uint64_t ra;
	int found;

	if (w->has_leaf || made->cfa != UNWIND_CFA_REG ||
	    unwind_read(&w->frame, &ra, sizeof(ra), w->frame.sp + (int64_t)made->cfa_off - 8))
		return 0;
	found = walk->finder->find(walk->finder->ctx, walked, ra, &mapping, &has_regex);
	if (found == -ENOMEM)
		return found;
	if (found == 1 && has_regex)
		*rule = made;
	else
		w->is_early |= found == -EAGAIN || (found == 1 && may_get_table(&mapping));
	return 0;
}

/*
 * Has the program noted the word at @at of the stack (struct early_code)? If it has not looked so
 * far up, nobody knows: the stack that @w walks is early.
 */
static bool is_noted(struct unwind_walk *w, uint64_t at)
{
	uint64_t i = (at - early_stack_begin(walked->regs[UNWIND_REG_SP])) / 8;

	if (i / 64 >= EARLY_NOTES) {
		w->is_early = true;
		return false;
	}
	return !(at & 7) && walked->code.notes[i / 64] >> i % 64 & 1;
}

/*
 * As loop_rule of bpf/made/made_frames.h for code in @made: the rule of the loop's body, if it
 * leads to a return address. *@rule is left alone otherwise. Returns 0 or -ENOMEM.
 */
static int find_loop_rule(struct stack_walk *walk, const struct unwind_mapping *made,
			  const struct unwind_rule **rule)
{
	const struct early_finder *finder = walk->finder;
	const uint64_t pc = walked->code.loop;
	const struct unwind_rule *body = NULL;
	struct unwind_mapping mapping = {0};
	bool has_regex;
	__u64 at;
	int found = finder->find(finder->ctx, walked, pc, &mapping, &has_regex);

	if (found == -ENOMEM)
		return found;
	if (found == 1 && UNWIND_NR_PAGES(mapping.pages))
		body = table_maps_find(walk->store, &mapping, pc);
	else
		walk->w.is_early |= found != 1 || may_get_table(&mapping);
	if (body && find_loop_return(&walk->w.frame, body, &at) && is_noted(&walk->w, at))
		*rule = body;
	loops_note_made(&walk->functions->loops, made->start, made->end - made->start,
			*rule != NULL);
	return 0;
}

/* The number of the rule for the frame of a trace, as lua_trace_rule. */
static uint32_t trace_rule(struct unwind_walk *w)
{
	for (uint32_t i = 0; i < UNWIND_NR_TRACE_RULES; i++)
		if (is_noted(w, w->frame.sp + (uint64_t)i * 16))
			return UNWIND_RULE_TRACE + i;
	return UNWIND_NO_RULE;
}

/* The number of the rule for the frame of a stub, as python_stub_rule. */
static uint32_t stub_rule(struct unwind_walk *w)
{
	const struct unwind_frame *f = &w->frame;

	/* The program has looked at the leaf alone, and not at frames that signals interrupted. */
	if (f->has_regs)
		return !w->has_leaf && walked->code.leaf_rule < UNWIND_NR_OWN_RULES
			       ? walked->code.leaf_rule
			       : UNWIND_NO_RULE;
	return is_noted(w, f->sp - 8) ? UNWIND_RULE_WORD : UNWIND_NO_RULE;
}

/*
 * Finds the rule for code without a table in @mapping, by the program's notes. *@rule is left alone
 * if there is none. Returns 0 or -ENOMEM.
 */
static int find_made_rule(struct stack_walk *walk, const struct unwind_mapping *mapping,
			  const struct unwind_rule **rule)
{
	bool is_shared = mapping->pages == UNWIND_SHARED_MEMORY;
	uint32_t nr = UNWIND_NO_RULE;

	if (walked->code.kind == EARLY_CODE_LOOP && is_shared)
		return find_loop_rule(walk, mapping, rule);
	if (walked->code.kind == EARLY_CODE_STUB && !is_shared)
		nr = stub_rule(&walk->w);
	else if (walked->code.kind == EARLY_CODE_TRACE && !is_shared)
		nr = trace_rule(&walk->w);
	if (nr != UNWIND_NO_RULE) {
		*rule = table_maps_own_rule(walk->store, nr);
		return 0;
	}
	return find_regex_rule(walk, rule);
}

/*
 * Looks up the code of the frame that the walk of @walked has come to. *@rule is NULL if there is
 * no table. Returns 0 or -ENOMEM.
 */
static int find_rule(struct stack_walk *walk, bool *is_mapped, const struct unwind_rule **rule)
{
	struct unwind_walk *w = &walk->w;
	uint64_t pc = unwind_lookup_pc(&w->frame);
	struct unwind_mapping mapping = {0};
	bool has_regex;
	int found = walk->finder->find(walk->finder->ctx, walked, pc, &mapping, &has_regex);

	if (found == -ENOMEM)
		return found;
	*is_mapped = found != 0; /* -EAGAIN: it may be */
	*rule = NULL;
	if (found == 1 && UNWIND_NR_PAGES(mapping.pages))
		*rule = table_maps_find(walk->store, &mapping, pc);
	else if (found == 1 && may_get_table(&mapping))
		w->is_early = true;
	else if (found == 1)
		return find_made_rule(walk, &mapping, rule);
	else
		/*
		 * This code runs, or a table led to it. So it is mapped, and the known mappings are
		 * of another time.
		 */
		w->is_early |= found || !w->by_fp;
	return 0;
}

/* The functions that the program found for the sample at hand. */
struct functions {
	_Alignas(struct language_stack) char bytes[LANGUAGE_STACK_SIZE(EARLY_WORDS)];
};

static struct language_stack *language_stack_of(struct functions *functions)
{
	return (struct language_stack *)functions->bytes;
}

/* Of a list that was cut, only segments that are whole have a place. */
static void load_functions(struct functions *functions)
{
	struct language_stack *s = language_stack_of(functions);

	s->places = (struct language_places){0};
	s->loops = walked->loops;
	s->loop_places = (struct loop_places){0};
	s->nr_words = walked->nr_words;
	s->nr_segments = 0;
	memcpy(s->words, walked->words, sizeof(walked->words));
	for (uint32_t i = 0; i < walked->nr_segments; i++)
		if (walked->segments[i].end <= s->nr_words)
			s->segments[s->nr_segments++] = walked->segments[i];
	if (s->nr_segments < s->loops.nr_segments) {
		s->loops.nr_segments = s->nr_segments;
		s->loops.is_whole = 0;
	}
}

/* The next word that is no native frame, after the end of the walk also one without a place. */
static bool take_function(struct functions *functions, const struct unwind_walk *w, __u64 *word)
{
	struct language_stack *s = language_stack_of(functions);

	if (s->loops.code.loop_bytes)
		return false;
	return places_take(s, EARLY_WORDS, word) ||
	       (w->end != STACK_GOES_ON && places_take_rest(s, EARLY_WORDS, word));
}

/* The frame pointer may be anywhere in the stack. Puts it among the registers, if it is known. */
static void resolve_fp(struct unwind_frame *f)
{
	if (unwind_get_reg(f, UNWIND_REG_FP, &f->regs[UNWIND_REG_FP]))
		f->lost |= 1u << UNWIND_REG_FP;
	f->fp_at = 0;
}

/*
 * Finds the frames of Java from the frame at hand on. They are found once: the process may change
 * before the rest of the stack can be walked. Returns 1, 0 if there are none, or -ENOMEM.
 */
static int find_stretch(struct stack_walk *walk)
{
	const struct early_finder *finder = walk->finder;
	const struct unwind_frame *f = &walk->w.frame;
	struct early_stretch new = {.pc = f->pc, .sp = f->sp, .next = *f};
	int ret;

	for (walk->stretch = 0; walk->stretch < walk->early->stretches.nr; walk->stretch++) {
		const struct early_stretch *have = &walk->early->stretches.data[walk->stretch];

		if (have->pc == f->pc && have->sp == f->sp)
			return 1;
	}
	if (!finder->walk_java || walk->early->stretches.nr == STRETCHES_MAX)
		return 0;
	resolve_fp(&new.next);
	ret = finder->walk_java(finder->java_ctx, walked, &new.next, &new.found);
	if (ret <= 0)
		return ret;
	ret = vec_push(&walk->early->stretches, new);
	return ret ? ret : 1;
}

/* The next frame of the stretch at hand. Returns false if there is none. */
static bool take_java(struct stack_walk *walk, __u64 *address)
{
	const struct java_stretch *found;

	if (!walk->has_stretch)
		return false;
	found = &walk->early->stretches.data[walk->stretch].found;
	walk->has_stretch = walk->at < found->nr;
	if (walk->has_stretch)
		*address = found->frames[walk->at++].address;
	return walk->has_stretch;
}

/*
 * Goes over frames of Java, if the frame at hand is one. Returns 1 with *@address of the first one,
 * 0 if it is none, or -ENOMEM.
 */
static int enter_java(struct stack_walk *walk, __u64 *address)
{
	struct unwind_walk *w = &walk->w;
	const struct early_stretch *stretch;
	__u64 exact;
	int ret = find_stretch(walk);

	if (ret <= 0)
		return ret;
	stretch = &walk->early->stretches.data[walk->stretch];
	exact = unwind_keep_frame(w, w->frame.has_regs) & STACK_FRAME_EXACT;
	w->frame = stretch->next;
	w->end = stretch->found.end;
	w->by_fp = true;
	walk->at = 0;
	walk->has_stretch = true;
	if (!take_java(walk, address))
		return 0; /* cannot be: a stretch has a frame */
	if (!word_is_function(*address))
		*address |= exact;
	return 1;
}

/*
 * Goes from a native frame to its caller. Returns 1 with *@address, 0 if the frame does not belong
 * to the stack, -EAGAIN when too little is known, or -ENOMEM.
 */
static int walk_native_frame(struct stack_walk *walk, struct functions *functions, __u64 *address)
{
	struct unwind_walk *w = &walk->w;
	struct language_stack *s = language_stack_of(functions);
	const struct unwind_rule *rule;
	__u64 sp = w->frame.sp;
	bool is_mapped;
	int ret = enter_java(walk, address);

	if (!ret)
		ret = find_rule(walk, &is_mapped, &rule);
	if (ret)
		return ret;
	if (w->is_early && !walk->is_last)
		return -EAGAIN;
	if (!unwind_enter_frame(w, is_mapped))
		return 0;
	w->leaf = w->has_leaf ? UNWIND_LEAF_UNKNOWN : walked->leaf;
	unwind_leave_frame(w, rule, address);
	if (w->end == STACK_GOES_ON)
		places_hold(s, EARLY_WORDS, sp, w->frame.sp, address);
	return 1;
}

/* Puts functions without marks among the frames in scratch. Returns 0 or -ENOMEM. */
static int place_by_loops(struct early_samples *early, struct language_stack *s,
			  enum stack_end *end)
{
	uint32_t nr, kept, at;
	__u64 word;

	for (size_t i = 0; i < early->scratch.nr; i++)
		loops_look_at(s, i, early->scratch.data[i]);
	nr = loops_decide(s, early->max_depth, early->scratch.nr, *end);
	kept = min_u64(nr, early->max_depth);
	if (vec_reserve(&early->scratch, kept - early->scratch.nr))
		return -ENOMEM;
	early->scratch.nr = kept;
	while (loops_next(s, early->max_depth, early->scratch.data, &word, &at))
		if (at < kept)
			early->scratch.data[at] = word;
	if (nr > kept && *end != STACK_END_EARLY)
		*end = STACK_END_CUT;
	return 0;
}

/*
 * Walks @walked into scratch. @walk says how. Returns 0, -EAGAIN when too little is known, or
 * -ENOMEM.
 */
static int walk_stack(struct early_samples *early, struct stack_walk *walk, enum stack_end *end)
{
	struct unwind_walk *w = &walk->w;
	struct functions functions;
	struct language_stack *s;
	__u64 address;

	load_functions(&functions);
	walk->functions = language_stack_of(&functions);
	memcpy(w->frame.regs, walked->regs, sizeof(w->frame.regs));
	w->is_at_entry = walked->is_at_entry;
	unwind_begin(&w->frame);
	vec_clear(&early->scratch);
	while (early->scratch.nr < early->max_depth) {
		if (!take_java(walk, &address) && !take_function(&functions, w, &address)) {
			int ret;

			if (w->end != STACK_GOES_ON)
				break;
			walk->depth = early->scratch.nr;
			ret = walk_native_frame(walk, &functions, &address);
			if (ret < 0)
				return ret;
			if (!ret)
				continue;
		}
		if (vec_push(&early->scratch, address))
			return -ENOMEM;
	}
	s = language_stack_of(&functions);
	if (!s->loops.code.loop_bytes && places_are_left(s))
		w->end = STACK_GOES_ON; /* the stack is cut */
	if (take_java(walk, &address))
		w->end = STACK_GOES_ON;
	*end = unwind_walk_end(w);
	/* The stack may be longer than its copy. */
	if (*end == STACK_END_UNREADABLE)
		*end = STACK_END_EARLY;
	return s->loops.code.loop_bytes ? place_by_loops(early, s, end) : 0;
}

/* Replaces the copy of the stack by the frames in scratch. Returns 0 or -ENOMEM. */
static int keep_frames(struct early_samples *early, struct early *e)
{
	size_t size = early->scratch.nr * sizeof(*e->frames);

	e->frames = malloc(size ? size : 1);
	if (!e->frames)
		return -ENOMEM;
	memcpy(e->frames, early->scratch.data, size);
	e->nr_frames = early->scratch.nr;
	release_raw(early, e);
	return 0;
}

int early_samples_walk(struct early_samples *early, struct table_maps *store,
		       const struct early_finder *finder, bool is_last)
{
	int ret = 0;

	if (!early->nr_raw)
		return 0;
	vec_for_each(&early->samples, e) {
		struct stack_walk walk = {.early = e,
					  .finder = finder,
					  .store = store,
					  .is_last = is_last && e->is_taken};

		if (!e->raw)
			continue;
		walked = e->raw;
		walking = &walk;
		ret = walk_stack(early, &walk, &e->end);
		if (!ret)
			ret = keep_frames(early, e);
		if (ret == -ENOMEM)
			break;
		ret = 0;
	}
	return ret;
}

static void release_sample(struct early_samples *early, struct early *e)
{
	release_raw(early, e);
	free(e->frames);
}

void early_samples_take(struct early_samples *early, uint32_t set)
{
	vec_for_each(&early->samples, e)
		e->is_taken |= e->set == set;
}

void early_samples_forget(struct early_samples *early)
{
	size_t nr = 0;

	vec_for_each(&early->samples, e) {
		if (e->is_taken)
			release_sample(early, e);
		else
			early->samples.data[nr++] = *e;
	}
	early->samples.nr = nr;
}

void early_samples_deinit(struct early_samples *early)
{
	vec_for_each(&early->samples, e)
		release_sample(early, e);
	vec_free(&early->samples);
	vec_free(&early->scratch);
}
