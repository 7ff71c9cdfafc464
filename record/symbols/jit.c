// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/safe_open.h"
#include "format/prof.h"
#include "record/looks/proc_info.h"
#include "record/proc/proc_path.h"
#include "record/looks/proc_task.h"
#include "record/symbols/perf_map.h"

/* Descriptors held. Each also keeps a file system of a container from going away. */
#define HELD_MAX 256

/*
 * Reading the maps of root's processes may take 1/READING_SHARE of the time of a CPU, those of all
 * others as much, READING_MAX_NS at once; those of one user 1/USER_SHARE, and USER_MAX_NS at once,
 * which are the largest map's. Of a recording of half a minute, a second would be as much as three
 * times the share.
 */
#define READING_SHARE  10
#define READING_MAX_NS NS_PER_S
#define USER_SHARE     100
#define USER_MAX_NS    (NS_PER_S / 4)

/* To blame for /tmp of the host: no process has this id. */
#define HOST 0

/* Processes whose code the looker has told of. Each takes a descriptor. */
#define DESCRIBED_MAX 128

/* Lines that are kept of code that has gone. */
#define DESCRIBED_BYTES_MAX (1 << 20)

#define COPY_BYTES (1u << 20)

static struct jit_process *find_process(const struct jit *jit, uint64_t generation)
{
	index_for_each(&jit->by_generation, hash_u64(generation), i)
		if (jit->processes.data[i].generation == generation)
			return &jit->processes.data[i];
	return NULL;
}

/* Opens /tmp below the directory @root. Links never lead outside of @root. */
static int open_tmp(const char *root)
{
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (root_fd < 0)
		return -1;
	fd = safe_open_in_root(root_fd, "tmp", O_PATH | O_DIRECTORY);
	return fd < 0 ? -1 : fd;
}

static int open_tmp_of(uint32_t pid)
{
	char root[PROC_PATH_SIZE];

	proc_path(pid, "root", root);
	return open_tmp(root);
}

/*
 * The descriptors that the looker holds; 0: none, else one more than the descriptor. One more than
 * HELD_MAX: a process that ends has two for a moment.
 */
static int held[HELD_MAX + 1];

/*
 * The looker's name for a held descriptor. A looker that takes over knows no name of the one
 * before.
 */
static uint64_t held_name(size_t slot)
{
	return (uint64_t)getpid() << 32 | (slot + 1);
}

static int *find_held(uint64_t name)
{
	size_t slot = (uint32_t)name - 1;

	return slot < ARRAY_SIZE(held) && held_name(slot) == name && held[slot] ? &held[slot]
										: NULL;
}

/* Takes over @fd. Returns 0 or -ENFILE. */
static int hold_fd(struct look *look, int fd)
{
	uint64_t name;
	size_t slot = 0;

	while (slot < ARRAY_SIZE(held) && held[slot])
		slot++;
	if (slot == ARRAY_SIZE(held)) {
		close(fd);
		return -ENFILE;
	}
	held[slot] = fd + 1;
	name = held_name(slot);
	look_answer_append(look, &name, sizeof(name));
	return 0;
}

enum jit_wish { JIT_HOLD_TMP, JIT_FIND_MAP, JIT_HOLD_MAP, JIT_COPY_MAP, JIT_RELEASE };

struct jit_question {
	enum jit_wish wish;
	uint32_t pid, ns_pid, uid;
	bool ended;
	uint64_t since_realtime_ns, until_realtime_ns;
	uint64_t dir, map; /* 0: not held */
	uint64_t max_bytes;
};

