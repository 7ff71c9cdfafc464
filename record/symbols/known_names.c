// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/known_names.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/io.h"
#include "common/name_parts.h"
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

/* An answer as it comes from the child. */
struct answer {
	struct names_head head;
	uint32_t *numbers; /* one for each offset: a symbol's number and 1; 0: none */
	struct names_symbol *symbols;
	char *bytes;
};

static void answer_deinit(struct answer *answer)
{
	free(answer->numbers);
	free(answer->symbols);
	free(answer->bytes);
}

/* Reads @size bytes into memory of their own. */
static int read_part(int fd, void *part, size_t size)
{
	void *bytes = malloc(size + 1);
	int ret = bytes ? io_read_all(fd, bytes, size) : -ENOMEM;

	if (ret)
		free(bytes);
	else
		*(void **)part = bytes;
	return ret == -ENODATA ? -EBADMSG : ret;
}

static int read_answer(int memory, struct answer *answer, size_t nr_offsets)
{
	struct names_head *head = &answer->head;
	int ret = io_read_all(memory, head, sizeof(*head));

	if (ret)
		return ret == -ENODATA ? -EBADMSG : ret;
	if (head->nr_symbols > nr_offsets || head->nr_bytes > NAMES_BYTES_MAX ||
	    head->parts > NAME_PARTS_ALL)
		return -EBADMSG;
	ret = read_part(memory, &answer->numbers, nr_offsets * sizeof(*answer->numbers));
	if (!ret)
		ret = read_part(memory, &answer->symbols,
				head->nr_symbols * sizeof(*answer->symbols));
	if (!ret)
		ret = read_part(memory, &answer->bytes, head->nr_bytes);
	if (!ret)
		ret = check_numbers(answer->numbers, nr_offsets, head->nr_symbols);
	return ret ? ret
		   : check_symbols(answer->symbols, head->nr_symbols, answer->bytes,
				   head->nr_bytes);
}

static const char *symbol_name(const struct known_names *known, const struct known_symbol *symbol)
{
	return symbol->len ? known->bytes.data + symbol->name : "";
}

/* Finds or adds a symbol. Sets *@number to its index plus one. */
static int add_symbol(struct known_names *known, const struct names_symbol *symbol,
		      const char *name, uint32_t *number)
{
	struct known_symbol new = {.off = symbol->off,
				   .size = symbol->size,
				   .name = known->bytes.nr,
				   .len = symbol->len};
	uint64_t hash = hash_u64(symbol->off);

	index_for_each(&known->by_off, hash, i) {
		const struct known_symbol *have = &known->symbols.data[i];

		if (have->off != new.off || have->size != new.size || have->len != new.len ||
		    memcmp(symbol_name(known, have), name, new.len) != 0)
			continue;
		*number = i + 1;
		return 0;
	}
	if ((new.len &&
	     (vec_append(&known->bytes, name, new.len) || vec_push(&known->bytes, '\0'))) ||
	    index_push(&known->by_off, &known->symbols, hash, new))
		return -ENOMEM;
	*number = known->symbols.nr;
	return 0;
}

/* Adds the symbols of @answer, and puts their numbers here in the place of those there. */
static int add_symbols(struct known_names *known, struct answer *answer, size_t nr_offsets)
{
	_cleanup_free_ uint32_t *numbers = calloc(answer->head.nr_symbols + 1, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < answer->head.nr_symbols; i++) {
		const struct names_symbol *symbol = &answer->symbols[i];
		const char *name = symbol->len ? answer->bytes + symbol->name : "";
		int ret = add_symbol(known, symbol, name, &numbers[i + 1]);

		if (ret)
			return ret;
	}
	for (size_t i = 0; i < nr_offsets; i++)
		answer->numbers[i] = numbers[answer->numbers[i]];
	return 0;
}

static int add_offsets(struct known_names *known, const u64_vec *offsets, const uint32_t *numbers)
{
	if (vec_reserve(&known->offsets, offsets->nr))
		return -ENOMEM;
	for (size_t i = 0; i < offsets->nr; i++) {
		const struct known_offset offset = {.off = offsets->data[i], .symbol = numbers[i]};

		known->offsets.data[known->offsets.nr++] = offset;
	}
	if (known->offsets.nr)
		qsort(known->offsets.data, known->offsets.nr, sizeof(*known->offsets.data),
		      compare_offsets);
	return 0;
}

int known_names_add(struct known_names *known, int memory, const u64_vec *offsets)
{
	_cleanup_(answer_deinit) struct answer answer = {0};
	int ret = read_answer(memory, &answer, offsets->nr);

	if (!ret)
		ret = add_symbols(known, &answer, offsets->nr);
	if (!ret)
		ret = add_offsets(known, offsets, answer.numbers);
	if (!ret) {
		known->is_cut = answer.head.is_cut;
		known->parts |= answer.head.parts;
	}
	return ret;
}

bool known_names_find(const struct known_names *known, uint64_t off, struct known_symbol **symbol)
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
	return vec_bytes(&known->offsets) + vec_bytes(&known->symbols) + vec_bytes(&known->bytes) +
	       index_bytes(&known->by_off);
}

void known_names_deinit(struct known_names *known)
{
	vec_free(&known->offsets);
	vec_free(&known->symbols);
	vec_free(&known->bytes);
	index_deinit(&known->by_off);
	known->is_cut = false;
	known->parts = 0;
}
