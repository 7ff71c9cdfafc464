/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the user's stack by unwind tables, so that programs need no frame pointers.
 *
 * An example. A sample hits process 4711, a python3, in malloc of Debian 12's libc.so.6.
 *
 * 1. Registers. walk_user_stack() takes those with which user space entered the kernel, wherever
 *    the sample hit. Here pc is 0x7f635f8b6aca and sp is 0x7ffc0d81e540.
 * 2. Process. find_space() looks up unwind_spaces[4711] and compares space_id: the process may have
 *    called exec since, or the id may be another process's now. The entry says that the process has
 *    6 executable mappings, from unwind_mappings[264] on.
 * 3. Mapping. search_mappings() finds pc in libc's mapping [0x7f635f844000, 0x7f635f99a000). Its
 *    bias is 0x7f635f83e000. Its table is the 22 pages from unwind_pages[120] on.
 * 4. Page. pc is 0x78aca above the bias. So find_rule() looks into page 7 of the table, which is
 *    unwind_pages[127], for offset 0x8aca. The page says that its 2162 rows begin at row 532480.
 *    They are in unwind_segments[2], as a segment has 262144 rows.
 * 5. Row. The last row that begins at or below 0x8aca begins at 0x8ab8, and names rule 57.
 * 6. Rule. unwind_rules[57] says: the CFA is sp + 48. The return address is at CFA - 8, the
 *    caller's fp at CFA - 24, its kept register at CFA - 32.
 * 7. Caller. unwind_step() reads one word, the return address at 0x7ffc0d81e568. It is
 *    0x7f635fbaf898 in libpython3.11. The caller's sp is the CFA, 0x7ffc0d81e570. The step notes
 *    where the caller's fp and kept register are, and does not read them.
 *
 * walk_frame() repeats steps 3 to 7 for each frame. It looks callers up at the byte before the
 * return address, here 0x7f635fbaf897. A frame that a signal interrupted has no return address: it
 * is looked up as it is, and marked with STACK_FRAME_EXACT. The mappings are searched only if a
 * frame is not in the mapping of the frame before. The 16th frame is _start of python3.11. Its rule
 * says that the return address is undefined. So the stack is complete, STACK_END_ROOT.
 *
 * Other ends. If there are more than max_depth frames, the stack is cut there: STACK_END_CUT. The
 * walk leaves code without a table along fp, and the caller may have a table again. If fp is no
 * frame pointer, the end is STACK_END_NO_TABLE. If a rule cannot be applied, the end is
 * STACK_END_BAD_RULE or STACK_END_UNREADABLE. bpf/walk/unwind_walk.h decides this. If the mappings
 * of the process are not to be had, walk_user_stack() returns WALK_IMPOSSIBLE, and the caller takes
 * the stack along frame pointers.
 *
 * Interpreted languages. Before the walk, find_stack_functions() collects the functions of the
 * thread (bpf/languages/stack_functions.h). walk_frame() keeps those with marks among the frames
 * (bpf/languages/language_places.h).
 *
 * Questions. The program asks the recorder through the ring buffer unwind_wants:
 *
 * - for the mappings of a process, when unwind_spaces has no entry with its space_id (step 2);
 * - for the mappings once more, when an address is in none of them (step 3);
 * - for a table, when a sample hits a mapping that says UNWIND_TABLE_WANTED (step 4).
 *
 * The recorder reads /proc/PID/maps, or has the table made (record/unwind/unwinder.c). The program
 * repeats a question about mappings after ASK_AGAIN_NS. When the recorder has looked in vain, it
 * settles the process: it sets the time before which the program is not to ask again. If the number
 * of executable pages changes, the program asks before that time.
 *
 * New processes of probes. Hits do not wait for the mappings of a process whose files have tables
 * already: find_file_mapping() asks the kernel for the file at an address, and unwind_files for its
 * table. Only a stack that comes to its root in this way counts.
 *
 * Early samples. As long as an answer may come, a sample is early. If nothing is known of the
 * process, walk_user_stack() returns WALK_EARLY, and the caller takes the stack along frame
 * pointers. If a mapping or a table is missing on the way, the walk goes on along fp and ends with
 * STACK_END_EARLY. In both cases submit_early() gives the recorder the registers and a copy of the
 * stack, which the recorder walks later. The stack that was found here counts only if the ring
 * buffer early_samples has no room.
 *
 * Who writes the maps:
 *
 * - unwind_spaces: the recorder. The program adds processes, gives them their space_id, and notes
 *   when it has asked.
 * - unwind_mappings: the recorder. The program notes that it has asked for a table, and has room of
 *   its own behind, a mapping for each CPU and level.
 * - unwind_files: the recorder.
 * - unwind_pages, unwind_rules, unwind_segments: the recorder. A table does not change until the
 *   recorder forgets it.
 * - unwind_wants, early_samples: the program.
 * - walk_memories, language_stacks, submissions, early_notes, buffers: the program. They are memory
 *   for each CPU that does not fit the BPF stack.
 *
 * The recorder writes while programs read. A table is in its maps before a mapping refers to it.
 * When the mappings of a process change, they get new room, and unwind_spaces then refers to that.
 * Nobody writes to the old room, or to that of a forgotten table, before all programs have finished
 * that may read it (record/unwind/space_maps.h, record/unwind/file_tables.h).
 */