/* Opens the map: by the directory that is held, or else by the process, or on the host. */
static int open_map(struct look *look, const struct jit_question *q)
{
	const int *dir = find_held(q->dir);
	int fd = -ENOENT, dir_fd = -1;

	if (dir || !q->ended)
		dir_fd = dir ? fcntl(*dir - 1, F_DUPFD_CLOEXEC, 0) : open_tmp_of(q->pid);
	if (dir_fd >= 0) {
		fd = perf_map_open(dir_fd, q->ns_pid, q->uid, q->since_realtime_ns);
		close(dir_fd);
	}
	if (fd >= 0 || look_touch(look, look_process(HOST)))
		return fd;
	dir_fd = open_tmp("/");
	if (dir_fd >= 0) {
		fd = perf_map_open(dir_fd, q->pid, q->uid, q->since_realtime_ns);
		close(dir_fd);
	}
	return fd;
}

/* Copies the map @fd to memory, which the recorder can read without waiting. */
static int copy_map(struct look *look, const struct jit_question *q, int fd)
{
	_cleanup_close_ int copy = memfd_create("perf-map", MFD_CLOEXEC);
	struct stat st;
	off_t off = 0;
	ssize_t n;

	if (copy < 0 || fstat(fd, &st))
		return -errno;
	if ((uint64_t)st.st_size > q->max_bytes)
		return -EFBIG;
	do {
		/* The map may grow meanwhile. */
		if ((uint64_t)off >= q->max_bytes)
			break;
		if (look_touch(look, look_process(q->pid)))
			return -EHOSTDOWN;
		n = sendfile(copy, fd, &off, COPY_BYTES);
	} while (n > 0);
	look->answer_fd = TAKE_FD(copy);
	return 0;
}

/* Has the program after an exec written the map? Then its lines may be of other code. */
static bool is_of_next_program(const struct jit_question *q, int fd)
{
	struct stat st;

	return q->until_realtime_ns &&
	       (fstat(fd, &st) || (uint64_t)(st.st_mtim.tv_sec * (int64_t)NS_PER_S +
					     st.st_mtim.tv_nsec) > q->until_realtime_ns);
}

static int answer_map(struct look *look, const struct jit_question *q)
{
	const int *map = find_held(q->map);
	_cleanup_close_ int fd = map ? fcntl(*map - 1, F_DUPFD_CLOEXEC, 0) : open_map(look, q);

	if (fd < 0)
		return fd;
	if (q->wish == JIT_HOLD_MAP)
		return hold_fd(look, TAKE_FD(fd));
	if (is_of_next_program(q, fd))
		return -ESTALE;
	return q->wish == JIT_COPY_MAP ? copy_map(look, q, fd) : 0;
}

static int answer_release(uint64_t name)
{
	int *fd = find_held(name);

	if (fd) {
		close(*fd - 1);
		*fd = 0;
	}
	return 0;
}

/* A look_fn. */
static int answer_jit(struct look *look)
{
	struct jit_question q;
	int ret, fd;

	if (look->nr_question != sizeof(q))
		return -EBADMSG;
	memcpy(&q, look->question, sizeof(q));
	ret = look_touch(look, look_process(q.pid));
	if (ret)
		return ret;
	switch (q.wish) {
	case JIT_HOLD_TMP:
		fd = open_tmp_of(q.pid);
		return fd < 0 ? fd : hold_fd(look, fd);
	case JIT_RELEASE:
		return answer_release(q.map);
	default:
		return answer_map(look, &q);
	}
}

/* Returns the result of answer_jit or looker_ask. @name and @fd may be NULL. */
static int ask_jit(const struct jit *jit, const struct jit_question *q, uint64_t *name, int *fd)
{
	const struct look_question question = {
		.fn = answer_jit, .bytes = q, .nr = sizeof(*q), .fd = -1, .pid = q->pid};
	struct look_answer answer;
	int ret = looker_ask(jit->looker, &question, &answer);

	if (!ret && name && answer.nr == sizeof(*name))
		memcpy(name, answer.bytes, sizeof(*name));
	if (!ret && fd && answer.fd >= 0)
		*fd = TAKE_FD(answer.fd);
	cleanup_close(&answer.fd);
	return ret;
}

