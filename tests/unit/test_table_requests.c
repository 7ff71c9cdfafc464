// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/auxv.h>
#include <unistd.h>

#include "record/looks/proc_task.h"
#include "tests/unit/played_tables.h"
#include "tests/unit/skip.h"

START_TEST(a_table_is_made)
{
	uint32_t nr = find_inode(1);
	uint64_t bias;

	ck_assert_uint_eq(nr, NR_OWN_TABLES);
	ck_assert_uint_eq(find_inode(1), nr);
	ck_assert_uint_eq(find_inode(2), nr + 1);
	ck_assert_uint_eq(pages_of(nr, &bias), UNWIND_TABLE_WANTED);
	ck_assert_uint_eq(bias, BASE);
	process.uid = BOB;
	ck_assert_int_eq(request(nr, ALICE), TABLE_ASKED);
	ck_assert_uint_eq(pages_of(nr, &bias), UNWIND_TABLE_ASKED_FOR);
	ck_assert_uint_eq(tables.nr_asked, 1);
	ck_assert_uint_eq(nr_changes, 1);
	ck_assert_uint_eq(changed_nr, nr);
	ck_assert_uint_eq(child.request.tag, nr);
	ck_assert_uint_eq(child.request.uid, BOB);
	ck_assert_uint_eq(child.request.is_known, 0);
	ck_assert_uint_eq(child.request.cpu_max_us, TABLE_TIME_MAX_NS / NS_PER_US);
	ck_assert_uint_eq(child.nr_expected, 1);
	ck_assert_uint_eq(child.expected, nr);
	ck_assert_uint_eq(shares_held(&tables.line, BOB), 1);
	ck_assert_int_eq(finish(nr, 0), TABLE_READY);
	ck_assert_uint_eq(tables.nr_asked, 0);
	ck_assert_uint_eq(nr_changes, 2);
	ck_assert_uint_eq(shares_held(&tables.line, BOB), 0);
	ck_assert_uint_eq(pages_of(nr, &bias), UNWIND_PAGES(10, 1));
	ck_assert_uint_eq(bias, BASE + 0x1000);
	ck_assert_uint_eq(maps.key.dev, file_identity_kernel_dev(DEVICE));
	ck_assert_uint_eq(maps.key.ino, 100 + nr);
	ck_assert_uint_eq(maps.file.size, 5);
	ck_assert_uint_eq(maps.file.ctime_ns, 6);
	ck_assert_uint_eq(maps.file.first_off, 0x1000);
	ck_assert_uint_eq(maps.file.pages, UNWIND_PAGES(10, 1));
	ck_assert_uint_eq(cache.nr_put, 0);
}
END_TEST

START_TEST(what_has_no_table)
{
	const struct mapping place = {.start = 0x7fff00000000, .end = 0x7fff00001000};
	const struct vdso vdso = {.size = 0x1000};
	struct mapped_file file = file_of(1);
	struct unwind_mapping mapping = {0};
	char shared[] = "/dev/zero (deleted)";
	uint64_t bias;
	uint32_t nr;

	tables.vdso = &vdso;
	file.kind = MAPPED_ANON;
	ck_assert_uint_eq(find(&file), NO_TABLE);
	ck_assert_uint_eq(pages_of(NO_TABLE, &bias), UNWIND_WITHOUT_TABLE);
	ck_assert_int_eq(file_tables_find(&tables, &file, &place, 0, &nr), 0);
	ck_assert_uint_eq(nr, NO_TABLE);
	file.kind = MAPPED_VDSO;
	ck_assert_uint_eq(find(&file), NO_TABLE);
	ck_assert_int_eq(file_tables_find(&tables, &file, &place, 0, &nr), 0);
	ck_assert_uint_eq(nr, VDSO_TABLE);
	file.kind = MAPPED_ANON;
	file.path = shared;
	file_tables_describe(&tables, NO_TABLE, &file, BASE, &mapping);
	ck_assert_uint_eq(mapping.pages, UNWIND_SHARED_MEMORY);
}
END_TEST

