// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads of this very process, of copies of stacks, and by way of a looker (--wrap). */
#include "record/sampling/program/task_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "bpf/host_arch.h"
#include "record/looks/looker.h"
#include "tests/unit/suite.h"

#define NR_PAGES 70 /* more than are kept */
#define REST     (1 << 20)

static struct program_process process;
static struct program_sample sample;
static struct program_wants wants;
static char *pages;
static char buf[3 * PAGE_BYTES];

/* The looker of the next samples, how often it was asked, and what it answers if it fails. */
static struct looker *looker;
static int nr_asked, looker_error;
static uint32_t gone_tid, looked_pid;

struct looker *__wrap_proc_looker(struct looker *l, uint32_t id);
bool __wrap_proc_is_gone(uint32_t pid);
int __wrap_looker_ask(struct looker *l, const struct look_question *question,
		      struct look_answer *answer);
int __real_looker_ask(struct looker *l, const struct look_question *question,
		      struct look_answer *answer);

struct looker *__wrap_proc_looker(struct looker *l, uint32_t id)
{
	(void)l;
	looked_pid = id;
	return looker;
}

bool __wrap_proc_is_gone(uint32_t pid)
{
	return pid == gone_tid;
}

/* Without a looker, the function runs here. */
int __wrap_looker_ask(struct looker *l, const struct look_question *question,
		      struct look_answer *answer)
{
	ck_assert_ptr_eq(l, looker);
	ck_assert_uint_eq(question->pid, looked_pid);
	nr_asked++;
	if (looker_error) {
		answer->nr = 0;
		answer->fd = -1;
		return looker_error;
	}
	return __real_looker_ask(NULL, question, answer);
}

static void next_sample(void)
{
	task_memory_end();
	wants = (struct program_wants){0};
	task_memory_begin(&sample, &wants);
}

