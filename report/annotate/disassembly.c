// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/annotate/disassembly.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/readfile.h"
#include "common/safe_open.h"
#include "common/search.h"

/* Most bytes of code, and of text about them. */
#define CODE_BYTES_MAX (UINT64_C(1) << 20)
#define TEXT_BYTES_MAX (UINT64_C(256) << 20)

/* Where objdump finds the file. */
#define FILE_FD   3
#define FILE_PATH "/proc/self/fd/3"

/* Opens the ELF file at @path if it has @build_id. Returns 0 or a negative errno. */
static int open_file(struct elf_file *file, const char *path, const struct build_id *build_id)
{
	static const struct safe_open_rules rules = {.not_empty = true};
	struct build_id have = {0};
	int fd = safe_open(AT_FDCWD, path, &rules), ret;

	if (fd < 0)
		return fd;
	ret = build_id_from_fd(fd, &have);
	if ((ret && ret != -ENOENT) || !build_id_equal(&have, build_id)) {
		close(fd);
		return ret == -ENOMEM ? ret : -ESTALE;
	}
	return elf_file_open(file, fd, NULL);
}

int disassembled_files_open(struct disassembled_files *files, const char *binary, const char *debug,
			    const struct build_id *build_id, struct err *err)
{
	int ret = open_file(&files->binary, binary, build_id);

	files->name = binary;
	files->has_binary = !ret;
	if (ret)
		return err_set(err, ret, "failed to disassemble '%s': %s", binary,
			       ret == -ESTALE ? "it is another file now" : strerror(-ret));
	ret = debug ? open_file(&files->debug, debug, build_id) : -ENOENT;
	files->has_debug = !ret;
	return ret == -ENOMEM ? err_set(err, ret, "out of memory") : 0;
}

void disassembled_files_close(struct disassembled_files *files)
{
	if (files->has_binary)
		elf_file_close(&files->binary);
	if (files->has_debug)
		elf_file_close(&files->debug);
	*files = (struct disassembled_files){0};
}

int disassembly_find(struct disassembled_files *files, uint64_t off, uint64_t *addr,
		     uint64_t *start, uint64_t *end, struct err *err)
{
	struct elf_names names = {0};
	struct range_hit hit = {0};
	int ret = elf_file_vaddr(&files->binary, off, &hit.addr) ? 0 : -ENOENT;

	if (!ret)
		ret = elf_names_resolve(&names, &files->binary,
					files->has_debug ? &files->debug : NULL, &hit, 1);
	if (!ret && hit.range && hit.range->size) {
		*addr = hit.addr;
		*start = hit.range->start;
		*end = hit.range->start + hit.range->size;
	} else if (ret != -ENOMEM) {
		ret = err_set(
			err, -ENOENT,
			"failed to disassemble '%s': the bounds of the function are not known",
			files->name);
	}
	elf_names_deinit(&names);
	return ret;
}

/* Starts objdump, whose output comes from *@out. Returns 0 or a negative errno. */
static int start_objdump(const struct disassembled_files *files, uint64_t start, uint64_t end,
			 pid_t *pid, int *out)
{
	char from[48], to[48];
	const char *const argv[] = {"objdump", "-d", "-C",      "-w", "--no-show-raw-insn",
				    from,      to,   FILE_PATH, NULL};
	const char *const environment[] = {"LC_ALL=C", NULL};
	posix_spawn_file_actions_t actions;
	int fds[2], ret;

	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	ret = -posix_spawn_file_actions_init(&actions);
	if (ret)
		goto out_pipe;
	ret = -posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	if (!ret)
		ret = -posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
							O_RDONLY, 0);
	/* What objdump says of a file has the names of the file. */
	if (!ret)
		ret = -posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							O_WRONLY, 0);
	if (!ret)
		ret = -posix_spawn_file_actions_adddup2(&actions, files->binary.fd, FILE_FD);
	if (!ret)
		ret = -posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv,
				    (char *const *)environment);
	posix_spawn_file_actions_destroy(&actions);
out_pipe:
	close(fds[1]);
	if (ret)
		close(fds[0]);
	else
		*out = fds[0];
	return ret;
}

/* Waits for objdump. Returns true if it ended well. */
static bool wait_for_objdump(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !status;
}

int disassembly_make(struct disassembly *d, const struct disassembled_files *files, uint64_t start,
		     uint64_t end, struct err *err)
{
	_cleanup_close_ int out = -1;
	pid_t pid;
	int ret;

	if (end <= start || end - start > CODE_BYTES_MAX)
		return err_set(err, -EFBIG,
			       "failed to disassemble '%s': the function has more than 1 MiB",
			       files->name);
	ret = start_objdump(files, start, end, &pid, &out);
	if (ret) {
		err_set(err, ret, "failed to start objdump: %s", strerror(-ret));
		return err_hint(err, ret, "it is a part of binutils");
	}
	ret = read_fd(out, TEXT_BYTES_MAX, &d->bytes);
	/* If it has more to say, it gets SIGPIPE. */
	close(TAKE_FD(out));
	if (!wait_for_objdump(pid) && !ret)
		ret = -EIO;
	if (!ret)
		ret = disassembly_parse(d);
	if (!ret && !d->instructions.nr)
		ret = -EIO;
	return ret ? err_set(err, ret, "failed to disassemble '%s': %s", files->name,
			     ret == -EIO ? "objdump cannot read it" : strerror(-ret))
		   : 0;
}

/* Takes the instruction out of a line, "  401136:\tret". Other lines have none. */
static bool parse_line(const char *line, size_t len, struct instruction *instruction, size_t *text)
{
	size_t i = 0, digits;

	while (i < len && line[i] == ' ')
		i++;
	instruction->addr = 0;
	for (digits = i; i < len && strchr("0123456789abcdef", line[i]) && line[i]; i++) {
		char c = line[i];

		instruction->addr = instruction->addr << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (i == digits || i - digits > 16 || i + 2 > len || line[i] != ':' || line[i + 1] != '\t')
		return false;
	*text = i + 2;
	while (len > *text && line[len - 1] == ' ')
		len--;
	instruction->len = len - *text;
	return true;
}

int disassembly_parse(struct disassembly *d)
{
	const char *at = d->bytes.data, *end = at + d->bytes.nr;
	int ret = 0;

	while (at < end && !ret) {
		const char *newline = memchr(at, '\n', end - at);
		size_t len = (newline ? newline : end) - at, text;
		struct instruction instruction;

		if (parse_line(at, len, &instruction, &text) &&
		    (!d->instructions.nr ||
		     d->instructions.data[d->instructions.nr - 1].addr < instruction.addr)) {
			instruction.text = at - d->bytes.data + text;
			ret = vec_push(&d->instructions, instruction);
		}
		at += len + 1;
	}
	return ret;
}

size_t disassembly_at(const struct disassembly *d, uint64_t addr)
{
	size_t after = search_first(d->instructions.nr, i, d->instructions.data[i].addr > addr);

	return after ? after - 1 : d->instructions.nr;
}

void disassembly_free(struct disassembly *d)
{
	vec_free(&d->instructions);
	vec_free(&d->bytes);
}
