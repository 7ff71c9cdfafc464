// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/parse.h"

/* The values by which getopt_long returns long options are above every character. */
#define LONG_BASE   256
#define COMMON_BASE (LONG_BASE - NR_COMMON_OPTIONS)

static const char *option_label(const struct option_spec *opt, char *buf, size_t size)
{
	if (opt->short_name)
		snprintf(buf, size, "-%c/--%s", opt->short_name, opt->name);
	else
		snprintf(buf, size, "--%s", opt->name);
	return buf;
}

/*
 * Returns, in memory of its own, the first word of the value @arg that @opt does not know. Returns
 * NULL if it knows all of them.
 */
static char *find_unknown_word(const struct option_spec *opt, const char *arg)
{
	for (unsigned int found;; arg++) {
		size_t len = opt->type == OPTION_CHOICE ? strlen(arg) : strcspn(arg, ",");
		_cleanup_free_ char *word = strndup(arg, len);

		if (!word || word_list_find(&opt->words, word, &found))
			return TAKE_PTR(word);
		arg += len;
		if (!*arg)
			return NULL;
	}
}

/* Returns 0 if all words of the value are known. */
static int refuse_word(const struct option_spec *opt, const char *arg, const char *label,
		       struct err *err)
{
	_cleanup_free_ char *word = NULL;
	char text[96];

	if (option_has_words(opt))
		word = find_unknown_word(opt, arg);
	if (!word)
		return 0;
	snprintf(text, sizeof(text), "option %s: unknown value", label);
	return word_list_refuse(&opt->words, text, word, err);
}

/* A limit of the values of @opt, as a user can write it. */
static const char *limit_text(const struct option_spec *opt, uint64_t limit, char text[32])
{
	static const char *const sizes[] = {"", "K", "M", "G", "T"};
	size_t i = 0;

	if (opt->type == OPTION_DURATION) {
		const char *unit = limit % NS_PER_S ? "ms" : "s";

		limit /= limit % NS_PER_S ? NS_PER_MS : NS_PER_S;
		snprintf(text, 32, "%" PRIu64 "%s", limit, unit);
		return text;
	}
	for (; opt->type == OPTION_SIZE && limit && !(limit % 1024) && i + 1 < ARRAY_SIZE(sizes);
	     i++)
		limit /= 1024;
	snprintf(text, 32, "%" PRIu64 "%s", limit, sizes[i]);
	return text;
}

static int set_bad_number(const struct option_spec *opt, const char *arg, int code,
			  const char *label, struct err *err)
{
	char min[32], max[32];

	if (code == -ERANGE)
		return err_set(err, -EINVAL, "option %s: %s is out of range (%s to %s)", label, arg,
			       limit_text(opt, opt->min, min), limit_text(opt, opt->max, max));
	if (opt->type == OPTION_U64) {
		err_set(err, -EINVAL, "option %s: '%s' is not a whole number", label, arg);
		return opt->hint ? err_hint(err, -EINVAL, "%s", opt->hint) : -EINVAL;
	}
	err_set(err, -EINVAL, "option %s: '%s' is not a %s", label, arg,
		opt->type == OPTION_SIZE ? "size" : "length of time");
	return err_hint(err, -EINVAL,
			opt->type == OPTION_SIZE ? OPTION_SIZE_HINT : OPTION_DURATION_HINT);
}

static int set_bad_value(const struct option_spec *opt, const char *arg, int code, struct err *err)
{
	char label[64];

	option_label(opt, label, sizeof(label));
	if (refuse_word(opt, arg, label, err))
		return opt->hint ? err_hint(err, -EINVAL, "%s", opt->hint) : -EINVAL;
	if (opt->type == OPTION_U64 || opt->type == OPTION_DURATION || opt->type == OPTION_SIZE)
		return set_bad_number(opt, arg, code, label, err);
	if (opt->type == OPTION_PARSED) {
		err_set(err, -EINVAL, "option %s: '%s' is not %s", label, arg, opt->kind);
		return opt->hint ? err_hint(err, -EINVAL, "%s", opt->hint) : -EINVAL;
	}
	err_set(err, -EINVAL, "option %s: '%s' is not a list of %s", label, arg,
		opt->type == OPTION_PIDS   ? "process ids (N[,N...])"
		: opt->type == OPTION_TIDS ? "thread ids (N[,N...])"
					   : "CPUs (N[,N|A-B...])");
	return opt->hint ? err_hint(err, -EINVAL, "%s", opt->hint) : -EINVAL;
}

/* Limits of the kernel: PID_MAX_LIMIT is 2^22 on 64 bit; NR_CPUS is at most 8192. */
#define PID_MAX 4194304
#define CPU_MAX 8191

