// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/fetcher.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/minmax.h"
#include "common/parse.h"
#include "report/files/load_library.h"

#define LIBRARY "libdebuginfod.so.1"

/*
 * A server may send nothing for so long, and less than LEAST_RATE on average, unless
 * DEBUGINFOD_TIMEOUT says otherwise.
 */
#define STALL_S 30

/* Least bytes a second of a server. */
#define LEAST_RATE 10240

/* Longest time for all files of a report, unless DEBUGINFOD_MAXTIME says otherwise. */
#define ALL_FILES_S 600

/* How long a child that is told to end may take before it is killed. */
#define END_NS (5 * NS_PER_S)

/* The parent looks at the clock and at Ctrl-C this often. */
#define POLL_MS 200

/*
 * Larger files are not fetched, unless DEBUGINFOD_MAXSIZE allows less. The debug file of a browser
 * has up to that.
 */
#define FILE_BYTES_MAX (4ull << 30)

/* How a child ends. */
enum child_status {
	CHILD_FOUND = 0,
	CHILD_NOT_FOUND = 10,
	CHILD_TIMED_OUT,
	CHILD_TOO_SLOW,
	CHILD_TOO_LARGE,
	CHILD_BROKEN,
};

struct debuginfod_client; /* libdebuginfod's own */

typedef struct debuginfod_client *begin_fn(void);
typedef int find_fn(struct debuginfod_client *client, const unsigned char *build_id, int size,
		    char **path);
typedef void set_progress_fn(struct debuginfod_client *client,
			     int (*progress)(struct debuginfod_client *client, long done,
					     long all));

/* Functions of the library. */
struct library {
	begin_fn *begin;
	set_progress_fn *set_progress;
	find_fn *find[2]; /* by enum fetch_kind */
};

/* The seconds in the environment's variable @name, or @usual ones. */
static uint64_t environment_ns(const char *name, uint64_t usual)
{
	const char *text = getenv(name);
	uint64_t seconds;

	if (!text || parse_u64(text, 1, UINT32_MAX, &seconds))
		seconds = usual;
	return seconds * NS_PER_S;
}

static uint64_t stall_ns(void)
{
	return environment_ns("DEBUGINFOD_TIMEOUT", STALL_S);
}

static uint64_t file_bytes_max(void)
{
	const char *text = getenv("DEBUGINFOD_MAXSIZE");
	uint64_t bytes;

	if (!text || parse_u64(text, 1, FILE_BYTES_MAX, &bytes))
		bytes = FILE_BYTES_MAX;
	return bytes;
}

static bool library_open(struct library *library)
{
	void *handle = load_library(LIBRARY);

	if (!handle)
		return false;
	*library = (struct library){
		.begin = (begin_fn *)dlsym(handle, "debuginfod_begin"),
		.set_progress = (set_progress_fn *)dlsym(handle, "debuginfod_set_progressfn"),
		.find = {(find_fn *)dlsym(handle, "debuginfod_find_debuginfo"),
			 (find_fn *)dlsym(handle, "debuginfod_find_executable")},
	};
	return library->begin && library->set_progress && library->find[0] && library->find[1];
}

int fetcher_check(struct err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *handle;

	if (!urls || !urls[strspn(urls, " ")]) {
		err_set(err, -EINVAL, "option --debuginfod: DEBUGINFOD_URLS names no server");
		return err_hint(err, -EINVAL,
				"for Debian: DEBUGINFOD_URLS=https://debuginfod.debian.net");
	}
	handle = load_library(LIBRARY);
	if (!handle) {
		err_set(err, -ENOENT, "failed to load '%s': %s", LIBRARY, load_library_error());
		return err_hint(err, -ENOENT, "Debian has it in the package libdebuginfod1");
	}
	dlclose(handle);
	return 0;
}

/* When the child looked at the server last, in memory that it shares with the parent. */
struct look {
	volatile uint64_t at_ns;
};

/* What the child knows of its work. */
static struct {
	struct look *look;
	volatile sig_atomic_t is_ended; /* the parent wants it to end */
	volatile sig_atomic_t status;   /* the reason for which it gave up: enum child_status */
	uint64_t stall_ns;
	uint64_t bytes_max;
	uint64_t moved_at_ns, judged_at_ns; /* a byte came; the rate was judged */
	long done, judged;                  /* bytes now, and when the rate was judged */
	bool has_size;                      /* the server has said how much it sends */
	bool is_shown; /* progress is shown, since standard error is a terminal */
	bool has_line; /* a line of progress is there */
} child;

static void end_child(int number)
{
	(void)number;
	child.is_ended = 1;
}

/* The file outgrew the limit. A write fails, so the library gives up. */
static void note_too_large(int number)
{
	(void)number;
	child.status = CHILD_TOO_LARGE;
}

