// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/sample_filter.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/cgroup_facts.h"
#include "common/cleanup.h"
#include "report/model/container_label.h"
#include "report/model/row_changes.h"
#include "report/view/request_label.h"
#include "report/view/rows.h"

#define REASON_BYTES 128

#define FILTER_ROW(type, field, long_name, ...)                                                    \
	OPTION_ROW(struct sample_filter, type, field, long_name, 0, __VA_ARGS__)

const struct option_spec filter_options[NR_FILTER_STEPS] = {
	[FILTER_COMM] = FILTER_ROW(
		OPTION_STRINGS, comms, "comm", .metavar = "NAME",
		.help = "only samples of threads of this name; may be given several times"),
	[FILTER_PID] = FILTER_ROW(OPTION_PIDS, pids, "pid", .metavar = "PID[,PID...]",
				  .help = "only samples of these processes"),
	[FILTER_TID] = FILTER_ROW(
		OPTION_TIDS, tids, "tid", .metavar = "TID[,TID...]",
		.help = "only samples of these threads, where the recording has ids of threads"),
	[FILTER_CGROUP] = FILTER_ROW(
		OPTION_STRINGS, cgroups, "cgroup", .metavar = "PATH|NAME",
		.help = "only samples of this cgroup, or of those of this name, and those below it; may be given several times"),
	[FILTER_CONTAINER] = FILTER_ROW(
		OPTION_STRINGS, containers, "container", .metavar = "ID",
		.help = "only samples of the container whose id begins so, or of this name; may be given several times"),
	[FILTER_POD] = FILTER_ROW(
		OPTION_STRINGS, pods, "pod", .metavar = "UID",
		.help = "only samples of the pod whose uid begins so, or of this name; may be given several times"),
	[FILTER_UNIT] = FILTER_ROW(
		OPTION_STRINGS, units, "systemd-unit", .metavar = "NAME",
		.help = "only samples of this service or scope of systemd; may be given several times"),
	[FILTER_SERVICE] = FILTER_ROW(
		OPTION_STRINGS, services, "service", .metavar = "NAME",
		.help = "only samples of this service, as --by service names it; may be given several times"),
	[FILTER_LABEL] = FILTER_ROW(
		OPTION_STRINGS, labels, "with-label", .metavar = "KEY[=VALUE]",
		.help = "only samples of requests with this label, as http.route=/cart, or with any value of it; may be given several times"),
	[FILTER_DSO] = FILTER_ROW(
		OPTION_STRINGS, dsos, "dso", .metavar = "FILE",
		.help = "only stacks with a frame in this file or module; may be given several times"),
	[FILTER_FUNCTION] = FILTER_ROW(OPTION_STRING, function, "function", .metavar = "REGEX",
				       .help = "only stacks with a function that matches"),
	[FILTER_IGNORE] = FILTER_ROW(OPTION_STRING, ignore, "ignore", .metavar = "REGEX",
				     .help = "no stacks with a function that matches"),
	[FILTER_MIN_SAMPLES] =
		FILTER_ROW(OPTION_U64, min_samples, "min-samples", .metavar = "N", .min = 1,
			   .max = UINT64_MAX, .help = "only stacks with at least N samples"),
};

bool sample_filter_has(const struct sample_filter *filter, enum filter_step step)
{
	const struct option_spec *option = &filter_options[step];
	const void *value = (const char *)filter + option->offset;

	switch (option->type) {
	case OPTION_STRINGS:
		return ((const string_vec *)value)->nr;
	case OPTION_PIDS:
	case OPTION_TIDS:
		return ((const u32_vec *)value)->nr;
	case OPTION_STRING:
		return *(const char *const *)value;
	default:
		return *(const uint64_t *)value;
	}
}

bool sample_filter_is_set(const struct sample_filter *filter)
{
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++)
		if (sample_filter_has(filter, step))
			return true;
	return false;
}

/*
 * Users copy names from where they are printed, and from other programs. So a name with escapes
 * means itself, and the name whose printed form it is.
 */
static int add_printed(const string_vec *names, struct arena *arena, string_vec *both)
{
	int ret = 0;

	vec_for_each(names, it) {
		char *bytes = arena_copy(arena, *it, strlen(*it));

		if (!bytes)
			return -ENOMEM;
		bytes[text_unescape(bytes, strlen(bytes))] = '\0';
		ret = ret ? ret : vec_push(both, *it);
		ret = ret ? ret : vec_push(both, bytes);
	}
	return ret;
}

/* Returns the names that @filter has for @step, NULL if the step takes no names. */
static string_vec *step_names(struct sample_filter *filter, enum filter_step step)
{
	return filter_options[step].type == OPTION_STRINGS
		       ? (void *)((char *)filter + filter_options[step].offset)
		       : NULL;
}

