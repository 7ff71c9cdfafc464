// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/recorder.md, "Two sets, and who may write", gives the reasons for the order of a drain. */
#include "record/run/pipeline.h"

#include <errno.h>
#include <malloc.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "record/run/session_notes.h"

/*
 * Processes and mappings that ended are kept until the next drain. When there are this many of
 * them, the recorder drains.
 */
#define EXITED_MAX 1024
#define ENDED_MAX  16384

/*
 * A drain is due, too, when a quarter of the memory budget is in use and an eighth has come since
 * the last drain. While no more mappings are kept, a drain finds out whether there is room again.
 */
#define GROWN_USED   2
#define GROWN_BY     8
#define FULL_WAIT_NS (5 * NS_PER_S)

/*
 * Look-ups pass the ended mappings of a process, and names of functions need room. A process may
 * make many of both, so this is the least time between drains for that reason.
 */
#define MANY_WAIT_NS (200 * NS_PER_MS)

/* A drain makes room for mappings, but processes may change theirs without end. */
#define ROOM_WAIT_NS NS_PER_S

/*
 * How often the recorder asks for the last names. A file that is asked about already cannot be
 * asked about other addresses before it has answered.
 */
#define LAST_QUESTIONS 3

static int out_of_memory(struct pipeline *p)
{
	return err_set(p->session->err, -ENOMEM, "failed to record: out of memory");
}

int pipeline_init(struct pipeline *p, struct session *session, struct recordings *recordings,
		  struct schedule *schedule)
{
	const struct epoch_sources sources = {
		.spaces = &session->spaces,
		.ksyms = &session->ksyms,
		.new_processes = &session->new_processes,
		.vdso = &session->vdso,
		.jit = &session->jit,
		.names = session->names,
		.looks = &session->looks,
		.functions = unwinder_functions(session->unwinder),
		.interpreters = unwinder_interpreters(session->unwinder),
		.label_keys = session->unwinder ? session_labels(session) : NULL,
	};

	*p = (struct pipeline){.session = session, .recordings = recordings, .schedule = schedule};
	return drain_create(&p->drain) || epoch_create(&sources, &p->epoch) ? out_of_memory(p) : 0;
}

void pipeline_begin_slices(struct pipeline *p, uint64_t begin_ns)
{
	if (p->session->options->no_slices)
		return;
	sampler_begin_slices(p->session->sampler, begin_ns);
	epoch_begin_slices(p->epoch, begin_ns, p->session->options->slice_ns);
}

int pipeline_ask_names(struct pipeline *p, uint64_t urgent_ns)
{
	return epoch_ask_names(p->epoch, urgent_ns) ? out_of_memory(p) : 0;
}

/* Asks for the names of the epoch, and waits for them, unless a set could overflow meanwhile. */
static int wait_for_names(struct pipeline *p)
{
	struct file_names *names = p->session->names;
	int ret = names ? pipeline_ask_names(p, 0) : 0;

	for (int i = 1; !ret && names && p->is_over && file_names_is_waiting(names); i++) {
		ret = p->wait_for_names(p->wait_ctx);
		if (!ret && i < LAST_QUESTIONS)
			ret = pipeline_ask_names(p, 0);
	}
	return ret < 0 ? ret : 0;
}

/* Writes the rows of the epoch as an epoch that ends at @end_ns, and empties it. */
static int write_epoch(struct pipeline *p, uint64_t end_ns)
{
	struct session *s = p->session;
	struct prof_epoch tables;
	int ret;

	if (!epoch_nr_counts(p->epoch) && !(p->is_over && epoch_owes_names(p->epoch)))
		return 0;
	ret = wait_for_names(p);
	if (ret)
		return ret;
	if (epoch_finish(p->epoch, p->schedule->epoch_begin_ns, end_ns, &tables))
		return out_of_memory(p);
	ret = recordings_write_epoch(p->recordings, &tables);
	if (ret)
		return ret;
	p->nr_stacks += epoch_nr_counts(p->epoch);
	if (epoch_reset(p->epoch) || jit_forget(&s->jit, &s->spaces) || file_names_settle(s->names))
		return out_of_memory(p);
	/* A large epoch has freed many small blocks, which would add up over hours. */
	malloc_trim(0);
	return 0;
}

/*
 * Writes the epoch because it has grown large within a drain. The end of this part is the time of
 * the drain, but before the end of the interval. So a reader knows that more parts follow.
 */
static int write_part(struct pipeline *p)
{
	uint64_t end_ns = schedule_interval_end(p->schedule) - 1;

	return write_epoch(p, min_u64(p->drained_ns, end_ns));
}

int pipeline_end_epoch(struct pipeline *p)
{
	int ret = write_epoch(p, p->drained_ns);

	p->schedule->epoch_begin_ns = p->drained_ns;
	return ret;
}

