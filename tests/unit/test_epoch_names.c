// SPDX-License-Identifier: GPL-2.0-or-later
/* Names for the vdso, for processes, and for code of processes whose maps are played (--wrap). */
#include "record/epoch/epoch_names.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "record/symbols/perf_map.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define MB          (UINT64_C(1) << 20)
#define NAMES_MAX   (4 * MB)
#define CODE        0x10000
#define ENTRY_BYTES 0x100 /* of code that a name covers */

static struct epoch_tables tables;
static struct prof_epoch epoch;
static struct jit jit;

/* The map of the process with generation @i, and what happens to it. */
static struct played_map {
	uint32_t uid;
	uint64_t bytes;
	uint32_t name_len; /* of each name */
	bool is_strange;   /* nobody watches the process */
	int failure;       /* of a look-up in it */
} maps[8];

static struct {
	char opened[256]; /* the maps, and the room that each had in megabytes */
	size_t map;       /* that is open */
	uint32_t busy_uid;
	unsigned int nr_begun, nr_ended, nr_unread;
	uint32_t unread_uid;
	bool has_changed; /* names cannot be read any more */
} played;

bool __wrap_jit_find_owner(const struct jit *j, uint64_t generation, uint32_t *uid);
bool __wrap_jit_begin_reading(struct jit *j, uint32_t uid);
void __wrap_jit_end_reading(struct jit *j, uint32_t uid);
int __wrap_jit_open_map(const struct jit *j, uint64_t generation, uint64_t max_bytes);
void __wrap_jit_note_unread(struct jit *j, uint32_t uid);
int __wrap_perf_map_lookup(int fd, struct perf_map_hit *hits, size_t nr);
void __wrap_perf_map_name(int fd, const struct perf_map_hit *hit, char *name);
int __wrap_new_processes_look(struct new_processes *processes, const struct address_spaces *spaces,
			      const struct address_space *space, struct proc_info *info);
const struct proc_info *__wrap_new_processes_find(const struct new_processes *processes,
						  const struct address_space *space);
int __wrap_container_names_find(struct container_names *names, const char *cgroup,
				const char_vec **attributes);

bool __wrap_jit_find_owner(const struct jit *j, uint64_t generation, uint32_t *uid)
{
	(void)j;
	*uid = maps[generation].uid;
	return !maps[generation].is_strange;
}

bool __wrap_jit_begin_reading(struct jit *j, uint32_t uid)
{
	(void)j;
	played.nr_begun++;
	return uid != played.busy_uid;
}

void __wrap_jit_end_reading(struct jit *j, uint32_t uid)
{
	(void)j;
	ck_assert_uint_eq(uid, maps[played.map].uid);
	played.nr_ended++;
}

int __wrap_jit_open_map(const struct jit *j, uint64_t generation, uint64_t max_bytes)
{
	size_t len = strlen(played.opened);
	int fd;

	(void)j;
	played.map = generation;
	snprintf(played.opened + len, sizeof(played.opened) - len, " %u:%u", (unsigned)generation,
		 (unsigned)(max_bytes / MB));
	if (maps[generation].bytes > max_bytes)
		return -EFBIG;
	fd = memfd_create("map", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(fd, (off_t)maps[generation].bytes), 0);
	return fd;
}

void __wrap_jit_note_unread(struct jit *j, uint32_t uid)
{
	(void)j;
	played.nr_unread++;
	played.unread_uid = uid;
}

int __wrap_perf_map_lookup(int fd, struct perf_map_hit *hits, size_t nr)
{
	(void)fd;
	for (size_t i = 0; i < nr; i++) {
		ck_assert(!i || hits[i - 1].addr <= hits[i].addr);
		if (hits[i].addr < CODE)
			continue;
		hits[i].start = hits[i].addr / ENTRY_BYTES * ENTRY_BYTES;
		hits[i].size = ENTRY_BYTES;
		hits[i].name_off = hits[i].start;
		hits[i].name_len = maps[played.map].name_len;
	}
	return maps[played.map].failure;
}

void __wrap_perf_map_name(int fd, const struct perf_map_hit *hit, char *name)
{
	(void)fd;
	if (played.has_changed)
		name[0] = '\0';
	else
		sprintf(name, "%zu_%llx", played.map, (unsigned long long)hit->start);
}

