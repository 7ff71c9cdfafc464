/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The labels of the request that the current thread works for. A process that publishes them has a
 * variable in each thread, which points to a record of the thread's attributes (OpenTelemetry's
 * OTEP 4947). The thread alone writes there, and it is interrupted, so the record is whole. Go's
 * runtime has a g in that place, which leads to the labels of the goroutine (pprof.Do). They do not
 * change while they are there.
 *
 * A set of labels is kept as stacks are (bpf/count/count_sets.h): its id is a hash of its values,
 * equal labels are one set, and a count in a set of counts implies that its labels are there, too.
 * So they go when that set is drained, and a sample has them in the set that it is counted in. A
 * thread may wait longer. The recorder keeps its labels, as it keeps its stacks, and an id means
 * the same for the whole run.
 *
 * The processes themselves choose the values. So a process may have as many sets as are free, and
 * a user, too: whoever makes up values gets half of the room, until the next drain.
 *
 * The ids of trace and span are one more value. They are other ones for each request, so sets with
 * them get half of the room. Beyond that, a sample has its other labels alone.
 */
#ifndef BPF_COUNT_REQUEST_LABELS_H
#define BPF_COUNT_REQUEST_LABELS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/count/count_sets.h"
#include "bpf/current_owner.h"
#include "bpf/keyed_hash.h"
#include "bpf/languages/interpreters.h"
#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/walk/stack_window.h"
#include "bpf/walk/user_stack.h"

/* Set before load. */
__setting bool take_labels;
__setting bool take_traces;
__setting __u32 max_label_sets = 1;
__setting struct label_name label_names[LABEL_KEYS_MAX];

/* By process. The recorder fills it, and then sets has_context in unwind_spaces. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load */
	__type(key, __u32);
	__type(value, struct thread_context);
} thread_contexts SEC(".maps");

/* Sets of users, by owner_room_of. The recorder clears them with the set of counts. */
struct owner_room label_rooms[NR_SETS][OWNER_ROOMS];

/* Samples whose labels found no room, and those whose trace alone did not. */
__u64 nr_other_labels, nr_other_traces;

/* The record up to its attributes. Offsets are those of the OTEP. */
struct thread_record {
	__u8 trace_id[16];
	__u8 span_id[8];
	__u8 is_valid; /* 1: it is */
	__u8 trace_flags;
	__u16 nr_bytes; /* of the attributes */
};

_Static_assert(sizeof(struct thread_record) == 28, "the record is packed");

/*
 * Room beyond the attributes, for the ids of a trace, and because values are read in whole words.
 */
#define ATTRIBUTE_BYTES 1024

/* A string of Go. */
struct go_text {
	__u64 addr, length;
};

/*
 * The labels of a goroutine that the program looks at: of a list the first ones, which are sorted
 * by their keys; and a map that is not larger than one bucket, which has all keys and then all
 * values.
 */
#define GO_LIST_MAX     32
#define GO_BUCKET_SLOTS 8
#define GO_BUCKET_KEYS  8 /* offset: behind a byte of the hash of each */

/* The beginning of Go's map before 1.24 (struct hmap of src/runtime/map.go). */
struct go_map {
	__u64 count;
	__u8 flags, log2_buckets;
	__u16 nr_overflow;
	__u32 seed;
	__u64 buckets;
};

/*
 * The numbers are here, and not on the program's stack, where the verifier follows every value of a
 * number.
 */
struct label_scratch {
	struct thread_record record;
	__u16 at[LABEL_KEYS_MAX]; /* of the values, among the attributes */
	__u8 attributes[ATTRIBUTE_BYTES];
	struct label_values values;
	__u32 next, end;      /* of the attributes that are left */
	__u32 from, left, to; /* of the value that is being copied; the words of all so far */
	struct hash hash;     /* of these words */
	/* Of a goroutine: */
	__u64 go_keys, go_distance; /* of the texts of keys, and from each to the next one */
	__u64 go_values;            /* from a key to its value */
	struct go_text text;
	union {
		struct go_map map;
		__u64 key[LABEL_KEY_BYTES / 8];
	};
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* for each level, set before load */
	__type(key, __u32);
	__type(value, struct label_scratch);
} label_scratches SEC(".maps");

