/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Payloads of the sections of a small valid recording, and the form of a payload that is not. */
#ifndef TESTS_VALID_PAYLOADS_H
#define TESTS_VALID_PAYLOADS_H

#include "tests/unit/prof_builder.h"

/* The payloads of a small valid epoch, and of META and END. */
static const struct payload valid[] = {
	[SECTION_META] = PAYLOAD("\1\4host\x19\1\2"),
	[SECTION_STRINGS] = PAYLOAD("\2"
				    "\2\2"
				    "\1\1"
				    "ab"),
	[SECTION_OBJECTS] = PAYLOAD("\1"
				    "\1\1\1\0\1\1"
				    "\1"
				    "\0"
				    "\0"
				    "\2"
				    "\0"),
	[SECTION_PROCESSES] = PAYLOAD("\1\1"
				      "\1\1\2\1\1\1\1"
				      "\5"
				      "\2"
				      "\0\1"
				      "\1"
				      "\4"
				      "\1"
				      "\0"),
	[SECTION_SYMBOLS] = PAYLOAD("\1"
				    "\1\1\1\1"
				    "\1"
				    "\x10"
				    "\x8"
				    "\4"),
	[SECTION_STACKS] = PAYLOAD("\2\3"
				   "\2\2\3\3\3\3\1\1\3"
				   "\1\0"
				   "\x10\x10"
				   "\2\1\0"
				   "\0\0\2"
				   "\0\1\0"
				   "\1\2\1"
				   "\0"
				   "\0"
				   "\1\1\1"),
	[SECTION_COUNTS] = PAYLOAD("\2\5\x0a"
				   "\2\2\2\2\2"
				   "\0\1"
				   "\1\2"
				   "\1\1"
				   "\2\0"
				   "\3\1"),
	[SECTION_END] = PAYLOAD("\x9\1\1"),
	[SECTION_PROCESS_INFO] = PAYLOAD("\1"
					 "\1\1\1\1\1\1"
					 "\0"
					 "\7"
					 "\1"
					 "\2"
					 "\4"
					 "\0"),
	[SECTION_FILE_INFO] = PAYLOAD("\1"
				      "\1\1\1\1\1"
				      "\0"
				      "\7"
				      "\10"
				      "\6"
				      "\4"),
	[SECTION_EXACT_FRAMES] = PAYLOAD("\1"
					 "\1"
					 "\0"),
	[SECTION_EVENTS] = PAYLOAD("\2"
				   "\2\2\2\4\2\2\2\2"
				   "\2\3"
				   "\0\2"
				   "\1\3"
				   "abcd"
				   "\0\2"
				   "ef"
				   "\1\0"
				   "\0\0"),
	[SECTION_COUNT_EVENTS] = PAYLOAD("\2"
					 "\2"
					 "\1\0"),
	[SECTION_LANGUAGES] = PAYLOAD("\1"
				      "\1\1\1\1"
				      "\0"
				      "\1"
				      "\2"
				      "\4"),
	/* The first row has 1 of its 3 in slice 0; the other row is in slice 0. */
	[SECTION_SLICES] = PAYLOAD("\2\3\5\2"
				   "\2\3\1"
				   "\1\0"
				   "\0\1\0"
				   "\1"),
	[SECTION_LINES] = PAYLOAD("\1\2"
				  "\1\1\1\2\2\2"
				  "\1"
				  "\7"
				  "\1"
				  "\2\1"
				  "\4\0"
				  "\13\20"),
	/* Two sources of one object. */
	[SECTION_NAME_SOURCES] = PAYLOAD("\2"
					 "\2\2\2\2"
					 "\1\0"
					 "\0\1"
					 "\4\100"
					 "\0\4"),
	/* The idle task, and two threads of process 1, of which the first row has the second. */
	[SECTION_COUNT_THREADS] = PAYLOAD("\2\3"
					  "\2\3\3"
					  "\1\0"
					  "\0\1\0"
					  "\0\0\7"),
	[SECTION_COUNT_WAKERS] = PAYLOAD("\2"
					 "\2\2"
					 "\0\3"
					 "\2\0"),
};

/* META of a recording with two events, and the table of a recording with one. */
static const struct payload meta_of_events = PAYLOAD("\x2a\1\2");
static const struct payload one_event = PAYLOAD("\1"
						"\1\1\1\1\1\0\1\1"
						"\0"
						"\0"
						"\1"
						"a"
						"\0"
						"\0"
						"\0");

#define MAX64 "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"

/* A payload that the specification tells a reader to refuse, with the words of the refusal. */
struct refusal {
	uint32_t type;
	struct payload payload;
	const char *error;
};

#endif
