/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of parts that a test plays (--wrap): each function notes its name, and one of them
 * fails.
 */
#ifndef TESTS_PLAYED_SESSION_H
#define TESTS_PLAYED_SESSION_H

#include <errno.h>
#include <linux/capability.h>

#include "record/run/chosen_events.h"
#include "record/process/proc_scan.h"
#include "record/sampling/bpf/descendants.h"
#include "record/run/session.h"
#include "record/host/cpus.h"
#include "record/host/privilege.h"
#include "record/unwind/found_threads.h"
#include "tests/unit/played_steps.h"

#define TABLES_WAIT_MS     3000
#define OWN_TABLES_WAIT_MS 20000
#define MANY_RECORDS       500
#define MANY_PROBES        1000

static struct session session;
static struct record_options options;
static struct progress progress;
static struct err err;

/* What the parts say. */
static struct {
	enum backend_kind backend;
	bool can_unwind, has_unwinder, has_names, may_keep, has_makers, sees_moves, has_rights;
	bool has_kernel, wants_tables, has_changed, has_begun;
	unsigned int nr_hidden;
	size_t buffer_bytes, nr_probed, nr_waiting;
	uint64_t off_cpu;
	uint32_t nr_found; /* threads that wait */
	int found_error;
	bool kallsyms_restricted;
} parts;

/* What they were given. */
static struct {
	struct filter_options filters;
	struct sampler_options sampler;
	int waited_ms;
	uint32_t nr_walked;
	uint64_t until_ns, processes_until_ns;
} given;

int __wrap_without_bpf_begin(struct without_bpf *without, struct err *err);

/* If this fails, threads may have ended, and the session hears of that. */
int __wrap_without_bpf_begin(struct without_bpf *without, struct err *error)
{
	(void)error;
	ck_assert_ptr_nonnull(without->targets.spaces);
	return step("without_bpf_begin");
}

PLAY_STEP(looker_start, bool, struct looker **, struct err *);
PLAY_STEP(chosen_events_find, struct chosen_events *);
PLAY_STEP(command_start, struct command *, char **, struct err *);
PLAY_STEP(events_open, struct events *, const u32_vec *, const struct events_options *,
	  struct err *);
PLAY_STEP(rings_add, struct rings *, int, rings_fn, void *);
PLAY_STEP(memory_watch_read, struct memory_watch *);
PLAY_STEP(jit_watch_all, struct jit *, const struct address_spaces *);
PLAY_STEP(vdso_load, struct vdso *);
PLAY_STEP(unwinder_begin, struct unwinder *, const struct unwind_maps *, struct address_spaces *,
	  const struct vdso *, struct sideband *, struct err *);
PLAY_STEP(unwinder_request_own, struct unwinder *);
PLAY_STEP(unwinder_request_popular, struct unwinder *, const struct address_spaces *);
PLAY_STEP(sampler_attach_follower, struct sampler *, struct err *);
PLAY_STEP(descendants_follow, const u32_vec *, descendants_fn, void *, struct err *);
PLAY_STEP(probes_attach, struct probes *, struct sampler *, struct err *);
PLAY_STEP(sampler_attach_off_cpu, struct sampler *, struct err *);
PLAY_STEP(source_start, struct source *, struct err *);
PLAY_STEP(sampler_attach, struct sampler *, const struct events *, struct err *);
PLAY_STEP(command_go, struct command *, const char *, struct err *);
PLAY_STEP(unwinder_work, struct unwinder *);
PLAY_STEP(file_names_work, struct file_names *);
PLAY_STEP(address_spaces_forget, struct address_spaces *, uint64_t, bool (*)(uint32_t));
PLAY_STEP(new_processes_forget, struct new_processes *, const struct address_spaces *);
PLAY_STEP(jit_forget, struct jit *, const struct address_spaces *);
PLAY_STEP(without_bpf_take, struct without_bpf *, struct err *);
PLAY_STEP(rings_create, struct rings **);
PLAY_STEP(rings_consume, struct rings *);
PLAY_STEP(sideband_collect, struct sideband *);
PLAY_STEP(cpus_choose, const u32_vec *, u32_vec *, u32_vec *, struct err *);
PLAY_CALL(sideband_limit, struct sideband *, size_t);
PLAY_CALL(probes_unmap_files, struct probes *);
PLAY_CALL(source_stop, struct source *);
PLAY_CALL(events_disable, const struct events *);
PLAY_CALL(probes_detach, struct probes *);
PLAY_CALL(sampler_detach, struct sampler *);
PLAY_NOTHING(unwinder_destroy, struct unwinder *);
PLAY_NOTHING(sampler_destroy, struct sampler *);
PLAY_NOTHING(sideband_destroy, struct sideband *);
PLAY_NOTHING(file_names_destroy, struct file_names *);
PLAY_NOTHING(looker_destroy, struct looker *);
PLAY_NOTHING(rings_destroy, struct rings *);
PLAY_NOTHING(without_bpf_end, struct without_bpf *);
PLAY_NOTHING(command_close, struct command *);
PLAY_NOTHING(memory_watch_end, struct memory_watch *);
PLAY_NOTHING(events_close, struct events *);
PLAY_NOTHING(filters_close, struct filters *);
PLAY_NOTHING(probes_deinit, struct probes *);
PLAY_NOTHING(sampler_unwind_maps, const struct sampler *, struct unwind_maps *);
PLAY_VALUE(bool, sampler_can_unwind, parts.can_unwind, void);
PLAY_VALUE(uint32_t, stack_depth_limit, 127, void);
PLAY_VALUE(bool, cgroup_paths_have_ids, true, void);
PLAY_VALUE(bool, privilege_has, parts.has_rights, int);
PLAY_VALUE(size_t, sideband_buffer_bytes, parts.buffer_bytes, const struct sideband *);
PLAY_VALUE(size_t, sideband_nr_waiting, parts.nr_waiting, const struct sideband *);
PLAY_VALUE(int, sampler_told_processes, 1, const struct sampler *);
PLAY_VALUE(size_t, probes_map_files, parts.nr_probed, struct probes *);
PLAY_VALUE(bool, unwinder_has_makers, parts.has_makers, const struct unwinder *);
PLAY_VALUE(bool, source_has_changed, parts.has_changed, struct source *, uint32_t);
PLAY_VALUE(bool, sideband_has_begun, parts.has_begun, const struct sideband *, uint32_t);
PLAY_VALUE(struct early_samples *, unwinder_early, NULL, struct unwinder *);
PLAY_VALUE(bool, source_has_kernel, parts.has_kernel, const struct source *);

