// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/registered_look.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/minmax.h"
#include "record/children/fd_message.h"
#include "record/looks/proc_task.h"
#include "record/machines/process_reads.h"

enum wish { READ_LIST, SEND_FILE, NAME_FUNCTIONS };

struct question {
	enum wish wish;
	uint32_t pid;
	uint64_t descriptor, base;
	size_t nr; /* of the message to the child */
	char message[256];
};

/* Makes the file, and sends it to the child, whose socket came with the question. */
static int send_file(struct look *look, const struct machine_memory *memory,
		     const struct question *q)
{
	_cleanup_close_ int fd = memfd_create("registered-code", MFD_CLOEXEC);
	struct sent_file sent = {.owner = proc_owner(q->pid)};
	int ret = fd < 0 ? -errno : registered_code_write(memory, q->descriptor, q->base, fd);

	if (ret)
		return ret;
	look_answer_append(look, &sent, sizeof(sent));
	return fd_message_send(look->fd, q->message, min_u64(q->nr, sizeof(q->message)), fd);
}

static int name_functions(struct look *look, const struct machine_memory *memory,
			  const struct question *q)
{
	_cleanup_close_ int fd = memfd_create("made-code", MFD_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t nr = 0;
	FILE *out = open_memstream(&text, &nr);
	int ret = out ? registered_code_name(memory, q->descriptor, out) : -ENOMEM;

	if (out && fclose(out) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = fd < 0 ? -EMFILE : io_write_all(fd, text, nr);
	if (!ret)
		look->answer_fd = TAKE_FD(fd);
	return ret;
}

/* A look_fn. */
static int look_at_registered_code(struct look *look)
{
	_cleanup_resident_memory_ struct resident_memory pages = RESIDENT_MEMORY_INIT(0);
	struct timed_memory timed = timed_memory_begin(look, &pages);
	const struct machine_memory memory = machine_memory_in_time(&timed);
	struct registered_code code;
	struct question q;
	int ret;

	if (look->nr_question != sizeof(q))
		return -EBADMSG;
	memcpy(&q, look->question, sizeof(q));
	pages.pid = q.pid;
	ret = look_touch(look, look_process(q.pid));
	if (ret)
		return ret;
	if (q.wish == SEND_FILE)
		return send_file(look, &memory, &q);
	if (q.wish == NAME_FUNCTIONS)
		return name_functions(look, &memory, &q);
	ret = registered_code_read(&memory, q.descriptor, &code);
	if (!ret)
		look_answer_append(look, &code, sizeof(code));
	return ret;
}

static int ask(struct looker *looker, const struct question *q, int sock,
	       struct look_answer *answer)
{
	const struct look_question question = {.fn = look_at_registered_code,
					       .bytes = q,
					       .nr = sizeof(*q),
					       .fd = sock,
					       .pid = q->pid};

	return looker_ask(looker, &question, answer);
}

int registered_code_ask(struct looker *looker, uint32_t pid, uint64_t descriptor,
			struct registered_code *code)
{
	const struct question q = {.wish = READ_LIST, .pid = pid, .descriptor = descriptor};
	struct look_answer answer;
	int ret = ask(looker, &q, -1, &answer);

	if (!ret && answer.nr != sizeof(*code))
		return -EIO;
	if (!ret)
		memcpy(code, answer.bytes, sizeof(*code));
	return ret;
}

int registered_code_send(struct looker *looker, const struct file_place *place,
			 const struct file_message *message, struct sent_file *sent)
{
	struct question q = {.wish = SEND_FILE,
			     .pid = place->pid,
			     .descriptor = place->made_by,
			     .base = place->start,
			     .nr = message->nr};
	struct look_answer answer;
	int ret;

	*sent = (struct sent_file){.owner = PROC_NOBODY};
	if (message->nr > sizeof(q.message))
		return -E2BIG;
	memcpy(q.message, message->bytes, message->nr);
	ret = ask(looker, &q, message->sock, &answer);
	if (answer.nr == sizeof(*sent))
		memcpy(sent, answer.bytes, sizeof(*sent));
	return ret;
}

int registered_code_describe(struct looker *looker, uint32_t pid, uint64_t descriptor)
{
	const struct question q = {.wish = NAME_FUNCTIONS, .pid = pid, .descriptor = descriptor};
	struct look_answer answer;
	int ret = ask(looker, &q, -1, &answer);

	return ret ? ret : answer.fd < 0 ? -ENOENT : TAKE_FD(answer.fd);
}
