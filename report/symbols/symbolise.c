// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/symbolise.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "elf/elf_names.h"
#include "elf/elffile.h"
#include "report/demangle/short_name.h"
#include "report/dwarf/dwarf_lookup.h"
#include "report/symbols/debug_links.h"
#include "report/symbols/hit_addresses.h"
#include "report/symbols/name_claim.h"

const char *unknown_reason_text(enum unknown_reason reason)
{
	static const char *const texts[] = {
		[KNOWN] = "known",
		[UNKNOWN_UNMAPPED] = "no mapping",
		[UNKNOWN_ANONYMOUS] = "anonymous memory",
		[UNKNOWN_NOT_RECORDED] = "no symbols in the recording",
		[UNKNOWN_NO_FILE] = "file not found",
		[UNKNOWN_OTHER_FILE] = "file has another build-id",
		[UNKNOWN_CHANGED] = "file has changed since",
		[UNKNOWN_NOT_READABLE] = "file not readable",
		[UNKNOWN_NO_SYMBOLS] = "file has no symbols",
		[UNKNOWN_NO_SYMBOL] = "no symbol at the address",
		[UNKNOWN_BUDGET] = "not read, too much to read",
	};

	return texts[reason];
}

enum unknown_reason unknown_reason_of_miss(enum debug_miss miss)
{
	switch (miss) {
	case DEBUG_OTHER_FILE:
		return UNKNOWN_OTHER_FILE;
	case DEBUG_CHANGED_FILE:
		return UNKNOWN_CHANGED;
	case DEBUG_NOT_READABLE:
		return UNKNOWN_NOT_READABLE;
	default:
		return UNKNOWN_NO_FILE;
	}
}

/* Inlined functions and lines of an object: from its debug information, or from the recording. */

/*
 * Notes that @name, a file with a part of the debug information, was not found. Many binaries can
 * share it, and it counts once.
 */
static int note_missing(struct source_frames *lines, const char *name)
{
	size_t nr = lines->files.items.nr;
	uint32_t file;
	int ret = string_set_add(&lines->files, name, strlen(name), &file);

	lines->nr_missing += lines->files.items.nr > nr;
	if (!lines->missing && !ret)
		lines->missing = file;
	return ret;
}

/*
 * Looks up the @nr addresses in @hits, which are sorted, and appends what it finds to @lines.
 * Debug information that is damaged or missing is as good as none. So is one that takes too much
 * work; *@is_unread is set then. Returns 0 or -ENOMEM.
 */
static int elf_lines_find(struct elf_pair *elf, const struct debug_roots *roots,
			  struct source_hit *hits, size_t nr, struct source_frames *lines,
			  bool *is_unread)
{
	struct debug_splits splits = {
		.roots = roots,
		.binary = elf->binary_path,
		.debug = elf->debug_path,
		.build_id = elf->wanted.build_id,
	};
	const struct split_opener opener = debug_links_splits(&splits);
	struct debug_info *info;
	int ret = elf_pair_info(elf, roots, &info);

	if (ret || !info)
		return ret;
	ret = dwarf_lookup(&info->file, &opener, hits, nr, lines);
	debug_splits_close(&splits);
	if (ret != -ENOMEM) {
		*is_unread = ret;
		ret = info->missing_alt ? note_missing(lines, info->missing_alt) : 0;
	}
	return ret;
}

/* Adds string @id of the model to @to. */
static int add_string(const struct model *model, uint32_t id, struct string_set *to,
		      uint32_t *added)
{
	const struct string *string = &model->strings.items.data[id];

	return string_set_add(to, string->s, string->len, added);
}

/*
 * Appends to @lines what the recording has for @off of @object. Sets *@first and *@nr to its place
 * there; they stay as they are if the recording has nothing. Returns 0 or -ENOMEM.
 */
static int recorded_lines_find(const struct model *model, uint32_t object, uint64_t off,
			       struct source_frames *lines, uint32_t *first, uint32_t *nr)
{
	const struct model_line *line = model_find_line(model, object, off);
	uint32_t begin = lines->frames.nr;

