// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/proc_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "record/proc/proc_maps.h"
#include "record/proc/proc_path.h"
#include "record/proc/proc_query.h"
#include "record/looks/proc_task.h"
#include "record/looks/copied_text.h"
#include "record/process/memory_sharers.h"

/* A process that maps files of more unresponsive devices than this has unknown mappings. */
#define TRIES_MAX 3

/* The looker is asked for the mappings of a process that end after @from. */
struct scan_question {
	uint32_t pid;
	uint32_t number; /* questions of one number look once at each file */
	uint64_t from;
	bool is_of_addr;      /* only the mapping at from is wanted */
	size_t max;           /* mappings; 0: any number */
	size_t nr;            /* mappings in earlier answers */
	size_t nr_path_bytes; /* of them */
	uint32_t nr_compared; /* as in struct copied_text */
};

/*
 * A text lists all mappings, most of which are not executable. At most this many lines are read for
 * each mapping that is wanted.
 */
#define LINES_PER_MAPPING 16

/* The most bytes of paths for each mapping that is wanted. Most paths have less than 100. */
#define PATH_BYTES_PER_MAPPING 512

/* The answer begins with it. */
struct scan_head {
	uint64_t next;          /* ask again from there; 0: there are no more mappings */
	uint64_t nr_path_bytes; /* of the mappings in this answer and earlier ones */
	uint32_t nr_compared;   /* for this answer and earlier ones */
};

/* A mapping in the answer. The path follows, with a NUL. */
struct scanned {
	uint64_t start, end, pgoff;
	struct file_identity identity;
	struct build_id build_id;
	uint32_t path_bytes;
};

/* A look of the looker at one process. */
struct scan {
	struct look *look;
	struct scan_question question;
	struct scan_head head;
	struct copied_text copied;
	int query_fd;    /* by which the kernel is asked for mappings; -1: their text is read */
	size_t nr;       /* mappings */
	size_t nr_lines; /* of the text of mappings, executable or not */
};

/* Would another mapping, with a path of @path_bytes, be more than is wanted? */
static bool is_too_much(const struct scan *scan, size_t path_bytes)
{
	const struct scan_question *q = &scan->question;

	return q->max && (q->nr + scan->nr >= q->max ||
			  scan->head.nr_path_bytes + path_bytes > q->max * PATH_BYTES_PER_MAPPING);
}

/* The mapping by which the file of @map is known, and the offset there. */
static const struct proc_map *find_file(struct scan *scan, const struct proc_map *map,
					uint64_t *pgoff)
{
	*pgoff = map->pgoff;
	if (!copied_text_may_be(map) || map->end <= scan->question.from ||
	    (scan->query_fd >= 0 && !copied_text_ask(&scan->copied, scan->query_fd, map->end)))
		return map;
	return copied_text_find(&scan->copied, map, pgoff) ? &scan->copied.neighbour : map;
}

/*
 * Returns 0, -E2BIG when there are more mappings than are wanted, or -ENOBUFS when the answer must
 * go out before this mapping.
 */
static int add_map(struct scan *scan, const struct proc_map *map)
{
	uint64_t pgoff;
	const struct proc_map *of = find_file(scan, map, &pgoff);
	const char *path = of->path[0] ? of->path : "//anon";
	const struct file_place place = {
		.pid = scan->question.pid, .start = of->start, .end = of->end};
	struct mapped_file file = {.kind = mapped_file_kind(path),
				   .identity = {.dev = of->dev, .inode = of->inode}};
	struct scanned scanned = {
		.start = map->start, .end = map->end, .path_bytes = strlen(path) + 1};
	char name[PATH_MAX];
	size_t len = mapped_file_path_bytes(file.kind, path, &file.deleted);
	bool is_full = sizeof(scan->look->answer) - scan->look->nr_answer <
		       sizeof(scanned) + scanned.path_bytes;

	if (map->end <= scan->question.from || map->start >= map->end)
		return 0;
	if (is_too_much(scan, scanned.path_bytes))
		return -E2BIG;
	if (is_full || (scan->nr && look_is_long(scan->look))) {
		scan->head.next = map->start + 1;
		return -ENOBUFS;
	}
	if (file.kind == MAPPED_FILE && len < sizeof(name)) {
		memcpy(name, path, len);
		name[len] = '\0';
		file.path = name;
		mapped_file_look(scan->look, scan->question.number, &file, &place);
		scanned.pgoff = pgoff;
	}
	scanned.identity = file.identity;
	scanned.build_id = file.found_id;
	look_answer_append(scan->look, &scanned, sizeof(scanned));
	look_answer_append(scan->look, path, scanned.path_bytes);
	scan->nr++;
	scan->head.nr_path_bytes += scanned.path_bytes;
	return 0;
}

