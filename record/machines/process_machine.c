// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/process_machine.h"

#include <errno.h>

#include "common/clock.h"
#include "common/minmax.h"

/*
 * A machine begins some milliseconds after its library is mapped, or some seconds on a busy host.
 * So the recorder looks again whenever an eighth of the time since the first look has passed, until
 * WAIT_NS. After that it looks when the mappings change, but at most LOOKS_MAX times in all. An
 * unknown machine is given up sooner, because a library that is being loaded looks like one only
 * for moments.
 */
#define PAUSE_NS   (1 * NS_PER_MS)
#define PART       8
#define WAIT_NS    (10 * NS_PER_S)
#define STRANGE_NS (200 * NS_PER_MS)
#define LOOKS_MAX  128

/* Pause of a machine that lacks room. */
#define ROOM_PAUSE_NS (1 * NS_PER_S)

static void look(struct process_machine *m, struct machines *machines,
		 const struct machine_owner *owner)
{
	int ret = machines_put(machines, owner);
	uint64_t now_ns;
	bool is_strange;

	m->lacks_room = false;
	if (ret == -ENOSPC) {
		process_machine_lose(m);
		return;
	}
	m->nr_looks++;
	if (!ret) {
		owner->notes->has_known = true;
		m->state = UNWIND_MACHINE_READY;
		return;
	}
	now_ns = clock_monotonic_ns();
	if (m->nr_looks == 1)
		m->begin_ns = now_ns;
	m->next_ns = now_ns + max_u64((now_ns - m->begin_ns) / PART, PAUSE_NS);
	is_strange = ret == -ENOTSUP && now_ns >= m->begin_ns + STRANGE_NS;
	owner->notes->has_strange |= is_strange;
	m->state = now_ns < m->begin_ns + WAIT_NS && !is_strange ? UNWIND_MACHINE_EXPECTED
								 : UNWIND_NO_MACHINE;
}

bool process_machine_look(struct process_machine *m, struct machines *machines,
			  const struct machine_owner *owner)
{
	if (m->state != UNWIND_NO_MACHINE || m->nr_looks >= LOOKS_MAX || !owner->interpreter ||
	    machine_kind_of(owner->interpreter->language) >= NR_MACHINE_KINDS)
		return false;
	look(m, machines, owner);
	return m->state == UNWIND_MACHINE_EXPECTED;
}

void process_machine_look_again(struct process_machine *m, struct machines *machines,
				const struct machine_owner *owner)
{
	if ((m->state == UNWIND_MACHINE_EXPECTED || m->lacks_room) &&
	    clock_monotonic_ns() >= m->next_ns)
		look(m, machines, owner);
}

void process_machine_lose(struct process_machine *m)
{
	m->state = UNWIND_NO_MACHINE;
	m->lacks_room = true;
	m->next_ns = clock_monotonic_ns() + ROOM_PAUSE_NS;
}
