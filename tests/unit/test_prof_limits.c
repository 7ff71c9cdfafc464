// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The limits and rules on the writing side, the growth of tables up to them, and that the
 * specification is of the version that the code is.
 */
#include "common/cleanup.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

static struct prof_writer *open_writer(struct memory *m)
{
	struct prof_writer *writer = NULL;

	ck_assert_int_eq(prof_writer_create(memory_write, m, &writer), 0);
	ck_assert_int_eq(prof_writer_meta(writer, &test_meta), 0);
	return writer;
}

/* Writes @w and frees it; the error sticks and nothing of the epoch is written. */
static void check_epoch(struct world *w, int wanted)
{
	struct memory m = {0};
	struct prof_writer *writer = open_writer(&m);
	size_t before = m.nr;

	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(w)), wanted);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), wanted);
	if (wanted)
		ck_assert_uint_eq(m.nr, before);
	prof_writer_destroy(writer);
	free(m.data);
	world_deinit(w);
}

/* Writes @w, reads it, and wants the same. Frees it. */
static void check_roundtrip(struct world *w)
{
	_cleanup_free_ char *wanted = NULL, *found = NULL;
	const struct prof_epoch *epoch;
	struct prof_reader *reader = NULL;
	struct memory m = {0};
	struct prof_writer *writer = open_writer(&m);

	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(w)), 0);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), 0);
	prof_writer_destroy(writer);
	ck_assert_int_eq(prof_reader_create(memory_read, &m, &reader), 0);
	ck_assert_msg(prof_reader_next(reader, &epoch) == PROF_READ_EPOCH, "%s",
		      prof_reader_error(reader));
	wanted = epoch_text(&w->epoch);
	found = epoch_text(epoch);
	ck_assert(strcmp(wanted, found) == 0);
	ck_assert_int_eq(prof_reader_next(reader, &epoch), PROF_READ_END);
	prof_reader_destroy(reader);
	free(m.data);
	world_deinit(w);
}

START_TEST(string_bytes)
{
	for (uint32_t len = PROF_MAX_STRING_BYTES; len <= PROF_MAX_STRING_BYTES + 1; len++) {
		char *name = malloc(len + 1);
		struct world w;

		memset(name, 'x', len);
		name[len] = 0;
		world_init(&w);
		world_bytes(&w, name, len);
		if (len > PROF_MAX_STRING_BYTES)
			check_epoch(&w, -E2BIG);
		else
			check_roundtrip(&w);
		free(name);
	}
}
END_TEST

START_TEST(build_id)
{
	struct world w;

	world_init(&w);
	WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .build_id_size = PROF_MAX_BUILD_ID});
	check_roundtrip(&w);
	world_init(&w);
	WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .build_id_size = PROF_MAX_BUILD_ID + 1});
	check_epoch(&w, -E2BIG);
}
END_TEST

START_TEST(stack_frames)
{
	for (uint32_t nr = PROF_MAX_STACK_FRAMES; nr <= PROF_MAX_STACK_FRAMES + 1; nr++) {
		uint32_t frames[PROF_MAX_STACK_FRAMES + 1] = {0};
		struct world w;

		world_init(&w);
		WORLD_PUSH(&w, frames, {0, 0x1234});
		world_stack(&w, frames, nr, PROF_STACK_CUT);
		if (nr > PROF_MAX_STACK_FRAMES)
			check_epoch(&w, -E2BIG);
		else
			check_roundtrip(&w);
	}
}
END_TEST

START_TEST(epoch_frames)
{
	const uint32_t nr = PROF_MAX_EPOCH_FRAMES / PROF_MAX_STACK_FRAMES;

	for (uint32_t more = 0; more < 2; more++) {
		uint32_t frames[PROF_MAX_STACK_FRAMES] = {0};
		struct world w;
		struct memory m = {0};
		struct prof_writer *writer;

		world_init(&w);
		WORLD_PUSH(&w, frames, {0, 1});
		/* They may share their frames in memory. */
		world_stack(&w, frames, PROF_MAX_STACK_FRAMES, PROF_STACK_CUT);
		for (uint32_t i = 1; i < nr; i++)
			WORLD_PUSH(&w, stacks, {0, PROF_MAX_STACK_FRAMES, PROF_STACK_CUT});
		if (more)
			WORLD_PUSH(&w, stacks, {0, 1, PROF_STACK_CUT});
		writer = open_writer(&m);
		ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(&w)), more ? -E2BIG : 0);
		prof_writer_destroy(writer);
		if (!more) {
			const struct prof_epoch *epoch;
			struct prof_reader *reader = NULL;

			ck_assert_int_eq(prof_reader_create(memory_read, &m, &reader), 0);
			ck_assert_int_eq(prof_reader_next(reader, &epoch), PROF_READ_EPOCH);
			ck_assert_uint_eq(epoch->nr_stack_frames, PROF_MAX_EPOCH_FRAMES);
			prof_reader_destroy(reader);
		}
		free(m.data);
		world_deinit(&w);
	}
}
END_TEST

