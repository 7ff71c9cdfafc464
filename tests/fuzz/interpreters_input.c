// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/languages/interpreter_search.h"
#include "record/languages/files/thread_variable.h"
#include "tests/fuzz/made_elf.h"

/* The instructions of the function that returns the thread's state. */
static void parse_thread(const uint8_t *data, size_t len)
{
	uint8_t code[THREAD_VARIABLE_BYTES] = {0};
	struct thread_variable variable = {0};

	memcpy(code, data, len < sizeof(code) ? len : sizeof(code));
	if (thread_variable_parse(code, 0x400000, 0x500000, &variable) &&
	    (variable.is_in_block || variable.key || variable.variable))
		abort();
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct found_interpreter found, checked;
	_cleanup_close_ int fd = -1;

	if (!len || len > INPUT_MAX_BYTES)
		return;
	parse_thread(data, len);
	fd = made_file(data, len);
	interpreter_search(fd, &found);
	checked = found;
	found_interpreter_check(&checked);
	if (memcmp(&found, &checked, sizeof(found)) != 0)
		abort();
	if (verbose)
		printf("language %u, %s\n", found.language, found.name);
}