/* The child gets a copy of the vdso, which is in no file. */
START_TEST(the_vdso)
{
	const void *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	const struct unwind_maps none = {.rules = NO_MAP};
	struct vdso vdso = {0};
	uint8_t copy[65];

	if (!image)
		SKIP_TEST("this process has no vdso");
	file_tables_begin(&tables, &none, &vdso);
	ck_assert_int_eq(table(VDSO_TABLE)->state, TABLE_NONE);
	vdso.size = sizeof(copy) - 1;
	child.send_error = -EAGAIN;
	file_tables_begin(&tables, &none, &vdso);
	ck_assert_int_eq(table(VDSO_TABLE)->state, TABLE_NONE);
	close(child.fd);
	child.send_error = 0;
	file_tables_begin(&tables, &none, &vdso);
	ck_assert_int_eq(table(VDSO_TABLE)->state, TABLE_ASKED);
	ck_assert_int_eq(pread(child.fd, copy, sizeof(copy), 0), (ssize_t)vdso.size);
	ck_assert_mem_eq(copy, image, vdso.size);
	close(child.fd);
	/* The child was killed because of another file. */
	ck_assert_int_eq(finish(VDSO_TABLE, -EAGAIN), TABLE_NONE);
	ck_assert_int_eq(request(VDSO_TABLE, 0), TABLE_ASKED);
	ck_assert_uint_eq(child.nr_requests, 0);
	ck_assert_int_eq(pread(child.fd, copy, sizeof(copy), 0), (ssize_t)vdso.size);
	close(child.fd);
	ck_assert_int_eq(finish(VDSO_TABLE, -EBUSY), TABLE_NONE);
	child.send_error = -EIO;
	ck_assert_int_eq(request(VDSO_TABLE, 0), TABLE_NONE);
	ck_assert_uint_eq(table(VDSO_TABLE)->attempts, 0);
	close(child.fd);
}
END_TEST

/* What the child says about a file that it cannot make a table of. */
START_TEST(failures)
{
	static const struct {
		int status;
		enum table_state state;
		bool is_counted;
	} cases[] = {
		{-ENOEXEC, TABLE_IMPOSSIBLE, false}, {-ENODATA, TABLE_IMPOSSIBLE, false},
		{-EIO, TABLE_IMPOSSIBLE, true},      {-ETIMEDOUT, TABLE_IMPOSSIBLE, true},
		{-EBADMSG, TABLE_IMPOSSIBLE, false}, {-EAGAIN, TABLE_NONE, false},
		{-EDQUOT, TABLE_IMPOSSIBLE, true},
	};
	uint64_t nr_counted = 0;

	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t nr = find_inode(i + 1);
		bool has_pause = cases[i].status == -EDQUOT;

		child.blamed = 0;
		ck_assert_int_eq(request(nr, 0), TABLE_ASKED);
		ck_assert_int_eq(finish(nr, cases[i].status), cases[i].state);
		ck_assert_uint_eq(child.blamed,
				  cases[i].status == -ETIMEDOUT ? look_device(DEVICE) : 0);
		nr_counted += cases[i].is_counted;
		ck_assert_uint_eq(nr_unserved(0), nr_counted);
		ck_assert_uint_eq(table(nr)->attempts, 0);
		ck_assert_uint_eq(tables.nr_asked, 0);
		pass(TIME_PAUSE_NS - 1);
		ck_assert_int_eq(table(nr)->state, cases[i].state);
		pass(1);
		ck_assert_int_eq(table(nr)->state, has_pause ? TABLE_NONE : cases[i].state);
	}
}
END_TEST

/* The file cannot be opened. */
static void fail_until_pause(uint32_t nr)
{
	child.send_error = -ENOENT;
	for (uint32_t i = 1; i < ATTEMPTS_MAX; i++)
		ck_assert_int_eq(request(nr, 0), TABLE_NONE);
	ck_assert_int_eq(request(nr, 0), TABLE_IMPOSSIBLE);
	ck_assert_uint_eq(child.nr_expected, 0);
	ck_assert_uint_eq(tables.line.used, 0);
}

