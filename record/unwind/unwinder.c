// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/unwinder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/sampling/program/rings.h"
#include "record/looks/proc_task.h"
#include "record/process/proc_scan.h"
#include "record/process/program_records.h"
#include "record/unwind/early_java.h"
#include "record/unwind/file_tables.h"
#include "record/unwind/registered_spaces.h"
#include "record/machines/method_names.h"
#include "record/unwind/space_contexts.h"
#include "record/unwind/space_maps.h"
#include "record/unwind/table_time.h"
#include "record/unwind/table_wait.h"

/*
 * A drain is due when EARLY_MAX early samples wait. While the first child makes tables, more may
 * wait, up to EARLY_MAX_BYTES; the patient one may take too long. So may they while a user lacks
 * the time for a table, which another drain would not have either. The limit in bytes holds in any
 * case, since nothing else bounds the memory for them.
 */
#define EARLY_MAX       128
#define EARLY_MAX_BYTES (8u << 20)

/* How long a drain waits for missing tables, which would make stacks of its samples complete. */
#define EARLY_WAIT_MS 50

/* A file counts as everywhere if at least one process in eight maps it. */
#define EVERYWHERE 8

struct unwinder {
	struct file_tables tables;
	struct space_maps spaces;
	struct early_samples early;
	struct function_names functions;
	struct method_names methods;
	struct rings *wants; /* and early samples */
	struct owner_room *early_rooms;
	/* Refusals that are in the shares: of copies of stacks, and of names. */
	uint64_t nr_early_refused[OWNER_ROOMS], nr_names_refused[OWNER_ROOMS];
	struct shares early_lacks; /* copies of stacks without room, by users */
	int fds[2];
	int ret; /* first error of a callback */
	bool has_makers;
	u32_vec stale; /* processes to look at again when it is time */
	struct look_budget *looks;
	struct sideband *sideband; /* NULL: it does not tell of mappings */
	struct file_names *names;  /* NULL: nobody wants the files */
	mapping_vec mappings;      /* of the process at hand */
	struct mapped_files files;
	uint64_t asked[1024]; /* space ids of programs whose first look waits */
};

/* Forgets the files of earlier looks when there are many: nobody looks at their mappings. */
static void forget_files(struct unwinder *u)
{
	if (mapped_files_want_sweep(&u->files))
		mapped_files_deinit(&u->files);
}

/*
 * Reads the mappings of @owner. There are none when it has gone. *@next_look_ns is the time before
 * which nobody should look again.
 */
static int look_at_process(struct unwinder *u, const struct space_owner *owner,
			   uint64_t *next_look_ns)
{
	int ret;

	forget_files(u);
	ret = proc_scan_mappings(owner->pid, look_budget_begin(u->looks), &u->files, &u->mappings);
	*next_look_ns = look_budget_end(u->looks, owner->uid, ret == -E2BIG);
	return ret == -E2BIG ? 0 : ret;
}

/* Must the look at @p wait? Then notes that it is wanted. */
static int put_off(struct unwinder *u, struct unwind_process *p, bool *is_put_off)
{
	*is_put_off = p->is_waiting || look_budget_must_wait(u->looks, p->uid, p->next_look_ns);
	if (!*is_put_off || p->is_waiting)
		return 0;
	p->is_waiting = true;
	return vec_push(&u->stale, p->pid);
}

/*
 * Reads the mappings of a program that has just begun out of the side-band, if all are of files
 * that were met before. Returns 0, -ENOMEM, or another errno when the looker has to look.
 */
static int find_told(struct unwinder *u, const struct space_owner *owner)
{
	int ret = u->sideband && owner->exec_pages ? 0 : -ENOENT;

	if (ret)
		return ret;
	forget_files(u);
	ret = program_records_read(u->sideband, owner->pid, owner->exec_pages, &u->files,
				   &u->mappings);
	vec_for_each(&u->mappings, m) {
		const struct mapped_file *file = mapping_file(&u->files, m);

		if (!ret && file->kind == MAPPED_FILE &&
		    !file_tables_know(&u->tables, file, owner->uid))
			ret = -ENOENT;
	}
	return ret;
}

