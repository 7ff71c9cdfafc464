// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/merged_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/search.h"

/* Returns the first layout of process @id; @firsts has those of the processes before it. */
static uint32_t first_layout(const struct model *model, struct index *firsts, uint32_t id,
			     uint64_t hash)
{
	const struct model_process *process = &model->processes.data[id];

	index_for_each(firsts, hash, i) {
		const struct model_process *have = &model->processes.data[i];

		if (have->pid == process->pid && have->generation == process->generation &&
		    have->recording == process->recording)
			return i;
	}
	return id;
}

static int number_processes(struct new_numbers *numbers, const struct model *model, uint32_t *last)
{
	struct index firsts = {0};
	int ret = 0;

	/* Process 0 is the kernel. */
	for (uint32_t i = 1; i < model->processes.nr && !ret; i++) {
		const struct model_process *process = &model->processes.data[i];
		uint64_t hash = hash_u64(process->generation ^ (uint64_t)process->pid << 32 ^
					 hash_u64(process->recording));
		uint32_t first = first_layout(model, &firsts, i, hash);

		numbers->generations[i] = first == i ? ++*last : numbers->generations[first];
		if (first == i)
			ret = index_insert(&firsts, hash, i);
		if (!ret && *last == UINT32_MAX)
			ret = -EOVERFLOW;
	}
	index_deinit(&firsts);
	return ret;
}

/*
 * Code that a process made has the number of the process, as the format wants. A process with
 * several such objects is none of profrec's, and the others get numbers of their own. The numbers
 * of the processes are those from @first on. Returns 0 or -ENOMEM.
 */
static int number_compiled_code(struct new_numbers *numbers, const struct model *model,
				uint32_t first, uint32_t last)
{
	_cleanup_free_ bool *is_taken = calloc((size_t)last - first + 2, sizeof(*is_taken));

	if (!is_taken)
		return -ENOMEM;
	vec_for_each(&model->places, place) {
		uint32_t number = numbers->generations[place->process];

		if (model->objects.data[place->object].key.kind != PROF_OBJECT_JIT ||
		    numbers->instances[place->object] || !number || is_taken[number - first])
			continue;
		numbers->instances[place->object] = number;
		is_taken[number - first] = true;
	}
	return 0;
}

static int number_objects(struct new_numbers *numbers, const struct model *model, uint32_t *last)
{
	for (size_t i = 1; i < model->objects.nr; i++) {
		const struct object_key *key = &model->objects.data[i].key;

		/* Objects that differ in their files alone have different instances. */
		if (key->build_id.size && !key->has_file)
			numbers->instances[i] = key->instance;
		else if (!numbers->instances[i])
			numbers->instances[i] = ++*last;
		if (*last == UINT32_MAX)
			return -EOVERFLOW;
	}
	return 0;
}

/*
 * Numbers the processes and objects of @model from *@last + 1 on, and sets *@last to the last
 * number. Returns 0, -ENOMEM, or -EOVERFLOW if the numbers run out. Call new_numbers_deinit in all
 * cases.
 */
static int new_numbers_make(struct new_numbers *numbers, const struct model *model, uint32_t *last)
{
	uint32_t first = *last + 1;
	int ret;

	*numbers = (struct new_numbers){
		.generations = calloc(model->processes.nr, sizeof(*numbers->generations)),
		.instances = calloc(model->objects.nr, sizeof(*numbers->instances)),
	};
	if (!numbers->generations || !numbers->instances)
		return -ENOMEM;
	ret = number_processes(numbers, model, last);
	if (!ret)
		ret = number_compiled_code(numbers, model, first, *last);
	return ret ? ret : number_objects(numbers, model, last);
}

static void new_numbers_deinit(struct new_numbers *numbers)
{
	free(numbers->generations);
	free(numbers->instances);
}

/* Nothing of the model has this number in the epoch. */
#define NOT_THERE UINT32_MAX

