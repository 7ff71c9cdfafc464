// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a recording from a description, for tests: prof_make < text > file.prof. One directive a
 * line; '#' begins a comment line. Words may hold \xNN, \n, \t and \\; "" is the empty word; a
 * value is the rest of the line. Numbers are decimal or 0x. Frames are OBJECT:OFFSET, leaf first.
 *
 *	meta KEY VALUE                  a member of struct prof_meta; pids, tids: numbers
 *	object ID KIND PATH BUILD-ID|- [deleted] [instance=N]
 *	                                KIND: none file anon vdso kernel module bpf jit
 *	process ID PID [GENERATION]
 *	map PROCESS OBJECT START SIZE PGOFF
 *	info PROCESS NS-PID UID|- NAME EXE CGROUP
 *	                                CGROUP is a value
 *	attribute PROCESS KEY VALUE     VALUE is a value
 *	request                         begins a label set, whose number is 1, 2, ...
 *	label KEY VALUE                 of the request before; VALUE is a value
 *	language OBJECT ROLE NAME [VERSION]
 *	                                ROLE: source interpreter unsupported; VERSION is a value
 *	sym OBJECT OFFSET SIZE NAME     NAME is a value
 *	line OBJECT OFFSET FILE LINE FUNCTION
 *	                                one more function there, which the earlier ones are inlined
 *	                                into; FUNCTION is a value
 *	source OBJECT ORIGIN PARTS FILE names are from FILE, a value, if that is not ""
 *	                                ORIGIN: recorded added fetched
 *	file OBJECT INODE SIZE          facts of an object without a build-id
 *	exact FRAME                     its address is no return address
 *	event KIND UNIT PROBES NAME [WEIGHT]
 *	                                KIND: samples kernel user tracepoint usdt off-cpu
 *	                                UNIT: events ns bytes number
 *	count PROCESS COMM N [user FRAME...] [kernel FRAME...] [user-end END] [kernel-end END]
 *	      [event N] [tid TID] [request N] [waker-user FRAME...] [waker-kernel FRAME...]
 *	                                END: unknown complete cut missed_full missed_error; without
 *	                                one, a stack that has frames is complete
 *	slices LENGTH_NS PHASE_NS       the epoch has slices of time
 *	part SLICE N                    of the count before
 *	epoch [BEGIN_NS END_NS]         writes the counts so far as an epoch; the rest stays defined
 *	names BEGIN_NS END_NS           writes an epoch without counts, for its symbols
 *	end KEY VALUE                   a member of struct prof_end, or lost_full,
 *	                                lost_refused, lost_walk, missed_user_full, ...;
 *	                                cpu_taken: numbers
 *	                                lack: kind, user id, number
 *	                                event_taken, event_counted, event_sum, ...: a number for
 *	                                each event; the first three are summed up unless given
 *	cut                             no end record
 *
 * Object "none" and process "kernel" are there from the start. The last epoch and the end record
 * are written at the end of the input; counted and taken are summed up unless given.
 */
#include "common/cleanup.h"
#include "format/writer.h"
#include "tests/unit/world.h"

#define MAX_WORDS 4200
#define MAX_LINE  (1 << 20)

/* A mapping before the mappings are sorted by process. */
struct map_line {
	uint32_t process;
	struct prof_mapping mapping;
};

struct maker {
	struct world world;
	VEC(char *) object_ids;
	VEC(char *) process_ids;
	VEC(struct map_line) maps;
	VEC(uint32_t) pids, tids;
	VEC(uint64_t) cpu_taken;
	VEC(struct prof_event) events;
	struct prof_event_end event_ends[PROF_MAX_EVENTS];
	struct prof_meta meta;
	struct prof_end end;
	struct prof_writer *writer;
	bool has_counted, has_taken, has_event_numbers, is_cut, has_names_alone;
	unsigned int line;
};

static void die(const struct maker *m, const char *what, const char *word)
{
	fprintf(stderr, "prof_make: line %u: %s '%s'\n", m->line, what, word);
	exit(EXIT_FAILURE);
}

static void check(const struct maker *m, int ret)
{
	if (ret)
		die(m, "failed to write", strerror(-ret));
}

