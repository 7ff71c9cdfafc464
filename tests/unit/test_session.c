// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of a session's steps, their errors, and what the user is told. */
#include "tests/unit/played_session.h"

START_TEST(the_usual_session)
{
	expect_run(init, "backend_choose looker_start file_names_create filters_open "
			 "stack_depth_choose unwinder_create chosen_events_find cpus_choose");
	ck_assert(parts.wants_tables);
	ck_assert(!session.is_own);
	ck_assert(!session.keeps_rights);
	ck_assert(session.has_kernel);
	ck_assert_uint_eq(session.nr_events, 1);
	ck_assert(session.new_processes.are_told);
	session.memory.max_bytes = 1 << 20;
	ck_assert_int_eq(prepare(), 0);
	ck_assert_str_eq(said_notes, "");
	expect_steps("sideband_create sideband_limit events_open sampler_create rings_create "
		     "rings_add sampler_watch_memory memory_watch_read rings_consume "
		     "sideband_read unwinder_walk_known new_processes_read proc_scan "
		     "jit_watch_all vdso_load unwinder_begin probes_unmap_files "
		     "unwinder_request_popular");
	ck_assert_uint_eq(given.until_ns, 0);
	ck_assert(given.sampler.unwind);
	ck_assert(!given.sampler.is_own);
	ck_assert(!given.sampler.has_hits);
	ck_assert(!given.sampler.keep_tids);
	ck_assert(!given.sampler.measures_cost);
	ck_assert(!given.sampler.has_chosen_cpus);
	ck_assert(!given.sampler.languages);
	ck_assert_uint_eq(given.sampler.label_sets, 0);
	ck_assert_uint_eq(given.sampler.sample_weight, 1);
	expect_run(attach, "probes_attach sampler_attach");
	ck_assert_str_eq(said_notes, "");
	ck_assert_int_eq(start(), 0);
	expect_steps("ksyms_begin memory_watch_read rings_consume sideband_read "
		     "unwinder_walk_known new_processes_read");
	ck_assert_str_eq(said_notes, "");
	clear();
	session_stop(&session);
	expect_steps("events_disable probes_detach");
}
END_TEST

/* Each step of the preparation fails once. Those that return nothing are left out. */
static void expect_errors(int (*run)(void))
{
	const char *all[STEPS_MAX];
	size_t nr;

	ck_assert_int_eq(run(), 0);
	nr = nr_steps;
	memcpy(all, steps, sizeof(all));
	for (fail_at = 0; fail_at < nr; fail_at++) {
		int ret;

		if (!strcmp(all[fail_at], "sideband_limit") ||
		    !strcmp(all[fail_at], "probes_unmap_files") ||
		    !strcmp(all[fail_at], "rings_consume"))
			continue;
		ret = run();
		ck_assert_msg(ret == failure || ret == -ENOMEM, "%s: %d", all[fail_at], ret);
		/* The probed files are unmapped in any case. */
		ck_assert_uint_le(nr_steps, fail_at + 2);
		if (nr_steps == fail_at + 2)
			ck_assert_str_eq(steps[nr_steps - 1], "probes_unmap_files");
	}
	fail_at = NO_STEP;
}

START_TEST(errors_of_the_preparation)
{
	static char *command[] = {NULL};

	options.follow = true;
	options.command = command;
	options.labels.nr = 1;
	parts.nr_probed = 1;
	ck_assert_int_eq(init(), 0);
	ck_assert_int_eq(vec_push(&session.probes.events, (struct prof_event){0}), 0);
	expect_errors(prepare);
	ck_assert_int_eq(prepare(), 0);
	expect_steps(
		"sideband_create sideband_limit events_open sampler_create rings_create "
		"rings_add sampler_watch_memory memory_watch_read rings_consume "
		"sideband_read unwinder_walk_known new_processes_read proc_scan "
		"jit_watch_all vdso_load unwinder_begin unwinder_request_own "
		"unwinder_wait_own probes_unmap_files unwinder_request_popular "
		"unwinder_wait_popular sampler_attach_follower descendants_follow command_start sampler_follow");
	ck_assert_int_eq(given.waited_ms, TABLES_WAIT_MS);
	expect_errors(attach);
	expect_errors(start);
	vec_free(&session.probes.events);
}
END_TEST