static int put_string(struct merged_tables *t, uint32_t id, uint32_t *out)
{
	const struct string *s = &t->model->strings.items.data[id];
	const struct prof_string string = {.s = s->s, .len = s->len};

	if (t->strings[id] == NOT_THERE) {
		t->strings[id] = t->out_strings.nr;
		t->string_bytes += s->len;
		if (vec_push(&t->out_strings, string))
			return -ENOMEM;
	}
	*out = t->strings[id];
	return 0;
}

static int put_object(struct merged_tables *t, uint32_t id, uint32_t *out)
{
	const struct model_object *object = &t->model->objects.data[id];
	struct prof_object added = {
		.kind = object->key.kind,
		.flags = object->is_deleted ? PROF_OBJECT_DELETED : 0,
		.build_id_size = object->key.build_id.size,
		.instance = t->numbers.instances[id],
	};
	int ret = 0;

	if (t->objects[id] == NOT_THERE) {
		memcpy(added.build_id, object->key.build_id.bytes, object->key.build_id.size);
		ret = put_string(t, object->key.path, &added.path);
		t->objects[id] = t->out_objects.nr;
		if (!ret)
			ret = vec_push(&t->out_objects, added);
		if (!ret)
			ret = vec_push(&t->model_objects, id);
	}
	*out = t->objects[id];
	return ret;
}

static int put_frame(struct merged_tables *t, uint32_t id, uint32_t *out)
{
	const struct model_frame *frame = &t->model->frames.data[id];
	struct prof_frame added = {.offset = frame->offset};
	int ret = 0;

	if (t->frames[id] == NOT_THERE) {
		ret = put_object(t, frame->object, &added.object);
		t->frames[id] = t->out_frames.nr;
		if (!ret && frame->is_exact)
			ret = vec_push(&t->out_exact, t->frames[id]);
		if (!ret)
			ret = vec_push(&t->out_frames, added);
	}
	*out = t->frames[id];
	return ret;
}

static int put_stack(struct merged_tables *t, uint32_t id, uint32_t *out)
{
	const struct model_stack *stack = &t->model->stacks.data[id];
	const struct prof_stack added = {
		.first_frame = t->out_stack_frames.nr,
		.nr_frames = stack->nr_frames,
		.end = stack->end,
	};
	int ret = 0;

	if (t->stacks[id] == NOT_THERE) {
		for (uint32_t i = 0; i < stack->nr_frames && !ret; i++) {
			uint32_t frame;

			ret = put_frame(t, t->model->stack_frames.data[stack->first_frame + i],
					&frame);
			if (!ret)
				ret = vec_push(&t->out_stack_frames, frame);
		}
		t->stacks[id] = t->out_stacks.nr;
		if (!ret)
			ret = vec_push(&t->out_stacks, added);
	}
	*out = t->stacks[id];
	return ret;
}

static int put_process_info(struct merged_tables *t, uint32_t id, uint32_t process)
{
	const struct prof_process_info *known = &t->model->processes.data[id].info;
	struct prof_process_info info = *known;
	int ret;

	if (!id ||
	    !(info.ns_pid || info.uid != PROF_UID_UNKNOWN || info.name || info.exe || info.cgroup))
		return 0;
	info.process = process;
	ret = put_string(t, known->name, &info.name);
	if (!ret)
		ret = put_string(t, known->exe, &info.exe);
	if (!ret)
		ret = put_string(t, known->cgroup, &info.cgroup);
	return ret ? ret : vec_push(&t->out_infos, info);
}

static int put_process_attributes(struct merged_tables *t, uint32_t id, uint32_t process)
{
	const uint32_t *known = t->model->processes.data[id].attributes;
	int ret = 0;

	for (enum prof_attribute i = 0; i < PROF_NR_ATTRIBUTES && !ret; i++) {
		struct prof_process_attribute attribute = {.process = process};
		const char *text = prof_attribute_keys[i];
		uint32_t key;

		if (!known[i] || !string_set_find(&t->model->strings, text, strlen(text), &key))
			continue;
		ret = put_string(t, key, &attribute.key);
		if (!ret)
			ret = put_string(t, known[i], &attribute.value);
		if (!ret)
			ret = vec_push(&t->out_attributes, attribute);
	}
	return ret;
}

