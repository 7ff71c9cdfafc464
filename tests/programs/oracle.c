// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oracle DIR SEED SECONDS: changes its code at random, and writes down where it spends its time.
 *
 * It loads, unloads and replaces plug-ins, maps their pages at random places, moves them, compiles
 * functions, forks, and becomes other programs. Between two changes it spends a slice of time in
 * one function.
 *
 * The name of the thread at that time is a label that no other slice has. So the test knows the
 * function of each sample. Some processes keep one label for all their slices: then equal stacks
 * stand for different functions. These processes load no plug-in that does not run.
 *
 * DIR/log gets a line for each slice: label, image, kind, function, nanoseconds, pid, and "gone" if
 * the code's file or map may be replaced later, else "kept". DIR holds the images image1 to image4
 * of this program, and the plug-ins partNN.so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_IMAGES         4
#define NR_IMAGES_WITH_ID 2 /* the first of them have a build-id */
#define NR_PARTS          12
#define NR_SLOTS          4
#define NR_PROCESSES      3
#define NR_PAGES          32 /* of the place for maps */
#define PAGE              4096
#define LOOPS             400000   /* of one call: far less than a millisecond */
#define CALL_NS_MAX       2000000  /* the machine held up a call that seems to take longer */
#define SLICE_NS          10000000 /* shortest slice */
#define SETTLE_NS         1500000000
#define JIT_PLACE         0x600000000000
#define JIT_BYTES         (1u << 20)
#define JIT_STEP          64
#define NAME_SIZE         32
#define NS_PER_S          1000000000ull

#define JOIN(a, b)  a##b
#define NAME(a, b)  JOIN(a, b)
#define TEXT(name)  #name
#define QUOTE(name) TEXT(name)
#define OWN         NAME(fn_img, IMAGE)
#define IN_IMAGE    NAME(in_img, IMAGE)

typedef uint64_t (*burn_fn)(uint64_t loops);

/* What all processes of a run share. */
struct shared {
	_Atomic uint32_t nr_labels, nr_processes;
	uint64_t offs[NR_PARTS][2]; /* offsets of the functions in the plug-ins */
};

static struct {
	const char *dir, *seconds;
	uint64_t random, end_ns;
	struct shared *shared;
	FILE *log;
	char label[16];
	bool has_one_label;
	char *pages, *jit, *jit_next;
	FILE *perf_map;
	uint64_t jit_ns;    /* time of the first compiled function; 0: none */
	bool may_leave_jit; /* may become a program that overwrites the map of its functions */
	bool is_child;
} w;

struct slice {
	const char *kind, *function;
	burn_fn code;
	bool is_gone;
};

static void die(const char *what)
{
	fprintf(stderr, "oracle: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* A number below @limit (SplitMix64). */
static uint32_t pick(uint32_t limit)
{
	uint64_t z = w.random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % limit;
}

static void set_label(void)
{
	snprintf(w.label, sizeof(w.label), "at%" PRIu32, w.shared->nr_labels++);
	prctl(PR_SET_NAME, w.label, 0, 0, 0);
}

/* Spends a slice of time in a function, and logs it. */
static void burn(const struct slice *slice)
{
	uint64_t slice_ns = SLICE_NS * (1 + pick(3)), ns = 0;

	if (!w.has_one_label)
		set_label();
	while (ns < slice_ns) {
		uint64_t took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		slice->code(LOOPS);
		took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - took_ns;
		ns += took_ns < CALL_NS_MAX ? took_ns : CALL_NS_MAX;
	}
	fprintf(w.log, "%s %d %s %s %" PRIu64 " %d %s\n", w.label, IMAGE, slice->kind,
		slice->function, ns, (int)getpid(), slice->is_gone ? "gone" : "kept");
	if (fflush(w.log))
		die("log");
}

/* The image's own function. Other images have theirs at the same address. */
uint64_t OWN(uint64_t loops);
__attribute__((noinline)) uint64_t OWN(uint64_t loops)
{
	uint64_t sum = 0;

	for (; loops; loops--)
		__asm__ volatile("" : "+r"(sum));
	return sum;
}

static void act_own(void)
{
	burn(&(struct slice){.kind = "own", .function = QUOTE(OWN), .code = OWN});
}

static bool has_build_id(uint32_t part)
{
	return part % 2 == 0;
}

static void part_name(char name[NAME_SIZE], uint32_t part, uint32_t half)
{
	snprintf(name, NAME_SIZE, "fn_p%02u%c", part, half ? 'b' : 'a');
}

static void part_path(char path[PATH_MAX], uint32_t part)
{
	snprintf(path, PATH_MAX, "%s/part%02u.so", w.dir, part);
}

static void *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library) {
		fprintf(stderr, "oracle: %s\n", dlerror());
		exit(1);
	}
	return library;
}

