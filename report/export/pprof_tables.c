// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/pprof_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "elf/arch.h"

/* Code that was linked to a fixed address is below this one. Other code is placed far above. */
#define FIXED_ADDRESS_MAX (UINT64_C(1) << 32)

#define RECENT_FRAMES (1u << 15)

struct recent_frame {
	const struct model *model; /* NULL: the slot is free */
	uint64_t key;              /* the process, the frame and its place */
	uint64_t location;
};

int pprof_tables_init(struct pprof_tables *t)
{
	*t = (struct pprof_tables){
		.scratch.fd = -1,
		.recent = calloc(RECENT_FRAMES, sizeof(*t->recent)),
	};
	return t->recent ? string_set_init(&t->strings) : -ENOMEM;
}

void pprof_tables_deinit(struct pprof_tables *t)
{
	string_set_deinit(&t->strings);
	vec_free(&t->mappings);
	vec_free(&t->biases);
	vec_free(&t->objects);
	vec_free(&t->functions);
	vec_free(&t->locations);
	vec_free(&t->lines);
	vec_free(&t->first_lines);
	vec_free(&t->frames);
	index_deinit(&t->mapping_index);
	index_deinit(&t->function_index);
	index_deinit(&t->location_index);
	index_deinit(&t->frame_index);
	free(t->recent);
	textbuf_deinit(&t->scratch);
}

int pprof_add_string(struct pprof_tables *t, const char *s, size_t len, int64_t *id)
{
	uint32_t number;
	int ret = string_set_add(&t->strings, s, len, &number);

	*id = ret ? 0 : number;
	return ret;
}

/* Adds the text in the scratch buffer, and empties the buffer. */
static int add_scratch(struct pprof_tables *t, int64_t *id)
{
	int ret = t->scratch.error ? t->scratch.error
				   : pprof_add_string(t, t->scratch.data, t->scratch.nr, id);

	t->scratch.nr = 0;
	return ret;
}

int pprof_add_path(struct pprof_tables *t, const char *path, int64_t *id)
{
	textbuf_escaped(&t->scratch, path, strlen(path), TEXT_DATA);
	return add_scratch(t, id);
}

/* Finds or adds @mapping of @object, whose addresses are @bias + offsets. */
static int add_mapping(struct pprof_tables *t, const Pprof__Mapping *mapping, uint32_t object,
		       uint64_t bias, uint64_t *id)
{
	const uint64_t key[] = {mapping->filename, mapping->build_id, bias};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	Pprof__Mapping added = *mapping;
	int ret;

	index_for_each(&t->mapping_index, hash, i) {
		const Pprof__Mapping *have = &t->mappings.data[i];

		if (have->filename == mapping->filename && have->build_id == mapping->build_id &&
		    t->biases.data[i] == bias) {
			*id = have->id;
			return 0;
		}
	}
	added.id = *id = t->mappings.nr + 1;
	added.memory_start = added.memory_limit = bias;
	ret = vec_push(&t->biases, bias);
	if (!ret)
		ret = vec_push(&t->objects, object);
	return ret ? ret : index_push(&t->mapping_index, &t->mappings, hash, added);
}

/* Finds or adds the mapping of @object, whose code is placed at @bias + its offsets. */
static int add_object(struct pprof_tables *t, const struct printout *p, uint32_t object,
		      uint64_t bias, uint64_t *id)
{
	const struct model *model = &p->rec->model;
	const struct object_key *key = &model->objects.data[object].key;
	const char *path = string_set_get(&model->strings, key->path);
	char hex[BUILD_ID_HEX_SIZE] = "";
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;
	int ret;

	/* pprof knows the kernel by perf's name for it. */
	if (key->kind == PROF_OBJECT_KERNEL)
		textbuf_str(&t->scratch, "[kernel.kallsyms]_stext");
	else if (key->kind == PROF_OBJECT_NONE)
		textbuf_str(&t->scratch, "[unmapped]");
	else
		textbuf_escaped(&t->scratch, path, strlen(path), TEXT_DATA);
	ret = add_scratch(t, &mapping.filename);
	if (ret)
		return ret;
	if (key->build_id.size)
		build_id_hex(&key->build_id, hex);
	ret = pprof_add_string(t, hex, strlen(hex), &mapping.build_id);
	return ret ? ret : add_mapping(t, &mapping, object, bias, id);
}

/* Finds or adds the function whose name is in the scratch buffer. */
static int add_function(struct pprof_tables *t, const char *file, uint32_t start_line, uint64_t *id)
{
	Pprof__Function function = PPROF__FUNCTION__INIT;
	int ret = add_scratch(t, &function.name);
	uint64_t hash;

	if (!ret && file)
		textbuf_escaped(&t->scratch, file, strlen(file), TEXT_DATA);
	if (!ret)
		ret = add_scratch(t, &function.filename);
	if (ret)
		return ret;
	function.system_name = function.name;
	function.start_line = start_line;
	hash = hash_bytes((const int64_t[]){function.name, function.filename, start_line},
			  3 * sizeof(int64_t), 0);
	index_for_each(&t->function_index, hash, i) {
		const Pprof__Function *have = &t->functions.data[i];

		if (have->name == function.name && have->filename == function.filename &&
		    have->start_line == function.start_line) {
			*id = have->id;
			return 0;
		}
	}
	function.id = *id = t->functions.nr + 1;
	return index_push(&t->function_index, &t->functions, hash, function);
}

