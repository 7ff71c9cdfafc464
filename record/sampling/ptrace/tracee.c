// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/tracee.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "record/host/privilege.h"

/*
 * Who has a capability by the file of this program alone must not trace by it: whoever stops the
 * recorder would stop the threads of others.
 */
static int seize(uint32_t tid, unsigned long options)
{
	bool is_lowered;
	int ret = privilege_lower(CAP_SYS_PTRACE, &is_lowered);

	if (ret)
		return ret;
	ret = ptrace(PTRACE_SEIZE, tid, 0, options) ? -errno : 0;
	if (is_lowered)
		privilege_raise(CAP_SYS_PTRACE);
	return ret;
}

static int request_of_kernel(int request, uint32_t tid, unsigned long data)
{
	if (request == PTRACE_SEIZE)
		return seize(tid, data);
	return ptrace(request, tid, 0, data) ? -errno : 0;
}

static int message_of_kernel(uint32_t tid, unsigned long *message)
{
	return ptrace(PTRACE_GETEVENTMSG, tid, 0, message) ? -errno : 0;
}

static int read_registers_of_kernel(uint32_t tid, struct user_regs_struct *regs)
{
	struct iovec iov = {regs, sizeof(*regs)};

	return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov) ? -errno : (int)iov.iov_len;
}

static int write_registers_of_kernel(uint32_t tid, const struct user_regs_struct *regs)
{
	struct user_regs_struct copy = *regs;
	struct iovec iov = {&copy, sizeof(copy)};

	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &iov) ? -errno : 0;
}

static int wait_of_kernel(idtype_t type, uint32_t id, siginfo_t *info, int flags)
{
	return waitid(type, id, info, flags) ? -errno : 0;
}

static const struct tracee_ops ops_of_kernel = {
	.request = request_of_kernel,
	.message = message_of_kernel,
	.read_registers = read_registers_of_kernel,
	.write_registers = write_registers_of_kernel,
	.wait = wait_of_kernel,
};

const struct tracee_ops *tracee = &ops_of_kernel;
