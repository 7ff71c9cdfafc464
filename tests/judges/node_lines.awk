# node_lines.awk TRUTH FOLDED: checks lines of functions of JavaScript, as profrep -Ufsm prints them, by those that V8's own
# profiler tells: lines "NAME:LINE [FILE]". Prints the numbers of functions with that line and with another one, and of
# frames of such functions, with and without a line. Wrong functions are shown on stderr. The function that sets the fields
# of class Shape has the name of the constructor, so the name says nothing.

# The name and the file; a name has no " [".
function key_of(frame, name)
{
	name = frame
	sub(/ \[[^]]*\]$/, "", name)
	sub(/:[0-9]+$/, "", name)
	return name substr(frame, match(frame, / \[[^]]*\]$/))
}

NR == FNR {
	key = key_of($0)
	nr[key] += /^Shape:/ ? 2 : 1
	truth[key] = $0
	next
}

{
	count = $NF
	sub(/ [0-9]+$/, "")
	nr_frames = split($0, list, ";")
	for (i = 1; i <= nr_frames; i++) {
		key = key_of(list[i])
		if (nr[key] != 1)
			continue
		known += count
		if (list[i] == key) {
			unlined += count
			continue
		}
		if (list[i] in seen)
			continue
		seen[list[i]] = 1
		if (list[i] == truth[key]) {
			lined++
		} else {
			elsewhere++
			print list[i] " is " truth[key] > "/dev/stderr"
		}
	}
}

END {
	printf "lined %d\nelsewhere %d\nknown %d\nunlined %d\n", lined, elsewhere, known, unlined
}
