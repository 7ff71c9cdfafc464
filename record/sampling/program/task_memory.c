// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/program/task_memory.h"

#include <errno.h>
#include <string.h>

#include "bpf/host_arch.h"
#include "common/cleanup.h"
#include "record/looks/proc_task.h"
#include "record/looks/resident_memory.h"

#define NR_PAGES 64 /* a power of two */

/* Where a stack may go on above the end of its copy. Other memory is at least so far away. */
#define STACK_REST_BYTES (1 << 20)

enum page_state {
	PAGE_NONE,    /* no page has this place */
	PAGE_GUESSED, /* the sample before, of the same process, read it; its bytes are old */
	PAGE_THERE,
	PAGE_MISSING, /* it cannot be read */
};

/* A page of the sampled process, as it was when the program first read it. */
struct page {
	uint64_t at; /* of the process */
	enum page_state state;
	char bytes[PAGE_BYTES];
};

static struct {
	const struct program_sample *sample;
	struct program_wants *wants;
	uint32_t pid;          /* of the sample's process, or that of the sample before */
	bool is_chosen;        /* who reads the memory */
	struct looker *looker; /* that reads it; NULL: this process does, with @own */
	bool is_given_up;      /* nothing more can be read for this sample */
	struct resident_memory own;
	struct page pages[NR_PAGES];
} memory;

/* A page in the looker's answer. */
struct read_page {
	uint64_t at;
	char bytes[PAGE_BYTES];
};

#define ASKED_MAX (LOOK_ANSWER_MAX / sizeof(struct read_page))

struct pages_question {
	uint32_t pid; /* of the process */
	uint32_t tid; /* of a thread that has its memory */
	uint32_t nr;
	uint64_t at[ASKED_MAX];
};

void task_memory_begin(const struct program_sample *sample, struct program_wants *wants)
{
	bool is_same = memory.pid == sample->process->pid;

	memory.sample = sample;
	memory.wants = wants;
	memory.pid = sample->process->pid;
	memory.is_chosen = memory.is_given_up = false;
	for (size_t i = 0; i < NR_PAGES; i++) {
		struct page *page = &memory.pages[i];

		page->state = is_same && page->state == PAGE_THERE ? PAGE_GUESSED : PAGE_NONE;
	}
}

void task_memory_end(void)
{
	if (memory.is_chosen)
		resident_memory_deinit(&memory.own);
	memory.is_chosen = false;
}

static void choose_reader(void)
{
	const struct program_sample *s = memory.sample;

	if (memory.is_chosen)
		return;
	memory.is_chosen = true;
	/* The main thread may have ended, and then this thread has the memory. */
	memory.own = (struct resident_memory)RESIDENT_MEMORY_INIT(
		proc_is_gone(s->tid) ? s->process->pid : s->tid);
	memory.looker = proc_looker(s->looker, memory.own.pid);
}

/* A look_fn. The answer is as many struct read_page as can be read. */
static int look_at_pages(struct look *look)
{
	_cleanup_resident_memory_ struct resident_memory pages = RESIDENT_MEMORY_INIT(0);
	static struct read_page page;
	struct pages_question q;
	int ret;

	if (look->nr_question != sizeof(q))
		return -EBADMSG;
	memcpy(&q, look->question, sizeof(q));
	pages.pid = q.tid;
	ret = look_touch(look, look_process(q.pid));
	for (uint32_t i = 0; i < q.nr && !ret; i++) {
		page.at = q.at[i];
		if (resident_memory_read(&pages, page.at, page.bytes, PAGE_BYTES) == PAGE_BYTES)
			look_answer_append(look, &page, sizeof(page));
	}
	return ret;
}

static struct page *place_of(uint64_t at)
{
	return &memory.pages[at / PAGE_BYTES % NR_PAGES];
}

/*
 * Has the looker read @wanted, and with it the pages that the program is likely to read next:
 * an answer takes longer than reading its pages.
 */
