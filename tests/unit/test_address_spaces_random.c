// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "tests/unit/address_spaces_helper.h"
#include "tests/unit/random.h"

/*
 * A model that is slow, and too simple to be wrong: each page of each address space has a list of
 * all its mappings.
 */
#define MODEL_PIDS  12
#define MODEL_PAGES 48

struct model_page {
	uint64_t begin_ns;
	uint64_t off;
	uint32_t file;
};

struct model_space {
	uint64_t begin_ns, exited_ns, generation;
	bool is_gone; /* by the last forget */
	VEC(struct model_page) pages[MODEL_PAGES];
};

struct model {
	struct random random;
	VEC(struct model_space *) pids[MODEL_PIDS]; /* oldest first */
	uint64_t now_ns, forgot_ns, next_generation;
	uint32_t nr_files;
};

/* Processes whose last thread has gone. */
static bool model_gone[MODEL_PIDS];

static bool model_is_gone(uint32_t pid)
{
	return model_gone[pid];
}

static struct model_space *model_add(struct model *m, uint32_t pid, uint64_t begin_ns)
{
	struct model_space *space = calloc(1, sizeof(*space));

	ck_assert_ptr_nonnull(space);
	space->begin_ns = begin_ns;
	space->generation = m->next_generation++;
	ck_assert_int_eq(vec_push(&m->pids[pid], space), 0);
	return space;
}

static void model_drop(struct model_space *space)
{
	for (size_t i = 0; i < MODEL_PAGES; i++)
		vec_free(&space->pages[i]);
	free(space);
}

static struct model_space *model_newest(struct model *m, uint32_t pid)
{
	return m->pids[pid].nr ? m->pids[pid].data[m->pids[pid].nr - 1] : NULL;
}

static struct model_space *model_find(struct model *m, uint32_t pid, uint64_t time_ns)
{
	struct model_space *found = NULL;

	vec_for_each(&m->pids[pid], space)
		if (!found || (*space)->begin_ns <= time_ns)
			found = *space;
	return found;
}

static const struct model_page *model_lookup(const struct model_space *space, uint64_t page,
					     uint64_t time_ns)
{
	const struct model_page *found = NULL;

	vec_for_each(&space->pages[page], p)
		if (p->begin_ns <= time_ns)
			found = p;
	if (!found && space->pages[page].nr)
		found = &space->pages[page].data[space->pages[page].nr - 1];
	return found;
}

static void model_map(struct model *m, uint32_t pid)
{
	uint64_t first = random_below(&m->random, MODEL_PAGES);
	uint64_t nr = 1 + random_below(&m->random, random_below(&m->random, 8) ? 6 : 40);
	uint64_t pgoff = PAGE * random_below(&m->random, 1000);
	/* Most files are new, so that sweeps find some to drop. */
	uint32_t file = random_below(&m->random, 3) ? m->nr_files++
						    : random_below(&m->random, m->nr_files + 1);
	struct model_space *space = model_newest(m, pid);
	char path[32];

	if (nr > MODEL_PAGES - first)
		nr = MODEL_PAGES - first;
	if (!space)
		space = model_add(m, pid, 0);
	for (uint64_t i = 0; i < nr; i++)
		ck_assert_int_eq(vec_push(&space->pages[first + i],
					  ((struct model_page){m->now_ns, pgoff + i * PAGE, file})),
				 0);
	snprintf(path, sizeof(path), "/lib/%u", file);
	map(pid, m->now_ns, path, first * PAGE, (first + nr) * PAGE, pgoff);
}

static void model_exec(struct model *m, uint32_t pid)
{
	model_add(m, pid, m->now_ns);
	model_gone[pid] = false;
	ck_assert_int_eq(address_spaces_exec(&spaces, pid, m->now_ns), 0);
}

static void model_fork(struct model *m, uint32_t pid)
{
	uint32_t parent = random_below(&m->random, MODEL_PIDS);
	const struct model_space *from = model_newest(m, parent);
	struct model_space *space;

	if (parent == pid)
		return;
	space = model_add(m, pid, m->now_ns);
	for (size_t i = 0; from && i < MODEL_PAGES; i++)
		if (from->pages[i].nr)
			ck_assert_int_eq(vec_push(&space->pages[i],
						  from->pages[i].data[from->pages[i].nr - 1]),
					 0);
	model_gone[pid] = false;
	ck_assert_int_eq(address_spaces_fork(&spaces, pid, parent, m->now_ns), 0);
}

static void model_exit(struct model *m, uint32_t pid)
{
	struct model_space *space = model_newest(m, pid);

	if (space && !space->exited_ns)
		space->exited_ns = m->now_ns;
	/* In one of four processes, other threads go on for a while. */
	model_gone[pid] = random_below(&m->random, 4);
	address_spaces_exit(&spaces, pid, m->now_ns);
}

