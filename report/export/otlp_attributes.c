// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/otlp_attributes.h"

#include <string.h>

#include "report/export/otlp.pb-c.h"

/* The numbers of the tables in ProfilesDictionary. */
#define DICTIONARY_STRINGS    5
#define DICTIONARY_ATTRIBUTES 6

int otlp_attributes_init(struct otlp_attributes *x)
{
	int ret;

	*x = (struct otlp_attributes){.scratch.fd = -1};
	ret = otlp_table_init(&x->strings, DICTIONARY_STRINGS, "", 0);
	return ret ? ret : otlp_table_init(&x->table, DICTIONARY_ATTRIBUTES, "", 0);
}

void otlp_attributes_deinit(struct otlp_attributes *x)
{
	otlp_table_deinit(&x->strings);
	otlp_table_deinit(&x->table);
	vec_free(&x->numbers);
	textbuf_deinit(&x->scratch);
}

int otlp_add_string(struct otlp_attributes *x, const char *s, int32_t *id)
{
	uint32_t number;
	int ret = otlp_table_add(&x->strings, s, strlen(s), &number);

	*id = ret ? 0 : (int32_t)number;
	return ret;
}

static int add_attribute(struct otlp_attributes *x, const char *key, Otlp__AnyValue *value)
{
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT;
	uint32_t id;
	int ret = otlp_add_string(x, key, &attribute.key_strindex);

	attribute.value = value;
	if (!ret)
		ret = otlp_table_add_message(&x->table, &attribute.base, &x->scratch, &id);
	return ret ? ret : vec_push(&x->numbers, (int32_t)id);
}

int otlp_add_number(struct otlp_attributes *x, const char *key, uint64_t number)
{
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;

	value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
	value.int_value = number > INT64_MAX ? INT64_MAX : (int64_t)number;
	return add_attribute(x, key, &value);
}

int otlp_add_text(struct otlp_attributes *x, const char *key, const char *text)
{
	struct textbuf escaped = {.fd = -1};
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
	int ret;

	textbuf_escaped(&escaped, text, strlen(text), TEXT_DATA);
	textbuf_char(&escaped, '\0');
	value.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value.string_value = escaped.data;
	ret = escaped.error ? escaped.error : add_attribute(x, key, &value);
	textbuf_deinit(&escaped);
	return ret;
}

void otlp_take_attributes(struct otlp_attributes *x, int32_t **indices, size_t *nr)
{
	*indices = x->numbers.data;
	*nr = x->numbers.nr;
	vec_clear(&x->numbers);
}
