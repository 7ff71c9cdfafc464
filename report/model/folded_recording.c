// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/folded_recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/io.h"
#include "common/parse.h"
#include "common/text.h"
#include "format/count_rows.h"
#include "format/writer.h"
#include "report/text/string_set.h"

/* The marks of profrep -a. */
#define KERNEL_MARK "_[k]"

enum { OBJECT_USER = 1, OBJECT_KERNEL, NR_OBJECTS };

/* A function has the bytes from twice its string's number, in either object. */
#define FUNCTION_BYTES 2

struct folded {
	const char *name;
	uint64_t line; /* number of the line that is read */
	struct err *err;
	struct string_set strings;
	VEC(struct prof_frame) frames;
	VEC(struct prof_symbol) symbols;
	VEC(struct prof_stack) stacks;
	u32_vec stack_frames;
	count_vec counts;
	struct index frame_index, stack_index, count_index;
	u32_vec sides[2]; /* frames of the line, the root first: of user space, of the kernel */
	uint64_t total;
};

static int refuse(const struct folded *f, int ret, const char *reason)
{
	return err_set(f->err, ret, "failed to read '%s': line %" PRIu64 ": %s", f->name, f->line,
		       reason);
}

static int out_of_memory(const struct folded *f)
{
	return refuse(f, -ENOMEM, "out of memory");
}

static int find_string(struct folded *f, char *s, uint32_t *id)
{
	size_t len = text_unescape(s, strlen(s));

	return string_set_add(&f->strings, s,
			      len < PROF_MAX_STRING_BYTES ? len : PROF_MAX_STRING_BYTES, id);
}

/* Finds or makes the frame of the function @name. */
static int find_frame(struct folded *f, uint32_t object, uint32_t name, uint32_t *id)
{
	const struct prof_frame frame = {object, (uint64_t)name * FUNCTION_BYTES + 1};
	const struct prof_symbol symbol = {object, name, (uint64_t)name * FUNCTION_BYTES,
					   FUNCTION_BYTES};
	uint64_t hash = hash_u64(frame.offset * NR_OBJECTS + object);

	index_for_each(&f->frame_index, hash, i) {
		if (f->frames.data[i].object == object &&
		    f->frames.data[i].offset == frame.offset) {
			*id = i;
			return 0;
		}
	}
	*id = f->frames.nr;
	return vec_push(&f->symbols, symbol) ? -ENOMEM
					     : index_push(&f->frame_index, &f->frames, hash, frame);
}

static bool is_kernel(char *text)
{
	size_t len = strlen(text), mark = strlen(KERNEL_MARK);

	if (len <= mark || strcmp(text + len - mark, KERNEL_MARK) != 0)
		return false;
	text[len - mark] = '\0';
	return true;
}

/* Adds a frame to the side where it belongs. After one of the kernel, all are of the kernel. */
static int add_frame(struct folded *f, char *text)
{
	bool side = is_kernel(text) || f->sides[1].nr;
	uint32_t name, frame;
	int ret = find_string(f, text, &name);

	if (!ret)
		ret = find_frame(f, side ? OBJECT_KERNEL : OBJECT_USER, name, &frame);
	return ret ? ret : vec_push(&f->sides[side], frame);
}

/* Finds or makes the stack of @frames; stack 0 has none. */
static int find_stack(struct folded *f, const u32_vec *frames, uint32_t *id)
{
	struct prof_stack stack = {f->stack_frames.nr, frames->nr, PROF_STACK_COMPLETE};
	uint64_t hash = hash_bytes(frames->data, frames->nr * sizeof(*frames->data), 0);
	int ret = 0;

	*id = 0;
	if (!frames->nr)
		return 0;
	for (size_t i = frames->nr; i-- > 0 && !ret;)
		ret = vec_push(&f->stack_frames, frames->data[i]);
	if (ret)
		return ret;
	index_for_each(&f->stack_index, hash, i) {
		const struct prof_stack *other = &f->stacks.data[i];

		if (other->nr_frames == frames->nr &&
		    !memcmp(f->stack_frames.data + other->first_frame,
			    f->stack_frames.data + stack.first_frame,
			    frames->nr * sizeof(*frames->data))) {
			f->stack_frames.nr = stack.first_frame;
			*id = i;
			return 0;
		}
	}
	*id = f->stacks.nr;
	return index_push(&f->stack_index, &f->stacks, hash, stack);
}

static int add_count(struct folded *f, uint32_t comm, uint64_t nr)
{
	struct prof_count count = {.process = 1, .comm = comm, .count = nr};
	int ret = find_stack(f, &f->sides[0], &count.user_stack);

	if (!ret)
		ret = find_stack(f, &f->sides[1], &count.kernel_stack);
	if (!ret)
		ret = count_rows_add(&f->counts, &f->count_index, &count, NULL);
	return ret;
}

/* Adds a line without its newline. */
static int add_line(struct folded *f, char *line)
{
	char *space = strrchr(line, ' '), *frame = line, *next = NULL;
	uint32_t comm;
	uint64_t nr;
	int ret;

	if (!space || parse_u64(space + 1, 0, UINT64_MAX, &nr))
		return refuse(f, -EINVAL, "there is no count at its end");
	if (!nr)
		return 0;
	if (__builtin_add_overflow(f->total, nr, &f->total))
		return refuse(f, -EOVERFLOW, "the counts add up to more than 64 bits");
	*space = '\0';
	vec_clear(&f->sides[0]);
	vec_clear(&f->sides[1]);
	next = strchr(frame, ';');
	if (next)
		*next++ = '\0';
	ret = find_string(f, frame, &comm);
	while (next && !ret) {
		frame = next;
		next = strchr(frame, ';');
		if (next)
			*next++ = '\0';
		ret = add_frame(f, frame);
	}
	if (f->sides[0].nr > PROF_MAX_STACK_FRAMES || f->sides[1].nr > PROF_MAX_STACK_FRAMES)
		return refuse(f, -E2BIG, "the stack has too many frames");
	if (!ret)
		ret = add_count(f, comm, nr);
	return ret ? out_of_memory(f) : 0;
}

