// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/demangle/demangler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/io.h"
#include "common/minmax.h"
#include "report/demangle/lasting_name.h"

/* Bytes that the child gathers before it writes them, and that the parent reads at a time. */
#define CHUNK_BYTES (64u << 10)

/* The place in the list of a name that is not tried again. */
#define ABANDONED UINT32_MAX

/* What the child says of itself, in memory that it shares with the parent. */
struct progress {
	volatile uint32_t current; /* the name that it demangles, an index of the list */
	volatile uint32_t ticks;   /* of CPU time */
};

struct demangler {
	struct string_set *names;
	uint32_t *new_ids;
	struct demangler_account *account;
	VEC(uint32_t) list; /* ids of the names to demangle, or ABANDONED */
	size_t next;        /* no result has come for this index of the list, nor for later ones */
	struct progress *progress;
};

/* A result in the pipe; the text follows it. */
struct result {
	uint32_t at; /* index of the list */
	uint32_t len;
};

void demangler_account_deinit(struct demangler_account *account)
{
	vec_free(&account->hashes);
}

uint64_t demangler_account_nr_left(const struct demangler_account *account)
{
	return account->hashes.nr + account->nr_untried;
}

static uint64_t ticks_left(const struct demangler_account *account)
{
	uint64_t all = DEMANGLER_TICKS + account->bytes / DEMANGLER_BYTES_PER_TICK;

	return account->ticks < all ? all - account->ticks : 0;
}

/* The timer of the child. */
static struct {
	struct progress *progress;
	uint32_t last, nr_same; /* the name at the last ticks, and how many those were */
	uint32_t ticks_max;
} timer;

/* Ends the child when a name, or all names together, took too long. */
static void handle_tick(int number)
{
	(void)number;
	timer.progress->ticks++;
	if (timer.progress->current != timer.last)
		timer.nr_same = 0;
	timer.last = timer.progress->current;
	if (++timer.nr_same > DEMANGLER_NAME_TICKS || timer.progress->ticks >= timer.ticks_max)
		_exit(EXIT_FAILURE);
}

static void start_timer(const struct demangler *d)
{
	const struct sigaction action = {.sa_handler = handle_tick, .sa_flags = SA_RESTART};
	const struct timeval tick = {.tv_usec = DEMANGLER_TICK_MS * 1000};
	const struct itimerval interval = {.it_interval = tick, .it_value = tick};
	sigset_t set;

	timer.progress = d->progress;
	timer.last = d->progress->current;
	timer.ticks_max = min_u64(ticks_left(d->account), UINT32_MAX);
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	if (sigaction(SIGPROF, &action, NULL) || sigprocmask(SIG_UNBLOCK, &set, NULL) ||
	    setitimer(ITIMER_PROF, &interval, NULL))
		_exit(EXIT_FAILURE);
}

static void flush_results(int fd, char_vec *results)
{
	if (io_write_all(fd, results->data, results->nr))
		_exit(EXIT_FAILURE);
	vec_clear(results);
}

/* Adds the name at index @at of the list to the results if it can be demangled. */
static void demangle_at(const struct demangler *d, size_t at, char_vec *results)
{
	const struct string *name = &d->names->items.data[d->list.data[at]];
	struct result result = {.at = at};
	char *text = NULL;

	if (demangle_name(name->s, name->len, d->account->style, &text))
		_exit(EXIT_FAILURE);
	if (!text)
		return;
	result.len = strlen(text);
	if (vec_append(results, (const char *)&result, sizeof(result)) ||
	    vec_append(results, text, result.len))
		_exit(EXIT_FAILURE);
	free(text);
}

/* Does not return. Nothing of the parent's is flushed or released. */
static void run_child(const struct demangler *d, int fd, pid_t parent)
{
	char_vec results = {0};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXIT_FAILURE);
	start_timer(d);
	for (size_t at = d->next; at < d->list.nr; at++) {
		d->progress->current = at;
		if (d->list.data[at] == ABANDONED)
			continue;
		demangle_at(d, at, &results);
		if (results.nr >= CHUNK_BYTES)
			flush_results(fd, &results);
	}
	flush_results(fd, &results);
	d->progress->current = d->list.nr;
	_exit(EXIT_SUCCESS);
}

/* Takes the whole results at the start of @bytes. Returns 0, -EBADMSG or -ENOMEM. */
static int take_results(struct demangler *d, char_vec *bytes)
{
	struct result result;
	size_t used = 0;

	while (bytes->nr - used >= sizeof(result)) {
		int ret;

		memcpy(&result, bytes->data + used, sizeof(result));
		/* A name that misled libiberty may have changed anything in the child. */
		if (result.at < d->next || result.at >= d->list.nr ||
		    d->list.data[result.at] == ABANDONED || !result.len ||
		    result.len > DEMANGLED_BYTES_MAX)
			return -EBADMSG;
		if (bytes->nr - used - sizeof(result) < result.len)
			break;
		ret = string_set_add(d->names, bytes->data + used + sizeof(result), result.len,
				     &d->new_ids[d->list.data[result.at]]);
		if (ret)
			return ret;
		used += sizeof(result) + result.len;
		d->next = result.at + 1;
	}
	if (used)
		memmove(bytes->data, bytes->data + used, bytes->nr - used);
	bytes->nr -= used;
	return 0;
}

