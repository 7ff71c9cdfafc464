// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/rescans.h"

#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* An address of this program. */
static const uint64_t here = (uintptr_t)&rescans_look;

static struct address_spaces spaces;
static struct rescans rescans;

/* What a look is given and what it finds instead of /proc (--wrap). */
static struct {
	bool is_on;
	int ret;
	size_t max;
	unsigned int nr_owners; /* times that somebody asked for the owner */
} played;

int __real_proc_scan_process(struct address_spaces *s, uint32_t pid, uint64_t time_ns, size_t max);
int __wrap_proc_scan_process(struct address_spaces *s, uint32_t pid, uint64_t time_ns, size_t max);
uint32_t __real_proc_owner(uint32_t pid);
uint32_t __wrap_proc_owner(uint32_t pid);

int __wrap_proc_scan_process(struct address_spaces *s, uint32_t pid, uint64_t time_ns, size_t max)
{
	played.max = max;
	return played.is_on ? played.ret : __real_proc_scan_process(s, pid, time_ns, max);
}

uint32_t __wrap_proc_owner(uint32_t pid)
{
	played.nr_owners++;
	return played.is_on ? 1000 : __real_proc_owner(pid);
}

static void begin(void)
{
	spaces = (struct address_spaces){0};
	rescans = (struct rescans){0};
}

static void end(void)
{
	rescans_deinit(&rescans);
	address_spaces_deinit(&spaces);
}

static struct address_space *space_of(uint32_t pid)
{
	struct address_space *space;

	ck_assert_int_eq(address_spaces_get(&spaces, pid, 0, &space), 0);
	return space;
}

/* Offers a stack of one frame that was taken now. Returns whether @addr is known then. */
static bool look(struct address_space *space, uint64_t addr)
{
	const struct raw_stack stack = {.id = STACK_FIRST_ID, .frames = &addr, .nr_frames = 1};
	uint64_t now = clock_monotonic_ns();

	ck_assert_int_eq(rescans_look(&rescans, &spaces, space, &stack, now), 0);
	return address_space_lookup(space, addr, now);
}

START_TEST(an_unknown_process_is_read)
{
	struct address_space *space = space_of(getpid());

	ck_assert(!rescans_has(&rescans, space));
	ck_assert(look(space, here));
	ck_assert(rescans_has(&rescans, space));
	ck_assert(space->memory->complete);
}
END_TEST

/* The next drain finds a mapping that is made later. */
START_TEST(once_in_a_drain)
{
	struct address_space *space = space_of(getpid());
	void *code;

	ck_assert(!look(space, 0x1));
	code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	address_spaces_distrust(&spaces);
	ck_assert(!look(space, (uintptr_t)code));
	rescans_clear(&rescans);
	ck_assert(!rescans_has(&rescans, space));
	ck_assert(look(space, (uintptr_t)code));
	munmap(code, 1);
}
END_TEST

/* A process may not be read again at once, also not in the next drain. The wait is counted. */
START_TEST(a_process_waits_for_its_next_look)
{
	struct look_budget looks;
	struct address_space *space = space_of(getpid());

	look_budget_init(&looks, NULL);
	rescans.looks = &looks;
	ck_assert(look(space, here));
	ck_assert_uint_gt(space->next_look_ns, 0);
	rescans_clear(&rescans);
	address_spaces_distrust(&spaces);
	space->next_look_ns = UINT64_MAX;
	ck_assert(!look(space, 0x1));
	ck_assert(!rescans_has(&rescans, space));
	ck_assert_uint_eq(shares_nr_lacked(&looks.left_out), 1);
	ck_assert_uint_eq(shares_most_lacked(&looks.left_out)->uid, getuid());
	space->next_look_ns = 1;
	look(space, 0x1);
	ck_assert(rescans_has(&rescans, space));
	look_budget_deinit(&looks);
}
END_TEST