/* Tells the program the mappings of @owner. */
static int refresh_space(struct unwinder *u, const struct space_owner *owner)
{
	struct unwind_process *p;
	uint64_t next_look_ns = 0;
	int ret = find_told(u, owner);

	if (ret && ret != -ENOMEM) {
		ret = look_at_process(u, owner, &next_look_ns);
		look_budget_charge(u->looks, owner->uid);
	}
	if (ret == -ENOMEM)
		return ret;
	if (u->mappings.nr) {
		int put = space_maps_put(&u->spaces, owner, &u->mappings, &u->files);

		p = space_maps_find(&u->spaces, owner->pid);
		if (p)
			p->next_look_ns = next_look_ns;
		return put;
	}
	if (proc_is_gone(owner->pid))
		space_maps_remove(&u->spaces, owner->pid);
	else if (ret && ret != -ESRCH && ret != -ENOENT)
		space_maps_hide(&u->spaces, owner->pid, owner->space_id);
	/*
	 * Else nothing is mapped: the process is in the middle of an exec, and the program will ask
	 * again.
	 */
	return 0;
}

/*
 * Asks for table @nr of @file, which is mapped at @place. Holds the file for its names: the process
 * may end before anybody asks for them. Returns 0 or -ENOMEM.
 */
static int request_table(struct unwinder *u, uint32_t nr, const struct mapped_file *file,
			 const struct file_place *place)
{
	uint32_t ignored;
	int ret;

	if (table_time_refuses(&u->tables, nr, place->user))
		return 0;
	ret = file_tables_request(&u->tables, nr, file, place);
	return ret || !u->names ? ret : file_names_hold(u->names, file, place, &ignored);
}

/*
 * Can the first look at a new program wait? A user who starts very many of them would have the
 * recorder look at each, though hardly any has a second sample. Until it has, the side-band tells
 * enough to walk the copies of its stacks. So where a user has had many looks, only programs that
 * ask again are looked at, and in the end none.
 */
static bool is_early_enough(struct unwinder *u, const struct space_owner *owner)
{
	uint64_t *asked = &u->asked[owner->space_id % ARRAY_SIZE(u->asked)];
	enum look_haste haste = look_budget_haste(u->looks, owner->uid);
	bool is_first = *asked != owner->space_id;

	if (haste == LOOK_AT_ONCE)
		return false;
	*asked = owner->space_id;
	if (!is_first && haste == LOOK_NEVER)
		look_budget_leave_out(u->looks, owner->uid);
	return is_first || haste == LOOK_NEVER;
}

/*
 * The program asks for the mappings of a process. A new program in the process is looked at at
 * once.
 */
static int serve_space(struct unwinder *u, const struct unwind_want *want)
{
	const struct space_owner owner = {.pid = want->tgid,
					  .uid = want->uid,
					  .space_id = want->space_id,
					  .exec_pages = want->exec_pages};
	struct unwind_process *p = space_maps_find(&u->spaces, owner.pid);
	bool is_put_off = false;
	int ret = 0;

	if (p && p->space_id == owner.space_id)
		ret = put_off(u, p, &is_put_off);
	else if (proc_is_gone(owner.pid))
		return space_maps_remove(&u->spaces, owner.pid), 0;
	else
		is_put_off = is_early_enough(u, &owner);
	return ret || is_put_off ? ret : refresh_space(u, &owner);
}

/*
 * Asks for the table of the file that is mapped at @want->pc. The recorder can open the file
 * through the process.
 */
