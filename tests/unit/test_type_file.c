// SPDX-License-Identifier: GPL-2.0-or-later
/* The file of types for libbpf. The test plays the kernel's types (--wrap). */
#include "record/sampler/type_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/suite.h"

static const struct btf *const programs = (const struct btf *)&programs;
static struct btf *const copied = (struct btf *)&programs;

static struct {
	int open_error, register_error, memfd_error, copy_error;
	const char *bytes; /* of the copied types; NULL: there is no memory for them */
	unsigned int nr_closed, nr_unregistered, nr_freed;
} played;

int __wrap_kernel_types_open(struct kernel_types *types);
void __wrap_kernel_types_close(struct kernel_types *types);
int __wrap_kernel_types_copy(const struct kernel_types *types, const struct btf *of,
			     struct btf **copy);
int __wrap_tracing_programs_register(struct tracing_programs *tracing,
				     const struct kernel_types *types);
void __wrap_tracing_programs_unregister(struct tracing_programs *tracing);
const void *__wrap_btf__raw_data(const struct btf *btf, uint32_t *size);
void __wrap_btf__free(struct btf *btf);
int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);

int __wrap_kernel_types_open(struct kernel_types *types)
{
	(void)types;
	return played.open_error;
}

void __wrap_kernel_types_close(struct kernel_types *types)
{
	(void)types;
	played.nr_closed++;
}

int __wrap_kernel_types_copy(const struct kernel_types *types, const struct btf *of,
			     struct btf **copy)
{
	(void)types;
	ck_assert_ptr_eq(of, programs);
	*copy = played.copy_error ? NULL : copied;
	return played.copy_error;
}

int __wrap_tracing_programs_register(struct tracing_programs *tracing,
				     const struct kernel_types *types)
{
	(void)tracing, (void)types;
	ck_assert_int_eq(played.open_error, 0);
	return played.register_error;
}

void __wrap_tracing_programs_unregister(struct tracing_programs *tracing)
{
	(void)tracing;
	played.nr_unregistered++;
}

const void *__wrap_btf__raw_data(const struct btf *btf, uint32_t *size)
{
	ck_assert_ptr_eq(btf, copied);
	*size = played.bytes ? strlen(played.bytes) : 5;
	return played.bytes;
}

void __wrap_btf__free(struct btf *btf)
{
	ck_assert_ptr_eq(btf, copied);
	played.nr_freed++;
}

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	errno = -played.memfd_error;
	return played.memfd_error ? -1 : __real_memfd_create(name, flags);
}

static struct type_file file;

static void begin(void)
{
	memset(&played, 0, sizeof(played));
	played.bytes = "types";
}

static void expect_closed(void)
{
	ck_assert_uint_eq(played.nr_closed, 1);
	ck_assert_uint_eq(played.nr_unregistered, 1);
	ck_assert_int_eq(file.fd, -1);
	ck_assert_str_eq(file.path, "");
}

/* libbpf opens the file by its path, and finds what was written to it meanwhile. */
START_TEST(a_file_for_libbpf)
{
	char text[16] = "";
	int fd, by_path;

	type_file_begin(&file);
	fd = file.fd;
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(type_file_fill(&file, programs), 0);
	ck_assert_uint_eq(played.nr_freed, 1);
	by_path = open(file.path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(read(by_path, text, sizeof(text)), 5);
	ck_assert_str_eq(text, "types");
	close(by_path);
	ck_assert_uint_eq(played.nr_closed, 0);
	type_file_end(&file);
	expect_closed();
	ck_assert_int_lt(fcntl(fd, F_GETFD), 0);
}
END_TEST

/* Then libbpf reads the types itself. */
START_TEST(no_file)
{
	int *const errors[] = {&played.open_error, &played.register_error, &played.memfd_error};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		begin();
		*errors[i] = -EMFILE;
		type_file_begin(&file);
		expect_closed();
		played.copy_error = -EINVAL; /* nobody copies */
		ck_assert_int_eq(type_file_fill(&file, programs), 0);
		type_file_end(&file);
	}
}
END_TEST

START_TEST(types_that_cannot_be_copied)
{
	type_file_begin(&file);
	played.copy_error = -ENOENT;
	ck_assert_int_eq(type_file_fill(&file, programs), -ENOENT);
	ck_assert_uint_eq(played.nr_freed, 0);
	played.copy_error = 0;
	played.bytes = NULL;
	ck_assert_int_eq(type_file_fill(&file, programs), -ENOMEM);
	ck_assert_uint_eq(played.nr_freed, 1);
	/* The file cannot be written to. */
	played.bytes = "types";
	close(file.fd);
	file.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(type_file_fill(&file, programs), -EBADF);
	ck_assert_uint_eq(played.nr_freed, 2);
	type_file_end(&file);
}
END_TEST

SUITE_MAIN_WITH("type_file", begin, NULL, a_file_for_libbpf, no_file, types_that_cannot_be_copied)