START_TEST(pauses_double)
{
	uint32_t nr = find_inode(1);
	uint64_t pause_ns = PAUSE_MIN_NS;

	for (int i = 0; i < 9; i++) {
		fail_until_pause(nr);
		pass(pause_ns - 1);
		ck_assert_int_eq(table(nr)->state, TABLE_IMPOSSIBLE);
		pass(1);
		ck_assert_int_eq(table(nr)->state, TABLE_NONE);
		ck_assert_uint_eq(tables.pause_end_ns, 0);
		pause_ns = pause_ns == PAUSE_MAX_NS ? PAUSE_MAX_NS : 2 * pause_ns;
	}
	child.send_error = 0;
	make(nr, 0);
}
END_TEST

START_TEST(pauses_of_several_files)
{
	uint32_t first = find_inode(1), second = find_inode(2), third = find_inode(3);

	fail_until_pause(first);
	pass(PAUSE_MIN_NS);
	fail_until_pause(first);
	fail_until_pause(second);
	now_ns += PAUSE_MIN_NS / 2;
	fail_until_pause(third);
	pass(PAUSE_MIN_NS / 2);
	ck_assert_int_eq(table(first)->state, TABLE_IMPOSSIBLE);
	ck_assert_int_eq(table(second)->state, TABLE_NONE);
	ck_assert_int_eq(table(third)->state, TABLE_IMPOSSIBLE);
	ck_assert_uint_eq(tables.pause_end_ns, table(third)->pause_end_ns);
	pass(PAUSE_MIN_NS / 2);
	ck_assert_int_eq(table(third)->state, TABLE_NONE);
	ck_assert_uint_eq(tables.pause_end_ns, table(first)->pause_end_ns);
	pass(PAUSE_MIN_NS / 2);
	ck_assert_int_eq(table(first)->state, TABLE_NONE);
	ck_assert_uint_eq(tables.pause_end_ns, 0);
}
END_TEST

/* Somebody has too many descriptors on their way, and the file that has no table is counted. */
START_TEST(files_that_cannot_be_sent)
{
	uint32_t nr = find_inode(1);

	child.send_error = -ENOENT;
	ck_assert_int_eq(request(nr, ALICE), TABLE_NONE);
	ck_assert_uint_eq(nr_unserved(ALICE), 0);
	child.send_error = -ETOOMANYREFS;
	ck_assert_int_eq(request(nr, ALICE), TABLE_NONE);
	ck_assert_uint_eq(nr_unserved(ALICE), 1);
	ck_assert_uint_eq(table(nr)->attempts, 2);
}
END_TEST

/* Samples of one process that has ended are one attempt, but not after a pause. */
START_TEST(attempts_of_one_process)
{
	uint32_t nr = find_inode(1);

	child.send_error = -ENOENT;
	process.has_ended = true;
	for (uint32_t i = 0; i < 2 * ATTEMPTS_MAX; i++)
		ck_assert_int_eq(request_by(nr, 0, 5), TABLE_NONE);
	ck_assert_uint_eq(table(nr)->attempts, 1);
	ck_assert_uint_eq(child.nr_requests, 1);
	for (uint32_t i = 1; i < ATTEMPTS_MAX; i++)
		request_by(nr, 0, 5 + i);
	ck_assert_int_eq(table(nr)->state, TABLE_IMPOSSIBLE);
	pass(PAUSE_MIN_NS);
	request_by(nr, 0, 5 + ATTEMPTS_MAX - 1);
	ck_assert_uint_eq(table(nr)->attempts, ATTEMPTS_MAX + 1);
	/* Waiting for a place in the line is none. */
	child.send_error = 0;
	child.sock_error = -EAGAIN;
	request_by(nr, 0, 1);
	ck_assert_uint_eq(table(nr)->attempts, ATTEMPTS_MAX + 1);
	ck_assert_uint_ne(table(nr)->failed_pid, 1);
	/* So is waiting for a child, when too many have died. */
	child.sock_error = -EIO;
	request_by(nr, 0, 1);
	ck_assert_uint_eq(table(nr)->attempts, ATTEMPTS_MAX + 1);
	child.sock_error = -EMFILE;
	request_by(nr, 0, 1);
	ck_assert_uint_eq(table(nr)->attempts, ATTEMPTS_MAX + 2);
}
END_TEST

