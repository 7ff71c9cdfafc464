// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/descendants.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "record/looks/proc_task.h"

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	COMPARE(x, y);
	return 0;
}

static bool ids_has(const u32_vec *sorted, uint32_t id)
{
	return sorted->nr &&
	       bsearch(&id, sorted->data, sorted->nr, sizeof(id), compare_u32) != NULL;
}

static void ids_sort(u32_vec *ids)
{
	if (ids->nr)
		qsort(ids->data, ids->nr, sizeof(*ids->data), compare_u32);
}

/* Who follows. */
struct follower {
	descendants_fn follow;
	void *ctx;
};

static int follow_child(const struct follower *by, uint32_t pid, uint32_t parent, struct err *err)
{
	_cleanup_close_ int pidfd = syscall(SYS_pidfd_open, pid, 0);
	uint32_t now;
	int ret;

	if (pidfd < 0)
		return errno == ESRCH
			       ? 0
			       : err_set(err, -errno, "failed to follow process %u: %m", pid);
	/* The pidfd holds the id. If @parent is not the parent, another process had got the id. */
	if (proc_parent(pid, &now) || now != parent)
		return 0;
	ret = by->follow(by->ctx, pid, pidfd, err);
	return ret == -ESRCH ? 0 : ret;
}

/*
 * Follows the children of the processes in @known and adds them to it. *@grown tells whether there
 * were any. A process may fork children just before it is marked; the next call finds them, since
 * it lists /proc anew.
 */
static int follow_children(u32_vec *known, const struct follower *by, bool *grown, struct err *err)
{
	u32_vec all = {0}, found = {0};
	int ret = proc_list(&all, err);

	for (size_t i = 0; !ret && i < all.nr; i++) {
		uint32_t pid = all.data[i], parent;

		if (ids_has(known, pid) || proc_parent(pid, &parent) || !ids_has(known, parent))
			continue;
		ret = follow_child(by, pid, parent, err);
		if (!ret && vec_push(&found, pid))
			ret = err_set(err, -ENOMEM, "failed to follow processes: out of memory");
	}
	*grown = found.nr > 0;
	if (!ret && vec_append(known, found.data, found.nr))
		ret = err_set(err, -ENOMEM, "failed to follow processes: out of memory");
	ids_sort(known);
	vec_free(&all);
	vec_free(&found);
	return ret;
}

int descendants_follow(const u32_vec *pids, descendants_fn follow, void *ctx, struct err *err)
{
	const struct follower by = {follow, ctx};
	u32_vec known = {0};
	bool grown = true;
	int ret = 0;

	if (vec_append(&known, pids->data, pids->nr))
		ret = err_set(err, -ENOMEM, "failed to follow processes: out of memory");
	ids_sort(&known);
	while (!ret && grown)
		ret = follow_children(&known, &by, &grown, err);
	vec_free(&known);
	return ret;
}
