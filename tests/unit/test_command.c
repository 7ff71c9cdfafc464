// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/host/command.h"
#include "record/host/wakeups.h"
#include "tests/unit/suite.h"

/* Waits until the process of @pidfd has ended. */
static void wait_for_exit(int pidfd)
{
	struct pollfd pfd = {.fd = pidfd, .events = POLLIN};

	ck_assert_int_eq(poll(&pfd, 1, 30000), 1);
}

static int run(const char *const *args)
{
	struct command command;
	struct err err = {0};
	int status;

	ck_assert_int_eq(command_start(&command, (char **)(uintptr_t)args, &err), 0);
	ck_assert_int_gt(command.pid, 0);
	ck_assert_int_eq(command_go(&command, args[0], &err), 0);
	ck_assert_str_eq(err.text, "");
	wait_for_exit(command.pidfd);
	command_reap(&command);
	ck_assert(command.exited);
	status = command.status;
	command_reap(&command); /* the command was waited for before: no effect */
	ck_assert_int_eq(command.status, status);
	ck_assert_int_eq(command.refused, 0);
	ck_assert_int_eq(command_exit_status(&command),
			 WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	command_close(&command);
	ck_assert_int_eq(command.pid, 0);
	return status;
}

static void read_name(const struct command *command, char name[static 32])
{
	char path[64];
	ssize_t nr;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", command->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	nr = read(fd, name, 31);
	ck_assert_int_gt(nr, 0);
	name[nr] = '\0';
	close(fd);
}

/* The child, which waits, soon has the name of the command. */
START_TEST(name_before_exec)
{
	char *args[] = {(char[]){"/nonexistent/some-command"}, NULL};
	const struct timespec moment = {.tv_nsec = 10000000};
	char name[32] = "";
	struct command command;
	struct err err = {0};

	signal(SIGTERM, SIG_DFL); /* the child would run Check's handler */
	ck_assert_int_eq(command_start(&command, args, &err), 0);
	for (int i = 0; i < 3000 && strcmp(name, "some-command\n") != 0; i++) {
		nanosleep(&moment, NULL);
		read_name(&command, name);
	}
	ck_assert_str_eq(name, "some-command\n");
	command_close(&command);
}
END_TEST

#define RUN(...)      run((const char *const[]){__VA_ARGS__, NULL})
#define SHELL(script) RUN("sh", "-c", script)

START_TEST(exit_status)
{
	int status = SHELL("exit 0");

	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	status = SHELL("exit 7");
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	/* A shell exits with 127 for a command that it cannot start. A program may do so, too. */
	status = SHELL("exit 127");
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 127);
	status = SHELL("kill -KILL $$");
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
END_TEST

START_TEST(arguments)
{
	ck_assert_int_eq(RUN("test", "a b", "=", "a b"), 0);
	ck_assert_int_ne(RUN("/usr/bin/test", "a", "=", "b"), 0);
}
END_TEST

static void expect_failure(const char *name, int code, const char *text)
{
	char *argv[] = {(char *)(uintptr_t)name, NULL};
	struct command command;
	struct err err = {0};

	ck_assert_int_eq(command_start(&command, argv, &err), 0);
	ck_assert_int_eq(command_go(&command, name, &err), code);
	ck_assert_str_eq(err.text, text);
	ck_assert_int_eq(command.refused, code == -ENOENT ? 127 : 126);
	wait_for_exit(command.pidfd);
	command_reap(&command);
	ck_assert(command.exited);
	ck_assert(WIFEXITED(command.status) && WEXITSTATUS(command.status) == 127);
	command_close(&command);
}

START_TEST(what_cannot_be_run)
{
	const char *dir = enter_new_dir();
	char path[300], text[400];

	expect_failure("no-such-command-here", -ENOENT,
		       "failed to run 'no-such-command-here': No such file or directory");
	expect_failure("", -ENOENT, "failed to run '': No such file or directory");
	write_file("file", "no program\n");
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(text, sizeof(text), "failed to run '%s': Permission denied", path);
	expect_failure(path, -EACCES, text);
	snprintf(text, sizeof(text), "failed to run '%s': Permission denied", dir);
	expect_failure(dir, -EACCES, text);
	snprintf(path, sizeof(path), "%s/file/x", dir);
	snprintf(text, sizeof(text), "failed to run '%s': Not a directory", path);
	expect_failure(path, -ENOTDIR, text);
}
END_TEST

static void exe_of(pid_t pid, char *exe, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, exe, size - 1);
	ck_assert_int_gt(n, 0);
	exe[n] = '\0';
}

/* Starts a cat that reads a pipe, which becomes standard input. Returns the pipe's other end. */
static int start_cat(struct command *command)
{
	char *argv[] = {(char[]){"cat"}, NULL};
	struct err err = {0};
	int in[2];

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(in[0], STDIN_FILENO), STDIN_FILENO);
	close(in[0]);
	ck_assert_int_eq(command_start(command, argv, &err), 0);
	return in[1];
}

