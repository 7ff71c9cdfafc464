#!/usr/bin/env bash
# Which samples are taken: threads, processes with their descendants, users, names, cgroups, namespaces.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
own_mounts "$@"
need_bpf

build "$dir/acts" acts.c
build "$dir/other" acts.c

# record NAME OPTION...: until each of $busy has used the CPU for a while.
record() { record_while 20 "$busy" -F 499 -o "$dir/$1.prof" "${@:2}"; }
folded() { "$profrep" -f "$dir/$1.prof"; }
# only NAME REGEX: there are samples, and all their lines match.
only()
{
	local lines
	lines=$(folded "$1")
	[ -n "$lines" ] || { echo "no samples"; return 1; }
	same "$(grep -vcE "$2" <<< "$lines")" 0 || { head -n 5 <<< "$lines"; return 1; }
}
filtered() { info "$dir/$1.prof" "samples filtered" | cut -d' ' -f1; }

## Threads and names.
"$dir/acts" threads > "$dir/tids" &
burner=$!
for name in left right; do wait_for has_text $name "$dir/tids"; done
wait_for is_state $burner S # its main thread has nothing to do any more
left=$(sed -n 's/^left //p' "$dir/tids")
busy=$(sed "s|.* |$burner/task/|" "$dir/tids")
record L -L "$left"
check "-L records that thread only" only L "^left;"
check "-L: with its stacks" above "$(folded L | grep -c ';burn_left')" 0
check "-L: the headline is bcc's" same "$("$profrep" "$dir/L.prof" | head -n 1)" \
	"Sampling at 499 Hertz of TID [$left] by user + kernel stack... Hit Ctrl-C to end."
check "-L: the recording tells" same "$(info "$dir/L.prof" "threads asked")" "$left"
check "-L counts what it left out" above "$(filtered L)" 0
check "-L: the identity holds" is_accounted "$dir/L.prof"
record p -p $burner
check "-p records all threads" above "$(folded p | grep -c '^left;')" 0
check "-p records all threads: the other one" above "$(folded p | grep -c '^right;')" 0
record comm --comm right
check "--comm records threads of that name only" only comm "^right;"
check "--comm: the recording tells" same "$(info "$dir/comm.prof" filters)" "comm 'right'"
record commp -p $burner --comm rig
check "--comm compares the whole name" same "$(folded commp)" ""
check "a thread that does not exist" says 1 "failed to record thread 4194303: No such process" \
	"$profrec" -o "$dir/x.prof" -L 4194303 1
check "-p with a thread's id" says 1 "failed to record process $left: it is a thread of process $burner" \
	"$profrec" -o "$dir/x.prof" -p "$left" 1

## More ids than any table that is compiled in.
sleepers=()
for _ in $(seq 300); do
	sleep 600 &
	sleepers+=($!)
done
# None of them has a sample: it does not matter how far it has come.
kill -STOP "${sleepers[@]}"
for pid in "${sleepers[@]}"; do wait_for is_state "$pid" T; done
many=$(IFS=,; echo "${sleepers[*]}")
check "-p takes hundreds of ids" record many -p "$many,$burner"
check "-p with hundreds of ids records the one that runs" only many "^(left|right);"
kill -KILL "${sleepers[@]}"
wait "${sleepers[@]}" 2> /dev/null

## Users.
if command -v setpriv > /dev/null; then
	chmod 755 "$dir"
	setpriv --reuid 64124 --clear-groups "$dir/other" deep 3 &
	pid=$!
	begun $pid other
	busy+=" $pid"
	record uid --uid 64124
	check "--uid records that user only" only uid "^other;"
	record uid0 --uid 0 -p "$pid,$burner"
	check "--uid 0 and -p: both must pass" only uid0 "^(left|right);"
	kill $pid
	busy=${busy% "$pid"}
else
	skip "--uid" "setpriv is not installed"
fi

