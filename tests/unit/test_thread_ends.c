// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that end, and sources that let theirs go. */
#include "record/sampling/ptrace/ptrace_source.h"

#include "tests/unit/traced.h"

/* A thread ends. Its sample comes first if it is due, and its parent hears of the end. */
START_TEST(an_end)
{
	played_add(10, 11)->runs = true;
	trace(10);
	runs_for(11, PERIOD_NS);
	look();
	played_stops(11, PTRACE_EVENT_EXIT, SIGTRAP);
	take();
	ck_assert_played("interrupt 11\ncode 10 anew\nsample 11\ncont 11\n");
	/* It runs for a while yet, and nobody asks it to stop again. */
	runs_for(11, PERIOD_NS);
	look();
	ck_assert_played("");
	played_happens(11, CLD_EXITED, 0);
	take();
	ck_assert_played("reap 11\n");
	played_stops(10, PTRACE_EVENT_EXIT, SIGTRAP);
	played_happens(10, CLD_KILLED, SIGKILL);
	take();
	ck_assert_played("cont 10\nreap 10\nexit 10\n");
	/* Who has its id later is another process. */
	played_add(10, 10)->runs = true;
	trace(10);
	stop_for_sample(10);
	ck_assert_uint_eq(sampled.start, 2);
}
END_TEST

/* An end that no stop has told of is found later, in one of eight looks. */
START_TEST(an_end_without_a_word)
{
	look();
	played_add(20, 20);
	trace(20);
	played_find(10)->runs = false;
	runs_for(10, PERIOD_NS + PERIOD_NS / 2);
	look();
	played_happens(10, CLD_KILLED, SIGKILL);
	take();
	for (int i = 2; i < REAP_LOOKS; i++)
		look();
	ck_assert_played("");
	look();
	ck_assert_played("reap 10\nexit 10\n");
	/* Its time is left to the next one. */
	played_add(20, 21)->runs = true;
	played_stops(21, PTRACE_EVENT_STOP, SIGTRAP);
	look();
	ck_assert_played("cont 21\ninterrupt 21\n");
}
END_TEST

/* The id of a thread has gone, since somebody else has waited for it. */
START_TEST(an_end_that_others_have_seen)
{
	played_stops(10, PTRACE_EVENT_EXIT, SIGTRAP);
	take();
	played_remove(10);
	take();
	ck_assert_played("cont 10\nexit 10\n");
}
END_TEST

/* A stop is no end. */
START_TEST(a_stop_before_the_end)
{
	played_stops(10, PTRACE_EVENT_EXIT, SIGTRAP);
	take();
	played_late = 10;
	for (int i = 0; i < 2; i++) {
		played_happens(10, i ? CLD_STOPPED : CLD_TRAPPED, SIGUSR1);
		take();
		ck_assert_played(i ? "" : "cont 10\n");
		nr_played_events = 0;
	}
	played_late = 0;
	played_stops(10, 0, SIGUSR1);
	take();
	ck_assert_played("cont 10 10\n");
}
END_TEST

/* The command is somebody else's child, who learns of its end. */
START_TEST(the_end_of_the_command)
{
	end();
	create(100, 30);
	played_add(30, 30);
	trace(30);
	played_stops(30, PTRACE_EVENT_EXIT, SIGTRAP);
	played_happens(30, CLD_EXITED, 0);
	take();
	ck_assert_played("cont 30\nexit 30\n");
	ck_assert_ptr_nonnull(played_find(30));
}
END_TEST

/* At the end all threads are let go: those that run, that job control holds, or that end. */
START_TEST(all_are_let_go)
{
	played_add(20, 20);
	played_add(30, 30);
	played_add(40, 40);
	trace(20);
	trace(30);
	trace(40);
	runs_for(10, PERIOD_NS);
	look();
	played_log[0] = '\0';
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	played_stops(20, PTRACE_EVENT_STOP, SIGSTOP);
	played_stops(30, 0, SIGUSR1);
	played_happens(40, CLD_EXITED, 0);
	ptrace_source_stop(source);
	/* What is asked for already is not asked for again. */
	ck_assert_played("interrupt 20\ninterrupt 30\ninterrupt 40\ncode 10 anew\nsample 10\n"
			 "detach 10\ndetach 20\ndetach 30 10\nreap 40\nexit 40\n");
	timer_is(0);
	/* They are no threads of the source any more. */
	ck_assert_int_eq(ptrace_source_add(source, 10, false, false, &err), 0);
	ck_assert_played("seize 10 94\n");
}
END_TEST

