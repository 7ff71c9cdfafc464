/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An unwinder among parts that a test plays (--wrap): what the programs ask and send, the processes
 * and their mappings, the budget of looks, the side-band, and the clock.
 */
#ifndef TESTS_PLAYED_UNWINDER_H
#define TESTS_PLAYED_UNWINDER_H

#include <errno.h>

#include "bpf/languages/languages.h"
#include "bpf/shared.h"
#include "record/machines/method_names.h"
#include "record/sampling/program/rings.h"
#include "record/looks/proc_task.h"
#include "record/process/proc_scan.h"
#include "record/process/program_records.h"
#include "record/unwind/early_java.h"
#include "record/unwind/file_tables.h"
#include "record/unwind/space_maps.h"
#include "record/unwind/table_wait.h"
#include "record/unwind/unwinder.h"
#include "tests/unit/played_clock.h"
#include "tests/unit/suite.h"

enum { RING_WANTS = 1, RING_EARLY, RING_NAMES, NR_RINGS };

#define RINGS_FD 77
#define LINE_FD  78
#define PID      500
#define UID      1000
#define SPACE    0x1234
#define START    0x400000
#define END      0x410000
#define NO_PID   UINT32_MAX

static struct unwinder *unwinder;
static struct address_spaces spaces;
static struct owner_room early_rooms[OWNER_ROOMS], name_rooms[OWNER_ROOMS];
static struct named_functions named_functions;
static uint64_t seen_period;

/* What the programs send at the next unwinder_work. */
static struct {
	rings_fn take[NR_RINGS];
	void *ctx;
	int missing; /* the ring that cannot be added; 0: none */
	struct {
		int ring;
		void *record;
		size_t bytes;
	} records[8];
	size_t nr;
} rings;

/* The process that is looked at, and what became of it. */
static struct {
	bool has_ended;
	const char *paths[2]; /* that it maps, one after the other; NULL: none */
	int error;            /* of looks */
	uint32_t nr_looks, nr_looks_at_pc;
	size_t most; /* mappings that the last look might read */
	struct unwind_process known;
	bool is_known;
	struct space_owner put;
	uint32_t nr_put, nr_removed, nr_hidden;
	bool is_mistake, differs;
	int put_error;
} process;

static struct {
	uint64_t next_ns;
	bool must_wait, is_cut;
	enum look_haste haste;
	uint32_t nr_charged, nr_left_out, nr_asked;
	uint32_t uid; /* of the last charge */
} looks;

static struct {
	int error;
	bool knows_files;
	uint32_t nr_reads;
} told;

static struct {
	struct file_tables *tables;
	uint32_t nr_requests, nr; /* the last one */
	struct file_place place;
	int error;
	uint32_t nr_finished, nr_waits;
	int waited_ms;
	int finish_error;
	uint32_t nr_held;
	int hold_error;
} tables;

static struct {
	uint32_t nr_added, nr_walks, nr_last_walks;
	int add_error, walk_error;
	struct early_sample question; /* of a walk; time 0: it asks nothing */
	uint64_t pc;
	int answer;
	struct unwind_mapping mapping;
	bool has_regex;
	uint32_t taken_set;
	uint32_t nr_expected; /* mappings that may wait for a machine */
} early;

static struct {
	uint32_t nr_added, nr_wanted, nr_asked;
	uint32_t version; /* of the interpreter that comes with names; 0: none */
	uint32_t number;
	int add_error, ask_error;
} functions;

int __wrap_rings_create(struct rings **new);
int __wrap_rings_add(struct rings *all, int fd, rings_fn take, void *ctx);
int __wrap_rings_consume(struct rings *all);
int __wrap_rings_fd(const struct rings *all);
void __wrap_rings_destroy(struct rings *all);
int __wrap_table_builder_start(struct table_builder *builder, struct err *err);
void __wrap_table_builder_deinit(struct table_builder *builder);
void __wrap_file_tables_begin(struct file_tables *u, const struct unwind_maps *maps,
			      const struct vdso *vdso);