static int store_value(const struct option_spec *opt, const char *arg, void *p, struct err *err)
{
	int ret = 0;

	switch (opt->type) {
	case OPTION_FLAG:
		*(bool *)p = true;
		break;
	case OPTION_STRING:
		*(const char **)p = arg;
		break;
	case OPTION_STRINGS:
	case OPTION_WORDS:
		ret = vec_push((string_vec *)p, arg);
		break;
	case OPTION_U64:
		ret = parse_u64(arg, opt->min, opt->max, p);
		break;
	case OPTION_DURATION:
		ret = parse_duration(arg, opt->min, opt->max, p);
		break;
	case OPTION_SIZE:
		ret = parse_size(arg, opt->min, opt->max, p);
		break;
	case OPTION_PIDS:
	case OPTION_TIDS:
		ret = parse_u32_list(arg, 1, PID_MAX, false, p);
		break;
	case OPTION_CPUS:
		ret = parse_u32_list(arg, 0, CPU_MAX, true, p);
		break;
	case OPTION_CHOICE:
		ret = word_list_find(&opt->words, arg, p);
		break;
	case OPTION_PARSED:
		ret = opt->parse(arg, p);
		break;
	}
	if (ret == -ENOMEM)
		return err_set(err, ret, "failed to read the options: out of memory");
	return ret ? set_bad_value(opt, arg, ret, err) : 0;
}

/* Notes that the user gave option @nr. Fails if the user gave an option that excludes it. */
static int note_given(const struct command_spec *command, size_t nr, bool *given, struct err *err)
{
	const struct option_spec *opt = command_option(command, nr, NULL), *other;

	for (size_t i = 0; (other = command_option(command, i, NULL)); i++) {
		char a[64], b[64];

		if (!given[i] || other == opt || !opt->exclusive ||
		    other->exclusive != opt->exclusive)
			continue;
		return err_set(err, -EINVAL, "option %s: not allowed with option %s",
			       option_label(opt, a, sizeof(a)), option_label(other, b, sizeof(b)));
	}
	given[nr] = true;
	return 0;
}

static size_t count_options(const struct command_spec *command)
{
	size_t nr = 0;

	while (command_option(command, nr, NULL))
		nr++;
	return nr;
}

static void add_common_options(struct option *longs, char *shorts)
{
	for (int i = 0; i < NR_COMMON_OPTIONS; i++) {
		const struct common_option *opt = &common_options[i];

		longs[i] = (struct option){opt->name, no_argument, NULL, COMMON_BASE + i};
		if (opt->short_name)
			*shorts++ = opt->short_name;
	}
	*shorts = '\0';
}

/* Builds the tables of getopt_long for @nr options. The caller frees *@shorts and *@longs. */
static int make_getopt_tables(const struct command_spec *command, size_t nr, char **shorts,
			      struct option **longs)
{
	char *s = malloc(2 * nr + NR_COMMON_OPTIONS + 2);
	struct option *l = calloc(nr + NR_COMMON_OPTIONS + 1, sizeof(*l));
	size_t n = 0;

	if (!s || !l) {
		free(s);
		free(l);
		return -ENOMEM;
	}
	s[n++] = ':'; /* makes getopt_long tell a missing value from an unknown option */
	for (size_t i = 0; i < nr; i++) {
		const struct option_spec *opt = command_option(command, i, NULL);

		l[i] = (struct option){opt->name, option_has_value(opt), NULL, LONG_BASE + (int)i};
		if (!opt->short_name)
			continue;
		s[n++] = opt->short_name;
		if (option_has_value(opt))
			s[n++] = ':';
	}
	add_common_options(l + nr, s + n);
	*shorts = s;
	*longs = l;
	return 0;
}

/*
 * Gives the words up to the next option to @values. getopt_long looks at the words from optind on,
 * and leaves alone those before.
 */
static int store_words(const struct option_words *words, string_vec *values, struct err *err)
{
	for (; optind < words->argc; optind++) {
		const char *word = words->argv[optind];

		if (word[0] == '-' && word[1])
			break;
		if (vec_push(values, word))
			return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	}
	return 0;
}

/* Returns the number of the option for which getopt_long returned @val. */
static size_t option_number(const struct command_spec *command, int val)
{
	const struct option_spec *opt;
	size_t i;

	if (val >= LONG_BASE)
		return val - LONG_BASE;
	for (i = 0; (opt = command_option(command, i, NULL)); i++)
		if (opt->short_name == val)
			break;
	return i;
}

/* Returns the common option for which getopt_long returned @val, NR_COMMON_OPTIONS for none. */
static int common_option_id(int val)
{
	int id = 0;

	if (val >= COMMON_BASE && val < LONG_BASE)
		return val - COMMON_BASE;
	while (id < NR_COMMON_OPTIONS && common_options[id].short_name != val)
		id++;
	return id;
}

/* The names of a command's long options, those of every command among them. */
static const char *long_name(const struct command_spec *command, size_t i)
{
	size_t nr = count_options(command);

	if (i < nr)
		return command_option(command, i, NULL)->name;
	i -= nr;
	return i < NR_COMMON_OPTIONS && common_options[i].help ? common_options[i].name : NULL;
}

