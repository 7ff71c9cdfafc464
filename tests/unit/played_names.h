/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The looker that sends files, the child that looks names up, and the budget of CPU time, as a test
 * plays them (--wrap). Files of several users are held, and asked about.
 */
#ifndef TESTS_PLAYED_NAMES_H
#define TESTS_PLAYED_NAMES_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "common/name_parts.h"
#include "common/parse.h"
#include "common/vec.h"
#include "record/looks/file_owner.h"
#include "record/looks/file_send.h"
#include "record/symbols/file_names.h"
#include "record/symbols/names_answer.h"
#include "record/symbols/names_budget.h"
#include "record/symbols/names_line.h"
#include "record/symbols/names_worker.h"
#include "record/children/fd_message.h"
#include "record/shares/shares.h"
#include "tests/unit/suite.h"

/* As in file_names.c. */
#define ATTEMPTS_MAX    8
#define KNOWN_BYTES_MAX (64u << 20)

#define CHILD_SOCK   77
#define LINE_FD      78
#define URGENT_NS    12345
#define ALICE        1000
#define BOB          1001
#define NOBODY       5000
#define DEVICE       5
#define FIRST_OFFSET 0x100

static struct file_names *names;

/* Unlike a vector, it needs no memory when the code under test has none. */
#define LIST(type, max)                                                                            \
	struct {                                                                                   \
		type data[max];                                                                    \
		size_t nr;                                                                         \
	}
#define list_add(list, elem)                                                                       \
	({                                                                                         \
		ck_assert_uint_lt((list)->nr, ARRAY_SIZE((list)->data));                           \
		(list)->data[(list)->nr++] = (elem);                                               \
	})

/* A question that the child has: the order, and the offsets that came with it. */
struct question {
	struct names_request order;
	uint64_t *offsets;
};

/* What came from the recorder, and what it gets. */
static struct {
	LIST(struct names_request, 4096) orders;             /* to keep and to drop files */
	LIST(struct question, NAMES_SENT_MAX + 1) questions; /* without an answer */
	unsigned int nr_workers;
	int sock_error, order_error, question_error;
	LIST(struct worker_reply, 1) replies;
	int memory; /* of the reply */
} child;

static struct {
	struct sent_file sent; /* about each file that it is asked for */
	int ret;
	unsigned int nr_sent;
	look_culprit blamed;
} looker;

static struct {
	uint64_t limit_ns;
	uint32_t spender; /* who has used much time */
	uint32_t owner;   /* of the last charge */
	uint64_t used_ns;
	bool has_died;
} budget;

int __wrap_worker_line_start(struct worker_line **line, const struct worker_kind *kind,
			     struct err *err);
void __wrap_worker_line_destroy(struct worker_line *line);
int __wrap_worker_line_sock(struct worker_line *line, int *sock);
int __wrap_worker_line_request(struct worker_line *line, const struct worker_request *request);
unsigned int __wrap_worker_line_nr_workers(const struct worker_line *line);
int __wrap_worker_line_fd(const struct worker_line *line);
bool __wrap_worker_line_next(struct worker_line *line, struct worker_reply *reply, int *memory);
int __wrap_fd_message_send(int sock, const void *buf, size_t len, int fd);
int __wrap_file_send(struct looker *ignored, const struct mapped_file *file,
		     const struct file_place *place, const struct file_message *message,
		     struct sent_file *sent);
void __wrap_looker_blame(struct looker *ignored, look_culprit culprit);
uint64_t __wrap_names_budget_limit(const struct names_budget *b, uint32_t owner);
void __wrap_names_budget_charge(struct names_budget *b, uint32_t owner, uint64_t used_ns,
				bool has_died);
bool __wrap_names_budget_is_thrifty(const struct names_budget *b, uint32_t owner);

int __wrap_worker_line_start(struct worker_line **line, const struct worker_kind *kind,
			     struct err *err)
{
	(void)line, (void)err;
	ck_assert_ptr_eq(kind->run, names_worker_run);
	return 0;
}

void __wrap_worker_line_destroy(struct worker_line *line)
{
	(void)line;
}

int __wrap_worker_line_sock(struct worker_line *line, int *sock)
{
	(void)line;
	if (!child.sock_error)
		*sock = CHILD_SOCK;
	return child.sock_error;
}

unsigned int __wrap_worker_line_nr_workers(const struct worker_line *line)
{
	(void)line;
	return child.nr_workers;
}

