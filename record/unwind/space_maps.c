// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/space_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "common/search.h"
#include "record/sampling/program/maps.h"
#include "record/looks/proc_task.h"
#include "record/machines/registered_code.h"

/* When a second look finds nothing new, the next look has to wait: first and longest time. */
#define BACKOFF_NS     UINT64_C(200000000)
#define BACKOFF_MAX_NS UINT64_C(10000000000)

static int put_mapping(struct space_maps *u, uint32_t at)
{
	return map_update(u->tables->store.maps.mappings, &at, &u->mappings[at], BPF_ANY) ? -errno
											  : 0;
}

/* The number of the process's mapping with table @nr; p->nr: there is none. */
static uint32_t find_table(const struct space_maps *u, const struct unwind_process *p, uint32_t nr)
{
	uint32_t i = 0;

	while (i < p->nr && u->mapping_tables[p->first + i] != nr)
		i++;
	return i;
}

static uint32_t number_of(const struct space_maps *u, const struct unwind_process *p)
{
	return p - u->processes.data;
}

static struct machine_owner owner_of(const struct space_maps *u, const struct unwind_process *p)
{
	struct interpreter_of_file *in =
		p->interpreter ? &u->tables->interpreters.files.data[p->interpreter - 1] : NULL;

	return (struct machine_owner){
		.pid = p->pid,
		.item = number_of(u, p),
		.uid = p->uid,
		.use = max_u64(u->room.processes.items.data[number_of(u, p)].use, 1),
		.interpreter = in ? &in->found.interpreter : NULL,
		.notes = in ? &in->machines : NULL,
		.base = p->interpreter_base,
	};
}

/* Looks for the machine of a process of Java or Erlang that has new mappings. */
static void look_for_machine(struct space_maps *u, struct unwind_process *p)
{
	const struct machine_owner owner = owner_of(u, p);

	if (process_machine_look(&p->machine, &u->tables->interpreters.machines, &owner) &&
	    vec_push(&u->expecting, p->pid))
		p->machine.state = UNWIND_NO_MACHINE; /* nobody would look again */
}

static uint32_t number_of_interpreter(const struct space_maps *u, const struct unwind_process *p)
{
	return interpreter_maps_number(&u->tables->interpreters, p->interpreter);
}

/*
 * If another address space has come into the entry meanwhile, the program does not believe this,
 * and asks for its mappings.
 */
void space_maps_tell(struct space_maps *u, const struct unwind_process *p)
{
	struct unwind_space space;
	int map = u->tables->store.maps.spaces;

	if (!p->nr || map_lookup(map, &p->pid, &space) || space.first != p->first ||
	    space.nr != p->nr)
		return;
	space.interpreter = number_of_interpreter(u, p);
	space.interpreter_base = p->interpreter_base;
	space.machine = p->machine.state;
	space.regex_start = p->regex_start;
	space.regex_bytes = p->regex_bytes;
	space.has_context = p->context.is_known;
	map_update(map, &p->pid, &space, BPF_EXIST);
}

void space_maps_interpreter_renumbered(struct space_maps *u, uint32_t interpreter)
{
	vec_for_each(&u->processes, p)
		if (p->pid && p->interpreter == interpreter)
			space_maps_tell(u, p);
}

/* The file @t, of mapping @m of process @p, has turned out to have an interpreter. */
static void take_interpreter(struct space_maps *u, struct unwind_process *p,
			     const struct file_table *t, const struct unwind_mapping *m)
{
	if (!interpreter_maps_is_better(&u->tables->interpreters, t->interpreter, p->interpreter))
		return;
	p->interpreter = t->interpreter;
	/* With a table, the bias is that of the table's first page. */
	p->interpreter_base = m->bias - (t->state == TABLE_READY ? t->first_off : 0);
	look_for_machine(u, p);
}

/* The process registers code at @descriptor; 0: it registers none. It is time for a look. */
static void set_descriptor(struct space_maps *u, struct unwind_process *p, uint64_t descriptor)
{
	struct space_registered *r = &p->registered;

	if (r->descriptor != descriptor) {
		if (r->table != NO_TABLE)
			file_tables_unuse(u->tables, r->table);
		*r = (struct space_registered){
			.descriptor = descriptor, .budget_ns = r->budget_ns, .table = NO_TABLE};
	}
	r->next_ns = r->pause_ns = 0;
	r->is_strange = false;
	if (descriptor)
		u->registered_due_ns = 0;
}

