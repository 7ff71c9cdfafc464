/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a method of Java, in HotSpot's compressed table (compressedStream.hpp,
 * CompressedLineNumberReadStream in method.hpp): pairs of bytecode index and line, each as the
 * difference to the pair before. The table is of the process, which may have written anything. Runs
 * in the looker.
 */
#ifndef RECORD_MACHINES_JAVA_LINES_H
#define RECORD_MACHINES_JAVA_LINES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The line of the first bytecode, by the table of @nr bytes that HotSpot @version wrote. Returns 0
 * if the table does not say.
 */
uint32_t java_lines_first(const uint8_t *table, size_t nr, uint32_t version);

#endif