/* Memory that a process runs code in, where the recorder may not open it. */
START_TEST(memory_out_of_reach)
{
	static const int errors[] = {-EPERM, -EACCES, -ENOENT};
	const struct file_place place = {.pid = 1};
	char path[] = "/memfd:code";

	for (uint32_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct mapped_file file = file_of(i + 1);
		uint32_t nr;

		file.path = path;
		nr = find(&file);
		child.send_error = -ESTALE;
		ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
		ck_assert_int_eq(table(nr)->state, TABLE_NONE);
		child.send_error = errors[i];
		ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
		ck_assert_int_eq(table(nr)->state, TABLE_IMPOSSIBLE);
		ck_assert_uint_eq(table(nr)->pause_end_ns, 0);
	}
}
END_TEST

/* What a process has registered has a table, or tells nothing, which does not change. */
START_TEST(registered_code)
{
	const struct file_place place = {.pid = 1, .made_by = 0x1000};
	struct mapped_file file = file_of(1);
	char path[] = "";
	uint32_t nr;

	file.path = path;
	nr = find(&file);
	child.send_error = -EFAULT;
	ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
	ck_assert_int_eq(table(nr)->state, TABLE_NONE);
	child.send_error = 0;
	ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
	ck_assert_int_eq(table(nr)->state, TABLE_ASKED);
	ck_assert_uint_eq(child.request.is_made, 1);
	ck_assert_int_eq(finish(nr, -EAGAIN), TABLE_NONE);
	child.send_error = -ENOENT;
	ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
	ck_assert_int_eq(table(nr)->state, TABLE_IMPOSSIBLE);
	ck_assert_uint_eq(table(nr)->pause_end_ns, 0);
}
END_TEST

START_TEST(users_have_parts_of_the_line)
{
	process.uid = ALICE;
	for (uint32_t i = 0; i < LINE_MAX_USER; i++)
		ck_assert_int_eq(request(find_inode(i + 1), 0), TABLE_ASKED);
	ck_assert_int_eq(request(find_inode(100), 0), TABLE_NONE);
	ck_assert_uint_eq(table(find_inode(100))->attempts, 0);
	ck_assert_uint_eq(child.nr_requests, LINE_MAX_USER);
	process.uid = BOB;
	ck_assert_int_eq(request(find_inode(100), 0), TABLE_ASKED);
	ck_assert_int_eq(finish(find_inode(1), 0), TABLE_READY);
	process.uid = ALICE;
	ck_assert_int_eq(request(find_inode(101), 0), TABLE_ASKED);
}
END_TEST

/* Slow files of several users take no places of others. */
START_TEST(slow_files_have_a_line_of_their_own)
{
	for (uint32_t user = ALICE; user < ALICE + 4; user++) {
		process.uid = user;
		for (uint32_t i = 0; i < LINE_MAX_USER; i++) {
			uint32_t nr = find_inode(user * LINE_MAX_USER + i);

			ck_assert_int_eq(request(nr, 0), TABLE_ASKED);
			ck_assert_int_eq(finish(nr, -EBUSY), TABLE_NONE);
			ck_assert_int_eq(request(nr, 0), TABLE_ASKED);
		}
		ck_assert_uint_eq(shares_held(&tables.line, user), 0);
		ck_assert_uint_eq(shares_held(&tables.patient_line, user), LINE_MAX_USER);
		/* It has its part of them. */
		ck_assert_int_eq(request(find_inode(user), 0), TABLE_ASKED);
		ck_assert_int_eq(finish(find_inode(user), -EBUSY), TABLE_NONE);
		ck_assert_int_eq(request(find_inode(user), 0), TABLE_NONE);
	}
	for (uint32_t i = 0; i < LINE_MAX_USER; i++)
		ck_assert_int_eq(request(find_inode(i + 1), 0), TABLE_ASKED);
	process.uid = 0;
	ck_assert_int_eq(request(find_inode(100), 0), TABLE_ASKED);
	ck_assert_int_eq(finish(find_inode(ALICE * LINE_MAX_USER), 0), TABLE_READY);
	ck_assert_uint_eq(shares_held(&tables.patient_line, ALICE), LINE_MAX_USER - 1);
	ck_assert_uint_eq(shares_held(&tables.line, ALICE + 3), LINE_MAX_USER);
}
END_TEST

