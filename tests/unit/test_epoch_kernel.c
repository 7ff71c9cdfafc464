// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_kernel.h"

#include "tests/unit/heap.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define STEXT UINT64_C(0xffffffff81001000)
#define EXT   UINT64_C(0xffffffffc0100000)

/* The module's first symbol begins before its place, and the next one only behind its start. */
static const char kallsyms[] = "ffffffff81000000 T startup_64\n"
			       "ffffffff81001000 T _stext\n"
			       "ffffffff81002000 t call_exit\n"
			       "ffffffff81002100 t one_byte\n"
			       "ffffffff81002101 t behind\n"
			       "ffffffffc00ff000 t ext_before\t[ext]\n"
			       "ffffffffc0100010 t ext_read\t[ext]\n"
			       "ffffffffc0200000 t bpf_prog_1\t[bpf]\n";

static struct ksyms ksyms;
static struct epoch_tables tables;
static struct epoch_kernel kernel;

static int read_text(const char *text, int (*fn)(struct ksyms *, FILE *))
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int ret;

	ck_assert_ptr_nonnull(f);
	ret = fn(&ksyms, f);
	fclose(f);
	return ret;
}

static void begin(void)
{
	ck_assert_int_eq(read_text("ext 8192 1 - Live 0xffffffffc0100000\n", ksyms_read_modules),
			 0);
	ck_assert_int_eq(read_text(kallsyms, ksyms_read_kallsyms), 0);
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	kernel = (struct epoch_kernel){.ksyms = &ksyms, .tables = &tables};
}

static void end(void)
{
	epoch_kernel_deinit(&kernel);
	epoch_tables_deinit(&tables);
	ksyms_deinit(&ksyms);
}

#define FRAMES(...) (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8

static int try_add(uint64_t id, const uint64_t *frames, size_t nr, uint32_t *stack)
{
	const struct raw_stack raw = {.id = STACK_FIRST_ID + id, .frames = frames, .nr_frames = nr};

	return epoch_kernel_add(&kernel, &raw, 20, stack);
}

/* The number of stack @id, which has these frames. */
static uint32_t add(uint64_t id, const uint64_t *frames, size_t nr)
{
	uint32_t stack = 0;

	ck_assert_int_eq(try_add(id, frames, nr, &stack), 0);
	return stack;
}

/* The symbol @name, which must be there once. */
static const struct prof_symbol *symbol_of(const char *name)
{
	const struct prof_symbol *found = NULL;

	vec_for_each(&tables.symbols, symbol) {
		const struct string_ref *ref = &tables.strings.data[symbol->name];

		if (strcmp(tables.string_bytes.data + ref->off, name) != 0)
			continue;
		ck_assert_ptr_null(found);
		found = symbol;
	}
	ck_assert_msg(found != NULL, "no symbol %s", name);
	return found;
}

static void expect_translated(size_t nr_frames, size_t nr_stacks)
{
	ck_assert_uint_eq(kernel.frames.all.nr, nr_frames);
	ck_assert_uint_eq(kernel.stacks.all.nr, nr_stacks);
}

START_TEST(each_address_and_each_stack_is_translated_once)
{
	const uint32_t first = add(1, FRAMES(STEXT + 0x10, STEXT + 0x1010));

	expect_translated(2, 1);
	ck_assert_uint_ne(add(2, FRAMES(STEXT + 0x20, STEXT + 0x1010)), first);
	expect_translated(3, 2);
	/* Nothing but its number tells which stack it is. */
	ck_assert_uint_eq(add(1, FRAMES(STEXT + 0x30)), first);
	expect_translated(3, 2);
	ck_assert_uint_eq(tables.frames.nr, 3);
}
END_TEST

/* After a change of the kernel's code, addresses may mean something else. */
START_TEST(a_change_has_all_translated_again)
{
	add(1, FRAMES(STEXT + 0x10));
	add(2, FRAMES(STEXT + 0x20));
	ksyms.nr_changes++;
	add(3, FRAMES(STEXT + 0x30));
	expect_translated(1, 1);
	add(1, FRAMES(STEXT + 0x10));
	expect_translated(2, 2);
	epoch_kernel_reset(&kernel);
	expect_translated(0, 0);
	add(1, FRAMES(STEXT + 0x10));
	add(2, FRAMES(STEXT + 0x20));
	expect_translated(2, 2);
}
END_TEST

