// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/file_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/index.h"
#include "common/minmax.h"
#include "common/parse.h"
#include "common/vec.h"
#include "record/looks/file_owner.h"
#include "record/looks/file_send.h"
#include "record/symbols/file_sources.h"
#include "record/symbols/known_names.h"
#include "record/symbols/names_answer.h"
#include "record/symbols/names_budget.h"
#include "record/symbols/names_line.h"
#include "record/symbols/names_payer.h"
#include "record/shares/owner_queue.h"
#include "record/shares/shares.h"

/*
 * How often a file that cannot be opened is tried in an epoch, each time through another process.
 */
#define ATTEMPTS_MAX 8

/* The most bytes of names in an epoch, and of those that are kept for later ones. */
#define KNOWN_BYTES_MAX (64u << 20)
#define KEPT_BYTES_MAX  (8u << 20)

#define NO_SLOT UINT32_MAX
#define NO_FILE UINT32_MAX

/*
 * A file, which is an inode in a certain state. Other files can have its path and its build-id, so
 * neither names it.
 */
struct named_file {
	struct build_id build_id;
	struct file_identity identity; /* from stat; all zero: the entry is free */
	uint32_t owner;                /* as of file_owner */
	uint32_t payer;                /* as of names_payer_of */
	uint32_t slot;                 /* in the child; NO_SLOT: the child has it not */
	uint32_t worker;               /* the child that has it */
	uint32_t nr_idle;              /* settles in a row that found it unused */
	bool is_used;                  /* since the last settle */
	bool is_hopeless;              /* nothing comes of it any more */
	bool is_unreadable;            /* and that is so because of what it is: it is no ELF file */
	u64_vec asked; /* the offsets that wait for an answer; none: it does not wait */
	struct known_names known;
};

struct file_names {
	struct looker *looker;
	struct names_line line;
	VEC(struct named_file) files;
	u32_vec free_files;
	struct index by_file;
	struct file_sources sources;
	struct shares shares;            /* of the slots, by the payers of the files */
	uint32_t slots[NAMES_FILES_MAX]; /* the number of the file and 1; 0: free */
	struct owner_queue queue;        /* files that wait, by their payers */
	uint32_t next;                   /* from the queue, the first of them; NO_FILE: none */
	uint64_t urgent_ns;              /* CLOCK_MONOTONIC: from then on somebody waits */
	struct shares known;             /* of the bytes of names, by the payers of the files */
	struct names_budget budget;
	uint32_t recording;     /* number of the one that is being written, from 1 */
	struct shares unserved; /* nothing: counts what was left out */
};

static uint64_t hash_file(const struct named_file *file)
{
	uint64_t hash = hash_bytes(file->build_id.bytes, file->build_id.size, 0);

	return file_identity_hash(&file->identity, hash);
}

static bool is_there(const struct named_file *file)
{
	return file->identity.is_stat;
}

static bool is_equal_file(const struct named_file *a, const struct named_file *b)
{
	return build_id_equal(&a->build_id, &b->build_id) &&
	       file_identity_equal(&a->identity, &b->identity);
}

static int add_file(struct file_names *n, const struct named_file *entry, uint32_t *nr)
{
	uint32_t at = n->free_files.nr ? n->free_files.data[n->free_files.nr - 1] : n->files.nr;

	/* Room in the list of free numbers, so that the number can be given back without fail. */
	if (vec_reserve(&n->free_files, n->files.nr + 1) || vec_reserve(&n->files, 1) ||
	    index_insert(&n->by_file, hash_file(entry), at))
		return -ENOMEM;
	if (at < n->files.nr)
		n->free_files.nr--;
	else
		n->files.nr++;
	n->files.data[at] = *entry;
	*nr = at;
	return 0;
}

static bool find_file(const struct file_names *n, const struct named_file *wanted, uint32_t *nr)
{
	index_for_each(&n->by_file, hash_file(wanted), i) {
		if (is_equal_file(&n->files.data[i], wanted)) {
			*nr = i;
			return true;
		}
	}
	return false;
}

