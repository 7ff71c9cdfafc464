// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/probes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/probes/attach.h"
#include "record/probes/indirect_functions.h"
#include "record/probes/kernel_entries.h"
#include "record/probes/kernel_way.h"
#include "record/probes/similar_names.h"
#include "record/sampling/bpf/event_names.h"
#include "record/sampling/bpf/tracefs.h"
#include "record/host/privilege.h"

/* A pattern that matches more would bring the host down. */
#define PLACES_MAX 65536

/* By fentry each function needs a program of its own, which takes memory and time to load. */
#define ENTRIES_MAX 128

static int out_of_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "failed to find the probes: out of memory");
}

/* Settles whether PLACE:NAME is a tracepoint or a function. */
static void settle_kind(struct pattern *p, const u32_vec *pids)
{
	if (p->kind != PATTERN_EITHER)
		return;
	if (tracepoints_have_category(&p->place, tracefs_roots))
		p->kind = PATTERN_TRACEPOINT;
	else
		p->kind = library_exists(p->place.text, pids) ? PATTERN_USER : PATTERN_TRACEPOINT;
}

static int find_tracepoints(struct probe_set *set, uint64_t *nr, struct err *err)
{
	int ret = tracepoints_find(set->pattern, tracefs_roots, &set->tracepoints, err);

	/* Without "t:", a library may be meant, which was not found either. */
	if (ret && (!strncmp(set->pattern->text, "t:", 2) || (ret != -ENOENT && ret != -EACCES)))
		return ret;
	*nr = set->tracepoints.nr;
	if (*nr)
		return 0;
	return tracefs_refuse(tracefs_roots, set->pattern->text, err);
}

static void close_file(struct probed_file *file)
{
	library_close(&file->library);
	user_functions_deinit(&file->functions);
}

static bool has_file(const struct probe_set *set, const struct library *library)
{
	vec_for_each(&set->files, file)
		if (file->library.dev == library->dev && file->library.inode == library->inode)
			return true;
	return false;
}

static int find_file_functions(const struct pattern *p, struct probed_file *file,
			       const u32_vec *pids)
{
	int ret;

	if (p->kind == PATTERN_USDT)
		return usdt_find(file->library.fd, p, &file->functions);
	ret = user_functions_find(file->library.fd, p, &file->functions);
	if (!ret && file->functions.indirect.nr)
		ret = indirect_functions_resolve(&file->library, pids, &file->functions);
	return ret;
}

/* Adds the places of the library as @pid, one of @pids, sees it. */
static int add_file(struct probe_set *set, uint32_t pid, const u32_vec *pids, struct err *err)
{
	const struct pattern *p = set->pattern;
	struct probed_file file = {.library.fd = -1};
	int ret = library_open(p->place.text, pid, &file.library, err);

	if (ret)
		return ret;
	if (has_file(set, &file.library)) {
		library_close(&file.library);
		return 0;
	}
	ret = find_file_functions(p, &file, pids);
	if (ret == -ERANGE)
		err_set(err, ret, "failed to find '%s': there is no code at this offset of '%s'",
			p->text, file.library.path);
	else if (ret)
		err_set(err, ret, "failed to read '%s': %s", file.library.path,
			ret == -ENOEXEC ? "not a whole ELF file of 64 bits"
			: ret == -E2BIG ? "too many functions, or symbols that repeat long names"
					: strerror(-ret));
	else if (vec_push(&set->files, file))
		ret = out_of_memory(err);
	if (ret)
		close_file(&file);
	return ret;
}

/* The first function of the file whose code nobody knows; NULL if there is none. */
static const char *unsettled_function(const struct probed_file *file)
{
	vec_for_each(&file->functions.indirect, function)
		if (!function->is_settled)
			return function->name;
	return NULL;
}