	for (uint32_t i = 0; line && i < line->nr_frames; i++) {
		const struct prof_source_frame *from =
			&model->source_frames.data[line->first_frame + i];
		struct source_frame frame = {.line = from->line, .is_inlined = from->is_inlined};
		int ret = add_string(model, from->name, &lines->names, &frame.name);

		if (!ret)
			ret = add_string(model, from->file, &lines->files, &frame.file);
		if (!ret)
			ret = vec_push(&lines->frames, frame);
		if (ret)
			return ret;
	}
	if (line) {
		*first = begin;
		*nr = line->nr_frames;
	}
	return 0;
}

/*
 * The processes that had an object in their memory. If they live, their roots may have its file:
 * paths in a container mean nothing outside of it.
 */

/* Containers of one image share its files, so a few of their processes are enough. */
#define OBJECT_PIDS_MAX 32

struct object_pids {
	uint32_t nr;
	uint32_t pids[OBJECT_PIDS_MAX];
};

static bool has_pid(const struct object_pids *list, uint32_t pid)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->pids[i] == pid)
			return true;
	return false;
}

/*
 * Lists for each object of @model the pids of processes that mapped it and that may still live: the
 * latest first, each once. The caller frees *@lists. Returns 0 or -ENOMEM.
 */
static int object_pids_make(const struct model *model, struct object_pids **lists)
{
	struct object_pids *made = calloc(model->objects.nr, sizeof(*made));

	*lists = made;
	if (!made)
		return -ENOMEM;
	for (size_t i = model->mappings.nr; i-- > 0;) {
		const struct model_mapping *mapping = &model->mappings.data[i];
		const struct model_process *process = &model->processes.data[mapping->process];
		struct object_pids *list = &made[mapping->object];

		if (process->pid && list->nr < OBJECT_PIDS_MAX &&
		    model->origins.data[process->recording].is_of_this_boot &&
		    !has_pid(list, process->pid))
			list->pids[list->nr++] = process->pid;
	}
	return 0;
}

/* The files of at most this many releases of the kernel are looked for. */
#define RELEASES_MAX 16

struct lookup {
	struct symbols *symbols;
	const struct model *model;
	const struct debug_roots *roots;
	struct elf_pairs *pairs;
	struct object_pids *pids; /* of each object */
	bool needs_lines;
	struct found_names *found;  /* NULL: nobody wants them */
	struct question *questions; /* sorted by object */
	size_t nr_questions;
	size_t begin, end; /* the questions about one object */
	/* those questions; the tag is the index of the question */
	range_hit_vec hits;
	VEC(const char *) releases; /* of the kernels that were recorded */
};

/* What is known of the frame already. */
static struct name_claim claim_of(const struct resolved *resolved)
{
	return (struct name_claim){
		.has_name = resolved->name,
		.has_bounds = resolved->is_bounded,
		.quality = resolved->quality,
		.off = resolved->off,
	};
}

/*
 * Stores the answers of l->hits in their order. A name that several hits in a row share is made
 * once. An earlier answer from the recording stays if it says more.
 */
static int store_hits(struct lookup *l, enum elf_quality quality, enum unknown_reason miss)
{
	const struct range *last = NULL;
	uint32_t name = 0;

	vec_for_each(&l->hits, hit) {
		uint32_t slot = l->questions[hit->tag].slot;
		struct resolved *resolved = &l->symbols->frames[slot];
		struct name_claim claim, have = claim_of(resolved);
		uint64_t off;

		if (!resolved->name)
			resolved->reason = miss;
		if (!hit->range)
			continue;
		off = hit->addr - hit->range->start +
		      question_bytes_before(&l->model->frames.data[slot / NR_FRAME_PLACES],
					    slot % NR_FRAME_PLACES);
		claim = (struct name_claim){
			.has_name = hit->range->len,
			.has_bounds = !hit->range->len,
			.quality = quality,
			.off = off,
		};
		if (!name_claim_beats(&claim, &have))
			continue;
		if (hit->range != last) {
			int ret = string_set_add(&l->symbols->names, hit->range->name,
						 hit->range->len, &name);

			if (ret)
				return ret;
			last = hit->range;
		}
		*resolved = (struct resolved){
			.name = name,
			.reason = name ? KNOWN : miss,
			.is_bounded = !name,
			.quality = quality,
			.off = off,
		};
	}
	return 0;
}

