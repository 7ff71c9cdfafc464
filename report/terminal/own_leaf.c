// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/terminal/own_leaf.h"

#include <string.h>

/* Files of glibc and musl, and of their loaders, by the beginnings of their names. */
static const char *const c_library[] = {
	"libc.so", "libc-2.", "libpthread", "ld-linux", "ld-2.", "ld-musl", "libc.musl", NULL,
};

/* Functions of runtimes and standard libraries, by the beginnings of their names. */
static const char *const library_functions[] = {
	"runtime.", "syscall.", "internal/", "java.", "jdk.", "sun.", NULL,
};

/* Functions of the kernel that put a task to sleep. */
static const char *const scheduler[] = {
	"__schedule", "schedule", "io_schedule", "preempt_schedule", "__cond_resched", NULL,
};

static bool begins_with(const char *text, const char *const *beginnings)
{
	for (size_t i = 0; beginnings[i]; i++)
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static const struct model_object *object_of(const struct printout *p, uint32_t frame)
{
	const struct model *model = &p->rec->model;

	return &model->objects.data[model->frames.data[frame].object];
}

static const char *name_of(const struct printout *p, const struct row_side *side, uint32_t i)
{
	const struct resolved *resolved =
		symbols_frame(p->symbols, side->frames[i], i ? FRAME_CALLER : FRAME_LEAF);

	return string_set_get(&p->symbols->names, resolved->name);
}

/* Is a file of Python's standard library, and not of a package that was installed? */
static bool is_standard_library(const char *path)
{
	return path[0] == '<' || (strstr(path, "/lib/python3") && !strstr(path, "-packages/"));
}

/* Can the user have written the function at frame @i of @side? */
static bool is_own(const struct printout *p, const struct row_side *side, uint32_t i)
{
	const struct model *model = &p->rec->model;
	uint32_t frame = side->frames[i];
	const struct model_object *object = object_of(p, frame);
	const char *base = model_object_base(model, model->frames.data[frame].object);

	if (model_frame_is_source(model, frame))
		return base[0] &&
		       !is_standard_library(string_set_get(&model->strings, object->key.path)) &&
		       !begins_with(name_of(p, side, i), library_functions);
	return object->key.kind != PROF_OBJECT_NONE && object->key.kind != PROF_OBJECT_VDSO &&
	       !(object->language && object->language_role == PROF_LANGUAGE_INTERPRETER) &&
	       !begins_with(base, c_library) &&
	       !begins_with(name_of(p, side, i), library_functions);
}

/* Is frame @i of @side neither the C library's nor nobody's? */
static bool is_outside_libc(const struct printout *p, const struct row_side *side, uint32_t i)
{
	const struct model *model = &p->rec->model;
	uint32_t frame = side->frames[i];

	return object_of(p, frame)->key.kind != PROF_OBJECT_NONE &&
	       !begins_with(model_object_base(model, model->frames.data[frame].object), c_library);
}

static bool is_no_scheduler(const struct printout *p, const struct row_side *side, uint32_t i)
{
	return !begins_with(name_of(p, side, i), scheduler);
}

/*
 * Returns the first frame of @side from @first on for which @test is true, the number of frames if
 * there is none.
 */
static uint32_t find(const struct printout *p, const struct row_side *side, uint32_t first,
		     bool (*test)(const struct printout *, const struct row_side *, uint32_t))
{
	uint32_t i = first;

	while (i < side->nr && !test(p, side, i))
		i++;
	return i;
}

/* Returns 1 if the leaf of @row is a function that the recorder probed, and has a caller. */
static uint32_t nr_probed(const struct printout *p, const struct row_side *side)
{
	const struct prof_event *event = printed_event(p);

	return event && side->nr > 1 &&
	       (event->kind == PROF_EVENT_USER_CALLS || event->kind == PROF_EVENT_KERNEL_CALLS);
}

struct own_leaf own_leaf_find(const struct printout *p, const struct stack_row *row)
{
	struct own_leaf leaf = {0, row->kernel.nr};
	uint32_t first = row->kernel.nr ? 0 : nr_probed(p, &row->user);

	if (row->user.nr) {
		leaf.nr_user = find(p, &row->user, first, is_own);
		if (leaf.nr_user == row->user.nr)
			leaf.nr_user = find(p, &row->user, first, is_outside_libc);
		if (leaf.nr_user == row->user.nr)
			leaf.nr_user = first;
		return leaf;
	}
	first = nr_probed(p, &row->kernel);
	leaf.nr_kernel = find(p, &row->kernel, first, is_no_scheduler);
	if (leaf.nr_kernel == row->kernel.nr)
		leaf.nr_kernel = row->kernel.nr ? first : 0;
	return leaf;
}
