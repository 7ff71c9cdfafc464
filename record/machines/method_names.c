// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/method_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "record/sampling/program/maps.h"
#include "record/machines/process_reads.h"

/* In place of a hash of names: the program has read none. */
#define NO_NAMES 0

/* Functions of one question. */
#define PLACES_MAX 128

/*
 * Questions about functions of JavaScript may take 1/LINES_SHARE of the time of a CPU together, and
 * LINES_MAX_NS at once. After PASS_MAX_NS of a pass there is no other, as samples and mappings wait
 * for the recorder meanwhile.
 */
#define LINES_SHARE  100
#define LINES_MAX_NS (200 * NS_PER_MS)
#define PASS_MAX_NS  (40 * NS_PER_MS)

struct names_question {
	struct machine machine;
	uint32_t nr, reserved;
	union machine_place places[PLACES_MAX];
};
_Static_assert(sizeof(struct names_question) <= LOOK_QUESTION_MAX, "a question has room for it");

/* A method of the answer. The bytes of its class, its name and its file follow. */
struct method_answer {
	uint32_t line;
	struct text_answer {
		uint16_t nr_bytes;
		uint8_t is_cut, kind;
	} class, name, file;
};

static struct text_answer answer_of(const struct language_text *text)
{
	return (struct text_answer){text->nr_bytes, text->is_cut, text->kind};
}

static bool append_method(struct look *look, const struct machine_function *method)
{
	const struct method_answer answer = {method->line, answer_of(&method->class),
					     answer_of(&method->name), answer_of(&method->file)};

	return look_answer_append(look, &answer, sizeof(answer)) &&
	       look_answer_append(look, method->class.bytes, method->class.nr_bytes) &&
	       look_answer_append(look, method->name.bytes, method->name.nr_bytes) &&
	       look_answer_append(look, method->file.bytes, method->file.nr_bytes);
}

/* The functions of a place, as they are appended. */
struct place_writer {
	struct look *look;
	uint32_t nr;
};

/* A machine_function_fn. -ENOBUFS: there is no room. */
static int take_function(void *ctx, const struct machine_function *function)
{
	struct place_writer *w = ctx;

	w->nr++;
	return append_method(w->look, function) ? 0 : -ENOBUFS;
}

/* Appends the number of functions at @place, and them. Returns false if there is no room. */
static bool append_place(struct look *look, const struct machine_memory *memory,
			 const struct machine *machine, const union machine_place *place)
{
	struct place_writer w = {.look = look};
	const size_t begin = look->nr_answer;
	int ret = look_answer_append(look, &w.nr, sizeof(w.nr))
			  ? machine_kinds[machine->kind].name(memory, machine, place, take_function,
							      &w)
			  : -ENOBUFS;

	if (!ret) {
		memcpy(look->answer + begin, &w.nr, sizeof(w.nr));
		return true;
	}
	look->nr_answer = begin;
	w.nr = 0;
	return ret != -ENOBUFS && look_answer_append(look, &w.nr, sizeof(w.nr));
}

/* Answers the places of @q, as many as there is room and time for. */
static int answer_places(struct look *look, const struct names_question *q,
			 const struct machine_memory *memory, const bool *is_over)
{
	for (uint32_t i = 0; i < q->nr && !*is_over && !look_is_long(look); i++) {
		int ret = look_touch(look, look_process(q->machine.pid));

		if (ret)
			return ret;
		if (!append_place(look, memory, &q->machine, &q->places[i]))
			break;
	}
	return 0;
}