## Descendants.
"$dir/other" deep 3 &
elsewhere=$!
begun $elsewhere other
bash -c "'$dir/acts' deep 1 & while [ ! -e '$dir/go' ]; do sleep 0.05; done; '$dir/acts' deep 2 & wait" &
parent=$!
has_child() { [ "$(child_of "$@")" ]; }
wait_for has_child $parent acts
busy+=" $elsewhere $(child_of $parent acts)"
record nofollow -p $parent
check "-p alone does not record children" same "$(folded nofollow | grep -c '^acts;')" 0
begin_recording -F 499 -o "$dir/follow.prof" --follow -p $parent
touch "$dir/go"
has_two_children() { [ "$(child_of "$parent" acts | wc -l)" -eq 2 ]; }
wait_for has_two_children
for pid in $(child_of "$parent" acts); do run_for 30 "$pid"; done
end_recording
check "--follow records children that there are, and nothing else" only follow "^(acts|bash|sleep)"
check "--follow: a child from before" above "$(folded follow | grep -cE 'main;descend;descend(;\[?[^d;]|  *[0-9]|$)')" 0
check "--follow: a child that came later" above "$(folded follow | grep -c 'main;descend;descend;descend')" 0
check "--follow: the recording tells" same "$(info "$dir/follow.prof" filters)" "children followed"
child_of $parent acts | xargs -r kill
kill $elsewhere
busy=${busy%% "$elsewhere"*}

## cgroup v2.
cgroups=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)
inside=$cgroups/profrec-test.$$
cleanup_extra()
{
	[ -z "${caged:-}" ] || { kill -KILL "$caged"; wait "$caged"; } 2> /dev/null
	rmdir "$inside/below/ours$$.service" "$inside/below" "$inside" 2> /dev/null
}
if [ -n "$cgroups" ] && mkdir -p "$inside/below/ours$$.service" 2> /dev/null &&
	{ "$dir/other" deep 3 & caged=$!; echo $caged > "$inside/below/ours$$.service/cgroup.procs"; } 2> /dev/null; then
	begun "$caged" other
	busy+=" $caged"
	record cgroup --cgroup "$inside"
	check "--cgroup records what is below" only cgroup "^other;"
	check "--cgroup: the recording tells" same "$(info "$dir/cgroup.prof" filters)" "cgroup $inside"
	record nocgroup --cgroup "$inside" -p $burner
	check "--cgroup and -p: both must pass" same "$(folded nocgroup)" ""
	for words in "cgroup ${inside##*/}" "cgroup /${inside##*/}/below" "cgroup ${inside##*/}/below" "systemd-unit ours$$"; do
		record words --"${words% *}" "${words#* }"
		check "--$words" only words "^other;"
	done
	check "--systemd-unit: the recording tells the path" same "$(info "$dir/words.prof" filters)" "cgroup $inside/below/ours$$.service"
	check "--cgroup: a slip" says 1 "failed to find cgroup '${inside##*/}e'; did you mean '${inside##*/}'?" \
		"$profrec" -o "$dir/x.prof" --cgroup "${inside##*/}e" 1
	has_cgroup=1
else
	skip "--cgroup" "no directory can be made in a cgroup v2 tree"
fi
check "--cgroup: another directory" says 1 "failed to open cgroup '$dir': it is not in a cgroup v2 tree" \
	"$profrec" -o "$dir/x.prof" --cgroup "$dir" 1
check "--cgroup: none" says 1 "failed to open cgroup '$dir/none': No such file or directory" \
	"$profrec" -o "$dir/x.prof" --cgroup "$dir/none" 1

## Mount namespaces.
unshare --mount "$dir/other" deep 3 &
apart=$!
begun $apart other
busy+=" $apart"
record mntns --mntns $apart
check "--mntns records that namespace only" only mntns "^other;"
check "--mntns: a process that does not exist" says 1 \
	"failed to find the mount namespace of process 4194303: No such process" \
	"$profrec" -o "$dir/x.prof" --mntns 4194303 1