/* Makes a filter that also knows names as they are printed. Call free_names in all cases. */
static int take_printed_names(const struct sample_filter *filter, struct arena *arena,
			      struct sample_filter *wider)
{
	struct sample_filter given = *filter;
	int ret = 0;

	*wider = *filter;
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++) {
		string_vec *names = step_names(wider, step);

		if (!names)
			continue;
		*names = (string_vec){0};
		ret = ret ? ret : add_printed(step_names(&given, step), arena, names);
	}
	return ret;
}

static void free_names(struct sample_filter *wider)
{
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++)
		if (step_names(wider, step))
			vec_free(step_names(wider, step));
}

/* The rows that the filters have left so far. */
struct filtering {
	const struct sample_filter *filter;
	struct model *model;
	const struct view *view;
	const struct event_choice *events;
	struct filter_account *account;
	bool *is_kept; /* by row */
};

static bool is_row_chosen(const struct filtering *f, const struct prof_count *row)
{
	return row->event - f->events->first < f->events->nr;
}

static uint64_t count_kept(const struct filtering *f)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < f->model->rows.nr; i++)
		nr += f->is_kept[i] && is_row_chosen(f, &f->model->rows.data[i]);
	return nr;
}

static bool has_string(const string_vec *wanted, const char *text)
{
	vec_for_each(wanted, it)
		if (!strcmp(*it, text))
			return true;
	return false;
}

static int filter_comms(struct filtering *f)
{
	for (size_t i = 0; i < f->model->rows.nr; i++)
		f->is_kept[i] &=
			has_string(&f->filter->comms,
				   string_set_get(&f->model->strings, f->model->rows.data[i].comm));
	return 0;
}

static const struct model_process *row_process(const struct filtering *f, size_t row)
{
	return &f->model->processes.data[f->model->rows.data[row].process];
}

static bool has_id(const u32_vec *wanted, uint32_t id)
{
	vec_for_each(wanted, it)
		if (*it == id)
			return true;
	return false;
}

static int filter_processes(struct filtering *f)
{
	for (size_t i = 0; i < f->model->rows.nr; i++)
		f->is_kept[i] &= has_id(&f->filter->pids, row_process(f, i)->pid);
	return 0;
}

static int filter_threads(struct filtering *f)
{
	for (size_t i = 0; i < f->model->rows.nr; i++)
		f->is_kept[i] &= has_id(&f->filter->tids, f->model->rows.data[i].tid);
	return 0;
}

static bool is_in_cgroup(const string_vec *wanted, const char *path)
{
	vec_for_each(wanted, it)
		if (cgroup_is_within(path, *it))
			return true;
	return false;
}

static int filter_cgroups(struct filtering *f)
{
	for (size_t i = 0; i < f->model->rows.nr; i++) {
		uint32_t cgroup = row_process(f, i)->info.cgroup;

		f->is_kept[i] &= is_in_cgroup(&f->filter->cgroups,
					      string_set_get(&f->model->strings, cgroup));
	}
	return 0;
}

/* Does the user want the container, pod or unit @name? */
static bool is_in_cgroup_part(const string_vec *wanted, struct cgroup_name name)
{
	vec_for_each(wanted, it)
		if (cgroup_name_is_meant(name, *it))
			return true;
	return false;
}

/* Does the user want the container or pod of @process by the name that its engine gave it? */
static bool has_wanted_name(const struct model *model, const struct model_process *process,
			    const string_vec *wanted, enum cgroup_part part)
{
	vec_for_each(wanted, it) {
		if (part == CGROUP_CONTAINER && container_has_name(model, process, *it))
			return true;
		if (part == CGROUP_POD && pod_has_name(model, process, *it))
			return true;
	}
	return false;
}

/* A path is read once for each process, which can have many rows. */
static int filter_cgroup_parts(struct filtering *f, enum cgroup_part part, const string_vec *wanted)
{
	const struct model *model = f->model;
	_cleanup_free_ bool *is_wanted = calloc(model->processes.nr, sizeof(*is_wanted));
	struct cgroup_name name;

	if (!is_wanted)
		return -ENOMEM;
	for (size_t i = 0; i < model->processes.nr; i++) {
		const struct model_process *process = &model->processes.data[i];
		const char *cgroup = string_set_get(&model->strings, process->info.cgroup);

		is_wanted[i] =
			has_wanted_name(model, process, wanted, part) ||
			(cgroup_part_find(cgroup, part, &name) && is_in_cgroup_part(wanted, name));
	}
	for (size_t i = 0; i < model->rows.nr; i++)
		f->is_kept[i] &= is_wanted[model->rows.data[i].process];
	return 0;
}

