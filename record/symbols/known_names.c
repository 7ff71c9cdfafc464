// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/known_names.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/io.h"
#include "common/search.h"

/* Is the symbol one that a recording can have? */
static bool is_proper(const struct names_symbol *symbol, const char *bytes, uint32_t nr_bytes)
{
	if (symbol->size > UINT64_MAX - symbol->off || symbol->len > NAMES_NAME_MAX ||
	    symbol->name > nr_bytes)
		return false;
	return !symbol->len || (symbol->len < nr_bytes - symbol->name &&
				strnlen(bytes + symbol->name, symbol->len + 1) == symbol->len);
}

static int check_symbols(const struct names_symbol *symbols, uint32_t nr, const char *bytes,
			 uint32_t nr_bytes)
{
	for (uint32_t i = 0; i < nr; i++)
		if (!is_proper(&symbols[i], bytes, nr_bytes))
			return -EBADMSG;
	return 0;
}

static int check_numbers(const uint32_t *numbers, size_t nr, uint32_t nr_symbols)
{
	for (size_t i = 0; i < nr; i++)
		if (numbers[i] > nr_symbols)
			return -EBADMSG;
	return 0;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct known_offset *x = a, *y = b;

	COMPARE(x->off, y->off);
	return 0;
}

/* The caller has made the room. */
static void add_offsets(struct known_names *known, const u64_vec *offsets, const uint32_t *numbers)
{
	uint32_t first = known->symbols.nr;

	for (size_t i = 0; i < offsets->nr; i++) {
		const struct known_offset offset = {.off = offsets->data[i],
						    .symbol = numbers[i] ? first + numbers[i] : 0};

		known->offsets.data[known->offsets.nr++] = offset;
	}
	if (known->offsets.nr)
		qsort(known->offsets.data, known->offsets.nr, sizeof(*known->offsets.data),
		      compare_offsets);
}

static int read_part(int fd, void *part, size_t size)
{
	int ret = io_read_all(fd, part, size);

	return ret == -ENODATA ? -EBADMSG : ret;
}

/* Reads the parts after the head into @numbers and into the room at the end of the arrays. */
static int read_parts(struct known_names *known, int memory, const struct names_head *head,
		      uint32_t *numbers, size_t nr_offsets)
{
	struct names_symbol *symbols = known->symbols.data + known->symbols.nr;
	char *bytes = known->bytes.data + known->bytes.nr;
	int ret = read_part(memory, numbers, nr_offsets * sizeof(*numbers));

	if (!ret)
		ret = read_part(memory, symbols, head->nr_symbols * sizeof(*symbols));
	if (!ret)
		ret = read_part(memory, bytes, head->nr_bytes);
	if (!ret)
		ret = check_numbers(numbers, nr_offsets, head->nr_symbols);
	if (!ret)
		ret = check_symbols(symbols, head->nr_symbols, bytes, head->nr_bytes);
	for (uint32_t i = 0; !ret && i < head->nr_symbols; i++)
		symbols[i].name += known->bytes.nr;
	return ret;
}

int known_names_add(struct known_names *known, int memory, const u64_vec *offsets)
{
	_cleanup_free_ uint32_t *numbers = NULL;
	struct names_head head;
	int ret = read_part(memory, &head, sizeof(head));

	if (!ret && (head.nr_symbols > offsets->nr || head.nr_bytes > NAMES_BYTES_MAX))
		ret = -EBADMSG;
	if (ret)
		return ret;
	numbers = calloc(offsets->nr + 1, sizeof(*numbers));
	/* One more than needed, so that no array is NULL. */
	if (!numbers || vec_reserve(&known->symbols, head.nr_symbols + 1) ||
	    vec_reserve(&known->bytes, head.nr_bytes + 1) ||
	    vec_reserve(&known->offsets, offsets->nr + 1))
		return -ENOMEM;
	ret = read_parts(known, memory, &head, numbers, offsets->nr);
	if (ret)
		return ret;
	add_offsets(known, offsets, numbers);
	known->symbols.nr += head.nr_symbols;
	known->bytes.nr += head.nr_bytes;
	known->quality = head.quality;
	return 0;
}

bool known_names_find(const struct known_names *known, uint64_t off,
		      const struct names_symbol **symbol)
{
	size_t at = search_first(known->offsets.nr, i, known->offsets.data[i].off >= off);
	const struct known_offset *offset = known->offsets.data + at;

	if (at == known->offsets.nr || offset->off != off)
		return false;
	*symbol = offset->symbol ? &known->symbols.data[offset->symbol - 1] : NULL;
	return true;
}

size_t known_names_bytes(const struct known_names *known)
{
	return vec_bytes(&known->offsets) + vec_bytes(&known->symbols) + vec_bytes(&known->bytes);
}

void known_names_deinit(struct known_names *known)
{
	vec_free(&known->offsets);
	vec_free(&known->symbols);
	vec_free(&known->bytes);
	known->quality = 0;
}