/* Makes a hit of each question about the object. */
static int make_hits(struct lookup *l)
{
	vec_clear(&l->hits);
	for (size_t i = l->begin; i < l->end; i++) {
		struct range_hit hit = {.addr = l->questions[i].off, .tag = i};
		int ret = vec_push(&l->hits, hit);

		if (ret)
			return ret;
	}
	return 0;
}

static int resolve_recorded(struct lookup *l, const struct model_object *object)
{
	const struct string_set *strings = &l->model->strings;
	_cleanup_free_ struct range *ranges = calloc(object->nr_symbols, sizeof(*ranges));
	int ret;

	if (!ranges)
		return -ENOMEM;
	for (uint32_t i = 0; i < object->nr_symbols; i++) {
		const struct prof_symbol *symbol =
			&l->model->symbols.data[object->first_symbol + i];

		ranges[i] = (struct range){
			.start = symbol->offset,
			.size = symbol->size,
			.name = string_set_get(strings, symbol->name),
			.len = strings->items.data[symbol->name].len,
		};
	}
	range_hits_sort(l->hits.data, l->hits.nr);
	ret = ranges_resolve(ranges, object->nr_symbols, l->hits.data, l->hits.nr);
	return ret ? ret : store_hits(l, ELF_RECORDED, UNKNOWN_NO_SYMBOL);
}

static int store_miss(struct lookup *l, enum unknown_reason reason)
{
	vec_for_each(&l->hits, hit)
		hit->range = NULL;
	return store_hits(l, ELF_NO_NAMES, reason);
}

/* Frames whose offsets have no certain addresses stay unknown. */
static int find_addresses(struct lookup *l, uint32_t object, struct elf_pair *elf)
{
	vec_for_each(&l->hits, hit) {
		struct resolved *resolved = &l->symbols->frames[l->questions[hit->tag].slot];

		if (!resolved->name)
			resolved->reason = UNKNOWN_NO_SYMBOL;
	}
	return hits_to_addresses(l->model, object, l->questions, elf, l->roots->budget, &l->hits);
}

/* Was something of @elf not read, because it or all files of the report are too large? */
static bool is_too_large(const struct lookup *l, const struct elf_pair *elf)
{
	return (l->roots->budget && l->roots->budget->is_spent) ||
	       (elf->has_binary && elf->binary.is_too_large) ||
	       (elf->has_debug && elf->debug.is_too_large);
}

/* Gives the frame of @q the functions that @hit has. */
static int store_lines(struct lookup *l, const struct question *q, const struct source_hit *hit)
{
	struct resolved *resolved = &l->symbols->frames[q->slot];

	resolved->first_line = hit->first;
	resolved->nr_lines = hit->nr;
	return l->found ? found_names_add_line(l->found, q->object, q->off, &l->symbols->lines, hit)
			: 0;
}

/* Finds inlined functions and lines of the hits, which are sorted. Returns 0 or -ENOMEM. */
static int resolve_lines(struct lookup *l, struct elf_pair *elf)
{
	_cleanup_free_ struct source_hit *hits = calloc(l->hits.nr + 1, sizeof(*hits));
	bool is_unread = false;
	int ret = hits ? 0 : -ENOMEM;

	for (size_t i = 0; i < l->hits.nr && !ret; i++)
		hits[i].addr = l->hits.data[i].addr;
	if (!ret)
		ret = elf_lines_find(elf, l->roots, hits, l->hits.nr, &l->symbols->lines,
				     &is_unread);
	l->symbols->nr_unread += is_unread;
	for (size_t i = 0; i < l->hits.nr && !ret; i++)
		ret = store_lines(l, &l->questions[l->hits.data[i].tag], &hits[i]);
	return ret;
}

/* Takes lines from the recording where no debug information has them. */
static int resolve_recorded_lines(struct lookup *l)
{
	int ret = 0;

	for (size_t i = l->begin; i < l->end && !ret; i++) {
		const struct question *q = &l->questions[i];
		struct resolved *resolved = &l->symbols->frames[q->slot];

		if (!resolved->nr_lines)
			ret = recorded_lines_find(l->model, q->object, q->off, &l->symbols->lines,
						  &resolved->first_line, &resolved->nr_lines);
	}
	return ret;
}