/* Loads the plug-in at @path, runs a function or both, and unloads it. */
static void run_part(const char *path, uint32_t part, struct slice slice)
{
	void *library = load(path);
	uint32_t half = pick(2), nr = 1 + pick(2);

	if (w.has_one_label)
		half = 0, nr = 1; /* then no function is loaded while its neighbour runs */
	for (; nr; nr--, half ^= 1) {
		char name[NAME_SIZE];

		part_name(name, part, half);
		*(void **)&slice.code = dlsym(library, name);
		if (!slice.code)
			die(name);
		slice.function = name;
		burn(&slice);
	}
	dlclose(library);
}

static void act_load(void)
{
	uint32_t part = pick(NR_PARTS);
	char path[PATH_MAX];

	if (!w.has_one_label && pick(2)) { /* at the address of the next */
		part_path(path, pick(NR_PARTS));
		dlclose(load(path));
	}
	part_path(path, part);
	run_part(path, part, (struct slice){.kind = "load"});
}

/* Writes a copy of @from to @path. A file that is there is written anew. */
static void copy_file(const char *from, const char *path)
{
	const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
	char bytes[PAGE];
	FILE *in, *out;
	size_t nr;

	in = fopen(from, "re");
	out = fopen(path, "we");
	if (!in || !out)
		die(path);
	while ((nr = fread(bytes, 1, sizeof(bytes), in)) > 0)
		if (fwrite(bytes, 1, nr, out) != nr)
			die(path);
	fclose(in);
	if (fflush(out) || fchmod(fileno(out), 0755) || (pick(2) && futimens(fileno(out), old)))
		die(path);
	fclose(out);
}

/* Puts another plug-in into a file, by writing or by renaming, and runs it. */
static void act_replace(void)
{
	char path[PATH_MAX - 8], other[PATH_MAX], from[PATH_MAX];
	uint32_t part = pick(NR_PARTS);
	bool renames = pick(2);
	int lock;

	snprintf(path, sizeof(path), "%s/slot%u.so", w.dir, pick(NR_SLOTS));
	snprintf(other, sizeof(other), "%s.lock", path);
	lock = open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (lock < 0)
		die(other);
	if (!flock(lock, LOCK_EX | LOCK_NB)) {
		snprintf(other, sizeof(other), "%s.new", path);
		part_path(from, part);
		copy_file(from, renames ? other : path);
		if (renames && rename(other, path))
			die(path);
		run_part(path, part,
			 (struct slice){.kind = renames ? "renamed" : "rewritten",
					.is_gone = !has_build_id(part)});
	}
	close(lock);
}

/* The offset in the file of the code at @addr. */
static uint64_t off_of(uint64_t addr)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end, off, found = 0;
	char line[PATH_MAX + 256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &off) == 3 &&
		    addr >= start && addr < end)
			found = addr - start + off;
	if (!found)
		die("maps");
	fclose(f);
	return found;
}

static void find_offs(uint32_t part)
{
	char path[PATH_MAX], name[NAME_SIZE];
	void *library;

	part_path(path, part);
	library = load(path);
	for (uint32_t half = 0; half < 2; half++) {
		part_name(name, part, half);
		w.shared->offs[part][half] = off_of((uint64_t)dlsym(library, name));
	}
	dlclose(library);
}

/* Maps the page of a function at @at. */
static void map_part(uint32_t part, uint32_t half, char *at)
{
	bool protects = pick(2);
	char path[PATH_MAX];
	int fd;

	part_path(path, part);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 ||
	    mmap(at, PAGE, PROT_READ | (protects ? 0 : PROT_EXEC), MAP_PRIVATE | MAP_FIXED, fd,
		 (off_t)w.shared->offs[part][half]) == MAP_FAILED)
		die(path);
	close(fd);
	if (protects && mprotect(at, PAGE, PROT_READ | PROT_EXEC))
		die("mprotect");
}

static char *pick_page(void)
{
	return w.pages + (size_t)PAGE * pick(NR_PAGES);
}

