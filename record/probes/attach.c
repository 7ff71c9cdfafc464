// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/shared.h"
#include "common/cleanup.h"
#include "common/parse.h"
#include "common/readfile.h"

/*
 * include/uapi/linux/bpf.h of Linux 6.6. The headers that the recorder is built with may be older,
 * so the parts of union bpf_attr that are needed stand here.
 */
#define CMD_LINK_CREATE    28
#define TRACE_KPROBE_MULTI 42
#define TRACE_UPROBE_MULTI 48

struct link_create {
	uint32_t prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			uint32_t flags, nr;
			uint64_t symbols, addrs, cookies;
		} kprobes;
		struct {
			uint64_t path, offsets, semaphores, cookies;
			uint32_t nr, flags, pid;
		} uprobes;
		char room[112]; /* fields of later kernels, all 0 */
	};
};

static int create_link(const struct link_create *create)
{
	int fd = syscall(SYS_bpf, CMD_LINK_CREATE, create, sizeof(*create));

	return fd < 0 ? -errno : fd;
}

/* Loads a program that does nothing. Returns its descriptor or a negative errno. */
static int load_nothing(enum bpf_prog_type type, struct bpf_prog_load_opts *opts)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(type, NULL, "GPL", insns, ARRAY_SIZE(insns), opts);
}

static int load_nothing_for(enum bpf_attach_type type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type);

	return load_nothing(BPF_PROG_TYPE_KPROBE, &opts);
}

bool attach_can_user_multi(void)
{
	_cleanup_close_ int prog_fd = load_nothing_for(TRACE_UPROBE_MULTI);
	uint64_t offset = 0;
	/* A directory is no file to put a probe into, which a kernel notices that has the call. */
	struct link_create create = {
		.prog_fd = prog_fd,
		.attach_type = TRACE_UPROBE_MULTI,
		.uprobes = {.path = (uintptr_t) "/", .offsets = (uintptr_t)&offset, .nr = 1},
	};
	int fd = prog_fd < 0 ? prog_fd : create_link(&create);

	cleanup_close(&fd);
	return fd == -EBADF;
}

bool attach_can_kernel_multi(void)
{
	_cleanup_close_ int prog_fd = load_nothing_for(TRACE_KPROBE_MULTI);
	const char *symbol = "profrec, no function has this name";
	struct link_create create = {
		.prog_fd = prog_fd,
		.attach_type = TRACE_KPROBE_MULTI,
		.kprobes = {.symbols = (uintptr_t)&symbol, .nr = 1},
	};
	int fd = prog_fd < 0 ? prog_fd : create_link(&create);

	cleanup_close(&fd);
	return fd == -ESRCH || fd == -ENOENT;
}

/* Attaches the program to the perf event of @attr, which is of all tasks on all CPUs. */
static int attach_perf(int prog_fd, struct perf_event_attr *attr, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	_cleanup_close_ int fd = -1;
	int link;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	/* The program runs on every CPU, whichever the event is opened for. */
	fd = syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link = bpf_link_create(prog_fd, fd, BPF_PERF_EVENT, &opts);
	return link < 0 ? -errno : link;
}

int attach_tracepoint(int prog_fd, uint64_t id, uint32_t event)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = id};

	return attach_perf(prog_fd, &attr, event);
}

/* The type of the perf events of a dynamic source, "uprobe" or "kprobe". */
static int source_type(const char *name, uint32_t *type)
{
	char path[64];
	char_vec text = {0};
	uint64_t number;
	int ret;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	ret = read_file(path, sizeof(path), &text);
	if (!ret) {
		text.data[strcspn(text.data, "\n")] = '\0';
		ret = parse_u64(text.data, 0, UINT32_MAX, &number);
	}
	if (!ret)
		*type = number;
	vec_free(&text);
	return ret;
}

/* A path by which the kernel finds the open file, also a deleted one. */
#define FD_PATH_BYTES 32

static void fd_path(int fd, char path[static FD_PATH_BYTES])
{
	snprintf(path, FD_PATH_BYTES, "/proc/self/fd/%d", fd);
}

static uint64_t cookie_of(const struct user_place *place, uint32_t event)
{
	return event | (place->is_entry ? PROBE_AT_ENTRY : 0);
}

int attach_user_multi(int prog_fd, int file_fd, const struct user_place *places, size_t nr,
		      uint32_t event)
{
	_cleanup_free_ uint64_t *numbers = calloc(3 * nr, sizeof(*numbers));
	char path[FD_PATH_BYTES];
	struct link_create create = {.prog_fd = prog_fd, .attach_type = TRACE_UPROBE_MULTI};

	if (!numbers)
		return -ENOMEM;
	fd_path(file_fd, path);
	for (size_t i = 0; i < nr; i++) {
		numbers[i] = places[i].off;
		numbers[nr + i] = places[i].semaphore;
		numbers[2 * nr + i] = cookie_of(&places[i], event);
	}
	create.uprobes.path = (uintptr_t)path;
	create.uprobes.offsets = (uintptr_t)numbers;
	create.uprobes.semaphores = (uintptr_t)(numbers + nr);
	create.uprobes.cookies = (uintptr_t)(numbers + 2 * nr);
	create.uprobes.nr = nr;
	return create_link(&create);
}

/* The offset of a semaphore is in the upper half of the config (kernel/events/core.c). */
#define SEMAPHORE_SHIFT 32

int attach_user(int prog_fd, int file_fd, const struct user_place *place, uint32_t event)
{
	struct perf_event_attr attr = {.config2 = place->off};
	char path[FD_PATH_BYTES];
	int ret = source_type("uprobe", &attr.type);

	if (ret)
		return ret;
	fd_path(file_fd, path);
	attr.config = place->semaphore << SEMAPHORE_SHIFT;
	attr.config1 = (uintptr_t)path;
	return attach_perf(prog_fd, &attr, cookie_of(place, event));
}

int attach_kernel_multi(int prog_fd, const uint64_t *addrs, size_t nr, uint32_t event)
{
	_cleanup_free_ uint64_t *cookies = calloc(nr, sizeof(*cookies));
	struct link_create create = {.prog_fd = prog_fd, .attach_type = TRACE_KPROBE_MULTI};

	if (!cookies)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		cookies[i] = event;
	create.kprobes.addrs = (uintptr_t)addrs;
	create.kprobes.cookies = (uintptr_t)cookies;
	create.kprobes.nr = nr;
	return create_link(&create);
}

int attach_kernel(int prog_fd, uint64_t addr, uint32_t event)
{
	struct perf_event_attr attr = {.config2 = addr};
	int ret = source_type("kprobe", &attr.type);

	return ret ? ret : attach_perf(prog_fd, &attr, event);
}

int attach_entry(int prog_fd, uint32_t event)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = event);
	int fd = bpf_link_create(prog_fd, 0, BPF_TRACE_FENTRY, event ? &opts : NULL);

	return fd < 0 ? -errno : fd;
}

int attach_check_entry(uint32_t btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = btf_id);
	_cleanup_close_ int prog_fd = load_nothing(BPF_PROG_TYPE_TRACING, &opts);
	int fd = prog_fd < 0 ? prog_fd : attach_entry(prog_fd, 0);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}