START_TEST(another_backend)
{
	static char *command[] = {NULL};

	options.command = command;
	parts.backend = BACKEND_PERF;
	parts.can_unwind = parts.has_rights = false;
	ck_assert_int_eq(init(), 0);
	ck_assert(session.is_own);
	ck_assert(session.keeps_rights);
	ck_assert(!session.new_processes.are_told);
	/* The recorder itself can unwind. */
	ck_assert(parts.wants_tables);
	expect_errors(prepare);
	ck_assert_int_eq(prepare(), 0);
	expect_steps("sideband_create sideband_limit command_start without_bpf_begin "
		     "sampler_create rings_create rings_add sampler_watch_memory "
		     "memory_watch_read rings_consume sideband_read unwinder_walk_known "
		     "new_processes_read jit_watch_all vdso_load unwinder_begin "
		     "probes_unmap_files unwinder_request_popular");
	ck_assert_ptr_nonnull(strstr(said_notes, "own processes only, user stacks only"));
	ck_assert(!session.has_kernel);
	ck_assert(given.sampler.is_own);
	ck_assert(given.sampler.keep_tids);
	session.backend.all = true;
	parts.has_kernel = true;
	ck_assert_int_eq(prepare(), 0);
	ck_assert(has_step("proc_scan"));
	ck_assert_ptr_nonnull(strstr(said_notes, "all processes)"));
	expect_run(attach, "probes_attach source_start");
	ck_assert_int_eq(start(), 0);
	expect_steps("command_go ksyms_begin memory_watch_read rings_consume "
		     "sideband_read unwinder_walk_known new_processes_read");
	ck_assert_uint_eq(given.processes_until_ns, UINT64_MAX);
	clear();
	ck_assert_int_eq(session_take_samples(&session), 0);
	session_stop(&session);
	expect_steps("without_bpf_take source_stop events_disable probes_detach");
	ck_assert_int_eq(apply(), 0);
	expect_steps("memory_watch_read rings_consume sideband_read unwinder_walk_known "
		     "new_processes_read");
	expect_errors(apply);
}
END_TEST

START_TEST(records_that_are_applied)
{
	ck_assert_int_eq(init(), 0);
	ck_assert_int_eq(apply(), 0);
	expect_steps("memory_watch_read rings_consume sideband_preview sideband_read "
		     "unwinder_walk_known new_processes_read");
	ck_assert_uint_eq(given.until_ns, 1000);
	ck_assert_uint_eq(given.processes_until_ns, 1000);
	expect_errors(apply);
	clear();
	ck_assert_int_eq(session_take_samples(&session), 0);
	ck_assert_int_eq(session_collect_records(&session), 0);
	ck_assert_int_eq(session_unwind(&session), 0);
	ck_assert_int_eq(session_forget(&session, 1), 0);
	expect_steps("rings_consume sideband_collect unwinder_work file_names_work "
		     "address_spaces_forget new_processes_forget jit_forget");
	for (fail_at = 2; fail_at < 7; fail_at++) {
		nr_steps = 2;
		ck_assert_int_eq(session_unwind(&session), fail_at < 4 ? -ENOMEM : 0);
		if (fail_at < 4)
			ck_assert_uint_eq(nr_steps, fail_at + 1);
		nr_steps = 4;
		ck_assert_int_eq(session_forget(&session, 1), fail_at < 4 ? 0 : failure);
		if (fail_at >= 4)
			ck_assert_uint_eq(nr_steps, fail_at + 1);
	}
	parts.nr_waiting = MANY_RECORDS - 1;
	ck_assert(!session_has_many_records(&session));
	parts.nr_waiting = MANY_RECORDS;
	ck_assert(session_has_many_records(&session));
}
END_TEST

START_TEST(errors_and_their_words)
{
	ck_assert_int_eq(init(), 0);
	/* What the program tells of processes is lost without memory alone. */
	fail_at = 1;
	ck_assert_int_eq(apply(), 0);
	failure = -ENOMEM;
	ck_assert_int_eq(apply(), -ENOMEM);
	ck_assert_str_eq(err.text, "failed to record: out of memory");
	nr_steps = 1;
	ck_assert_int_eq(session_collect_records(&session), -ENOMEM);
	failure = -EIO;
	fail_at = 3;
	ck_assert_int_eq(apply(), -EIO);
	ck_assert_str_eq(err.text, "failed to read the side-band: Input/output error");
}
END_TEST

