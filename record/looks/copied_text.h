/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of a file in memory that has no file. To have its text on huge pages, a program copies it to
 * anonymous memory or to a memfd, and maps that at the place of the text, or of a part of it. Where
 * the file's other mappings are tells which part it would be, and the bytes tell whether it is.
 *
 * All of this runs in the looker. The process may map anything at such a place. Then the memory
 * stays one without a file, unless the bytes that are compared are those of the file. A process can
 * forge that for its own stacks alone.
 */
#ifndef RECORD_LOOKS_COPIED_TEXT_H
#define RECORD_LOOKS_COPIED_TEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "record/proc/proc_maps.h"
#include "record/looks/mapped_file.h"
#include "record/looks/resident_memory.h"
#include "record/looks/looker.h"

/* The state of a look at the mappings of one process. COPIED_TEXT_INIT for a start. */
struct copied_text {
	struct look *look;
	uint32_t number;               /* of the look, as for mapped_file_look */
	uint32_t nr_compared;          /* mappings and segments, in this look */
	struct resident_memory memory; /* of the process */
	struct proc_map neighbour;     /* the latest mapping of a file beside such memory */
	char path[PATH_MAX];           /* of the neighbour */
	uint64_t asked_from;           /* copied_text_ask has @answer for addresses from here */
	uint64_t asked_to;             /* to here; 0: it was not asked yet */
	bool answer;
	bool is_read; /* the neighbour's file has been opened, or cannot be */
	uint64_t dev; /* of the file */
	int fd;       /* -1: it is not open */
	struct elf_image image;
};

#define COPIED_TEXT_INIT(of_look, of_pid, of_number, compared)                                     \
	{                                                                                          \
		.look = (of_look), .number = (of_number), .nr_compared = (compared),               \
		.memory = RESIDENT_MEMORY_INIT(of_pid), .fd = -1, .image = {                       \
			.fd = -1                                                                   \
		}                                                                                  \
	}

/* Can @map be memory with a copy of text? It has no file, or a memfd. */
bool copied_text_may_be(const struct proc_map *map);

/* @map is beside the memory that is looked at next, if it is of a file. */
void copied_text_pass(struct copied_text *c, const struct proc_map *map);

/*
 * Asks the kernel, at @maps_fd, for the next mapping of a file above @addr, for copied_text_pass.
 * Returns false if it is the first part of its file, so that no text of the file is below it. The
 * kernel walks all memory in between, so it is asked once for all addresses below one mapping of a
 * file.
 */
bool copied_text_ask(struct copied_text *c, int maps_fd, uint64_t addr);

/*
 * Is @map a copy of text of the neighbour's file? *@pgoff is the offset in the file then. The
 * neighbour is valid until the next call.
 */
bool copied_text_find(struct copied_text *c, const struct proc_map *map, uint64_t *pgoff);

void copied_text_deinit(struct copied_text *c);

#endif
