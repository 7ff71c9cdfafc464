/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of interpreted languages in stacks: the table of languages, and the types that the BPF
 * programs, the recorder and the child that reads files share. The files LANGUAGE_frames.h find the
 * functions. language_places.h and loop_places.h find their place between native frames.
 *
 * A function takes one word of a stack, beside the addresses of native frames. Addresses of user
 * space have zeros above bit 56, and so has no other word:
 *
 *	0 : 1 | language : 4 | check : 12 | address of the function's object : 47
 *
 * The highest bit is left to STACK_FRAME_EXACT. An address of user space has USER_ADDRESS_BITS
 * unless a process asks the kernel for higher ones, and an object up there gets no word. Where an
 * address has 48, the check has 11.
 *
 * The address of a compiled Java method is that of the place in its code, and the check is of the
 * compilation. The address of a function of Erlang is that of the place in its code, and the check
 * is of the code there. Objects are freed, and their memory is used again. The check is a hash of
 * fields of the object. So an object that takes the place of another has another word.
 */
#ifndef BPF_LANGUAGES_LANGUAGES_H
#define BPF_LANGUAGES_LANGUAGES_H

#include <linux/types.h>

#include "bpf/host_arch.h"
#include "bpf/languages/function_key.h"
#include "bpf/languages/node_layout.h"
#include "bpf/languages/perl_layout.h"
#include "bpf/owner_room.h"
#include "bpf/spread_hash.h"

#define WORD_ADDR_BITS     USER_ADDRESS_BITS
#define WORD_CHECK_BITS    (59 - WORD_ADDR_BITS)
#define WORD_LANGUAGE_BITS 4

/* Where the function stands. */
enum function_place {
	BEFORE_FRAME, /* directly before the native frame that runs it */
	IN_PLACE,     /* in place of its own native frame */
};

/*
 * A row for each language: the name that its functions have, the place in stacks, the struct in
 * which names are handed over, and what the recorder makes of these (source_function.c). Of a
 * language NAME, NAME_find knows the interpreter (language_files.h), and collect_NAME collects
 * functions that come before their frames (stack_functions.h). The recorder's words for it are in
 * language_table.c.
 */
#define LANGUAGES(ROW)                                                                             \
	ROW(LANGUAGE_PYTHON, python, BEFORE_FRAME, function_name, decode_plain)                    \
	ROW(LANGUAGE_JAVA, java, IN_PLACE, function_name, decode_java)                             \
	ROW(LANGUAGE_PHP, php, BEFORE_FRAME, scoped_function_name, decode_scoped)                  \
	ROW(LANGUAGE_BEAM, beam, IN_PLACE, function_name, decode_plain)                            \
	ROW(LANGUAGE_RUBY, ruby, BEFORE_FRAME, function_name, decode_plain)                        \
	ROW(LANGUAGE_NODE, node, IN_PLACE, function_name, decode_node)                             \
	ROW(LANGUAGE_PERL, perl, BEFORE_FRAME, scoped_function_name, decode_scoped)

#define LANGUAGE_NUMBER(language, ...) language,
enum language { LANGUAGE_NONE, LANGUAGES(LANGUAGE_NUMBER) NR_LANGUAGES };

#define WORD_MASK(bits) ((1ULL << (bits)) - 1)

#define WORD_LANGUAGE_SHIFT (WORD_ADDR_BITS + WORD_CHECK_BITS)

_Static_assert(NR_LANGUAGES <= 1 << WORD_LANGUAGE_BITS, "a word has room for each language");
_Static_assert(WORD_LANGUAGE_SHIFT + WORD_LANGUAGE_BITS <= 63, "a word has no mark of its own");
_Static_assert(WORD_LANGUAGE_SHIFT >= 56, "no address of user space is a word");

#define LANGUAGE_WORD(language, check, addr)                                                       \
	((__u64)(language) << WORD_LANGUAGE_SHIFT |                                                \
	 (__u64)((check)&WORD_MASK(WORD_CHECK_BITS)) << WORD_ADDR_BITS |                           \
	 ((addr)&WORD_MASK(WORD_ADDR_BITS)))

