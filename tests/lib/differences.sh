# shellcheck shell=bash
# Simulated recordings and what profrep diff says of them. Source it after tests/lib/tap.sh.
# shellcheck disable=SC2154 # profrep and dir are those of tests/lib/tap.sh

# simulate FILE PROGRAM SEED [SAMPLES HZ NOISE PERCENT SHARE NR]: see tests/tools/prof_simulate.c.
simulate()
{
	"$BUILD/tests/prof_simulate" "$2" "$3" "${4:-6000}" "${5:-99}" "${6:-3}" "${7:-0}" "${8:-0}" "${9:-0}" |
		"$BUILD/tests/prof_make" > "$1"
}

# simulate_sides PROGRAM NR PERCENT SHARE PLANTED [FIRST-SEED]: NR recordings before and after in $dir/sides, the latter
# with the planted changes. Each has $samples samples.
samples=6000
simulate_sides()
{
	local program=$1 nr=$2 percent=$3 share=$4 planted=$5 seed=${6:-0} i
	rm -rf "$dir/sides"
	mkdir "$dir/sides"
	for ((i = 1; i <= nr; i++)); do
		simulate "$dir/sides/a$i.prof" "$program" $((seed + i)) "$samples" 99 3 0 "$share" "$planted"
		simulate "$dir/sides/b$i.prof" "$program" $((seed + nr + i)) "$samples" 99 3 "$percent" "$share" "$planted"
	done
}

# compare_sides [OPTION...]: profrep diff of them.
compare_sides() { "$profrep" diff "$@" --before "$dir"/sides/a*.prof --after "$dir"/sides/b*.prof; }

# changed_names: the names of what has changed, of the JSON on stdin, the first first.
changed_names() { sed -n 's/^{"name":"\(.*\)","verdict":"changed".*/\1/p'; }

# count_alarms FIRST LAST: pairs of 5 + 5 recordings without a change for which something has changed.
count_alarms()
{
	local program alarms=0
	for ((program = $1; program <= $2; program++)); do
		simulate_sides "$program" 5 0 0 0 $((1000 * program))
		[ -z "$(compare_sides --json | changed_names)" ] || alarms=$((alarms + 1))
	done
	echo $alarms
}

# count_single_alarms FIRST LAST: with one recording on each side.
count_single_alarms()
{
	local program alarms=0
	for ((program = $1; program <= $2; program++)); do
		simulate_sides "$program" 1 50 0 10 $((1000 * program))
		[ -z "$(compare_sides --json | changed_names)" ] || alarms=$((alarms + 1))
	done
	echo $alarms
}

# planned FILE...: the recordings that the planted function needs, for a change of 10 %. Functions of the kernel are left
# out: the more functions a comparison has, the more recordings it needs.
planned() { "$profrep" plan -A -U 10 "$@" | awk '$NF ~ /_planted$/ {print $5}'; }

# simulate_change PROGRAM NR TRIAL: sides of which a function has 10 % of the samples before and 11 % after. It takes
# 11.24 % more of what all others take.
simulate_change() { simulate_sides "$1" "$2" 11.24 10 1 $((10000 * $3)); }

# count_found TRIALS COMMAND...: comparisons that find the planted function. The command, with the number of the trial
# as its last argument, makes the sides.
count_found()
{
	local trial found=0
	for ((trial = 1; trial <= $1; trial++)); do
		"${@:2}" $trial
		! compare_sides -U --json | changed_names | grep -q _planted || found=$((found + 1))
	done
	echo $found
}

# planted_of_ten: of the first ten names on stdin, those that were planted.
planted_of_ten() { head -n 10 | grep -c _planted; }

# ranked_by_difffolded: stacks by the difference that difffolded.pl -n prints, the largest first.
ranked_by_difffolded()
{
	compare_sides -f -n | awk '{d = $NF - $(NF - 1); print (d < 0 ? -d : d), $1}' | LC_ALL=C sort -k1,1rn -k2 |
		cut -d' ' -f2
}

# precision FIRST LAST: of the first ten stacks of each list, over programs with ten planted changes of 40 %: hits of
# profrep diff, names that it gave, hits of difffolded.pl, names that it gave.
precision()
{
	local program ours=0 given=0 theirs=0 names samples=30000
	for ((program = $1; program <= $2; program++)); do
		simulate_sides "$program" 5 40 0 10 $((1000 * program))
		names=$(compare_sides --by stack --json | changed_names)
		ours=$((ours + $(planted_of_ten <<< "$names")))
		given=$((given + $(head -n 10 <<< "$names" | grep -c .)))
		theirs=$((theirs + $(ranked_by_difffolded | planted_of_ten)))
	done
	echo $ours $given $theirs $((10 * ($2 - $1 + 1)))
}