/* A look_fn. The answer is of the first places. The work for JavaScript has a limit of CPU time. */
static int look_at_places(struct look *look)
{
	_cleanup_resident_memory_ struct resident_memory pages = RESIDENT_MEMORY_INIT(0);
	struct timed_memory timed = timed_memory_begin(look, &pages);
	struct machine_memory memory = machine_memory_of(&pages);
	_cleanup_free_ struct node_look *node = NULL;
	struct names_question q = {.nr = 0};

	memcpy(&q, look->question, min_u64(look->nr_question, sizeof(q)));
	pages.pid = q.machine.pid;
	if (q.machine.kind == MACHINE_NODE) {
		memory = machine_memory_in_time(&timed);
		q.machine.node.look = node = calloc(1, sizeof(*node));
		if (!node)
			return -ENOMEM;
	}
	return answer_places(look, &q, &memory, &timed.is_over);
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

static bool cut_text(struct answer_cursor *c, const struct text_answer *answer,
		     struct language_text *text)
{
	*text = (struct language_text){
		.kind = answer->kind, .nr_bytes = answer->nr_bytes, .is_cut = answer->is_cut};
	return answer->nr_bytes <= sizeof(text->bytes) &&
	       cut_bytes(c, text->bytes, answer->nr_bytes);
}

static bool cut_method(struct answer_cursor *c, struct machine_function *method)
{
	struct method_answer answer;

	if (!cut_bytes(c, &answer, sizeof(answer)))
		return false;
	method->line = answer.line;
	return cut_text(c, &answer.class, &method->class) &&
	       cut_text(c, &answer.name, &method->name) && cut_text(c, &answer.file, &method->file);
}

/* Cuts the methods of a place off the answer. Returns their number, or -ENODATA. */
static int cut_place(struct answer_cursor *c, struct machine_function methods[JAVA_MAX_SCOPES])
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
	struct machine_function methods[JAVA_MAX_SCOPES];
};

/* Who is asked, and who is told. */
struct asked {
	const struct machines *machines;
	struct function_names *functions;
	uint64_t took_ns; /* CPU time for functions of JavaScript */
};

/* A function that got no name here: the program, or the recorder, is to try again. */
static void forget_unnamed(const struct function_names *functions,
			   const struct wanted_method *wanted)
{
	if (wanted->function == NO_FUNCTION)
		function_names_forget(functions, &wanted->key);
}

static uint64_t hash_names(const struct language_text *class, const struct language_text *name)
{
	uint64_t h = hash_bytes(class->bytes, min_u64(class->nr_bytes, NAME_BYTES), 0);

	return hash_bytes(name->bytes, min_u64(name->nr_bytes, NAME_BYTES), h + class->is_cut);
}

/* Adds the function of @wanted, which is @method. *@nr is its number, as function_names_add. */
static int add_function(struct function_names *functions, const struct wanted_method *wanted,
			const struct machine_function *method, uint32_t *nr)
{
	const struct function_name name = {.space_id = wanted->key.space_id,
					   .word = wanted->key.word,
					   .time_ns = wanted->time_ns,
					   .tgid = wanted->pid,
					   .line = method->line,
					   .name = method->name,
					   .file = method->class};

	return function_names_add(functions, &name, nr);
}

/*
 * Keeps the answer of the function @wanted: @nr methods, the last one its own. If the program has
 * read the name of that one when it took the sample, and the looker has read another, the memory
 * has become another method's, and the answer is of no use. Where the program has read no name, the
 * looker has compared the code.
 */
static int keep_methods(struct function_names *functions, const struct wanted_method *wanted,
			const struct machine_function *methods, uint32_t nr)
{
	const struct machine_function *own = &methods[nr - 1];
	uint32_t function = wanted->function;
	int ret = 0;

	if (wanted->kind == MACHINE_NODE)
		return function_names_set_inlined(functions, function, own->line, methods, nr - 1);
	if (function == NO_FUNCTION)
		ret = add_function(functions, wanted, own, &function);
	else if (wanted->names != NO_NAMES && hash_names(&own->class, &own->name) != wanted->names)
		return 0;
	if (ret)
		return ret;
	if (function == NO_FUNCTION) {
		forget_unnamed(functions, wanted);
		return 0;
	}
	return function_names_set_methods(functions, function, methods, nr);
}