int __wrap_file_tables_request(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			       const struct file_place *place);
int __wrap_file_tables_finish(struct file_tables *u);
int __wrap_table_wait(struct file_tables *u, int ms);
int __wrap_table_wait_asking(struct file_tables *u, int ms, int (*ask)(void *), void *ctx);
bool __wrap_file_tables_know(const struct file_tables *u, const struct mapped_file *file,
			     uint32_t uid);
int __wrap_file_names_hold(struct file_names *names, const struct mapped_file *file,
			   const struct file_place *place, uint32_t *nr);
bool __wrap_proc_is_gone(uint32_t pid);
uint32_t __wrap_proc_owner(uint32_t pid);
int __wrap_proc_scan_mappings(uint32_t pid, size_t max, struct mapped_files *files,
			      mapping_vec *mappings);
int __wrap_proc_scan_mapping_at(uint32_t pid, uint64_t addr, struct mapped_files *files,
				mapping_vec *mappings);
int __wrap_program_records_read(struct sideband *sideband, uint32_t pid, uint32_t exec_pages,
				struct mapped_files *files, mapping_vec *mappings);
size_t __wrap_look_budget_begin(struct look_budget *budget);
uint64_t __wrap_look_budget_end(struct look_budget *budget, uint32_t uid, bool is_cut);
bool __wrap_look_budget_must_wait(struct look_budget *budget, uint32_t uid, uint64_t next_ns);
enum look_haste __wrap_look_budget_haste(const struct look_budget *budget, uint32_t uid);
void __wrap_look_budget_leave_out(struct look_budget *budget, uint32_t uid);
void __wrap_look_budget_charge(struct look_budget *budget, uint32_t uid);
struct unwind_process *__wrap_space_maps_find(const struct space_maps *maps, uint32_t pid);
int __wrap_space_maps_put(struct space_maps *maps, const struct space_owner *owner,
			  const mapping_vec *mappings, const struct mapped_files *files);
void __wrap_space_maps_remove(struct space_maps *maps, uint32_t pid);
void __wrap_space_maps_hide(struct space_maps *maps, uint32_t pid, uint64_t space_id);
bool __wrap_space_maps_mistake(struct space_maps *maps, uint32_t pid, uint64_t pc, uint32_t table);
bool __wrap_space_maps_differ(const struct space_maps *maps, uint32_t pid,
			      const struct mapping *mapping, uint32_t table);
int __wrap_early_samples_add(struct early_samples *samples, const struct early_sample *sample);
int __wrap_early_samples_walk(struct early_samples *samples, struct table_maps *store,
			      const struct early_finder *finder, bool is_last);
void __wrap_early_samples_take(struct early_samples *samples, uint32_t set);
int __wrap_function_names_add(struct function_names *names, const struct function_name *name,
			      uint32_t *nr);
int __wrap_method_names_want(struct method_names *names, const struct function_name *name,
			     uint32_t function, const struct interpreter *in);
int __wrap_method_names_ask(struct method_names *names, const struct machines *machines,
			    struct function_names *all);
void __wrap_early_java_expect(const struct early_java *java, const struct early_sample *sample,
			      struct unwind_mapping *mapping);

int __wrap_rings_create(struct rings **new)
{
	(void)new;
	return 0;
}

int __wrap_rings_add(struct rings *all, int fd, rings_fn take, void *ctx)
{
	(void)all;
	if (fd == rings.missing)
		return -EPERM;
	ck_assert_int_lt(fd, NR_RINGS);
	rings.take[fd] = take;
	rings.ctx = ctx;
	return 0;
}

int __wrap_rings_consume(struct rings *all)
{
	(void)all;
	for (int ring = 0; ring < NR_RINGS; ring++)
		for (size_t i = 0; i < rings.nr; i++)
			if (rings.records[i].ring == ring)
				ck_assert_int_eq(rings.take[ring](rings.ctx,
								  rings.records[i].record,
								  rings.records[i].bytes),
						 0);
	rings.nr = 0;
	return 0;
}

