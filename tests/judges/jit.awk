# Checks folded stacks of tests/programs/known_jit.php, root first, with modules. Prints the numbers of pairs of caller and
# frame, of pairs whose frame is made code, of wrong pairs, of wrong depths of recursion, and of stacks. Wrong ones are
# shown on stderr. Frames of PHP's functions are those of its interpreter's loop, or of made code in its place.
{
	stack = $0
	count = $NF
	sub(/ [0-9]+$/, "", stack)
	nr = split(stack, frames, ";")
	depth = 0
	stacks += count
	for (i = 2; i <= nr; i++) {
		made = frames[i] ~ /\[zero \(deleted\)\]$/
		if (!made && frames[i] !~ /^execute_ex /)
			continue
		depth++
		pairs += count
		made_pairs += made ? count : 0
		if (frames[i - 1] !~ (depth == 1 ? "^zend_execute " : "^zend_call_function ")) {
			wrong += count
			print "wrong pair " frames[i - 1] " -> " frames[i] ": " stack > "/dev/stderr"
		}
	}
	if (stack ~ /;php_base64_encode[^;]*$/ && depth != 1 || stack ~ /;php_raw_url_encode[^;]*$/ && depth != 3 ||
	    stack ~ /;php_addslashes[^;]*$/ && depth != 6) {
		deep += count
		print "depth " depth ": " stack > "/dev/stderr"
	}
}

END {
	printf "pairs %d\nmade %d\nwrong %d\ndepths %d\nstacks %d\n", pairs, made_pairs, wrong, deep, stacks
}
