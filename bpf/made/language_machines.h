/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to walk the code that HotSpot and BEAM make: the types that the BPF programs, the recorder
 * and its looker share. bpf/made/java_step.h and bpf/made/beam_step.h walk it.
 */
#ifndef BPF_MADE_LANGUAGE_MACHINES_H
#define BPF_MADE_LANGUAGE_MACHINES_H

#include "bpf/languages/languages.h"

/* HotSpot has up to three heaps of code, and later versions may have one more. */
#define MAX_JAVA_HEAPS 4

/*
 * A heap of code, which consists of segments of 1 << shift bytes. The map has a byte for each: 0xff
 * for no code, 0 for the first segment of a block, else the number of segments to go back.
 */
struct java_heap {
	__u64 low, high;
	__u64 map;
	__u32 shift;
	__u32 reserved;
};

/*
 * How to walk the code that HotSpot makes in one process. The looker reads it from the process
 * (record/machines/java_machine.c). Numbers without a unit are offsets in bytes.
 */
struct java_machine {
	struct java_heap heaps[MAX_JAVA_HEAPS];
	__u64 low, high;                           /* all heaps are within */
	__u64 interpreter_begin, interpreter_size; /* its code, in one of the heaps; 0: not known */
	__u64 call_stub_return; /* C++ code called Java, which returns here; 0: not known */
	__u32 version;          /* 17; 0: there is no machine */
	/* Of a block of code, struct CodeBlob. */
	__u8 block_header; /* bytes before the struct */
	__u8 blob_name;
	__u8 blob_frame_size; /* in words */
	__u8 blob_code_begin, blob_code_end;
	__u8 code_is_offset; /* the code is given as offsets from the struct, else as pointers */
	__u8 blob_complete;  /* where the frame is complete, from the beginning of the code */
	__u8 complete_bytes; /* of that number: 2 or 4 */
	__u8 blob_method;    /* the Method of compiled code */
	/* Of a Method and what it refers to. */
	__u8 method_const;
	__u8 const_pool;
	__u8 const_name;      /* the name's index in the pool, 2 bytes */
	__u8 const_code_size; /* 2 bytes */
	__u8 const_bytes;     /* the bytecode follows */
	__u8 pool_bytes;      /* the elements follow */
	__u8 pool_class;
	__u8 class_name;
	__u8 symbol_length; /* 2 bytes */
	__u8 symbol_text;
	__u8 reserved;
	/* Of compiled code: a running number. 0: methods have no words of places in their code. */
	__u16 blob_compile_id;
	__u16 reserved_2;
	__u32 nr_places; /* whose names the program has read; it counts them */
};

/* Processes of Java and Erlang whose code is walked, at most. */
#define MAX_MACHINES 512

/* Bytes of struct CodeBlob that a walk reads. All offsets into it are below. */
#define JAVA_BLOB_BYTES 128

#define JAVA_NAME_BYTES  24 /* of the name of a block of code */
#define JAVA_MAP_BYTES   64 /* of the map of segments, aligned to as many, so within a page */
#define JAVA_CODE_BYTES  64 /* of instructions around the leaf's */
#define JAVA_CODE_BEFORE 16 /* of them before it */

/*
 * Places in compiled code of a process whose method the program names itself. Of later ones the
 * looker alone reads names: most samples of such a large program meet new places, and the names are
 * spread over its memory.
 */
#define JAVA_PLACES_NAMED 8192

#define JAVA_ENTRY_BYTES 24 /* of the first instructions of a stub */

#define JAVA_CONST_WORDS 8 /* of a ConstMethod that are read */

/* Memory of a step from a frame of HotSpot's code to its caller (bpf/made/java_step.h). */
struct java_scratch {
	__u64 block, begin, end; /* the block of code, and the code in it */
	__u64 frame_bytes;
	__u64 kind; /* of the block (bpf/made/java_step.h) */
	__u64 pc;   /* of the frame */
	__u32 compile_id;
	__u32 is_place; /* the word is of a place in compiled code */
	__u64 blob[JAVA_BLOB_BYTES / 8];
	__u64 name_at; /* the name is the one there; 0: there is none, as before a walk */
	__u64 name[JAVA_NAME_BYTES / 8];
	__u8 map[JAVA_MAP_BYTES];
	__u8 code[JAVA_CODE_BYTES];
	__u8 entry[JAVA_ENTRY_BYTES];
	__u64 words[2];
	__u64 left;                    /* bytes of the prologue, and whether the rest of it */
	__u64 is_found;                /* makes the frame */
	__u64 bytecode_at, bytecode;   /* its distance below rbp, and the bytecode there */
	__u64 ra;                      /* a return address, perhaps */
	__u64 method;                  /* the Method of the frame that was left; 0: none */
	__u64 const_at;                /* its ConstMethod, */
	__u64 parts[JAVA_CONST_WORDS]; /* which begins so */
	__u64 pool;
	struct seen_function function;
};

/*
 * The check of the word of a method, by its parts: they tell whether the memory has become
 * another's.
 */
static inline __u32 java_method_check(__u64 const_at, __u64 pool, __u16 name)
{
	return SPREAD_HASH(const_at ^ pool * 3 ^ (__u64)name << 40, WORD_CHECK_BITS);
}

/*
 * The check of the word of a place in compiled code. The number of the code tells whether other
 * code has come there.
 */
static inline __u32 java_place_check(__u64 block, __u32 compile_id)
{
	return SPREAD_HASH(block ^ (__u64)compile_id << 32, WORD_CHECK_BITS);
}

/*
 * How to walk the code that BEAM makes in one process. The looker reads it from the process
 * (record/machines/beam_machine.c).
 */
struct beam_machine {
	__u64 normal_exit;        /* the first function of an Erlang process returns here */
	__u64 shared, shared_end; /* code that all modules share */
	__u64 main, main_end;     /* the scheduler's loop, which is a part of it */
	__u32 key;                /* of the thread-specific data with the scheduler's data */
	__u32 registers_base;     /* rbx of made code is so far above the scheduler's registers */
	/* Offsets in bytes, in the scheduler's data: */
	__u16 scheduler_registers; /* where those are */
	__u16 scheduler_process;   /* the Erlang process that runs */
	/* and in that of an Erlang process: */
	__u16 process_stack;      /* with frame pointers, rbp is in the word after it */
	__u16 has_frame_pointers; /* frames are along rbp */
};

/* Bytes of code that a step reads. BEAM_CODE_SIZE is a power of 2, and indexes are taken below. */
#define BEAM_CODE_BEFORE 192
#define BEAM_CODE_AFTER  64
#define BEAM_CODE_SIZE   256

/* Memory of a step from a frame of BEAM's code to its caller (bpf/made/beam_step.h). */
struct beam_scratch {
	struct beam_machine machine; /* the walk copies it at its first frame of BEAM */
	__u64 has_machine;
	__u64 around;      /* the address around which the step has read the code; 0: none */
	__u64 near[3];     /* that code, from 8 bytes before the address on */
	__u64 is_on_stack; /* the frame's sp is already that of the Erlang process */
	__u64 stack;       /* where that is, at the innermost frame of BEAM */
	__u64 word;        /* of the frame; 0: it is no function's */
	/* The instruction at hand (bpf/made/beam_code.h): */
	__u32 at, end; /* its offset in the code, and where that ends */
	__u32 kind, bytes;
	__u64 is_moved; /* an instruction has loaded rbp */
	__u64 searched; /* words of the stack, in the whole walk */
	__s64 grown;    /* by how many bytes the stack has grown */
	__u8 code[BEAM_CODE_SIZE];
	struct seen_function function;
};

#endif