/* Has a process begun a program since it was looked at? */
START_TEST(processes_that_change)
{
	const struct new_processes *new = &session.new_processes;

	ck_assert_int_eq(init(), 0);
	ck_assert(!new->has_changed(new->ctx, 1));
	parts.has_begun = true;
	ck_assert(new->has_changed(new->ctx, 1));
	parts.has_begun = false;
	fail_at = nr_steps;
	ck_assert(new->has_changed(new->ctx, 1));
	fail_at = NO_STEP;
	session.is_own = parts.has_begun = true;
	ck_assert(!new->has_changed(new->ctx, 1));
	parts.has_changed = true;
	ck_assert(new->has_changed(new->ctx, 1));
}
END_TEST

START_TEST(lack_of_memory_is_said_once)
{
	ck_assert_int_eq(init(), 0);
	session.spaces.nr_left_out = 1;
	ck_assert_int_eq(apply(), 0);
	ck_assert_ptr_nonnull(strstr(said_notes, "--max-memory"));
	ck_assert_int_eq(apply(), 0);
	ck_assert_str_eq(said_notes, "");
	session.spaces.nr_left_out = 0;
}
END_TEST

/* Sampling waits for the tables of files that are mapped already. */
START_TEST(who_needs_tables)
{
	uint32_t pid = 1;
	const u32_vec one = {.data = &pid, .nr = 1, .cap = 1};

	ck_assert_int_eq(init(), 0);
	for (int i = 0; i < 5; i++) {
		options.pids = i == 1 ? one : (u32_vec){0};
		options.tids = i == 2 ? one : (u32_vec){0};
		parts.has_makers = i == 3;
		if (i == 4)
			ck_assert_int_eq(vec_push(&session.probes.events, (struct prof_event){0}),
					 0);
		given.waited_ms = 0;
		ck_assert_int_eq(prepare(), 0);
		ck_assert_int_eq(given.waited_ms, i ? TABLES_WAIT_MS : 0);
		ck_assert_int_eq(given.sampler.keep_tids, i == 1 || i == 2);
		ck_assert_int_eq(given.sampler.has_hits, i == 4);
	}
	vec_free(&session.probes.events);
}
END_TEST

START_TEST(filters_of_the_options)
{
	static char *command[] = {NULL};

	options.follow = true;
	options.uid = 5;
	options.min_us = 6;
	options.max_us = 7;
	ck_assert_int_eq(init(), 0);
	ck_assert_ptr_eq(given.filters.pids, &options.pids);
	ck_assert_ptr_eq(given.filters.tids, &options.tids);
	ck_assert(given.filters.follow_pids);
	ck_assert(!given.filters.has_command);
	ck_assert_uint_eq(given.filters.uid, 5);
	ck_assert_uint_eq(given.filters.min_wait_us, 6);
	ck_assert_uint_eq(given.filters.max_wait_us, 7);
	end();
	options.follow = false;
	options.command = command;
	ck_assert_int_eq(init(), 0);
	ck_assert(given.filters.has_command);
	ck_assert(!given.filters.follow_pids);
}
END_TEST

