#!/usr/bin/env bash
# A program of another user gives its code names that keep a demangler busy for years. The report of everything that was
# recorded meanwhile is there after seconds, with the names of others.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
need_bpf
need_users
[ "$(uname -m)" = x86_64 ] || skip_all "the program writes code for x86-64, this is $(uname -m)"
build "$dir/jit" jit.c
build "$dir/victim" named.c -DFUNCTION=_ZN6victim4workEi -DFRAME=64
# The program does not remove its map.
cleanup_extra() { [ -z "${attackers:-}" ] || printf '/tmp/perf-%s.map\n' $attackers | xargs rm -f; }

# Doubles with each F: f(F...) takes the walk of a tree of 2^60 nodes.
digits=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ
doubles="_Z1fDp$(printf 'F%.0s' {1..36})FvvES_E"
for ((i = 0; i < 35; i++)); do doubles+=S${digits:i:1}_E; done
# 62^8 lifetimes.
lifetimes=_RMIC0FGzzzzzzzz_EuEu

has_made_marks() { has_run 140 "$1" && grep -q '^State:.S' "/proc/$1/status"; }

begin_recording -F 499 "${marks[@]}" -U --unwind=fp -o "$dir/names.prof"
attackers=
for name in "$doubles" "$lifetimes"; do
	start_marks names jit 65534 env MARKS_STAY=1 "$dir/jit" "$name" 1500
	attackers+=" $!"
done
run_marks names victim 0 "$dir/victim" victim 300
# Their maps are read while they are there.
for pid in $attackers; do wait_for has_made_marks "$pid"; done
end_recording
check "the recording ends well" same $? 0
# shellcheck disable=SC2086 # two ids
kill $attackers

limit=$(slow_seconds 20)
# report: within a limit of CPU time, which a busy machine does not reach.
report()
{
	(
		ulimit -t "$limit"
		timeout 1200 "$profrep" -f --event 3 "$dir/names.prof" > "$dir/folded" 2> "$dir/err"
	)
}
check "names that take long to demangle: the report is there" report || { plan_end; exit; }
check "names that take long to demangle were recorded, and stay as they are" \
	are_marked names jit ";($doubles|$lifetimes);"
check "names that take long to demangle: that they stay as they are is said" contains "$(cat "$dir/err")" "mangled"
check "names that take long to demangle: those of others are demangled" are_marked names victim ';victim::work\(int\);'
plan_end
