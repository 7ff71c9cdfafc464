# Checks folded stacks of tests/programs/known_calls.erl, root first, with annotations. Prints the numbers of pairs of
# caller and function, of wrong pairs, of wrong depths of recursion, of frames of Erlang, of those without a name, and of
# stacks. Wrong ones are shown on stderr. Needs pairs.awk.
BEGIN {
	split("burn/2=burn/2|leave_4/1|few/1|bottom10/1|bottom60/1|compare/2 leave_addresses/1=work/1|wide/3 " \
		"leave_1/1=leave_addresses/1 leave_2/1=leave_1/1 leave_3/1=leave_2/1 leave_4/1=leave_3/1 wide/3=work/1|wide/3 " \
		"few/1=wide/3|late/2|element_of/1|fail/1|value/2|match_binary/2|in_fun/1|applied/1|wait_for_question/0|answer/1|ask/2 " \
		"late/2=work/1|late/2 descend/2=work/1|descend/2 bottom10/1=descend/2 bottom60/1=descend/2 churn/1=work/1 " \
		"build/2=churn/1 element_of/1=-churn/1-fun-0-/1 fail/1=work/1 raise/2=fail/1|raise/2 builtins/1=work/1 " \
		"value/2=-builtins/1-fun-[0-9]-/[23] match_binary/2=work/1|match_binary/2 apply_fun/2=work/1 in_fun/1=apply_fun/2|-work/1-fun-0-/1 " \
		"applied/1=apply_fun/2 wait_for_question/0=server/1 answer/1=server/1 ask/2=round/2 work/1=round/2 " \
		"round/2=-until/2-lc\\$\\^[0-9]/1-[0-9]-/2 compare/2=lists:.*|-builtins/1-fun-[0-9]-/2 -churn/1-fun-0-/1=lists:map.* " \
		"until/2=until/2|start/1|-start/1-fun-0-/2 ", rules, " ")
	for (i in rules) {
		at = index(rules[i], "=")
		callers[substr(rules[i], 1, at - 1)] = "^(" substr(rules[i], at + 1) ")$"
	}
	# Library code is called by these, and by other library code.
	others = "^(start/1|until/2|churn/1|builtins/1|server/1|value/2|raise/2|-until/2-lc.*|-builtins/1-.*|.*:.*)$"
}

function allowed(caller, name)
{
	if (name in callers)
		return caller ~ callers[name]
	if (name ~ /:/)
		return caller ~ others
	return 1
}

function judge_bottom(name)
{
	if (name == "descend/2")
		levels++
	if (name ~ /^bottom/ && name != "bottom" (levels - 1) "/1") {
		deep += count
		print "depth " levels ": " stack > "/dev/stderr"
	}
}

{
	nr = begin_stack()
	levels = 0
	for (i = 2; i <= nr; i++) {
		# C code is the leaf, or code that modules share is called by a function.
		if (frames[i] !~ /_\[beam\]$/) {
			caller = ""
			continue
		}
		name = frames[i]
		erlang += count
		if (name ~ /unknown/)
			unnamed += count
		sub(/_\[beam\]$/, "", name)
		sub(/^known_calls:/, "", name)
		judge_pair(name)
		judge_bottom(name)
	}
}

END {
	printf "pairs %d\nwrong %d\ndepths %d\nframes %d\nunnamed %d\nstacks %d\n", pairs, wrong, deep, erlang, unnamed, stacks
}