/* Keeps the symbols of the hits for whoever wants them. */
static int keep_symbols(struct lookup *l)
{
	vec_for_each(&l->hits, hit) {
		const struct question *q = &l->questions[hit->tag];
		int ret = hit->range ? found_names_add(l->found, q->object, hit, q->off) : 0;

		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Keeps the files that names and lines came from: @parts of the binary and of the debug file, and
 * debug information if there are lines after the first @nr_lines. Returns 0 or -ENOMEM.
 */
static int keep_files(struct lookup *l, uint32_t object, const struct elf_pair *elf,
		      uint8_t parts[2], size_t nr_lines)
{
	if (l->found->lines.nr > nr_lines)
		parts[elf->is_info_of_debug] |= NAME_PART_DWARF;
	return found_names_add_files(l->found, object, elf, parts);
}

static int resolve_elf(struct lookup *l, uint32_t object, struct elf_pair *elf,
		       struct object_source *source)
{
	size_t nr_lines = l->found ? l->found->lines.nr : 0;
	struct elf_names names = {0};
	uint8_t parts[2];
	int ret = find_addresses(l, object, elf);

	if (!ret)
		ret = elf_names_resolve(&names, elf->has_binary ? &elf->binary : NULL,
					elf->has_debug ? &elf->debug : NULL, l->hits.data,
					l->hits.nr);
	if (!ret && elf_names_has_any(&names)) {
		source->reason = KNOWN;
		source->has_symtab = names.quality == ELF_SYMTAB;
		ret = store_hits(l, names.quality, UNKNOWN_NO_SYMBOL);
	} else if (!ret) {
		source->reason = is_too_large(l, elf) ? UNKNOWN_BUDGET : UNKNOWN_NO_SYMBOLS;
		l->symbols->nr_too_large += source->reason == UNKNOWN_BUDGET;
		ret = store_hits(l, names.quality, source->reason);
	}
	if (!ret && l->found)
		ret = keep_symbols(l);
	memcpy(parts, names.parts, sizeof(parts));
	elf_names_deinit(&names);
	if (!ret && l->needs_lines)
		ret = resolve_lines(l, elf);
	return ret || !l->found ? ret : keep_files(l, object, elf, parts, nr_lines);
}

static enum elf_quality best_quality(struct elf_file *file)
{
	return elf_file_has_lines(file) ? ELF_LINES : elf_file_quality(file);
}

/* Notes which files are used. Returns 0 or -ENOMEM. */
static int name_files(struct object_source *source, struct elf_pair *elf)
{
	if (elf->binary_path)
		source->binary = strdup(elf->binary_path);
	if (elf->debug_path)
		source->debug = strdup(elf->debug_path);
	if (elf->has_binary)
		source->binary_quality = best_quality(&elf->binary);
	if (elf->has_debug)
		source->debug_quality = best_quality(&elf->debug);
	source->is_fetched = elf->is_fetched;
	return (elf->binary_path && !source->binary) || (elf->debug_path && !source->debug)
		       ? -ENOMEM
		       : 0;
}

static int find_files(struct lookup *l, uint32_t id, struct elf_pair **elf, enum debug_miss *miss)
{
	const struct model_object *object = &l->model->objects.data[id];
	const struct model_origin *origin = model_object_origin(l->model, id);
	const struct debug_wanted wanted = {
		.path = string_set_get(&l->model->strings, object->key.path),
		.build_id = object->key.build_id,
		.is_deleted = object->is_deleted,
		.file = object->key.has_file && build_id_is_none(&object->key.build_id)
				? &object->key.file
				: NULL,
		.recorded_realtime_ns = origin->recorded_realtime_ns,
		.is_of_this_boot = origin->is_of_this_boot,
		.pids = l->pids[id].pids,
		.nr_pids = l->pids[id].nr,
		.is_kernel = object_kind_is_kernel(object->key.kind),
		.is_module = object->key.kind == PROF_OBJECT_MODULE,
		.releases = l->releases.data,
		.nr_releases = l->releases.nr,
	};

	return elf_pairs_get(l->pairs, l->roots, &wanted, elf, miss);
}

static int resolve_file(struct lookup *l, uint32_t object, struct object_source *source)
{
	struct elf_pair *elf = NULL;
	enum debug_miss miss;
	int ret = find_files(l, object, &elf, &miss);

	if (ret)
		return ret;
	if (!elf) {
		source->reason = unknown_reason_of_miss(miss);
		return store_miss(l, source->reason);
	}
	ret = name_files(source, elf);
	if (!ret)
		ret = resolve_elf(l, object, elf, source);
	elf_pairs_put(l->pairs, elf);
	return ret;
}

/*
 * Finds functions and lines of the kernel or a module. The names of the code itself are those of
 * the recording: the kernel has told them, and its files know no others.
 */
static int resolve_kernel_lines(struct lookup *l, uint32_t object, struct object_source *source)
{
	size_t nr_lines = l->found ? l->found->lines.nr : 0;
	uint8_t parts[2] = {0};
	struct elf_pair *elf = NULL;
	enum debug_miss miss;
	int ret = make_hits(l);

	if (!ret)
		ret = find_files(l, object, &elf, &miss);
	if (ret || !elf)
		return ret;
	ret = name_files(source, elf);
	if (!ret)
		ret = hits_to_addresses(l->model, object, l->questions, elf, l->roots->budget,
					&l->hits);
	if (!ret)
		ret = resolve_lines(l, elf);
	if (!ret && l->found)
		ret = keep_files(l, object, elf, parts, nr_lines);
	elf_pairs_put(l->pairs, elf);
	return ret;
}

static int resolve_object(struct lookup *l, uint32_t id)
{
	static const uint8_t reasons[PROF_NR_OBJECT_KINDS] = {
		[PROF_OBJECT_NONE] = UNKNOWN_UNMAPPED,
		[PROF_OBJECT_ANON] = UNKNOWN_ANONYMOUS,
		[PROF_OBJECT_VDSO] = UNKNOWN_NOT_RECORDED,
		[PROF_OBJECT_KERNEL] = UNKNOWN_NOT_RECORDED,
		[PROF_OBJECT_MODULE] = UNKNOWN_NOT_RECORDED,
		[PROF_OBJECT_BPF] = UNKNOWN_NOT_RECORDED,
		[PROF_OBJECT_JIT] = UNKNOWN_NOT_RECORDED,
	};
	const struct model_object *object = &l->model->objects.data[id];
	struct object_source *source = &l->symbols->sources[id];
	int ret = make_hits(l);

	if (!ret && object->nr_symbols) {
		source->is_recorded = true;
		ret = resolve_recorded(l, object);
		if (ret || object->key.kind != PROF_OBJECT_FILE)
			return ret;
		ret = make_hits(l);
	}
	if (ret)
		return ret;
	if (object->key.kind == PROF_OBJECT_FILE)
		return resolve_file(l, id, source);
	source->reason = reasons[object->key.kind];
	return store_miss(l, source->reason);
}

/* Finds inlined functions and lines of the kernel's objects; those of files are there already. */
static int resolve_more_lines(struct lookup *l, uint32_t id)
{
	uint8_t kind = l->model->objects.data[id].key.kind;
	int ret = 0;

	if (!l->needs_lines)
		return 0;
	if (kind == PROF_OBJECT_KERNEL || kind == PROF_OBJECT_MODULE)
		ret = resolve_kernel_lines(l, id, &l->symbols->sources[id]);
	return ret ? ret : resolve_recorded_lines(l);
}

static int resolve_all(struct lookup *l, struct name_progress *progress)
{
	for (l->begin = 0; l->begin < l->nr_questions; l->begin = l->end) {
		uint32_t object = l->questions[l->begin].object;
		int ret;

		name_progress_set(progress, l->begin, l->nr_questions);
		for (l->end = l->begin; l->end < l->nr_questions; l->end++)
			if (l->questions[l->end].object != object)
				break;
		ret = resolve_object(l, object);
		if (!ret)
			ret = resolve_more_lines(l, object);
		if (ret)
			return ret;
	}
	return 0;
}

/* Lists the kernels of the recordings, each once. */
static int list_releases(struct lookup *l)
{
	const struct string_set *strings = &l->model->strings;

	vec_for_each(&l->model->origins, origin) {
		const char *release = string_set_get(strings, origin->release);
		bool is_listed = !origin->release || l->releases.nr == RELEASES_MAX;

		vec_for_each(&l->releases, other)
			is_listed |= *other == release;
		if (!is_listed && vec_push(&l->releases, release))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Adds a name of debug information in its short form. Functions without a name for the linker have
 * that of the source, which nobody demangles.
 */
static int add_short_name(struct string_set *names, const struct string *name, uint32_t *id)
{
	_cleanup_free_ char *text = NULL;

	if (demangle_may_change(name->s, name->len, DEMANGLE_FULL) ||
	    !memchr(name->s, '<', name->len))
		return string_set_add(names, name->s, name->len, id);
	text = strndup(name->s, name->len);
	if (!text)
		return -ENOMEM;
	short_name_make(text);
	return string_set_add(names, text, strlen(text), id);
}

/* Moves the names of inlined functions to the names of symbols. */
static int move_line_names(struct symbols *symbols, enum demangle_style style)
{
	const struct string_set *from = &symbols->lines.names;
	_cleanup_free_ uint32_t *ids = calloc(from->items.nr + 1, sizeof(*ids));
	int ret = ids ? 0 : -ENOMEM;

	for (size_t i = 0; i < from->items.nr && !ret; i++) {
		const struct string *name = &from->items.data[i];

		ret = style == DEMANGLE_SHORT
			      ? add_short_name(&symbols->names, name, &ids[i])
			      : string_set_add(&symbols->names, name->s, name->len, &ids[i]);
	}
	if (ret)
		return ret;
	vec_for_each(&symbols->lines.frames, frame)
		frame->name = ids[frame->name];
	string_set_deinit(&symbols->lines.names);
	return 0;
}

/* Puts demangled names in the place of mangled ones. */
static int demangle_names(struct symbols *symbols, size_t nr_frames,
			  struct demangler_account *account)
{
	_cleanup_free_ uint32_t *new_ids = calloc(symbols->names.items.nr, sizeof(*new_ids));
	int ret = new_ids ? demangler_run(&symbols->names, new_ids, account) : -ENOMEM;

	for (size_t i = 0; !ret && i < nr_frames; i++)
		symbols->frames[i].name = new_ids[symbols->frames[i].name];
	if (!ret)
		vec_for_each(&symbols->lines.frames, frame)
			frame->name = new_ids[frame->name];
	return ret;
}

int symbols_resolve(struct symbols *symbols, const struct model *model,
		    const struct symbol_files *files, struct demangler_account *account)
{
	struct lookup l = {
		.symbols = symbols,
		.model = model,
		.roots = files->roots,
		.pairs = files->pairs,
		.needs_lines = files->needs_lines,
		.found = files->found,
	};
	int ret;

	*symbols = (struct symbols){0};
	ret = string_set_init(&symbols->names);
	if (!ret && files->needs_lines)
		ret = source_frames_init(&symbols->lines);
	if (ret)
		return ret;
	symbols->frames = calloc(model->frames.nr * NR_FRAME_PLACES + 1, sizeof(*symbols->frames));
	symbols->sources = calloc(model->objects.nr, sizeof(*symbols->sources));
	symbols->nr_sources = model->objects.nr;
	if (!symbols->frames || !symbols->sources)
		return -ENOMEM;
	ret = object_pids_make(model, &l.pids);
	if (!ret)
		ret = list_releases(&l);
	if (!ret)
		ret = questions_gather(model, &l.questions, &l.nr_questions);
	if (!ret)
		ret = resolve_all(&l, files->progress);
	if (!ret)
		ret = move_line_names(symbols, account->style);
	if (!ret)
		ret = demangle_names(symbols, model->frames.nr * NR_FRAME_PLACES, account);
	free(l.questions);
	vec_free(&l.hits);
	vec_free(&l.releases);
	free(l.pids);
	return ret;
}

void symbols_deinit(struct symbols *symbols)
{
	for (size_t i = 0; symbols->sources && i < symbols->nr_sources; i++) {
		free(symbols->sources[i].binary);
		free(symbols->sources[i].debug);
	}
	free(symbols->sources);
	free(symbols->frames);
	string_set_deinit(&symbols->names);
	source_frames_deinit(&symbols->lines);
	*symbols = (struct symbols){0};
}
