// SPDX-License-Identifier: GPL-2.0-or-later
/* reexec NEXT [ARG...]: burns in before_exec, then becomes NEXT in the same process. */
#include <unistd.h>

#include "burn.h"

#ifndef BEFORE_MS
#define BEFORE_MS 300
#endif

void before_exec(void);

__attribute__((noinline)) void before_exec(void)
{
	BURN_MS(BEFORE_MS);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	before_exec();
	execv(argv[1], argv + 1);
	return 1;
}
