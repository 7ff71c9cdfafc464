#!/usr/bin/env bash
# profrep top, tree and callers: their sums are those that awk computes from folded output. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

for text in tests/golden/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done
# Two threads on 8 CPUs for 2 s at 10 Hz; the same with 40 samples of others; waits and calls of own code and others.
"$BUILD/tests/prof_make" > "$dir/cpus.prof" << 'END'
meta event cpu-clock
meta event_type 1
meta freq_hz 10
meta cpus 0-7
meta nr_cpus 8
object f file /nonexistent/f -
process p 20 1
count p a 30 user f:1
count p b 5 user f:1
epoch 0 1000000000
count p a 10 user f:1
count p b 17 user f:1
epoch 1000000000 2000000000
end duration_ns 2000000000
END
"$BUILD/tests/prof_make" > "$dir/chosen.prof" << 'END'
meta event cpu-clock
meta event_type 1
meta freq_hz 10
meta cpus 0-7
meta nr_cpus 8
meta pids 20
object f file /nonexistent/f -
process p 20 1
count p a 40 user f:1
epoch 0 2000000000
end duration_ns 2000000000
end filtered 40
END
"$BUILD/tests/prof_make" > "$dir/own.prof" << 'END'
meta event cpu-clock
meta event_type 1
meta freq_hz 10
meta cpus 0-7
meta nr_cpus 8
event samples events 0 cpu-clock
event off-cpu ns 0 off-cpu
event user events 1 c:malloc
object k kernel [kernel] -
object libc file /lib/libc.so.6 -
object app file /nonexistent/app -
sym k 0x1000 0x100 __schedule
sym k 0x1100 0x100 do_nanosleep
sym libc 0x1000 0x100 clock_nanosleep
sym libc 0x1100 0x100 malloc
sym libc 0x1200 0x100 memcpy
sym app 0x1000 0x100 main
sym app 0x1100 0x100 work
sym app 0x1200 0x100 wait
process p 20 1
map kernel k 0xffffffff81000000 0x1000000 0
map p libc 0x7f1234560000 0x10000 0
map p app 0x400000 0x10000 0
count p app 6 user libc:0x1210 app:0x1110 app:0x1010 event 0
count p app 70 user libc:0x1010 app:0x1110 app:0x1010 kernel k:0x1010 k:0x1110 event 1
count p app 10 user app:0x1210 app:0x1010 kernel k:0x1010 k:0x1110 event 1
count p app 20 kernel k:0x1010 k:0x1110 event 1
count p app 8 user libc:0x1100 app:0x1110 event 2
count p app 1 user libc:0x1100 event 2
epoch 0 2000000000
end duration_ns 2000000000
END
"$BUILD/tests/picture_make" 2000 > "$dir/picture.prof"

# stacks FILE OPTION...: tab-separated lines: the count, the thread name, then the functions from the root to the leaf, each
# with its module. A stack of a waker is cut off, and a thread without a stack has a mark for it.
stacks()
{
	"$profrep" -f -m "$@" 2> /dev/null | awk '{n = $NF; sub(/ [0-9]+$/, ""); sub(/;--(;.*)?$/, ""); gsub(/;/, "\t")
		print n "\t" $0 ($0 ~ /\t/ ? "" : "\t[no stack]")}'
}

# rows OPTION...: the lines of profrep top below the title, without the column CPUS.
rows()
{
	"$profrep" top "$@" 2> /dev/null | awk 'seen {print substr($0, width + 1)} !$0 && !seen {getline; seen = 1; width = /^   CPUS/ ? 8 : 0}'
}

# functions_of FILE OPTION...: self, total and name of each function. Recursion counts once.
functions_of()
{
	stacks "$@" | awk -F '\t' '{for (i = 3; i <= NF; i++) if (last[$i] != NR) { last[$i] = NR; total[$i] += $1 } self[$NF] += $1}
		END {for (name in total) printf "%.0f %.0f %s\n", self[name], total[name], name}' | LC_ALL=C sort
}

# printed_functions FILE OPTION...: those of profrep top.
printed_functions()
{
	rows --unit raw -n 1000000 --leaf exact "$@" | awk '{module = substr($0, 65, 16); sub(/ +$/, "", module)
		name = substr($0, 83); if (module != "" && module !~ /^\[/) module = "[" module "]"
		print substr($0, 1, 12) + 0, substr($0, 24, 12) + 0, name (module == "" ? "" : " ") module}' | LC_ALL=C sort
}
# A longer name of a module moves the column.
top_agrees() { diff <(functions_of "$@" | grep -v "<frozen") <(printed_functions "$@" | grep -v "<frozen"); }

for name in basic ends epochs host-a languages missed order picture rotated times; do
	event=()
	[ $name != times ] || event=(--event 2)
	[ $name != languages ] || event=(--frames mixed)
	check "functions of $name" top_agrees "$dir/$name.prof" "${event[@]}"
