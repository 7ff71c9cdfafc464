// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/space_contexts.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "record/sampling/program/maps.h"
#include "record/looks/proc_task.h"

/* The longest pause before a look where there is none. */
#define PAUSE_MAX_NS (3600 * NS_PER_S)

/* Where there is a context, the time between looks: for all of them, and for each at most. */
#define UPDATE_NS     (750 * NS_PER_MS)
#define UPDATE_ONE_NS (4 * NS_PER_MS)

/* Tells the program of @context. What it has counted of the process stays. */
static void take_context(struct space_maps *u, struct unwind_process *p,
			 struct thread_context *context)
{
	const int map = u->tables->store.maps.thread_contexts;
	struct thread_context before;

	if (p->context.is_known && !map_lookup(map, &p->pid, &before))
		memcpy(context->labels, before.labels, sizeof(context->labels));
	if (map_update(map, &p->pid, context, BPF_ANY))
		return;
	u->nr_contexts += !p->context.is_known;
	p->context.is_known = true;
	space_maps_tell(u, p);
}

static void look(struct space_maps *u, struct unwind_process *p)
{
	struct space_context *c = &p->context;
	const uint64_t pause_ns = c->pause_ns;
	struct thread_context found;
	int ret;

	if (proc_is_gone(p->pid)) {
		c->next_ns = 0;
		return;
	}
	ret = thread_context_find(u->tables->looker, p->pid, u->label_keys, &c->seen, &found);

	if (!ret)
		take_context(u, p, &found);
	else if (ret != -EALREADY && c->is_known)
		space_maps_lose_context(u, p);
	c->pause_ns = c->is_known ? CONTEXT_PAUSE_NS : min_u64(pause_ns * 2, PAUSE_MAX_NS);
	c->next_ns = clock_monotonic_ns() +
		     (c->is_known ? max_u64(UPDATE_NS, UPDATE_ONE_NS * u->nr_contexts) : pause_ns);
}

void space_contexts_look(struct space_maps *u)
{
	const uint64_t now_ns = clock_monotonic_ns();
	uint64_t due_ns = UINT64_MAX;

	if (!u->label_keys || now_ns < u->contexts_due_ns)
		return;
	vec_for_each(&u->processes, p) {
		if (p->pid && p->nr && p->context.next_ns && now_ns >= p->context.next_ns)
			look(u, p);
		if (p->pid && p->context.next_ns)
			due_ns = min_u64(due_ns, p->context.next_ns);
	}
	u->contexts_due_ns = max_u64(due_ns, now_ns + NS_PER_MS);
}