static int put_process(struct merged_tables *t, uint32_t id, uint32_t *out)
{
	const struct prof_process added = {
		.pid = t->model->processes.data[id].pid,
		.generation = t->numbers.generations[id],
	};
	int ret = 0;

	if (t->processes[id] == NOT_THERE) {
		t->processes[id] = t->out_processes.nr;
		ret = vec_push(&t->out_processes, added);
		if (!ret)
			ret = vec_push(&t->model_processes, id);
		if (!ret)
			ret = put_process_info(t, id, t->processes[id]);
		if (!ret)
			ret = put_process_attributes(t, id, t->processes[id]);
	}
	*out = t->processes[id];
	return ret;
}

/* Notes that the epoch needs the mappings of @object in @process. */
static int need_mappings(struct merged_tables *t, uint32_t process, uint32_t object)
{
	const struct pair pair = {process, object};
	uint64_t hash = hash_u64((uint64_t)process << 32 | object);

	index_for_each(&t->pair_index, hash, i)
		if (t->pairs.data[i].process == process && t->pairs.data[i].object == object)
			return 0;
	return index_push(&t->pair_index, &t->pairs, hash, pair);
}

/* Kernel objects have their places in process 0, if they are known. */
static int need_places(struct merged_tables *t, uint32_t process, uint32_t stack)
{
	const struct model_stack *s = &t->model->stacks.data[stack];
	int ret = 0;

	for (uint32_t i = 0; i < s->nr_frames && !ret; i++) {
		uint32_t frame = t->model->stack_frames.data[s->first_frame + i];
		uint32_t object = t->model->frames.data[frame].object;
		bool is_kernel = object_kind_is_kernel(t->model->objects.data[object].key.kind);

		if (object)
			ret = need_mappings(t, is_kernel ? 0 : process, object);
	}
	return ret;
}

static int put_label_set(struct merged_tables *t, uint32_t id, uint32_t *out)
{
	const struct model_label_set *set = &t->model->label_sets.data[id];
	const struct prof_label_set added = {.first_label = t->out_labels.nr,
					     .nr_labels = set->nr_labels};
	int ret = 0;

	if (t->label_sets[id] == NOT_THERE) {
		for (uint32_t i = 0; i < set->nr_labels && !ret; i++) {
			struct prof_label label = t->model->labels.data[set->first_label + i];

			ret = put_string(t, label.key, &label.key);
			if (!ret)
				ret = put_string(t, label.value, &label.value);
			if (!ret)
				ret = vec_push(&t->out_labels, label);
		}
		t->label_sets[id] = t->out_label_sets.nr;
		if (!ret)
			ret = vec_push(&t->out_label_sets, added);
	}
	*out = t->label_sets[id];
	return ret;
}

int merged_tables_put(struct merged_tables *t, const struct prof_count *row)
{
	struct prof_count added = *row;
	int ret = put_string(t, row->comm, &added.comm);

	if (!ret)
		ret = put_process(t, row->process, &added.process);
	if (!ret)
		ret = put_stack(t, row->user_stack, &added.user_stack);
	if (!ret)
		ret = put_stack(t, row->kernel_stack, &added.kernel_stack);
	if (!ret)
		ret = put_stack(t, row->waker_user_stack, &added.waker_user_stack);
	if (!ret)
		ret = put_stack(t, row->waker_kernel_stack, &added.waker_kernel_stack);
	if (!ret)
		ret = put_label_set(t, row->label_set, &added.label_set);
	if (!ret)
		ret = need_places(t, row->process, row->user_stack);
	if (!ret)
		ret = need_places(t, row->process, row->kernel_stack);
	if (!ret)
		ret = need_places(t, 0, row->waker_kernel_stack);
	return ret ? ret : vec_push(&t->out_counts, added);
}

static int by_process(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	COMPARE(x->process, y->process);
	COMPARE(x->object, y->object);
	return 0;
}

/* The place of a kernel object: any mapping tells it. */
static int put_kernel_mapping(struct merged_tables *t, uint32_t object)
{
	const struct object_key *key = &t->model->objects.data[object].key;
	const struct prof_mapping mapping = {
		.object = t->objects[object],
		.start = key->bias,
		.size = 1,
	};

	return key->is_placed ? vec_push(&t->out_mappings, mapping) : 0;
}

