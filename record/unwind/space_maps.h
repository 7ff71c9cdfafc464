/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of processes, each with the place of its table, as the program that walks stacks by
 * tables knows them. Programs read the mappings while they change. So a process gets new room when
 * its mappings change. Old room is used again only when no program can look there any more.
 */
#ifndef RECORD_UNWIND_SPACE_MAPS_H
#define RECORD_UNWIND_SPACE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/parse.h"
#include "record/process/mappings.h"
#include "record/looks/thread_context.h"
#include "record/unwind/file_tables.h"
#include "record/unwind/space_room.h"
#include "record/machines/process_machine.h"

/* What is known of the context of a process's threads (record/unwind/space_contexts.h). */
struct space_context {
	struct seen_context seen;
	bool is_known;     /* the program knows it */
	uint64_t next_ns;  /* CLOCK_MONOTONIC: of the next look; 0: nobody looks */
	uint64_t pause_ns; /* before the look after that */
};

/* The code that a process has registered (record/unwind/registered_spaces.h). */
struct space_registered {
	uint64_t descriptor; /* address of the variable; 0: there is none */
	uint64_t next_ns;    /* CLOCK_MONOTONIC: of the next look */
	uint64_t pause_ns;   /* before the look after that */
	uint64_t budget_ns;  /* CLOCK_MONOTONIC: the last look forbids another one before */
	uint64_t base;       /* of the table's file */
	uint32_t table;      /* NO_TABLE: there is none */
	bool is_empty;       /* samples bring one look, and no short pauses after it */
	bool is_strange;     /* nobody looks again before there are new mappings */
	bool is_paid;        /* names may be asked for: they belong to the look that goes on */
	bool is_nameless;    /* the list of the table has no names */
};

struct unwind_process {
	uint32_t pid;       /* 0: this is free */
	uint32_t uid;       /* who answers for it */
	uint32_t first, nr; /* in mappings; nr 0: there was no room */
	uint64_t space_id;
	uint64_t backoff_ns;
	uint32_t exec_pages; /* when the program asked; 0: not known */
	/* CLOCK_MONOTONIC: nobody looks at the mappings before; 0: there was no look. */
	uint64_t next_look_ns;
	bool is_waiting;           /* for that time */
	uint64_t interpreter_base; /* as in struct unwind_space */
	uint32_t interpreter;      /* of interpreter_maps_add; 0: none */
	struct process_machine machine;
	uint64_t regex_start, regex_bytes; /* as in struct unwind_space; of several the first */
	struct space_context context;
	struct space_registered registered;
};

struct space_maps {
	struct file_tables *tables;
	VEC(struct unwind_process) processes;
	u32_vec outlived;  /* main threads that have ended, while other threads go on */
	u32_vec expecting; /* processes whose machine is expected; some may have it by now */
	u32_vec free_processes;
	struct index by_pid;
	size_t nr_indexed;
	struct unwind_mapping *mappings; /* as they are in the kernel's map */
	uint32_t *mapping_tables;        /* whose table each wants */
	uint32_t nr_mappings;            /* those from here on were never used */
	struct space_room room;
	const struct label_keys *label_keys; /* NULL: nobody wants labels of requests */
	uint64_t contexts_due_ns;            /* CLOCK_MONOTONIC */
	uint32_t nr_contexts;                /* that the program knows */
	uint64_t registered_due_ns;          /* CLOCK_MONOTONIC */
	/* Of the process that is being put: */
	VEC(struct unwind_mapping) list;
	u32_vec list_tables;
	u32_vec list_keys;
	uint64_t list_base; /* of its interpreter */
	uint32_t list_interpreter;
	uint64_t list_regex_start, list_regex_bytes;
	uint64_t list_descriptor;
};

/* @tables must outlive it. Returns 0 or -ENOMEM; the deinit is due in any case. */
int space_maps_init(struct space_maps *spaces, struct file_tables *tables);

/* The process, or NULL. */
struct unwind_process *space_maps_find(const struct space_maps *spaces, uint32_t pid);