static struct proc_info answer, early_answer; /* of /proc, now and when the process began */
static bool has_early_answer;
static unsigned int nr_looks;
static char_vec container;

int __wrap_new_processes_look(struct new_processes *processes, const struct address_spaces *spaces,
			      const struct address_space *space, struct proc_info *info)
{
	(void)processes, (void)spaces, (void)space;
	nr_looks++;
	info->identity = answer.identity;
	return vec_append(&info->exe, answer.exe.data, answer.exe.nr) ||
			       vec_append(&info->cgroup, answer.cgroup.data, answer.cgroup.nr) ||
			       vec_append(&info->attributes, answer.attributes.data,
					  answer.attributes.nr)
		       ? -ENOMEM
		       : 0;
}

const struct proc_info *__wrap_new_processes_find(const struct new_processes *processes,
						  const struct address_space *space)
{
	(void)processes, (void)space;
	return has_early_answer ? &early_answer : NULL;
}

int __wrap_container_names_find(struct container_names *names, const char *cgroup,
				const char_vec **attributes)
{
	(void)names;
	ck_assert_str_eq(cgroup, "/group");
	*attributes = container.nr ? &container : NULL;
	return 0;
}

static void begin(void)
{
	played.busy_uid = UINT32_MAX;
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
}

static void end(void)
{
	epoch_tables_deinit(&tables);
}

static void add_frame(uint32_t object, uint64_t offset)
{
	uint32_t id;

	ck_assert_int_eq(epoch_tables_frame(&tables, object, offset, false, &id), 0);
}

/* Processes of these users with code in @nr_frames places. Map and object have the same number. */
static void add_map(uint32_t uid, uint64_t bytes, uint32_t name_len, unsigned int nr_frames)
{
	const size_t nr = tables.objects.nr;
	const struct prof_process process = {.pid = 7, .generation = nr + 1};
	const struct prof_object object = {.kind = PROF_OBJECT_JIT, .instance = nr + 1};
	uint32_t id;

	maps[nr] = (struct played_map){.uid = uid, .bytes = bytes, .name_len = name_len};
	ck_assert_int_eq(epoch_tables_process(&tables, &process, &id), 0);
	ck_assert_int_eq(epoch_tables_object(&tables, &object, &id), 0);
	ck_assert_uint_eq(id, nr);
	for (unsigned int i = 0; i < nr_frames; i++)
		add_frame(id, CODE + ENTRY_BYTES * i + 0x10);
}

static void name_code(const char *want_opened)
{
	played.opened[0] = '\0';
	ck_assert_int_eq(epoch_names_jit(&tables, &jit), 0);
	ck_assert_str_eq(played.opened, want_opened);
}

/* Names of the object of map @i. */
static unsigned int names_of(uint32_t i)
{
	unsigned int nr = 0;

	vec_for_each(&tables.symbols, symbol)
		nr += symbol->object == i;
	return nr;
}

/* Of one user, others in each epoch; root comes first, and then users by their ids. */
START_TEST(maps_take_turns)
{
	add_map(5, MB, 1, 1);
	add_map(5, MB, 1, 1);
	add_map(5, MB, 1, 1);
	name_code(" 1:128 2:127 3:126");
	name_code(" 1:128 2:127 3:126");
	name_code(" 2:128 3:127 1:126");
	name_code(" 3:128 1:127 2:126");
	name_code(" 1:128 2:127 3:126");
	add_map(3, MB, 1, 1);
	add_map(0, MB, 1, 1);
	jit.nr_epochs = 0;
	name_code(" 5:128 4:63 1:126 2:125 3:124");
	ck_assert_uint_eq(played.nr_ended, played.nr_begun);
	ck_assert_uint_eq(played.nr_unread, 0);
}
END_TEST

/* Objects of another kind, or of processes that nobody watches, have no map. */
START_TEST(objects_without_a_map)
{
	const struct prof_object file = {.kind = PROF_OBJECT_FILE, .instance = 2};
	const struct prof_object gone = {.kind = PROF_OBJECT_JIT, .instance = 77};
	uint32_t id;

	add_map(5, MB, 1, 1);
	add_map(5, MB, 1, 1);
	ck_assert_int_eq(epoch_tables_object(&tables, &file, &id), 0);
	ck_assert_int_eq(epoch_tables_object(&tables, &gone, &id), 0);
	maps[1].is_strange = true;
	name_code(" 2:128");
	ck_assert_uint_eq(names_of(1), 0);
	ck_assert_uint_eq(names_of(2), 1);
}
END_TEST