/* The address of the current thread's record, or of its g; 0: there is none. */
static __always_inline __u64 find_record(const struct thread_context *c)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 blocks, at;

	if (!has_thread_pointer(task))
		return 0;
	at = thread_pointer(task);
	if (c->block) {
		/* Before the blocks stands how many there are: here, or as the number of one. */
		const __u64 bytes = c->block_bytes;

		blocks = read_user_word(at + (bytes == 8 ? MUSL_BLOCKS : GLIBC_BLOCKS));
		if (!blocks || c->block > read_user_word(bytes == 8 ? blocks : blocks - bytes))
			return 0;
		at = read_user_word(blocks + c->block * bytes);
		if (!at || at == ~0ULL)
			return 0; /* the thread has not used the variable yet */
	}
	at = read_user_word(at + c->offset);
	return at || !c->go.labels ? at : regs_go_g(current_user_regs());
}

/* Reads the record at @addr. Returns false if it is none. */
static __always_inline bool read_record(struct label_scratch *s, __u64 addr)
{
	__u32 nr;

	if (read_user(&s->record, sizeof(s->record), addr) || s->record.is_valid != 1)
		return false;
	nr = s->record.nr_bytes;
	barrier_var(nr);
	if (nr > LABEL_BYTES_MAX)
		return false;
	return !nr || !read_user(s->attributes, nr, addr + sizeof(s->record));
}

/* Takes the ids of the record that was read. A trace of zeros is none. */
static __always_inline void take_trace(struct label_scratch *s)
{
	__u64 ids[2];

	__builtin_memcpy(ids, s->record.trace_id, sizeof(ids));
	if (!(ids[0] | ids[1]))
		return;
	__builtin_memcpy(&s->attributes[LABEL_BYTES_MAX], &s->record, LINK_BYTES);
	s->at[LINK_PLACE] = LABEL_BYTES_MAX;
	s->values.lengths[LINK_PLACE] = LINK_BYTES;
}

struct label_search {
	struct label_scratch *s;
	const struct thread_context *c;
	const struct hash_key *keys;
};

/* Looks at an attribute. Of several with one key, the last counts. bpf_loop ends with 1. */
static long look_at_attribute(__u32 i, struct label_search *f)
{
	struct label_scratch *s = f->s;
	const __u32 at = s->next, end = s->end;
	__u32 value, length, wanted;

	(void)i;
	if (at >= LABEL_BYTES_MAX || at + 2 > end)
		return 1;
	wanted = f->c->keys[s->attributes[at]] - 1U;
	barrier_var(wanted); /* older kernels learn nothing of a number that is not 0 */
	length = s->attributes[at + 1];
	value = at + 2;
	if (value + length > end)
		return 1;
	s->next = value + length;
	if (wanted >= LABEL_KEYS_MAX)
		return 0;
	s->at[wanted] = value;
	s->values.lengths[wanted] = length;
	return 0;
}

/* Copies a word of a value, and adds it to the hash. bpf_loop ends with 1. */
static long copy_label_word(__u32 i, struct label_search *f)
{
	struct label_scratch *s = f->s;
	const __u32 from = s->from, to = s->to, left = s->left;
	__u64 word;

	(void)i;
	if (!left || to >= LABEL_WORDS || from >= LABEL_BYTES_MAX + LINK_BYTES)
		return 1;
	__builtin_memcpy(&word, &s->attributes[from], sizeof(word));
	if (left < sizeof(word))
		word &= (1ULL << left * 8) - 1;
	s->values.words[to] = word;
	hash_word(&s->hash, word, &f->keys[4 + to]);
	s->from = from + sizeof(word);
	s->to = to + 1;
	s->left = left > sizeof(word) ? left - sizeof(word) : 0;
	return 0;
}

/* The number of the user's key that is in the scratch memory, where it has @length bytes. */
static __always_inline __u32 find_label_name(const struct label_scratch *s, __u64 length)
{
	__u32 found = LABEL_KEYS_MAX;

	for (__u32 k = 0; k < LABEL_KEYS_MAX; k++) {
		__u64 difference = label_names[k].length ^ length;

		for (__u32 i = 0; i < LABEL_KEY_BYTES / 8; i++)
			difference |= label_names[k].words[i] ^ s->key[i];
		if (!difference)
			found = k;
	}
	return found;
}

/* Has the user asked for a key of so many bytes? */
static __always_inline bool is_name_length(__u64 length)
{
	bool is_one = false;

	for (__u32 k = 0; k < LABEL_KEYS_MAX; k++)
		is_one |= label_names[k].length == length;
	return length && is_one;
}

