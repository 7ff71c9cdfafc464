// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/found_interpreter.h"

void found_interpreter_check(struct found_interpreter *found)
{
	found->name[INTERPRETER_NAME_BYTES - 1] = '\0';
	if (found->language >= NR_LANGUAGES + NR_OTHER_RUNTIMES)
		*found = (struct found_interpreter){0};
	if (found->interpreter.language && found->interpreter.language != found->language)
		found->interpreter = (struct interpreter){0};
}
