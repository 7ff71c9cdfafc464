/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding by tables: the layout of the tables, and the program's knowledge of processes.
 * bpf/walk/unwind_step.h walks by the tables. record/cfi/ makes them from .eh_frame,
 * .debug_frame and .gopclntab.
 *
 * A file's code is divided into pages of 64 KiB by file offset. Each page has sorted rows of 4
 * bytes. The upper half of a row is an offset in the page: the row holds from there up to the next
 * row. The lower half is the number of a rule. The first row of a page begins at offset 0, so a
 * search stays within the page. There are few distinct rules, and all tables share them.
 */
#ifndef BPF_WALK_UNWIND_H
#define BPF_WALK_UNWIND_H

#include <linux/types.h>

#include "bpf/host_arch.h"
#include "bpf/spread_hash.h"

#define UNWIND_PAGE_SHIFT 16
#define UNWIND_PAGE_SIZE  (1u << UNWIND_PAGE_SHIFT)

/* Rows are in segments, which the recorder makes as it needs them. No page crosses a border. */
#define UNWIND_SEGMENT_SHIFT 18
#define UNWIND_SEGMENT_ROWS  (1u << UNWIND_SEGMENT_SHIFT)
#define UNWIND_MAX_SEGMENTS  64
#define UNWIND_MAX_PAGES     65536
#define UNWIND_MAX_RULES     32768
#define UNWIND_MAX_MAPPINGS  65536
#define UNWIND_NO_MAPPING    (~0u)
#define UNWIND_MAX_FILES     4096
#define UNWIND_MAX_SPACES    16384 /* processes with mappings */

#define UNWIND_ROW(off, rule) ((__u32)(off) << 16 | (rule))
#define UNWIND_ROW_OFF(row)   ((row) >> 16)
#define UNWIND_ROW_RULE(row)  ((row)&0xffff)

struct unwind_page {
	__u32 first_row; /* among the rows of all segments */
	__u32 nr_rows;
};

/*
 * The mapping of a process at [start, end). An address less @bias is an offset in the table. @pages
 * says where the pages of the table are: how many in the upper half, the number of the first in the
 * lower half. Without a table it is a value of enum unwind_without. It is one word, because
 * programs look at it while it changes.
 */
struct unwind_mapping {
	__u64 start, end;
	__u64 bias;
	__u64 pages;
};

#define UNWIND_PAGES(first, nr)  ((__u64)(nr) << 32 | (first))
#define UNWIND_NR_PAGES(pages)   ((__u32)((pages) >> 32))
#define UNWIND_FIRST_PAGE(pages) ((__u32)(pages))

enum unwind_without {
	UNWIND_WITHOUT_TABLE = 0, /* there is none to be had */
	UNWIND_TABLE_WANTED,      /* there may be one; nobody has asked for it */
	UNWIND_TABLE_ASKED_FOR,
	UNWIND_SHARED_MEMORY, /* there is none, and processes may share this memory, which no file
				 has */
};

/* A file that has a table. It counts as long as the inode has this size and time. */
struct unwind_file_key {
	__u64 dev, ino;
};

struct unwind_file {
	__s64 size, ctime_ns;
	__u64 first_off,
		pages; /* bias is where offset first_off is mapped (struct unwind_mapping) */
};

/*
 * What the recorder knows of the machine of a process of Java or Erlang (struct java_machine,
 * struct beam_machine).
 */
enum unwind_machine {
	UNWIND_NO_MACHINE = 0, /* there is none, or it cannot be read */
	/* The machine's library is mapped, and the machine has not begun yet. */
	UNWIND_MACHINE_EXPECTED,
	UNWIND_MACHINE_READY,
};

/*
 * A process; the key is its id in the recorder's pid namespace. A process id has one address space
 * after another: space_id, a hash of start time and count of execs, tells them apart.
 */
struct unwind_space {
	__u64 space_id;     /* 0: not known, the next sample sets it */
	__u64 ask_again_ns; /* CLOCK_MONOTONIC: the program does not ask before */
	__u32 first, nr;    /* its mappings, sorted by address */
	__u32 is_settled;   /* the recorder has looked, and there is no more to be had */
	__u32 exec_pages;   /* number of executable pages when the recorder was asked to look */
	/* Its interpreter (struct interpreter), and the place of offset 0 of the file. */
	__u64 interpreter_base;
	__u32 interpreter; /* its number + 1; 0: there is none */
	__u32 machine;     /* enum unwind_machine */
	/*
	 * PCRE2's own code, which calls code that PCRE2 has made (bpf/made/regex_code.h); 0: none.
	 */
	__u64 regex_start, regex_bytes;
	__u32 has_context; /* its threads publish their requests (struct thread_context) */
	__u32 padding;
};

/* A question of the program to the recorder. */
struct unwind_want {
	__u64 space_id;
	__u64 pc; /* the mapping there has no table; 0: mappings of the process are missing */
	__u32 tgid;
	__u32 exec_pages; /* number of executable pages now */
	__u32 uid;        /* of the task */
	__u32 padding;
};

struct unwind_segment {
	__u32 rows[UNWIND_SEGMENT_ROWS];
};

/*
 * A rule that a program has found for an address. It saves the search the next time. The upper half
 * is the page and the offset in it. The lower half is the number of the rule, and a bit that is
 * never 0. So 0 is nothing yet. The upper half also gives the place among UNWIND_KNOWN_RULES.
 */
