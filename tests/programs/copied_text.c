// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copied_text HOW WHEN N FIFO: puts a copy of its own text in the place of that text, and calls
 * getsid N times from there. WHEN is before or after the first line of FIFO. The calls come after
 * that line, and a second one ends the program. HOW is
 *
 * - all: anonymous memory for all text but the function that copies;
 * - middle: without the first page and the last one, too;
 * - memfd: as all, a memfd;
 * - moved: as all, but the copy is made elsewhere and moves (mremap);
 * - forked: as all, and a child makes the calls;
 * - liar: as all, but some bytes, which do not run, are others.
 */
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "wait_for_line.h"

#define PAD_BYTES 8192 /* of code that nobody runs, before and after the functions */

extern const char first_pad[];
void call_outer(int nr);
void call_inner(void);

/* No page of it is like another. */
__asm__(".text\nfirst_pad:\n.rept 2048\n.long . - first_pad\n.endr\n");

__attribute__((noinline)) void call_inner(void)
{
	getsid(0);
	__asm__ volatile("");
}

__attribute__((noinline)) void call_outer(int nr)
{
	for (int i = 0; i < nr; i++)
		call_inner();
}

__asm__(".text\n.rept 2048\n.long . - first_pad\n.endr\n");

/* The functions of libc are called by pointers, because stubs of the PLT are text, too. */
static struct plan {
	const char *how;
	char *text, *copy; /* the copy is at another place first */
	size_t size;
	int fd;
	void *(*volatile mmap)(void *, size_t, int, int, int, off_t);
	int (*volatile mprotect)(void *, size_t, int);
	void *(*volatile mremap)(void *, size_t, size_t, int, ...);
} plan = {.fd = -1, .mmap = mmap, .mprotect = mprotect, .mremap = mremap};

/* memcpy may be in the text that is replaced. */
#define COPY(to, from, bytes)                                                                      \
	do {                                                                                       \
		for (size_t _i = 0; _i < (bytes); _i++)                                            \
			((volatile char *)(to))[_i] = (from)[_i];                                  \
	} while (0)

/* Alone in its pages at the end of the segment. */
__attribute__((noinline, section("remap_text"), aligned(4096))) static bool
replace_text(const struct plan *p, char how)
{
	if (p->fd >= 0)
		return p->mmap(p->text, p->size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			       p->fd, 0) == p->text;
	if (how == 'o')
		return !p->mprotect(p->copy, p->size, PROT_READ | PROT_EXEC) &&
		       p->mremap(p->copy, p->size, p->size, MREMAP_MAYMOVE | MREMAP_FIXED,
				 p->text) == p->text;
	if (p->mmap(p->text, p->size, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != p->text)
		return false;
	COPY(p->text, p->copy, p->size);
	return !p->mprotect(p->text, p->size, PROT_READ | PROT_EXEC);
}

/* Finds the text of the program: the first object, and there the executable segment. */
static int find_text(struct dl_phdr_info *info, size_t size, void *unused)
{
	const uintptr_t page = sysconf(_SC_PAGESIZE);
	const uintptr_t end = (uintptr_t)replace_text & -page;

	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			plan.text =
				(char *)((info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & -page);
	plan.size = end - (uintptr_t)plan.text;
	if (!strcmp(plan.how, "middle")) {
		plan.text += page;
		plan.size -= 2 * page;
	}
	return 1;
}

static void copy_text(void)
{
	dl_iterate_phdr(find_text, NULL);
	plan.copy =
		mmap(NULL, plan.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (plan.copy == MAP_FAILED)
		exit(1);
	memcpy(plan.copy, plan.text, plan.size);
	if (!strcmp(plan.how, "liar"))
		memset(plan.copy + (first_pad - plan.text), 0xcc, PAD_BYTES);
	if (!strcmp(plan.how, "memfd")) {
		plan.fd = memfd_create("text", MFD_CLOEXEC);
		if (plan.fd < 0 || write(plan.fd, plan.copy, plan.size) != (ssize_t)plan.size)
			exit(1);
	}
	if (!replace_text(&plan, plan.how[1]))
		exit(1);
}

int main(int argc, char **argv)
{
	bool is_before;
	pid_t child = 0;

	if (argc < 5)
		return 2;
	plan.how = argv[1];
	is_before = !strcmp(argv[2], "before");
	if (is_before)
		copy_text();
	wait_for_line(argv[4]);
	if (!is_before)
		copy_text();
	if (!strcmp(plan.how, "forked"))
		child = fork();
	if (child)
		return waitpid(child, NULL, 0) != child;
	call_outer(atoi(argv[3]));
	wait_for_line(argv[4]);
	return 0;
}