/* The processes of @place, as narrow as they are known. */
static source_scope scope_of(const struct file_place *place)
{
	if (place->owner)
		return source_of_user(place->owner - 1);
	return place->space ? source_of_process(place->space) : SOURCE_OF_ANYBODY;
}

/* Finds the file that names @file for @place: the inode itself, or what stands for it. */
static bool find_source(struct file_names *n, const struct mapped_file *file,
			const struct file_place *place, uint32_t *nr)
{
	const struct named_file wanted = {.build_id = *mapped_file_build_id(file),
					  .identity = file->identity};
	const source_scope scopes[] = {
		SOURCE_OF_ROOT,
		scope_of(place),
		place->space ? source_of_process(place->space) : SOURCE_OF_ROOT,
	};

	if (file->identity.inode || build_id_is_none(&wanted.build_id))
		return file->identity.is_stat && find_file(n, &wanted, nr);
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		const struct file_source *source = file_sources_find(&n->sources, file, scopes[i]);

		if (source && source->file != NO_SOURCE_FILE) {
			*nr = source->file;
			return true;
		}
	}
	return false;
}

/* File @nr has been found at the path of @file, and stands for the processes of its owner. */
static int note_source(struct file_names *n, const struct mapped_file *file, source_scope scope,
		       uint32_t nr)
{
	struct file_source *source;
	int ret = file_sources_get(&n->sources, file, scope, &source);

	if (!ret)
		source->file = nr;
	return ret;
}

static bool is_held(const struct file_names *n, const struct named_file *file)
{
	return file->slot != NO_SLOT && file->worker == n->line.worker;
}

static uint32_t find_slot(const struct file_names *n)
{
	for (uint32_t i = 0; i < NAMES_FILES_MAX; i++)
		if (!n->slots[i])
			return i;
	return NO_SLOT;
}

/* Has the looker send the file to the child's inbox. Returns 0 or a negative errno. */
static int send_file(struct file_names *n, const struct mapped_file *file,
		     const struct file_place *place, struct sent_file *sent)
{
	const struct names_request request = {.order = NAMES_HOLD, .slot = NAMES_INBOX};
	struct file_message message = {.bytes = &request, .nr = sizeof(request)};
	int ret = names_line_sock(&n->line, &message.sock);

	return ret ? ret : file_send(n->looker, file, place, &message, sent);
}

/* Has the child close a file, whose slot is free from now on. */
static void drop_file(struct file_names *n, uint32_t nr)
{
	struct named_file *file = &n->files.data[nr];

	/* A request that is lost leaves a file open until the slot is used again. */
	if (is_held(n, file))
		names_line_order(&n->line, NAMES_DROP, file->slot);
	if (file->slot != NO_SLOT)
		n->slots[file->slot] = 0;
	file->slot = NO_SLOT;
	shares_give(&n->shares, nr);
}

/* A slot for file @nr. When all are taken, the user whose files have most of them loses one. */
static uint32_t take_slot(struct file_names *n, uint32_t nr)
{
	uint32_t loser;
	int ret;

	while ((ret = shares_take(&n->shares, nr, n->files.data[nr].payer, 1, 1, &loser)) ==
		       -ENOSPC &&
	       loser != SHARES_NO_ITEM)
		drop_file(n, loser);
	return ret ? NO_SLOT : find_slot(n);
}

/* Has the child keep the file of its inbox as @nr, unless it has it. */
static void keep_file(struct file_names *n, uint32_t nr)
{
	struct named_file *entry = &n->files.data[nr];

	if (is_held(n, entry) || entry->is_hopeless)
		return;
	if (entry->slot == NO_SLOT)
		entry->slot = take_slot(n, nr);
	if (entry->slot == NO_SLOT)
		return;
	n->slots[entry->slot] = nr + 1;
	if (names_line_order(&n->line, NAMES_KEEP, entry->slot))
		drop_file(n, nr);
	else
		entry->worker = n->line.worker;
}