static int serve_table(struct unwinder *u, const struct unwind_want *want)
{
	struct file_place place = {.pid = want->tgid, .user = want->uid + 1};
	const struct mapping *m;
	const struct mapped_file *file;
	uint32_t nr;
	int ret;

	forget_files(u);
	ret = proc_scan_mapping_at(want->tgid, want->pc, &u->files, &u->mappings);
	m = ret == -ENOMEM ? NULL : mappings_find(&u->mappings, want->pc);
	if (!m)
		return ret == -ENOMEM ? ret : 0;
	file = mapping_file(&u->files, m);
	ret = file_tables_find(&u->tables, file, m, want->uid, &nr);
	/* Another file has the build-id that the side-band told. */
	if (!ret && space_maps_mistake(&u->spaces, want->tgid, want->pc, nr))
		ret = vec_push(&u->stale, want->tgid);
	if (ret || u->tables.tables.data[nr].state != TABLE_NONE)
		return ret;
	place.start = m->start;
	place.end = m->end;
	return request_table(u, nr, file, &place);
}

/* A rings_fn. */
static int serve_want(void *ctx, void *data, size_t size)
{
	struct unwinder *u = ctx;
	const struct unwind_want *want = data;

	if (size < sizeof(*want) || u->ret)
		return 0;
	u->ret = want->pc ? serve_table(u, want) : serve_space(u, want);
	return 0;
}

/* A rings_fn. */
static int take_early(void *ctx, void *data, size_t size)
{
	struct unwinder *u = ctx;
	const struct early_sample *sample = data;

	if (size >= EARLY_SAMPLE_SIZE(0))
		__atomic_fetch_sub(&u->early_rooms[owner_room_of(owner_id(sample->uid))].used, size,
				   __ATOMIC_RELAXED);
	if (!u->ret && size >= EARLY_SAMPLE_SIZE(0) &&
	    sample->nr_bytes <= size - EARLY_SAMPLE_SIZE(0))
		u->ret = early_samples_add(&u->early, sample);
	return 0;
}

/* A rings_fn. */
static int take_function(void *ctx, void *data, size_t size)
{
	struct unwinder *u = ctx;
	const struct function_name *name = data;
	const struct interpreter *in;
	uint32_t nr;

	if (size < sizeof(*name) || size < function_name_size(name))
		return 0;
	__atomic_fetch_sub(&u->functions.rooms[owner_room_of(owner_id(name->uid))].used, 1,
			   __ATOMIC_RELAXED);
	if (u->ret)
		return 0;
	u->ret = function_names_add(&u->functions, name, &nr);
	in = interpreter_maps_numbered(&u->tables.interpreters, name->interpreter);
	if (!u->ret && nr != NO_FUNCTION)
		u->ret = method_names_want(&u->methods, name, nr, in);
	return 0;
}

static struct early_java java_of(struct unwinder *u)
{
	return (struct early_java){&u->spaces, &u->tables.interpreters.machines, &u->methods,
				   &u->functions};
}

/* An early_samples_find_fn. Uses the mappings that the program knows by now. */
static int find_now(void *ctx, const struct early_sample *sample, uint64_t pc,
		    struct unwind_mapping *mapping, bool *has_regex)
{
	struct unwinder *u = ctx;
	const struct early_java java = java_of(u);
	int ret = space_maps_lookup(&u->spaces, sample->key.tgid, sample->space_id, pc, mapping,
				    has_regex);

	if (ret == 1)
		early_java_expect(&java, sample, mapping);
	return ret;
}

/* Looks again at those of the waiting processes whose time has come. */
static int look_again(struct unwinder *u)
{
	uint64_t now_ns = clock_monotonic_ns();
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < u->stale.nr; i++) {
		uint32_t pid = u->stale.data[i];
		struct unwind_process *p = space_maps_find(&u->spaces, pid);
		struct space_owner owner = {.pid = pid, .uid = p ? p->uid : 0};

		if (!p || !p->is_waiting)
			continue;
		if (ret || now_ns < p->next_look_ns) {
			u->stale.data[nr++] = pid;
			continue;
		}
		p->is_waiting = false;
		owner.space_id = p->space_id;
		ret = refresh_space(u, &owner);
	}
	u->stale.nr = nr;
	return ret;
}

static int ask_names(struct unwinder *u)
{
	return method_names_ask(&u->methods, &u->tables.interpreters.machines, &u->functions);
}

