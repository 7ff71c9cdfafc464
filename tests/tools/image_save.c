// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Saves a sample of a running process, so that it can be walked again elsewhere (sample_image.h):
 * image_save PID TRIES IMAGE [made]. Stops threads TRIES times, as the recorder does that samples
 * by ptrace, and keeps the stack that shows most: functions of a language, with native frames
 * between them, and with 'made' those through code that the process has made. Prints its frames.
 * Needs the right to trace the process.
 */
#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/tools/image_walk.h"

/* Fewest frames of a stack that is worth saving, and most that keep the image small. */
#define FRAMES_MIN 10
#define FRAMES_MAX 80

/* A file that the process maps. */
struct live_file {
	char path[PATH_MAX];
	struct walk_file walk;
	struct found_interpreter found;
	char *bytes; /* of the interpreter's */
	uint64_t size;
};

static struct {
	pid_t pid, tid;
	enum language language;
	bool wants_made;
	VEC(struct live_file) files;
	u32_vec traced;
	image_bytes_vec reads; /* of the walk at hand */
} live;

/*
 * A machine_read_fn that notes what it reads. Whole pages of HotSpot are refused, because it is
 * read so first, and by parts where that fails.
 */
static long read_process(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct iovec local = {buf, len}, remote = {(void *)(uintptr_t)addr, len};
	ssize_t nr;

	(void)ctx;
	if (len == 4096 && live.language == LANGUAGE_JAVA)
		return -EFAULT;
	nr = process_vm_readv(live.tid, &local, 1, &remote, 1, 0);
	if (nr <= 0)
		return nr ? -errno : -EFAULT;
	image_bytes_add(&live.reads, addr, buf, nr);
	return nr;
}

static void look_at_file(struct live_file *file)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root%s", live.pid, file->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	file->walk.has_table = !unwind_table_build(fd, &file->walk.table);
	interpreter_search(fd, &file->found);
	if (found_interpreter_is_any(&file->found)) {
		struct stat st;

		if (fstat(fd, &st) || !(file->bytes = malloc(st.st_size)) ||
		    pread(fd, file->bytes, st.st_size, 0) != st.st_size)
			err(2, "%s", path);
		file->size = st.st_size;
	}
	close(fd);
}

/* The number of the file at @path. */
static uint32_t find_file(const char *path)
{
	struct live_file file = {0};

	if (!strncmp(path, "/dev/zero", 9))
		return IMAGE_SHARED_MEMORY;
	/* Code that is made may be in a file that nobody can open. */
	if (path[0] != '/' || !strncmp(path, "/memfd:", 7))
		return IMAGE_NO_FILE;
	for (uint32_t i = 0; i < live.files.nr; i++)
		if (!strcmp(live.files.data[i].path, path))
			return i;
	snprintf(file.path, sizeof(file.path), "%s", path);
	look_at_file(&file);
	IMAGE_PUSH(&live.files, file);
	return live.files.nr - 1;
}

/* Notes the first interpreter, and the first library of expressions. */
static void note_runtime(struct sample_image *image, const struct image_mapping *m)
{
	const struct found_interpreter *found = &live.files.data[m->file].found;

	if (found->has_regex && !image->regex_bytes) {
		image->regex_start = m->start;
		image->regex_bytes = m->end - m->start;
	}
	if (!found_interpreter_is_any(found) || image->interpreter != IMAGE_NO_FILE)
		return;
	image->interpreter = m->file;
	live.language = found->interpreter.language;
	image->base = m->start - m->pgoff;
}

/* Reads the executable mappings, and the place of the interpreter, into @image. */
static void read_mappings(struct sample_image *image)
{
	char path[64], line[PATH_MAX + 128], perms[8], *name;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", live.pid);
	f = fopen(path, "re");
	if (!f)
		err(2, "%s", path);
	image->interpreter = IMAGE_NO_FILE;
	while (fgets(line, sizeof(line), f)) {
		struct image_mapping m;
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &m.start,
			   &m.end, perms, &m.pgoff, &at) != 4 ||
		    perms[2] != 'x')
			continue;
		name = line + at;
		m.file = find_file(name);
		IMAGE_PUSH(&image->mappings, m);
		if (image_mapping_has_file(&m))
			note_runtime(image, &m);
	}
	fclose(f);
	if (image->interpreter == IMAGE_NO_FILE && !image->regex_bytes)
		errx(2, "process %d has no interpreter that is known", live.pid);
}

