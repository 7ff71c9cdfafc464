/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables of files, where a test plays the looker that sends files, the child that makes
 * tables, the maps, the cache and the clock (--wrap).
 */
#ifndef TESTS_PLAYED_TABLES_H
#define TESTS_PLAYED_TABLES_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "record/looks/file_send.h"
#include "record/machines/registered_look.h"
#include "record/unwind/file_tables.h"
#include "record/unwind/table_cache.h"
#include "record/unwind/table_time.h"
#include "record/unwind/table_wait.h"
#include "record/unwind/table_worker.h"
#include "tests/unit/played_clock.h"
#include "tests/unit/suite.h"

/* As in file_tables.c and table_time.h. */
#define ATTEMPTS_MAX  8
#define PAUSE_MIN_NS  (100 * NS_PER_MS)
#define PAUSE_MAX_NS  (6400 * NS_PER_MS)
#define TIME_PAUSE_NS NS_PER_S
#define IDLE_MAX      4096

/* Requests of one user that may wait for the child, and rows of one user's tables. */
#define LINE_MAX_USER (WORKER_WAITING_MAX / 4)
#define ROWS_MAX_USER (TABLE_MAPS_ROWS / 4)

#define CHILD_SOCK 77
#define ALICE      1000
#define BOB        1001
#define DEVICE     0x803
#define BASE       0x400000

static struct file_tables tables;
static uint32_t nr_changes, changed_nr;

/* A request that is done. */
struct done {
	uint32_t nr;
	int status;
	uint64_t cpu_ns;
	struct unwind_table made;
	bool has_regex;
};

static struct {
	struct table_request request; /* the last one */
	unsigned int nr_requests, nr_expected;
	uint32_t expected;     /* the number of the last table that gets a reply */
	struct sent_file sent; /* about each file that the looker is asked for */
	int send_error, sock_error;
	bool has_no_line;
	unsigned int nr_lines; /* how often a child was chosen */
	bool is_patient;       /* the last request was for the patient child */
	unsigned int nr_waits; /* that were charged */
	uint32_t waits_payer;  /* of the last one */
	uint32_t asked_payer;  /* of the last request */
	look_culprit blamed;
	struct done done;
	bool is_done;
	int fd;          /* what it was sent of the vdso */
	uint64_t ran_ns; /* its CPU time */
	bool wants_processor;
} child;

/* Each wait for the child. */
static struct {
	unsigned int nr;
	unsigned int done_nr; /* the child is done in this one */
	uint64_t ns,
		ran_ns; /* how long it takes, if the time is not over before, and has a processor */
	int error;
} waits;

static struct {
	int error; /* of the next tables that are put into the maps */
	uint32_t nr_added, nr_removed;
	bool are_tight;
	uint32_t nr_told, nr_untold;
	struct unwind_file_key key;
	struct unwind_file file;
} maps;

static struct {
	int error;
	uint8_t hash; /* the first byte of it */
	uint32_t nr_put;
} cache;

static struct {
	bool has_ended;
	uint32_t uid;
} process;

bool __wrap_proc_is_gone(uint32_t pid);
uint32_t __wrap_proc_owner(uint32_t pid);
int __wrap_table_builder_start(struct table_builder *builder, struct err *err);
struct worker_line *__wrap_table_builder_line(struct table_builder *builder, bool is_slow,
					      uint32_t payer);
void __wrap_table_builder_charge_wait(struct table_builder *builder, uint32_t payer);
int __wrap_table_builder_request(struct table_builder *builder, int fd, uint32_t tag,
				 const uint8_t *known);
int __wrap_table_builder_next(struct table_builder *builder, uint32_t *tag, int *status,
			      uint64_t *cpu_ns, struct unwind_table *table,
			      struct found_interpreter *found);
