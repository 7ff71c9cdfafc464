/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refused payloads of the sections of an epoch. */
#ifndef TESTS_REFUSED_TABLES_H
#define TESTS_REFUSED_TABLES_H

#include "tests/unit/valid_payloads.h"

static const struct refusal refused_tables[] = {
	{SECTION_STRINGS,
	 PAYLOAD("\0"
		 "\0\1"),
	 "column 1 exceeds the section"},
	{SECTION_STRINGS,
	 PAYLOAD("\0"
		 "\0\0"
		 "x"),
	 "1 bytes too many"},
	{SECTION_STRINGS, PAYLOAD(""), "column 0 exceeds the section"},
	{SECTION_STRINGS,
	 PAYLOAD("\0"
		 "\1\0"
		 "\1"),
	 "column 0 has 1 bytes too many"},
	{SECTION_STRINGS,
	 PAYLOAD("\2"
		 "\1\0"
		 "\0"),
	 "2 strings do not fit in 1 bytes"},
	{SECTION_STRINGS,
	 PAYLOAD("\x80\x80\x40"
		 "\0\0"),
	 "1048576 strings exceed the limit of 1048575"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\1\1"
		 "\2"
		 "a"),
	 "string 1 exceeds the column"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\1\1"
		 "\1"
		 "\0"),
	 "string 1 contains a NUL"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\1\2"
		 "\1"
		 "ab"),
	 "column 1 has 1 bytes too many"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\2\0"
		 "\x80\0"),
	 "column 0 is malformed"},

	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\x8"
		 "\0"
		 "\0"
		 "\2"
		 "\0"),
	 "object 1: kind 8 is not known"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\2"
		 "\0"
		 "\2"
		 "\0"),
	 "object 1: flags 0x2 are not known"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\x41"
		 "\2"
		 "\0"),
	 "object 1: build-id of 65 bytes exceeds the limit of 64"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\1"
		 "\2"
		 "\0"),
	 "object 1: build-id exceeds the column"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\0"
		 "\6"
		 "\0"),
	 "object 1: string 3 is out of range"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\0"
		 "\1"
		 "\0"),
	 "object 1: string 18446744073709551615 is out of range"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\5"
		 "\1"
		 "\0"
		 "\0"
		 "\2"
		 "\x80\x80\x80\x80\x10"),
	 "object 1: instance 4294967296 is out of range"},
	{SECTION_OBJECTS,
	 PAYLOAD("\x80\x80\x40"
		 "\0\0\0\0\0\0"),
	 "1048576 objects exceed the limit of 1048575"},

	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\5\1\2\1\1\1\1"
		 "\x80\x80\x80\x80\x10"
		 "\2"
		 "\0\1"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "process 1: pid is out of range"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\1"
		 "\5"
		 "\2"
		 "\0\2"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "process 1: 2 mappings are more than there are"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\1"
		 "\5"
		 "\2"
		 "\0\0"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "1 mappings belong to no process"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\1"
		 "\5"
		 "\2"
		 "\0\1"
		 "\2"
		 "\4"
		 "\1"
		 "\0"),
	 "process 1: mapping 0: object 2 is out of range"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\2"
		 "\1\1\2\2\x14\2\2"
		 "\5"
		 "\2"
		 "\0\2"
		 "\1\1" MAX64 MAX64 "\0\0"
		 "\0\0"),
	 "process 1: mapping 1 exceeds the address space"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\xa\1"
		 "\5"
		 "\2"
		 "\0\1"
		 "\1"
		 "\1" MAX64 "\0"),
	 "process 1: mapping 0 exceeds the address space"},
	{SECTION_PROCESSES,
	 PAYLOAD("\0\2"
		 "\0\0\1\1\1\1\1"
		 "\1"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "2 mappings do not fit in 1 bytes"},
	{SECTION_PROCESSES,
	 PAYLOAD("\0\x81\x80\x40"
		 "\0\0\1\0\0\0\0"
		 "\0"),
	 "1048577 mappings exceed the limit of 1048576"},

	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1\1"
		 "\1"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\0"),
	 "row 0: process is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\2"
		 "\2\2\2\2\2\2"
		 "\0\0"
		 "\7\7"
		 "\1\1"
		 "\2\0"
		 "\4\0"
		 "\0\0"),
	 "row 1: process is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\5\1\1\1\1"
		 "\0"
		 "\x80\x80\x80\x80\x10"
		 "\1"
		 "\2"
		 "\4"
		 "\0"),
	 "row 0: pid is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\5\1\1\1"
		 "\0"
		 "\7"
		 "\x80\x80\x80\x80\x10"
		 "\2"
		 "\4"
		 "\0"),
	 "row 0: uid is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1\1"
		 "\0"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\6"),
	 "row 0: string 3 is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1\2"
		 "\0"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\0\0"),
	 "column 5 has 1 bytes too many"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\0\1\1\1\1\1"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\0"),
	 "1 rows do not fit in 0 bytes"},

	{SECTION_FILE_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1"
		 "\5"
		 "\7"
		 "\10"
		 "\6"
		 "\4"),
	 "row 0: object is out of range"},
	{SECTION_FILE_INFO,
	 PAYLOAD("\2"
		 "\2\1\2\2\2"
		 "\0\0"
		 "\7"
		 "\10\10"
		 "\6\6"
		 "\4\4"),
	 "row 1: object is out of range"},
	{SECTION_FILE_INFO,
	 PAYLOAD("\1"
		 "\0\1\1\1\1"
		 "\7"
		 "\10"
		 "\6"
		 "\4"),
	 "1 rows do not fit in 0 bytes"},
	{SECTION_LANGUAGES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\1"
		 "\0"
		 "\2"
		 "\2"),
	 "row 0: object is out of range"},
	{SECTION_LANGUAGES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\0"
		 "\3"
		 "\2"
		 "\2"),
	 "row 0: role is not known"},
	{SECTION_LANGUAGES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\0"
		 "\0"
		 "\6"
		 "\2"),
	 "row 0: string is out of range"},
	{SECTION_LANGUAGES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\0"
		 "\0"
		 "\2"
		 "\6"),
	 "row 0: string is out of range"},
	{SECTION_LINES,
	 PAYLOAD("\1\1"
		 "\1\1\1\1\1\1"
		 "\2"
		 "\0"
		 "\0"
		 "\0"
		 "\0"
		 "\0"),
	 "line 0: object is out of range"},
	{SECTION_LINES,
	 PAYLOAD("\2\2"
		 "\2\xb\2\2\2\2"
		 "\1\0"
		 "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0"
		 "\0\0"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "line 1 exceeds its object"},
	{SECTION_LINES,
	 PAYLOAD("\2\2"
		 "\2\xb\2\2\2\2"
		 "\1\0"
		 "\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"
		 "\0\0"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "line 1 exceeds its object"},
	{SECTION_LINES,
	 PAYLOAD("\1\1"
		 "\1\1\1\1\1\1"
		 "\1"
		 "\0"
		 "\1"
		 "\0"
		 "\0"
		 "\0"),
	 "line 0 exceeds the frames"},
	{SECTION_LINES,
	 PAYLOAD("\1\2"
		 "\1\1\1\2\2\2"
		 "\1"
		 "\0"
		 "\0"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "2 frames, but the lines have 1"},
	{SECTION_LINES,
	 PAYLOAD("\1\1"
		 "\1\1\1\1\1\1"
		 "\1"
		 "\0"
		 "\0"
		 "\6"
		 "\0"
		 "\0"),
	 "frame 0: string is out of range"},
	{SECTION_LINES,
	 PAYLOAD("\1\1"
		 "\1\1\1\1\1\1"
		 "\1"
		 "\0"
		 "\0"
		 "\0"
		 "\6"
		 "\0"),
	 "frame 0: string is out of range"},
	{SECTION_LINES,
	 PAYLOAD("\1\1"
		 "\1\1\1\1\1\5"
		 "\1"
		 "\0"
		 "\0"
		 "\0"
		 "\0"
		 "\x80\x80\x80\x80\x20"),
	 "frame 0: line is out of range"},
	{SECTION_NAME_SOURCES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\0"
		 "\1"
		 "\4"
		 "\2"),
	 "row 0: object is out of range"},
	{SECTION_NAME_SOURCES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\2"
		 "\1"
		 "\4"
		 "\2"),
	 "row 0: object is out of range"},
	{SECTION_NAME_SOURCES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\1"
		 "\3"
		 "\4"
		 "\2"),
	 "row 0: origin is not known"},
	{SECTION_NAME_SOURCES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\1"
		 "\1"
		 "\0"
		 "\2"),
	 "row 0: parts are not known"},
	{SECTION_NAME_SOURCES,
	 PAYLOAD("\1"
		 "\1\1\2\1"
		 "\1"
		 "\1"
		 "\200\1"
		 "\2"),
	 "row 0: parts are not known"},
	{SECTION_NAME_SOURCES,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\1"
		 "\1"
		 "\4"
		 "\6"),
	 "row 0: string is out of range"},
	{SECTION_EXACT_FRAMES,
	 PAYLOAD("\1"
		 "\1"
		 "\10"),
	 "row 0: frame is out of range"},
	{SECTION_EXACT_FRAMES,
	 PAYLOAD("\2"
		 "\12"
		 "\0\xff\xff\xff\xff\xff\xff\xff\xff\1"),
	 "row 1: frame is out of range"},

	{SECTION_SYMBOLS,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\2"
		 "\x10"
		 "\x8"
		 "\4"),
	 "symbol 0: object is out of range"},
	{SECTION_SYMBOLS,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\1"
		 "\x10"
		 "\x8"
		 "\6"),
	 "symbol 0: string 3 is out of range"},
	{SECTION_SYMBOLS,
	 PAYLOAD("\1"
		 "\1\1\xa\1"
		 "\1"
		 "\x10" MAX64 "\4"),
	 "symbol 0 exceeds its object"},
	{SECTION_SYMBOLS,
	 PAYLOAD("\2"
		 "\2\xb\2\2"
		 "\1\0"
		 "\1" MAX64 "\0\0"
		 "\4\0"),
	 "symbol 1 exceeds its object"},

	{SECTION_STACKS,
	 PAYLOAD("\2\0"
		 "\2\2\3\0\0\0\0\0\0"
		 "\2\0"
		 "\0\0"
		 "\0\0\0"),
	 "frame 0: object is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\2\0"
		 "\2\xb\3\0\0\0\0\0\0"
		 "\1\0"
		 "\1" MAX64 "\0\0\0"),
	 "frame 1: offset is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\1\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\2\0"
		 "\0"),
	 "parent 0: 2 children are more than there are"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\1\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\1\0"
		 "\2"),
	 "child 0 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\2\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\2\0"
		 "\0\0"),
	 "child 1 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\xb\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\2\0"
		 "\0" MAX64),
	 "child 1 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\2\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\x81\x10"
		 "\1"),
	 "stack 1: 2049 frames exceed the limit of 2048"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\1"
		 "\1"
		 "\1"),
	 "stack 1: shares 1 of 1 frames with a stack of 0"},
	{SECTION_STACKS,
	 PAYLOAD("\1\2"
		 "\1\1\2\1\2\2\0\0\2"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0\0"
		 "\1\0"
		 "\1\1"),
	 "stack 2: shares 0 of 0 frames with a stack of 1"},
	{SECTION_STACKS,
	 PAYLOAD("\1\2"
		 "\1\1\2\1\2\2\1\0\2"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0\0"
		 "\1\1"
		 "\0"
		 "\1\1"),
	 "stack 2: frame 0 from the root: child 1 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\2"
		 "\0"
		 "\1"),
	 "stack 1: frame 1 from the root: child 0 of parent 1 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\1"
		 "\12"),
	 "stack 1: end 10 is not known"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\1"
		 "\3"),
	 "stack 1: is missing but has 1 frames"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\1"
		 "\0"
		 "\1"),
	 "column 7 has 1 bytes too many"},

	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\4"
		 "\0"
		 "\1"
		 "\2"
		 "\1"),
	 "count 0: kernel stack is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\4"
		 "\1"
		 "\2"
		 "\1"),
	 "count 0: user stack is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\2\0\0"
		 "\2\2\2\2\2"
		 "\0\0"
		 "\3\1"
		 "\1\1"
		 "\2\0"
		 "\1\1"),
	 "count 1: user stack is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\2"
		 "\2"
		 "\1"),
	 "count 0: process 2 is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\1"
		 "\4"
		 "\1"),
	 "count 0: string 3 is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\1"
		 "\0"
		 "\1"),
	 "count 0: no name was before it for process 1"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\1"
		 "\2"
		 "\0"),
	 "count 0: the count is 0"},
	{SECTION_COUNTS,
	 PAYLOAD("\2\0\0"
		 "\2\2\2\2\xb"
		 "\0\0"
		 "\0\1"
		 "\1\1"
		 "\2\0"
		 "\1" MAX64),
	 "count 1: the sum of the counts overflows"},
	{SECTION_COUNTS, PAYLOAD("\0\1" MAX64 "\0\0\0\0\0"), "the end time overflows"},

	{SECTION_COUNT_EVENTS,
	 PAYLOAD("\2"
		 "\2"
		 "\0\2"),
	 "row 1: event is out of range"},
	{SECTION_COUNT_EVENTS,
	 PAYLOAD("\2"
		 "\1"
		 "\0"),
	 "2 rows do not fit in 1 bytes"},
	{SECTION_COUNT_EVENTS,
	 PAYLOAD("\1"
		 "\2"
		 "\0\0"),
	 "column 0 has 1 bytes too many"},
	{SECTION_COUNT_WAKERS,
	 PAYLOAD("\2"
		 "\2\2"
		 "\0\4"
		 "\0\0"),
	 "row 1: stack is out of range"},
	{SECTION_COUNT_WAKERS,
	 PAYLOAD("\2"
		 "\2\2"
		 "\0\0"
		 "\4\0"),
	 "row 0: stack is out of range"},
	{SECTION_LABEL_SETS, PAYLOAD("\1\1\1\1\1\2\0\0"), "row 0: too many labels"},
	{SECTION_LABEL_SETS, PAYLOAD("\1\1\1\1\1\0\0\0"), "1 labels, but sets have 0"},
	{SECTION_LABEL_SETS, PAYLOAD("\1\1\1\1\1\1\x7e\0"), "row 0: string is out of range"},
	{SECTION_LABEL_SETS, PAYLOAD("\1\1\1\1\1\1\0\x7e"), "row 0: string is out of range"},
	{SECTION_COUNT_LABELS, PAYLOAD("\2\2\0\1"), "row 1: label set is out of range"},
	{SECTION_COUNT_THREADS, PAYLOAD("\2\1\2\1\1\0\0\2\0"), "thread 0: process is out of range"},
	{SECTION_COUNT_THREADS, PAYLOAD("\2\2\2\2\2\0\0\1\1\0\0"),
	 "thread 1: process is out of range"},
	/* Below 0, and beyond 32 bits: the pid of process 1 is 5. */
	{SECTION_COUNT_THREADS, PAYLOAD("\2\1\2\1\1\0\0\1\xb"),
	 "thread 0: thread id is out of range"},
	{SECTION_COUNT_THREADS, PAYLOAD("\2\2\2\2\6\0\0\1\0\0\xfa\xff\xff\xff\xf"),
	 "thread 1: thread id is out of range"},
	{SECTION_COUNT_THREADS, PAYLOAD("\2\2\2\2\xb\0\0\1\0\0" MAX64),
	 "thread 1: thread id is out of range"},
	{SECTION_COUNT_THREADS, PAYLOAD("\3\1\2\1\1\0\0\0\0"), "3 rows do not fit in 2 bytes"},
	{SECTION_SLICES, PAYLOAD("\2\2\0\0\2\2\0\0\0\0\0"),
	 "the length of the slices is out of range"},
	{SECTION_SLICES, PAYLOAD("\2\2\5\5\2\2\0\0\0\0\0"),
	 "the length of the slices is out of range"},
	{SECTION_SLICES, PAYLOAD("\2\2" MAX64 "\0\2\2\0\0\0\0\0"),
	 "the length of the slices is out of range"},
	{SECTION_SLICES, PAYLOAD("\2\2\5\2\2\2\0\0\2\0\0"), "row 1: too many parts"},
	{SECTION_SLICES, PAYLOAD("\2\3\5\2\2\3\0\0\0\0\0\0"), "1 parts belong to no row"},
	{SECTION_SLICES, PAYLOAD("\3\2\5\2\2\2\0\0\0\0\0"), "3 rows do not fit in 2 bytes"},
	{SECTION_SLICES, PAYLOAD("\2\4\5\2\2\2\0\0\0\0\0"), "4 parts do not fit in 2 bytes"},
	{SECTION_SLICES,
	 PAYLOAD("\2\2\5\2"
		 "\2\4\0"
		 "\0\0"
		 "\0\x80\x80\4"),
	 "row 1: slice is out of range"},
	{SECTION_SLICES,
	 PAYLOAD("\2\3\5\2"
		 "\2\5\1"
		 "\1\0"
		 "\0\xff\xff\3\0"
		 "\1"),
	 "row 0: slice is out of range"},
	{SECTION_SLICES,
	 PAYLOAD("\2\3\5\2"
		 "\2\3\1"
		 "\1\0"
		 "\0\1\0"
		 "\0"),
	 "row 0: a part is 0"},
};

#endif
