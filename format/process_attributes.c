// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format/tables.h"

const char *const prof_attribute_keys[PROF_NR_ATTRIBUTES] = {
	[PROF_ATTRIBUTE_SERVICE] = "service.name",
	[PROF_ATTRIBUTE_NAMESPACE] = "service.namespace",
	[PROF_ATTRIBUTE_VERSION] = "service.version",
	[PROF_ATTRIBUTE_INSTANCE] = "service.instance.id",
	[PROF_ATTRIBUTE_ENVIRONMENT] = "deployment.environment.name",
	[PROF_ATTRIBUTE_CONTAINER] = "container.name",
	[PROF_ATTRIBUTE_K8S_CONTAINER] = "k8s.container.name",
	[PROF_ATTRIBUTE_K8S_POD] = "k8s.pod.name",
	[PROF_ATTRIBUTE_K8S_NAMESPACE] = "k8s.namespace.name",
};

enum prof_attribute prof_attribute_find(const char *key, size_t len)
{
	enum prof_attribute i = 0;

	while (i < PROF_NR_ATTRIBUTES && (strlen(prof_attribute_keys[i]) != len ||
					  memcmp(prof_attribute_keys[i], key, len) != 0))
		i++;
	return i;
}

/* Head: number of rows. */
enum {
	COL_PROCESS, /* difference to the previous row's */
	COL_KEY,     /* string, difference to the previous row's, zigzag */
	COL_VALUE,   /* string, difference to the previous row's, zigzag */
	NR_COLS,
};

static int process_attributes_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t process = 0, key = 0, value = 0;

	bytes_varint(columns_head(cols), e->nr_process_attributes);
	for (uint32_t i = 0; i < e->nr_process_attributes; i++) {
		const struct prof_process_attribute *attribute =
			&e->process_attributes[order->attribute_old[i]];
		uint64_t new_process = order->process_new[attribute->process];
		uint64_t new_key = order->string_new[attribute->key];
		uint64_t new_value = order->string_new[attribute->value];

		bytes_varint(columns_col(cols, COL_PROCESS), new_process - process);
		bytes_varint(columns_col(cols, COL_KEY), zigzag_encode(new_key - key));
		bytes_varint(columns_col(cols, COL_VALUE), zigzag_encode(new_value - value));
		process = new_process;
		key = new_key;
		value = new_value;
	}
	return 0;
}

static int process_attributes_decode(struct tables *tables, struct table_input *in,
				     struct fault *fault)
{
	uint64_t nr = in->head[0], process = 0, key = 0, value = 0;
	struct cursor *cols = in->cols;
	int ret = table_resize(&tables->process_attributes, nr, fault);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t diff = cursor_varint(&cols[COL_PROCESS]);

		key += zigzag_decode(cursor_varint(&cols[COL_KEY]));
		value += zigzag_decode(cursor_varint(&cols[COL_VALUE]));
		if (diff >= tables->processes.nr - process || !(process + diff))
			return fault_corrupt(fault, "row %" PRIu64 ": process is out of range", i);
		if (key >= tables->strings.nr || value >= tables->strings.nr)
			return fault_corrupt(fault, "row %" PRIu64 ": string is out of range", i);
		process += diff;
		tables->process_attributes.data[i] = (struct prof_process_attribute){
			.process = process, .key = key, .value = value};
	}
	return 0;
}

TABLE_CODEC(process_attributes, .type = SECTION_PROCESS_ATTRIBUTES, .nr_head = 1,
	    .nr_cols = NR_COLS, .rows = {{"rows", PROF_MAX_TABLE, COL_PROCESS}});
