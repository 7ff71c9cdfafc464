// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/thread_variable.h"

#include <errno.h>

int thread_variable_find(const struct dynamic_symbols *symbols, const char *function,
			 uint64_t runtime, struct thread_variable *found)
{
	uint8_t code[THREAD_VARIABLE_BYTES];
	Elf64_Sym symbol;

	if (dynamic_symbols_find(symbols, function, &symbol) ||
	    dynamic_symbols_read(symbols, symbol.st_value, code, sizeof(code)))
		return -ENOENT;
	return thread_variable_parse(code, symbol.st_value, runtime, found);
}
