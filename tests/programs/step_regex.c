// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * step_regex LIBRARY STEPS: has PCRE2's library make code of some expressions, and runs it
 * instruction by instruction, up to STEPS of each match. At each one it leaves the code by the rule
 * of bpf/made/regex_code.h, and compares the caller's registers with those at the call. Prints the
 * numbers of instructions, of wrong callers, and of instructions without a rule.
 *
 * step_regex LIBRARY run N: matches for N times 20 ms.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf/walk/unwind_step.h"

static pid_t child;

static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr)
{
	struct iovec to = {dst, size}, from = {(void *)(uintptr_t)addr, size};

	(void)f;
	return process_vm_readv(child, &to, 1, &from, 1, 0) != (ssize_t)size;
}

#include "bpf/made/regex_code.h"

static const char *const expressions[] = {
	"abc",
	"(a+)+b",
	"((a)(b)(c)(d)(e)|(f)(g)(h)*)+x{3,9}",
	"(?<n>\\w+)\\s(?&n)z(?=q)",
	"(*UTF)(?i)\\p{Lu}+\\X\\R[^\\x{100}-\\x{300}]*?\\b(?>a|bc)++",
	"^(?:(\\()|(\\)))*+(?(1)x|y)(?R)?$",
	"(?<=ab|c)\\K\\w{2,5}?(?|(a)|(b))\\1",
	"\\b\\d{1,3}(\\.\\d{1,3}){3}\\b",
	"\\((?:[^()]++|(?R))*\\)",
	"(?i)(?:foo|bar|(b)az+|qu(x|y)*)+[^a-z]{1,3}",
	"(*UTF)(?i)(\\w+)\\s+\\1",
	"(*UTF)\\X{3}\xc3\xa9",
	"(?s).*?(quick|lazy)(.*)\\2z",
	"((((((((((((((((((((a)?b)?c)?d)?e)?f)?g)?h)?i)?j)?k)?l)?m)?n)?o)?p)?q)?r)?s)?t)+u",
};

static const char subject[] =
	"the quick (brown (fox) jumps) foo bar bazzz over 10.20.30.40 the the lazy dog, "
	"\xc3\x89t\xc3\xa9 \xc3\xa9T\xc3\xa9 \xcf\x83\xcf\x82 ab fghhhxxxx aaaaaaaaaaaa bcbcb abcdefghijklmnopqrstu";

#define NR_EXPRESSIONS (sizeof(expressions) / sizeof(*expressions))

/* The functions of PCRE2, whose headers need not be there. */
struct pcre2 {
	void *(*compile)(const char *, size_t, uint32_t, int *, size_t *, void *);
	int (*jit_compile)(void *, uint32_t);
	int (*jit_match)(void *, const char *, size_t, size_t, uint32_t, void *, void *);
	void *(*make_data)(const void *, void *);
	/* Of each expression: */
	void *code[NR_EXPRESSIONS], *data[NR_EXPRESSIONS];
};

#define NO_UTF_CHECK 0x40000000

static bool load_pcre2(struct pcre2 *p, const char *library)
{
	void *file = dlopen(library, RTLD_NOW);

	if (!file)
		return false;
	*(void **)&p->compile = dlsym(file, "pcre2_compile_8");
	*(void **)&p->jit_compile = dlsym(file, "pcre2_jit_compile_8");
	*(void **)&p->jit_match = dlsym(file, "pcre2_jit_match_8");
	*(void **)&p->make_data = dlsym(file, "pcre2_match_data_create_from_pattern_8");
	return p->compile && p->jit_compile && p->jit_match && p->make_data;
}

static bool make_code(struct pcre2 *p)
{
	for (size_t i = 0; i < NR_EXPRESSIONS; i++) {
		int error;
		size_t at;

		p->code[i] =
			p->compile(expressions[i], strlen(expressions[i]), 0, &error, &at, NULL);
		if (!p->code[i] || p->jit_compile(p->code[i], 1))
			return false;
		p->data[i] = p->make_data(p->code[i], NULL);
		if (!p->data[i])
			return false;
	}
	return true;
}

/* Others could call it, so the compiler keeps its name. */
__attribute__((noinline)) void run_matches(const struct pcre2 *p, void (*before)(void))
{
	for (size_t i = 0; i < NR_EXPRESSIONS; i++) {
		for (size_t begin = 0; begin < sizeof(subject) - 1; begin += 20) {
			before();
			p->jit_match(p->code[i], subject, sizeof(subject) - 1, begin, NO_UTF_CHECK,
				     p->data[i], NULL);
		}
	}
}

