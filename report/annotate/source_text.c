// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/annotate/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/readfile.h"
#include "common/safe_open.h"

/* Most bytes of a source file. */
#define SOURCE_BYTES_MAX (16u << 20)

/* Most bytes of a line that are shown: a file can be one line. */
#define LINE_BYTES_MAX 1000

#define TAB_WIDTH 8

/* Ends of the names of source code. A key or a table of passwords has none of them. */
static const char *const suffixes[] = {
	"c",   "h",   "cc",  "cpp",   "cxx", "c++", "hh", "hpp", "hxx", "inc",  "inl", "ipp",
	"l",   "y",   "s",   "S",     "asm", "rs",  "go", "d",   "f",   "f90",  "f95", "adb",
	"ads", "pas", "zig", "swift", "m",   "mm",  "cu", "ml",  "hs",  "java", "kt",  "scala",
	"py",  "pyx", "rb",  "php",   "pl",  "pm",  "js", "ts",  "mjs", "lua",  "erl", "ex",
};

static bool is_source_name(const char *path)
{
	const char *base = strrchr(path, '/'), *dot;

	dot = base ? strrchr(base, '.') : NULL;
	for (size_t i = 0; dot && i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(dot + 1, suffixes[i]))
			return true;
	return false;
}

static int open_directory(const char *name)
{
	int fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int source_dirs_check(const struct source_dirs *dirs, struct err *err)
{
	for (size_t i = 0; i < dirs->nr; i++) {
		_cleanup_close_ int fd = open_directory(dirs->names[i]);

		if (fd < 0)
			return err_set(err, fd, "failed to open '%s': %s", dirs->names[i],
				       strerror(-fd));
	}
	return 0;
}

/* Opens the longest end of @path that is a file below @dir. Returns -1 if there is none. */
static int open_below(const char *dir, const char *path)
{
	const struct safe_open_rules rules = {
		.lookup = SAFE_OPEN_IN_ROOT,
		.max_bytes = SOURCE_BYTES_MAX,
		.not_empty = true,
	};
	_cleanup_close_ int dir_fd = open_directory(dir);

	while (dir_fd >= 0 && path) {
		int fd;

		path += strspn(path, "/");
		fd = safe_open(dir_fd, path, &rules);
		if (fd >= 0)
			return fd;
		path = strchr(path, '/');
	}
	return -1;
}

static int open_source(const struct source_dirs *dirs, const char *path)
{
	const struct safe_open_rules rules = {.max_bytes = SOURCE_BYTES_MAX, .not_empty = true};
	int fd = -1;

	for (size_t i = 0; i < dirs->nr && fd < 0; i++)
		fd = open_below(dirs->names[i], path);
	if (!dirs->nr && path[0] == '/' && is_source_name(path))
		fd = safe_open(AT_FDCWD, path, &rules);
	return fd;
}

static int find_lines(struct source_text *text)
{
	const char *at = text->bytes.data, *end = at + text->bytes.nr;
	int ret = 0;

	while (!ret && at && at < end) {
		ret = vec_push(&text->starts, (size_t)(at - text->bytes.data));
		at = memchr(at, '\n', end - at);
		at = at ? at + 1 : NULL;
	}
	return ret;
}

int source_text_read(const struct source_dirs *dirs, const char *path, struct source_text *text)
{
	_cleanup_close_ int fd = open_source(dirs, path);
	struct stat st;
	int ret;

	*text = (struct source_text){0};
	if (fd < 0 || fstat(fd, &st))
		return 0;
	text->changed_ns = st.st_mtim.tv_sec * (int64_t)NS_PER_S + st.st_mtim.tv_nsec;
	ret = read_fd(fd, SOURCE_BYTES_MAX, &text->bytes);
	if (!ret)
		ret = find_lines(text);
	if (ret)
		source_text_free(text);
	return ret == -ENOMEM ? ret : 0;
}

void source_text_free(struct source_text *text)
{
	vec_free(&text->bytes);
	vec_free(&text->starts);
}

void source_text_put(const struct source_text *text, uint64_t line, struct textbuf *out)
{
	size_t begin, end, column = 0;

	if (!line || line > text->starts.nr)
		return;
	begin = text->starts.data[line - 1];
	end = line < text->starts.nr ? text->starts.data[line] : text->bytes.nr;
	while (end > begin && strchr("\r\n", text->bytes.data[end - 1]))
		end--;
	end = end - begin > LINE_BYTES_MAX ? begin + LINE_BYTES_MAX : end;
	for (size_t i = begin, next; i < end; i = next) {
		const char *tab = memchr(text->bytes.data + i, '\t', end - i);

		next = tab ? (size_t)(tab - text->bytes.data) : end;
		textbuf_escaped(out, text->bytes.data + i, next - i, TEXT_MESSAGE);
		column += next - i;
		for (; tab && next < end && text->bytes.data[next] == '\t'; next++)
			do {
				textbuf_char(out, ' ');
			} while (++column % TAB_WIDTH);
	}
}
