/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads how HotSpot describes its own data for debuggers (vmStructs.hpp): two arrays with the
 * offsets of fields, the addresses of variables and the sizes of types. The process may write
 * anything into them: what is read is bounded. Runs in the looker.
 */
#ifndef RECORD_MACHINES_JAVA_FIELDS_H
#define RECORD_MACHINES_JAVA_FIELDS_H

#include <stdbool.h>

#include "bpf/languages/languages.h"
#include "record/machines/machine_memory.h"

/* The fields that a walk needs. Names changed from version to version. */
enum java_field {
	FIELD_HEAP_8,
	FIELD_HEAPS,
	FIELD_LIST_LENGTH,
	FIELD_LIST_DATA,
	FIELD_HEAP_MEMORY,
	FIELD_HEAP_MAP,
	FIELD_HEAP_SHIFT,
	FIELD_SPACE_LOW,
	FIELD_SPACE_HIGH,
	FIELD_INTERPRETER,
	FIELD_QUEUE_BEGIN,
	FIELD_QUEUE_SIZE,
	FIELD_QUEUE_END,
	FIELD_CALL_STUB,
	FIELD_VERSION,
	FIELD_VERSION_21,
	FIELD_BLOB_NAME,
	FIELD_BLOB_FRAME,
	FIELD_BLOB_COMPLETE,
	FIELD_BLOB_CODE_BEGIN,
	FIELD_BLOB_CODE_END,
	FIELD_BLOB_CODE_OFFSET,
	FIELD_BLOB_DATA_OFFSET,
	FIELD_BLOB_METHOD,
	FIELD_METHOD_CONST,
	FIELD_CONST_POOL,
	FIELD_CONST_NAME,
	FIELD_CONST_CODE_SIZE,
	FIELD_POOL_CLASS,
	FIELD_CLASS_NAME,
	FIELD_SYMBOL_LENGTH,
	FIELD_SYMBOL_TEXT,
	NR_JAVA_WALK_FIELDS,
	/* Those of struct java_layout. A version has some of them. */
	FIELD_CONST_FLAGS = NR_JAVA_WALK_FIELDS,
	FIELD_CONST_WORDS,
	FIELD_PC_OFFSET,
	FIELD_PC_SCOPE,
	FIELD_CODE_COMPILE_ID,
	FIELD_CODE_LEVEL,
	FIELD_CODE_PCS,
	FIELD_CODE_DEPENDENCIES,
	FIELD_CODE_SCOPES_POINTER,
	FIELD_CODE_SCOPES_OFFSET,
	FIELD_CODE_METADATA,
	FIELD_CODE_IMMUTABLE,
	FIELD_CODE_IMMUTABLE_BYTES,
	FIELD_CODE_MUTABLE,
	FIELD_CODE_MUTABLE_BYTES,
	FIELD_CODE_RELOCATION_BYTES,
	NR_JAVA_FIELDS,
};

enum java_type { TYPE_BLOCK, TYPE_CONST_METHOD, TYPE_POOL, TYPE_PC_DESC, NR_JAVA_TYPES };

struct java_facts {
	uint64_t fields[NR_JAVA_FIELDS]; /* offset; of static fields the address */
	uint64_t sizes[NR_JAVA_TYPES];   /* in bytes; 0: there is no such type */
	bool has_field[NR_JAVA_FIELDS];
};

/*
 * Reads the arrays of the process whose memory is @memory. Its library is @in, and offset 0 of that
 * file is at @base. Returns 0; -EAGAIN if they are not there yet; -ENOTSUP if their entries have
 * another form; -EFAULT; or -ENOMEM.
 */
int java_facts_read(const struct machine_memory *memory, const struct interpreter *in,
		    uint64_t base, struct java_facts *facts);

#endif
