// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/names_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/vec.h"
#include "elf/elf_names.h"
#include "record/system/child.h"
#include "record/system/fd_message.h"
#include "record/system/sandbox.h"

/* Bytes that are read of one file. Symbols of a browser have 60 MB. */
#define FILE_BYTES_MAX (256ull << 20)

#define NICE_LOWEST 19

/* Linux's include/uapi/linux/ioprio.h, which older headers lack. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_BE_LOWEST   (2 << 13 | 7)

/*
 * The memory of a file is used again for the next one, up to KEPT_BYTES, because getting it from
 * the kernel would take a third of the time. malloc takes at most 32 MiB for BLOCK_BYTES.
 */
#define BLOCK_BYTES (32 << 20)
#define KEPT_BYTES  (64 << 20)

/* The files, by slot; -1: none. */
static int files[NAMES_FILES_MAX + 1];

/* An answer while it grows. */
struct answer {
	uint32_t *numbers; /* one for each offset */
	VEC(struct names_symbol) symbols;
	char_vec bytes;
	bool is_cut;
	uint8_t parts; /* bits of enum name_part */
};

static void answer_deinit(struct answer *answer)
{
	free(answer->numbers);
	vec_free(&answer->symbols);
	vec_free(&answer->bytes);
}

/* The recorder waits: runs as others do from now on. Runs as a signal handler. */
static void hurry(int number)
{
	(void)number;
	setpriority(PRIO_PROCESS, 0, 0);
}

/* Lets SIGALRM hurry this process up, and SIGPROF end it. */
static void watch_time(void)
{
	const struct sigaction action = {.sa_handler = hurry, .sa_flags = SA_RESTART};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGALRM);
	sigaddset(&signals, SIGPROF);
	sigaction(SIGALRM, &action, NULL);
	signal(SIGPROF, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/*
 * Requests are looked up behind everybody else. Before the privileges go, sees to it that this can
 * be taken back.
 */
static void prepare_priority(void)
{
	const struct rlimit may_hurry = {20, 20}; /* stands for nice 0, see getrlimit(2) */

	setrlimit(RLIMIT_NICE, &may_hurry);
	hurry(0);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_BE_LOWEST);
}

/* A timer that goes off once, after @ns, which must not be 0. */
static void set_timer(int which, uint64_t ns)
{
	const struct itimerval value = {
		.it_value.tv_sec = ns / NS_PER_S,
		.it_value.tv_usec = ns % NS_PER_S / 1000 + 1,
	};

	setitimer(which, &value, NULL);
}

static void stop_timer(int which)
{
	const struct itimerval none = {0};

	setitimer(which, &none, NULL);
}

/* Begins the time of a request. Returns 0, or -ETIME when it has none. */
static int begin_time(const struct names_request *request)
{
	uint64_t used_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID), now = clock_monotonic_ns();

	if (used_ns >= request->cpu_max_ns)
		return -ETIME;
	set_timer(ITIMER_PROF, request->cpu_max_ns - used_ns);
	if (request->urgent_ns <= now)
		return 0;
	setpriority(PRIO_PROCESS, 0, NICE_LOWEST);
	set_timer(ITIMER_REAL, request->urgent_ns - now);
	return 0;
}

static void end_time(void)
{
	stop_timer(ITIMER_REAL);
	stop_timer(ITIMER_PROF);
	/* Files that come take little time, and must not fill the socket. */
	hurry(0);
}

/* The name of @range if it fits, else none: the bounds say something, too. */
static int add_name(struct answer *answer, const struct range *range, struct names_symbol *symbol)
{
	if (range->len > NAMES_NAME_MAX || range->len >= NAMES_BYTES_MAX - answer->bytes.nr ||
	    memchr(range->name, 0, range->len))
		return 0;
	symbol->name = answer->bytes.nr;
	symbol->len = range->len;
	return vec_append(&answer->bytes, range->name, range->len) || vec_push(&answer->bytes, '\0')
		       ? -ENOMEM
		       : 0;
}

/* Adds the symbol of @hit, whose file offset is @off. */
static int add_symbol(struct answer *answer, const struct range_hit *hit, uint64_t off)
{
	const struct range *range = hit->range;
	struct names_symbol symbol = {.size = range->size};
	uint64_t before = hit->addr - range->start;
	int ret;

	/* A symbol cannot begin before its file, whatever it says. */
	if (before > off || range->size > UINT64_MAX - (off - before))
		return 0;
	symbol.off = off - before;
	ret = add_name(answer, range, &symbol);
	if (!ret)
		ret = vec_push(&answer->symbols, symbol);
	if (!ret)
		answer->numbers[hit->tag] = answer->symbols.nr;
	return ret;
}

/* Neighbours mostly share a symbol. Symbols that lie in each other may come twice. */
static int add_symbols(struct answer *answer, const struct range_hit *hits, size_t nr,
		       const uint64_t *offsets)
{
	const struct range *last = NULL;
	uint32_t number = 0;

	for (size_t i = 0; i < nr; i++) {
		int ret = 0;

		if (!hits[i].range)
			continue;
		if (hits[i].range == last)
			answer->numbers[hits[i].tag] = number;
		else
			ret = add_symbol(answer, &hits[i], offsets[hits[i].tag]);
		if (ret)
			return ret;
		last = hits[i].range;
		number = answer->numbers[hits[i].tag];
	}
	return 0;
}