static bool is_wanted_service(const string_vec *wanted, const char *name)
{
	vec_for_each(wanted, it)
		if (!strcmp(name, *it))
			return true;
	return false;
}

static int filter_services(struct filtering *f)
{
	const struct model *model = f->model;
	_cleanup_free_ bool *is_wanted = calloc(model->processes.nr, sizeof(*is_wanted));
	struct textbuf name = {.fd = -1};
	int ret = is_wanted ? 0 : -ENOMEM;

	for (size_t i = 0; i < model->processes.nr && !ret; i++) {
		name.nr = 0;
		owner_put(model, &model->processes.data[i], OWNER_SERVICE, &name);
		textbuf_char(&name, '\0');
		ret = name.error;
		is_wanted[i] = !ret && is_wanted_service(&f->filter->services, name.data);
	}
	for (size_t i = 0; i < model->rows.nr && !ret; i++)
		f->is_kept[i] &= is_wanted[model->rows.data[i].process];
	textbuf_deinit(&name);
	return ret;
}

static int filter_labels(struct filtering *f)
{
	const struct model *model = f->model;

	for (size_t i = 0; i < model->rows.nr; i++)
		f->is_kept[i] &=
			request_label_has(model, model->rows.data[i].label_set, &f->filter->labels);
	return 0;
}

/* Keeps the rows some of whose shown stacks has @is_wanted, or no row that has. */
static void filter_by_stacks(struct filtering *f, const bool *has, bool is_wanted)
{
	for (size_t i = 0; i < f->model->rows.nr; i++) {
		const struct prof_count row = row_shown_sides(f->view, f->model->rows.data[i]);
		bool has_any = has[row.user_stack] || has[row.kernel_stack] ||
			       has[row.waker_user_stack] || has[row.waker_kernel_stack];

		f->is_kept[i] &= has_any == is_wanted;
	}
}

static const uint32_t *stack_frames(const struct model *model, const struct model_stack *stack)
{
	return model->stack_frames.data + stack->first_frame;
}

static int filter_dsos(struct filtering *f)
{
	const struct model *model = f->model;
	_cleanup_free_ bool *is_wanted = calloc(model->objects.nr, sizeof(*is_wanted));
	_cleanup_free_ bool *has = calloc(model->stacks.nr, sizeof(*has));

	if (!is_wanted || !has)
		return -ENOMEM;
	for (size_t i = 0; i < model->objects.nr; i++)
		is_wanted[i] = has_string(&f->filter->dsos, model_object_base(model, i)) ||
			       has_string(&f->filter->dsos,
					  string_set_get(&model->strings,
							 model->objects.data[i].key.path));
	for (size_t i = 0; i < model->stacks.nr; i++) {
		const struct model_stack *stack = &model->stacks.data[i];

		for (uint32_t k = 0; k < stack->nr_frames && !has[i]; k++)
			has[i] =
				is_wanted[model->frames.data[stack_frames(model, stack)[k]].object];
	}
	filter_by_stacks(f, has, true);
	return 0;
}

/* The functions that match a regular expression, each looked at once. */
struct function_search {
	regex_t regex;
	struct labels labels; /* plain texts: names without offsets, modules and marks */
	struct textbuf text;
	uint8_t *known; /* [frame * NR_FRAME_PLACES + place]; 0: not looked at, else 1 + match */
};

/* Does the text in search->text match as it is printed, or as it is? */
static bool text_matches(struct function_search *search)
{
	char *text = search->text.data;

	if (!regexec(&search->regex, text, 0, NULL, 0))
		return true;
	if (!strchr(text, '\\'))
		return false;
	text[text_unescape(text, strlen(text))] = '\0';
	return !regexec(&search->regex, text, 0, NULL, 0);
}

static bool frame_matches(struct function_search *search, uint32_t frame, enum frame_place place)
{
	uint8_t *known = &search->known[(size_t)frame * NR_FRAME_PLACES + place];

	if (*known)
		return *known > 1;
	*known = 1;
	for (uint32_t i = 0; i < labels_nr_parts(&search->labels, frame, place); i++) {
		search->text.nr = 0;
		labels_part(&search->labels, &search->text, frame, place, i);
		textbuf_char(&search->text, '\0');
		if (!search->text.error && text_matches(search))
			*known = 2;
	}
	return *known > 1;
}