/* Every table at its limit is written and read; one row more is refused. */
START_TEST(table_rows)
{
	struct memory m = {0};
	const struct prof_epoch *epoch;
	struct prof_writer *writer = open_writer(&m);
	struct prof_reader *reader = NULL;
	struct world w;
	uint32_t *nrs[] = {
		&w.epoch.nr_objects,    &w.epoch.nr_processes,   &w.epoch.nr_mappings,
		&w.epoch.nr_symbols,    &w.epoch.nr_frames,      &w.epoch.nr_stacks,
		&w.epoch.nr_counts,     &w.epoch.nr_strings,     &w.epoch.nr_process_infos,
		&w.epoch.nr_file_infos, &w.epoch.nr_exact_frames};

	world_init(&w);
	for (uint32_t i = 1; i < PROF_MAX_TABLE; i++) {
		WORLD_PUSH(&w, strings, {NULL, 0});
		WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_ANON});
		WORLD_PUSH(&w, processes, {.pid = i});
		WORLD_PUSH(&w, process_infos, {.process = i});
		WORLD_PUSH(&w, file_infos, {.object = i});
		WORLD_PUSH(&w, stacks, {.end = PROF_STACK_MISSED_FULL});
	}
	for (uint32_t i = 0; i < PROF_MAX_TABLE; i++) {
		WORLD_PUSH(&w, mappings, {0});
		WORLD_PUSH(&w, symbols, {0});
		WORLD_PUSH(&w, frames, {0, i});
		WORLD_PUSH(&w, exact_frames, i);
		WORLD_PUSH(&w, counts, {0, 0, i, 0, 1});
	}
	w.processes.data[0].nr_mappings = PROF_MAX_TABLE;
	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(&w)), 0);
	prof_writer_destroy(writer);
	ck_assert_int_eq(prof_reader_create(memory_read, &m, &reader), 0);
	ck_assert_int_eq(prof_reader_next(reader, &epoch), PROF_READ_EPOCH);
	ck_assert_uint_eq(epoch->nr_strings, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_objects, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_processes, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_mappings, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_symbols, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_process_infos, PROF_MAX_TABLE - 1);
	ck_assert_uint_eq(epoch->nr_file_infos, PROF_MAX_TABLE - 1);
	ck_assert_uint_eq(epoch->nr_exact_frames, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_frames, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_stacks, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_counts, PROF_MAX_TABLE);
	prof_reader_destroy(reader);
	/* The numbers are compared before the rows are looked at. */
	for (size_t i = 0; i < ARRAY_SIZE(nrs); i++) {
		m.nr = 0;
		writer = open_writer(&m);
		world_epoch(&w);
		*nrs[i] = PROF_MAX_TABLE + 1;
		ck_assert_int_eq(prof_writer_epoch(writer, &w.epoch), -E2BIG);
		prof_writer_destroy(writer);
	}
	free(m.data);
	world_deinit(&w);
}
END_TEST

/* Mappings that processes share count for each. */
START_TEST(shared_mappings)
{
	struct world w;

	world_init(&w);
	for (uint32_t i = 0; i < 1024; i++)
		WORLD_PUSH(&w, mappings, {0, i, 1, 0});
	for (uint32_t i = 0; i <= PROF_MAX_TABLE / 1024; i++)
		WORLD_PUSH(&w, processes, {i + 1, 0, 0, 1024});
	check_epoch(&w, -E2BIG);
}
END_TEST

