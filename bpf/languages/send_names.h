/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hands the names of interpreted languages' functions to the recorder, each once in a period. */
#ifndef BPF_LANGUAGES_SEND_NAMES_H
#define BPF_LANGUAGES_SEND_NAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/current_owner.h"
#include "bpf/languages/languages.h"
#include "bpf/languages/seen_functions.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set before load */
} function_names SEC(".maps");

/* Records in the ring buffer, by users. The recorder takes off what it has read. */
struct owner_room name_rooms[OWNER_ROOMS];

/* Functions that were handed over in this period. The recorder sets it to 0 with seen_functions. */
struct named_functions named_functions;

/* Has the user of the current process room for one more function? Notes if not. */
static __always_inline bool has_name_room(void)
{
	const __u32 id = current_owner(), number = owner_room_of(id);
	struct owner_room *room = &name_rooms[number % OWNER_ROOMS];
	const __u64 nr = named_functions.all;
	__u64 free = bpf_ringbuf_query(&function_names, BPF_RB_RING_SIZE) -
		     bpf_ringbuf_query(&function_names, BPF_RB_AVAIL_DATA);

	if (owner_room_is_open(room, number, free / sizeof(struct scoped_function_name)) &&
	    (!number || named_functions.by_user[number % OWNER_ROOMS] <=
				(nr < MAX_SEEN_FUNCTIONS ? MAX_SEEN_FUNCTIONS - nr : 0)))
		return true;
	owner_room_refuse(room, id);
	return false;
}

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

	if (*nr_failures >= NAME_FAILURES_MAX || has_name_failed(function))
		return NULL;
	if (!has_name_room()) {
		++*nr_failures;
		return NULL;
	}
	/* The value of the map means nothing. */
	if (bpf_map_update_elem(&seen_functions, function, nr_failures, BPF_NOEXIST))
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
	name->interpreter = 0;
	name->uid = bpf_get_current_uid_gid();
	return name;
}

/* Hands over the record of begin_name. If the name could not be read, takes it back. */
static __always_inline void end_name(void *name, bool is_read, const struct seen_function *function,
				     __u32 *nr_failures)
{
	if (is_read) {
		const __u32 number = owner_room_of(current_owner());

		__sync_fetch_and_add(&name_rooms[number % OWNER_ROOMS].used, 1);
		__sync_fetch_and_add(&named_functions.by_user[number % OWNER_ROOMS], 1);
		__sync_fetch_and_add(&named_functions.all, 1);
		bpf_ringbuf_submit(name, 0);
		return;
	}
	bpf_ringbuf_discard(name, 0);
	note_failed_name(function);
	forget_function(function, nr_failures);
}

#endif