int __wrap_worker_line_fd(const struct worker_line *line)
{
	(void)line;
	return LINE_FD;
}

int __wrap_worker_line_request(struct worker_line *line, const struct worker_request *request)
{
	struct question question = {.order = *(const struct names_request *)request->bytes};
	const size_t size = question.order.nr * sizeof(uint64_t);

	(void)line;
	if (child.question_error)
		return child.question_error;
	ck_assert_int_eq(question.order.order, NAMES_ASK);
	ck_assert_uint_eq(request->nr, sizeof(question.order));
	ck_assert_uint_eq(request->tag, question.order.slot);
	question.offsets = malloc(size + 1);
	ck_assert_ptr_nonnull(question.offsets);
	ck_assert_int_eq(pread(request->fd, question.offsets, size + 1, 0), size);
	list_add(&child.questions, question);
	return 0;
}

bool __wrap_worker_line_next(struct worker_line *line, struct worker_reply *reply, int *memory)
{
	(void)line;
	if (!child.replies.nr)
		return false;
	*reply = child.replies.data[0];
	*memory = child.memory;
	child.replies.nr--;
	return true;
}

int __wrap_fd_message_send(int sock, const void *buf, size_t len, int fd)
{
	const struct names_request *order = buf;

	ck_assert_int_eq(sock, CHILD_SOCK);
	ck_assert_uint_eq(len, sizeof(*order));
	ck_assert_int_eq(fd, -1);
	if (!child.order_error)
		list_add(&child.orders, *order);
	return child.order_error;
}

int __wrap_file_send(struct looker *ignored, const struct mapped_file *file,
		     const struct file_place *place, const struct file_message *message,
		     struct sent_file *sent)
{
	const struct names_request *order = message->bytes;

	(void)ignored, (void)file, (void)place;
	ck_assert_int_eq(message->sock, CHILD_SOCK);
	ck_assert_int_eq(order->order, NAMES_HOLD);
	ck_assert_uint_eq(order->slot, NAMES_INBOX);
	looker.nr_sent++;
	*sent = looker.sent;
	return looker.ret;
}

void __wrap_looker_blame(struct looker *ignored, look_culprit culprit)
{
	(void)ignored;
	looker.blamed = culprit;
}

uint64_t __wrap_names_budget_limit(const struct names_budget *b, uint32_t owner)
{
	(void)b, (void)owner;
	return budget.limit_ns;
}

void __wrap_names_budget_charge(struct names_budget *b, uint32_t owner, uint64_t used_ns,
				bool has_died)
{
	(void)b;
	budget.owner = owner;
	budget.used_ns = used_ns;
	budget.has_died = has_died;
}

bool __wrap_names_budget_is_thrifty(const struct names_budget *b, uint32_t owner)
{
	(void)b;
	return owner != budget.spender;
}

static inline void begin(void)
{
	struct err err = {0};

	child.nr_workers = 1;
	budget.limit_ns = 1000;
	budget.spender = NOBODY;
	ck_assert_int_eq(file_names_create(NULL, &names, &err), 0);
}

static inline void end(void)
{
	file_names_destroy(names);
	for (size_t i = 0; i < child.questions.nr; i++)
		free(child.questions.data[i].offsets);
}

/* The file with inode @inode, as the looker knows it. Valid until the next call. */
static inline struct mapped_file file_of(uint64_t inode)
{
	static char path[32];

	snprintf(path, sizeof(path), "/lib/%" PRIu64, inode);
	return (struct mapped_file){
		.path = path,
		.kind = MAPPED_FILE,
		.identity = {.is_stat = true, .dev = DEVICE, .inode = inode},
	};
}

/* The same file as the kernel tells of it: by its build-id alone. */
static inline struct mapped_file told_file(const char *path)
{
	return (struct mapped_file){
		.path = (char *)path, /* NOLINT */
		.kind = MAPPED_FILE,
		.given_id = {.size = 4, .bytes = "abcd"},
	};
}

static inline uint32_t hold_for(const struct mapped_file *file, const struct file_place *place)
{
	uint32_t nr = 4711;

	ck_assert_int_eq(file_names_hold(names, file, place, &nr), 0);
	return nr;
}

/* Holds the file with inode @inode, of @owner. */
static inline uint32_t hold(uint64_t inode, uint32_t owner)
{
	const struct file_place place = {.pid = 1};
	const struct mapped_file file = file_of(inode);

	looker.sent = (struct sent_file){.owner = owner, .identity = file.identity};
	return hold_for(&file, &place);
}

