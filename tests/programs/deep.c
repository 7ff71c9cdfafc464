// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deep MS KIB [thread]: burns MS milliseconds in burn_deeply, with so much stack below it, in the
 * main thread or in another one.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

#define FRAME_BYTES 1024

struct depth {
	int ms, kib;
};

void burn_deeply(int ms);
int fill_stack(const struct depth *depth, int level);

__attribute__((noinline)) void burn_deeply(int ms)
{
	BURN_MS(ms);
}

/* Returns a number of its frame after the call, so that the frame lives that long. */
__attribute__((noinline)) int fill_stack(const struct depth *depth, int level)
{
	volatile char frame[FRAME_BYTES];

	memset((char *)frame, level, sizeof(frame));
	if (level < depth->kib)
		return fill_stack(depth, level + 1) + frame[level];
	burn_deeply(depth->ms);
	return frame[level];
}

static void *in_thread(void *ctx)
{
	fill_stack(ctx, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	struct depth depth;
	pthread_t thread;

	if (argc < 3)
		return 2;
	depth = (struct depth){atoi(argv[1]), atoi(argv[2])};
	if (argc == 3)
		fill_stack(&depth, 1);
	else if (pthread_create(&thread, NULL, in_thread, &depth) || pthread_join(thread, NULL))
		return 1;
	return 0;
}