void __wrap_worker_line_destroy(struct worker_line *line);
int __wrap_worker_line_sock(struct worker_line *line, int *sock);
void __wrap_worker_line_expect(struct worker_line *line, uint32_t tag);
uint64_t __wrap_worker_line_ran_ns(const struct worker_line *line);
bool __wrap_worker_line_wants_processor(const struct worker_line *line);
int __wrap_poll(struct pollfd *fds, nfds_t nr, int ms);
int __wrap_file_send(struct looker *ignored, const struct mapped_file *file,
		     const struct file_place *place, const struct file_message *message,
		     struct sent_file *sent);
int __wrap_registered_code_send(struct looker *ignored, const struct file_place *place,
				const struct file_message *message, struct sent_file *sent);
void __wrap_looker_blame(struct looker *ignored, look_culprit culprit);
int __wrap_table_maps_add(struct table_maps *store, const struct unwind_table *made,
			  struct table_place *place);
void __wrap_table_maps_remove(struct table_maps *store, struct table_place *place);
bool __wrap_table_maps_are_tight(const struct table_maps *store);
int __wrap_map_update(int fd, const void *key, const void *value, uint64_t flags);
int __wrap_map_delete(int fd, const void *key);
int __wrap_table_cache_get(int dir_fd, const struct build_id *id, struct unwind_table *table);
int __wrap_table_cache_get_hash(int dir_fd, const struct build_id *id, uint8_t *hash);
int __wrap_table_cache_put(int dir_fd, const struct build_id *id, const struct unwind_table *made);

bool __wrap_proc_is_gone(uint32_t pid)
{
	(void)pid;
	return process.has_ended;
}

uint32_t __wrap_proc_owner(uint32_t pid)
{
	(void)pid;
	return process.uid;
}

int __wrap_table_builder_start(struct table_builder *builder, struct err *err)
{
	static char line, patient; /* nobody looks there */

	(void)err;
	builder->line = (struct worker_line *)&line;
	builder->patient = (struct worker_line *)&patient;
	return 0;
}

struct worker_line *__wrap_table_builder_line(struct table_builder *builder, bool is_slow,
					      uint32_t payer)
{
	child.nr_lines++;
	child.is_patient = is_slow;
	child.asked_payer = payer;
	if (child.has_no_line)
		return NULL;
	return is_slow ? builder->patient : builder->line;
}

void __wrap_table_builder_charge_wait(struct table_builder *builder, uint32_t payer)
{
	(void)builder;
	child.waits_payer = payer;
	child.nr_waits++;
}

void __wrap_worker_line_destroy(struct worker_line *line)
{
	(void)line;
}

int __wrap_worker_line_sock(struct worker_line *line, int *sock)
{
	(void)line;
	*sock = CHILD_SOCK;
	return child.sock_error;
}

void __wrap_worker_line_expect(struct worker_line *line, uint32_t tag)
{
	(void)line;
	child.expected = tag;
	child.nr_expected++;
}

uint64_t __wrap_worker_line_ran_ns(const struct worker_line *line)
{
	(void)line;
	return child.ran_ns;
}

bool __wrap_worker_line_wants_processor(const struct worker_line *line)
{
	(void)line;
	return child.wants_processor;
}

int __wrap_poll(struct pollfd *fds, nfds_t nr, int ms)
{
	const uint64_t left_ns = ms * NS_PER_MS;

	ck_assert_uint_eq(nr, 1);
	ck_assert_int_eq(fds->fd, tables.builder.epoll_fd);
	ck_assert_int_eq(fds->events, POLLIN);
	ck_assert_int_gt(ms, 0);
	now_ns += waits.ns && waits.ns < left_ns ? waits.ns : left_ns;
	child.ran_ns += waits.ran_ns;
	child.is_done = ++waits.nr == waits.done_nr;
	errno = waits.error;
	return errno ? -1 : child.is_done;
}

int __wrap_file_send(struct looker *ignored, const struct mapped_file *file,
		     const struct file_place *place, const struct file_message *message,
		     struct sent_file *sent)
{
	(void)ignored, (void)file, (void)place;
	ck_assert_int_eq(message->sock, CHILD_SOCK);
	ck_assert_uint_eq(message->nr, sizeof(child.request));
	memcpy(&child.request, message->bytes, sizeof(child.request));
	child.nr_requests++;
	*sent = child.sent;
	return child.send_error;
}