/* Root may use all of the room, and others an equal part of the rest. */
START_TEST(users_share_the_room)
{
	add_map(0, 28 * MB, 1, 1);
	add_map(5, 30 * MB, 1, 1);
	add_map(5, 15 * MB, 1, 1);
	add_map(7, 56 * MB, 1, 1);
	/* The map of user 7 does not fit into what is left, not even at the end. */
	name_code(" 1:128 2:50 3:20 4:55 4:55");
	ck_assert_uint_eq(names_of(4), 0);
	ck_assert_uint_eq(played.nr_unread, 1);
	ck_assert_uint_eq(played.unread_uid, 7);
}
END_TEST

/* What one user leaves is for large maps of others, which take turns, too. */
START_TEST(large_maps_come_last)
{
	add_map(5, 60 * MB, 1, 1);
	add_map(5, 61 * MB, 1, 1);
	add_map(7, 2 * MB, 1, 1);
	name_code(" 1:64 2:4 3:68 2:66");
	ck_assert_uint_eq(names_of(2), 1);
	maps[1].bytes = maps[2].bytes = 65 * MB;
	jit.nr_epochs = 0;
	name_code(" 1:64 2:64 3:128 2:126 1:61");
	ck_assert_uint_eq(played.nr_unread, 1);
	ck_assert_uint_eq(played.unread_uid, 5);
}
END_TEST

/* All names of a map or none, unless it is the last one that is read. */
START_TEST(names_share_the_room)
{
	add_map(5, MB, NAMES_MAX / 8, 4);
	add_map(7, MB, NAMES_MAX / 8, 1);
	name_code(" 1:64 2:127");
	ck_assert_uint_eq(names_of(1), 4);
	ck_assert_uint_eq(names_of(2), 1);
	add_frame(1, CODE + ENTRY_BYTES * 4 + 0x10);
	jit.nr_epochs = 0;
	name_code(" 1:64 2:127 1:126");
	ck_assert_uint_eq(names_of(1), 5);
	ck_assert_uint_eq(played.nr_unread, 0);
	for (unsigned int i = 5; i < 8; i++)
		add_frame(1, CODE + ENTRY_BYTES * i + 0x10);
	jit.nr_epochs = 0;
	name_code(" 1:64 2:127 1:126");
	ck_assert_uint_eq(names_of(1), 7);
	ck_assert_uint_eq(played.nr_unread, 1);
	ck_assert_uint_eq(played.unread_uid, 5);
}
END_TEST

/* A leaf is looked up at its address, and a caller at the byte before. One entry is one name. */
START_TEST(names_of_leaves_and_callers)
{
	add_map(5, MB, 1, 0);
	add_frame(1, CODE - 5);
	add_frame(1, CODE + ENTRY_BYTES);
	add_frame(1, CODE + ENTRY_BYTES + 7);
	name_code(" 1:128");
	ck_assert_uint_eq(names_of(1), 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(tables.symbols.data[i].offset, CODE + i * ENTRY_BYTES);
		ck_assert_uint_eq(tables.symbols.data[i].size, ENTRY_BYTES);
	}
}
END_TEST

START_TEST(maps_that_cannot_be_read)
{
	add_map(5, MB, 1, 1);
	played.busy_uid = 5;
	name_code("");
	ck_assert_uint_eq(played.nr_begun, 1);
	ck_assert_uint_eq(played.nr_ended, 0);
	played.busy_uid = UINT32_MAX;
	played.has_changed = true;
	name_code(" 1:128");
	ck_assert_uint_eq(names_of(1), 0);
	played.has_changed = false;
	maps[1].failure = -ENOMEM;
	ck_assert_int_eq(epoch_names_jit(&tables, &jit), -ENOMEM);
	ck_assert_uint_eq(names_of(1), 0);
	/* What was read before a failure is good. */
	maps[1].failure = -EIO;
	name_code(" 1:128");
	ck_assert_uint_eq(names_of(1), 1);
	ck_assert_uint_eq(played.nr_unread, 0);
}
END_TEST

