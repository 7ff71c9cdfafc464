// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/ksyms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "common/parse.h"
#include "common/readfile.h"
#include "common/search.h"

#define NOTES_MAX 65536

/* Kernel text is in the upper half. Lower addresses are offsets into the per-CPU area. */
#define KERNEL_ADDR_MIN UINT64_C(0x00ffffffffffffff)

/* Bytes of kallsyms that are read at a time. It has some megabytes. */
#define SLICE_BYTES (64u << 10)

/* Names are cut at the kernel's own limit: KSYM_NAME_LEN is 512 since Linux 6.1. */
#define NAME_MAX_BYTES 512

/* The rank of a symbol whose code was replaced. */
#define RANK_REPLACED UINT8_MAX

static void free_tables(struct ksyms *ksyms)
{
	vec_free(&ksyms->syms);
	vec_free(&ksyms->names);
	vec_free(&ksyms->programs);
	vec_free(&ksyms->modules);
	vec_free(&ksyms->added);
	vec_free(&ksyms->doubtful);
	vec_free(&ksyms->text);
}

/*
 * Since Linux 6.2 a kernel may have the symbol __pfx_NAME before each NAME, for the padding.
 * Returns true if the latest symbol is that of @name, and sets *@at to where its text ends with
 * @name.
 */
static bool find_suffix(const struct ksyms *ksyms, const char *name, uint32_t *at)
{
	static const char prefix[] = "__pfx_";
	const struct ksym *last = ksyms->syms.nr ? &ksyms->syms.data[ksyms->syms.nr - 1] : NULL;
	const char *text = last ? ksyms->names.data + last->name : "";

	if (strncmp(text, prefix, strlen(prefix)) || strcmp(text + strlen(prefix), name))
		return false;
	*at = last->name + strlen(prefix);
	return true;
}

int ksyms_add_symbol(struct ksyms *ksyms, struct ksym sym, const char *name)
{
	int ret = 0;

	sym.name = ksyms->names.nr;
	if (sym.part == KSYM_BPF || !find_suffix(ksyms, name, &sym.name))
		ret = vec_append(&ksyms->names, name, strlen(name) + 1);
	if (!ret)
		ret = vec_push(&ksyms->syms, sym);
	ksyms->dirty = true;
	return ret;
}

static int add_program(struct ksyms *ksyms, struct ksym sym, struct ksym_program program,
		       const char *name)
{
	int ret;

	program.name = ksyms->names.nr;
	ret = vec_push(&ksyms->programs, program);
	return ret ? ret : ksyms_add_symbol(ksyms, sym, name);
}

static const struct ksym_program *program_of(const struct ksyms *ksyms, const struct ksym *sym)
{
	size_t i = search_first(ksyms->programs.nr, k, ksyms->programs.data[k].name >= sym->name);

	return &ksyms->programs.data[i];
}

/* A module that was loaded again has a new directory, also if its name, place and size are as
 * before. */
static uint64_t module_inode(const struct kernel_module *module)
{
	char path[sizeof("/sys/module/") + sizeof(module->name)];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%s", module->name);
	return stat(path, &st) ? 0 : st.st_ino;
}

static uint64_t hash_module(const struct kernel_module *module, uint64_t seed)
{
	const uint64_t numbers[] = {module->start, module->end, module->inode};

	return hash_bytes(module->name, sizeof(module->name),
			  hash_bytes(numbers, sizeof(numbers), seed));
}

/* nf_tables 311296 58 nft_ct, Live 0xffffffffc0a3d000 */
int ksyms_read_modules(struct ksyms *ksyms, FILE *f)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, f) > 0) {
		struct kernel_module module = {0};
		uint64_t size;

		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, module.name, &size,
			   &module.start) != 3)
			continue;
		module.end = module.start ? module.start + size : 0;
		module.inode = module_inode(&module);
		ksyms->modules_hash = hash_module(&module, ksyms->modules_hash);
		if (vec_push(&ksyms->modules, module))
			return -ENOMEM;
	}
	return 0;
}

