// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of rows. */
enum {
	COL_OBJECT, /* difference to the previous row's, less 1 */
	COL_ROLE,
	COL_NAME,    /* difference to the previous row's, zigzag */
	COL_VERSION, /* difference to the previous row's, zigzag */
	NR_COLS,
};

static int languages_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t name = 0, version = 0;
	uint32_t object = 0;

	bytes_varint(columns_head(cols), e->nr_languages);
	for (uint32_t i = 0; i < e->nr_languages; i++) {
		const struct prof_language *language = &e->languages[i];
		uint64_t new_name = order->string_new[language->name];
		uint64_t new_version = order->string_new[language->version];

		bytes_varint(columns_col(cols, COL_OBJECT), language->object - object - 1);
		bytes_varint(columns_col(cols, COL_ROLE), language->role);
		bytes_varint(columns_col(cols, COL_NAME), zigzag_encode(new_name - name));
		bytes_varint(columns_col(cols, COL_VERSION), zigzag_encode(new_version - version));
		object = language->object;
		name = new_name;
		version = new_version;
	}
	return 0;
}

static int languages_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0], object = 0, name = 0, version = 0;
	struct cursor *cols = in->cols;
	int ret = table_resize(&tables->languages, nr, fault);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t diff = cursor_varint(&cols[COL_OBJECT]);
		uint64_t role = cursor_varint(&cols[COL_ROLE]);

		name += zigzag_decode(cursor_varint(&cols[COL_NAME]));
		version += zigzag_decode(cursor_varint(&cols[COL_VERSION]));
		if (diff >= tables->objects.nr - 1 - object)
			return fault_corrupt(fault, "row %" PRIu64 ": object is out of range", i);
		if (role >= PROF_NR_LANGUAGE_ROLES)
			return fault_corrupt(fault, "row %" PRIu64 ": role is not known", i);
		if (name >= tables->strings.nr || version >= tables->strings.nr)
			return fault_corrupt(fault, "row %" PRIu64 ": string is out of range", i);
		object += diff + 1;
		tables->languages.data[i] = (struct prof_language){
			.object = object, .role = role, .name = name, .version = version};
	}
	return 0;
}

TABLE_CODEC(languages, .type = SECTION_LANGUAGES, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE - 1, COL_OBJECT}});