static void model_forget(struct model *m)
{
	m->forgot_ns += random_below(&m->random, m->now_ns - m->forgot_ns + 1);
	for (uint32_t pid = 0; pid < MODEL_PIDS; pid++) {
		struct model_space *newest = model_newest(m, pid);
		bool is_gone = newest && newest->exited_ns && newest->exited_ns < m->forgot_ns &&
			       model_gone[pid];
		bool is_over = is_gone && newest->is_gone;
		size_t nr = 0;

		if (newest)
			newest->is_gone = is_gone;
		for (size_t i = 0; i < m->pids[pid].nr; i++) {
			struct model_space **space = &m->pids[pid].data[i];

			if (is_over || (*space != newest && space[1]->begin_ns < m->forgot_ns))
				model_drop(*space);
			else
				m->pids[pid].data[nr++] = *space;
		}
		m->pids[pid].nr = nr;
	}
	ck_assert_int_eq(address_spaces_forget(&spaces, m->forgot_ns, model_is_gone), 0);
}

/* Compares a look-up that a sample may need, at any time that was not forgotten. */
static void model_compare(struct model *m)
{
	uint32_t pid = random_below(&m->random, MODEL_PIDS);
	uint64_t page = random_below(&m->random, MODEL_PAGES);
	uint64_t addr = page * PAGE + random_below(&m->random, PAGE);
	uint64_t time = m->forgot_ns + random_below(&m->random, m->now_ns - m->forgot_ns + 2);
	const struct model_space *want_space = model_find(m, pid, time);
	const struct address_space *space = address_spaces_find(&spaces, pid, time);
	const struct model_page *want;
	char path[32];

	if (!space != !want_space)
		ck_abort_msg("pid %u is %s", pid, space ? "not forgotten" : "not known");
	if (!want_space)
		return;
	if (space->generation != want_space->generation ||
	    space->exited_ns != want_space->exited_ns)
		ck_abort_msg("pid %u at %" PRIu64 ": another address space", pid, time);
	want = model_lookup(want_space, page, time);
	if (want) {
		snprintf(path, sizeof(path), "/lib/%u", want->file);
		expect(pid, time, addr, path, want->off + addr % PAGE);
	} else {
		expect(pid, time, addr, NULL, 0);
	}
}

static void model_compare_totals(struct model *m)
{
	size_t nr_pids = 0, nr_exited = 0;

	for (uint32_t pid = 0; pid < MODEL_PIDS; pid++) {
		nr_pids += m->pids[pid].nr != 0;
		vec_for_each(&m->pids[pid], space)
			nr_exited += (*space)->exited_ns != 0;
	}
	ck_assert_uint_eq(spaces.newest.nr, nr_pids);
	ck_assert_uint_eq(spaces.nr_exited, nr_exited);
	/* Live mappings are sorted and do not overlap. */
	vec_for_each(&spaces.newest, newest)
		for (const struct address_space *s = *newest; s; s = s->older)
			for (size_t i = 1; i < s->memory->live.nr; i++)
				if (s->memory->live.data[i - 1].end > s->memory->live.data[i].start)
					ck_abort_msg("mappings overlap");
}

static void model_step(struct model *m)
{
	uint32_t pid = random_below(&m->random, MODEL_PIDS);
	uint64_t what = random_below(&m->random, 100);

	m->now_ns += random_below(&m->random, 4);
	if (what < 70)
		model_map(m, pid);
	else if (what < 78)
		model_exec(m, pid);
	else if (what < 88)
		model_fork(m, pid);
	else if (what < 96)
		model_exit(m, pid);
	else
		model_forget(m);
	for (int i = 0; i < 10; i++)
		model_compare(m);
	if (what >= 96)
		model_compare_totals(m);
}

START_TEST(random_steps_against_a_model)
{
	struct model m = {.random = {.state = 20261121}, .now_ns = 1};
	size_t most_files = 0;

	for (int step = 0; step < 20000; step++) {
		model_step(&m);
		if (spaces.files.files.nr > most_files)
			most_files = spaces.files.files.nr;
	}
	/* Sweeps took place. */
	ck_assert_uint_gt(m.nr_files, 2 * most_files);
	for (uint32_t pid = 0; pid < MODEL_PIDS; pid++) {
		vec_for_each(&m.pids[pid], space)
			model_drop(*space);
		vec_free(&m.pids[pid]);
	}
}
END_TEST

SUITE_MAIN_WITH("address_spaces_random", begin_spaces, end_spaces, random_steps_against_a_model)