/* Thread 10 stops for its last sample. Those that do not run, and those that stay, owe theirs. */
START_TEST(what_is_owed_at_the_end)
{
	uint64_t period_ns = PERIOD_NS;

	played_add(10, 11);
	played_add(20, 20);
	trace(20);
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	played_log[0] = '\0';
	runs_for(10, 2 * period_ns);
	runs_for(11, 2 * period_ns - 1);
	runs_for(20, 3 * period_ns - 1);
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	played_happens(11, CLD_EXITED, 0);
	ptrace_source_stop(source);
	/* One of 10, one of 11, and two of 20; the rest of 11 is not a period. */
	ck_assert_played("interrupt 10\ninterrupt 11\ninterrupt 20\ncode 10 anew\nsample 10\n"
			 "detach 10\nreap 11\nexit 10\nlose 0 4\n");
	ptrace_source_stop(source);
	ck_assert_played("interrupt 20\n");
}
END_TEST

/* The rest of a period of a thread from before stays no time of others after an exec. */
START_TEST(the_end_after_an_exec)
{
	runs_for(10, PERIOD_NS / 2);
	look();
	played_find(10)->message = 10;
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	take();
	played_add(10, 11);
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	runs_for(11, PERIOD_NS / 2);
	played_log[0] = '\0';
	played_happens(10, CLD_EXITED, 0);
	played_happens(11, CLD_EXITED, 0);
	ptrace_source_stop(source);
	ck_assert_played("interrupt 10\ninterrupt 11\nreap 10\nreap 11\nexit 10\n");
}
END_TEST

/* Threads that are begun at the end of others, none of which runs for long, owe time together. */
START_TEST(threads_that_are_begun_without_end)
{
	for (uint32_t tid = 11; tid < 21; tid++) {
		played_add(10, tid);
		played_stops(tid, PTRACE_EVENT_STOP, SIGTRAP);
		take();
		runs_for(tid, PERIOD_NS / 4);
		played_stops(tid, PTRACE_EVENT_EXIT, SIGTRAP);
		take();
		played_remove(tid);
	}
	played_happens(10, CLD_EXITED, 0);
	played_log[0] = '\0';
	ptrace_source_stop(source);
	ck_assert_ptr_nonnull(strstr(played_log, "lose 0 2\n"));
}
END_TEST

/* What the source says of thread 11 at its end, which it has not heard of. */
static const char *lacks_at_end(bool is_whole, bool has_ended)
{
	const char *lacks;

	end();
	create(100, 0);
	played_add(10, 10);
	ck_assert_int_eq(ptrace_source_add(source, 10, !is_whole, false, &err), 0);
	played_add(10, 11)->has_ended = has_ended;
	ck_assert_int_eq(ptrace_source_start(source, &err), 0);
	ck_assert_ptr_null(ptrace_source_lacks(source));
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	ptrace_source_stop(source);
	lacks = ptrace_source_lacks(source);
	ptrace_source_stop(source);
	ck_assert_ptr_eq(ptrace_source_lacks(source), lacks);
	return lacks;
}

/* A thread may be begun so that the kernel does not trace it. It has no samples. */
START_TEST(a_thread_that_is_not_traced)
{
	ck_assert_str_eq(
		lacks_at_end(true, false),
		"threads that a program begins with CLONE_UNTRACED have no samples by ptrace");
	/* Other threads than the one to sample are nobody's concern. */
	ck_assert_ptr_null(lacks_at_end(false, false));
	ck_assert_ptr_null(lacks_at_end(true, true));
	/* It has just begun, and the kernel traces it. */
	tracer = getpid();
	ck_assert_ptr_null(lacks_at_end(true, false));
	tracer = 0;
}
END_TEST

/* Nobody waits for long for a thread that does not stop. */
START_TEST(a_thread_that_does_not_stop)
{
	uint64_t begin_ns = clock_monotonic_ns();

	ptrace_source_stop(source);
	ck_assert_uint_ge(clock_monotonic_ns() - begin_ns, 200 * NS_PER_MS);
	ck_assert_played("interrupt 10\n");
}
END_TEST

SUITE_MAIN_WITH("thread_ends", begin, end, an_end, an_end_without_a_word,
		an_end_that_others_have_seen, a_stop_before_the_end, the_end_of_the_command,
		all_are_let_go, what_is_owed_at_the_end, the_end_after_an_exec,
		threads_that_are_begun_without_end, a_thread_that_is_not_traced,
		a_thread_that_does_not_stop)