/* Resolves escapes in place; returns the length. */
static size_t unescape(char *s)
{
	char *out = s, *begin = s;

	if (strcmp(s, "\"\"") == 0)
		s += 2;
	while (*s) {
		unsigned int byte;

		if (*s == '\\' && s[1] == 'x' && sscanf(s + 2, "%2x", &byte) == 1) {
			*out++ = byte;
			s += 4;
		} else if (*s == '\\' && s[1]) {
			*out++ = s[1] == 'n' ? '\n' : s[1] == 't' ? '\t' : s[1];
			s += 2;
		} else {
			*out++ = *s++;
		}
	}
	*out = 0;
	return out - begin;
}

static uint64_t number(const struct maker *m, const char *word)
{
	char *end = NULL;
	uint64_t v;

	if (!word)
		die(m, "a number is missing", "");
	v = strtoull(word, &end, 0);
	if (!*word || *end)
		die(m, "not a number", word);
	return v;
}

static uint32_t string_id(struct maker *m, char *word)
{
	size_t len = unescape(word);

	for (size_t i = 0; i < m->world.strings.nr; i++)
		if (m->world.strings.data[i].len == len &&
		    memcmp(m->world.strings.data[i].s, word, len) == 0)
			return i;
	return world_bytes(&m->world, word, len);
}

static uint32_t find(const struct maker *m, char **ids, size_t nr, const char *word)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(ids[i], word) == 0)
			return i;
	die(m, "not defined", word);
	return 0;
}

static uint32_t object_id(const struct maker *m, const char *word)
{
	return find(m, m->object_ids.data, m->object_ids.nr, word);
}

static uint32_t process_id(const struct maker *m, const char *word)
{
	return find(m, m->process_ids.data, m->process_ids.nr, word);
}

static uint8_t name_to_enum(const struct maker *m, const char *const *names, size_t nr,
			    const char *word)
{
	for (size_t i = 0; i < nr; i++)
		if (strcasecmp(names[i], word) == 0)
			return i;
	die(m, "not known", word);
	return 0;
}

static bool is_any_of(const char *word, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(names[i], word) == 0)
			return true;
	return false;
}

static void do_object(struct maker *m, char **words, int nr)
{
	static const char *const kinds[] = {"none",   "file",   "anon", "vdso",
					    "kernel", "module", "bpf",  "jit"};
	struct prof_object object = {.kind = name_to_enum(m, kinds, ARRAY_SIZE(kinds), words[2])};

	object.path = string_id(m, words[3]);
	for (const char *hex = words[4]; *hex && *hex != '-'; hex += 2) {
		unsigned int byte;

		if (object.build_id_size == PROF_MAX_BUILD_ID || sscanf(hex, "%2x", &byte) != 1 ||
		    !hex[1])
			die(m, "not a build-id", words[4]);
		object.build_id[object.build_id_size++] = byte;
	}
	for (int i = 5; i < nr; i++) {
		if (strcmp(words[i], "deleted") == 0)
			object.flags |= PROF_OBJECT_DELETED;
		else if (strncmp(words[i], "instance=", 9) == 0)
			object.instance = number(m, words[i] + 9);
		else
			die(m, "not known", words[i]);
	}
	WORLD_PUSH(&m->world, objects, object);
	if (vec_push(&m->object_ids, strdup(words[1])))
		abort();
}

static void do_process(struct maker *m, char **words, int nr)
{
	uint64_t generation = nr > 3 ? number(m, words[3]) : m->process_ids.nr;

	WORLD_PUSH(&m->world, processes, {number(m, words[2]), generation, 0, 0});
	if (vec_push(&m->process_ids, strdup(words[1])))
		abort();
}

static void do_map(struct maker *m, char **words)
{
	struct map_line map = {
		process_id(m, words[1]),
		{object_id(m, words[2]), number(m, words[3]), number(m, words[4]),
		 number(m, words[5])},
	};

	if (vec_push(&m->maps, map))
		abort();
}

static void do_info(struct maker *m, char **words)
{
	WORLD_PUSH(&m->world, process_infos,
		   {process_id(m, words[1]), number(m, words[2]),
		    strcmp(words[3], "-") == 0 ? PROF_UID_UNKNOWN : number(m, words[3]),
		    string_id(m, words[4]), string_id(m, words[5]), string_id(m, words[6])});
}

static void do_attribute(struct maker *m, char **words)
{
	WORLD_PUSH(&m->world, process_attributes,
		   {process_id(m, words[1]), string_id(m, words[2]), string_id(m, words[3])});
}

