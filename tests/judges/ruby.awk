# known_ruby.awk PAIRS FOLDED: checks folded stacks of tests/programs/known_calls.rb, root first, with annotations. PAIRS
# has the callers and functions that Ruby itself has named. Prints the numbers of pairs of caller and function, of wrong
# pairs, of wrong depths of recursion, of segments, of segments that are not after the native frames that call them, of
# functions, of functions without a name, of stacks with functions, and of stacks with functions out of place. Wrong ones
# are shown on stderr.
BEGIN {
	FS = ";"
	# Their callers are any function, and they call what nobody has noted.
	helpers = "^(note_pairs|block in note_pairs|block [(]2 levels[)] in note_pairs)$"
	# The native function that calls a block.
	runner["block in nest"] = runner["block in each_in_array"] = runner["block in break_out"] = "^rb_ary_each$"
	runner["block in each_and_throw"] = runner["block in rescue_through_c"] = "^rb_ary_each$"
	runner["block in sort_by_block"] = "^(rb_ary_sort_bang|ruby_qsort|qsort_r|__qsort_r)$"
	runner["block in each_in_hash"] = "^rb_hash_foreach$|hash"
}

BEGIN {
	# The code of an eval has the name of the block around it.
	allowed["block in <main>;block in <main>"] = 1
}

FNR == NR {
	allowed[$0] = 1
	next
}

# From 3.4 on, the backtraces of Ruby leave the code of a rescue out, and give that of an eval the name of its caller.
FNR == 1 {
	is_merged = !("rescue_it;rescue in rescue_it" in allowed)
}

function is_ruby(frame)
{
	return frame ~ /_\[rb\]$/
}

function is_out_of_place(frame)
{
	return frame ~ /^\[(displaced|not readable)\]/
}

# Is a frame after number i, up to number k, one that calls the function with this name?
function has_runner(i, k, name)
{
	if (!(name in runner) || runner[name] ~ /hash/)
		return 1
	while (++i < k)
		if (frames[i] ~ runner[name])
			return 1
	return 0
}

{
	stack = $0
	count = stack
	sub(/.* /, "", count)
	sub(/ [0-9]+$/, "", stack)
	nr = split(stack, frames, ";")
	caller = ""
	last = 1
	depth = nests = has_functions = is_bad = is_loaded = 0
	for (i = 2; i <= nr; i++) {
		if (!is_ruby(frames[i]))
			continue
		if (is_out_of_place(frames[i])) {
			is_bad = 1
			break
		}
		name = frames[i]
		sub(/_\[rb\]$/, "", name)
		if (name ~ /^\[?0x|^\[unknown\]/)
			unnamed += count
		# Before the program begins, Ruby loads its libraries.
		if (name ~ /gem|require|<(top|class|module)|<internal:|DidYouMean|ErrorHighlight|SyntaxSuggest/)
			is_loaded = 1
		if (is_loaded || name ~ helpers)
			break
		if (is_merged && name == "<compiled>")
			name = caller
		has_functions = 1
		functions += count
		if (last != i - 1 && last > 1) {
			segments += count
			# A function whose native frame has not begun is the leaf.
			if (i < nr && !has_runner(last, i, name)) {
				misplaced += count
				print "misplaced " name ": " stack > "/dev/stderr"
			}
		}
		if (is_merged && name == "rescue in " caller) {
			last = i
			continue
		}
		if (caller != "") {
			pairs += count
			if (!((caller ";" name) in allowed)) {
				wrong += count
				print "wrong pair " caller " -> " name ": " stack > "/dev/stderr"
			}
		}
		depth += name == "descend"
		nests += name == "nest"
		if ((name ~ /^bottom_/ && "bottom_" depth != name) || (name ~ /^floor_/ && "floor_" nests != name)) {
			deep += count
			print "depth " depth " " nests ": " stack > "/dev/stderr"
		}
		caller = name
		last = i
	}
	stacks += has_functions * count
	displaced += is_bad * count
}

END {
	printf "pairs %d\nwrong %d\ndepths %d\nsegments %d\nmisplaced %d\nfunctions %d\nunnamed %d\nstacks %d\ndisplaced %d\n", pairs,
		wrong, deep, segments, misplaced, functions, unnamed, stacks, displaced
}
