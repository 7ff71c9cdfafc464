/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to find the functions of JavaScript in V8, the engine of Node.js. The child that reads the
 * file fills it in (record/languages/files/node_layouts.c), and bpf/languages/node_frames.h uses
 * it.
 */
#ifndef BPF_LANGUAGES_NODE_LAYOUT_H
#define BPF_LANGUAGES_NODE_LAYOUT_H

#include <linux/types.h>

/* The bits of a Code's flags that say which compiler has made it. */
#define NODE_CODE_KINDS 15

/* The numbers that have no unit are offsets in bytes. */
struct node_layout {
	/* Numbers of types, which the map of an object has: */
	__u16 function_type, last_function_type; /* of functions and constructors, a range */
	__u16 shared_type;                       /* of a SharedFunctionInfo */
	__u16 scope_type;                        /* of a ScopeInfo */
	__u16 script_type;                       /* of a Script */
	__u8 function_shared;                    /* its SharedFunctionInfo */
	/* In a SharedFunctionInfo: */
	__u8 shared_name;   /* the name, or the ScopeInfo that has it */
	__u8 shared_script; /* the Script */
	__u8 shared_flags;  /* 4 bytes; the number of the function in its Script follows */
	__u8 script_name;
	__u8 scope_locals; /* where the names of local variables begin */
	__u16 array_type;  /* of a FixedArray; 0: nobody knows how a Script tells lines */
	__u16 code_type;   /* of a Code */
	/* Code that V8 has made, after a header of so many bytes; 0: it is not known. */
	__u8 code_header;
	__u8 code_is_apart; /* the second word of the header is the Code, else it is the header */
	__u8 code_data;     /* in a Code: its DeoptimizationData; the table of positions follows */
	__u8 code_start;    /* the address of the code, if it is apart */
	__u8 code_flags, code_bytes; /* 4 bytes */
	__u8 baseline_kind;          /* in these flags; higher ones are of compilers that inline */
	/* The numbers in the DeoptimizationData are higher by 1, and its function is wrapped. */
	__u8 is_data_protected;
	__u8 has_position_flags; /* a number of the table of positions has a flag, else the sign */
};

#endif
