// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of all kinds, for tests of unwinding. frames ACT [MS] does one thing over and over for MS
 * milliseconds of CPU time (300):
 *
 *	calls    leafs, tail calls, calls that never return, recursion, varargs
 *	arrays   alloca and arrays of variable length
 *	realign  locals that are aligned more than the stack is
 *	signals  handlers, also on a stack of their own, within handlers, and of faults
 *	contexts longjmp and contexts with stacks of their own
 *	threads  that start, compute, wait for each other, and end
 *	vfork    children that compute on their parent's stack
 *	marks    calls of libc from below all of them, now and then (marks.h)
 *	lazy     calls that bind when they are first made, in a library that comes and goes (LAZY)
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "marks.h"

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned int sink = 1;

/* A leaf without a frame. */
static NOINLINE unsigned int leaf(unsigned int x)
{
	for (int i = 0; i < 20; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

/* Uses all registers that have to be preserved. */
static NOINLINE unsigned int wide(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int d = leaf(a), e = leaf(b), f = leaf(c), g = leaf(d ^ e), h = leaf(e ^ f);

	return leaf(a + b + c) ^ leaf(d + e + f) ^ leaf(g + h) ^ d ^ e ^ f ^ g ^ h;
}

static NOINLINE unsigned int tail(unsigned int x)
{
	return x & 1 ? wide(x, x + 1, x + 2) : leaf(x);
}

/* It saves registers only where it does not return at once. */
static NOINLINE unsigned int maybe(unsigned int x)
{
	if (x % 3)
		return x;
	return wide(x, x / 3, leaf(x)) + tail(x);
}

static jmp_buf out;

/* The call is the last instruction, so its return address belongs to the next function. */
static NOINLINE __attribute__((noreturn)) void leave(unsigned int x)
{
	sink = leaf(x);
	longjmp(out, 1);
}

static NOINLINE unsigned int recurse(unsigned int n, unsigned int x)
{
	if (!n)
		return maybe(x);
	return recurse(n - 1, leaf(x)) + n;
}

static NOINLINE unsigned int sum(unsigned int n, ...)
{
	unsigned int s = 0;
	va_list args;

	va_start(args, n);
	while (n--)
		s += leaf(va_arg(args, unsigned int));
	va_end(args);
	return s;
}

static int compare(const void *a, const void *b)
{
	return (int)(leaf(*(const unsigned char *)a) >> 1) -
	       (int)(leaf(*(const unsigned char *)b) >> 1);
}

static void do_calls(void)
{
	unsigned char bytes[32];

	sink = recurse(20, sink) + sum(5, sink, 1u, 2u, 3u, 4u) + tail(sink);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = leaf(i);
	qsort(bytes, sizeof(bytes), 1, compare);
	if (!setjmp(out))
		leave(sink);
}

static NOINLINE unsigned int recurse_to_mark(unsigned int n, unsigned int x)
{
	if (!n) {
		mark();
		return x;
	}
	return recurse_to_mark(n - 1, leaf(x)) + n;
}

static int compare_with_mark(const void *a, const void *b)
{
	mark();
	return compare(a, b);
}

static void do_marks(void)
{
	unsigned char two[] = {1, 2};

	for (int i = 0; i < 2000; i++)
		do_calls();
	sink = recurse_to_mark(20, sink);
	qsort(two, sizeof(two), 1, compare_with_mark);
}

static NOINLINE unsigned int use(volatile unsigned char *p, size_t nr)
{
	for (size_t i = 0; i < nr; i += 16)
		p[i] = i;
	return leaf(p[0]);
}

static NOINLINE unsigned int with_alloca(size_t nr)
{
	unsigned int x = use(alloca(nr), nr);

	for (int i = 0; i < 3; i++)
		x += use(alloca(nr / 2 + 1), nr / 2 + 1);
	return x;
}

static NOINLINE unsigned int with_array(size_t nr, unsigned int n)
{
	unsigned char bytes[nr];

	return n ? with_array(nr / 2 + 32, n - 1) + use(bytes, nr) : use(bytes, nr);
}

static NOINLINE unsigned int large(void)
{
	unsigned char bytes[70000];

	return use(bytes, sizeof(bytes));
}

static void do_arrays(void)
{
	sink += with_alloca(100 + sink % 1000) + with_array(500 + sink % 100, 4) + large();
}

static NOINLINE unsigned int aligned(unsigned int n)
{
	_Alignas(64) unsigned char bytes[256];

	return use(bytes, sizeof(bytes)) + (n ? aligned(n - 1) : maybe(n));
}

/* More arguments than registers, and a size that is not known, so the frame needs two pointers. */
static NOINLINE unsigned int aligned_array(unsigned int n, int b, int c, int d, int e, int f, int g,
					   int h)
{
	_Alignas(128) unsigned char bytes[128];
	unsigned char *more = alloca(n * 16 + 1);
	unsigned int x = use(bytes, sizeof(bytes)) + use(more, n * 16);

	return n ? x + aligned_array(n - 1, c, d, e, f, g, h, b) : x + b + h;
}

static void do_realign(void)
{
	sink += aligned(5) + aligned_array(5, 1, 2, 3, 4, 5, 6, 7);
}

#ifdef __aarch64__
#define FAULT          "udf #0"
#define FAULT_BYTES    4
#define CONTEXT_PC(uc) (uc)->uc_mcontext.pc
#else
#define FAULT          "ud2"
#define FAULT_BYTES    2
#define CONTEXT_PC(uc) (uc)->uc_mcontext.gregs[REG_RIP]
#endif

/* An instruction that faults is the first of its function. */
void fault_at_once(void);
__asm__(".text\n.type fault_at_once, @function\nfault_at_once:\n.cfi_startproc\n" FAULT "\nret\n"
	".cfi_endproc\n.size fault_at_once, .-fault_at_once\n");

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)sig;
	(void)info;
	sink += leaf(sink);
	CONTEXT_PC(u) += FAULT_BYTES;
}