static void do_request(struct maker *m, char **words)
{
	struct world *w = &m->world;

	(void)words;
	if (!w->label_sets.nr)
		WORLD_PUSH(w, label_sets, {0, 0});
	WORLD_PUSH(w, label_sets, {w->labels.nr, 0});
}

static void do_label(struct maker *m, char **words)
{
	struct world *w = &m->world;

	if (!w->label_sets.nr)
		die(m, "no request before", words[1]);
	WORLD_PUSH(w, labels, {string_id(m, words[1]), string_id(m, words[2])});
	w->label_sets.data[w->label_sets.nr - 1].nr_labels++;
}

/* In the order of the objects, as the format wants it. */
static void do_language(struct maker *m, char **words, int nr)
{
	static const char *const roles[] = {"source", "interpreter", "unsupported"};

	WORLD_PUSH(&m->world, languages,
		   {object_id(m, words[1]), name_to_enum(m, roles, ARRAY_SIZE(roles), words[2]),
		    string_id(m, words[3]), nr > 4 ? string_id(m, words[4]) : 0});
}

static void do_sym(struct maker *m, char **words)
{
	WORLD_PUSH(&m->world, symbols,
		   {object_id(m, words[1]), string_id(m, words[4]), number(m, words[2]),
		    number(m, words[3])});
}

/* In the order of objects and offsets, as the format wants it. */
static void do_line_of(struct maker *m, char **words)
{
	struct prof_line line = {object_id(m, words[1]), number(m, words[2]),
				 m->world.source_frames.nr, 1};
	struct prof_line *last =
		m->world.lines.nr ? &m->world.lines.data[m->world.lines.nr - 1] : NULL;

	if (last && last->object == line.object && last->offset == line.offset) {
		m->world.source_frames.data[line.first_frame - 1].is_inlined = true;
		last->nr_frames++;
	} else {
		WORLD_PUSH(&m->world, lines, line);
	}
	WORLD_PUSH(&m->world, source_frames,
		   {string_id(m, words[5]), string_id(m, words[3]), number(m, words[4]), false});
}

/* In the order of the objects, as the format wants it. */
static void do_source(struct maker *m, char **words)
{
	static const char *const origins[] = {"recorded", "added", "fetched"};

	WORLD_PUSH(&m->world, name_sources,
		   {object_id(m, words[1]), name_to_enum(m, origins, ARRAY_SIZE(origins), words[2]),
		    number(m, words[3]), string_id(m, words[4])});
}

static uint32_t frame_id(struct maker *m, char *word)
{
	char *colon = strrchr(word, ':');
	struct prof_frame frame;

	if (!colon)
		die(m, "not a frame", word);
	*colon = 0;
	frame = (struct prof_frame){object_id(m, word), number(m, colon + 1)};
	for (size_t i = 0; i < m->world.frames.nr; i++)
		if (m->world.frames.data[i].object == frame.object &&
		    m->world.frames.data[i].offset == frame.offset)
			return i;
	return WORLD_PUSH(&m->world, frames, frame);
}

static void do_file(struct maker *m, char **words)
{
	WORLD_PUSH(&m->world, file_infos,
		   {object_id(m, words[1]), number(m, words[2]), number(m, words[3]), 0, 0});
}

static void do_exact(struct maker *m, char **words)
{
	WORLD_PUSH(&m->world, exact_frames, frame_id(m, words[1]));
}

static uint32_t stack_id(struct maker *m, const uint32_t *frames, size_t nr, uint8_t end)
{
	for (size_t i = 0; i < m->world.stacks.nr; i++) {
		const struct prof_stack *stack = &m->world.stacks.data[i];

		if (stack->nr_frames == nr && stack->end == end &&
		    (!nr || memcmp(m->world.stack_frames.data + stack->first_frame, frames,
				   nr * sizeof(*frames)) == 0))
			return i;
	}
	return world_stack(&m->world, frames, nr, end);
}

static void do_event(struct maker *m, char **words, int nr)
{
	static const char *const kinds[] = {"samples",    "kernel", "user",
					    "tracepoint", "usdt",   "off-cpu"};
	static const char *const units[] = {"events", "ns", "bytes", "number"};
	struct prof_event event = {
		.kind = name_to_enum(m, kinds, ARRAY_SIZE(kinds), words[1]),
		.unit = name_to_enum(m, units, ARRAY_SIZE(units), words[2]),
		.nr_probes = number(m, words[3]),
	};

	unescape(words[4]);
	event.name = strdup(words[4]);
	event.weight = strdup(nr > 5 ? words[5] : "");
	if (m->events.nr == PROF_MAX_EVENTS || vec_push(&m->events, event))
		abort();
}

