// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep push: recordings to a receiver of Pyroscope's Push API, or of OTLP. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/parse.h"
#include "report/commands/commands.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/push/follower.h"
#include "report/push/otlp_environment.h"
#include "report/push/pusher.h"
#include "report/push/watcher.h"

/* Pyroscope's reject_older_than. */
#define MAX_AGE_S 3600

#define PATIENCE_S 60

/* In the watched directory. The requests of each protocol are their own. */
#define SPOOL_NAME      ".profrep-push"
#define OTLP_SPOOL_NAME ".profrep-push-otlp"
#define SPOOL_BYTES     (UINT64_C(256) << 20)
#define SPOOL_BYTES_MIN (UINT64_C(1) << 20)

/* How often a watch prints its account, if it changed. */
#define REPORT_NS (3600 * NS_PER_S)

/* How long a request may still take that is on its way when a signal ends profrep. */
#define GRACE_NS (5 * NS_PER_S)

/* How long a stream may take to end after a signal, which its recorder has got, too. */
#define STREAM_END_NS (10 * NS_PER_S)

/* The most that a user may ask for by default (fs.pipe-max-size). */
#define PIPE_BYTES (1 << 20)

struct push_options {
	struct source_request request;
	struct push_target target;
	uint64_t max_age_ns, patience_ns;
	bool takes_any_age;
	bool request_labels; /* samples have them, for Pyroscope's API */
	const char *watched, *spool;
	uint64_t spool_bytes;
	struct operands operands;
};

/* Standard input alone is pushed while it is read. */
static bool is_stream(const struct push_options *o)
{
	return o->operands.nr == 1 && !strcmp(o->operands.names[0], "-");
}

static int check_watch(const struct push_options *o, struct err *err)
{
	if (!o->watched && !is_stream(o) && (o->spool || o->spool_bytes))
		return err_set(err, -EINVAL, "option %s: needs --watch, or - as the recording",
			       o->spool ? "--spool" : "--spool-size");
	if (o->watched && o->operands.nr)
		return err_set(err, -EINVAL, "option --watch: not with recordings");
	if (o->watched && o->patience_ns)
		return err_set(err, -EINVAL,
			       "option --patience: not with --watch, which has a spool");
	return 0;
}

static int take_push_operands(void *options, int nr, char **operands, struct err *err)
{
	struct push_options *o = options;
	const char *url = o->target.is_otlp ? otlp_environment_url() : NULL;

	/* The environment stands in for a URL that is not given. */
	if (url && (!nr || !strstr(operands[0], "://"))) {
		o->target.url = url;
		o->operands = (struct operands){operands, nr};
	} else if (nr && !strstr(operands[0], "://") && may_be_recording(operands[0])) {
		err_set(err, -EINVAL, "command push: needs a URL before the recordings");
		return err_hint(err, -EINVAL, "'profrep push http://localhost:4040 %s'",
				operands[0]);
	} else if (nr) {
		o->target.url = operands[0];
		o->operands = (struct operands){operands + 1, nr - 1};
	} else {
		err_set(err, -EINVAL, "command push: needs a URL");
		return err_hint(err, -EINVAL, "'profrep push http://localhost:4040 app.prof'");
	}
	if (o->request_labels && o->target.is_otlp)
		return err_set(err, -EINVAL,
			       "option --request-labels: not with --otlp, which always has them");
	o->request.span.keeps_slots = true;
	o->request.span.keeps_labels = o->request_labels || o->target.is_otlp;
	o->request.view.is_data = true;
	if (o->request.view.unnamed == UNNAMED_BY_LAYOUT)
		o->request.view.unnamed = UNNAMED_FUNCTION;
	if (check_watch(o, err))
		return -EINVAL;
	return push_target_check(&o->target, err);
}

/* Says once which events of a recording a receiver of CPU time does not get. */
static void note_events(struct pusher *pusher, const struct source *source, struct textbuf *out)
{
	const struct prof_meta *meta = source->rec.meta;

	if (pusher->has_said_events || meta->nr_events < 2)
		return;
	pusher->has_said_events = true;
	for (uint32_t i = 0; i < meta->nr_events; i++) {
		const char *name = event_name(meta, i);

		if (i == source->view.event)
			continue;
		textbuf_str(out, "WARNING: the event '");
		textbuf_escaped(out, name, strlen(name), TEXT_MESSAGE);
		textbuf_printf(out, "' counts %s%s, and is not pushed.\n", event_unit(meta, i),
			       event_is_off_cpu(meta, i) ? " off the CPU" : "");
	}
}

