// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "report/export/exporters.h"
#include "report/export/stack_places.h"
#include "report/export/timed_rows.h"

/* Times are in microseconds, as perf prints them. */
#define US_PER_S UINT64_C(1000000)

/*
 * Most samples that a row is printed as, and most bytes that are printed again for that. A
 * small recording can claim any number of samples, and more than this is of no use to a reader. The
 * last sample of a row has the rest of the row's count as its period.
 */
#define ROW_SAMPLES_MAX    65536u
#define REPEATED_BYTES_MAX (UINT64_C(1) << 30)

/* Slots of the table of known lines. Frames whose hashes meet in a slot take it from each other. */
#define LINE_SLOTS (1u << 16)

/* Bytes of known lines beyond which all are forgotten. */
#define LINE_BYTES_MAX (8u << 20)

/* The lines of a frame of a process, in script.lines. */
struct frame_lines {
	uint32_t process, frame;
	uint8_t place; /* enum frame_place */
	bool is_wakers;
	size_t first, len; /* 0 bytes: the slot is free */
};

struct script {
	const struct printout *p;
	struct textbuf *out;
	stack_place_vec places;
	struct frame_lines *known; /* LINE_SLOTS */
	struct textbuf lines;      /* of known frames */
	struct textbuf stack;      /* the frames of a row */
	struct textbuf label;
	struct textbuf thread; /* the name of a row's thread */
	const char *event;
	uint64_t repeated_bytes_left; /* of REPEATED_BYTES_MAX */
	bool repeats;                 /* a row is printed once for each of its samples */
};

/*
 * Appends the path of a file. Readers take the last parentheses of a line for the file, and take a
 * file up to its first space.
 */
static void print_path(struct textbuf *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == ' ' || s[i] == '(' || s[i] == ')')
			textbuf_printf(out, "\\x%02x", s[i]);
		else
			textbuf_char(out, s[i]);
	}
}

/*
 * Appends the name of a frame. Readers leave a frame out whose name begins with a parenthesis: perf
 * prints names of processes so. "(anonymous)" becomes "<anonymous>".
 */
static void print_name(struct textbuf *out, const char *name, size_t len)
{
	size_t close = 0;

	while (close < len && name[0] == '(' && name[close] != ')')
		close++;
	for (size_t i = 0; i < len; i++) {
		if (close && (i == 0 || i == close))
			textbuf_char(out, i ? '>' : '<');
		else
			textbuf_char(out, name[i]);
	}
}

/* Appends one line of a stack: the address, the name in the label buffer, the file. */
static void print_line(struct script *s, struct textbuf *out, uint64_t addr, const char *file,
		       size_t file_len)
{
	textbuf_printf(out, "\t%16" PRIx64 " ", addr);
	print_name(out, s->label.data, s->label.nr);
	textbuf_str(out, " (");
	print_path(out, file, file_len);
	textbuf_str(out, ")\n");
	s->label.nr = 0;
}

/* Appends the lines of a frame to the known lines. */
static void make_lines(struct script *s, uint32_t process, const struct stack_place *place)
{
	const struct model *model = &s->p->rec->model;
	const struct model_frame *frame = &model->frames.data[place->frame];
	const char *path = model_object_path(model, frame->object)->s;
	uint32_t nr = labels_nr_parts(s->p->labels, place->frame, place->place);
	struct textbuf file = {.fd = -1};
	uint64_t addr;

	if (!model_address(model, process, place->frame, &addr))
		addr = frame->offset;
	textbuf_escaped(&file, path[0] ? path : "[unknown]", strlen(path[0] ? path : "[unknown]"),
			TEXT_PLAIN);
	for (uint32_t i = 0; i < nr; i++) {
		/* The list is printed from its end, a waker's stack from its root. */
		uint32_t part = place->is_wakers ? nr - 1 - i : i;

		labels_part(s->p->labels, &s->label, place->frame, place->place, part);
		if (part + 1 < nr)
			print_line(s, &s->lines, addr, "inlined", strlen("inlined"));
		else
			print_line(s, &s->lines, addr, file.data, file.nr);
	}
	if (file.error)
		textbuf_fail(&s->lines, file.error);
	textbuf_deinit(&file);
}

/* Stacks share most of their frames, so the lines of a frame are made once for many of them. */
static void print_frame(struct script *s, uint32_t process, const struct stack_place *place)
{
	uint64_t key = (uint64_t)process << 32 | (place->frame * NR_FRAME_PLACES + place->place);
	struct frame_lines *known = &s->known[hash_u64(key) % LINE_SLOTS];

	if (!known->len || known->process != process || known->frame != place->frame ||
	    known->place != place->place || known->is_wakers != place->is_wakers) {
		if (s->lines.nr > LINE_BYTES_MAX) {
			memset(s->known, 0, LINE_SLOTS * sizeof(*s->known));
			s->lines.nr = 0;
		}
		*known = (struct frame_lines){process,          place->frame, place->place,
					      place->is_wakers, s->lines.nr,  0};
		make_lines(s, process, place);
		known->len = s->lines.nr - known->first;
	}
	textbuf_bytes(&s->stack, s->lines.data + known->first, known->len);
}

/*
 * Would readers take what follows the space at @name for the process id? Such are "12" and "1/2".
 */
static bool is_before_id(const char *name, size_t len)
{
	size_t i = 1;

	while (i < len && isdigit((unsigned char)name[i]))
		i++;
	if (i == 1)
		return false;
	while (i < len && (name[i] == '/' || isdigit((unsigned char)name[i])))
		i++;
	return i == len || name[i] == ' ';
}