static void finish_after(uint32_t nr, int status, uint64_t cpu_ns)
{
	const struct done done = {
		.nr = nr, .status = status, .cpu_ns = cpu_ns, .made = made_table(1)};

	ck_assert_int_eq(finish_with(&done), 0);
}

static uint64_t left_us(uint32_t owner)
{
	return owner_time_left(&tables.time, owner, now_ns) / NS_PER_US;
}

/* The owner of a file pays for the time that the child took for it. */
START_TEST(time_of_the_child)
{
	uint32_t nr = find_inode(1);

	request(nr, ALICE);
	finish_after(nr, -EAGAIN, 300 * NS_PER_MS);
	ck_assert_uint_eq(left_us(ALICE), 700000);
	request(nr, ALICE);
	ck_assert_uint_eq(child.request.cpu_max_us, 700000);
	finish_after(nr, -EAGAIN, 100 * NS_PER_MS);
	ck_assert_uint_eq(left_us(ALICE), 600000);
	/* A process of a user who has less. */
	owner_time_charge(&tables.time, BOB, 900 * NS_PER_MS, now_ns);
	process.uid = BOB;
	request(nr, ALICE);
	ck_assert_uint_eq(child.request.cpu_max_us, 100000);
	finish_after(nr, -EAGAIN, 50 * NS_PER_MS);
	ck_assert_uint_eq(left_us(ALICE), 550000);
	request(nr, ALICE);
	finish_after(nr, -EAGAIN, 0);
	ck_assert_uint_eq(left_us(ALICE), 550000);
	request(nr, ALICE);
	finish_after(nr, -EAGAIN, 10 * NS_PER_MS);
	ck_assert_uint_eq(left_us(ALICE), 540000);
}
END_TEST

/* A slow file goes to the patient child, and costs the user of the process, if not root. */
START_TEST(slow_files)
{
	static const uint32_t uids[] = {BOB, 0};

	for (uint32_t i = 0; i < ARRAY_SIZE(uids); i++) {
		uint32_t nr = find_inode(i + 1), payer = uids[i] ? BOB : ALICE;

		process.uid = uids[i];
		ck_assert_int_eq(request(nr, ALICE), TABLE_ASKED);
		ck_assert(!child.is_patient);
		ck_assert_int_eq(finish(nr, -EBUSY), TABLE_NONE);
		ck_assert_uint_eq(child.nr_waits, i + 1);
		ck_assert_uint_eq(child.waits_payer, payer);
		ck_assert_uint_eq(child.blamed, 0);
		ck_assert_uint_eq(shares_held(&tables.line, uids[i]), 0);
		ck_assert_int_eq(request(nr, ALICE), TABLE_ASKED);
		ck_assert(child.is_patient);
		ck_assert_uint_eq(child.asked_payer, payer);
		ck_assert_int_eq(finish(nr, 0), TABLE_READY);
		ck_assert_uint_eq(tables.patient_line.used, 0);
	}
	ck_assert_uint_eq(shares_nr_lacked(&tables.unserved), 0);
	child.has_no_line = true;
	ck_assert_int_eq(request(find_inode(3), ALICE), TABLE_NONE);
	ck_assert_uint_eq(table(find_inode(3))->attempts, 0);
}
END_TEST