static int find_matches(const struct filtering *f, struct function_search *search, bool *has)
{
	const struct model *model = f->model;
	_cleanup_free_ bool *is_used = calloc(model->stacks.nr, sizeof(*is_used));

	if (!is_used)
		return -ENOMEM;
	model_find_used_stacks(model, f->is_kept, is_used);
	for (size_t i = 0; i < model->stacks.nr; i++) {
		const struct model_stack *stack = &model->stacks.data[i];

		for (uint32_t k = 0; is_used[i] && k < stack->nr_frames && !has[i]; k++)
			has[i] = frame_matches(search, stack_frames(model, stack)[k],
					       k ? FRAME_CALLER : FRAME_LEAF);
	}
	return search->text.error;
}

/* Notes in @has the stacks with a function that matches @pattern. */
static int search_functions(const struct filtering *f, const struct symbols *symbols,
			    const char *pattern, bool *has)
{
	const struct view plain = {
		.folded = f->view->folded,
		.inlines = f->view->inlines,
		.unnamed = view_unnamed(f->view),
	};
	const struct model *model = f->model;
	struct function_search search = {.text.fd = -1};
	int ret;

	if (regcomp(&search.regex, pattern, REG_EXTENDED | REG_NOSUB))
		return -ENOMEM; /* sample_filter_check has refused wrong ones */
	search.known = calloc(model->frames.nr * NR_FRAME_PLACES + 1, sizeof(*search.known));
	ret = search.known ? labels_init(&search.labels, model, symbols, &plain) : -ENOMEM;
	if (!ret)
		ret = find_matches(f, &search, has);
	labels_deinit(&search.labels);
	textbuf_deinit(&search.text);
	free(search.known);
	regfree(&search.regex);
	return ret;
}

static int filter_functions(struct filtering *f, const struct symbols *symbols, const char *pattern,
			    bool is_wanted)
{
	_cleanup_free_ bool *has = calloc(f->model->stacks.nr, sizeof(*has));
	int ret = has ? search_functions(f, symbols, pattern, has) : -ENOMEM;

	if (!ret)
		filter_by_stacks(f, has, is_wanted);
	return ret;
}

/* A stack is text here: a thread name, where the event has them, and functions. */
static int filter_rare(struct filtering *f, const struct symbols *symbols,
		       const struct prof_meta *meta)
{
	struct view view = *f->view;
	_cleanup_free_ uint64_t *sums = calloc(f->model->rows.nr + 1, sizeof(*sums));
	int ret = sums ? 0 : -ENOMEM;

	view.folded = true;
	view.unnamed = view_unnamed(f->view);
	for (uint32_t i = 0; i < f->events->nr && !ret; i++) {
		view.event = f->events->first + i;
		view.per_process = f->view->per_process || !event_has_hits(meta, view.event);
		ret = rows_sum_alike(f->model, symbols, &view, sums);
	}
	for (size_t i = 0; i < f->model->rows.nr; i++)
		f->is_kept[i] &= !ret && sums[i] >= f->filter->min_samples;
	return ret;
}

/* The facts that filters by names need. All NULL for the others. */
struct name_facts {
	const struct symbols *symbols;
	const struct prof_meta *meta;
};

static int run_step(struct filtering *f, enum filter_step step, const struct name_facts *facts)
{
	switch (step) {
	case FILTER_COMM:
		return filter_comms(f);
	case FILTER_PID:
		return filter_processes(f);
	case FILTER_TID:
		return filter_threads(f);
	case FILTER_CGROUP:
		return filter_cgroups(f);
	case FILTER_CONTAINER:
		return filter_cgroup_parts(f, CGROUP_CONTAINER, &f->filter->containers);
	case FILTER_POD:
		return filter_cgroup_parts(f, CGROUP_POD, &f->filter->pods);
	case FILTER_UNIT:
		return filter_cgroup_parts(f, CGROUP_UNIT, &f->filter->units);
	case FILTER_SERVICE:
		return filter_services(f);
	case FILTER_LABEL:
		return filter_labels(f);
	case FILTER_DSO:
		return filter_dsos(f);
	case FILTER_FUNCTION:
		return filter_functions(f, facts->symbols, f->filter->function, true);
	case FILTER_IGNORE:
		return filter_functions(f, facts->symbols, f->filter->ignore, false);
	case FILTER_MIN_SAMPLES:
		return filter_rare(f, facts->symbols, facts->meta);
	case NR_FILTER_STEPS:
		break;
	}
	return -EINVAL;
}

/*
 * Runs the steps in [@first, @end) that the user wants, and takes the other rows out. They choose
 * either owners of samples, which make the whole, or stacks, which are a part of it.
 */
