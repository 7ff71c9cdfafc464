// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/memory_watch.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/shared.h"
#include "common/cleanup.h"
#include "record/sampling/bpf/event_names.h"
#include "record/sampling/program/skeleton.h"

/* Does the kernel let a program run at the end of @function? */
static bool may_follow(const struct btf *types, const char *function)
{
	const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FEXIT);
	int id = types ? btf__find_by_name_kind(types, function, BTF_KIND_FUNC) : 0;
	_cleanup_close_ int fd = -1;

	if (id <= 0)
		return false;
	options.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", nothing, ARRAY_SIZE(nothing),
			   &options);
	return fd >= 0;
}

void memory_watch_choose(struct profrec_bpf *bpf)
{
	bool can_find =
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_TRACEPOINT, BPF_FUNC_find_vma, NULL) == 1;
	struct btf *types = can_find ? btf__load_vmlinux_btf() : NULL;
	bool follows = may_follow(types, CALL_FUNCTION("mremap"));

	bpf_program__set_autoload(bpf->progs.moved, can_find);
	bpf_program__set_autoload(bpf->progs.moved_64, follows);
	bpf_program__set_autoload(bpf->progs.moved_32,
				  follows && may_follow(types, COMPAT_CALL_FUNCTION("mremap")));
	btf__free(types);
}

static int attach_trace(struct memory_watch *watch, struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach_trace(program);

	if (!link)
		return -errno;
	watch->links[watch->nr_links++] = link;
	return 0;
}

/* The event is on the first CPU, and the program runs for hits on every CPU. */
static int open_tracepoint(void)
{
	struct event_name event = {.name = "syscalls:sys_exit_mremap"};
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT, .sample_period = 1};
	struct err unused;
	int ret, fd;

	tracefs_open();
	ret = event_name_find_id(&event, tracefs_roots, &unused);
	if (ret)
		return ret;
	attr.config = event.config;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attach_tracepoint(struct memory_watch *watch)
{
	_cleanup_close_ int fd = open_tracepoint();
	struct bpf_link *link;

	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event(watch->bpf->progs.moved, fd);
	if (!link)
		return -errno;
	TAKE_FD(fd); /* the link closes it */
	watch->links[watch->nr_links++] = link;
	return 0;
}

static bool watch_moves(struct memory_watch *watch)
{
	const struct profrec_bpf *bpf = watch->bpf;

	if (!bpf_program__autoload(bpf->progs.moved))
		return false;
	if (!bpf_program__autoload(bpf->progs.moved_64) || attach_trace(watch, bpf->progs.moved_64))
		return !attach_tracepoint(watch);
	/* Without it, the moves of 32-bit programs stay unknown. */
	if (bpf_program__autoload(bpf->progs.moved_32))
		attach_trace(watch, bpf->progs.moved_32);
	return true;
}

/* A ring_buffer_sample_fn. */
static int add_change(void *ctx, void *data, size_t size)
{
	const struct memory_watch *watch = ctx;
	const struct memory_change *change = data;
	const struct sideband_record record = {
		.type = change->type == MEMORY_MOVED ? SIDEBAND_MOVE : SIDEBAND_SHARE,
		.time_ns = change->time_ns,
		.pid = change->tgid,
		.tid = change->tgid,
		.parent_pid = change->parent,
		.addr = change->new_addr,
		.size = change->new_size,
		.old_addr = change->old_addr,
		.old_size = change->old_size,
		.keeps_old = change->keeps_old,
	};

	return size < sizeof(*change) ? 0 : sideband_add(watch->sideband, &record);
}

int memory_watch_begin(struct memory_watch *watch, struct profrec_bpf *bpf,
		       struct sideband *sideband, struct err *err)
{
	int ret;

	*watch = (struct memory_watch){.bpf = bpf, .sideband = sideband};
	watch->changes =
		ring_buffer__new(bpf_map__fd(bpf->maps.memory_changes), add_change, watch, NULL);
	if (!watch->changes)
		return err_set(err, -errno, "failed to map the buffer of memory changes: %m");
	ret = attach_trace(watch, bpf->progs.began);
	if (ret)
		return err_set(err, ret, "failed to attach BPF program 'began': %s",
			       strerror(-ret));
	watch->sees_moves = watch_moves(watch);
	return 0;
}

int memory_watch_read(struct memory_watch *watch)
{
	int ret = watch->changes ? ring_buffer__consume(watch->changes) : 0;

	if (watch->changes)
		sideband_set_unsent(watch->sideband, watch->bpf->bss->nr_unsent_changes);
	return ret == -ENOMEM ? ret : 0;
}

void memory_watch_end(struct memory_watch *watch)
{
	for (size_t i = 0; i < watch->nr_links; i++)
		bpf_link__destroy(watch->links[i]);
	ring_buffer__free(watch->changes);
	*watch = (struct memory_watch){0};
}
