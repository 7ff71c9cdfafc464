# Checks folded stacks of tests/programs/KnownCalls.java, root first, with annotations. Prints the numbers of pairs of
# caller and method, of wrong pairs, of wrong depths of recursion, of methods that are inlined, and of stacks. Wrong ones
# are shown on stderr. Needs pairs.awk.
BEGIN {
	split("burn=area|side|compareKeys|bottom[0-9]+|raise|catchRaised|reflected area=drawShapes side=area drawShapes=work " \
		"sortByKey=work sortByName=work descend=work|descend raise=raise|catchRaised catchRaised=work reflect=work <init>=<clinit>", rules, " ")
	for (i in rules) {
		split(rules[i], rule, "=")
		callers[rule[1]] = "^(" rule[2] ")$"
	}
	# Library code and code that HotSpot makes for reflection and lambdas call these.
	split("compareKeys reflected work compress main", names, " ")
	for (i in names)
		called_by_others[names[i]] = 1
	# These call library code.
	others = "^(sortByKey|sortByName|reflect|work|compress|main|compareKeys|raise|<init>)$"
}

function allowed(caller, name)
{
	if (name ~ /^bottom/)
		return caller == "descend"
	if (name in callers)
		return caller ~ callers[name]
	# The library's part of a reflective call can be inlined.
	if (name in called_by_others)
		return caller == "other" || (name == "reflected" && caller == "reflect")
	return caller == "other" || caller ~ others
}

{
	nr = begin_stack()
	for (i = 2; i <= nr; i++) {
		# Code of HotSpot can call Java for its own ends, such as to load a class.
		if (frames[i] !~ /_\[java(,inl)?\]$/) {
			caller = ""
			continue
		}
		name = frames[i]
		inlined += sub(/_\[java,inl\]$/, "", name) * count
		sub(/_\[java\]$/, "", name)
		if (name !~ /^KnownCalls[.$]/ || name ~ /\$\$/)
			name = "other"
		sub(/^.*[.]/, "", name)
		judge_pair(name)
		judge_depth(name, "bottom")
	}
}

END {
	printf "pairs %d\nwrong %d\ndepths %d\ninlined %d\nstacks %d\n", pairs, wrong, deep, inlined, stacks
}
