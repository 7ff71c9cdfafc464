// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/slots.h"

#include <errno.h>

#include "common/minmax.h"

/*
 * Slots that are looked at for one that an epoch shares with the epoch before, where epochs overlap
 * in time. Epochs of the recorder do not overlap, so their last slot is the one.
 */
#define PASSED_MAX 1024

/* The stretch of slice @slice that lies in @epoch. */
static struct model_slot stretch_of(const struct prof_epoch *epoch, uint64_t slice)
{
	uint64_t length_ns = epoch->end_ns - epoch->begin_ns;
	uint64_t end = (slice + 1) * epoch->slice_ns - epoch->slice_phase_ns;
	uint64_t begin = slice ? end - epoch->slice_ns : 0;

	return (struct model_slot){
		.begin_ns = epoch->begin_ns + min_u64(begin, length_ns),
		.end_ns = epoch->begin_ns + min_u64(end, length_ns),
	};
}

/* Slices from 0 up to the end of @epoch, or to the last one that has samples. */
static uint64_t nr_slices(const struct prof_epoch *epoch)
{
	unsigned __int128 length_ns = epoch->end_ns - epoch->begin_ns;
	unsigned __int128 last = (length_ns + epoch->slice_phase_ns - 1) / epoch->slice_ns;
	uint64_t nr = !length_ns || last >= PROF_MAX_SLICES ? 1 : (uint64_t)last + 1;

	for (uint32_t i = 0; i < epoch->nr_slices; i++)
		nr = max_u64(nr, (uint64_t)epoch->slices[i].slice + 1);
	return nr;
}

/* Does @slot lie in slice @slice of @epoch, also with what other epochs have of it? */
static bool is_in_slice(const struct model_slot *slot, const struct prof_epoch *epoch,
			uint64_t slice)
{
	unsigned __int128 begin = (unsigned __int128)epoch->begin_ns + slice * epoch->slice_ns;
	unsigned __int128 late = epoch->slice_phase_ns;

	return slot->begin_ns + late >= begin && slot->end_ns + late <= begin + epoch->slice_ns;
}

/* The first slot that slice 0 of @epoch shares, or the number of slots. */
static size_t find_first(const struct model *model, const struct prof_epoch *epoch)
{
	size_t i = model->slots.nr, end = i > PASSED_MAX ? i - PASSED_MAX : 0;

	while (i > end && model->slots.data[i - 1].end_ns >= epoch->begin_ns)
		if (is_in_slice(&model->slots.data[--i], epoch, 0))
			return i;
	return model->slots.nr;
}

/* Adds slice @slice of @epoch to slot @at, or to a new one. Returns 0 or -ENOMEM. */
static int add_slice(struct model *model, const struct prof_epoch *epoch, uint64_t slice,
		     size_t *at)
{
	struct model_slot stretch = stretch_of(epoch, slice), *have;

	if (*at >= model->slots.nr || !is_in_slice(&model->slots.data[*at], epoch, slice)) {
		*at = model->slots.nr;
		return vec_push(&model->slots, stretch);
	}
	have = &model->slots.data[*at];
	have->begin_ns = min_u64(have->begin_ns, stretch.begin_ns);
	have->end_ns = max_u64(have->end_ns, stretch.end_ns);
	return 0;
}

int slots_add(struct model *model, const struct prof_epoch *epoch, u32_vec *slots)
{
	const struct model_slot whole = {epoch->begin_ns, epoch->end_ns};
	uint64_t nr = epoch->slice_ns ? nr_slices(epoch) : 0;
	size_t at = find_first(model, epoch);
	int ret = 0;

	if (!model->keeps_slots)
		return 0;
	if (!nr)
		return vec_push(slots, model->slots.nr) || vec_push(&model->slots, whole) ? -ENOMEM
											  : 0;
	for (uint64_t i = 0; i < nr && !ret; i++, at++) {
		ret = add_slice(model, epoch, i, &at);
		if (!ret)
			ret = vec_push(slots, at);
	}
	return ret;
}