#ifndef BPF_WALK_USER_STACK_H
#define BPF_WALK_USER_STACK_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/made/beam_frames.h"
#include "bpf/walk/depth_limit.h"
#include "bpf/walk/file_mapping.h"
#include "bpf/walk/first_frame.h"
#include "bpf/walk/leaf_frame.h"
#include "bpf/languages/interpreters.h"
#include "bpf/made/java_frames.h"
#include "bpf/made/java_names.h"
#include "bpf/kernel.h"
#include "bpf/languages/language_places.h"
#include "bpf/made/made_frames.h"
#include "bpf/languages/node_frames.h"
#include "bpf/made/regex_frames.h"
#include "bpf/languages/seen_functions.h"
#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/walk/stack_window.h"
#include "bpf/walk/table_search.h"
#include "bpf/walk/task_image.h"
#include "bpf/walk/unwind.h"
#include "bpf/walk/unwind_walk.h"
#include "bpf/walk/user_registers.h"

/* Set before load. */
__setting bool unwind_by_tables;

enum side { SIDE_USER, SIDE_KERNEL, NR_SIDES };

/* The buffer of @side for the program that has @level. */
#define BUFFER_OF(level, side) ((level)*NR_SIDES + (side))

/* Stack buffers for each CPU, one for each side and level. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SIDES); /* of each level, set before load */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct stack_line)); /* of each line, set before load */
} buffers SEC(".maps");

static __patched_once struct stack_entry *buffer_of(__u32 at)
{
	return bpf_map_lookup_elem(&buffers, &at);
}

/* The program waits this long for an answer of the recorder before it asks again. */
#define ASK_AGAIN_NS 10000000ULL

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_wants SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} early_samples SEC(".maps");

struct user_walk {
	struct walk_memory *memory;
	struct stack_entry *stack;
	struct unwind_space *space;       /* may become another process's while the walk goes on */
	struct language_stack *functions; /* of interpreted languages, if has_functions */
};

/* Are there functions of interpreted languages for this walk? */
static __always_inline bool has_functions(const struct user_walk *w)
{
	return walk_languages && w->memory->has_functions;
}

/* Asks for the table of the mapping at @pc. If @pc is 0, asks for the mappings of the process. */
__verified_once int ask_recorder(__u32 tgid, __u64 space_id, __u64 pc, __u32 exec_pages)
{
	struct unwind_want want = {.space_id = space_id,
				   .pc = pc,
				   .tgid = tgid,
				   .exec_pages = exec_pages,
				   .uid = bpf_get_current_uid_gid()};

	return bpf_ringbuf_output(&unwind_wants, &want, sizeof(want), BPF_RB_FORCE_WAKEUP);
}

/*
 * Asks for the mappings of the process if ask_again_ns has come; of a settled process also if the
 * number of its executable pages has changed. The sample is early if an answer is due.
 */
static __always_inline void ask_for_mappings(struct user_walk *w)
{
	const struct walk_memory *memory = w->memory;
	struct unwind_space *space = w->space;

	if (memory->now_ns < space->ask_again_ns &&
	    (!space->is_settled || space->exec_pages == memory->exec_pages)) {
		w->memory->walk.is_early |= !space->is_settled;
		return;
	}
	w->memory->walk.is_early = true;
	space->is_settled = 0;
	space->ask_again_ns = memory->now_ns + ASK_AGAIN_NS;
	ask_recorder(memory->tgid, space->space_id, 0, memory->exec_pages);
}

