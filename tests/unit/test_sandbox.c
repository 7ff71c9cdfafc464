// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sandboxed child gives up. The test plays the kernel, and judges its filter (--wrap). */
#include "record/children/sandbox.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/children/child.h"
#include "record/host/host_abi.h"
#include "record/host/privilege.h"
#include "tests/unit/suite.h"

#define PARENT 77
#define NOBODY 65534

static struct {
	bool is_user, has_no_kill, keeps_groups, has_no_random;
	uint32_t random;
	uint32_t gid_max, uid_max; /* of the user namespace */
	uint32_t gid, uid;         /* 0: as before */
	int drop_error, die_error, filter_error;
	struct rlimit limits[RLIMIT_NLIMITS];
	struct sock_fprog filter;
	char order[8]; /* of what was done: user, privileges, parent, filter */
} played;

uid_t __wrap_geteuid(void);
bool __wrap_privilege_has(int cap);
int __wrap_setgroups(size_t nr, const gid_t *groups);
ssize_t __wrap_getrandom(void *buf, size_t size, unsigned int flags);
int __wrap_setresgid(gid_t real, gid_t effective, gid_t saved);
int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved);
int __wrap_privilege_drop(const struct privilege_need *needs, size_t nr, struct err *err);
int __wrap_child_die_with(pid_t parent);
int __wrap_setrlimit64(int resource, const struct rlimit *limits);
int __wrap_prctl(int option, ...);

static void note(char what)
{
	const size_t nr = strlen(played.order);

	ck_assert_uint_lt(nr + 1, sizeof(played.order));
	played.order[nr] = what;
}

uid_t __wrap_geteuid(void)
{
	return played.is_user ? 1000 : 0;
}

bool __wrap_privilege_has(int cap)
{
	ck_assert_int_eq(cap, 5); /* CAP_KILL */
	return !played.has_no_kill;
}

int __wrap_setgroups(size_t nr, const gid_t *groups)
{
	ck_assert(!nr && !groups);
	return played.keeps_groups ? -1 : 0;
}

ssize_t __wrap_getrandom(void *buf, size_t size, unsigned int flags)
{
	ck_assert_uint_eq(size, sizeof(played.random));
	ck_assert_uint_eq(flags, 0);
	memcpy(buf, &played.random, size);
	return played.has_no_random ? -1 : (ssize_t)size;
}

int __wrap_setresgid(gid_t real, gid_t effective, gid_t saved)
{
	ck_assert(real == effective && real == saved);
	errno = EINVAL;
	if (real > played.gid_max)
		return -1;
	played.gid = real;
	return 0;
}

int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved)
{
	ck_assert(real == effective && real == saved);
	ck_assert_uint_eq(real, played.gid);
	errno = EAGAIN;
	if (real > played.uid_max)
		return -1;
	note('u');
	played.uid = real;
	return 0;
}

int __wrap_privilege_drop(const struct privilege_need *needs, size_t nr, struct err *err)
{
	ck_assert(!needs && !nr && !err);
	note('p');
	return played.drop_error;
}

int __wrap_child_die_with(pid_t parent)
{
	ck_assert_int_eq(parent, PARENT);
	note('d');
	return played.die_error;
}

int __wrap_setrlimit64(int resource, const struct rlimit *limits)
{
	ck_assert_uint_eq(limits->rlim_cur, limits->rlim_max);
	played.limits[resource] = *limits;
	return 0;
}

int __wrap_prctl(int option, ...)
{
	va_list args;

	va_start(args, option);
	ck_assert_int_eq(option, PR_SET_SECCOMP);
	ck_assert_int_eq(va_arg(args, int), SECCOMP_MODE_FILTER);
	played.filter = *va_arg(args, const struct sock_fprog *);
	va_end(args);
	note('f');
	errno = -played.filter_error;
	return played.filter_error ? -1 : 0;
}

static void begin(void)
{
	memset(&played, 0, sizeof(played));
	played.gid_max = played.uid_max = UINT32_MAX;
	played.random = UINT32_MAX;
	for (int i = 0; i < RLIMIT_NLIMITS; i++)
		played.limits[i].rlim_max = 7;
}

static void expect(int ret, const char *order, uint32_t user)
{
	ck_assert_int_eq(sandbox_enter(PARENT), ret);
	ck_assert_str_eq(played.order, order);
	ck_assert_uint_eq(played.uid, user);
}

/* The user comes first, because a change of it would undo what follows. */
START_TEST(order)
{
	ck_assert_int_eq(setenv("SECRET", "1", 1), 0);
	expect(0, "updf", 0xbfffffff);
	ck_assert_ptr_null(getenv("SECRET"));
	begin();
	played.drop_error = -EPERM;
	expect(-EPERM, "up", 0xbfffffff);
	begin();
	played.die_error = -ESRCH;
	expect(-ESRCH, "upd", 0xbfffffff);
	begin();
	played.filter_error = -EINVAL;
	expect(-EINVAL, "updf", 0xbfffffff);
}
END_TEST