static void name_files(struct sample_image *image)
{
	vec_for_each(&live.files, l) {
		struct image_file file = {.size = l->size};
		const char *slash = strrchr(l->path, '/');

		snprintf(file.name, sizeof(file.name), "%s", slash + 1);
		for (char *c = file.name; *c; c++)
			if (isspace((unsigned char)*c))
				*c = '_';
		IMAGE_PUSH(&image->files, file);
	}
}

/* A thread that runs, chosen by lot; 0: there is none. */
static pid_t choose_thread(void)
{
	char path[300], stat[256];
	struct dirent *e;
	pid_t chosen = 0;
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", live.pid);
	dir = opendir(path);
	if (!dir)
		err(2, "%s", path);
	while ((e = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", live.pid, e->d_name);
		f = e->d_name[0] == '.' ? NULL : fopen(path, "re");
		if (f && fgets(stat, sizeof(stat), f) && strrchr(stat, ')') &&
		    strrchr(stat, ')')[2] == 'R' && random() % ++nr == 0)
			chosen = atoi(e->d_name);
		if (f)
			fclose(f);
	}
	closedir(dir);
	return chosen;
}

/* Stops the thread. Returns false if it has ended, or another stop came first. */
static bool stop_thread(pid_t tid)
{
	bool is_traced = false;
	int status;

	vec_for_each(&live.traced, t)
		is_traced |= *t == (uint32_t)tid;
	if (!is_traced) {
		if (ptrace(PTRACE_SEIZE, tid, 0, 0))
			return false;
		IMAGE_PUSH(&live.traced, tid);
	}
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		return false;
	while (waitpid(tid, &status, __WALL) == tid) {
		if (!WIFSTOPPED(status))
			return false;
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status));
	}
	return false;
}