/* Any number, where @word is none. */
static inline __u32 word_language(__u64 word)
{
	return word >> WORD_LANGUAGE_SHIFT;
}

static inline int word_is_function(__u64 word)
{
	return word_language(word) > LANGUAGE_NONE && word_language(word) < NR_LANGUAGES;
}

#define LANGUAGE_PLACE(language, name, place, ...) word_language(word) == language ? place:

static inline int word_is_before_frame(__u64 word)
{
	return (LANGUAGES(LANGUAGE_PLACE) BEFORE_FRAME) == BEFORE_FRAME;
}

static inline __u64 word_addr(__u64 word)
{
	return word & WORD_MASK(WORD_ADDR_BITS);
}

/* The word of a function of Erlang at @addr, where the 16 bytes @code are. */
static inline __u64 beam_word_of(__u64 addr, const __u64 *code)
{
	__u64 h = code[0] * 3 ^ code[1] * 5;

	return LANGUAGE_WORD(LANGUAGE_BEAM, SPREAD_HASH(h, WORD_CHECK_BITS), addr);
}

/* The bytes of the code around a place that are checked: so many before it, and all. */
#define NODE_CODE_BEFORE 7
#define NODE_CODE_BYTES  16

/* The check of a place in code of V8, around which are the bytes @code. */
static inline __u64 node_code_check(const __u64 *code)
{
	return (code[0] * SPREAD_FACTOR ^ code[1]) * SPREAD_FACTOR | 1;
}

/*
 * Words that stand for no function have an address below that nobody maps. The numbers are those
 * of enum prof_note (format/prof.h).
 */
enum word_note {
	NOTE_DISPLACED = 1,
	NOTE_UNREADABLE = 2,
	NR_NOTES,
};

/*
 * The ways in which CPython tells which of its functions run in one native frame. From 3.10 on it
 * keeps the address of something in that native frame, the mark.
 */
enum python_marks {
	/* 3.9: a function runs in a native frame of its own, and there are no marks. */
	PYTHON_MARK_NONE,
	/* 3.10: a function runs in a native frame of its own. The mark is a struct in a list. */
	PYTHON_MARK_EACH,
	/*
	 * 3.11: a flag says that a function is the outermost of its native frame. Marks as in 3.10.
	 */
	PYTHON_MARK_ENTRY,
	/* From 3.12 on: a frame without a function is the mark, after the outermost one. */
	PYTHON_MARK_SHIM,
};

/* Where CPython keeps the state of the current thread. */
enum python_thread {
	/* Up to 3.14: under a key of thread-specific data. */
	PYTHON_THREAD_KEY,
	/* From 3.15 on, in an executable: in a variable at a known distance from the thread
	   pointer. */
	PYTHON_THREAD_VARIABLE,
	/* From 3.15 on, in a library: in its block of such variables. */
	PYTHON_THREAD_BLOCK,
};

/*
 * Code in which native frames tell how functions belong to them: ranges of addresses. In a
 * layout they count from the place on where offset 0 of the file would be mapped.
 */
struct language_code {
	__u64 loop, loop_bytes;       /* the loop of the interpreter: execute_ex, rb_vm_exec */
	__u64 cold, cold_bytes;       /* the part of it that the compiler moved away; 0: none */
	__u64 destroy, destroy_bytes; /* calls destructors, zend_objects_destroy_object; 0: none */
	__u64 change, change_bytes;   /* changes to another native stack; 0: nothing does */
	/*
	 * The loop calls this function, in which it goes from instruction to instruction; 0: none.
	 */
	__u64 core, core_bytes;
	__u64 core_cold, core_cold_bytes; /* the part of it that was moved */
};

/*
 * How to find the functions of CPython. All numbers are offsets in bytes. The child that reads the
 * file fills it in (record/languages/files/python_layouts.c). Names of fields are those of CPython;
 * where one changed, the one of later versions comes last.
 */