/* Walks early samples, and asks for the names of the methods in them. */
static int walk_early(struct unwinder *u, const struct early_finder *finder, bool is_last)
{
	int ret = early_samples_walk(&u->early, &u->tables.store, finder, is_last);

	return ret ? ret : ask_names(u);
}

int unwinder_work(struct unwinder *u)
{
	struct early_java java;
	const struct early_finder now = {find_now, u, early_java_walk, &java};

	if (!u)
		return 0;
	java = java_of(u);
	u->ret = 0;
	rings_consume(u->wants);
	if (!u->ret)
		u->ret = ask_names(u);
	if (!u->ret)
		u->ret = registered_spaces_look(&u->spaces, u->looks, &u->stale);
	if (!u->ret)
		u->ret = look_again(u);
	space_maps_look_for_machines(&u->spaces);
	space_contexts_look(&u->spaces);
	if (!u->ret)
		u->ret = file_tables_finish(&u->tables);
	return u->ret ? u->ret : walk_early(u, &now, false);
}

struct find_then {
	struct unwinder *u;
	const struct address_spaces *spaces;
	uint64_t known_ns; /* up to then all mappings are known */
};

/*
 * An early_samples_find_fn. Uses the mappings at the time of the sample. Asks for tables that are
 * missing.
 */
static int find_then(void *ctx, const struct early_sample *sample, uint64_t pc,
		     struct unwind_mapping *mapping, bool *has_regex)
{
	const struct find_then *then = ctx;
	const struct early_java java = java_of(then->u);
	struct file_tables *tables = &then->u->tables;
	uint32_t pid = sample->key.tgid, nr;
	const struct address_space *space = address_spaces_find(then->spaces, pid, sample->time_ns);
	const struct mapping *m = space ? address_space_lookup(space, pc, sample->time_ns) : NULL;
	const struct mapped_file *file;
	struct file_place place;
	int ret;

	/* What was looked at is find_now's, which may still wait for more. */
	if (sample->time_ns > then->known_ns ||
	    (then->known_ns != UINT64_MAX && space_maps_find(&then->u->spaces, pid)))
		return -EAGAIN;
	if (!m)
		return 0;
	file = mapping_file(&then->spaces->files, m);
	place = address_space_place(space, m);
	place.user = sample->uid + 1;
	ret = file_tables_find(tables, file, m, sample->uid, &nr);
	if (!ret && tables->tables.data[nr].state == TABLE_NONE)
		ret = request_table(then->u, nr, file, &place);
	if (ret)
		return ret;
	*mapping = (struct unwind_mapping){.start = m->start, .end = m->end};
	*has_regex = tables->tables.data[nr].has_regex;
	file_tables_describe(tables, nr, file, m->start - m->pgoff, mapping);
	early_java_expect(&java, sample, mapping);
	return 1;
}

/* Notes what the program has refused since the last time. @before: so much was noted of each. */
static void note_refused(const struct owner_room *rooms, uint64_t *before, struct shares *lacks)
{
	for (uint32_t i = 0; i < OWNER_ROOMS; i++) {
		const struct owner_room *room = &rooms[i];
		uint64_t nr = __atomic_load_n(&room->nr_refused, __ATOMIC_RELAXED);

		if (nr != before[i])
			shares_note_lacks(lacks, room->has_several ? SHARES_OTHERS : room->uid,
					  nr - before[i]);
		before[i] = nr;
	}
}

int unwinder_take_early(struct unwinder *u, uint32_t set)
{
	int ret;

	if (!u)
		return 0;
	ret = unwinder_work(u);
	note_refused(u->early_rooms, u->nr_early_refused, &u->early_lacks);
	note_refused(u->functions.rooms, u->nr_names_refused, &u->functions.lacks);
	early_samples_take(&u->early, set);
	return ret;
}

int unwinder_walk_early(struct unwinder *u, const struct address_spaces *spaces)
{
	struct find_then then = {.u = u, .spaces = spaces, .known_ns = UINT64_MAX};
	struct early_java java;
	const struct early_finder finder = {find_then, &then, early_java_walk, &java};
	int ret;

	if (!u)
		return 0;
	java = java_of(u);
	ret = walk_early(u, &finder, false);

	if (!ret && u->early.nr_raw)
		ret = table_wait(&u->tables, EARLY_WAIT_MS);
	return ret ? ret : walk_early(u, &finder, true);
}