static bool is_name(const char *name, const char *s, size_t len)
{
	return !strncmp(name, s, len) && !name[len];
}

/* The module number of "[name]". Adds the module when /proc/modules did not have it. */
static int module_part(struct ksyms *ksyms, const char *name, uint16_t *part)
{
	struct kernel_module module = {0};
	size_t len = strcspn(name, "]");
	uint16_t last = ksyms->syms.nr ? ksyms->syms.data[ksyms->syms.nr - 1].part : KSYM_IMAGE;

	if (len == 3 && !strncmp(name, "bpf", 3)) {
		*part = KSYM_BPF;
		return 0;
	}
	/* Mostly it is the module of the previous line. */
	if (last >= KSYM_FIRST_MODULE &&
	    is_name(ksyms->modules.data[last - KSYM_FIRST_MODULE].name, name, len)) {
		*part = last;
		return 0;
	}
	/* Pseudo modules of ftrace and kprobes trampolines: "[__builtin__ftrace]". */
	if (!strncmp(name, "__builtin__", 11)) {
		*part = KSYM_IMAGE;
		return 0;
	}
	for (size_t i = 0; i < ksyms->modules.nr; i++) {
		if (is_name(ksyms->modules.data[i].name, name, len)) {
			*part = KSYM_FIRST_MODULE + i;
			return 0;
		}
	}
	if (ksyms->modules.nr >= UINT16_MAX - KSYM_FIRST_MODULE) {
		*part = KSYM_IMAGE;
		return 0;
	}
	snprintf(module.name, sizeof(module.name), "%.*s", (int)len, name);
	*part = KSYM_FIRST_MODULE + ksyms->modules.nr;
	return vec_push(&ksyms->modules, module);
}

/* The order of names at one address: global before weak before local, then as in kallsyms. */
static uint8_t rank_of(char type)
{
	return type == 'T' ? 0 : type == 'W' ? 1 : 2;
}

/*
 * Adds a symbol of kallsyms, unless an earlier symbol has the address and is as good a name. So
 * symbols that come in order need no sorting.
 */
static int add_in_order(struct ksyms *ksyms, const struct ksym *sym, const char *name)
{
	struct ksym *last = ksyms->syms.nr ? &ksyms->syms.data[ksyms->syms.nr - 1] : NULL;

	if (!last || last->addr != sym->addr || last->part != sym->part)
		return ksyms_add_symbol(ksyms, *sym, name);
	if (last->rank <= sym->rank)
		return 0;
	ksyms->syms.nr--;
	return ksyms_add_symbol(ksyms, *sym, name);
}

/* ffffffff81000000 T _stext  or  ffffffffc0a3d000 t nft_rx\t[nf_tables]; @end is its NUL. */
static int read_kallsyms_line(struct ksyms *ksyms, char *line, char *end)
{
	struct ksym sym = {0};
	char *p, *module;
	uint64_t addr = parse_hex(line, &p);
	int ret = 0;

	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ')
		return 0;
	ksyms->restricted &= !addr;
	if (p[3] == '_' && !strcmp(p + 3, "_end"))
		ksyms->image_end = addr;
	if ((p[1] | 0x20) != 't' && (p[1] | 0x20) != 'w')
		return 0;
	if (addr < KERNEL_ADDR_MIN || addr == UINT64_MAX)
		return 0;
	sym.addr = addr;
	sym.rank = rank_of(p[1]);
	p += 3;
	module = memchr(p, '\t', end - p);
	if (module) {
		*module = '\0';
		if (module[1] == '[')
			ret = module_part(ksyms, module + 2, &sym.part);
		end = module;
	}
	if (end - p > NAME_MAX_BYTES)
		p[NAME_MAX_BYTES] = '\0';
	if (p[0] == '_' && !strcmp(p, "_stext"))
		ksyms->stext = addr;
	if (ret)
		return ret;
	/* Of BPF programs at one address the last counts. */
	return sym.part == KSYM_BPF
		       ? add_program(ksyms, sym,
				     (struct ksym_program){.instance = ksyms->nr_changes}, p)
		       : add_in_order(ksyms, &sym, p);
}