/*
 * The file of table @nr has turned out to have an interpreter, to be PCRE2, or to register code.
 */
static void note_interpreter(struct space_maps *u, uint32_t nr)
{
	const struct file_table *t = &u->tables->tables.data[nr];

	vec_for_each(&u->processes, p) {
		uint32_t i = p->pid ? find_table(u, p, nr) : p->nr;
		const struct unwind_mapping *m = &u->mappings[p->first + i];

		if (i == p->nr)
			continue;
		take_interpreter(u, p, t, m);
		if (t->has_regex && !p->regex_bytes) {
			p->regex_start = m->start;
			p->regex_bytes = m->end - m->start;
		}
		if (t->descriptor && !p->registered.descriptor)
			set_descriptor(u, p,
				       m->bias - (t->state == TABLE_READY ? t->first_off : 0) +
					       t->descriptor);
		space_maps_tell(u, p);
	}
}

/*
 * Programs read the mapping meanwhile. So bias goes first: it means nothing as long as there are no
 * pages.
 */
void space_maps_table_changed(struct space_maps *u, uint32_t nr)
{
	for (uint32_t i = 0; i < u->nr_mappings; i++) {
		struct unwind_mapping *m = &u->mappings[i], now = *m;

		if (u->mapping_tables[i] != nr || UNWIND_NR_PAGES(m->pages))
			continue;
		file_table_describe(&u->tables->tables.data[nr], m->bias, &now);
		if (now.bias != m->bias) {
			m->bias = now.bias;
			put_mapping(u, i);
		}
		m->pages = now.pages;
		put_mapping(u, i);
	}
	if (u->tables->tables.data[nr].interpreter || u->tables->tables.data[nr].has_regex ||
	    u->tables->tables.data[nr].descriptor)
		note_interpreter(u, nr);
}

struct unwind_process *space_maps_find(const struct space_maps *u, uint32_t pid)
{
	index_for_each(&u->by_pid, hash_u64(pid), i)
		if (u->processes.data[i].pid == pid)
			return &u->processes.data[i];
	return NULL;
}

void space_maps_expect_context(struct space_maps *u, uint32_t pid)
{
	struct unwind_process *p = u->label_keys ? space_maps_find(u, pid) : NULL;
	/* Processes whose address space is not known were there before the recording. */
	const uint64_t wait_ns = p && p->space_id ? CONTEXT_PAUSE_NS : 0;
	const uint64_t next_ns = clock_monotonic_ns() + wait_ns;

	if (!p || p->context.is_known)
		return;
	if (!p->context.next_ns || next_ns < p->context.next_ns)
		p->context.next_ns = next_ns;
	p->context.pause_ns = CONTEXT_PAUSE_NS;
	u->contexts_due_ns = min_u64(u->contexts_due_ns, p->context.next_ns);
}

void space_maps_lose_context(struct space_maps *u, struct unwind_process *p)
{
	if (p->context.is_known) {
		p->context.is_known = false;
		u->nr_contexts--;
		space_maps_tell(u, p);
		map_delete(u->tables->store.maps.thread_contexts, &p->pid);
	}
	p->context = (struct space_context){0};
}

/*
 * Entries of the index outlive their processes. The index is made anew when most of them are old.
 */
static int index_processes(struct space_maps *u)
{
	int ret = 0;

	index_clear(&u->by_pid);
	u->nr_indexed = 0;
	for (size_t i = 0; i < u->processes.nr && !ret; i++) {
		if (!u->processes.data[i].pid)
			continue;
		ret = index_insert(&u->by_pid, hash_u64(u->processes.data[i].pid), i);
		u->nr_indexed++;
	}
	return ret;
}

/* The number of a process that nobody uses. Returns 0 or -ENOMEM. */
static int find_number(struct space_maps *u, uint32_t *at)
{
	if (u->free_processes.nr) {
		*at = u->free_processes.data[--u->free_processes.nr];
		return 0;
	}
	*at = u->processes.nr;
	return vec_push(&u->processes, (struct unwind_process){0});
}

