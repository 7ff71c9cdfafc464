#!/usr/bin/env bash
# How often profrep diff is right: simulated recordings, then real ones of six workloads without a change, and of a
# program with a planted one. Sizes are from the environment: SIMULATED_PAIRS, POWER_TRIALS, REGRESSIONS, REAL_PAIRS
# with REAL_SECONDS of a recording, and REAL_TRIALS. One real pair takes 10 * REAL_SECONDS and a few seconds more. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/differences.sh
. tests/lib/differences.sh
simulated_pairs=${SIMULATED_PAIRS:-200}
power_trials=${POWER_TRIALS:-100}
regressions=${REGRESSIONS:-50}
real_pairs=${REAL_PAIRS:-12}
real_seconds=${REAL_SECONDS:-1}
real_trials=${REAL_TRIALS:-10}

# most_of N CHANCE: of N cases that happen with this chance each, more than this happen in one of fifty runs.
most_of()
{
	awk -v n="$1" -v chance="$2" 'BEGIN {
		p = sum = (1 - chance) ^ n
		for (k = 0; sum < 0.98; sum += p) {
			p *= (n - k) / (k + 1) * chance / (1 - chance)
			k++
		}
		print k
	}'
}

# most_alarms N: of N pairs without a change, each with an alarm in one of twenty cases.
most_alarms() { most_of "$1" 0.05; }

# fewest_found N: of N comparisons, each of which finds the change in four of five cases.
fewest_found() { echo $(($1 - $(most_of "$1" 0.2))); }

# say TEXT: a figure for the log.
say() { echo "# $*"; }

## Simulated recordings.
alarms=$(count_alarms 1 "$simulated_pairs")
say "$alarms alarms in $simulated_pairs simulated pairs of 5 + 5 recordings"
check "simulated pairs without a change: alarms" at_most "$alarms" "$(most_alarms "$simulated_pairs")"
check "simulated single pairs: no verdict" same "$(count_single_alarms 1 "$((simulated_pairs / 4))")" 0

for ((i = 1; i <= 10; i++)); do simulate "$dir/p$i.prof" 7 $i 6000 99 3 0 10 1; done
needed=$(planned "$dir"/p*.prof)
found=$(count_found "$power_trials" simulate_change 7 "$needed")
say "a function of 10 %, then 11 %: the plan is $needed recordings, and $found of $power_trials comparisons found it"
check "a planned comparison finds the change in 75 of 100 cases or more" at_least $((100 * found)) $((75 * power_trials))

read -r ours given theirs listed <<< "$(precision 1 "$regressions")"
say "the first ten of $regressions programs: profrep diff gave $given names, $ours right; difffolded.pl $listed, $theirs right"
check "the first ten: nine of ten names are right" at_least $((10 * ours)) $((9 * given))
check "the first ten: a larger part is right than of difffolded.pl's" above $((ours * listed)) $((theirs * given))

## Real recordings.
need_recording
cat > "$dir/drift.py" << 'END'
# Its two functions share the time by the time of day: the share goes up and down in ten minutes.
import math, time

def rising(n):
    return sum(i * i for i in range(n))

def falling(n):
    return sum(i ^ 5 for i in range(n))

while True:
    share = 0.5 + 0.1 * math.sin(2 * math.pi * time.time() / 600)
    rising(int(20000 * share))
    falling(int(20000 * (1 - share)))
END
cat > "$dir/collect.py" << 'END'
# Makes cycles for the garbage collector.
class Node:
    pass

kept = []
while True:
    nodes = [Node() for _ in range(1000)]
    for a, b in zip(nodes, nodes[1:] + nodes[:1]):
        a.next = b
    kept = (kept + nodes)[-20000:]
END
workload_names=(two_functions drift forks garbage hashes crypto)
# run_workload NAME: the command of a workload, which is to be ended from outside.
run_workload()
{
	case $1 in
	two_functions) echo "$workloads/func_ab" ;;
	drift) echo "python3 $dir/drift.py" ;;
	forks) echo "sh $dir/forks.sh" ;;
	garbage) echo "python3 $dir/collect.py" ;;
	hashes) echo "perl $dir/hashes.pl" ;;
	crypto) echo "openssl speed -seconds 1000 sha256" ;;
	ten_percent) echo "$workloads/planted 1000" ;;
	eleven_percent) echo "$workloads/planted 1112" ;;
	esac
}
echo 'while :; do sort /etc/services > /dev/null; done' > "$dir/forks.sh"
# shellcheck disable=SC2016 # perl's variables
echo 'while (1) { my %h; $h{$_ % 997} .= $_ for 1 .. 20000; my @k = sort keys %h; }' > "$dir/hashes.pl"

# record_sides NR SECONDS BEFORE AFTER: records both sides by turns, so that a load that comes or goes meets both. BEFORE
# and AFTER are a frequency and a workload.
record_sides()
{
	local i side hz workload
	rm -rf "$dir/sides"
	mkdir "$dir/sides"
	for ((i = 1; i <= $1; i++)); do
		while read -r side hz workload; do
			# shellcheck disable=SC2046 # words are meant
			"$profrec" -q -F "$hz" -o "$dir/sides/$side$i.prof" -- timeout "$2" \
				$(run_workload "$workload") < /dev/null 2> /dev/null
		done <<< "a $3"$'\n'"b $4"
	done
}

# real_alarms: records the pairs and prints the number with an alarm, then that of first recordings with one.
real_alarms()
{
	local pair workload alarms=0 single=0
	for ((pair = 0; pair < real_pairs; pair++)); do
		workload=${workload_names[pair % ${#workload_names[@]}]}
		record_sides 5 "$real_seconds" "499 $workload" "499 $workload"
		compare_sides --json | changed_names > "$dir/names"
		if [ -s "$dir/names" ]; then
			alarms=$((alarms + 1))
			say "$workload: $(head -n 3 "$dir/names" | tr '\n' ' ')" >&2
		fi
		[ -z "$("$profrep" diff --json "$dir/sides/a1.prof" "$dir/sides/b1.prof" | changed_names)" ] ||
			single=$((single + 1))
	done
	echo $alarms $single
}

read -r alarms single <<< "$(real_alarms)"
say "$alarms alarms in $real_pairs real pairs of 5 + 5 recordings of $real_seconds s"
check "real pairs without a change: alarms" at_most "$alarms" "$(most_alarms "$real_pairs")"
check "real single pairs: no verdict" same "$single" 0

record_sides 5 "$real_seconds" "49 two_functions" "99 two_functions"
changed=$(compare_sides --per cpu --json | changed_names)
say "at 49 and at 99 Hz: changed in CPU time: ${changed:-nothing}"
check "the same workload at 49 and at 99 Hz: nothing changed in CPU time" same "$changed" ""

# So many samples a second make the number of recordings small.
planted_hz=19999
record_sides 10 1 "$planted_hz ten_percent" "$planted_hz ten_percent"
needed=$(planned "$dir"/sides/a*.prof)
record_change() { record_sides "$needed" 1 "$planted_hz ten_percent" "$planted_hz eleven_percent"; }
found=$(count_found "$real_trials" record_change)
say "a real function of 10 %, then 11 %: the plan is $needed recordings, and $found of $real_trials comparisons found it"
check "a planned comparison of real recordings finds the change" at_least "$found" "$(fewest_found "$real_trials")"
plan_end