int pipeline_take_set(struct pipeline *p)
{
	struct session *s = p->session;
	struct swap swap;
	int ret;

	/* Clear before the swap: the new set fills at once, and its wakeup must not get lost. */
	sampler_clear_wakeups(s->sampler);
	ret = session_take_samples(s);
	if (!ret)
		ret = sampler_swap(s->sampler, &swap, s->err);
	if (!ret)
		p->drained_ns = swap.begin_ns;
	if (!ret)
		ret = unwinder_settle(s->unwinder);
	/*
	 * Later records wait: the kernel may be writing an earlier one at this moment. They are
	 * later than all samples of the set at rest, too.
	 */
	if (!ret)
		ret = session_apply_records(s, swap.end_ns);
	if (!ret)
		ret = unwinder_take_early(s->unwinder, sampler_set_at_rest(s->sampler));
	if (!ret)
		ret = drain_take(p->drain, s->sampler, s->err);
	if (!ret && s->off_cpu.is_on)
		ret = drain_keep_waiting(p->drain, s->sampler, s->err);
	return ret == -ENOMEM ? out_of_memory(p) : ret;
}

int pipeline_take_waiting(struct pipeline *p, uint64_t end_ns)
{
	struct session *s = p->session;
	const struct drain_end end = {
		.time_ns = end_ns, .min_ns = s->off_cpu.min_ns, .max_ns = s->off_cpu.max_ns};
	int ret = 0;

	if (s->off_cpu.is_on)
		ret = drain_count_waiting(p->drain, s->sampler, &end, s->waited_ns, s->err);
	return ret == -ENOMEM ? out_of_memory(p) : ret;
}

/* Distrusts all mappings if records were lost, or if a CPU has no side-band. */
static int check_losses(struct pipeline *p)
{
	struct session *s = p->session;
	uint64_t lost_before = p->lost_records;

	sideband_count_lost(s->sideband);
	p->lost_records = sideband_lost(s->sideband);
	if (p->lost_records == lost_before && !s->changed_cpus.nr)
		return 0;
	address_spaces_distrust(&s->spaces);
	return unwinder_sweep(s->unwinder);
}

/* Brings everything that names and places samples up to the time of the last swap. */
static int refresh_session(struct pipeline *p)
{
	struct session *s = p->session;
	int ret = ksyms_load_rest(&s->ksyms);

	if (!ret && s->has_kernel)
		ret = ksyms_refresh(&s->ksyms);
	if (!ret)
		ret = session_watch_cpus(s);
	if (!ret)
		ret = check_losses(p);
	if (!ret)
		ret = unwinder_walk_early(s->unwinder, &s->spaces);
	if (!ret)
		ret = function_names_settle(unwinder_functions(s->unwinder), &s->spaces);
	return ret;
}

int pipeline_fill_epoch(struct pipeline *p)
{
	struct session *s = p->session;
	struct early_samples *early = unwinder_early(s->unwinder);
	int ret = refresh_session(p);

	drain_tell_samples(p->drain, unwinder_sampled, s->unwinder);
	while (!ret && (ret = drain_add_next(p->drain, early, p->epoch)) > 0)
		ret = write_part(p);
	if (ret == -ENOMEM)
		out_of_memory(p);
	if (!ret)
		function_names_age(unwinder_functions(s->unwinder));
	if (!ret && session_forget(s, p->drained_ns))
		ret = out_of_memory(p);
	p->nr_exited = s->spaces.nr_exited;
	p->used_bytes = s->memory.used_bytes;
	return ret;
}

static bool is_memory_short(const struct pipeline *p)
{
	const struct memory_budget *memory = &p->session->memory;

	if (p->session->spaces.is_full)
		return clock_monotonic_ns() >= p->drained_ns + FULL_WAIT_NS;
	return memory_budget_is_used(memory, GROWN_USED) &&
	       memory->used_bytes >= p->used_bytes + memory->max_bytes / GROWN_BY;
}

bool pipeline_wants_drain(const struct pipeline *p)
{
	const struct session *s = p->session;

	if (unwinder_wants_drain(s->unwinder))
		return true;
	if (unwinder_lacks_room(s->unwinder) &&
	    clock_monotonic_ns() >= p->drained_ns + ROOM_WAIT_NS)
		return true;
	if ((s->spaces.has_many_ended || unwinder_has_many_names(s->unwinder)) &&
	    clock_monotonic_ns() >= p->drained_ns + MANY_WAIT_NS)
		return true;
	return is_memory_short(p) || s->spaces.nr_exited >= p->nr_exited + EXITED_MAX ||
	       s->spaces.nr_ended >= ENDED_MAX;
}

uint64_t pipeline_nr_stacks(const struct pipeline *p)
{
	return p->nr_stacks + epoch_nr_counts(p->epoch);
}

void pipeline_deinit(struct pipeline *p)
{
	epoch_destroy(p->epoch);
	drain_destroy(p->drain);
	*p = (struct pipeline){0};
}
