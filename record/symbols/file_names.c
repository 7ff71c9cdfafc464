// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/file_names.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/index.h"
#include "common/minmax.h"
#include "common/parse.h"
#include "common/vec.h"
#include "record/process/file_send.h"
#include "record/system/fd_message.h"
#include "record/symbols/known_names.h"
#include "record/symbols/names_worker.h"

/* How often a file that cannot be opened is tried in an epoch, each time through another process.
 */
#define ATTEMPTS_MAX 8

/* Time for the names of one file. A file may be on a server that does not answer. */
#define NAMES_SECONDS_MAX 20

/* CPU time that can be used at once, and the part of the time that passes: 1 / this. */
#define CPU_MAX_NS NS_PER_S
#define CPU_PART   200

/* Names that are remembered for later epochs take so many bytes. */
#define KNOWN_BYTES_MAX (16u << 20)

/* No file is looked at with less CPU time than this. One file may take half of what there is. */
#define CPU_MIN_NS (5 * NS_PER_MS)
#define CPU_SHARE  2

#define NO_SLOT UINT32_MAX

struct named_file {
	char *path; /* NULL: the entry is free */
	struct build_id build_id;
	struct file_identity identity; /* of a file without a build-id */
	uint64_t dev;
	uint32_t slot;     /* in the child; NO_SLOT: the child has it not */
	uint32_t worker;   /* the child that has it */
	uint32_t attempts; /* that failed to open it, since the last settle */
	uint32_t nr_idle;  /* settles in a row that found it unused */
	bool is_used;      /* since the last settle */
	bool is_hopeless;  /* the child died of it, or it is no ELF file */
	u64_vec asked;     /* the offsets that wait for an answer; none: it does not wait */
	struct known_names known;
};

struct file_names {
	struct looker *looker;
	struct worker_line *line;
	VEC(struct named_file) files;
	u32_vec free_files;
	struct index by_file;
	uint32_t slots[NAMES_FILES_MAX]; /* the number of the file and 1; 0: free */
	u32_vec queue;                   /* files that wait; the child works at the first */
	uint64_t urgent_ns;              /* CLOCK_MONOTONIC: from then on somebody waits */
	size_t known_bytes;
	uint64_t credit_ns;     /* CPU time that the child may use */
	uint64_t credited_ns;   /* CLOCK_MONOTONIC: up to when time was credited */
	uint64_t limit_ns;      /* of the request that the child works at */
	uint64_t worker_cpu_ns; /* used by the child at its last answer */
	uint32_t worker;        /* its number */
	uint32_t recording;     /* number of the one that is being written, from 1 */
	uint64_t nr_left_out;
};

static uint64_t hash_file(const struct named_file *file)
{
	uint64_t hash = hash_bytes(file->path, strlen(file->path), 0);

	return build_id_is_none(&file->build_id)
		       ? file_identity_hash(&file->identity, hash)
		       : hash_bytes(file->build_id.bytes, file->build_id.size, hash);
}

static bool is_same_file(const struct named_file *a, const struct named_file *b)
{
	return a->path && build_id_equal(&a->build_id, &b->build_id) &&
	       file_identity_equal(&a->identity, &b->identity) && !strcmp(a->path, b->path);
}

/* The entry of a file as it is searched for. Its path is borrowed. */
static struct named_file describe_file(const struct mapped_file *file)
{
	struct named_file entry = {
		.path = file->path, .build_id = *mapped_file_build_id(file), .slot = NO_SLOT};

	if (build_id_is_none(&entry.build_id))
		entry.identity = file->identity;
	return entry;
}

/* Adds @wanted with a path of its own. */
static int add_file(struct file_names *n, const struct named_file *wanted, uint32_t *nr)
{
	struct named_file entry = *wanted;
	uint32_t at = n->free_files.nr ? n->free_files.data[n->free_files.nr - 1] : n->files.nr;

	/* Room in the list of free numbers, so that the number can be given back without fail. */
	if (vec_reserve(&n->free_files, n->files.nr + 1) || vec_reserve(&n->files, 1))
		return -ENOMEM;
	entry.path = strdup(wanted->path);
	if (!entry.path || index_insert(&n->by_file, hash_file(&entry), at)) {
		free(entry.path);
		return -ENOMEM;
	}
	if (at < n->files.nr)
		n->free_files.nr--;
	else
		n->files.nr++;
	n->files.data[at] = entry;
	*nr = at;
	return 0;
}

