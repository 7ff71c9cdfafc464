# Checks folded stacks of tests/programs/known_calls.py, root first, with annotations. Prints the numbers of pairs of
# caller and function, of wrong pairs, of wrong depths of recursion, of segments, of segments without their native
# frame, and of stacks. Wrong ones are shown on stderr. Needs pairs.awk.
BEGIN {
	callers["key_of"] = "sort_by_key"
	callers["sort_by_key"] = callers["sum_numbers"] = callers["method"] = callers["make_bottoms"] = "work"
	callers["numbers"] = "sum_numbers"
	callers["sum_tree"] = callers["run_loop"] = "work"
	callers["wait_inner"] = "wait_outer"
	callers["value"] = "method"
	callers["work"] = callers["compress"] = "run"
	callers["run"] = "_bootstrap_inner"
	burners = "^(key_of|numbers|value|walk_tree|wait_inner|bottom_[0-9]+)$"
}

function is_own(name)
{
	return name in callers || name ~ /^(burn|descend|walk_tree|bottom_[0-9]+)$/
}

function allowed(caller, name)
{
	# Python's own modules have functions that nobody knows here.
	if (!is_own(name) && (!is_own(caller) || caller ~ /^(run|work|run_loop|wait_inner)$/))
		return 1
	# A task runs each of these.
	if (name == "wait_outer" || name == "wait_both")
		return !is_own(caller)
	if (name == "burn")
		return caller ~ burners
	if (name == "descend")
		return caller == "work" || caller == "descend"
	if (name == "walk_tree")
		return caller == "sum_tree" || caller == "walk_tree"
	if (name ~ /^bottom_/)
		return caller == "descend"
	return name in callers && caller == callers[name]
}

{
	nr = begin_stack()
	# The interpreter was changing the chain: nothing is claimed of it. Such stacks are counted apart.
	if (stack ~ /\[displaced\]|\[not readable\]/)
		next
	for (i = 2; i <= nr; i++) {
		if (frames[i] !~ /_\[py\]$/)
			continue
		name = frames[i]
		# Before 3.11 names lack the class.
		sub(/_\[py\]$/, "", name)
		sub(/^.*[.]/, "", name)
		# The module of the program starts the threads, and imports what it needs.
		if (name == "<module>" || name ~ /^_find_and_load|^_load|^_call_with/)
			next
		if (frames[i - 1] !~ /_\[py\]$/) {
			segments += count
			# The first frame of a stack that was cut has no caller.
			if (i > 2 && frames[i - 1] !~ /^_PyEval_EvalFrameDefault$|^\[(lib)?python3[^+]*[+]0x/) {
				misplaced += count
				print "misplaced: " stack > "/dev/stderr"
			}
		}
		judge_pair(name)
		judge_depth(name, "bottom_")
	}
}

END {
	printf "pairs %d\nwrong %d\ndepths %d\nsegments %d\nmisplaced %d\nstacks %d\n", pairs, wrong, deep, segments, misplaced, stacks
}
