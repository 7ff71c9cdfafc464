// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwarf_look FILE: looks up the addresses on stdin, one a line, in the debug information of FILE,
 * and prints the frames of each as llvm-symbolizer does: a line with the function, a line with file
 * and line, for the innermost function first, and an empty line. The oracle compares both.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/compare.h"
#include "report/dwarf/dwarf_lookup.h"
#include "report/symbols/debug_info.h"

struct asked {
	uint64_t addr;
	size_t place;
};

static int compare_asked(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	COMPARE(x->addr, y->addr);
	COMPARE(x->place, y->place);
	return 0;
}

static _Noreturn void die(const char *text)
{
	fprintf(stderr, "dwarf_look: %s\n", text);
	exit(EXIT_FAILURE);
}

static void print_hit(const struct source_hit *hit, const struct source_frames *frames)
{
	for (uint32_t i = 0; i < hit->nr; i++) {
		const struct source_frame *f = &frames->frames.data[hit->first + i];

		printf("%s\n%s:%" PRIu32 "\n",
		       f->name ? string_set_get(&frames->names, f->name) : "??",
		       f->file ? string_set_get(&frames->files, f->file) : "??", f->line);
	}
	if (!hit->nr)
		printf("??\n??:0\n");
	putchar('\n');
}

int main(int argc, char **argv)
{
	VEC(struct asked) asked = {0};
	struct source_frames frames;
	struct debug_info *info;
	struct source_hit *hits;
	struct elf_file elf;
	size_t *places;
	uint64_t addr;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || elf_file_open(&elf, fd, NULL))
		die("cannot open the file");
	while (scanf("%" SCNx64, &addr) == 1) {
		struct asked new = {.addr = addr, .place = asked.nr};

		if (vec_push(&asked, new))
			die("no memory");
	}
	if (debug_info_open(&elf, DEBUG_INFO_WHOLE, &info) || source_frames_init(&frames))
		die("no memory");
	hits = calloc(asked.nr + 1, sizeof(*hits));
	places = calloc(asked.nr + 1, sizeof(*places));
	if (!hits || !places)
		die("no memory");
	if (asked.nr)
		qsort(asked.data, asked.nr, sizeof(*asked.data), compare_asked);
	for (size_t i = 0; i < asked.nr; i++) {
		hits[i].addr = asked.data[i].addr;
		places[asked.data[i].place] = i;
	}
	if (info && dwarf_lookup(&info->file, NULL, hits, asked.nr, &frames))
		die("the lookup failed");
	for (size_t i = 0; i < asked.nr; i++)
		print_hit(&hits[places[i]], &frames);
	source_frames_deinit(&frames);
	debug_info_close(info);
	elf_file_close(&elf);
	vec_free(&asked);
	free(hits);
	free(places);
	return EXIT_SUCCESS;
}
