/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knows the emulator of Erlang, BEAM, by symbols that it exports to its extensions. */
#ifndef RECORD_LANGUAGES_BEAM_SYMBOLS_H
#define RECORD_LANGUAGES_BEAM_SYMBOLS_H

#include "record/languages/dynamic_symbols.h"
#include "record/languages/found_interpreter.h"

/* Fills @found if the file is the emulator. Leaves it alone otherwise. */
void beam_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

#endif