/* Makes room for one more process of @uid in the program's map. Returns 0, -ENOSPC or -ENOMEM. */
static int enter(struct space_maps *u, uint32_t at, uint32_t uid)
{
	uint32_t loser;
	int ret;

	while ((ret = shares_take(&u->room.processes, at, uid, 1, 1, &loser)) == -ENOSPC &&
	       loser != SHARES_NO_ITEM)
		space_maps_remove(u, u->processes.data[loser].pid);
	return ret;
}

/* Adds a process without mappings. Returns 0, -ENOSPC or -ENOMEM. */
static int add_process(struct space_maps *u, uint32_t pid, uint32_t uid,
		       struct unwind_process **process)
{
	struct unwind_process new = {.pid = pid, .uid = uid};
	uint32_t at;
	int ret = 0;

	if (u->nr_indexed > 1024 + 2 * (u->processes.nr - u->free_processes.nr))
		ret = index_processes(u);
	if (!ret)
		ret = find_number(u, &at);
	if (ret)
		return ret;
	ret = enter(u, at, new.uid);
	if (!ret)
		ret = index_insert(&u->by_pid, hash_u64(pid), at);
	if (ret) {
		shares_give(&u->room.processes, at);
		vec_push(&u->free_processes, at);
		return ret;
	}
	u->nr_indexed++;
	u->processes.data[at] = new;
	*process = &u->processes.data[at];
	return 0;
}

/* Room that @p has left may be taken again from the next settle on. */
static int retire_mappings(struct space_maps *u, const struct unwind_process *p, struct extent left)
{
	/* From now on, a changed table does not change these mappings. */
	for (uint32_t i = 0; i < left.nr; i++) {
		file_tables_unuse(u->tables, u->mapping_tables[left.first + i]);
		u->mapping_tables[left.first + i] = NO_TABLE;
	}
	return space_room_leave(&u->room, p->uid, left);
}

/* Is @mapping, of @file, code that the table of what @p has registered tells of? */
static bool is_registered(const struct unwind_process *p, const struct mapped_file *file,
			  const struct mapping *mapping)
{
	return p && p->registered.table != NO_TABLE && mapped_file_is_made_code(file) &&
	       mapping->start - p->registered.base < REGISTERED_CODE_SPAN;
}

/*
 * Is @m, with table @nr, just behind the last one of the list, and the same to the program? The
 * memory of a JIT compiler is often many mappings side by side. @p is NULL or may have registered.
 */
static bool extends_last(const struct space_maps *u, const struct unwind_process *p, uint32_t nr,
			 const struct unwind_mapping *m)
{
	const uint32_t last = u->list.nr - 1;

	return (nr == NO_TABLE || (p && nr == p->registered.table)) && u->list.nr &&
	       u->list_tables.data[last] == nr && u->list.data[last].pages == m->pages &&
	       u->list.data[last].end == m->start &&
	       (nr == NO_TABLE || u->list.data[last].bias == m->bias);
}

