// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/dwarf_lookup.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "common/search.h"
#include "report/dwarf/dwarf_constants.h"
#include "report/dwarf/dwarf_names.h"
#include "report/dwarf/inline_tree.h"
#include "report/dwarf/line_program.h"
#include "report/dwarf/range_list.h"
#include "report/dwarf/source_frames.h"

/* Runs jobs on several CPUs. */

/* More threads than this gain little: memory is the bound. */
#define PARALLEL_THREADS_MAX 8

/* Does job @job. No two calls at a time have one @thread, which is below parallel_threads(). */
typedef void job_fn(void *ctx, unsigned int thread, size_t job);

struct run {
	size_t nr_jobs;
	atomic_size_t next;
	job_fn *fn;
	void *ctx;
};

struct worker {
	struct run *run;
	unsigned int thread;
	pthread_t id;
};

/* Returns the number of threads for @nr_jobs jobs: at least 1. */
static unsigned int parallel_threads(size_t nr_jobs)
{
	cpu_set_t cpus;
	int nr = 1;

	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		nr = CPU_COUNT(&cpus);
	return max_u64(1, min_u64(nr_jobs, min_u64(nr, PARALLEL_THREADS_MAX)));
}

static void *work_through(void *arg)
{
	const struct worker *worker = arg;
	struct run *run = worker->run;
	size_t job;

	while ((job = atomic_fetch_add(&run->next, 1)) < run->nr_jobs)
		run->fn(run->ctx, worker->thread, job);
	return NULL;
}

/*
 * Calls @fn for each job below @nr_jobs, in any order, and returns after all calls. If the system
 * gives no threads, this thread does all jobs.
 */
