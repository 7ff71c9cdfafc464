# Compares stacks of tests/programs/known_calls.py with those that its interpreter has told of: awk -f this OWN FOLDED,
# where OWN is the file that the program has written, and FOLDED has annotations, root first. Prints the numbers of
# samples whose functions are among the interpreter's stacks, and of others. Shows the others on stderr.
NR == FNR {
	own[$0] = 1
	next
}

{
	nr = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, frames, ";")
	stack = ""
	for (i = 1; i <= n; i++)
		if (sub(/_\[py\]$/, "", frames[i]))
			stack = stack (stack == "" ? "" : ";") frames[i]
	# The interpreter told of threads alone, and knows no stack that profrec calls incomplete.
	if (stack !~ /^(Thread[.])?_bootstrap;/ || stack ~ /\[(displaced|not readable)\]/)
		next
	if (stack in own) {
		same += nr
	} else {
		others += nr
		print "unknown to the interpreter: " stack > "/dev/stderr"
	}
}

END {
	printf "same %d\nothers %d\n", same, others
}