/*
 * Limits the files that the child writes. A server need not say how much it sends, and the library
 * counts bytes only if it does.
 */
static bool limit_files(void)
{
	const struct sigaction action = {.sa_handler = note_too_large};
	struct rlimit limit;

	child.bytes_max = file_bytes_max();
	if (getrlimit(RLIMIT_FSIZE, &limit))
		return false;
	limit.rlim_cur = min_u64(limit.rlim_cur, child.bytes_max);
	return !setrlimit(RLIMIT_FSIZE, &limit) && !sigaction(SIGXFSZ, &action, NULL);
}

/* Takes the library's own limits away, by which it would try again, or give up one file alone. */
static bool drop_library_limits(void)
{
	return !setenv("DEBUGINFOD_TIMEOUT", "0", 1) && !unsetenv("DEBUGINFOD_MAXTIME");
}

static void show_progress(long done, long all)
{
	if (!child.is_shown || all <= 0)
		return;
	dprintf(STDERR_FILENO, "\rprofrep: fetching, %.1f of %.1f MB\033[K", done / 1e6, all / 1e6);
	child.has_line = true;
}

/* Notes that @done bytes are there, and judges whether they come too slowly. */
static void watch_rate(long done, uint64_t now)
{
	bool begins = !child.has_size || done < child.judged; /* the library tries again */

	if (done != child.done)
		child.moved_at_ns = now;
	child.done = done;
	if (!begins && now - child.judged_at_ns <= child.stall_ns)
		return;
	if (!begins &&
	    (uint64_t)(done - child.judged) < (now - child.judged_at_ns) / NS_PER_S * LEAST_RATE)
		child.status = CHILD_TOO_SLOW;
	child.has_size = true;
	child.judged = done;
	child.judged_at_ns = now;
}

/* libdebuginfod calls this about every second. A result that is not 0 ends the download. */
static int watch_progress(struct debuginfod_client *client, long done, long all)
{
	uint64_t now = clock_monotonic_ns();

	(void)client;
	child.look->at_ns = now;
	if (child.is_ended)
		return 1;
	/* As long as the size is unknown, the library counts its looks at the server. */
	if (all > 0)
		watch_rate(done, now);
	if (all > 0 && max_u64(done, all) > child.bytes_max)
		child.status = CHILD_TOO_LARGE;
	else if (now - child.moved_at_ns > child.stall_ns)
		child.status = CHILD_TIMED_OUT;
	show_progress(done, all);
	return child.status != CHILD_FOUND;
}

/* Fetches the file and writes its name to @fd. Returns the status. */
static enum child_status fetch_file(const struct build_id *build_id, enum fetch_kind kind, int fd)
{
	struct debuginfod_client *client;
	struct library library;
	char *path = NULL;
	int ret;

	if (!library_open(&library))
		return CHILD_BROKEN;
	client = library.begin();
	if (!client)
		return CHILD_BROKEN;
	library.set_progress(client, watch_progress);
	ret = library.find[kind](client, build_id->bytes, build_id->size, &path);
	if (child.has_line)
		dprintf(STDERR_FILENO, "\r\033[K");
	if (child.status != CHILD_FOUND)
		return child.status;
	if (ret == -ETIME || ret == -ETIMEDOUT)
		return CHILD_TIMED_OUT;
	if (ret == -EFBIG)
		return CHILD_TOO_LARGE;
	if (ret < 0 || !path || io_write_all(fd, path, strlen(path)))
		return CHILD_NOT_FOUND;
	return CHILD_FOUND;
}

/* Does not return. Nothing of the parent's is flushed or released. */
static void run_child(const struct build_id *build_id, enum fetch_kind kind, int fd,
		      struct look *look, pid_t parent)
{
	const struct sigaction end = {.sa_handler = end_child};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent ||
	    sigaction(SIGTERM, &end, NULL) || sigaction(SIGINT, &ignore, NULL) || !limit_files())
		_exit(CHILD_BROKEN);
	child.look = look;
	child.stall_ns = stall_ns();
	if (!drop_library_limits())
		_exit(CHILD_BROKEN);
	child.moved_at_ns = clock_monotonic_ns();
	child.is_shown = isatty(STDERR_FILENO);
	_exit(fetch_file(build_id, kind, fd));
}

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

/*
 * Reads the name until the child ends. Returns 0, -EINTR after Ctrl-C, -ETIME at @until_ns,
 * -ETIMEDOUT if the library does not even look at the server any more, or another negative errno.
 */