/* The number of the rule for the frame at hand, in code of BEAM. */
static __always_inline __u32 find_beam_rule(const struct user_walk *w)
{
	const struct walk_memory *memory = w->memory;
	__u32 nr;

	if (look_at_beam_frame(w->space->space_id, memory->level))
		return step_beam_pointers(memory->level);
	nr = enter_beam_frame(memory->level);
	return nr == UNWIND_RULE_BEAM ? search_beam_return(memory->level) : nr;
}

/*
 * The rule for the code at @pc in mapping @m, or NULL. Asks for a table that nobody has asked for.
 */
static __always_inline const struct unwind_rule *rule_of_mapping(struct user_walk *w,
								 struct unwind_mapping *m, __u64 pc)
{
	__u64 pages = *(volatile __u64 *)&m->pages;
	__u32 nr;

	if (UNWIND_NR_PAGES(pages)) {
		nr = find_rule(pc - m->bias, pages);
	} else if (pages == UNWIND_WITHOUT_TABLE || pages == UNWIND_SHARED_MEMORY) {
		/* Code of a machine of which the recorder will know more. */
		w->memory->walk.is_early |=
			walk_languages && w->space->machine == UNWIND_MACHINE_EXPECTED;
		w->memory->code_start = m->start;
		w->memory->code_bytes = m->end - m->start;
		/* After the first frame of BEAM, the answer stays the same. */
		nr = walk_languages && w->memory->beam.has_machine
			     ? UNWIND_RULE_BEAM
			     : find_made_rule(pages, w->memory->level);
		if (walk_languages && nr == UNWIND_RULE_BEAM)
			nr = find_beam_rule(w);
		if (nr == UNWIND_NO_RULE && walk_languages && w->space->regex_bytes &&
		    has_regex_caller(w->space->regex_start, w->space->regex_bytes,
				     w->memory->level) &&
		    find_regex_rule(w->space->regex_start, w->space->regex_bytes, w->memory->level))
			return &w->memory->regex.rule;
	} else {
		w->memory->walk.is_early = true;
		if (pages == UNWIND_TABLE_WANTED &&
		    __sync_val_compare_and_swap(&m->pages, pages, UNWIND_TABLE_ASKED_FOR) == pages)
			ask_recorder(w->memory->tgid, w->space->space_id, pc, 0);
		return NULL;
	}
	return bpf_map_lookup_elem(&unwind_rules, &nr);
}

/*
 * The mapping at @pc, or NULL. Asks for the mappings of the process if the recorder has told none
 * at @pc. The sample need not wait for the answer where the file at @pc has a table, or where the
 * walk needs none.
 */
static __always_inline struct unwind_mapping *find_mapping(struct user_walk *w, __u64 pc)
{
	struct walk_memory *memory = w->memory;
	struct unwind_mapping *m = bpf_map_lookup_elem(&unwind_mappings, &memory->mapping);

	if (!m || pc < m->start || pc >= m->end) {
		memory->mapping = search_mappings(memory->first, memory->nr, pc);
		m = bpf_map_lookup_elem(&unwind_mappings, &memory->mapping);
	}
	if (!m) {
		bool is_early = memory->walk.is_early;

		ask_for_mappings(w);
		memory->mapping = find_file_mapping(pc, memory->level);
		m = bpf_map_lookup_elem(&unwind_mappings, &memory->mapping);
		if (m || is_frame_unmapped(&memory->walk))
			memory->walk.is_early = is_early;
	}
	return m;
}

/* Has the walk nothing to keep any more? Functions without a place come after the last frame. */
static __always_inline long is_walk_over(const struct user_walk *w)
{
	return w->memory->walk.end != STACK_GOES_ON && !has_functions(w);
}

static __always_inline bool take_function(struct user_walk *w, __u64 *word)
{
	if (!has_functions(w))
		return false;
	if (places_take(w->functions, max_depth, word))
		return true;
	return w->memory->walk.end != STACK_GOES_ON &&
	       places_take_rest(w->functions, max_depth, word);
}

/*
 * Goes from a frame in code of HotSpot to its caller. The caller's code has to be mapped, as after
 * a step along fp.
 */
static __always_inline void walk_java_frame(struct user_walk *w, __u64 *address)
{
	struct walk_memory *memory = w->memory;
	struct unwind_walk *walk = &memory->walk;

	*address = unwind_keep_frame(walk, walk->frame.has_regs);
	walk->end = look_at_java_frame(memory->level) ? leave_java_frame(memory->level)
						      : STACK_END_UNREADABLE;
	walk->by_fp = true;
	if (memory->java.method && find_method_word(w->space->space_id, memory->level))
		*address = memory->java.function.word;
}