static int find_file(struct file_names *n, const struct mapped_file *file, uint32_t *nr)
{
	const struct named_file wanted = describe_file(file);

	index_for_each(&n->by_file, hash_file(&wanted), i) {
		if (is_same_file(&n->files.data[i], &wanted)) {
			*nr = i;
			return 0;
		}
	}
	return add_file(n, &wanted, nr);
}

/* Another child has none of the files. */
static void note_worker(struct file_names *n)
{
	uint32_t worker = worker_line_nr_workers(n->line);

	if (worker != n->worker)
		n->worker_cpu_ns = 0;
	n->worker = worker;
}

static bool is_held(const struct file_names *n, const struct named_file *file)
{
	return file->slot != NO_SLOT && file->worker == n->worker;
}

static uint32_t find_slot(const struct file_names *n)
{
	for (uint32_t i = 0; i < NAMES_FILES_MAX; i++)
		if (!n->slots[i])
			return i;
	return NO_SLOT;
}

/* Has the looker send the file to the child. Returns 0 or a negative errno. */
static int send_file(struct file_names *n, uint32_t slot, struct named_file *entry,
		     const struct mapped_file *file, const struct file_place *place)
{
	const struct names_request request = {.order = NAMES_HOLD, .slot = slot};
	struct file_message message = {.bytes = &request, .nr = sizeof(request)};
	struct sent_file sent;
	int ret = worker_line_sock(n->line, &message.sock);

	note_worker(n);
	if (!ret)
		ret = file_send(n->looker, file, place, &message, &sent);
	if (!ret)
		entry->dev = sent.dev;
	return ret;
}

int file_names_hold(struct file_names *n, const struct mapped_file *file,
		    const struct file_place *place, uint32_t *nr)
{
	struct named_file *entry;
	uint32_t slot;
	int ret = file->kind == MAPPED_FILE ? find_file(n, file, nr) : 0;

	if (file->kind != MAPPED_FILE)
		*nr = FILE_NAMES_NONE;
	if (ret || *nr == FILE_NAMES_NONE)
		return ret;
	entry = &n->files.data[*nr];
	entry->is_used = true;
	slot = entry->slot == NO_SLOT ? find_slot(n) : entry->slot;
	if (is_held(n, entry) || entry->is_hopeless || entry->attempts >= ATTEMPTS_MAX ||
	    slot == NO_SLOT)
		return 0;
	ret = send_file(n, slot, entry, file, place);
	if (!ret) {
		n->slots[slot] = *nr + 1;
		entry->slot = slot;
		entry->worker = n->worker;
	} else if (ret != -EAGAIN) {
		/* The file may open through another process. */
		entry->attempts++;
	}
	return 0;
}

/* Credits the time that has passed. Returns the CPU time that the next request may take. */
static uint64_t next_limit(struct file_names *n)
{
	uint64_t now = clock_monotonic_ns();

	n->credit_ns = min_u64(n->credit_ns + (now - n->credited_ns) / CPU_PART, CPU_MAX_NS);
	n->credited_ns = now;
	return n->credit_ns / CPU_SHARE < CPU_MIN_NS ? 0 : n->credit_ns / CPU_SHARE;
}

/* The first file of the queue does not wait any more. */
static void leave_queue(struct file_names *n)
{
	vec_free(&n->files.data[n->queue.data[0]].asked);
	n->queue.nr--;
	memmove(&n->queue.data[0], &n->queue.data[1], n->queue.nr * sizeof(*n->queue.data));
}

/* Sends the offsets of @file to the child. Returns 0 or a negative errno. */
static int send_offsets(struct file_names *n, const struct named_file *file)
{
	const size_t size = file->asked.nr * sizeof(*file->asked.data);
	const struct names_request order = {
		.order = NAMES_ASK,
		.slot = file->slot,
		.nr = file->asked.nr,
		.cpu_max_ns = n->worker_cpu_ns + n->limit_ns,
		.urgent_ns = n->urgent_ns,
		.build_id = file->build_id,
		.identity = file->identity,
	};
	_cleanup_close_ int memory = memfd_create("offsets", MFD_CLOEXEC);
	struct worker_request request = {
		.tag = file->slot, .bytes = &order, .nr = sizeof(order), .fd = memory};

	if (memory < 0 || pwrite(memory, file->asked.data, size, 0) != (ssize_t)size)
		return -ENOMEM;
	return worker_line_request(n->line, &request);
}