int __wrap_backend_choose(const struct record_options *o, struct backend *backend, struct err *e);
int __wrap_file_names_create(struct looker *looker, struct file_names **names, struct err *e);
int __wrap_filters_open(struct filters *filters, const struct filter_options *o, struct err *e);
int __wrap_stack_depth_choose(uint64_t max, uint32_t limit, bool by_tables,
			      struct stack_depth *depth, struct err *e);
int __wrap_unwinder_create(const struct unwinder_options *o, struct unwinder **new, struct err *e);
bool __wrap_unwinder_may_keep(const struct unwinder *unwinder, int *reason);
int __wrap_sideband_create(const u32_vec *cpus, struct sideband **new, struct err *e);
int __wrap_sampler_create(const struct sampler_options *o, struct sampler **new, struct err *e);
int __wrap_sampler_watch_memory(struct sampler *sampler, struct sideband *sideband,
				struct memory_watch *watch, struct err *e);
int __wrap_proc_scan(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden,
		     struct err *e);
int __wrap_unwinder_wait_own(struct unwinder *unwinder, int ms);
int __wrap_unwinder_wait_popular(struct unwinder *unwinder, const struct address_spaces *spaces,
				 int ms);
int __wrap_sampler_find_waiting(struct sampler *sampler,
				int (*fn)(void *, const struct found_thread *), void *ctx,
				struct err *e);
int __wrap_found_threads_add(struct looker *looker, const struct found_thread *thread,
			     struct early_samples *early);
int __wrap_sampler_follow(struct sampler *sampler, int pidfd, enum follow_mark how, struct err *e);
int __wrap_ksyms_begin(struct ksyms *ksyms);
const struct event_name *__wrap_source_event(const struct source *source);
int __wrap_sideband_read(struct sideband *sideband, uint64_t until_ns, sideband_fn fn, void *ctx);
int __wrap_sideband_preview(struct sideband *sideband, uint64_t until_ns, sideband_fn fn,
			    void *ctx);
int __wrap_unwinder_walk_known(struct unwinder *unwinder, const struct address_spaces *spaces,
			       uint64_t until_ns);
int __wrap_new_processes_read(struct new_processes *new, struct address_spaces *spaces,
			      uint64_t until_ns);

static char something; /* pointers that nobody follows */

int __wrap_backend_choose(const struct record_options *o, struct backend *backend, struct err *e)
{
	(void)o, (void)e;
	backend->kind = parts.backend;
	return step("backend_choose");
}

int __wrap_file_names_create(struct looker *looker, struct file_names **names, struct err *e)
{
	(void)looker, (void)e;
	*names = (struct file_names *)&something;
	return step("file_names_create");
}

int __wrap_filters_open(struct filters *filters, const struct filter_options *o, struct err *e)
{
	(void)e;
	given.filters = *o;
	filters->follow = o->follow_pids || o->has_command;
	return step("filters_open");
}

int __wrap_stack_depth_choose(uint64_t max, uint32_t limit, bool by_tables,
			      struct stack_depth *depth, struct err *e)
{
	(void)max, (void)limit, (void)depth, (void)e;
	parts.wants_tables = by_tables;
	return step("stack_depth_choose");
}

int __wrap_unwinder_create(const struct unwinder_options *o, struct unwinder **new, struct err *e)
{
	(void)o, (void)e;
	*new = (struct unwinder *)&something;
	return step("unwinder_create");
}

bool __wrap_unwinder_may_keep(const struct unwinder *unwinder, int *reason)
{
	(void)unwinder;
	*reason = -EROFS;
	return parts.may_keep;
}

