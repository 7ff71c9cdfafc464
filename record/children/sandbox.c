// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/children/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/children/child.h"
#include "record/host/host_abi.h"
#include "record/host/privilege.h"

/* The user "nobody", by convention: for user namespaces without OWN_USER. */
#define NOBODY 65534

/*
 * Users from here on are nobody's (systemd's list of user ids). A child gets one of them by chance,
 * because a process of the child's user could end and stop the child, and use up what the kernel
 * limits by user: descriptors on their way.
 */
#define OWN_USER      0x80000000u
#define OWN_USER_BITS 0x3fffffffu

/*
 * Room for the largest section, for tables made of it, and for the recorder's own memory when the
 * fork comes late.
 */
#define ADDRESS_SPACE_MAX (2ull << 30)
#define FILE_BYTES_MAX    (256ull << 20)

/*
 * Also limits the descriptors that all processes of the user have sent and nobody has received yet.
 * Each recorder of this host may have some dozen files on their way.
 */
#define FILES_MAX 1024

#define LOAD(member)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define REFUSE         RETURN(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(number)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), RETURN(SECCOMP_RET_ALLOW)

/*
 * Any other system call fails, and does not end the process. The C library makes some that it can
 * do without: qsort asks for the size of the memory.
 */
static const struct sock_filter filter[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, HOST_AUDIT_ARCH, 1, 0),
	REFUSE,
	LOAD(nr),
	ALLOW(SYS_pread64),
	ALLOW(SYS_write),
	ALLOW(SYS_recvmsg),
	ALLOW(SYS_sendmsg),
	ALLOW(SYS_close),
	ALLOW(SYS_fstat),
	ALLOW(SYS_newfstatat), /* fstat in glibc */
	ALLOW(SYS_memfd_create),
	ALLOW(SYS_fcntl),
	ALLOW(SYS_exit_group),
	ALLOW(SYS_brk),
	ALLOW(SYS_munmap),
	ALLOW(SYS_mremap),
	ALLOW(SYS_madvise),
	ALLOW(SYS_getrandom), /* malloc, once */
	ALLOW(SYS_clock_gettime),
	ALLOW(SYS_setitimer),
	ALLOW(SYS_setpriority),
	ALLOW(SYS_rt_sigreturn),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
	REFUSE,
	LOAD(args[2]), /* prot, the lower half */
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
	REFUSE,
	RETURN(SECCOMP_RET_ALLOW),
};

/* AddressSanitizer reserves terabytes. gcc and clang say in different ways that it is there. */
#ifdef __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#endif

static void set_limit(int resource, rlim_t max)
{
	const struct rlimit limits = {max, max};

	setrlimit(resource, &limits);
}

static void set_limits(void)
{
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_NOFILE, FILES_MAX);
	set_limit(RLIMIT_FSIZE, FILE_BYTES_MAX);
#ifndef HAS_ADDRESS_SANITIZER
	set_limit(RLIMIT_AS, ADDRESS_SPACE_MAX);
#endif
}

static int change_user(void)
{
	uint32_t user = 0;

	/* Without CAP_KILL, the recorder could not end a child of another user. */
	if (geteuid() || !privilege_has(CAP_KILL) || setgroups(0, NULL))
		return 0;
	if (getrandom(&user, sizeof(user), 0) == sizeof(user)) {
		user = OWN_USER + (user & OWN_USER_BITS);
		if (!setresgid(user, user, user) && !setresuid(user, user, user))
			return 0;
	}
	if (setresgid(NOBODY, NOBODY, NOBODY))
		return 0;
	return setresuid(NOBODY, NOBODY, NOBODY) ? -errno : 0;
}

int sandbox_enter(pid_t parent)
{
	const struct sock_fprog program = {ARRAY_SIZE(filter), (struct sock_filter *)filter};
	int ret;

	clearenv();
	set_limits();
	ret = change_user();
	if (!ret)
		ret = privilege_drop(NULL, 0, NULL);
	if (ret)
		return ret;
	/* The change of user resets this, so it comes after. */
	ret = child_die_with(parent);
	if (ret)
		return ret;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) ? -errno : 0;
}