static void sum_up(struct maker *m, const struct prof_count *count)
{
	struct prof_event_end *event = &m->event_ends[count->event];

	if (!m->has_counted)
		m->end.counted += count->count;
	if (m->has_event_numbers)
		return;
	event->taken += count->count;
	event->counted += count->count;
	event->sum += count->count;
}

static void do_count(struct maker *m, char **words, int nr)
{
	static const char *const ends[] = {"unknown",      "complete", "cut",      "missed_full",
					   "missed_error", "strayed",  "no_table", "bad_rule",
					   "unreadable",   "early"};
	static uint32_t frames[4][PROF_MAX_STACK_FRAMES];
	static const char *const sides[4] = {"user", "kernel", "waker-user", "waker-kernel"};
	uint32_t nr_frames[4] = {0}, stacks[4];
	int side = 0, end[4] = {-1, -1, -1, -1};
	struct prof_count count = {
		.process = process_id(m, words[1]),
		.comm = string_id(m, words[2]),
		.count = number(m, words[3]),
	};

	for (int i = 4; i < nr; i++) {
		if (is_any_of(words[i], sides, ARRAY_SIZE(sides))) {
			side = name_to_enum(m, sides, ARRAY_SIZE(sides), words[i]);
		} else if (i + 1 < nr && strcmp(words[i], "event") == 0) {
			count.event = number(m, words[++i]);
			if (count.event >= m->events.nr)
				die(m, "no such event", words[i]);
		} else if (i + 1 < nr && strcmp(words[i], "request") == 0) {
			count.label_set = number(m, words[++i]);
		} else if (i + 1 < nr && strcmp(words[i], "tid") == 0) {
			count.tid = number(m, words[++i]);
		} else if (i + 1 < nr && (strcmp(words[i], "user-end") == 0 ||
					  strcmp(words[i], "kernel-end") == 0)) {
			end[words[i][0] == 'k'] =
				name_to_enum(m, ends, ARRAY_SIZE(ends), words[i + 1]);
			i++;
		} else if (nr_frames[side] == PROF_MAX_STACK_FRAMES) {
			die(m, "too many frames at", words[i]);
		} else {
			frames[side][nr_frames[side]++] = frame_id(m, words[i]);
		}
	}
	for (int i = 0; i < 4; i++) {
		if (end[i] < 0)
			end[i] = nr_frames[i] ? PROF_STACK_COMPLETE : PROF_STACK_UNKNOWN;
		stacks[i] = stack_id(m, frames[i], nr_frames[i], end[i]);
	}
	count.user_stack = stacks[0];
	count.kernel_stack = stacks[1];
	count.waker_user_stack = stacks[2];
	count.waker_kernel_stack = stacks[3];
	sum_up(m, &count);
	WORLD_PUSH(&m->world, counts, count);
}

static int write_stdout(void *ctx, const void *buf, size_t len)
{
	(void)ctx;
	return fwrite(buf, 1, len, stdout) == len ? 0 : -EIO;
}

static void write_epoch(struct maker *m)
{
	struct world *w = &m->world;

	if (!m->writer) {
		check(m, prof_writer_create(write_stdout, NULL, &m->writer));
		m->meta.pids = m->pids.data;
		m->meta.nr_pids = m->pids.nr;
		m->meta.tids = m->tids.data;
		m->meta.nr_tids = m->tids.nr;
		m->meta.events = m->events.data;
		m->meta.nr_events = m->events.nr;
		check(m, prof_writer_meta(m->writer, &m->meta));
	}
	if (!w->counts.nr && !m->has_names_alone)
		return;
	vec_clear(&w->mappings);
	for (uint32_t i = 0; i < w->processes.nr; i++) {
		w->processes.data[i].first_mapping = w->mappings.nr;
		vec_for_each(&m->maps, map)
			if (map->process == i)
				WORLD_PUSH(w, mappings, map->mapping);
		w->processes.data[i].nr_mappings =
			w->mappings.nr - w->processes.data[i].first_mapping;
	}
	check(m, prof_writer_epoch(m->writer, world_epoch(w)));
	vec_clear(&w->counts);
	vec_clear(&w->slices);
	vec_clear(&w->frames);
	vec_clear(&w->stack_frames);
	w->stacks.nr = 1;
}