static inline void ask_from(uint32_t nr, uint64_t first, size_t nr_offsets)
{
	uint64_t offsets[NAMES_FILES_MAX];

	for (size_t i = 0; i < nr_offsets; i++)
		offsets[i] = first + i;
	ck_assert_int_eq(file_names_ask(names, nr, offsets, nr_offsets, URGENT_NS), 0);
}

static inline void ask(uint32_t nr)
{
	ask_from(nr, FIRST_OFFSET, 2);
}

static inline void work(void)
{
	ck_assert_int_eq(file_names_work(names), 0);
}

static inline uint32_t ask_about(uint64_t inode, uint32_t owner)
{
	uint32_t nr = hold(inode, owner);

	ask(nr);
	return nr;
}

/* Takes the first question from the child. */
static inline struct question take_question(void)
{
	struct question question;

	ck_assert_uint_gt(child.questions.nr, 0);
	question = child.questions.data[0];
	child.questions.nr--;
	memmove(child.questions.data, child.questions.data + 1,
		child.questions.nr * sizeof(question));
	return question;
}

static inline void add_reply(const struct question *question, int status, uint64_t cpu_ns,
			     int memory)
{
	const struct worker_reply reply = {
		.tag = question->order.slot, .status = status, .cpu_ns = cpu_ns};

	list_add(&child.replies, reply);
	child.memory = memory;
}

/* The first question fails with @status. */
static inline void fail_after(int status, uint64_t cpu_ns)
{
	struct question question = take_question();

	add_reply(&question, status, cpu_ns, -1);
	free(question.offsets);
	work();
}

static inline void put(int fd, const void *part, size_t size)
{
	ck_assert_int_eq(write(fd, part, size), size);
}

/* An answer: one symbol covers all offsets, and has a name of @len bytes. */
static inline int make_answer(const struct question *question, uint32_t len, bool is_cut)
{
	const struct names_head head = {
		.nr_symbols = 1, .nr_bytes = len + 1, .is_cut = is_cut, .parts = NAME_PART_SYMTAB};
	const struct names_symbol symbol = {.off = question->offsets[0], .size = 16, .len = len};
	_cleanup_free_ char *name = calloc(1, len + 1);
	int memory = memfd_create("answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_ge(memory, 0);
	ck_assert_ptr_nonnull(name);
	memset(name, 'x', len);
	put(memory, &head, sizeof(head));
	for (size_t i = 0; i < question->order.nr; i++)
		put(memory, &(uint32_t){1}, sizeof(uint32_t));
	put(memory, &symbol, sizeof(symbol));
	put(memory, name, len + 1);
	return memory;
}

static inline void seal(int memory)
{
	ck_assert_int_eq(fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK), 0);
}

static inline void answer_after(uint64_t cpu_ns, uint32_t len, bool is_cut)
{
	struct question question = take_question();
	int memory = make_answer(&question, len, is_cut);

	seal(memory);
	add_reply(&question, 0, cpu_ns, memory);
	free(question.offsets);
	work();
}

/* The child answers the first question. */
static inline void answer(void)
{
	answer_after(0, 4, false);
}

static inline enum file_names_state state(uint32_t nr)
{
	return file_names_state(names, nr, FIRST_OFFSET);
}

static inline void expect_order(size_t at, enum names_order order, uint32_t slot)
{
	ck_assert_uint_lt(at, child.orders.nr);
	ck_assert_uint_eq(child.orders.data[at].order, order);
	ck_assert_uint_eq(child.orders.data[at].slot, slot);
}

static inline void settle(void)
{
	ck_assert_int_eq(file_names_settle(names), 0);
}

static inline uint64_t nr_unserved(uint32_t owner)
{
	const struct share_owner *most = shares_most_lacked(file_names_unserved(names));

	ck_assert(!most || most->uid == owner);
	return most ? most->nr_lacked : 0;
}

/* A mapping of a process of @uid. @space: which address space it is in. */
static inline struct file_place place_of(uint32_t uid, uint64_t space)
{
	return (struct file_place){.pid = 1, .owner = uid + 1, .space = space};
}

/* What the looker says about the next files. */
static inline void send_as(uint64_t inode, uint32_t owner, bool is_mapped)
{
	looker.nr_sent = 0;
	looker.sent = (struct sent_file){
		.owner = owner, .is_mapped = is_mapped, .identity = file_of(inode).identity};
}

#endif
