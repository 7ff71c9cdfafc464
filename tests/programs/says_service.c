// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * says_service FORM NAME: publishes what service it is, as OpenTelemetry's OTEP 4719 has it, and
 * uses the CPU until it gets a signal. FORM is memfd or anon, how the mapping is named; "lies"
 * gives an address without a message, and "writing" never ends its first change. With memfd it has
 * a child. It exits with 77 where the kernel cannot name memory.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "context_parts.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d61
#define PR_SET_VMA_ANON_NAME 0
#endif

static unsigned char message[1024];

static size_t put_attribute(unsigned char *to, const char *key, const char *value)
{
	unsigned char any[512];

	return put_pair(to, 1, key, any, put(any, 1, value, strlen(value)));
}

static void publish(const char *form, const char *name)
{
	unsigned char resource[512];
	int is_memfd = strcmp(form, "anon") != 0;
	int fd = is_memfd ? memfd_create("OTEL_CTX", MFD_CLOEXEC) : -1;
	struct header *header;
	size_t nr = put_attribute(resource, "telemetry.sdk.language", "c");

	nr += put_attribute(resource + nr, "service.name", name);
	nr += put_attribute(resource + nr, "service.version", "1.2");
	nr = put(message, 1, resource, nr);
	if (is_memfd && (fd < 0 || ftruncate(fd, 4096)))
		exit(77);
	header = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | (is_memfd ? 0 : MAP_ANONYMOUS), fd, 0);
	if (header == MAP_FAILED)
		exit(77);
	madvise(header, 4096, MADV_DONTFORK);
	header->version = 2;
	header->payload_size = nr;
	header->payload = strcmp(form, "lies") ? (uintptr_t)message : 0x1000;
	memcpy(header->signature, "OTEL_CTX", 8);
	header->published_ns = strcmp(form, "writing") != 0;
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, 4096, "OTEL_CTX") && !is_memfd)
		exit(77);
}

static void spin(double seconds)
{
	clock_t end = clock() + seconds * CLOCKS_PER_SEC;

	while (clock() < end)
		;
}

int main(int argc, char **argv)
{
	pid_t child = 0;

	if (argc < 3)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	publish(argv[1], argv[2]);
	if (!strcmp(argv[1], "memfd")) {
		/* It has none: its memory is not that of the parent. */
		child = fork();
		if (!child)
			prctl(PR_SET_NAME, "child");
	}
	/* When all is there. */
	if (!child) {
		puts("published");
		fflush(stdout);
	}
	for (;;)
		spin(1);
}