/* The process whose mappings are put. */
struct space_owner {
	uint32_t pid;
	uint32_t uid;        /* of the process; of root's that is another user now, that one's */
	uint64_t space_id;   /* the program's name for it; 0: not known */
	uint32_t exec_pages; /* the number when the program asked; 0: not known */
	bool is_idle;        /* no sample was seen: it gets room only where there is plenty */
};

/*
 * Tells the program that @owner maps @mappings, whose files are in @files. Looks for build-ids that
 * are missing there. Leaves the tables of the mappings in list_tables. Without room for a process,
 * its code is left along frame pointers. Returns 0 or -ENOMEM.
 */
int space_maps_put(struct space_maps *spaces, const struct space_owner *owner,
		   const mapping_vec *mappings, const struct mapped_files *files);

/*
 * Time before a program that has begun is looked at for a context, and from the first look to the
 * second. Each later pause is twice the last. A look goes through all mappings of the process, and
 * where programs begin and end all the time, hardly any lives as long.
 */
#define CONTEXT_PAUSE_NS 200000000

/*
 * Has the mapping of @pid at @pc another table than @table, although no look is due that would mend
 * that? Then one is due from now on: the caller has it done.
 */
bool space_maps_mistake(struct space_maps *spaces, uint32_t pid, uint64_t pc, uint32_t table);

/* From now on, looks whether the threads of @pid publish requests, if it is known. */
void space_maps_expect_context(struct space_maps *spaces, uint32_t pid);

/* The process has no such context any more. */
void space_maps_lose_context(struct space_maps *spaces, struct unwind_process *process);

/*
 * Tells the program what else is known of @process than its mappings, if it still has those.
 */
void space_maps_tell(struct space_maps *spaces, const struct unwind_process *process);

/*
 * Tells the program, if it knows @pid, that the mappings of @pid will stay unknown for some time.
 */
void space_maps_hide(struct space_maps *spaces, uint32_t pid, uint64_t space_id);

/* Does the process have a mapping at the place of @mapping whose table is not @table? */
bool space_maps_differ(const struct space_maps *spaces, uint32_t pid, const struct mapping *mapping,
		       uint32_t table);

/*
 * Finds the mapping at @pc, if the process is in address space @space_id. *@has_regex says whether
 * its file is known to be PCRE2. Returns 1, 0 when nothing is there, or -EAGAIN when its mappings
 * are not known.
 */
int space_maps_lookup(const struct space_maps *spaces, uint32_t pid, uint64_t space_id, uint64_t pc,
		      struct unwind_mapping *mapping, bool *has_regex);

/* The machine of the process, if it is in address space @space_id. */
enum unwind_machine space_maps_machine(const struct space_maps *spaces, uint32_t pid,
				       uint64_t space_id);

/* The machine of a process has to make room for another one. */
void space_maps_machine_lost(struct space_maps *spaces, uint32_t process);

/* Looks again at the machines that are expected, where it is time. */
void space_maps_look_for_machines(struct space_maps *spaces);

/* The process had @nr samples more. */
void space_maps_sampled(struct space_maps *spaces, uint32_t pid, uint64_t nr);

void space_maps_remove(struct space_maps *spaces, uint32_t pid);

/* The main thread of @pid has ended: removes the process when its other threads have ended. */
int space_maps_exited(struct space_maps *spaces, uint32_t pid);

/* Removes all processes that have gone, also if no record said so. Returns 0 or -ENOMEM. */
int space_maps_sweep(struct space_maps *spaces);

/* The state of a table has changed: updates all mappings with this table. */
void space_maps_table_changed(struct space_maps *spaces, uint32_t table);

/* The program knows the interpreter by another number, or by none: tells the processes that have
 * it. */
void space_maps_interpreter_renumbered(struct space_maps *spaces, uint32_t interpreter);

/*
 * Call it after a grace period: room that was left before may be used again. Returns 0 or -ENOMEM.
 */
int space_maps_settle(struct space_maps *spaces);

void space_maps_deinit(struct space_maps *spaces);

#endif