int unwinder_walk_known(struct unwinder *u, const struct address_spaces *spaces, uint64_t until_ns)
{
	struct find_then then = {.u = u, .spaces = spaces, .known_ns = until_ns};
	struct early_java java;
	const struct early_finder finder = {find_then, &then, early_java_walk, &java};

	if (!u || !u->early.nr_raw)
		return 0;
	java = java_of(u);
	return walk_early(u, &finder, false);
}

struct early_samples *unwinder_early(struct unwinder *u)
{
	return u ? &u->early : NULL;
}

struct function_names *unwinder_functions(struct unwinder *u)
{
	return u ? &u->functions : NULL;
}

const struct interpreter_maps *unwinder_interpreters(const struct unwinder *u)
{
	return u ? &u->tables.interpreters : NULL;
}

int unwinder_describe(const void *unwinder, uint32_t pid, bool *is_whole)
{
	const struct unwinder *u = unwinder;
	int ret = machines_describe(&u->tables.interpreters.machines, pid);

	*is_whole = ret < 0;
	return ret < 0 ? registered_spaces_describe(&u->spaces, u->looks, pid) : ret;
}

bool unwinder_has_makers(const struct unwinder *u)
{
	return u && u->has_makers;
}

bool unwinder_wants_drain(const struct unwinder *u)
{
	if (!u)
		return false;
	return u->early.raw_bytes >= EARLY_MAX_BYTES ||
	       (u->early.nr_raw >= EARLY_MAX && !file_tables_are_due(&u->tables) &&
		!u->tables.lacked_time);
}

bool unwinder_has_many_names(const struct unwinder *u)
{
	return u && function_names_are_full(&u->functions);
}

int unwinder_mapped(struct unwinder *u, uint32_t pid, const struct mapping *mapping,
		    const struct mapped_file *file)
{
	struct unwind_process *p = u ? space_maps_find(&u->spaces, pid) : NULL;
	uint32_t nr;
	int ret;

	if (!p || p->is_waiting)
		return 0;
	ret = mapping ? file_tables_find(&u->tables, file, mapping, p->uid, &nr) : 0;
	/*
	 * The program asks for unknown mappings when it meets them. Only wrong mappings are mended
	 * here.
	 */
	if (ret || (mapping && !space_maps_differ(&u->spaces, pid, mapping, nr)))
		return ret;
	p->is_waiting = true;
	look_budget_must_wait(u->looks, p->uid, p->next_look_ns);
	return vec_push(&u->stale, pid);
}

const struct shares *unwinder_pool(const struct unwinder *u, enum prof_lack_kind kind)
{
	const struct shares *pools[PROF_NR_LACK_KINDS] = {0};

	if (!u)
		return NULL;
	pools[PROF_LACK_PROCESSES] = &u->spaces.room.processes;
	pools[PROF_LACK_MAPPINGS] = &u->spaces.room.mappings;
	pools[PROF_LACK_TABLES] = &u->tables.unserved;
	pools[PROF_LACK_INTERPRETERS] = &u->tables.interpreters.shares;
	pools[PROF_LACK_MACHINES] = &u->tables.interpreters.machines.shares;
	pools[PROF_LACK_COPIES] = &u->early_lacks;
	pools[PROF_LACK_FUNCTIONS] = &u->functions.lacks;
	return pools[kind];
}

void unwinder_sampled(void *unwinder, uint32_t pid, uint64_t nr)
{
	struct unwinder *u = unwinder;

	if (u)
		space_maps_sampled(&u->spaces, pid, nr);
}

bool unwinder_lacks_room(const struct unwinder *u)
{
	return u && (space_room_is_short(&u->spaces.room) ||
		     interpreter_maps_is_short(&u->tables.interpreters));
}