/* A frame that is an Erlang function's takes its word, which the recorder learns at first sight. */
static __always_inline void keep_beam_word(const struct user_walk *w, __u64 *address)
{
	struct walk_memory *memory = w->memory;

	if (!memory->beam.word)
		return;
	*address = memory->beam.word;
	memory->beam.word = 0;
	if (!is_function_seen(&memory->beam.function))
		send_beam_function(memory->level);
}

/*
 * A frame that is a function's of JavaScript takes its word, if its name can be had. Its lowest
 * address is @sp, and the place of its call is in the scratch. If it is the innermost one, the walk
 * has passed over no function of JavaScript.
 */
static __always_inline void keep_node_word(const struct user_walk *w, __u64 sp, __u64 *address)
{
	const struct walk_memory *memory = w->memory;
	__u32 found;

	if (!w->memory->walk.by_fp || w->memory->walk.end != STACK_GOES_ON ||
	    !w->space->interpreter)
		return;
	if (memory->node.pc - memory->code_start >= memory->code_bytes)
		w->memory->node.pc = 0;
	found = find_node_word(sp, w->space->space_id, w->space->interpreter - 1, memory->level);
	if (found == NODE_WORD_SEEN ||
	    (found == NODE_WORD_NEW &&
	     send_node_function(w->space->interpreter - 1, memory->level))) {
		*address = memory->node.function.word;
		if (sp == memory->walk.frame.regs[UNWIND_REG_SP])
			w->memory->walk.is_uncertain = false;
	}
}

/* Notes where the frame at hand of @level has its return address. Returns 0. */
__verified_once int look_at_leaf(__u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);

	if (memory)
		memory->walk.leaf = find_leaf(&memory->walk.frame);
	return 0;
}

/*
 * Goes from a native frame to its caller. Returns false if the frame does not belong to the stack.
 */
static __always_inline bool walk_native_frame(struct user_walk *w, __u64 *address)
{
	struct unwind_walk *walk = &w->memory->walk;
	__u64 pc = unwind_lookup_pc(&walk->frame), sp = walk->frame.sp;
	const struct unwind_rule *rule;
	struct unwind_mapping *m;

	if (walk_languages && pc - w->memory->java_low < w->memory->java_bytes) {
		walk_java_frame(w, address);
		return true;
	}
	/* V8 describes the places of calls, and not others. */
	if (walk_languages)
		w->memory->node.pc = walk->frame.has_regs ? 0 : pc;
	m = find_mapping(w, pc);
	if (!unwind_enter_frame(walk, m || is_frame_unmapped(walk)))
		return false;
	rule = m ? rule_of_mapping(w, m, pc) : NULL;
	if (unwind_needs_leaf(walk, rule))
		look_at_leaf(w->memory->level);
	unwind_leave_frame(walk, rule, address);
	barrier(); /* else the verifier follows each way out of the step */
	if (walk_languages) {
		keep_beam_word(w, address);
		keep_node_word(w, sp, address);
	}
	if (has_functions(w) && walk->end == STACK_GOES_ON)
		places_hold(w->functions, max_depth, sp, walk->frame.sp, address);
	return true;
}

/* Adds a frame to the stack and goes on to its caller. bpf_loop ends when this returns 1. */
static long walk_frame(__u32 i, struct user_walk *w)
{
	/* A turn that keeps nothing leaves its place to the next. */
	__u32 at = walk_languages ? w->stack->nr_frames : i;
	__u64 *address;

	if (at >= max_depth)
		return 1;
	address = &w->stack->frames[at];
	if (!take_function(w, address)) {
		if (w->memory->walk.end != STACK_GOES_ON)
			return 1;
		if (!walk_native_frame(w, address))
			return is_walk_over(w);
	}
	w->stack->nr_frames = at + 1;
	return is_walk_over(w);
}

/* Adds a process of whose mappings nothing is known. Returns 0 or a negative errno. */
__verified_once int add_space(__u32 tgid, __u64 space_id, __u64 ask_again_ns)
{
	const struct unwind_space unknown = {.space_id = space_id, .ask_again_ns = ask_again_ns};

	return (int)bpf_map_update_elem(&unwind_spaces, &tgid, &unknown, BPF_NOEXIST);
}

