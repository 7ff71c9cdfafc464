# The part that several known_*.awk share: it counts pairs of caller and function, and depths of
# recursion. They call begin_stack() for each line of folded output, and have a function allowed(caller, name).

# Takes the count off the line, and divides the rest into frames. Returns the number of frames.
function begin_stack()
{
	count = $NF
	stack = $0
	sub(/ [0-9]+$/, "", stack)
	caller = ""
	depth = 0
	stacks += count
	return split(stack, frames, ";")
}

function judge_pair(name)
{
	if (caller != "") {
		pairs += count
		if (!allowed(caller, name)) {
			wrong += count
			print "wrong pair " caller " -> " name ": " stack > "/dev/stderr"
		}
	}
	caller = name
}

# The bottom of a recursion is named by its depth, after PREFIX.
function judge_depth(name, prefix)
{
	if (name == "descend")
		depth++
	if (index(name, prefix) == 1 && prefix depth != name) {
		deep += count
		print "depth " depth ": " stack > "/dev/stderr"
	}
}
