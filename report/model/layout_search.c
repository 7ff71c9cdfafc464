// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/layout_search.h"

#include <errno.h>

#include "common/hash.h"
#include "common/minmax.h"

static uint64_t object_hash(uint32_t process, uint32_t object)
{
	return hash_u64((uint64_t)process << 32 | object);
}

static uint64_t place_hash(uint32_t process, uint32_t object, uint64_t bias)
{
	return hash_bytes(&bias, sizeof(bias), object_hash(process, object));
}

static struct layout_object *find_object(const struct layout_search *search, uint32_t process,
					 uint32_t object)
{
	index_for_each(&search->object_index, object_hash(process, object), i) {
		struct layout_object *known = &search->objects.data[i];

		if (known->process == process && known->object == object)
			return known;
	}
	return NULL;
}

static struct layout_place *find_place(const struct layout_search *search, uint32_t process,
				       uint32_t object, uint64_t bias)
{
	index_for_each(&search->place_index, place_hash(process, object, bias), i) {
		struct layout_place *known = &search->places.data[i];

		if (known->process == process && known->object == object && known->bias == bias)
			return known;
	}
	return NULL;
}

int layout_search_add(struct layout_search *search, uint32_t process, uint32_t object,
		      uint64_t bias, uint32_t layout)
{
	const struct layout_object new_object = {
		.process = process, .object = object, .nr = layout == 1 ? 2 : 1};
	const struct layout_place new_place = {
		.process = process, .object = object, .bias = bias, .layout = layout};
	struct layout_object *known = find_object(search, process, object);
	struct layout_place *place = find_place(search, process, object, bias);
	int ret = 0;

	if (!known)
		ret = index_push(&search->object_index, &search->objects,
				 object_hash(process, object), new_object);
	else if (known->nr == layout)
		known->nr++;
	if (ret)
		return ret;
	if (!place)
		return index_push(&search->place_index, &search->places,
				  place_hash(process, object, bias), new_place);
	place->layout = min_u64(place->layout, layout);
	return 0;
}

uint32_t layout_search_first(const struct layout_search *search, uint32_t process, uint32_t object,
			     uint64_t bias)
{
	const struct layout_object *known = find_object(search, process, object);
	const struct layout_place *place;

	if (!known)
		return 1;
	place = find_place(search, process, object, bias);
	return place ? min_u64(place->layout, known->nr) : known->nr;
}

void layout_search_deinit(struct layout_search *search)
{
	vec_free(&search->objects);
	vec_free(&search->places);
	index_deinit(&search->object_index);
	index_deinit(&search->place_index);
}