/* Who maps root's files pays for their tables, too, and others may ask for them meanwhile. */
START_TEST(users_pay_for_files_of_root)
{
	uint32_t nr = find_inode(1), other = find_inode(2);

	process.uid = ALICE;
	request(nr, 0);
	finish_after(nr, -EAGAIN, TABLE_PAYERS_MAX_NS - 1);
	ck_assert_int_eq(request(other, 0), TABLE_ASKED);
	ck_assert_uint_eq(child.request.cpu_max_us, TABLE_TIME_MAX_NS / NS_PER_US);
	finish_after(other, -EAGAIN, 1);
	child.nr_requests = 0;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(request(find_inode(3), 0), TABLE_NONE);
	ck_assert_uint_eq(child.nr_requests, 0);
	ck_assert_uint_eq(nr_unserved(ALICE), 1);
	process.uid = BOB;
	ck_assert_int_eq(request(find_inode(3), 0), TABLE_ASKED);
	process.uid = 0;
	ck_assert_int_eq(request(nr, 0), TABLE_ASKED);
	/* A hundredth of the time that passes comes back. */
	process.uid = ALICE;
	pass(TABLE_TIME_PART);
	ck_assert_int_eq(request(other, 0), TABLE_ASKED);
	ck_assert_uint_eq(left_us(ALICE), TABLE_TIME_MAX_NS / NS_PER_US);
}
END_TEST

/* A user whose own files have used up the time does not hold up those of root. */
START_TEST(users_without_time)
{
	uint32_t nr = find_inode(1);

	owner_time_charge(&tables.time, ALICE, TABLE_TIME_MAX_NS, now_ns);
	process.uid = ALICE;
	ck_assert(!tables.lacked_time);
	ck_assert_int_eq(request(nr, 0), TABLE_NONE);
	ck_assert(tables.lacked_time);
	ck_assert_uint_eq(child.nr_lines, 0);
	ck_assert_uint_eq(nr_unserved(ALICE), 1);
	ck_assert_int_eq(file_tables_settle(&tables), 0);
	ck_assert(!tables.lacked_time);
	process.uid = BOB;
	ck_assert_int_eq(request(nr, 0), TABLE_ASKED);
	ck_assert(!tables.lacked_time);
}
END_TEST

static enum table_state request_for(uint32_t nr, uint32_t user)
{
	const struct file_place place = {.pid = 1, .user = user + 1};
	const struct mapped_file file = file_of(nr);

	child.sent = (struct sent_file){.owner = 0};
	ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
	return table(nr)->state;
}

/* Samples of processes that have gone ask in vain, again and again. */
START_TEST(users_are_refused_for_a_while)
{
	uint32_t nr = find_inode(1);

	owner_time_charge(&tables.time, ALICE, TABLE_TIME_MAX_NS, now_ns);
	ck_assert_int_eq(request_for(nr, ALICE), TABLE_NONE);
	ck_assert(!table_time_refuses(&tables, nr, 0));
	ck_assert(!table_time_refuses(&tables, nr, BOB + 1));
	ck_assert(!table_time_refuses(&tables, find_inode(2), ALICE + 1));
	pass(TIME_PAUSE_NS - 1);
	ck_assert_int_eq(file_tables_settle(&tables), 0);
	ck_assert(table_time_refuses(&tables, nr, ALICE + 1));
	ck_assert(tables.lacked_time);
	ck_assert_int_eq(request_for(nr, ALICE), TABLE_NONE);
	ck_assert_int_eq(request_for(nr, BOB), TABLE_ASKED);
	finish(nr, -EAGAIN);
	pass(1);
	ck_assert(!table_time_refuses(&tables, nr, ALICE + 1));
	ck_assert_int_eq(request_for(nr, ALICE), TABLE_ASKED);
	finish(nr, -EAGAIN);
	/* Further ids of a user who lacks time are refused, too. */
	owner_ranges_read[0] = (struct owner_range){100000, 65536};
	owner_time_charge(&tables.time, 100001, TABLE_TIME_MAX_NS, now_ns);
	ck_assert_int_eq(request_for(nr, 100002), TABLE_NONE);
	ck_assert(table_time_refuses(&tables, nr, 100002 + 1));
	ck_assert(table_time_refuses(&tables, nr, 100003 + 1));
	owner_ranges_read[0].nr = 0;
}
END_TEST

