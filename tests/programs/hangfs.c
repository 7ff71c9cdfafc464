// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hangfs MOUNTPOINT NAME=PATH...: a file system of the files at the paths, which can be told to
 * stop answering. Each file has all names that begin with its NAME. The program mounts itself, and
 * serves until it is killed, or for five minutes at most; then all that wait for it fail. A look-up
 * of the name "hang-OPERATION" is the order to answer no such request from then on: lookup,
 * getattr, open, read, flush; or body, which is reads beyond the first 8 KiB of files that are kept
 * in memory otherwise. After "slow-OPERATION" each takes 45 ms. With HANGFS_USER=UID in its
 * environment, it mounts and serves for that user alone, as fusermount3 does for anybody.
 *
 * hangfs exec FILE: opens the file, and calls exec while it is open (with close-on-exec).
 *
 * Speaks the protocol of include/uapi/linux/fuse.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <sys/uio.h>
#include <unistd.h>

#define REQUEST_BYTES (1 << 17)
#define SECONDS_MAX   300
#define SLOW_NS       45000000
#define BODY_BEGIN    8192

struct file {
	const char *name;
	int fd;
};

static struct file *files;
static int nr_files, fuse;
static bool hangs[64], is_slow[64], body_hangs;

static int reply(const struct fuse_in_header *in, int error, const void *data, size_t len)
{
	struct fuse_out_header out = {
		.len = sizeof(out) + len, .error = error, .unique = in->unique};
	struct iovec parts[] = {{&out, sizeof(out)}, {(void *)data, len}};

	return writev(fuse, parts, len ? 2 : 1) < 0;
}

/* Inode 1 is the directory, and 2 the first file. Nothing may be kept: each look asks again. */
static int fill_attr(uint64_t inode, struct fuse_attr *attr)
{
	struct stat st;

	*attr = (struct fuse_attr){.ino = 1, .mode = S_IFDIR | 0755, .nlink = 2, .blksize = 4096};
	if (inode == FUSE_ROOT_ID)
		return 0;
	if (inode > (uint64_t)nr_files + 1 || fstat(files[inode - 2].fd, &st))
		return -ENOENT;
	*attr = (struct fuse_attr){.ino = inode,
				   .mode = S_IFREG | 0755,
				   .nlink = 1,
				   .size = st.st_size,
				   .blksize = 4096,
				   .mtime = st.st_mtim.tv_sec,
				   .ctime = st.st_ctim.tv_sec};
	return 0;
}

static void take_order(const char *operation, bool orders[])
{
	static const struct {
		const char *name;
		uint32_t opcode;
	} operations[] = {
		{"lookup", FUSE_LOOKUP}, {"getattr", FUSE_GETATTR}, {"open", FUSE_OPEN},
		{"read", FUSE_READ},     {"flush", FUSE_FLUSH},
	};

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strcmp(operation, operations[i].name))
			orders[operations[i].opcode] = true;
}

static int answer_lookup(const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out entry = {0};

	body_hangs = body_hangs || !strcmp(name, "hang-body");
	if (!strncmp(name, "hang-", 5))
		take_order(name + 5, hangs);
	if (!strncmp(name, "slow-", 5))
		take_order(name + 5, is_slow);
	for (int i = 0; i < nr_files; i++) {
		if (strncmp(name, files[i].name, strlen(files[i].name)) != 0)
			continue;
		entry.nodeid = i + 2;
		fill_attr(entry.nodeid, &entry.attr);
		return reply(in, 0, &entry, sizeof(entry));
	}
	return reply(in, -ENOENT, NULL, 0);
}

static int answer_read(const struct fuse_in_header *in, const struct fuse_read_in *want)
{
	static char data[REQUEST_BYTES];
	size_t size = want->size < sizeof(data) ? want->size : sizeof(data);
	ssize_t n = pread(files[in->nodeid - 2].fd, data, size, want->offset);

	if (body_hangs && want->offset >= BODY_BEGIN)
		return 0;
	return n < 0 ? reply(in, -EIO, NULL, 0) : reply(in, 0, data, n);
}

static int answer_init(const struct fuse_in_header *in)
{
	const struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
					  .minor = 31,
					  .max_readahead = 4096,
					  .max_write = 4096};

	return reply(in, 0, &out, sizeof(out));
}

static int answer(const struct fuse_in_header *in, const void *body)
{
	struct fuse_attr_out attr = {0};
	const struct fuse_open_out open_out = {.fh = 1,
					       .open_flags = body_hangs ? FOPEN_KEEP_CACHE : 0};

	switch (in->opcode) {
	case FUSE_INIT:
		return answer_init(in);
	case FUSE_LOOKUP:
		return answer_lookup(in, body);
	case FUSE_GETATTR:
		return reply(in, fill_attr(in->nodeid, &attr.attr), &attr, sizeof(attr));
	case FUSE_OPEN:
		return reply(in, 0, &open_out, sizeof(open_out));
	case FUSE_READ:
		return answer_read(in, body);
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return reply(in, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return 0;
	default:
		return reply(in, -ENOSYS, NULL, 0);
	}
}

static void serve(void)
{
	static char request[REQUEST_BYTES];

	for (;;) {
		const struct fuse_in_header *in = (const void *)request;
		ssize_t n = read(fuse, request, sizeof(request) - 1);

		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof(*in))
			exit(0);
		request[n] = '\0';
		if (in->opcode < sizeof(hangs) && hangs[in->opcode])
			continue;
		if (in->opcode < sizeof(is_slow) && is_slow[in->opcode])
			nanosleep(&(struct timespec){.tv_nsec = SLOW_NS}, NULL);
		answer(in, in + 1);
	}
}

static int open_files(char **argv)
{
	for (; *argv; argv++, nr_files++) {
		char *path = strchr(*argv, '=');

		if (!path)
			return 1;
		*path++ = '\0';
		files[nr_files] = (struct file){*argv, open(path, O_RDONLY | O_CLOEXEC)};
		if (files[nr_files].fd < 0) {
			perror(path);
			return 1;
		}
	}
	return 0;
}

static int mount_for(const char *user, const char *mountpoint)
{
	uid_t uid = user ? atoi(user) : 0;
	char options[128];

	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u%s", fuse,
		 uid, uid, user ? "" : ",allow_other");
	if (fuse < 0 || mount("hangfs", mountpoint, "fuse", 0, options))
		return -1;
	return user && (setresgid(uid, uid, uid) || setresuid(uid, uid, uid)) ? -1 : 0;
}

int main(int argc, char **argv)
{

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "exec")) {
		if (open(argv[2], O_RDONLY | O_CLOEXEC) < 0)
			return 1;
		printf("begins\n");
		fflush(stdout);
		execlp("sleep", "sleep", "1000", NULL);
		return 1;
	}
	files = calloc(argc, sizeof(*files));
	if (!files || open_files(argv + 2))
		return 1;
	if (mount_for(getenv("HANGFS_USER"), argv[1])) {
		perror("hangfs");
		return 1;
	}
	/* Whoever waits for it could not be ended if this process outlived its test. */
	alarm(SECONDS_MAX);
	serve();
}
