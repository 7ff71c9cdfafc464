// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/stack_places.h"

static int add_text(stack_place_vec *places, const char *text, bool is_kernel)
{
	const struct stack_place place = {.text = text, .is_kernel = is_kernel};

	return vec_push(places, place);
}

static int add_side(stack_place_vec *places, const struct row_side *side, bool is_kernel,
		    bool is_wakers)
{
	int ret = 0;

	if (side->is_missed)
		return add_text(places, is_kernel ? "[Missed Kernel Stack]" : "[Missed User Stack]",
				is_kernel);
	for (uint32_t i = 0; i < side->nr && !ret; i++) {
		uint32_t depth = is_wakers ? i : side->nr - 1 - i;
		const struct stack_place place = {
			.frame = side->frames[depth],
			.place = depth ? FRAME_CALLER : FRAME_LEAF,
			.is_kernel = is_kernel,
			.is_wakers = is_wakers,
		};

		ret = vec_push(places, place);
	}
	return ret;
}

int stack_places_make(const struct stack_row *row, stack_place_vec *places)
{
	int ret;

	vec_clear(places);
	ret = add_side(places, &row->user, false, false);
	if (!ret)
		ret = add_side(places, &row->kernel, true, false);
	if (ret || !row_has_wakers(row))
		return ret;
	ret = add_text(places, "--", true);
	if (!ret)
		ret = add_side(places, &row->waker_kernel, true, true);
	return ret ? ret : add_side(places, &row->waker_user, false, true);
}
