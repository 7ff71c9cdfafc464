// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lazy_main FILE: says its pid, waits for a line of FILE, and calls the functions of lazy.c, a
 * library of this program. None of them is bound yet.
 */
#include "wait_for_line.h"

void lazy_calls(void);

int main(int argc, char **argv)
{
	if (argc == 2)
		wait_for_line(argv[1]);
	lazy_calls();
	return 0;
}