static void begin(void)
{
	pages = mmap(NULL, NR_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(pages, MAP_FAILED);
	for (size_t i = 0; i < NR_PAGES; i++)
		memset(pages + i * PAGE_BYTES, 'a' + (int)i, PAGE_BYTES);
	process = (struct program_process){.pid = getpid()};
	sample = (struct program_sample){
		.process = &process, .tid = getpid(), .memory.is_stopped = true};
	task_memory_begin(&sample, &wants);
}

static void end(void)
{
	task_memory_end();
}

static long read_at(const void *at, uint32_t size)
{
	memset(buf, '?', sizeof(buf));
	return bpf_probe_read_user(buf, size, at);
}

/* Memory as it was when the sample first read it. */
START_TEST(pages_of_a_sample)
{
	ck_assert_int_eq(read_at(pages + 8, 16), 0);
	ck_assert(!memcmp(buf, "aaaaaaaaaaaaaaaa?", 17));
	memset(pages, 'z', PAGE_BYTES);
	ck_assert_int_eq(read_at(pages, 4), 0);
	ck_assert_int_eq(buf[0], 'a');
	next_sample();
	ck_assert_int_eq(read_at(pages, 4), 0);
	ck_assert_int_eq(buf[0], 'z');
	/* Another page has taken its place meanwhile. */
	memset(pages, 'y', PAGE_BYTES);
	ck_assert_int_eq(read_at(pages + 64 * PAGE_BYTES, 1), 0);
	ck_assert_int_eq((unsigned char)buf[0], 'a' + 64);
	ck_assert_int_eq(read_at(pages, 1), 0);
	ck_assert_int_eq(buf[0], 'y');
	/* Nothing is known of another process. */
	process.pid = 1;
	sample.tid = getpid();
	memset(pages, 'x', PAGE_BYTES);
	next_sample();
	ck_assert_int_eq(read_at(pages, 1), 0);
	ck_assert_int_eq(buf[0], 'x');
}
END_TEST

START_TEST(reads_across_pages)
{
	ck_assert_int_eq(read_at(pages + PAGE_BYTES - 3, PAGE_BYTES + 6), 0);
	ck_assert(!memcmp(buf, "aaab", 4));
	ck_assert_int_eq(buf[PAGE_BYTES + 2], 'b');
	ck_assert(!memcmp(buf + PAGE_BYTES + 3, "ccc?", 4));
	ck_assert_int_eq(read_at(pages, 0), 0);
	ck_assert_int_eq(buf[0], '?');
}
END_TEST

/* What cannot be read in part is not read at all. */
START_TEST(memory_that_is_not_there)
{
	ck_assert_int_eq(munmap(pages + PAGE_BYTES, PAGE_BYTES), 0);
	ck_assert_int_eq(read_at(pages + PAGE_BYTES - 3, 6), -EFAULT);
	ck_assert(!memcmp(buf, "\0\0\0\0\0\0?", 7));
	ck_assert_int_eq(read_at(pages + PAGE_BYTES, 1), -EFAULT);
	ck_assert_int_eq(read_at(pages + PAGE_BYTES - 3, 3), 0);
	/* It stays so for the sample. */
	ck_assert_ptr_ne(mmap(pages + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 MAP_FAILED);
	pages[PAGE_BYTES] = 'n';
	ck_assert_int_eq(read_at(pages + PAGE_BYTES, 1), -EFAULT);
	next_sample();
	ck_assert_int_eq(read_at(pages + PAGE_BYTES, 1), 0);
	ck_assert_int_eq(buf[0], 'n');
}
END_TEST

START_TEST(texts)
{
	strcpy(pages + PAGE_BYTES - 3, "four+1");
	memset(buf, '?', sizeof(buf));
	ck_assert_int_eq(bpf_probe_read_user_str(buf, 100, pages + PAGE_BYTES - 3), 7);
	ck_assert_str_eq(buf, "four+1");
	ck_assert_int_eq(bpf_probe_read_user_str(buf, 7, pages + PAGE_BYTES - 3), 7);
	ck_assert_str_eq(buf, "four+1");
	ck_assert_int_eq(bpf_probe_read_user_str(buf, 6, pages + PAGE_BYTES - 3), 6);
	ck_assert_str_eq(buf, "four+");
	buf[0] = '?';
	ck_assert_int_eq(bpf_probe_read_user_str(buf, 0, pages), 0);
	ck_assert_int_eq(buf[0], '?');
	ck_assert_int_eq(munmap(pages + 2 * PAGE_BYTES, PAGE_BYTES), 0);
	ck_assert_int_eq(bpf_probe_read_user_str(buf, 100, pages + 2 * PAGE_BYTES - 8), -EFAULT);
	pages[2 * PAGE_BYTES - 1] = '\0';
	next_sample();
	ck_assert_int_eq(bpf_probe_read_user_str(buf, 100, pages + 2 * PAGE_BYTES - 8), 8);
}
END_TEST

/* The stack of a thread that runs is a copy, from @at on in a page of the process. */
static void copy_stack(const char *copy, size_t nr, uint64_t at, bool is_whole)
{
	sample.memory =
		(struct program_memory){.begin = at, .nr = nr, .copy = copy, .is_whole = is_whole};
	next_sample();
}

START_TEST(copies_of_stacks)
{
	static const char copy[] = "0123456789abcdef";
	uint64_t at = (uintptr_t)pages + PAGE_BYTES + 256;
	const char *sp = (const char *)at;

	copy_stack(copy, 16, at, false);
	ck_assert_int_eq(read_at(sp, 16), 0);
	ck_assert(!memcmp(buf, copy, 16));
	ck_assert_int_eq(read_at(sp + 15, 1), 0);
	ck_assert_int_eq(buf[0], 'f');
	/* Below the stack pointer, as far as its page, the memory has no meaning. */
	ck_assert_int_eq(read_at(sp - 2, 4), 0);
	ck_assert(!memcmp(buf,
			  "\0\0"
			  "01?",
			  5));
	ck_assert_int_eq(read_at(pages + PAGE_BYTES, 1), 0);
	ck_assert_int_eq(buf[0], 0);
	ck_assert_int_eq(read_at(pages + PAGE_BYTES - 1, 1), 0);
	ck_assert_int_eq(buf[0], 'a');
	ck_assert(!wants.more_stack);
	/* Above the copy, the stack goes on. */
	ck_assert_int_eq(read_at(sp + 14, 4), -EFAULT);
	ck_assert(wants.more_stack);
	ck_assert(!memcmp(buf, "\0\0\0\0?", 5));
	next_sample();
	ck_assert_int_eq(read_at(sp + 16, 1), -EFAULT);
	ck_assert(wants.more_stack);
	next_sample();
	ck_assert_int_eq(read_at((const char *)(at + 16 + REST - 1), 1), -EFAULT);
	ck_assert(wants.more_stack);
}
END_TEST

/* A stack pointer near the begin of a page: what the red zone reaches is below, too. */
START_TEST(red_zones)
{
	uint64_t at = (uintptr_t)pages + PAGE_BYTES + RED_ZONE_BYTES - 8;

	copy_stack("0123456789abcdef", 16, at, true);
	ck_assert_int_eq(read_at(pages, 1), 0);
	ck_assert_int_eq(buf[0], RED_ZONE_BYTES ? 0 : 'a');
}
END_TEST

/* Beyond the stack is memory like any other: what is there hardly changes. */
START_TEST(memory_beside_the_stack)
{
	uint64_t at = (uintptr_t)pages - REST - 16;

	copy_stack("0123456789abcdef", 16, at, false);
	ck_assert_int_eq(read_at(pages, 1), 0);
	ck_assert_int_eq(buf[0], 'a');
	ck_assert(!wants.more_stack);
	/* A copy that goes as far as the stack. */
	copy_stack("0123456789abcdef", 16, (uintptr_t)pages, true);
	ck_assert_int_eq(read_at(pages + 15, 2), 0);
	ck_assert(!memcmp(buf, "fa?", 3));
	ck_assert(!wants.more_stack);
}
END_TEST

/* The looker reads what others may not, and with it what the sample before has read. */
START_TEST(pages_by_the_looker)
{
	looker = (struct looker *)buf;
	next_sample();
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(read_at(pages + i * PAGE_BYTES, 1), 0);
		ck_assert_int_eq(buf[0], 'a' + (int)i);
	}
	ck_assert_int_eq(nr_asked, 3);
	ck_assert_int_eq(munmap(pages + 2 * PAGE_BYTES, PAGE_BYTES), 0);
	next_sample();
	memset(pages, 'z', PAGE_BYTES);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(read_at(pages + i * PAGE_BYTES, 1), 0);
		ck_assert_int_eq(buf[0], i ? 'b' : 'z');
	}
	ck_assert_int_eq(read_at(pages + 2 * PAGE_BYTES, 1), -EFAULT);
	ck_assert_int_eq(nr_asked, 4);
	ck_assert_uint_eq(looked_pid, (uint32_t)getpid());
}
END_TEST

