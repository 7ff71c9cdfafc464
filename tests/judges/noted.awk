# noted.awk PAIRS FOLDED: compares folded stacks, root first and with annotations, with the callers and functions that an
# interpreter has named, CALLER;FUNCTION a line. MARK is the annotation of its functions. Functions that it has not named,
# such as those of its own modules, are no callers. Prints the numbers of pairs and of wrong ones, which are shown on stderr.
NR == FNR {
	allowed[$0] = 1
	sub(/.*;/, "")
	known[$0] = 1
	next
}

{
	count = $NF
	stack = $0
	sub(/ [0-9]+$/, "", stack)
	nr = split(stack, frames, ";")
	caller = ""
	for (i = 2; i <= nr; i++) {
		name = frames[i]
		if (!sub("_\\[" MARK "\\]$", "", name))
			continue
		if (name ~ /^\[(displaced|not readable)\]/)
			break
		if (caller != "" && name in known) {
			pairs += count
			if (!((caller ";" name) in allowed)) {
				wrong += count
				print "wrong pair " caller " -> " name ": " stack > "/dev/stderr"
			}
		}
		caller = name
	}
}

END {
	printf "pairs %d\nwrong %d\n", pairs, wrong
}
