# known_perl.awk PAIRS FOLDED: checks folded stacks of tests/programs/known_calls.pl, root first, with annotations. PAIRS
# has the callers and subs that Perl itself has named. Prints the numbers of pairs of caller and sub, of wrong pairs, of
# wrong depths of recursion, of segments, of segments that are not in the native frame that runs them, of stacks, of those
# with subs out of place, of subs, and of those without a name. Wrong ones are shown on stderr.
BEGIN {
	# Their callers are any sub.
	helpers = "^main::(note_pairs|burn)$"
	# C code calls them by perl_run, by the two functions that call a sub, or by itself many times.
	overloads = "^Number::[a-z]*_over$"
	called = "^(Tied::[A-Z]+|Mortal::DESTROY|main::BEGIN)$"
	compared = "^main::(compare|compare_prototype|compare_in_eval)$"
}

FNR == NR {
	allowed[$1 " " $2] = 1
	known[$2] = 1
	next
}

# The name as Perl says it.
function plain(frame)
{
	sub(/_\[pl\]$/, "", frame)
	return frame == "<known_calls.pl>" ? "main" : frame
}

function is_perl(frame)
{
	return frame ~ /_\[pl\]$/
}

# The native frame that calls the loop which is frame number @i. An eval goes on in a loop of its own, one or two frames
# on.
function runner(i)
{
	while (frames[i - 1] !~ /^Perl_(call_sv|amagic_call)$/)
		if (frames[i - 2] == "Perl_runops_standard")
			i -= 2
		else if (frames[i - 3] == "Perl_runops_standard" && frames[i - 2] !~ /entersub/)
			i -= 3
		else
			break
	return frames[i - 1]
}

# Is the sub with @name, which begins a segment, run by a loop of the kind that it needs?
function is_in_place(i, name,   by)
{
	if (frames[i - 1] != "Perl_runops_standard")
		return 0
	by = runner(i - 1)
	if (name == "main")
		return by == "perl_run" || frames[i - 3] == "perl_run"
	if (name ~ overloads)
		return by == "Perl_amagic_call"
	if (name ~ called)
		return by == "Perl_call_sv"
	if (name ~ compared)
		return by !~ /^(perl_run|Perl_call_sv|Perl_amagic_call)$/
	return 1
}

{
	stack = $0
	count = $NF
	sub(/ [0-9]+$/, "", stack)
	nr = split(stack, frames, ";")
	caller = ""
	depth = 0
	has_perl = 0
	out_of_place = stack ~ /\[displaced\]|\[not readable\]/
	for (i = 2; i <= nr; i++) {
		if (!is_perl(frames[i]) || frames[i] ~ /^\[(displaced|not readable)\]/)
			continue
		subs += count
		if (frames[i] ~ /^\[/) {
			nameless += count
			caller = ""
			continue
		}
		name = plain(frames[i])
		has_perl = 1
		if (!is_perl(frames[i - 1])) {
			segments += count
			# A sub whose native frame has not begun is the leaf.
			if (i < nr && !is_in_place(i, name)) {
				misplaced += count
				print "misplaced " name ": " stack > "/dev/stderr"
			}
		}
		if (caller != "") {
			pairs += count
			if (name in known && !((caller " " name) in allowed)) {
				wrong += count
				print "wrong pair " caller " -> " name ": " stack > "/dev/stderr"
			}
		}
		if (name == "main::descend")
			depth++
		if (name ~ /^main::bottom_/ && "main::bottom_" depth != name) {
			deep += count
			print "depth " depth ": " stack > "/dev/stderr"
		}
		if (name ~ helpers)
			break
		caller = name
	}
	stacks += has_perl * count
	displaced += has_perl * out_of_place * count
}

END {
	printf "pairs %d\nwrong %d\ndepths %d\nsegments %d\nmisplaced %d\nstacks %d\ndisplaced %d\nsubs %d\nnameless %d\n", pairs, wrong, deep,
		segments, misplaced, stacks, displaced, subs, nameless
}