/* Is mapping @i, in their order, of @pair or after those of it? */
static bool is_at_or_after(const struct merged_tables *t, size_t i, const struct pair *pair)
{
	const struct model_mapping *mapping = &t->model->mappings.data[t->mappings[i]];
	const struct pair of = {mapping->process, mapping->object};

	return by_process(&of, pair) >= 0;
}

static int put_mappings_of(struct merged_tables *t, const struct pair *pair)
{
	const struct model *model = t->model;
	const struct model_place *place = model_find_place(model, pair->process, pair->object);
	size_t first = search_first(model->mappings.nr, i, is_at_or_after(t, i, pair));
	int ret = 0;

	for (size_t i = first; place && !ret && i < model->mappings.nr; i++) {
		const struct model_mapping *known = &model->mappings.data[t->mappings[i]];
		const struct prof_mapping mapping = {
			.object = t->objects[pair->object],
			.start = place->bias + known->pgoff,
			.size = known->size,
			.pgoff = known->pgoff,
		};

		if (known->process != pair->process || known->object != pair->object)
			break;
		ret = vec_push(&t->out_mappings, mapping);
	}
	return ret;
}

/* Puts the mappings that the rows need, those of a process together. */
static int put_mappings(struct merged_tables *t)
{
	int ret = 0;

	if (t->pairs.nr)
		qsort(t->pairs.data, t->pairs.nr, sizeof(*t->pairs.data), by_process);
	for (size_t i = 0; i < t->pairs.nr && !ret; i++) {
		const struct pair *pair = &t->pairs.data[i];
		struct prof_process *process = &t->out_processes.data[t->processes[pair->process]];
		size_t nr = t->out_mappings.nr;

		if (!process->nr_mappings)
			process->first_mapping = nr;
		ret = pair->process ? put_mappings_of(t, pair)
				    : put_kernel_mapping(t, pair->object);
		process->nr_mappings += t->out_mappings.nr - nr;
	}
	return ret;
}

static int put_symbols(struct merged_tables *t, const struct model_object *object, uint32_t out)
{
	int ret = 0;

	for (uint32_t i = 0; i < object->nr_symbols && !ret; i++) {
		struct prof_symbol symbol = t->model->symbols.data[object->first_symbol + i];

		symbol.object = out;
		ret = put_string(t, symbol.name, &symbol.name);
		if (!ret)
			ret = vec_push(&t->out_symbols, symbol);
	}
	return ret;
}

static int put_language(struct merged_tables *t, const struct model_object *object, uint32_t out)
{
	struct prof_language language = {.object = out, .role = object->language_role};
	int ret = put_string(t, object->language, &language.name);

	if (!ret)
		ret = put_string(t, object->version, &language.version);
	return ret ? ret : vec_push(&t->out_languages, language);
}

/* Puts the functions of the source at an address of object @out. */
static int put_line(struct merged_tables *t, const struct model_line *line, uint32_t out)
{
	const struct prof_line added = {
		.object = out,
		.offset = line->offset,
		.first_frame = t->out_source_frames.nr,
		.nr_frames = line->nr_frames,
	};
	int ret = vec_push(&t->out_lines, added);

	for (uint32_t i = 0; i < line->nr_frames && !ret; i++) {
		const struct prof_source_frame *known =
			&t->model->source_frames.data[line->first_frame + i];
		struct prof_source_frame frame = *known;

		ret = put_string(t, known->name, &frame.name);
		if (!ret)
			ret = put_string(t, known->file, &frame.file);
		if (!ret)
			ret = vec_push(&t->out_source_frames, frame);
	}
	return ret;
}

static int put_lines(struct merged_tables *t, uint32_t object, uint32_t out)
{
	const struct model *model = t->model;
	size_t first = search_first(model->lines.nr, i, model->lines.data[i].object >= object);
	int ret = 0;

	for (size_t i = first; !ret && i < model->lines.nr; i++) {
		if (model->lines.data[i].object != object)
			break;
		ret = put_line(t, &model->lines.data[i], out);
	}
	return ret;
}