static void do_slices(struct maker *m, char **words)
{
	m->world.epoch.slice_ns = number(m, words[1]);
	m->world.epoch.slice_phase_ns = number(m, words[2]);
}

static void do_part(struct maker *m, char **words)
{
	WORLD_PUSH(&m->world, slices,
		   {m->world.counts.nr - 1, number(m, words[1]), number(m, words[2])});
}

static void do_epoch(struct maker *m, char **words, int nr)
{
	m->has_names_alone = !strcmp(words[0], "names");
	if (nr > 2) {
		m->world.epoch.begin_ns = number(m, words[1]);
		m->world.epoch.end_ns = number(m, words[2]);
	}
	write_epoch(m);
	m->has_names_alone = false;
	m->world.epoch.begin_ns = m->world.epoch.end_ns;
	m->world.epoch.slice_ns = 0;
}

struct key {
	const char *name;
	size_t off;
	size_t size; /* 0: a string */
};

#define STRING(record, field)                                                                      \
	{                                                                                          \
#field, offsetof(struct record, field), 0                                          \
	}
#define NUMBER(record, field)                                                                      \
	{                                                                                          \
#field, offsetof(struct record, field), sizeof(((struct record *)0)->field)        \
	}
#define LOSS(name, field, reason)                                                                  \
	{                                                                                          \
		name, offsetof(struct prof_end, field[reason]), sizeof(uint64_t)                   \
	}

static const struct key meta_keys[] = {
	STRING(prof_meta, hostname),
	STRING(prof_meta, kernel_release),
	STRING(prof_meta, kernel_version),
	STRING(prof_meta, arch),
	STRING(prof_meta, recorder),
	STRING(prof_meta, command_line),
	STRING(prof_meta, event),
	STRING(prof_meta, cpus),
	STRING(prof_meta, command),
	STRING(prof_meta, filters),
	NUMBER(prof_meta, event_type),
	NUMBER(prof_meta, event_config),
	NUMBER(prof_meta, freq_hz),
	NUMBER(prof_meta, period),
	NUMBER(prof_meta, start_realtime_ns),
	NUMBER(prof_meta, start_monotonic_ns),
	NUMBER(prof_meta, duration_ns),
	NUMBER(prof_meta, stack_storage),
	NUMBER(prof_meta, hash_storage),
	NUMBER(prof_meta, nr_cpus),
	NUMBER(prof_meta, only_cpu),
	NUMBER(prof_meta, sides),
	NUMBER(prof_meta, include_idle),
	NUMBER(prof_meta, max_stack_depth),
	NUMBER(prof_meta, unwinding),
	NUMBER(prof_meta, backend),
	{"boot_id", offsetof(struct prof_meta, host.boot_id), 0},
	{"cpu_model", offsetof(struct prof_meta, host.cpu_model), 0},
	{"hypervisor", offsetof(struct prof_meta, host.hypervisor), 0},
	{"nr_cpus_online", offsetof(struct prof_meta, host.nr_cpus_online), sizeof(uint32_t)},
	{"nr_cpus_possible", offsetof(struct prof_meta, host.nr_cpus_possible), sizeof(uint32_t)},
	{"memory_bytes", offsetof(struct prof_meta, host.memory_bytes), sizeof(uint64_t)},
	{"load1", offsetof(struct prof_meta, loads[0]), sizeof(uint64_t)},
	{"load5", offsetof(struct prof_meta, loads[1]), sizeof(uint64_t)},
	{"load15", offsetof(struct prof_meta, loads[2]), sizeof(uint64_t)},
	NUMBER(prof_meta, interval_ns),
	NUMBER(prof_meta, zone),
};

