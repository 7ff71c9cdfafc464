/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the releases of BEAM differ in the memory of their processes. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_BEAM_RELEASES_H
#define RECORD_LANGUAGES_FILES_BEAM_RELEASES_H

#include <stdint.h>

/* Names of fields are those of BeamCodeHeader (beam_code.h) in Erlang's emulator. */
struct beam_release {
	uint32_t version;
	uint32_t has_symbols; /* it exports its variables, else it is as beam_symbols.c says */
	/*
	 * A module begins with the number of its functions. So far from there is the list of these,
	 * whose last element is where their code ends: functions.
	 */
	uint32_t functions;
	/* As far is the pointer to the table of lines; 0: nobody has judged it: line_table */
	uint32_t lines;
	uint32_t registers_base; /* as in struct beam_machine */
	/* The text of an atom is a value of Erlang, a string of bits. Else it is an address: name
	 * of struct atom (atom.h). */
	uint32_t atoms_are_values;
};

/* The release of @version, as in struct interpreter; NULL if nobody has judged it. */
const struct beam_release *beam_release_find(uint32_t version);

#endif
