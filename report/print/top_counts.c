// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/top_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "common/hash.h"
#include "common/parse.h"
#include "report/model/process_name.h"
#include "report/view/owner.h"
#include "report/view/printout.h"

/*
 * The first function of the user's own code in a stack. The leaf of a stack off the CPU is always
 * the scheduler, and that of a hit is the probed function: a table of leaves answers nothing there.
 */

/* The part of a stack above which a frame is the user's own. */
struct own_leaf {
	uint32_t nr_user, nr_kernel; /* frames that are passed over, from each side's leaf */
};

/* Files of glibc and musl, and of their loaders, by the beginnings of their names. */
static const char *const c_library[] = {
	"libc.so", "libc-2.", "libpthread", "ld-linux", "ld-2.", "ld-musl", "libc.musl", NULL,
};

/* Functions of runtimes and standard libraries, by the beginnings of their names. */
static const char *const library_functions[] = {
	"runtime.", "syscall.", "internal/", "java.", "jdk.", "sun.", NULL,
};

/* Functions of the kernel that put a task to sleep. */
static const char *const scheduler[] = {
	"__schedule", "schedule", "io_schedule", "preempt_schedule", "__cond_resched", NULL,
};

static bool begins_with(const char *text, const char *const *beginnings)
{
	for (size_t i = 0; beginnings[i]; i++)
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static const struct model_object *object_of(const struct printout *p, uint32_t frame)
{
	const struct model *model = &p->rec->model;

	return &model->objects.data[model->frames.data[frame].object];
}

static const char *name_of(const struct printout *p, const struct row_side *side, uint32_t i)
{
	const struct resolved *resolved =
		symbols_frame(p->symbols, side->frames[i], i ? FRAME_CALLER : FRAME_LEAF);

	return string_set_get(&p->symbols->names, resolved->name);
}

/* Is a file of Python's standard library, and not of a package that was installed? */
static bool is_standard_library(const char *path)
{
	return path[0] == '<' || (strstr(path, "/lib/python3") && !strstr(path, "-packages/"));
}

/* Can the user have written the function at frame @i of @side? */
static bool is_own(const struct printout *p, const struct row_side *side, uint32_t i)
{
	const struct model *model = &p->rec->model;
	uint32_t frame = side->frames[i];
	const struct model_object *object = object_of(p, frame);
	const char *base = model_object_base(model, model->frames.data[frame].object);

	if (model_frame_is_source(model, frame))
		return base[0] &&
		       !is_standard_library(string_set_get(&model->strings, object->key.path)) &&
		       !begins_with(name_of(p, side, i), library_functions);
	return object->key.kind != PROF_OBJECT_NONE && object->key.kind != PROF_OBJECT_VDSO &&
	       !(object->language && object->language_role == PROF_LANGUAGE_INTERPRETER) &&
	       !begins_with(base, c_library) &&
	       !begins_with(name_of(p, side, i), library_functions);
}

/* Is frame @i of @side neither the C library's nor nobody's? */
static bool is_outside_libc(const struct printout *p, const struct row_side *side, uint32_t i)
{
	const struct model *model = &p->rec->model;
	uint32_t frame = side->frames[i];

	return object_of(p, frame)->key.kind != PROF_OBJECT_NONE &&
	       !begins_with(model_object_base(model, model->frames.data[frame].object), c_library);
}

static bool is_no_scheduler(const struct printout *p, const struct row_side *side, uint32_t i)
{
	return !begins_with(name_of(p, side, i), scheduler);
}

/*
 * Returns the first frame of @side from @first on for which @test is true, the number of frames if
 * there is none.
 */
static uint32_t find(const struct printout *p, const struct row_side *side, uint32_t first,
		     bool (*test)(const struct printout *, const struct row_side *, uint32_t))
{
	uint32_t i = first;

	while (i < side->nr && !test(p, side, i))
		i++;
	return i;
}

/* Returns 1 if the leaf of @row is a function that the recorder probed, and has a caller. */
static uint32_t nr_probed(const struct printout *p, const struct row_side *side)
{
	const struct prof_event *event = printed_event(p);

	return event && side->nr > 1 &&
	       (event->kind == PROF_EVENT_USER_CALLS || event->kind == PROF_EVENT_KERNEL_CALLS);
}

/*
 * Finds the frame at which @row counts. Passes over the kernel, the C library, interpreters, and
 * the runtimes and standard libraries of Go, Java and Python; in a stack without other frames, over
 * as few of them as leave one. Passes over the probed function in any case but that it is alone.
 */
static struct own_leaf own_leaf_find(const struct printout *p, const struct stack_row *row)
{
	struct own_leaf leaf = {0, row->kernel.nr};
	uint32_t first = row->kernel.nr ? 0 : nr_probed(p, &row->user);

	if (row->user.nr) {
		leaf.nr_user = find(p, &row->user, first, is_own);
		if (leaf.nr_user == row->user.nr)
			leaf.nr_user = find(p, &row->user, first, is_outside_libc);
		if (leaf.nr_user == row->user.nr)
			leaf.nr_user = first;
		return leaf;
	}
	first = nr_probed(p, &row->kernel);
	leaf.nr_kernel = find(p, &row->kernel, first, is_no_scheduler);
	if (leaf.nr_kernel == row->kernel.nr)
		leaf.nr_kernel = row->kernel.nr ? first : 0;
	return leaf;
}

/* Adds @count to the part of @process, which the table knows by its id. */
static int count_part(struct top_counts *counts, uint32_t thing, uint32_t process, uint64_t count)
{
	const struct model *model = &counts->things.from->rec->model;
	struct top_part part = {thing, model->processes.data[process].pid, process, count};
	const uint32_t key[] = {part.thing, part.pid};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);

	index_for_each(&counts->part_index, hash, i) {
		struct top_part *have = &counts->parts.data[i];

		if (have->thing != thing || have->pid != part.pid)
			continue;
		have->total += count;
		return 0;
	}
	return index_push(&counts->part_index, &counts->parts, hash, part);
}