/* Has the child work at the first file of the queue for which there is time. */
static void begin_next(struct file_names *n)
{
	while (n->queue.nr) {
		const struct named_file *file = &n->files.data[n->queue.data[0]];
		/* The child may have died, and another one has no file. */
		int sock, ret = worker_line_sock(n->line, &sock);

		note_worker(n);
		n->limit_ns = next_limit(n);
		if (!ret && n->limit_ns && is_held(n, file) && !send_offsets(n, file))
			return;
		n->nr_left_out++;
		leave_queue(n);
	}
}

/* Lists the offsets that nothing is known about. */
static int list_unknown(struct named_file *file, const uint64_t *offsets, size_t nr)
{
	struct known_symbol *symbol;

	for (size_t i = 0; i < nr && file->asked.nr < NAMES_OFFSETS_MAX; i++)
		if (!known_names_find(&file->known, offsets[i], &symbol) &&
		    vec_push(&file->asked, offsets[i]))
			return -ENOMEM;
	return 0;
}

int file_names_ask(struct file_names *n, uint32_t nr, const uint64_t *offsets, size_t nr_offsets,
		   uint64_t urgent_ns)
{
	struct named_file *file = &n->files.data[nr];
	int ret;

	n->urgent_ns = urgent_ns;
	if (file->asked.nr || file->is_hopeless || file->slot == NO_SLOT)
		return 0;
	ret = list_unknown(file, offsets, nr_offsets);
	if (ret || !file->asked.nr)
		return ret;
	/* A child that had the file died, and the file could not be opened again. */
	if (n->known_bytes > KNOWN_BYTES_MAX || !is_held(n, file)) {
		n->nr_left_out++;
		vec_clear(&file->asked);
		return 0;
	}
	ret = vec_push(&n->queue, nr);
	if (!ret && n->queue.nr == 1)
		begin_next(n);
	return ret;
}

/* Charges the CPU time of a request. A child that died may have used all that it was given. */
static void charge_time(struct file_names *n, const struct worker_reply *reply)
{
	uint64_t used_ns = n->limit_ns;

	if (reply->cpu_ns >= n->worker_cpu_ns) {
		used_ns = reply->cpu_ns - n->worker_cpu_ns;
		n->worker_cpu_ns = reply->cpu_ns;
	}
	n->credit_ns -= min_u64(used_ns, n->credit_ns);
}

/* Takes over the answer about the first file of the queue. Returns 0 or -ENOMEM. */
static int take_reply(struct file_names *n, const struct worker_reply *reply, int memory)
{
	struct named_file *file = &n->files.data[n->queue.data[0]];
	size_t before = known_names_bytes(&file->known);
	int ret = reply->status;

	charge_time(n, reply);
	if (!ret)
		ret = worker_memory_is_sealed(memory)
			      ? known_names_add(&file->known, memory, &file->asked)
			      : -EBADMSG;
	n->known_bytes += known_names_bytes(&file->known) - before;
	/* A child that used up its time died, or refused to begin. */
	n->nr_left_out += reply->status == -EIO || reply->status == -ETIME || file->known.is_cut;
	if (ret == -ETIMEDOUT)
		looker_blame(n->looker, look_device(file->dev));
	file->is_hopeless = ret && ret != -ENOMEM;
	leave_queue(n);
	return reply->status ? 0 : ret == -ENOMEM ? ret : 0;
}

int file_names_work(struct file_names *n)
{
	struct worker_reply reply;
	int memory, ret = 0;

	while (!ret && worker_line_next(n->line, &reply, &memory)) {
		ret = take_reply(n, &reply, memory);
		cleanup_close(&memory);
		begin_next(n);
	}
	return ret;
}

bool file_names_is_waiting(const struct file_names *n)
{
	return n->queue.nr;
}

int file_names_fd(const struct file_names *n)
{
	return worker_line_fd(n->line);
}