static int ask_for_map(const struct jit *jit, const struct jit_process *process, enum jit_wish wish,
		       uint64_t max_bytes, uint64_t *name, int *fd)
{
	const struct jit_question q = {
		.wish = wish,
		.pid = process->pid,
		.ns_pid = process->ns_pid,
		.uid = process->uid,
		.ended = process->ended,
		.since_realtime_ns = process->since_realtime_ns,
		.until_realtime_ns = process->until_realtime_ns,
		.dir = process->dir,
		.map = process->map,
		.max_bytes = max_bytes,
	};

	return ask_jit(jit, &q, name, fd);
}

void jit_init(struct jit *jit, struct looker *looker)
{
	const struct cpu_share share = {
		.part = READING_SHARE, .max_ns = READING_MAX_NS, .looker = looker};

	*jit = (struct jit){
		.looker = looker,
		.held.size = HELD_MAX,
		.described.size = DESCRIBED_MAX,
		.reading = {share, share},
		.times = {.part = USER_SHARE, .max_ns = USER_MAX_NS},
	};
}

static void release_held(struct jit *jit, uint32_t pid, uint64_t *name)
{
	const struct jit_question q = {.wish = JIT_RELEASE, .pid = pid, .map = *name};

	if (!*name)
		return;
	ask_jit(jit, &q, NULL, NULL);
	*name = 0;
}

static void forget_described(struct jit *jit, struct jit_process *process)
{
	if (!process->described)
		return;
	close(process->described - 1);
	process->described = 0;
	shares_give(&jit->described, process->described_item);
}

/* Lets go of what is held for @process. */
static void release(struct jit *jit, struct jit_process *process)
{
	if (!process->dir && !process->map)
		return;
	release_held(jit, process->pid, &process->dir);
	release_held(jit, process->pid, &process->map);
	shares_give(&jit->held, process->item);
}

static void lose(struct jit *jit, const struct shares *pool, uint32_t item)
{
	vec_for_each(&jit->processes, process) {
		if (pool == &jit->held && process->item == item)
			release(jit, process);
		else if (pool == &jit->described && process->described_item == item)
			forget_described(jit, process);
	}
}

/* The first number of nothing in the @pool. */
static uint32_t free_item(const struct shares *pool)
{
	uint32_t item = 0;

	while (item < pool->items.nr && pool->items.data[item].nr)
		item++;
	return item;
}

/*
 * Takes room for a descriptor of a process of @uid, as @item. Others may lose theirs. Returns 0,
 * -ENOSPC or -ENOMEM.
 */
static int take_room(struct jit *jit, struct shares *pool, uint32_t uid, uint32_t *item)
{
	uint32_t loser;
	int ret;

	do {
		*item = free_item(pool);
		ret = shares_take(pool, *item, uid, 1, 1, &loser);
		if (ret == -ENOSPC && loser != SHARES_NO_ITEM)
			lose(jit, pool, loser);
	} while (ret == -ENOSPC && loser != SHARES_NO_ITEM);
	return ret;
}

/* Takes room for what the looker holds for @process. Errors are those of take_room. */
static int hold_room(struct jit *jit, struct jit_process *process)
{
	uint32_t item;
	int ret = take_room(jit, &jit->held, process->uid, &item);

	if (!ret)
		process->item = item;
	return ret;
}

/* Has the directory held that will have the map, if there is room. Returns 0 or -ENOMEM. */
static int hold_dir(struct jit *jit, struct jit_process *process)
{
	const struct jit_question q = {.wish = JIT_HOLD_TMP, .pid = process->pid};
	int ret = hold_room(jit, process);

	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	ask_jit(jit, &q, &process->dir, NULL);
	if (!process->dir)
		shares_give(&jit->held, process->item);
	return 0;
}

void jit_deinit(struct jit *jit)
{
	/* A looker ends with all that it holds. */
	vec_for_each(&jit->processes, process)
		forget_described(jit, process);
	vec_for_each(&jit->processes, process) {
		if (jit->looker)
			break;
		release_held(jit, process->pid, &process->dir);
		release_held(jit, process->pid, &process->map);
	}
	vec_free(&jit->processes);
	shares_deinit(&jit->held);
	shares_deinit(&jit->described);
	shares_deinit(&jit->unread);
	owner_time_deinit(&jit->times);
	index_deinit(&jit->by_generation);
}