/* Pushes the recording @name. Returns 0 or a negative errno with @err set. */
static int push_recording(struct pusher *pusher, const struct push_options *o, const char *name,
			  struct command_io *io, struct err *err)
{
	struct source source = {0};
	struct rows_summary summary = {0};
	int ret = source_load(&source, &name, 1, &o->request, err);

	/* The format keeps lines apart from names. */
	source.view.lines = false;
	if (!ret)
		ret = pusher_push(pusher, &source, &summary, err);
	if (!ret && !o->request.event && !o->target.is_otlp)
		note_events(pusher, &source, &io->warnings);
	if (!ret)
		ret = command_io_finish(io, &source, 1, &summary, err);
	source_deinit(&source);
	return ret;
}

/* One of several that cannot be pushed is said, and left out. */
static void note_left_out(struct command_io *io, const char *name, struct err *err)
{
	struct recording_gap gap = {(char *)name, err->text, true};
	const struct recording left_out = {.gaps = {&gap, 1, 1}};

	command_io_add_gaps(io, &left_out);
}

static int push_recordings(struct pusher *pusher, const struct push_options *o,
			   const struct recording_names *names, struct command_io *io,
			   struct err *err)
{
	size_t nr_left_out = 0;
	int ret = 0;

	vec_for_each(&names->names, name) {
		ret = push_recording(pusher, o, *name, io, err);
		if (ret == -ENOMEM || (ret && names->names.nr == 1))
			return ret;
		if (ret)
			note_left_out(io, *name, err);
		nr_left_out += ret != 0;
	}
	if (nr_left_out == names->names.nr)
		return err_set(err, -ENODATA, "failed to push: no recording can be read");
	return 0;
}

/* Prints the account. What the receiver did not take is an error. */
static int finish_account(const struct sender *sender, struct command_io *io, struct err *err)
{
	const struct push_count *fates = sender->account.fates;

	push_account_print(&sender->account, &io->warnings);
	io->is_incomplete |= push_account_has_losses(&sender->account);
	if (!fates[PUSH_REFUSED].nr_profiles && !fates[PUSH_UNSENT].nr_profiles)
		return 0;
	return err_set(err, -EIO, "failed to push all profiles: %s", sender->loss);
}

static int run_once(struct pusher *pusher, const struct push_options *o, struct command_io *io,
		    struct err *err)
{
	_cleanup_(recording_names_deinit) struct recording_names names = {0};
	int ret = recording_names_make(&names, o->operands.names, o->operands.nr, err);

	if (!ret)
		ret = push_recordings(pusher, o, &names, io, err);
	return ret ? ret : finish_account(pusher->sender, io, err);
}

/* What the watcher's functions need. */
struct watch_context {
	struct pusher *pusher;
	const struct push_options *options;
	struct command_io *io;
	bool has_said_old[2]; /* of a recording as a whole, and of a part */
};

/* Says once that profiles come too late. The recording is in the spool, and not taken yet. */
static void note_too_old(struct watch_context *watch, const char *path)
{
	const struct spool *spool = watch->pusher->spool;
	uint64_t nr = spool->pending[PUSH_TOO_OLD].nr_profiles;
	bool is_part = spool->next_seq > spool->taken.next_seq;
	struct textbuf *out = &watch->io->warnings;

	if (!nr || watch->has_said_old[is_part])
		return;
	watch->has_said_old[is_part] = true;
	textbuf_printf(out, "WARNING: %" PRIu64 " profile%s of '", nr, nr == 1 ? "" : "s");
	textbuf_escaped(out, path, strlen(path), TEXT_MESSAGE);
	textbuf_printf(out, "' %s older than --max-age%s\n", nr == 1 ? "is" : "are",
		       is_part ? ": shorter recordings (profrec --rotate 600) arrive in time" : "");
}

static int take_recording(void *ctx, const char *path, uint64_t *id, struct err *err)
{
	struct watch_context *watch = ctx;
	int ret;

	watch->pusher->id = 0;
	ret = push_recording(watch->pusher, watch->options, path, watch->io, err);

	if (!ret)
		note_too_old(watch, path);
	textbuf_flush(&watch->io->warnings);
	*id = watch->pusher->id;
	return ret;
}