/* Looks at label @i of a goroutine, and puts its value where those of attributes are. */
static long look_at_go_label(__u32 i, struct label_search *f)
{
	struct label_scratch *s = f->s;
	const __u64 key = s->go_keys + i * s->go_distance;
	__u32 wanted, length, at;

	if (read_user(&s->text, sizeof(s->text), key))
		return 1;
	if (!is_name_length(s->text.length))
		return 0;
	__builtin_memset(s->key, 0, sizeof(s->key));
	length = s->text.length;
	barrier_var(length);
	if (length >= LABEL_KEY_BYTES || read_user(s->key, length, s->text.addr))
		return 0;
	wanted = find_label_name(s, length);
	barrier_var(wanted);
	if (wanted >= LABEL_KEYS_MAX || read_user(&s->text, sizeof(s->text), key + s->go_values))
		return 0;
	at = s->next;
	length = s->text.length < 255 ? s->text.length : 255;
	if (length > LABEL_BYTES_MAX - at)
		length = LABEL_BYTES_MAX - at;
	/* Older kernels know nothing of a number that was saved meanwhile. */
	barrier_var(at);
	barrier_var(length);
	if (at >= LABEL_BYTES_MAX)
		return 1;
	if (!length || length > 255 || read_user(&s->attributes[at], length, s->text.addr))
		return 0;
	s->at[wanted] = at;
	s->values.lengths[wanted] = length;
	s->next = at + length;
	return 0;
}

/*
 * Finds the labels of the goroutine that the thread with @g runs. The thread may be in its
 * scheduler or in a signal handler, which have a g of their own. Returns how many may be there.
 */
static __always_inline __u32 find_go_labels(struct label_scratch *s, const struct go_runtime *go,
					    __u64 g)
{
	const __u64 running = read_user_word(read_user_word(g + go->m) + go->curg);
	const __u64 labels = running ? read_user_word(running + go->labels) : 0;
	__u64 nr;

	if (!labels)
		return 0;
	if (go->is_map) {
		if (read_user(&s->map, sizeof(s->map), read_user_word(labels)) || !s->map.count ||
		    s->map.log2_buckets)
			return 0;
		s->go_keys = s->map.buckets + GO_BUCKET_KEYS;
		s->go_distance = sizeof(s->text);
		s->go_values = GO_BUCKET_SLOTS * sizeof(s->text);
		return GO_BUCKET_SLOTS;
	}
	if (read_user(&s->text, sizeof(s->text), labels))
		return 0;
	nr = s->text.length;
	s->go_keys = s->text.addr;
	s->go_distance = 2 * sizeof(s->text);
	s->go_values = sizeof(s->text);
	return nr < GO_LIST_MAX ? nr : GO_LIST_MAX;
}

static __patched_once void copy_value(struct label_search *f, __u32 key)
{
	struct label_scratch *s = f->s;

	s->left = s->values.lengths[key & (LABEL_KEYS_MAX - 1)];
	s->from = s->at[key & (LABEL_KEYS_MAX - 1)];
	if (s->left)
		bpf_loop(LABEL_WORDS, copy_label_word, f, 0);
}

/* Puts the values that were found in order. Returns their id, as hash_stack; 0: there are none. */
static __always_inline __u64 order_values(struct label_search *f)
{
	struct label_scratch *s = f->s;
	const __u64 lengths = *(const __u64 *)s->values.lengths;
	__u64 id;

	if (!lengths)
		return 0;
	s->to = 0;
	s->hash = hash_begin(f->keys);
	hash_word(&s->hash, lengths, &f->keys[3]);
	for (__u32 k = 0; k < LABEL_KEYS_MAX; k++)
		copy_value(f, k);
	hash_word(&s->hash, (s->to + 1) | (__u64)STACK_END_LABELS << 32, &f->keys[1]);
	id = hash_end(&s->hash);
	return id < STACK_FIRST_ID ? id + STACK_FIRST_ID : id;
}

/* Is there room in @set, for up to @most sets of labels, for those of the process with @c? */
static __always_inline bool has_label_room(const struct thread_context *c, __u32 set, __u32 most)
{
	const __u32 number = owner_room_of(current_owner());
	const struct set_state *state = &set_states[set & (NR_SETS - 1)];
	const struct process_labels *own = &c->labels[set & (NR_SETS - 1)];
	const __u32 nr = state->nr_labels;

	return nr < most && (own->nr_drains != state->nr_drains || own->nr <= most - nr) &&
	       owner_room_is_open(&label_rooms[set & (NR_SETS - 1)][number % OWNER_ROOMS], number,
				  most - nr);
}