void unwinder_told(struct unwinder *u, uint32_t pid)
{
	if (u)
		space_maps_expect_context(&u->spaces, pid);
}

int unwinder_exited(struct unwinder *u, uint32_t pid)
{
	return u ? space_maps_exited(&u->spaces, pid) : 0;
}

int unwinder_sweep(struct unwinder *u)
{
	return u ? space_maps_sweep(&u->spaces) : 0;
}

int unwinder_settle(struct unwinder *u)
{
	return u ? space_maps_settle(&u->spaces) : 0;
}

const int *unwinder_fds(const struct unwinder *u, size_t *nr)
{
	*nr = u ? ARRAY_SIZE(u->fds) : 0;
	return u ? u->fds : NULL;
}

static int adopt_spaces(struct unwinder *u, struct address_spaces *spaces)
{
	for (size_t i = 0; i < spaces->newest.nr; i++) {
		const struct address_space *space = spaces->newest.data[i];
		/* The program notes the address space at the first sample. */
		const struct space_owner owner = {
			.pid = space->pid, .uid = proc_owner(space->pid), .is_idle = true};
		int ret = space_maps_put(&u->spaces, &owner, &space->memory->live, &spaces->files);

		if (ret)
			return ret;
		vec_for_each(&u->spaces.list_tables, nr)
			u->tables.tables.data[*nr].nr_processes++;
	}
	return 0;
}

