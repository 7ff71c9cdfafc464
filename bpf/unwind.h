/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding by tables: their layout. bpf/unwind_step.h walks by them. What belongs to x86-64 is in
 * these two and in record/cfi/cfi.c, which makes the tables from .eh_frame.
 *
 * A file's code is divided into pages of 64 KiB by file offset. A page has rows, sorted: in the
 * upper half of each the offset in the page from which on it holds, in the lower half the number of
 * a rule. A page's first row begins at offset 0. So a row takes four bytes, and a search stays
 * within a page. Rules are few, and shared by all tables.
 */
#ifndef BPF_UNWIND_H
#define BPF_UNWIND_H

#include <linux/types.h>

#define UNWIND_PAGE_SHIFT 16
#define UNWIND_PAGE_SIZE  (1u << UNWIND_PAGE_SHIFT)

/* Rows are in segments, which come into being as they are needed. No page crosses the border of
 * one. */
#define UNWIND_SEGMENT_SHIFT 18
#define UNWIND_SEGMENT_ROWS  (1u << UNWIND_SEGMENT_SHIFT)
#define UNWIND_MAX_SEGMENTS  64
#define UNWIND_MAX_PAGES     65536
#define UNWIND_MAX_RULES     32768
#define UNWIND_MAX_MAPPINGS  65536

#define UNWIND_ROW(off, rule) ((__u32)(off) << 16 | (rule))
#define UNWIND_ROW_OFF(row)   ((row) >> 16)
#define UNWIND_ROW_RULE(row)  ((row)&0xffff)

struct unwind_page {
	__u32 first_row; /* among the rows of all segments */
	__u32 nr_rows;
};

/*
 * What a process has mapped at [start, end). Offsets in the table are addresses less @bias. @pages
 * says where its pages are, in one word since others look while it changes: in the upper half how
 * many, in the lower half the number of the first; or, without any, a value of enum unwind_without.
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
	UNWIND_TABLE_WANTED,      /* there may be one, as soon as somebody asks for it */
	UNWIND_TABLE_ASKED_FOR,
};

/*
 * A process; the key is its id in the recorder's pid namespace. A process id has one address space
 * after another: space_id, a hash of start time and count of execs, tells them apart.
 */
struct unwind_space {
	__u64 space_id;     /* 0: not known, the next sample sets it */
	__u64 ask_again_ns; /* CLOCK_MONOTONIC: not to be asked for before */
	__u32 first, nr;    /* its mappings, sorted by address */
	__u32 is_settled;   /* the recorder has looked, and this is all there is to be had */
	__u32 exec_pages;   /* of executable mappings when it was asked to look */
};

/* What the program asks the recorder for. */
struct unwind_want {
	__u64 space_id;
	__u64 pc; /* whose mapping has no table; 0: the process's mappings are not known, or not all
		   */
	__u32 tgid;
	__u32 exec_pages; /* of executable mappings there are now */
};

struct unwind_segment {
	__u32 rows[UNWIND_SEGMENT_ROWS];
};

/* DWARF's numbers of registers (System V ABI, AMD64 supplement, figure 3.36). */
enum unwind_reg {
	UNWIND_RAX = 0,
	UNWIND_RBX = 3,
	UNWIND_RBP = 6,
	UNWIND_RSP = 7,
	UNWIND_RIP = 16,
	UNWIND_NR_REGS,
};

/* How to get the canonical frame address. */
enum unwind_cfa {
	UNWIND_CFA_NONE = 0,    /* the table says nothing of this code */
	UNWIND_CFA_REG,         /* cfa_reg + cfa_off */
	UNWIND_CFA_DEREF,       /* *(cfa_reg + cfa_off) + cfa_add: realigned stacks, assembly */
	UNWIND_CFA_DEREF_INDEX, /* *(rsp + cfa_off + cfa_reg * 8) + cfa_add: libcrypto's assembly */
	UNWIND_CFA_PLT, /* rsp + 8, and 8 more when the low four bits of pc are cfa_off or more */
	UNWIND_CFA_SIGNAL, /* the kernel's frame of a signal handler; rsp is the struct ucontext */
	UNWIND_CFA_UNSUPPORTED, /* there is a rule that has no place here */
};

enum unwind_ra {
	UNWIND_RA_CFA = 0,   /* at cfa - 8 */
	UNWIND_RA_UNDEFINED, /* the stack ends here */
	UNWIND_RA_REG,       /* in ra_reg */
	UNWIND_RA_UNSUPPORTED,
};

/* Where the caller's value of rbp or rbx is. */
enum unwind_saved {
	UNWIND_SAVED_SAME = 0, /* where it was */
	UNWIND_SAVED_CFA,      /* at cfa + off */
	UNWIND_SAVED_RBP,      /* at rbp + off */
	UNWIND_SAVED_LOST,     /* undefined, or by a rule that has no place here */
};

/* Of all rules with cfa UNWIND_CFA_NONE, _SIGNAL and _UNSUPPORTED, all other fields are 0. */
struct unwind_rule {
	__u8 cfa;
	__u8 cfa_reg;
	__u8 ra;
	__u8 ra_reg;
	__u8 rbp;
	__u8 rbx;
	__u16 reserved;
	__s32 cfa_off;
	__s32 cfa_add;
	__s32 rbp_off;
	__s32 rbx_off;
};

/* Rule 0 in all tables: UNWIND_CFA_NONE. */
#define UNWIND_NO_RULE 0

#endif
