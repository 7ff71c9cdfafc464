// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/demangle/demangler.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common/cleanup.h"
#include "tests/unit/suite.h"

static struct string_set names;
static struct demangler_account account;
static uint32_t *new_ids;

static void begin(void)
{
	account = (struct demangler_account){0};
	new_ids = NULL;
	ck_assert_int_eq(string_set_init(&names), 0);
}

static void end(void)
{
	free(new_ids);
	demangler_account_deinit(&account);
	string_set_deinit(&names);
	/* No child is left. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

static uint32_t add(const char *name)
{
	uint32_t id;

	ck_assert_int_eq(string_set_add(&names, name, strlen(name), &id), 0);
	return id;
}

static void run(void)
{
	new_ids = realloc(new_ids, names.items.nr * sizeof(*new_ids));
	ck_assert_int_eq(demangler_run(&names, new_ids, &account), 0);
}

static const char *demangled(uint32_t id)
{
	return string_set_get(&names, new_ids[id]);
}

/*
 * _Z4f000Dp, BOMB_DEPTH times F, vvE, and each function type once more: libiberty walks
 * 2^BOMB_DEPTH nodes. @number, below 1000, tells bombs apart.
 */
#define BOMB_DEPTH 35

static const char *pack_bomb(unsigned int number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char name[512];
	char *p = name + sprintf(name, "_Z4f%03uDp", number);

	for (unsigned int i = 0; i < BOMB_DEPTH; i++)
		*p++ = 'F';
	p = stpcpy(p, "vvE");
	for (unsigned int i = 0; i + 1 < BOMB_DEPTH; i++)
		p += i ? sprintf(p, "S%c_E", digits[i - 1]) : sprintf(p, "S_E");
	return name;
}

/*
 * Rust: a binder of 62^8 lifetimes, in a path that is not printed. Newer versions of libiberty
 * refuse it at once.
 */
#define LIFETIME_BOMB "_RMIC0FGzzzzzzzz_EuEu"

START_TEST(names_and_others)
{
	uint32_t function = add("_ZN3foo3barEiPKc"), same = add("___ZN3foo3barEiPKc"),
		 plain = add("main"), rust = add("_RNvC6_123foo3bar"), damaged = add("_ZN3foo");

	run();
	ck_assert_str_eq(demangled(0), "");
	ck_assert_str_eq(demangled(function), "foo::bar(int, char const*)");
	ck_assert_uint_eq(new_ids[same], new_ids[function]);
	ck_assert_uint_eq(new_ids[plain], plain);
	ck_assert_str_eq(demangled(rust), "123foo::bar");
	ck_assert_uint_eq(new_ids[damaged], damaged);
	ck_assert_uint_eq(demangler_account_nr_left(&account), 0);
}
END_TEST

/* Results that fill the pipe, in the order of the names. */
START_TEST(many_names)
{
	enum { NR = 50000 };
	char name[32], want[32];

	for (unsigned int i = 0; i < NR; i++) {
		sprintf(name, "_Z6f%05uv", i);
		ck_assert_uint_eq(add(name), i + 1);
	}
	run();
	for (unsigned int i = 0; i < NR; i++) {
		sprintf(want, "f%05u()", i);
		ck_assert_str_eq(demangled(i + 1), want);
	}
	ck_assert_uint_eq(demangler_account_nr_left(&account), 0);
}
END_TEST

START_TEST(bombs)
{
	uint32_t before = add("_Z6beforev"), pack = add(pack_bomb(0)), between = add("_Z7betweenv"),
		 lifetimes = add(LIFETIME_BOMB), after = add("_Z5afterv");

	run();
	ck_assert_str_eq(demangled(before), "before()");
	ck_assert_uint_eq(new_ids[pack], pack);
	ck_assert_str_eq(demangled(between), "between()");
	ck_assert_uint_eq(new_ids[lifetimes], lifetimes);
	ck_assert_str_eq(demangled(after), "after()");
	ck_assert_uint_ge(demangler_account_nr_left(&account), 1);
	ck_assert_uint_le(demangler_account_nr_left(&account), 2);
}
END_TEST

/* A name that took too long is not tried a second time, in another interval. */
START_TEST(bombs_again)
{
	uint32_t bomb = add(pack_bomb(0)), after;
	uint64_t ticks;

	run();
	ticks = account.ticks;
	ck_assert_uint_gt(ticks, 0);
	after = add("_Z5afterv");
	run();
	ck_assert_uint_eq(new_ids[bomb], bomb);
	ck_assert_str_eq(demangled(after), "after()");
	ck_assert_uint_lt(account.ticks, ticks + DEMANGLER_NAME_TICKS);
	ck_assert_uint_eq(demangler_account_nr_left(&account), 1);
}
END_TEST

/* All together they take a bounded time. Those that were not tried are counted. */
START_TEST(many_bombs)
{
	enum { NR = 500 };
	struct rusage usage;

	for (unsigned int i = 0; i < NR; i++)
		add(pack_bomb(i));
	run();
	ck_assert_uint_eq(demangler_account_nr_left(&account), NR);
	ck_assert_uint_gt(account.nr_untried, 0);
	ck_assert_uint_le(account.hashes.nr, DEMANGLER_TICKS);
	ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
	ck_assert_int_lt(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec, 10);
}
END_TEST

/* A name without end that fills the text comes to its end by itself. */
START_TEST(text_without_end)
{
	char name[2048] = "_Z1f1AIiE";
	uint32_t id;

	for (int i = 1; i <= 35; i++) {
		char s[8];

		snprintf(s, sizeof(s), "S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1]);
		strcat(strcat(strcat(strcat(name, "S_I"), s), s), "E");
	}
	id = add(name);
	run();
	ck_assert_uint_eq(new_ids[id], id);
	ck_assert_uint_eq(demangler_account_nr_left(&account), 0);
}
END_TEST

/* Whoever starts profrep may have blocked or ignored signals. */
START_TEST(blocked_signals)
{
	uint32_t bomb = add(pack_bomb(0)), after = add("_Z5afterv");
	sigset_t all;

	sigfillset(&all);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &all, NULL), 0);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPROF, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	run();
	ck_assert_uint_eq(new_ids[bomb], bomb);
	ck_assert_str_eq(demangled(after), "after()");
}
END_TEST

/* Without processes, names stay mangled, and that is said. */
START_TEST(no_process)
{
	struct rlimit before, none;
	uint32_t id = add("_Z3foov");

	if (setuid(12345) && geteuid() == 0)
		return;
	ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &before), 0);
	none = (struct rlimit){.rlim_max = before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &none), 0);
	run();
	/* A sanitizer looks for leaks by a process. */
	ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &before), 0);
	ck_assert_uint_eq(new_ids[id], id);
	ck_assert_uint_eq(demangler_account_nr_left(&account), 1);
}
END_TEST

SUITE_MAIN_WITH("demangler", begin, end, names_and_others, many_names, bombs, bombs_again,
		many_bombs, text_without_end, blocked_signals, no_process)