static int read_lines(struct ksyms *ksyms)
{
	char_vec *text = &ksyms->text;
	char *line = text->data, *end, *text_end = text->data + text->nr;

	for (; (end = memchr(line, '\n', text_end - line)); line = end + 1) {
		int ret;

		*end = '\0';
		ret = read_kallsyms_line(ksyms, line, end);
		if (ret)
			return ret;
	}
	text->nr = text_end - line;
	memmove(text->data, line, text->nr);
	return 0;
}

/* Reads the next slice of @f. At the end it clears loading. */
static int read_slice(struct ksyms *ksyms, FILE *f)
{
	char_vec *text = &ksyms->text;
	int ret = vec_reserve(text, SLICE_BYTES + 1);
	size_t n;

	if (ret)
		return ret;
	n = fread(text->data + text->nr, 1, SLICE_BYTES, f);
	text->nr += n;
	if (!n)
		text->data[text->nr++] = '\n'; /* for a last line without a newline */
	ret = read_lines(ksyms);
	if (ret || n)
		return ret;
	vec_free(text);
	ksyms->loading = false;
	return 0;
}

int ksyms_read_kallsyms(struct ksyms *ksyms, FILE *f)
{
	int ret = 0;

	ksyms->restricted = ksyms->loading = true;
	while (!ret && ksyms->loading)
		ret = read_slice(ksyms, f);
	return ret;
}

static int read_kernel_build_id(struct ksyms *ksyms)
{
	char_vec notes = {0};
	int ret = read_file("/sys/kernel/notes", NOTES_MAX, &notes);

	if (!ret)
		build_id_from_notes(notes.data, notes.nr, &ksyms->build_id);
	vec_free(&notes);
	return ret == -ENOMEM ? ret : 0;
}

/* A file that cannot be opened is left out: *@f stays NULL. Returns 0 or -ENOMEM. */
static int open_text(const char *path, FILE **f)
{
	*f = fopen(path, "re");
	return !*f && errno == ENOMEM ? -ENOMEM : 0;
}

/* Goes back to the beginning. The kernel decided at the open whether to show addresses. */
static void rewind_file(FILE *f)
{
	fflush(f); /* a rewind alone may find the old text in the buffer */
	rewind(f);
}

static void begin_kallsyms(struct ksyms *ksyms)
{
	ksyms->read_ns = clock_monotonic_ns();
	ksyms->restricted = true;
	ksyms->loading = ksyms->kallsyms_file;
}

int ksyms_begin(struct ksyms *ksyms)
{
	int ret = read_kernel_build_id(ksyms);

	if (!ret)
		ret = open_text("/proc/modules", &ksyms->modules_file);
	if (!ret)
		ret = open_text("/proc/kallsyms", &ksyms->kallsyms_file);
	if (!ret && ksyms->modules_file)
		ret = ksyms_read_modules(ksyms, ksyms->modules_file);
	if (ret)
		return ret;
	begin_kallsyms(ksyms);
	/* Addresses in the per-CPU area may be 0, but never all of a whole slice. */
	return ksyms_load_slice(ksyms);
}

int ksyms_load_slice(struct ksyms *ksyms)
{
	return ksyms->loading ? read_slice(ksyms, ksyms->kallsyms_file) : 0;
}

int ksyms_load_rest(struct ksyms *ksyms)
{
	int ret = 0;

	while (!ret && ksyms->loading)
		ret = ksyms_load_slice(ksyms);
	return ret;
}