/* Says why no file has a place for a probe. */
static int refuse_places(const struct probe_set *set, bool has_pids, struct err *err)
{
	const struct pattern *p = set->pattern;
	const struct probed_file *file = &set->files.data[0];
	const char *name = unsettled_function(file), *path = file->library.path;
	_cleanup_free_ char *similar = NULL;

	if (name) {
		err_set(err, -ENOENT,
			"failed to find '%s': the code of '%s' is chosen when a program starts (IFUNC), and no %s tells which",
			p->text, name, has_pids ? "call of the process" : "process that runs");
		return err_hint(
			err, -ENOENT,
			"-p a process that has called it, or name the code itself: its symbol, or '%s:0xOFFSET'",
			p->place.text);
	}
	if (file->functions.nr_refused)
		return err_set(
			err, -EOPNOTSUPP,
			"failed to attach to '%s': the kernel would execute its first instruction wrongly at a probe (a prefix VEX or EVEX)",
			p->text);
	err_set(err, -ENOENT, "failed to find '%s': %s in '%s'", p->text,
		p->kind == PATTERN_USDT ? "no static probe (USDT) matches" : "no function matches",
		path);
	similar = similar_name_in_file(file->library.fd, p);
	if (similar)
		return err_hint(err, -ENOENT, "did you mean '%s'?", similar);
	return p->kind == PATTERN_USDT
		       ? err_hint(err, -ENOENT, "'profrec --list u:%s:' lists the static probes",
				  p->place.text)
		       : err_hint(
				 err, -ENOENT,
				 "without debug symbols, stripped files name exported functions only; '%s:0xOFFSET' counts at an offset in the file",
				 p->place.text);
}

static int find_places(struct probe_set *set, const u32_vec *pids, uint64_t *nr, struct err *err)
{
	int ret = pids->nr ? 0 : add_file(set, 0, pids, err);

	vec_for_each(pids, pid)
		if (!ret)
			ret = add_file(set, *pid, pids, err);
	if (ret)
		return ret;
	vec_for_each(&set->files, file)
		*nr += file->functions.places.nr;
	return *nr ? 0 : refuse_places(set, pids->nr, err);
}

/*
 * Finds the functions that can be probed by fentry, and whether the kernel allows it. @reason says
 * why nothing else is tried.
 */
static int find_entries(struct probe_set *set, const char *reason, uint64_t *nr, struct err *err)
{
	const struct pattern *p = set->pattern;
	int ret = kernel_entries_find(p, &set->functions, &set->entries, NULL, err);

	if (ret)
		return ret;
	set->functions.nr_left_out += *nr - set->entries.nr;
	*nr = set->entries.nr;
	if (!*nr) {
		err_set(err, -ENOENT,
			"failed to attach to '%s': %s: the types of the kernel (BTF) lack the function",
			p->text, reason);
		return err_hint(err, -ENOENT,
				"system calls have tracepoints: t:syscalls:sys_enter_NAME");
	}
	if (*nr > ENTRIES_MAX) {
		err_set(err, -E2BIG,
			"failed to attach to '%s': it matches %" PRIu64
			" functions, and %u are allowed by fentry",
			p->text, *nr, ENTRIES_MAX);
		return err_hint(
			err, -E2BIG,
			"choose a narrower pattern; a kernel with CONFIG_FPROBE or CONFIG_KPROBES allows more");
	}
	ret = attach_check_entry(set->entries.data[0]);
	if (!ret)
		return 0;
	err_set(err, ret, "failed to attach to '%s': %s: %s", p->text, reason, strerror(-ret));
	return ret == -EPERM || ret == -EACCES ? privilege_explain(ret, err) : ret;
}

static int refuse_kernel_function(const struct pattern *p, const u32_vec *pids, struct err *err)
{
	_cleanup_free_ char *other = meant_by_function(p, pids);

	err_set(err, -ENOENT, "failed to find '%s': no function of the kernel matches", p->text);
	if (other)
		return err_hint(err, -ENOENT, "did you mean '%s'?", other);
	return err_hint(
		err, -ENOENT,
		"LIB:FUNC names a function of a library, CATEGORY:EVENT a tracepoint; 'profrec --list' takes a part of a name");
}