/*
 * The entry of the process in unwind_spaces; NULL if nothing is known of its mappings. Then this
 * asks the recorder, and *@is_early says whether it may know them later.
 */
static __always_inline struct unwind_space *find_space(__u32 tgid, __u64 space_id, __u64 now_ns,
						       __u32 exec_pages, bool *is_early)
{
	struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &tgid);
	__u64 ask_again_ns = now_ns + ASK_AGAIN_NS;

	if (space && !space->space_id)
		space->space_id = space_id;
	if (space && space->space_id == space_id && space->nr)
		return space;
	if (!space) {
		/* Without room for the process, an answer would be of no use. */
		if (add_space(tgid, space_id, ask_again_ns) == -E2BIG)
			return NULL;
	} else {
		if (space->space_id == space_id && now_ns < space->ask_again_ns) {
			*is_early = !space->is_settled;
			return NULL;
		}
		/* The entry is of another address space, or no answer came, or it is time again. */
		space->nr = 0;
		space->interpreter = 0;
		space->machine = UNWIND_NO_MACHINE;
		space->regex_bytes = 0;
		space->has_context = 0;
		space->space_id = space_id;
		space->is_settled = 0;
		space->ask_again_ns = ask_again_ns;
	}
	ask_recorder(tgid, space_id, 0, exec_pages);
	*is_early = true;
	return NULL;
}

/*
 * What the walk needs to know of languages: the functions that find_stack_functions found, and
 * where HotSpot has its code. Returns false if the maps are not to be had.
 */
static __always_inline bool begin_languages(struct user_walk *w)
{
	struct walk_memory *memory = w->memory;
	const struct java_machine *java = NULL;

	w->functions = language_stack_of(memory->level);
	if (!w->functions)
		return false; /* cannot be: the array has the index */
	memory->has_functions = w->functions->nr_words && !w->functions->loops.code.loop_bytes;
	if (w->space->machine == UNWIND_MACHINE_READY)
		java = bpf_map_lookup_elem(&java_machines, &memory->tgid);
	memory->java_bytes = 0;
	if (java) {
		memory->java_machine = *java;
		memory->java_low = java->low;
		memory->java_bytes = java->high - java->low;
		memory->java.name_at = 0;
	}
	return true;
}

enum walk_result {
	WALK_DONE,       /* the stack is in its buffer */
	WALK_IMPOSSIBLE, /* the mappings are not to be had, or the code is not 64-bit */
	WALK_EARLY,      /* the mappings are not known yet */
};

/*
 * Walks the user stack of the current task, which must have one, into its buffer of @level. @tgid
 * and @space_id are those of the task's process, which has @exec_pages. Returns enum walk_result.
 */
__verified_once int walk_user_stack(__u32 tgid, __u64 space_id, __u64 now_ns, __u32 level,
				    __u32 exec_pages)
{
	__u32 buffer = BUFFER_OF(level, SIDE_USER);
	struct walk_memory *memory = walk_memory_begin(level);
	struct user_walk w = {.memory = memory, .stack = buffer_of(buffer)};
	__u32 without = WALK_DONE; /* the result where the files alone do not lead to the root */

	if (!unwind_by_tables || !w.stack || !memory || !regs_are_64_bit(current_user_regs()))
		return WALK_IMPOSSIBLE;
	memory->tgid = tgid;
	memory->now_ns = now_ns;
	memory->exec_pages = exec_pages;
	w.space = find_space(tgid, space_id, now_ns, exec_pages, &memory->walk.is_early);
	if (!w.space) {
		without = memory->walk.is_early ? WALK_EARLY : WALK_IMPOSSIBLE;
		memory->walk.is_early = false;
		w.space = find_files ? bpf_map_lookup_elem(&unwind_spaces, &tgid) : NULL;
	}
	if (!w.space)
		return without;
	if (walk_languages && !begin_languages(&w))
		return WALK_IMPOSSIBLE;
	memory->has_context = w.space->has_context;
	memory->first = w.space->first;
	memory->nr = w.space->nr;
	begin_frame(memory);
	w.stack->nr_frames = 0;
	bpf_loop(max_depth, walk_frame, &w, 0);
	if (has_functions(&w) && places_are_left(w.functions))
		memory->walk.end = STACK_GOES_ON; /* the stack is cut */
	w.stack->end = unwind_walk_end(&memory->walk);
	return w.stack->end == STACK_END_ROOT ? WALK_DONE : without;
}

#endif