/*
 * May @sent name @file for the processes of @place? A file that @place does not map now may be
 * another one at that path, and be forged.
 */
static bool may_name(const struct sent_file *sent, const struct mapped_file *file,
		     const struct file_place *place)
{
	return sent->is_mapped || !sent->owner || file->identity.is_stat ||
	       (place->owner && sent->owner == place->owner - 1);
}

/* Notes for whom file @nr stands, which was sent for @file. */
static int note_sources(struct file_names *n, const struct mapped_file *file,
			const struct file_place *place, const struct sent_file *sent, uint32_t nr)
{
	int ret = 0;

	if (build_id_is_none(mapped_file_build_id(file)))
		return 0;
	if (sent->owner != FILE_OWNER_UNSURE)
		ret = note_source(n, file, source_of_user(sent->owner), nr);
	if (!ret && sent->is_mapped && sent->owner && place->space)
		ret = note_source(n, file, source_of_process(place->space), nr);
	return ret;
}

/* A process of @place maps file @nr, and may have to pay for it. */
static void note_payer(struct file_names *n, uint32_t nr, const struct file_place *place)
{
	struct named_file *file = &n->files.data[nr];
	bool has_slot = file->slot != NO_SLOT;
	uint32_t payer = file->payer;

	if (place->owner || !has_slot)
		payer = names_payer_of(place, file->owner);
	if (has_slot && !names_payer_is_better(&n->shares, &n->budget, payer, file->payer))
		return;
	file->payer = payer;
	shares_move(&n->shares, nr, payer);
	shares_move(&n->known, nr, payer);
}

/* Takes over a file that was sent. *@nr is its number if it may name @file for @place. */
static int take_file(struct file_names *n, const struct mapped_file *file,
		     const struct file_place *place, const struct sent_file *sent, uint32_t *nr)
{
	const struct named_file entry = {.build_id = *mapped_file_build_id(file),
					 .identity = sent->identity,
					 .owner = sent->owner,
					 .slot = NO_SLOT};
	uint32_t found;
	int ret = find_file(n, &entry, &found) ? 0 : add_file(n, &entry, &found);

	if (!ret)
		ret = note_sources(n, file, place, sent, found);
	if (ret)
		return ret;
	note_payer(n, found, place);
	keep_file(n, found);
	if (may_name(sent, file, place))
		*nr = found;
	return 0;
}

/* Has the file opened through @place, which counts as an attempt of the processes like it. */
static int open_file(struct file_names *n, const struct mapped_file *file,
		     const struct file_place *place, uint32_t *nr)
{
	struct file_source *attempts;
	struct sent_file sent;
	int ret = file_sources_get(&n->sources, file, scope_of(place), &attempts);

	if (ret || attempts->attempts >= ATTEMPTS_MAX)
		return ret;
	attempts->attempts++;
	ret = send_file(n, file, place, &sent);
	if (ret == -EAGAIN)
		attempts->attempts--;
	return ret ? 0 : take_file(n, file, place, &sent, nr);
}

int file_names_hold(struct file_names *n, const struct mapped_file *file,
		    const struct file_place *place, uint32_t *nr)
{
	uint32_t found = FILE_NAMES_NONE;
	int ret = 0;

	if (file->kind == MAPPED_FILE &&
	    (!find_source(n, file, place, &found) ||
	     (!is_held(n, &n->files.data[found]) && !n->files.data[found].is_hopeless)))
		ret = open_file(n, file, place, &found);
	if (!ret && found != FILE_NAMES_NONE) {
		n->files.data[found].is_used = true;
		note_payer(n, found, place);
	}
	if (!ret)
		*nr = found;
	return ret;
}

const struct file_identity *file_names_identity(const struct file_names *n, uint32_t nr)
{
	const struct named_file *file = nr == FILE_NAMES_NONE ? NULL : &n->files.data[nr];

	return file && file->owner ? &file->identity : NULL;
}

/* File @nr does not wait any more, unless somebody asks again. */
static void stop_waiting(struct file_names *n, uint32_t nr)
{
	vec_free(&n->files.data[nr].asked);
}