static void run_page(const char *kind, const char *name, char *at)
{
	burn(&(struct slice){.kind = kind, .function = name, .code = (burn_fn)(uintptr_t)at});
	if (pick(2) &&
	    mmap(at, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		die("munmap");
}

/* Maps the page of a plug-in's function over one of the pages for maps. */
static void act_map(void)
{
	uint32_t part = pick(NR_PARTS), half = pick(2);
	char name[NAME_SIZE], *at = pick_page();

	part_name(name, part, half);
	map_part(part, half, at);
	run_page("map", name, at);
}

/* Maps a page, and moves it over another one. */
static void act_move(void)
{
	uint32_t part = pick(NR_PARTS), half = pick(2);
	char name[NAME_SIZE], *at = pick_page(), *to = pick_page();
	const char *moves = getenv("ORACLE_MOVES");

	if (at == to || (moves && !strcmp(moves, "no")))
		return;
	part_name(name, part, half);
	map_part(part, half, at);
	if (mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to ||
	    mmap(at, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		die("mremap");
	run_page("move", name, to);
}

/* Compiles a function, and writes its name into the map. */
static void act_compile(void)
{
#ifdef __x86_64__
	/* dec %rdi; jnz to it; xor %eax, %eax; ret */
	static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0x31, 0xc0, 0xc3};
	char name[NAME_SIZE], path[64];

	if (!w.jit_ns) {
		act_own(); /* programs take longer to start than the clock of files ticks */
		w.jit = mmap((void *)JIT_PLACE, JIT_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
		w.perf_map = fopen(path, "we");
		if (w.jit == MAP_FAILED || !w.perf_map)
			die(path);
		w.jit_next = w.jit;
		w.jit_ns = clock_ns(CLOCK_MONOTONIC);
	}
	if (w.jit_next == w.jit + JIT_BYTES)
		return;
	memcpy(w.jit_next, code, sizeof(code));
	snprintf(name, sizeof(name), "fn_jit%u", w.shared->nr_labels++);
	fprintf(w.perf_map, "%lx %zx %s\n", (unsigned long)w.jit_next, sizeof(code), name);
	fprintf(w.perf_map, "%lx %zx no_%s\n", (unsigned long)w.jit_next + sizeof(code),
		JIT_STEP - sizeof(code), name);
	if (fflush(w.perf_map))
		die("perf map");
	burn(&(struct slice){.kind = "compile",
			     .function = name,
			     .code = (burn_fn)(uintptr_t)w.jit_next,
			     .is_gone = w.may_leave_jit});
	w.jit_next += JIT_STEP;
#endif
}

/* A process keeps its compiled functions so long that the recorder can see its map. */
static void settle(void)
{
	while (w.jit_ns && !w.may_leave_jit && clock_ns(CLOCK_MONOTONIC) < w.jit_ns + SETTLE_NS)
		act_own();
}

static void start_process(void)
{
	w.has_one_label = !pick(4);
	w.may_leave_jit = !pick(4);
	w.jit_ns = 0;
	set_label();
}

static void act_fork(void)
{
	uint32_t seed = pick(UINT32_MAX);
	pid_t pid;

	if (w.shared->nr_processes++ >= NR_PROCESSES) {
		w.shared->nr_processes--;
		return;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid)
		return;
	w.random = seed;
	w.is_child = true;
	if (w.perf_map)
		fclose(w.perf_map);
	w.perf_map = NULL;
	start_process();
}

/* Becomes another image, perhaps at a path where an earlier one was. */
static void act_exec(void)
{
	char path[PATH_MAX], from[PATH_MAX], new[PATH_MAX], seed[16], end[32];

	if (w.jit_ns && !w.may_leave_jit)
		return;
	snprintf(path, sizeof(path), "%s/image%u", w.dir, 1 + pick(NR_IMAGES));
	if (pick(2)) {
		snprintf(from, sizeof(from), "%s/image%u", w.dir, 1 + pick(NR_IMAGES_WITH_ID));
		snprintf(new, sizeof(new), "%s/program.%d", w.dir, (int)getpid());
		snprintf(path, sizeof(path), "%s/program", w.dir);
		copy_file(from, new);
		if (rename(new, path))
			die(path);
	}
	snprintf(seed, sizeof(seed), "%u", pick(UINT32_MAX));
	snprintf(end, sizeof(end), "%" PRIu64, w.end_ns);
	execl(path, path, w.dir, seed, w.seconds, end, w.is_child ? "child" : "first", NULL);
	die(path);
}

static void end_process(void)
{
	settle();
	while (wait(NULL) > 0 || errno == EINTR)
		;
	if (w.is_child)
		w.shared->nr_processes--;
	exit(0);
}

static void act_exit(void)
{
	if (w.is_child && !pick(4))
		end_process();
}

void IN_IMAGE(void);
__attribute__((noinline)) void IN_IMAGE(void)
{
	static void (*const acts[])(void) = {act_own,     act_load, act_load, act_replace,
					     act_replace, act_map,  act_map,  act_move,
					     act_compile, act_fork, act_exec, act_exit};

	while (clock_ns(CLOCK_MONOTONIC) < w.end_ns)
		acts[pick(sizeof(acts) / sizeof(acts[0]))]();
}

/* Opens what the processes share; the first one makes it. */
static void open_shared(void)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/log", w.dir);
	w.log = fopen(path, "ae");
	snprintf(path, sizeof(path), "%s/shared", w.dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (!w.log || fd < 0 || ftruncate(fd, PAGE))
		die(path);
	w.shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	w.pages = mmap(NULL, NR_PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w.shared == MAP_FAILED || w.pages == MAP_FAILED)
		die("mmap");
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 6)
		return 2;
	w.dir = argv[1];
	w.random = strtoull(argv[2], NULL, 0);
	w.seconds = argv[3];
	w.end_ns = argc == 6 ? strtoull(argv[4], NULL, 0)
			     : clock_ns(CLOCK_MONOTONIC) + strtoull(argv[3], NULL, 0) * NS_PER_S;
	w.is_child = argc == 6 && !strcmp(argv[5], "child");
	open_shared();
	if (argc == 4) {
		w.shared->nr_processes++;
		for (uint32_t part = 0; part < NR_PARTS; part++)
			find_offs(part);
	}
	start_process();
	IN_IMAGE();
	end_process();
}
