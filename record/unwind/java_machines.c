// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/java_machines.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "common/cleanup.h"
#include "record/languages/java_machine.h"

struct machine_question {
	uint32_t pid;
	uint32_t reserved;
	uint64_t base;
	struct interpreter in;
};

/* A java_read_fn. @ctx is the process's id. */
static long read_process(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct iovec local = {.iov_base = buf, .iov_len = len};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)addr, .iov_len = len};
	ssize_t nr = process_vm_readv(*(uint32_t *)ctx, &local, 1, &remote, 1, 0);

	return nr < 0 ? -errno : nr;
}

/* A look_fn. The answer is a struct java_machine. */
static int look_at_machine(struct look *look)
{
	struct machine_question q;
	const struct java_memory memory = {.read = read_process, .ctx = &q.pid};
	struct java_machine machine;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	ret = look_touch(look, look_process(q.pid));
	if (!ret)
		ret = java_machine_read(&memory, &q.in, q.base, &machine);
	if (ret)
		return ret;
	return look_answer_append(look, &machine, sizeof(machine)) ? 0 : -ENOBUFS;
}

bool java_machines_put(int map, struct looker *looker, uint32_t pid, const struct interpreter *in,
		       uint64_t base)
{
	const struct machine_question q = {.pid = pid, .base = base, .in = *in};
	const struct look_question question = {
		.fn = look_at_machine, .bytes = &q, .nr = sizeof(q), .fd = -1};
	_cleanup_free_ struct look_answer *answer = malloc(sizeof(*answer));

	return answer && !looker_ask(looker, &question, answer) &&
	       answer->nr == sizeof(struct java_machine) &&
	       !bpf_map_update_elem(map, &pid, answer->bytes, BPF_ANY);
}
