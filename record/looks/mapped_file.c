// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/index.h"
#include "common/safe_open.h"
#include "common/vec.h"
#include "record/proc/proc_path.h"

#define DELETED_SUFFIX " (deleted)" /* d_path in fs/d_path.c */

/* Files that the looker remembers. Then it begins anew. */
#define KNOWN_MAX 16384

/*
 * The kernel's names of mappings without a file: "//anon", "[heap]", "anon_inode:...". "/memfd:..."
 * is one with file offsets and perhaps a build-id, since programs are run from there.
 */
enum mapped_kind mapped_file_kind(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return MAPPED_VDSO;
	return path[0] != '/' || !strncmp(path, "//", 2) || !strncmp(path, "/anon_hugepage", 14) ||
			       !strncmp(path, "/dev/zero", 9)
		       ? MAPPED_ANON
		       : MAPPED_FILE;
}

bool mapped_file_is_shared_memory(const struct mapped_file *file)
{
	return file->kind == MAPPED_ANON && !strncmp(file->path, "/dev/zero", 9);
}

bool mapped_file_is_made_code(const struct mapped_file *file)
{
	/* The kernel's own code has no file either. */
	if (file->kind == MAPPED_ANON)
		return strcmp(file->path, "[vsyscall]") != 0;
	return file->kind == MAPPED_FILE && !strncmp(file->path, "/memfd:", 7) &&
	       build_id_is_none(mapped_file_build_id(file));
}

size_t mapped_file_path_bytes(enum mapped_kind kind, const char *path, bool *deleted)
{
	size_t len = strlen(path), suffix = strlen(DELETED_SUFFIX);

	*deleted =
		kind == MAPPED_FILE && len > suffix && !strcmp(path + len - suffix, DELETED_SUFFIX);
	return *deleted ? len - suffix : len;
}

/*
 * Opens @path if it is the file that @file was. Compares the inode alone if there is a build-id,
 * since overlay filesystems show another device in maps than in stat.
 */
static int open_same(const char *path, const struct mapped_file *file)
{
	const struct safe_open_rules rules = {.inode = file->identity.inode};
	_cleanup_close_ int fd = safe_open(AT_FDCWD, path, &rules);

	if (fd < 0)
		return fd;
	if (build_id_is_none(mapped_file_build_id(file)) &&
	    !file_identity_is_of_fd(&file->identity, fd))
		return -ESTALE;
	return TAKE_FD(fd);
}

/*
 * The device of the file at @fd; 0: not known. Does not ask the file server, who need not answer:
 * the kernel knows the device.
 */
static uint64_t device_of(int fd)
{
	struct statx st;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st)
		       ? 0
		       : makedev(st.stx_dev_major, st.stx_dev_minor);
}

/* Takes CAP_CHECKPOINT_RESTORE. */
static int open_mapping(struct look *look, const struct mapped_file *file,
			const struct file_place *place)
{
	_cleanup_close_ int found = file_place_find(look, place, file->identity.dev);
	char path[PROC_PATH_SIZE];
	int ret;

	if (found < 0)
		return found;
	/* Of a file with a build-id from the kernel, only that is known. */
	ret = look_touch(look,
			 look_device(file->identity.dev ? file->identity.dev : device_of(found)));
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	return open_same(path, file);
}

/* Opens the file by its path in the root directory of @pid. */
static int open_in_root_of(struct look *look, const struct mapped_file *file, uint32_t pid)
{
	char root[PROC_PATH_SIZE], path[PROC_PATH_SIZE + PATH_MAX];
	/* The path may lead through other file systems, which the process chooses. */
	int ret = look_touch(look, look_process(pid));

	if (ret)
		return ret;
	proc_path(pid, "root", root);
	snprintf(path, sizeof(path), "%s%s", root, file->path);
	return open_same(path, file);
}

/*
 * Opens the file as the executable of the process, which takes no capability. Returns -ENOENT if it
 * is another one.
 */
static int open_executable(struct look *look, const struct mapped_file *file, uint32_t pid)
{
	char path[PROC_PATH_SIZE], name[PATH_MAX];
	int ret = look_touch(look, look_process(pid));
	bool deleted;
	ssize_t nr;

	if (ret)
		return ret;
	proc_path(pid, "exe", path);
	nr = readlink(path, name, sizeof(name) - 1);
	if (nr < 0)
		return -errno;
	name[nr] = '\0';
	name[mapped_file_path_bytes(MAPPED_FILE, name, &deleted)] = '\0';
	return strcmp(name, file->path) ? -ENOENT : open_same(path, file);
}

int mapped_file_open(struct look *look, const struct mapped_file *file,
		     const struct file_place *place)
{
	int fd = file->kind == MAPPED_FILE ? open_mapping(look, file, place) : -EINVAL;

	if (fd < 0 && fd != -EHOSTDOWN && file->kind == MAPPED_FILE)
		fd = open_executable(look, file, place->pid);
	if (fd >= 0 || fd == -EHOSTDOWN || file->kind != MAPPED_FILE || file->deleted)
		return fd;
	fd = open_in_root_of(look, file, place->pid);
	/* A process of a container may have ended, while those that started it live. */
	for (size_t i = 0; i < ARRAY_SIZE(place->ancestors); i++)
		if (fd < 0 && fd != -EHOSTDOWN && place->ancestors[i])
			fd = open_in_root_of(look, file, place->ancestors[i]);
	return fd < 0 && fd != -EHOSTDOWN ? open_same(file->path, file) : fd;
}