struct python_layout {
	__u8 marks;       /* enum python_marks */
	__u8 tstate_list; /* pointer to the list of marks; 0: there is none. PyThreadState.cframe */
	__u8 list_frame;  /* pointer to the innermost frame. _PyCFrame.current_frame */
	__u8 list_next;   /* pointer to the next element. CFrame.previous, _PyCFrame.previous */
	__u8 tstate_frame;  /* as list_frame, without a list. PyThreadState.frame, .current_frame */
	__u8 tstate_thread; /* the thread pointer. PyThreadState.thread_id */
	__u8 frame_next;    /* PyFrameObject.f_back, _PyInterpreterFrame.previous */
	__u8 frame_code;    /* f_code, f_executable */
	__u8 frame_owner;   /* a byte: owner. With PYTHON_MARK_ENTRY the flag is_entry */
	__u8 frame_top;     /* with PYTHON_MARK_NONE: NULL in a frame that runs. f_stacktop */
	__u8 code_flags;    /* PyCodeObject.co_flags */
	__u8 code_line;     /* co_firstlineno */
	__u8 code_file;     /* co_filename */
	__u8 code_name;     /* the name with its class, if there is one. co_name, co_qualname */
	__u8 code_version;  /* co_version; 0: there is none */
	__u8 text_length;   /* in characters; hash and state follow. PyASCIIObject.length */
	__u8 text_kind;     /* the first bit of the kind in that state. PyASCIIObject.state.kind */
	__u8 text_ascii;    /* the characters of a string of ASCII. sizeof(PyASCIIObject) */
	__u8 text_other;    /* ... of other characters. sizeof(PyCompactUnicodeObject) */
	__u8 thread;        /* enum python_thread */
	/*
	 * Up to 3.11, a thread that enters another interpreter keeps its state under the key. The
	 * state of the thread that has the lock is two words before the one with the key.
	 */
	__u8 is_locked_known;
	/*
	 * Of the thread-specific data, or number of the block; from the runtime on.
	 * _PyRuntimeState.gilstate.autoTSSkey._key, autoTSSkey._key
	 */
	__s32 key;
	__s32 variable;            /* from the thread pointer or from the block on */
	struct language_code code; /* with PYTHON_MARK_NONE: the loop */
};

/*
 * How to find the functions of PHP. All numbers but those of the code are offsets in bytes. The
 * child that reads the file fills it in (record/languages/files/php_layouts.c). Names of fields are
 * those of PHP.
 */
struct php_layout {
	struct language_code code;
	/* Pointer to the innermost frame, in the executor's globals: current_execute_data */
	__u32 globals_frame;
	/* Of a generator's object, zend_generator: */
	__u16 generator_frame;    /* pointer to its frame: execute_data */
	__u16 generator_parent;   /* ... to the generator that this one delegates to: node.parent */
	__u16 generator_stand_in; /* a frame for all generators that delegate: execute_fake */
	/* Of a function, zend_op_array: */
	__u8 function_code; /* pointer to the instructions: opcodes */
	__u8 function_file; /* its file, and after that the line of its definition: filename */
	/* This bit of its flags says that it is a closure's copy: ZEND_ACC_CLOSURE */
	__u8 closure_bit;
	__u8 reserved[3];
};

/* Where Ruby keeps the execution context of the current thread. */
enum ruby_context_place {
	RUBY_CONTEXT_GLOBAL,   /* 2.7: that of the thread which has the lock, in a variable */
	RUBY_CONTEXT_VARIABLE, /* in a variable of the thread, in an executable */
	RUBY_CONTEXT_BLOCK,    /* ... in a library: in its block of such variables */
};

/*
 * How to find the functions of Ruby. All numbers but those of the code are offsets in bytes. The
 * child that reads the file fills it in (record/languages/files/ruby_layouts.c). Names of fields
 * are those of Ruby.
 */