/*
 * The time at which the process began its present program: its exec, or its start if that is not
 * known.
 */
static uint64_t begin_realtime_ns(const struct jit *jit, const struct address_space *space)
{
	uint64_t now = clock_realtime_ns(), start;

	if (space->begin_ns)
		return now - (clock_monotonic_ns() - space->begin_ns);
	if (proc_start_ns(jit->looker, space->pid, &start))
		return 0;
	return now - (clock_boottime_ns() - start);
}

int jit_watch(struct jit *jit, const struct address_space *space)
{
	struct jit_process process = {.pid = space->pid, .generation = space->generation};
	struct proc_identity identity;

	if (find_process(jit, space->generation))
		return 0;
	if (proc_identity_read(space->pid, &identity))
		return -ENOMEM;
	process.ns_pid = identity.ns_pid ? identity.ns_pid : space->pid;
	/*
	 * Once a process has gone, nothing tells whose it was. The recorder's own children have
	 * its user.
	 */
	process.uid = identity.uid != PROF_UID_UNKNOWN ? identity.uid : geteuid();
	process.since_realtime_ns = begin_realtime_ns(jit, space);
	if (hold_dir(jit, &process))
		return -ENOMEM;
	if (!index_push(&jit->by_generation, &jit->processes, hash_u64(process.generation),
			process))
		return 0;
	release(jit, &process);
	return -ENOMEM;
}

static bool maps_own_code(const struct address_spaces *spaces, const struct address_space *space)
{
	vec_for_each(&space->memory->live, m)
		if (mapping_file(&spaces->files, m)->kind == MAPPED_ANON)
			return true;
	return false;
}

int jit_watch_all(struct jit *jit, const struct address_spaces *spaces)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < spaces->newest.nr; i++)
		if (maps_own_code(spaces, spaces->newest.data[i]))
			ret = jit_watch(jit, spaces->newest.data[i]);
	return ret;
}

int jit_fork(struct jit *jit, const struct address_space *parent, const struct address_space *child)
{
	return parent && child && find_process(jit, parent->generation) ? jit_watch(jit, child) : 0;
}

void jit_end(struct jit *jit, const struct address_space *space, uint64_t exec_realtime_ns)
{
	struct jit_process *process = space ? find_process(jit, space->generation) : NULL;

	if (!process || process->ended)
		return;
	if (process->dir || !hold_room(jit, process)) {
		uint64_t map = 0;

		ask_for_map(jit, process, JIT_HOLD_MAP, 0, &map, NULL);
		process->map = map;
		if (!map)
			shares_give(&jit->held, process->item);
	}
	release_held(jit, process->pid, &process->dir);
	process->until_realtime_ns = exec_realtime_ns;
	process->ended = true;
	process->checked = false;
}

/*
 * Appends the lines of @from to @to, which tells of code that may have gone. Later lines count.
 * Returns 0 or a negative errno, -EFBIG if there are too many.
 */
static int append_lines(int to, int from)
{
	struct stat before, more;
	off_t off = 0;

	if (fstat(to, &before) || fstat(from, &more) || lseek(to, 0, SEEK_END) < 0)
		return -errno;
	if (before.st_size + more.st_size > DESCRIBED_BYTES_MAX)
		return -EFBIG;
	return sendfile(to, from, &off, more.st_size) == more.st_size ? 0 : -EIO;
}

/*
 * Asks for the code of a process. A process that has few names, as it has just begun, is asked
 * again, and so is one that has not answered.
 */