/* Finds the process with most of each thing's total. */
static void find_processes(struct top_counts *counts)
{
	vec_for_each(&counts->parts, part) {
		struct top_count *item = &counts->items.data[part->thing];

		item->nr_processes++;
		if (part->total <= item->most)
			continue;
		item->most = part->total;
		item->process = part->process;
	}
}

/*
 * Adds @count of @process to the total of @thing, unless this row has counted for it already.
 */
static int count_total(struct top_counts *counts, uint32_t thing, uint32_t process, uint64_t count)
{
	struct top_count *item;

	while (counts->items.nr <= thing) {
		struct top_count none = {.thing = counts->items.nr};

		if (vec_push(&counts->items, none))
			return -ENOMEM;
	}
	item = &counts->items.data[thing];
	if (item->last_row == counts->nr_rows)
		return 0;
	item->last_row = counts->nr_rows;
	item->total += count;
	return counts->choice->has_processes ? count_part(counts, thing, process, count) : 0;
}

/*
 * Counts the things of a row of @process, from the root to the leaf. There is one at least, and
 * things[@self] is the one that counts as the leaf.
 */
static int count_things(struct top_counts *counts, const uint32_t *things, size_t nr, size_t self,
			uint32_t process, uint64_t count)
{
	int ret = 0;

	counts->nr_rows++;
	counts->sum += count;
	for (size_t i = 0; i < nr && !ret; i++)
		ret = count_total(counts, things[i], process, count);
	if (!ret)
		counts->items.data[things[self]].self += count;
	return ret;
}

static int add_file(struct named_things *things, uint32_t frame)
{
	const char *dso = named_things_dso(things, frame);
	uint32_t id;
	int ret;

	if (!dso[0])
		dso = "[unknown]";
	textbuf_escaped(&things->scratch, dso, strlen(dso), TEXT_PLAIN);
	ret = named_things_add(things, "", COLOUR_NONE, &id);
	return ret ? ret : vec_push(&things->row, id);
}

/* Finds the files of @row in place of its functions. */
static int find_files(struct named_things *things, const struct stack_row *row)
{
	const struct row_side *sides[] = {&row->user, &row->kernel};
	int ret = 0;

	/* Stacks that were missed, or never were, have no files. */
	if (!row->user.nr && !row->kernel.nr)
		return named_things_of_row(things, row);
	vec_clear(&things->row);
	for (size_t s = 0; s < 2; s++)
		for (uint32_t i = sides[s]->nr; i-- > 0 && !ret;)
			ret = add_file(things, sides[s]->frames[i]);
	return ret;
}

/* Prints @string of the model, or a dash for the empty one. */
static void print_string(struct named_things *things, uint32_t string)
{
	if (string)
		labels_string(things->from->labels, &things->scratch, string);
	else
		textbuf_char(&things->scratch, '-');
}

static void put_process(const struct model *model, const struct model_process *process,
			struct textbuf *out)
{
	const char *name = process_name(string_set_get(&model->strings, process->info.name),
					string_set_get(&model->strings, process->info.exe));

