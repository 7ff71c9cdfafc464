// SPDX-License-Identifier: GPL-2.0-or-later
/* When a machine is looked for. The clock and what a look finds are the test's (--wrap). */
#include "record/machines/process_machine.h"

#include <errno.h>

#include "tests/unit/played_clock.h"
#include "tests/unit/suite.h"

#define BEGIN_NS (1000 * NS_PER_S)
#define LOOKS    128 /* at a machine at most, as its mappings change */

static int found; /* what the next look returns */
static uint32_t nr_looks;

static struct process_machine machine;
static struct machines machines;
static struct machine_notes notes;
static struct interpreter java = {.language = LANGUAGE_JAVA};
static const struct machine_owner owner = {.interpreter = &java, .notes = &notes};

int __wrap_machines_put(struct machines *all, const struct machine_owner *of);

int __wrap_machines_put(struct machines *all, const struct machine_owner *of)
{
	ck_assert_ptr_eq(all, &machines);
	ck_assert_ptr_eq(of, &owner);
	nr_looks++;
	return found;
}

static void begin(void)
{
	now_ns = BEGIN_NS;
}

static void end(void)
{
}

/* Looks because the mappings have changed, and finds @result. */
static bool look(int result)
{
	found = result;
	return process_machine_look(&machine, &machines, &owner);
}

/* Says whether there is a look at @ns after the first one, which finds @result. */
static bool looks_again(uint64_t ns, int result)
{
	uint32_t before = nr_looks;

	now_ns = BEGIN_NS + ns;
	found = result;
	process_machine_look_again(&machine, &machines, &owner);
	return nr_looks != before;
}

START_TEST(a_machine_that_is_there)
{
	ck_assert(!look(0));
	ck_assert_int_eq(machine.state, UNWIND_MACHINE_READY);
	ck_assert(notes.has_known);
	ck_assert(!notes.has_strange);
	ck_assert(!look(0));
	ck_assert(!looks_again(NS_PER_S, 0));
	ck_assert_uint_eq(nr_looks, 1);
}
END_TEST

START_TEST(processes_without_a_machine)
{
	const struct machine_owner none = {.interpreter = NULL};
	const struct interpreter php = {.language = LANGUAGE_PHP};
	const struct machine_owner other = {.interpreter = &php};

	ck_assert(!process_machine_look(&machine, &machines, &none));
	ck_assert(!process_machine_look(&machine, &machines, &other));
	ck_assert(!looks_again(NS_PER_S, 0));
	ck_assert_uint_eq(nr_looks, 0);
}
END_TEST

/* A look comes when an eighth of the time since the first one has passed, or a millisecond. */
START_TEST(a_machine_that_begins)
{
	ck_assert(look(-EAGAIN));
	ck_assert_int_eq(machine.state, UNWIND_MACHINE_EXPECTED);
	ck_assert(!look(0));
	ck_assert(!looks_again(NS_PER_MS - 1, -EAGAIN));
	ck_assert(looks_again(NS_PER_MS, -EAGAIN));
	ck_assert(!looks_again(2 * NS_PER_MS - 1, -EAGAIN));
	ck_assert(looks_again(800 * NS_PER_MS, -EAGAIN));
	ck_assert(!looks_again(900 * NS_PER_MS - 1, -EAGAIN));
	ck_assert(looks_again(900 * NS_PER_MS, 0));
	ck_assert_int_eq(machine.state, UNWIND_MACHINE_READY);
	ck_assert(notes.has_known);
	ck_assert(!notes.has_strange);
}
END_TEST

/* Nobody waits for more than ten seconds. After that, new mappings are a reason to look. */
START_TEST(a_machine_that_does_not_begin)
{
	look(-EAGAIN);
	ck_assert(looks_again(10 * NS_PER_S - 1, -EAGAIN));
	ck_assert_int_eq(machine.state, UNWIND_MACHINE_EXPECTED);
	ck_assert(looks_again(20 * NS_PER_S, -EAGAIN));
	ck_assert_int_eq(machine.state, UNWIND_NO_MACHINE);
	ck_assert(!looks_again(60 * NS_PER_S, -EAGAIN));
	ck_assert(!look(-EAGAIN));
	ck_assert_int_eq(machine.state, UNWIND_NO_MACHINE);
	ck_assert(!notes.has_strange);
	machine = (struct process_machine){0};
	now_ns = BEGIN_NS;
	look(-EAGAIN);
	ck_assert(looks_again(10 * NS_PER_S, -EAGAIN));
	ck_assert_int_eq(machine.state, UNWIND_NO_MACHINE);
}
END_TEST

/* An unknown machine is one that is not known after 200 milliseconds. */
START_TEST(a_strange_machine)
{
	ck_assert(look(-ENOTSUP));
	ck_assert(looks_again(200 * NS_PER_MS - 1, -ENOTSUP));
	ck_assert_int_eq(machine.state, UNWIND_MACHINE_EXPECTED);
	ck_assert(!notes.has_strange);
	ck_assert(looks_again(300 * NS_PER_MS, -EAGAIN));
	ck_assert_int_eq(machine.state, UNWIND_MACHINE_EXPECTED);
	ck_assert(looks_again(400 * NS_PER_MS, -ENOTSUP));
	ck_assert_int_eq(machine.state, UNWIND_NO_MACHINE);
	ck_assert(notes.has_strange);
	ck_assert(!notes.has_known);
	/* It stays noted. */
	machine = (struct process_machine){0};
	ck_assert(look(-ENOTSUP));
	ck_assert(notes.has_strange);
	notes.has_strange = false;
	now_ns += 200 * NS_PER_MS;
	process_machine_look_again(&machine, &machines, &owner);
	ck_assert(notes.has_strange);
}
END_TEST

START_TEST(looks_are_limited)
{
	look(-EAGAIN);
	ck_assert(looks_again(10 * NS_PER_S, -EAGAIN));
	for (uint32_t i = 2; i < LOOKS; i++)
		ck_assert(!look(-EAGAIN));
	ck_assert_uint_eq(nr_looks, LOOKS);
	ck_assert(!look(0));
	ck_assert_uint_eq(nr_looks, LOOKS);
}
END_TEST

/* Without room, the machine is looked at a second later. Such a look does not count. */
START_TEST(a_machine_without_room)
{
	ck_assert(!look(-ENOSPC));
	ck_assert_int_eq(machine.state, UNWIND_NO_MACHINE);
	ck_assert(machine.lacks_room);
	ck_assert_uint_eq(machine.nr_looks, 0);
	ck_assert(!looks_again(NS_PER_S - 1, 0));
	ck_assert(looks_again(NS_PER_S, 0));
	ck_assert_int_eq(machine.state, UNWIND_MACHINE_READY);
	ck_assert(!machine.lacks_room);
	ck_assert(!looks_again(10 * NS_PER_S, 0));
	/* Others take its room. */
	process_machine_lose(&machine);
	ck_assert_int_eq(machine.state, UNWIND_NO_MACHINE);
	ck_assert(!looks_again(11 * NS_PER_S - 1, 0));
	ck_assert(looks_again(11 * NS_PER_S, -EAGAIN));
	ck_assert(!machine.lacks_room);
}
END_TEST

SUITE_MAIN_WITH("process_machine", begin, end, a_machine_that_is_there, processes_without_a_machine,
		a_machine_that_begins, a_machine_that_does_not_begin, a_strange_machine,
		looks_are_limited, a_machine_without_room)