/* Returns 0, or a negative errno: -ENOTTY when the kernel cannot be asked. */
static int scan_by_query(struct scan *scan, int fd)
{
	uint64_t addr = scan->question.from;
	char name[PATH_MAX];
	struct proc_map map;
	int ret;

	scan->query_fd = fd;
	for (;;) {
		ret = look_touch(scan->look, look_process(scan->question.pid));
		if (!ret)
			ret = proc_query_next(fd, addr, name, &map);
		if (!ret && scan->question.is_of_addr && map.start > scan->question.from)
			return 0;
		if (!ret)
			ret = add_map(scan, &map);
		if (ret || scan->question.is_of_addr)
			return ret == -ENOENT ? 0 : ret;
		addr = map.end;
	}
}

/* A proc_map_fn. */
static int add_executable(void *ctx, const struct proc_map *map)
{
	struct scan *scan = ctx;
	const struct scan_question *q = &scan->question;
	bool is_wanted = map->executable &&
			 (!q->is_of_addr || (q->from >= map->start && q->from < map->end));
	int ret;

	if (q->max && scan->nr_lines++ >= q->max * LINES_PER_MAPPING)
		return -E2BIG;
	ret = is_wanted ? add_map(scan, map) : 0;
	copied_text_pass(&scan->copied, map);
	/* The next part of the text is read after this. */
	return ret ? ret : look_touch(scan->look, look_process(scan->question.pid));
}

static int scan_by_text(struct scan *scan, int fd)
{
	char_vec text = {0};
	int ret;

	scan->query_fd = -1;
	ret = proc_maps_read(fd, &text, add_executable, scan);
	vec_free(&text);
	return ret;
}

/*
 * Reads the mappings of thread @tid. Returns 0, -ESRCH for a kernel thread or one that is on its
 * way out, the errno of opening or reading the file, -EHOSTDOWN, -ENOMEM, or as add_map.
 */
static int scan_thread(struct scan *scan, uint32_t tid)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	int ret = look_touch(scan->look, look_process(scan->question.pid));

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/maps", scan->question.pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = scan_by_query(scan, fd);
	if (!ret || ret == -ENOMEM || ret == -ESRCH || ret == -E2BIG || ret == -ENOBUFS ||
	    ret == -EHOSTDOWN)
		return ret;
	scan->look->nr_answer = sizeof(scan->head);
	scan->nr = 0;
	scan->head.nr_path_bytes = scan->question.nr_path_bytes;
	return scan_by_text(scan, fd);
}

/* As scan_thread, for the process. After an error there may be some of its mappings. */
static int scan_process(struct scan *scan)
{
	uint32_t pid = scan->question.pid, tid;
	int ret = scan_thread(scan, pid);

	if ((ret && ret != -ESRCH) || scan->nr)
		return ret;
	/* A main thread that has ended maps nothing, whatever the others do. */
	tid = proc_living_thread(pid);
	return tid != pid ? scan_thread(scan, tid) : ret;
}

/* A look_fn. */
static int answer_scan(struct look *look)
{
	struct scan scan = {.look = look, .query_fd = -1};
	const struct scan_question *q = &scan.question;
	int ret;

	if (look->nr_question != sizeof(scan.question))
		return -EBADMSG;
	memcpy(&scan.question, look->question, sizeof(scan.question));
	scan.head.nr_path_bytes = q->nr_path_bytes;
	scan.copied = (struct copied_text)COPIED_TEXT_INIT(look, q->pid, q->number, q->nr_compared);
	look_answer_append(look, &scan.head, sizeof(scan.head));
	ret = scan_process(&scan);
	scan.head.nr_compared = scan.copied.nr_compared;
	copied_text_deinit(&scan.copied);
	memcpy(look->answer, &scan.head, sizeof(scan.head));
	return ret == -ENOBUFS ? 0 : ret;
}

static int add_scanned(struct mapped_files *files, mapping_vec *mappings,
		       const struct scanned *scanned, const char *path)
{
	const struct mapped_file_key key = {.path = path, .identity = scanned->identity};
	struct mapping mapping = {
		.start = scanned->start, .end = scanned->end, .pgoff = scanned->pgoff};
	int ret = mapped_files_add(files, &key, &scanned->build_id, &mapping.file);

	return ret ? ret : mappings_append(mappings, &mapping);
}