struct known_file {
	struct file_identity identity; /* from stat */
	struct build_id build_id;
	uint32_t number; /* of the latest look */
};

/* In the looker: the files that it has looked at, by device and inode as in stat. */
static struct {
	VEC(struct known_file) files;
	struct index by_inode;
} known;

static uint64_t hash_inode(const struct file_identity *identity)
{
	return hash_u64(identity->inode ^ identity->dev << 32);
}

/* A file at which a look of this number has looked; NULL: there is none. */
static const struct known_file *find_seen(uint32_t number, const struct file_identity *told)
{
	index_for_each(&known.by_inode, hash_inode(told), i) {
		const struct known_file *file = &known.files.data[i];

		/*
		 * Some file systems show one device and inode for two files. They show a different
		 * device in stat, so such files are not found here.
		 */
		if (file->number == number && file->identity.dev == told->dev &&
		    file->identity.inode == told->inode)
			return file;
	}
	return NULL;
}

static struct known_file *find_known(const struct file_identity *identity)
{
	index_for_each(&known.by_inode, hash_inode(identity), i)
		if (file_identity_equal(&known.files.data[i].identity, identity))
			return &known.files.data[i];
	return NULL;
}

/* Without memory for the note, the file is looked at again. */
static void remember_file(uint32_t number, const struct mapped_file *file)
{
	const struct known_file note = {
		.identity = file->identity, .build_id = file->found_id, .number = number};

	if (known.files.nr >= KNOWN_MAX) {
		vec_clear(&known.files);
		index_clear(&known.by_inode);
	}
	index_push(&known.by_inode, &known.files, hash_inode(&note.identity), note);
}

void mapped_file_look(struct look *look, uint32_t number, struct mapped_file *file,
		      const struct file_place *place)
{
	const struct known_file *seen = find_seen(number, &file->identity);
	struct known_file *have;
	_cleanup_close_ int fd = -1;

	if (seen) {
		file->identity = seen->identity;
		file->found_id = seen->build_id;
		return;
	}
	if (!file_identity_look(look, place, file->deleted ? NULL : file->path, &file->identity))
		return;
	have = find_known(&file->identity);
	if (have) {
		have->number = number;
		file->found_id = have->build_id;
		return;
	}
	fd = mapped_file_open(look, file, place);
	if (fd < 0)
		return;
	build_id_from_fd(fd, &file->found_id);
	remember_file(number, file);
}

struct file_head {
	uint32_t number;
	uint32_t deleted;
	struct file_place place;
	struct build_id given_id, found_id;
	struct file_identity identity;
};

bool file_question_put(struct file_question *question, uint32_t number,
		       const struct mapped_file *file, const struct file_place *place)
{
	const struct file_head head = {.number = number,
				       .deleted = file->deleted,
				       .place = *place,
				       .given_id = file->given_id,
				       .found_id = file->found_id,
				       .identity = file->identity};
	size_t len = strlen(file->path) + 1;

	if (len > sizeof(question->bytes) - sizeof(head))
		return false;
	memcpy(question->bytes, &head, sizeof(head));
	memcpy(question->bytes + sizeof(head), file->path, len);
	question->nr = sizeof(head) + len;
	return true;
}

int file_question_get(const struct look *look, uint32_t *number, struct mapped_file *file,
		      struct file_place *place)
{
	struct file_head head;

	if (look->nr_question <= sizeof(head))
		return -EBADMSG;
	memcpy(&head, look->question, sizeof(head));
	*number = head.number;
	*place = head.place;
	*file = (struct mapped_file){.path = (char *)look->question + sizeof(head),
				     .kind = MAPPED_FILE,
				     .deleted = head.deleted,
				     .given_id = head.given_id,
				     .found_id = head.found_id,
				     .identity = head.identity};
	return 0;
}

struct look_result {
	struct file_identity identity;
	struct build_id found_id;
};

/* A look_fn. */
static int answer_look(struct look *look)
{
	/* No scan has this number, so the looker looks anew. */
	struct look_result result = {0};
	struct mapped_file file;
	struct file_place place;
	uint32_t number;
	int ret = file_question_get(look, &number, &file, &place);

	if (ret)
		return ret;
	mapped_file_look(look, number, &file, &place);
	result.identity = file.identity;
	result.found_id = file.found_id;
	return look_answer_append(look, &result, sizeof(result)) ? 0 : -E2BIG;
}

void mapped_file_ask(struct looker *looker, struct mapped_file *file,
		     const struct file_place *place)
{
	struct look_question question = {.fn = answer_look, .fd = -1, .pid = place->pid};
	struct file_question about;
	struct look_answer answer;
	struct look_result result;

	if (!file_question_put(&about, looker_next_number(looker), file, place))
		return;
	question.bytes = about.bytes;
	question.nr = about.nr;
	if (looker_ask(looker, &question, &answer) || answer.nr != sizeof(result))
		return;
	memcpy(&result, answer.bytes, sizeof(result));
	file->identity = result.identity;
	file->found_id = result.found_id;
}