/* Returns true with @err set if several long options begin with the @len letters of @word. */
static bool is_ambiguous(const struct command_spec *command, const char *word, size_t len,
			 struct err *err)
{
	char names[160] = "";
	size_t nr = 0, used = 0;
	const char *name;

	for (size_t i = 0; (name = long_name(command, i)); i++) {
		if (strncmp(name, word, len) != 0)
			continue;
		if (used < sizeof(names))
			used += snprintf(names + used, sizeof(names) - used, "%s'--%s'",
					 nr ? ", " : "", name);
		nr++;
	}
	if (nr)
		err_set(err, -EINVAL, "option '--%.*s' is ambiguous: %s", (int)len, word, names);
	return nr;
}

/* Words the error of a long option that getopt_long does not know, @word with its dashes. */
static int refuse_long(const struct command_spec *command, const struct option_words *words,
		       const char *word, struct err *err)
{
	const char *hint = program_foreign_hint(words->program, word), *name;
	size_t len = strcspn(word, "=") - 2;
	_cleanup_free_ char *given = strndup(word + 2, len);
	struct suggestion suggestion;

	if (!given)
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	if (!hint && len && is_ambiguous(command, given, len, err))
		return -EINVAL;
	suggestion_init(&suggestion, given);
	for (size_t i = 0; !hint && (name = long_name(command, i)); i++)
		suggestion_try(&suggestion, name);
	if (suggestion.best)
		return err_set(err, -EINVAL, "unknown option '--%s'; did you mean '--%s'?", given,
			       suggestion.best);
	err_set(err, -EINVAL, "unknown option '--%s'", given);
	return hint ? err_hint(err, -EINVAL, "%s", hint)
		    : err_hint(err, -EINVAL, "'%s --help' lists the options", words->as);
}

/* Words the error after getopt_long returned '?' or ':'. */
static int set_usage_error(const struct command_spec *command, const struct option_words *words,
			   int val, struct err *err)
{
	const char *word = words->argv[optind - 1], *hint = NULL;
	const char letter[] = {'-', (char)optopt, '\0'};

	if (val != ':' && !optopt)
		return refuse_long(command, words, word, err);
	if (val == ':') {
		err_set(err, -EINVAL, "option %s: needs a value", word);
	} else if (optopt >= COMMON_BASE) {
		err_set(err, -EINVAL, "option %.*s: takes no value", (int)strcspn(word, "="), word);
	} else {
		err_set(err, -EINVAL, "unknown option '%s'", letter);
		hint = program_foreign_hint(words->program, letter);
	}
	if (hint)
		return err_hint(err, -EINVAL, "%s", hint);
	return err_hint(err, -EINVAL, "'%s --help' lists the options", words->as);
}

int options_parse(const struct command_spec *command, struct option_words *words, void *target,
		  struct err *err)
{
	_cleanup_free_ char *shorts = NULL;
	_cleanup_free_ struct option *longs = NULL;
	size_t nr_options = count_options(command);
	_cleanup_free_ bool *given = calloc(nr_options + 1, sizeof(*given));
	int val, ret;

	if (!given || make_getopt_tables(command, nr_options, &shorts, &longs))
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	opterr = 0;
	optind = 0; /* makes glibc start afresh, also in a later call */
	while ((val = getopt_long(words->argc, words->argv, shorts, longs, NULL)) != -1) {
		size_t nr, offset;
		const struct option_spec *opt;

		if (val == '?' || val == ':')
			return set_usage_error(command, words, val, err);
		if (common_option_id(val) < NR_COMMON_OPTIONS)
			return OPTIONS_COMMON + common_option_id(val);
		nr = option_number(command, val);
		opt = command_option(command, nr, &offset);
		ret = note_given(command, nr, given, err);
		if (!ret)
			ret = store_value(opt, optarg, (char *)target + offset, err);
		if (!ret && opt->type == OPTION_WORDS)
			ret = store_words(words, (string_vec *)((char *)target + offset), err);
		if (ret)
			return ret;
	}
	words->first = optind;
	return OPTIONS_RUN;
}

int options_check(const struct command_spec *command, const void *target, struct err *err)
{
	for (const struct option_part *part = command->parts; part->table; part++) {
		int ret = part->table->check
				  ? part->table->check((const char *)target + part->offset, err)
				  : 0;

		if (ret)
			return ret;
	}
	return 0;
}

void options_release(const struct command_spec *command, void *target)
{
	const struct option_spec *opt;
	size_t offset;

	for (size_t i = 0; (opt = command_option(command, i, &offset)); i++) {
		void *list = (char *)target + offset;

		if (opt->type == OPTION_STRINGS || opt->type == OPTION_WORDS)
			vec_free((string_vec *)list);
		else if (opt->type == OPTION_PIDS || opt->type == OPTION_TIDS ||
			 opt->type == OPTION_CPUS)
			vec_free((u32_vec *)list);
	}
}
