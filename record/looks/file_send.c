// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/file_send.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/safe_open.h"
#include "record/looks/proc_task.h"
#include "record/looks/file_owner.h"
#include "record/children/fd_message.h"

/* Somebody may have written to a file since its build-id was read. */
static bool is_file_of(int fd, const struct build_id *expected)
{
	struct build_id id = {0};

	return build_id_is_none(expected) ||
	       (!build_id_from_fd(fd, &id) && build_id_equal(&id, expected));
}

/* Does @place map the file of @st now? */
static bool is_mapped_at(struct look *look, const struct file_place *place, const struct stat *st)
{
	_cleanup_close_ int found = file_place_find(look, place, st->st_dev);
	struct stat mapped;

	return found >= 0 && !fstat(found, &mapped) && is_same_file(&mapped, st);
}

/*
 * A look_fn: opens a file, and sends it to the child, whose socket comes with the question. The
 * message stands after the path; the number of the question is its length.
 */
static int answer_request(struct look *look)
{
	_cleanup_close_ int fd = -1;
	struct mapped_file file;
	struct file_place place;
	struct sent_file sent;
	struct stat st;
	uint32_t nr;
	int ret = file_question_get(look, &nr, &file, &place);

	if (ret)
		return ret;
	fd = mapped_file_open(look, &file, &place);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (!is_file_of(fd, mapped_file_build_id(&file)))
		return -ESTALE;
	sent = (struct sent_file){.owner = file_owner(fd, &st, &place),
				  .is_mapped = is_mapped_at(look, &place, &st),
				  .identity = file_identity_of_stat(&st)};
	look_answer_append(look, &sent, sizeof(sent));
	return fd_message_send(look->fd, (const char *)look->question + look->nr_question - nr, nr,
			       fd);
}

int file_send(struct looker *looker, const struct mapped_file *file, const struct file_place *place,
	      const struct file_message *message, struct sent_file *sent)
{
	struct look_question question = {
		.fn = answer_request, .fd = message->sock, .pid = place->pid};
	struct file_question about;
	struct look_answer answer;
	int ret;

	*sent = (struct sent_file){.owner = PROC_NOBODY};
	if (!file_question_put(&about, message->nr, file, place) ||
	    about.nr > sizeof(about.bytes) - message->nr)
		return -E2BIG;
	memcpy(about.bytes + about.nr, message->bytes, message->nr);
	question.bytes = about.bytes;
	question.nr = about.nr + message->nr;
	ret = looker_ask(looker, &question, &answer);
	if (answer.nr == sizeof(*sent))
		memcpy(sent, answer.bytes, sizeof(*sent));
	return ret;
}