/* Looks the offsets up in an open file. */
static int resolve_offsets(struct elf_file *file, const uint64_t *offsets, size_t nr,
			   struct answer *answer)
{
	_cleanup_free_ struct range_hit *hits = calloc(nr + 1, sizeof(*hits));
	_cleanup_(elf_names_deinit) struct elf_names names = {0};
	size_t nr_hits = 0;
	int ret;

	answer->numbers = calloc(nr + 1, sizeof(*answer->numbers));
	if (!hits || !answer->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		hits[nr_hits].tag = i;
		nr_hits += elf_file_vaddr(file, offsets[i], &hits[nr_hits].addr);
	}
	range_hits_sort(hits, nr_hits);
	ret = elf_names_resolve(&names, file, NULL, hits, nr_hits);
	answer->is_cut = file->is_too_large;
	answer->parts = names.parts[0];
	return ret ? ret : add_symbols(answer, hits, nr_hits, offsets);
}

static int look_up_offsets(int fd, const uint64_t *offsets, size_t nr, struct answer *answer)
{
	struct file_budget budget = {.bytes_left = FILE_BYTES_MAX};
	struct elf_file file;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), ret;

	if (copy < 0)
		return -errno;
	ret = elf_file_open(&file, copy, &budget);
	if (ret)
		return ret;
	ret = resolve_offsets(&file, offsets, nr, answer);
	elf_file_close(&file);
	return ret;
}

static int write_answer(int fd, const struct answer *answer, size_t nr)
{
	const struct names_head head = {
		.nr_symbols = answer->symbols.nr,
		.nr_bytes = answer->bytes.nr,
		.is_cut = answer->is_cut,
		.parts = answer->parts,
	};
	int ret = io_write_all(fd, &head, sizeof(head));

	if (!ret)
		ret = io_write_all(fd, answer->numbers, nr * sizeof(*answer->numbers));
	if (!ret)
		ret = io_write_all(fd, answer->symbols.data,
				   answer->symbols.nr * sizeof(*answer->symbols.data));
	if (!ret)
		ret = io_write_all(fd, answer->bytes.data, answer->bytes.nr);
	if (!ret && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK))
		ret = -errno;
	return ret;
}

/* Is the file what it was when it was mapped? Whoever deletes a file without a build-id changes it.
 */
static bool is_as_mapped(int fd, const struct names_request *request)
{
	struct build_id id = {0};

	if (build_id_is_none(&request->build_id))
		return file_identity_is_of_fd(&request->identity, fd);
	return !build_id_from_fd(fd, &id) && build_id_equal(&id, &request->build_id);
}

/* Looks the offsets up, unless somebody wrote to the file before that or meanwhile. */
static int look_up_mapped(const struct names_request *request, const uint64_t *offsets,
			  struct answer *answer)
{
	int fd = files[request->slot];
	int ret = is_as_mapped(fd, request) ? 0 : -ESTALE;

	if (!ret)
		ret = look_up_offsets(fd, offsets, request->nr, answer);
	return ret || is_as_mapped(fd, request) ? ret : -ESTALE;
}

/* The answer as a sealed memfd. @memory has the offsets. */
static int make_answer(const struct names_request *request, int memory, int *out)
{
	_cleanup_(answer_deinit) struct answer answer = {0};
	_cleanup_free_ uint64_t *offsets = NULL;
	_cleanup_close_ int memfd = -1;
	size_t size = request->nr * sizeof(*offsets);
	int ret;

	if (request->nr > NAMES_OFFSETS_MAX || files[request->slot] < 0)
		return -EBADF;
	offsets = malloc(size + 1);
	if (!offsets)
		return -ENOMEM;
	if (io_pread(memory, offsets, size, 0) != (ssize_t)size)
		return -EBADMSG;
	ret = look_up_mapped(request, offsets, &answer);
	if (ret)
		return ret;
	memfd = memfd_create("names", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0)
		return -errno;
	ret = write_answer(memfd, &answer, request->nr);
	if (!ret)
		*out = TAKE_FD(memfd);
	return ret;
}

static int reply_to(int sock, const struct names_request *request, int memory)
{
	struct worker_reply reply = {.tag = request->slot};
	_cleanup_close_ int memfd = -1;

	reply.status = begin_time(request);
	if (!reply.status)
		reply.status = make_answer(request, memory, &memfd);
	end_time();
	reply.cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	return fd_message_send(sock, &reply, sizeof(reply), memfd);
}

static void set_file(uint32_t slot, int fd)
{
	cleanup_close(&files[slot]);
	files[slot] = fd;
}

static int obey_request(int sock)
{
	_cleanup_close_ int fd = -1;
	struct names_request request;
	int ret = fd_message_receive(sock, &request, sizeof(request), &fd);

	if (ret)
		return ret;
	if (request.slot > NAMES_INBOX)
		return -EBADMSG;
	switch ((enum names_order)request.order) {
	case NAMES_HOLD:
		set_file(NAMES_INBOX, TAKE_FD(fd));
		break;
	case NAMES_KEEP:
		set_file(request.slot, TAKE_FD(files[NAMES_INBOX]));
		break;
	case NAMES_DROP:
		set_file(request.slot, -1);
		break;
	case NAMES_ASK:
		return reply_to(sock, &request, fd);
	}
	return 0;
}

void names_worker_run(int sock)
{
	pid_t parent = getppid();

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		files[i] = -1;
	if (child_begin(sock, "profrec-names"))
		_exit(1);
	mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	watch_time();
	prepare_priority();
	if (sandbox_enter(parent))
		_exit(1);
	while (!obey_request(STDIN_FILENO))
		;
	_exit(0);
}
