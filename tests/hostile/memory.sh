#!/usr/bin/env bash
# Programs of another user cost the recorder as much memory and CPU time as they can. It stays within its budgets, ends
# well, and has the stacks of others.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
[ "$(uname -m)" = x86_64 ] || skip_all "the attacks are for x86-64, this is $(uname -m)"
need_users
build "$dir/glutton" glutton.c
build "$dir/victim" named.c -DFUNCTION=victim_works -DFRAME=64
ticks=$(getconf CLK_TCK)
budget_mib=8

# What the recorder takes besides the budget: kernel symbols, the samples of a set, an epoch and its encoded bytes.
base_mib=56

cleanup_extra() { rm -f "/tmp/perf-${glutton:-none}.map"; }

# cpu_ticks PID: CPU time of the recorder and of its children that work for it. Their names are one word.
cpu_ticks()
{
	local pid
	for pid in "$1" $(child_of "$1" profrec-looks) $(child_of "$1" profrec-tables); do cat "/proc/$pid/stat"; done |
		awk '{n += $14 + $15 + $16 + $17} END {print n}'
}

# peak_mib PID: the most memory that a process had.
peak_mib() { awk '$1 == "VmHWM:" {printf "%d", $2 / 1024}' "/proc/$1/status"; }

# runs PID: the glutton does.
runs() { [ "$(readlink "/proc/$1/exe")" = "$dir/glutton" ]; }

# attack NAME ARGS...: a victim works beside a glutton. Results are in $dir/NAME.*.
attack()
{
	local name=$1 began
	shift
	mkdir "$dir/$name"
	chown 54321 "$dir/$name"
	begin_recording -F 199 --unwind=fp --max-memory "${budget_mib}M" -o "$dir/$name.prof"
	began=$(date +%s%N)
	setpriv --reuid=54321 --regid=54321 --clear-groups "$dir/glutton" "$@" 2> "$dir/$name.err" &
	glutton=$!
	wait_for runs "$glutton"
	"$dir/victim" first 500
	"$dir/victim" second 500
	runs "$glutton"
	echo $? > "$dir/$name.alive"
	cpu_ticks "$recorder" > "$dir/$name.ticks"
	echo $((($(date +%s%N) - began) / 1000000)) > "$dir/$name.ms"
	peak_mib "$recorder" > "$dir/$name.mib"
	end_recording
	echo $? > "$dir/$name.status"
	kill -KILL "$glutton"
	wait 2> /dev/null
	cleanup_extra
	"$profrep" -f -U "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/$name.warnings"
}

# went_on NAME: the attack lasted as long as the recording, which ended well.
went_on()
{
	same "$(cat "$dir/$1.alive")" 0 || { cat "$dir/$1.err"; return 1; }
	same "$(cat "$dir/$1.status")" 0 && is_complete "$dir/$1.prof" && is_accounted "$dir/$1.prof"
}

# is_within NAME: the peak of memory, and the share of CPU time since the start. A starting recorder works, too, so it
# has a second on top.
is_within()
{
	at_most "$(cat "$dir/$1.mib")" $((budget_mib + base_mib)) &&
		at_most $((1000 * $(cat "$dir/$1.ticks") / ticks)) $((1000 + $(cat "$dir/$1.ms") / 3))
}

# sees_victims NAME: the stacks of one of them at least, most of them. Attacks can make the kernel drop the records of the
# other, and a busy machine takes the recorder's time. Along frame pointers, code without a frame has not its caller, but the
# caller's: a slow clock takes a tenth of the samples.
sees_victims()
{
	local works=';main;(victim_works|clock_gettime)'
	mostly "$dir/$1.folded" first "$works" || mostly "$dir/$1.folded" second "$works"
}

# mistakes_none NAME: no frame of a victim has a name of the glutton. The victims have samples.
mistakes_none()
{
	above "$(sum_samples '^(first|second);' < "$dir/$1.folded")" 20 &&
		same "$(sum_samples '^(first|second);.*;(do_(forks|paths|starts|execs|perf)|map_(page|file)|run_(pages?|below)|remap_beside|change_names)(;| )' \
			< "$dir/$1.folded")" 0
}

# check_attack WHAT NAME ARGS...
check_attack()
{
	local what=$1 name=$2
	shift 2
	attack "$name" "$@"
	check "$what: the recording ends well" went_on "$name"
	check "$what: memory and CPU time" is_within "$name"
	# A flood of names costs the records of every program that starts meanwhile (doc/threats.md).
	[ "$name" = names ] || check "$what: the stacks of others" sees_victims "$name"
	check "$what: no wrong names" mistakes_none "$name"
	echo "# $(cat "$dir/$name.mib") MiB, $((1000 * $(cat "$dir/$name.ticks") / ticks)) of $(cat "$dir/$name.ms") ms," \
		"$(info "$dir/$name.prof" "left out")"
}

check_attack "30,000 mappings that change" churn churn 30000
check "looks that were put off or cut are counted as the attacker's" \
	contains "$(info "$dir/churn.prof" "lacked room")" " of user 54321"
check_attack "stacks in 4,000 mappings that change" stacks stacks 4000
check_attack "forks with many mappings" forks forks 20000
check_attack "paths of 4 KB" paths paths "$dir/paths" 3000
check_attack "names that change" names names
check_attack "execs with large arguments" execs execs
check_attack "processes that end at once" starts starts
check_attack "maps of JIT code of 64 MB" perf perf /tmp
plan_end
