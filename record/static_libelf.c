// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For the static recorder. libelf.a of elfutils 0.192 (Debian 13) calls two functions that the
 * archive lacks (sourceware bug 32293). They set up and tear down a tree of raw chunks, which fills
 * only when elf_getdata_rawchunk() is called. Neither profrec nor libbpf calls it, so the tree may
 * stay as it is. A libelf.a that has its own tree brings these functions along with it.
 */
struct search_tree;
typedef int compare_nodes(const void *a, const void *b);
typedef void free_node(void *node);

void eu_search_tree_init(struct search_tree *tree, compare_nodes *compare);
void eu_search_tree_fini(struct search_tree *tree, free_node *free);

__attribute__((weak)) void eu_search_tree_init(struct search_tree *tree, compare_nodes *compare)
{
	(void)tree;
	(void)compare;
}

__attribute__((weak)) void eu_search_tree_fini(struct search_tree *tree, free_node *free)
{
	(void)tree;
	(void)free;
}