static void ask_for_pages(struct page *wanted)
{
	static struct look_answer answer;
	struct pages_question q = {.pid = memory.pid, .tid = memory.own.pid};
	const struct look_question question = {
		.fn = look_at_pages, .bytes = &q, .nr = sizeof(q), .fd = -1, .pid = memory.own.pid};

	q.at[q.nr++] = wanted->at;
	for (size_t i = 0; i < NR_PAGES && q.nr < ASKED_MAX; i++) {
		struct page *page = &memory.pages[i];

		if (page->state != PAGE_GUESSED || page == wanted)
			continue;
		page->state = PAGE_MISSING;
		q.at[q.nr++] = page->at;
	}
	memory.is_given_up = looker_ask(memory.looker, &question, &answer) != 0;
	cleanup_close(&answer.fd);
	for (size_t i = 0; i < answer.nr / sizeof(struct read_page); i++) {
		const struct read_page *read = (const struct read_page *)answer.bytes + i;
		struct page *page = place_of(read->at);

		if (page->at != read->at)
			continue;
		memcpy(page->bytes, read->bytes, PAGE_BYTES);
		page->state = PAGE_THERE;
	}
}

/* The page of the sampled process at @at. It stays until the next sample, or another takes its
 * place. */
static const struct page *find_page_at(uint64_t at)
{
	struct page *page = place_of(at);

	if (page->at == at && (page->state == PAGE_THERE || page->state == PAGE_MISSING))
		return page;
	page->at = at;
	page->state = PAGE_MISSING;
	choose_reader();
	if (memory.looker && !memory.is_given_up)
		ask_for_pages(page);
	else if (!memory.looker &&
		 resident_memory_read(&memory.own, at, page->bytes, PAGE_BYTES) == PAGE_BYTES)
		page->state = PAGE_THERE;
	return page;
}

/* Reads @size bytes at @from, which are in one page, from the process. Returns 0 or -EFAULT. */
static long read_in_page(char *to, uint32_t size, uint64_t from)
{
	const struct page *page = find_page_at(from & -(uint64_t)PAGE_BYTES);

	if (page->state != PAGE_THERE)
		return -EFAULT;
	memcpy(to, page->bytes + from % PAGE_BYTES, size);
	return 0;
}

/* How much of the @size bytes at @from can be read in one go. */
static uint32_t next_part(uint32_t size, uint64_t from)
{
	uint32_t room = PAGE_BYTES - from % PAGE_BYTES;

	return size < room ? size : room;
}

/*
 * Reads at most @size bytes, in one page, from the copy of the stack. What is below the stack
 * pointer means nothing. Returns the number of bytes, 0 if they are not in the stack, or -EFAULT if
 * they are in it and not in the copy.
 */
static long read_in_copy(char *to, uint32_t size, uint64_t from)
{
	const struct program_memory *m = &memory.sample->memory;
	uint64_t low = (m->begin - RED_ZONE_BYTES) & -(uint64_t)PAGE_BYTES, end = m->begin + m->nr;

	if (from >= low && from < m->begin) {
		uint32_t nr = size < m->begin - from ? size : m->begin - from;

		memset(to, 0, nr);
		return nr;
	}
	if (from >= m->begin && from < end) {
		uint32_t nr = size < end - from ? size : end - from;

		memcpy(to, m->copy + (from - m->begin), nr);
		return nr;
	}
	if (from < end || from - end >= STACK_REST_BYTES || m->is_whole)
		return 0;
	memory.wants->more_stack = true;
	return -EFAULT;
}

static long read_part(char *to, uint32_t size, uint64_t from)
{
	long nr = memory.sample->memory.is_stopped ? 0 : read_in_copy(to, size, from);

	if (nr)
		return nr;
	return read_in_page(to, size, from) ? -EFAULT : (long)size;
}

long bpf_probe_read_user(void *to, uint32_t size, const void *from)
{
	uint64_t at = (uintptr_t)from;

	for (uint32_t have = 0; have < size;) {
		long nr =
			read_part((char *)to + have, next_part(size - have, at + have), at + have);

		if (nr < 0) {
			memset(to, 0, size); /* as the kernel's helper */
			return nr;
		}
		have += nr;
	}
	return 0;
}

long bpf_probe_read_user_str(void *to, uint32_t size, const void *from)
{
	uint64_t at = (uintptr_t)from;
	char *text = to;

	for (uint32_t have = 0; have < size;) {
		uint32_t part = next_part(size - have, at + have);
		long nr = read_part(text + have, part, at + have);
		const char *end;

		if (nr < 0)
			return nr;
		end = memchr(text + have, 0, nr);
		if (end)
			return end - text + 1;
		have += nr;
	}
	if (size)
		text[size - 1] = '\0';
	return size;
}