/* It is told of the user of the process, and the process waits for its next look. */
START_TEST(a_look_that_does_not_read_all_mappings)
{
	struct look_budget looks;
	struct address_space *space = space_of(getpid());
	const struct raw_stack stack = {.frames = &here, .nr_frames = 1};
	uint64_t before_ns = clock_monotonic_ns();

	look_budget_init(&looks, NULL);
	rescans.looks = &looks;
	played.is_on = true;
	played.ret = -E2BIG;
	ck_assert(!look(space, here));
	ck_assert_uint_eq(played.max, LOOK_MAPPINGS_MAX);
	ck_assert_uint_ge(space->next_look_ns, before_ns + NS_PER_S);
	ck_assert_uint_eq(shares_nr_lacked(&looks.left_out), 1);
	ck_assert_uint_eq(shares_most_lacked(&looks.left_out)->uid, 1000);
	/* The owner is asked for once in a drain. */
	space->next_look_ns = UINT64_MAX;
	rescans.generations.nr = 0;
	index_clear(&rescans.by_generation);
	ck_assert(!look(space, here));
	ck_assert_uint_eq(played.nr_owners, 1);
	rescans_clear(&rescans);
	ck_assert(!look(space, here));
	ck_assert_uint_eq(played.nr_owners, 2);
	/* Nothing is told of looks that read all, or that fail. */
	space->next_look_ns = 0;
	played.ret = -ENOMEM;
	ck_assert_int_eq(rescans_look(&rescans, &spaces, space, &stack, 1), -ENOMEM);
	rescans_clear(&rescans);
	played.ret = 0;
	ck_assert(!look(space, here));
	ck_assert_uint_eq(shares_nr_lacked(&looks.left_out), 3);
	/* Without a budget, a look has no limit. */
	rescans_clear(&rescans);
	rescans.looks = NULL;
	ck_assert(!look(space, here));
	ck_assert_uint_eq(played.max, 0);
	look_budget_deinit(&looks);
}
END_TEST

START_TEST(not_where_nothing_is_missing)
{
	struct address_space *space = space_of(getpid());
	const struct mapping mapping = {.start = 0x1000, .end = 0x2000};

	ck_assert_int_eq(address_spaces_map(&spaces, getpid(), 0, &mapping), 0);
	ck_assert(look(space, 0x1000));
	look(space, 0x1000 | STACK_FRAME_EXACT);
	ck_assert(!rescans_has(&rescans, space));
	/* All mappings are known, so an address outside them is no code. */
	ck_assert_int_eq(address_spaces_trust(&spaces, getpid(), 0), 0);
	ck_assert(!look(space, here));
	ck_assert(!rescans_has(&rescans, space));
}
END_TEST

/* /proc shows neither a process that has ended, nor a process before its exec. */
START_TEST(not_what_the_process_was)
{
	struct address_space *before = space_of(getpid()), *after;

	ck_assert_int_eq(address_spaces_exec(&spaces, getpid(), 100), 0);
	address_spaces_distrust(&spaces);
	after = address_spaces_find(&spaces, getpid(), 100);
	ck_assert(!look(before, here));
	ck_assert(!rescans_has(&rescans, before));
	address_spaces_exit(&spaces, getpid(), 200);
	ck_assert(!look(after, here));
	ck_assert(!rescans_has(&rescans, after));
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		const struct raw_stack stack = {.frames = &here, .nr_frames = 1};
		struct address_space *space;
		int ret = address_spaces_get(&spaces, getpid(), 0, &space);

		if (!ret)
			ret = rescans_look(&rescans, &spaces, space, &stack, 1);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		end();
		begin();
	}
}
END_TEST

SUITE_MAIN_WITH("rescans", begin, end, an_unknown_process_is_read, once_in_a_drain,
		a_process_waits_for_its_next_look, a_look_that_does_not_read_all_mappings,
		not_where_nothing_is_missing, not_what_the_process_was, out_of_memory)
