// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "record/symbols/ksyms.h"
#include "tests/unit/oom.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

/* The table that tests fill and look up in. */
static struct ksyms ksyms;

static void begin(void)
{
	ksyms = (struct ksyms){0};
}

static void end(void)
{
	ksyms_deinit(&ksyms);
}

static int read_text(struct ksyms *to, const char *text, int (*fn)(struct ksyms *, FILE *))
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int ret;

	ck_assert_ptr_nonnull(f);
	ret = fn(to, f);
	fclose(f);
	return ret;
}

static void read_kallsyms(const char *text)
{
	ck_assert_int_eq(read_text(&ksyms, text, ksyms_read_kallsyms), 0);
}

static void read_modules(const char *text)
{
	ck_assert_int_eq(read_text(&ksyms, text, ksyms_read_modules), 0);
}

static void add_bpf(uint64_t time_ns, uint64_t addr, uint64_t size, const char *name)
{
	ck_assert_int_eq(ksyms_add_bpf(&ksyms, time_ns, addr, size, name), 0);
}

/* The symbol that holds @addr: @name (NULL: none) of @part. */
static struct ksym_hit look_up(uint64_t addr, const char *name, enum kernel_part part)
{
	struct ksym_hit hit;

	ksyms_lookup(&ksyms, addr, UINT64_MAX, &hit);
	if (!name)
		ck_assert_msg(!hit.name, "0x%llx is %s", (unsigned long long)addr, hit.name);
	else
		ck_assert_pstr_eq(hit.name, name);
	ck_assert_int_eq(hit.part, part);
	return hit;
}

/* At @addr is no symbol, but code of @part. */
static struct ksym_hit expect_none(uint64_t addr, enum kernel_part part)
{
	return look_up(addr, NULL, part);
}

/* At @addr is the symbol @name, which begins at @start, of @part. */
static struct ksym_hit expect(uint64_t addr, const char *name, uint64_t start,
			      enum kernel_part part)
{
	struct ksym_hit hit = look_up(addr, name, part);

	ck_assert_uint_eq(hit.start, start);
	ck_assert_uint_le(hit.start, addr);
	ck_assert_uint_lt(addr - hit.start, hit.size);
	return hit;
}

#define TEXT UINT64_C(0xffffffff81000000)
#define MODS UINT64_C(0xffffffffc0000000)

/* Of the module that stands at @module in the list. */
static void expect_in_module(uint64_t addr, const char *name, uint64_t start, uint32_t module)
{
	ck_assert_uint_eq(expect(addr, name, start, KERNEL_MODULE).module, module);
}

static const char kernel_text[] = "0000000000000000 A fixed_percpu_data\n"
				  "0000000000014000 A cpu_tss_rw\n"
				  "ffffffff81000000 T startup_64\n"
				  "ffffffff81000100 T _stext\n"
				  "ffffffff81000100 T _text\n"
				  "ffffffff81000200 t local_function\n"
				  "ffffffff81000280 D data_between\n"
				  "ffffffff81000300 T do_one_initcall\n"
				  "ffffffff82000000 r rodata\n"
				  "ffffffff82000800 W weak_function\n";

START_TEST(functions)
{
	read_kallsyms(kernel_text);
	ck_assert(!ksyms.restricted);
	ck_assert_uint_eq(ksyms.stext, TEXT + 0x100);
	expect_none(TEXT - 1, KERNEL_IMAGE);
	ck_assert_uint_eq(expect(TEXT, "startup_64", TEXT, KERNEL_IMAGE).size, 0x100);
	expect(TEXT + 0xff, "startup_64", TEXT, KERNEL_IMAGE);
	expect(TEXT + 0x100, "_stext", TEXT + 0x100, KERNEL_IMAGE);
	/* Data is no code: the function before data reaches to the next function. */
	ck_assert_uint_eq(expect(TEXT + 0x2ff, "local_function", TEXT + 0x200, KERNEL_IMAGE).size,
			  0x100);
	expect(TEXT + 0x300, "do_one_initcall", TEXT + 0x300, KERNEL_IMAGE);
	expect(TEXT + 0x1000900, "weak_function", TEXT + 0x1000800, KERNEL_IMAGE);
	/* Addresses of the per-CPU area are not in kernel text. */
	expect_none(0x14000, KERNEL_IMAGE);
	expect_none(0, KERNEL_IMAGE);
}
END_TEST

