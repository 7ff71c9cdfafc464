// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes recordings of other hosts from a real one: prof_vary FILE HOST SECONDS BYTES > file.prof.
 * The new one begins SECONDS later and has at least BYTES: the epochs follow each other again and
 * again. Host, boot id and pids are others. So are the first bytes of build-ids, and no host has
 * the files: all names are those of FILE. Stacks and counts are, too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/vec.h"
#include "format/reader.h"
#include "format/writer.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define PIDS          UINT32_C(4000000)

struct variation {
	struct prof_writer *writer;
	uint32_t pid_step;
	uint64_t begin_ns, last_ns; /* of the epochs of this round */
	uint64_t rounds;
};

static void check(int ret, const char *what)
{
	if (ret < 0) {
		fprintf(stderr, "prof_vary: %s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

static ssize_t read_file(void *ctx, void *buf, size_t len)
{
	return (ssize_t)fread(buf, 1, len, ctx);
}

static int write_stdout(void *ctx, const void *buf, size_t len)
{
	(void)ctx;
	return fwrite(buf, 1, len, stdout) == len ? 0 : -EIO;
}

/* Returns true if a recording has symbols of @object once. */
static bool holds(const struct prof_object *object)
{
	return object->kind == PROF_OBJECT_FILE && object->build_id_size && !object->instance;
}

static void write_epoch(struct variation *v, const struct prof_epoch *from)
{
	struct prof_epoch epoch = *from;
	struct prof_process *processes = calloc(epoch.nr_processes, sizeof(*processes));
	struct prof_symbol *symbols = calloc(epoch.nr_symbols + 1, sizeof(*symbols));
	struct prof_object *objects = calloc(epoch.nr_objects, sizeof(*objects));
	uint32_t nr = 0;

	check(processes && symbols && objects ? 0 : -ENOMEM, "epoch");
	memcpy(processes, from->processes, epoch.nr_processes * sizeof(*processes));
	for (uint32_t i = 1; i < epoch.nr_processes; i++)
		processes[i].pid = 1 + (processes[i].pid + v->pid_step * (v->rounds + 1)) % PIDS;
	epoch.processes = processes;
	memcpy(objects, from->objects, epoch.nr_objects * sizeof(*objects));
	for (uint32_t i = 0; i < epoch.nr_objects; i++)
		objects[i].build_id[0] ^= 0xff;
	epoch.objects = objects;
	for (uint32_t i = 0; v->rounds && i < from->nr_symbols; i++)
		if (!holds(&from->objects[from->symbols[i].object]))
			symbols[nr++] = from->symbols[i];
	if (v->rounds) {
		epoch.symbols = symbols;
		epoch.nr_symbols = nr;
	}
	epoch.begin_ns += v->begin_ns;
	epoch.end_ns += v->begin_ns;
	v->last_ns = epoch.end_ns;
	check(prof_writer_epoch(v->writer, &epoch), "epoch");
	free(processes);
	free(symbols);
	free(objects);
}

static void write_meta(struct variation *v, const struct prof_meta *from, const char *host,
		       uint64_t seconds)
{
	struct prof_meta meta = *from;

	meta.hostname = meta.host.boot_id = host;
	meta.start_realtime_ns += seconds * NS_PER_SECOND;
	meta.start_monotonic_ns += seconds * NS_PER_SECOND;
	check(prof_writer_meta(v->writer, &meta), "meta");
}

static void write_end(struct variation *v, const struct prof_end *from)
{
	struct prof_end end = *from;

	end.duration_ns = v->last_ns;
	end.taken *= v->rounds;
	end.counted *= v->rounds;
	for (int i = 0; i < PROF_NR_LOSSES; i++)
		end.lost[i] *= v->rounds;
	check(prof_writer_end(v->writer, &end), "end");
}

int main(int argc, char **argv)
{
	struct variation v = {0};
	struct prof_reader *reader = NULL;
	const struct prof_epoch *epoch;
	uint64_t bytes;
	int ret;

	if (argc != 5)
		return 2;
	bytes = strtoull(argv[4], NULL, 10);
	for (const char *c = argv[2]; *c; c++)
		v.pid_step = v.pid_step * 31 + (unsigned char)*c;
	v.pid_step %= PIDS;
	check(prof_writer_create(write_stdout, NULL, &v.writer), "writer");
	do {
		FILE *in = fopen(argv[1], "re");

		check(in ? 0 : -errno, argv[1]);
		check(prof_reader_create(read_file, in, &reader), argv[1]);
		if (!v.rounds)
			write_meta(&v, prof_reader_meta(reader), argv[2],
				   strtoull(argv[3], NULL, 10));
		while ((ret = prof_reader_next(reader, &epoch)) == PROF_READ_EPOCH)
			write_epoch(&v, epoch);
		check(ret, argv[1]);
		/* A round that adds nothing would never reach BYTES. */
		check(v.last_ns > v.begin_ns ? 0 : -EINVAL, argv[1]);
		v.begin_ns = v.last_ns;
		v.rounds++;
		if (prof_writer_bytes(v.writer) >= bytes)
			write_end(&v, prof_reader_end(reader));
		fclose(in);
		ret = prof_writer_bytes(v.writer) < bytes;
		prof_reader_destroy(reader);
	} while (ret);
	prof_writer_destroy(v.writer);
	return 0;
}
