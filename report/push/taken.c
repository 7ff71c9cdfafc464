// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/taken.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/io.h"
#include "common/text.h"
#include "report/text/textbuf.h"

#define FIRST_LINE  "profrep push 1"
#define STATE_BYTES (64u << 20) /* that is a million files */

static uint64_t hash_of(const char *name)
{
	return hash_bytes(name, strlen(name), 0);
}

void taken_deinit(struct taken *taken)
{
	vec_for_each(&taken->files, file)
		free(file->name);
	vec_free(&taken->files);
	index_deinit(&taken->index);
	vec_free(&taken->ids);
}

int taken_file_init(struct taken_file *file, const char *name, const struct stat *st)
{
	*file = (struct taken_file){
		.name = text_escape(name, strlen(name), TEXT_PLAIN),
		.inode = st->st_ino,
		.size = st->st_size,
		.mtime_ns = st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec,
	};
	return file->name ? 0 : -ENOMEM;
}

struct taken_file *taken_find(const struct taken *taken, const struct taken_file *file)
{
	index_for_each(&taken->index, hash_of(file->name), i) {
		struct taken_file *have = &taken->files.data[i];

		if (!strcmp(have->name, file->name) && have->inode == file->inode &&
		    have->size == file->size && have->mtime_ns == file->mtime_ns)
			return have;
	}
	return NULL;
}

bool taken_has_recording(const struct taken *taken, uint64_t id)
{
	vec_for_each(&taken->files, file)
		if (file->recording_id == id)
			return true;
	vec_for_each(&taken->ids, known)
		if (*known == id)
			return true;
	return false;
}

/* Keeps @id as the latest one. */
static int keep_id(struct taken *taken, uint64_t id)
{
	size_t nr = 0;

	vec_for_each(&taken->ids, known)
		if (*known != id)
			taken->ids.data[nr++] = *known;
	taken->ids.nr = nr;
	if (nr == TAKEN_IDS_MAX)
		memmove(taken->ids.data, taken->ids.data + 1,
			--taken->ids.nr * sizeof(*taken->ids.data));
	return vec_push(&taken->ids, id);
}

int taken_add(struct taken *taken, const struct taken_file *file)
{
	return index_push(&taken->index, &taken->files, hash_of(file->name), *file);
}

int taken_prune(struct taken *taken)
{
	size_t nr = 0;
	int ret = 0;

	vec_for_each(&taken->files, file) {
		if (file->is_there) {
			taken->files.data[nr++] = *file;
			continue;
		}
		if (file->recording_id && keep_id(taken, file->recording_id))
			ret = -ENOMEM;
		free(file->name);
	}
	taken->files.nr = nr;
	index_clear(&taken->index);
	for (size_t i = 0; i < nr; i++)
		if (index_insert(&taken->index, hash_of(taken->files.data[i].name), i))
			return -ENOMEM;
	return ret;
}

/* Reads a line of a file. Returns 0, -EBADMSG or -ENOMEM. */
static int read_line(struct taken *taken, char *line)
{
	struct taken_file file = {0};
	int used = 0, ret;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %n", &file.inode,
		   &file.size, &file.mtime_ns, &file.recording_id, &used) != 4 ||
	    !used || !line[used])
		return -EBADMSG;
	file.name = strdup(line + used);
	ret = file.name ? taken_add(taken, &file) : -ENOMEM;
	if (ret)
		free(file.name);
	return ret;
}

static int read_text(struct taken *taken, char *text)
{
	char *state = NULL, *line = strtok_r(text, "\n", &state);
	int ret = 0;

	if (!line || strcmp(line, FIRST_LINE) != 0)
		return -EBADMSG;
	line = strtok_r(NULL, "\n", &state);
	if (!line || sscanf(line, "next %" SCNx64, &taken->next_seq) != 1)
		return -EBADMSG;
	while (!ret && (line = strtok_r(NULL, "\n", &state))) {
		uint64_t id;

		ret = sscanf(line, "id %" SCNx64, &id) == 1 ? keep_id(taken, id)
							    : read_line(taken, line);
	}
	taken->was_read = true;
	return ret;
}

int taken_read(struct taken *taken, int dir_fd, const char *name, struct err *err)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	_cleanup_free_ char *text = NULL;
	struct stat st;
	ssize_t n;
	int ret = fd < 0 || fstat(fd, &st) ? -errno : 0;

	if (ret == -ENOENT)
		return 0;
	if (!ret && (st.st_size < 0 || (uint64_t)st.st_size > STATE_BYTES))
		ret = -EFBIG;
	if (!ret)
		text = malloc(st.st_size + 1);
	if (!ret && !text)
		ret = -ENOMEM;
	if (!ret) {
		n = io_pread(fd, text, st.st_size, 0);
		ret = n < 0 ? n : 0;
	}
	if (!ret) {
		text[n] = '\0';
		ret = read_text(taken, text);
	}
	return ret ? err_set(err, ret, "failed to read the state '%s' of the spool: %s", name,
			     ret == -EBADMSG ? "it is damaged" : strerror(-ret))
		   : 0;
}

static void print_state(const struct taken *taken, struct textbuf *out)
{
	textbuf_printf(out, FIRST_LINE "\nnext %" PRIx64 "\n", taken->next_seq);
	vec_for_each(&taken->ids, id)
		textbuf_printf(out, "id %" PRIx64 "\n", *id);
	vec_for_each(&taken->files, file)
		textbuf_printf(out, "%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n",
			       file->inode, file->size, file->mtime_ns, file->recording_id,
			       file->name);
}

int taken_write(const struct taken *taken, int dir_fd, const char *name)
{
	_cleanup_free_ char *part = NULL;
	_cleanup_close_ int fd = -1;
	struct textbuf text = {.fd = -1};
	int ret = 0;

	if (asprintf(&part, "%s.new", name) < 0) {
		part = NULL;
		return -ENOMEM;
	}
	print_state(taken, &text);
	fd = openat(dir_fd, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		ret = -errno;
	if (!ret)
		ret = text.error ? text.error : io_write_all(fd, text.data, text.nr);
	if (!ret && (fsync(fd) || renameat(dir_fd, part, dir_fd, name)))
		ret = -errno;
	/* The new state counts now. Without this the former one may come back with the power. */
	if (!ret)
		fsync(dir_fd);
	textbuf_deinit(&text);
	return ret;
}
