// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probed N [FILE]: calls madvise N times from each of several places below functions that a test
 * puts probes into. With FILE, first says its pid, and waits for a line of FILE in wait_here. None
 * of the stacks may differ from those without probes. Without N, calls madvise each millisecond
 * until it is killed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "burn.h"
#include "wait_for_line.h"

/* Each is a frame of its own: the compiler knows nothing of what it does. */
#define FUNCTION __attribute__((noipa))

typedef int act_function(int n);

static char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
static act_function *volatile next;
static jmp_buf out;
static ucontext_t main_context, own_context;

act_function inner, middle, outer, handed, hand_over, again, leap, after_leap, wait_for_child;
act_function call_touch;
void wait_here(const char *path);
void on_signal(int sig);
void on_own_stack(void);
int touch(char *memory);

/* An instruction that takes a page fault has a probe. */
#ifdef __aarch64__
#define TOUCH "strb w0, [x0]\nmov w0, #0\nret\n"
#else
#define TOUCH "movb $1, (%rdi)\nxor %eax, %eax\nret\n"
#endif
__asm__(".text\n.globl touch\n.type touch, %function\ntouch:\n.cfi_startproc\n" TOUCH
	".cfi_endproc\n.size touch, .-touch\n");

FUNCTION int inner(int n)
{
	return madvise(page, PAGE_BYTES, MADV_DONTNEED) + n;
}

FUNCTION int middle(int n)
{
	char volatile room[200] = {n};

	return inner(room[0]) + n;
}

FUNCTION int outer(int n)
{
	return middle(n) + 1;
}

FUNCTION int handed(int n)
{
	return outer(n) + 2;
}

/* A jump: the return address of the function is that of the next one. */
FUNCTION int hand_over(int n)
{
	return next(n);
}

FUNCTION int again(int n)
{
	char volatile room[16] = {n};

	return n ? again(n - 1) + room[0] : inner(n);
}

FUNCTION int leap(int n)
{
	inner(n);
	longjmp(out, 1);
}

/* The calls that the jump has left are in the kernel's list until the next probe. */
FUNCTION int after_leap(int n)
{
	if (!setjmp(out))
		leap(n);
	return inner(n) + 4;
}

FUNCTION void on_signal(int sig)
{
	outer(sig);
}

FUNCTION void on_own_stack(void)
{
	outer(0);
	swapcontext(&own_context, &main_context);
}

FUNCTION int wait_for_child(int n)
{
	pid_t child = fork();

	if (!child)
		_exit(middle(n) & 0);
	return waitpid(child, NULL, 0) + n;
}

FUNCTION int call_touch(int n)
{
	return touch(page) + n;
}

FUNCTION void wait_here(const char *path)
{
	char volatile room[16] = {0};

	wait_for_line(path);
	room[0]++;
}

static void *in_thread(void *ctx)
{
	outer(0);
	return ctx;
}

static void act(void)
{
	static char stack[65536];
	const struct sigaction action = {.sa_handler = on_signal};
	pthread_t thread;

	outer(0);
	next = handed;
	hand_over(0);
	again(5);
	after_leap(0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	getcontext(&own_context);
	own_context.uc_stack.ss_sp = stack;
	own_context.uc_stack.ss_size = sizeof(stack);
	makecontext(&own_context, on_own_stack, 0);
	swapcontext(&main_context, &own_context);
	wait_for_child(0);
	if (!pthread_create(&thread, NULL, in_thread, NULL))
		pthread_join(thread, NULL);
	madvise(page, PAGE_BYTES, MADV_DONTNEED);
	call_touch(0);
}

int main(int argc, char **argv)
{
	while (argc == 1) {
		madvise(page, PAGE_BYTES, MADV_DONTNEED);
		usleep(1000);
	}
	if (argc > 2)
		wait_here(argv[2]);
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--)
		act();
	return 0;
}