struct ruby_layout {
	struct language_code code;
	__u8 context; /* enum ruby_context_place; the place is the runtime of struct interpreter */
	/*
	 * In the context: where the native stack begins, its size 16 after.
	 * rb_execution_context_t.machine.stack_start, .stack_maxsize
	 */
	__u8 machine_stack;
	__u8 frame_bytes; /* sizeof(rb_control_frame_t) */
	__u8 text;        /* the characters of a short string: RString.as.embed.ary */
	__u8 has_length;  /* of short strings, too: RString.len. Else it is in their flags */
	/* A line is a number, else a Ruby object: rb_iseq_location_t.first_lineno */
	__u8 is_line_number;
	__u8 has_yjit; /* made code is that of bpf/made/made_ruby.h */
	__u8 reserved;
	__s32 variable; /* from the thread pointer or from the block on */
	/* A function that the core calls, and that calls made code: vm_sendish; 0: none. */
	__u32 send_bytes;
	__u64 send;
};

/*
 * Symbols of HotSpot's library that describe its data (vmStructs.hpp). Two arrays list fields and
 * types, and numbers say how an element is laid out.
 */
enum java_symbol {
	JAVA_FIELDS,
	JAVA_FIELD_STRIDE,
	JAVA_FIELD_TYPE_NAME,
	JAVA_FIELD_NAME,
	JAVA_FIELD_OFFSET,
	JAVA_FIELD_ADDRESS,
	JAVA_TYPES,
	JAVA_TYPE_STRIDE,
	JAVA_TYPE_NAME,
	JAVA_TYPE_SIZE,
	NR_JAVA_SYMBOLS,
};

/*
 * Where the emulator of Erlang, BEAM, keeps what tells of its code, counted as the runtime of
 * struct interpreter (record/languages/files/beam_symbols.c).
 */
struct beam_layout {
	__u32 normal_exit;  /* the address to which the first function of a process returns */
	__u32 frame_layout; /* 0: frames have no frame pointers */
	__u32 key;          /* of the thread-specific data with the scheduler's data */
	__u32 ranges;       /* of modules: three lists, of which one is in force */
	__u32 active_code;  /* the number of that list */
	__u32 atoms;        /* the table of atoms */
};

/* The interpreter of a file. It is found by its number. */
struct interpreter {
	__u64 runtime;  /* its data, from the place on where offset 0 of the file would be mapped */
	__u64 code_off; /* file offset of its first executable segment */
	__u32 language; /* enum language; LANGUAGE_NONE: of a version without support */
	__u32 version;  /* of Java: 17; of BEAM: 27 */
	__u32 has_traces;  /* LuaJIT */
	__u32 guile_bytes; /* of that segment, in Guile's library; 0: it is not Guile */
	__u64 loop; /* of PHP: an instruction in whose frame made code runs, as runtime; 0: none */
	union {
		struct python_layout python;
		/* Where the symbols are, counted as @runtime. */
		__u32 java[NR_JAVA_SYMBOLS];
		struct php_layout php;
		struct beam_layout beam;
		struct node_layout node;
		struct ruby_layout ruby;
		struct perl_layout perl;
	};
};

/* Has it functions of a language, or rules for code that it makes? */
static inline int interpreter_is_any(const struct interpreter *in)
{
	return in->language || in->loop || in->has_traces || in->guile_bytes;
}

/* Interpreters that programs know at a time, each of a file of its own. */
#define MAX_INTERPRETERS 512

/*
 * Executables with an interpreter, by the file's device (as the kernel has it) and inode. So the
 * first sample of a process that the recorder has not seen yet has functions, too.
 */
struct interpreter_file {
	__u64 dev, ino;
};

/* The functions that run in one native frame. */
struct language_segment {
	__u64 mark; /* an address in that frame */
	__u32 end;  /* number of words up to the end of the segment */
	__u32 reserved;
};

#define MAX_LANGUAGE_SEGMENTS 128

#define PYTHON_FRAME_BYTES 80
#define PYTHON_CODE_WORDS  11 /* of a code object, from the word with its flags on */

/* Memory of an interpreter where frames follow each other (bpf/languages/frame_window.h). */
#define FRAME_WINDOW_WORDS 256 /* a power of 2 */

struct frame_window {
	__u64 begin;
	__u32 nr_bytes; /* 0: nothing has been read */
	__u32 at;       /* the frame at hand, in @words */
	__u64 words[FRAME_WINDOW_WORDS];
	__u64 beyond; /* the end of a word that begins before it */
};

