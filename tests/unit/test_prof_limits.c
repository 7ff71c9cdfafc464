// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The limits and rules that the writer keeps, tables as large as the limits allow, and the version
 * in the specification.
 */
#include "common/cleanup.h"
#include "tests/unit/epoch_text.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

/* The epoch of a test, and the recording that it is written to. */
static struct world w;
static struct memory m;

static void begin(void)
{
	world_init(&w);
	m = (struct memory){0};
}

static void end(void)
{
	free(m.data);
	world_deinit(&w);
}

/* A new epoch and a new recording, for another case. */
static void begin_again(void)
{
	end();
	begin();
}

/* The writer refuses the epoch with @error. The error sticks; nothing of the epoch is written. */
static void expect_refused(int error)
{
	struct prof_writer *writer = begin_recording(&m);
	size_t before = m.nr;

	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(&w)), error);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), error);
	ck_assert_uint_eq(m.nr, before);
	prof_writer_destroy(writer);
}

/* Writes the epoch, and reads it from the reader that is returned. */
static struct prof_reader *write_and_read(const struct prof_epoch **epoch)
{
	struct prof_writer *writer = begin_recording(&m);
	struct prof_reader *reader;

	write_epoch(writer, &w);
	end_recording(writer);
	reader = open_recording(&m);
	*epoch = read_epoch(reader);
	return reader;
}

/* The epoch comes back as it was written. */
static void expect_written(void)
{
	const struct prof_epoch *epoch;
	struct prof_reader *reader = write_and_read(&epoch);

	ck_assert(means_same(&w.epoch, epoch));
	expect_end(reader);
	prof_reader_destroy(reader);
}

static void add_string(uint32_t len)
{
	char *name = malloc(len);

	ck_assert_ptr_nonnull(name);
	memset(name, 'x', len);
	world_bytes(&w, name, len);
	free(name);
}

START_TEST(string_bytes)
{
	add_string(PROF_MAX_STRING_BYTES);
	expect_written();
	begin_again();
	add_string(PROF_MAX_STRING_BYTES + 1);
	expect_refused(-E2BIG);
}
END_TEST

START_TEST(build_id)
{
	WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .build_id_size = PROF_MAX_BUILD_ID});
	expect_written();
	begin_again();
	WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .build_id_size = PROF_MAX_BUILD_ID + 1});
	expect_refused(-E2BIG);
}
END_TEST

START_TEST(stack_frames)
{
	static const uint32_t frames[PROF_MAX_STACK_FRAMES + 1];

	WORLD_PUSH(&w, frames, {0, 0x1234});
	world_stack(&w, frames, PROF_MAX_STACK_FRAMES, PROF_STACK_CUT);
	expect_written();
	begin_again();
	WORLD_PUSH(&w, frames, {0, 0x1234});
	world_stack(&w, frames, PROF_MAX_STACK_FRAMES + 1, PROF_STACK_CUT);
	expect_refused(-E2BIG);
}
END_TEST

START_TEST(epoch_frames)
{
	static const uint32_t frames[PROF_MAX_STACK_FRAMES];
	const uint32_t nr = PROF_MAX_EPOCH_FRAMES / PROF_MAX_STACK_FRAMES;
	const struct prof_epoch *epoch;
	struct prof_reader *reader;

	WORLD_PUSH(&w, frames, {0, 1});
	/* Stacks may share their frames in memory. */
	world_stack(&w, frames, PROF_MAX_STACK_FRAMES, PROF_STACK_CUT);
	for (uint32_t i = 1; i < nr; i++)
		WORLD_PUSH(&w, stacks, {0, PROF_MAX_STACK_FRAMES, PROF_STACK_CUT});
	reader = write_and_read(&epoch);
	ck_assert_uint_eq(epoch->nr_stack_frames, PROF_MAX_EPOCH_FRAMES);
	prof_reader_destroy(reader);
	m.nr = 0;
	WORLD_PUSH(&w, stacks, {0, 1, PROF_STACK_CUT});
	expect_refused(-E2BIG);
}
END_TEST