/* A look that takes too long is not asked for again in this sample. */
START_TEST(a_looker_that_does_not_answer)
{
	looker = (struct looker *)buf;
	looker_error = -ETIMEDOUT;
	next_sample();
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(read_at(pages + i * PAGE_BYTES, 1), -EFAULT);
	ck_assert_int_eq(nr_asked, 1);
	looker_error = 0;
	next_sample();
	ck_assert_int_eq(read_at(pages, 1), 0);
	ck_assert_int_eq(nr_asked, 2);
}
END_TEST

/* Memory is that of the sampled thread, or of the main thread if it has ended. */
START_TEST(whose_memory)
{
	sample.tid = gone_tid = 4711;
	next_sample();
	ck_assert_int_eq(read_at(pages, 1), 0);
	ck_assert_uint_eq(looked_pid, (uint32_t)getpid());
	ck_assert_int_eq(buf[0], 'a');
	process.pid = 4711;
	sample.tid = getpid();
	next_sample();
	ck_assert_int_eq(read_at(pages, 1), 0);
	ck_assert_uint_eq(looked_pid, (uint32_t)getpid());
	ck_assert_int_eq(buf[0], 'a');
}
END_TEST

/* No file stays open after a sample. */
START_TEST(files_of_a_sample)
{
	int fd = dup(STDERR_FILENO), later;

	close(fd);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(read_at(pages, 1), 0);
		next_sample();
	}
	later = dup(STDERR_FILENO);
	ck_assert_int_eq(later, fd);
	close(later);
}
END_TEST

SUITE_MAIN_WITH("task_memory", begin, end, pages_of_a_sample, reads_across_pages,
		memory_that_is_not_there, texts, copies_of_stacks, red_zones,
		memory_beside_the_stack, pages_by_the_looker, a_looker_that_does_not_answer,
		whose_memory, files_of_a_sample)
