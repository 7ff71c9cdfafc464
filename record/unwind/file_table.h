/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a file's unwind table, and all of them (record/unwind/file_tables.h). */
#ifndef RECORD_UNWIND_FILE_TABLE_H
#define RECORD_UNWIND_FILE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/looks/file_identity.h"
#include "record/shares/owner_time.h"
#include "record/shares/shares.h"
#include "record/unwind/interpreter_maps.h"
#include "record/unwind/table_builder.h"
#include "record/unwind/table_maps.h"
#include "record/symbols/vdso.h"

enum table_state {
	TABLE_NONE, /* nobody has asked yet */
	TABLE_ASKED,
	TABLE_READY,
	TABLE_IMPOSSIBLE,
	TABLE_FORGOTTEN, /* the number is free */
};

/* A user of processes who had no time for a table. */
struct refused_user {
	uint32_t user;   /* its id and 1; 0: none */
	uint64_t end_ns; /* CLOCK_MONOTONIC: until then, requests of the user are in vain */
};

/* So many are told apart. */
#define TABLE_REFUSED_MAX 4

struct file_table {
	struct build_id build_id;
	struct file_identity identity; /* all zero where the build-id alone is known */
	uint64_t path_hash;            /* of the path by which it was met first */
	enum table_state state;
	uint32_t attempts;     /* that failed to open the file, or to take its table */
	uint32_t failed_pid;   /* the process of the last one; 0: none */
	uint64_t pause_end_ns; /* impossible until then, of CLOCK_MONOTONIC; 0: no pause */
	uint32_t nr_processes; /* processes that map it at the beginning */
	bool was_popular;      /* it was asked for because of them */
	uint32_t nr_users;     /* mappings that the program knows with this table */
	uint32_t nr_idle;      /* settles in a row that found no users */
	uint32_t owner;        /* user id of the file's owner; 0 if nobody has looked yet */
	uint32_t payer;        /* who pays for the last request: see share_owner_of */
	struct refused_user refused[TABLE_REFUSED_MAX];
	uint64_t dev, ino; /* of the file, dev as makedev */
	uint64_t size;     /* of the file, like ctime_ns */
	int64_t ctime_ns;
	bool is_told;         /* programs know it by the file (bpf/walk/file_mapping.h) */
	bool has_regex;       /* the file is PCRE2 (bpf/made/regex_code.h) */
	uint64_t descriptor;  /* as in struct found_interpreter */
	uint32_t interpreter; /* of interpreter_maps_add; 0: none */
	bool is_damaged;      /* the table in the cache cannot be used */
	bool lacked_room;     /* impossible only since there was no room */
	bool is_slow;         /* it is for the patient child */
	struct table_place place;
	uint64_t first_off;
	uint32_t shared; /* the table whose rows it uses, as their hashes are equal; 0: its own */
	uint8_t hash[UNWIND_HASH_BYTES]; /* while it is asked for: one that need not be made */
};

/* The first two belong to no file that can be looked up. */
enum { NO_TABLE, VDSO_TABLE, NR_OWN_TABLES };

struct file_tables {
	struct table_maps store;
	struct interpreter_maps interpreters;
	struct table_builder builder;
	struct looker *looker; /* borrowed; NULL: opens files itself, and may block */
	int cache_fd;          /* the directory of record/unwind/table_cache.h; -1: none */
	const struct vdso *vdso;
	VEC(struct file_table) tables;
	struct index by_file;
	uint32_t nr_asked;
	struct shares rules, rows, pages; /* of the maps, by owners of files */
	struct shares unserved;     /* nothing: counts tables that had no time, and the like */
	struct shares line;         /* requests to the first child, by users of processes */
	struct shares patient_line; /* those to the patient child */
	struct owner_time time;     /* CPU time of the child, by owners of files */
	struct owner_time payers;   /* the same by those who pay for requests */
	u32_vec free_tables;        /* numbers that may be used again */
	bool lacked_room;           /* a table did not fit since the last settle */
	bool lacked_time;           /* who pays for a request had no CPU time since then */
	bool has_lost;              /* a request was not answered; for who asks again */
	uint64_t pause_end_ns;      /* the first end of a pause; 0: there is none */
	/* Called when the state of a table has changed. */
	void (*changed)(void *ctx, uint32_t nr);
	void *ctx;
};

#endif
