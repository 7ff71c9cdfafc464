// SPDX-License-Identifier: GPL-2.0-or-later
/* The side-band of a kernel that the test plays (--wrap), record by record. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "record/process/sideband.h"
#include "record/host/privilege.h"
#include "tests/unit/suite.h"

#define NR_CPUS 2

static struct {
	size_t nr_opened;
	int open_error;       /* errno of each event; 0: none */
	bool knows_no_losses; /* older kernels refuse to count them */
	int map_error;        /* of buffers with more bytes than this: */
	size_t map_max;
	size_t nr_maps, nr_explained;
	uint32_t cpus[32];
	struct perf_event_attr attr;
	int fds[32];
	struct perf_event_mmap_page *rings[NR_CPUS];
} kernel;

static struct sideband *sb;
static struct err err;

long __wrap_syscall(long number, ...);
void *__real_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off);
int __wrap_privilege_explain_event(int code, struct err *error);

long __wrap_syscall(long number, ...)
{
	va_list args;

	ck_assert_int_eq(number, SYS_perf_event_open);
	va_start(args, number);
	kernel.attr = *va_arg(args, struct perf_event_attr *);
	ck_assert_int_eq(va_arg(args, int), -1);
	kernel.cpus[kernel.nr_opened] = va_arg(args, int);
	va_end(args);
	errno = kernel.knows_no_losses && kernel.attr.read_format ? EINVAL : kernel.open_error;
	if (errno)
		return -1;
	kernel.fds[kernel.nr_opened] = memfd_create("event", MFD_CLOEXEC);
	return kernel.fds[kernel.nr_opened++];
}

void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	void *ring;

	if (fd < 0)
		return __real_mmap64(addr, len, prot, flags, fd, off);
	errno = kernel.map_error;
	if (kernel.map_error && len - sysconf(_SC_PAGESIZE) > kernel.map_max)
		return MAP_FAILED;
	ring = __real_mmap64(NULL, len, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	kernel.rings[kernel.nr_maps++ % NR_CPUS] = ring;
	return ring;
}

int __wrap_privilege_explain_event(int code, struct err *error)
{
	(void)error;
	kernel.nr_explained++;
	return code;
}

static int create(void)
{
	uint32_t numbers[NR_CPUS] = {3, 7};
	const u32_vec cpus = {numbers, NR_CPUS, NR_CPUS};

	return sideband_create(&cpus, &sb, &err);
}

static void begin(void)
{
	memset(&kernel, 0, sizeof(kernel));
	ck_assert_int_eq(create(), 0);
}

static void end(void)
{
	sideband_destroy(sb);
	sb = NULL;
}

/* Appends bytes to the ring of the CPU with that number, round its end. */
static void append(size_t cpu, const void *bytes, size_t len)
{
	struct perf_event_mmap_page *ring = kernel.rings[cpu];
	char *data = (char *)ring + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < len; i++)
		data[ring->data_head++ % sideband_buffer_bytes(sb)] = ((const char *)bytes)[i];
}

/* A record of @type about process @pid, whose parent is 1. */
static void add_record(size_t cpu, uint32_t type, uint16_t misc, uint32_t pid, uint64_t time)
{
	const struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
		uint32_t trailer_pid, trailer_tid;
		uint64_t trailer_time;
	} record = {{type, misc, sizeof(record)}, pid, 1, pid, 1, time, pid, pid, time};

	append(cpu, &record, sizeof(record));
}

#define RECORD_BYTES 48

static void fork_at(size_t cpu, uint32_t pid, uint64_t time)
{
	add_record(cpu, PERF_RECORD_FORK, 0, pid, time);
}

static uint32_t pids[16];
static uint64_t times[16];
static size_t nr;

static int note(void *ctx, const struct sideband_record *record)
{
	pids[nr] = record->pid;
	times[nr++] = record->time_ns;
	return record->pid == 99 ? *(int *)ctx : 0;
}

static int stop = -EINTR;

static void expect_pids(size_t nr_expected, ...)
{
	va_list args;

	ck_assert_uint_eq(nr, nr_expected);
	va_start(args, nr_expected);
	for (size_t i = 0; i < nr_expected; i++)
		ck_assert_uint_eq(pids[i], va_arg(args, uint32_t));
	va_end(args);
	nr = 0;
}

