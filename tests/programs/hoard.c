// SPDX-License-Identifier: GPL-2.0-or-later
/* hoard LIBRARY:FUNCTION...: loads all libraries and calls their functions in turn, for ever. */
#include "load_function.h"

int main(int argc, char **argv)
{
	function **calls = calloc(argc, sizeof(*calls));

	if (!calls)
		return 1;
	for (int i = 1; i < argc; i++)
		load_function(argv[i], &calls[i]);
	for (;;)
		for (int i = 1; i < argc; i++)
			calls[i]();
}