/* Has a user used little time lately? */
static bool is_thrifty(void *ctx, uint32_t owner)
{
	const struct file_names *n = ctx;

	return names_budget_is_thrifty(&n->budget, owner);
}

/*
 * The file that is next. Users take turns, and those whose files have taken much time come last: a
 * file that ends the child takes the other files with it.
 */
static bool take_next(struct file_names *n, uint32_t *nr)
{
	struct queue_entry next;

	if (!owner_queue_take(&n->queue, is_thrifty, n, &next) &&
	    !owner_queue_take(&n->queue, NULL, NULL, &next))
		return false;
	*nr = next.tag;
	return true;
}

/* Adds file @nr to those that wait. Returns 0 or -ENOMEM. */
static int add_to_queue(struct file_names *n, uint32_t nr)
{
	struct queue_entry lost;
	int ret = owner_queue_add(&n->queue, n->files.data[nr].payer, nr, &lost);

	if (ret > 0)
		stop_waiting(n, lost.tag);
	return ret < 0 ? ret : 0;
}

/* Asks the child about file @nr. Returns 0 or a negative errno: -EAGAIN when its socket is full. */
static int ask_child(struct file_names *n, uint32_t nr)
{
	const struct named_file *file = &n->files.data[nr];
	const struct names_question question = {
		.nr = nr,
		.payer = file->payer,
		.limit_ns = names_budget_limit(&n->budget, file->payer),
	};
	struct names_request request = {
		.slot = file->slot,
		.nr = file->asked.nr,
		.urgent_ns = n->urgent_ns,
		.build_id = file->build_id,
		.identity = file->identity,
	};
	/* The child may have died, and another one has no file. */
	int sock, ret = names_line_sock(&n->line, &sock);

	if (!ret && !(question.limit_ns && is_held(n, file)))
		ret = -EBUSY;
	return ret ? ret : names_line_ask(&n->line, &question, &request, file->asked.data);
}

/*
 * Asks the child about the next files for which there is time. It has questions of one user at
 * once, because it could use up the time of the others with those of the first.
 */
static void ask_next(struct file_names *n)
{
	while (n->line.nr_sent < NAMES_SENT_MAX && (n->next != NO_FILE || take_next(n, &n->next))) {
		const struct named_file *files = n->files.data;
		int ret;

		if (n->line.nr_sent && files[n->next].payer != n->line.sent[0].payer)
			return;
		ret = ask_child(n, n->next);
		if (ret == -EAGAIN)
			return;
		if (ret)
			stop_waiting(n, n->next);
		n->next = NO_FILE;
	}
}

/* Lists the offsets that nothing is known about. */
static int list_unknown(struct named_file *file, const uint64_t *offsets, size_t nr)
{
	struct known_symbol *symbol;

	for (size_t i = 0; i < nr && file->asked.nr < NAMES_OFFSETS_MAX; i++)
		if (!known_names_find(&file->known, offsets[i], &symbol) &&
		    vec_push(&file->asked, offsets[i]))
			return -ENOMEM;
	return 0;
}

/*
 * Can the child be asked about @file? A child that had it may have died, and the file could not be
 * opened again.
 */
static bool may_answer(const struct file_names *n, const struct named_file *file)
{
	return !file->is_hopeless && is_held(n, file);
}

int file_names_ask(struct file_names *n, uint32_t nr, const uint64_t *offsets, size_t nr_offsets,
		   uint64_t urgent_ns)
{
	struct named_file *file = &n->files.data[nr];
	int ret;

	n->urgent_ns = urgent_ns;
	file->is_used = true;
	shares_use(&n->shares, nr, nr_offsets);
	if (file->asked.nr || !may_answer(n, file))
		return 0;
	ret = list_unknown(file, offsets, nr_offsets);
	return ret || !file->asked.nr ? ret : add_to_queue(n, nr);
}

