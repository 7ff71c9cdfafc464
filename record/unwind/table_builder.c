// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_builder.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/shares/shares.h"
#include "record/unwind/table_worker.h"

/*
 * A file may be on a server that does not answer. For so long the first child waits for one file,
 * and the patient child for those that were slower.
 */
#define TABLE_MS_MAX   500
#define PATIENT_MS_MAX 20000
#define WAIT_NS        (TABLE_MS_MAX * NS_PER_MS)

/*
 * The first child may wait for 1 / this of the time because of one user, and at once for what can
 * be saved up. Root is a user like others here, as nothing is refused.
 */
#define WAITS_PART    100
#define WAITS_MAX_NS  NS_PER_S
#define WAITS_OF_ROOT SHARES_OTHERS

/*
 * After a wait the child is killed, and its line may start one more each ten seconds. So many users
 * may not make it wait more often, and have part of the line's children at once.
 */
#define ALL_WAITS_PART   20
#define ALL_WAITS_MAX_NS (8 * WAIT_NS)
#define WAITS_OF_ALL     1

static int start_child(struct table_builder *b, bool is_patient, struct err *err)
{
	const struct worker_kind kind = {.name = "table builder",
					 .run = table_worker_run,
					 .ms_max = is_patient ? PATIENT_MS_MAX : TABLE_MS_MAX,
					 .tells_begin = true};
	struct worker_line **line = is_patient ? &b->patient : &b->line;
	struct epoll_event event = {.events = EPOLLIN};
	int ret = worker_line_start(line, &kind, err);

	if (!ret && epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, worker_line_fd(*line), &event)) {
		ret = err_set(err, -errno, "failed to watch the %s: %m", kind.name);
		worker_line_destroy(*line);
		*line = NULL;
	}
	return ret;
}

int table_builder_start(struct table_builder *b, struct err *err)
{
	*b = (struct table_builder){
		.waits = {.part = WAITS_PART, .max_ns = WAITS_MAX_NS},
		.all_waits = {.part = ALL_WAITS_PART, .max_ns = ALL_WAITS_MAX_NS},
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	return start_child(b, false, err);
}

static bool is_wait_left(const struct table_builder *b, uint64_t now_ns)
{
	return owner_time_left(&b->all_waits, WAITS_OF_ALL, now_ns) >= WAIT_NS;
}

/* May the first child wait for a file of @payer? If all have used up the time, who has not may. */
static bool may_wait(const struct table_builder *b, uint32_t payer)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t left_ns = owner_time_left(&b->waits, payer ? payer : WAITS_OF_ROOT, now_ns);

	return left_ns >= (is_wait_left(b, now_ns) ? WAIT_NS : WAITS_MAX_NS);
}

struct worker_line *table_builder_line(struct table_builder *b, bool is_slow, uint32_t payer)
{
	struct err err = {0};

	if (!is_slow && may_wait(b, payer))
		return b->line;
	if (!b->patient)
		start_child(b, true, &err);
	return b->patient;
}

void table_builder_charge_wait(struct table_builder *b, uint32_t payer)
{
	const uint64_t now_ns = clock_monotonic_ns();

	/* The most that an account takes keeps twenty users from more than there is for all. */
	owner_time_charge(&b->waits, payer ? payer : WAITS_OF_ROOT,
			  is_wait_left(b, now_ns) ? WAIT_NS : 2 * WAITS_MAX_NS, now_ns);
	owner_time_charge(&b->all_waits, WAITS_OF_ALL, WAIT_NS, now_ns);
}

int table_builder_request(struct table_builder *b, int fd, uint32_t tag, const uint8_t *known)
{
	const struct table_request message = table_request_make(tag, known);
	const struct worker_request request = {
		.tag = tag, .bytes = &message, .nr = sizeof(message), .fd = fd};

	return fd < 0 ? -EBADF : worker_line_request(b->line, &request);
}

int table_builder_next(struct table_builder *b, uint32_t *tag, int *status, uint64_t *cpu_ns,
		       struct unwind_table *table, struct found_interpreter *found)
{
	_cleanup_close_ int memory = -1;
	struct worker_reply reply;
	bool is_patient = b->patient && worker_line_next(b->patient, &reply, &memory);

	if (!is_patient && !worker_line_next(b->line, &reply, &memory))
		return 0;
	*tag = reply.tag;
	*cpu_ns = reply.cpu_ns;
	*status = reply.status == -ETIMEDOUT && !is_patient ? -EBUSY : reply.status;
	memcpy(found, reply.own, sizeof(*found));
	found_interpreter_check(found);
	if (!*status)
		*status = worker_memory_is_sealed(memory) ? unwind_table_read(memory, table)
							  : -EBADMSG;
	return 1;
}

void table_builder_deinit(struct table_builder *b)
{
	worker_line_destroy(b->line);
	worker_line_destroy(b->patient);
	owner_time_deinit(&b->waits);
	owner_time_deinit(&b->all_waits);
	cleanup_close(&b->epoll_fd);
}