/* The names of a function and of the padding before it share their text. */
START_TEST(padding)
{
	size_t nr;

	read_kallsyms("ffffffff81000000 t __pfx_one\n"
		      "ffffffff81000010 T one\n");
	nr = ksyms.names.nr;
	ck_assert_uint_eq(nr, sizeof("__pfx_one"));
	read_kallsyms("ffffffff81000100 t __pfx_two\n"
		      "ffffffff81000110 T tw\n"
		      "ffffffff81000120 T two\n"
		      "ffffffff81000130 t __pfx_\n"
		      "ffffffff81000140 T __pfx_three\n"
		      "ffffffff81000140 T three\n"
		      "ffffffff81000150 T three\n");
	expect(0xffffffff81000000, "__pfx_one", 0xffffffff81000000, KERNEL_IMAGE);
	expect(0xffffffff81000010, "one", 0xffffffff81000010, KERNEL_IMAGE);
	expect(0xffffffff81000100, "__pfx_two", 0xffffffff81000100, KERNEL_IMAGE);
	expect(0xffffffff81000110, "tw", 0xffffffff81000110, KERNEL_IMAGE);
	expect(0xffffffff81000120, "two", 0xffffffff81000120, KERNEL_IMAGE);
	expect(0xffffffff81000130, "__pfx_", 0xffffffff81000130, KERNEL_IMAGE);
	expect(0xffffffff81000140, "__pfx_three", 0xffffffff81000140, KERNEL_IMAGE);
	expect(0xffffffff81000150, "three", 0xffffffff81000150, KERNEL_IMAGE);
}
END_TEST

START_TEST(the_last_symbol_reaches_to_the_address)
{
	read_kallsyms(kernel_text);
	ck_assert_uint_eq(
		expect(TEXT + 0x1000805, "weak_function", TEXT + 0x1000800, KERNEL_IMAGE).size, 6);
	expect(UINT64_MAX, "weak_function", TEXT + 0x1000800, KERNEL_IMAGE);
}
END_TEST

START_TEST(several_names_of_an_address)
{
	read_kallsyms("ffffffff81000300 t __local\n"
		      "ffffffff81000300 W weak\n"
		      "ffffffff81000300 T global\n"
		      "ffffffff81000300 T global_too\n"
		      "ffffffff81000200 t second_local\n"
		      "ffffffff81000100 W weak_only\n"
		      "ffffffff81000100 t local_too\n"
		      "ffffffff81000200 t another_local\n");
	expect(TEXT + 0x300, "global", TEXT + 0x300, KERNEL_IMAGE);
	expect(TEXT + 0x200, "second_local", TEXT + 0x200, KERNEL_IMAGE);
	ck_assert_uint_eq(expect(TEXT + 0x100, "weak_only", TEXT + 0x100, KERNEL_IMAGE).size,
			  0x100);
}
END_TEST

START_TEST(hidden_addresses)
{
	read_modules("ext4 1048576 1 - Live 0x0000000000000000\n");
	read_kallsyms("0000000000000000 T _stext\n"
		      "0000000000000000 T do_idle\n"
		      "0000000000000000 t ext4_init\t[ext4]\n");
	ck_assert(ksyms.restricted);
	ck_assert_uint_eq(ksyms.syms.nr, 0);
	expect_none(TEXT, KERNEL_IMAGE);
	expect_none(0, KERNEL_IMAGE);
}
END_TEST

START_TEST(no_text_at_all)
{
	read_kallsyms("\n");
	ck_assert(ksyms.restricted);
	expect_none(TEXT, KERNEL_IMAGE);
}
END_TEST

START_TEST(modules)
{
	struct ksym_hit hit;

	read_modules("nf_tables 311296 58 nft_ct,nft_nat, Live 0xffffffffc0100000\n"
		     "e1000 4096 0 - Live 0xffffffffc0200000 (OE)\n"
		     "no such line\n"
		     "loading 8192 1 - Loading 0xffffffffc0300000\n");
	ck_assert_uint_eq(ksyms.modules.nr, 3);
	ck_assert_str_eq(ksyms.modules.data[0].name, "nf_tables");
	ck_assert_uint_eq(ksyms.modules.data[0].start, MODS + 0x100000);
	ck_assert_uint_eq(ksyms.modules.data[0].end, MODS + 0x100000 + 311296);
	ck_assert_str_eq(ksyms.modules.data[2].name, "loading");
	read_kallsyms("ffffffff81000000 T _stext\n"
		      "ffffffffc0100010 t nft_rx\t[nf_tables]\n"
		      "ffffffffc0200000 T e1000_poll\t[e1000]\n"
		      "ffffffffc0700000 t late\t[not_listed]\n");
	expect_in_module(MODS + 0x100020, "nft_rx", MODS + 0x100010, 0);
	expect_in_module(MODS + 0x200fff, "e1000_poll", MODS + 0x200000, 1);
	/* Before the module's first symbol: in the module, but in no function. */
	ck_assert_uint_eq(expect_none(MODS + 0x100000, KERNEL_MODULE).module, 0);
	ck_assert_uint_eq(expect_none(MODS + 0x300100, KERNEL_MODULE).module, 2);
	/* A module that was loaded after the list was read. */
	hit = expect(MODS + 0x700001, "late", MODS + 0x700000, KERNEL_MODULE);
	ck_assert_str_eq(ksyms.modules.data[hit.module].name, "not_listed");
}
END_TEST

