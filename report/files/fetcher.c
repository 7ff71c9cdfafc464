// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/fetcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/minmax.h"
#include "common/parse.h"
#include "common/search_path.h"

#define CLIENT "debuginfod-find"

/*
 * A server may send nothing for so long, and less than LEAST_RATE on average, unless
 * DEBUGINFOD_TIMEOUT says otherwise.
 */
#define STALL_S 30

/* Least bytes a second of a server. */
#define LEAST_RATE 10240

/* Longest time for all files of a report, unless DEBUGINFOD_MAXTIME says otherwise. */
#define ALL_FILES_S 600

/* The clock, Ctrl-C and the bytes that have come are looked at this often. */
#define POLL_MS 200

/*
 * Larger files are not fetched, unless DEBUGINFOD_MAXSIZE allows less. The debug file of a browser
 * has up to that.
 */
#define FILE_BYTES_MAX (4ull << 30)

/* The client says that it has no such file, or what failed. */
#define CLIENT_FAILED 1

/* A file that the client fetches. */
struct fetch {
	pid_t pid;
	int fd;                    /* what the client prints comes from here */
	char text[PATH_MAX + 256]; /* that */
	size_t len;
	char begin[BUILD_ID_HEX_SIZE + 16]; /* of the last parts of the unfinished file's name */
	char part[PATH_MAX];                /* the unfinished file, "" as long as it is not known */
	uint64_t bytes;                     /* that it has */
	uint64_t moved_at_ns;
	uint64_t judged_bytes, judged_at_ns; /* when the rate was judged */
	uint64_t stall_ns, until_ns;
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

static uint64_t file_bytes_max(void)
{
	const char *text = getenv("DEBUGINFOD_MAXSIZE");
	uint64_t bytes;

	if (!text || parse_u64(text, 1, FILE_BYTES_MAX, &bytes))
		bytes = FILE_BYTES_MAX;
	return bytes;
}

int fetcher_check(struct err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !urls[strspn(urls, " ")]) {
		err_set(err, -EINVAL, "option --debuginfod: DEBUGINFOD_URLS names no server");
		return err_hint(err, -EINVAL,
				"for Debian: DEBUGINFOD_URLS=https://debuginfod.debian.net");
	}
	if (search_path_has(CLIENT))
		return 0;
	err_set(err, -ENOENT, "option --debuginfod: no directory of PATH has '%s'", CLIENT);
	return err_hint(
		err, -ENOENT,
		"Debian has it in the package debuginfod, Fedora in elfutils-debuginfod-client");
}

/*
 * Limits the file that the client writes, since a server need not say how much it sends. A write
 * fails then, and the client removes the file. Limits of time are this file's: those of the client
 * are for one file alone, and it would try again.
 */
static bool limit_client(void)
{
	uint64_t bytes_max = file_bytes_max();
	char text[24];
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		return false;
	limit.rlim_cur = min_u64(limit.rlim_cur, bytes_max);
	snprintf(text, sizeof(text), "%" PRIu64, bytes_max);
	return !setrlimit(RLIMIT_FSIZE, &limit) && !setenv("DEBUGINFOD_MAXSIZE", text, 1) &&
	       !setenv("DEBUGINFOD_TIMEOUT", "0", 1) && !unsetenv("DEBUGINFOD_MAXTIME") &&
	       !setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1) && !unsetenv("DEBUGINFOD_PROGRESS") &&
	       !unsetenv("DEBUGINFOD_VERBOSE");
}

/* Becomes the client. Does not return. Ctrl-C is for the parent. */
static void run_client(const char *kind, const char *id, int fd, pid_t parent)
{
	if (!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent &&
	    signal(SIGINT, SIG_IGN) != SIG_ERR && limit_client() && dup2(fd, STDOUT_FILENO) >= 0 &&
	    dup2(fd, STDERR_FILENO) >= 0)
		execlp(CLIENT, CLIENT, kind, id, NULL);
	_exit(127);
}

static int start_client(struct fetch *fetch, const struct build_id *build_id, enum fetch_kind kind)
{
	const char *name = kind == FETCH_DEBUGINFO ? "debuginfo" : "executable";
	char id[BUILD_ID_HEX_SIZE];
	pid_t parent = getpid();
	int fds[2];

	snprintf(fetch->begin, sizeof(fetch->begin), "/%s/%s.", build_id_hex(build_id, id), name);
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fetch->pid = fork();
	if (!fetch->pid)
		run_client(name, id, fds[1], parent);
	close(fds[1]);
	fetch->fd = fds[0];
	if (fetch->pid < 0)
		close(fds[0]);
	return fetch->pid < 0 ? -errno : 0;
}

/*
 * Looks for the unfinished file among those that the client has open, and how much it has. The
 * client adds a dot and six letters to the name that the file gets at last.
 */
