// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/interpreter_search.h"

#include "record/languages/files/other_runtimes.h"
#include "record/languages/language_table.h"

void interpreter_search(int fd, struct found_interpreter *found)
{
	struct dynamic_symbols symbols;

	*found = (struct found_interpreter){0};
	if (!dynamic_symbols_init(&symbols, fd)) {
		for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++)
			languages[i].find(&symbols, found);
		for (uint32_t i = 0; i < NR_CODE_MAKERS; i++)
			if (code_makers[i].find)
				code_makers[i].find(&symbols, found);
		other_runtime_find(&symbols, found);
		registered_code_find(&symbols, found);
	}
	dynamic_symbols_deinit(&symbols);
}