static int run_steps(struct filtering *f, enum filter_step first, enum filter_step end,
		     const struct name_facts *facts)
{
	size_t nr = f->model->rows.nr;
	_cleanup_free_ bool *is_kept = malloc(nr + 1);
	bool has_any = false;
	int ret = is_kept ? 0 : -ENOMEM;

	f->is_kept = is_kept;
	if (!ret)
		memset(is_kept, true, nr);
	for (enum filter_step step = first; step < end && !ret; step++) {
		if (!sample_filter_has(f->filter, step))
			continue;
		has_any = true;
		ret = run_step(f, step, facts);
		if (!ret)
			f->account->left[step] += count_kept(f);
	}
	if (!ret && has_any && first >= FILTER_DSO)
		ret = model_leave_out_rows(f->model, is_kept);
	return ret || !has_any ? ret : model_change_rows(f->model, is_kept, NULL);
}

int sample_filter_before_names(const struct sample_filter *filter, struct model *model,
			       const struct view *view, const struct event_choice *events,
			       struct filter_account *account)
{
	const struct name_facts no_facts = {0};
	struct sample_filter wider;
	struct filtering f = {&wider, model, view, events, account, NULL};
	struct arena arena = {0};
	int ret = take_printed_names(filter, &arena, &wider);

	vec_for_each(&model->rows, row)
		account->nr_rows += is_row_chosen(&f, row);
	if (!ret)
		ret = run_steps(&f, FILTER_COMM, FILTER_DSO, &no_facts);
	if (!ret)
		ret = run_steps(&f, FILTER_DSO, FILTER_FUNCTION, &no_facts);
	free_names(&wider);
	arena_deinit(&arena);
	return ret;
}

int sample_filter_by_names(const struct sample_filter *filter, struct model *model,
			   const struct symbols *symbols, const struct view *view,
			   const struct prof_meta *meta, const struct event_choice *events,
			   struct filter_account *account)
{
	const struct name_facts facts = {symbols, meta};
	struct filtering f = {filter, model, view, events, account, NULL};

	return run_steps(&f, FILTER_FUNCTION, NR_FILTER_STEPS, &facts);
}

static int check_regex(const char *option, const char *pattern, struct err *err)
{
	char reason[REASON_BYTES];
	regex_t regex;
	int code;

	if (!pattern)
		return 0;
	code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (!code) {
		regfree(&regex);
		return 0;
	}
	regerror(code, &regex, reason, sizeof(reason));
	return err_set(err, -EINVAL, "option --%s: '%s' is no regular expression: %s", option,
		       pattern, reason);
}

int sample_filter_check(const struct sample_filter *filter, struct err *err)
{
	int ret = check_regex("function", filter->function, err);

	return ret ? ret : check_regex("ignore", filter->ignore, err);
}

/* Writes the names of the steps before @step that the user wants: " of --comm, --pid". */
static void list_steps(const struct sample_filter *filter, enum filter_step step,
		       struct textbuf *out)
{
	uint32_t nr = 0;

	for (enum filter_step i = 0; i < step; i++)
		if (sample_filter_has(filter, i))
			textbuf_printf(out, "%s--%s", nr++ ? ", " : " of ", filter_options[i].name);
	textbuf_char(out, '\0');
}

/* Returns the hint for a filter whose values a command lists, NULL for the others. */
static const char *step_hint(enum filter_step step)
{
	if (step == FILTER_TID)
		return "'profrep top --by thread' lists ids of threads; profrec records them with -p, -L, a command or --threads";
	if (step == FILTER_LABEL)
		return "'profrep info' lists the keys of labels, and 'profrep top --by-label KEY' their values; profrec --labels chooses the keys";
	if (step <= FILTER_SERVICE)
		return "'profrep processes' lists threads, process ids, cgroups and what these say";
	if (step == FILTER_DSO)
		return "'profrep files' lists files and modules";
	return step == FILTER_FUNCTION ? "'profrep top' lists the functions that have samples"
				       : NULL;
}

int filter_account_check(const struct filter_account *account, const struct sample_filter *filter,
			 const char *name, struct err *err)
{
	struct textbuf before = {.fd = -1};
	enum filter_step step = 0;

	while (step < NR_FILTER_STEPS && (!sample_filter_has(filter, step) || account->left[step]))
		step++;
	if (!account->nr_rows || step == NR_FILTER_STEPS)
		return 0;
	list_steps(filter, step, &before);
	err_set(err, -ENOENT, "failed to select from '%s': --%s leaves no samples%s", name,
		filter_options[step].name, before.error ? "" : before.data);
	textbuf_deinit(&before);
	return step_hint(step) ? err_hint(err, -ENOENT, "%s", step_hint(step)) : -ENOENT;
}