START_TEST(limits)
{
	expect(0, "updf", 0xbfffffff);
	ck_assert_uint_eq(played.limits[RLIMIT_CORE].rlim_max, 0);
	ck_assert_uint_eq(played.limits[RLIMIT_NOFILE].rlim_max, 1024);
	ck_assert_uint_eq(played.limits[RLIMIT_FSIZE].rlim_max, 256 << 20);
#ifndef __SANITIZE_ADDRESS__
	ck_assert_uint_eq(played.limits[RLIMIT_AS].rlim_max, UINT64_C(2) << 30);
#endif
	ck_assert_uint_eq(played.limits[RLIMIT_STACK].rlim_max, 7);
}
END_TEST

/* A user that nobody else has, or nobody, where the user namespace does not have it. */
START_TEST(users)
{
	played.random = 0;
	expect(0, "updf", 0x80000000);
	begin();
	played.random = 0x40000005;
	expect(0, "updf", 0x80000005);
	begin();
	played.gid_max = 0x80000000;
	expect(0, "updf", NOBODY);
	begin();
	played.uid_max = 0x80000000;
	expect(0, "updf", NOBODY);
	begin();
	played.has_no_random = true;
	expect(0, "updf", NOBODY);
}
END_TEST

/* Who cannot end a child of another user keeps its own, and so does who is no root. */
START_TEST(users_that_stay)
{
	bool *const reasons[] = {&played.is_user, &played.has_no_kill, &played.keeps_groups};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		begin();
		*reasons[i] = true;
		expect(0, "pdf", 0);
	}
	/* A namespace may not even have nobody. */
	begin();
	played.gid_max = 1000;
	expect(0, "pdf", 0);
	/* With the group of nobody and root's user it would be neither. */
	begin();
	played.uid_max = 1000;
	expect(-EAGAIN, "", 0);
}
END_TEST

/* Runs the filter, of the few instructions that it needs, as the kernel does. */
static uint32_t judge(const struct seccomp_data *data)
{
	uint32_t value = 0;

	for (size_t i = 0; i < played.filter.len; i++) {
		const struct sock_filter *in = &played.filter.filter[i];

		switch (in->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			ck_assert_uint_le(in->k + 4, sizeof(*data));
			memcpy(&value, (const char *)data + in->k, 4);
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += value == in->k ? in->jt : in->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			i += value & in->k ? in->jt : in->jf;
			break;
		case BPF_RET | BPF_K:
			return in->k;
		default:
			ck_abort_msg("instruction %zu", i);
		}
	}
	ck_abort_msg("no verdict");
}

static bool allows(int number, uint32_t arch, uint64_t prot)
{
	const struct seccomp_data data = {.nr = number, .arch = arch, .args = {0, 0, prot}};
	const uint32_t verdict = judge(&data);

	if (verdict != SECCOMP_RET_ALLOW)
		ck_assert_uint_eq(verdict, SECCOMP_RET_ERRNO | EPERM);
	return verdict == SECCOMP_RET_ALLOW;
}

START_TEST(system_calls)
{
	static const int allowed[] = {
		SYS_pread64,   SYS_write,       SYS_recvmsg,      SYS_sendmsg,
		SYS_close,     SYS_fstat,       SYS_newfstatat,   SYS_memfd_create,
		SYS_fcntl,     SYS_exit_group,  SYS_brk,          SYS_munmap,
		SYS_mremap,    SYS_madvise,     SYS_getrandom,    SYS_clock_gettime,
		SYS_setitimer, SYS_setpriority, SYS_rt_sigreturn, SYS_mmap,
	};

	expect(0, "updf", 0xbfffffff);
	for (int number = -1; number < 1024; number++) {
		bool is_allowed = false;

		for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
			is_allowed |= number == allowed[i];
		ck_assert_msg(allows(number, HOST_AUDIT_ARCH, 0) == is_allowed, "call %d", number);
		/* The numbers are those of this architecture alone. */
		ck_assert(!allows(number, HOST_AUDIT_ARCH ^ 1, 0));
	}
	/* As those of x32 are. */
	ck_assert(!allows(SYS_write | 0x40000000, HOST_AUDIT_ARCH, 0));
}
END_TEST

/* Nobody makes code: neither by mmap, nor by a change of what is mapped. */
START_TEST(memory)
{
	expect(0, "updf", 0xbfffffff);
	for (uint64_t prot = 0; prot < 256; prot++)
		ck_assert_int_eq(allows(SYS_mmap, HOST_AUDIT_ARCH, prot), !(prot & PROT_EXEC));
	ck_assert(!allows(SYS_mprotect, HOST_AUDIT_ARCH, PROT_READ));
	ck_assert(allows(SYS_write, HOST_AUDIT_ARCH, PROT_EXEC));
}
END_TEST

SUITE_MAIN_WITH("sandbox", begin, NULL, order, limits, users, users_that_stay, system_calls, memory)
