# known_lines.awk SOURCE FOLDED: checks lines and files of functions of tests/programs/known_calls.erl, as profrep -fsm
# prints them. The truth is the text: a function is defined where it first begins a line. A fun or a list
# comprehension stands in the text of its function. Prints the numbers of functions with the expected line, of frames
# without it, and of functions in another file. Wrong frames are shown on stderr.
FNR == 1 {
	nr_files++
	file = "known_calls.erl"
	ahead = 0
}

# The next line is one more than it says.
nr_files == 1 && /^-file\(/ {
	split($0, part, /[",) ]+/)
	file = part[2]
	ahead = part[3] - FNR
}

nr_files == 1 && match($0, /^[a-z_0-9]+\(/) {
	name = substr($0, 1, RLENGTH - 1)
	if (!(name in line_of)) {
		line_of[name] = FNR + ahead
		file_of[name] = file
		end_of[last] = FNR
		last = name
	}
}

# Its line and its file, as in "-work/1-fun-0-/1:40 [known_calls.erl]".
function is_right(frame, parts, name, line)
{
	if (split(frame, parts, /[:\/ ]/) < 3 || !match(frame, /:[0-9]+ \[[^]]*\]$/))
		return 0
	line = substr(frame, RSTART + 1) + 0
	name = parts[1]
	sub(/^-/, "", name)
	if (substr(frame, index(frame, "[")) != "[" file_of[name] "]")
		return 0
	if (frame ~ /^-/)
		return line > line_of[name] && line < end_of[name]
	return line == line_of[name]
}

nr_files == 2 {
	sub(/ [0-9]+$/, "")
	nr = split($0, frames, ";")
	for (i = 1; i <= nr; i++) {
		if (!sub(/^known_calls:/, "", frames[i]) || frames[i] in seen)
			continue
		seen[frames[i]] = 1
		if (is_right(frames[i])) {
			lined++
			others += frames[i] ~ /other\.hrl\]$/
		} else {
			elsewhere++
			print frames[i] > "/dev/stderr"
		}
	}
}

END {
	printf "lined %d\nelsewhere %d\nothers %d\n", lined, elsewhere, others
}