static void leave_recording(void *ctx, const char *path, const struct err *err)
{
	const struct watch_context *watch = ctx;
	struct err copy = *err;

	note_left_out(watch->io, path, &copy);
	textbuf_flush(&watch->io->warnings);
}

static volatile sig_atomic_t is_ended;
static int wake_fd = -1;

static void end_watch(int number)
{
	int error = errno;

	(void)number;
	is_ended++;
	eventfd_write(wake_fd, 1);
	errno = error;
}

static int catch_signals(struct err *err)
{
	const struct sigaction action = {.sa_handler = end_watch};

	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd >= 0 && !sigaction(SIGTERM, &action, NULL) && !sigaction(SIGINT, &action, NULL))
		return 0;
	return err_set(err, -errno, "failed to catch signals: %s", strerror(errno));
}

static int run_watch(struct pusher *pusher, const struct push_options *o, struct command_io *io,
		     struct err *err)
{
	struct sender *sender = pusher->sender;
	struct watch_context context = {.pusher = pusher, .options = o, .io = io};
	struct spool spool;
	struct watcher watcher = {
		.dir = o->watched,
		.spool = &spool,
		.sender = sender,
		.is_ended = &is_ended,
		.report_ns = REPORT_NS,
		.take = take_recording,
		.left = leave_recording,
		.ctx = &context,
	};
	_cleanup_free_ char *name = NULL;
	int ret;

	if (!o->spool && asprintf(&name, "%s/%s", o->watched,
				  o->target.is_otlp ? OTLP_SPOOL_NAME : SPOOL_NAME) < 0)
		return err_set(err, -ENOMEM, "failed to watch '%s': out of memory", o->watched);
	ret = spool_open(&spool, o->spool ? o->spool : name,
			 o->spool_bytes ? o->spool_bytes : SPOOL_BYTES, sender->account.fates, err);
	pusher->spool = &spool;
	http_client_watch(sender->client, &is_ended, GRACE_NS);
	if (!ret)
		ret = catch_signals(err);
	watcher.wake_fd = wake_fd;
	if (!ret)
		ret = watcher_run(&watcher, err);
	spool_count(&spool, &sender->account.waiting);
	spool_close(&spool);
	push_account_print(&sender->account, &io->warnings);
	/* The end of a service by a signal is no failure. */
	io->is_incomplete = false;
	return ret;
}

/* Opens the spool of a stream. Without --spool it is a directory that goes with profrep. */
static int open_stream_spool(const struct push_options *o, char **name, struct spool *spool,
			     struct push_count *fates, struct err *err)
{
	const char *dir = getenv("TMPDIR");

	if (o->spool) {
		*name = strdup(o->spool);
	} else if (asprintf(name, "%s/profrep-push-XXXXXX", dir && *dir ? dir : "/tmp") < 0) {
		*name = NULL;
	} else if (!mkdtemp(*name)) {
		return err_set(err, -errno, "failed to create a spool '%s': %s", *name,
			       strerror(errno));
	}
	if (!*name)
		return err_set(err, -ENOMEM, "failed to push: out of memory");
	return spool_open(spool, *name, o->spool_bytes ? o->spool_bytes : SPOOL_BYTES, fates, err);
}

/* Opens the recording, and says early what is not pushed of it. */
static int open_stream(struct pusher *pusher, const struct push_options *o, struct source *source,
		       struct command_io *io, struct err *err)
{
	const struct timespan span = source_timespan(&o->request);
	int ret = recording_open(&source->rec, o->operands.names[0], &span, err);

	if (!ret)
		ret = recording_read_names(&source->rec, err);
	if (!ret)
		ret = source_choose(source, &o->request, err);
	/* The format keeps lines apart from names. */
	source->view.lines = false;
	if (!ret)
		ret = pusher_choose(pusher, source, err);
	if (!ret && !o->request.event && !o->target.is_otlp)
		note_events(pusher, source, &io->warnings);
	textbuf_flush(&io->warnings);
	return ret;
}

/*
 * Prints the account of a stream. What waits in a spool that the user named is for the next run; an
 * own spool goes with all that is in it.
 */
static int finish_stream(const struct push_options *o, struct spool *spool, struct sender *sender,
			 struct command_io *io, struct err *err)
{
	struct push_account *account = &sender->account;
	int ret;