START_TEST(section_bytes)
{
	static char name[PROF_MAX_STRING_BYTES];
	struct memory m = {0};
	struct prof_writer *writer = open_writer(&m);
	struct world w;

	memset(name, 'x', sizeof(name));
	world_init(&w);
	for (uint32_t i = 0; i <= PROF_MAX_SECTION_BYTES / PROF_MAX_STRING_BYTES; i++)
		world_bytes(&w, name, sizeof(name));
	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(&w)), -E2BIG);
	prof_writer_destroy(writer);
	free(m.data);
	world_deinit(&w);
}
END_TEST

START_TEST(records)
{
	static uint32_t pids[PROF_MAX_PIDS + 1];
	static uint64_t taken[PROF_MAX_CPUS + 1];
	static char name[PROF_MAX_STRING_BYTES + 2];
	struct prof_meta meta = test_meta;
	struct prof_end end = test_end;

	memset(name, 'x', sizeof(name) - 1);
	meta.pids = pids;
	end.cpu_taken = taken;
	for (int more = 0; more < 2; more++) {
		struct memory m = {0};
		struct prof_writer *writer = NULL;
		const struct prof_epoch *epoch;
		struct prof_reader *reader = NULL;

		meta.command = name + !more;
		meta.nr_pids = PROF_MAX_PIDS;
		end.nr_cpu_taken = PROF_MAX_CPUS + more;
		ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);
		ck_assert_int_eq(prof_writer_meta(writer, &meta), more ? -E2BIG : 0);
		if (!more) {
			ck_assert_int_eq(prof_writer_end(writer, &end), 0);
			ck_assert_int_eq(prof_reader_create(memory_read, &m, &reader), 0);
			ck_assert_str_eq(prof_reader_meta(reader)->command, meta.command);
			ck_assert_uint_eq(prof_reader_meta(reader)->nr_pids, PROF_MAX_PIDS);
			ck_assert_int_eq(prof_reader_next(reader, &epoch), PROF_READ_END);
			ck_assert_uint_eq(prof_reader_end(reader)->nr_cpu_taken, PROF_MAX_CPUS);
			prof_reader_destroy(reader);
		}
		prof_writer_destroy(writer);
		m.nr = 0;
		writer = open_writer(&m);
		ck_assert_int_eq(prof_writer_end(writer, &end), more ? -E2BIG : 0);
		prof_writer_destroy(writer);
		m.nr = 0;
		meta.command = "";
		meta.nr_pids = PROF_MAX_PIDS + more;
		ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);
		ck_assert_int_eq(prof_writer_meta(writer, &meta), more ? -E2BIG : 0);
		prof_writer_destroy(writer);
		free(m.data);
	}
}
END_TEST

enum { BAD_CASES = 30 };

/* Breaks one rule of a small epoch. */
static void break_rule(struct world *w, int which)
{
	switch (which) {
	case 0:
		memset((char *)w->strings.data[1].s, 0, 1);
		break;
	case 1:
		w->objects.data[1].kind = PROF_NR_OBJECT_KINDS;
		break;
	case 2:
		w->objects.data[1].flags = 2;
		break;
	case 3:
		w->objects.data[1].path = 99;
		break;
	case 4:
		w->objects.data[0].path = 1;
		break;
	case 5:
		w->processes.data[0].pid = 1;
		break;
	case 6:
		w->processes.data[1].first_mapping = 2;
		break;
	case 7:
		w->processes.data[1].nr_mappings = 2;
		break;
	case 8:
		w->mappings.data[0].object = 99;
		break;
	case 9:
		w->mappings.data[0].size = UINT64_MAX;
		break;
	case 10:
		w->symbols.data[0].name = 99;
		break;
	case 11:
		w->symbols.data[0].size = UINT64_MAX;
		break;
	case 12:
		w->frames.data[0].object = 99;
		break;
	case 13:
		w->stack_frames.data[0] = 99;
		break;
	case 14:
		w->stacks.data[1].end = PROF_STACK_MISSED_FULL;
		break;
	case 15:
		w->stacks.data[1].first_frame = 1;
		break;
	case 16:
		w->counts.data[0].count = 0;
		break;
	case 17:
		w->counts.data[0].user_stack = 99;
		break;
	case 18:
		w->counts.data[0].process = 99;
		break;
	case 19:
		w->epoch.begin_ns = 1;
		break;
	case 20:
		w->process_infos.data[0].process = 0;
		break;
	case 21:
		w->process_infos.data[0].process = 2;
		break;
	case 22:
		w->process_infos.data[0].name = 99;
		break;
	case 23:
		w->process_infos.data[0].cgroup = 99;
		break;
	case 24:
		WORLD_PUSH(w, process_infos, {.process = 1});
		break;
	case 25:
		w->file_infos.data[0].object = 0;
		break;
	case 26:
		w->file_infos.data[0].object = 2;
		break;
	case 27:
		WORLD_PUSH(w, file_infos, {.object = 1});
		break;
	case 28:
		w->exact_frames.data[0] = 1;
		break;
	case 29:
		WORLD_PUSH(w, exact_frames, 0);
		break;
	}
}