int ksyms_refresh(struct ksyms *ksyms)
{
	struct ksyms fresh = {
		.modules_file = ksyms->modules_file,
		.kallsyms_file = ksyms->kallsyms_file,
		.build_id = ksyms->build_id,
		.nr_changes = ksyms->nr_changes + 1,
	};
	int ret;

	if (!fresh.modules_file || !fresh.kallsyms_file)
		return 0;
	/* What is doubtful is so up to this call. */
	if (ksyms->doubtful.nr)
		ksyms->nr_changes = fresh.nr_changes++;
	vec_clear(&ksyms->doubtful);
	rewind_file(fresh.modules_file);
	ret = ksyms_read_modules(&fresh, fresh.modules_file);
	if (!ret && fresh.modules_hash != ksyms->modules_hash) {
		rewind_file(fresh.kallsyms_file);
		begin_kallsyms(&fresh);
		ret = ksyms_load_rest(&fresh);
		if (ksyms->dirty)
			ksyms_sort(ksyms);
		if (!ret)
			ret = ksyms_inherit(&fresh, ksyms);
		if (!ret) {
			struct ksyms old = *ksyms;

			*ksyms = fresh;
			fresh = old;
		}
	}
	free_tables(&fresh);
	return ret;
}

int ksyms_add_bpf(struct ksyms *ksyms, uint64_t time_ns, uint64_t addr, uint64_t size,
		  const char *name)
{
	struct bpf_range range = {addr, addr + size, ksyms->names.nr};
	int ret;

	if (time_ns < ksyms->read_ns)
		return 0;
	ret = vec_push(&ksyms->added, range);
	ksyms->nr_changes++;
	return ret ? ret
		   : add_program(ksyms, (struct ksym){.addr = addr, .part = KSYM_BPF},
				 (struct ksym_program){.since_ns = time_ns,
						       .instance = ksyms->nr_changes},
				 name);
}

const struct build_id *ksyms_module_build_id(struct ksyms *ksyms, uint32_t module)
{
	struct kernel_module *m = &ksyms->modules.data[module];
	char path[160];
	char_vec notes = {0};

	if (m->build_id_read)
		return &m->build_id;
	m->build_id_read = true;
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", m->name);
	if (!read_file(path, NOTES_MAX, &notes))
		build_id_from_notes(notes.data, notes.nr, &m->build_id);
	vec_free(&notes);
	return &m->build_id;
}

void ksyms_deinit(struct ksyms *ksyms)
{
	free_tables(ksyms);
	if (ksyms->modules_file)
		fclose(ksyms->modules_file);
	if (ksyms->kallsyms_file)
		fclose(ksyms->kallsyms_file);
	*ksyms = (struct ksyms){0};
}

static int compare_syms(const void *pa, const void *pb)
{
	const struct ksym *a = pa, *b = pb;

	COMPARE(a->addr, b->addr);
	COMPARE(a->rank, b->rank);
	/*
	 * Unloaded code stays in the table. So a BPF program wins over older code at its address,
	 * and the last program over all.
	 */
	if (a->part != b->part && (a->part == KSYM_BPF || b->part == KSYM_BPF))
		return a->part == KSYM_BPF ? -1 : 1;
	if (a->part == KSYM_BPF)
		COMPARE(b->name, a->name);
	/* The order in kallsyms. */
	COMPARE(a->name, b->name);
	return 0;
}

/* Number of symbols at or below @addr, of the first @nr. */
static size_t upper_bound(const struct ksyms *ksyms, size_t nr, uint64_t addr)
{
	return search_first(nr, i, ksyms->syms.data[i].addr > addr);
}

/* Marks the symbols that began inside a program that was loaded later. */
static void mark_replaced(struct ksyms *ksyms)
{
	vec_for_each(&ksyms->added, range) {
		for (size_t i = upper_bound(ksyms, ksyms->syms.nr, range->start);
		     i < ksyms->syms.nr && ksyms->syms.data[i].addr < range->end; i++)
			if (ksyms->syms.data[i].name < range->name)
				ksyms->syms.data[i].rank = RANK_REPLACED;
	}
	vec_clear(&ksyms->added);
}