static void stop(void)
{
	raise(SIGTRAP);
}

static void go_on(void)
{
}

struct range {
	uint64_t start, end;
};

static struct range library_code, made[64];
static size_t nr_made;

static bool is_in(const struct range *r, uint64_t addr)
{
	return addr >= r->start && addr < r->end;
}

static bool is_made(uint64_t addr)
{
	for (size_t i = 0; i < nr_made; i++)
		if (is_in(&made[i], addr))
			return true;
	return false;
}

static void read_maps(void)
{
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)child);
	f = fopen(path, "r");
	nr_made = 0;
	while (f && fgets(line, sizeof(line), f)) {
		struct range r;
		char rights[8], file[256] = "";

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %255s", &r.start, &r.end,
			   rights, file) < 3 ||
		    rights[2] != 'x')
			continue;
		if (strstr(file, "libpcre2-8"))
			library_code = r;
		else if (!file[0] && nr_made < 64)
			made[nr_made++] = r;
	}
	if (f)
		fclose(f);
}

static uint64_t nr_all, nr_wrong, nr_without;

/*
 * The beginning of the function around @pc, as bpf/made/regex_frames.h finds it; 0: there is none.
 */
static uint64_t find_begin(uint64_t pc)
{
	uint64_t part[REGEX_PART_BYTES / 8];

	for (uint64_t at = pc & ~(REGEX_PART_BYTES - 1ULL); is_made(at); at -= REGEX_PART_BYTES) {
		if (unwind_read(NULL, part, sizeof(part), at))
			return 0;
		for (size_t i = REGEX_PART_BYTES / 8; i-- > 0;)
			if (is_regex_begin(part[i]) && at + 8 * i <= pc)
				return at + 8 * i;
	}
	return 0;
}

/* Leaves the code for its caller, whose registers were @entry when it called. */
static void judge(const struct user_regs_struct *now, const struct user_regs_struct *entry)
{
	struct unwind_frame f = {.has_regs = 1};
	struct regex_scratch s = {.start = library_code.start,
				  .bytes = library_code.end - library_code.start};
	uint64_t begin = find_begin(now->rip);
	__u64 rbx, rbp;

	f.regs[UNWIND_RIP] = now->rip;
	f.regs[UNWIND_RSP] = now->rsp;
	f.regs[UNWIND_RBX] = now->rbx;
	f.regs[UNWIND_RBP] = now->rbp;
	unwind_begin(&f);
	nr_all++;
	if (!begin || !read_regex_function(&f, &s, begin, now->rip) || !make_regex_rule(&f, &s))
		nr_without++;
	else if (unwind_step(&f, &s.rule) || f.sp != entry->rsp + 8 ||
		 unwind_get_reg(&f, UNWIND_RBX, &rbx) || rbx != entry->rbx ||
		 unwind_get_reg(&f, UNWIND_RBP, &rbp) || rbp != entry->rbp)
		nr_wrong++;
	else
		return;
	fprintf(stderr, "%" PRIu64 " bytes after the beginning of a function\n",
		(uint64_t)now->rip - begin);
}

/* Steps through the match that begins. Returns false when the child has ended. */
static bool step_match(int steps)
{
	struct user_regs_struct now, entry = {0};
	bool is_inside = false;
	int status;

	while (steps > 0) {
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
			return false;
		ptrace(PTRACE_GETREGS, child, NULL, &now);
		if (is_inside && now.rsp > entry.rsp)
			return true;
		if (!is_made(now.rip))
			continue;
		if (!is_inside)
			entry = now;
		is_inside = true;
		judge(&now, &entry);
		steps--;
	}
	return true;
}

static int step_all(const struct pcre2 *p, int steps)
{
	int status = 0;

	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		run_matches(p, stop);
		_exit(0);
	}
	while (child > 0 && waitpid(child, &status, 0) > 0 && WIFSTOPPED(status)) {
		read_maps();
		if (step_match(steps))
			ptrace(PTRACE_CONT, child, NULL, NULL);
	}
	printf("instructions %" PRIu64 "\nwrong %" PRIu64 "\nwithout %" PRIu64 "\n", nr_all,
	       nr_wrong, nr_without);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
	struct pcre2 p;
	double end;

	if (argc < 3 || !load_pcre2(&p, argv[1]))
		return 2;
	if (!make_code(&p))
		return 3;
	if (argc == 3)
		return step_all(&p, atoi(argv[2]));
	for (end = cpu_seconds() + atoi(argv[3]) * 0.02; cpu_seconds() < end;)
		run_matches(&p, go_on);
	return 0;
}