static int find_kernel_functions(struct probe_set *set, const u32_vec *pids, enum kernel_way *way,
				 uint64_t *nr, struct err *err)
{
	const struct pattern *p = set->pattern;
	const char *reason;
	int ret = kernel_functions_find(p, &set->functions, err);

	if (ret)
		return ret;
	*nr = set->functions.addrs.nr;
	if (!*nr && set->functions.are_hidden)
		return err_set(err, -EPERM, "failed to find '%s': kernel addresses are hidden (%s)",
			       p->text, privilege_hides_kallsyms());
	if (!*nr && set->functions.nr_left_out) {
		err_set(err, -ENOENT,
			"failed to find '%s': the kernel allows no probe in the %" PRIu64
			" functions that match",
			p->text, set->functions.nr_left_out);
		return err_hint(
			err, -ENOENT,
			"inlined, or marked as notrace; available_filter_functions in tracefs lists the others");
	}
	if (!*nr)
		return refuse_kernel_function(p, pids, err);
	ret = kernel_way_choose(way, &reason);
	if (ret)
		return err_set(err, ret, "failed to attach to '%s': %s", p->text, reason);
	return *way == KERNEL_BY_FENTRY ? find_entries(set, reason, nr, err) : 0;
}

static enum prof_event_kind kind_of(const struct pattern *p)
{
	switch (p->kind) {
	case PATTERN_KERNEL:
		return PROF_EVENT_KERNEL_CALLS;
	case PATTERN_USER:
		return PROF_EVENT_USER_CALLS;
	case PATTERN_USDT:
		return PROF_EVENT_USDT;
	default:
		return PROF_EVENT_TRACEPOINT;
	}
}

static int find_all(struct probe_set *set, const u32_vec *pids, enum kernel_way *way, uint64_t *nr,
		    struct err *err)
{
	switch (set->pattern->kind) {
	case PATTERN_KERNEL:
		set->program = HIT_KERNEL_CALL;
		return find_kernel_functions(set, pids, way, nr, err);
	case PATTERN_USER:
	case PATTERN_USDT:
		set->program = HIT_USER_CALL;
		return find_places(set, pids, nr, err);
	default:
		set->program = HIT_TRACEPOINT;
		return find_tracepoints(set, nr, err);
	}
}

static int add_event(struct probes *probes, const struct prof_event *event,
		     const struct probe_set *set, const struct hit_weight *weight, struct err *err)
{
	const struct weight one = {0};

	if (probes->events.nr == PROF_MAX_EVENTS)
		return err_set(err, -E2BIG, "failed to record: more than %u events",
			       PROF_MAX_EVENTS);
	/* Both or none: each event has its set. */
	if (vec_reserve(&probes->events, 1) || vec_reserve(&probes->weights, 1) ||
	    vec_push(&probes->sets, *set))
		return out_of_memory(err);
	probes->has_weights |= weight != NULL;
	probes->weights.data[probes->weights.nr++] = weight ? weight->weight : one;
	probes->events.data[probes->events.nr++] = *event;
	return 0;
}

static void free_set(struct probe_set *set)
{
	tracepoints_free(&set->tracepoints);
	vec_for_each(&set->files, file)
		close_file(file);
	vec_free(&set->files);
	kernel_functions_deinit(&set->functions);
	vec_free(&set->entries);
}

/* Checks that the events of the set have such a weight, and finds it. */
static int set_weight(struct probe_set *set, struct hit_weight *weight, struct prof_event *event,
		      struct err *err)
{
	bool is_field = weight->weight.source == WEIGHT_FIELD;