/*
 * Appends the name of a thread. Readers end it before the first number, leave out lines that begin
 * with a space or '#', and take a file that begins with '{' for JSON. Spaces that would mislead
 * them become '_', as stackcollapse-perf.pl makes of all. It needs two characters, and a semicolon
 * of a name would end a frame in its output.
 */
static void print_thread(struct textbuf *out, const char *name, size_t len)
{
	size_t begin = 0, end = len;

	while (begin < len && name[begin] == ' ')
		begin++;
	while (end > begin && name[end - 1] == ' ')
		end--;
	for (size_t i = 0; i < len; i++) {
		bool is_outside = i < begin || i >= end;

		if (name[i] == ' ' && (is_outside || is_before_id(name + i, len - i)))
			textbuf_char(out, '_');
		else if (name[i] == ';' || (!i && (name[i] == '#' || name[i] == '{')))
			textbuf_printf(out, "\\x%02x", name[i]);
		else
			textbuf_char(out, name[i]);
	}
	if (len == 1)
		textbuf_char(out, ' ');
}

static void make_thread(struct script *s, const struct stack_row *row)
{
	s->thread.nr = 0;
	if (row->comm)
		labels_string(s->p->labels, &s->label, row->comm);
	else
		textbuf_str(&s->label, UNNAMED_THREAD);
	print_thread(&s->thread, s->label.data, s->label.nr);
	s->label.nr = 0;
}

/* Prints the header of sample @nr. The recording does not know its CPU, and perf may print none. */
static void print_header(struct script *s, const struct timed_row *timed, uint64_t nr,
			 uint64_t period)
{
	uint64_t us = (s->p->rec->meta->start_monotonic_ns + timed_row_ns(timed, nr)) /
		      (NS_PER_S / US_PER_S);
	const struct stack_row *row = &timed->row;
	struct textbuf *out = s->out;

	textbuf_bytes(out, s->thread.data, s->thread.nr);
	textbuf_printf(out, " %" PRIu32 "/%" PRIu32 " %" PRIu64 ".%06" PRIu64 ": %" PRIu64 " ",
		       row->pid, row->tid ? row->tid : row->pid, us / US_PER_S, us % US_PER_S,
		       period);
	textbuf_str(out, s->event);
	textbuf_str(out, ": \n");
}

/* Prints the row, whose stack is there, as samples whose periods are its count together. */
static void print_samples(struct script *s, const struct timed_row *timed)
{
	uint64_t nr = s->repeats ? min_u64(timed->row.count, ROW_SAMPLES_MAX) : 1;
	uint64_t bytes = s->thread.nr + s->stack.nr + 1;

	nr = min_u64(nr, s->repeated_bytes_left / bytes + 1);
	for (uint64_t i = 1; i <= nr && !s->out->error; i++) {
		print_header(s, timed, i - 1, i < nr ? 1 : timed->row.count - (nr - 1));
		textbuf_bytes(s->out, s->stack.data, s->stack.nr);
		textbuf_char(s->out, '\n');
	}
	s->repeated_bytes_left -= nr ? (nr - 1) * bytes : 0;
}

static int print_row(void *ctx, const struct timed_row *timed)
{
	const struct stack_row *row = &timed->row;
	struct script *s = ctx;
	int ret = stack_places_make(row, &s->places);

	if (ret)
		return ret;
	s->stack.nr = 0;
	for (size_t i = s->places.nr; i-- > 0;) {
		if (!s->places.data[i].text) {
			print_frame(s, row->process, &s->places.data[i]);
			continue;
		}
		textbuf_str(&s->label, s->places.data[i].text);
		print_line(s, &s->stack, 0, "[missing]", strlen("[missing]"));
	}
	make_thread(s, row);
	if (s->lines.error || s->stack.error || s->label.error || s->thread.error)
		return -ENOMEM;
	print_samples(s, timed);
	return 0;
}

/* perf's name of the event: a word without colons, which would end it, and no number. */
static void make_event(struct textbuf *event, const char *name)
{
	if (!name[strspn(name, "0123456789.")])
		textbuf_str(event, "event");
	for (; *name; name++)
		textbuf_char(event, *name > ' ' && *name < 0x7f && *name != ':' ? *name : '_');
	textbuf_char(event, '\0');
}

int export_perf_script(const struct printout *p, struct rows_summary *summary)
{
	const struct prof_event *event = printed_event(p);
	struct textbuf name = {.fd = -1};
	struct script s = {
		.p = p,
		.out = p->out,
		.known = calloc(LINE_SLOTS, sizeof(*s.known)),
		.lines.fd = -1,
		.stack.fd = -1,
		.label.fd = -1,
		.thread.fd = -1,
		.repeated_bytes_left = REPEATED_BYTES_MAX,
		.repeats = !event ||
			   (event->kind == PROF_EVENT_SAMPLES && event->unit == PROF_UNIT_EVENTS),
	};
	int ret;

	make_event(&name, event_name(p->rec->meta, p->view->event));
	s.event = name.data;
	ret = name.error || !s.known ? -ENOMEM : timed_rows_visit(p, print_row, &s, summary);
	free(s.known);
	vec_free(&s.places);
	textbuf_deinit(&s.lines);
	textbuf_deinit(&s.stack);
	textbuf_deinit(&s.label);
	textbuf_deinit(&s.thread);
	textbuf_deinit(&name);
	return ret;
}