int __wrap_rings_fd(const struct rings *all)
{
	(void)all;
	return RINGS_FD;
}

void __wrap_rings_destroy(struct rings *all)
{
	(void)all;
}

int __wrap_table_builder_start(struct table_builder *builder, struct err *err)
{
	(void)err;
	builder->epoll_fd = LINE_FD;
	return 0;
}

void __wrap_table_builder_deinit(struct table_builder *builder)
{
	(void)builder;
}

void __wrap_file_tables_begin(struct file_tables *u, const struct unwind_maps *maps,
			      const struct vdso *vdso)
{
	(void)maps;
	u->vdso = vdso;
	tables.tables = u;
}

int __wrap_file_tables_request(struct file_tables *u, uint32_t nr, const struct mapped_file *file,
			       const struct file_place *place)
{
	(void)u, (void)file;
	tables.nr_requests++;
	tables.nr = nr;
	tables.place = *place;
	return tables.error;
}

int __wrap_file_tables_finish(struct file_tables *u)
{
	(void)u;
	tables.nr_finished++;
	return tables.finish_error;
}

int __wrap_table_wait(struct file_tables *u, int ms)
{
	(void)u;
	tables.nr_waits++;
	tables.waited_ms = ms;
	return 0;
}

/* Has the tables asked for once more. */
int __wrap_table_wait_asking(struct file_tables *u, int ms, int (*ask)(void *), void *ctx)
{
	(void)u;
	tables.waited_ms = ms;
	return ask(ctx);
}

bool __wrap_file_tables_know(const struct file_tables *u, const struct mapped_file *file,
			     uint32_t uid)
{
	(void)u, (void)file;
	ck_assert_uint_eq(uid, UID);
	return told.knows_files;
}

int __wrap_file_names_hold(struct file_names *names, const struct mapped_file *file,
			   const struct file_place *place, uint32_t *nr)
{
	(void)names, (void)file, (void)place, (void)nr;
	tables.nr_held++;
	return tables.hold_error;
}

bool __wrap_proc_is_gone(uint32_t pid)
{
	(void)pid;
	return process.has_ended;
}

uint32_t __wrap_proc_owner(uint32_t pid)
{
	(void)pid;
	return UID;
}

/* Puts the files of the process into @mappings. */
static inline void read_mappings(struct mapped_files *files, mapping_vec *mappings)
{
	mappings->nr = 0;
	for (size_t i = 0; i < ARRAY_SIZE(process.paths) && process.paths[i]; i++) {
		const struct mapped_file_key key = {
			.path = process.paths[i],
			.build_id = &(struct build_id){.size = 1, .bytes = {i + 1}}};
		struct mapping mapping = {.start = START + i * 0x100000, .end = END + i * 0x100000};

		ck_assert_int_eq(mapped_files_get(files, &key, &mapping.file), 0);
		ck_assert_int_eq(vec_push(mappings, mapping), 0);
	}
}

int __wrap_proc_scan_mappings(uint32_t pid, size_t max, struct mapped_files *files,
			      mapping_vec *mappings)
{
	(void)pid;
	process.nr_looks++;
	process.most = max;
	read_mappings(files, mappings);
	return process.error;
}

int __wrap_proc_scan_mapping_at(uint32_t pid, uint64_t addr, struct mapped_files *files,
				mapping_vec *mappings)
{
	(void)pid, (void)addr;
	process.nr_looks_at_pc++;
	read_mappings(files, mappings);
	return process.error;
}

int __wrap_program_records_read(struct sideband *sideband, uint32_t pid, uint32_t exec_pages,
				struct mapped_files *files, mapping_vec *mappings)
{
	(void)sideband, (void)pid, (void)exec_pages;
	told.nr_reads++;
	mappings->nr = 0;
	if (!told.error)
		read_mappings(files, mappings);
	return told.error;
}