done
# amounts UNIT: self and total of the first function.
amounts() { rows --leaf exact --event 2 --unit "$1" -n 1 "$dir/times.prof" | awk 'END {print $1, $2, $5, $6}'; }
check "times with a unit" same "$(amounts auto)" "1.00 s 1.00 s"
check "times in seconds" same "$(amounts s)" "1.002 s 1.002 s"
check "times in milliseconds" same "$(amounts ms)" "1001.501 ms 1001.501 ms"
check "a tree says how long all of it is" contains "$("$profrep" tree --event 2 "$dir/times.prof")" "FUNCTION, 100 % are 1.00 s"
check "a tree says it raw" contains "$("$profrep" tree --unit raw --event 2 "$dir/times.prof")" ", 100 % are 1001500999 nanoseconds"
check "functions of several recordings" top_agrees "$dir/host-a.prof" "$dir/host-b.prof"
check "functions of user space" top_agrees "$dir/basic.prof" -U
check "functions of chosen stacks" top_agrees "$dir/basic.prof" --comm dd --ignore vfs
check "functions that call themselves" above "$(functions_of "$dir/languages.prof" | awk '$2 > $1' | wc -l)" 0

sum_of_selfs() { printed_functions "$@" | awk '{n += $1} END {print n}'; }
check "self adds up to all samples" same "$(sum_of_selfs "$dir/basic.prof")" \
	"$(stacks "$dir/basic.prof" | awk '{n += $1} END {print n}')"
check "by file has three names" same "$(for by in file dso module; do "$profrep" top --by $by "$dir/basic.prof"; done | sort | uniq -c | awk '$1 % 3')" ""
check "by process has two names" same "$("$profrep" top --by process "$dir/basic.prof")" "$("$profrep" top --by pid "$dir/basic.prof")"

# The CPU seconds per second of all rows are what the header says, where nothing was lost or left out.
busy() { "$profrep" top "$@" 2> /dev/null | sed -n 2p; }
cpus() { "$profrep" top -n 1000000 "$@" 2> /dev/null | awk '/^   CPUS/ {seen = 1; next} seen {n += $1} END {printf "%.2f\n", n}'; }
check "CPU seconds per second" same "$(cpus "$dir/cpus.prof")" 3.10
check "how busy the host was" same "$(busy "$dir/cpus.prof")" "3.10 of 8 CPUs busy"
check "how busy, of some rows" same "$(busy --comm b "$dir/cpus.prof")" "3.10 of 8 CPUs busy, 1.10 of them with what is shown"
check "how busy, of a part of the time" same "$(busy --to 1 "$dir/cpus.prof")" "3.50 of 8 CPUs busy"
check "how busy, of some rows and a part of the time" same "$(busy --to 1 --comm b "$dir/cpus.prof")" \
	"0.500 of 8 CPUs busy with what is shown"
check "how busy, with what the recorder left out" same "$(busy "$dir/chosen.prof")" "4.00 of 8 CPUs busy, 2.00 of them with what is shown"
check "no host, of several recordings" same "$(busy "$dir/cpus.prof" "$dir/cpus.prof")" ""
check "sorted by total" same "$(rows --sort total --event 2 "$dir/own.prof" | awk '{print $NF}' | xargs)" \
	"do_nanosleep __schedule main work clock_nanosleep wait"
check "sorted by name" same "$(rows --sort name --event 2 "$dir/own.prof" | awk '{print $NF}' | xargs)" \
	"__schedule clock_nanosleep do_nanosleep main wait work"

# self OPTION...: the functions that have samples of their own.
self() { rows --unit raw "$@" "$dir/own.prof" | awk '$1 {print $1, $NF}' | xargs; }
check "off the CPU, own code waits" same "$(self --event 2)" "70 work 20 do_nanosleep 10 wait"
check "off the CPU, the leaf is the scheduler" same "$(self --event 2 --leaf exact)" "100 __schedule"
check "off the CPU, by file" same "$(self --event 2 --by file)" "80 app 20 [kernel]"
check "hits count at the caller" same "$(self --event 3)" "8 work 1 malloc"
check "hits count at the probed function" same "$(self --event 3 --leaf exact)" "9 malloc"
check "samples count at their leaves" same "$(self --event 1)" "6 memcpy"
check "samples count at own code" same "$(self --event 1 --leaf own)" "6 work"
check "off the CPU, functions of Python wait" same "$("$profrep" top --leaf own -n 1 "$dir/languages.prof" | awk 'END {print $NF}')" leaf
check "a limit of rows" same "$(rows --limit 2 "$dir/basic.prof" | wc -l)" 2

# by THING AWK: the sums of the rows of the text, by what AWK says of them: name, pid and n are there.
by()
{
	diff <("$profrep" "$dir/basic.prof" | awk '/^    - / {name = $2; pid = $3; gsub(/[()]/, "", pid); getline; n = $1
			sum['"$2"'] += n} END {for (key in sum) print sum[key], key}' | LC_ALL=C sort) \
		<(rows --by "$1" "$dir/basic.prof" | awk '{print $1, substr($0, 42)}' | LC_ALL=C sort)
}
check "by thread name" by comm name
check "by process" by pid pid
check "by thread" by thread 'name " (" pid ")"'
check "by CPU" same "$(rows --by cpu "$dir/basic.prof" | awk '{print $1}' | sort | xargs)" \
	"$("$profrep" info "$dir/basic.prof" | sed -n 's/^samples per CPU: *//p' | xargs -n 1 | sort | xargs)"
