// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/pack/pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "common/search.h"
#include "format/writer.h"

struct packer {
	const struct model *model;
	const struct found_symbols *found;
	struct prof_writer *writer;
	bool *is_given; /* of each object of the model: an epoch has its symbols */
	/* the epoch that is being written */
	const struct prof_epoch *epoch;
	VEC(struct prof_string) strings;
	VEC(struct prof_symbol) symbols;
};

static int write_text(void *out, const void *buf, size_t len)
{
	textbuf_bytes(out, buf, len);
	return ((struct textbuf *)out)->error;
}

/* Returns the first symbol of @object among those that were found. */
static size_t first_symbol(const struct found_symbols *found, uint32_t object)
{
	return search_first(found->symbols.nr, i, found->symbols.data[i].object >= object);
}

/* Is @object of the epoch @wanted of the model? A name helps wherever its build-id is equal. */
static bool is_object(const struct packer *p, const struct prof_object *object, uint32_t wanted)
{
	const struct object_key *key = &p->model->objects.data[wanted].key;
	const char *path = string_set_get(&p->model->strings, key->path);

	return key->kind == object->kind && key->instance == object->instance &&
	       key->build_id.size == object->build_id_size &&
	       !memcmp(key->build_id.bytes, object->build_id, object->build_id_size) &&
	       !strcmp(path, p->epoch->strings[object->path].s);
}

/* Returns the object of the model that @object of the epoch is, 0 if no symbol was found for it. */
static uint32_t find_object(const struct packer *p, const struct prof_object *object)
{
	uint32_t last = 0;

	vec_for_each(&p->found->symbols, symbol) {
		if (symbol->object == last)
			continue;
		last = symbol->object;
		if (is_object(p, object, last))
			return last;
	}
	return 0;
}

/* Returns true if a symbol with a name was found at @off of @object. */
static bool has_name(const struct packer *p, uint32_t object, uint64_t off)
{
	const struct found_symbols *found = p->found;

	for (size_t i = first_symbol(found, object);
	     i < found->symbols.nr && found->symbols.data[i].object == object; i++)
		if (found->symbols.data[i].offset == off && found->symbols.data[i].name)
			return true;
	return false;
}

/* Takes over the symbols of the epoch, except for bounds of functions that have names now. */
static int take_recorded(struct packer *p, const uint32_t *objects)
{
	const struct prof_epoch *e = p->epoch;
	int ret = 0;

	for (uint32_t i = 0; i < e->nr_symbols && !ret; i++) {
		const struct prof_symbol *symbol = &e->symbols[i];
		uint32_t object = objects[symbol->object];

		if (e->strings[symbol->name].len || !object || !has_name(p, object, symbol->offset))
			ret = vec_push(&p->symbols, *symbol);
	}
	return ret;
}

/* Returns true if the epoch has @symbol, of @object there, or one that says as much. */
static bool is_recorded(const struct packer *p, uint32_t object, const struct prof_symbol *symbol)
{
	vec_for_each(&p->symbols, have)
		if (have->object == object && have->offset == symbol->offset &&
		    have->size == symbol->size)
			return true;
	return false;
}

/* Adds the symbols that were found for @wanted of the model, which is @object of the epoch. */
static int add_found(struct packer *p, uint32_t object, uint32_t wanted)
{
	const struct found_symbols *found = p->found;

	p->is_given[wanted] = true;
	for (size_t i = first_symbol(found, wanted);
	     i < found->symbols.nr && found->symbols.data[i].object == wanted; i++) {
		struct prof_symbol symbol = found->symbols.data[i];
		const struct string *name = &found->names.items.data[symbol.name];
		const struct prof_string string = {.s = name->s, .len = name->len};
		int ret;

		if (is_recorded(p, object, &symbol))
			continue;
		symbol.object = object;
		symbol.name = name->len ? p->strings.nr : 0;
		ret = name->len ? vec_push(&p->strings, string) : 0;
		if (!ret)
			ret = vec_push(&p->symbols, symbol);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_symbols(struct packer *p)
{
	const struct prof_epoch *e = p->epoch;
	_cleanup_free_ uint32_t *objects = calloc(e->nr_objects + 1, sizeof(*objects));
	int ret = objects ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < e->nr_objects && !ret; i++)
		if (e->objects[i].kind == PROF_OBJECT_FILE)
			objects[i] = find_object(p, &e->objects[i]);
	if (!ret)
		ret = take_recorded(p, objects);
	for (uint32_t i = 0; i < e->nr_objects && !ret; i++)
		if (objects[i] && !p->is_given[objects[i]])
			ret = add_found(p, i, objects[i]);
	return ret;
}

/* Writes @epoch with its new symbols. A table that is too large then is written as it was. */
static int write_epoch(struct packer *p, const struct prof_epoch *epoch)
{
	struct prof_epoch packed = *epoch;
	int ret;

	p->epoch = epoch;
	vec_clear(&p->strings);
	vec_clear(&p->symbols);
	ret = vec_append(&p->strings, epoch->strings, epoch->nr_strings);
	if (!ret)
		ret = add_symbols(p);
	if (ret)
		return ret;
	if (p->strings.nr <= PROF_MAX_TABLE && p->symbols.nr <= PROF_MAX_TABLE) {
		packed.strings = p->strings.data;
		packed.nr_strings = p->strings.nr;
		packed.symbols = p->symbols.data;
		packed.nr_symbols = p->symbols.nr;
	}
	return prof_writer_epoch(p->writer, &packed);
}

/* Writes the description. The recorder's name tells that this program wrote names. */
static int write_meta(struct packer *p, const struct prof_meta *meta)
{
	struct prof_meta packed = *meta;
	_cleanup_free_ char *recorder = NULL;

	if (asprintf(&recorder, "%s, names added by profrep " PROFREC_VERSION, meta->recorder) < 0)
		return -ENOMEM;
	packed.recorder = recorder;
	return prof_writer_meta(p->writer, &packed);
}

static int copy_recording(struct packer *p, struct prof_reader *reader)
{
	const struct prof_epoch *epoch;
	int ret = write_meta(p, prof_reader_meta(reader)), read;

	while (!ret && (read = prof_reader_next(reader, &epoch)) == PROF_READ_EPOCH)
		ret = write_epoch(p, epoch);
	if (ret)
		return ret;
	if (read == PROF_READ_END)
		return prof_writer_end(p->writer, prof_reader_end(reader));
	/* The good part of a recording that was cut is worth its names, too. */
	return read == -ENODATA || read == -EBADMSG ? 0 : read;
}

int pack_recording(struct prof_reader *reader, const struct model *model,
		   const struct found_symbols *found, struct textbuf *out)
{
	_cleanup_free_ bool *is_given = calloc(model->objects.nr, sizeof(*is_given));
	struct packer p = {.model = model, .found = found, .is_given = is_given};
	int ret = is_given ? prof_writer_create(write_text, out, &p.writer) : -ENOMEM;

	if (!ret)
		ret = copy_recording(&p, reader);
	prof_writer_destroy(p.writer);
	vec_free(&p.strings);
	vec_free(&p.symbols);
	return ret;
}