/* In kallsyms the image is in order, and nearly all loaded code comes after it. */
static void sort_all(struct ksym *syms, size_t nr)
{
	size_t sorted = 0, first;

	while (sorted < nr && (!sorted || compare_syms(&syms[sorted - 1], &syms[sorted]) <= 0))
		sorted++;
	if (sorted == nr)
		return;
	qsort(syms + sorted, nr - sorted, sizeof(*syms), compare_syms);
	for (first = sorted; first && compare_syms(&syms[first - 1], &syms[sorted]) > 0;)
		first--;
	if (first < sorted)
		qsort(syms + first, nr - first, sizeof(*syms), compare_syms);
}

void ksyms_sort(struct ksyms *ksyms)
{
	size_t nr = 0;

	sort_all(ksyms->syms.data, ksyms->syms.nr);
	mark_replaced(ksyms);
	vec_for_each(&ksyms->syms, sym)
		if (sym->rank != RANK_REPLACED &&
		    (!nr || ksyms->syms.data[nr - 1].addr != sym->addr))
			ksyms->syms.data[nr++] = *sym;
	ksyms->syms.nr = nr;
	ksyms->dirty = false;
}

static void set_part(struct ksym_hit *hit, uint16_t part)
{
	hit->part = part == KSYM_IMAGE ? KERNEL_IMAGE
		    : part == KSYM_BPF ? KERNEL_BPF
				       : KERNEL_MODULE;
	hit->module = part >= KSYM_FIRST_MODULE ? part - KSYM_FIRST_MODULE : 0;
}

static bool is_within(const struct kernel_module *module, uint64_t addr)
{
	return addr >= module->start && addr < module->end;
}

/* Where the code that @sym is part of ends; 0: not known. */
static uint64_t part_end(const struct ksyms *ksyms, const struct ksym *sym)
{
	uint64_t end = 0;

	if (sym->part == KSYM_IMAGE)
		end = ksyms->image_end;
	else if (sym->part >= KSYM_FIRST_MODULE)
		end = ksyms->modules.data[sym->part - KSYM_FIRST_MODULE].end;
	return sym->addr < end ? end : 0; /* else a trampoline, or another of the module's ranges */
}

/*
 * A symbol reaches to the next symbol, but not beyond the code that it is part of. Code there came
 * later, and no name is better than a wrong one.
 */
static void find_symbol(const struct ksyms *ksyms, uint64_t addr, struct ksym_hit *hit)
{
	size_t i = upper_bound(ksyms, ksyms->syms.nr, addr);
	const struct ksym *sym;
	uint64_t end;

	if (!i)
		return;
	sym = &ksyms->syms.data[i - 1];
	end = part_end(ksyms, sym);
	if (end && addr >= end)
		return;
	if (i < ksyms->syms.nr && (!end || sym[1].addr < end))
		end = sym[1].addr;
	set_part(hit, sym->part);
	hit->name = ksyms->names.data + sym->name;
	hit->start = sym->addr;
	if (sym->part == KSYM_BPF) {
		hit->since_ns = program_of(ksyms, sym)->since_ns;
		hit->instance = program_of(ksyms, sym)->instance;
	}
	hit->size = (end ? end : addr + 1) - sym->addr;
}

static bool is_doubtful(const struct ksyms *ksyms, uint64_t addr)
{
	vec_for_each(&ksyms->doubtful, range)
		if (addr >= range->start && addr < range->end)
			return true;
	return false;
}

void ksyms_lookup(struct ksyms *ksyms, uint64_t addr, uint64_t time_ns, struct ksym_hit *hit)
{
	*hit = (struct ksym_hit){.part = KERNEL_IMAGE};
	if (ksyms->dirty)
		ksyms_sort(ksyms);
	if (is_doubtful(ksyms, addr))
		return;
	find_symbol(ksyms, addr, hit);
	if (hit->since_ns > time_ns) {
		*hit = (struct ksym_hit){.part = KERNEL_IMAGE, .since_ns = hit->since_ns};
		return;
	}
	/*
	 * An address in a module belongs to it also without a symbol. But since Linux 6.4 the size
	 * of a module counts all its ranges, so other code may lie inside. Then a symbol of that
	 * code wins.
	 */
	for (size_t m = 0; m < ksyms->modules.nr; m++) {
		const struct kernel_module *module = &ksyms->modules.data[m];

		if (!is_within(module, addr) || (hit->name && hit->start >= module->start))
			continue;
		*hit = (struct ksym_hit){.part = KERNEL_MODULE, .module = m};
		return;
	}
}

