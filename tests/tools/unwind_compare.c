// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares our unwinding by tables with libdwfl's:
 *
 *	unwind_compare [-n STOPS] [-s STEPS] [-d MAX-DELAY-US] [-v] COMMAND [ARG...]
 *
 * It runs the command, again and again if it is short. It stops a thread of the command or of a
 * child at STOPS random moments, and both walk the stack. With -s the thread then goes on by STEPS
 * single instructions, and both walk after each. That leads through prologues and epilogues.
 *
 * It prints how much was the same, and each kind of difference with its function and the rule that
 * was applied. The exit status is 0 whatever was found, unless no thread could be stopped.
 */
#include <elf.h>
#include <getopt.h>
#include <inttypes.h>

#include "common/parse.h"
#include "tests/tools/dwfl_walk.h"
#include "tests/tools/tracees.h"
#include "tests/unit/random.h"

#define MAX_KINDS 4096

/* The mappings of a thread, and libdwfl's view of it. */
struct view {
	char_vec maps; /* the text of /proc/PID/maps from which the rest was made */
	unsigned int nr_execs;
	table_mapping_vec mappings;
	Dwfl *dwfl;
};

/* A kind of difference. */
struct kind {
	char text[512];
	size_t nr;
};

struct comparison {
	struct table_files files;
	struct tracees tracees;
	struct random random;
	uint64_t wanted, steps, delay_us;
	bool is_verbose;
	uint64_t stops, identical, at_root, gave_up, other_callers;
	uint64_t frames, same_frames;
	uint64_t regs, same_regs, lost_regs;
	VEC(struct kind) kinds;
	struct walk ours, theirs;
};

static const char *const end_names[] = {
	[STACK_END_CUT] = "the depth limit",   [STACK_END_ROOT] = "the root",
	[STACK_END_NO_TABLE] = "no table",     [STACK_END_BAD_RULE] = "a bad rule",
	[STACK_END_UNREADABLE] = "unreadable",
};

static void view_free(void *data)
{
	struct view *view = data;

	vec_free(&view->maps);
	vec_free(&view->mappings);
	dwfl_end(view->dwfl);
	free(view);
}

/* The view of a stopped thread, made anew if its mappings have changed. NULL: it is gone. */
static struct view *view_get(struct comparison *c, struct tracee *t)
{
	_cleanup_(cleanup_free) char *copy = NULL;
	struct view *view = t->data;
	char_vec maps = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", t->tid);
	if (read_file(path, WALK_MAX_MAPS, &maps) || !maps.nr) {
		vec_free(&maps);
		return NULL;
	}
	if (view && view->nr_execs != t->nr_execs) {
		view_free(view);
		t->data = view = NULL;
	}
	if (view && view->maps.nr == maps.nr && memcmp(view->maps.data, maps.data, maps.nr) == 0) {
		vec_free(&maps);
		return view;
	}
	copy = strdup(maps.data);
	if (!view)
		t->data = view = calloc(1, sizeof(*view));
	if (!copy || !view)
		errx(1, "out of memory");
	view->nr_execs = t->nr_execs;
	vec_free(&view->maps);
	view->maps.data = maps.data;
	view->maps.nr = maps.nr;
	view->maps.cap = maps.cap;
	table_mappings_read(&c->files, t->tid, copy, &view->mappings);
	if (view->dwfl)
		dwfl_walk_report(view->dwfl, t->tid);
	else
		view->dwfl = dwfl_walk_create(t->tid);
	return view;
}

static void rule_print(char *text, size_t size, const struct unwind_rule *r)
{
	snprintf(text, size, "cfa %u reg %u off %d add %d, ra %u reg %u, fp %u %d, kept %u %d",
		 r->cfa, r->cfa_reg, r->cfa_off, r->cfa_add, r->ra, r->ra_reg, r->fp, r->fp_off,
		 r->kept, r->kept_off);
}

/* Counts a difference between the callers of @frame, or between how the walks end there. */
static void note_difference(struct comparison *c, const struct view *view,
			    const struct walk_frame *frame, const char *what)
{
	const struct table_mapping *m = table_mapping_at(&view->mappings, frame->pc);
	Dwfl_Module *module = dwfl_addrmodule(view->dwfl, frame->pc);
	const char *name = module ? dwfl_module_addrname(module, frame->pc) : NULL;
	struct kind kind = {.nr = 1};
	char rule[128];

	rule_print(rule, sizeof(rule), &frame->rule);
	snprintf(kind.text, sizeof(kind.text), "%s, after %s in %s+%#" PRIx64 " (%s)", what,
		 name ? name : "?", m ? m->name : "?",
		 m ? frame->pc - m->start + m->pgoff : frame->pc, rule);
	vec_for_each(&c->kinds, k) {
		if (strcmp(k->text, kind.text) == 0) {
			k->nr++;
			return;
		}
	}
	if (c->kinds.nr < MAX_KINDS && vec_push(&c->kinds, kind))
		errx(1, "out of memory");
}

