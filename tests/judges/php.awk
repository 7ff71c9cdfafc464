# known_php.awk PAIRS FOLDED: checks folded stacks of tests/programs/known_calls.php, root first, with annotations. PAIRS
# has the callers and functions that PHP itself has named. Prints the numbers of pairs of caller and function, of wrong
# pairs, of wrong depths of recursion, of segments, of segments that are not in the native frame that runs them, of
# stacks, and of those with functions out of place. Wrong ones are shown on stderr.
BEGIN {
	generators = "^(numbers|delegate|delegate_outer)$"
	# Their callers are any function, and they call none of the program.
	helpers = "^(note_pairs|name_of|debug_backtrace|array_slice|array_keys|implode|file_put_contents)$"
}

FNR == NR {
	allowed[$1 " " $2] = 1
	known[$2] = 1
	next
}

# The name as PHP says it.
function plain(frame)
{
	sub(/_\[php\]$/, "", frame)
	if (frame ~ /eval\(\)'d code>$/)
		return "eval"
	return frame == "<known_calls.php>" ? "main" : frame
}

function is_php(frame)
{
	return frame ~ /_\[php\]$/
}

# Is a native frame that runs the function that begins a segment?
function is_runner(native, name)
{
	if (name ~ generators)
		return native == "zend_generator_resume"
	if (name == "main")
		return native ~ /^(zend_execute|zend_execute_scripts)$/
	return native == "zend_call_function"
}

{
	stack = $0
	count = $NF
	sub(/ [0-9]+$/, "", stack)
	nr = split(stack, frames, ";")
	caller = ""
	depth = 0
	has_php = 0
	out_of_place = stack ~ /\[displaced\]|\[not readable\]/
	for (i = 2; i <= nr; i++) {
		if (!is_php(frames[i]) || frames[i] ~ /^\[(displaced|not readable)\]/)
			continue
		name = plain(frames[i])
		if (name ~ helpers)
			break
		has_php = 1
		if (!is_php(frames[i - 1]) && i > 2) {
			segments += count
			# A function whose native frame has not begun is the leaf.
			if (i < nr && (frames[i - 1] !~ /^execute_ex$|^\[php[^+]*[+]0x|^\[unknown\]/ || !is_runner(frames[i - 2], name))) {
				misplaced += count
				print "misplaced " name ": " stack > "/dev/stderr"
			}
		}
		if (caller != "") {
			pairs += count
			# Functions in C that call nothing of the program are not known.
			if (name in known && !((caller " " name) in allowed)) {
				wrong += count
				print "wrong pair " caller " -> " name ": " stack > "/dev/stderr"
			}
		}
		if (name == "descend")
			depth++
		if (name ~ /^bottom_/ && "bottom_" depth != name) {
			deep += count
			print "depth " depth ": " stack > "/dev/stderr"
		}
		caller = name
	}
	stacks += has_php * count
	displaced += has_php * out_of_place * count
}

END {
	printf "pairs %d\nwrong %d\ndepths %d\nsegments %d\nmisplaced %d\nstacks %d\ndisplaced %d\n", pairs, wrong, deep,
		segments, misplaced, stacks, displaced
}