static void forget_known(struct file_names *n, uint32_t nr)
{
	shares_give(&n->known, nr);
	known_names_deinit(&n->files.data[nr].known);
}

/*
 * Keeps what is known about file @nr by now, or forgets it. Files of the user who has most may lose
 * their names.
 */
static int keep_known(struct file_names *n, uint32_t nr, uint64_t use)
{
	const struct named_file *file = &n->files.data[nr];
	uint32_t loser;
	int ret;

	shares_give(&n->known, nr);
	while ((ret = shares_take(&n->known, nr, file->payer,
				  max_u64(known_names_bytes(&file->known), 1), use, &loser)) ==
		       -ENOSPC &&
	       loser != SHARES_NO_ITEM)
		forget_known(n, loser);
	if (ret)
		forget_known(n, nr);
	return ret == -ENOMEM ? ret : 0;
}

/* What an answer without names says about file @nr. */
static void note_failure(struct file_names *n, uint32_t nr, int error)
{
	struct named_file *file = &n->files.data[nr];

	switch (error) {
	case -EAGAIN: /* it went away with a child that died of another file */
	case -EBADF:  /* a child that took the place of another one has not got it */
	case -EBUSY:  /* it is slow, and so was another one */
	case -ENOMEM:
		drop_file(n, nr);
		break;
	case -ETIMEDOUT:
		looker_blame(n->looker, look_device(file->identity.dev));
		file->is_hopeless = true;
		break;
	case -EIO: /* the child used up its time, or died of the file */
		file->is_hopeless = true;
		break;
	case -ETIME: /* the files before this one took the time */
		break;
	default:
		file->is_hopeless = file->is_unreadable = true;
	}
}

/* Takes over what came of a question. Returns 0 or -ENOMEM. */
static int take_reply(struct file_names *n, const struct names_reply *reply, int memory)
{
	uint32_t nr = reply->question.nr;
	struct named_file *file = &n->files.data[nr];
	int ret = reply->status;

	names_budget_charge(&n->budget, reply->question.payer, reply->used_ns, reply->has_died);
	if (ret == WORKER_STEPS_ASIDE)
		return 0;
	if (!ret)
		ret = worker_memory_is_sealed(memory)
			      ? known_names_add(&file->known, memory, &file->asked)
			      : -EBADMSG;
	if (ret)
		note_failure(n, nr, ret);
	else if (file->known.is_cut)
		shares_note_lack(&n->unserved, file->payer);
	if (!ret)
		ret = keep_known(n, nr, file->asked.nr);
	stop_waiting(n, nr);
	return reply->status ? 0 : ret == -ENOMEM ? ret : 0;
}

int file_names_work(struct file_names *n)
{
	struct names_reply reply;
	int memory, ret = 0;

	if (!n)
		return 0;
	while (!ret && names_line_next(&n->line, &reply, &memory)) {
		ret = take_reply(n, &reply, memory);
		cleanup_close(&memory);
	}
	if (!ret)
		ask_next(n);
	return ret;
}

bool file_names_is_waiting(const struct file_names *n)
{
	return names_line_is_waiting(&n->line) || n->next != NO_FILE || n->queue.waiting.nr;
}

int file_names_fd(const struct file_names *n)
{
	return worker_line_fd(n->line.line);
}

enum file_names_state file_names_state(const struct file_names *n, uint32_t nr, uint64_t off)
{
	const struct named_file *file = &n->files.data[nr];
	struct known_symbol *found;

	if (known_names_find(&file->known, off, &found))
		return FILE_NAMES_KNOWN;
	/* A slow child may have the question. */
	if (file->asked.nr || may_answer(n, file))
		return FILE_NAMES_EXPECTED;
	return file->is_unreadable ? FILE_NAMES_UNREADABLE : FILE_NAMES_LEFT_OUT;
}

bool file_names_find(const struct file_names *n, uint32_t nr, uint64_t off,
		     struct file_symbol *symbol)
{
	const struct known_names *known = &n->files.data[nr].known;
	struct known_symbol *found;

