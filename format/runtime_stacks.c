// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/runtime_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* The names begin as in record/languages/files/, and the first row that fits counts. */
static const struct {
	const char *name, *help;
} helps[] = {
	{"Guile", "GUILE_JIT_THRESHOLD=-1 in its environment makes them complete"},
	{"Mono", "MONO_ENV_OPTIONS=--jitmap in its environment gives functions their names"},
	{".NET", "DOTNET_PerfMapEnabled=1 in its environment gives functions their names"},
	{"PostgreSQL",
	 "jit_debugging_support=on, an option of the server, makes them complete and names functions"},
	{"V8 of Chromium", NULL},
	{"V8", "--perf-basic-prof, an option of node, gives functions their names"},
	{"HotSpot", "jcmd PID Compiler.perfmap gives functions their names"},
};

/* Executables whose processes need not have a sampled file that tells the runtime. */
static const struct {
	const char *file, *name;
} executables[] = {
	{"postgres", "PostgreSQL with LLVM"},
	{"racket", "Racket"},
};

static bool is_broken(enum prof_stack_end end)
{
	return end == PROF_STACK_STRAYED || end == PROF_STACK_NO_TABLE ||
	       end == PROF_STACK_BAD_RULE || end == PROF_STACK_UNREADABLE;
}

const char *runtime_of_executable(const char *exe)
{
	const char *slash = strrchr(exe, '/');

	for (size_t i = 0; i < ARRAY_SIZE(executables); i++)
		if (!strcmp(slash ? slash + 1 : exe, executables[i].file))
			return executables[i].name;
	return NULL;
}

/* Puts the version of each runtime without support into the element of its object. */
static void find_objects(const struct prof_epoch *epoch, uint32_t *versions)
{
	for (uint32_t i = 0; i < epoch->nr_languages; i++)
		if (epoch->languages[i].role == PROF_LANGUAGE_UNSUPPORTED)
			versions[epoch->languages[i].object] = epoch->languages[i].version;
}

/* Puts the name of the runtime of each process into its element. */
static void find_processes(const struct prof_epoch *epoch, const uint32_t *versions,
			   const char **names)
{
	for (uint32_t i = 0; i < epoch->nr_process_infos; i++) {
		const struct prof_process_info *info = &epoch->process_infos[i];

		names[info->process] = runtime_of_executable(epoch->strings[info->exe].s);
	}
	for (uint32_t i = 0; i < epoch->nr_processes; i++) {
		const struct prof_process *process = &epoch->processes[i];

		for (uint32_t n = 0; n < process->nr_mappings; n++) {
			uint32_t object = epoch->mappings[process->first_mapping + n].object;

			if (versions[object])
				names[i] = epoch->strings[versions[object]].s;
		}
	}
}

int runtimes_stacks_add_epoch(struct runtimes_stacks *sums, const struct prof_epoch *epoch)
{
	_cleanup_free_ uint32_t *versions = calloc(epoch->nr_objects + 1, sizeof(*versions));
	_cleanup_free_ const char **names = calloc(epoch->nr_processes + 1, sizeof(*names));

	if (!versions || !names)
		return -ENOMEM;
	find_objects(epoch, versions);
	find_processes(epoch, versions, names);
	for (uint32_t i = 0; i < epoch->nr_counts; i++) {
		const struct prof_count *row = &epoch->counts[i];

		if (names[row->process] && epoch->stacks[row->user_stack].nr_frames)
			runtimes_stacks_add(sums, names[row->process],
					    epoch->stacks[row->user_stack].end, row->count);
	}
	return 0;
}

void runtimes_stacks_add(struct runtimes_stacks *sums, const char *name, enum prof_stack_end end,
			 uint64_t count)
{
	struct runtime_stacks *of = sums->of;

	while (of < sums->of + sums->nr && strncmp(of->name, name, sizeof(of->name) - 1))
		of++;
	if (of == sums->of + RUNTIME_STACKS_MAX)
		return;
	if (of == sums->of + sums->nr) {
		sums->nr++;
		snprintf(of->name, sizeof(of->name), "%s", name);
	}
	of->all += count;
	of->incomplete += is_broken(end) ? count : 0;
}

const char *runtime_help(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(helps); i++)
		if (!strncmp(name, helps[i].name, strlen(helps[i].name)))
			return helps[i].help;
	return NULL;
}
