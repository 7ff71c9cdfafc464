/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files and the kernel that a test of probes meets; the Makefile names the functions. */
#ifndef TESTS_PLAYED_PLACES_H
#define TESTS_PLAYED_PLACES_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "record/probes/attach.h"
#include "record/probes/indirect_functions.h"
#include "record/probes/kernel_entries.h"
#include "record/probes/kernel_way.h"
#include "record/probes/probes.h"
#include "record/sampling/bpf/tracefs.h"
#include "record/host/privilege.h"
#include "tests/unit/suite.h"

#define PROGRAM 100
#define COPY    200

/* The attachments that were asked for. */
struct call {
	char way; /* t: tracepoint, u, U: user, k, K: kernel, e: entry; capitals are many at once */
	int program;
	uint64_t first; /* place */
	size_t nr;
	uint32_t event;
};

static struct {
	/* What is found. */
	bool has_category, has_library;
	size_t nr_tracepoints, nr_places, nr_indirect, nr_addrs, nr_entries;
	uint64_t nr_refused, nr_left_out;
	bool are_hidden, is_settled;
	enum kernel_way way;
	int library_error, find_error, resolve_error, way_error, entry_error, field_error;
	struct library libraries[4]; /* as process i + 1 sees it; the first is also the host's */
	/* What was asked for. */
	uint32_t opened[8];
	size_t nr_opened, nr_found, nr_usdt, nr_resolved, nr_explained;
	int second_fd, last_fd;
	/* The kernel refuses to attach to it; 0: to nothing. */
	uint64_t refused_place;
	int refusal, other_refusal; /* of it, and of all else */
	struct call calls[64];
	size_t nr_calls;
	const char *similar; /* what may be meant; NULL: nothing */
} played;

static struct probes probes;
static struct pattern pattern;
static struct err err;

static void begin(void)
{
	static char app[] = "app";

	memset(&played, 0, sizeof(played));
	played.libraries[0] = (struct library){.dev = 1, .inode = 1};
	pattern = (struct pattern){.place.text = app};
}

static void end(void)
{
	probes_deinit(&probes);
}

int __wrap_tracepoints_find(const struct pattern *p, const char *const *roots,
			    tracepoint_vec *found, struct err *error);
bool __wrap_tracepoints_have_category(const struct name_match *category, const char *const *roots);
int __wrap_tracefs_refuse(const char *const *roots, const char *event, struct err *error);
int __wrap_library_open(const char *name, uint32_t pid, struct library *library, struct err *error);
char *__wrap_similar_name_in_file(int fd, const struct pattern *p);
char *__wrap_meant_by_function(const struct pattern *p, const u32_vec *pids);
bool __wrap_library_exists(const char *name, const u32_vec *pids);
int __wrap_user_functions_find(int fd, const struct pattern *p, struct user_functions *found);
int __wrap_usdt_find(int fd, const struct pattern *p, struct user_functions *found);
int __wrap_indirect_functions_resolve(const struct library *library, const u32_vec *pids,
				      struct user_functions *found);
int __wrap_kernel_functions_find(const struct pattern *p, struct kernel_functions *found,
				 struct err *error);
int __wrap_kernel_entries_find(const struct pattern *p, const struct kernel_functions *functions,
			       u32_vec *btf_ids, name_vec *found, struct err *error);
int __wrap_kernel_way_choose(enum kernel_way *way, const char **reason);
int __wrap_hit_weight_find_field(struct hit_weight *weight, const tracepoint_vec *tracepoints,
				 struct err *error);
int __wrap_privilege_explain(int code, struct err *error);
const char *__wrap_privilege_hides_kallsyms(void);
int __wrap_attach_check_entry(uint32_t btf_id);
int __wrap_attach_tracepoint(int program, uint64_t id, uint32_t event);
int __wrap_attach_user(int program, int file, const struct user_place *place, uint32_t event);
int __wrap_attach_user_multi(int program, int file, const struct user_place *places, size_t nr,
			     uint32_t event);
int __wrap_attach_kernel(int program, uint64_t addr, uint32_t event);
int __wrap_attach_kernel_multi(int program, const uint64_t *addrs, size_t nr, uint32_t event);
int __wrap_attach_entry(int program, uint32_t event);
int __wrap_sampler_copy_entry(struct sampler *sampler, uint32_t btf_id);
int __wrap_sampler_hit_program(const struct sampler *sampler, enum hit_program which);

int __wrap_tracepoints_find(const struct pattern *p, const char *const *roots,
			    tracepoint_vec *found, struct err *error)
{
	(void)p, (void)roots;
	for (size_t i = 0; i < played.nr_tracepoints; i++)
		ck_assert_int_eq(vec_push(found, (struct tracepoint){.id = i + 1}), 0);
	return played.find_error ? err_set(error, played.find_error, "no tracefs") : 0;
}

bool __wrap_tracepoints_have_category(const struct name_match *category, const char *const *roots)
{
	(void)category, (void)roots;
	return played.has_category;
}

int __wrap_tracefs_refuse(const char *const *roots, const char *event, struct err *error)
{
	(void)roots;
	return err_set(error, -ENOENT, "no tracepoint %s", event);
}

int __wrap_library_open(const char *name, uint32_t pid, struct library *library, struct err *error)
{
	ck_assert_str_eq(name, "app");
	played.opened[played.nr_opened++] = pid;
	if (played.library_error)
		return err_set(error, played.library_error, "no library");
	*library = played.libraries[pid ? pid - 1 : 0];
	library->path = strdup("/bin/app");
	library->fd = played.last_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 50 + played.nr_opened);
	if (played.nr_opened == 2)
		played.second_fd = library->fd;
	return 0;
}

