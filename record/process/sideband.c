// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/vec.h"
#include "record/host/privilege.h"

/*
 * Ring buffer of one CPU. A process start makes about 2 KB of records. So the buffer holds some
 * hundred starts between a wakeup and the read.
 */
#define BUFFER_BYTES SIDEBAND_BUFFER_BYTES

/* The smallest buffer, where locked memory is short. A record of the longest path still fits. */
#define BUFFER_BYTES_MIN (16u << 10)

/* A pool that has grown beyond this is given back when it is empty. */
#define POOL_KEPT_BYTES (2u << 20)

/*
 * Layouts of the records: include/uapi/linux/perf_event.h. Every record ends with the fields that
 * sample_type asks for: here pid, tid, time.
 */
struct record_trailer {
	uint32_t pid, tid;
	uint64_t time;
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct {
			uint8_t build_id_size;
			uint8_t reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
	char filename[];
};

struct task_record { /* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct ksymbol_record {
	struct perf_event_header header;
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	char name[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* The type of records that sideband_add brings. A whole record follows the header. */
#define ADDED_RECORD UINT32_MAX

struct added_record {
	struct perf_event_header header;
	struct sideband_record record;
};

/* A record that waits for its turn; its bytes are in the sideband's pool. */
struct pending {
	uint64_t time_ns;
	size_t off;
	uint32_t bytes;     /* of the record */
	uint32_t begun_pid; /* whose address space begins; 0: none does */
	uint32_t pid;       /* of whom it tells; 0: of no process */
};

typedef VEC(struct pending) pending_vec;

/* Bits that tell, by the low half of a pid, whether one of @pending may begin its address space. */
#define BEGUN_BITS 16

struct sideband {
	int *fds;
	void **buffers; /* struct perf_event_mmap_page and the data */
	size_t nr, page_size, buffer_bytes;
	uint64_t lost, unsent;
	uint64_t dropped;            /* records that had no room in the pool */
	size_t max_bytes;            /* of the pool; 0: no limit */
	bool counts_lost;            /* the events can be asked how many records they lost */
	pending_vec pending, merged; /* what merge_runs has merged */
	char_vec pool, next_pool;    /* keep_from fills the other one */
	uint64_t shown_ns;           /* by sideband_preview */
	uint64_t begun[(1 << BEGUN_BITS) / 64];
};

/*
 * PERF_FORMAT_LOST, Linux 6.0: a read of an event returns its count and the records that it lost.
 */
#define FORMAT_LOST (1u << 4)

struct lost_format {
	uint64_t value, lost;
};

/* It wakes the recorder when its buffer is a quarter full. */
static int open_on_cpu(uint32_t cpu, size_t buffer_bytes, uint64_t read_format)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.read_format = read_format,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1, /* Linux 5.12 */
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = buffer_bytes / 4,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_buffer(struct sideband *sb, size_t i, uint32_t cpu, struct err *err)
{
	void *buffer;
	int fd = open_on_cpu(cpu, sb->buffer_bytes, sb->counts_lost ? FORMAT_LOST : 0), ret;

	if (fd == -EINVAL && sb->counts_lost) {
		sb->counts_lost = false;
		fd = open_on_cpu(cpu, sb->buffer_bytes, 0);
	}
	if (fd < 0) {
		err_set(err, fd, "failed to open the side-band event on CPU %u: %s", cpu,
			strerror(-fd));
		return fd == -EACCES || fd == -EPERM ? privilege_explain_event(fd, err) : fd;
	}
	sb->fds[i] = fd;
	buffer = mmap(NULL, sb->page_size + sb->buffer_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (buffer != MAP_FAILED) {
		sb->buffers[i] = buffer;
		return 0;
	}
	ret = -errno;
	err_set(err, ret, "failed to map the side-band buffer of CPU %u: %s", cpu, strerror(-ret));
	if (ret != -EPERM)
		return ret;
	err_hint(err, ret, "raise kernel.perf_event_mlock_kb, or grant CAP_IPC_LOCK");
	return -ENOBUFS;
}

static void close_buffers(struct sideband *sb)
{
	for (size_t i = 0; i < sb->nr; i++) {
		if (sb->buffers[i])
			munmap(sb->buffers[i], sb->page_size + sb->buffer_bytes);
		sb->buffers[i] = NULL;
		cleanup_close(&sb->fds[i]);
		sb->fds[i] = -1;
	}
}

/* -ENOBUFS: buffers of this size are more memory than this user may lock. */
static int open_buffers(struct sideband *sb, const u32_vec *cpus, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < cpus->nr && !ret; i++)
		ret = open_buffer(sb, i, cpus->data[i], err);
	return ret;
}

int sideband_create(const u32_vec *cpus, struct sideband **sideband, struct err *err)
{
	struct sideband *sb = calloc(1, sizeof(*sb));
	int ret;

	if (sb) {
		sb->fds = malloc(cpus->nr * sizeof(int));
		sb->buffers = calloc(cpus->nr, sizeof(void *));
	}
	if (!sb || !sb->fds || !sb->buffers) {
		sideband_destroy(sb);
		return err_set(err, -ENOMEM, "failed to open the side-band: out of memory");
	}
	memset(sb->fds, 0xff, cpus->nr * sizeof(int));
	sb->nr = cpus->nr;
	sb->page_size = sysconf(_SC_PAGESIZE);
	sb->buffer_bytes = BUFFER_BYTES;
	sb->counts_lost = true;
	/* All CPUs get buffers of one size. A smaller buffer would lose records. */
	while ((ret = open_buffers(sb, cpus, err)) == -ENOBUFS &&
	       sb->buffer_bytes > BUFFER_BYTES_MIN) {
		close_buffers(sb);
		sb->buffer_bytes /= 2;
	}
	if (ret) {
		sideband_destroy(sb);
		return ret == -ENOBUFS ? -EPERM : ret;
	}
	*sideband = sb;
	return 0;
}

void sideband_destroy(struct sideband *sb)
{
	if (!sb)
		return;
	close_buffers(sb);
	free(sb->fds);
	free(sb->buffers);
	vec_free(&sb->pending);
	vec_free(&sb->merged);
	vec_free(&sb->pool);
	vec_free(&sb->next_pool);
	free(sb);
}

const int *sideband_fds(const struct sideband *sb, size_t *nr)
{
	*nr = sb->nr;
	return sb->fds;
}

size_t sideband_buffer_bytes(const struct sideband *sb)
{
	return sb->buffer_bytes;
}

void sideband_count_lost(struct sideband *sb)
{
	uint64_t sum = 0;

	if (!sb->counts_lost)
		return;
	for (size_t i = 0; i < sb->nr; i++) {
		struct lost_format now;

		if (read(sb->fds[i], &now, sizeof(now)) == sizeof(now))
			sum += now.lost;
	}
	if (sum > sb->lost)
		sb->lost = sum;
}

uint64_t sideband_lost(const struct sideband *sb)
{
	return sb->lost + sb->unsent + sb->dropped;
}

void sideband_limit(struct sideband *sb, size_t max_bytes)
{
	sb->max_bytes = max_bytes;
}

void sideband_set_unsent(struct sideband *sb, uint64_t nr)
{
	sb->unsent = nr;
}

/* Does a caller want records of this kind? Notes losses on the way. */
static bool is_wanted(struct sideband *sb, const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_KSYMBOL:
		return true;
	case PERF_RECORD_COMM:
		return header->misc & PERF_RECORD_MISC_COMM_EXEC;
	case PERF_RECORD_LOST:
		if (!sb->counts_lost)
			sb->lost += ((const struct lost_record *)header)->lost;
		return false;
	default:
		return false;
	}
}

uint32_t sideband_begun_pid(const struct perf_event_header *raw)
{
	const struct task_record *task = (const void *)raw;

	if (raw->type == PERF_RECORD_COMM && raw->misc & PERF_RECORD_MISC_COMM_EXEC)
		return ((const struct comm_record *)raw)->pid;
	return raw->type == PERF_RECORD_FORK && task->pid != task->ppid ? task->pid : 0;
}

/* All records of processes begin in this way. */
static uint32_t pid_of(const struct perf_event_header *raw)
{
	return raw->type == PERF_RECORD_KSYMBOL ? 0 : ((const struct task_record *)raw)->pid;
}

static void note_begun(struct sideband *sb, uint32_t pid)
{
	uint32_t bit = pid & ((1 << BEGUN_BITS) - 1);

	if (pid)
		sb->begun[bit / 64] |= UINT64_C(1) << bit % 64;
}

static int push_pending(struct sideband *sb, const struct pending *pending)
{
	note_begun(sb, pending->begun_pid);
	return vec_push(&sb->pending, *pending);
}

/* Copies one record out of the ring. @off counts all bytes since the beginning. */
static int keep_record(struct sideband *sb, const char *data, uint64_t off)
{
	struct perf_event_header header;
	struct record_trailer trailer;
	size_t pool_off = sb->pool.nr;
	size_t at = off % sb->buffer_bytes, first;
	char *copy;

	memcpy(&header, data + at, sizeof(header)); /* 8-byte aligned: never wraps */
	first = header.size < sb->buffer_bytes - at ? header.size : sb->buffer_bytes - at;
	if (vec_reserve(&sb->pool, header.size))
		return -ENOMEM;
	copy = sb->pool.data + pool_off;
	memcpy(copy, data + at, first);
	memcpy(copy + first, data, header.size - first);
	if (!is_wanted(sb, (const struct perf_event_header *)copy))
		return header.size;
	if (sb->max_bytes && pool_off + header.size > sb->max_bytes) {
		sb->dropped++;
		return header.size;
	}
	memcpy(&trailer, copy + header.size - sizeof(trailer), sizeof(trailer));
	if (push_pending(sb, &(struct pending){.time_ns = trailer.time,
					       .bytes = header.size,
					       .off = pool_off,
					       .begun_pid = sideband_begun_pid((const void *)copy),
					       .pid = pid_of((const void *)copy)}))
		return -ENOMEM;
	sb->pool.nr += header.size;
	return header.size;
}

size_t sideband_nr_waiting(const struct sideband *sb)
{
	return sb->pending.nr;
}

int sideband_add(struct sideband *sb, const struct sideband_record *record)
{
	const struct added_record added = {.header.type = ADDED_RECORD, .record = *record};
	size_t off = sb->pool.nr;

	if (vec_append(&sb->pool, (const char *)&added, sizeof(added)))
		return -ENOMEM;
	return vec_push(&sb->pending, ((struct pending){.time_ns = record->time_ns,
							.bytes = sizeof(added),
							.off = off,
							.pid = record->pid}));
}

static int read_buffer(struct sideband *sb, size_t i)
{
	struct perf_event_mmap_page *page = sb->buffers[i];
	const char *data = (const char *)page + sb->page_size;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;

	while (tail < head) {
		int n = keep_record(sb, data, tail);

		if (n < 0)
			return n;
		if (n < (int)sizeof(struct perf_event_header))
			return -EIO;
		tail += n;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return 0;
}

/* The end of the records from @begin on that are in the order of their times. */
static size_t run_end(const pending_vec *v, size_t begin)
{
	size_t end = begin + (begin < v->nr);

	while (end < v->nr && v->data[end].time_ns >= v->data[end - 1].time_ns)
		end++;
	return end;
}

/* Merges the run of [@a, @b) and that of [@b, @end) to the end of @to, which has room. */
static void merge_two(const pending_vec *from, size_t a, size_t b, size_t end, pending_vec *to)
{
	const size_t middle = b;

	while (a < middle && b < end) {
		bool is_second = from->data[b].time_ns < from->data[a].time_ns;

		to->data[to->nr++] = from->data[is_second ? b++ : a++];
	}
	while (a < middle)
		to->data[to->nr++] = from->data[a++];
	while (b < end)
		to->data[to->nr++] = from->data[b++];
}

/*
 * Puts the records in the order of their times; of equal ones the first that was read is first.
 * Those of one CPU mostly have that order already, so runs of them are merged. Returns 0 or
 * -ENOMEM.
 */
static int sort_pending(struct sideband *sb)
{
	while (run_end(&sb->pending, 0) < sb->pending.nr) {
		pending_vec before = sb->pending;

		vec_clear(&sb->merged);
		if (vec_reserve(&sb->merged, before.nr))
			return -ENOMEM;
		for (size_t a = 0; a < before.nr;) {
			size_t b = run_end(&before, a), end = run_end(&before, b);

			merge_two(&before, a, b, end, &sb->merged);
			a = end;
		}
		sb->pending = sb->merged;
		sb->merged = before;
	}
	return 0;
}

static void decode_mmap(const char *raw, struct sideband_record *record)
{
	const struct mmap2_record *r = (const void *)raw;

	record->type = SIDEBAND_MMAP;
	record->pid = r->pid;
	record->tid = r->tid;
	record->addr = r->addr;
	record->size = r->len;
	record->pgoff = r->pgoff;
	record->name = r->filename;
	if (!(r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		record->dev_major = r->maj;
		record->dev_minor = r->min;
		record->inode = r->ino;
		record->inode_generation = r->ino_generation;
	} else if (r->build_id_size <= sizeof(r->build_id)) {
		record->build_id.size = r->build_id_size;
		memcpy(record->build_id.bytes, r->build_id, r->build_id_size);
	}
}

static void decode_task(const char *raw, struct sideband_record *record)
{
	const struct task_record *r = (const void *)raw;

	record->type = r->header.type == PERF_RECORD_FORK ? SIDEBAND_FORK : SIDEBAND_EXIT;
	record->pid = r->pid;
	record->tid = r->tid;
	record->parent_pid = r->ppid;
}

static void decode_ksymbol(const char *raw, struct sideband_record *record)
{
	const struct ksymbol_record *r = (const void *)raw;

	record->type = SIDEBAND_KSYMBOL;
	record->addr = r->addr;
	record->size = r->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER ? 0 : r->len;
	record->name = r->name;
}

static void decode_record(const char *raw, uint64_t time_ns, struct sideband_record *record)
{
	const struct perf_event_header *header = (const void *)raw;

	*record = (struct sideband_record){.time_ns = time_ns, .name = ""};
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		decode_mmap(raw, record);
		break;
	case PERF_RECORD_KSYMBOL:
		decode_ksymbol(raw, record);
		break;
	case ADDED_RECORD:
		*record = ((const struct added_record *)raw)->record;
		record->name = "";
		break;
	case PERF_RECORD_COMM:
		record->type = SIDEBAND_EXEC;
		record->pid = ((const struct comm_record *)raw)->pid;
		record->tid = ((const struct comm_record *)raw)->tid;
		record->name = ((const struct comm_record *)raw)->comm;
		break;
	default:
		decode_task(raw, record);
	}
}

void sideband_decode(const struct perf_event_header *raw, uint64_t time_ns,
		     struct sideband_record *record)
{
	decode_record((const char *)raw, time_ns, record);
}

/* Moves the records from @first on to the front of pool and list. Returns 0 or -ENOMEM. */
static int keep_from(struct sideband *sb, size_t first)
{
	const char_vec before = sb->pool;
	size_t nr = sb->pending.nr - first;

	memset(sb->begun, 0, sizeof(sb->begun));
	if (nr)
		memmove(sb->pending.data, sb->pending.data + first, nr * sizeof(*sb->pending.data));
	sb->pending.nr = nr;
	vec_clear(&sb->next_pool);
	vec_for_each(&sb->pending, p) {
		size_t off = sb->next_pool.nr;

		if (vec_append(&sb->next_pool, before.data + p->off, p->bytes))
			return -ENOMEM;
		p->off = off;
		note_begun(sb, p->begun_pid);
	}
	sb->pool = sb->next_pool;
	sb->next_pool = before;
	if (before.cap > POOL_KEPT_BYTES)
		vec_free(&sb->next_pool);
	return 0;
}

int sideband_collect(struct sideband *sb)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < sb->nr; i++)
		ret = read_buffer(sb, i);
	return ret;
}