/* The address of a program that came later has another meaning for earlier samples. */
START_TEST(what_holds_for_a_time_is_not_kept)
{
	ck_assert_int_eq(ksyms_add_bpf(&ksyms, 10, EXT + 0x100000, 64, "bpf_prog_2"), 0);
	add(1, FRAMES(STEXT + 0x10, EXT + 0x100008, STEXT + 0x20));
	expect_translated(2, 0);
}
END_TEST

/* The offsets in an object count from its base, and those before it are above all others. */
START_TEST(symbols_before_the_base_end_there)
{
	add(1, FRAMES(EXT - 0x100, STEXT, STEXT - 0x10));
	ck_assert_uint_eq(symbol_of("ext_before")->offset, -UINT64_C(0x1000));
	ck_assert_uint_eq(symbol_of("ext_before")->size, 0x1000);
	ck_assert_uint_eq(symbol_of("startup_64")->offset, -UINT64_C(0x1000));
	ck_assert_uint_eq(symbol_of("startup_64")->size, 0x1000);
	ck_assert_uint_eq(symbol_of("_stext")->offset, 0);
	ck_assert_uint_eq(symbol_of("_stext")->size, 0x1000);
}
END_TEST

/* A caller's frame has the address after its call, where another function may begin. */
START_TEST(the_symbol_of_the_byte_before_is_there)
{
	add(1, FRAMES(STEXT + 0x1101));
	ck_assert_uint_eq(tables.symbols.nr, 2);
	ck_assert_uint_eq(symbol_of("one_byte")->size, 1);
	ck_assert_uint_eq(symbol_of("behind")->offset, 0x1101);
}
END_TEST

/* In the kernel nothing marks an address as one that the processor was at. */
START_TEST(no_frame_is_exact)
{
	add(1, FRAMES(STEXT + 0x10, EXT + 0x20));
	ck_assert_uint_eq(tables.frames.nr, 2);
	vec_for_each(&tables.frame_is_exact, is_exact)
		ck_assert(!*is_exact);
}
END_TEST

/* The kernel's parts belong to process 0, however many others there are. */
START_TEST(each_part_is_mapped_once)
{
	const struct prof_process other = {.pid = 7, .generation = 8};
	uint32_t id;

	ck_assert_int_eq(epoch_tables_process(&tables, &other, &id), 0);
	for (uint64_t i = 0; i < 4; i++)
		add(i, FRAMES(STEXT + 0x10 * i, EXT + 0x20 + i, EXT + 0x100000 + i));
	ck_assert_uint_eq(tables.processes.data[0].mappings.nr, 3);
	ck_assert_uint_eq(tables.processes.data[id].mappings.nr, 0);
}
END_TEST

START_TEST(a_module_has_its_place_and_its_build_id)
{
	const struct build_id id = {.size = 2, .bytes = {5, 6}};
	const struct prof_mapping *mapping;

	ksyms.modules.data[0].build_id = id;
	ksyms.modules.data[0].build_id_read = true;
	add(1, FRAMES(EXT + 0x20));
	ck_assert_uint_eq(tables.processes.data[0].mappings.nr, 1);
	mapping = &tables.processes.data[0].mappings.data[0];
	ck_assert_uint_eq(mapping->start, EXT);
	ck_assert_uint_eq(mapping->size, 8192);
	ck_assert_uint_eq(mapping->pgoff, 0);
	ck_assert_uint_eq(tables.objects.data[mapping->object].build_id_size, id.size);
	ck_assert_mem_eq(tables.objects.data[mapping->object].build_id, id.bytes, id.size);
}
END_TEST

START_TEST(memory_runs_out)
{
	oom_for_each_call(n)
	{
		const size_t granted = oom_granted;
		uint32_t stack = 0;
		int ret;

		oom_granted = SIZE_MAX;
		begin();
		oom_granted = granted;
		ret = try_add(1, FRAMES(STEXT + 0x1101, EXT + 0x20, EXT + 0x100008), &stack);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		oom_granted = SIZE_MAX;
		end();
	}
	begin();
}
END_TEST

START_TEST(memory_is_released)
{
	end();
	heap_for_each_round(i)
	{
		begin();
		add(1, FRAMES(STEXT + 0x10, EXT + 0x20));
		end();
	}
	ck_assert(!heap_has_grown());
	begin();
}
END_TEST

SUITE_MAIN_WITH("epoch_kernel", begin, end, each_address_and_each_stack_is_translated_once,
		a_change_has_all_translated_again, what_holds_for_a_time_is_not_kept,
		symbols_before_the_base_end_there, the_symbol_of_the_byte_before_is_there,
		no_frame_is_exact, each_part_is_mapped_once,
		a_module_has_its_place_and_its_build_id, memory_runs_out, memory_is_released)