size_t __wrap_look_budget_begin(struct look_budget *budget)
{
	(void)budget;
	return LOOK_MAPPINGS_MAX;
}

uint64_t __wrap_look_budget_end(struct look_budget *budget, uint32_t uid, bool is_cut)
{
	(void)budget;
	ck_assert_uint_eq(uid, UID);
	looks.is_cut = is_cut;
	return looks.next_ns;
}

bool __wrap_look_budget_must_wait(struct look_budget *budget, uint32_t uid, uint64_t next_ns)
{
	(void)budget, (void)next_ns;
	ck_assert_uint_eq(uid, UID);
	looks.nr_asked++;
	return looks.must_wait;
}

enum look_haste __wrap_look_budget_haste(const struct look_budget *budget, uint32_t uid)
{
	(void)budget;
	ck_assert_uint_eq(uid, UID);
	return looks.haste;
}

void __wrap_look_budget_leave_out(struct look_budget *budget, uint32_t uid)
{
	(void)budget, (void)uid;
	looks.nr_left_out++;
}

void __wrap_look_budget_charge(struct look_budget *budget, uint32_t uid)
{
	(void)budget;
	looks.nr_charged++;
	looks.uid = uid;
}

struct unwind_process *__wrap_space_maps_find(const struct space_maps *maps, uint32_t pid)
{
	(void)maps;
	return process.is_known && process.known.pid == pid ? &process.known : NULL;
}

int __wrap_space_maps_put(struct space_maps *maps, const struct space_owner *owner,
			  const mapping_vec *mappings, const struct mapped_files *files)
{
	process.nr_put++;
	process.put = *owner;
	process.is_known = true;
	process.known = (struct unwind_process){
		.pid = owner->pid, .uid = owner->uid, .space_id = owner->space_id};
	maps->list_tables.nr = 0;
	vec_for_each(mappings, m) {
		uint32_t nr;

		ck_assert_int_eq(
			file_tables_find(maps->tables, mapping_file(files, m), m, owner->uid, &nr),
			0);
		ck_assert_int_eq(vec_push(&maps->list_tables, nr), 0);
	}
	return process.put_error;
}

void __wrap_space_maps_remove(struct space_maps *maps, uint32_t pid)
{
	(void)maps;
	ck_assert_uint_eq(pid, PID);
	process.nr_removed++;
}

void __wrap_space_maps_hide(struct space_maps *maps, uint32_t pid, uint64_t space_id)
{
	(void)maps;
	ck_assert_uint_eq(pid, PID);
	ck_assert_uint_eq(space_id, SPACE);
	process.nr_hidden++;
}

bool __wrap_space_maps_mistake(struct space_maps *maps, uint32_t pid, uint64_t pc, uint32_t table)
{
	(void)maps, (void)pid, (void)pc, (void)table;
	if (process.is_mistake)
		process.known.is_waiting = true;
	return process.is_mistake;
}

bool __wrap_space_maps_differ(const struct space_maps *maps, uint32_t pid,
			      const struct mapping *mapping, uint32_t table)
{
	(void)maps, (void)pid, (void)mapping, (void)table;
	return process.differs;
}

int __wrap_early_samples_add(struct early_samples *samples, const struct early_sample *sample)
{
	(void)samples, (void)sample;
	early.nr_added++;
	return early.add_error;
}

int __wrap_early_samples_walk(struct early_samples *samples, struct table_maps *store,
			      const struct early_finder *finder, bool is_last)
{
	(void)samples, (void)store;
	early.nr_walks++;
	early.nr_last_walks += is_last;
	if (early.question.time_ns)
		early.answer = finder->find(finder->ctx, &early.question, early.pc, &early.mapping,
					    &early.has_regex);
	return early.walk_error;
}

void __wrap_early_samples_take(struct early_samples *samples, uint32_t set)
{
	(void)samples;
	early.taken_set = set;
}