/* Puts the mappings of @owner into the list, as the program is to know them. */
static int list_mappings(struct space_maps *u, const mapping_vec *mappings,
			 const struct mapped_files *files, const struct space_owner *owner)
{
	const uint32_t uid = owner->uid, max = space_room_max(&u->room, uid);
	const struct unwind_process *p = space_maps_find(u, owner->pid);

	if (p && p->space_id && p->space_id != owner->space_id)
		p = NULL;

	vec_clear(&u->list);
	vec_clear(&u->list_tables);
	u->list_interpreter = 0;
	u->list_regex_start = u->list_regex_bytes = u->list_descriptor = 0;
	vec_for_each(mappings, mapping) {
		const struct mapped_file *file = mapping_file(files, mapping);
		struct unwind_mapping m = {.start = mapping->start, .end = mapping->end};
		uint32_t nr;
		int ret;

		ret = file_tables_find(u->tables, file, mapping, uid, &nr);
		if (ret)
			return ret;
		file_tables_describe(u->tables, nr, file, mapping->start - mapping->pgoff, &m);
		if (is_registered(p, file, mapping)) {
			nr = p->registered.table;
			file_table_describe(&u->tables->tables.data[nr], p->registered.base, &m);
		}
		if (extends_last(u, p, nr, &m)) {
			u->list.data[u->list.nr - 1].end = m.end;
			continue;
		}
		if (u->list.nr == max)
			break;
		if (interpreter_maps_is_better(&u->tables->interpreters,
					       u->tables->tables.data[nr].interpreter,
					       u->list_interpreter)) {
			u->list_interpreter = u->tables->tables.data[nr].interpreter;
			u->list_base = mapping->start - mapping->pgoff;
		}
		if (u->tables->tables.data[nr].has_regex && !u->list_regex_bytes) {
			u->list_regex_start = m.start;
			u->list_regex_bytes = m.end - m.start;
		}
		if (u->tables->tables.data[nr].descriptor && !u->list_descriptor)
			u->list_descriptor = mapping->start - mapping->pgoff +
					     u->tables->tables.data[nr].descriptor;
		ret = vec_push(&u->list, m);
		if (!ret)
			ret = vec_push(&u->list_tables, nr);
		if (ret)
			return ret;
	}
	return 0;
}

static bool is_unchanged(const struct space_maps *u, const struct unwind_process *p,
			 uint64_t space_id)
{
	if (p->space_id != space_id || p->nr != u->list.nr)
		return false;
	for (uint32_t i = 0; i < p->nr; i++)
		if (u->mappings[p->first + i].start != u->list.data[i].start ||
		    u->mappings[p->first + i].end != u->list.data[i].end ||
		    u->mappings[p->first + i].bias != u->list.data[i].bias ||
		    u->mapping_tables[p->first + i] != u->list_tables.data[i])
			return false;
	return true;
}

/*
 * Tells the program of @p. With a time, nothing more can be known now, and the program need not ask
 * before then. @flags are those of bpf(2).
 */
static int put_space(struct space_maps *u, const struct unwind_process *p, uint64_t ask_again_ns,
		     uint64_t flags)
{
	struct unwind_space space = {.space_id = p->space_id,
				     .ask_again_ns = ask_again_ns,
				     .first = p->first,
				     .nr = p->nr,
				     .is_settled = ask_again_ns != 0,
				     .exec_pages = p->exec_pages,
				     .interpreter_base = p->interpreter_base,
				     .interpreter = number_of_interpreter(u, p),
				     .machine = p->machine.state,
				     .regex_start = p->regex_start,
				     .regex_bytes = p->regex_bytes,
				     .has_context = p->context.is_known};

	return map_update(u->tables->store.maps.spaces, &p->pid, &space, flags) ? -errno : 0;
}

static int put_mappings(struct space_maps *u, uint32_t first)
{
	uint32_t nr = u->list.nr;
	int ret = 0;

	vec_clear(&u->list_keys);
	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = vec_push(&u->list_keys, first + i);
	if (ret)
		return ret;
	if (map_update_batch(u->tables->store.maps.mappings, u->list_keys.data, u->list.data, &nr))
		return -ENOSPC;
	memcpy(&u->mappings[first], u->list.data, u->list.nr * sizeof(*u->mappings));
	for (uint32_t i = 0; i < u->list.nr; i++) {
		u->mapping_tables[first + i] = u->list_tables.data[i];
		file_tables_use(u->tables, u->list_tables.data[i]);
	}
	if (u->nr_mappings < first + u->list.nr)
		u->nr_mappings = first + u->list.nr;
	return 0;
}

/* The program hears that @p has no mappings. A process that has gone gets no new entry. */
static void lose_mappings(struct space_maps *u, struct unwind_process *p)
{
	machines_remove(&u->tables->interpreters.machines, p->pid);
	space_maps_lose_context(u, p);
	set_descriptor(u, p, 0);
	p->machine = (struct process_machine){0};
	p->interpreter = 0;
	p->regex_bytes = 0;
	space_maps_hide(u, p->pid, p->space_id);
	shares_give(&u->room.mappings, number_of(u, p));
	retire_mappings(u, p, (struct extent){p->first, p->nr});
	p->nr = 0;
}

