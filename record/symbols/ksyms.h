/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's side of symbolisation, which only the host knows. It has functions from
 * /proc/kallsyms (modules and BPF programs included), the places of the modules, and build-ids.
 */
#ifndef RECORD_SYMBOLS_KSYMS_H
#define RECORD_SYMBOLS_KSYMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/buildid.h"
#include "common/err.h"
#include "common/vec.h"

/* The part of the kernel that has an address. */
enum kernel_part { KERNEL_IMAGE, KERNEL_MODULE, KERNEL_BPF };

struct ksym {
	uint64_t addr;
	uint32_t name; /* offset in ksyms.names */
	uint16_t part; /* 0 image, 1 BPF, else module number + KSYM_FIRST_MODULE */
	uint8_t rank;  /* of several names at one address the lowest is taken */
	bool gone;     /* was missing when the others were read */
};

/* What else is known of the symbol of a BPF program. There are few, and 150,000 other symbols. */
struct ksym_program {
	uint32_t name; /* as in struct ksym */
	uint32_t instance;
	uint64_t since_ns; /* CLOCK_MONOTONIC: if it came since kallsyms was read */
};

#define KSYM_IMAGE        0
#define KSYM_BPF          1
#define KSYM_FIRST_MODULE 2

struct kernel_module {
	char name[64];       /* MODULE_NAME_LEN is 64 - sizeof(long) */
	uint64_t start, end; /* 0 when hidden from us */
	uint64_t inode;      /* of its directory in /sys, which is new when it is loaded again */
	struct build_id build_id;
	bool build_id_read;
};

struct bpf_range {
	uint64_t start, end;
	uint32_t name; /* as in struct ksym; a later program has a larger one */
};

struct kernel_range {
	uint64_t start, end;
};

struct ksyms {
	VEC(struct ksym) syms; /* sorted by address */
	char_vec names;
	VEC(struct ksym_program) programs; /* in the order of their names */
	VEC(struct kernel_module) modules;
	uint64_t stext, image_end;         /* _stext and _end; 0 when not known */
	struct build_id build_id;          /* of the kernel image */
	uint64_t read_ns;                  /* CLOCK_MONOTONIC before kallsyms was read */
	uint64_t modules_hash;             /* of the modules in /proc/modules */
	VEC(struct kernel_range) doubtful; /* other code was there since the last drain */
	VEC(struct bpf_range) added;       /* BPF programs that came since the last sort */
	/* Kept open: the kernel decided at the open whether to show addresses. */
	FILE *modules_file, *kallsyms_file;
	char_vec text;   /* of kallsyms, while it is read: a slice, or the beginning of a line */
	bool loading;    /* there is more of it to read */
	bool restricted; /* kptr_restrict hides the addresses: there are no symbols */
	bool dirty;      /* symbols were added since the last sort */
	uint32_t nr_changes; /* grows when an address may have got another meaning */
};

/* Reads the text of /proc/modules. Returns 0 or -ENOMEM; lines it cannot read are passed over. */
int ksyms_read_modules(struct ksyms *ksyms, FILE *f);

/* Reads the text of /proc/kallsyms. Returns 0 or -ENOMEM. Call after ksyms_read_modules. */
int ksyms_read_kallsyms(struct ksyms *ksyms, FILE *f);

/*
 * Opens the files in /proc and reads them. Of kallsyms, which takes tens of milliseconds, it reads
 * only a slice, to learn whether it is restricted. Leaves out files that it cannot read. Returns 0
 * or -ENOMEM.
 */
int ksyms_begin(struct ksyms *ksyms);

/*
 * Reads the next slice of kallsyms, if it is loading. That takes a fraction of a millisecond.
 * Returns 0 or -ENOMEM.
 */
int ksyms_load_slice(struct ksyms *ksyms);

/*
 * Reads the rest of kallsyms. Call it before ksyms_refresh and ksyms_lookup. Returns 0 or -ENOMEM.
 */
int ksyms_load_rest(struct ksyms *ksyms);

/*
 * Reads everything again if modules came or went since. Code that has gone keeps its symbols until
 * the next call. Where another module is at its place now, addresses are unknown until then: a
 * sample since the last call can be of either. Returns 0 or -ENOMEM.
 */
int ksyms_refresh(struct ksyms *ksyms);

/*
 * Takes over from @old the BPF programs and module functions that @ksyms lacks, which was read
 * later. Notes where modules took the place of others. Returns 0 or -ENOMEM.
 */
int ksyms_inherit(struct ksyms *ksyms, const struct ksyms *old);

/*
 * Adds a BPF program that was loaded at @time_ns (CLOCK_MONOTONIC), during the recording. Any code
 * at its addresses is gone. A program that came before kallsyms was read is in kallsyms, or was
 * gone by then. Returns 0 or -ENOMEM.
 */
int ksyms_add_bpf(struct ksyms *ksyms, uint64_t time_ns, uint64_t addr, uint64_t size,
		  const char *name);

/* Adds a symbol with its name. Returns 0 or -ENOMEM. */
int ksyms_add_symbol(struct ksyms *ksyms, struct ksym sym, const char *name);

/* Sorts, and keeps one symbol for each address, of the code that still exists. */
void ksyms_sort(struct ksyms *ksyms);

/* The answer for an address. */
struct ksym_hit {
	enum kernel_part part;
	uint32_t module;      /* index, for KERNEL_MODULE */
	const char *name;     /* NULL: no symbol; valid until symbols are added */
	uint64_t start, size; /* of the symbol: up to the next one */
	uint64_t since_ns;    /* the answer holds for samples from then on; 0: for all */
	uint32_t instance;    /* tells apart BPF programs of one address */
};

/*
 * Looks @addr up for samples that were taken at @time_ns or later. Of code that has gone when other
 * code came to its place, nothing is known.
 */
void ksyms_lookup(struct ksyms *ksyms, uint64_t addr, uint64_t time_ns, struct ksym_hit *hit);

/* The module's build-id, read at the first call. */
const struct build_id *ksyms_module_build_id(struct ksyms *ksyms, uint32_t module);

void ksyms_deinit(struct ksyms *ksyms);

#endif