START_TEST(is_held_until_it_may_go)
{
	char own[4096], exe[4096];
	struct command command;
	struct err err = {0};
	int in = start_cat(&command);

	exe_of(getpid(), own, sizeof(own));
	exe_of(command.pid, exe, sizeof(exe));
	ck_assert_str_eq(exe, own);
	command_reap(&command);
	ck_assert(!command.exited);
	/* command_go returns after the exec. */
	ck_assert_int_eq(command_go(&command, "cat", &err), 0);
	exe_of(command.pid, exe, sizeof(exe));
	ck_assert_str_ne(exe, own);
	command_reap(&command);
	ck_assert(!command.exited);
	close(in);
	wait_for_exit(command.pidfd);
	command_reap(&command);
	ck_assert(command.exited);
	ck_assert_int_eq(command.status, 0);
	command_close(&command);
}
END_TEST

static const struct {
	int signal;
	const char *script;
} deaths[] = {
	{SIGHUP, "kill -HUP $$; exit 5"},   {SIGINT, "kill -INT $$; exit 5"},
	{SIGTERM, "kill -TERM $$; exit 5"}, {SIGPIPE, "kill -PIPE $$; exit 5"},
	{SIGUSR1, "kill -USR1 $$; exit 5"}, {SIGXFSZ, "kill -XFSZ $$; exit 5"},
};

/* Returns a bit for each of the signals that a command survives. */
static unsigned int survives(void)
{
	unsigned int survived = 0;

	for (size_t i = 0; i < ARRAY_SIZE(deaths); i++) {
		int status = SHELL(deaths[i].script);

		if (WIFEXITED(status) && WEXITSTATUS(status) == 5)
			survived |= 1u << i;
		else
			ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == deaths[i].signal);
	}
	return survived;
}

/* The command has the signal actions that the recorder was given, not those it sets. */
START_TEST(signals_of_the_command)
{
	sigset_t mask;

	sigemptyset(&mask);
	ck_assert_int_eq(sigprocmask(SIG_SETMASK, &mask, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(deaths); i++)
		signal(deaths[i].signal, SIG_DFL);
	wakeups_block_signals();
	ck_assert_uint_eq(survives(), 0);
}
END_TEST

START_TEST(signals_that_are_ignored)
{
	for (unsigned int set = 0; set < 1u << ARRAY_SIZE(deaths); set += 7) {
		sigset_t none;

		sigemptyset(&none);
		ck_assert_int_eq(sigprocmask(SIG_SETMASK, &none, NULL), 0);
		for (size_t i = 0; i < ARRAY_SIZE(deaths); i++)
			signal(deaths[i].signal, set >> i & 1 ? SIG_IGN : SIG_DFL);
		wakeups_block_signals();
		ck_assert_uint_eq(survives(), set);
	}
}
END_TEST

START_TEST(signals_that_are_blocked)
{
	unsigned int set = 1u << 1 | 1u << 4; /* SIGINT, which the recorder blocks, and SIGUSR1 */
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(deaths); i++) {
		signal(deaths[i].signal, SIG_DFL);
		if (set >> i & 1)
			sigaddset(&mask, deaths[i].signal);
	}
	ck_assert_int_eq(sigprocmask(SIG_SETMASK, &mask, NULL), 0);
	wakeups_block_signals();
	ck_assert_uint_eq(survives(), set);
}
END_TEST

/* Closes @command and returns the exit status of its process. */
static int close_and_wait(struct command *command)
{
	pid_t pid = command->pid;
	int status;

	command_close(command);
	ck_assert_int_eq(command->pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	command_close(command); /* closed before: no effect */
	return status;
}

START_TEST(close_ends_it)
{
	struct command command;
	struct err err = {0};
	int in = start_cat(&command), status;

	ck_assert_int_eq(command_go(&command, "cat", &err), 0);
	status = close_and_wait(&command);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	close(in);
}
END_TEST

/* The recorder fails before command_go: the command never runs. */
START_TEST(close_before_it_may_go)
{
	char *argv[] = {(char[]){"touch"}, (char[]){"ran"}, NULL};
	struct command command;
	struct err err = {0};
	struct stat st;
	int status;

	signal(SIGTERM, SIG_DFL); /* the child would run Check's handler */
	enter_new_dir();
	ck_assert_int_eq(command_start(&command, argv, &err), 0);
	status = close_and_wait(&command);
	ck_assert_msg((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) ||
			      (WIFEXITED(status) && WEXITSTATUS(status) == 127),
		      "status %d", status);
	ck_assert_int_eq(stat("ran", &st), -1);
}
END_TEST

/* All descriptors of a command that has ended are closed. */
START_TEST(descriptors)
{
	int before = open("/dev/null", O_RDONLY), after;

	close(before);
	RUN("true");
	expect_failure("no-such-command-here", -ENOENT,
		       "failed to run 'no-such-command-here': No such file or directory");
	after = open("/dev/null", O_RDONLY);
	ck_assert_int_eq(after, before);
	close(after);
}
END_TEST

START_TEST(close_of_none)
{
	struct command command = {.pidfd = -1, .go_fd = -1, .failed_fd = -1};

	command_reap(&command);
	command_close(&command);
	ck_assert(!command.exited);
}
END_TEST

/* A directory that this user may not search would change what is said of commands. */
static void begin(void)
{
	ck_assert_int_eq(setenv("PATH", "/usr/bin:/bin", 1), 0);
}

SUITE_MAIN_WITH("command", begin, NULL, exit_status, arguments, name_before_exec,
		what_cannot_be_run, is_held_until_it_may_go, signals_of_the_command,
		signals_that_are_ignored, signals_that_are_blocked, close_ends_it,
		close_before_it_may_go, descriptors, close_of_none)