int __wrap_registered_code_send(struct looker *ignored, const struct file_place *place,
				const struct file_message *message, struct sent_file *sent)
{
	ck_assert_uint_ne(place->made_by, 0);
	return __wrap_file_send(ignored, NULL, place, message, sent);
}

void __wrap_looker_blame(struct looker *ignored, look_culprit culprit)
{
	(void)ignored;
	child.blamed = culprit;
}

int __wrap_table_builder_request(struct table_builder *builder, int fd, uint32_t tag,
				 const uint8_t *known)
{
	(void)builder;
	ck_assert_uint_eq(tag, VDSO_TABLE);
	ck_assert_ptr_null(known);
	child.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return child.send_error;
}

int __wrap_table_builder_next(struct table_builder *builder, uint32_t *tag, int *status,
			      uint64_t *cpu_ns, struct unwind_table *table,
			      struct found_interpreter *found)
{
	(void)builder;
	if (!child.is_done)
		return 0;
	child.is_done = false;
	*tag = child.done.nr;
	*status = child.done.status;
	*cpu_ns = child.done.cpu_ns;
	*found = (struct found_interpreter){.has_regex = child.done.has_regex};
	if (!*status)
		*table = child.done.made;
	return 1;
}

int __wrap_table_maps_add(struct table_maps *store, const struct unwind_table *made,
			  struct table_place *place)
{
	(void)store;
	if (maps.error)
		return maps.error;
	*place = (struct table_place){.first_page = 10 * ++maps.nr_added,
				      .nr_pages = made->nr_pages};
	return 0;
}

void __wrap_table_maps_remove(struct table_maps *store, struct table_place *place)
{
	(void)store;
	*place = (struct table_place){0};
	maps.nr_removed++;
}

bool __wrap_table_maps_are_tight(const struct table_maps *store)
{
	(void)store;
	return maps.are_tight;
}

#define NO_MAP (-1)

int __wrap_map_update(int fd, const void *key, const void *value, uint64_t flags)
{
	(void)flags;
	/* Nothing but files is played. */
	if (fd == NO_MAP)
		return 0;
	memcpy(&maps.key, key, sizeof(maps.key));
	memcpy(&maps.file, value, sizeof(maps.file));
	maps.nr_told++;
	return 0;
}

int __wrap_map_delete(int fd, const void *key)
{
	(void)fd;
	memcpy(&maps.key, key, sizeof(maps.key));
	maps.nr_untold++;
	return 0;
}

/* A table of one page, whose hash begins with @hash. */
static inline struct unwind_table made_table(uint8_t hash)
{
	return (struct unwind_table){
		.first_off = 0x1000, .nr_pages = 1, .nr_rows = 2, .nr_rules = 3, .hash = {hash}};
}

int __wrap_table_cache_get(int dir_fd, const struct build_id *id, struct unwind_table *table)
{
	(void)dir_fd, (void)id;
	if (!cache.error)
		*table = made_table(cache.hash);
	return cache.error;
}

int __wrap_table_cache_get_hash(int dir_fd, const struct build_id *id, uint8_t *hash)
{
	(void)dir_fd, (void)id;
	if (!cache.error)
		memcpy(hash, made_table(cache.hash).hash, UNWIND_HASH_BYTES);
	return cache.error;
}

int __wrap_table_cache_put(int dir_fd, const struct build_id *id, const struct unwind_table *made)
{
	(void)dir_fd, (void)id, (void)made;
	cache.nr_put++;
	return 0;
}

static inline void note_change(void *ctx, uint32_t nr)
{
	ck_assert_ptr_eq(ctx, &tables);
	nr_changes++;
	changed_nr = nr;
}

static inline void begin(void)
{
	struct err err = {0};

	now_ns = 1000 * NS_PER_S;
	ck_assert_int_eq(file_tables_init(&tables, NULL, NULL, &err), 0);
	tables.changed = note_change;
	tables.ctx = &tables;
}

