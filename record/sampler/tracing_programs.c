// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampler/tracing_programs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

/* The longest name of a type that programs are bound to. */
#define NAME_BYTES 64

/* A section of programs, and the name and kind of the types that they are bound to. */
struct tracing_section {
	const char *name;
	enum bpf_attach_type attach;
	const char *prefix; /* of the type; the rest is that of the section */
	uint32_t kind;
};

static const struct tracing_section sections[NR_TRACING_SECTIONS] = {
	{"tp_btf", BPF_TRACE_RAW_TP, "btf_trace_", BTF_KIND_TYPEDEF},
	{"fexit", BPF_TRACE_FEXIT, "", BTF_KIND_FUNC},
	{"iter", BPF_TRACE_ITER, "bpf_iter_", BTF_KIND_FUNC},
};

int tracing_programs_settle(struct bpf_program *program)
{
	return bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
}

/* libbpf calls this right before it loads the program. */
static int bind_program(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct kernel_types *types = (const struct kernel_types *)cookie;
	const char *section = bpf_program__section_name(program), *slash = strchr(section, '/');
	char name[NAME_BYTES];

	for (size_t i = 0; slash && i < NR_TRACING_SECTIONS; i++) {
		const struct tracing_section *s = &sections[i];

		if (strncmp(section, s->name, slash - section) != 0)
			continue;
		snprintf(name, sizeof(name), "%s%s", s->prefix, slash + 1);
		opts->attach_btf_id = kernel_types_find(types, name, s->kind);
		return opts->attach_btf_id ? tracing_programs_settle(program) : -ESRCH;
	}
	return -ESRCH;
}

int tracing_programs_register(struct tracing_programs *programs, const struct kernel_types *types)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)types,
		    .prog_prepare_load_fn = bind_program);

	for (size_t i = 0; i < NR_TRACING_SECTIONS; i++) {
		char name[NAME_BYTES];
		int number;

		snprintf(name, sizeof(name), "%s+", sections[i].name);
		number = libbpf_register_prog_handler(name, TRACING_PROGRAM_BEFORE,
						      sections[i].attach, &opts);
		if (number < 0)
			return number;
		programs->numbers[programs->nr++] = number;
	}
	return 0;
}

void tracing_programs_unregister(struct tracing_programs *programs)
{
	for (size_t i = 0; i < programs->nr; i++)
		libbpf_unregister_prog_handler(programs->numbers[i]);
	programs->nr = 0;
}
