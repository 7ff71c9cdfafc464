/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to find the subs of Perl, and the native frames that run them. The child that reads the file
 * fills in the layout (record/languages/files/perl_layouts.c). bpf/languages/perl_frames.h finds
 * the subs, bpf/languages/perl_names.h their names, and bpf/languages/perl_places.h their place
 * between native frames.
 */
#ifndef BPF_LANGUAGES_PERL_LAYOUT_H
#define BPF_LANGUAGES_PERL_LAYOUT_H

#include <linux/types.h>

#include "bpf/languages/function_key.h"

/* Functions of libperl, by their place and size. */
struct perl_functions {
	__u32 loop, loop_bytes;         /* runs the instructions, Perl_runops_standard */
	__u32 call, call_bytes;         /* calls a sub, Perl_call_sv */
	__u32 overload, overload_bytes; /* calls an operator that is a sub, Perl_amagic_call */
	__u32 main, main_bytes;         /* runs the main program, perl_run */
};

/*
 * Offsets in bytes. Without threads, the interpreter's data are global variables. They count as the
 * runtime of struct interpreter, as the functions do. Names of variables are those of Perl.
 */
struct perl_layout {
	struct perl_functions functions;
	/* Pointer to the innermost list of contexts, in the interpreter's data: PL_curstackinfo */
	__u32 stackinfo;
	__u32 main_sub;     /* pointer to the main program, there, too: PL_main_cv */
	__u32 file;         /* pointer to its name: PL_origfilename */
	__u16 first_op;     /* the number of an instruction that knows its line: OP_NEXTSTATE */
	__u8 has_threads;   /* the runtime is the key of thread-specific data: PL_thr_key */
	__u8 name_in_array; /* a package has its name after its elements, else in its body */
	__u8 is_short;      /* lists and contexts lack the number of the sub's context around */
};

/* Of a context, of which several are read together, and of the body of a sub. */
#define PERL_CONTEXT_WORDS       13
#define PERL_SHORT_CONTEXT_WORDS 12
#define PERL_CONTEXTS            8
#define PERL_SUB_WORDS           13
#define PERL_PART_WORDS          6

/* The state of the walk from Perl sub to Perl sub (bpf/languages/perl_frames.h). */
struct perl_walk {
	__u64 stackinfo; /* the one at hand */
	__u64 previous;  /* the one outside of it; 0: there is none */
	__u64 contexts;
	__u32 nr_contexts; /* that are left in it */
	__u32 type;
	__u64 interpreter_at; /* the interpreter's data */
	__u32 tgid;
	__u32 interpreter; /* its number */
	__u32 pending;     /* words after which a segment may end */
	__u32 has_pending;
	__u32 first_read, nr_read;     /* numbers of the contexts in @words */
	struct seen_function function; /* at hand */
	__u64 sub[PERL_SUB_WORDS];     /* its body */
	__u64 part[PERL_PART_WORDS];   /* what was read last */
	__u64 words[PERL_CONTEXTS * PERL_CONTEXT_WORDS];
};

/* Segments of functions whose kinds are known. More have no place. */
#define MAX_PERL_SEGMENTS 64

/* Kinds of segments, and where those functions are mapped that call a loop. */
struct perl_loops {
	/* A bit for each segment: its outermost sub was called by C code, */
	__u64 called;
	__u64 many; /* or its block or sub is there for many calls, and not always has a loop */
	__u64 call, call_bytes;
	__u64 overload, overload_bytes;
	__u64 main, main_bytes;
};

/* Loops among the native frames, counted from the leaf on. */
struct perl_places_set {
	__u64 called; /* a bit for each: call or overload has called it */
	__u32 nr;
	__u32 reserved;
	__u16 frames[MAX_PERL_SEGMENTS]; /* their numbers */
};

/*
 * How loops may be counted: if two frames between two loops are C code that runs a sub many times,
 * or if they are an eval that goes on in a loop of its own (bpf/languages/perl_places.h).
 */
enum perl_count {
	PERL_EACH,
	PERL_EVALS,
	NR_PERL_COUNTS,
};

struct perl_places {
	struct perl_places_set sets[NR_PERL_COUNTS];
	__u32 set;       /* the one that holds */
	__u32 distance;  /* frames since the last loop */
	__u32 is_called; /* of the last loop: call or overload has called it */
	__u32 has_main;  /* the main program runs */
	__u32 bare;      /* the number of a segment without a loop + 1; 0: there is none */
	__u32 reserved;
};

#endif