static void compare_reg(struct comparison *c, const struct view *view, size_t i, const char *name,
			bool has, uint64_t ours, bool have, uint64_t theirs)
{
	char what[96];

	if (!have)
		return;
	c->regs++;
	if (!has)
		c->lost_regs++;
	else if (ours == theirs)
		c->same_regs++;
	if (!has || ours == theirs)
		return;
	snprintf(what, sizeof(what), "another %s", name);
	note_difference(c, view, &c->ours.frames[i ? i - 1 : 0], what);
}

/*
 * Does the rule for @frame take the caller from a register that libdwfl does not know there? It
 * ends the walk then, as at a root. It forgets a register that the next inner function has not
 * saved. The code of the dynamic loader that saves all registers keeps its frame in rbx of x86-64,
 * and the processor decides which code that is (_dl_runtime_resolve_xsavec and others).
 */
static bool has_lost_base(const struct unwind_rule *rule, const struct walk_frame *frame)
{
	if (rule->cfa != UNWIND_CFA_REG && rule->cfa != UNWIND_CFA_DEREF)
		return false;
	return (rule->cfa_reg == UNWIND_REG_KEPT && !frame->has_kept) ||
	       (rule->cfa_reg == UNWIND_REG_FP && !frame->has_fp);
}

/*
 * The first @i frames are the same in both walks. Returns why the rest cannot be compared; NULL if
 * it can be, or if there is no rest. @gave_up is the result of dwfl_walk().
 */
static const char *why_incomparable(const struct comparison *c, const struct view *view, size_t i,
				    const char *gave_up)
{
	const bool has_rest = i < c->ours.nr || i < c->theirs.nr;

	if (has_rest && i && !dwfl_walk_knows(view->dwfl, c->ours.frames[i - 1].lookup_pc))
		return gave_up ? gave_up : "it went along the frame pointer";
	if (i != c->theirs.nr)
		return NULL;
	if (has_rest && i && has_lost_base(&c->ours.frames[i - 1].rule, &c->theirs.frames[i - 1]))
		return "it lost the register of the rule";
	return gave_up;
}

/* Counts the frames that are the same in both walks, and notes the first difference. */
static void compare_frames(struct comparison *c, const struct view *view, const char *gave_up)
{
	const struct walk *ours = &c->ours, *theirs = &c->theirs;
	size_t nr = ours->nr < theirs->nr ? ours->nr : theirs->nr, i = 0;
	char what[256];

	while (i < nr && ours->frames[i].pc == theirs->frames[i].pc &&
	       ours->frames[i].sp == theirs->frames[i].sp) {
		const struct walk_frame *a = &ours->frames[i], *b = &theirs->frames[i];

		compare_reg(c, view, i, "fp", a->has_fp, a->fp, b->has_fp, b->fp);
		compare_reg(c, view, i, "kept register", a->has_kept, a->kept, b->has_kept,
			    b->kept);
		i++;
	}
	c->same_frames += i;
	gave_up = why_incomparable(c, view, i, gave_up);
	if (gave_up) {
		c->frames += i;
		c->gave_up++;
		if (ours->end == STACK_END_ROOT)
			snprintf(what, sizeof(what), "libdwfl gives up, we reach the root (%s)",
				 gave_up);
		else
			snprintf(what, sizeof(what), "libdwfl gives up (%s)", gave_up);
	} else if (i == ours->nr && i == theirs->nr) {
		c->frames += i;
		c->identical++;
		return;
	} else {
		c->frames += ours->nr > theirs->nr ? ours->nr : theirs->nr;
		c->other_callers += i < nr;
		snprintf(what, sizeof(what), "%s",
			 i < nr         ? "the caller differs"
			 : i < ours->nr ? "libdwfl has no caller"
					: end_names[ours->end]);
	}
	note_difference(c, view, &ours->frames[i ? i - 1 : 0], what);
}

static void walk_print(const struct walk *walk, const char *whose)
{
	printf("  %s:", whose);
	for (size_t i = 0; i < walk->nr; i++)
		printf(" %" PRIx64 "/%" PRIx64, walk->frames[i].pc, walk->frames[i].sp);
	printf(" %s\n", end_names[walk->end]);
}

