/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that wait for the receiver, as files of a directory: whatever ends profrep, they are
 * there at its next start. The name of a file has the facts about the request. A request that is
 * being sent has a name of its own, because the receiver may have taken it when profrep ends.
 */
#ifndef REPORT_PUSH_SPOOL_H
#define REPORT_PUSH_SPOOL_H

#include "report/push/push_account.h"
#include "report/push/taken.h"

struct spool_entry {
	uint64_t seq, begin_ns, nr_samples;
	uint64_t bytes;
	bool may_be_taken;  /* it was sent, and nobody knows the outcome */
	bool has_sent_name; /* its file has the name of one that was sent */
};

/* spool_open makes it. */
struct spool {
	const char *name; /* of the directory */
	int fd;           /* the directory; locked */
	uint64_t bytes, bytes_max;
	VEC(struct spool_entry) entries; /* by seq */
	size_t first;                    /* the oldest entry that waits */
	struct taken taken;
	uint64_t next_seq; /* for the next entry; those from taken.next_seq on wait for it */
	/* Of the recording that is not committed yet: */
	uint64_t pending_bytes;
	struct push_count pending[NR_PUSH_FATES];
	struct push_count *fates; /* borrowed: the account, NR_PUSH_FATES of them */
};

/*
 * Opens the directory @name, and makes it if it is not there. It holds @bytes_max at most, and up
 * to that again of a recording that is not committed. Another process that has it open is an error,
 * and so are a damaged state, and requests without a state. Requests of a
 * recording that was not taken whole are removed. Returns 0 or a negative errno with @err set. Call
 * spool_close in both cases.
 */
int spool_open(struct spool *spool, const char *name, uint64_t bytes_max, struct push_count *fates,
	       struct err *err);

void spool_close(struct spool *spool);

/*
 * Adds the request of @len bytes at @body. It is not sent before spool_commit, and takes no room of
 * others before. If the recording alone fills the spool, its oldest requests are dropped. Returns 0
 * or a negative errno.
 */
int spool_add(struct spool *spool, const void *body, size_t len, uint64_t nr_samples,
	      uint64_t begin_ns);

/* Does the error @ret say that the disk is full? */
bool spool_lacks_disk(int ret);

/*
 * Ends a recording: @file is taken, its requests are to be sent, and the account has its pending
 * counts. If the spool is full, the oldest requests are dropped and counted. @file's name is the
 * spool's from then on; a part of a stream has no file, NULL. Returns 0 or a negative errno: then
 * nothing of it is in the spool. If the disk is full, a part of a stream is lost and counted.
 */
int spool_commit(struct spool *spool, struct taken_file *file);

/* Removes the requests and counts that were added since spool_commit. */
void spool_abort(struct spool *spool);

/* Returns the oldest request that is to be sent, NULL if there is none. */
struct spool_entry *spool_first(struct spool *spool);

/*
 * Reads @entry into @body, and notes that it is being sent. When it returns 0, the note survives a
 * failure of power. Else a negative errno: -ENODATA if somebody has removed or changed the file.
 * After other errors it may be called again.
 */
int spool_begin(struct spool *spool, struct spool_entry *entry, char_vec *body);

/* Notes that @entry was sent in vain: by may_be_taken, the receiver has it or has it not. */
void spool_put_back(struct spool *spool, struct spool_entry *entry);

/* Removes @entry, which is the first one. */
void spool_remove(struct spool *spool, const struct spool_entry *entry);

/* Removes the directory with all that is in it. Call spool_close afterwards. */
void spool_discard(struct spool *spool);

/* Adds the requests that wait to @count. */
void spool_count(const struct spool *spool, struct push_count *count);

#endif