/* Reads the results up to the end of the child. Returns 0, -EBADMSG or -ENOMEM. */
static int read_results(struct demangler *d, int fd)
{
	char_vec bytes = {0};
	int ret = 0;

	while (!ret) {
		ssize_t n;

		ret = vec_reserve(&bytes, CHUNK_BYTES);
		if (ret)
			break;
		n = io_read(fd, bytes.data + bytes.nr, CHUNK_BYTES);
		if (n <= 0)
			break;
		bytes.nr += n;
		ret = take_results(d, &bytes);
	}
	vec_free(&bytes);
	return ret;
}

/* Starts a child; *@fd is where its results come from. */
static pid_t start_child(const struct demangler *d, int *fd)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		run_child(d, fds[1], parent);
	close(fds[1]);
	if (pid < 0)
		close(fds[0]);
	else
		*fd = fds[0];
	return pid;
}

/* The child ended early: gives up the name that it was at. Returns 0 or -ENOMEM. */
static int abandon_current(struct demangler *d)
{
	size_t at = d->progress->current;
	const struct string *name;

	/* In a name that was given up already only a child that was misled can be. */
	if (at < d->next || at >= d->list.nr || d->list.data[at] == ABANDONED)
		return 0;
	name = &d->names->items.data[d->list.data[at]];
	d->list.data[at] = ABANDONED;
	return vec_push(&d->account->hashes, hash_bytes(name->s, name->len, 0));
}

/* Demangles what a child can. Returns 0 or -ENOMEM, and -EAGAIN when there can be no child. */
static int run_one_child(struct demangler *d)
{
	int fd = -1, ret;
	pid_t pid;

	*d->progress = (struct progress){.current = d->next};
	pid = start_child(d, &fd);
	if (pid < 0)
		return -EAGAIN;
	ret = read_results(d, fd);
	close(fd);
	if (ret)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (ret == -ENOMEM)
		return ret;
	if (!ret && d->progress->current == d->list.nr) {
		d->account->ticks += d->progress->ticks;
		d->next = d->list.nr;
		return 0;
	}
	/* Each child that ends early counts, so that there cannot be too many. */
	d->account->ticks += max_u64(d->progress->ticks, 1);
	return ticks_left(d->account) ? abandon_current(d) : 0;
}

static int run_children(struct demangler *d)
{
	int ret = 0;

	while (!ret && d->next < d->list.nr && ticks_left(d->account))
		ret = run_one_child(d);
	if (ret == -ENOMEM)
		return ret;
	for (size_t at = d->next; at < d->list.nr; at++)
		d->account->nr_untried += d->list.data[at] != ABANDONED;
	return 0;
}

static bool is_abandoned(const struct demangler_account *account, const struct string *name)
{
	uint64_t hash;

	if (!account->hashes.nr)
		return false;
	hash = hash_bytes(name->s, name->len, 0);
	vec_for_each(&account->hashes, have)
		if (*have == hash)
			return true;
	return false;
}

/* Lists the names to demangle. All names stand for themselves until then. */
static int make_list(struct demangler *d)
{
	for (uint32_t id = 0; id < d->names->items.nr; id++) {
		const struct string *name = &d->names->items.data[id];

		d->new_ids[id] = id;
		if (!demangle_may_change(name->s, name->len, d->account->style) ||
		    is_abandoned(d->account, name))
			continue;
		d->account->bytes += name->len;
		if (vec_push(&d->list, id))
			return -ENOMEM;
	}
	return 0;
}

/* Adds the lasting form of name *@id, and sets *@id to it. Returns 0 or -ENOMEM. */
static int replace_name(struct string_set *names, uint32_t *id)
{
	const struct string *name = &names->items.data[*id];
	size_t len = name->len;
	_cleanup_free_ char *text = NULL;

	if (!lasting_name_may_change(name->s, len))
		return 0;
	text = malloc(len + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, name->s, len);
	return lasting_name_make(text, &len) ? string_set_add(names, text, len, id) : 0;
}

/*
 * Replaces those of the first @nr names that change from run to run. Names of C++ and the like have
 * such parts only where the demangler shows a suffix.
 */
static int replace_names(struct demangler *d, uint32_t nr)
{
	int ret = 0;

	for (uint32_t id = 0; id < nr && !ret && d->account->style != DEMANGLE_NONE; id++)
		if (d->new_ids[id] == id ||
		    strstr(d->names->items.data[d->new_ids[id]].s, " [clone ."))
			ret = replace_name(d->names, &d->new_ids[id]);
	return ret;
}

int demangler_run(struct string_set *names, uint32_t *new_ids, struct demangler_account *account)
{
	struct demangler d = {.names = names, .new_ids = new_ids, .account = account};
	uint32_t nr = names->items.nr;
	int ret = make_list(&d);

	if (!ret && d.list.nr) {
		d.progress = mmap(NULL, sizeof(*d.progress), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		ret = d.progress == MAP_FAILED ? -ENOMEM : run_children(&d);
		if (d.progress != MAP_FAILED)
			munmap(d.progress, sizeof(*d.progress));
	}
	vec_free(&d.list);
	return ret ? ret : replace_names(&d, nr);
}
