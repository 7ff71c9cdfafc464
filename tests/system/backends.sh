#!/usr/bin/env bash
# The ways to take samples: BPF, perf events, ptrace. Each that works here finds the same, and no program notices that it
# is recorded. PROFREC_KILLS says how often recorders are killed (200 for a thorough run). TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
kills=${PROFREC_KILLS:-16}
RANDOM=${PROFREC_SEED:-$$}

build "$dir/traced" traced.c
"$cc" -O1 -g -fPIC -shared -I. -DPLUGIN=plugged -o "$dir/plugin.so" tests/programs/plugin.c
printf 'def busy():\n\tn = 0\n\twhile True:\n\t\tn += 1\nbusy()\n' > "$dir/busy.py"
chmod 755 "$dir"

ways=()
for b in bpf perf ptrace; do
	if why=$(records_by $b); then ways+=("$b"); else skip "$b" "it does not work here: ${why%%$'\n'*}"; fi
done
[ ${#ways[@]} -gt 0 ] || { plan_end; exit; }

# record NAME ARGS...: in the way $b. The output of a command is in $dir/out, that of profrec in $dir/err.
record() { "$profrec" --backend "$b" -o "$dir/$1.prof" "${@:2}" > "$dir/out" 2> "$dir/err"; }
folded() { "$profrep" -f "$dir/$1.prof"; }
samples() { folded "$1" | sum_samples "$2"; }
taken() { info "$dir/$1.prof" "samples taken"; }
ticks_for() { echo $(($(getconf CLK_TCK) * $1 / 1000)); }

# fits NAME MS HZ [PERCENT]: as many samples were taken as the CPU time stands for, about.
fits()
{
	awk -v n="$(taken "$1")" -v ms="$2" -v hz="$3" -v part="${4:-15}" 'BEGIN {
		want = ms * hz / 1000
		print n " samples of " ms " ms at " hz " Hertz: " want " are meant"
		exit !(ms > 0 && n >= want * (100 - part) / 100 - 3 && n <= want * (100 + part) / 100 + 3)
	}'
}

# is_whole NAME: hardly a stack is cut: one of 100, and of a few those in which a thread begins or ends.
is_whole()
{
	info "$dir/$1.prof" "user stacks" | tee "$dir/whole"
	awk '{exit !($3 > 0 && $3 - $1 <= 4 + $3 / 100)}' "$dir/whole"
}

# state PID: of its threads, one letter each.
state() { cat /proc/"$1"/task/*/stat 2> /dev/null | sed 's/.*) \(.\).*/\1/' | sort -u | tr -d '\n'; }
is_free()
{
	local pid
	for pid; do
		grep -q '^TracerPid:.0$' /proc/"$pid"/task/*/status || { echo "$pid is traced"; return 1; }
		[[ $(state "$pid") != *[tT]* ]] || { echo "$pid is stopped: $(state "$pid")"; return 1; }
	done
}
# goes_on PID...: each runs, and soon has used more CPU time.
goes_on()
{
	local pid before=()
	for pid; do before+=("$(cpu_ticks "$pid")"); done
	for pid; do
		wait_seconds=10 wait_for has_run $((before[0] + 1)) "$pid" || return
		before=("${before[@]:1}")
	done
}
# stands PID: it uses no CPU time.
stands()
{
	local before
	sleep 0.1
	before=$(cpu_ticks "$1")
	sleep 0.3
	same "$(cpu_ticks "$1")" "$before"
}

## What a recording finds.
find_shares()
{
	"$workloads/func_ab" &
	local pid=$!
	begin_recording --backend "$b" -F 499 -o "$dir/ab.$b.prof" -p $pid
	run_for "$(ticks_for 1500)" $pid
	end_recording INT
	kill $pid
	wait $pid 2> /dev/null
	check "$b: both functions are found" mostly <(folded "ab.$b") func_ab ';main;func_[ab](;|\[| |$)' 95
	share=$(awk -v a="$(samples "ab.$b" ';func_a')" -v b="$(samples "ab.$b" ';func_b')" 'BEGIN {print 100 * a / (a + b)}')
	check "$b: both functions have their shares" between "$share" 38 62
	check "$b: stacks are complete" is_whole "ab.$b"
	check "$b: taken = counted + lost" is_accounted "$dir/ab.$b.prof"
}

find_times()
{
	local act used
	for act in "burn 1000" "children 40 25" "vfork 40 25" "threads 3 300" "exec 800"; do
		# shellcheck disable=SC2086 # words are meant
		record t -F 199 -- "$dir/traced" $act
		used=$(cat "$dir/out")
		check "$b: $act: samples agree with the CPU time" fits t "$used" 199 20
		check "$b: $act: stacks are complete" is_whole t
	done
	check "$b: exec in a thread: samples of the new program" above "$(samples t ';burn_here')" 100
	record slow -F 49 -- "$dir/traced" burn 1000
	check "$b: -F sets the rate" fits slow "$(cat "$dir/out")" 49 25
	record sleep -F 199 -- "$dir/traced" threads 1 300
	check "$b: threads that sleep have no samples" at_most "$(samples sleep '^sleeper;')" 2
	check "$b: threads that run have samples" above "$(samples sleep '^burner;')" 30
	record short -F 99 -- "$dir/traced" children 300 3
	if [ "$b" = perf ] && [[ $(info "$dir/short.prof" "stacks of") != *kernel* ]]; then
		check "$b: children that end before a sample is due: said" contains "$(cat "$dir/err")" \
			"CPU time is under-reported: perf events took no samples in the kernel"
		return
	fi
	check "$b: children that end before a sample is due have samples, or those are lost" \
		fits short "$(cat "$dir/out")" 99 35
	[ "$b" != perf ] || check "$b: samples of children that are lost are said to be" contains "$(cat "$dir/err")" \
		"threads that end within a period have no samples by perf events, which are counted as lost"
}

find_threads()
{
	"$dir/traced" threads 2 600000 > /dev/null &
	local pid=$!
	wait_for has_run 5 $pid
	begin_recording --backend "$b" -F 199 -o "$dir/p.prof" -p $pid
	run_for "$(ticks_for 600)" $pid
	end_recording INT
	check "$b: -p finds all threads" at_least "$(samples p '^burner;.*burn_here')" 50
	check "$b: -p: nothing stays stopped" is_free $pid
	begin_recording --backend "$b" -F 199 -o "$dir/comm.prof" -p $pid --comm burner
	run_for "$(ticks_for 300)" $pid
	end_recording INT
	check "$b: --comm takes threads of that name" above "$(samples comm '^burner;')" 10
	check "$b: --comm takes no other threads" same "$(folded comm | grep -vc '^burner;')" 0
	begin_recording --backend "$b" -F 199 -o "$dir/uid.prof" -p $pid --uid $(($(id -u) + 1))
	run_for "$(ticks_for 200)" $pid
	end_recording INT
	check "$b: --uid of nobody takes nothing" same "$(folded uid)" ""
	kill -KILL $pid
	wait $pid 2> /dev/null
}

# A thread that waits for its first turn on a CPU stands at the call that began it, where nothing uses CPU time.
find_begun()
{
	local spinners=()
	[ "$b" != perf ] || return # whose samples begin with a period
	build "$dir/frames" frames.c -O2 -pthread -lm
	for _ in 1 2 3 4 5 6; do
		"$dir/traced" quiet 600000 &
		spinners+=($!)
	done
	begin_recording --backend "$b" -F 499 -o "$dir/begun.prof" -- "$dir/frames" threads 600000
	run_for "$(ticks_for 1000)" "$(child_of "$recorder" frames)"
	end_recording INT
	kill "${spinners[@]}"
	wait "${spinners[@]}" 2> /dev/null
	all=$(samples begun '^frames;.*;in_thread')
	check "$b: threads that begin: they are met at work" above "$all" 50
	check "$b: threads that begin: not met before their first turn on a CPU" at_most \
		"$(samples begun '^frames;(.*;)?(__)?clone3?(\[[^;]*\])?( |$)')" $((all / 10))
}

find_others()
{
	local pid
	record load -F 199 -- "$dir/traced" load "$dir/plugin.so"
	check "$b: a library that comes later has names" above "$(samples load ';plugged')" 30
	bash -c "read -r _; '$dir/traced' quiet 500; :" < <(wait_for test -e "$dir/go.$b") &
	pid=$!
	begin_recording --backend "$b" -F 199 -o "$dir/follow.prof" -p $pid --follow
	touch "$dir/go.$b"
	wait $pid
	end_recording INT
	check "$b: --follow finds children" above "$(samples follow '^traced;.*burn_here')" 30
	if ! python3 -c 0 2> /dev/null; then
		skip "$b: functions of python" "python3 does not run"
		return
	fi
	python3 "$dir/busy.py" &
	pid=$!
	run_for "$(ticks_for 200)" $pid
	begin_recording --backend "$b" -F 199 -o "$dir/py.prof" -p $pid
	run_for "$(ticks_for 1000)" $pid
	end_recording INT
	if has_support "$b" "$dir/py.prof" py "$(python3 -c 'import platform; print(platform.python_version())')"; then
		check "$b: functions of python" at_least "$(samples py 'busy')" 100
	fi
	check "$b: python goes on" goes_on $pid
	kill -KILL $pid
	wait $pid 2> /dev/null
}

## What the recorded programs notice.
find_traces()
{
	local pid
	record s -- "$dir/traced" signals 200
	check "$b: signals arrive, and children are heard of" same "$(cat "$dir/out")" "200 20 alarms"
	record c -F 999 -- "$dir/traced" calls 1000
	check "$b: no system call is cut short" same "$(cat "$dir/out")" 0
	record e -- sh -c 'echo out; exit 3'
	check "$b: the command's output is its own" same "$(cat "$dir/out")" out
	check "$b: the command's status is told" contains "$(cat "$dir/err")" "the command exited with status 3"
	record k -- "$dir/traced" die 15
	check "$b: a signal that ends the command is told" contains "$(cat "$dir/err")" \
		"the command was killed by signal 15 (Terminated)"

	"$dir/traced" quiet 600000 &
	pid=$!
	begin_recording --backend "$b" -F 199 -o "$dir/j.prof" -p $pid
	run_for 10 $pid
	kill -STOP $pid
	check "$b: SIGSTOP stops a process" stands $pid
	kill -CONT $pid
	check "$b: SIGCONT lets a process go on" goes_on $pid
	kill -STOP $pid
	check "$b: SIGSTOP stops a process again" stands $pid
	end_recording INT
	check "$b: the end of the recording leaves a process stopped" stands $pid
	check "$b: a process is stopped as without a recorder" same "$(state $pid)" T
	kill -CONT $pid
	check "$b: SIGCONT lets a process go on after the recording" goes_on $pid
	kill -KILL $pid
	wait $pid 2> /dev/null
}

# A parent hears of children that it kills, also if they are just being looked at.
find_killed()
{
	python3 -c 0 2> /dev/null || { skip "$b: killed children are heard of" "python3 does not run"; return; }
	cat > "$dir/parent.py" <<- 'END'
		import os, random, signal, time
		def spin(depth):
		    if depth:
		        return spin(depth - 1)
		    while True:
		        pass
		late = 0
		for _ in range(150):
		    child = os.fork()
		    if not child:
		        spin(100)
		    time.sleep(0.005 + 0.01 * random.random())
		    os.kill(child, signal.SIGKILL)
		    end = time.time() + 5
		    while not os.waitpid(child, os.WNOHANG)[0]:
		        if time.time() > end:
		            late += 1
		            break
		        time.sleep(0.001)
		print(late)
	END
	record heard -q -F 2999 -- python3 "$dir/parent.py"
	check "$b: killed children are heard of" same "$(cat "$dir/out")" 0
}

# kill_recorders N: kills so many at random moments. What they record goes on.
kill_recorders()
{
	local pids=() bad=0 n pid recorder
	"$dir/traced" quiet 600000 &
	pids+=($!)
	"$dir/traced" threads 1 600000 > /dev/null &
	pids+=($!)
	if python3 -c 0 2> /dev/null; then
		python3 "$dir/busy.py" &
		pids+=($!)
	fi
	wait_for has_run 20 "${pids[@]}"
	for ((n = 0; n < $1 && bad == 0; n++)); do
		: > "$dir/err"
		"$profrec" --backend "$b" -F 999 -o "$dir/killed.prof" -p "$(IFS=,; echo "${pids[*]}")" 2> "$dir/err" &
		recorder=$!
		[ $((n % 4)) -eq 0 ] || wait_for has_text Sampling "$dir/err"
		sleep "0.$(printf '%03d' $((RANDOM % 150)))"
		kill -KILL $recorder
		wait $recorder 2> /dev/null
		wait_seconds=5 wait_for is_free "${pids[@]}" && goes_on "${pids[@]}" || bad=1
	done
	[ $bad -eq 0 ] || for pid in "${pids[@]}"; do echo "$pid: $(state "$pid")"; done
	kill -KILL "${pids[@]}"
	wait "${pids[@]}" 2> /dev/null
	rm -f "$dir"/killed.prof*
	return $bad
}

## What cannot be done is said.
find_refusals()
{
	local refused=("--off-cpu" "-e sched:sched_switch" "--cgroup /" "--mntns 1" "-e c:malloc") option pid
	[ "$b" = perf ] || refused+=("-e cycles" "-c 1000" "-C 0" "-K")
	for option in "${refused[@]}"; do
		# shellcheck disable=SC2086 # words are meant
		check "$b: $option is refused" says 125 " is not possible by " \
			"$profrec" --backend "$b" -o "$dir/x.prof" $option -- true
	done
	if [ "$b" = ptrace ] && command -v strace > /dev/null; then
		strace -f -o /dev/null "$dir/traced" quiet 600000 &
		local tracer=$!
		wait_for child_of_strace $tracer
		pid=$(child_of $tracer traced)
		check "$b: a process that is traced already" says 1 "process $tracer traces it already" \
			"$profrec" --backend "$b" -o "$dir/x.prof" -p "$pid" 1
		kill -KILL "$pid"
		wait $tracer 2> /dev/null
	else
		skip "$b: a process that is traced already" "ptrace alone, and with strace"
	fi
	[ "$b" = perf ] || check "$b: all processes are refused" says 1 "only one's own are possible" \
		"$profrec" --backend "$b" -o "$dir/x.prof" 1
}
child_of_strace() { [ -n "$(child_of "$1" traced)" ]; }

# Nobody's system calls end early because all processes are recorded.
find_whole_calls()
{
	[ "$b" = perf ] || return
	has_root "$b: system calls of others stay whole" || return
	build "$dir/whole_calls" whole_calls.c
	touch "$dir/calling"
	"$dir/whole_calls" "$dir/calling" &
	local pid=$! status has_cut
	"$profrec" --backend perf -q -F 499 -o "$dir/all.prof" 1 2> "$dir/err"
	status=$?
	rm "$dir/calling"
	wait $pid
	has_cut=$?
	if ! grep -q "failed to record all processes" "$dir/err"; then
		check "$b: all processes are recorded" same "$status" 0
		check "$b: system calls of others stay whole" test $has_cut -eq 0
		check "$b: system calls of others: their programs have samples" \
			above "$("$profrep" -f "$dir/all.prof" | sum_samples '^whole_calls;')" 5
	else
		skip "$b: system calls of others stay whole" "perf events of all processes are refused"
	fi
}

# A program with the rights of another user runs, and the recording goes on.
find_set_user()
{
	command -v setpriv > /dev/null || { skip "$b: a set-user-ID program" "setpriv is not installed"; return; }
	has_root "$b: a set-user-ID program" || return
	mkdir -p "$dir/open"
	chmod 777 "$dir/open"
	cp "$dir/traced" "$dir/set_user"
	chmod 4755 "$dir/set_user"
	cp "$profrec" "$dir/profrec"
	check "$b: a set-user-ID program" setpriv --reuid 64125 --regid 64125 --clear-groups --inh-caps=-all \
		--bounding-set=-all "$dir/profrec" --backend "$b" -F 199 -o "$dir/open/su.$b.prof" -- \
		sh -c "'$dir/set_user' quiet 200 && '$dir/traced' quiet 300"
	check "$b: programs after a set-user-ID program have samples" above "$("$profrep" -f "$dir/open/su.$b.prof" | sum_samples '^traced;')" 25
}

for b in "${ways[@]}"; do
	find_shares
	find_times
	find_threads
	find_begun
	find_others
	find_traces
	[ "$b" = bpf ] && continue
	find_killed
	number=$kills
	[ "$b" = ptrace ] || number=$((kills / 4))
	check "$b: $number killed recorders leave nobody stopped" kill_recorders "$number"
	find_refusals
	find_set_user
	find_whole_calls
done
check "another backend" says 2 "backend" "$profrec" --backend nonsense -o "$dir/x.prof" 1
plan_end
