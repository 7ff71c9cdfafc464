// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libiberty hands the text out piece by piece through a callback, and takes its own memory from the
 * stack. The callback returns nothing, and back references double the text every few bytes. So
 * longjmp is the only way to stop a name that grows beyond the limit. A piece of an identifier in
 * Punycode may leak then. libiberty limits its recursion unless a caller asks it not to.
 */
#include "report/demangle/demangle.h"

#include <ctype.h>
#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "common/vec.h"
#include "report/demangle/short_name.h"

/* Bytes of a mangled name. Names of heavy template code reach some 10 KB. */
#define MANGLED_MAX 16384

/* At the end of the names of stubs. */
#define PLT_SUFFIX "@plt"

struct demangled {
	VEC(char) text;
	int options; /* DMGL_* */
	bool out_of_memory;
	jmp_buf too_long;
};

static void take_piece(const char *piece, size_t len, void *opaque)
{
	struct demangled *d = opaque;

	if (len > DEMANGLED_BYTES_MAX - d->text.nr)
		longjmp(d->too_long, 1);
	if (vec_append(&d->text, piece, len)) {
		d->out_of_memory = true;
		longjmp(d->too_long, 1);
	}
}

typedef int (*demangle_fn)(const char *mangled, int options, demangle_callbackref callback,
			   void *opaque);

/* Returns true if @fn understood @mangled; @d then holds the text. */
static bool demangle_by(demangle_fn fn, const char *mangled, struct demangled *d)
{
	vec_clear(&d->text);
	if (setjmp(d->too_long))
		return false;
	return fn(mangled, d->options, take_piece, d) && d->text.nr;
}

/* Demangles a name of D. libiberty takes memory for the text; time bounds it. */
static bool demangle_dlang(const char *mangled, struct demangled *d)
{
	char *text = dlang_demangle(mangled, d->options);
	size_t len = text ? strlen(text) : 0;

	vec_clear(&d->text);
	if (len <= DEMANGLED_BYTES_MAX)
		d->out_of_memory = vec_append(&d->text, text, len);
	free(text);
	return d->text.nr;
}

static bool has_prefix(const char *s, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(s, prefix, strlen(prefix));
}

static bool is_mangled(const char *name, size_t len)
{
	return len >= 3 && (has_prefix(name, len, "_Z") || has_prefix(name, len, "___Z") ||
			    has_prefix(name, len, "_R") ||
			    (has_prefix(name, len, "_D") && isdigit((unsigned char)name[2])));
}

/* Returns the length of @name without "@plt". */
static size_t length_without_plt(const char *name, size_t len)
{
	size_t suffix = strlen(PLT_SUFFIX);

	return len > suffix && !memcmp(name + len - suffix, PLT_SUFFIX, suffix) ? len - suffix
										: len;
}

bool demangle_may_change(const char *name, size_t len, enum demangle_style style)
{
	size_t stem = length_without_plt(name, len);

	/* A recording can hold names with a NUL. */
	if (style == DEMANGLE_NONE || len > MANGLED_MAX || memchr(name, '\0', len))
		return false;
	return is_mangled(name, stem) ||
	       (style == DEMANGLE_SHORT && short_name_length(name, stem) != stem);
}

/*
 * Returns true if @mangled, a name of C++, may be one of Rust: these end in a hash, whose length
 * stands before it. libiberty reads all of a name before it looks for the hash.
 */
static bool may_be_legacy_rust(const char *mangled)
{
	return strstr(mangled, "17h");
}

/* @mangled may be mangled, and has a NUL. */
static bool demangle_any(const char *mangled, struct demangled *d)
{
	if (mangled[1] == 'D')
		return demangle_dlang(mangled, d);
	if (mangled[1] == '_')
		mangled += 2;
	if (mangled[1] == 'Z')
		return (may_be_legacy_rust(mangled) &&
			demangle_by(rust_demangle_callback, mangled, d)) ||
		       demangle_by(cplus_demangle_v3_callback, mangled, d);
	return demangle_by(rust_demangle_callback, mangled, d);
}

/*
 * Makes the text of @stem, which has lost a suffix if @is_cut. Returns 0, -ENOENT if it stays as it
 * is, or -ENOMEM.
 */
static int make_text(const char *stem, bool is_cut, enum demangle_style style, struct demangled *d)
{
	size_t len = strlen(stem);

	d->options = DMGL_ANSI | DMGL_AUTO | (style == DEMANGLE_SHORT ? 0 : DMGL_PARAMS);
	if (is_mangled(stem, len) && demangle_any(stem, d)) {
		if (vec_push(&d->text, '\0'))
			return -ENOMEM;
		if (style == DEMANGLE_SHORT)
			short_name_make(d->text.data);
		return d->text.data[0] ? 0 : -ENOENT;
	}
	if (d->out_of_memory)
		return -ENOMEM;
	vec_clear(&d->text);
	return is_cut ? vec_append(&d->text, stem, len + 1) : -ENOENT;
}

/* Adds @suffix to the text, which has a NUL. Returns 0 or -ENOMEM. */
static int end_text(struct demangled *d, const char *suffix, size_t len)
{
	d->text.nr = strlen(d->text.data);
	return vec_append(&d->text, suffix, len) || vec_push(&d->text, '\0') ? -ENOMEM : 0;
}

int demangle_name(const char *name, size_t len, enum demangle_style style, char **text)
{
	size_t stem = length_without_plt(name, len), kept = stem;
	struct demangled *d;
	char *copy;
	int ret = -ENOMEM;

	if (!demangle_may_change(name, len, style))
		return 0;
	if (style == DEMANGLE_SHORT)
		kept = short_name_length(name, stem);
	copy = strndup(name, kept);
	d = calloc(1, sizeof(*d)); /* on the heap, because longjmp may spoil locals */
	if (copy && d)
		ret = make_text(copy, kept != stem, style, d);
	if (!ret)
		ret = end_text(d, name + stem, len - stem);
	if (!ret) {
		*text = d->text.data;
		d->text.data = NULL;
	}
	if (d)
		free(d->text.data);
	free(d);
	free(copy);
	return ret == -ENOENT ? 0 : ret;
}