static int put_name_sources(struct merged_tables *t, uint32_t object, uint32_t out)
{
	size_t nr;
	const struct prof_name_source *known = model_name_sources(t->model, object, &nr);
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		struct prof_name_source source = known[i];

		source.object = out;
		ret = put_string(t, known[i].file, &source.file);
		if (!ret)
			ret = vec_push(&t->out_name_sources, source);
	}
	return ret;
}

/* Puts the facts about the objects of the epoch, by their ids in it. */
static int put_object_facts(struct merged_tables *t)
{
	int ret = 0;

	for (uint32_t i = 1; i < t->out_objects.nr && !ret; i++) {
		const struct model_object *object =
			&t->model->objects.data[t->model_objects.data[i]];
		struct prof_file_info file = object->key.file;

		file.object = i;
		if (object->key.has_file)
			ret = vec_push(&t->out_files, file);
		if (!ret && object->language)
			ret = put_language(t, object, i);
		if (!ret)
			ret = put_symbols(t, object, i);
		if (!ret)
			ret = put_lines(t, t->model_objects.data[i], i);
		if (!ret)
			ret = put_name_sources(t, t->model_objects.data[i], i);
	}
	return ret;
}

int merged_tables_begin(struct merged_tables *t)
{
	const struct model *model = t->model;
	uint32_t id;
	int ret;

	memset(t->strings, 0xff, model->strings.items.nr * sizeof(*t->strings));
	memset(t->objects, 0xff, model->objects.nr * sizeof(*t->objects));
	memset(t->processes, 0xff, model->processes.nr * sizeof(*t->processes));
	memset(t->frames, 0xff, model->frames.nr * sizeof(*t->frames));
	memset(t->stacks, 0xff, model->stacks.nr * sizeof(*t->stacks));
	memset(t->label_sets, 0xff, model->label_sets.nr * sizeof(*t->label_sets));
	vec_clear(&t->out_labels);
	vec_clear(&t->out_label_sets);
	vec_clear(&t->out_strings);
	vec_clear(&t->out_objects);
	vec_clear(&t->out_processes);
	vec_clear(&t->out_mappings);
	vec_clear(&t->out_frames);
	vec_clear(&t->out_stacks);
	vec_clear(&t->out_stack_frames);
	vec_clear(&t->out_exact);
	vec_clear(&t->out_counts);
	vec_clear(&t->out_symbols);
	vec_clear(&t->out_infos);
	vec_clear(&t->out_attributes);
	vec_clear(&t->out_files);
	vec_clear(&t->out_languages);
	vec_clear(&t->out_name_sources);
	vec_clear(&t->out_lines);
	vec_clear(&t->out_source_frames);
	vec_clear(&t->model_objects);
	vec_clear(&t->model_processes);
	vec_clear(&t->pairs);
	index_clear(&t->pair_index);
	t->string_bytes = 0;
	ret = put_string(t, 0, &id);
	if (!ret)
		ret = put_object(t, 0, &id);
	if (!ret)
		ret = put_process(t, 0, &id);
	if (!ret)
		ret = put_label_set(t, 0, &id);
	return ret ? ret : put_stack(t, 0, &id);
}

