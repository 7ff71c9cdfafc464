// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/writer.h"
#include "tests/unit/epoch_helper.h"
#include "tests/unit/oom.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

START_TEST(grows_large)
{
	uint64_t n = 0;

	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000000, 0x10000000, 0);
	while (!epoch_is_large(w.epoch)) {
		add_user(PID_A, 20, FRAMES(0x10000000 + n, 0x10000001, 0x10000002));
		n++;
		ck_assert_uint_lt(n, PROF_MAX_TABLE);
	}
	ck_assert_uint_gt(n, 1000);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, n);
	for (uint64_t i = 0; i < n; i += 997)
		expect_user(i, FRAMES(0x10000000 + i, 0x10000001, 0x10000002));
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	ck_assert(!epoch_is_large(w.epoch));
}
END_TEST

static int drop_bytes(void *ctx, const void *buf, size_t len)
{
	(void)ctx, (void)buf, (void)len;
	return 0;
}

/* Processes choose how long paths are, and map as many files as they like. */
START_TEST(long_paths_fill_an_epoch)
{
	enum { NR_FRAMES = 127, PATH_BYTES = 4000 };
	struct prof_meta meta = {.freq_hz = 49};
	struct prof_writer *writer;
	uint64_t frames[NR_FRAMES];
	static char path[PATH_BYTES + 1];
	uint32_t pid = PID_A;

	memset(path, 'p', PATH_BYTES);
	for (; !epoch_is_large(w.epoch); pid++) {
		for (uint32_t i = 0; i < NR_FRAMES; i++) {
			frames[i] = (i + 1) * PAGE;
			snprintf(path, sizeof(path), "/%u/%u/", pid, i);
			path[strlen(path)] = 'p';
			map_file(pid, 10, path, NULL, frames[i], PAGE, 0);
		}
		add_user(pid, 20, frames, NR_FRAMES);
		ck_assert_uint_lt(pid, PID_A + 10000);
	}
	finish_epoch();
	ck_assert_int_eq(prof_writer_create(drop_bytes, NULL, &writer), 0);
	ck_assert_int_eq(prof_writer_meta(writer, &meta), 0);
	ck_assert_int_eq(prof_writer_epoch(writer, &t), 0);
	prof_writer_destroy(writer);
}
END_TEST

/* Rows as text in which no id shows, one for each sample, to be sorted and compared. */
typedef VEC(char *) line_vec;

