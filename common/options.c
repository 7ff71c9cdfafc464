// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/completion.h"
#include "common/parse.h"
#include "common/vec.h"

/* getopt_long's return values for long options: above every character. */
#define LONG_BASE 256

enum { VAL_HELP = LONG_BASE - 4, VAL_VERSION, VAL_HELP_MAN, VAL_HELP_COMPLETION };

#define HELP_COLUMN 34

static bool takes_argument(const struct option_spec *opt)
{
	return opt->type != OPTION_FLAG;
}

/* "-F, --frequency HZ", the way --help names an option. */
static void option_title(const struct option_spec *opt, char *buf, size_t size)
{
	const char *space = takes_argument(opt) ? " " : "";
	const char *arg = takes_argument(opt) ? opt->metavar : "";

	if (opt->short_name)
		snprintf(buf, size, "-%c, --%s%s%s", opt->short_name, opt->name, space, arg);
	else
		snprintf(buf, size, "    --%s%s%s", opt->name, space, arg);
}

static const char *option_label(const struct option_spec *opt, char *buf, size_t size)
{
	if (opt->short_name)
		snprintf(buf, size, "-%c/--%s", opt->short_name, opt->name);
	else
		snprintf(buf, size, "--%s", opt->name);
	return buf;
}

static void print_help_line(const char *title, const char *help)
{
	if (strlen(title) + 2 >= HELP_COLUMN)
		printf("  %s\n%*s%s\n", title, HELP_COLUMN, "", help);
	else
		printf("  %-*s%s\n", HELP_COLUMN - 2, title, help);
}

static void print_help(const struct program_spec *program)
{
	printf("usage: %s %s\n\n%s\n\noptions:\n", program->name, program->usage, program->summary);
	for (size_t i = 0; i < program->nr_options; i++) {
		char title[96];

		option_title(&program->options[i], title, sizeof(title));
		print_help_line(title, program->options[i].help);
	}
	print_help_line("-h, --help", "show this help and exit");
	print_help_line("    --version", "show the version and exit");
	printf("\nexamples:\n%s", program->examples);
}