/* Keeps the answers of all functions that @wanted begins with. Returns as ask_question. */
static int keep_answers(struct asking *a, const struct wanted_method *wanted,
			struct function_names *functions, uint32_t *nr_answered)
{
	struct answer_cursor c = {a->answer.bytes, a->answer.bytes + a->answer.nr};
	int ret = 0;

	for (*nr_answered = 0; !ret && *nr_answered < a->q.nr; ++*nr_answered) {
		int nr = cut_place(&c, a->methods);

		if (nr < 0)
			break;
		if (nr)
			ret = keep_methods(functions, &wanted[*nr_answered], a->methods, nr);
		else
			forget_unnamed(functions, &wanted[*nr_answered]);
	}
	return ret;
}

/*
 * Has the question answered, which is of the functions that @wanted begins with. Sets *@nr_answered
 * to the number of those that have an answer; 0 if there will be none. Returns 0 or -ENOMEM.
 */
static int ask_question(struct asking *a, struct looker *looker, const struct wanted_method *wanted,
			struct function_names *functions, uint32_t *nr_answered)
{
	const struct look_question question = {.fn = look_at_places,
					       .bytes = &a->q,
					       .nr = sizeof(a->q),
					       .fd = -1,
					       .pid = a->q.machine.pid};

	*nr_answered = 0;
	return looker_ask(looker, &question, &a->answer)
		       ? 0
		       : keep_answers(a, wanted, functions, nr_answered);
}

/* The place of the function @name of JavaScript. */
static struct node_place node_place_of(const struct function_name *name)
{
	return (struct node_place){
		.function = {name->block, name->compile_id, name->position},
		.pc = name->pc,
		.code = name->code,
	};
}

/* The place of the function @name in code of Java, or of Erlang, which has no block. */
static union machine_place place_of(const struct function_name *name)
{
	union machine_place place = {.beam = name->word};

	if (word_language(name->word) == LANGUAGE_JAVA)
		place.java =
			(struct java_place){.block = name->block,
					    .compile_id = name->compile_id,
					    .pc = name->block ? word_addr(name->word) : name->word};
	return place;
}

int method_names_want(struct method_names *names, const struct function_name *name,
		      uint32_t function, const struct interpreter *in)
{
	struct wanted_method wanted = {
		.pid = name->tgid,
		.uid = name->uid,
		.function = function,
		.kind = machine_kind_of(word_language(name->word)),
		.place = place_of(name),
		.names = name->name.nr_bytes ? hash_names(&name->file, &name->name) : NO_NAMES};

	if (wanted.kind == NR_NAMING_KINDS)
		return 0;
	if (wanted.kind == MACHINE_NODE) {
		if (!name->block || !in)
			return 0;
		wanted.place.node = node_place_of(name);
		wanted.node = in->node;
	}
	return vec_push(&names->wanted, wanted);
}

int method_names_want_unnamed(struct method_names *names, const struct function_names *functions,
			      const struct early_sample *sample,
			      const struct java_stretch_frame *frame)
{
	const struct wanted_method wanted = {
		.pid = sample->key.tgid,
		.function = NO_FUNCTION,
		.kind = MACHINE_JAVA,
		.place.java = {.block = frame->block,
			       .compile_id = frame->compile_id,
			       .pc = frame->block ? word_addr(frame->address) : frame->address},
		.key = {.space_id = sample->space_id, .word = frame->address},
		.time_ns = sample->time_ns};
	const uint32_t any = 0;

	if (!word_is_function(frame->address))
		return 0;
	/* If it is there, or there is no room, its name has been asked for, or cannot be. */
	if (map_update(functions->seen_map, &wanted.key, &any, BPF_NOEXIST))
		return 0;
	return vec_push(&names->wanted, wanted);
}

/* The machine of the process that @wanted is of, or NULL. @node is room for one of JavaScript. */
static const struct machine *machine_of(const struct wanted_method *wanted,
					const struct machines *machines, struct machine *node)
{
	if (wanted->kind != MACHINE_NODE)
		return machines_find(machines, wanted->pid, wanted->kind);
	*node = (struct machine){
		.pid = wanted->pid, .kind = MACHINE_NODE, .node.layout = wanted->node};
	return node;
}