START_TEST(a_module_whose_name_begins_as_another)
{
	read_modules("nft 4096 0 - Live 0xffffffffc0100000\n"
		     "nft_ct 4096 0 - Live 0xffffffffc0200000\n"
		     "bpfilter 4096 0 - Live 0xffffffffc0300000\n");
	read_kallsyms("ffffffffc0100000 t a\t[nft]\n"
		      "ffffffffc0200000 t b\t[nft_ct]\n"
		      "ffffffffc0300000 t c\t[bpfilter]\n");
	expect_in_module(MODS + 0x100000, "a", MODS + 0x100000, 0);
	expect_in_module(MODS + 0x200000, "b", MODS + 0x200000, 1);
	expect_in_module(MODS + 0x300000, "c", MODS + 0x300000, 2);
	ck_assert_uint_eq(ksyms.modules.nr, 3);
}
END_TEST

START_TEST(long_module_names)
{
	char text[256], name[100];

	memset(name, 'm', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "%s 4096 0 - Live 0xffffffffc0100000\n", name);
	/* The kernel has no name of this length. The name may be cut, but must not overflow. */
	read_modules(text);
	snprintf(text, sizeof(text), "ffffffffc0200000 t f\t[%s]\n", name);
	read_kallsyms(text);
	expect(MODS + 0x200000, "f", MODS + 0x200000, KERNEL_MODULE);
}
END_TEST

START_TEST(bpf_and_trampolines)
{
	read_kallsyms("ffffffff81000000 T _stext\n"
		      "ffffffffc0100000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
		      "ffffffffc0200000 t ftrace_trampoline\t[__builtin__ftrace]\n"
		      "ffffffffc0300000 t kprobe_insn\t[__builtin__kprobes]\n");
	expect(MODS + 0x100010, "bpf_prog_6deef7357e7b4530", MODS + 0x100000, KERNEL_BPF);
	expect(MODS + 0x200010, "ftrace_trampoline", MODS + 0x200000, KERNEL_IMAGE);
	expect(MODS + 0x300010, "kprobe_insn", MODS + 0x300000, KERNEL_IMAGE);
	ck_assert_uint_eq(ksyms.modules.nr, 0);
}
END_TEST

START_TEST(programs_loaded_later)
{
	read_kallsyms("ffffffff81000000 T _stext\n"
		      "ffffffffc0100000 t bpf_prog_old\t[bpf]\n");
	expect(MODS + 0x200000, "bpf_prog_old", MODS + 0x100000, KERNEL_BPF);
	add_bpf(1, MODS + 0x200000, 100, "bpf_prog_new");
	expect(MODS + 0x200000, "bpf_prog_new", MODS + 0x200000, KERNEL_BPF);
	ck_assert_uint_eq(expect(MODS + 0x100000, "bpf_prog_old", MODS + 0x100000, KERNEL_BPF).size,
			  0x100000);
	/* A program's address is used again after it was unloaded, more than once. */
	add_bpf(1, MODS + 0x100000, 100, "bpf_prog_second");
	expect(MODS + 0x100001, "bpf_prog_second", MODS + 0x100000, KERNEL_BPF);
	add_bpf(1, MODS + 0x100000, 100, "bpf_prog_third");
	add_bpf(1, MODS + 0x100000, 100, "bpf_prog_fourth");
	expect(MODS + 0x100001, "bpf_prog_fourth", MODS + 0x100000, KERNEL_BPF);
}
END_TEST