static void look_at_part(struct fetch *fetch)
{
	char name[32], path[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	ssize_t len;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%d/fd", (int)fetch->pid);
	dir = opendir(name);
	while (dir && (entry = readdir(dir))) {
		len = readlinkat(dirfd(dir), entry->d_name, path, sizeof(path) - 1);
		path[len > 0 ? len : 0] = '\0';
		if (!strstr(path, fetch->begin) || fstatat(dirfd(dir), entry->d_name, &st, 0))
			continue;
		memcpy(fetch->part, path, len + 1);
		fetch->bytes = st.st_size;
	}
	if (dir)
		closedir(dir);
}

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

/* Returns the reason, if any, for which the client must end. */
static enum fetch_stop judge(struct fetch *fetch)
{
	uint64_t now = clock_monotonic_ns(), before = fetch->bytes, came;

	look_at_part(fetch);
	if (fetch->bytes != before)
		fetch->moved_at_ns = now;
	if (!before) /* a server may need time to find the file */
		fetch->judged_at_ns = now;
	if (is_interrupted)
		return FETCH_INTERRUPTED;
	if (now >= fetch->until_ns)
		return FETCH_TOOK_ALL_TIME;
	if (now - fetch->moved_at_ns > fetch->stall_ns)
		return FETCH_TIMED_OUT;
	if (now - fetch->judged_at_ns <= fetch->stall_ns)
		return FETCH_GOES_ON;
	came = fetch->bytes - fetch->judged_bytes;
	if (came < (now - fetch->judged_at_ns) / NS_PER_S * LEAST_RATE)
		return FETCH_TOO_SLOW;
	fetch->judged_bytes = fetch->bytes;
	fetch->judged_at_ns = now;
	return FETCH_GOES_ON;
}

/* Reads what the client prints until it ends or must end. Returns the reason for the latter. */
static enum fetch_stop read_client(struct fetch *fetch)
{
	struct pollfd poll_fd = {.fd = fetch->fd, .events = POLLIN};
	bool is_shown = isatty(STDERR_FILENO), has_line = false;
	enum fetch_stop stop = FETCH_GOES_ON;
	ssize_t n = 1;

	while (n > 0 && stop == FETCH_GOES_ON) {
		if (poll(&poll_fd, 1, POLL_MS) > 0) {
			n = io_read(fetch->fd, fetch->text + fetch->len,
				    sizeof(fetch->text) - 1 - fetch->len);
			fetch->len += n > 0 ? n : 0;
		}
		stop = judge(fetch);
		if (!is_shown || !fetch->bytes)
			continue;
		dprintf(STDERR_FILENO, "\rprofrep: fetching, %.1f MB\033[K", fetch->bytes / 1e6);
		has_line = true;
	}
	if (has_line)
		dprintf(STDERR_FILENO, "\r\033[K");
	fetch->text[fetch->len] = '\0';
	return stop;
}

/* Waits for the client. If there is a reason to @stop it, kills it and removes what it leaves. */
static int end_client(struct fetch *fetch, enum fetch_stop stop)
{
	int status = -1;

	if (stop != FETCH_GOES_ON) {
		look_at_part(fetch);
		kill(fetch->pid, SIGKILL);
	}
	close(fetch->fd);
	while (waitpid(fetch->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (stop != FETCH_GOES_ON && fetch->part[0])
		unlink(fetch->part);
	return status;
}

/* Returns the file's name, the last line of what a client that found it has printed, or NULL. */
static char *find_name(struct fetch *fetch)
{
	char *name;

	if (fetch->len && fetch->text[fetch->len - 1] == '\n')
		fetch->text[--fetch->len] = '\0';
	name = strrchr(fetch->text, '\n');
	name = name ? name + 1 : fetch->text;
	return name[0] == '/' ? name : NULL;
}

/* Returns true if the client says so, or that it could not write: a server need not say a size. */
static bool is_too_large(const struct fetch *fetch)
{
	return strstr(fetch->text, strerror(EFBIG)) || strstr(fetch->text, strerror(EIO));
}

/* Runs the client. Returns the name in @fetch of the file that it found, or NULL. */
static const char *run_fetch(struct fetcher *fetcher, struct fetch *fetch,
			     const struct build_id *build_id, enum fetch_kind kind)
{
	uint64_t begin_ns = clock_monotonic_ns(),
		 max_ns = environment_ns("DEBUGINFOD_MAXTIME", ALL_FILES_S);
	int status;

	*fetch = (struct fetch){
		.moved_at_ns = begin_ns,
		.judged_at_ns = begin_ns,
		.stall_ns = environment_ns("DEBUGINFOD_TIMEOUT", STALL_S),
		.until_ns = begin_ns + max_ns - min_u64(fetcher->ns, max_ns),
	};
	if (start_client(fetch, build_id, kind)) {
		fetcher->stop = FETCH_BROKEN;
		return NULL;
	}
	fetcher->stop = read_client(fetch);
	status = end_client(fetch, fetcher->stop);
	fetcher->ns += clock_monotonic_ns() - begin_ns;
	if (fetcher->stop != FETCH_GOES_ON)
		return NULL;
	if (!status)
		return find_name(fetch);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != CLIENT_FAILED)
		fetcher->stop = FETCH_BROKEN;
	else
		fetcher->nr_too_large += is_too_large(fetch);
	return NULL;
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
	struct fetch fetch;
	const char *name = NULL;

	*path = NULL;
	if (fetcher->stop == FETCH_GOES_ON) {
		is_interrupted = 0;
		sigaction(SIGINT, &action, &before);
		name = run_fetch(fetcher, &fetch, build_id, kind);
		sigaction(SIGINT, &before, NULL);
	}
	if (fetcher->stop != FETCH_GOES_ON)
		note_given_up(fetcher, build_id);
	if (!name)
		return 0;
	*path = strdup(name);
	return *path ? 0 : -ENOMEM;
}