static int read_name(int fd, const struct look *look, uint64_t until_ns, char *name, size_t size)
{
	size_t nr = 0;

	while (nr + 1 < size) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int ready = poll(&poll_fd, 1, POLL_MS);
		uint64_t now = clock_monotonic_ns();
		ssize_t n;

		if (is_interrupted)
			return -EINTR;
		if (now >= until_ns)
			return -ETIME;
		if (now > look->at_ns + stall_ns() + END_NS)
			return -ETIMEDOUT;
		if (ready <= 0)
			continue;
		n = io_read(fd, name + nr, size - nr - 1);
		if (n < 0)
			return n;
		if (!n)
			break;
		nr += n;
	}
	name[nr] = '\0';
	return 0;
}

/* Waits for the child; kills it after some time if it was told to end. Returns its wait status. */
static int wait_for_child(pid_t pid, bool is_told)
{
	uint64_t until = clock_monotonic_ns() + END_NS;
	int status = -1;
	pid_t ended = 0;

	if (is_told)
		kill(pid, SIGTERM);
	while (is_told && !ended && clock_monotonic_ns() < until) {
		poll(NULL, 0, POLL_MS / 10);
		ended = waitpid(pid, &status, WNOHANG);
	}
	if (ended)
		return ended == pid ? status : -1;
	if (is_told)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Takes note of the way in which the child ended. Returns true if it found the file. */
static bool note_end(struct fetcher *fetcher, int error, int status)
{
	if (error == -EINTR)
		fetcher->stop = FETCH_INTERRUPTED;
	else if (error == -ETIME)
		fetcher->stop = FETCH_TOOK_ALL_TIME;
	else if (error == -ETIMEDOUT)
		fetcher->stop = FETCH_TIMED_OUT;
	else if (error || !WIFEXITED(status))
		fetcher->stop = FETCH_BROKEN;
	else if (WEXITSTATUS(status) == CHILD_TIMED_OUT)
		fetcher->stop = FETCH_TIMED_OUT;
	else if (WEXITSTATUS(status) == CHILD_TOO_SLOW)
		fetcher->stop = FETCH_TOO_SLOW;
	else if (WEXITSTATUS(status) == CHILD_TOO_LARGE)
		fetcher->nr_too_large++;
	else if (WEXITSTATUS(status) == CHILD_BROKEN)
		fetcher->stop = FETCH_BROKEN;
	return fetcher->stop == FETCH_GOES_ON && !status;
}

/* Runs a child that fetches the file, and adds the time that it took. */
static void run_fetch(struct fetcher *fetcher, const struct build_id *build_id,
		      enum fetch_kind kind, struct look *look, char name[PATH_MAX])
{
	uint64_t max_ns = environment_ns("DEBUGINFOD_MAXTIME", ALL_FILES_S), begin_ns;
	pid_t parent = getpid(), pid;
	int fds[2], ret;

	fetcher->stop = FETCH_BROKEN;
	name[0] = '\0';
	if (pipe2(fds, O_CLOEXEC))
		return;
	look->at_ns = begin_ns = clock_monotonic_ns();
	pid = fork();
	if (!pid)
		run_child(build_id, kind, fds[1], look, parent);
	close(fds[1]);
	if (pid > 0) {
		fetcher->stop = FETCH_GOES_ON;
		ret = read_name(fds[0], look, begin_ns + max_ns - min_u64(fetcher->ns, max_ns),
				name, PATH_MAX);
		if (!note_end(fetcher, ret, wait_for_child(pid, ret)))
			name[0] = '\0';
	}
	close(fds[0]);
	fetcher->ns += clock_monotonic_ns() - begin_ns;
}

/* Counts the file of @build_id, which may be asked for in two kinds, as not fetched. */
static void note_given_up(struct fetcher *fetcher, const struct build_id *build_id)
{
	if (fetcher->nr_given_up && build_id_equal(build_id, &fetcher->given_up))
		return;
	fetcher->given_up = *build_id;
	fetcher->nr_given_up++;
}

int fetcher_find(struct fetcher *fetcher, const struct build_id *build_id, enum fetch_kind kind,
		 char **path)
{
	const struct sigaction action = {.sa_handler = note_interrupt};
	struct sigaction before;
	struct look *look;
	char name[PATH_MAX];

	*path = NULL;
	if (fetcher->stop != FETCH_GOES_ON) {
		note_given_up(fetcher, build_id);
		return 0;
	}
	look = mmap(NULL, sizeof(*look), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (look == MAP_FAILED)
		return -ENOMEM;
	is_interrupted = 0;
	sigaction(SIGINT, &action, &before);
	run_fetch(fetcher, build_id, kind, look, name);
	sigaction(SIGINT, &before, NULL);
	munmap(look, sizeof(*look));
	if (fetcher->stop != FETCH_GOES_ON)
		note_given_up(fetcher, build_id);
	if (name[0] != '/')
		return 0;
	*path = strdup(name);
	return *path ? 0 : -ENOMEM;
}