/* The state of the walk from Python function to Python function (bpf/languages/python_frames.h). */
struct python_walk {
	__u64 frame; /* the next one; 0: there is none */
	__u64 list;  /* the element of the list of marks that the frame belongs to */
	__u64 after; /* the element after that */
	__u64 tstate;
	__u32 tgid;
	__u32 interpreter;             /* its number */
	struct seen_function function; /* at hand */
	__u64 text[3];                 /* the head of a string */
	struct frame_window window;    /* its words have the thread state at first */
	__u64 code[PYTHON_CODE_WORDS]; /* of the function that gets a name */
};

/* Of a zend_execute_data up to the pointer to the frame before, and of a zend_function. */
#define PHP_FRAME_WORDS    7
#define PHP_FUNCTION_WORDS 24

/* Generators that delegate to each other, of which the innermost runs. */
#define MAX_PHP_GENERATORS 64

/* The state of the walk from PHP function to PHP function (bpf/languages/php_frames.h). */
struct php_walk {
	__u64 frame;     /* the next one; 0: there is none */
	__u64 inner;     /* the one before it */
	__u64 generator; /* the next one of those that delegate; 0: there is none */
	__u32 nr_delegating;
	__u32 tgid;
	__u32 interpreter; /* its number */
	__u32 reserved;
	struct seen_function function; /* at hand */
	struct frame_window window;
	__u64 parts[PHP_FUNCTION_WORDS];
	__u64 delegating[MAX_PHP_GENERATORS]; /* their frames, the outermost first */
	__u64 length;                         /* of a string */
};

#define RUBY_CONTEXT_WORDS 24
#define RUBY_FRAMES_WORDS  64 /* of frames that follow each other; a power of 2 */

/* Of the body of a function: file, name without its kind, name, line. */
#define RUBY_FUNCTION_WORDS 4

/* The state of the walk from Ruby function to Ruby function (bpf/languages/ruby_frames.h). */
struct ruby_walk {
	__u64 frame, end; /* the next one, and the end of all */
	__u64 begin;      /* of the memory in @words */
	__u32 nr_bytes;
	__u32 at; /* the frame at hand, in @words */
	__u32 tgid;
	__u32 interpreter;             /* its number */
	struct seen_function function; /* at hand */
	__u64 has_innermost;           /* the innermost frame is a function's, not one in C */
	__u64 words[RUBY_FRAMES_WORDS];
	struct frame_window values; /* of the stack, to which frames point */
	__u64 context[RUBY_CONTEXT_WORDS];
	__u64 parts[RUBY_FUNCTION_WORDS];
	__u64 text[4]; /* the head of a string */
};

/*
 * The progress of a walk that puts functions into their place (bpf/languages/language_places.h). It
 * is not on the BPF stack, which is small, and where the verifier would follow every value of a
 * number.
 */
struct language_places {
	__u64 held;         /* native address that waits; 0: none */
	__u32 word;         /* the next one to hand out */
	__u32 end;          /* words before it have a place here */
	__u32 segment;      /* the next one to find a place for */
	__u32 is_displaced; /* the note about words without a place has been handed out */
};

/* The segments of functions that have no marks. They belong to loops of the interpreter. */
struct language_loops {
	struct language_code code; /* as it is mapped; loop_bytes 0: segments have marks */
	__u64 made, made_bytes;    /* made code in the frame of a loop; 0: none has run */
	__u32 made_is_core;        /* a loop calls it, in place of its core */
	__u32 nr_segments;         /* those that run on this native stack, from the leaf on */
	__u32 is_whole;            /* none of these is missing */
	__u32 is_own_stack;        /* of a fiber; other segments run on other native stacks */
	__u32 own_words;           /* with is_own_stack: words of the fiber; others called it */
	__u32 has_unknown;         /* made code ran, and nobody knows in which frame */
	__u32 is_exact;            /* stacks count that have as many loops as segments, no other */
	__u32 is_perl;
	struct perl_loops perl;
};