/* Fills in the question for the functions that @wanted begins with, which are of one process. */
static void make_question(struct names_question *q, const struct machine *machine,
			  const struct wanted_method *wanted, size_t left)
{
	q->nr = 0;
	for (size_t i = 0; i < left && i < PLACES_MAX && wanted[i].pid == wanted->pid &&
			   wanted[i].kind == wanted->kind;
	     i++)
		q->places[q->nr++] = wanted[i].place;
	if (machine)
		q->machine = *machine;
}

/*
 * As ask_question, for functions of JavaScript, whose work the process chooses. If there is no
 * time, there will be no answer.
 */
static int ask_in_budget(struct asking *a, struct look_budget *looks,
			 const struct wanted_method *wanted, struct asked *asked,
			 uint32_t *nr_answered)
{
	bool has_time = look_budget_begin(looks) != LOOK_MAPPINGS_SPENT &&
			look_budget_haste(looks, wanted->uid) != LOOK_NEVER &&
			asked->took_ns < PASS_MAX_NS;
	int ret = 0;

	*nr_answered = 0;
	if (has_time)
		ret = ask_question(a, asked->machines->looker, wanted, asked->functions,
				   nr_answered);
	look_budget_end(looks, wanted->uid, false);
	look_budget_charge(looks, wanted->uid);
	asked->took_ns += looks->took_ns;
	return ret;
}

/*
 * Asks for the functions from @first on that are of one process. *@nr is the number of those that
 * need not be asked for again.
 */
static int ask_process(struct method_names *names, size_t first, struct asked *asked,
		       struct asking *a, uint32_t *nr)
{
	const struct wanted_method *wanted = names->wanted.data + first;
	struct machine node;
	const struct machine *machine = machine_of(wanted, asked->machines, &node);
	int ret = 0;

	make_question(&a->q, machine, wanted, names->wanted.nr - first);
	*nr = 0;
	if (machine)
		ret = wanted->kind == MACHINE_NODE
			      ? ask_in_budget(a, &names->looks, wanted, asked, nr)
			      : ask_question(a, asked->machines->looker, wanted, asked->functions,
					     nr);
	if (ret || *nr)
		return ret;
	/* There will be no answer. */
	for (*nr = 0; *nr < a->q.nr; ++*nr)
		forget_unnamed(asked->functions, &wanted[*nr]);
	return 0;
}

/* Functions of one process stand together, so that one question has many. */
static int compare_wanted(const void *pa, const void *pb)
{
	const struct wanted_method *a = pa, *b = pb;

	COMPARE(a->pid, b->pid);
	COMPARE(a->kind, b->kind);
	return 0;
}

void method_names_init(struct method_names *names, struct looker *looker)
{
	*names = (struct method_names){0};
	look_budget_init(&names->looks, looker);
	names->looks.share.part = LINES_SHARE;
	names->looks.share.max_ns = LINES_MAX_NS;
}

int method_names_ask(struct method_names *names, const struct machines *machines,
		     struct function_names *functions)
{
	_cleanup_free_ struct asking *a = names->wanted.nr ? calloc(1, sizeof(*a)) : NULL;
	struct asked asked = {.machines = machines, .functions = functions};
	int ret = names->wanted.nr && !a ? -ENOMEM : 0;

	if (names->wanted.nr)
		qsort(names->wanted.data, names->wanted.nr, sizeof(*names->wanted.data),
		      compare_wanted);
	for (size_t first = 0; !ret && first < names->wanted.nr;) {
		uint32_t nr;

		ret = ask_process(names, first, &asked, a, &nr);
		first += nr;
	}
	vec_clear(&names->wanted);
	return ret;
}

void method_names_deinit(struct method_names *names)
{
	vec_free(&names->wanted);
	look_budget_deinit(&names->looks);
}
