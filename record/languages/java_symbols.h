/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knows HotSpot, the virtual machine of Java, by the symbols that describe its data. */
#ifndef RECORD_LANGUAGES_JAVA_SYMBOLS_H
#define RECORD_LANGUAGES_JAVA_SYMBOLS_H

#include "record/languages/dynamic_symbols.h"
#include "record/languages/found_interpreter.h"

/* Fills @found if the file is HotSpot's library. Leaves it alone otherwise. */
void java_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

#endif