	textbuf_printf(out, "%" PRIu32, process->pid);
	if (name[0]) {
		textbuf_char(out, ' ');
		textbuf_escaped(out, name, strlen(name), TEXT_PLAIN);
	}
}

/* Prints the name of the owner of @row that @by asks for. */
static void print_owner(struct named_things *things, const struct stack_row *row, enum top_by by)
{
	static const enum owner owners[NR_TOP_BY] = {
		[TOP_CGROUPS] = OWNER_CGROUP,   [TOP_CONTAINERS] = OWNER_CONTAINER,
		[TOP_PODS] = OWNER_POD,         [TOP_UNITS] = OWNER_UNIT,
		[TOP_SERVICES] = OWNER_SERVICE,
	};
	const struct model_process *process =
		&things->from->rec->model.processes.data[row->process];

	switch (by) {
	case TOP_PROCESSES:
		put_process(&things->from->rec->model, process, &things->scratch);
		break;
	case TOP_THREADS:
		print_string(things, row->comm);
		if (row->tid)
			textbuf_printf(&things->scratch, "/%" PRIu32, row->tid);
		textbuf_printf(&things->scratch, " (%" PRIu32 ")", row->pid);
		break;
	case TOP_CGROUPS:
	case TOP_CONTAINERS:
	case TOP_PODS:
	case TOP_UNITS:
	case TOP_SERVICES:
		owner_put_safe(&things->from->rec->model, row->process, owners[by], "-",
			       &things->scratch);
		break;
	case TOP_USERS:
		if (process->info.uid == PROF_UID_UNKNOWN)
			textbuf_char(&things->scratch, '-');
		else
			textbuf_printf(&things->scratch, "%" PRIu32, process->info.uid);
		break;
	default:
		print_string(things, row->comm);
	}
}

/*
 * Processes of several recordings have one id by chance, so a text tells them apart: the number of
 * the recording. A merged recording has forgotten the numbers, but generations are unique in it.
 * Process 0 is the kernel, and is one for all of them.
 */
static void print_recording(struct named_things *things, const struct stack_row *row, char *text,
			    size_t size)
{
	const struct recording *rec = things->from->rec;
	const struct model_process *process = &rec->model.processes.data[row->process];
	uint32_t nr_files = model_recording(&rec->model);
	bool has_merged = rec->nr_recordings > nr_files;

	if (!row->process)
		snprintf(text, size, "-");
	else if (has_merged && nr_files > 1)
		snprintf(text, size, "%" PRIu32 "#%" PRIu64, process->recording,
			 process->generation);
	else if (has_merged)
		snprintf(text, size, "#%" PRIu64, process->generation);
	else
		snprintf(text, size, "%" PRIu32, process->recording);
}

static int find_owner(struct named_things *things, const struct stack_row *row, enum top_by by)
{
	char recording[48] = "";
	uint32_t id;
	int ret;

	if (things->from->rec->nr_recordings > 1 && (by == TOP_PROCESSES || by == TOP_THREADS))
		print_recording(things, row, recording, sizeof(recording));
	vec_clear(&things->row);
	print_owner(things, row, by);
	ret = named_things_add(things, recording, COLOUR_NONE, &id);
	return ret ? ret : vec_push(&things->row, id);
}

/* Returns the things of the first @nr frames of @side. */
static size_t nr_things(const struct top_counts *counts, const struct row_side *side, uint32_t nr)
{
	size_t all = 0;

	for (uint32_t i = 0; i < nr; i++)
		all += counts->choice->by == TOP_FILES
			       ? 1
			       : labels_nr_parts(counts->things.from->labels, side->frames[i],
						 i ? FRAME_CALLER : FRAME_LEAF);
	return all;
}

/* Returns the place in the things of @row of the one that counts as its leaf. */
static size_t self_of(const struct top_counts *counts, const struct stack_row *row)
{
	size_t last = counts->things.row.nr - 1, passed;
	struct own_leaf leaf;

	if (!counts->has_own_leaves || row->kernel.is_missed || row->user.is_missed)
		return last;
	leaf = own_leaf_find(counts->things.from, row);
	passed = nr_things(counts, &row->user, leaf.nr_user) +
		 nr_things(counts, &row->kernel, leaf.nr_kernel);
	return passed < last ? last - passed : 0;
}

