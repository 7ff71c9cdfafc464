// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * named COMM MS takes the name COMM and burns MS milliseconds of CPU time, with a mark each 10 ms.
 * Then come the last marks. The compiler's command line chooses the name of the function that burns
 * (FUNCTION) and the bytes of its frame (FRAME).
 */
#include <stdlib.h>
#include <sys/prctl.h>

#include "tests/programs/burn.h"
#include "marks.h"

static __attribute__((noinline, noclone)) int FUNCTION(int ms)
{
	volatile char room[FRAME];

	room[0] = 1;
	for (; ms > 0; ms -= 10) {
		BURN_MS(10);
		mark();
	}
	begin_marks(0);
	while (marks_left)
		mark();
	return room[0];
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	prctl(PR_SET_NAME, argv[1], 0, 0, 0);
	return FUNCTION(atoi(argv[2])) - 1;
}