/* Global functions of a module that has gone may have had the program's address. */
START_TEST(a_program_in_place_of_other_code)
{
	read_kallsyms("ffffffffc0100000 T gone_a\t[gone]\n"
		      "ffffffffc0100000 T gone_b\t[gone]\n");
	add_bpf(1, MODS + 0x100000, 100, "bpf_prog");
	expect(MODS + 0x100000, "bpf_prog", MODS + 0x100000, KERNEL_BPF);
}
END_TEST

START_TEST(the_image_ends)
{
	read_kallsyms("ffffffff81000000 T _stext\n"
		      "ffffffff81002000 B _end\n"
		      "ffffffffc0100000 t ftrace_trampoline\t[__builtin__ftrace]\n");
	ck_assert_uint_eq(expect(TEXT + 0x1fff, "_stext", TEXT, KERNEL_IMAGE).size, 0x2000);
	expect_none(TEXT + 0x2000, KERNEL_IMAGE);
	expect_none(MODS + 0xfffff, KERNEL_IMAGE);
	expect(MODS + 0x100001, "ftrace_trampoline", MODS + 0x100000, KERNEL_IMAGE);
}
END_TEST

/* Code after a module's end came later: it is not in the module's last function. */
START_TEST(modules_end)
{
	read_modules("brd 4096 0 - Live 0xffffffffc0100000\n");
	read_kallsyms("ffffffff81000000 T _stext\n"
		      "ffffffffc0100800 t brd_exit\t[brd]\n"
		      "ffffffffc0400000 t brd_elsewhere\t[brd]\n");
	ck_assert_uint_eq(expect(MODS + 0x100fff, "brd_exit", MODS + 0x100800, KERNEL_MODULE).size,
			  0x800);
	expect_none(MODS + 0x101000, KERNEL_IMAGE);
	expect_none(MODS + 0x3fffff, KERNEL_IMAGE);
	expect(MODS + 0x400010, "brd_elsewhere", MODS + 0x400000, KERNEL_MODULE);
}
END_TEST

/* Since Linux 6.4 the size in /proc/modules counts all ranges of a module, not its text alone. */
START_TEST(sizes_that_overlap)
{
	read_modules("first 12288 0 - Live 0xffffffffc0100000\n"
		     "second 12288 0 - Live 0xffffffffc0101000\n");
	read_kallsyms("ffffffffc0100000 t a\t[first]\n"
		      "ffffffffc0101000 t b\t[second]\n"
		      "ffffffffc0102000 t bpf_prog\t[bpf]\n");
	expect_in_module(MODS + 0x100fff, "a", MODS + 0x100000, 0);
	expect_in_module(MODS + 0x101000, "b", MODS + 0x101000, 1);
	expect(MODS + 0x102000, "bpf_prog", MODS + 0x102000, KERNEL_BPF);
}
END_TEST

static const char gone_modules[] = "gone 4096 0 - Live 0xffffffffc0100000\n"
				   "stays 4096 0 - Live 0xffffffffc0200000\n"
				   "moves 4096 0 - Live 0xffffffffc0300000\n"
				   "gives 4096 0 - Live 0xffffffffc0400000\n";
