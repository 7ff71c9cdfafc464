// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/entry_programs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The section of the model in bpf/count/event_hits.h. */
#define SECTION "fentry"

static void *copy_bytes(const void *bytes, size_t size)
{
	void *copy = malloc(size);

	return copy ? memcpy(copy, bytes, size) : NULL;
}

/*
 * libbpf calls this right before it loads the model, when the code refers to the maps. The kernel
 * asks for func_info, because the program passes functions to bpf_loop.
 */
static int keep_model(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct entry_programs *p = (struct entry_programs *)cookie;

	opts->attach_btf_id = p->model_btf_id;
	p->opts = *opts;
	p->opts.line_info = NULL;
	p->opts.line_info_cnt = 0;
	p->nr_insns = bpf_program__insn_cnt(program);
	p->insns = copy_bytes(bpf_program__insns(program), p->nr_insns * sizeof(*p->insns));
	p->func_info =
		copy_bytes(opts->func_info, (size_t)opts->func_info_cnt * opts->func_info_rec_size);
	p->opts.func_info = p->func_info;
	return p->insns && p->func_info ? 0 : -ENOMEM;
}

int entry_programs_register(struct entry_programs *programs, uint32_t btf_id)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)programs,
		    .prog_prepare_load_fn = keep_model);

	programs->model_btf_id = btf_id;
	return libbpf_register_prog_handler(SECTION, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
					    &opts);
}

void entry_programs_unregister(int number)
{
	libbpf_unregister_prog_handler(number);
}

int entry_programs_copy(struct entry_programs *programs, uint32_t btf_id)
{
	struct bpf_prog_load_opts opts = programs->opts;
	int fd;

	opts.attach_btf_id = btf_id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "count_entry", "GPL", programs->insns,
			   programs->nr_insns, &opts);
	if (fd < 0)
		return fd;
	if (vec_push(&programs->copies, fd)) {
		close(fd);
		return -ENOMEM;
	}
	return fd;
}

void entry_programs_deinit(struct entry_programs *programs)
{
	vec_for_each(&programs->copies, fd)
		close(*fd);
	vec_free(&programs->copies);
	free(programs->insns);
	free(programs->func_info);
	*programs = (struct entry_programs){0};
}
