// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampler/kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/readfile.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/* A kernel with all options has 10 MB. */
#define KERNEL_BTF_MAX (64u << 20)

/* Structs are inside of each other. No real one is as deep. */
#define DEPTH_MAX 32

/* The bytes after the struct btf_type of this type; -1: the kind is not known. */
static long bytes_after(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return btf_vlen(t) * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return btf_vlen(t) * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return btf_vlen(t) * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return btf_vlen(t) * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return btf_vlen(t) * sizeof(struct btf_var_secinfo);
	default:
		return -1;
	}
}

static int add_types(struct kernel_types *types, uint32_t off, uint32_t end)
{
	int ret = vec_push(&types->offsets, 0); /* number 0 is void */

	while (!ret && off < end) {
		const struct btf_type *t = (const struct btf_type *)(types->data + off);
		long after;

		if (end - off < sizeof(*t))
			return -EBADMSG;
		after = bytes_after(t);
		if (after < 0)
			return -EOPNOTSUPP;
		if (t->name_off >= types->strings_size || end - off - sizeof(*t) < (size_t)after)
			return -EBADMSG;
		ret = vec_push(&types->offsets, off);
		off += sizeof(*t) + after;
	}
	return ret;
}

int kernel_types_parse(const char *data, size_t size, struct kernel_types *types)
{
	const struct btf_header *h = (const struct btf_header *)data;
	uint64_t first, end, strings;

	if (size < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len % sizeof(uint32_t) ||
	    h->type_off % sizeof(uint32_t))
		return -EBADMSG;
	first = (uint64_t)h->hdr_len + h->type_off;
	end = first + h->type_len;
	strings = (uint64_t)h->hdr_len + h->str_off;
	/* All strings end within the section: the last byte is a NUL. */
	if (end > size || !h->str_len || strings + h->str_len > size ||
	    data[strings + h->str_len - 1])
		return -EBADMSG;
	types->data = data;
	types->size = size;
	types->strings = data + strings;
	types->strings_size = h->str_len;
	return add_types(types, first, end);
}

/* The bytes of the file; newer kernels let a process map them. */
static int load_bytes(struct kernel_types *types)
{
	_cleanup_close_ int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int ret;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	types->mapped = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (types->mapped != MAP_FAILED) {
		types->data = types->mapped;
		types->size = st.st_size;
		return 0;
	}
	types->mapped = NULL;
	ret = read_fd(fd, KERNEL_BTF_MAX, &types->bytes);
	types->data = types->bytes.data;
	types->size = types->bytes.nr;
	return ret;
}

int kernel_types_open(struct kernel_types *types)
{
	int ret;

	*types = (struct kernel_types){0};
	ret = load_bytes(types);
	if (!ret)
		ret = kernel_types_parse(types->data, types->size, types);
	if (ret)
		kernel_types_close(types);
	return ret;
}

static const struct btf_type *type_of(const struct kernel_types *types, uint32_t id)
{
	return (const struct btf_type *)(types->data + types->offsets.data[id]);
}

static const char *name_of(const struct kernel_types *types, uint32_t name_off)
{
	return name_off < types->strings_size ? types->strings + name_off : "";
}

uint32_t kernel_types_find(const struct kernel_types *types, const char *name, uint32_t kind)
{
	for (uint32_t id = 1; id < types->offsets.nr; id++) {
		const struct btf_type *t = type_of(types, id);

		if (btf_kind(t) == kind && !strcmp(name_of(types, t->name_off), name))
			return id;
	}
	return 0;
}

const char *kernel_types_function(const struct kernel_types *types, uint32_t id)
{
	const struct btf_type *t = type_of(types, id);

	return btf_is_func(t) ? name_of(types, t->name_off) : NULL;
}

/* The copies that are made. */
struct copying {
	const struct kernel_types *types;
	VEC(char *) names; /* of the structs that are wanted, sorted */
	struct btf *btf;
	int pointer; /* the copy of all pointers */
	VEC(struct copied {
		uint32_t id;
		int copy;
	})
	copied;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_wanted(const struct copying *c, const char *name)
{
	return bsearch(&name, c->names.data, c->names.nr, sizeof(name), compare_names);
}

/* Of a name such as kernfs_node___since_6_15, the part after ___ means nothing (CO-RE). */
static char *essential_name(const char *name)
{
	const char *flavor = strstr(name, "___");

	return flavor ? strndup(name, flavor - name) : strdup(name);
}

static int list_names(struct copying *c, const struct btf *programs)
{
	for (uint32_t id = 1; id < btf__type_cnt(programs); id++) {
		const struct btf_type *t = btf__type_by_id(programs, id);
		char *name;

		if (!btf_is_composite(t) || !t->name_off)
			continue;
		name = essential_name(btf__name_by_offset(programs, t->name_off));
		if (!name || vec_push(&c->names, name)) {
			free(name);
			return -ENOMEM;
		}
	}
	if (c->names.nr)
		qsort(c->names.data, c->names.nr, sizeof(*c->names.data), compare_names);
	return 0;
}

static bool is_modifier(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_is_typedef(t);
}

static int copy_type(struct copying *c, uint32_t id, unsigned int depth);

static int copy_array(struct copying *c, const struct btf_type *t, unsigned int depth)
{
	const struct btf_array *array = btf_array(t);
	int element = copy_type(c, array->type, depth + 1);

	return element < 0 ? element : btf__add_array(c->btf, c->pointer, element, array->nelems);
}

/* Copies the types of the members into @copies. */
static int copy_member_types(struct copying *c, const struct btf_type *t, unsigned int depth,
			     int *copies)
{
	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		copies[i] = copy_type(c, btf_members(t)[i].type, depth + 1);
		if (copies[i] < 0)
			return copies[i];
	}
	return 0;
}