	if (!known_names_find(known, off, &found) || !found)
		return false;
	*symbol = (struct file_symbol){
		.off = found->off,
		.size = found->size,
		.name = found->len ? known->bytes.data + found->name : "",
		.parts = known->parts,
		.is_written = found->recording == n->recording,
		.known = found,
	};
	return true;
}

void file_names_note_written(const struct file_names *n, const struct file_symbol *symbol)
{
	symbol->known->recording = n->recording;
}

void file_names_begin_recording(struct file_names *n)
{
	n->recording++;
}

/* Has the child close the file, and makes the entry free. The caller has made room for that. */
static void forget_file(struct file_names *n, uint32_t nr)
{
	struct named_file *file = &n->files.data[nr];

	drop_file(n, nr);
	forget_known(n, nr);
	vec_free(&file->asked);
	file_sources_forget(&n->sources, nr);
	*file = (struct named_file){.slot = NO_SLOT};
	n->free_files.data[n->free_files.nr++] = nr;
}

static int index_files(struct file_names *n)
{
	int ret = 0;

	index_clear(&n->by_file);
	for (size_t i = 0; i < n->files.nr && !ret; i++)
		if (is_there(&n->files.data[i]))
			ret = index_insert(&n->by_file, hash_file(&n->files.data[i]), i);
	return ret;
}

int file_names_settle(struct file_names *n)
{
	size_t nr_free;
	bool is_full;
	int ret;

	if (!n)
		return 0;
	ret = file_sources_settle(&n->sources);
	if (ret)
		return ret;
	nr_free = n->free_files.nr;
	is_full = n->known.used > KEPT_BYTES_MAX;
	for (size_t i = 0; i < n->files.nr; i++) {
		struct named_file *file = &n->files.data[i];

		if (!is_there(file) || file->asked.nr)
			continue;
		shares_use(&n->shares, i, file->is_used ? 2 : 0);
		shares_use(&n->known, i, file->is_used ? 2 : 0);
		file->nr_idle = file->is_used ? 0 : file->nr_idle + 1;
		file->is_used = false;
		if (file->nr_idle >= 2)
			forget_file(n, i);
		else if (is_full)
			forget_known(n, i);
	}
	shares_age(&n->shares);
	shares_age(&n->known);
	return n->free_files.nr == nr_free ? 0 : index_files(n);
}

uint32_t file_names_payer(const struct file_names *n, uint32_t nr)
{
	return n->files.data[nr].payer;
}

void file_names_note_unserved(struct file_names *n, uint32_t nr)
{
	shares_note_lack(&n->unserved, n->files.data[nr].payer);
}

const struct shares *file_names_unserved(const struct file_names *n)
{
	return n ? &n->unserved : NULL;
}

int file_names_create(struct looker *looker, struct file_names **names, struct err *err)
{
	struct file_names *n = calloc(1, sizeof(*n));
	int ret;

	if (!n)
		return err_set(err, -ENOMEM, "failed to start the child for names: out of memory");
	n->looker = looker;
	n->recording = 1;
	n->shares.size = NAMES_FILES_MAX;
	n->known.size = KNOWN_BYTES_MAX;
	n->queue.max = NAMES_FILES_MAX;
	n->next = NO_FILE;
	names_budget_init(&n->budget);
	ret = names_line_start(&n->line, err);
	if (ret) {
		file_names_destroy(n);
		return ret;
	}
	*names = n;
	return 0;
}

void file_names_destroy(struct file_names *n)
{
	if (!n)
		return;
	vec_for_each(&n->files, file) {
		known_names_deinit(&file->known);
		vec_free(&file->asked);
	}
	vec_free(&n->files);
	vec_free(&n->free_files);
	owner_queue_deinit(&n->queue);
	index_deinit(&n->by_file);
	file_sources_deinit(&n->sources);
	shares_deinit(&n->shares);
	shares_deinit(&n->known);
	shares_deinit(&n->unserved);
	names_budget_deinit(&n->budget);
	names_line_deinit(&n->line);
	free(n);
}