#define UNWIND_KNOWN_SHIFT 13
#define UNWIND_KNOWN_RULES (1u << UNWIND_KNOWN_SHIFT)

#define UNWIND_KNOWN(page, off, rule)                                                              \
	(((__u64)(page) << 16 | (__u64)(off)) << 32 | 1u << 31 | (__u32)(rule))
#define UNWIND_KNOWN_RULE(known)  ((__u32)(known) & ~(1u << 31))
#define UNWIND_KNOWN_PLACE(known) SPREAD_HASH_32((known) >> 32, UNWIND_KNOWN_SHIFT)
#define UNWIND_IS_KNOWN(a, b)     (((a) ^ (b)) >> 31 == 0) /* are they of one address? */

/* How to get the canonical frame address (CFA). */
enum unwind_cfa {
	UNWIND_CFA_NONE = 0,    /* the table says nothing of this code */
	UNWIND_CFA_REG,         /* cfa_reg + cfa_off */
	UNWIND_CFA_DEREF,       /* *(cfa_reg + cfa_off) + cfa_add: realigned stacks, assembly */
	UNWIND_CFA_DEREF_INDEX, /* *(sp + cfa_off + cfa_reg * 8) + cfa_add: libcrypto's assembly */
	UNWIND_CFA_PLT,         /* in a stub, which pushes a number: unwind_plt_cfa() */
	/* The caller's frame may be on another stack; unwind_step_elsewhere() */
	UNWIND_CFA_SIGNAL,      /* a signal handler returns here; sp is the struct ucontext */
	UNWIND_CFA_OTHER_STACK, /* cfa_reg + cfa_off */
	UNWIND_CFA_GO_CALL,     /* Go has called C: unwind_go_call() */
	UNWIND_CFA_GO_SWITCH,   /* Go runs on the stack of its thread: unwind_go_switch() */
	UNWIND_CFA_UNSUPPORTED, /* the file has a rule that this enum cannot express */
};

enum unwind_ra {
	UNWIND_RA_CFA = 0,   /* at cfa - RETURN_BYTES */
	UNWIND_RA_UNDEFINED, /* the stack ends here */
	UNWIND_RA_REG,       /* in ra_reg */
	UNWIND_RA_KEPT,      /* the caller's value of UNWIND_REG_KEPT, which has it after a call */
	UNWIND_RA_UNSUPPORTED,
};

/* Where the caller's value of UNWIND_REG_FP, or of the kept register, is. */
enum unwind_saved {
	UNWIND_SAVED_SAME = 0, /* where it was */
	UNWIND_SAVED_CFA,      /* at cfa + off */
	UNWIND_SAVED_FP,       /* at fp + off */
	UNWIND_SAVED_LOST,     /* undefined, or by a rule that this enum cannot express */
};

/* Where a frame that was left without a call, in code without a table, has its return address. */
enum unwind_leaf {
	UNWIND_LEAF_UNKNOWN = 0,
	UNWIND_LEAF_RETURN, /* at sp: the function begins or returns */
	UNWIND_LEAF_PUSHED, /* a word above sp, where the caller's fp is */
	UNWIND_LEAF_FRAMED, /* in the frame that fp points to */
};

/*
 * With cfa UNWIND_CFA_NONE, _SIGNAL or _UNSUPPORTED, all other fields are 0. With
 * UNWIND_CFA_GO_CALL and _GO_SWITCH the last four are places in memory. With the latter, cfa_reg is
 * UNWIND_REG_PC where the code was left without a call. What kept says is of
 * UNWIND_REG_KEPT_INSTEAD if is_instead is 1. A walk has room for one of the two registers.
 */
struct unwind_rule {
	__u8 cfa;
	__u8 cfa_reg;
	__u8 ra;
	__u8 ra_reg;
	__u8 fp;
	__u8 kept;
	__u8 is_instead;
	__u8 reserved;
	__s32 cfa_off;
	__s32 cfa_add;
	__s32 fp_off;
	__s32 kept_off;
};

/*
 * Rules that are always there: UNWIND_CFA_NONE in all tables, and those of code that runtimes
 * have made (bpf/made/made_code.h, bpf/made/beam_step.h).
 */
#define UNWIND_NO_RULE       0
#define UNWIND_RULE_NO_FRAME 1 /* the return address is at sp */
#define UNWIND_RULE_WORD     2 /* the return address is a word above sp */
/* The rules of traces of LuaJIT: the CFA is UNWIND_LUA_FRAME + 16 * n above sp. */
#define UNWIND_RULE_TRACE     3
#define UNWIND_NR_TRACE_RULES 16
#define UNWIND_LUA_FRAME      80
/* The frames of BEAM: bpf/made/beam_step.h tells the rule. */
#define UNWIND_RULE_BEAM        (UNWIND_RULE_TRACE + UNWIND_NR_TRACE_RULES)
#define UNWIND_RULE_ROOT        (UNWIND_RULE_BEAM + 1) /* the stack ends here */
#define UNWIND_RULE_STOP        (UNWIND_RULE_BEAM + 2) /* nobody knows the caller */
#define UNWIND_RULE_THREE_WORDS (UNWIND_RULE_BEAM + 3) /* code of YJIT and of Guile */
#define UNWIND_NR_OWN_RULES     (UNWIND_RULE_BEAM + 4)

#endif