## Pinned maps.
# bytes NUMBER: the number as eight bytes, as bpftool takes them.
bytes() { for i in 0 8 16 24 32 40 48 56; do echo $(($1 >> i & 255)); done; }
bpffs=$dir/bpf
# shellcheck disable=SC2046 # words are meant
if command -v bpftool > /dev/null && [ -n "$has_mounts" ] && mkdir "$bpffs" && mount -t bpf bpf "$bpffs" 2> /dev/null; then
	bpftool map create "$bpffs/cgroups" type hash key 8 value 8 entries 1024 name cgroups
	bpftool map create "$bpffs/mntns" type hash key 8 value 4 entries 1024 name mntns
	bpftool map create "$bpffs/array" type array key 4 value 8 entries 1 name array
	record empty --mntnsmap "$bpffs/mntns"
	check "--mntnsmap: an empty map records nothing" same "$(folded empty)" ""
	bpftool map update pinned "$bpffs/mntns" key $(bytes "$(stat -Lc %i /proc/$apart/ns/mnt)") value 0 0 0 0
	record mntnsmap --mntnsmap "$bpffs/mntns"
	check "--mntnsmap records what is in the map" only mntnsmap "^other;"
	check "--mntnsmap: the recording tells" same "$(info "$dir/mntnsmap.prof" filters)" \
		"mount namespaces in map $bpffs/mntns"
	record both --mntnsmap "$bpffs/mntns" --cgroupmap "$bpffs/cgroups"
	check "--mntnsmap and --cgroupmap: both must pass" same "$(folded both)" ""
	if [ -n "${has_cgroup:-}" ]; then
		begin_recording -F 499 -o "$dir/live.prof" --cgroupmap "$bpffs/cgroups"
		bpftool map update pinned "$bpffs/cgroups" key $(bytes "$(stat -c %i "$inside/below/ours$$.service")") value 0 0 0 0 0 0 0 0
		run_for 30 "$caged"
		end_recording
		check "--cgroupmap: a change of the map holds at once" only live "^other;"
	else
		skip "--cgroupmap" "no directory can be made in a cgroup v2 tree"
	fi
	check "pinned maps stay as they were" contains "$(bpftool map dump pinned "$bpffs/mntns")" "Found 1 element"
	check "a map of another kind" says 1 "'$bpffs/array': it is no hash map with keys of 8 bytes" \
		"$profrec" -o "$dir/x.prof" --cgroupmap "$bpffs/array" 1
	check "a pinned path that is not there" says 1 "failed to open map '$bpffs/none': No such file or directory" \
		"$profrec" -o "$dir/x.prof" --mntnsmap "$bpffs/none" 1
	umount "$bpffs"
else
	skip "--cgroupmap, --mntnsmap" "no bpftool, or no BPF filesystem can be mounted"
fi
check "a path that is no map's" says 1 "failed to open map '$dir/tids': it is not in a BPF filesystem" \
	"$profrec" -o "$dir/x.prof" --cgroupmap "$dir/tids" 1
kill $apart

## Inside a pid namespace: ids are its own. Outside runs another process with the number of the one that is meant.
"$dir/other" deep 3 &
outside=$!
begun $outside other
# record_running PID NAME: records the process until it has had the CPU for a while, whatever else wants the CPU.
record_running()
{
	local recorder
	: > "$dir/$2.err"
	"$profrec" -F 499 -o "$dir/$2.prof" -p "$1" 2> "$dir/$2.err" &
	recorder=$!
	wait_for has_text Sampling "$dir/$2.err"
	run_for 30 "$1"
	kill -INT $recorder
	wait $recorder
}
cat > "$dir/inside" <<- 'EOF'
	dir=$1 number=$2 profrec=$3
	echo $((number - 1)) > /proc/sys/kernel/ns_last_pid || exit 77
	"$dir/acts" deep 3 &
	[ $! -eq "$number" ] || exit 77
	begun "$number" acts || exit
	record_running "$number" same || exit
	"$profrec" -q -F 499 -o "$dir/all.prof" 1 || exit
	unshare --pid --fork --mount-proc "$dir/acts" deep 4 &
	wait_for has_child $! acts || exit
	nested=$(child_of $! acts)
	begun "$nested" acts || exit
	record_running "$nested" nested || exit
	echo "$nested" > "$dir/nested"
	kill $(jobs -p) "$nested"
EOF
export -f wait_for begun nap has_text count_ticks child_of has_child cpu_ticks has_run run_for record_running
unshare --pid --fork --kill-child --mount-proc bash "$dir/inside" "$dir" $outside "$profrec" 2> "$dir/inside.err"
status=$?
if [ $status -eq 77 ]; then
	skip "inside a pid namespace" "the next process id cannot be chosen"
else
	check "inside a pid namespace: recordings" same "$status $(cat "$dir/inside.err")" "0 "
	check "inside a pid namespace: the process with the number there" only same "^acts;"
	check "inside a pid namespace: the report has its number" contains "$("$profrep" "$dir/same.prof")" "acts ($outside)"
	check "inside a pid namespace: nothing from outside" same "$(folded all | grep -cE '^(other|left|right);')" 0
	check "inside a pid namespace: a process of one below" mostly <(folded nested) acts ";main;descend;descend;descend;descend;" 90
	check "inside a pid namespace: no process but the one of one below" only nested "^acts;"
	check "inside a pid namespace: a process of one below has its number from there" \
		contains "$("$profrep" "$dir/nested.prof")" \
		"acts ($(cat "$dir/nested"))"
fi
kill $outside $burner
plan_end