void space_maps_hide(struct space_maps *u, uint32_t pid, uint64_t space_id)
{
	const struct unwind_process hidden = {.pid = pid, .space_id = space_id};

	/* The process may have gone; then nobody would remove a new entry. */
	put_space(u, &hidden, clock_monotonic_ns() + BACKOFF_MAX_NS, BPF_EXIST);
}

/*
 * Tells the program that the mappings of @p have not changed, and to wait longer before it asks
 * again.
 */
static void put_unchanged(struct space_maps *u, struct unwind_process *p)
{
	p->backoff_ns = p->backoff_ns < BACKOFF_MAX_NS / 2 ? p->backoff_ns * 2 : BACKOFF_MAX_NS;
	put_space(u, p, clock_monotonic_ns() + p->backoff_ns, BPF_ANY);
}

/*
 * Takes room for the list of @p, which may have room for other mappings. Others may lose theirs.
 * Returns 0, -ENOSPC or -ENOMEM.
 */
static int take_room(struct space_maps *u, const struct unwind_process *p, bool is_idle,
		     uint32_t *first)
{
	struct shares *shares = &u->room.mappings;
	struct room_user user = {.item = number_of(u, p), .uid = p->uid, .use = !is_idle};
	uint32_t loser;
	int ret;

	if (p->nr)
		user.use = shares->items.data[user.item].use;
	shares_give(shares, user.item);
	while ((ret = space_room_take(&u->room, &user, u->list.nr, first, &loser)) == -ENOSPC &&
	       loser != SHARES_NO_ITEM)
		lose_mappings(u, &u->processes.data[loser]);
	return ret;
}

/* Gives @p the mappings of @owner, which are in the list and at @first in the map. */
static void take_list(struct space_maps *u, struct unwind_process *p,
		      const struct space_owner *owner, uint32_t first)
{
	const struct unwind_process old = *p;

	p->first = first;
	p->nr = u->list.nr;
	p->space_id = owner->space_id;
	p->backoff_ns = BACKOFF_NS;
	p->exec_pages = owner->exec_pages;
	p->interpreter = u->list_interpreter;
	p->interpreter_base = u->list_base;
	p->regex_start = u->list_regex_start;
	p->regex_bytes = u->list_regex_bytes;
	if (old.space_id != p->space_id || old.interpreter != p->interpreter ||
	    old.interpreter_base != p->interpreter_base) {
		machines_remove(&u->tables->interpreters.machines, p->pid);
		p->machine = (struct process_machine){0};
	}
	look_for_machine(u, p);
	if (old.space_id != p->space_id)
		space_maps_lose_context(u, p);
	if (old.space_id && old.space_id != p->space_id)
		set_descriptor(u, p, 0);
	set_descriptor(u, p, u->list_descriptor);
	if (!owner->is_idle)
		space_maps_expect_context(u, p->pid);
	put_space(u, p, 0, BPF_ANY);
}

/* Gives @p room for the list in place of what it has. Returns 0 or -ENOMEM. */
static int replace_mappings(struct space_maps *u, struct unwind_process *p,
			    const struct space_owner *owner)
{
	const struct extent old = {p->first, p->nr};
	uint32_t first;
	int ret = take_room(u, p, owner->is_idle, &first);

	if (ret) {
		p->space_id = owner->space_id;
		lose_mappings(u, p);
		return ret == -ENOMEM ? ret : 0;
	}
	ret = put_mappings(u, first);
	if (ret) {
		extents_give(&u->room.free, first, u->list.nr);
		lose_mappings(u, p);
		return ret == -ENOMEM ? ret : 0;
	}
	take_list(u, p, owner, first);
	return retire_mappings(u, p, old);
}

/* Tells the program the mappings of @owner, which are in the list; as space_maps_put. */
static int install_mappings(struct space_maps *u, const struct space_owner *owner)
{
	struct unwind_process *p = space_maps_find(u, owner->pid);
	int ret = 0;

	if (p && is_unchanged(u, p, owner->space_id)) {
		p->exec_pages = owner->exec_pages;
		look_for_machine(u, p);
		put_unchanged(u, p);
		return 0;
	}
	if (!u->list.nr || (owner->is_idle && !space_room_is_plenty(&u->room, u->list.nr)))
		return 0;
	if (!p)
		ret = add_process(u, owner->pid, owner->uid, &p);
	/* An entry without room would be of no use. */
	if (ret == -ENOSPC)
		map_delete(u->tables->store.maps.spaces, &owner->pid);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	/* After an exec it may be another user's. */
	if (p->space_id != owner->space_id)
		p->uid = owner->uid;
	return replace_mappings(u, p, owner);
}

