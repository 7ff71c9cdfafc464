/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows the emulator of Erlang, BEAM, by symbols that it exports to its extensions. Runs in the
 * table child.
 */
#ifndef RECORD_LANGUAGES_FILES_BEAM_SYMBOLS_H
#define RECORD_LANGUAGES_FILES_BEAM_SYMBOLS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"

/* Fills @found if the file is the emulator. Leaves it alone otherwise. */
void beam_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

#endif