static void parallel_run(size_t nr_jobs, unsigned int nr_threads, job_fn *fn, void *ctx)
{
	struct run run = {.nr_jobs = nr_jobs, .fn = fn, .ctx = ctx};
	struct worker workers[PARALLEL_THREADS_MAX];
	sigset_t all, before;
	unsigned int nr = 1;

	sigfillset(&all);
	sigdelset(&all, SIGBUS); /* a mapped file may shrink */
	/* Signals are for the thread that knows what they mean. */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	workers[0] = (struct worker){.run = &run};
	for (; nr < nr_threads; nr++) {
		workers[nr] = (struct worker){.run = &run, .thread = nr};
		if (pthread_create(&workers[nr].id, NULL, work_through, &workers[nr]))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work_through(&workers[0]);
	for (unsigned int i = 1; i < nr; i++)
		pthread_join(workers[i].id, NULL);
}

/* Looks up the addresses of one unit after the other. Each thread has a reader of its own. */

/* unit_reader_init makes one. */
struct unit_reader {
	struct dwarf_work work;
	struct abbrev_cache abbrevs;
	struct abbrev_table scratch; /* for the first entries of units */
	struct dwarf_names names;
	struct line_table lines;
	struct inline_tree tree;
	VEC(struct unit_hit) hits;   /* of the unit: filled by the caller */
	struct source_frames frames; /* that were found, of all units */
};

/* The frames of a hit in reader->frames. */
struct unit_answer {
	uint32_t first, nr;
};

/*
 * The work that stands for a frame of a hit. Frames take memory, and a hostile file can put each
 * hit into thousands of functions.
 */
#define FRAME_WORK 256

/* Returns 0 or -ENOMEM. */
static int unit_reader_init(struct unit_reader *reader, struct dwarf_meter *meter)
{
	*reader = (struct unit_reader){.work.meter = meter};
	reader->names.set = &reader->frames.names;
	reader->names.abbrevs = &reader->abbrevs;
	return source_frames_init(&reader->frames);
}

static void unit_reader_deinit(struct unit_reader *reader)
{
	abbrev_cache_deinit(&reader->abbrevs);
	abbrev_table_deinit(&reader->scratch);
	dwarf_names_deinit(&reader->names);
	line_table_deinit(&reader->lines);
	inline_tree_deinit(&reader->tree);
	vec_free(&reader->hits);
	source_frames_deinit(&reader->frames);
}

static void add_frame(struct unit_reader *r, const struct source_frame *frame)
{
	if (dwarf_work_charge(&r->work, FRAME_WORK) && vec_push(&r->frames.frames, *frame))
		dwarf_work_no_memory(&r->work);
}

static uint32_t path_of(struct unit_reader *r, uint64_t file)
{
	return line_table_path(&r->lines, file, &r->frames.files, &r->work);
}

/* Adds the frames of @hit, from its node outwards. */
static void add_frames(struct unit_reader *r, const struct unit_hit *hit)
{
	struct source_frame frame = {0};
	uint32_t node = hit->node;

	if (hit->file != LINE_FILE_NONE) {
		frame.file = path_of(r, hit->file);
		frame.line = hit->line;
	}
	while (node != INLINE_NODE_NONE && !r->work.error) {
		const struct inline_node *n = &r->tree.nodes.data[node];

		frame.name = dwarf_names_get(&r->names, &r->work, n->unit, n->die_off);
		frame.is_inlined = n->is_inlined;
		add_frame(r, &frame);
		if (!n->is_inlined)
			return;
		node = n->parent;
		frame = (struct source_frame){.file = path_of(r, n->call_file),
					      .line = n->call_line};
	}
	/* Nobody tells the function of the code. Its symbol may. */
	if (hit->node != INLINE_NODE_NONE || hit->file != LINE_FILE_NONE)
		add_frame(r, &frame);
}

static bool is_like(const struct unit_hit *a, const struct unit_hit *b)
{
	return a->node == b->node && a->file == b->file && a->line == b->line;
}

/* Finds the unit in @split that belongs to @unit, and gives it the facts that only @unit has. */
static const struct dwarf_unit *join_split(struct unit_reader *r, const struct dwarf_unit *unit,
					   struct dwarf_file *split)
{
	struct dwarf_unit *found = NULL;
	struct die die;

	for (size_t i = 0; i < split->units.nr && !found; i++) {
		struct dwarf_unit *u = &split->units.data[i];

		if (unit_read_die(u, &r->scratch, &r->work, &die) && u->dwo_id == unit->dwo_id &&
		    u->type != DW_UT_split_type)
			found = u;
	}
	if (!found)
		return NULL;
	found->main_file = unit->file;
	found->addr_base = unit->addr_base;
	found->gnu_ranges_base = unit->gnu_ranges_base;
	found->low_pc = unit->low_pc;
	return found;
}

/*
 * Looks up reader->hits, sorted, in @unit. @split is the file with the rest of the unit, or NULL;
 * its units have been read, and it may be closed afterwards. Sets answers[hit] for each
 * unit_hit.hit. Errors are in reader->work.
 */
static void unit_reader_look_up(struct unit_reader *r, const struct dwarf_unit *unit,
				struct dwarf_file *split, struct unit_answer *answers)
{
	const struct dwarf_unit *joined = split ? join_split(r, unit, split) : unit;
	const struct abbrev_table *abbrevs;

	vec_for_each(&r->hits, hit) {
		hit->node = INLINE_NODE_NONE;
		hit->file = LINE_FILE_NONE;
		hit->line = 0;
	}
	line_program_run(&r->lines, unit, &r->work, r->hits.data, r->hits.nr);
	abbrevs = joined ? unit_abbrevs(joined, &r->abbrevs, &r->work) : NULL;
	if (abbrevs)
		inline_tree_read(&r->tree, joined, abbrevs, &r->work, r->hits.data, r->hits.nr);
	vec_for_each(&r->hits, hit) {
		struct unit_answer *answer = &answers[hit->hit];

		if (hit > r->hits.data && is_like(hit, hit - 1)) {
			*answer = answers[(hit - 1)->hit];
			continue;
		}
		answer->first = r->frames.frames.nr;
		add_frames(r, hit);
		answer->nr = r->frames.frames.nr - answer->first;
	}
	if (split) {
		/* What is known of the file goes with it. */
		dwarf_names_forget(&r->names);
		abbrev_cache_deinit(&r->abbrevs);
	}
	abbrev_cache_trim(&r->abbrevs);
}

/* The work that a file may take. Honest files take less than two for each byte. */
#define WORK_PER_BYTE UINT64_C(8)
#define WORK_PER_HIT  UINT64_C(4096)
#define WORK_AT_LEAST (UINT64_C(1) << 22)

/* How many units make a job, which reads their first entries. */
#define UNITS_PER_JOB 64

#define UNIT_NONE UINT32_MAX

/* The hits [first, end) are in a range of the unit. */
struct hit_range {
	uint32_t unit;
	size_t first, end;
};

struct lookup_thread {
	struct unit_reader reader;
	VEC(struct hit_range) ranges;
	uint32_t unit; /* whose ranges are being read */
	struct lookup *lookup;
};

struct lookup {
	struct dwarf_file *file;
	const struct split_opener *splits;
	pthread_mutex_t splits_lock;
	struct source_hit *hits;
	size_t nr;
	struct dwarf_meter meter;
	unsigned int nr_threads;
	struct lookup_thread threads[PARALLEL_THREADS_MAX];
	/* The hits, sorted by unit; those of a unit are one job. */
	uint32_t *order;
	VEC(struct hit_range) jobs;
	struct unit_answer *answers; /* of each hit */
	uint8_t *owners;             /* of each hit: the thread that has the frames */
};

static void note_hits(void *ctx, uint64_t low, uint64_t high)
{
	struct lookup_thread *t = ctx;
	const struct lookup *l = t->lookup;
	struct hit_range range = {
		.unit = t->unit,
		.first = search_first(l->nr, i, l->hits[i].addr >= low),
	};

	if (range.first == l->nr || l->hits[range.first].addr >= high)
		return;
	range.end = search_first(l->nr, i, l->hits[i].addr >= high);
	if (vec_push(&t->ranges, range))
		dwarf_work_no_memory(&t->reader.work);
}

/* Reads the first entries of units, and notes the hits in the ranges of each. */
static void read_units(void *ctx, unsigned int thread, size_t job)
{
	struct lookup *l = ctx;
	struct lookup_thread *t = &l->threads[thread];
	size_t end = min_u64(l->file->units.nr, (job + 1) * UNITS_PER_JOB);

	for (size_t i = job * UNITS_PER_JOB; i < end; i++) {
		struct dwarf_unit *unit = &l->file->units.data[i];
		struct die die;

		t->unit = i;
		if (unit->type != DW_UT_type &&
		    unit_read_die(unit, &t->reader.scratch, &t->reader.work, &die))
			die_ranges(unit, &die, &t->reader.work, note_hits, t);
	}
}

/* Reads the first entries of the units of the alternate file. */
static void read_alt_units(struct lookup *l)
{
	const struct dwarf_file *alt = l->file->alt;
	struct unit_reader *r = &l->threads[0].reader;

	for (size_t i = 0; alt && i < alt->units.nr; i++) {
		struct die die;

		unit_read_die(&alt->units.data[i], &r->scratch, &r->work, &die);
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct hit_range *x = a, *y = b;

	COMPARE(x->unit, y->unit);
	COMPARE(x->first, y->first);
	return 0;
}

/* Gives each hit its unit: of several, the first in the file. */
static int choose_units(struct lookup *l, uint32_t *units)
{
	VEC(struct hit_range) all = {0};
	struct dwarf_work *work = &l->threads[0].reader.work;
	int ret = 0;

	for (unsigned int t = 0; t < l->nr_threads && !ret; t++)
		ret = vec_append(&all, l->threads[t].ranges.data, l->threads[t].ranges.nr);
	if (!ret && all.nr)
		qsort(all.data, all.nr, sizeof(*all.data), compare_ranges);
	for (size_t i = 0; i < l->nr; i++)
		units[i] = UNIT_NONE;
	for (size_t r = 0; r < all.nr && !ret; r++) {
		const struct hit_range *range = &all.data[r];

		if (!dwarf_work_charge(work, range->end - range->first))
			break;
		for (size_t i = range->first; i < range->end; i++)
			if (units[i] == UNIT_NONE)
				units[i] = range->unit;
	}
	vec_free(&all);
	return ret;
}

/* Sorts the hits by unit into l->order, and makes a job of each unit that has some. */
static int make_jobs(struct lookup *l, const uint32_t *units)
{
	size_t nr_units = l->file->units.nr;
	_cleanup_free_ size_t *starts = calloc(nr_units + 1, sizeof(*starts));
	size_t sum = 0;

	if (!starts)
		return -ENOMEM;
	for (size_t i = 0; i < l->nr; i++)
		if (units[i] != UNIT_NONE)
			starts[units[i]]++;
	for (size_t u = 0; u < nr_units; u++) {
		struct hit_range job = {.unit = u, .first = sum, .end = sum + starts[u]};

		if (job.end > job.first && vec_push(&l->jobs, job))
			return -ENOMEM;
		starts[u] = sum;
		sum = job.end;
	}
	for (size_t i = 0; i < l->nr; i++)
		if (units[i] != UNIT_NONE)
			l->order[starts[units[i]]++] = i;
	return 0;
}

/* Opens the file with the rest of @unit. Returns NULL if there is none. */
static struct dwarf_file *open_split(struct lookup *l, struct unit_reader *r,
				     const struct dwarf_unit *unit)
{
	struct dwarf_file *split = NULL;
	uint64_t bytes = 0;
	int ret = 0;

	if (!unit->has_dwo)
		return NULL;
	if (l->splits) {
		pthread_mutex_lock(&l->splits_lock);
		ret = l->splits->open(l->splits->ctx, unit, &split, &bytes);
		pthread_mutex_unlock(&l->splits_lock);
	}
	atomic_fetch_add(&l->meter.left, WORK_PER_BYTE * bytes);
	if (split && !ret)
		ret = dwarf_units_read(split);
	if (split)
		dwarf_work_charge(&r->work, split->units.nr);
	if (!split)
		r->frames.nr_missing++;
	if (!split && !r->frames.missing && !ret)
		ret = string_set_add(&r->frames.files, unit->dwo_name.len ? unit->dwo_name.s : "",
				     unit->dwo_name.len, &r->frames.missing);
	if (ret)
		dwarf_work_no_memory(&r->work);
	return split;
}

static void close_split(struct lookup *l, struct dwarf_file *split)
{
	if (!split)
		return;
	dwarf_units_deinit(split);
	pthread_mutex_lock(&l->splits_lock);
	l->splits->close(l->splits->ctx, split);
	pthread_mutex_unlock(&l->splits_lock);
}

/* Looks up the hits of a unit. */
static void read_unit(void *ctx, unsigned int thread, size_t number)
{
	struct lookup *l = ctx;
	struct unit_reader *r = &l->threads[thread].reader;
	const struct hit_range *job = &l->jobs.data[number];
	const struct dwarf_unit *unit = &l->file->units.data[job->unit];
	struct dwarf_file *split;

	vec_clear(&r->hits);
	for (size_t i = job->first; i < job->end && !r->work.error; i++) {
		struct unit_hit hit = {.addr = l->hits[l->order[i]].addr, .hit = l->order[i]};

		l->owners[l->order[i]] = thread;
		if (vec_push(&r->hits, hit))
			dwarf_work_no_memory(&r->work);
	}
	if (r->work.error)
		return;
	split = open_split(l, r, unit);
	unit_reader_look_up(r, unit, split, l->answers);
	close_split(l, split);
}

/* Adds all strings of @from to @to. @ids gets the number of each there. */
static int move_strings(const struct string_set *from, struct string_set *to, uint32_t **ids)
{
	*ids = calloc(from->items.nr + 1, sizeof(**ids));
	if (!*ids)
		return -ENOMEM;
	for (size_t i = 0; i < from->items.nr; i++) {
		const struct string *string = &from->items.data[i];
		int ret = string_set_add(to, string->s, string->len, &(*ids)[i]);

		if (ret)
			return ret;
	}
	return 0;
}

/* Appends the frames of a thread to @to. */
static int move_frames(struct unit_reader *r, struct source_frames *to)
{
	_cleanup_free_ uint32_t *names = NULL, *files = NULL;
	int ret = move_strings(&r->frames.names, &to->names, &names);

	if (!ret)
		ret = move_strings(&r->frames.files, &to->files, &files);
	if (!ret)
		ret = vec_reserve(&to->frames, r->frames.frames.nr);
	if (ret)
		return ret;
	vec_for_each(&r->frames.frames, frame) {
		struct source_frame moved = *frame;

		moved.name = names[frame->name];
		moved.file = files[frame->file];
		to->frames.data[to->frames.nr++] = moved;
	}
	to->nr_missing += r->frames.nr_missing;
	if (!to->missing)
		to->missing = files[r->frames.missing];
	vec_free(&r->frames.frames);
	return 0;
}

/* Appends all frames to @frames, and gives the hits theirs. */
static int collect_frames(struct lookup *l, struct source_frames *frames)
{
	size_t firsts[PARALLEL_THREADS_MAX];

	for (unsigned int t = 0; t < l->nr_threads; t++) {
		int ret;

		firsts[t] = frames->frames.nr;
		ret = move_frames(&l->threads[t].reader, frames);
		if (ret)
			return ret;
	}
	for (size_t i = 0; i < l->nr; i++) {
		l->hits[i].first = firsts[l->owners[i]] + l->answers[i].first;
		l->hits[i].nr = l->answers[i].nr;
	}
	return 0;
}

/* The gravest error of the threads. */
static int error_of_threads(const struct lookup *l)
{
	int error = 0;

	for (unsigned int t = 0; t < l->nr_threads; t++)
		if (!error || l->threads[t].reader.work.error == -ENOMEM)
			error = l->threads[t].reader.work.error;
	return error;
}

/* Sorts the hits to units. Returns 0, -ENOMEM or -E2BIG. */
static int sort_hits(struct lookup *l)
{
	size_t nr_jobs = (l->file->units.nr + UNITS_PER_JOB - 1) / UNITS_PER_JOB;
	_cleanup_free_ uint32_t *units = calloc(l->nr + 1, sizeof(*units));
	int ret;

	if (!units)
		return -ENOMEM;
	parallel_run(nr_jobs, min_u64(l->nr_threads, max_u64(nr_jobs, 1)), read_units, l);
	read_alt_units(l);
	ret = error_of_threads(l);
	if (!ret)
		ret = choose_units(l, units);
	return ret ? ret : make_jobs(l, units);
}

static int look_up(struct lookup *l, struct source_frames *frames)
{
	int ret = sort_hits(l), end;

	if (ret)
		return ret;
	parallel_run(l->jobs.nr, min_u64(l->nr_threads, max_u64(l->jobs.nr, 1)), read_unit, l);
	ret = error_of_threads(l);
	if (ret == -ENOMEM)
		return ret;
	end = collect_frames(l, frames);
	return end ? end : ret;
}

static int lookup_init(struct lookup *l)
{
	int ret = 0;

	l->nr_threads = parallel_threads(SIZE_MAX);
	atomic_init(&l->meter.left,
		    WORK_PER_BYTE * (dwarf_file_bytes(l->file) + dwarf_file_bytes(l->file->alt)) +
			    WORK_PER_HIT * l->nr + WORK_AT_LEAST);
	for (unsigned int t = 0; t < l->nr_threads; t++) {
		l->threads[t].lookup = l;
		ret = ret ? ret : unit_reader_init(&l->threads[t].reader, &l->meter);
	}
	l->order = calloc(l->nr + 1, sizeof(*l->order));
	l->answers = calloc(l->nr + 1, sizeof(*l->answers));
	l->owners = calloc(l->nr + 1, sizeof(*l->owners));
	return l->order && l->answers && l->owners ? ret : -ENOMEM;
}

static void lookup_deinit(struct lookup *l)
{
	for (unsigned int t = 0; t < l->nr_threads; t++) {
		unit_reader_deinit(&l->threads[t].reader);
		vec_free(&l->threads[t].ranges);
	}
	vec_free(&l->jobs);
	free(l->order);
	free(l->answers);
	free(l->owners);
}

int dwarf_lookup(struct dwarf_file *file, const struct split_opener *splits,
		 struct source_hit *hits, size_t nr, struct source_frames *frames)
{
	struct lookup l = {.file = file, .splits = splits, .hits = hits, .nr = nr};
	int ret = file->units.nr ? 0 : dwarf_units_read(file);

	if (ret || !nr)
		return ret;
	pthread_mutex_init(&l.splits_lock, NULL);
	ret = lookup_init(&l);
	if (!ret)
		ret = look_up(&l, frames);
	lookup_deinit(&l);
	pthread_mutex_destroy(&l.splits_lock);
	return ret;
}