static int add_members(struct copying *c, const struct btf_type *t, const int *copies)
{
	int ret = 0;

	for (uint32_t i = 0; i < btf_vlen(t) && !ret; i++)
		ret = btf__add_field(c->btf, name_of(c->types, btf_members(t)[i].name_off),
				     copies[i], btf_member_bit_offset(t, i),
				     btf_member_bitfield_size(t, i));
	return ret;
}

/* A struct that nobody wants keeps its name and size. */
static int copy_composite(struct copying *c, const struct btf_type *t, unsigned int depth)
{
	const char *name = name_of(c->types, t->name_off);
	bool is_whole = !name[0] || is_wanted(c, name);
	_cleanup_free_ int *copies = calloc(btf_vlen(t) + 1, sizeof(*copies));
	int id, ret = copies ? 0 : -ENOMEM;

	if (!ret && is_whole)
		ret = copy_member_types(c, t, depth, copies);
	if (ret)
		return ret;
	id = btf_is_struct(t) ? btf__add_struct(c->btf, name, t->size)
			      : btf__add_union(c->btf, name, t->size);
	if (id > 0 && is_whole)
		ret = add_members(c, t, copies);
	return ret ? ret : id;
}

static int copy_kind(struct copying *c, const struct btf_type *t, unsigned int depth)
{
	const char *name = name_of(c->types, t->name_off);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return btf__add_int(c->btf, name, t->size, btf_int_encoding(t));
	case BTF_KIND_FLOAT:
		return btf__add_float(c->btf, name, t->size);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return btf__add_enum(c->btf, name, t->size);
	case BTF_KIND_ARRAY:
		return copy_array(c, t, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_composite(c, t, depth);
	default:
		return -EBADMSG; /* no field has such a type */
	}
}

/* Returns the number of the copy, or a negative errno. */
static int copy_type(struct copying *c, uint32_t id, unsigned int depth)
{
	const struct btf_type *t;
	struct copied made = {0};

	for (unsigned int i = 0;; i++) {
		if (!id || id >= c->types->offsets.nr || i + depth >= DEPTH_MAX)
			return -EBADMSG;
		t = type_of(c->types, id);
		if (!is_modifier(t))
			break;
		id = t->type;
	}
	if (btf_is_ptr(t))
		return c->pointer;
	vec_for_each(&c->copied, have)
		if (have->id == id)
			return have->copy;
	made.id = id;
	made.copy = copy_kind(c, t, depth);
	return made.copy > 0 && vec_push(&c->copied, made) ? -ENOMEM : made.copy;
}

static int copy_wanted(struct copying *c)
{
	c->pointer = btf__add_ptr(c->btf, 0);
	if (c->pointer < 0)
		return c->pointer;
	for (uint32_t id = 1; id < c->types->offsets.nr; id++) {
		const struct btf_type *t = type_of(c->types, id);

		if (btf_is_composite(t) && t->name_off &&
		    is_wanted(c, name_of(c->types, t->name_off))) {
			int copy = copy_type(c, id, 0);

			if (copy < 0)
				return copy;
		}
	}
	return 0;
}

int kernel_types_copy(const struct kernel_types *types, const struct btf *programs,
		      struct btf **copy)
{
	struct copying c = {.types = types, .btf = btf__new_empty()};
	int ret = c.btf ? list_names(&c, programs) : -errno;

	if (!ret)
		ret = copy_wanted(&c);
	vec_for_each(&c.names, name)
		free(*name);
	vec_free(&c.names);
	vec_free(&c.copied);
	if (ret)
		btf__free(c.btf);
	else
		*copy = c.btf;
	return ret;
}

void kernel_types_close(struct kernel_types *types)
{
	if (types->mapped)
		munmap(types->mapped, types->size);
	vec_free(&types->bytes);
	vec_free(&types->offsets);
	*types = (struct kernel_types){0};
}
