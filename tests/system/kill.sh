#!/usr/bin/env bash
# SIGKILL at random moments. The final name is absent or has a whole recording, profrep reads the part that is left, and
# nothing stays in the kernel. PROFREC_KILLS says how often (200 for a thorough run). TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
kills=${PROFREC_KILLS:-30}
RANDOM=${PROFREC_SEED:-$$}

# ids PID: the programs, maps and links that a process holds.
ids() { cat /proc/"$1"/fdinfo/* 2> /dev/null | awk '/^(prog|map|link)_id:/ {sub(/_id:/, "", $1); print $1, $2}'; }

# has_begun PID FILE: the recorder has written the beginning of the file, or is over.
has_begun() { [ -n "$(find "$dir" -name "$2.*.part" -size +0)" ] || ! kill -0 "$1" 2> /dev/null; }

# The time that a run of a second takes here when it is not alone. 2.5 s are enough on a machine of two CPUs.
begin=$(date +%s%3N)
for n in 1 2 3 4; do "$profrec" -q -o "$dir/alone.$n" 1 & done
wait
longest=$((($(date +%s%3N) - begin) * 2))
[ $longest -gt 2500 ] || longest=2500

# one N: records for at most a second, and kills profrec between 0 and $longest ms after its start. Half of the runs are
# killed in the second after the beginning of the file, however long the start takes.
one()
{
	local n=$1 ms=$(((RANDOM * 32768 + RANDOM) % longest)) pid
	"$profrec" -q -F 4999 -o "$dir/k.$n.prof" 1 2> "$dir/err.$n" &
	pid=$!
	if [ $((n % 2)) -eq 1 ]; then
		wait_for has_begun $pid "k.$n.prof"
		ms=$((ms % 1000))
	fi
	sleep "$((ms / 1000)).$(printf '%03d' $((ms % 1000)))"
	ids $pid > "$dir/ids.$n"
	kill -KILL $pid 2> /dev/null
	wait $pid 2> /dev/null
	echo $? > "$dir/status.$n"
	rm -f "$dir/err.$n"
}
"$workloads/func_ab" &
load=$!
for ((n = 0; n < kills; n += 10)); do
	batch=()
	for ((i = n; i < n + 10 && i < kills; i++)); do
		one $i &
		batch+=($!)
		RANDOM=$((RANDOM + i)) # the subshells must not all draw the same
	done
	wait "${batch[@]}"
done
kill $load

# judge N
judge()
{
	local n=$1 part
	if [ -e "$dir/k.$n.prof" ]; then
		fails 0 "$profrep" -f "$dir/k.$n.prof" > /dev/null 2>&1 || { echo "$n: the final name has no whole recording"; return 1; }
	fi
	for part in "$dir"/k."$n".prof.*; do
		[ -s "$part" ] || continue # killed before the first byte, or there is none
		"$profrep" -f "$part" > /dev/null 2> "$dir/judge"
		case $? in
		3) grep -q "the recording ends" "$dir/judge" || { echo "$n: damaged, not cut short: $(cat "$dir/judge")"; return 1; } ;;
		0) ;; # between the end record and the rename
		*) echo "$n: the part cannot be read: $(cat "$dir/judge")"; return 1 ;;
		esac
	done
}
all_good()
{
	local n bad=0
	for ((n = 0; n < kills; n++)); do judge $n || bad=1; done
	return $bad
}
killed=$(cat "$dir"/status.* | grep -c 137)
parts=$(find "$dir" -name 'k.*.part' -size +0 | wc -l)
whole=$(find "$dir" -name 'k.*.prof' | wc -l)
echo "# $kills runs: $killed killed, $whole whole, $parts parts"
check "$kills kills: under the final name is a whole recording or none, parts are readable" all_good
check "some runs were killed" [ "$killed" -gt 0 ]
check "some runs left a part" [ "$parts" -gt 0 ]
check "every run left a recording, a part or nothing, and nothing else" same \
	"$(find "$dir" -name 'k.*' | grep -vcE 'k\.[0-9]+\.prof(\.[0-9]+(\.[0-9]+)?\.part)?$')" 0

# remaining: programs, maps and links of killed recorders that the kernel still has.
remaining()
{
	local kind
	for kind in prog map link; do bpftool -j $kind show 2> /dev/null | grep -o '"id":[0-9]*' | sed "s/.*:/$kind /"; done |
		sort > "$dir/present"
	sort -u "$dir"/ids.* | comm -12 - "$dir/present"
}
nothing_remains() { same "$(remaining)" ""; }
if command -v bpftool > /dev/null; then
	check "runs held programs, maps and links" [ "$(sort -u "$dir"/ids.* | wc -l)" -gt 0 ]
	# A pinned program would stay, too.
	check "no program, map or link stays in the kernel" wait_for nothing_remains
else
	skip "no program, map or link stays in the kernel" "bpftool is not installed"
fi
plan_end
