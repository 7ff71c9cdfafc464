# Compares folded stacks of tests/programs/SteadyStacks.java, root first, with annotations, with the stacks that HotSpot
# prints of its threads: awk -f steady_stacks.awk DUMP... FOLDED. The methods of a thread from its root to spin() have to
# be the same. Prints these numbers:
#	same		samples with the same methods
#	short		... with inlined methods missing at the leaf, where HotSpot does not describe the very instruction
#	less		... with methods missing between others, none of which is another one
#	cut		... with methods missing at the root
#	absent		... without methods
#	differ		... with others; they are shown on stderr
#	threads		threads that HotSpot has printed, and of them
#	agreed		... those with a sample with the same methods, or less
#	not_steady	... those whose methods were others in another dump
#	methods		methods of the samples that are the same, and of them
#	inlined		... those that are inlined

# Are the methods of @part among those of @whole, in their order?
function is_among(part, whole,    parts, all, nr_parts, nr_all, i, next_one)
{
	nr_parts = split(part, parts, ";")
	nr_all = split(whole, all, ";")
	next_one = 1
	for (i = 1; i <= nr_all && next_one <= nr_parts; i++)
		if (all[i] == parts[next_one])
			next_one++
	return next_one > nr_parts
}

# Full thread dump OpenJDK 64-Bit Server VM (11.0.33-ea+8-post-1-Debian mixed mode, sharing):
/^Full thread dump/ {
	is_11 = / \(11\./
	next
}

# "steady-1-0" #14 prio=5 ...
/^"/ {
	thread = ""
	if ($1 ~ /^"steady-/) {
		thread = $1
		gsub(/"/, "", thread)
		chain = ""
		in_spin = 0
	}
	next
}

# at java.lang.Thread.run(java.base@17.0.15/Thread.java:840)
thread != "" && $1 == "at" {
	name = $2
	sub(/\(.*/, "", name)
	# Versions 8 and 11 add a number of the object to the name of the class: SteadyStacks$$Lambda$17/931919113.run
	sub(is_11 ? "/(0x)?[0-9a-f]+\\." : "/[0-9]+\\.", ".", name)
	sub(/\/0x/, "+0x", name)
	if (name == "SteadyStacks.spin") {
		in_spin = 1
		chain = name
	} else if (in_spin) {
		chain = name ";" chain
	}
	next
}

# The line below the last method.
thread != "" && NF == 0 {
	if (!in_spin || (thread in steady && steady[thread] != chain)) {
		not_steady++
		print "not steady: " thread ": " chain > "/dev/stderr"
	}
	steady[thread] = chain
	thread = ""
	next
}

# steady-1-0;clone3;...;java.lang.Thread.run_[java];SteadyStacks.spin_[java,inl];memcpy 12
/^steady-[^ ;]*;/ {
	count = $NF
	sub(/ [0-9]+$/, "")
	nr = split($0, frames, ";")
	thread = frames[1]
	if (!(thread in steady))
		next
	chain = ""
	methods = inlined = 0
	for (i = 2; i <= nr; i++) {
		name = frames[i]
		if (!sub(/_\[java(,inl)?\]$/, "", name))
			continue
		methods++
		inlined += frames[i] ~ /,inl\]$/
		chain = chain (chain == "" ? "" : ";") name
		if (name == "SteadyStacks.spin")
			break
	}
	thread_name = thread
	thread = ""
	if (chain == steady[thread_name]) {
		same += count
		same_methods += methods * count
		same_inlined += inlined * count
		seen[thread_name] = 1
	} else if (chain == "") {
		absent += count
	} else if (index(steady[thread_name], chain ";") == 1 && frames[nr] ~ /_\[java(,inl)?\]$/) {
		short += count
	} else if (length(chain) < length(steady[thread_name]) &&
		   substr(steady[thread_name], length(steady[thread_name]) - length(chain)) == ";" chain) {
		cut += count
	} else if (is_among(chain, steady[thread_name])) {
		less += count
		seen[thread_name] = 1
	} else {
		differ += count
		print "differs: " $0 "\nHotSpot: " thread_name ";" steady[thread_name] > "/dev/stderr"
	}
}

END {
	for (t in steady)
		threads++
	for (t in seen)
		agreed++
	printf "same %d\nshort %d\nless %d\ncut %d\nabsent %d\ndiffer %d\n", same, short, less, cut, absent, differ
	printf "threads %d\nagreed %d\nnot_steady %d\nmethods %d\ninlined %d\n", threads, agreed, not_steady, same_methods, same_inlined
}