/* Returns true if location @i has the @nr lines at the end of the lines. */
static bool has_lines(const struct pprof_tables *t, size_t i, size_t nr)
{
	const Pprof__Line *mine = t->lines.data + t->first_lines.data[i];
	const Pprof__Line *last = t->lines.data + t->lines.nr - nr;

	if (t->locations.data[i].n_line != nr)
		return false;
	for (size_t line = 0; line < nr; line++)
		if (mine[line].function_id != last[line].function_id ||
		    mine[line].line != last[line].line)
			return false;
	return true;
}

/* Finds or adds a location with the lines from @first_line on; takes these off if it is known. */
static int add_location(struct pprof_tables *t, uint64_t mapping, uint64_t address,
			size_t first_line, uint64_t *id)
{
	size_t nr = t->lines.nr - first_line;
	uint64_t function = nr ? t->lines.data[first_line].function_id : 0;
	uint64_t hash =
		hash_bytes((const uint64_t[]){mapping, address, function}, 3 * sizeof(uint64_t), 0);
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Mapping *mapped = &t->mappings.data[mapping - 1];
	int ret;

	index_for_each(&t->location_index, hash, i) {
		const Pprof__Location *have = &t->locations.data[i];

		if (have->mapping_id == mapping && have->address == address &&
		    has_lines(t, i, nr)) {
			t->lines.nr = first_line;
			*id = have->id;
			return 0;
		}
	}
	if (address >= mapped->memory_limit)
		mapped->memory_limit = (address / ELF_PAGE_BYTES + 1) * ELF_PAGE_BYTES;
	/* The kernel has code before the place from which its offsets count. */
	if (address < mapped->memory_start)
		mapped->memory_start = address / ELF_PAGE_BYTES * ELF_PAGE_BYTES;
	mapped->has_functions |= nr != 0;
	mapped->has_inline_frames |= nr > 1;
	location.id = *id = t->locations.nr + 1;
	location.mapping_id = mapping;
	location.address = address;
	location.n_line = nr;
	ret = vec_push(&t->first_lines, first_line);
	return ret ? ret : index_push(&t->location_index, &t->locations, hash, location);
}

/*
 * Adds the functions at a frame, the innermost first. A frame that has neither a name nor the start
 * of its function gets none, so that pprof can look for it, unless the tables name all frames.
 */
static int add_lines(struct pprof_tables *t, const struct printout *p, uint32_t frame,
		     enum frame_place place, uint64_t mapping)
{
	const struct model *model = &p->rec->model;
	const struct resolved *resolved = symbols_frame(p->symbols, frame, place);
	const struct model_frame *f = &model->frames.data[frame];
	bool is_source = model_frame_is_source(model, frame);
	bool is_known = resolved->name || resolved->is_bounded || resolved->nr_lines;
	uint32_t nr = is_known || t->names_all ? labels_nr_parts(p->labels, frame, place) : 0;

	for (uint32_t part = 0; part < nr; part++) {
		const struct source_frame *source =
			symbols_line(p->symbols, resolved, nr - 1 - part);
		const char *file = NULL;
		Pprof__Line line = PPROF__LINE__INIT;
		int ret;

		if (is_source)
			file = model_object_path(model, f->object)->s;
		else if (source && source->file)
			file = string_set_get(&p->symbols->lines.files, source->file);
		labels_part(p->labels, &t->scratch, frame, place, part);
		ret = add_function(t, file, is_source ? PROF_SOURCE_LINE(f->offset) : 0,
				   &line.function_id);
		line.line = source ? source->line : 0;
		if (!ret)
			ret = vec_push(&t->lines, line);
		if (ret)
			return ret;
		t->mappings.data[mapping - 1].has_filenames |= file != NULL;
		t->mappings.data[mapping - 1].has_line_numbers |= line.line != 0;
	}
	return 0;
}

/*
 * Returns the distance of the addresses of @object from its offsets in this profile. The kernel and
 * programs that were linked to a fixed address have their own. Other files begin at 0, as they were
 * linked, so that equal code of several processes is at one address.
 */
static uint64_t object_bias(const struct model *model, uint32_t process, uint32_t object)
{
	const struct object_key *key = &model->objects.data[object].key;
	const struct model_place *place;

	if (object_kind_is_kernel(key->kind))
		return key->bias;
	if (key->kind != PROF_OBJECT_FILE)
		return 0;
	place = model_find_place(model, process, object);
	return place && place->bias < FIXED_ADDRESS_MAX ? place->bias : 0;
}