/* Returns 0, -EBADMSG or -ENOMEM. */
static int take_answer(const struct look_answer *answer, struct mapped_files *files,
		       mapping_vec *mappings, struct scan_head *head)
{
	size_t at = sizeof(*head);

	*head = (struct scan_head){0};
	if (answer->nr < sizeof(*head))
		return 0;
	memcpy(head, answer->bytes, sizeof(*head));
	while (at < answer->nr) {
		struct scanned scanned;
		const char *path;
		int ret;

		if (answer->nr - at < sizeof(scanned))
			return -EBADMSG;
		memcpy(&scanned, answer->bytes + at, sizeof(scanned));
		at += sizeof(scanned);
		path = answer->bytes + at;
		if (!scanned.path_bytes || scanned.path_bytes > answer->nr - at ||
		    path[scanned.path_bytes - 1] || scanned.start >= scanned.end ||
		    scanned.build_id.size > BUILD_ID_MAX)
			return -EBADMSG;
		at += scanned.path_bytes;
		ret = add_scanned(files, mappings, &scanned, path);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Reads the mappings that @about asks for into @mappings, in place of its contents. Returns 0, the
 * errors of scan_thread, those of looker_ask, or -EBADMSG. After an error there may be some of the
 * mappings.
 */
static int ask_for_mappings(struct scan_question *about, struct mapped_files *files,
			    mapping_vec *mappings)
{
	const struct look_question question = {.fn = answer_scan,
					       .bytes = about,
					       .nr = sizeof(*about),
					       .fd = -1,
					       .pid = about->pid};
	struct look_answer answer;
	unsigned int nr_tries = 0;

	vec_clear(mappings);
	for (;;) {
		struct scan_head head;
		int ret = looker_ask(files->looker, &question, &answer);
		int taken = take_answer(&answer, files, mappings, &head);

		/* The looker now leaves out the device that it waited for. */
		if (ret == -ETIMEDOUT && nr_tries++ < TRIES_MAX)
			continue;
		if (ret || taken || head.next <= about->from)
			return taken ? taken : ret;
		about->from = head.next;
		about->nr = mappings->nr;
		about->nr_path_bytes = head.nr_path_bytes;
		about->nr_compared = head.nr_compared;
	}
}

/* Adds the process of @about to @spaces. Returns the result of ask_for_mappings. */
static int add_process(struct address_spaces *spaces, struct scan_question *about,
		       mapping_vec *mappings, uint64_t time_ns)
{
	int scan_ret, ret = address_spaces_make_room(spaces);

	if (ret || address_spaces_refuse(spaces, about->pid, time_ns))
		return ret;
	scan_ret = ask_for_mappings(about, &spaces->files, mappings);
	vec_for_each(mappings, mapping)
		if (!ret)
			ret = address_spaces_map(spaces, about->pid, time_ns, mapping);
	if (ret || scan_ret)
		return ret ? ret : scan_ret;
	return address_spaces_trust(spaces, about->pid, time_ns);
}

int proc_scan_process(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns, size_t max)
{
	struct scan_question about = {.pid = pid,
				      .number = looker_next_number(spaces->files.looker),
				      .max = max && max < MAPPED_MEMORY_MAX ? max
									    : MAPPED_MEMORY_MAX};
	mapping_vec mappings = {0};
	int ret = add_process(spaces, &about, &mappings, time_ns);

	vec_free(&mappings);
	return ret == -ENOMEM || ret == -E2BIG ? ret : 0;
}

int proc_scan_mappings(uint32_t pid, size_t max, struct mapped_files *files, mapping_vec *mappings)
{
	struct scan_question about = {
		.pid = pid, .number = looker_next_number(files->looker), .max = max};

	return ask_for_mappings(&about, files, mappings);
}

int proc_scan_mapping_at(uint32_t pid, uint64_t addr, struct mapped_files *files,
			 mapping_vec *mappings)
{
	struct scan_question about = {.pid = pid,
				      .number = looker_next_number(files->looker),
				      .from = addr,
				      .is_of_addr = true};

	return ask_for_mappings(&about, files, mappings);
}

static int scan_all(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden)
{
	uint32_t number = looker_next_number(spaces->files.looker);
	mapping_vec mappings = {0};
	int ret = 0;

	for (size_t i = 0; ret != -ENOMEM && i < pids->nr; i++) {
		struct scan_question about = {
			.pid = pids->data[i], .number = number, .max = MAPPED_MEMORY_MAX};

		ret = add_process(spaces, &about, &mappings, 0);
		*nr_hidden += ret == -EACCES || ret == -EPERM;
	}
	vec_free(&mappings);
	return ret == -ENOMEM ? ret : 0;
}

int proc_scan(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden,
	      struct err *err)
{
	u32_vec all = {0};
	int ret = 0;

	*nr_hidden = 0;
	if (!pids->nr) {
		ret = proc_list(&all, err);
		pids = &all;
	}
	if (!ret && (scan_all(spaces, pids, nr_hidden) || memory_sharers_find(spaces)))
		ret = err_set(err, -ENOMEM,
			      "failed to read the processes' mappings: out of memory");
	vec_free(&all);
	return ret;
}