int file_names_wait(struct file_names *n, int ms)
{
	struct pollfd pollfd = {.fd = file_names_fd(n), .events = POLLIN};
	uint64_t end_ns = clock_monotonic_ns() + ms * NS_PER_MS, now;
	int ret = file_names_work(n);

	while (!ret && n->queue.nr && (now = clock_monotonic_ns()) < end_ns &&
	       poll(&pollfd, 1, (int)((end_ns - now) / NS_PER_MS) + 1) > 0)
		ret = file_names_work(n);
	return ret;
}

bool file_names_find(const struct file_names *n, uint32_t nr, uint64_t off,
		     struct file_symbol *symbol)
{
	const struct known_names *known = &n->files.data[nr].known;
	struct known_symbol *found;

	if (!known_names_find(known, off, &found) || !found)
		return false;
	*symbol = (struct file_symbol){
		.off = found->off,
		.size = found->size,
		.name = found->len ? known->bytes.data + found->name : "",
		.parts = known->parts,
		.is_written = found->recording == n->recording,
		.known = found,
	};
	return true;
}

void file_names_note_written(const struct file_names *n, const struct file_symbol *symbol)
{
	symbol->known->recording = n->recording;
}

void file_names_begin_recording(struct file_names *n)
{
	n->recording++;
}

static void forget_known(struct file_names *n, struct named_file *file)
{
	n->known_bytes -= known_names_bytes(&file->known);
	known_names_deinit(&file->known);
}

/* Has the child close the file, and makes the entry free. The caller has made room for that. */
static void forget_file(struct file_names *n, uint32_t nr)
{
	struct named_file *file = &n->files.data[nr];
	const struct names_request request = {.order = NAMES_DROP, .slot = file->slot};
	int sock;

	/* A request that is lost leaves a file open until the slot is used again. */
	if (is_held(n, file) && !worker_line_sock(n->line, &sock))
		fd_message_send(sock, &request, sizeof(request), -1);
	if (file->slot != NO_SLOT)
		n->slots[file->slot] = 0;
	forget_known(n, file);
	vec_free(&file->asked);
	free(file->path);
	*file = (struct named_file){.slot = NO_SLOT};
	n->free_files.data[n->free_files.nr++] = nr;
}

static int index_files(struct file_names *n)
{
	int ret = 0;

	index_clear(&n->by_file);
	for (size_t i = 0; i < n->files.nr && !ret; i++)
		if (n->files.data[i].path)
			ret = index_insert(&n->by_file, hash_file(&n->files.data[i]), i);
	return ret;
}

int file_names_settle(struct file_names *n)
{
	size_t nr_free = n->free_files.nr;
	bool is_full = n->known_bytes > KNOWN_BYTES_MAX / 2;

	for (size_t i = 0; i < n->files.nr; i++) {
		struct named_file *file = &n->files.data[i];

		if (!file->path || file->asked.nr)
			continue;
		file->nr_idle = file->is_used ? 0 : file->nr_idle + 1;
		file->is_used = false;
		file->attempts = 0;
		if (file->nr_idle >= 2)
			forget_file(n, i);
		else if (is_full)
			forget_known(n, file);
	}
	return n->free_files.nr == nr_free ? 0 : index_files(n);
}

uint64_t file_names_nr_left_out(const struct file_names *n)
{
	return n->nr_left_out;
}

int file_names_create(struct looker *looker, struct file_names **names, struct err *err)
{
	const struct worker_kind kind = {.name = "child for names",
					 .run = names_worker_run,
					 .seconds_max = NAMES_SECONDS_MAX};
	struct file_names *n = calloc(1, sizeof(*n));
	int ret;

	if (!n)
		return err_set(err, -ENOMEM, "failed to start the %s: out of memory", kind.name);
	n->looker = looker;
	n->recording = 1;
	n->credit_ns = CPU_MAX_NS;
	n->credited_ns = clock_monotonic_ns();
	ret = worker_line_start(&n->line, &kind, err);
	if (ret) {
		file_names_destroy(n);
		return ret;
	}
	note_worker(n);
	*names = n;
	return 0;
}

void file_names_destroy(struct file_names *n)
{
	if (!n)
		return;
	vec_for_each(&n->files, file) {
		known_names_deinit(&file->known);
		vec_free(&file->asked);
		free(file->path);
	}
	vec_free(&n->files);
	vec_free(&n->free_files);
	vec_free(&n->queue);
	index_deinit(&n->by_file);
	worker_line_destroy(n->line);
	free(n);
}