int __wrap_function_names_add(struct function_names *names, const struct function_name *name,
			      uint32_t *nr)
{
	(void)names, (void)name;
	functions.nr_added++;
	*nr = functions.number;
	return functions.add_error;
}

int __wrap_method_names_want(struct method_names *names, const struct function_name *name,
			     uint32_t function, const struct interpreter *in)
{
	(void)names, (void)name;
	ck_assert_uint_eq(function, functions.number);
	ck_assert_uint_eq(in ? in->version : 0, functions.version);
	functions.nr_wanted++;
	return 0;
}

int __wrap_method_names_ask(struct method_names *names, const struct machines *machines,
			    struct function_names *all)
{
	(void)names, (void)machines, (void)all;
	functions.nr_asked++;
	return functions.ask_error;
}

void __wrap_early_java_expect(const struct early_java *java, const struct early_sample *sample,
			      struct unwind_mapping *mapping)
{
	(void)java, (void)sample, (void)mapping;
	early.nr_expected++;
}

/* Begins with a side-band, and with processes in @spaces. @holds_files: for their names. */
static inline int try_begin(bool has_sideband, bool holds_files, struct err *err)
{
	static char something; /* pointers that nobody follows */
	static struct look_budget budget;
	static struct vdso vdso;
	const struct unwinder_options options = {
		.max_depth = 10,
		.looks = &budget,
		.names = holds_files ? (struct file_names *)&something : NULL,
	};
	const struct unwind_maps maps = {
		.wants = RING_WANTS,
		.early = RING_EARLY,
		.function_names = RING_NAMES,
		.early_rooms = early_rooms,
		.name_rooms = name_rooms,
		.named_functions = &named_functions,
		.seen_period = &seen_period,
	};

	ck_assert_int_eq(unwinder_create(&options, &unwinder, err), 0);
	return unwinder_begin(unwinder, &maps, &spaces, &vdso,
			      has_sideband ? (struct sideband *)&something : NULL, err);
}

static inline void begin(void)
{
	struct err err = {0};

	now_ns = 1000 * NS_PER_S;
	process.paths[0] = "/bin/program";
	ck_assert_int_eq(try_begin(false, false, &err), 0);
}

static inline void end(void)
{
	unwinder_destroy(unwinder);
	address_spaces_deinit(&spaces);
}

static inline void send(int ring, void *record, size_t bytes)
{
	ck_assert_uint_lt(rings.nr, ARRAY_SIZE(rings.records));
	rings.records[rings.nr].ring = ring;
	rings.records[rings.nr].record = record;
	rings.records[rings.nr++].bytes = bytes;
}

static inline void work(void)
{
	ck_assert_int_eq(unwinder_work(unwinder), 0);
}

/* The program asks for the mappings of address space @space_id; with @pc for the table there. */
static inline int ask(uint64_t space_id, uint64_t pc)
{
	struct unwind_want want = {
		.space_id = space_id, .pc = pc, .tgid = PID, .exec_pages = 9, .uid = UID};

	send(RING_WANTS, &want, sizeof(want));
	return unwinder_work(unwinder);
}

static inline void ask_space(uint64_t space_id)
{
	ck_assert_int_eq(ask(space_id, 0), 0);
}

static inline void ask_table(uint64_t pc)
{
	ck_assert_int_eq(ask(SPACE, pc), 0);
}

/* Process @pid maps the file at @path since ever. */
static inline void map(uint32_t pid, const char *path, uint64_t start)
{
	const struct build_id id = {.size = 1, .bytes = {(uint8_t)path[1]}};
	const struct mapped_file_key key = {
		.path = path, .build_id = *path == '/' && strncmp(path, "/memfd", 6) ? &id : NULL};
	struct mapping mapping = {.start = start, .end = start + 0x1000};

	ck_assert_int_eq(mapped_files_get(&spaces.files, &key, &mapping.file), 0);
	ck_assert_int_eq(address_spaces_map(&spaces, pid, 10, &mapping), 0);
}

#endif
