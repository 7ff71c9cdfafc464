// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "record/host/open_files.h"
#include "record/host/wakeups.h"

/* Runs in the child: waits for the byte, then calls exec. */
static void __attribute__((noreturn)) run_child(int go_fd, int failed_fd, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	char go;
	int code;

	/* Who samples without BPF may see it before its exec. */
	prctl(PR_SET_NAME, slash ? slash + 1 : argv[0]);
	wakeups_restore_signals();
	open_files_restore();
	if (read(go_fd, &go, 1) != 1)
		_exit(127); /* the recorder has ended or failed */
	execvp(argv[0], argv);
	code = errno;
	if (write(failed_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

int command_start(struct command *command, char **argv, struct err *err)
{
	int go[2] = {-1, -1}, failed[2] = {-1, -1};

	*command = (struct command){.pidfd = -1, .go_fd = -1, .failed_fd = -1};
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) {
		err_set(err, -errno, "failed to start '%s': %m", argv[0]);
		goto out;
	}
	command->pid = fork();
	if (command->pid < 0) {
		err_set(err, -errno, "failed to start '%s': %m", argv[0]);
		command->pid = 0;
		goto out;
	}
	if (!command->pid) {
		close(go[1]);
		run_child(go[0], failed[1], argv);
	}
	command->go_fd = TAKE_FD(go[1]);
	command->failed_fd = TAKE_FD(failed[0]);
	command->pidfd = syscall(SYS_pidfd_open, command->pid, 0);
	if (command->pidfd < 0)
		err_set(err, -errno, "failed to watch '%s': %m", argv[0]);
out:
	cleanup_close(&go[0]);
	cleanup_close(&go[1]);
	cleanup_close(&failed[0]);
	cleanup_close(&failed[1]);
	return command->pidfd < 0 ? -ECHILD : 0;
}

int command_go(struct command *command, const char *name, struct err *err)
{
	int code;

	if (write(command->go_fd, "", 1) != 1)
		return err_set(err, -errno, "failed to start '%s': %m", name);
	cleanup_close(&command->go_fd);
	command->go_fd = -1;
	/* A successful exec closes the other end of the pipe. A failed one writes its errno. */
	if (io_read(command->failed_fd, &code, sizeof(code)) == sizeof(code)) {
		command->refused = code == ENOENT ? 127 : 126;
		return err_set(err, -code, "failed to run '%s': %s", name, strerror(code));
	}
	return 0;
}

void command_reap(struct command *command)
{
	siginfo_t info = {0};

	/*
	 * If the recorder traces the command, its stops are seen, too. They are for somebody else.
	 */
	if (!command->pid || command->exited ||
	    waitid(P_PID, command->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid ||
	    info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
		return;
	command->exited = waitpid(command->pid, &command->status, WNOHANG) > 0;
}

int command_exit_status(const struct command *command)
{
	return WIFSIGNALED(command->status) ? 128 + WTERMSIG(command->status)
					    : WEXITSTATUS(command->status);
}

void command_close(struct command *command)
{
	if (!command->pid)
		return;
	command_reap(command);
	if (!command->exited)
		syscall(SYS_pidfd_send_signal, command->pidfd, SIGTERM, NULL, 0);
	cleanup_close(&command->pidfd);
	cleanup_close(&command->go_fd);
	cleanup_close(&command->failed_fd);
	*command = (struct command){.pidfd = -1, .go_fd = -1, .failed_fd = -1};
}