static uint64_t nr_unserved_of(uint32_t uid)
{
	vec_for_each(&tables.unserved.owners, owner)
		if (owner->uid == uid)
			return owner->nr_lacked;
	return 0;
}

/* A table that a user lacks time for counts once, until the user has had time for it. */
START_TEST(refusals_are_counted_once)
{
	enum { NR_USERS = 6 }; /* more than are noted */
	uint32_t nr = find_inode(1);

	for (uint32_t user = ALICE; user < ALICE + NR_USERS; user++) {
		ck_assert_int_eq(request_for(nr, user), TABLE_ASKED);
		finish(nr, -EAGAIN);
		owner_time_charge(&tables.payers, user, 2 * TABLE_PAYERS_MAX_NS, now_ns);
	}
	for (int i = 0; i < 3; i++) {
		for (uint32_t user = ALICE; user < ALICE + NR_USERS; user++)
			ck_assert_int_eq(request_for(nr, user), TABLE_NONE);
		ck_assert_uint_eq(nr_unserved_of(ALICE), 1);
		ck_assert_uint_eq(nr_unserved_of(BOB), 1);
		ck_assert(i || shares_nr_lacked(&tables.unserved) == 4);
		pass(TIME_PAUSE_NS);
		ck_assert_int_eq(request_for(nr, ALICE), TABLE_NONE);
		ck_assert_int_eq(request_for(nr, BOB), TABLE_NONE);
	}
	pass(1000 * NS_PER_S);
	ck_assert_int_eq(request_for(nr, ALICE), TABLE_ASKED);
	finish(nr, -EAGAIN);
	owner_time_charge(&tables.payers, ALICE, 2 * TABLE_PAYERS_MAX_NS, now_ns);
	ck_assert_int_eq(request_for(nr, ALICE), TABLE_NONE);
	ck_assert_uint_eq(nr_unserved_of(ALICE), 2);
}
END_TEST

/*
 * The user who pays is the one whom the asker knows: the id of a process that has gone may be that
 * of another one. Root may have become somebody else.
 */
START_TEST(users_of_processes_that_have_gone)
{
	static const struct {
		uint32_t uid, user; /* of the process; of the place */
		bool has_ended;
		uint32_t payer;
	} cases[] = {
		{PROC_NOBODY, ALICE + 1, true, ALICE}, {PROC_NOBODY, 0 + 1, true, 0},
		{PROC_NOBODY, 0, true, PROC_NOBODY},   {PROC_NOBODY, 0 + 1, false, PROC_NOBODY},
		{BOB, ALICE + 1, false, ALICE},        {BOB, 0 + 1, false, BOB},
	};

	child.sent = (struct sent_file){.owner = 0};
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct file_place place = {.pid = 1, .user = cases[i].user};
		const struct mapped_file file = file_of(i + 1);
		uint32_t nr = find_inode(i + 1);

		process.uid = cases[i].uid;
		process.has_ended = cases[i].has_ended;
		ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
		ck_assert_uint_eq(child.request.tag, nr);
		ck_assert_uint_eq(child.request.uid, cases[i].payer);
		ck_assert_uint_eq(table(nr)->payer, cases[i].payer);
	}
}
END_TEST

/* What could not be opened is not nobody's. */
START_TEST(files_that_nobody_has_looked_at)
{
	uint32_t nr = find_inode(1);

	process.uid = ALICE;
	child.send_error = -ENOENT;
	ck_assert_int_eq(request(nr, PROC_NOBODY), TABLE_NONE);
	ck_assert_uint_eq(table(nr)->owner, 0);
	ck_assert_uint_eq(table(nr)->payer, ALICE);
	child.send_error = 0;
	ck_assert_int_eq(request(nr, PROC_NOBODY), TABLE_ASKED);
	ck_assert_uint_eq(table(nr)->owner, PROC_NOBODY);
}
END_TEST

