// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/system/child.h"
#include "record/system/fd_message.h"
#include "record/system/privilege.h"
#include "record/cfi/unwind_table.h"

/* The user "nobody", by convention. */
#define NOBODY 65534

/*
 * Room for the largest section, its table, and the recorder's own memory when the fork comes late.
 */
#define ADDRESS_SPACE_MAX (2ull << 30)
#define FILE_BYTES_MAX    (256ull << 20)

/*
 * Also limits the descriptors that all processes of the user have sent and nobody has received yet.
 * Each recorder of this machine may have some dozen tables on their way.
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
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
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

struct table_request table_request_make(uint32_t tag, const uint8_t *known)
{
	struct table_request request = {.tag = tag, .is_known = known != NULL};

	if (known)
		memcpy(request.known, known, sizeof(request.known));
	return request;
}

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

/*
 * Gives up all privileges. Root may be unable to become another user: in a container, or when the
 * recorder has given up its capabilities before. Then it stays a root without capabilities.
 */
static int confine_worker(pid_t parent)
{
	const struct sock_fprog program = {ARRAY_SIZE(filter), (struct sock_filter *)filter};
	int ret;

	clearenv();
	set_limits();
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		return -errno;
	ret = privilege_drop(NULL, 0, NULL);
	if (ret)
		return ret;
	/* The change of user resets this, so it comes after. */
	ret = child_die_with(parent);
	if (ret)
		return ret;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) ? -errno : 0;
}

/* The table of the file @fd as a sealed memfd. -EALREADY: it has the hash @known. */
static int make_table(int fd, const uint8_t *known, int *out)
{
	_cleanup_(unwind_table_deinit) struct unwind_table table = {0};
	_cleanup_close_ int memfd = -1;
	int ret = unwind_table_build_unless(fd, known, &table);

	if (ret)
		return ret;
	memfd = memfd_create("unwind-table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0)
		return -errno;
	ret = unwind_table_write(memfd, &table);
	if (!ret && fcntl(memfd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK))
		ret = -errno;
	if (!ret)
		*out = TAKE_FD(memfd);
	return ret;
}

static int answer_request(int sock)
{
	_cleanup_close_ int fd = -1, memfd = -1;
	struct table_request request;
	struct table_reply reply;
	int ret = fd_message_receive(sock, &request, sizeof(request), &fd);

	if (ret)
		return ret;
	reply.tag = request.tag;
	reply.status = make_table(fd, request.is_known ? request.known : NULL, &memfd);
	malloc_trim(0);
	return fd_message_send(sock, &reply, sizeof(reply), memfd);
}

void table_worker_run(int sock)
{
	pid_t parent = getppid();

	if (child_begin(sock, "profrec-tables") || confine_worker(parent))
		_exit(1);
	while (!answer_request(STDIN_FILENO))
		;
	_exit(0);
}