	spool_count(spool, &account->waiting);
	if (account->waiting.nr_profiles)
		memcpy(sender->loss, sender->failure, sizeof(sender->loss));
	if (!o->spool) {
		account->fates[PUSH_UNSENT] = account->waiting;
		account->waiting = (struct push_count){0};
		spool_discard(spool);
	}
	ret = finish_account(sender, io, err);
	if (ret || !account->waiting.nr_profiles || is_ended)
		return ret;
	err_set(err, -EIO, "failed to push all profiles: %s", sender->loss);
	return err_hint(err, -EIO,
			"they wait in the spool, and go with what is pushed from it next");
}

static int run_stream(struct pusher *pusher, const struct push_options *o, struct command_io *io,
		      struct err *err)
{
	struct sender *sender = pusher->sender;
	struct source source = {0};
	struct source_search search;
	struct spool spool = {.fd = -1};
	struct follower follower = {
		.source = &source,
		.search = &search,
		.pusher = pusher,
		.is_ended = &is_ended,
		.end_ns = STREAM_END_NS,
		.patience_ns = pusher->patience_ns,
		.report_ns = REPORT_NS,
	};
	_cleanup_free_ char *name = NULL;
	int ret = open_stream_spool(o, &name, &spool, sender->account.fates, err), finished;

	if (ret) {
		spool_close(&spool);
		return ret;
	}
	pusher->spool = &spool;
	pusher->takes_parts = true;
	http_client_watch(sender->client, &is_ended, STREAM_END_NS + GRACE_NS);
	/* What a recorder writes while the receiver keeps a request waiting. */
	fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
	ret = source_search_open(&search, &o->request.search, err);
	search.pairs.keeps = true;
	if (!ret)
		ret = catch_signals(err);
	follower.wake_fd = wake_fd;
	if (!ret)
		ret = open_stream(pusher, o, &source, io, err);
	if (!ret)
		ret = follower_run(&follower, err);
	/* Whoever ends the stream knows that it has no end. */
	if (!ret && (!is_ended || source.rec.end))
		ret = command_io_finish(io, &source, 1, &follower.summary, err);
	finished = finish_stream(o, &spool, sender, io, ret ? NULL : err);
	source_deinit(&source);
	source_search_close(&search);
	spool_close(&spool);
	return ret ? ret : finished;
}

static int push_to(const struct push_options *o, const struct push_target *target,
		   struct command_io *io, struct err *err)
{
	struct sender sender = {.messages = &io->warnings, .max_age_ns = o->max_age_ns};
	struct pusher pusher = {
		.target = target,
		.sender = &sender,
		.patience_ns = o->patience_ns ? o->patience_ns : PATIENCE_S * NS_PER_S,
	};
	int ret = http_client_create(target, target->is_otlp ? &otlp_protocol : &pyroscope_protocol,
				     &sender.client, err);

	if (ret)
		return ret;
	if (!o->takes_any_age && !o->max_age_ns && !target->is_otlp)
		sender.max_age_ns = MAX_AGE_S * NS_PER_S;
	if (o->watched)
		ret = run_watch(&pusher, o, io, err);
	else
		ret = is_stream(o) ? run_stream(&pusher, o, io, err)
				   : run_once(&pusher, o, io, err);
	pusher_deinit(&pusher);
	http_client_destroy(sender.client);
	return ret;
}

static int run_push(const void *options, struct command_io *io, struct err *err)
{
	const struct push_options *o = options;
	struct push_target target = o->target;
	string_vec of_environment = {0};
	int ret = 0;

	target.headers = (string_vec){0};
	if (target.is_otlp)
		ret = otlp_environment_headers(&of_environment, err);
	if (!ret && (vec_append(&target.headers, o->target.headers.data, o->target.headers.nr) ||
		     vec_append(&target.headers, of_environment.data, of_environment.nr)))
		ret = err_set(err, -ENOMEM, "failed to push: out of memory");
	/* Those of the user are checked already. */
	if (!ret && push_target_check(&target, err))
		ret = err_set(
			err, -EINVAL,
			"OTEL_EXPORTER_OTLP_HEADERS: a header is not valid, or is profrep's own");
	if (!ret)
		ret = push_to(o, &target, io, err);
	vec_for_each(&of_environment, header)
		free((char *)*header);
	vec_free(&of_environment);
	vec_free(&target.headers);
	return ret;
}