/* Code that a process makes anew all the time leaves half of its user's time to files. */
START_TEST(made_code_leaves_time)
{
	const struct file_place place = {.pid = 1, .made_by = 0x1000};
	const struct mapped_file file = file_of(1);
	uint32_t nr = find_inode(1), other = find_inode(2);
	struct owner_time *const times[] = {&tables.time, &tables.payers};

	process.uid = ALICE;
	child.sent = (struct sent_file){.owner = ALICE};
	for (uint32_t i = 0; i < ARRAY_SIZE(times); i++) {
		owner_time_charge(times[i], ALICE, times[i]->max_ns / 2, now_ns);
		ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
		ck_assert_int_eq(table(nr)->state, TABLE_ASKED);
		ck_assert_int_eq(finish(nr, -EAGAIN), TABLE_NONE);
		owner_time_charge(times[i], ALICE, NS_PER_MS, now_ns);
		child.nr_requests = 0;
		ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
		ck_assert_uint_eq(child.nr_requests, 0);
		ck_assert_int_eq(table(nr)->state, TABLE_IMPOSSIBLE);
		ck_assert_uint_eq(nr_unserved(ALICE), i + 1);
		ck_assert_int_eq(request(other, ALICE), TABLE_ASKED);
		ck_assert_int_eq(finish(other, -EAGAIN), TABLE_NONE);
		/* When there is time again, it is asked for again. */
		pass(2 * TABLE_TIME_PART * NS_PER_S);
		ck_assert_int_eq(table(nr)->state, TABLE_NONE);
		child.sent = (struct sent_file){.owner = ALICE};
	}
	/* Nobody else can ask for it when there is none left. */
	owner_time_charge(&tables.time, ALICE, TABLE_TIME_MAX_NS, now_ns);
	ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
	ck_assert_int_eq(table(nr)->state, TABLE_IMPOSSIBLE);
	/* And no samples wait. */
	ck_assert(!tables.lacked_time);
	process.uid = BOB;
	nr = find_inode(3);
	ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
	ck_assert_int_eq(table(nr)->state, TABLE_ASKED);
}
END_TEST

/* A file that the child dies of takes all the time of its owner. */
START_TEST(time_of_a_death)
{
	static const int errors[] = {-EIO, -ETIMEDOUT};

	for (uint32_t i = 0; i < ARRAY_SIZE(errors); i++) {
		uint32_t nr = find_inode(2 * i + 1), other = find_inode(2 * i + 2);
		uint32_t owner = ALICE + i;

		request(other, owner);
		finish(other, -EAGAIN);
		request(nr, owner);
		finish(nr, errors[i]);
		ck_assert_uint_eq(left_us(owner), 0);
		child.nr_requests = 0;
		ck_assert_int_eq(request(other, owner), TABLE_IMPOSSIBLE);
		ck_assert_uint_eq(child.nr_requests, 0);
		ck_assert_uint_eq(table(other)->attempts, 0);
		ck_assert_uint_eq(table(other)->failed_pid, 0);
		ck_assert_uint_eq(shares_nr_lacked(&tables.unserved), 2 * (i + 1));
		pass(TIME_PAUSE_NS);
		ck_assert_int_eq(table(other)->state, TABLE_NONE);
		ck_assert_int_eq(request(other, owner), TABLE_ASKED);
	}
}
END_TEST

SUITE_MAIN_WITH("table_requests", begin, end, a_table_is_made, what_has_no_table, the_vdso,
		failures, pauses_double, pauses_of_several_files, attempts_of_one_process,
		files_that_cannot_be_sent, memory_out_of_reach, registered_code,
		users_have_parts_of_the_line, slow_files_have_a_line_of_their_own,
		time_of_the_child, slow_files, users_pay_for_files_of_root, users_without_time,
		users_are_refused_for_a_while, refusals_are_counted_once,
		users_of_processes_that_have_gone, files_that_nobody_has_looked_at,
		made_code_leaves_time, time_of_a_death)