/* Who unwinds by tables, and what cannot be had without that. */
START_TEST(ways_of_unwinding)
{
	static const struct {
		enum unwind_mode mode;
		bool can_unwind, kernel_only, has_labels;
		bool by_tables;
		const char *error; /* a part of it */
	} cases[] = {
		{UNWIND_AUTO, true, false, false, true, NULL},
		{UNWIND_AUTO, true, true, false, false, NULL},
		{UNWIND_AUTO, false, false, false, false, NULL},
		{UNWIND_DWARF, true, false, true, true, NULL},
		{UNWIND_DWARF, false, false, false, false, "failed to unwind by tables"},
		{UNWIND_DWARF, true, true, false, false, NULL},
		{UNWIND_FP, true, false, false, false, NULL},
		{UNWIND_FP, true, false, true, false, "failed to read labels"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		options.unwind = cases[i].mode;
		options.kernel_only = cases[i].kernel_only;
		options.labels.nr = cases[i].has_labels;
		options.labels.are_chosen = cases[i].has_labels;
		parts.can_unwind = cases[i].can_unwind;
		ck_assert_int_eq(init(), cases[i].error ? -EOPNOTSUPP : 0);
		ck_assert_int_eq(has_step("unwinder_create"), cases[i].by_tables);
		ck_assert_int_eq(has_step("file_names_create"), !cases[i].kernel_only);
		if (cases[i].error)
			ck_assert_ptr_nonnull(strstr(err.text, cases[i].error));
		if (i + 1 < ARRAY_SIZE(cases))
			end();
	}
	end();
	options.unwind = UNWIND_FP;
	options.labels.nr = 0;
	options.traces = true;
	ck_assert_int_eq(init(), -EOPNOTSUPP);
}
END_TEST

START_TEST(labels_of_requests)
{
	options.label_sets = 9;
	options.labels.nr = 1;
	ck_assert_int_eq(init(), 0);
	ck_assert_ptr_eq(session_labels(&session), &options.labels);
	ck_assert_int_eq(prepare(), 0);
	ck_assert_uint_eq(given.sampler.label_sets, 9);
	options.labels.nr = 0;
	ck_assert_ptr_null(session_labels(&session));
	options.labels.has_traces = true;
	ck_assert_ptr_eq(session_labels(&session), &options.labels);
	session.is_own = true;
	ck_assert_ptr_null(session_labels(&session));
	session.is_own = false;
}
END_TEST

START_TEST(names_are_not_wanted)
{
	options.no_names = true;
	parts.has_rights = false;
	ck_assert_int_eq(init(), 0);
	ck_assert(!has_step("file_names_create"));
	/* Without BPF alone, the recorder needs the rights that it has. */
	ck_assert(!session.keeps_rights);
}
END_TEST

START_TEST(a_command_that_has_gone)
{
	static char *command[] = {NULL};

	options.command = command;
	ck_assert_int_eq(init(), 0);
	ck_assert_int_eq(prepare(), 0);
	fail_at = nr_steps - 1;
	ck_assert_int_eq(prepare(), -EPERM);
	ck_assert_str_eq(steps[fail_at], "sampler_follow");
	ck_assert_str_eq(err.text, "");
	failure = -ESRCH;
	ck_assert_int_eq(prepare(), -ESRCH);
	ck_assert_str_eq(err.text, "failed to follow the command: No such process");
}
END_TEST

START_TEST(costs_that_are_measured)
{
	ck_assert_int_eq(init(), 0);
	for (int i = 0; i < 4; i++) {
		options.overhead_limit = i & 1 ? 10 : 0;
		session.events.period = i & 2 ? 1000 : 0;
		ck_assert_int_eq(prepare(), 0);
		ck_assert_int_eq(given.sampler.measures_cost, i == 3);
	}
	options.on_cpu = true;
	ck_assert_int_eq(prepare(), 0);
	ck_assert_uint_eq(given.sampler.sample_weight, NS_PER_S / 49);
}
END_TEST

/* What the user is told of what will be missing. */
START_TEST(notes)
{
	parts.may_keep = false;
	options.unwind_cache = "/cache";
	ck_assert_int_eq(init(), 0);
	ck_assert_str_eq(said_notes, "unwind tables are read from '/cache', but not kept there: "
				     "Read-only file system\n");
	parts.buffer_bytes = SIDEBAND_BUFFER_BYTES - 1;
	parts.nr_hidden = 3;
	ck_assert_int_eq(prepare(), 0);
	ck_assert_ptr_nonnull(strstr(said_notes, "kernel.perf_event_mlock_kb"));
	ck_assert_ptr_null(strstr(said_notes, "CAP_SYS_PTRACE"));
	ck_assert_ptr_null(strstr(said_notes, "mremap"));
	parts.buffer_bytes = SIDEBAND_BUFFER_BYTES;
	parts.has_rights = parts.sees_moves = false;
	ck_assert_int_eq(prepare(), 0);
	ck_assert_ptr_null(strstr(said_notes, "kernel.perf_event_mlock_kb"));
	ck_assert_ptr_nonnull(strstr(said_notes, "frames of 3 processes"));
	ck_assert_ptr_nonnull(strstr(said_notes, "mremap"));
	parts.nr_hidden = 0;
	parts.kallsyms_restricted = true;
	ck_assert_int_eq(prepare(), 0);
	ck_assert_ptr_null(strstr(said_notes, "CAP_SYS_PTRACE"));
	ck_assert_int_eq(start(), 0);
	ck_assert_ptr_nonnull(strstr(said_notes, "kernel addresses are hidden"));
	options.user_only = true;
	session.has_kernel = false;
	ck_assert_int_eq(start(), 0);
	ck_assert(!has_step("ksyms_begin"));
}
END_TEST

START_TEST(stacks_along_frame_pointers)
{
	parts.can_unwind = false;
	options.labels.nr = 1;
	options.label_sets = 9;
	ck_assert_int_eq(init(), 0);
	ck_assert_int_eq(prepare(), 0);
	ck_assert_uint_eq(given.sampler.label_sets, 0);
	ck_assert_ptr_nonnull(strstr(said_notes, "walked along frame pointers"));
	ck_assert(!has_step("unwinder_begin"));
	ck_assert(!given.sampler.unwind);
	options.kernel_only = true;
	ck_assert_int_eq(prepare(), 0);
	ck_assert_str_eq(said_notes, "");
	options.kernel_only = false;
	options.unwind = UNWIND_FP;
	ck_assert_int_eq(prepare(), 0);
	ck_assert_str_eq(said_notes, "");
}
END_TEST

START_TEST(many_probes)
{
	struct prof_event event = {.nr_probes = MANY_PROBES / 2};

	ck_assert_int_eq(init(), 0);
	ck_assert_int_eq(vec_push(&session.probes.events, event), 0);
	event.nr_probes--;
	ck_assert_int_eq(vec_push(&session.probes.events, event), 0);
	ck_assert_int_eq(attach(), 0);
	ck_assert_str_eq(said_notes, "");
	session.probes.events.data[0].nr_probes++;
	ck_assert_int_eq(attach(), 0);
	ck_assert_str_eq(said_notes, "attaching to 1000 functions\n");
	session.off_cpu.is_on = true;
	expect_run(attach,
		   "probes_attach sampler_attach_off_cpu sampler_find_waiting sampler_attach");
	clear();
	session_stop(&session);
	expect_steps("events_disable probes_detach sampler_detach");
	session.off_cpu.is_on = false;
	session.events.is_tracepoint = true;
	clear();
	session_stop(&session);
	expect_steps("events_disable probes_detach sampler_detach");
	vec_free(&session.probes.events);
}
END_TEST

/* The stacks of threads that wait before the recording are copied: of so many, and by tables. */
START_TEST(threads_that_wait)
{
	ck_assert_int_eq(init(), 0);
	session.off_cpu.is_on = true;
	parts.nr_found = FOUND_THREADS_MAX + 1;
	ck_assert_int_eq(attach(), 0);
	ck_assert_uint_eq(given.nr_walked, FOUND_THREADS_MAX);
	session.nr_found = 0;
	parts.found_error = -ENOMEM;
	ck_assert_int_eq(attach(), -ENOMEM);
	ck_assert_str_eq(err.text, "failed to record: out of memory");
	ck_assert_uint_eq(given.nr_walked, FOUND_THREADS_MAX + 1);
	session.unwinder = NULL;
	ck_assert_int_eq(attach(), 0);
	ck_assert_uint_eq(given.nr_walked, FOUND_THREADS_MAX + 1);
}
END_TEST

SUITE_MAIN_WITH("session", begin, end, the_usual_session, errors_of_the_preparation,
		another_backend, records_that_are_applied, errors_and_their_words,
		processes_that_change, lack_of_memory_is_said_once, who_needs_tables,
		filters_of_the_options, ways_of_unwinding, labels_of_requests, names_are_not_wanted,
		a_command_that_has_gone, costs_that_are_measured, notes,
		stacks_along_frame_pointers, many_probes, threads_that_wait)