static int read_lines(struct folded *f, FILE *in)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int ret = 0;

	while (!ret && (len = getline(&line, &size, in)) >= 0) {
		f->line++;
		if (len && line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (line[0])
			ret = add_line(f, line);
	}
	if (!ret && ferror(in))
		ret = refuse(f, -EIO, strerror(EIO));
	return ret;
}

static int write_fd(void *ctx, const void *buf, size_t len)
{
	return io_write_all(*(const int *)ctx, buf, len);
}

static int write_epoch(const struct folded *f, struct prof_writer *writer, uint32_t kernel_path)
{
	/* Named functions in memory without a file would be those of a JIT compiler. */
	const struct prof_object objects[NR_OBJECTS] = {
		[OBJECT_USER] = {.kind = PROF_OBJECT_FILE},
		[OBJECT_KERNEL] = {.kind = PROF_OBJECT_KERNEL, .path = kernel_path},
	};
	const uint64_t end = (uint64_t)f->strings.items.nr * FUNCTION_BYTES;
	const struct prof_mapping mappings[] = {{OBJECT_KERNEL, 0, end, 0},
						{OBJECT_USER, 0, end, 0}};
	const struct prof_process processes[] = {
		{.nr_mappings = 1},
		{.pid = 1, .generation = 1, .first_mapping = 1, .nr_mappings = 1},
	};
	_cleanup_free_ struct prof_string *strings = calloc(f->strings.items.nr, sizeof(*strings));
	const struct prof_epoch epoch = {
		.strings = strings,
		.objects = objects,
		.processes = processes,
		.mappings = mappings,
		.frames = f->frames.data,
		.stacks = f->stacks.data,
		.stack_frames = f->stack_frames.data,
		.counts = f->counts.data,
		.symbols = f->symbols.data,
		.nr_strings = f->strings.items.nr,
		.nr_objects = NR_OBJECTS,
		.nr_processes = ARRAY_SIZE(processes),
		.nr_mappings = ARRAY_SIZE(mappings),
		.nr_frames = f->frames.nr,
		.nr_stacks = f->stacks.nr,
		.nr_stack_frames = f->stack_frames.nr,
		.nr_counts = f->counts.nr,
		.nr_symbols = f->symbols.nr,
	};

	if (!strings)
		return -ENOMEM;
	for (size_t i = 0; i < f->strings.items.nr; i++)
		strings[i] = (struct prof_string){f->strings.items.data[i].s,
						  f->strings.items.data[i].len};
	return prof_writer_epoch(writer, &epoch);
}

static int write_recording(struct folded *f, int fd)
{
	const struct prof_meta meta = {.event = "folded stacks", .recorder = "profrep"};
	const struct prof_end end = {.taken = f->total, .counted = f->total};
	struct prof_writer *writer = NULL;
	uint32_t kernel_path = 0;
	int ret = string_set_add(&f->strings, "[kernel]", strlen("[kernel]"), &kernel_path);

	if (!ret)
		ret = prof_writer_create(write_fd, &fd, &writer);
	if (!ret)
		ret = prof_writer_meta(writer, &meta);
	if (!ret)
		ret = write_epoch(f, writer, kernel_path);
	if (!ret)
		ret = prof_writer_end(writer, &end);
	prof_writer_destroy(writer);
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = -errno;
	return ret ? err_set(f->err, ret, "failed to read '%s': %s", f->name,
			     ret == -E2BIG ? "it has too many different stacks" : strerror(-ret))
		   : 0;
}

static void release(struct folded *f)
{
	string_set_deinit(&f->strings);
	vec_free(&f->frames);
	vec_free(&f->symbols);
	vec_free(&f->stacks);
	vec_free(&f->stack_frames);
	vec_free(&f->counts);
	index_deinit(&f->frame_index);
	index_deinit(&f->stack_index);
	index_deinit(&f->count_index);
	vec_free(&f->sides[0]);
	vec_free(&f->sides[1]);
}

static int read_all(struct folded *f)
{
	const struct prof_stack none = {0};
	bool is_standard = !strcmp(f->name, "-");
	FILE *in = is_standard ? stdin : fopen(f->name, "re");
	int ret;

	if (!in)
		return err_set(f->err, -errno, "failed to open '%s': %s", f->name, strerror(errno));
	ret = string_set_init(&f->strings) || vec_push(&f->stacks, none) ? out_of_memory(f) : 0;
	if (!ret)
		ret = read_lines(f, in);
	if (!is_standard)
		fclose(in);
	return ret;
}

int folded_recording_make(const char *name, int *fd, struct err *err)
{
	struct folded folded = {.name = name, .err = err};
	_cleanup_close_ int memory = memfd_create("folded", MFD_CLOEXEC);
	int ret = memory < 0
			  ? err_set(err, -errno, "failed to read '%s': %s", name, strerror(errno))
			  : read_all(&folded);

	if (!ret)
		ret = write_recording(&folded, memory);
	release(&folded);
	if (!ret)
		*fd = TAKE_FD(memory);
	return ret;
}