/* man(7) takes a '-' for a hyphen unless it is escaped. */
static void print_man_text(const char *s)
{
	for (; *s; s++)
		printf(*s == '-' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void print_man_option(const struct option_spec *opt)
{
	printf(".TP\n");
	if (opt->short_name)
		printf("\\fB\\-%c\\fR, ", opt->short_name);
	printf("\\fB\\-\\-");
	print_man_text(opt->name);
	printf("\\fR");
	if (takes_argument(opt)) {
		printf(" \\fI");
		print_man_text(opt->metavar);
		printf("\\fR");
	}
	printf("\n");
	print_man_text(opt->help);
	printf(".\n");
}

static void print_help_man(const struct program_spec *program)
{
	static const struct option_spec common[] = {
		{.name = "help", .short_name = 'h', .help = "show this help and exit"},
		{.name = "version", .help = "show the version and exit"},
	};

	for (size_t i = 0; i < program->nr_options; i++)
		print_man_option(&program->options[i]);
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		print_man_option(&common[i]);
}

static int bad_value(const struct option_spec *opt, const char *arg, int code, struct err *err)
{
	char label[64];

	option_label(opt, label, sizeof(label));
	if (code == -ERANGE && opt->type == OPTION_U64)
		return err_set(err, -EINVAL, "option %s: %s is out of range (%llu to %llu)", label,
			       arg, opt->min, opt->max);
	if (opt->type == OPTION_U64)
		return err_set(err, -EINVAL, "option %s: '%s' is not a number", label, arg);
	return err_set(err, -EINVAL, "option %s: '%s' is not a list of %s", label, arg,
		       opt->type == OPTION_PIDS   ? "process ids (N[,N...])"
		       : opt->type == OPTION_TIDS ? "thread ids (N[,N...])"
						  : "CPUs (N[,N|A-B...])");
}

/* The kernel's limits: PID_MAX_LIMIT is 2^22 on 64 bit; NR_CPUS is at most 8192. */
#define PID_MAX 4194304
#define CPU_MAX 8191

static int store(const struct option_spec *opt, const char *arg, void *target, struct err *err)
{
	void *p = (char *)target + opt->offset;
	int ret = 0;

	switch (opt->type) {
	case OPTION_FLAG:
		*(bool *)p = true;
		break;
	case OPTION_STRING:
		*(const char **)p = arg;
		break;
	case OPTION_U64:
		ret = parse_u64(arg, opt->min, opt->max, p);
		break;
	case OPTION_PIDS:
	case OPTION_TIDS:
		ret = parse_u32_list(arg, 1, PID_MAX, false, p);
		break;
	case OPTION_CPUS:
		ret = parse_u32_list(arg, 0, CPU_MAX, true, p);
		break;
	}
	if (ret == -ENOMEM)
		return err_set(err, ret, "failed to read the options: out of memory");
	return ret ? bad_value(opt, arg, ret, err) : 0;
}

/* Notes that @opt was given; an error if another one of its group was. */
static int note_given(const struct program_spec *program, const struct option_spec *opt,
		      bool *given, struct err *err)
{
	for (size_t i = 0; i < program->nr_options; i++) {
		const struct option_spec *other = &program->options[i];
		char a[64], b[64];

		if (!given[i] || other == opt || !opt->exclusive ||
		    other->exclusive != opt->exclusive)
			continue;
		return err_set(err, -EINVAL, "option %s: not allowed with option %s",
			       option_label(opt, a, sizeof(a)), option_label(other, b, sizeof(b)));
	}
	given[opt - program->options] = true;
	return 0;
}

/* Builds what getopt_long wants. *@shorts and *@longs are the caller's to free. */
static int make_getopt_tables(const struct program_spec *program, char **shorts,
			      struct option **longs)
{
	size_t nr = program->nr_options, n = 0;
	char *s = malloc(2 * nr + 4);
	struct option *l = calloc(nr + 5, sizeof(*l));

	if (!s || !l) {
		free(s);
		free(l);
		return -ENOMEM;
	}
	s[n++] = ':'; /* tells a missing argument from an unknown option */
	for (size_t i = 0; i < nr; i++) {
		const struct option_spec *opt = &program->options[i];

		l[i] = (struct option){opt->name, takes_argument(opt), NULL, LONG_BASE + (int)i};
		if (!opt->short_name)
			continue;
		s[n++] = opt->short_name;
		if (takes_argument(opt))
			s[n++] = ':';
	}
	s[n++] = 'h';
	s[n] = '\0';
	l[nr] = (struct option){"help", no_argument, NULL, VAL_HELP};
	l[nr + 1] = (struct option){"version", no_argument, NULL, VAL_VERSION};
	l[nr + 2] = (struct option){"help-man", no_argument, NULL, VAL_HELP_MAN};
	l[nr + 3] = (struct option){"help-completion", no_argument, NULL, VAL_HELP_COMPLETION};
	*shorts = s;
	*longs = l;
	return 0;
}

static const struct option_spec *find_option(const struct program_spec *program, int val)
{
	if (val >= LONG_BASE && (size_t)(val - LONG_BASE) < program->nr_options)
		return &program->options[val - LONG_BASE];
	for (size_t i = 0; i < program->nr_options; i++)
		if (program->options[i].short_name == val)
			return &program->options[i];
	return NULL;
}

/* Prints what @val asks for. Returns false when it is not one of the informative options. */
static bool print_information(const struct program_spec *program, int val)
{
	if (val == VAL_HELP || val == 'h')
		print_help(program);
	else if (val == VAL_HELP_MAN)
		print_help_man(program);
	else if (val == VAL_HELP_COMPLETION)
		completion_print(program);
	else if (val == VAL_VERSION)
		printf("%s %s\n", program->name, PROFREC_VERSION);
	else
		return false;
	return true;
}

/* The error for what getopt_long returned '?' or ':' for. */
static int usage_error(const struct program_spec *program, int val, char **argv, struct err *err)
{
	const char *word = argv[optind - 1];

	if (val == ':')
		err_set(err, -EINVAL, "option %s: needs a value", word);
	else if (optopt && optopt < VAL_HELP)
		err_set(err, -EINVAL, "option -%c: unknown", optopt);
	else
		err_set(err, -EINVAL, "option %s: unknown, ambiguous, or takes no value", word);
	return err_hint(err, -EINVAL, "'%s --help' lists the options", program->name);
}

int options_parse(const struct program_spec *program, int argc, char **argv, void *target,
		  int *operands, struct err *err)
{
	_cleanup_free_ char *shorts = NULL;
	_cleanup_free_ struct option *longs = NULL;
	_cleanup_free_ bool *given = calloc(program->nr_options + 1, sizeof(*given));
	int val, ret;

	if (!given || make_getopt_tables(program, &shorts, &longs))
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	opterr = 0;
	optind = 0; /* glibc: start afresh, also when called again */
	while ((val = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_spec *opt;

		if (val == '?' || val == ':')
			return usage_error(program, val, argv, err);
		if (print_information(program, val))
			return OPTIONS_DONE;
		opt = find_option(program, val);
		ret = note_given(program, opt, given, err);
		if (!ret)
			ret = store(opt, optarg, target, err);
		if (ret)
			return ret;
	}
	*operands = optind;
	return OPTIONS_RUN;
}