static void fill_tables(void)
{
	for (uint32_t i = 1; i < PROF_MAX_TABLE; i++) {
		WORLD_PUSH(&w, strings, {NULL, 0});
		WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_ANON});
		WORLD_PUSH(&w, processes, {.pid = i});
		WORLD_PUSH(&w, process_infos, {.process = i});
		WORLD_PUSH(&w, file_infos, {.object = i});
		WORLD_PUSH(&w, languages, {.object = i});
		WORLD_PUSH(&w, stacks, {.end = PROF_STACK_MISSED_FULL});
	}
	for (uint32_t i = 0; i < PROF_MAX_TABLE; i++) {
		WORLD_PUSH(&w, mappings, {0});
		WORLD_PUSH(&w, symbols, {0});
		WORLD_PUSH(&w, lines, {0, i, i, 1});
		WORLD_PUSH(&w, name_sources,
			   {.object = PROF_MAX_TABLE - 1, .parts = NAME_PART_SYMTAB});
		WORLD_PUSH(&w, source_frames, {0});
		WORLD_PUSH(&w, frames, {0, i});
		WORLD_PUSH(&w, exact_frames, i);
		WORLD_COUNT(&w, 0, 0, i, 0, 1);
	}
	w.processes.data[0].nr_mappings = PROF_MAX_TABLE;
}

START_TEST(table_rows)
{
	uint32_t *nrs[] = {
		&w.epoch.nr_objects,    &w.epoch.nr_processes,    &w.epoch.nr_mappings,
		&w.epoch.nr_symbols,    &w.epoch.nr_frames,       &w.epoch.nr_stacks,
		&w.epoch.nr_counts,     &w.epoch.nr_strings,      &w.epoch.nr_process_infos,
		&w.epoch.nr_file_infos, &w.epoch.nr_exact_frames, &w.epoch.nr_languages,
		&w.epoch.nr_lines,      &w.epoch.nr_name_sources};
	const struct prof_epoch *epoch;
	struct prof_reader *reader;

	fill_tables();
	reader = write_and_read(&epoch);
	ck_assert_uint_eq(epoch->nr_strings, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_objects, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_processes, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_mappings, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_symbols, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_process_infos, PROF_MAX_TABLE - 1);
	ck_assert_uint_eq(epoch->nr_file_infos, PROF_MAX_TABLE - 1);
	ck_assert_uint_eq(epoch->nr_languages, PROF_MAX_TABLE - 1);
	ck_assert_uint_eq(epoch->nr_lines, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_name_sources, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_exact_frames, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_frames, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_stacks, PROF_MAX_TABLE);
	ck_assert_uint_eq(epoch->nr_counts, PROF_MAX_TABLE);
	prof_reader_destroy(reader);
	/* One row more is refused. The writer compares the numbers before it looks at rows. */
	for (size_t i = 0; i < ARRAY_SIZE(nrs); i++) {
		struct prof_writer *writer;

		m.nr = 0;
		writer = begin_recording(&m);
		world_epoch(&w);
		*nrs[i] = PROF_MAX_TABLE + 1;
		ck_assert_int_eq(prof_writer_epoch(writer, &w.epoch), -E2BIG);
		prof_writer_destroy(writer);
	}
}
END_TEST

/* Mappings that processes share count for each. */
START_TEST(shared_mappings)
{
	for (uint32_t i = 0; i < 1024; i++)
		WORLD_PUSH(&w, mappings, {0, i, 1, 0});
	for (uint32_t i = 0; i <= PROF_MAX_TABLE / 1024; i++)
		WORLD_PUSH(&w, processes, {i + 1, 0, 0, 1024});
	expect_refused(-E2BIG);
}
END_TEST