	event->weight = weight->name;
	event->unit = weight->unit;
	if (is_field && event->kind == PROF_EVENT_TRACEPOINT) {
		set->program = HIT_WEIGHTED_TRACEPOINT;
		return hit_weight_find_field(weight, &set->tracepoints, err);
	}
	if (!is_field &&
	    (event->kind == PROF_EVENT_USER_CALLS || event->kind == PROF_EVENT_KERNEL_CALLS))
		return 0;
	err_set(err, -EINVAL, "failed to use '%s': '%s' has no %s", weight->name,
		set->pattern->text, is_field ? "fields" : "arguments");
	return err_hint(err, -EINVAL, "functions have arguments (arg1), tracepoints have fields");
}

int probes_add(struct probes *probes, struct pattern *pattern, struct hit_weight *weight,
	       const u32_vec *pids, struct err *err)
{
	struct probe_set set = {.pattern = pattern};
	struct prof_event event = {.name = pattern->text, .weight = ""};
	int ret;

	settle_kind(pattern, pids);
	ret = find_all(&set, pids, &probes->kernel_way, &event.nr_probes, err);
	if (!ret && event.nr_probes > PLACES_MAX) {
		ret = err_set(err, -E2BIG,
			      "failed to attach to '%s': it matches %" PRIu64
			      " functions, and %u are allowed",
			      pattern->text, event.nr_probes, PLACES_MAX);
		err_hint(err, ret, "choose a narrower pattern");
	}
	event.kind = kind_of(pattern);
	if (!ret && weight)
		ret = set_weight(&set, weight, &event, err);
	if (!ret)
		ret = add_event(probes, &event, &set, weight, err);
	if (ret)
		free_set(&set);
	else
		probes->hits[set.program] = true;
	return ret;
}

int probes_add_event(struct probes *probes, const struct prof_event *event, struct err *err)
{
	const struct probe_set set = {0};

	return add_event(probes, event, &set, NULL, err);
}

/* The attachment of one event, under way. */
struct attachment {
	struct probes *probes;
	struct sampler *sampler;
	int prog_fd;
	uint32_t event;
	int refusal; /* the first reason why the kernel refused a probe */
	uint64_t nr; /* probes that were attached */
};

/* Keeps a link, or notes that @nr probes were refused. Returns 0 or -ENOMEM. */
static int keep_link(struct attachment *a, int fd, size_t nr)
{
	if (fd == -ENOMEM)
		return fd;
	if (fd < 0) {
		a->refusal = a->refusal ? a->refusal : fd;
		a->probes->nr_unattached[a->event] += nr;
		return 0;
	}
	if (vec_push(&a->probes->links, fd)) {
		close(fd);
		return -ENOMEM;
	}
	a->nr += nr;
	return 0;
}

static int attach_places(struct attachment *a, int file_fd, const struct user_place *places,
			 size_t nr)
{
	int fd, ret = 0;

	if (!a->probes->has_user_multi) {
		for (size_t i = 0; i < nr && !ret; i++)
			ret = keep_link(a, attach_user(a->prog_fd, file_fd, &places[i], a->event),
					1);
		return ret;
	}
	fd = attach_user_multi(a->prog_fd, file_fd, places, nr, a->event);
	/* The kernel refuses all for the sake of one. Halves find the one. */
	if (fd >= 0 || fd == -ENOMEM || fd == -EPERM || nr == 1)
		return keep_link(a, fd, nr);
	ret = attach_places(a, file_fd, places, nr / 2);
	return ret ? ret : attach_places(a, file_fd, places + nr / 2, nr - nr / 2);
}

static int attach_functions(struct attachment *a, const uint64_t *addrs, size_t nr)
{
	int fd, ret = 0;

	if (a->probes->kernel_way == KERNEL_BY_KPROBE) {
		for (size_t i = 0; i < nr && !ret; i++)
			ret = keep_link(a, attach_kernel(a->prog_fd, addrs[i], a->event), 1);
		return ret;
	}
	fd = attach_kernel_multi(a->prog_fd, addrs, nr, a->event);
	if (fd >= 0 || fd == -ENOMEM || fd == -EPERM || nr == 1)
		return keep_link(a, fd, nr);
	ret = attach_functions(a, addrs, nr / 2);
	return ret ? ret : attach_functions(a, addrs + nr / 2, nr - nr / 2);
}

