/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hands the names of interpreted languages' functions to the recorder, each once in a period. */
#ifndef BPF_LANGUAGES_SEND_NAMES_H
#define BPF_LANGUAGES_SEND_NAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/languages.h"
#include "bpf/languages/seen_functions.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set before load */
} function_names SEC(".maps");

/* Lets a later sample try again. */
static __always_inline void forget_function(const struct seen_function *function,
					    __u32 *nr_failures)
{
	++*nr_failures;
	bpf_map_delete_elem(&seen_functions, function);
}

/*
 * Begins a record of @size bytes, a constant, with the name of a function of process @tgid. The
 * caller fills it, and calls end_name. @nr_failures counts names that the stack could not have.
 * Returns NULL if the name was handed over before, if it is to be passed over, or without room.
 */
static __always_inline void *begin_name(const struct seen_function *function, __u32 tgid,
					__u32 *nr_failures, __u64 size)
{
	struct function_name *name;

	/* The value of the map means nothing. */
	if (*nr_failures >= NAME_FAILURES_MAX || has_name_failed(function) ||
	    bpf_map_update_elem(&seen_functions, function, nr_failures, BPF_NOEXIST))
		return NULL;
	name = bpf_ringbuf_reserve(&function_names, size, 0);
	if (!name) {
		forget_function(function, nr_failures);
		return NULL;
	}
	name->space_id = function->space_id;
	name->word = function->word;
	name->time_ns = bpf_ktime_get_ns();
	name->tgid = tgid;
	return name;
}

/* Hands over the record of begin_name. If the name could not be read, takes it back. */
static __always_inline void end_name(void *name, bool is_read, const struct seen_function *function,
				     __u32 *nr_failures)
{
	if (is_read) {
		bpf_ringbuf_submit(name, 0);
		return;
	}
	bpf_ringbuf_discard(name, 0);
	note_failed_name(function);
	forget_function(function, nr_failures);
}

#endif
