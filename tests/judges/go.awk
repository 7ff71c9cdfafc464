# Checks folded stacks of tests/programs/known_go, root first. What calls what is in the files before: first the profile that the
# program wrote itself, as "go tool pprof -traces" prints it, then the program's code, as objdump prints it. A pair is known if
# the profile has it, or the code has a direct call of the function, or of one that jumps to it. Calls through pointers are known
# by the profile alone. Only a function that nothing calls directly is allowed below any caller that calls through a pointer.
# Prints the numbers of pairs, of unknown pairs and of stacks; unknown ones on stderr.

# The assembler's functions have names with their calling convention.
function plain(name)
{
	sub(/\.(abi0|abiinternal)(\.[0-9]+)?$/, "", name)
	return name
}

# Wrappers that the compiler makes: the profile leaves them out.
function is_wrapper(name) { return name ~ /-fm$/ || name ~ /^main\.\(\*circle\)\.area$/ }

function is_known(caller, name,    between)
{
	if ((caller, name) in known)
		return 1
	for (between in jumps)
		if ((caller, between) in known && index(jumps[between], SUBSEP name SUBSEP))
			return 1
	# A signal interrupts any function, and so does the scheduler.
	if (caller == "runtime.goexit" || name ~ /^(runtime\.(sigreturn|asyncPreempt)|__restore_rt)/ ||
	    caller ~ /^(runtime\.sigreturn|__restore_rt)/)
		return 1
	# No code of the program: the vdso.
	if (name ~ /^(__vdso_|\[vdso)/)
		return 1
	return caller in by_pointer && !(name in called)
}

FNR == 1 { file++ }

file == 1 {
	if (/^-----/) {
		callee = ""
		next
	}
	sub(/^ *([0-9.]+(ms|s|us|ns|mins))? +/, "")
	sub(/ \(inline\)$/, "")
	if (callee != "")
		known[plain($0), callee] = 1
	callee = plain($0)
	next
}

file == 2 {
	if (/^[0-9a-f]+ <.*>:$/) {
		own = $0
		sub(/^[0-9a-f]+ </, "", own)
		sub(/>:$/, "", own)
		own = plain(own)
	} else if (match($0, /\t(call|j[a-z]+) +\*/)) {
		by_pointer[own] = 1
	} else if (match($0, /\t(call|j[a-z]+) +[0-9a-f]+ <.*>$/)) {
		jump = !/\tcall /
		if (jump && /\+0x[0-9a-f]+>$/)
			next
		target = $0
		sub(/^.*[0-9a-f] </, "", target)
		sub(/(\+0x[0-9a-f]+)?>$/, "", target)
		target = plain(target)
		# A prologue that has grown the stack begins anew.
		if (jump && target == own)
			next
		called[target] = known[own, target] = 1
		if (jump)
			jumps[own] = jumps[own] SUBSEP target SUBSEP
	}
	next
}

{
	count = $NF
	stack = $0
	sub(/ [0-9]+$/, "", stack)
	nr = split(stack, frames, ";")
	stacks += count
	caller = ""
	for (i = 2; i <= nr; i++) {
		name = plain(frames[i])
		if (is_wrapper(name))
			continue
		# A function of C that has lost its name.
		if (name ~ /^\[/)
			name = ""
		if (caller != "" && name != "") {
			pairs += count
			if (!((caller, name) in seen))
				seen[caller, name] = is_known(caller, name)
			if (!seen[caller, name]) {
				unknown += count
				missing[caller " -> " name] += count
			}
		}
		caller = name
	}
}

END {
	printf "pairs %d\nunknown %d\nstacks %d\n", pairs, unknown, stacks
	for (pair in missing)
		print missing[pair], pair > "/dev/stderr"
}
