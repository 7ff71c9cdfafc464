// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Costs a recorder as much as it can, until it is killed:
 *
 *	glutton forks N      has N executable mappings, forks, and each child maps one more
 *	glutton churn N      has N executable mappings, runs code in them, and remaps them in turn
 *	glutton stacks N     as churn, below stacks whose return addresses lie in all mappings
 *	glutton paths DIR N  maps N files with paths of nearly 4 KiB below DIR, one after the other
 *	glutton names        has threads that change their names
 *	glutton execs        runs itself again and again, with 2 MB of arguments
 *	glutton starts       starts processes that end at once
 *	glutton perf DIR     writes maps of JIT code of 64 MB
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE     4096ul
#define NR_DEPTH 126

static unsigned char *area;
static size_t nr_pages;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Code that counts rdi down to 0 and returns. */
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};

/* Every other page is executable, so that no two of them are one mapping. */
static void map_page(size_t i)
{
	unsigned char *p = area + 2 * i * PAGE;

	if (mmap(p, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		fail("mmap");
	memcpy(p, code, sizeof(code));
}

static void map_pages(size_t nr)
{
	area = mmap(NULL, 2 * nr * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		    0);
	if (area == MAP_FAILED)
		fail("mmap");
	nr_pages = nr;
	for (size_t i = 0; i < nr; i++)
		map_page(i);
}

static void run_page(size_t i, uint64_t nr)
{
	((void (*)(uint64_t))(uintptr_t)(area + 2 * i * PAGE))(nr);
}

static void do_forks(void)
{
	for (;;) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (!pid) {
			map_page(0);
			run_page(0, 1000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void *run_pages(void *arg)
{
	(void)arg;
	for (size_t i = 0;; i = (i * 7 + 1) % nr_pages)
		run_page(i | 1, 100000);
	return NULL;
}

/* Runs code of page 1 with a chain of frames, whose return addresses are anywhere in the pages. */
static void run_below(uint64_t *stack, uint64_t seed)
{
	for (size_t i = 0; i < NR_DEPTH; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		stack[2 * i] = (uintptr_t)&stack[2 * i + 2];
		stack[2 * i + 1] = (uintptr_t)(area + 2 * ((seed >> 33) % nr_pages) * PAGE + 3);
	}
	stack[2 * NR_DEPTH] = stack[2 * NR_DEPTH + 1] = 0;
	__asm__ volatile("push %%rbp\n mov %0, %%rbp\n call *%1\n pop %%rbp"
			 :
			 : "r"(stack), "r"(area + 2 * PAGE), "D"(1000000ul)
			 : "memory", "cc", "rax", "rcx", "rdx");
}

static void *run_stacks(void *arg)
{
	static uint64_t stack[2 * NR_DEPTH + 2];

	(void)arg;
	for (uint64_t seed = 1;; seed++)
		run_below(stack, seed);
	return NULL;
}

/* Maps every other page anew, in turn, while a thread runs code of the others. */
static void remap_beside(void *(*run)(void *arg))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		fail("pthread_create");
	for (size_t i = 0;; i = (i + 2) % (nr_pages & ~1ul))
		map_page(i);
}

/* Goes down into directories with long names, until a path has no room for another. */
static void enter_deep(const char *dir)
{
	char name[251];

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (chdir(dir))
		fail(dir);
	for (int i = 0; i < 15; i++) {
		if (mkdir(name, 0755) && errno != EEXIST)
			fail("mkdir");
		if (chdir(name))
			fail("chdir");
	}
}

/* Maps a file of its own that is gone afterwards. */
static void map_file(unsigned int round, size_t i)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "f%u-%zu", round, i);
	fd = open(name, O_RDWR | O_CREAT, 0755);
	if (fd < 0 || ftruncate(fd, PAGE))
		fail(name);
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		fail("mmap");
	close(fd);
	unlink(name);
}

static void do_paths(const char *dir, size_t nr)
{
	enter_deep(dir);
	for (unsigned int round = 0;; round++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (pid) {
			waitpid(pid, NULL, 0);
			continue;
		}
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (size_t i = 0; i < nr; i++)
			map_file(round, i);
		_exit(0);
	}
}

static void *change_names(void *arg)
{
	for (uint64_t i = 0;; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%p%lu", arg, i);
		prctl(PR_SET_NAME, name);
	}
	return NULL;
}

static void do_names(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, change_names, (void *)1))
		fail("pthread_create");
	change_names((void *)2);
}

static void do_execs(void)
{
	static char text[100001];
	char *argv[24] = {"glutton", "execs"};

	memset(text, 'a', sizeof(text) - 1);
	for (int i = 2; i < 20; i++)
		argv[i] = text;
	execv("/proc/self/exe", argv);
	fail("execv");
}

static void do_starts(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

/* The map is just not too large to be read, and all its lines are for code that runs. */
static void do_perf(const char *dir)
{
	char path[4096];
	FILE *f;

	map_pages(256);
	snprintf(path, sizeof(path), "%s/perf-%d.map", dir, getpid());
	f = fopen(path, "w");
	if (!f)
		fail(path);
	for (size_t i = 0; i < 1300000; i++)
		fprintf(f, "%lx %x function_with_a_name_%zu\n",
			(unsigned long)(uintptr_t)area + 2 * (i % 256) * PAGE, 4096, i);
	fclose(f);
	run_pages(NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	size_t nr = argc > 2 ? strtoul(argv[argc - 1], NULL, 10) : 0;

	if (!strcmp(what, "forks"))
		map_pages(nr), do_forks();
	else if (!strcmp(what, "churn"))
		map_pages(nr), remap_beside(run_pages);
	else if (!strcmp(what, "stacks"))
		map_pages(nr), remap_beside(run_stacks);
	else if (!strcmp(what, "paths") && argc > 3)
		do_paths(argv[2], nr);
	else if (!strcmp(what, "names"))
		do_names();
	else if (!strcmp(what, "execs"))
		do_execs();
	else if (!strcmp(what, "starts"))
		do_starts();
	else if (!strcmp(what, "perf"))
		do_perf(argv[2]);
	return 2;
}