/* The file must have the same interpreter as before. */
static bool is_described(const char *bytes, uint64_t size, const struct found_interpreter *want)
{
	struct found_interpreter found;
	int fd = memfd_create("file", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		err(2, "a file in memory");
	interpreter_search(fd, &found);
	close(fd);
	return !memcmp(&found, want, sizeof(found));
}

/* A file in memory, of which parts are set to 0 while that does not matter. */
struct shrunk_file {
	int fd;
	const struct live_file *file;
	struct image_file *image;
};

static bool is_zero(const char *bytes, uint64_t nr)
{
	return !nr || (!bytes[0] && !memcmp(bytes, bytes + 1, nr - 1));
}

#define SLICE_BYTES 16

/* Keeps what is needed of [off, off + nr), with @nr a power of 2. */
static void shrink_part(struct shrunk_file *s, uint64_t off, uint64_t nr)
{
	static const char zero[1 << 16];
	const char *bytes = s->file->bytes + off;
	struct found_interpreter found;
	uint64_t here = off < s->file->size ? s->file->size - off : 0;

	here = here < nr ? here : nr;
	if (!here || is_zero(bytes, here))
		return;
	for (uint64_t at = 0; at < here; at += sizeof(zero)) {
		uint64_t part = here - at < sizeof(zero) ? here - at : sizeof(zero);

		if (pwrite(s->fd, zero, part, (off_t)(off + at)) != (ssize_t)part)
			err(2, "a file in memory");
	}
	interpreter_search(s->fd, &found);
	if (!memcmp(&found, &s->file->found, sizeof(found)))
		return;
	if (pwrite(s->fd, bytes, here, (off_t)off) != (ssize_t)here)
		err(2, "a file in memory");
	if (nr <= SLICE_BYTES) {
		image_bytes_add(&s->image->slices, off, bytes, here);
		return;
	}
	shrink_part(s, off, nr / 2);
	shrink_part(s, off + nr / 2, nr / 2);
}

/* Puts into @image the parts of the interpreter's file by which it is known. */
static void shrink_file(struct sample_image *image)
{
	const struct live_file *file = &live.files.data[image->interpreter];
	struct shrunk_file s = {.fd = memfd_create("file", MFD_CLOEXEC),
				.file = file,
				.image = &image->files.data[image->interpreter]};
	uint64_t nr = SLICE_BYTES;

	if (s.fd < 0 || pwrite(s.fd, file->bytes, file->size, 0) != (ssize_t)file->size)
		err(2, "a file in memory");
	if (!is_described(file->bytes, file->size, &file->found))
		errx(2, "%s: read another time, it differs", file->path);
	while (nr < file->size)
		nr *= 2;
	shrink_part(&s, 0, nr);
	close(s.fd);
	image_bytes_sort(&s.image->slices);
}

static int image_rule_compare(const void *a, const void *b)
{
	const struct image_rule *x = a, *y = b;

	return x->off < y->off ? -1 : x->off > y->off;
}

/* Puts into @image the rule at @pc, and sets *@is_used of its mapping. */
static void keep_rule(struct sample_image *image, const struct image_walk *w, uint64_t pc,
		      bool *is_used)
{
	const struct image_mapping *m = find_image_mapping(image, pc);
	const struct walk_file *f = m && image_mapping_has_file(m) ? &w->files[m->file] : NULL;
	uint64_t off = m ? pc - m->start + m->pgoff : 0;

	if (m)
		is_used[m - image->mappings.data] = true;
	if (!f || !f->has_table || off < f->table.first_off)
		return;
	vec_for_each(&image->files.data[m->file].rules, r)
		if (r->off == off)
			return;
	IMAGE_PUSH(&image->files.data[m->file].rules, {off, *unwind_table_find(&f->table, off)});
}

/* Puts into @image the rules of the frames, and that of the frame in which made code runs. */
static void keep_rules(struct sample_image *image, const struct image_walk *w, bool *is_used)
{
	for (size_t i = 0; i < w->frames.nr; i++)
		keep_rule(image, w, frame_pc(w, i), is_used);
	if (w->found.interpreter.loop)
		keep_rule(image, w, image->base + w->found.interpreter.loop, is_used);
}

/* Leaves out mappings without frames, and sorts the rules. */
static void keep_mappings(struct sample_image *image, const bool *is_used)
{
	size_t nr = 0;

	for (size_t i = 0; i < image->mappings.nr; i++)
		if (is_used[i] || !image_mapping_has_file(&image->mappings.data[i]) ||
		    image->mappings.data[i].file == image->interpreter)
			image->mappings.data[nr++] = image->mappings.data[i];
	image->mappings.nr = nr;
	vec_for_each(&image->files, f)
		if (f->rules.nr)
			qsort(f->rules.data, f->rules.nr, sizeof(*f->rules.data),
			      image_rule_compare);
}

/*
 * How much the frames show: distinct functions of the language, and how often native frames follow
 * them. 0: the stack is of no use.
 */
static int rate_frames(const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	int nr = 0, nr_functions = 0, nr_changes = 0, was = 0;
	const char *seen[FRAMES_MAX + 2];

	if (!copy || strstr(text, "[displaced]") || strstr(text, "[not readable]") ||
	    strstr(text, "[no name]") || strstr(text, "not mapped") ||
	    !strstr(text, ", complete\n") || (live.wants_made && !strstr(text, "[made code]")))
		return 0;
	for (char *line = strtok(strchr(copy, '\n'), "\n"); line; line = strtok(NULL, "\n")) {
		int is = strstr(line, "_[") || !strcmp(line, "[made code]"), is_new = is;

		if (++nr > FRAMES_MAX)
			return 0;
		for (int i = 0; i < nr_functions; i++)
			is_new &= strcmp(seen[i], line) != 0;
		if (is_new)
			seen[nr_functions++] = line;
		nr_changes += is != was;
		was = is;
	}
	return !live.wants_made && (nr < FRAMES_MIN || nr_functions < 2)
		       ? 0
		       : 1000 * nr_functions + 300 * nr_changes + (live.wants_made ? nr : -10 * nr);
}

static char *walk_text(const struct image_walk *w, const struct sample_image *image)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		errx(2, "out of memory");
	if (w)
		image_walk_print(w, f);
	else
		sample_image_walk(image, f);
	fclose(f);
	return text;
}

