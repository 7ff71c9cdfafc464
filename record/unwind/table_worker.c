// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/system/child.h"
#include "record/system/fd_message.h"
#include "record/system/sandbox.h"
#include "record/system/worker_line.h"
#include "record/cfi/unwind_table.h"
#include "record/languages/interpreter_search.h"

_Static_assert(sizeof(struct found_interpreter) <= WORKER_OWN_BYTES, "a reply has room for it");

struct table_request table_request_make(uint32_t tag, const uint8_t *known)
{
	struct table_request request = {.tag = tag, .is_known = known != NULL};

	if (known)
		memcpy(request.known, known, sizeof(request.known));
	return request;
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
	struct worker_reply reply = {0};
	struct found_interpreter found;
	int ret = fd_message_receive(sock, &request, sizeof(request), &fd);

	if (ret)
		return ret;
	reply.tag = request.tag;
	reply.status = make_table(fd, request.is_known ? request.known : NULL, &memfd);
	interpreter_search(fd, &found);
	memcpy(reply.own, &found, sizeof(found));
	malloc_trim(0);
	return fd_message_send(sock, &reply, sizeof(reply), memfd);
}

void table_worker_run(int sock)
{
	pid_t parent = getppid();

	if (child_begin(sock, "profrec-tables") || sandbox_enter(parent))
		_exit(1);
	while (!answer_request(STDIN_FILENO))
		;
	_exit(0);
}
