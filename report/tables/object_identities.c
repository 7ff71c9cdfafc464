// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/object_identities.h"

#include <inttypes.h>

#include "common/buildid.h"
#include "report/tables/table_ids.h"

/* Code that processes made for themselves: the map's own path has the id of one process. */
#define MADE_CODE_PATH "[jit]"

static const char *const kinds[PROF_NR_OBJECT_KINDS] = {
	[PROF_OBJECT_NONE] = "none",     [PROF_OBJECT_FILE] = "file",
	[PROF_OBJECT_ANON] = "anon",     [PROF_OBJECT_VDSO] = "vdso",
	[PROF_OBJECT_KERNEL] = "kernel", [PROF_OBJECT_MODULE] = "module",
	[PROF_OBJECT_BPF] = "bpf",       [PROF_OBJECT_JIT] = "jit",
};

static enum identity_class class_of(const struct prof_object *object)
{
	switch (object->kind) {
	case PROF_OBJECT_FILE:
		return object->build_id_size ? IDENTITY_BUILD_ID : IDENTITY_FILE;
	case PROF_OBJECT_VDSO:
	case PROF_OBJECT_KERNEL:
	case PROF_OBJECT_MODULE:
		return object->build_id_size ? IDENTITY_BUILD_ID : IDENTITY_RELEASE;
	default:
		return IDENTITY_NAME;
	}
}

static uint64_t file_basis(const struct object_identity *identity, const struct prof_meta *meta,
			   uint64_t basis)
{
	const struct prof_file_info *file = identity->file;

	basis = table_id_str(identity->path, table_id_str(meta->hostname, basis));
	if (!file)
		return basis;
	basis = table_id_u64(file->size, table_id_u64(file->inode, basis));
	return table_id_u64(file->ctime_ns, table_id_u64(file->mtime_ns, basis));
}

static uint64_t basis_of(const struct object_identity *identity, const struct prof_meta *meta)
{
	const struct prof_object *object = identity->object;
	uint64_t basis = table_id_str(identity->kind, 0);

	switch ((enum identity_class)identity->class) {
	case IDENTITY_BUILD_ID:
		return table_id(object->build_id, object->build_id_size, basis);
	case IDENTITY_RELEASE:
		basis = table_id_str(meta->kernel_release, basis);
		basis = table_id_str(meta->kernel_version, basis);
		return table_id_str(identity->path, basis);
	case IDENTITY_FILE:
		return file_basis(identity, meta, basis);
	case IDENTITY_NAME:
		break;
	}
	return table_id_str(identity->path, basis);
}

void object_identities_make(struct object_identity *identities, const struct prof_meta *meta,
			    const struct prof_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->nr_objects; i++) {
		const struct prof_object *object = &epoch->objects[i];

		identities[i] = (struct object_identity){
			.class = class_of(object),
			.holds = object->kind == PROF_OBJECT_FILE && object->build_id_size &&
				 !object->instance,
			.kind = kinds[object->kind],
			.path = object->kind == PROF_OBJECT_JIT ? MADE_CODE_PATH
								: epoch->strings[object->path].s,
			.object = object,
		};
	}
	for (uint32_t i = 0; i < epoch->nr_file_infos; i++)
		identities[epoch->file_infos[i].object].file = &epoch->file_infos[i];
	for (uint32_t i = 0; i < epoch->nr_languages; i++) {
		const struct prof_language *language = &epoch->languages[i];

		if (language->role == PROF_LANGUAGE_SOURCE && epoch->strings[language->name].len)
			identities[language->object].kind = epoch->strings[language->name].s;
	}
	for (uint32_t i = 0; i < epoch->nr_objects; i++)
		identities[i].basis = basis_of(&identities[i], meta);
}

static struct frame_identity named_identity(const struct object_identity *object, uint64_t offset,
					    const char *name)
{
	/* Only a source has an offset that says something: the line of the definition. */
	bool is_source = object->kind != kinds[object->object->kind];
	uint64_t line = is_source ? PROF_SOURCE_LINE(offset) : 0;
	uint64_t id = table_id_u64(line, table_id_str(name, object->basis));

	return (struct frame_identity){
		.id = id,
		.offset = line << 32 | (name[0] ? (uint32_t)id : 0),
		.name = name,
	};
}

struct frame_identity frame_identity_make(const struct object_identity *object, uint64_t offset,
					  const char *name)
{
	if (object->class == IDENTITY_NAME)
		return named_identity(object, offset, name);
	return (struct frame_identity){
		.id = table_id_u64(offset, object->basis),
		.offset = offset,
		.name = "",
	};
}

void build_id_put(struct textbuf *out, const struct prof_object *object)
{
	struct build_id id = {.size = object->build_id_size};
	char hex[BUILD_ID_HEX_SIZE];

	memcpy(id.bytes, object->build_id, id.size);
	textbuf_str(out, build_id_hex(&id, hex));
}

static void put_escaped(struct textbuf *out, const char *s)
{
	textbuf_escaped(out, s, strlen(s), TEXT_FIELD);
}

static void put_scope(struct textbuf *out, const struct frame_identity *frame,
		      const struct object_identity *object, const struct prof_meta *meta)
{
	const struct prof_file_info *file = object->file;

	switch ((enum identity_class)object->class) {
	case IDENTITY_BUILD_ID:
		break;
	case IDENTITY_RELEASE:
		put_escaped(out, meta->kernel_release);
		textbuf_char(out, ' ');
		put_escaped(out, meta->kernel_version);
		break;
	case IDENTITY_FILE:
		put_escaped(out, meta->hostname);
		if (file)
			textbuf_printf(out, " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64,
				       file->inode, file->size, file->mtime_ns, file->ctime_ns);
		break;
	case IDENTITY_NAME:
		put_escaped(out, frame->name);
		break;
	}
}

void frame_identity_put(struct textbuf *out, const struct frame_identity *frame,
			const struct object_identity *object, const struct prof_meta *meta)
{
	textbuf_u64(out, frame->id);
	textbuf_char(out, '\t');
	build_id_put(out, object->object);
	textbuf_char(out, '\t');
	put_escaped(out, object->path);
	textbuf_char(out, '\t');
	textbuf_u64(out, frame->offset);
	textbuf_char(out, '\t');
	put_escaped(out, object->kind);
	textbuf_char(out, '\t');
	put_scope(out, frame, object, meta);
	textbuf_char(out, '\n');
}

#define NOTE_KIND "note"

struct frame_identity note_identity_make(const char *text)
{
	return (struct frame_identity){
		.id = table_id_str(text, table_id_str(NOTE_KIND, 0)),
		.name = text,
	};
}

void note_identity_put(struct textbuf *out, const struct frame_identity *note)
{
	textbuf_u64(out, note->id);
	textbuf_str(out, "\t\t\t0\t" NOTE_KIND "\t");
	put_escaped(out, note->name);
	textbuf_char(out, '\n');
}