START_TEST(names_in_the_vdso)
{
	struct vdso_symbol symbols[] = {{.off = 0, .size = 16, .name = "first"},
					{.off = 16, .size = 16, .name = "second"}};
	struct vdso vdso = {.build_id = {.size = 3, .bytes = {1, 2, 3}},
			    .symbols = {.data = symbols, .nr = 2}};
	struct prof_object objects[] = {
		{.kind = PROF_OBJECT_VDSO, .build_id_size = 3, .build_id = {1, 2, 3}},
		{.kind = PROF_OBJECT_VDSO, .build_id_size = 3, .build_id = {1, 2, 4}},
		{.kind = PROF_OBJECT_VDSO, .build_id_size = 2, .build_id = {1, 2}},
		{.kind = PROF_OBJECT_FILE, .build_id_size = 3, .build_id = {1, 2, 3}},
	};
	uint32_t id;

	for (uint32_t i = 0; i < ARRAY_SIZE(objects); i++) {
		ck_assert_int_eq(epoch_tables_object(&tables, &objects[i], &id), 0);
		add_frame(id, i ? 4 : 16);
	}
	add_frame(0, 4);
	ck_assert_int_eq(epoch_names_vdso(&tables, &(struct vdso){0}), 0);
	ck_assert_uint_eq(tables.symbols.nr, 0);
	ck_assert_int_eq(epoch_names_vdso(&tables, &vdso), 0);
	ck_assert_uint_eq(tables.symbols.nr, 2);
	ck_assert_uint_eq(names_of(1), 2);
	/* Before the first byte is nothing. */
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	ck_assert_int_eq(epoch_tables_object(&tables, &objects[0], &id), 0);
	add_frame(id, 0);
	ck_assert_int_eq(epoch_names_vdso(&tables, &vdso), 0);
	ck_assert_uint_eq(tables.symbols.nr, 1);
	ck_assert_uint_eq(tables.symbols.data[0].size, 16);
}
END_TEST

static struct address_spaces spaces;

static void set_text(char_vec *text, const char *bytes, size_t nr)
{
	vec_clear(text);
	ck_assert_int_eq(vec_append(text, bytes, nr), 0);
}

#define SET_TEXT(text, literal) set_text(text, literal, sizeof(literal))

/* Describes @space as a process. Returns its number. */
static uint32_t describe(const struct address_space *space)
{
	const struct epoch_sources sources = {.spaces = &spaces};
	const struct prof_process entry = {.pid = 7, .generation = 1 + tables.processes.nr};
	uint32_t id;

	ck_assert_int_eq(epoch_tables_process(&tables, &entry, &id), 0);
	ck_assert_int_eq(epoch_names_process(&tables, &sources, space, id), 0);
	ck_assert_int_eq(epoch_tables_lay_out(&tables, &epoch), 0);
	return id;
}

static void expect_info(uint32_t i, const char *name, const char *exe, const char *cgroup)
{
	const struct prof_process_info *info = &epoch.process_infos[i];

	ck_assert_uint_eq(epoch.nr_process_infos, i + 1);
	ck_assert_str_eq(epoch.strings[info->name].s, name);
	ck_assert_str_eq(epoch.strings[info->exe].s, exe);
	ck_assert_str_eq(epoch.strings[info->cgroup].s, cgroup);
}

static void expect_attribute(uint32_t i, uint32_t process, const char *key, const char *value)
{
	const struct prof_process_attribute *attribute = &epoch.process_attributes[i];

	ck_assert_uint_lt(i, epoch.nr_process_attributes);
	ck_assert_uint_eq(attribute->process, process);
	ck_assert_str_eq(epoch.strings[attribute->key].s, key);
	ck_assert_str_eq(epoch.strings[attribute->value].s, value);
}