static const char gone_kallsyms[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81000100 T _end\n"
				    "ffffffffc0100000 t gone_a\t[gone]\n"
				    "ffffffffc0100100 t gone_b\t[gone]\n"
				    "ffffffffc0200000 t stays_a\t[stays]\n"
				    "ffffffffc0300000 t moves_a\t[moves]\n"
				    "ffffffffc0400800 t gives_a\t[gives]\n"
				    "ffffffffc0500000 t bpf_prog_gone\t[bpf]\n"
				    "ffffffffc0600000 t bpf_prog_old\t[bpf]\n";
static const char come_modules[] = "stays 4096 0 - Live 0xffffffffc0200000\n"
				   "moves 4096 0 - Live 0xffffffffc0380000\n"
				   "takes 4096 0 - Live 0xffffffffc0400000\n";
static const char come_kallsyms[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81000100 T _end\n"
				    "ffffffffc0200000 t stays_a\t[stays]\n"
				    "ffffffffc0380000 t moves_a\t[moves]\n"
				    "ffffffffc0400000 t takes_a\t[takes]\n"
				    "ffffffffc0600000 t bpf_prog_new\t[bpf]\n";

/* As a drain that found other modules: reads everything, and takes over symbols that have gone. */
static void read_again(const char *modules_text, const char *kallsyms_text)
{
	struct ksyms before = ksyms;

	begin();
	read_modules(modules_text);
	read_kallsyms(kallsyms_text);
	ck_assert_int_eq(ksyms_inherit(&ksyms, &before), 0);
	ksyms_deinit(&before);
}

START_TEST(modules_that_come_and_go)
{
	struct ksym_hit hit;
	uint64_t hash;

	read_modules(gone_modules);
	read_kallsyms(gone_kallsyms);
	hash = ksyms.modules_hash;
	read_again(come_modules, come_kallsyms);
	ck_assert_uint_ne(ksyms.modules_hash, hash);
	hit = expect(MODS + 0x1000ff, "gone_a", MODS + 0x100000, KERNEL_MODULE);
	ck_assert_str_eq(ksyms.modules.data[hit.module].name, "gone");
	ck_assert_uint_eq(ksyms.modules.data[hit.module].start, MODS + 0x100000);
	expect(MODS + 0x100fff, "gone_b", MODS + 0x100100, KERNEL_MODULE);
	expect(MODS + 0x200001, "stays_a", MODS + 0x200000, KERNEL_MODULE);
	hit = expect(MODS + 0x300001, "moves_a", MODS + 0x300000, KERNEL_MODULE);
	ck_assert_uint_eq(ksyms.modules.data[hit.module].start, MODS + 0x300000);
	hit = expect(MODS + 0x380001, "moves_a", MODS + 0x380000, KERNEL_MODULE);
	ck_assert_uint_eq(ksyms.modules.data[hit.module].start, MODS + 0x380000);
	/* Where other code is now, nothing is left of the code that has gone. */
	expect_none(MODS + 0x400900, KERNEL_IMAGE);
	expect(MODS + 0x500001, "bpf_prog_gone", MODS + 0x500000, KERNEL_BPF);
	expect(MODS + 0x600001, "bpf_prog_new", MODS + 0x600000, KERNEL_BPF);
	expect(TEXT + 0x10, "_stext", TEXT, KERNEL_IMAGE);

	/* Names are kept until the next drain alone. */
	read_again("stays 4096 7 - Live 0xffffffffc0200000\n",
		   "ffffffffc0200000 t stays_a\t[stays]\n");
	expect_none(MODS + 0x100001, KERNEL_IMAGE);
	expect(MODS + 0x400001, "takes_a", MODS + 0x400000, KERNEL_MODULE);
}
END_TEST

/* Until the next drain, a sample at such an address can be of the module before. */
START_TEST(a_module_in_place_of_another)
{
	read_modules(gone_modules);
	read_kallsyms(gone_kallsyms);
	read_again(come_modules, come_kallsyms);
	ck_assert_uint_eq(ksyms.doubtful.nr, 1);
	expect_none(MODS + 0x400000, KERNEL_IMAGE);
	expect_none(MODS + 0x400fff, KERNEL_IMAGE);
	expect(MODS + 0x200001, "stays_a", MODS + 0x200000, KERNEL_MODULE);
	read_again(come_modules, come_kallsyms);
	ck_assert_uint_eq(ksyms.doubtful.nr, 0);
	expect(MODS + 0x400900, "takes_a", MODS + 0x400000, KERNEL_MODULE);
}
END_TEST

/* It was loaded again: other code with the name, the place and the size. */
START_TEST(a_module_that_was_loaded_again)
{
	static const char text[] = "again 4096 0 - Live 0xffffffffc0100000\n"
				   "stays 4096 0 - Live 0xffffffffc0200000\n";
	static const char before[] = "ffffffffc0100000 t before_a\t[again]\n"
				     "ffffffffc0200000 t stays_a\t[stays]\n";
	static const char after[] = "ffffffffc0100000 t after_a\t[again]\n"
				    "ffffffffc0200000 t stays_a\t[stays]\n";

	read_modules(text);
	read_kallsyms(before);
	ksyms.modules.data[0].inode = 7; /* of the directory in /sys, which has another one now */
	read_again(text, after);
	expect_none(MODS + 0x100010, KERNEL_IMAGE);
	expect(MODS + 0x200010, "stays_a", MODS + 0x200000, KERNEL_MODULE);
	read_again(text, after);
	expect(MODS + 0x100010, "after_a", MODS + 0x100000, KERNEL_MODULE);
}
END_TEST

/* Modules that overlap, as their sizes count several ranges, are not doubtful. */
START_TEST(modules_that_overlap)
{
	static const char text[] = "one 8192 0 - Live 0xffffffffc0100000\n"
				   "two 8192 0 - Live 0xffffffffc0101000\n";

	read_modules(text);
	read_again("one 8192 0 - Live 0xffffffffc0100000\n"
		   "two 8192 0 - Live 0xffffffffc0101000\n"
		   "new 8192 0 - Live 0xffffffffc0102000\n",
		   "");
	ck_assert_uint_eq(ksyms.doubtful.nr, 0);
}
END_TEST

/* A sample from before a program was loaded is of the code before, whose name is not known. */
START_TEST(samples_before_a_program)
{
	struct ksym_hit hit;

	read_kallsyms("ffffffff81000000 T _stext\n"
		      "ffffffffc0100000 t bpf_prog_old\t[bpf]\n");
	ck_assert_uint_eq(
		expect(MODS + 0x100010, "bpf_prog_old", MODS + 0x100000, KERNEL_BPF).instance, 0);
	add_bpf(100, MODS + 0x100000, 64, "bpf_prog_new");
	ksyms_lookup(&ksyms, MODS + 0x100010, 99, &hit);
	ck_assert_ptr_null(hit.name);
	ck_assert_uint_eq(hit.since_ns, 100);
	ksyms_lookup(&ksyms, MODS + 0x100010, 100, &hit);
	ck_assert_pstr_eq(hit.name, "bpf_prog_new");
	/* The reporter keeps the programs apart. */
	ck_assert_uint_ne(hit.instance, 0);
	ck_assert_uint_eq(ksyms.nr_changes, 1);
}
END_TEST

START_TEST(users_of_a_module_change_nothing)
{
	uint64_t hash;

	read_modules("ext4 1048576 1 - Live 0xffffffffc0100000\n");
	hash = ksyms.modules_hash;
	read_again("ext4 1048576 3 zap,zip, Live 0xffffffffc0100000\n", "");
	ck_assert_uint_eq(ksyms.modules_hash, hash);
}
END_TEST

/* The kernel packs programs: a program begins at any address where others were. */
START_TEST(programs_over_programs)
{
	read_kallsyms("ffffffff81000000 T _stext\n"
		      "ffffffffc0100040 t bpf_prog_old\t[bpf]\n");
	add_bpf(1, MODS + 0x100080, 64, "bpf_prog_probe");
	expect(MODS + 0x100090, "bpf_prog_probe", MODS + 0x100080, KERNEL_BPF);
	add_bpf(2, MODS + 0x100000, 0x100, "bpf_prog_large");
	add_bpf(3, MODS + 0x100100, 64, "bpf_prog_next");
	ck_assert_uint_eq(
		expect(MODS + 0x1000ff, "bpf_prog_large", MODS + 0x100000, KERNEL_BPF).size, 0x100);
	expect(MODS + 0x100100, "bpf_prog_next", MODS + 0x100100, KERNEL_BPF);
	/* Small programs in the place of the large program, without a lookup in between. */
	add_bpf(4, MODS + 0x100000, 64, "bpf_prog_a");
	add_bpf(5, MODS + 0x100040, 64, "bpf_prog_b");
	expect(MODS + 0x10003f, "bpf_prog_a", MODS + 0x100000, KERNEL_BPF);
	expect(MODS + 0x100041, "bpf_prog_b", MODS + 0x100040, KERNEL_BPF);
}
END_TEST

START_TEST(programs_of_before)
{
	ksyms.read_ns = 100;
	read_kallsyms("ffffffffc0100000 t bpf_prog_now\t[bpf]\n");
	add_bpf(99, MODS + 0x100000, 64, "bpf_prog_before");
	add_bpf(99, MODS + 0x100010, 64, "bpf_prog_before");
	expect(MODS + 0x100020, "bpf_prog_now", MODS + 0x100000, KERNEL_BPF);
	add_bpf(100, MODS + 0x100000, 64, "bpf_prog_after");
	expect(MODS + 0x100020, "bpf_prog_after", MODS + 0x100000, KERNEL_BPF);
}
END_TEST

START_TEST(lines_that_are_none)
{
	read_kallsyms("\n"
		      "no symbol\n"
		      "ffffffff81000000\n"
		      "ffffffff81000000 \n"
		      "ffffffff81000000 T\n"
		      "ffffffff81000000 Tx\n"
		      "ffffffff81000100 T after\n"
		      "ffffffff81000200 T no_newline");
	ck_assert_uint_eq(ksyms.syms.nr, 2);
	expect(TEXT + 0x100, "after", TEXT + 0x100, KERNEL_IMAGE);
	expect(TEXT + 0x200, "no_newline", TEXT + 0x200, KERNEL_IMAGE);
}
END_TEST

/* More than is read at a time: lines lie across the borders, and the last line has no end. */
START_TEST(many_slices)
{
	enum { NR = 10000 };
	char_vec text = {0};

	for (unsigned int i = 0; i < NR; i++) {
		char line[64];
		int len = snprintf(line, sizeof(line), "%llx t function_%u%s",
				   (unsigned long long)TEXT + 16 * i, i, i + 1 < NR ? "\n" : "");

		ck_assert_int_eq(vec_append(&text, line, len), 0);
	}
	ck_assert_int_eq(vec_push(&text, '\0'), 0);
	read_kallsyms(text.data);
	ck_assert_uint_eq(ksyms.syms.nr, NR);
	for (unsigned int i = 0; i < NR; i++) {
		char name[64];

		snprintf(name, sizeof(name), "function_%u", i);
		expect(TEXT + 16 * i + 15, name, TEXT + 16 * i, KERNEL_IMAGE);
	}
	vec_free(&text);
}
END_TEST

/* KSYM_NAME_LEN is 512 since Linux 6.1. */
START_TEST(long_names)
{
	char name[512], text[1200];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "ffffffff81000100 T %s\nffffffffc0000200 t %s\t[module]\n",
		 name, name);
	read_kallsyms(text);
	expect(TEXT + 0x100, name, TEXT + 0x100, KERNEL_IMAGE);
	expect(MODS + 0x200, name, MODS + 0x200, KERNEL_MODULE);
}
END_TEST

START_TEST(many_in_any_order)
{
	enum { NR = 20000 };
	struct random random = {.state = 99};
	static char text[NR * 40];
	static uint32_t order[NR];
	size_t len = 0;

	for (uint32_t i = 0; i < NR; i++) {
		uint32_t j = random_below(&random, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (uint32_t i = 0; i < NR; i++)
		len += sprintf(text + len, "%llx t fn_%u\n",
			       (unsigned long long)(TEXT + 16 * order[i]), order[i]);
	read_kallsyms(text);
	for (uint32_t i = 0; i < NR; i++) {
		struct ksym_hit hit;
		char name[16];

		ksyms_lookup(&ksyms, TEXT + 16 * i + random_below(&random, 16), UINT64_MAX, &hit);
		snprintf(name, sizeof(name), "fn_%u", i);
		if (!hit.name || strcmp(hit.name, name))
			ck_abort_msg("%s instead of %s", hit.name ? hit.name : "nothing", name);
	}
}
END_TEST

/* Symbols that come in no order are in order all the same, and so is nothing at all. */
START_TEST(every_order)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	enum { NR = ARRAY_SIZE(names) };

	for (uint32_t code = 0; code < NR * NR * NR * NR * NR; code++) {
		uint32_t order[NR], seen = 0;
		char text[NR * 40];
		size_t len = 0;

		for (uint32_t i = 0, rest = code; i < NR; i++, rest /= NR) {
			order[i] = rest % NR;
			seen |= 1u << order[i];
		}
		if (seen != (1u << NR) - 1)
			continue;
		for (uint32_t i = 0; i < NR; i++)
			len += sprintf(text + len, "%llx t %s\n",
				       (unsigned long long)(TEXT + 16 * order[i]), names[order[i]]);
		read_kallsyms(text);
		for (uint32_t i = 0; i < NR; i++)
			expect(TEXT + 16 * i, names[i], TEXT + 16 * i, KERNEL_IMAGE);
		ck_assert_uint_eq(ksyms.syms.nr, NR);
		ksyms_deinit(&ksyms);
	}
	ksyms_sort(&ksyms);
	ck_assert_uint_eq(ksyms.syms.nr, 0);
}
END_TEST

/* The first of several parts in kallsyms has an address, unless one of them is BPF. */
START_TEST(parts_of_one_address)
{
	read_kallsyms("ffffffffc0100000 t in_image\n"
		      "ffffffffc0100000 t in_module\t[module]\n"
		      "ffffffffc0200000 t in_module\t[module]\n"
		      "ffffffffc0200000 t in_image\n"
		      "ffffffffc0300000 t in_bpf\t[bpf]\n"
		      "ffffffffc0300000 t in_image\n"
		      "ffffffffc0400000 t in_module\t[module]\n"
		      "ffffffffc0400000 t in_bpf\t[bpf]\n"
		      "ffffffff81000000 T _stext\n");
	expect(MODS + 0x100000, "in_image", MODS + 0x100000, KERNEL_IMAGE);
	expect(MODS + 0x200000, "in_module", MODS + 0x200000, KERNEL_MODULE);
	expect(MODS + 0x300000, "in_bpf", MODS + 0x300000, KERNEL_BPF);
	expect(MODS + 0x400000, "in_bpf", MODS + 0x400000, KERNEL_BPF);
}
END_TEST

/* What begins where a new program ends is not in its place, nor is what came after it. */
START_TEST(neighbours_of_a_new_program)
{
	read_kallsyms("ffffffffc0100000 t bpf_prog_before\t[bpf]\n"
		      "ffffffffc0100080 t bpf_prog_within\t[bpf]\n"
		      "ffffffffc0100100 t bpf_prog_behind\t[bpf]\n");
	add_bpf(1, MODS + 0x100040, 0xc0, "bpf_prog_new");
	add_bpf(2, MODS + 0x1000c0, 0x10, "bpf_prog_newer");
	expect(MODS + 0x10003f, "bpf_prog_before", MODS + 0x100000, KERNEL_BPF);
	expect(MODS + 0x100080, "bpf_prog_new", MODS + 0x100040, KERNEL_BPF);
	expect(MODS + 0x1000c0, "bpf_prog_newer", MODS + 0x1000c0, KERNEL_BPF);
	expect(MODS + 0x100100, "bpf_prog_behind", MODS + 0x100100, KERNEL_BPF);
	ck_assert_uint_eq(ksyms.added.nr, 0);
}
END_TEST

START_TEST(module_build_ids)
{
	read_modules("no_such_module_here 4096 0 - Live 0xffffffffc0100000\n");
	ck_assert(build_id_is_none(ksyms_module_build_id(&ksyms, 0)));
	ck_assert(ksyms.modules.data[0].build_id_read);
	ck_assert(build_id_is_none(ksyms_module_build_id(&ksyms, 0)));
}
END_TEST

/* The symbols of this machine, as far as it shows them: they load and are sorted. */
START_TEST(this_kernel)
{
	struct ksym_hit hit;

	ck_assert_int_eq(ksyms_begin(&ksyms), 0);
	ck_assert_int_eq(ksyms_load_rest(&ksyms), 0);
	ck_assert(!ksyms.loading);
	ck_assert_int_eq(ksyms_refresh(&ksyms), 0);
	ck_assert_int_eq(ksyms.restricted, !ksyms.stext);
	ksyms_lookup(&ksyms, ksyms.stext, 0, &hit);
	if (!ksyms.restricted)
		ck_assert_uint_eq(hit.start, ksyms.stext);
	for (size_t i = 1; i < ksyms.syms.nr; i++)
		if (ksyms.syms.data[i - 1].addr >= ksyms.syms.data[i].addr)
			ck_abort_msg("not sorted");
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		struct ksyms before = {0}, after = {0};
		int ret = read_text(&before, gone_modules, ksyms_read_modules);

		if (!ret)
			ret = read_text(&before, gone_kallsyms, ksyms_read_kallsyms);
		for (uint64_t i = 0; !ret && i < 100; i++)
			ret = ksyms_add_bpf(&before, 1, MODS + 0x900000 + 64 * i, 64, "bpf_prog");
		if (!ret)
			ret = read_text(&after, come_modules, ksyms_read_modules);
		if (!ret)
			ret = read_text(&after, come_kallsyms, ksyms_read_kallsyms);
		if (!ret)
			ret = ksyms_inherit(&after, &before);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		ksyms_deinit(&before);
		ksyms_deinit(&after);
	}
}
END_TEST

SUITE_MAIN_WITH("ksyms", begin, end, functions, padding, the_last_symbol_reaches_to_the_address,
		several_names_of_an_address, hidden_addresses, no_text_at_all, modules,
		a_module_whose_name_begins_as_another, long_module_names, bpf_and_trampolines,
		programs_loaded_later, a_program_in_place_of_other_code, programs_over_programs,
		programs_of_before, the_image_ends, modules_end, sizes_that_overlap,
		modules_that_come_and_go, a_module_in_place_of_another,
		a_module_that_was_loaded_again, modules_that_overlap, samples_before_a_program,
		users_of_a_module_change_nothing, lines_that_are_none, many_slices, long_names,
		many_in_any_order, every_order, parts_of_one_address, neighbours_of_a_new_program,
		module_build_ids, this_kernel, out_of_memory)
