/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function of HotSpot or of Erlang's emulator, as it was found in the memory of a process. */
#ifndef RECORD_LANGUAGES_MACHINE_FUNCTION_H
#define RECORD_LANGUAGES_MACHINE_FUNCTION_H

#include <stdint.h>

#include "bpf/languages/languages.h"

struct machine_function {
	struct language_text class, name; /* "java/util/List" and "add", "lists" and "map/2" */
	struct language_text file;        /* of the line; empty: that of the class */
	uint32_t line;                    /* of its definition; 0: not known */
};

#endif
