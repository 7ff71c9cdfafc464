// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/ksyms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/cleanup.h"
#include "common/readfile.h"

#define NOTES_MAX 65536

/* Kernel text is in the upper half; lower addresses are offsets into the per-CPU area. */
#define KERNEL_ADDR_MIN UINT64_C(0x00ffffffffffffff)

/* A BPF program's symbol is padded to this many bytes at least when its size is not known. */
#define NAME_MAX_BYTES 512

static void free_tables(struct ksyms *ksyms)
{
	vec_free(&ksyms->syms);
	vec_free(&ksyms->names);
	vec_free(&ksyms->modules);
	vec_free(&ksyms->added);
}

int ksyms_add_symbol(struct ksyms *ksyms, struct ksym sym, const char *name)
{
	int ret;

	sym.name = ksyms->names.nr;
	ret = vec_append(&ksyms->names, name, strlen(name) + 1);
	if (!ret)
		ret = vec_push(&ksyms->syms, sym);
	ksyms->dirty = true;
	return ret;
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
		ksyms->modules_hash = XXH3_64bits_withSeed(module.name, sizeof(module.name),
							   ksyms->modules_hash ^ module.start);
		if (vec_push(&ksyms->modules, module))
			return -ENOMEM;
	}
	return 0;
}

/* The module number of "[name]", added when /proc/modules did not have it. */
static int module_part(struct ksyms *ksyms, const char *name, uint16_t *part)
{
	struct kernel_module module = {0};
	size_t len = strcspn(name, "]");

	if (len == 3 && !strncmp(name, "bpf", 3)) {
		*part = KSYM_BPF;
		return 0;
	}
	/* Pseudo modules of ftrace and kprobes trampolines: "[__builtin__ftrace]". */
	if (!strncmp(name, "__builtin__", 11)) {
		*part = KSYM_IMAGE;
		return 0;
	}
	for (size_t i = 0; i < ksyms->modules.nr; i++) {
		if (strlen(ksyms->modules.data[i].name) == len &&
		    !strncmp(ksyms->modules.data[i].name, name, len)) {
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

/* Of several names at one address: global before weak before local, then as they come. */
static uint8_t rank_of(char type)
{
	return type == 'T' ? 0 : type == 'W' ? 1 : 2;
}

/* ffffffff81000000 T _stext\n  or  ffffffffc0a3d000 t nft_rx\t[nf_tables]\n */
static int read_kallsyms_line(struct ksyms *ksyms, char *line, bool *has_address)
{
	struct ksym sym = {0};
	char *p, *module;
	uint64_t addr = strtoull(line, &p, 16);
	int ret = 0;

	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ')
		return 0;
	*has_address |= addr != 0;
	if (!strcmp(p + 3, "_end\n"))
		ksyms->image_end = addr;
	if (!strchr("tTwW", p[1]) || addr < KERNEL_ADDR_MIN || addr == UINT64_MAX)
		return 0;
	sym.addr = addr;
	sym.rank = rank_of(p[1]);
	p += 3;
	p[strcspn(p, "\n")] = '\0';
	module = strchr(p, '\t');
	if (module) {
		*module = '\0';
		if (module[1] == '[')
			ret = module_part(ksyms, module + 2, &sym.part);
	}
	if (!strcmp(p, "_stext"))
		ksyms->stext = addr;
	return ret ? ret : ksyms_add_symbol(ksyms, sym, p);
}

int ksyms_read_kallsyms(struct ksyms *ksyms, FILE *f)
{
	char line[NAME_MAX_BYTES + 128];
	bool has_address = false;

	while (fgets(line, sizeof(line), f)) {
		int ret = read_kallsyms_line(ksyms, line, &has_address);

		if (ret)
			return ret;
	}
	ksyms->restricted = !has_address;
	return 0;
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

/* Once more from the beginning. The kernel shows now what it showed when the file was opened. */
static void reread(FILE *f)
{
	fflush(f); /* a rewind alone may find the old text in the buffer */
	rewind(f);
}

static int load_kallsyms(struct ksyms *ksyms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ksyms->read_ns = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	if (ksyms->kallsyms_file)
		return ksyms_read_kallsyms(ksyms, ksyms->kallsyms_file);
	ksyms->restricted = true;
	return 0;
}

int ksyms_load(struct ksyms *ksyms)
{
	int ret = read_kernel_build_id(ksyms);

	if (!ret)
		ret = open_text("/proc/modules", &ksyms->modules_file);
	if (!ret)
		ret = open_text("/proc/kallsyms", &ksyms->kallsyms_file);
	if (!ret && ksyms->modules_file)
		ret = ksyms_read_modules(ksyms, ksyms->modules_file);
	return ret ? ret : load_kallsyms(ksyms);
}

int ksyms_refresh(struct ksyms *ksyms)
{
	struct ksyms fresh = {
		.modules_file = ksyms->modules_file,
		.kallsyms_file = ksyms->kallsyms_file,
		.build_id = ksyms->build_id,
	};
	int ret;

	if (!fresh.modules_file || !fresh.kallsyms_file)
		return 0;
	reread(fresh.modules_file);
	ret = ksyms_read_modules(&fresh, fresh.modules_file);
	if (!ret && fresh.modules_hash != ksyms->modules_hash) {
		reread(fresh.kallsyms_file);
		ret = load_kallsyms(&fresh);
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
	return ret ? ret
		   : ksyms_add_symbol(ksyms, (struct ksym){.addr = addr, .part = KSYM_BPF},
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
