// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/method_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "record/unwind/java_memory.h"

/* Functions of one question. */
#define PLACES_MAX 128

struct names_question {
	struct java_process process;
	uint32_t nr, reserved;
	struct java_place places[PLACES_MAX];
};
_Static_assert(sizeof(struct names_question) <= LOOK_QUESTION_MAX, "a question has room for it");

/* A method of the answer. The bytes of its class and of its name follow. */
struct method_answer {
	uint32_t first_line, line;
	uint16_t class_bytes, name_bytes;
	uint8_t class_is_cut, name_is_cut;
	uint16_t reserved;
};

static bool append_method(struct look *look, const struct java_method *method)
{
	const struct method_answer answer = {.first_line = method->first_line,
					     .line = method->line,
					     .class_bytes = method->class.nr_bytes,
					     .name_bytes = method->name.nr_bytes,
					     .class_is_cut = method->class.is_cut,
					     .name_is_cut = method->name.is_cut};

	return look_answer_append(look, &answer, sizeof(answer)) &&
	       look_answer_append(look, method->class.bytes, method->class.nr_bytes) &&
	       look_answer_append(look, method->name.bytes, method->name.nr_bytes);
}

/* The methods at @place, as java_scopes_find. Without a block it is a method by itself. */
static int find_scopes(const struct java_code *code, const struct java_place *place,
		       struct java_scope scopes[JAVA_MAX_SCOPES])
{
	if (place->block)
		return java_scopes_find(code, place, scopes);
	scopes[0] = (struct java_scope){.method = place->pc, .index = -1};
	return 1;
}

/* Appends the number of methods at @place, and them. Returns false if there is no room. */
static bool append_place(struct look *look, const struct java_code *code,
			 const struct java_place *place)
{
	struct java_scope scopes[JAVA_MAX_SCOPES];
	size_t begin = look->nr_answer;
	int nr = find_scopes(code, place, scopes);
	uint32_t nr_methods = nr > 0 ? nr : 0;
	bool is_done = look_answer_append(look, &nr_methods, sizeof(nr_methods));

	for (uint32_t i = 0; is_done && i < nr_methods; i++) {
		struct java_method method;

		if (java_method_read(code, &scopes[i], &method)) {
			/* A chain that lacks a method would have a wrong caller. */
			look->nr_answer = begin;
			nr_methods = 0;
			return look_answer_append(look, &nr_methods, sizeof(nr_methods));
		}
		is_done = append_method(look, &method);
	}
	if (!is_done)
		look->nr_answer = begin;
	return is_done;
}

/* A look_fn. The answer is of the first places, as many as there is room and time for. */
static int look_at_places(struct look *look)
{
	struct names_question q = {.nr = 0};
	struct java_memory memory = java_memory_of(&q.process.pid);
	const struct java_code code = {&memory, &q.process.machine, &q.process.layout};

	memcpy(&q, look->question, min_u64(look->nr_question, sizeof(q)));
	for (uint32_t i = 0; i < q.nr && !look_is_long(look); i++) {
		int ret = look_touch(look, look_process(q.process.pid));

		if (ret)
			return ret;
		if (!append_place(look, &code, &q.places[i]))
			break;
	}
	return 0;
}

/* The looker's answer as it is read. */
struct answer_cursor {
	const char *at, *end;
};

static bool cut_bytes(struct answer_cursor *c, void *bytes, size_t nr)
{
	if ((size_t)(c->end - c->at) < nr)
		return false;
	memcpy(bytes, c->at, nr);
	c->at += nr;
	return true;
}

static bool cut_text(struct answer_cursor *c, uint16_t nr, bool is_cut, struct language_text *text)
{
	*text = (struct language_text){.nr_bytes = nr, .is_cut = is_cut};
	return nr <= sizeof(text->bytes) && cut_bytes(c, text->bytes, nr);
}

