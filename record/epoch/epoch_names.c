// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_names.h"

#include <errno.h>
#include <string.h>

#include "record/proc/proc_info.h"

static int intern(struct epoch_tables *tables, const char *s, uint32_t *id)
{
	return s && s[0] ? epoch_tables_string(tables, s, strlen(s), id) : 0;
}

static int add_process(struct epoch_tables *tables, const struct address_spaces *spaces,
		       const struct address_space *space, uint32_t id, const struct proc_info *proc)
{
	struct prof_process_info info = {
		.process = id, .ns_pid = proc->identity.ns_pid, .uid = proc->identity.uid};
	const char *name = proc->identity.name[0] ? proc->identity.name : space->name;
	const char *exe = proc->exe.nr ? proc->exe.data : address_space_exe(spaces, space);
	int ret = intern(tables, name, &info.name);

	if (!ret)
		ret = intern(tables, exe, &info.exe);
	if (!ret)
		ret = intern(tables, proc->cgroup.nr ? proc->cgroup.data : NULL, &info.cgroup);
	if (ret || (!info.ns_pid && info.uid == PROF_UID_UNKNOWN && !info.name && !info.exe &&
		    !info.cgroup))
		return ret;
	return vec_push(&tables->process_infos, info);
}

int epoch_names_process(struct epoch_tables *tables, const struct address_spaces *spaces,
			const struct address_space *space, uint32_t id)
{
	struct proc_info proc = {.identity.uid = PROF_UID_UNKNOWN};
	int ret = 0;

	/* There a process is what it is now, which says nothing of what it was before an exec. */
	if (address_spaces_find(spaces, space->pid, UINT64_MAX) == space)
		ret = proc_info_read(space->pid, &proc);
	/* It has gone: what it was soon after it began is nearly as good. */
	if (!ret)
		ret = add_process(tables, spaces, space, id,
				  !proc.identity.name[0] && space->info ? space->info : &proc);
	proc_info_deinit(&proc);
	return ret;
}

static int add_vdso_symbol(struct epoch_tables *tables, uint32_t object, const struct vdso *vdso,
			   uint64_t off)
{
	const struct vdso_symbol *symbol = vdso_lookup(vdso, off);

	return symbol ? epoch_tables_symbol(tables, object, symbol->off, symbol->size, symbol->name)
		      : 0;
}

static bool is_vdso(const struct prof_object *object, const struct vdso *vdso)
{
	return object->kind == PROF_OBJECT_VDSO && object->build_id_size == vdso->build_id.size &&
	       !memcmp(object->build_id, vdso->build_id.bytes, object->build_id_size);
}

int epoch_names_vdso(struct epoch_tables *tables, const struct vdso *vdso)
{
	if (build_id_is_none(&vdso->build_id))
		return 0;
	vec_for_each(&tables->frames, frame) {
		int ret;

		if (!is_vdso(&tables->objects.data[frame->object], vdso))
			continue;
		/* A leaf is looked up at its address, a caller at the byte before. */
		ret = add_vdso_symbol(tables, frame->object, vdso, frame->offset);
		if (!ret && frame->offset)
			ret = add_vdso_symbol(tables, frame->object, vdso, frame->offset - 1);
		if (ret)
			return ret;
	}
	return 0;
}