START_TEST(section_bytes)
{
	for (uint32_t i = 0; i <= PROF_MAX_SECTION_BYTES / PROF_MAX_STRING_BYTES; i++)
		add_string(PROF_MAX_STRING_BYTES);
	expect_refused(-E2BIG);
}
END_TEST

/* Begins a recording whose META has this command and so many pids. */
static int write_meta(const char *command, uint32_t nr_pids, struct prof_writer **writer)
{
	static const uint32_t pids[PROF_MAX_PIDS + 1];
	struct prof_meta meta = test_meta;

	meta.command = command;
	meta.pids = pids;
	meta.nr_pids = nr_pids;
	m.nr = m.pos = 0;
	ck_assert_int_eq(prof_writer_create(memory_write, &m, writer), 0);
	return prof_writer_meta(*writer, &meta);
}

static int write_end(struct prof_writer *writer, uint32_t nr_cpus)
{
	static const uint64_t taken[PROF_MAX_CPUS + 1];
	struct prof_end record = test_end;

	record.cpu_taken = taken;
	record.nr_cpu_taken = nr_cpus;
	return prof_writer_end(writer, &record);
}

/* META is refused with @error that has @bad for the @field. */
#define REFUSE_META(field, bad, error)                                                             \
	do {                                                                                       \
		struct prof_writer *writer = NULL;                                                 \
		struct prof_meta meta = test_meta;                                                 \
                                                                                                   \
		m.nr = 0;                                                                          \
		meta.field = (bad);                                                                \
		ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);                \
		ck_assert_int_eq(prof_writer_meta(writer, &meta), error);                          \
		prof_writer_destroy(writer);                                                       \
	} while (0)

START_TEST(numbers_of_meta)
{
	REFUSE_META(nr_cpus, PROF_MAX_CPUS + 1, -E2BIG);
	REFUSE_META(host.nr_cpus_online, PROF_MAX_CPUS + 1, -E2BIG);
	REFUSE_META(host.nr_cpus_possible, PROF_MAX_CPUS + 1, -E2BIG);
	REFUSE_META(sides, PROF_SIDES_KERNEL + 1, -EINVAL);
	REFUSE_META(include_idle, 2, -EINVAL);
	REFUSE_META(only_cpu, PROF_MAX_CPUS + 1, -EINVAL);
	REFUSE_META(max_stack_depth, PROF_MAX_STACK_FRAMES + 1, -EINVAL);
	REFUSE_META(zone, 2 * PROF_ZONE_UTC + 1, -EINVAL);
	REFUSE_META(unwinding, PROF_UNWINDING_TABLES + 1, -EINVAL);
	REFUSE_META(backend, PROF_BACKEND_PTRACE + 1, -EINVAL);
}
END_TEST

START_TEST(records)
{
	static char name[PROF_MAX_STRING_BYTES + 2];
	const char *command = name + 1; /* of PROF_MAX_STRING_BYTES */
	struct prof_writer *writer;
	struct prof_reader *reader;

	memset(name, 'x', sizeof(name) - 1);
	ck_assert_int_eq(write_meta(command, PROF_MAX_PIDS, &writer), 0);
	ck_assert_int_eq(write_end(writer, PROF_MAX_CPUS), 0);
	prof_writer_destroy(writer);
	reader = open_recording(&m);
	ck_assert_str_eq(prof_reader_meta(reader)->command, command);
	ck_assert_uint_eq(prof_reader_meta(reader)->nr_pids, PROF_MAX_PIDS);
	expect_end(reader);
	ck_assert_uint_eq(prof_reader_end(reader)->nr_cpu_taken, PROF_MAX_CPUS);
	prof_reader_destroy(reader);

	ck_assert_int_eq(write_meta(name, 1, &writer), -E2BIG);
	prof_writer_destroy(writer);
	ck_assert_int_eq(write_meta("", PROF_MAX_PIDS + 1, &writer), -E2BIG);
	prof_writer_destroy(writer);
	ck_assert_int_eq(write_meta("", 1, &writer), 0);
	ck_assert_int_eq(write_end(writer, PROF_MAX_CPUS + 1), -E2BIG);
	prof_writer_destroy(writer);
}
END_TEST

