// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/names_answer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/vec.h"
#include "elf/elf_names.h"

/* Bytes that are read of one file. Symbols of a browser have 60 MB. */
#define FILE_BYTES_MAX (256ull << 20)

/* An answer while it grows. */
struct answer {
	uint32_t *numbers; /* one for each offset */
	VEC(struct names_symbol) symbols;
	char_vec bytes;
	bool is_cut;
	uint8_t parts; /* bits of enum name_part */
};

static void answer_deinit(struct answer *answer)
{
	free(answer->numbers);
	vec_free(&answer->symbols);
	vec_free(&answer->bytes);
}

/* The name of @range if it fits, else none: the bounds say something, too. */
static int add_name(struct answer *answer, const struct range *range, struct names_symbol *symbol)
{
	if (range->len > NAMES_NAME_MAX || range->len >= NAMES_BYTES_MAX - answer->bytes.nr ||
	    memchr(range->name, 0, range->len))
		return 0;
	symbol->name = answer->bytes.nr;
	symbol->len = range->len;
	return vec_append(&answer->bytes, range->name, range->len) || vec_push(&answer->bytes, '\0')
		       ? -ENOMEM
		       : 0;
}

/* Adds the symbol of @hit, whose file offset is @off. */
static int add_symbol(struct answer *answer, const struct range_hit *hit, uint64_t off)
{
	const struct range *range = hit->range;
	struct names_symbol symbol = {.size = range->size};
	uint64_t before = hit->addr - range->start;
	int ret;

	/* A symbol cannot begin before its file, whatever it says. */
	if (before > off || range->size > UINT64_MAX - (off - before))
		return 0;
	symbol.off = off - before;
	ret = add_name(answer, range, &symbol);
	if (!ret)
		ret = vec_push(&answer->symbols, symbol);
	if (!ret)
		answer->numbers[hit->tag] = answer->symbols.nr;
	return ret;
}

/* Neighbours mostly share a symbol. Symbols that lie in each other may come twice. */
static int add_symbols(struct answer *answer, const struct range_hit *hits, size_t nr,
		       const uint64_t *offsets)
{
	const struct range *last = NULL;
	uint32_t number = 0;

	for (size_t i = 0; i < nr; i++) {
		int ret = 0;

		if (!hits[i].range)
			continue;
		if (hits[i].range == last)
			answer->numbers[hits[i].tag] = number;
		else
			ret = add_symbol(answer, &hits[i], offsets[hits[i].tag]);
		if (ret)
			return ret;
		last = hits[i].range;
		number = answer->numbers[hits[i].tag];
	}
	return 0;
}

/* Looks the offsets up in an open file. */
static int resolve_offsets(struct elf_file *file, const uint64_t *offsets, size_t nr,
			   struct answer *answer)
{
	_cleanup_free_ struct range_hit *hits = calloc(nr + 1, sizeof(*hits));
	_cleanup_(elf_names_deinit) struct elf_names names = {0};
	size_t nr_hits = 0;
	int ret;

	answer->numbers = calloc(nr + 1, sizeof(*answer->numbers));
	if (!hits || !answer->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		hits[nr_hits].tag = i;
		nr_hits += elf_file_vaddr(file, offsets[i], &hits[nr_hits].addr);
	}
	range_hits_sort(hits, nr_hits);
	ret = elf_names_resolve(&names, file, NULL, hits, nr_hits);
	answer->is_cut = file->is_too_large;
	answer->parts = names.parts[0];
	return ret ? ret : add_symbols(answer, hits, nr_hits, offsets);
}

static int look_up_offsets(int fd, const uint64_t *offsets, size_t nr, struct answer *answer)
{
	struct file_budget budget = {.bytes_left = FILE_BYTES_MAX};
	struct elf_file file;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), ret;

	if (copy < 0)
		return -errno;
	ret = elf_file_open(&file, copy, &budget);
	if (ret)
		return ret;
	ret = resolve_offsets(&file, offsets, nr, answer);
	elf_file_close(&file);
	return ret;
}

static int write_answer(int fd, const struct answer *answer, size_t nr)
{
	const struct names_head head = {
		.nr_symbols = answer->symbols.nr,
		.nr_bytes = answer->bytes.nr,
		.is_cut = answer->is_cut,
		.parts = answer->parts,
	};
	int ret = io_write_all(fd, &head, sizeof(head));

	if (!ret)
		ret = io_write_all(fd, answer->numbers, nr * sizeof(*answer->numbers));
	if (!ret)
		ret = io_write_all(fd, answer->symbols.data,
				   answer->symbols.nr * sizeof(*answer->symbols.data));
	if (!ret)
		ret = io_write_all(fd, answer->bytes.data, answer->bytes.nr);
	if (!ret && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK))
		ret = -errno;
	return ret;
}

int names_answer_make(int fd, const uint64_t *offsets, size_t nr, int *out)
{
	_cleanup_(answer_deinit) struct answer answer = {0};
	_cleanup_close_ int memfd = -1;
	int ret = look_up_offsets(fd, offsets, nr, &answer);

	if (ret)
		return ret;
	memfd = memfd_create("names", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0)
		return -errno;
	ret = write_answer(memfd, &answer, nr);
	if (!ret)
		*out = TAKE_FD(memfd);
	return ret;
}
