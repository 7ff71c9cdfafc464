/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the variable that holds the state of the current thread in CPython from 3.15 on. No symbol
 * names it. But PyGILState_GetThisThreadState does nothing else than to return it, so the
 * instructions of this function tell where it is.
 */
#ifndef RECORD_LANGUAGES_PYTHON_THREAD_H
#define RECORD_LANGUAGES_PYTHON_THREAD_H

#include "bpf/languages.h"
#include "record/languages/dynamic_symbols.h"

/* The most bytes of the function that are looked at. */
#define PYTHON_THREAD_BYTES 40

/*
 * Completes thread, key and variable of @layout. The interpreter's data is linked at @runtime.
 * Returns 0 or -ENOENT if the function has another form.
 */
int python_thread_find(const struct dynamic_symbols *symbols, uint64_t runtime,
		       struct python_layout *layout);

/* The same by the instructions in @code, linked at @addr. */
int python_thread_parse(const uint8_t code[PYTHON_THREAD_BYTES], uint64_t addr, uint64_t runtime,
			struct python_layout *layout);

#endif