bool sideband_has_begun(const struct sideband *sb, uint32_t pid)
{
	uint32_t bit = pid & ((1 << BEGUN_BITS) - 1);

	if (!(sb->begun[bit / 64] >> bit % 64 & 1))
		return false;
	vec_for_each(&sb->pending, pending)
		if (pending->begun_pid == pid)
			return true;
	return false;
}

static int hand_out(const struct sideband *sb, const struct pending *p, sideband_fn fn, void *ctx)
{
	struct sideband_record record;

	decode_record(sb->pool.data + p->off, p->time_ns, &record);
	return fn(ctx, &record);
}

int sideband_show_begun(struct sideband *sb, uint32_t pid, sideband_fn fn, void *ctx)
{
	int ret = sideband_collect(sb);
	size_t i;

	if (!ret && !sideband_has_begun(sb, pid))
		ret = -ENOENT;
	if (!ret)
		ret = sort_pending(sb);
	if (ret)
		return ret;
	for (i = sb->pending.nr - 1; sb->pending.data[i].begun_pid != pid;)
		i--;
	for (; !ret && i < sb->pending.nr; i++)
		if (sb->pending.data[i].pid == pid)
			ret = hand_out(sb, &sb->pending.data[i], fn, ctx);
	return ret;
}

int sideband_preview(struct sideband *sb, uint64_t until_ns, sideband_fn fn, void *ctx)
{
	int ret = sideband_collect(sb) ?: sort_pending(sb);
	size_t i = sb->pending.nr;

	while (i && sb->pending.data[i - 1].time_ns > sb->shown_ns)
		i--;
	for (; !ret && i < sb->pending.nr && sb->pending.data[i].time_ns <= until_ns; i++)
		ret = hand_out(sb, &sb->pending.data[i], fn, ctx);
	sb->shown_ns = until_ns;
	return ret;
}

int sideband_read(struct sideband *sb, uint64_t until_ns, sideband_fn fn, void *ctx)
{
	int ret = sideband_collect(sb) ?: sort_pending(sb);
	size_t i;

	if (ret || !sb->pending.nr)
		return ret;
	for (i = 0; i < sb->pending.nr && sb->pending.data[i].time_ns <= until_ns; i++) {
		ret = hand_out(sb, &sb->pending.data[i], fn, ctx);
		if (ret)
			return ret;
	}
	return i ? keep_from(sb, i) : 0;
}
