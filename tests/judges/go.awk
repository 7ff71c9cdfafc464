# Checks folded stacks of tests/programs/known_go, root first. What calls what is in the files before: first the profile that the
# program wrote itself, as "go tool pprof -traces" prints it, then the program's code, as objdump prints it. A pair is known if
# the profile has it, or the code has a direct call of the function, or of one that goes on to it by jumps. Calls through pointers are known
# by the profile alone. Only a function that nothing calls directly is allowed below any caller that calls through a pointer.
# With NATIVE=yes the program is of C++ or Rust. In place of the profile are its relocations, as readelf prints them, whose
# functions any call through a pointer may reach. Only functions count that have code in the file.
# Prints the numbers of pairs, of unknown pairs and of stacks; unknown ones on stderr.

# The assembler's functions have names with their calling convention.
function plain(name)
{
	sub(/\.(abi0|abiinternal)(\.[0-9]+)?$/, "", name)
	# A part of a function, which the function has jumped to.
	if (NATIVE == "yes")
		sub(/\.cold$/, "", name)
	return name
}

# Wrappers that the compiler makes: the profile leaves them out.
function is_wrapper(name) { return name ~ /-fm$/ || name ~ /^main\.\(\*circle\)\.area$/ }

# Does @caller call a function that goes on to @name, by at most @depth jumps?
function is_reached(caller, name, depth,    between)
{
	if ((caller, name) in known || (caller in by_pointer && name in relocated))
		return 1
	for (between in jumps)
		if (depth && index(jumps[between], SUBSEP name SUBSEP) && is_reached(caller, between, depth - 1))
			return 1
	return 0
}

function is_known(caller, name)
{
	if (is_reached(caller, name, 3))
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

file == 1 && NATIVE == "yes" {
	if ($3 ~ /_RELATIVE$/)
		relocations[$4] = 1
	next
}

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
		has_code[own] = 1
		sub(/^0+/, "", $1)
		if ($1 in relocations)
			relocated[own] = 1
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
		# It jumps to what its caller has chosen (Go 1.26).
		if (target == "runtime.asmcgocall_landingpad")
			by_pointer[own] = 1
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
		if (name ~ /^\[/ || (NATIVE == "yes" && !(name in has_code)))
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