/* Finds or adds the location of @f, by its names. */
static int add_frame_location(struct pprof_tables *t, const struct printout *p,
			      const struct pprof_frame *f, uint64_t *id)
{
	const struct model_frame *frame = &f->model->frames.data[f->frame];
	size_t first_line = t->lines.nr;
	uint64_t mapping;
	int ret = add_object(t, p, frame->object, f->bias, &mapping);

	if (!ret)
		ret = add_lines(t, p, f->frame, f->place, mapping);
	return ret ? ret : add_location(t, mapping, f->bias + frame->offset, first_line, id);
}

static int find_frame(struct pprof_tables *t, const struct printout *p, uint32_t process,
		      uint32_t frame, enum frame_place place, uint64_t *id)
{
	const struct model *model = &p->rec->model;
	struct pprof_frame added = {
		.model = model,
		.bias = object_bias(model, process, model->frames.data[frame].object),
		.frame = frame,
		.place = place,
	};
	const uint64_t key[] = {(uintptr_t)model, added.bias, (uint64_t)frame << 32 | place};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	int ret;

	index_for_each(&t->frame_index, hash, i) {
		const struct pprof_frame *have = &t->frames.data[i];

		if (have->frame == frame && have->place == place && have->bias == added.bias &&
		    have->model == model) {
			*id = have->location;
			return 0;
		}
	}
	ret = add_frame_location(t, p, &added, &added.location);
	*id = added.location;
	return ret ? ret : index_push(&t->frame_index, &t->frames, hash, added);
}

/* Stacks share most of their frames, so most are found here, whatever their bias is. */
static int add_frame(struct pprof_tables *t, const struct printout *p, uint32_t process,
		     uint32_t frame, enum frame_place place, uint64_t *id)
{
	uint64_t key = (uint64_t)process << 32 | (frame * NR_FRAME_PLACES + place);
	struct recent_frame *recent = &t->recent[hash_u64(key) % RECENT_FRAMES];
	int ret;

	if (recent->model == &p->rec->model && recent->key == key) {
		*id = recent->location;
		return 0;
	}
	ret = find_frame(t, p, process, frame, place, id);
	if (!ret)
		*recent = (struct recent_frame){&p->rec->model, key, *id};
	return ret;
}

int pprof_add_text(struct pprof_tables *t, const char *text, uint64_t *id)
{
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;
	Pprof__Line line = PPROF__LINE__INIT;
	size_t first_line = t->lines.nr;
	uint64_t mapping_id;
	int ret = pprof_add_string(t, "[missing]", strlen("[missing]"), &mapping.filename);

	if (!ret)
		ret = add_mapping(t, &mapping, 0, 0, &mapping_id);
	textbuf_str(&t->scratch, text);
	if (!ret)
		ret = add_function(t, NULL, 0, &line.function_id);
	if (!ret)
		ret = vec_push(&t->lines, line);
	/* Texts differ in their lines alone. */
	return ret ? ret : add_location(t, mapping_id, 0, first_line, id);
}

int pprof_add_place(struct pprof_tables *t, const struct printout *p, uint32_t process,
		    const struct stack_place *place, uint64_t *id)
{
	return place->text ? pprof_add_text(t, place->text, id)
			   : add_frame(t, p, process, place->frame, place->place, id);
}

/* Returns the place of the first mapping of the file @path, or the number of all mappings. */
static size_t find_mapping_of(const struct pprof_tables *t, int64_t path)
{
	size_t i = 0;

	while (i < t->mappings.nr && t->mappings.data[i].filename != path)
		i++;
	return i;
}

int pprof_put_first(struct pprof_tables *t, int64_t path)
{
	size_t i = find_mapping_of(t, path);
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;
	uint64_t id;
	int ret = 0;

	mapping.filename = path;
	if (i == t->mappings.nr)
		ret = add_mapping(t, &mapping, 0, 0, &id);
	if (ret || !i)
		return ret;
	mapping = t->mappings.data[i];
	t->mappings.data[i] = t->mappings.data[0];
	t->mappings.data[0] = mapping;
	/* Readers count on ids that are places. */
	t->mappings.data[0].id = 1;
	t->mappings.data[i].id = i + 1;
	vec_for_each(&t->locations, location) {
		if (location->mapping_id == i + 1)
			location->mapping_id = 1;
		else if (location->mapping_id == 1)
			location->mapping_id = i + 1;
	}
	return 0;
}

int pprof_tables_finish(struct pprof_tables *t, Pprof__Line ***line_pointers)
{
	Pprof__Line **pointers = calloc(t->lines.nr + 1, sizeof(*pointers));

	*line_pointers = pointers;
	if (!pointers)
		return -ENOMEM;
	for (size_t i = 0; i < t->lines.nr; i++)
		pointers[i] = &t->lines.data[i];
	for (size_t i = 0; i < t->locations.nr; i++)
		t->locations.data[i].line = pointers + t->first_lines.data[i];
	return 0;
}