bool __wrap_library_exists(const char *name, const u32_vec *pids)
{
	(void)name, (void)pids;
	return played.has_library;
}

char *__wrap_similar_name_in_file(int fd, const struct pattern *p)
{
	ck_assert_int_eq(fd, played.last_fd);
	ck_assert_ptr_eq(p, &pattern);
	return played.similar ? strdup(played.similar) : NULL;
}

char *__wrap_meant_by_function(const struct pattern *p, const u32_vec *pids)
{
	ck_assert_ptr_eq(p, &pattern);
	ck_assert_ptr_nonnull(pids);
	return played.similar ? strdup(played.similar) : NULL;
}

static int find_places(struct user_functions *found)
{
	for (size_t i = 0; i < played.nr_places; i++)
		ck_assert_int_eq(
			vec_push(&found->places, (struct user_place){.off = 0x10 * (i + 1)}), 0);
	for (size_t i = 0; i < played.nr_indirect; i++)
		ck_assert_int_eq(vec_push(&found->indirect,
					  (struct indirect_function){.name = strdup("memcpy")}),
				 0);
	found->nr_refused = played.nr_refused;
	return played.find_error;
}

int __wrap_user_functions_find(int fd, const struct pattern *p, struct user_functions *found)
{
	(void)fd, (void)p;
	played.nr_found++;
	return find_places(found);
}

int __wrap_usdt_find(int fd, const struct pattern *p, struct user_functions *found)
{
	(void)fd, (void)p;
	played.nr_usdt++;
	return find_places(found);
}

int __wrap_indirect_functions_resolve(const struct library *library, const u32_vec *pids,
				      struct user_functions *found)
{
	(void)library, (void)pids;
	played.nr_resolved++;
	found->indirect.data[0].is_settled = played.is_settled;
	return played.resolve_error;
}

int __wrap_kernel_functions_find(const struct pattern *p, struct kernel_functions *found,
				 struct err *error)
{
	(void)p;
	for (size_t i = 0; i < played.nr_addrs; i++)
		ck_assert_int_eq(vec_push(&found->addrs, 0x10 * (i + 1)), 0);
	found->nr_left_out = played.nr_left_out;
	found->are_hidden = played.are_hidden;
	return played.find_error ? err_set(error, played.find_error, "no kallsyms") : 0;
}

int __wrap_kernel_entries_find(const struct pattern *p, const struct kernel_functions *functions,
			       u32_vec *btf_ids, name_vec *found, struct err *error)
{
	(void)p, (void)functions;
	ck_assert_ptr_null(found);
	for (size_t i = 0; i < played.nr_entries; i++)
		ck_assert_int_eq(vec_push(btf_ids, 10 * (i + 1)), 0);
	return played.resolve_error ? err_set(error, played.resolve_error, "no BTF") : 0;
}

int __wrap_kernel_way_choose(enum kernel_way *way, const char **reason)
{
	*way = played.way;
	*reason = "the reason";
	return played.way_error;
}

int __wrap_hit_weight_find_field(struct hit_weight *weight, const tracepoint_vec *tracepoints,
				 struct err *error)
{
	(void)tracepoints;
	weight->weight.at = 24;
	return played.field_error ? err_set(error, played.field_error, "no field") : 0;
}

int __wrap_privilege_explain(int code, struct err *error)
{
	(void)error;
	played.nr_explained++;
	return code;
}

const char *__wrap_privilege_hides_kallsyms(void)
{
	return "kptr_restrict";
}

int __wrap_attach_check_entry(uint32_t btf_id)
{
	ck_assert_uint_eq(btf_id, 10);
	return played.entry_error;
}

static int attach(char way, int program, uint64_t first, size_t nr, uint32_t event)
{
	bool is_refused = played.refused_place >= first && played.refused_place < first + 0x10 * nr;

	ck_assert_uint_lt(played.nr_calls, ARRAY_SIZE(played.calls));
	played.calls[played.nr_calls++] = (struct call){way, program, first, nr, event};
	if (is_refused && played.refusal)
		return played.refusal;
	return played.other_refusal ? played.other_refusal : open("/", O_PATH | O_CLOEXEC);
}

int __wrap_attach_tracepoint(int program, uint64_t id, uint32_t event)
{
	return attach('t', program, 0x10 * id, 1, event);
}

int __wrap_attach_user(int program, int file, const struct user_place *place, uint32_t event)
{
	ck_assert_int_ge(file, 0);
	return attach('u', program, place->off, 1, event);
}

int __wrap_attach_user_multi(int program, int file, const struct user_place *places, size_t nr,
			     uint32_t event)
{
	ck_assert_int_ge(file, 0);
	return attach('U', program, places[0].off, nr, event);
}

int __wrap_attach_kernel(int program, uint64_t addr, uint32_t event)
{
	return attach('k', program, addr, 1, event);
}

int __wrap_attach_kernel_multi(int program, const uint64_t *addrs, size_t nr, uint32_t event)
{
	return attach('K', program, addrs[0], nr, event);
}

int __wrap_attach_entry(int program, uint32_t event)
{
	return attach('e', program, 0x10 * (program - COPY) / 10, 1, event);
}

int __wrap_sampler_copy_entry(struct sampler *sampler, uint32_t btf_id)
{
	(void)sampler;
	return played.entry_error ? played.entry_error : (int)(COPY + btf_id);
}

int __wrap_sampler_hit_program(const struct sampler *sampler, enum hit_program which)
{
	(void)sampler;
	return PROGRAM + which;
}

#endif