/* Is other code at @addr now? The first symbols, which are sorted, and the first modules say so. */
static bool is_taken(const struct ksyms *ksyms, size_t nr_syms, size_t nr_modules, uint64_t addr)
{
	size_t i = upper_bound(ksyms, nr_syms, addr);

	if (i && ksyms->syms.data[i - 1].addr == addr)
		return true;
	for (i = 0; i < nr_modules; i++)
		if (is_within(&ksyms->modules.data[i], addr))
			return true;
	return false;
}

/* The part in @ksyms for module @number of @old. @parts remembers the answers; 0: none yet. */
static int inherit_module(struct ksyms *ksyms, const struct ksyms *old, size_t number,
			  uint16_t *parts, uint16_t *part)
{
	int ret = 0;

	if (!parts[number]) {
		if (ksyms->modules.nr >= UINT16_MAX - KSYM_FIRST_MODULE)
			return -ENOMEM;
		ret = vec_push(&ksyms->modules, old->modules.data[number]);
		parts[number] = KSYM_FIRST_MODULE + ksyms->modules.nr - 1;
	}
	*part = parts[number];
	return ret;
}

static bool is_same_module(const struct kernel_module *a, const struct kernel_module *b)
{
	return a->start == b->start && a->end == b->end && a->inode == b->inode &&
	       !strcmp(a->name, b->name);
}

static bool has_module(const struct ksyms *ksyms, const struct kernel_module *module)
{
	vec_for_each(&ksyms->modules, m)
		if (is_same_module(m, module))
			return true;
	return false;
}

/* Notes the ranges of modules that went in which modules that came are now. */
static int note_doubtful(struct ksyms *ksyms, const struct ksyms *old)
{
	int ret = 0;

	vec_for_each(&old->modules, before) {
		if (has_module(ksyms, before))
			continue;
		vec_for_each(&ksyms->modules, now) {
			struct kernel_range both = {max_u64(now->start, before->start),
						    min_u64(now->end, before->end)};

			if (!ret && both.start < both.end && !has_module(old, now))
				ret = vec_push(&ksyms->doubtful, both);
		}
	}
	return ret;
}

int ksyms_inherit(struct ksyms *ksyms, const struct ksyms *old)
{
	_cleanup_free_ uint16_t *parts = calloc(old->modules.nr + 1, sizeof(*parts));
	size_t nr_syms, nr_modules = ksyms->modules.nr;
	int ret = 0;

	if (!parts || note_doubtful(ksyms, old))
		return -ENOMEM;
	if (ksyms->dirty)
		ksyms_sort(ksyms);
	nr_syms = ksyms->syms.nr;
	vec_for_each(&old->syms, sym) {
		struct ksym gone = {.addr = sym->addr, .part = sym->part, .gone = true};
		const char *name = old->names.data + sym->name;
		/* Code that was gone earlier can have no samples any more. */
		if (sym->part == KSYM_IMAGE || sym->gone ||
		    is_taken(ksyms, nr_syms, nr_modules, sym->addr))
			continue;
		if (sym->part >= KSYM_FIRST_MODULE)
			ret = inherit_module(ksyms, old, sym->part - KSYM_FIRST_MODULE, parts,
					     &gone.part);
		if (!ret && sym->part == KSYM_BPF)
			ret = add_program(ksyms, gone, *program_of(old, sym), name);
		else if (!ret)
			ret = ksyms_add_symbol(ksyms, gone, name);
		if (ret)
			return ret;
	}
	return 0;
}
