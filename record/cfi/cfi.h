/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information (.eh_frame, .debug_frame) of this architecture. For each function, a
 * compiler writes a program that says how to get from a frame to its caller. elf/eh_frame.h reads
 * the entries that hold the programs. Format of the programs: DWARF 5, section 6.4.2. Runs in the
 * table child.
 */
#ifndef RECORD_CFI_CFI_H
#define RECORD_CFI_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/walk/unwind.h"
#include "elf/eh_frame.h"
#include "common/index.h"
#include "common/vec.h"

/* Where a register of the caller is. */
enum cfi_how {
	CFI_DEFAULT = 0, /* nothing was said */
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_OFFSET,   /* at CFA + off */
	CFI_REGISTER, /* in register off */
	CFI_FP,       /* at fp + off */
	CFI_OTHER,    /* by a rule that a table cannot hold */
};

struct cfi_register {
	enum cfi_how how;
	int64_t off;
};

/* The registers that matter. */
enum cfi_slot { CFI_SLOT_KEPT, CFI_SLOT_FP, CFI_SLOT_SP, CFI_SLOT_RETURN, CFI_NR_SLOTS };

struct cfi_cfa {
	enum unwind_cfa how;
	uint64_t reg;
	int64_t off, add;
};

struct cfi_state {
	struct cfi_cfa cfa;
	struct cfi_register slots[CFI_NR_SLOTS];
};

/* A common information entry: many functions share it. */
struct cfi_cie {
	uint64_t off; /* in the section */
	bool is_usable;
	bool is_instead; /* as in struct cfi */
	struct eh_cie fields;
	struct cfi_state initial;
};

/* A function, [start, end), or a part of one. */
struct cfi_fde {
	uint64_t start, end;           /* as linked */
	uint32_t program, program_end; /* offsets in the section */
	uint32_t cie;                  /* among struct cfi's */
};

struct cfi {
	struct eh_section section;
	bool is_instead; /* rules are to tell of the kept register that struct unwind_rule says */
	size_t off;      /* of the next entry */
	VEC(struct cfi_cie) cies;
	struct index by_off;
};

/*
 * Runs a CIE's program @b, which makes @cie's initial state. Its is_instead is set. Returns false
 * when it is malformed.
 */
bool cfi_run_initial(struct cfi_cie *cie, struct cursor b);

/* Starts reading @section, whose bytes stay the caller's, with is_instead false. */
void cfi_init(struct cfi *cfi, const struct eh_section *section);

void cfi_deinit(struct cfi *cfi);

/*
 * Reads on to the next FDE. It skips entries that are malformed or of an unknown kind. A length
 * that is too long ends the section. Returns 1, 0 at the end, -EFBIG when there are too many CIEs,
 * or -ENOMEM.
 */
int cfi_next(struct cfi *cfi, struct cfi_fde *fde);

/* Takes the rule that holds from @addr on. Returns 0 or a negative errno, which ends the run. */
typedef int cfi_row_fn(void *ctx, uint64_t addr, const struct unwind_rule *rule);

/*
 * Runs the program of @fde, which may have been clipped. Rows come with rising addresses in [start,
 * end), the first at start. After a malformed place, the rule is UNWIND_CFA_UNSUPPORTED. Returns 0,
 * or the result of @row that ended the run.
 */
int cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, cfi_row_fn *row, void *ctx);

#endif