static const struct key end_keys[] = {
	NUMBER(prof_end, duration_ns),
	NUMBER(prof_end, taken),
	NUMBER(prof_end, counted),
	NUMBER(prof_end, idle),
	NUMBER(prof_end, filtered),
	NUMBER(prof_end, lost_records),
	NUMBER(prof_end, reason),
	NUMBER(prof_end, nr_cpus_changed),
	NUMBER(prof_end, unfollowed),
	NUMBER(prof_end, skipped),
	NUMBER(prof_end, wanted_ns),
	NUMBER(prof_end, running_ns),
	NUMBER(prof_end, maps_left_out),
	NUMBER(prof_end, mappings_left_out),
	NUMBER(prof_end, looks_left_out),
	NUMBER(prof_end, infos_left_out),
	NUMBER(prof_end, names_left_out),
	NUMBER(prof_end, copies_left_out),
	{"load1", offsetof(struct prof_end, loads[0]), sizeof(uint64_t)},
	{"load5", offsetof(struct prof_end, loads[1]), sizeof(uint64_t)},
	{"load15", offsetof(struct prof_end, loads[2]), sizeof(uint64_t)},
	LOSS("lost_full", lost, PROF_LOSS_STORAGE_FULL),
	LOSS("lost_refused", lost, PROF_LOSS_REFUSED),
	LOSS("lost_walk", lost, PROF_LOSS_WALK_FAILED),
	LOSS("missed_user_full", missed_user, PROF_LOSS_STORAGE_FULL),
	LOSS("missed_user_refused", missed_user, PROF_LOSS_REFUSED),
	LOSS("missed_user_walk", missed_user, PROF_LOSS_WALK_FAILED),
	LOSS("missed_kernel_full", missed_kernel, PROF_LOSS_STORAGE_FULL),
	LOSS("missed_kernel_refused", missed_kernel, PROF_LOSS_REFUSED),
	LOSS("missed_kernel_walk", missed_kernel, PROF_LOSS_WALK_FAILED),
};

static void set_key(struct maker *m, const struct key *keys, size_t nr, void *record, char **words)
{
	for (size_t i = 0; i < nr; i++) {
		char *p = (char *)record + keys[i].off;
		uint64_t v;

		if (strcmp(keys[i].name, words[1]) != 0)
			continue;
		if (!keys[i].size) {
			unescape(words[2]);
			*(const char **)p = strdup(words[2]);
			return;
		}
		v = number(m, words[2]);
		if (keys[i].size == sizeof(uint64_t))
			*(uint64_t *)p = v;
		else if (keys[i].size == sizeof(uint32_t))
			*(uint32_t *)p = v;
		else
			*(uint8_t *)p = v;
		return;
	}
	die(m, "not known", words[1]);
}

static void do_meta(struct maker *m, char **words)
{
	char *save = NULL;

	if (m->writer)
		die(m, "an epoch has been written before", "meta");
	if (strcmp(words[1], "pids") != 0 && strcmp(words[1], "tids") != 0) {
		set_key(m, meta_keys, ARRAY_SIZE(meta_keys), &m->meta, words);
		return;
	}
	for (char *w = strtok_r(words[2], " ", &save); w; w = strtok_r(NULL, " ", &save))
		if (words[1][0] == 'p' ? vec_push(&m->pids, number(m, w))
				       : vec_push(&m->tids, number(m, w)))
			abort();
}

/* A list of a number for each event. */
static void set_event_numbers(struct maker *m, char **words)
{
	static const struct key keys[] = {
		{"event_taken", offsetof(struct prof_event_end, taken), 8},
		{"event_counted", offsetof(struct prof_event_end, counted), 8},
		{"event_sum", offsetof(struct prof_event_end, sum), 8},
		{"event_overflows", offsetof(struct prof_event_end, overflows), 8},
		{"event_every_nth", offsetof(struct prof_event_end, every_nth), 8},
		{"event_blocked", offsetof(struct prof_event_end, blocked), 8},
		{"event_unattached", offsetof(struct prof_event_end, unattached), 8},
	};
	char *save = NULL, *w = strtok_r(words[2], " ", &save);

	for (size_t i = 0; i < m->events.nr; i++, w = strtok_r(NULL, " ", &save)) {
		char *pair[] = {words[0], words[1], w};

		set_key(m, keys, ARRAY_SIZE(keys), &m->event_ends[i], pair);
	}
}

/* end lack KIND UID NUMBER */
static void add_lack(struct maker *m, char **words)
{
	char *save = NULL, *kind = strtok_r(words[2], " ", &save);
	char *uid = strtok_r(NULL, " ", &save), *nr = strtok_r(NULL, " ", &save);
	const struct prof_lack lack = {number(m, kind), number(m, uid), number(m, nr)};

	prof_end_add_lack(&m->end, &lack);
}