/*
 * Walks the stack into @image. Returns its frames as text. Functions take the place of some native
 * frames, whose rules the walk needs all the same. So there is a walk without the interpreter, too.
 */
static char *walk_stack(struct sample_image *image, const struct walk_file *files)
{
	struct image_walk native = {.image = image, .files = files, .read = read_process},
			  w = native;
	bool *is_used = calloc(image->mappings.nr + 1, sizeof(*is_used));
	char *text;

	if (!is_used)
		errx(2, "out of memory");
	image_walk_run(&native);
	keep_rules(image, &native, is_used);
	image_walk_deinit(&native);
	if (image->interpreter != IMAGE_NO_FILE)
		w.found = live.files.data[image->interpreter].found;
	image_walk_run(&w);
	text = walk_text(&w, NULL);
	keep_rules(image, &w, is_used);
	image_walk_deinit(&w);
	keep_mappings(image, is_used);
	free(is_used);
	return text;
}

/* Walks the stack of the stopped thread into @image. Returns its frames as text. */
static char *walk_thread(struct sample_image *image)
{
	struct iovec regs = {&image->regs, sizeof(image->regs)};
	struct walk_file *files;
	char *text;

	if (ptrace(PTRACE_GETREGSET, live.tid, NT_PRSTATUS, &regs))
		return NULL;
	read_mappings(image);
	name_files(image);
	files = calloc(live.files.nr, sizeof(*files));
	if (!files)
		errx(2, "out of memory");
	for (size_t i = 0; i < live.files.nr; i++)
		files[i] = live.files.data[i].walk;
	text = walk_stack(image, files);
	free(files);
	image->reads = live.reads;
	live.reads = (image_bytes_vec){0};
	image_bytes_sort(&image->reads);
	return text;
}

/* The best stack so far. */
struct best {
	struct sample_image image;
	char *text;
	int rate;
};

static void try_thread(struct best *best)
{
	struct sample_image image = {0};
	char *text;
	int rate;

	live.tid = choose_thread();
	if (!live.tid || !stop_thread(live.tid))
		return;
	text = walk_thread(&image);
	ptrace(PTRACE_CONT, live.tid, 0, 0);
	rate = text ? rate_frames(text) : 0;
	if (rate > best->rate) {
		struct sample_image other = best->image;
		char *other_text = best->text;

		*best = (struct best){image, text, rate};
		image = other;
		text = other_text;
	}
	sample_image_free(&image);
	free(text);
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 3000000};
	struct best best = {0};
	char *again;

	if (argc != 4 && argc != 5)
		errx(2, "usage: image_save PID TRIES IMAGE [made]");
	live.wants_made = argc == 5;
	live.pid = atoi(argv[1]);
	for (int i = atoi(argv[2]); i > 0; i--) {
		try_thread(&best);
		nanosleep(&pause, NULL);
	}
	if (!best.rate)
		errx(1, "no stack of process %d shows enough", live.pid);
	if (best.image.interpreter != IMAGE_NO_FILE)
		shrink_file(&best.image);
	again = walk_text(NULL, &best.image);
	if (strcmp(again, best.text) != 0)
		errx(1, "the image differs from the process:\n%s\n%s", best.text, again);
	sample_image_write(argv[3], &best.image);
	fputs(again, stdout);
	free(again);
	free(best.text);
	sample_image_free(&best.image);
	return 0;
}
