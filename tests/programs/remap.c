// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remap HOW LIBRARY:FUNCTION LIBRARY:FUNCTION [wait]: changes where the code of two libraries is
 * mapped, and then runs the code that is at the place. That code takes RUN_FAULTS page faults.
 * Libraries are of programs/spin.c, and have their functions at equal offsets. With "wait" the
 * change comes at the end of the standard input. HOW is
 *
 * - away: the first code moves to a free place;
 * - onto: the second code moves to the place of the first;
 * - back: as onto, and both codes return to their places at the end;
 * - grow: the first code moves to a free place twice as large;
 * - child-maps: a child that shares the memory maps the second code in place of the first;
 * - child-moves: a child that shares the memory moves the second code onto the first;
 * - child-runs: the process maps the second code, and a child that shares the memory runs it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_FAULTS 100
#define STACK_SIZE (256 << 10)
#define PAGE_BYTES 4096

typedef void spin_fn(volatile char *page);

/* The code of a library. */
struct code {
	spin_fn *spin;
	char *start;
	size_t size;
	off_t off;
	char path[256];
};

static struct code first, second;
static const char *how;
static spin_fn *to_run;
static atomic_bool is_changed;
static bool waits;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void find_code(struct code *code)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long at = (unsigned long)code->spin, start, end, off;
	char line[512];

	while (maps && !code->start && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &off, code->path) <
			    4 ||
		    at < start || at >= end)
			continue;
		code->start = (char *)start;
		code->size = end - start;
		code->off = off;
	}
	if (maps)
		fclose(maps);
	if (!code->start)
		fail("no code");
}

static void load(char *name, struct code *code)
{
	char *colon = strchr(name, ':');
	void *library;

	if (!colon)
		exit(2);
	*colon = '\0';
	library = dlopen(name, RTLD_NOW);
	if (!library)
		fail(name);
	*(void **)&code->spin = dlsym(library, colon + 1);
	find_code(code);
}

/* Runs the function whose code is at @to_run. */
static void run(void)
{
	static volatile char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

	for (int i = 0; i < RUN_FAULTS; i++) {
		madvise((void *)page, PAGE_BYTES, MADV_DONTNEED);
		to_run(page);
	}
}

static void move_code(struct code *code, char *to, size_t size)
{
	char *was = code->start;

	if (mremap(was, code->size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		fail("mremap");
	code->start = to;
	code->spin = (spin_fn *)(to + ((char *)code->spin - was));
}

static char *free_place(size_t size)
{
	char *place = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (place == MAP_FAILED)
		fail("mmap");
	return place;
}

/* Maps the second code in place of the first. */
static void map_onto(void)
{
	int fd = open(second.path, O_RDONLY | O_CLOEXEC);

	if (mmap(first.start, second.size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		 second.off) != first.start)
		fail("mmap");
	close(fd);
}

static int change(void *unused)
{
	(void)unused;
	if (!strcmp(how, "child-moves"))
		move_code(&second, first.start, second.size);
	else
		map_onto();
	return 0;
}

static int run_as_child(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "child");
	while (!atomic_load(&is_changed))
		sched_yield();
	run();
	return 0;
}

/* Waits for the end of the standard input, if that was asked for. */
static void wait_for_end(void)
{
	char c;

	while (waits && read(STDIN_FILENO, &c, 1) > 0)
		;
}

/* Runs @main in a process that shares the memory, and waits for its end. */
static void share(int (*main_fn)(void *), int (*meanwhile)(void *))
{
	char *stack =
		mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid = stack == MAP_FAILED
			    ? -1
			    : clone(main_fn, stack + STACK_SIZE, CLONE_VM | SIGCHLD, NULL);
	int status;

	if (pid < 0)
		fail("clone");
	wait_for_end();
	if (meanwhile)
		meanwhile(NULL);
	atomic_store(&is_changed, true);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid");
	if (status)
		exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	how = argv[1];
	waits = argc > 4;
	load(argv[2], &first);
	load(argv[3], &second);
	to_run = first.spin;
	if (!strcmp(how, "away") || !strcmp(how, "grow")) {
		size_t size = first.size * (how[0] == 'g' ? 2 : 1);

		move_code(&first, free_place(size), size);
		to_run = first.spin;
		run();
	} else if (!strcmp(how, "onto")) {
		move_code(&second, first.start, second.size);
		run();
	} else if (!strcmp(how, "back")) {
		char *place = first.start, *from = second.start;

		move_code(&first, free_place(first.size), first.size);
		move_code(&second, place, second.size);
		run();
		move_code(&second, from, second.size);
		move_code(&first, place, first.size);
	} else if (!strcmp(how, "child-runs")) {
		share(run_as_child, change);
	} else {
		share(change, NULL);
		run();
	}
	/* What libraries do at the end would be done by code that is elsewhere now. */
	_exit(0);
}