static int read_until(uint64_t time)
{
	nr = 0;
	return sideband_read(sb, time, note, &stop);
}

/* By time; of equal ones, that of the first CPU comes first. */
START_TEST(records_in_order)
{
	fork_at(0, 10, 50);
	fork_at(0, 11, 70);
	fork_at(0, 12, 60); /* an interrupt */
	fork_at(0, 13, 80);
	fork_at(1, 14, 40);
	fork_at(1, 15, 70);
	fork_at(1, 16, 90);
	ck_assert_int_eq(read_until(80), 0);
	expect_pids(6, 14, 10, 12, 11, 15, 13);
	ck_assert_uint_eq(sideband_nr_waiting(sb), 1);
	fork_at(1, 17, 85);
	ck_assert_int_eq(read_until(89), 0);
	expect_pids(1, 17);
	ck_assert_int_eq(read_until(100), 0);
	ck_assert_uint_eq(times[0], 90);
	expect_pids(1, 16);
	ck_assert_int_eq(read_until(100), 0);
	expect_pids(0);
}
END_TEST

START_TEST(records_that_are_wanted)
{
	static const struct {
		uint32_t type;
		uint16_t misc;
		bool is_wanted;
	} cases[] = {
		{PERF_RECORD_MMAP2, 0, true},
		{PERF_RECORD_FORK, 0, true},
		{PERF_RECORD_EXIT, 0, true},
		{PERF_RECORD_KSYMBOL, 0, true},
		{PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, true},
		{PERF_RECORD_COMM, 1, false}, /* a new name and no more */
		{PERF_RECORD_MMAP, 0, false},
		{PERF_RECORD_LOST, 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		add_record(0, cases[i].type, cases[i].misc, 10, 1);
		ck_assert_int_eq(sideband_collect(sb), 0);
		ck_assert_uint_eq(sideband_nr_waiting(sb), cases[i].is_wanted);
		ck_assert_int_eq(read_until(1), 0);
		ck_assert_uint_eq(nr, cases[i].is_wanted);
	}
	ck_assert_uint_eq(sideband_lost(sb), 0);
}
END_TEST

/* The ring ends at any byte of a record. */
START_TEST(records_in_two_parts)
{
	for (uint64_t at = 0; at <= RECORD_BYTES; at += 8) {
		struct perf_event_mmap_page *ring = kernel.rings[0];

		ring->data_head = ring->data_tail = 3 * sideband_buffer_bytes(sb) - at;
		fork_at(0, 10 + at, 7);
		ck_assert_int_eq(read_until(7), 0);
		ck_assert_uint_eq(times[0], 7);
		expect_pids(1, (uint32_t)(10 + at));
		ck_assert_uint_eq(ring->data_tail, ring->data_head);
	}
}
END_TEST

START_TEST(records_that_are_damaged)
{
	const struct perf_event_header header = {PERF_RECORD_MMAP, 0, 7};

	fork_at(0, 10, 1);
	append(0, &header, sizeof(header));
	ck_assert_int_eq(sideband_collect(sb), -EIO);
}
END_TEST

START_TEST(a_limit_of_records)
{
	sideband_limit(sb, 2 * RECORD_BYTES);
	fork_at(0, 10, 1);
	fork_at(0, 11, 2);
	ck_assert_int_eq(sideband_collect(sb), 0);
	ck_assert_uint_eq(sideband_lost(sb), 0);
	fork_at(1, 12, 3);
	ck_assert_int_eq(sideband_collect(sb), 0);
	ck_assert_uint_eq(sideband_lost(sb), 1);
	ck_assert_uint_eq(sideband_nr_waiting(sb), 2);
	ck_assert_int_eq(read_until(1), 0);
	fork_at(1, 13, 4);
	ck_assert_int_eq(read_until(4), 0);
	expect_pids(2, 11, 13);
	sideband_set_unsent(sb, 5);
	ck_assert_uint_eq(sideband_lost(sb), 6);
}
END_TEST

static void count_losses(size_t cpu, uint64_t lost)
{
	const uint64_t words[2] = {0, lost};

	ck_assert_int_eq(pwrite(kernel.fds[cpu], words, sizeof(words), 0), sizeof(words));
	ck_assert_int_eq(lseek(kernel.fds[cpu], 0, SEEK_SET), 0);
}

START_TEST(losses)
{
	count_losses(0, 3);
	count_losses(1, 4);
	sideband_count_lost(sb);
	ck_assert_uint_eq(sideband_lost(sb), 7);
	/* An event that does not answer takes nothing back. */
	count_losses(0, 5);
	ck_assert_int_eq(ftruncate(kernel.fds[1], 15), 0);
	sideband_count_lost(sb);
	ck_assert_uint_eq(sideband_lost(sb), 7);
	count_losses(0, 8);
	sideband_count_lost(sb);
	ck_assert_uint_eq(sideband_lost(sb), 8);
	/* Records tell of them where events do not. */
	end();
	memset(&kernel, 0, sizeof(kernel));
	kernel.knows_no_losses = true;
	ck_assert_int_eq(create(), 0);
	ck_assert_uint_eq(kernel.nr_opened, 2);
	count_losses(0, 3);
	sideband_count_lost(sb);
	ck_assert_uint_eq(sideband_lost(sb), 0);
	/* The number stands where a fork has its thread. */
	add_record(0, PERF_RECORD_LOST, 0, 1, 1);
	ck_assert_int_eq(sideband_collect(sb), 0);
	ck_assert_uint_eq(sideband_lost(sb), 1ULL << 32 | 1);
	add_record(0, PERF_RECORD_LOST, 0, 1, 1);
	ck_assert_int_eq(sideband_collect(sb), 0);
	ck_assert_uint_eq(sideband_lost(sb), 2 * (1ULL << 32 | 1));
}
END_TEST

/* Shows what is new, and leaves all where it is. */
START_TEST(a_preview)
{
	fork_at(0, 10, 10);
	fork_at(1, 11, 20);
	ck_assert_int_eq(sideband_preview(sb, 10, note, &stop), 0);
	expect_pids(1, 10);
	fork_at(1, 12, 30);
	fork_at(0, 13, 40);
	ck_assert_int_eq(sideband_preview(sb, 30, note, &stop), 0);
	expect_pids(2, 11, 12);
	ck_assert_int_eq(sideband_preview(sb, 30, note, &stop), 0);
	expect_pids(0);
	ck_assert_int_eq(read_until(100), 0);
	expect_pids(4, 10, 11, 12, 13);
	fork_at(0, 99, 50);
	fork_at(0, 14, 60);
	ck_assert_int_eq(sideband_preview(sb, 70, note, &stop), -EINTR);
	expect_pids(1, 99);
	ck_assert_int_eq(read_until(100), -EINTR);
	expect_pids(1, 99);
}
END_TEST

/* What follows the latest beginning of the address space of one process. */
START_TEST(processes_that_begin)
{
	add_record(0, PERF_RECORD_EXIT, 0, 10, 5);
	ck_assert_int_eq(sideband_show_begun(sb, 10, note, &stop), -ENOENT);
	expect_pids(0);
	fork_at(0, 10, 10);
	fork_at(1, 11, 15);
	add_record(1, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 10, 20);
	add_record(0, PERF_RECORD_MMAP2, 0, 10, 30);
	add_record(0, PERF_RECORD_MMAP2, 0, 11, 31);
	add_record(0, PERF_RECORD_KSYMBOL, 0, 10, 32);
	ck_assert_int_eq(sideband_show_begun(sb, 10, note, &stop), 0);
	ck_assert_uint_eq(times[0], 20);
	expect_pids(2, 10, 10);
	ck_assert(sideband_has_begun(sb, 10));
	ck_assert(sideband_has_begun(sb, 11));
	ck_assert(!sideband_has_begun(sb, 12));
	/* It has the low half of the number. */
	ck_assert(!sideband_has_begun(sb, 0x10000 | 10));
	ck_assert_int_eq(sideband_show_begun(sb, 11, note, &stop), 0);
	expect_pids(2, 11, 11);
	ck_assert_int_eq(read_until(15), 0);
	ck_assert(!sideband_has_begun(sb, 11));
	ck_assert(sideband_has_begun(sb, 10));
	/* A thread begins no address space. */
	add_record(0, PERF_RECORD_FORK, 0, 1, 40);
	ck_assert_int_eq(sideband_collect(sb), 0);
	ck_assert(!sideband_has_begun(sb, 1));
}
END_TEST

START_TEST(what_the_kernel_is_asked_for)
{
	size_t nr_fds;
	const int *fds = sideband_fds(sb, &nr_fds);
	unsigned char is_there;

	ck_assert_uint_eq(nr_fds, NR_CPUS);
	ck_assert_mem_eq(fds, kernel.fds, NR_CPUS * sizeof(int));
	ck_assert_uint_eq(kernel.cpus[0], 3);
	ck_assert_uint_eq(kernel.cpus[1], 7);
	ck_assert_uint_eq(kernel.attr.read_format, 1 << 4);
	ck_assert_uint_eq(kernel.attr.wakeup_watermark, SIDEBAND_BUFFER_BYTES / 4);
	ck_assert_uint_eq(sideband_buffer_bytes(sb), SIDEBAND_BUFFER_BYTES);
	/* All buffers become smaller where locked memory is short. */
	end();
	ck_assert_int_eq(fcntl(kernel.fds[0], F_GETFD), -1);
	ck_assert_int_lt(mincore(kernel.rings[0], 1, &is_there), 0);
	memset(&kernel, 0, sizeof(kernel));
	kernel.map_error = EPERM;
	kernel.map_max = SIDEBAND_BUFFER_BYTES / 4;
	ck_assert_int_eq(create(), 0);
	ck_assert_uint_eq(kernel.nr_opened, 4);
	ck_assert_int_eq(kernel.fds[2], kernel.fds[0]); /* the others have been closed */
	ck_assert_uint_eq(kernel.nr_maps, 2);
	ck_assert_uint_eq(sideband_buffer_bytes(sb), SIDEBAND_BUFFER_BYTES / 4);
	ck_assert_uint_eq(kernel.attr.wakeup_watermark, SIDEBAND_BUFFER_BYTES / 16);
}
END_TEST

static void expect_refusal(int code, const char *text, const char *hint)
{
	sb = NULL;
	err = (struct err){0};
	ck_assert_int_eq(create(), code);
	ck_assert_str_eq(err.text, text);
	ck_assert_str_eq(err.hint, hint);
	ck_assert_ptr_null(sb);
}

START_TEST(refusals)
{
	sideband_destroy(sb);
	memset(&kernel, 0, sizeof(kernel));
	kernel.map_error = EPERM;
	expect_refusal(-EPERM,
		       "failed to map the side-band buffer of CPU 3: Operation not permitted",
		       "raise kernel.perf_event_mlock_kb, or grant CAP_IPC_LOCK");
	kernel.map_max = (16 << 10) - 1;
	expect_refusal(-EPERM,
		       "failed to map the side-band buffer of CPU 3: Operation not permitted",
		       "raise kernel.perf_event_mlock_kb, or grant CAP_IPC_LOCK");
	kernel.map_max++;
	ck_assert_int_eq(create(), 0);
	ck_assert_uint_eq(sideband_buffer_bytes(sb), 16 << 10);
	sideband_destroy(sb);
	kernel.map_error = ENOMEM;
	kernel.map_max = 0;
	expect_refusal(-ENOMEM,
		       "failed to map the side-band buffer of CPU 3: Cannot allocate memory", "");
	kernel.open_error = EACCES;
	expect_refusal(-EACCES, "failed to open the side-band event on CPU 3: Permission denied",
		       "");
	ck_assert_uint_eq(kernel.nr_explained, 1);
	kernel.open_error = EPERM;
	expect_refusal(-EPERM,
		       "failed to open the side-band event on CPU 3: Operation not permitted", "");
	ck_assert_uint_eq(kernel.nr_explained, 2);
	kernel.open_error = ENODEV;
	expect_refusal(-ENODEV, "failed to open the side-band event on CPU 3: No such device", "");
	kernel.open_error = EINVAL;
	expect_refusal(-EINVAL, "failed to open the side-band event on CPU 3: Invalid argument",
		       "");
	ck_assert_uint_eq(kernel.nr_explained, 2);
}
END_TEST

SUITE_MAIN_WITH("sideband_rings", begin, end, records_in_order, records_that_are_wanted,
		records_in_two_parts, records_that_are_damaged, a_limit_of_records, losses,
		a_preview, processes_that_begin, what_the_kernel_is_asked_for, refusals)