/* Attaches a copy of the program to each function. */
static int attach_entries(struct attachment *a, const u32_vec *btf_ids)
{
	int ret = 0;

	for (size_t i = 0; i < btf_ids->nr && !ret; i++) {
		int fd = sampler_copy_entry(a->sampler, btf_ids->data[i]);

		ret = keep_link(a, fd < 0 ? fd : attach_entry(fd, a->event), 1);
	}
	return ret;
}

static int attach_set(struct attachment *a, const struct probe_set *set)
{
	int ret = 0;

	vec_for_each(&set->tracepoints, t)
		if (!ret)
			ret = keep_link(a, attach_tracepoint(a->prog_fd, t->id, a->event), 1);
	vec_for_each(&set->files, file)
		if (!ret && file->functions.places.nr)
			ret = attach_places(a, file->library.fd, file->functions.places.data,
					    file->functions.places.nr);
	if (!ret && set->entries.nr)
		ret = attach_entries(a, &set->entries);
	else if (!ret && set->functions.addrs.nr)
		ret = attach_functions(a, set->functions.addrs.data, set->functions.addrs.nr);
	return ret;
}

/* Functions that match the pattern, and are not even tried. */
static uint64_t nr_left_out(const struct probe_set *set)
{
	uint64_t nr = set->functions.nr_left_out;

	vec_for_each(&set->files, file) {
		nr += file->functions.nr_refused;
		vec_for_each(&file->functions.indirect, function)
			nr += !function->is_settled;
	}
	return nr;
}

uint32_t probes_first_entry(const struct probes *probes)
{
	vec_for_each(&probes->sets, set)
		if (set->entries.nr)
			return set->entries.data[0];
	return 0;
}

int probes_attach(struct probes *probes, struct sampler *sampler, struct err *err)
{
	for (uint32_t i = 0; i < probes->sets.nr; i++) {
		const struct probe_set *set = &probes->sets.data[i];
		struct attachment a = {.probes = probes, .sampler = sampler, .event = i};
		int ret;

		if (!set->pattern)
			continue;
		a.prog_fd = sampler_hit_program(sampler, set->program);
		ret = attach_set(&a, set);
		if (ret)
			return out_of_memory(err);
		probes->nr_unattached[i] += nr_left_out(set);
		if (!a.nr) {
			err_set(err, a.refusal, "failed to attach to '%s': %s", set->pattern->text,
				strerror(-a.refusal));
			return a.refusal == -EPERM || a.refusal == -EACCES
				       ? privilege_explain(a.refusal, err)
				       : a.refusal;
		}
		probes->events.data[i].nr_probes = a.nr;
	}
	return 0;
}

void probes_detach(struct probes *probes)
{
	vec_for_each(&probes->links, fd)
		close(*fd);
	vec_clear(&probes->links);
}

/* One byte is as good as all. */
#define MAPPED_BYTES 1

size_t probes_map_files(struct probes *probes)
{
	size_t nr = 0;

	vec_for_each(&probes->sets, set)
		vec_for_each(&set->files, file) {
			void *mapped = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE,
					    file->library.fd, 0);

			file->mapped = mapped == MAP_FAILED ? NULL : mapped;
			nr += file->mapped != NULL;
		}
	return nr;
}

void probes_unmap_files(struct probes *probes)
{
	vec_for_each(&probes->sets, set)
		vec_for_each(&set->files, file)
			if (file->mapped)
				munmap(file->mapped, MAPPED_BYTES);
}

void probes_deinit(struct probes *probes)
{
	probes_detach(probes);
	vec_free(&probes->links);
	vec_for_each(&probes->sets, set)
		free_set(set);
	vec_free(&probes->sets);
	vec_free(&probes->weights);
	vec_free(&probes->events);
}
