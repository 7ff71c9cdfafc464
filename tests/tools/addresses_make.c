// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes recordings of equal samples for benchmarks of names: one of profrec, and one of perf.
 * addresses_make NR OUT.prof OUT.data FILE... The NR addresses are spread evenly over the sections
 * .text of all files, each a sample by itself. The process of the samples never was: profrep and
 * perf find names by path and build-id alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buildid.h"
#include "common/clock.h"
#include "elf/elffile.h"
#include "format/writer.h"
#include "tests/unit/world.h"

#define PID          4194000
#define FIRST_START  UINT64_C(0x10000000000)
#define FILE_STRIDE  UINT64_C(0x100000000)
#define NR_EACH      20000 /* samples of an epoch */
#define PERF_MAGIC   "PERFILE2"
#define HEADER_BYTES 104 /* of perf.data (tools/perf/Documentation/perf.data-file-format.txt) */

struct code {
	const char *path;
	uint64_t off, size; /* of .text in the file */
	uint64_t pgoff, map_size;
};

struct maker {
	VEC(struct code) codes;
	uint64_t size; /* of all code */
	struct world world;
	struct prof_writer *writer;
	FILE *perf;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "addresses_make: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static int write_file(void *ctx, const void *buf, size_t len)
{
	return fwrite(buf, 1, len, ctx) == len ? 0 : -EIO;
}

static void put_perf(struct maker *m, const void *bytes, size_t len)
{
	if (fwrite(bytes, 1, len, m->perf) != len)
		die("perf.data");
}

static void add_code(struct maker *m, const char *path)
{
	struct code code = {.path = path};
	struct prof_object object = {.kind = PROF_OBJECT_FILE};
	struct elf_file elf;
	struct build_id id = {0};
	uint32_t object_id;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t text;

	if (fd < 0)
		die(path);
	build_id_from_fd(fd, &id);
	if (elf_file_open(&elf, fd, NULL))
		die(path);
	text = elf_file_find_section(&elf, ".text");
	code.size = elf.sections.data[text].size;
	vec_for_each(&elf.segments, segment)
		if (elf.sections.data[text].vaddr - segment->vaddr < segment->mem_size) {
			code.off = elf.sections.data[text].vaddr - segment->vaddr + segment->off;
			code.pgoff = segment->off & ~UINT64_C(4095);
		}
	code.map_size = (code.off + code.size - code.pgoff + 4095) & ~UINT64_C(4095);
	elf_file_close(&elf);
	object.path = world_string(&m->world, path);
	object.build_id_size = id.size;
	memcpy(object.build_id, id.bytes, id.size);
	object_id = WORLD_PUSH(&m->world, objects, object);
	WORLD_PUSH(&m->world, mappings,
		   {object_id, FIRST_START + m->codes.nr * FILE_STRIDE, code.map_size, code.pgoff});
	m->size += code.size;
	if (vec_push(&m->codes, code))
		die("memory");
}

/* The header, and one event: cpu-clock with address, thread and time. */
static void begin_perf(struct maker *m, uint64_t data_bytes)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_period = 1,
	};
	const uint64_t ids[2] = {0}, entry = sizeof(attr) + sizeof(ids);
	const uint64_t header[] = {HEADER_BYTES,
				   entry,
				   HEADER_BYTES,
				   entry,
				   HEADER_BYTES + entry,
				   data_bytes,
				   0,
				   0,
				   0,
				   0,
				   0,
				   0};

	put_perf(m, PERF_MAGIC, strlen(PERF_MAGIC));
	put_perf(m, header, HEADER_BYTES - strlen(PERF_MAGIC));
	put_perf(m, &attr, sizeof(attr));
	put_perf(m, ids, sizeof(ids));
}

/* Writes the mapping of a file. Returns the bytes. */
static uint64_t put_mapping(struct maker *m, size_t i, bool is_counted)
{
	const struct code *code = &m->codes.data[i];
	char name[4096] = "";
	size_t len = (strlen(code->path) + 8) & ~(size_t)7;
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
	} record = {
		.header = {PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(record) + len},
		.pid = PID,
		.tid = PID,
		.addr = FIRST_START + i * FILE_STRIDE,
		.len = code->map_size,
		.pgoff = code->pgoff,
	};

	if (!is_counted) {
		snprintf(name, sizeof(name), "%s", code->path);
		put_perf(m, &record, sizeof(record));
		put_perf(m, name, len);
	}
	return sizeof(record) + len;
}

struct perf_sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

static void write_epoch(struct maker *m)
{
	m->world.epoch.begin_ns = m->world.epoch.end_ns;
	m->world.epoch.end_ns += NS_PER_S;
	if (prof_writer_epoch(m->writer, world_epoch(&m->world)))
		die("recording");
	m->world.counts.nr = m->world.frames.nr = m->world.stack_frames.nr = 0;
	m->world.stacks.nr = 1;
}

/* Writes the sample at @at of all code. */
static void add_sample(struct maker *m, uint64_t at, uint64_t number)
{
	struct perf_sample sample = {
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample)},
		.pid = PID,
		.tid = PID,
		.time = number,
	};
	uint32_t i = 0, frame;
	uint64_t off;

	for (; at >= m->codes.data[i].size; i++)
		at -= m->codes.data[i].size;
	off = m->codes.data[i].off + at;
	sample.ip = FIRST_START + i * FILE_STRIDE + off - m->codes.data[i].pgoff;
	put_perf(m, &sample, sizeof(sample));
	frame = WORLD_PUSH(&m->world, frames, {i + 1, off});
	WORLD_COUNT(&m->world, 1, 1, world_stack(&m->world, &frame, 1, PROF_STACK_COMPLETE), 0, 1);
	if (m->world.counts.nr == NR_EACH)
		write_epoch(m);
}

int main(int argc, char **argv)
{
	const struct prof_meta meta = {.event = "cpu-clock", .freq_hz = 99};
	struct maker m = {0};
	uint64_t nr = argc > 4 ? strtoull(argv[1], NULL, 0) : 0, bytes = 0;
	struct prof_end end = {.taken = nr, .counted = nr};
	FILE *out = nr ? fopen(argv[2], "we") : NULL;

	m.perf = nr ? fopen(argv[3], "we") : NULL;
	if (!out || !m.perf)
		die("usage: addresses_make NR OUT.prof OUT.data FILE...");
	world_init(&m.world);
	world_string(&m.world, "app");
	for (int i = 4; i < argc; i++)
		add_code(&m, argv[i]);
	WORLD_PUSH(&m.world, processes, {PID, 1, 0, m.codes.nr});
	for (size_t i = 0; i < m.codes.nr; i++)
		bytes += put_mapping(&m, i, true);
	begin_perf(&m, bytes + nr * sizeof(struct perf_sample));
	for (size_t i = 0; i < m.codes.nr; i++)
		put_mapping(&m, i, false);
	if (prof_writer_create(write_file, out, &m.writer) || prof_writer_meta(m.writer, &meta))
		die("recording");
	for (uint64_t i = 0; i < nr; i++)
		add_sample(&m, (unsigned __int128)m.size * i / nr, i);
	if (m.world.counts.nr)
		write_epoch(&m);
	if (prof_writer_end(m.writer, &end) || fclose(out) || fclose(m.perf))
		die("output");
	prof_writer_destroy(m.writer);
	vec_free(&m.codes);
	world_deinit(&m.world);
	return EXIT_SUCCESS;
}