int space_maps_put(struct space_maps *u, const struct space_owner *owner,
		   const mapping_vec *mappings, const struct mapped_files *files)
{
	int ret = list_mappings(u, mappings, files, owner);

	return ret ? ret : install_mappings(u, owner);
}

bool space_maps_differ(const struct space_maps *u, uint32_t pid, const struct mapping *mapping,
		       uint32_t table)
{
	const struct unwind_process *p = space_maps_find(u, pid);
	const struct unwind_mapping *mappings;
	struct unwind_mapping now;

	if (!p)
		return false;
	mappings = &u->mappings[p->first];
	file_table_describe(&u->tables->tables.data[table], mapping->start - mapping->pgoff, &now);
	for (uint32_t i = search_first(p->nr, k, mappings[k].end > mapping->start);
	     i < p->nr && mappings[i].start < mapping->end; i++) {
		const struct unwind_mapping *m = &mappings[i];

		/* Without a table, the distance to offsets in the file means nothing. */
		if (!file_tables_are_same(u->tables, u->mapping_tables[p->first + i], table) ||
		    (table != NO_TABLE && m->bias != now.bias))
			return true;
	}
	return false;
}

int space_maps_lookup(const struct space_maps *u, uint32_t pid, uint64_t space_id, uint64_t pc,
		      struct unwind_mapping *mapping, bool *has_regex)
{
	const struct unwind_process *p = space_maps_find(u, pid);
	const struct unwind_mapping *mappings;
	uint32_t at;

	if (!p || !p->nr || (p->space_id && p->space_id != space_id))
		return -EAGAIN;
	mappings = &u->mappings[p->first];
	at = search_first(p->nr, i, mappings[i].end > pc);
	if (at == p->nr || pc < mappings[at].start)
		return 0;
	*mapping = mappings[at];
	*has_regex = u->tables->tables.data[u->mapping_tables[p->first + at]].has_regex;
	return 1;
}

bool space_maps_mistake(struct space_maps *u, uint32_t pid, uint64_t pc, uint32_t table)
{
	struct unwind_process *p = space_maps_find(u, pid);
	const struct unwind_mapping *mappings;
	uint32_t at, known;

	if (!p || !p->nr || p->is_waiting)
		return false;
	mappings = &u->mappings[p->first];
	at = search_first(p->nr, i, mappings[i].end > pc);
	if (at == p->nr || pc < mappings[at].start)
		return false;
	known = u->mapping_tables[p->first + at];
	/* Memory without a file may have the table of what is registered. */
	p->is_waiting = known != table && (table != NO_TABLE || known != p->registered.table);
	return p->is_waiting;
}

enum unwind_machine space_maps_machine(const struct space_maps *u, uint32_t pid, uint64_t space_id)
{
	const struct unwind_process *p = space_maps_find(u, pid);
	bool is_known = p && (!p->space_id || p->space_id == space_id);

	return is_known ? p->machine.state : UNWIND_NO_MACHINE;
}

void space_maps_look_for_machines(struct space_maps *u)
{
	size_t nr = 0;

	vec_for_each(&u->expecting, pid) {
		struct unwind_process *p = space_maps_find(u, *pid);
		struct machine_owner owner;

		if (!p || p->machine.state != UNWIND_MACHINE_EXPECTED)
			continue;
		owner = owner_of(u, p);
		process_machine_look_again(&p->machine, &u->tables->interpreters.machines, &owner);
		if (p->machine.state == UNWIND_MACHINE_EXPECTED)
			u->expecting.data[nr++] = *pid;
		else
			space_maps_tell(u, p);
	}
	u->expecting.nr = nr;
}