enum { BAD_CASES = 58 };

#define BREAK(nr, field, bad)                                                                      \
	case nr:                                                                                   \
		(field) = (bad);                                                                   \
		break

/* Breaks one rule of the tables of names and attributes. */
static void break_table_rule(int which)
{
	switch (which) {
		BREAK(42, w.name_sources.data[0].object, 0);
		BREAK(43, w.name_sources.data[0].object, 2);
		BREAK(44, w.name_sources.data[0].origin, PROF_NR_NAME_ORIGINS);
		BREAK(45, w.name_sources.data[0].parts, 0);
		BREAK(46, w.name_sources.data[0].parts, NAME_PARTS_ALL + 1);
		BREAK(47, w.name_sources.data[0].file, 99);
		BREAK(48, w.process_attributes.data[0].process, 0);
		BREAK(49, w.process_attributes.data[0].process, 2);
		BREAK(50, w.process_attributes.data[0].key, 99);
		BREAK(51, w.process_attributes.data[0].value, 99);
		BREAK(52, w.labels.data[0].key, 99);
		BREAK(53, w.labels.data[0].value, 99);
		BREAK(54, w.label_sets.data[0].nr_labels, 1);
		BREAK(55, w.label_sets.data[1].first_label, 1);
		BREAK(56, w.label_sets.data[1].nr_labels, 2);
		BREAK(57, w.counts.data[0].label_set, 2);
	}
}

/* Breaks one rule of a small epoch. */
static void break_rule(int which)
{
	switch (which) {
		BREAK(0, *(char *)w.strings.data[1].s, '\0');
		BREAK(1, w.objects.data[1].kind, PROF_NR_OBJECT_KINDS);
		BREAK(2, w.objects.data[1].flags, 2);
		BREAK(3, w.objects.data[1].path, 99);
		BREAK(4, w.objects.data[0].path, 1);
		BREAK(5, w.processes.data[0].pid, 1);
		BREAK(6, w.processes.data[1].first_mapping, 2);
		BREAK(7, w.processes.data[1].nr_mappings, 2);
		BREAK(8, w.mappings.data[0].object, 99);
		BREAK(9, w.mappings.data[0].size, UINT64_MAX);
		BREAK(10, w.symbols.data[0].name, 99);
		BREAK(11, w.symbols.data[0].size, UINT64_MAX);
		BREAK(12, w.frames.data[0].object, 99);
		BREAK(13, w.stack_frames.data[0], 99);
		BREAK(14, w.stacks.data[1].end, PROF_STACK_MISSED_FULL);
		BREAK(15, w.stacks.data[1].first_frame, 1);
		BREAK(16, w.counts.data[0].count, 0);
		BREAK(17, w.counts.data[0].user_stack, 99);
		BREAK(18, w.counts.data[0].process, 99);
		BREAK(19, w.epoch.begin_ns, 1);
		BREAK(20, w.process_infos.data[0].process, 0);
		BREAK(21, w.process_infos.data[0].process, 2);
		BREAK(22, w.process_infos.data[0].name, 99);
		BREAK(23, w.process_infos.data[0].cgroup, 99);
		BREAK(24, w.file_infos.data[0].object, 0);
		BREAK(25, w.file_infos.data[0].object, 2);
		BREAK(26, w.exact_frames.data[0], 1);
		BREAK(30, w.languages.data[0].object, 0);
		BREAK(31, w.languages.data[0].object, 2);
		BREAK(32, w.languages.data[0].role, PROF_NR_LANGUAGE_ROLES);
		BREAK(33, w.languages.data[0].name, 99);
		BREAK(34, w.languages.data[0].version, 99);
		BREAK(35, w.lines.data[0].object, 2);
		BREAK(36, w.lines.data[1].offset, 0x10);
		BREAK(37, w.lines.data[1].first_frame, 2);
		BREAK(38, w.lines.data[1].nr_frames, 2);
		BREAK(39, w.lines.data[0].nr_frames, 0);
		BREAK(40, w.source_frames.data[0].name, 99);
		BREAK(41, w.source_frames.data[0].file, 99);
	case 27: /* process 1 twice, and so on */
		WORLD_PUSH(&w, process_infos, {.process = 1});
		break;
	case 28:
		WORLD_PUSH(&w, file_infos, {.object = 1});
		break;
	case 29:
		WORLD_PUSH(&w, exact_frames, 0);
		break;
	default:
		break_table_rule(which);
	}
}