/* Walks the stack of a stopped thread both ways, and compares. */
static void compare_walks(struct comparison *c, struct tracee *t)
{
	uint64_t identical = c->identical;
	struct user_regs_struct regs;
	struct iovec set = {&regs, sizeof(regs)};
	struct view *view = view_get(c, t);
	const char *gave_up;

	if (!view || ptrace(PTRACE_GETREGSET, t->tid, NT_PRSTATUS, &set))
		return;
	table_walk(&c->files, &view->mappings, t->tid, &regs, &c->ours);
	gave_up = dwfl_walk(view->dwfl, t->tid, &c->theirs);
	c->stops++;
	c->at_root += c->ours.end == STACK_END_ROOT;
	compare_frames(c, view, gave_up);
	if (c->is_verbose && c->identical == identical) {
		printf("%d:\n", t->tid);
		walk_print(&c->ours, "ours");
		walk_print(&c->theirs, "theirs");
	}
}

/* Lets @t run for one instruction. Returns false if @t ended. */
static bool step_thread(struct comparison *c, struct tracee *t)
{
	pid_t tid = t->tid;
	struct tracee *at;

	tracee_resume(t, true);
	while ((at = tracees_wait(&c->tracees, 100000000))) {
		if (at->tid == tid)
			return true;
		tracee_resume(at, false);
	}
	return false;
}

/* Stops a thread after a random time. NULL: there are no threads any more. */
static struct tracee *stop_thread(struct comparison *c)
{
	const int64_t delay_ns = random_below(&c->random, c->delay_us * 1000);
	struct tracee *t = tracees_wait(&c->tracees, delay_ns);

	/*
	 * A thread may be unable to stop now, as a parent in vfork() is. So others are asked, too.
	 */
	while (!t && c->tracees.all.nr) {
		tracee_ask(c->tracees.all.data[random_below(&c->random, c->tracees.all.nr)]);
		t = tracees_wait(&c->tracees, 1000000);
	}
	return t;
}

/* Runs the command once. */
static void compare_command(struct comparison *c, char **argv)
{
	uint64_t before = c->stops;

	tracees_start(&c->tracees, argv);
	while (c->stops < c->wanted) {
		struct tracee *t = stop_thread(c);

		if (!t)
			break;
		compare_walks(c, t);
		for (uint64_t i = 0; t && i < c->steps && c->stops < c->wanted; i++) {
			if (step_thread(c, t))
				compare_walks(c, t);
			else
				t = NULL;
		}
		if (t)
			tracee_resume(t, false);
	}
	tracees_end(&c->tracees);
	if (c->stops == before)
		errx(1, "'%s' ended before it could be stopped", argv[0]);
}

static int compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return x->nr != y->nr ? (x->nr < y->nr ? 1 : -1) : strcmp(x->text, y->text);
}

static void print_summary(struct comparison *c)
{
	printf("stops %" PRIu64 " identical %" PRIu64 " root %" PRIu64 " gave-up %" PRIu64
	       " other-callers %" PRIu64 " frames %" PRIu64 " same-frames %" PRIu64
	       " registers %" PRIu64 " same-registers %" PRIu64 " lost %" PRIu64 "\n",
	       c->stops, c->identical, c->at_root, c->gave_up, c->other_callers, c->frames,
	       c->same_frames, c->regs, c->same_regs, c->lost_regs);
	if (c->kinds.nr)
		qsort(c->kinds.data, c->kinds.nr, sizeof(c->kinds.data[0]), compare_kinds);
	for (size_t i = 0; i < c->kinds.nr; i++)
		printf("%6zu x %s\n", c->kinds.data[i].nr, c->kinds.data[i].text);
}

int main(int argc, char **argv)
{
	static struct comparison c = {.random = {1}, .wanted = 1000, .delay_us = 2000};
	uint64_t *numbers[] = {['n'] = &c.wanted, ['s'] = &c.steps, ['d'] = &c.delay_us};
	int opt;

	c.tracees.free_data = view_free;
	while ((opt = getopt(argc, argv, "+n:s:d:v")) != -1) {
		if (opt == 'v')
			c.is_verbose = true;
		else if (opt == '?' || parse_u64(optarg, 1, 1000000000, numbers[opt]))
			errx(2,
			     "usage: unwind_compare [-n STOPS] [-s STEPS] [-d MAX-DELAY-US] [-v] COMMAND [ARG...]");
	}
	if (optind == argc)
		errx(2, "a command is missing");
	while (c.stops < c.wanted)
		compare_command(&c, argv + optind);
	print_summary(&c);
	vec_for_each(&c.files.files, f)
		if (!f->status)
			unwind_table_deinit(&f->table);
	vec_free(&c.files.files);
	vec_free(&c.kinds);
	vec_free(&c.tracees.all);
	return 0;
}
