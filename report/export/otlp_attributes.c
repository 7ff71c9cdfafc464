// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/otlp_attributes.h"

#include <string.h>

int otlp_add_string(struct otlp_request *x, const char *s, int32_t *id)
{
	uint32_t number;
	int ret = otlp_table_add(&x->tables[OTLP_STRINGS], s, strlen(s), &number);

	*id = ret ? 0 : (int32_t)number;
	return ret;
}

static int add_attribute(struct otlp_request *x, const char *key, Otlp__AnyValue *value)
{
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT;
	uint32_t id;
	int ret = otlp_add_string(x, key, &attribute.key_strindex);

	attribute.value = value;
	if (!ret)
		ret = otlp_table_add_message(&x->tables[OTLP_ATTRIBUTES], &attribute.base,
					     &x->scratch, &id);
	return ret ? ret : vec_push(&x->numbers, (int32_t)id);
}

int otlp_add_number(struct otlp_request *x, const char *key, uint64_t number)
{
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;

	value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
	value.int_value = number > INT64_MAX ? INT64_MAX : (int64_t)number;
	return add_attribute(x, key, &value);
}

int otlp_add_text(struct otlp_request *x, const char *key, const char *text)
{
	struct textbuf escaped = {.fd = -1};
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
	int ret;

	textbuf_escaped(&escaped, text, strlen(text), TEXT_PLAIN);
	textbuf_char(&escaped, '\0');
	value.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value.string_value = escaped.data;
	ret = escaped.error ? escaped.error : add_attribute(x, key, &value);
	textbuf_deinit(&escaped);
	return ret;
}