static void describe(struct jit *jit, struct jit_process *process, bool is_early)
{
	bool is_whole = false;
	uint32_t item;
	int fd;

	if ((process->described && !process->is_early && !is_early) || process->ended ||
	    !jit->describe)
		return;
	fd = jit->describe(jit->ctx, process->pid, &is_whole);
	process->is_early = fd < 0 ? process->is_early || is_early : is_early && !is_whole;
	if (fd < 0)
		return;
	if (process->described && !append_lines(process->described - 1, fd)) {
		close(fd);
		return;
	}
	forget_described(jit, process);
	if (take_room(jit, &jit->described, process->uid, &item)) {
		close(fd);
		return;
	}
	process->described = fd + 1;
	process->described_item = item;
}

void jit_describe(struct jit *jit, const struct address_space *space)
{
	struct jit_process *process;

	if (jit_watch(jit, space))
		return;
	process = find_process(jit, space->generation);
	if (process)
		describe(jit, process, true);
}

bool jit_is_described(const struct jit *jit, const struct address_space *space)
{
	const struct jit_process *process = find_process(jit, space->generation);

	return process && !process->has_map && process->described;
}

bool jit_has_map(struct jit *jit, const struct address_space *space)
{
	struct jit_process *process = find_process(jit, space->generation);

	/*
	 * The side-band did not tell of its mapping, as when records were lost. Watch it from now
	 * on.
	 */
	if (!process) {
		if (jit_watch(jit, space))
			return false;
		process = find_process(jit, space->generation);
	}
	if (process->dir || process->map)
		shares_use(&jit->held, process->item, 1);
	else if (!process->ended && !process->checked)
		hold_dir(jit, process);
	if (!process->checked && !process->has_map)
		process->has_map = !ask_for_map(jit, process, JIT_FIND_MAP, 0, NULL, NULL);
	if (!process->checked && !process->has_map)
		describe(jit, process, false);
	process->checked = true;
	process->is_hit |= process->has_map || process->described;
	if (process->described)
		shares_use(&jit->described, process->described_item, 1);
	return process->has_map || process->described;
}

int jit_open_map(const struct jit *jit, uint64_t generation, uint64_t max_bytes)
{
	const struct jit_process *process = find_process(jit, generation);
	int fd = -1, ret;

	if (!process)
		return -ENOENT;
	if (!process->has_map && process->described) {
		fd = fcntl(process->described - 1, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	ret = ask_for_map(jit, process, JIT_COPY_MAP, max_bytes, NULL, &fd);
	return ret ? ret : fd;
}

bool jit_find_owner(const struct jit *jit, uint64_t generation, uint32_t *uid)
{
	const struct jit_process *process = find_process(jit, generation);

	if (process)
		*uid = owner_id(process->uid);
	return process != NULL;
}

bool jit_begin_reading(struct jit *jit, uint32_t uid)
{
	if (cpu_share_begin(&jit->reading[!uid]) &&
	    owner_time_left(&jit->times, uid, clock_monotonic_ns()))
		return true;
	jit_note_unread(jit, uid);
	return false;
}

void jit_end_reading(struct jit *jit, uint32_t uid)
{
	owner_time_charge(&jit->times, uid, cpu_share_end(&jit->reading[!uid]),
			  clock_monotonic_ns());
}

void jit_note_unread(struct jit *jit, uint32_t uid)
{
	shares_note_lack(&jit->unread, uid);
}

void jit_reset(struct jit *jit)
{
	vec_for_each(&jit->processes, process)
		process->is_hit = false;
}

int jit_forget(struct jit *jit, const struct address_spaces *spaces)
{
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < jit->processes.nr; i++) {
		struct jit_process *process = &jit->processes.data[i];

		process->checked = false;
		if (process->is_hit ||
		    address_spaces_has(spaces, process->pid, process->generation)) {
			jit->processes.data[nr++] = *process;
			continue;
		}
		release(jit, process);
		forget_described(jit, process);
	}
	shares_age(&jit->held);
	shares_age(&jit->described);
	if (nr == jit->processes.nr)
		return 0;
	jit->processes.nr = nr;
	index_clear(&jit->by_generation);
	for (size_t i = 0; !ret && i < nr; i++)
		ret = index_insert(&jit->by_generation, hash_u64(jit->processes.data[i].generation),
				   i);
	return ret;
}