START_TEST(what_is_known_of_a_process)
{
	struct address_space *space;
	uint32_t id;

	ck_assert_int_eq(address_spaces_get(&spaces, 5000001, 0, &space), 0);
	answer.identity = (struct proc_identity){.uid = PROF_UID_UNKNOWN};
	/* Nothing is known. */
	describe(space);
	ck_assert_uint_eq(epoch.nr_process_infos, 0);
	strcpy(space->name, "of exec");
	describe(space);
	expect_info(0, "of exec", "", "");
	answer.identity = (struct proc_identity){.uid = 1000, .ns_pid = 3, .name = "now"};
	SET_TEXT(&answer.exe, "/bin/now");
	SET_TEXT(&answer.cgroup, "/group");
	SET_TEXT(&answer.attributes, "service\0shop\0version\0"
				     "2");
	SET_TEXT(&container, "pod\0shop-1");
	id = describe(space);
	expect_info(1, "now", "/bin/now", "/group");
	ck_assert_uint_eq(epoch.process_infos[1].process, id);
	ck_assert_uint_eq(epoch.process_infos[1].ns_pid, 3);
	ck_assert_uint_eq(epoch.process_infos[1].uid, 1000);
	ck_assert_uint_eq(tables.processes.data[id].owner, 1001);
	ck_assert_uint_eq(epoch.nr_process_attributes, 3);
	expect_attribute(0, id, "service", "shop");
	expect_attribute(1, id, "version", "2");
	expect_attribute(2, id, "pod", "shop-1");
	ck_assert_uint_eq(nr_looks, 3);
	address_spaces_deinit(&spaces);
}
END_TEST

/* /proc has the process after its exec. Of the one before, only an early answer tells. */
START_TEST(a_process_before_its_exec)
{
	struct address_space *space;

	ck_assert_int_eq(address_spaces_get(&spaces, 5000001, 0, &space), 0);
	ck_assert_int_eq(address_spaces_exec(&spaces, 5000001, 100), 0);
	answer.identity = (struct proc_identity){.uid = 1, .name = "after"};
	early_answer.identity = (struct proc_identity){.uid = 2, .name = "before"};
	describe(space);
	ck_assert_uint_eq(epoch.nr_process_infos, 0);
	has_early_answer = true;
	describe(space);
	expect_info(0, "before", "", "");
	ck_assert_uint_eq(epoch.process_infos[0].uid, 2);
	ck_assert_uint_eq(nr_looks, 0);
	address_spaces_deinit(&spaces);
}
END_TEST

/* A single fact is worth telling. */
START_TEST(one_fact_alone)
{
	struct address_space *space;

	ck_assert_int_eq(address_spaces_get(&spaces, 5000001, 0, &space), 0);
	for (uint32_t i = 0; i < 5; i++) {
		answer.identity = (struct proc_identity){.uid = i == 0 ? 0 : PROF_UID_UNKNOWN,
							 .ns_pid = i == 1};
		if (i == 2)
			strcpy(answer.identity.name, "n");
		vec_clear(&answer.exe);
		vec_clear(&answer.cgroup);
		if (i == 3)
			SET_TEXT(&answer.exe, "/exe");
		if (i == 4)
			SET_TEXT(&answer.cgroup, "/group");
		describe(space);
		expect_info(i, i == 2 ? "n" : "", i == 3 ? "/exe" : "", i == 4 ? "/group" : "");
	}
	address_spaces_deinit(&spaces);
}
END_TEST

START_TEST(out_of_memory)
{
	const struct epoch_sources sources = {.spaces = &spaces};
	struct address_space *space;

	ck_assert_int_eq(address_spaces_get(&spaces, 5000001, 0, &space), 0);
	answer.identity = (struct proc_identity){.uid = 1000, .name = "now"};
	SET_TEXT(&answer.cgroup, "/group");
	SET_TEXT(&answer.attributes, "service\0shop");
	SET_TEXT(&container, "pod\0shop-1");
	oom_for_each_call(n)
	{
		const struct prof_process entry = {.pid = 7, .generation = 1};
		struct epoch_tables t = {0};
		uint32_t id;
		int ret = epoch_tables_reset(&t);

		if (!ret)
			ret = epoch_tables_process(&t, &entry, &id);
		if (!ret)
			ret = epoch_names_process(&t, &sources, space, id);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		epoch_tables_deinit(&t);
	}
	address_spaces_deinit(&spaces);
}
END_TEST

SUITE_MAIN_WITH("epoch_names", begin, end, maps_take_turns, objects_without_a_map,
		users_share_the_room, large_maps_come_last, names_share_the_room,
		names_of_leaves_and_callers, maps_that_cannot_be_read, names_in_the_vdso,
		what_is_known_of_a_process, a_process_before_its_exec, one_fact_alone,
		out_of_memory)
