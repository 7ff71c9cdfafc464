# Checks folded stacks of tests/programs/known_calls.js, root first, with annotations. Prints the numbers of pairs of
# caller and function, of wrong pairs, of wrong depths of recursion, of frames of JavaScript, and of stacks. Wrong ones
# are shown on stderr. With INLINED, functions may be missing that the compiler has put into their callers. Needs
# pairs.awk.
BEGIN {
	callers["descend"] = "recurse descend"
	callers["recurse"] = callers["useShapes"] = callers["sortObjects"] = callers["mapNumbers"] = "work"
	callers["sumNumbers"] = callers["replaceText"] = callers["printJson"] = callers["throwThings"] = "work"
	callers["useProxy"] = callers["applyThings"] = callers["makeFunctions"] = "work"
	callers["make"] = callers["area"] = callers["get_width"] = "useShapes"
	# The fields of a class are set by a function that has its name.
	callers["Shape"] = "make Shape"
	callers["grow"] = "Shape"
	callers["#hidden"] = "area"
	callers["measure"] = "get_width"
	callers["compareKeys"] = callers["makeObject"] = "sortObjects"
	callers["keyOf"] = "compareKeys"
	callers["doubled"] = callers["added"] = callers["visited"] = "mapNumbers"
	callers["delegating"] = "sumNumbers"
	callers["numbers"] = "delegating"
	callers["replaced"] = "replaceText"
	callers["jsonOf"] = "printJson"
	callers["thrower"] = "throwThings"
	callers["trapped"] = "useProxy"
	callers["applied"] = callers["boundTo"] = callers["reflected"] = "applyThings"
	callers["made_"] = callers["anonymous"] = "makeFunctions"
	callers["inner_made_"] = "made_"
	callers["bottom_"] = "descend"
	callers["work"] = callers["collect"] = callers["waiter"] = "run"
	callers["garbage"] = "collect"
	callers["awaited"] = "waiter"
	callers["burn"] = "bottom_ area #hidden grow measure keyOf makeObject visited doubled added numbers replaced jsonOf " \
		"thrower trapped applied boundTo reflected garbage inner_made_ awaited"
	# The event loop goes on with these. The file itself makes functions, too.
	callers["run"] = "<known_calls.js>"
	resumed = "^(run|waiter|<known_calls.js>|anonymous)$"
	# V8's own, which call functions of the program.
	builtin = "^(sort|map|forEach|reduce|replace|\\[Symbol[.]replace\\]|from|next|stringify|apply|call|\\(anonymous\\))$"
}

# made_3_1 and bottom_7 are made with their numbers. A getter has a space in its name.
function plain(name)
{
	sub(/[0-9]+(_[0-9]+)?$/, "", name)
	sub(/ /, "_", name)
	return name
}

# Does the chain of callers of NAME, of TURNS calls, contain CALLER?
function may_call(caller, name, turns,	list, nr, i)
{
	nr = split(callers[name], list, " ")
	for (i = 1; i <= nr; i++)
		if (list[i] == caller || (turns > 1 && list[i] != name && may_call(caller, list[i], turns - 1)))
			return 1
	return 0
}

function allowed(caller, name)
{
	if (!(plain(name) in callers))
		return 1
	if (!(plain(caller) in callers))
		return plain(name) ~ resumed || (caller == "<known_calls.js>" && may_call("run", plain(name), INLINED ? 9 : 1))
	# The numbers of a function and of the one in it are the same.
	if (name ~ /^inner_made_/ && caller ~ /^made_/)
		return name == "inner_" caller
	return may_call(plain(caller), plain(name), INLINED ? 9 : 1)
}

{
	nr = begin_stack()
	# Early samples have no functions.
	if (stack !~ /_\[js[],]/)
		next
	for (i = 2; i <= nr; i++) {
		name = frames[i]
		if (!sub(/_\[js(,inl)?\]$/, "", name))
			continue
		js += count
		if (name ~ builtin)
			continue
		judge_pair(name)
		if (name == "descend")
			depth++
		bottom = substr(name, 8)
		if (index(name, "bottom_") == 1 && (INLINED ? depth > bottom + 0 : depth != bottom)) {
			deep += count
			print "depth " depth ": " stack > "/dev/stderr"
		}
	}
}

END {
	printf "pairs %d\nwrong %d\ndepths %d\nframes %d\nstacks %d\n", pairs, wrong, deep, js, stacks
}
