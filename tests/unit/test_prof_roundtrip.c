// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings come back as they were written: random epochs of all sizes, and each field of META and
 * END. */
#include "tests/unit/epoch_text.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/random_world.h"
#include "tests/unit/suite.h"

static void write_recording(struct memory *m, struct world *worlds, size_t nr)
{
	struct prof_writer *writer = begin_recording(m);

	for (size_t i = 0; i < nr; i++)
		write_epoch(writer, &worlds[i]);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), 0);
	ck_assert_uint_eq(prof_writer_bytes(writer), m->nr);
	prof_writer_destroy(writer);
}

static void check_recording(struct memory *m, struct world *worlds, size_t nr)
{
	struct prof_reader *reader = open_recording(m);

	for (size_t i = 0; i < nr; i++) {
		const struct prof_epoch *epoch = read_epoch(reader);

		ck_assert_ptr_null(prof_reader_end(reader));
		ck_assert_msg(means_same(world_epoch(&worlds[i]), epoch), "epoch %zu differs", i);
	}
	expect_end(reader);
	expect_end(reader);
	ck_assert_uint_eq(prof_reader_bytes(reader), m->nr);
	prof_reader_destroy(reader);
}

START_TEST(random_epochs)
{
	static const uint32_t sizes[] = {1, 2, 5, 20, 60, 400};
	struct random rng = {.state = 0x9e3779b97f4a7c15 + _i};
	struct world worlds[4];
	struct memory m = {.chunk = _i % 3 ? 0 : 1};

	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		world_random(&worlds[i], &rng, sizes[random_below(&rng, ARRAY_SIZE(sizes))]);
	write_recording(&m, worlds, ARRAY_SIZE(worlds));
	check_recording(&m, worlds, ARRAY_SIZE(worlds));
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		world_deinit(&worlds[i]);
	free(m.data);
}
END_TEST

START_TEST(no_epochs)
{
	struct memory m = {0};

	write_recording(&m, NULL, 0);
	check_recording(&m, NULL, 0);
	free(m.data);
}
END_TEST

static void check_meta(const struct prof_meta *meta)
{
	ck_assert_str_eq(meta->hostname, "host");
	ck_assert_str_eq(meta->kernel_release, "6.1.0");
	ck_assert_str_eq(meta->kernel_version, "#1 SMP");
	ck_assert_str_eq(meta->arch, "x86_64");
	ck_assert_str_eq(meta->recorder, "profrec 0.1.0");
	ck_assert_str_eq(meta->command_line, "profrec 10");
	ck_assert_str_eq(meta->event, "cpu-clock");
	ck_assert_str_eq(meta->cpus, "0-1");
	ck_assert_str_eq(meta->command, "");
	ck_assert_uint_eq(meta->event_type, 1);
	ck_assert_uint_eq(meta->freq_hz, 49);
	ck_assert_uint_eq(meta->start_realtime_ns, test_meta.start_realtime_ns);
	ck_assert_uint_eq(meta->start_monotonic_ns, test_meta.start_monotonic_ns);
	ck_assert_uint_eq(meta->duration_ns, test_meta.duration_ns);
	ck_assert_uint_eq(meta->stack_storage, 16384);
	ck_assert_uint_eq(meta->hash_storage, 16384);
	ck_assert_uint_eq(meta->nr_cpus, 2);
	ck_assert_uint_eq(meta->nr_pids, 2);
	ck_assert_uint_eq(meta->pids[1], 70000);
	ck_assert_uint_eq(meta->nr_tids, 1);
	ck_assert_uint_eq(meta->tids[0], 4194304);
	ck_assert_str_eq(meta->filters, "uid 1000");
	ck_assert_uint_eq(meta->max_stack_depth, 127);
	ck_assert_uint_eq(meta->unwinding, PROF_UNWINDING_TABLES);
	ck_assert_uint_eq(meta->backend, PROF_BACKEND_PTRACE);
	ck_assert_str_eq(meta->host.boot_id, test_meta.host.boot_id);
	ck_assert_str_eq(meta->host.cpu_model, "A CPU @ 3.00GHz");
	ck_assert_str_eq(meta->host.hypervisor, "KVMKVMKVM");
	ck_assert_uint_eq(meta->host.nr_cpus_online, 2);
	ck_assert_uint_eq(meta->host.nr_cpus_possible, 64);
	ck_assert_uint_eq(meta->host.memory_bytes, UINT64_C(8) << 30);
	ck_assert_mem_eq(meta->loads, test_meta.loads, sizeof(meta->loads));
	ck_assert_uint_eq(meta->interval_ns, 1000000000);
	ck_assert_uint_eq(meta->zone, PROF_ZONE_UTC + 120);
}

