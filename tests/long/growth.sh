#!/usr/bin/env bash
# Ten times as much of one thing costs a command at most 12 times the work: every kind of tests/tools/growth_make.c, every
# command of profrep but push, which sends what export writes. Work is counted in instructions, by valgrind, so neither load
# nor the processor matters. GROWTH_NR: the larger number of things. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v valgrind > /dev/null || { echo "1..0 # SKIP needs valgrind"; exit 0; }
nr=${GROWTH_NR:-4000}

# commands KIND: FILE stands for the recording, NEW for a name for what is written.
commands()
{
	local format
	for format in $("$profrep" export none 2>&1 | sed -n 's/.*one of: //p' | tr -d ,); do echo "export $format FILE"; done
	[ "$1" != lines ] || echo "annotate --json function0 FILE"
	cat <<- 'END'
		report FILE
		report -f --by cgroup FILE
		report -T -P -a -s -m -v --threads FILE
		top FILE
		top --by process FILE
		top --live FILE
		tree FILE
		callers --min-percent 0.001 function0 FILE
		info --json FILE
		files FILE
		missing FILE
		processes --json FILE
		html -o NEW FILE
		pack -o NEW FILE
		merge -o NEW FILE FILE
		tables -o NEW FILE
		diff --all FILE FILE
		diff --all --by stack --before FILE FILE FILE --after FILE FILE FILE
		plan --all 5 FILE FILE FILE
	END
}

# commands_of_several: FILES stands for many recordings.
commands_of_several()
{
	cat <<- 'END'
		report FILES
		report --from 0 --to 1 FILES
		files FILES
		export otlp FILES
		merge -o NEW FILES
		diff --all --before FILES --after FILES
		plan --all 5 FILES
	END
}

# work NR COMMAND...: sets work to the instructions that it takes with NR things, or to what it says if it fails.
work()
{
	local file=$dir/$1.prof word words=()
	local files=("$dir/$1".*.prof)
	shift
	for word; do
		if [ "$word" = FILES ]; then words+=("${files[@]}"); else words+=("${word//FILE/$file}"); fi
	done
	rm -rf "$dir/new"
	if valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$dir/log" \
		"$profrep" "${words[@]//NEW/$dir/new}" > "$dir/out" 2> "$dir/err"; then
		work=$(sed -n 's/.*I *refs: *//p' "$dir/log" | tr -d ,)
	else
		work="failed: $(head -n 1 "$dir/err") $(grep signal "$dir/log")"
	fi
}

grows_evenly() { [[ "$1$2" != *[!0-9]* ]] && [ "$1" -gt 0 ] && [ "$2" -le $(($1 * 12)) ]; }

for kind in $(sed -n 's/^ \*\t\([a-z]*\)  *NR .*/\1/p' tests/tools/growth_make.c); do
	# Each process of layouts stands in 64 epochs.
	many=$nr
	[ "$kind" != layouts ] || many=$((nr / 10))
	"$BUILD/tests/growth_make" "$kind" $((many / 10)) > "$dir/few.prof"
	"$BUILD/tests/growth_make" "$kind" "$many" > "$dir/many.prof"
	while read -r -a command; do
		work few "${command[@]}"
		few=$work
		work many "${command[@]}"
		check "$kind, ${command[*]}: work is in proportion" grows_evenly "$few" "$work"
	done < <(commands "$kind")
done

for ((i = 0; i < nr / 20; i++)); do
	"$BUILD/tests/growth_make" epochs 100 $i > "$dir/many.$i.prof"
	[ $i -ge $((nr / 200)) ] || cp "$dir/many.$i.prof" "$dir/few.$i.prof"
done
while read -r -a command; do
	work few "${command[@]}"
	few=$work
	work many "${command[@]}"
	check "recordings, ${command[*]}: work is in proportion" grows_evenly "$few" "$work"
done < <(commands_of_several)

# A command that is not in the list is not tested.
listed=$(printf '%s\n' push help annotate "$(commands lines | cut -d ' ' -f 1)" | sort -u)
all=$("$profrep" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)
check "every command is tested" same "$listed" "$all"
plan_end
