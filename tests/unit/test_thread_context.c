// SPDX-License-Identifier: GPL-2.0-or-later
/* How it is found what the threads of a process publish. The test plays the process (--wrap). */
#include "record/looks/thread_context.h"

#include <errno.h>

#include "record/looks/exported_variable.h"
#include "record/looks/go_labels.h"
#include "record/looks/process_context.h"
#include "tests/unit/suite.h"

static struct {
	int fetch_error, variable_error, go_error;
	uint64_t addr, published_ns, asked_addr;
	bool has_keys;
	uint8_t number; /* of the last key; 0: it is none that was asked for */
	size_t nr_go;
} played;

static struct label_keys keys;
static struct seen_context seen;
static struct thread_context found;

int __wrap_process_context_fetch(struct resident_memory *memory, struct process_context *context);
bool __wrap_process_context_keys(const void *bytes, size_t len, const struct label_keys *wanted,
				 uint8_t numbers[LABEL_NAMES_MAX]);
int __wrap_exported_variable_find(struct resident_memory *memory, const char *name,
				  struct exported_variable *variable);
int __wrap_go_labels_find(struct resident_memory *memory, struct thread_context *context);

int __wrap_process_context_fetch(struct resident_memory *memory, struct process_context *context)
{
	ck_assert_uint_eq(memory->pid, (uint32_t)getpid());
	played.asked_addr = context->addr;
	context->addr = played.addr;
	context->published_ns = played.published_ns;
	context->nr = 3;
	return played.fetch_error;
}

bool __wrap_process_context_keys(const void *bytes, size_t len, const struct label_keys *wanted,
				 uint8_t numbers[LABEL_NAMES_MAX])
{
	(void)bytes, (void)wanted;
	ck_assert_uint_eq(len, 3);
	numbers[LABEL_NAMES_MAX - 1] = played.number;
	return played.has_keys;
}

int __wrap_exported_variable_find(struct resident_memory *memory, const char *name,
				  struct exported_variable *variable)
{
	(void)memory;
	ck_assert_str_eq(name, "otel_thread_ctx_v1");
	*variable = (struct exported_variable){.offset = -24, .block = 3, .block_bytes = 16};
	return played.variable_error;
}

int __wrap_go_labels_find(struct resident_memory *memory, struct thread_context *context)
{
	ck_assert_uint_eq(memory->pid, (uint32_t)getpid());
	/* Nothing is left of the other search. */
	ck_assert_uint_eq(context->keys[LABEL_NAMES_MAX - 1], 0);
	played.nr_go++;
	context->go.labels = 352;
	return played.go_error;
}

static int look(void)
{
	played.nr_go = 0;
	found = (struct thread_context){0};
	return thread_context_find(NULL, getpid(), &keys, &seen, &found);
}

static void begin(void)
{
	memset(&played, 0, sizeof(played));
	memset(&keys, 0, sizeof(keys));
	memset(&seen, 0, sizeof(seen));
	played.addr = 0x1000;
	played.published_ns = 5;
	played.has_keys = true;
	played.number = 2;
	played.go_error = -ENOENT;
}

START_TEST(a_context_is_found_once)
{
	ck_assert_int_eq(look(), 0);
	ck_assert_uint_eq(played.asked_addr, 0);
	ck_assert_int_eq(found.offset, -24);
	ck_assert_uint_eq(found.block, 3);
	ck_assert_uint_eq(found.block_bytes, 16);
	ck_assert_uint_eq(found.keys[LABEL_NAMES_MAX - 1], 2);
	ck_assert_uint_eq(seen.addr, 0x1000);
	ck_assert_uint_eq(seen.published_ns, 5);
	ck_assert(!seen.is_go);
	ck_assert_int_eq(look(), -EALREADY);
	ck_assert_uint_eq(played.asked_addr, 0x1000);
	ck_assert_uint_eq(played.nr_go, 0);
	/* It has changed, or is elsewhere. */
	played.published_ns++;
	ck_assert_int_eq(look(), 0);
	ck_assert_uint_eq(seen.published_ns, 6);
	played.addr += 8;
	ck_assert_int_eq(look(), 0);
	ck_assert_uint_eq(seen.addr, 0x1008);
}
END_TEST

/* Keys that nobody asked for are none, unless traces are wanted. */
START_TEST(contexts_without_keys)
{
	played.number = 0;
	ck_assert_int_eq(look(), -ENOENT);
	ck_assert_uint_eq(played.nr_go, 1);
	ck_assert_uint_eq(seen.addr, 0);
	keys.has_traces = true;
	ck_assert_int_eq(look(), 0);
	ck_assert_uint_eq(seen.addr, 0x1000);
	begin();
	played.has_keys = false;
	keys.has_traces = true;
	ck_assert_int_eq(look(), -ENOENT);
	ck_assert_uint_eq(played.nr_go, 1);
}
END_TEST

/* The variable may come with a library later on. */
START_TEST(contexts_without_the_variable)
{
	played.variable_error = -EAGAIN;
	ck_assert_int_eq(look(), -EAGAIN);
	ck_assert_uint_eq(played.nr_go, 0);
	ck_assert_uint_eq(seen.addr, 0);
	played.variable_error = -ENOENT;
	ck_assert_int_eq(look(), -ENOENT);
	ck_assert_uint_eq(played.nr_go, 1);
	played.variable_error = 0;
	ck_assert_int_eq(look(), 0);
}
END_TEST

START_TEST(programs_in_go)
{
	played.fetch_error = -ENOMEM;
	ck_assert_int_eq(look(), -ENOMEM);
	ck_assert_uint_eq(played.nr_go, 0);
	played.fetch_error = -ENOENT;
	ck_assert_int_eq(look(), -ENOENT);
	ck_assert(!seen.is_go);
	played.go_error = 0;
	ck_assert_int_eq(look(), 0);
	ck_assert_uint_eq(found.go.labels, 352);
	ck_assert(seen.is_go);
	ck_assert_int_eq(look(), -EALREADY);
	ck_assert_uint_eq(played.nr_go, 0);
}
END_TEST

SUITE_MAIN_WITH("thread_context", begin, NULL, a_context_is_found_once, contexts_without_keys,
		contexts_without_the_variable, programs_in_go)