static void check_end(const struct prof_end *end)
{
	ck_assert_uint_eq(end->duration_ns, test_end.duration_ns);
	ck_assert_uint_eq(end->taken, 1006);
	ck_assert_uint_eq(end->counted, 1000);
	ck_assert_mem_eq(end->lost, test_end.lost, sizeof(end->lost));
	ck_assert_mem_eq(end->missed_user, test_end.missed_user, sizeof(end->lost));
	ck_assert_mem_eq(end->missed_kernel, test_end.missed_kernel, sizeof(end->lost));
	ck_assert_uint_eq(end->idle, 10);
	ck_assert_uint_eq(end->filtered, 11);
	ck_assert_uint_eq(end->lost_records, 12);
	ck_assert_uint_eq(end->reason, PROF_END_SIGNAL);
	ck_assert_uint_eq(end->nr_cpu_taken, 2);
	ck_assert_uint_eq(end->cpu_taken[1], 506);
	ck_assert_uint_eq(end->nr_cpus_changed, 1);
	ck_assert_uint_eq(end->unfollowed, 13);
	ck_assert_uint_eq(end->skipped, 18);
	ck_assert_uint_eq(end->wanted_ns, 1000);
	ck_assert_uint_eq(end->running_ns, 429);
	ck_assert_uint_eq(prof_end_counted_percent(end), 42);
	ck_assert_uint_eq(end->maps_left_out, 14);
	ck_assert_uint_eq(end->mappings_left_out, 15);
	ck_assert_uint_eq(end->looks_left_out, 16);
	ck_assert_uint_eq(end->infos_left_out, 17);
	ck_assert_uint_eq(end->names_left_out, 19);
	ck_assert_uint_eq(end->nr_lacks, 2);
	ck_assert_uint_eq(end->lacks[0].uid, 1000);
	ck_assert_uint_eq(end->lacks[1].kind, PROF_LACK_TABLES);
	ck_assert_uint_eq(end->lacks[1].nr, 22);
	ck_assert_uint_eq(end->copies_left_out, 20);
	ck_assert_mem_eq(end->loads, test_end.loads, sizeof(end->loads));
}

START_TEST(records)
{
	struct prof_reader *reader;
	struct memory m = {0};

	write_recording(&m, NULL, 0);
	reader = open_recording(&m);
	check_meta(prof_reader_meta(reader));
	expect_end(reader);
	check_end(prof_reader_end(reader));
	prof_reader_destroy(reader);
	free(m.data);
}
END_TEST

/* A description with @nr of the test's events. */
static struct prof_meta meta_of(uint32_t nr)
{
	struct prof_meta meta = test_meta;

	meta.events = test_events;
	meta.nr_events = nr;
	return meta;
}

static void check_events(const struct prof_meta *meta, uint32_t nr)
{
	ck_assert_uint_eq(meta->nr_events, nr);
	for (uint32_t i = 0; i < nr; i++) {
		const struct prof_event *have = &meta->events[i], *want = &test_events[i];

		ck_assert_uint_eq(have->kind, want->kind);
		ck_assert_uint_eq(have->unit, want->unit);
		ck_assert_str_eq(have->name, want->name);
		ck_assert_str_eq(have->weight, want->weight);
		ck_assert_uint_eq(have->nr_probes, want->nr_probes);
		ck_assert_uint_eq(have->period, want->period);
	}
}

/* A recording with a table of @nr events, with rows of all of them, comes back. */
static void check_recording_of_events(uint32_t nr)
{
	struct random rng = {.state = 0x51ed270b7f4a7c15 + nr};
	struct prof_meta meta = meta_of(nr);
	struct prof_end end = test_end;
	struct memory m = {.chunk = nr % 2};
	struct prof_writer *writer = NULL;
	struct prof_reader *reader;
	struct world w;

	end.events = test_event_ends;
	end.nr_events = nr;
	world_random(&w, &rng, 60);
	world_random_events(&w, &rng, nr);
	ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);
	ck_assert_int_eq(prof_writer_meta(writer, &meta), 0);
	write_epoch(writer, &w);
	ck_assert_int_eq(prof_writer_end(writer, &end), 0);
	prof_writer_destroy(writer);
	reader = open_recording(&m);
	check_events(prof_reader_meta(reader), nr);
	ck_assert(means_same(world_epoch(&w), read_epoch(reader)));
	expect_end(reader);
	ck_assert_uint_eq(prof_reader_end(reader)->nr_events, nr);
	ck_assert_mem_eq(prof_reader_end(reader)->events, test_event_ends,
			 nr * sizeof(*test_event_ends));
	prof_reader_destroy(reader);
	world_deinit(&w);
	free(m.data);
}

START_TEST(events)
{
	for (uint32_t nr = 1; nr <= ARRAY_SIZE(test_events); nr++)
		check_recording_of_events(nr);
}
END_TEST

/* The description and the end record with @meta and @end are written with this result. */
static void check_written(const struct prof_meta *meta, const struct prof_end *end, int wanted)
{
	struct memory m = {0};
	struct prof_writer *writer = NULL;

	ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);
	prof_writer_meta(writer, meta);
	ck_assert_int_eq(prof_writer_end(writer, end), wanted);
	prof_writer_destroy(writer);
	free(m.data);
}

START_TEST(bad_events)
{
	struct prof_event event = test_events[0];
	struct prof_meta meta = test_meta;
	struct prof_end end = test_end;

	meta.events = &event;
	meta.nr_events = 1;
	check_written(&meta, &end, -EINVAL);
	end.events = test_event_ends;
	end.nr_events = 1;
	check_written(&meta, &end, 0);
	event.kind = PROF_NR_EVENT_KINDS;
	check_written(&meta, &end, -EINVAL);
	event.kind = 0;
	event.unit = PROF_NR_EVENT_UNITS;
	check_written(&meta, &end, -EINVAL);
	event.unit = 0;
	meta.nr_events = PROF_MAX_EVENTS + 1;
	check_written(&meta, &end, -E2BIG);
}
END_TEST

SUITE_MAIN_LOOP("prof_roundtrip", random_epochs, 30, no_epochs, records, events, bad_events)
