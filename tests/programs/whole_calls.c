// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * whole_calls FILE: makes long system calls from a deep stack while FILE is there, and fails if
 * many of them returned early, as calls do for a signal or for a stop by ptrace. A few may have
 * begun after a sample of the code between them, for which the thread is stopped.
 */
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#define CALL_BYTES  (8 << 20)
#define FRAME_BYTES 4096
#define DEPTH       16

static char bytes[CALL_BYTES];

static int call(const char *path)
{
	int nr_cut = 0, nr = 0;

	while (!access(path, F_OK)) {
		nr++;
		nr_cut += getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes);
	}
	printf("# %d of %d calls returned early\n", nr_cut, nr);
	return nr_cut > 2 && nr_cut > nr / 10;
}

__attribute__((noinline)) static int descend(int depth, const char *path)
{
	volatile char frame[FRAME_BYTES];

	frame[0] = 0;
	return (depth ? descend(depth - 1, path) : call(path)) + frame[0];
}

int main(int argc, char **argv)
{
	return argc != 2 || descend(DEPTH, argv[1]);
}