/* Notes that @set has labels of the process with @c. The first ones may be noted once too few. */
static __always_inline void note_new_labels(struct thread_context *c, __u32 set)
{
	const __u32 number = owner_room_of(current_owner());
	struct set_state *state = &set_states[set & (NR_SETS - 1)];
	struct process_labels *own = &c->labels[set & (NR_SETS - 1)];

	if (own->nr_drains != state->nr_drains) {
		own->nr = 0;
		own->nr_drains = state->nr_drains;
	}
	__sync_fetch_and_add(&own->nr, 1);
	__sync_fetch_and_add(&state->nr_labels, 1);
	__sync_fetch_and_add(&label_rooms[set & (NR_SETS - 1)][number % OWNER_ROOMS].used, 1);
}

/* Puts the values in the scratch memory @s into the buffer @to, as a stack. */
static __always_inline void copy_labels(struct stack_entry *to, const struct label_scratch *s,
					__u64 id)
{
	to->id = id;
	to->nr_frames = s->to + 1;
	to->end = STACK_END_LABELS;
	to->frames[0] = *(const __u64 *)s->values.lengths;
	for (__u32 i = 0; i < LABEL_WORDS; i++) {
		if (i >= s->to)
			break;
		to->frames[1 + i] = s->values.words[i];
	}
}

/* What insert_labels works with. */
struct label_place {
	struct label_scratch *s;
	struct stack_entry *entry;
	struct thread_context *c;
	__u32 set, buffer;
};

/* Makes sure that the set has the labels @id, or returns false if they have no room. */
static __always_inline bool put_labels(const struct label_place *p, __u64 id, __u32 most)
{
	const __u64 found = find_stack(id, p->set);

	if (!(found & SLOT_NEW))
		return true;
	if (found == SLOT_NONE || !has_label_room(p->c, p->set, most))
		return false;
	copy_labels(p->entry, p->s, id);
	if (insert_stack(id, p->set, p->buffer))
		return false;
	note_new_labels(p->c, p->set);
	return true;
}

/*
 * Makes sure that @set has the labels @id of process @tgid, which find_labels has just found at
 * @level. Takes the buffer of the kernel stack. Returns the id under which they are there: another
 * one if there is no room for their trace, or LABELS_OTHER.
 */
__verified_once __u64 insert_labels(__u64 id, __u32 tgid, __u32 set, __u32 level)
{
	const __u32 buffer = BUFFER_OF(level, SIDE_KERNEL);
	struct label_place p = {.set = set, .buffer = buffer};
	struct label_search f = {};
	bool has_trace;

	p.s = f.s = bpf_map_lookup_elem(&label_scratches, &level);
	p.entry = buffer_of(buffer);
	p.c = bpf_map_lookup_elem(&thread_contexts, &tgid);
	f.keys = find_hash_keys();
	if (!take_labels || !p.s || !p.entry || !p.c || !f.keys)
		return LABELS_OTHER;
	has_trace = take_traces && p.s->values.lengths[LINK_PLACE];
	if (put_labels(&p, id, has_trace ? (max_label_sets + 1) / 2 : max_label_sets))
		return id;
	if (has_trace) {
		__sync_fetch_and_add(&nr_other_traces, 1);
		p.s->values.lengths[LINK_PLACE] = 0;
		id = order_values(&f);
		if (!id || put_labels(&p, id, max_label_sets))
			return id;
	}
	__sync_fetch_and_add(&nr_other_labels, 1);
	return LABELS_OTHER;
}

/* The id of the labels of the current thread, whose walk is in the memory of @level; 0: none. */
__verified_once __u64 find_labels(__u32 tgid, __u32 level)
{
	const struct walk_memory *m = walk_memory_of(level);
	struct label_search f = {};
	const struct thread_context *c;
	__u64 at;

	if (!take_labels || !m || !m->has_context)
		return 0;
	f.c = c = bpf_map_lookup_elem(&thread_contexts, &tgid);
	f.s = bpf_map_lookup_elem(&label_scratches, &level);
	f.keys = find_hash_keys();
	if (!c || !f.s || !f.keys)
		return 0;
	at = find_record(c);
	if (!at)
		return 0;
	*(__u64 *)f.s->values.lengths = 0;
	f.s->next = 0;
	if (c->go.labels) {
		bpf_loop(find_go_labels(f.s, &c->go, at), look_at_go_label, &f, 0);
	} else if (read_record(f.s, at)) {
		f.s->end = f.s->record.nr_bytes;
		bpf_loop(LABEL_BYTES_MAX / 2, look_at_attribute, &f, 0);
		if (take_traces)
			take_trace(f.s);
	}
	return order_values(&f);
}

#endif