static bool cut_method(struct answer_cursor *c, struct java_method *method)
{
	struct method_answer answer;

	if (!cut_bytes(c, &answer, sizeof(answer)))
		return false;
	method->first_line = answer.first_line;
	method->line = answer.line;
	return cut_text(c, answer.class_bytes, answer.class_is_cut, &method->class) &&
	       cut_text(c, answer.name_bytes, answer.name_is_cut, &method->name);
}

/* Cuts the methods of a place off the answer. Returns their number, or -ENODATA. */
static int cut_place(struct answer_cursor *c, struct java_method methods[JAVA_MAX_SCOPES])
{
	uint32_t nr;

	if (!cut_bytes(c, &nr, sizeof(nr)) || nr > JAVA_MAX_SCOPES)
		return -ENODATA;
	for (uint32_t i = 0; i < nr; i++)
		if (!cut_method(c, &methods[i]))
			return -ENODATA;
	return nr;
}

/* The memory of a question and its answer. */
struct asking {
	struct names_question q;
	struct look_answer answer;
	struct java_method methods[JAVA_MAX_SCOPES];
};

/*
 * Has the question answered, which is of the functions that @wanted begins with. Sets *@nr_answered
 * to the number of those that have an answer; all of them if there will be none. Returns 0 or
 * -ENOMEM.
 */
static int ask_question(struct asking *a, struct looker *looker, const struct wanted_method *wanted,
			struct function_names *functions, uint32_t *nr_answered)
{
	const struct look_question question = {
		.fn = look_at_places, .bytes = &a->q, .nr = sizeof(a->q), .fd = -1};
	struct answer_cursor c;
	int ret = looker_ask(looker, &question, &a->answer);

	*nr_answered = a->q.nr;
	if (ret)
		return 0;
	c = (struct answer_cursor){a->answer.bytes, a->answer.bytes + a->answer.nr};
	for (uint32_t i = 0; i < a->q.nr; i++) {
		int nr = cut_place(&c, a->methods);

		if (nr < 0) {
			*nr_answered = i ? i : a->q.nr;
			return 0;
		}
		if (nr)
			ret = function_names_set_methods(functions, wanted[i].function, a->methods,
							 nr);
		if (ret)
			return ret;
	}
	return 0;
}

int method_names_want(struct method_names *names, const struct function_name *name,
		      uint32_t function)
{
	const struct wanted_method wanted = {.pid = name->tgid,
					     .function = function,
					     .place = {.block = name->block,
						       .compile_id = name->compile_id,
						       .pc = word_addr(name->word)}};

	return vec_push(&names->wanted, wanted);
}

/* Asks for the functions from @first on that are of one process. *@nr is their number. */
static int ask_process(const struct method_names *names, size_t first,
		       const struct java_machines *machines, struct function_names *functions,
		       struct asking *a, uint32_t *nr)
{
	const struct wanted_method *wanted = names->wanted.data + first;
	const struct java_process *process = java_machines_find(machines, wanted->pid);
	size_t left = names->wanted.nr - first;

	a->q.nr = 0;
	for (size_t i = 0; i < left && i < PLACES_MAX && wanted[i].pid == wanted->pid; i++)
		a->q.places[a->q.nr++] = wanted[i].place;
	*nr = a->q.nr;
	if (!process)
		return 0;
	a->q.process = *process;
	return ask_question(a, machines->looker, wanted, functions, nr);
}

int method_names_ask(struct method_names *names, const struct java_machines *machines,
		     struct function_names *functions)
{
	_cleanup_free_ struct asking *a = names->wanted.nr ? calloc(1, sizeof(*a)) : NULL;
	int ret = names->wanted.nr && !a ? -ENOMEM : 0;

	for (size_t first = 0; !ret && first < names->wanted.nr;) {
		uint32_t nr;

		ret = ask_process(names, first, machines, functions, a, &nr);
		first += nr;
	}
	vec_clear(&names->wanted);
	return ret;
}

void method_names_deinit(struct method_names *names)
{
	vec_free(&names->wanted);
}