int unwinder_request_popular(struct unwinder *u, const struct address_spaces *spaces)
{
	for (size_t i = 0; i < spaces->newest.nr; i++) {
		const struct address_space *space = spaces->newest.data[i];
		bool is_maker = address_space_has_made_code(space, &spaces->files);

		u->has_makers |= is_maker;
		vec_for_each(&space->memory->live, m) {
			const struct mapped_file *file = mapping_file(&spaces->files, m);
			const struct file_place place = address_space_place(space, m);
			struct file_table *t;
			uint32_t nr;
			int ret = file_tables_find(&u->tables, file, m, 0, &nr);

			if (ret)
				return ret;
			t = &u->tables.tables.data[nr];
			/* A process may map one file, which cannot be had, 65,530 times. */
			if (t->state != TABLE_NONE || t->was_popular ||
			    (!is_maker && t->nr_processes * EVERYWHERE < spaces->newest.nr))
				continue;
			t->was_popular = true;
			ret = request_table(u, nr, file, &place);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int unwinder_begin(struct unwinder *u, const struct unwind_maps *maps,
		   struct address_spaces *spaces, const struct vdso *vdso,
		   struct sideband *sideband, struct err *err)
{
	/* This order answers the program's questions before the early samples are walked. */
	int ret = rings_create(&u->wants)
			  ?: rings_add(u->wants, maps->wants, serve_want, u)
			  ?: rings_add(u->wants, maps->early, take_early, u)
			  ?: rings_add(u->wants, maps->function_names, take_function, u);

	if (ret)
		return err_set(err, ret, "failed to map the unwinder's buffer: %s", strerror(-ret));
	u->sideband = sideband;
	u->early_rooms = maps->early_rooms;
	u->functions.rooms = maps->name_rooms;
	u->functions.named = maps->named_functions;
	u->functions.seen_map = maps->seen_functions;
	u->functions.seen_period = maps->seen_period;
	u->tables.interpreters.interpreters = maps->interpreters;
	u->tables.interpreters.executables = maps->interpreter_files;
	u->tables.interpreters.machines.maps[MACHINE_JAVA] = maps->java_machines;
	u->tables.interpreters.machines.maps[MACHINE_BEAM] = maps->beam_machines;
	u->fds[0] = rings_fd(u->wants);
	u->fds[1] = u->tables.builder.epoll_fd;
	file_tables_begin(&u->tables, maps, vdso);
	ret = adopt_spaces(u, spaces);
	return ret ? err_set(err, ret, "failed to begin unwinding: %s", strerror(-ret)) : 0;
}

int unwinder_request_own(struct unwinder *u)
{
	struct file_place place = {.pid = getpid()};
	int ret = proc_scan_mappings(place.pid, 0, &u->files, &u->mappings);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	vec_for_each(&u->mappings, m) {
		const struct mapped_file *file = mapping_file(&u->files, m);
		uint32_t nr;

		ret = file_tables_find(&u->tables, file, m, 0, &nr);
		place.start = m->start;
		place.end = m->end;
		if (!ret && u->tables.tables.data[nr].state == TABLE_NONE)
			ret = file_tables_request(&u->tables, nr, file, &place);
		if (ret)
			return ret;
	}
	return 0;
}

static int ask_own(void *ctx)
{
	return unwinder_request_own(ctx);
}

int unwinder_wait_own(struct unwinder *u, int ms)
{
	return table_wait_asking(&u->tables, ms, ask_own, u);
}

struct popular {
	struct unwinder *u;
	const struct address_spaces *spaces;
};

static int ask_popular(void *ctx)
{
	const struct popular *popular = ctx;

	/* But for those that could not be opened. */
	vec_for_each(&popular->u->tables.tables, t)
		t->was_popular &= t->state != TABLE_NONE || (t->attempts && !t->is_damaged);
	return unwinder_request_popular(popular->u, popular->spaces);
}

int unwinder_wait_popular(struct unwinder *u, const struct address_spaces *spaces, int ms)
{
	struct popular popular = {u, spaces};

	return u ? table_wait_asking(&u->tables, ms, ask_popular, &popular) : 0;
}

static void table_changed(void *ctx, uint32_t nr)
{
	struct unwinder *u = ctx;

	space_maps_table_changed(&u->spaces, nr);
}

static void interpreter_renumbered(void *ctx, uint32_t interpreter)
{
	struct unwinder *u = ctx;

	space_maps_interpreter_renumbered(&u->spaces, interpreter);
}

static void machine_lost(void *ctx, uint32_t process)
{
	struct unwinder *u = ctx;

	space_maps_machine_lost(&u->spaces, process);
}

bool unwinder_may_keep(const struct unwinder *u, int *reason)
{
	return file_tables_may_keep(&u->tables, reason);
}

int unwinder_create(const struct unwinder_options *options, struct unwinder **unwinder,
		    struct err *err)
{
	struct looker *looker = options->looks->share.looker;
	struct unwinder *u = calloc(1, sizeof(*u));
	int ret;

	if (!u)
		return err_set(err, -ENOMEM, "failed to begin unwinding: out of memory");
	u->early.max_depth = options->max_depth;
	u->looks = options->looks;
	u->names = options->names;
	u->files.looker = looker;
	method_names_init(&u->methods, looker);
	ret = file_tables_init(&u->tables, options->cache, looker, err);
	u->tables.interpreters.languages = options->languages;
	u->tables.interpreters.machines.looker = looker;
	u->tables.interpreters.renumbered = interpreter_renumbered;
	u->tables.interpreters.ctx = u;
	u->tables.interpreters.machines.lost = machine_lost;
	u->tables.interpreters.machines.ctx = u;
	u->tables.interpreters.machines.found = options->machine_found;
	u->tables.interpreters.machines.found_ctx = options->ctx;
	u->tables.changed = table_changed;
	u->tables.ctx = u;
	if (!ret && space_maps_init(&u->spaces, &u->tables))
		ret = err_set(err, -ENOMEM, "failed to begin unwinding: out of memory");
	u->spaces.label_keys = options->labels;
	if (ret) {
		unwinder_destroy(u);
		return ret;
	}
	*unwinder = u;
	return 0;
}

void unwinder_destroy(struct unwinder *u)
{
	if (!u)
		return;
	rings_destroy(u->wants);
	space_maps_deinit(&u->spaces);
	file_tables_deinit(&u->tables);
	early_samples_deinit(&u->early);
	shares_deinit(&u->early_lacks);
	function_names_deinit(&u->functions);
	method_names_deinit(&u->methods);
	vec_free(&u->stale);
	vec_free(&u->mappings);
	mapped_files_deinit(&u->files);
	free(u);
}