static void lines_free(line_vec *lines)
{
	vec_for_each(lines, line)
		free(*line);
	vec_free(lines);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_addrs(FILE *f, const uint64_t *addrs, size_t nr)
{
	fputc('|', f);
	for (size_t i = 0; i < nr; i++)
		fprintf(f, " %" PRIx64, addrs[i]);
}

static void push_line(line_vec *lines, const struct sample *s)
{
	char *line = NULL;
	size_t size;
	FILE *f = open_memstream(&line, &size);

	ck_assert_ptr_nonnull(f);
	fprintf(f, "%u %s", s->pid, s->comm);
	print_addrs(f, s->user, s->nr_user);
	print_addrs(f, s->kernel, s->nr_kernel);
	fclose(f);
	if (vec_push(lines, line))
		ck_abort_msg("out of memory");
	for (uint64_t i = 1; i < s->count; i++)
		if (vec_push(lines, strdup(line)))
			ck_abort_msg("out of memory");
}

static void push_row(line_vec *lines, const struct prof_count *row)
{
	uint64_t addrs[2][PROF_MAX_STACK_FRAMES];
	uint32_t ids[2] = {row->user_stack, row->kernel_stack};
	size_t nr[2];

	for (int side = 0; side < 2; side++) {
		const struct prof_stack *stack = &t.stacks[ids[side]];

		nr[side] = stack->nr_frames;
		for (size_t i = 0; i < nr[side]; i++)
			addrs[side][i] =
				frame_address(row->process, t.stack_frames[stack->first_frame + i]);
	}
	push_line(lines, &(struct sample){.pid = t.processes[row->process].pid,
					  .comm = string_of(row->comm),
					  .count = row->count,
					  .user = addrs[0],
					  .nr_user = nr[0],
					  .kernel = addrs[1],
					  .nr_kernel = nr[1]});
}

static void random_event(struct random *r, uint64_t time_ns)
{
	static const char *const paths[] = {"/nowhere/a", "/nowhere/b", "/nowhere/c (deleted)",
					    "//anon", "[vdso]"};
	uint32_t pid = PID_A + random_below(r, 4);
	uint64_t kind = random_below(r, 5), what = random_below(r, 20);

	if (what == 0)
		ck_assert_int_eq(address_spaces_exec(&w.spaces, pid, time_ns), 0);
	else if (what == 1)
		ck_assert_int_eq(
			address_spaces_fork(&w.spaces, pid, PID_A + random_below(r, 4), time_ns),
			0);
	else if (what == 2)
		address_spaces_exit(&w.spaces, pid, time_ns);
	else
		map_file(pid, time_ns, paths[kind], random_below(r, 2) ? &id_app : NULL,
			 PAGE * (1 + random_below(r, 60)), PAGE * (1 + random_below(r, 8)),
			 kind < 3 ? PAGE * random_below(r, 8) : 0);
	/*
	 * Else an address without a mapping would count as a walk that strayed, and not come back.
	 */
	address_spaces_distrust(&w.spaces);
}

/* Whatever is mapped where and when: every sample comes out with the addresses it went in with. */
START_TEST(random_samples_come_back)
{
	static const char *const comms[] = {"a", "b", "cc1"};
	struct random r = {.state = 20261122};
	uint64_t user[12], kernel[6];
	line_vec want = {0}, got = {0};

	for (uint64_t time = 1; time < 6000; time++) {
		struct sample s = {.comm = comms[random_below(&r, 3)],
				   .count = 1 + random_below(&r, 3),
				   .user = user,
				   .kernel = kernel,
				   .nr_kernel = random_below(&r, 6)};

		random_event(&r, time);
		if (random_below(&r, 20))
			s.pid = PID_A + random_below(&r, 4);
		s.time_ns = time - random_below(&r, time < 50 ? time : 50);
		s.first_ns = s.time_ns - random_below(&r, s.time_ns < 30 ? s.time_ns : 30);
		s.nr_user = s.pid ? random_below(&r, 3) * random_below(&r, 6) : 0;
		for (size_t i = 0; i < s.nr_user; i++)
			user[i] = random_below(&r, 30) ? random_below(&r, 70) * PAGE + i
						       : random_below(&r, UINT64_MAX >> 12);
		for (size_t i = 0; i < s.nr_kernel; i++)
			kernel[i] = random_below(&r, 9)
					    ? TEXT + random_below(&r, 8) * 0x800
					    : 0xffffffffc0000000 + random_below(&r, 5) * 0x80000;
		push_line(&want, &s);
		add_sample(&s);
		if (time % 500 && !epoch_is_large(w.epoch))
			continue;
		finish_epoch();
		for (uint32_t i = 0; i < t.nr_counts; i++)
			push_row(&got, &t.counts[i]);
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
		ck_assert_int_eq(address_spaces_forget(&w.spaces, time - 50, is_gone), 0);
		qsort(want.data, want.nr, sizeof(*want.data), compare_lines);
		qsort(got.data, got.nr, sizeof(*got.data), compare_lines);
		ck_assert_uint_eq(got.nr, want.nr);
		for (size_t i = 0; i < want.nr; i++)
			if (strcmp(want.data[i], got.data[i]))
				ck_abort_msg("'%s' instead of '%s'", got.data[i], want.data[i]);
		lines_free(&want);
		lines_free(&got);
	}
	lines_free(&want);
}
END_TEST

static int run_until_out_of_memory(void)
{
	int ret = world_try_create(NULL);

	for (uint64_t i = 0; !ret && i < 30; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/nowhere/%" PRIu64, i);
		ret = try_map_file(PID_A, 10, path, &id_app, i * PAGE, PAGE, 0);
	}
	for (uint64_t i = 0; !ret && i < 100; i++) {
		uint64_t user[2] = {i * (PAGE / 4), 0x100000 + i}, kernel[1] = {TEXT + 0x100 * i};
		struct sample s = {.pid = PID_A + i % 20,
				   .comm = "oom",
				   .count = 1,
				   .time_ns = 20,
				   .user = user,
				   .nr_user = 2,
				   .kernel = kernel,
				   .nr_kernel = 1};

		ret = try_add_sample(&s);
	}
	if (!ret)
		ret = epoch_finish(w.epoch, 0, 0, &t);
	return ret ? ret : epoch_reset(w.epoch);
}

START_TEST(out_of_memory)
{
	world_destroy();
	oom_for_each_call(n)
	{
		int ret = run_until_out_of_memory();

		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		world_destroy();
	}
	world_create();
}
END_TEST

SUITE_MAIN_WITH("epoch_random", world_create, world_destroy, grows_large, long_paths_fill_an_epoch,
		random_samples_come_back, out_of_memory)