static void on_inner(int sig)
{
	(void)sig;
	sink += recurse(3, sink);
	fault_at_once();
}

static void on_outer(int sig)
{
	(void)sig;
	sink += leaf(sink);
	raise(SIGUSR2);
}

static void do_signals(void)
{
	static char stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	const struct sigaction fault = {.sa_sigaction = on_fault,
					.sa_flags = SA_SIGINFO | SA_NODEFER};
	const struct sigaction inner = {.sa_handler = on_inner};
	const struct sigaction outer = {.sa_handler = on_outer, .sa_flags = SA_ONSTACK};
	const struct itimerval often = {{0, 700}, {0, 700}};
	static bool is_set;

	if (!is_set) {
		is_set = true;
		sigaltstack(&alternate, NULL);
		sigaction(SIGILL, &fault, NULL);
		sigaction(SIGUSR2, &inner, NULL);
		sigaction(SIGUSR1, &outer, NULL);
		sigaction(SIGPROF, &outer, NULL);
		setitimer(ITIMER_PROF, &often, NULL);
	}
	fault_at_once();
	sink += recurse(10, sink);
	raise(SIGUSR1);
	for (int i = 0; i < 100; i++)
		sink += maybe(sink);
}

static ucontext_t main_context, context;

static void in_context(void)
{
	for (;;) {
		sink += recurse(5, sink);
		swapcontext(&context, &main_context);
	}
}

static void do_contexts(void)
{
	static char stack[65536];

	if (!context.uc_stack.ss_sp) {
		getcontext(&context);
		context.uc_stack.ss_sp = stack;
		context.uc_stack.ss_size = sizeof(stack);
		makecontext(&context, in_context, 0);
	}
	swapcontext(&main_context, &context);
	if (!setjmp(out))
		leave(sink);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static long used_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* It works long enough to be met at work, however fast the machine is. */
static void *in_thread(void *arg)
{
	do {
		for (int i = 0; i < 2000; i++) {
			pthread_mutex_lock(&mutex);
			sink += leaf(sink);
			pthread_mutex_unlock(&mutex);
			sink += recurse(4, sink);
		}
	} while (used_ms(CLOCK_THREAD_CPUTIME_ID) < 10);
	return arg;
}

static void do_threads(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void do_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		for (int i = 0; i < 1000; i++)
			sink += recurse(4, sink);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* On a fast machine, too, the library must not come and go faster than a recorder can look. */
#define LOADED_MS 5

static void do_lazy(void)
{
	const long end_ms = used_ms(CLOCK_PROCESS_CPUTIME_ID) + LOADED_MS;
	void *library = dlopen(getenv("LAZY"), RTLD_LAZY);
	void (*call)(void);

	if (!library)
		exit(3);
	*(void **)&call = dlsym(library, "lazy_calls");
	while (used_ms(CLOCK_PROCESS_CPUTIME_ID) < end_ms)
		call();
	dlclose(library);
}

static const struct act {
	const char *name;
	void (*run)(void);
} acts[] = {
	{"calls", do_calls},     {"arrays", do_arrays},     {"realign", do_realign},
	{"signals", do_signals}, {"contexts", do_contexts}, {"threads", do_threads},
	{"vfork", do_vfork},     {"lazy", do_lazy},         {"marks", do_marks},
};

int main(int argc, char **argv)
{
	long end_ms = used_ms(CLOCK_PROCESS_CPUTIME_ID) + (argc > 2 ? atol(argv[2]) : 300);

	for (size_t i = 0; argc > 1 && i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(acts[i].name, argv[1]) == 0) {
			while (used_ms(CLOCK_PROCESS_CPUTIME_ID) < end_ms)
				acts[i].run();
			return 0;
		}
	}
	return 2;
}