int merged_tables_finish(struct merged_tables *t, struct prof_epoch *epoch)
{
	int ret = put_mappings(t);

	if (!ret)
		ret = put_object_facts(t);
	if (ret)
		return ret;
	*epoch = (struct prof_epoch){
		.strings = t->out_strings.data,
		.nr_strings = t->out_strings.nr,
		.objects = t->out_objects.data,
		.nr_objects = t->out_objects.nr,
		.processes = t->out_processes.data,
		.nr_processes = t->out_processes.nr,
		.mappings = t->out_mappings.data,
		.nr_mappings = t->out_mappings.nr,
		.frames = t->out_frames.data,
		.nr_frames = t->out_frames.nr,
		.stacks = t->out_stacks.data,
		.nr_stacks = t->out_stacks.nr,
		.stack_frames = t->out_stack_frames.data,
		.nr_stack_frames = t->out_stack_frames.nr,
		.counts = t->out_counts.data,
		.nr_counts = t->out_counts.nr,
		.symbols = t->out_symbols.data,
		.nr_symbols = t->out_symbols.nr,
		.process_infos = t->out_infos.data,
		.nr_process_infos = t->out_infos.nr,
		.process_attributes = t->out_attributes.data,
		.nr_process_attributes = t->out_attributes.nr,
		.labels = t->out_labels.data,
		.nr_labels = t->out_labels.nr,
		.label_sets = t->out_label_sets.data,
		.nr_label_sets = t->out_label_sets.nr,
		.file_infos = t->out_files.data,
		.nr_file_infos = t->out_files.nr,
		.languages = t->out_languages.data,
		.nr_languages = t->out_languages.nr,
		.lines = t->out_lines.data,
		.nr_lines = t->out_lines.nr,
		.source_frames = t->out_source_frames.data,
		.nr_source_frames = t->out_source_frames.nr,
		.name_sources = t->out_name_sources.data,
		.nr_name_sources = t->out_name_sources.nr,
		.exact_frames = t->out_exact.data,
		.nr_exact_frames = t->out_exact.nr,
	};
	return 0;
}

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct model *model = ctx;
	const struct model_mapping *x = &model->mappings.data[*(const uint32_t *)a];
	const struct model_mapping *y = &model->mappings.data[*(const uint32_t *)b];

	COMPARE(x->process, y->process);
	COMPARE(x->object, y->object);
	COMPARE(x->pgoff, y->pgoff);
	return 0;
}

static int make_tables(struct merged_tables *t)
{
	const struct model *model = t->model;

	t->strings = calloc(model->strings.items.nr, sizeof(*t->strings));
	t->objects = calloc(model->objects.nr, sizeof(*t->objects));
	t->processes = calloc(model->processes.nr, sizeof(*t->processes));
	t->frames = calloc(model->frames.nr + 1, sizeof(*t->frames));
	t->stacks = calloc(model->stacks.nr, sizeof(*t->stacks));
	t->label_sets = calloc(model->label_sets.nr, sizeof(*t->label_sets));
	t->mappings = calloc(model->mappings.nr + 1, sizeof(*t->mappings));
	if (!t->strings || !t->objects || !t->processes || !t->frames || !t->stacks ||
	    !t->label_sets || !t->mappings)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->mappings.nr; i++)
		t->mappings[i] = i;
	qsort_r(t->mappings, model->mappings.nr, sizeof(*t->mappings), by_place, (void *)model);
	return 0;
}

int merged_tables_init(struct merged_tables *t, const struct model *model, uint32_t *last)
{
	int ret;

	*t = (struct merged_tables){.model = model};
	ret = make_tables(t);
	if (!ret)
		ret = new_numbers_make(&t->numbers, model, last);
	return ret ? ret : merged_tables_begin(t);
}

void merged_tables_deinit(struct merged_tables *t)
{
	new_numbers_deinit(&t->numbers);
	free(t->strings);
	free(t->objects);
	free(t->processes);
	free(t->frames);
	free(t->stacks);
	free(t->label_sets);
	free(t->mappings);
	vec_free(&t->out_strings);
	vec_free(&t->out_objects);
	vec_free(&t->out_processes);
	vec_free(&t->out_mappings);
	vec_free(&t->out_frames);
	vec_free(&t->out_stacks);
	vec_free(&t->out_stack_frames);
	vec_free(&t->out_exact);
	vec_free(&t->out_labels);
	vec_free(&t->out_label_sets);
	vec_free(&t->out_counts);
	vec_free(&t->out_symbols);
	vec_free(&t->out_infos);
	vec_free(&t->out_attributes);
	vec_free(&t->out_files);
	vec_free(&t->out_languages);
	vec_free(&t->out_name_sources);
	vec_free(&t->out_lines);
	vec_free(&t->out_source_frames);
	vec_free(&t->model_objects);
	vec_free(&t->model_processes);
	vec_free(&t->pairs);
	index_deinit(&t->pair_index);
}