static int count_row(void *ctx, const struct stack_row *row)
{
	struct top_counts *counts = ctx;
	struct named_things *things = &counts->things;
	enum top_by by = counts->choice->by;
	int ret;

	if (by == TOP_FUNCTIONS)
		ret = named_things_of_row(things, row);
	else if (by == TOP_FILES)
		ret = find_files(things, row);
	else
		ret = find_owner(things, row, by);
	return ret ? ret
		   : count_things(counts, things->row.data, things->row.nr, self_of(counts, row),
				  row->process, row->count);
}

/* The end record has the samples of each CPU that was sampled. */
static int count_cpus(struct top_counts *counts)
{
	const struct recording *rec = counts->things.from->rec;
	u32_vec cpus = {0};
	int ret = 0;

	if (!rec->end || !rec->end->nr_cpu_taken ||
	    parse_u32_list(rec->meta->cpus, 0, PROF_MAX_CPUS, true, &cpus) ||
	    cpus.nr != rec->end->nr_cpu_taken)
		ret = -ENODATA;
	for (size_t i = 0; !ret && i < cpus.nr; i++) {
		uint32_t id;

		textbuf_u64(&counts->things.scratch, cpus.data[i]);
		ret = named_things_add(&counts->things, "", COLOUR_NONE, &id);
		if (!ret)
			ret = count_things(counts, &id, 1, 0, 0, rec->end->cpu_taken[i]);
	}
	vec_free(&cpus);
	return ret;
}

static int compare_counts(const void *a, const void *b, void *ctx)
{
	const struct top_count *x = a, *y = b;
	const struct top_counts *counts = ctx;
	enum top_sort sort = counts->choice->sort;

	if (sort == TOP_SORT_TOTAL)
		COMPARE(y->total, x->total);
	if (sort != TOP_SORT_NAME) {
		COMPARE(y->self, x->self);
		COMPARE(y->total, x->total);
	}
	return named_things_compare(&counts->things, x->thing, y->thing);
}

/* Of a hit and of time off the CPU, the leaf is always the same. */
static bool has_own_leaves(const struct printout *p, const struct top_choice *choice)
{
	if (!top_has_stacks(choice->by) || choice->leaf == TOP_LEAF_EXACT)
		return false;
	return choice->leaf == TOP_LEAF_OWN || has_hits(p) ||
	       event_is_off_cpu(p->rec->meta, p->view->event);
}

static void sort_items(struct top_counts *counts)
{
	if (counts->items.nr)
		qsort_r(counts->items.data, counts->items.nr, sizeof(*counts->items.data),
			compare_counts, counts);
}

int top_counts_begin_sum(struct top_counts *sum, const struct printout *p,
			 const struct top_choice *choice)
{
	*sum = (struct top_counts){.choice = choice, .has_own_leaves = has_own_leaves(p, choice)};
	return named_things_init(&sum->things, p);
}

int top_counts_make(struct top_counts *counts, const struct printout *p,
		    const struct top_choice *choice, struct rows_summary *summary)
{
	int ret = top_counts_begin_sum(counts, p, choice);

	if (!ret && choice->by == TOP_CPUS)
		ret = count_cpus(counts);
	else if (!ret)
		ret = rows_visit_all(&p->rec->model, p->view, count_row, counts, summary);
	find_processes(counts);
	if (!ret)
		sort_items(counts);
	return ret;
}

int top_counts_add(struct top_counts *sum, const struct top_counts *counts)
{
	const struct named_things *things = &counts->things;
	int ret = 0;

	sum->sum += counts->sum;
	vec_for_each(&counts->items, item) {
		uint32_t id = 0;

		if (!item->total)
			continue;
		sum->nr_rows++;
		textbuf_str(&sum->things.scratch, named_thing_name(things, item->thing));
		ret = named_things_add(&sum->things, named_thing_module(things, item->thing),
				       things->colours.data[item->thing], &id);
		if (!ret)
			ret = count_total(sum, id, 0, item->total);
		if (ret)
			return ret;
		sum->items.data[id].self += item->self;
	}
	return 0;
}

void top_counts_end_sum(struct top_counts *sum, const struct printout *p)
{
	sum->things.from = p;
	sort_items(sum);
}

void top_counts_put_process(const struct top_counts *counts, uint32_t process, struct textbuf *out)
{
	const struct model *model = &counts->things.from->rec->model;

	put_process(model, &model->processes.data[process], out);
}

void top_counts_deinit(struct top_counts *counts)
{
	index_deinit(&counts->part_index);
	vec_free(&counts->parts);
	named_things_deinit(&counts->things);
	vec_free(&counts->items);
}