START_TEST(rules)
{
	const uint32_t frame = 0;

	world_string(&w, "name");
	WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .path = 1});
	WORLD_PUSH(&w, mappings, {1, 0x1000, 0x1000, 0});
	WORLD_PUSH(&w, processes, {1, 0, 0, 1});
	WORLD_PUSH(&w, process_infos, {1, 1, 0, 1, 1, 0});
	WORLD_PUSH(&w, process_attributes, {1, 1, 1});
	WORLD_PUSH(&w, labels, {1, 1});
	WORLD_PUSH(&w, label_sets, {0, 0});
	WORLD_PUSH(&w, label_sets, {0, 1});
	WORLD_PUSH(&w, file_infos, {1, 2, 3, 4, 5});
	WORLD_PUSH(&w, languages, {1, PROF_LANGUAGE_INTERPRETER, 1, 0});
	WORLD_PUSH(&w, exact_frames, 0);
	WORLD_PUSH(&w, symbols, {1, 1, 0x10, 0x10});
	WORLD_PUSH(&w, lines, {1, 0x10, 0, 1});
	WORLD_PUSH(&w, lines, {1, 0x11, 1, 1});
	WORLD_PUSH(&w, source_frames, {1, 1, 7, false});
	WORLD_PUSH(&w, source_frames, {1, 1, 8, false});
	WORLD_PUSH(&w, name_sources, {1, PROF_NAMES_ADDED, NAME_PART_DWARF, 1});
	WORLD_PUSH(&w, frames, {1, 0x10});
	world_stack(&w, &frame, 1, PROF_STACK_COMPLETE);
	WORLD_COUNT(&w, 1, 1, 1, 0, 1);
	if (_i == BAD_CASES) {
		expect_written();
		return;
	}
	break_rule(_i);
	expect_refused(-EINVAL);
}
END_TEST

START_TEST(calls_out_of_turn)
{
	struct prof_writer *writer = NULL;

	ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);
	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(&w)), -EINVAL);
	ck_assert_int_eq(prof_writer_meta(writer, &test_meta), -EINVAL);
	prof_writer_destroy(writer);
	m.nr = 0;
	writer = begin_recording(&m);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), 0);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), -EINVAL);
	prof_writer_destroy(writer);
	prof_writer_destroy(NULL);
	prof_reader_destroy(NULL);
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
		int ret = prof_writer_create(write_full, &disk, &writer);

		if (!ret)
			ret = prof_writer_meta(writer, &test_meta);
		if (!ret)
			ret = prof_writer_epoch(writer, world_epoch(&w));
		ck_assert_int_eq(ret, -ENOSPC);
		if (writer)
			ck_assert_int_eq(prof_writer_end(writer, &test_end), -ENOSPC);
		prof_writer_destroy(writer);
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

SUITE_MAIN_LOOP_WITH("prof_limits", begin, end, rules, BAD_CASES + 1, string_bytes, build_id,
		     stack_frames, epoch_frames, table_rows, shared_mappings, section_bytes,
		     numbers_of_meta, records, calls_out_of_turn, write_error,
		     specification_version)
