// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "record/system/fd_message.h"

/* The owner of a file that cannot be looked at. */
#define NOBODY 65534

/* Somebody may have written to a file since its build-id was read. */
static bool is_file_of(int fd, const struct build_id *expected)
{
	struct build_id id = {0};

	return build_id_is_none(expected) ||
	       (!build_id_from_fd(fd, &id) && build_id_equal(&id, expected));
}

/*
 * A look_fn: opens a file, and sends it to the worker, whose socket comes with the question. The
 * recorder never has the descriptor, since closing one can take for ever, too.
 */
static int answer_request(struct look *look)
{
	struct table_request request;
	_cleanup_close_ int fd = -1;
	struct mapped_file file;
	struct file_place place;
	struct table_file opened;
	struct stat st;
	int ret = file_question_get(look, &request.tag, &file, &place);

	if (ret)
		return ret;
	/* It stands after the path. */
	memcpy(&request, look->question + look->nr_question - sizeof(request), sizeof(request));
	fd = mapped_file_open(look, &file, &place);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (!is_file_of(fd, mapped_file_build_id(&file)))
		return -ESTALE;
	opened = (struct table_file){.owner = st.st_uid, .dev = st.st_dev};
	look_answer_append(look, &opened, sizeof(opened));
	return fd_message_send(look->fd, &request, sizeof(request), fd);
}

int table_file_send(struct looker *looker, const struct table_request *request,
		    const struct mapped_file *file, const struct file_place *place, int sock,
		    struct table_file *opened)
{
	struct look_question question = {.fn = answer_request, .fd = sock};
	struct file_question about;
	struct look_answer answer;
	int ret;

	*opened = (struct table_file){.owner = NOBODY};
	if (!file_question_put(&about, request->tag, file, place) ||
	    about.nr > sizeof(about.bytes) - sizeof(*request))
		return -E2BIG;
	memcpy(about.bytes + about.nr, request, sizeof(*request));
	question.bytes = about.bytes;
	question.nr = about.nr + sizeof(*request);
	ret = looker_ask(looker, &question, &answer);
	if (answer.nr == sizeof(*opened))
		memcpy(opened, answer.bytes, sizeof(*opened));
	return ret;
}