/* The directory of the cache is there, but its tables are the test's. */
static inline void begin_with_cache(void)
{
	tables.cache_fd = open("/", O_PATH | O_CLOEXEC);
	ck_assert_int_ge(tables.cache_fd, 0);
}

static inline void end(void)
{
	file_tables_deinit(&tables);
}

static inline const struct file_table *table(uint32_t nr)
{
	return &tables.tables.data[nr];
}

static inline struct mapped_file file_of(uint64_t inode)
{
	static char path[] = "/lib/file";

	return (struct mapped_file){
		.path = path,
		.kind = MAPPED_FILE,
		.identity = {.is_stat = true, .dev = DEVICE, .inode = inode},
	};
}

/* The same, with a build-id that all files have. */
static inline struct mapped_file copy_of(uint64_t inode)
{
	struct mapped_file file = file_of(inode);

	file.found_id = (struct build_id){.size = 4, .bytes = "abcd"};
	return file;
}

/* As the side-band tells of the files with this build-id. */
static inline struct mapped_file told_file(void)
{
	struct mapped_file file = copy_of(0);

	file.identity = (struct file_identity){0};
	return file;
}

static inline uint32_t find_of(const struct mapped_file *file, uint32_t uid)
{
	const struct mapping place = {.start = 0x1000, .end = 0x2000};
	uint32_t nr = 4711;

	ck_assert_int_eq(file_tables_find(&tables, file, &place, uid, &nr), 0);
	return nr;
}

static inline uint32_t find(const struct mapped_file *file)
{
	return find_of(file, 0);
}

static inline uint32_t find_inode(uint64_t inode)
{
	const struct mapped_file file = file_of(inode);

	return find(&file);
}

static inline uint32_t find_copy(uint64_t inode)
{
	const struct mapped_file file = copy_of(inode);

	return find(&file);
}

/* Asks for table @nr, whose file @owner has, by way of process @pid. Returns its state then. */
static inline enum table_state request_by(uint32_t nr, uint32_t owner, uint32_t pid)
{
	const struct file_place place = {.pid = pid, .start = 0x1000, .end = 0x2000};
	const struct mapped_file file = file_of(nr);

	child.sent = (struct sent_file){
		.owner = owner,
		.identity = {.dev = DEVICE, .inode = 100 + nr, .size = 5, .ctime_ns = 6}};
	ck_assert_int_eq(file_tables_request(&tables, nr, &file, &place), 0);
	return table(nr)->state;
}

static inline enum table_state request(uint32_t nr, uint32_t owner)
{
	return request_by(nr, owner, 1);
}

static inline int finish_with(const struct done *done)
{
	child.done = *done;
	child.is_done = true;
	return file_tables_finish(&tables);
}

/* The child is done with table @nr. Returns its state then. */
static inline enum table_state finish(uint32_t nr, int status)
{
	const struct done done = {.nr = nr, .status = status, .made = made_table(1)};

	ck_assert_int_eq(finish_with(&done), 0);
	return table(nr)->state;
}

/* A table that is ready, of a file of @owner. */
static inline void make(uint32_t nr, uint32_t owner)
{
	ck_assert_int_eq(request(nr, owner), TABLE_ASKED);
	ck_assert_int_eq(finish(nr, 0), TABLE_READY);
}

static inline uint64_t nr_unserved(uint32_t owner)
{
	const struct share_owner *most = shares_most_lacked(&tables.unserved);

	ck_assert(!most || most->uid == owner);
	return most ? most->nr_lacked : 0;
}

static inline uint64_t pages_of(uint32_t nr, uint64_t *bias)
{
	const struct mapped_file file = file_of(1);
	struct unwind_mapping mapping = {0};

	file_tables_describe(&tables, nr, &file, BASE, &mapping);
	*bias = mapping.bias;
	return mapping.pages;
}

static inline void pass(uint64_t ns)
{
	now_ns += ns;
	ck_assert_int_eq(file_tables_finish(&tables), 0);
}

#endif