START_TEST(rules)
{
	const uint32_t frame = 0;
	struct world w;

	world_init(&w);
	world_string(&w, "name");
	WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .path = 1});
	WORLD_PUSH(&w, mappings, {1, 0x1000, 0x1000, 0});
	WORLD_PUSH(&w, processes, {1, 0, 0, 1});
	WORLD_PUSH(&w, process_infos, {1, 1, 0, 1, 1, 0});
	WORLD_PUSH(&w, file_infos, {1, 2, 3, 4, 5});
	WORLD_PUSH(&w, exact_frames, 0);
	WORLD_PUSH(&w, symbols, {1, 1, 0x10, 0x10});
	WORLD_PUSH(&w, frames, {1, 0x10});
	world_stack(&w, &frame, 1, PROF_STACK_COMPLETE);
	WORLD_PUSH(&w, counts, {1, 1, 1, 0, 1});
	break_rule(&w, _i);
	check_epoch(&w, _i < BAD_CASES ? -EINVAL : 0);
}
END_TEST

START_TEST(calls_out_of_turn)
{
	struct memory m = {0};
	struct prof_writer *writer = NULL;
	struct world w;

	world_init(&w);
	ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);
	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(&w)), -EINVAL);
	ck_assert_int_eq(prof_writer_meta(writer, &test_meta), -EINVAL);
	prof_writer_destroy(writer);
	m.nr = 0;
	writer = open_writer(&m);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), 0);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), -EINVAL);
	prof_writer_destroy(writer);
	prof_writer_destroy(NULL);
	prof_reader_destroy(NULL);
	free(m.data);
	world_deinit(&w);
}
END_TEST

struct full_disk {
	size_t left;
};

static int write_full(void *ctx, const void *buf, size_t len)
{
	struct full_disk *disk = ctx;

	(void)buf;
	if (len > disk->left)
		return -ENOSPC;
	disk->left -= len;
	return 0;
}

START_TEST(write_error)
{
	for (size_t room = 0; room < 400; room += 10) {
		struct full_disk disk = {room};
		struct prof_writer *writer = NULL;
		struct world w;
		int ret;

		world_init(&w);
		ret = prof_writer_create(write_full, &disk, &writer);
		if (!ret)
			ret = prof_writer_meta(writer, &test_meta);
		if (!ret)
			ret = prof_writer_epoch(writer, world_epoch(&w));
		ck_assert_int_eq(ret, -ENOSPC);
		if (writer)
			ck_assert_int_eq(prof_writer_end(writer, &test_end), -ENOSPC);
		prof_writer_destroy(writer);
		world_deinit(&w);
	}
}
END_TEST

START_TEST(specification_version)
{
	const char *path = "doc/prof-format.md";
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char line[1024], version[64], change[64];
	bool has_version = false, has_change = false;

	ck_assert_msg(f != NULL, "run from the top of the tree: no '%s'", path);
	snprintf(version, sizeof(version), "Version %d.%d.", PROF_VERSION_MAJOR,
		 PROF_VERSION_MINOR);
	snprintf(change, sizeof(change), "- %d.%d: ", PROF_VERSION_MAJOR, PROF_VERSION_MINOR);
	while (fgets(line, sizeof(line), f)) {
		has_version |= strncmp(line, version, strlen(version)) == 0;
		has_change |= strncmp(line, change, strlen(change)) == 0;
	}
	ck_assert(has_version && has_change);
}
END_TEST

SUITE_MAIN_LOOP("prof_limits", rules, BAD_CASES + 1, string_bytes, build_id, stack_frames,
		epoch_frames, table_rows, shared_mappings, section_bytes, records,
		calls_out_of_turn, write_error, specification_version)
