/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine code of interpreters, as compilers make it for the host's architecture: jumps and calls,
 * and whole functions that are so short that their instructions tell what they do. Runs in the
 * table child.
 */
#ifndef RECORD_LANGUAGES_FILES_HOST_CODE_H
#define RECORD_LANGUAGES_FILES_HOST_CODE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Does bpf/made know the code that other runtimes than HotSpot make for this architecture? Without
 * it, Erlang has no functions.
 */
extern const bool host_knows_made_code;

/*
 * The versions of HotSpot in which tests found no wrong caller on this architecture, and 0 after
 * them. Versions between the first and the last live for half a year, and were not judged.
 */
extern const uint16_t host_java_versions[];

/* What HotSpot says before its version. */
extern const char host_java_mark[];

/* What follows the version of an interpreter whose made code is not known. */
extern const char host_without_code[];

/* An instruction may begin at each multiple of so many bytes. */
extern const uint64_t host_code_step;

enum host_jump {
	HOST_NO_JUMP,
	HOST_JUMP,    /* to any place */
	HOST_JUMP_IF, /* under a condition */
	HOST_CALL,
};

/*
 * The kind of jump at @code, of which @left bytes are there, linked at @addr. *@target is where it
 * leads. It may be a part of another instruction.
 */
enum host_jump host_jump_at(const uint8_t *code, uint64_t left, uint64_t addr, uint64_t *target);

/* The most bytes of a short function that are looked at. */
#define HOST_CODE_BYTES 16

/* Does a function do nothing but return @value, of up to 127? */
bool host_code_returns(const uint8_t code[HOST_CODE_BYTES], uint8_t value);

/*
 * Does a function begin with loads of a pointer, 16 bytes after that in its argument, and then of
 * the result @off bytes after the pointer: a number of 32 bits, or else a word?
 */
bool host_code_loads(const uint8_t code[HOST_CODE_BYTES], uint8_t off, bool is_number);

/*
 * Does the code call a function that Ruby's YJIT has made, with the context and its innermost
 * frame, which is 16 bytes after the context's beginning?
 */
bool host_code_calls_yjit(const uint8_t *code, uint64_t size);

/*
 * Makes CPython's key of thread-specific data on x86-64, counted as in struct python_layout, that
 * of this architecture, for version 3.@minor. It comes after the system's locks, whose sizes
 * differ. Returns false if nobody has judged that version here.
 */
bool host_python_key(uint32_t minor, int32_t *key);

/* What comes after a jmp_buf in the data of a Perl with threads (perl_layouts.c). */
struct host_perl {
	uint16_t bytes, main_sub, file;
};

/*
 * Makes those of x86-64 in *@perl those of this architecture, of version 5.@minor. Returns false if
 * nobody has judged that version here.
 */
bool host_perl_numbers(uint8_t minor, struct host_perl *perl);

#endif
