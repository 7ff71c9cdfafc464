// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A rival for the sampler in bench/run: the usual way to count stacks. Two calls of bpf_get_stackid
 * and a hash map of counts, of the sizes that bcc has. No filters, no drain.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MAX_DEPTH 127

struct key {
	__u32 pid;
	__s32 user, kernel;
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, MAX_DEPTH * sizeof(__u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240);
	__type(key, struct key);
	__type(value, __u64);
} counts SEC(".maps");

SEC("perf_event")
int count_stackids(void *ctx)
{
	struct key key = {.pid = bpf_get_current_pid_tgid() >> 32};
	__u64 one = 1, *count;

	/* The idle task, as profrec does. */
	if (!key.pid)
		return 0;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	key.user = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	key.kernel = bpf_get_stackid(ctx, &stacks, 0);
	count = bpf_map_lookup_elem(&counts, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_NOEXIST);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