/* The progress of finding places by loops (bpf/languages/loop_places.h). */
struct loop_places {
	/* Native frames, as they are counted from the leaf on: */
	__u32 nr_loops;
	__u32 nr_destroyers;  /* loops that have called a destructor */
	__u32 last_destroyer; /* the number of the last one */
	__u32 is_destroying;  /* the frames since the last loop call a destructor */
	/* Decided: loops with numbers in this range have no segment. */
	__u32 bare_begin, bare_end;
	/* What is left while functions and native frames are put together, from the root on: */
	__u32 to; /* of all */
	__u32 frame;
	__u32 word;
	__u32 until; /* words are handed out as long as there are more */
	__u32 loop;
	__u32 segment; /* of those that have a place */
	__u32 has_note;
	__u32 is_changing; /* the frames before the first loop change to another stack */
	__u32 has_passed;  /* a loop has been handed out, and its core may be next */
	__u32 next;        /* the value of @until after that */
	__u32 first;       /* words before it are left out */
	struct perl_places perl;
};

/* A function that a walk has met. So its object need not be read again in the same stack. */
struct met_function {
	__u64 word;
	__u64 walk; /* the number of the walk */
};

#define MET_FUNCTIONS_SHIFT 5

/*
 * The functions of a thread, while its stack is walked. Words from the last segment's end on have
 * no mark. The words of one segment stand directly before the native frame that has its mark.
 */
struct language_stack {
	struct language_places places;
	__u32 nr_words, nr_segments;
	__u32 nr_failures; /* names that could not be read in this stack */
	__u32 nr_known;    /* words of the stack before, if the names of all were handed over */
	__u64 known_space; /* of these words: as in struct lately_seen */
	__u64 has_unknown; /* of this stack: the name of a word was not handed over before */
	__u64 walk;        /* the number of this walk */
	struct met_function met[1 << MET_FUNCTIONS_SHIFT];
	struct language_segment segments[MAX_LANGUAGE_SEGMENTS];
	struct language_loops loops;
	struct loop_places loop_places;
	union {
		struct python_walk python;
		struct php_walk php;
		struct ruby_walk ruby;
		struct perl_walk perl;
	};
	__u64 words[]; /* innermost first; as many as a stack has frames */
};

#define LANGUAGE_STACK_SIZE(depth) (sizeof(struct language_stack) + (depth) * sizeof(__u64))

/* A string of the interpreter: its characters have @kind bytes each; 0: it is UTF-8. */
#define NAME_BYTES 256
struct language_text {
	__u32 kind;
	__u32 nr_bytes; /* of bytes; there were more if is_cut */
	__u32 is_cut;
	__u32 reserved;
	__u8 bytes[NAME_BYTES];
};

/* The name of a function that the program sees for the first time in a process. */
struct function_name {
	__u64 space_id; /* as in struct unwind_space */
	__u64 word;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 tgid;    /* in the recorder's pid namespace */
	__u32 line;    /* of its definition */
	struct language_text name, file;
	/*
	 * Of Java: the block of compiled code that has the word's address, and its number. The name
	 * is that of the method which was compiled; the compiler may have put others into it. 0:
	 * the word's address is that of the Method. Of JavaScript: the Script and its number; 0:
	 * nobody can tell the line.
	 */
	__u64 block;
	__u32 compile_id;
	__u32 uid; /* of the process */
	/* Of JavaScript: where it begins in the text of the Script, and its interpreter, + 1. */
	__u32 position;
	__u32 interpreter;
	/* ... and the place in code that V8 has made, with a check of it; 0: the code is V8's. */
	__u64 pc, code;
};

/* A function of PHP has a class, and a sub of Perl a package. If there is none, it has no text. */
struct scoped_function_name {
	struct function_name function;
	struct language_text scope;
};

#define LANGUAGE_NAME_SIZE(language, prefix, place, type, ...)                                     \
	word_language(name->word) == language ? sizeof(struct type):

static inline __u64 function_name_size(const struct function_name *name)
{
	return LANGUAGES(LANGUAGE_NAME_SIZE) sizeof(*name);
}

/* The size of the map, which the recorder empties when it is half full. */
#define MAX_SEEN_FUNCTIONS 16384

/* So many functions were handed over since then. */
struct named_functions {
	__u64 all;
	__u64 by_user[OWNER_ROOMS];
};

#endif