samples_by() { "$profrep" processes "$dir/processes.prof" 2> /dev/null | awk 'NR > 1 {sum['"$1"'] += $1} END {for (k in sum) print sum[k], k}' | sort; }
check "by user" diff <(samples_by '$4') <(rows --by user "$dir/processes.prof" | awk '{print $1, $NF}' | sort)
check "by CPU, with a filter" says 1 "option --by: cpu stands for whole recordings" \
	"$profrep" top --by cpu --comm dd "$dir/basic.prof"
check "by CPU, of several recordings" says 1 "it does not tell samples by CPU" \
	"$profrep" top --by cpu "$dir/host-a.prof" "$dir/host-b.prof"
check "processes of several recordings stay apart" same \
	"$(rows --by pid "$dir/host-a.prof" "$dir/host-a.prof" | awk '{print $NF}' | sort | uniq -c | awk '$1 % 2')" ""

# Each beginning of a stack is a node of the tree, each beginning of a way up from a function one of its callers.
nodes()
{
	awk -F '\t' '{sum += $1; path = ""; for (i = 2; i <= NF; i++) { path = path "\t" $i; total[path] += $1; name[path] = $i }}
		END {for (path in total) printf "%.2f %s\n", 100 * total[path] / sum, name[path]}' | LC_ALL=C sort
}
printed_nodes() { awk 'NR > 3 {share = $1; sub(/^[^%]*% *([0-9.]+ %)? *(\+ )?/, ""); print share, $0}' | LC_ALL=C sort; }
tree_agrees()
{
	diff <(stacks "$@" | nodes) <("$profrep" tree --min-percent 0.001 "$@" 2> /dev/null | printed_nodes)
}
for name in basic host-a missed picture; do
	check "tree of $name" tree_agrees "$dir/$name.prof"
done
for frames in mixed native language; do
	check "tree of languages, $frames frames" tree_agrees "$dir/languages.prof" --frames $frames
done
check "frames are those of the language by themselves" same "$("$profrep" tree "$dir/languages.prof" | grep -v "^Frames of the interpreter")" \
	"$("$profrep" tree --frames language "$dir/languages.prof")"
check "a tree without small branches" same \
	"$("$profrep" tree --min-percent 20 "$dir/basic.prof" | printed_nodes)" \
	"$(stacks "$dir/basic.prof" | nodes | awk '$1 >= 20')"

# ways_up FUNCTION: from the outermost frame of the function to its callers and the thread.
ways_up()
{
	awk -F '\t' -v function_name="$1" '{way = ""; for (i = 3; i <= NF && !way; i++) { name = $i; sub(/ \[[^ ]*\]$/, "", name)
			if (name == function_name) for (k = i; k > 1; k--) way = way "\t" $k }
		print $1 (way ? way : "\t-")}' | nodes | grep -v ' -$'
}
callers_agree()
{
	local function=$1
	shift
	diff <(stacks "$@" | ways_up "$function") <("$profrep" callers "$function" --min-percent 0.001 "$@" 2> /dev/null | printed_nodes)
}
check "callers" callers_agree func_a "$dir/basic.prof"
check "callers in the kernel" callers_agree vfs_read "$dir/basic.prof"
check "callers of a function that calls itself" callers_agree _PyEval_EvalFrameDefault "$dir/languages.prof"
check "callers in many stacks" callers_agree picture::part_0::function_0 "$dir/picture.prof"
check "callers of nothing" says 1 "no stack has a function 'nothing'" "$profrep" callers nothing "$dir/basic.prof"

# On a terminal there are colours, and no line is wider than it.
if command -v script > /dev/null; then
	# terminal COLUMNS COMMAND
	terminal()
	{
		script -qec "stty cols $1; $2" /dev/null < /dev/null | tr -d '\r'
	}
	widest() { sed 's/\x1b\[[0-9;]*m//g' | awk 'length > n {n = length} END {print n}'; }
	export TERM=xterm
	for columns in 60 120; do
		check "a top of $columns columns" at_most "$(terminal $columns "$profrep top $dir/picture.prof" | tail -n +3 | widest)" $columns
		check "a tree of $columns columns" at_most \
			"$(terminal $columns "$profrep tree --min-percent 20 $dir/basic.prof" | tail -n +3 | widest)" $columns
	done
	check "colours" contains "$(terminal 80 "$profrep top $dir/basic.prof")" $'\033[33m'
	check "no colours by NO_COLOR" same "$(NO_COLOR=1 terminal 80 "$profrep top $dir/basic.prof" | grep -c $'\033')" 0
	check "no colours on a dumb terminal" same "$(TERM=dumb terminal 80 "$profrep top $dir/basic.prof" | grep -c $'\033')" 0
else
	skip "top on a terminal" "script is not installed"
fi
plan_end