#define TARGET_ROW(...) OPTION_ROW(struct push_options, __VA_ARGS__)

static const struct option_spec profile_rows[] = {
	TARGET_ROW(OPTION_STRINGS, target.labels, "label", 0, .metavar = "NAME=VALUE",
		   .help = "give profiles this label as well; may be given several times"),
	TARGET_ROW(
		OPTION_FLAG, request_labels, "request-labels", 0,
		.help = "give samples the labels of their requests, of each value of which Pyroscope makes a series (with --otlp they always have them)"),
	TARGET_ROW(
		OPTION_DURATION, max_age_ns, "max-age", 0, .metavar = "TIME", .min = NS_PER_S,
		.max = 9999999999 * NS_PER_S,
		.help = "skip profiles older than this (default 1h, Pyroscope's limit; with --otlp none)"),
	TARGET_ROW(OPTION_FLAG, takes_any_age, "any-age", 0,
		   .help = "send all profiles, however old"),
};

static const struct option_spec receiver_rows[] = {
	TARGET_ROW(
		OPTION_FLAG, target.is_otlp, "otlp", 0,
		.help = "push by OTLP, to a collector of OpenTelemetry or another receiver of it"),
	TARGET_ROW(OPTION_STRING, target.tenant, "tenant", 0, .metavar = "ID",
		   .help = "push as tenant ID (X-Scope-OrgID)"),
	TARGET_ROW(OPTION_STRING, target.token_file, "token-file", 0, .metavar = "FILE",
		   .help = "send the token in FILE"),
	TARGET_ROW(OPTION_STRING, target.user, "user", 0, .metavar = "NAME",
		   .help = "send the token as the password of NAME"),
	TARGET_ROW(OPTION_STRINGS, target.headers, "header", 0, .metavar = "NAME:VALUE",
		   .help = "send this header as well; may be given several times"),
	TARGET_ROW(OPTION_STRING, target.ca_file, "ca-file", 0, .metavar = "FILE",
		   .help = "trust the certificates in FILE instead of the system's"),
	TARGET_ROW(OPTION_DURATION, patience_ns, "patience", 0, .metavar = "TIME", .min = NS_PER_S,
		   .max = 86400 * NS_PER_S,
		   .help = "give up when nothing was accepted for this long (default 60s)"),
};

static const struct option_spec watch_rows[] = {
	TARGET_ROW(OPTION_STRING, watched, "watch", 0, .metavar = "DIR",
		   .help = "push the recordings in DIR as they are finished, until a signal"),
	TARGET_ROW(
		OPTION_STRING, spool, "spool", 0, .metavar = "DIR",
		.help = "keep unsent profiles in DIR (default .profrep-push in the watched directory; of a stream a directory for its time)"),
	TARGET_ROW(OPTION_SIZE, spool_bytes, "spool-size", 0, .metavar = "SIZE",
		   .min = SPOOL_BYTES_MIN, .max = UINT64_C(1) << 60,
		   .help = "keep unsent profiles of at most SIZE (default 256M)"),
};

static const struct option_table own_options[] = {
	{profile_rows, ARRAY_SIZE(profile_rows), "profiles", NULL},
	{receiver_rows, ARRAY_SIZE(receiver_rows), "receiver", NULL},
	{watch_rows, ARRAY_SIZE(watch_rows), "watching a directory, or a stream", NULL},
};

const struct profrep_command push_command = {
	COMMAND_TEXTS(
		"push", "push profiles to Pyroscope, or by OTLP to a collector",
		"  profrep push http://localhost:4040 app.prof\n"
		"  profrep push --token-file token https://pyroscope.example.com app.prof\n"
		"  profrep push http://localhost:4040 --watch /var/lib/profrec\n"
		"      # use profrec --rotate 600: after an hour (3600) the first minutes of a\n"
		"      # file are too old\n"
		"  profrep push --otlp http://localhost:4318 app.prof\n"
		"  profrec -q -i 10 -o - | profrep push http://localhost:4040 -  # every 10 s\n"),
	.spec.usage = "[OPTIONS] URL [FILE|@LIST...]",
	.spec.parts =
		{
			{&own_options[0], 0},
			{&own_options[1], 0},
			{&own_options[2], 0},
			STACK_OPTION_PARTS(struct push_options),
		},
	.options_size = sizeof(struct push_options),
	.take_operands = take_push_operands,
	.run = run_push,
};