int __wrap_sideband_create(const u32_vec *cpus, struct sideband **new, struct err *e)
{
	(void)cpus, (void)new, (void)e;
	return step("sideband_create");
}

int __wrap_sampler_create(const struct sampler_options *o, struct sampler **new, struct err *e)
{
	(void)new, (void)e;
	given.sampler = *o;
	return step("sampler_create");
}

int __wrap_sampler_watch_memory(struct sampler *sampler, struct sideband *sideband,
				struct memory_watch *watch, struct err *e)
{
	(void)sampler, (void)sideband, (void)e;
	watch->sees_moves = parts.sees_moves;
	return step("sampler_watch_memory");
}

int __wrap_proc_scan(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden,
		     struct err *e)
{
	(void)spaces, (void)pids, (void)e;
	*nr_hidden = parts.nr_hidden;
	return step("proc_scan");
}

int __wrap_unwinder_wait_own(struct unwinder *unwinder, int ms)
{
	(void)unwinder;
	ck_assert_int_eq(ms, OWN_TABLES_WAIT_MS);
	return step("unwinder_wait_own");
}

int __wrap_unwinder_wait_popular(struct unwinder *unwinder, const struct address_spaces *spaces,
				 int ms)
{
	(void)unwinder, (void)spaces;
	given.waited_ms = ms;
	return step("unwinder_wait_popular");
}

int __wrap_sampler_find_waiting(struct sampler *sampler,
				int (*fn)(void *, const struct found_thread *), void *ctx,
				struct err *e)
{
	const struct found_thread thread = {0};
	int ret = step("sampler_find_waiting");

	(void)sampler, (void)e;
	for (uint32_t i = 0; !ret && i < parts.nr_found; i++)
		ret = fn(ctx, &thread);
	return ret;
}

int __wrap_found_threads_add(struct looker *looker, const struct found_thread *thread,
			     struct early_samples *early)
{
	(void)looker, (void)thread, (void)early;
	given.nr_walked++;
	return parts.found_error;
}

int __wrap_sampler_follow(struct sampler *sampler, int pidfd, enum follow_mark how, struct err *e)
{
	(void)sampler, (void)pidfd, (void)e;
	ck_assert_int_eq(how, FOLLOW_FROM_EXEC);
	return step("sampler_follow");
}

int __wrap_ksyms_begin(struct ksyms *ksyms)
{
	ksyms->restricted = parts.kallsyms_restricted;
	return step("ksyms_begin");
}

const struct event_name *__wrap_source_event(const struct source *source)
{
	static struct event_name event;

	(void)source;
	return &event;
}

int __wrap_sideband_read(struct sideband *sideband, uint64_t until_ns, sideband_fn fn, void *ctx)
{
	(void)sideband, (void)fn, (void)ctx;
	given.until_ns = until_ns;
	return step("sideband_read");
}

int __wrap_sideband_preview(struct sideband *sideband, uint64_t until_ns, sideband_fn fn, void *ctx)
{
	(void)sideband, (void)until_ns, (void)fn, (void)ctx;
	return step("sideband_preview");
}

int __wrap_unwinder_walk_known(struct unwinder *unwinder, const struct address_spaces *spaces,
			       uint64_t until_ns)
{
	(void)unwinder, (void)spaces;
	ck_assert_uint_eq(until_ns, given.until_ns);
	return step("unwinder_walk_known");
}

int __wrap_new_processes_read(struct new_processes *new, struct address_spaces *spaces,
			      uint64_t until_ns)
{
	(void)new, (void)spaces;
	given.processes_until_ns = until_ns;
	return step("new_processes_read");
}

static inline void begin(void)
{
	fail_at = NO_STEP;
	options = (struct record_options){.freq_hz = 49, .max_memory = 1 << 20};
	parts.backend = BACKEND_BPF;
	parts.can_unwind = parts.may_keep = parts.sees_moves = parts.has_rights = true;
	parts.buffer_bytes = SIDEBAND_BUFFER_BYTES;
}

static inline void end(void)
{
	session_deinit(&session);
}

/* Forgets the steps so far. */
static inline void clear(void)
{
	nr_steps = 0;
	said_notes[0] = '\0';
}

static inline int init(void)
{
	clear();
	return session_init(&session, &options, &progress, &err);
}

static inline int prepare(void)
{
	clear();
	return session_prepare(&session);
}

static inline int attach(void)
{
	clear();
	return session_attach(&session);
}

static inline int start(void)
{
	clear();
	return session_start(&session);
}

static inline int apply(void)
{
	clear();
	return session_apply_records(&session, 1000);
}

/* The steps of @run are those that @want names. An error of each one is the last step. */
static inline void expect_run(int (*run)(void), const char *want)
{
	size_t nr;

	ck_assert_int_eq(run(), 0);
	expect_steps(want);
	nr = nr_steps;
	for (fail_at = 0; fail_at < nr; fail_at++) {
		if (run == init)
			end();
		ck_assert_msg(run() < 0, "%s", steps[fail_at]);
		ck_assert_uint_eq(nr_steps, fail_at + 1);
	}
	fail_at = NO_STEP;
	if (run == init)
		end();
	ck_assert_int_eq(run(), 0);
}

#endif
