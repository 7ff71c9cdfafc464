// SPDX-License-Identifier: GPL-2.0-or-later
/* short [MS]: lives for MS milliseconds of CPU time, in burn_shortly. */
#include <stdlib.h>

#include "burn.h"

void burn_shortly(int ms);

__attribute__((noinline)) void burn_shortly(int ms)
{
	BURN_MS(ms);
}

int main(int argc, char **argv)
{
	burn_shortly(argc > 1 ? atoi(argv[1]) : 10);
	return 0;
}
