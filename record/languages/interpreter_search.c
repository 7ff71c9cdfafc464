// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/interpreter_search.h"

#include "record/languages/dynamic_symbols.h"
#include "record/languages/java_symbols.h"
#include "record/languages/php_layouts.h"
#include "record/languages/php_loop.h"
#include "record/languages/python_layouts.h"

void interpreter_search(int fd, struct found_interpreter *found)
{
	struct dynamic_symbols symbols;

	*found = (struct found_interpreter){0};
	if (!dynamic_symbols_init(&symbols, fd)) {
		python_find(&symbols, found);
		java_find(&symbols, found);
		php_find(&symbols, found);
		php_loop_find(&symbols, found);
	}
	dynamic_symbols_deinit(&symbols);
}
