// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * held FILE [turns]: runs for ever in a function whose frame pointer leads into a mapping of the
 * file. The program never touches that page, so whoever walks its stack is the one to ask the file
 * system for it. With "turns", another thread maps memory and the file there in turn, without end:
 * what was in memory when somebody looked may be the file when it is read.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE      4096
#define FAR_BYTES (8 << 20) /* further above than copies of stacks reach */

static int fd;
static char *page;

static void *take_turns(void *unused)
{
	(void)unused;
	for (;;) {
		mmap(page, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0);
		mmap(page, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
	}
	return NULL;
}

/* Its caller's frame is where the frame pointer leads, as its unwind table says. */
void spin_below(void *stack, void *frame);
#if defined(__x86_64__)
asm(".text\n.type spin_below,@function\nspin_below:\n.cfi_startproc\n.cfi_def_cfa %rbp, 16\n"
    ".cfi_offset %rbp, -16\nmov %rdi, %rsp\nmov %rsi, %rbp\n"
    "1: add $1, %rax\njmp 1b\n.cfi_endproc\n.size spin_below, .-spin_below\n");
#elif defined(__aarch64__)
asm(".text\n.type spin_below,%function\nspin_below:\n.cfi_startproc\n.cfi_def_cfa x29, 16\n"
    ".cfi_offset x29, -16\n.cfi_offset x30, -8\nmov sp, x0\nmov x29, x1\n"
    "1: add x2, x2, 1\nb 1b\n.cfi_endproc\n.size spin_below, .-spin_below\n");
#endif

int main(int argc, char **argv)
{
	pthread_t thread;
	char *room = mmap(NULL, 2 * FAR_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	fd = argc < 2 ? -1 : open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || room == MAP_FAILED)
		return 1;
	page = room + FAR_BYTES + PAGE;
	if (mmap(page, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		return 1;
	if (argc > 2 && pthread_create(&thread, NULL, take_turns, NULL))
		return 1;
	memset(room, 1, 2 * PAGE);
	spin_below(room + PAGE, page + 64);
	return 0;
}