static void do_end(struct maker *m, char **words)
{
	char *save = NULL;

	if (strncmp(words[1], "event_", 6) == 0) {
		m->has_event_numbers |= strcmp(words[1], "event_taken") == 0;
		set_event_numbers(m, words);
		return;
	}

	if (strcmp(words[1], "lack") == 0) {
		add_lack(m, words);
		return;
	}
	m->has_counted |= strcmp(words[1], "counted") == 0;
	m->has_taken |= strcmp(words[1], "taken") == 0;
	if (strcmp(words[1], "cpu_taken") != 0) {
		set_key(m, end_keys, ARRAY_SIZE(end_keys), &m->end, words);
		return;
	}
	for (char *w = strtok_r(words[2], " ", &save); w; w = strtok_r(NULL, " ", &save))
		if (vec_push(&m->cpu_taken, number(m, w)))
			abort();
}

static void finish(struct maker *m)
{
	write_epoch(m);
	if (!m->is_cut) {
		m->end.cpu_taken = m->cpu_taken.data;
		m->end.nr_cpu_taken = m->cpu_taken.nr;
		m->end.events = m->event_ends;
		m->end.nr_events = m->events.nr;
		if (!m->has_taken)
			m->end.taken =
				m->end.counted + m->end.lost[0] + m->end.lost[1] + m->end.lost[2];
		check(m, prof_writer_end(m->writer, &m->end));
	}
	prof_writer_destroy(m->writer);
	if (fflush(stdout))
		die(m, "failed to write", strerror(errno));
}

/* Splits @line at spaces into at most @max words, the last of which is the rest of the line. */
static int split(char *line, char **words, int max)
{
	int nr = 0;

	line[strcspn(line, "\n")] = 0;
	while (nr < max) {
		line += strspn(line, " \t");
		if (!*line)
			break;
		words[nr++] = line;
		if (nr == max)
			break;
		line += strcspn(line, " \t");
		if (*line)
			*line++ = 0;
	}
	return nr;
}

static void do_cut(struct maker *m, char **words)
{
	(void)words;
	m->is_cut = true;
}

static const struct {
	const char *name;
	int min_words, max_words;
	/* One of them is there. */
	void (*run)(struct maker *m, char **words);
	void (*run_words)(struct maker *m, char **words, int nr);
} directives[] = {
	{"meta", 3, 3, do_meta, NULL},       {"object", 5, 7, NULL, do_object},
	{"process", 3, 4, NULL, do_process}, {"map", 6, 6, do_map, NULL},
	{"sym", 5, 5, do_sym, NULL},         {"count", 4, MAX_WORDS, NULL, do_count},
	{"epoch", 1, 3, NULL, do_epoch},     {"names", 3, 3, NULL, do_epoch},
	{"end", 3, 3, do_end, NULL},         {"attribute", 4, 4, do_attribute, NULL},
	{"request", 1, 1, do_request, NULL}, {"label", 3, 3, do_label, NULL},
	{"cut", 1, 1, do_cut, NULL},         {"info", 7, 7, do_info, NULL},
	{"event", 5, 6, NULL, do_event},     {"language", 4, 5, NULL, do_language},
	{"slices", 3, 3, do_slices, NULL},   {"part", 3, 3, do_part, NULL},
	{"source", 5, 5, do_source, NULL},   {"line", 6, 6, do_line_of, NULL},
	{"file", 4, 4, do_file, NULL},       {"exact", 2, 2, do_exact, NULL},
};

static void do_line(struct maker *m, char *line, char **words)
{
	size_t begin = strspn(line, " \t\n"), len = strcspn(line + begin, " \t\n"), i;
	int nr;

	if (!len || line[begin] == '#')
		return;
	for (i = 0; i < ARRAY_SIZE(directives); i++)
		if (strlen(directives[i].name) == len &&
		    strncmp(directives[i].name, line + begin, len) == 0)
			break;
	if (i == ARRAY_SIZE(directives))
		die(m, "not a directive", line);
	nr = split(line, words, directives[i].max_words);
	if (nr < directives[i].min_words)
		die(m, "too few words for", words[0]);
	if (directives[i].run)
		directives[i].run(m, words);
	else
		directives[i].run_words(m, words, nr);
}

int main(void)
{
	static struct maker m;
	static char *words[MAX_WORDS];
	_cleanup_free_ char *line = malloc(MAX_LINE);

	world_init(&m.world);
	if (!line || vec_push(&m.object_ids, strdup("none")) ||
	    vec_push(&m.process_ids, strdup("kernel")))
		abort();
	for (m.line = 1; fgets(line, MAX_LINE, stdin); m.line++)
		do_line(&m, line, words);
	finish(&m);
	return EXIT_SUCCESS;
}
