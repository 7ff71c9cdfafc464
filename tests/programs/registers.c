// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * registers NAME [circle|next|version|image|size]: compiles a function to memory, registers it with
 * GDB's JIT interface as NAME, and burns CPU time below it. The list of objects can go in a circle,
 * with an entry that cannot be read, or be of another version. The object can be no ELF file, or
 * end before its symbols. With "next", another function, of that name and with another frame,
 * takes the place of the first one after half a second. The frames have no frame pointer. x86-64
 * only.
 *
 * Link it with -Wl,--export-dynamic.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/programs/burn.h"
#include "tests/programs/registered_object.h"

#define PAGE 4096

struct jit_descriptor __jit_debug_descriptor = {.version = 1};
void __jit_debug_register_code(void);

__attribute__((noinline)) void __jit_debug_register_code(void)
{
	__asm__ volatile("" ::: "memory");
}

static struct object object;
static struct jit_code_entry entry, other;

/* Compiles a function with a frame of @bytes, and registers it as @name. */
static void compile(const char *name, uint8_t *memory, uint8_t bytes)
{
	void *page = (void *)((uintptr_t)memory & -(uintptr_t)PAGE);

	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	compile_object(&object, name, memory, bytes);
	mprotect(page, PAGE, PROT_READ | PROT_EXEC);
	entry = (struct jit_code_entry){.symfile_addr = &object, .symfile_size = sizeof(object)};
	__jit_debug_descriptor.relevant_entry = __jit_debug_descriptor.first_entry = &entry;
	__jit_debug_descriptor.action_flag = 1;
	__jit_debug_register_code();
}

static void lie(const char *how)
{
	if (!strcmp(how, "circle")) {
		other = (struct jit_code_entry){
			.next = &entry, .symfile_addr = &entry, .symfile_size = UINT64_MAX};
		entry.next = &other;
	} else if (!strcmp(how, "version")) {
		__jit_debug_descriptor.version = 2;
	} else if (!strcmp(how, "image")) {
		memset(&object.header, 0xff, sizeof(object.header));
	} else if (!strcmp(how, "size")) {
		entry.symfile_size = offsetof(struct object, symbols);
	}
}

static void burn(void)
{
	BURN_MS(20);
	__asm__ volatile("" ::: "memory"); /* this was no tail call */
}

/* Others could call it, so the compiler keeps its name. */
void run_made(void *memory);

__attribute__((noinline)) void run_made(void *memory)
{
	void (*function)(void (*)(void));

	*(void **)&function = memory;
	function(burn);
	__asm__ volatile("" ::: "memory"); /* this was no tail call */
}

static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	uint8_t *memory =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc < 2 || strlen(argv[1]) > 60 || memory == MAP_FAILED)
		return 1;
	compile(argv[1], memory, 24);
	lie(how);
	if (!strcmp(how, "next")) {
		while (cpu_ms() < 500)
			run_made(memory);
		/* The first one has other addresses, so nobody takes its stacks for these. */
		memory += 2 * sizeof(code);
		compile(how, memory, 104);
	}
	for (;;)
		run_made(memory);
}
