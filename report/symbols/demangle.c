// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libiberty hands the text out piece by piece through a callback, and takes its own memory from the
 * stack. The callback returns nothing, and back references double the text every few bytes. So
 * longjmp is the only way to stop a name that grows beyond the limit. A piece of an identifier in
 * Punycode may leak then. libiberty limits its recursion unless a caller asks it not to.
 */
#include "report/symbols/demangle.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "common/vec.h"

/* Bytes of a mangled name. Names of heavy template code reach some 10 KB. */
#define MANGLED_MAX 16384

struct demangled {
	VEC(char) text;
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
	return fn(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO, take_piece, d) && d->text.nr;
}

static bool has_prefix(const char *s, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(s, prefix, strlen(prefix));
}

bool demangle_may_be_mangled(const char *name, size_t len)
{
	return len >= 3 && len <= MANGLED_MAX &&
	       (has_prefix(name, len, "_Z") || has_prefix(name, len, "___Z") ||
		has_prefix(name, len, "_R"));
}

/* @mangled may be mangled, and has a NUL. */
static bool demangle_any(const char *mangled, struct demangled *d)
{
	if (mangled[1] == '_')
		mangled += 2;
	if (mangled[1] == 'Z')
		/* Legacy Rust names are C++ names that end in a hash. */
		return demangle_by(rust_demangle_callback, mangled, d) ||
		       demangle_by(cplus_demangle_v3_callback, mangled, d);
	return demangle_by(rust_demangle_callback, mangled, d);
}

int demangle_name(const char *name, size_t len, char **text)
{
	struct demangled *d;
	char *mangled;
	int ret = 0;

	if (!demangle_may_be_mangled(name, len))
		return 0;
	mangled = strndup(name, len);
	d = calloc(1, sizeof(*d)); /* on the heap, because longjmp may spoil locals */
	if (!mangled || !d)
		ret = -ENOMEM;
	else if (demangle_any(mangled, d))
		ret = vec_push(&d->text, '\0');
	else
		ret = d->out_of_memory ? -ENOMEM : -ENOENT;
	if (!ret)
		*text = d->text.data;
	else if (d)
		free(d->text.data);
	free(d);
	free(mangled);
	return ret == -ENOENT ? 0 : ret;
}
