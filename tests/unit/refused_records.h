/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refused payloads of the sections that describe a recording: META, EVENTS and END. */
#ifndef TESTS_REFUSED_RECORDS_H
#define TESTS_REFUSED_RECORDS_H

#include "tests/unit/valid_payloads.h"

static const struct refusal refused_records[] = {
	{SECTION_META, PAYLOAD("\1\4hos"), "the attribute after 0 is malformed"},
	{SECTION_META, PAYLOAD("\0\0"), "attribute 0 after attribute 0"},
	{SECTION_META, PAYLOAD("\2\0\1\0"), "attribute 1 after attribute 2"},
	{SECTION_META, PAYLOAD("\1\0\1\0"), "attribute 1 after attribute 1"},
	{SECTION_META, PAYLOAD("\1\3a\0b"), "attribute 1: NUL in a string"},
	{SECTION_META, PAYLOAD("\x10\2\1\1"), "attribute 16 is malformed"},
	{SECTION_META, PAYLOAD("\x10\2\x81\0"), "attribute 16 is malformed"},
	{SECTION_META, PAYLOAD("\x12\xa\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"),
	 "attribute 18 is malformed"},
	{SECTION_META, PAYLOAD("\x10\5\x80\x80\x80\x80\x10"),
	 "attribute 16: 4294967296 is out of range"},
	{SECTION_META, PAYLOAD("\x19\2\x81\x40"), "attribute 25: 8193 is out of range"},
	{SECTION_META, PAYLOAD("\x1a\2\x81\x40"), "attribute 26: 8193 is out of range"},
	{SECTION_META, PAYLOAD("\x1b\1\3"), "attribute 27: 3 is out of range"},
	{SECTION_META, PAYLOAD("\x1c\1\2"), "attribute 28: 2 is out of range"},
	{SECTION_META, PAYLOAD("\x1d\1\x80"), "attribute 29 is malformed"},
	{SECTION_META, PAYLOAD("\x1d\5\x80\x80\x80\x80\x10"), "attribute 29 is malformed"},
	{SECTION_META, PAYLOAD("\x1e\1\x80"), "attribute 30 is malformed"},
	{SECTION_META, PAYLOAD("\x1e\5\x80\x80\x80\x80\x10"), "attribute 30 is malformed"},
	{SECTION_META, PAYLOAD("\x1f\2\x81\x10"), "attribute 31: 2049 is out of range"},
	{SECTION_META, PAYLOAD("\x29\2\xc1\x16"), "attribute 41: 2881 is out of range"},
	{SECTION_META, PAYLOAD("\x2a\2\x80\2"), "attribute 42: 256 is out of range"},

	{SECTION_EVENTS,
	 PAYLOAD("\1"
		 "\1\1\1\1\1\0\1\1"
		 "\0"
		 "\0"
		 "\1"
		 "a"
		 "\0"
		 "\0"
		 "\0"),
	 "1 events, but 'meta' says 2"},
	{SECTION_EVENTS,
	 PAYLOAD("\2"
		 "\2\2\2\1\2\0\2\2"
		 "\0\6"
		 "\0\0"
		 "\1\0"
		 "a"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "event 1: kind 6 is not known"},
	{SECTION_EVENTS,
	 PAYLOAD("\2"
		 "\2\2\2\1\2\0\2\2"
		 "\0\0"
		 "\4\0"
		 "\1\0"
		 "a"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "event 0: unit 4 is not known"},
	{SECTION_EVENTS,
	 PAYLOAD("\2"
		 "\2\2\2\1\2\0\2\2"
		 "\0\0"
		 "\0\0"
		 "\1\1"
		 "a"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "event 1: string exceeds the column"},
	{SECTION_EVENTS,
	 PAYLOAD("\2"
		 "\2\2\2\1\2\1\2\2"
		 "\0\0"
		 "\0\0"
		 "\1\0"
		 "a"
		 "\1\0"
		 "\0"
		 "\0\0"
		 "\0\0"),
	 "event 0: NUL in a string"},
	{SECTION_EVENTS,
	 PAYLOAD("\2"
		 "\2\2\4\1\2\0\2\2"
		 "\0\0"
		 "\0\0"
		 "\x80\x80\4\0"
		 "a"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "event 0: 65536 bytes exceed the limit of 65535"},
	{SECTION_EVENTS,
	 PAYLOAD("\2"
		 "\1\2\2\1\2\0\2\2"
		 "\0"
		 "\0\0"
		 "\1\0"
		 "a"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "2 events do not fit in 1 bytes"},
	{SECTION_EVENTS,
	 PAYLOAD("\2"
		 "\2\2\2\2\2\0\2\2"
		 "\0\0"
		 "\0\0"
		 "\1\0"
		 "ab"
		 "\0\0"
		 "\0\0"
		 "\0\0"),
	 "column 3 has 1 bytes too many"},

	{SECTION_END, PAYLOAD("\x9\1\5"), "attribute 9: 5 is out of range"},
	{SECTION_END, PAYLOAD("\5\xa" MAX64 "\xa\1\1"), "the sums of samples overflow"},
	{SECTION_END, PAYLOAD("\x12\xa" MAX64 "\x13\1\1"), "the sums of samples overflow"},
	{SECTION_END, PAYLOAD("\x1a\xa" MAX64 "\x1c\1\1"), "the sums of samples overflow"},
	{SECTION_END, PAYLOAD("\x22\1\x80"), "attribute 34 is malformed"},
};

#endif