void space_maps_machine_lost(struct space_maps *u, uint32_t process)
{
	struct unwind_process *p = &u->processes.data[process];

	machines_remove(&u->tables->interpreters.machines, p->pid);
	process_machine_lose(&p->machine);
	space_maps_tell(u, p);
}

/* Room may have become free, or @p has become more important than others. */
static void try_machine(struct space_maps *u, struct unwind_process *p)
{
	const struct machine_owner owner = owner_of(u, p);

	process_machine_look_again(&p->machine, &u->tables->interpreters.machines, &owner);
	if (p->machine.state == UNWIND_MACHINE_EXPECTED && vec_push(&u->expecting, p->pid))
		p->machine.state = UNWIND_NO_MACHINE; /* nobody would look again */
	if (p->machine.state != UNWIND_NO_MACHINE)
		space_maps_tell(u, p);
}

void space_maps_sampled(struct space_maps *u, uint32_t pid, uint64_t nr)
{
	struct unwind_process *p = space_maps_find(u, pid);

	if (!p)
		return;
	shares_use(&u->room.mappings, number_of(u, p), nr);
	shares_use(&u->room.processes, number_of(u, p), nr);
	interpreter_maps_sampled(&u->tables->interpreters, p->interpreter, nr);
	shares_use(&u->tables->interpreters.machines.shares, number_of(u, p), nr);
	if (p->machine.lacks_room && p->interpreter)
		try_machine(u, p);
	if (!p->registered.descriptor || !nr)
		return;
	p->registered.next_ns = u->registered_due_ns = 0;
	if (!p->registered.is_empty)
		p->registered.pause_ns = 0;
}

void space_maps_remove(struct space_maps *u, uint32_t pid)
{
	struct unwind_process *p = space_maps_find(u, pid);

	if (p) {
		lose_mappings(u, p);
		shares_give(&u->room.processes, number_of(u, p));
		p->pid = 0;
		vec_push(&u->free_processes, number_of(u, p));
	}
	map_delete(u->tables->store.maps.spaces, &pid);
}

int space_maps_exited(struct space_maps *u, uint32_t pid)
{
	/* An unknown process makes itself known again if its other threads go on. */
	if (space_maps_find(u, pid) && !proc_is_gone(pid) && proc_has_threads(pid))
		return vec_push(&u->outlived, pid);
	space_maps_remove(u, pid);
	return 0;
}

int space_maps_sweep(struct space_maps *u)
{
	int map = u->tables->store.maps.spaces, ret = 0;
	uint32_t pid, *last = NULL;

	vec_clear(&u->list_keys);
	while (!ret && !map_next_key(map, last, &pid)) {
		ret = vec_push(&u->list_keys, pid);
		last = &pid;
	}
	vec_for_each(&u->list_keys, key)
		if (proc_is_gone(*key))
			space_maps_remove(u, *key);
	return ret;
}

static void remove_outlived(struct space_maps *u)
{
	size_t nr = 0;

	vec_for_each(&u->outlived, pid) {
		if (proc_is_gone(*pid))
			space_maps_remove(u, *pid);
		else
			u->outlived.data[nr++] = *pid;
	}
	u->outlived.nr = nr;
}

int space_maps_settle(struct space_maps *u)
{
	space_room_settle(&u->room);
	remove_outlived(u);
	return file_tables_settle(u->tables);
}

int space_maps_init(struct space_maps *u, struct file_tables *tables)
{
	*u = (struct space_maps){.tables = tables};
	/* The kernel gives no memory to room that is never touched. */
	u->mappings = calloc(UNWIND_MAX_MAPPINGS, sizeof(*u->mappings));
	u->mapping_tables = calloc(UNWIND_MAX_MAPPINGS, sizeof(*u->mapping_tables));
	if (!u->mappings || !u->mapping_tables)
		return -ENOMEM;
	return space_room_init(&u->room);
}

void space_maps_deinit(struct space_maps *u)
{
	space_room_deinit(&u->room);
	vec_free(&u->processes);
	vec_free(&u->outlived);
	vec_free(&u->expecting);
	vec_free(&u->free_processes);
	vec_free(&u->list);
	vec_free(&u->list_tables);
	vec_free(&u->list_keys);
	index_deinit(&u->by_pid);
	free(u->mappings);
	free(u->mapping_tables);
}
