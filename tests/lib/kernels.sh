# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/lib/tap.sh, and who sources this
# Judges what an emulated machine has recorded that tests/kernels/boot booted in directory $at, with exit status $status.
# Source it after tests/lib/tap.sh.

# Emulation is slow, and slower beside other tests. So the tests ask for some samples, not for a number. samples NAME
# REGEX: the sum of samples in folded lines that match.
samples() { "$profrep" -fa --symfs "$at/root" "$at/out/$1.prof" | sum_samples "$2"; }
value() { info "$at/out/$1.prof" "$2"; }
# sum NAME EVENT REGEX: of one event of a recording of hits.
sum() { "$profrep" -fP --event "$2" --symfs "$at/root" "$at/out/$1.prof" | sum_samples "$3"; }

# where_cpus_were: of each CPU, as a panic shows it: its task, and the functions from the interrupted one on.
where_cpus_were()
{
	sed -n -E 's/^\[[ 0-9.]*\] //; / Comm: |^RIP: |^ [a-z_0-9.]+\+0x/p' "$at/said" | awk '
		/ Comm: / { is_first = !shown[$2]++; has_ip = 0; if (is_first) print }
		/^RIP: / { has_ip = 1 }
		is_first && has_ip && !/ Comm: /'
}

# booted: the guest came to its end, and its kernel did not complain. If not, shows the last recording that was made,
# and where the CPUs of a machine were that hung.
booted()
{
	tr -d '\r' < "$at/console" > "$at/said"
	if [ "$status" -ne 0 ]; then
		cat "$at.log"
		grep '^\(not \)\?ok' "$at/said" | tail -n 1
		where_cpus_were
		return 1
	fi
	grep -q '^guest: done' "$at/said" && ! grep -E 'BUG:|WARNING:|Oops|Call Trace' "$at/said"
}

# recorded NAME: profrec in the guest succeeded, and the recording is whole.
recorded()
{
	grep -q "^ok $1$" "$at/said" || { grep "^not ok $1:" "$at/said" && cat "$at/out/$1.log"; return 1; }
	is_complete "$at/out/$1.prof" && is_accounted "$at/out/$1.prof"
}

# only NAME REGEX: there are samples, and all match.
only() { above "$(samples "$1" .)" 5 && same "$(samples "$1" "$2")" "$(samples "$1" .)"; }

# mostly NAME REGEX: there are samples, and nine in ten match.
mostly()
{
	above "$(samples "$1" .)" 5 && above "$(($(samples "$1" "$2") * 10))" "$(($(samples "$1" .) * 9 - 1))"
}
