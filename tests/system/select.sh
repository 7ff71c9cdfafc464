#!/usr/bin/env bash
# The filters of profrep: each output holds the stacks that awk picks from the whole folded output. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

for text in tests/golden/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done
"$BUILD/tests/picture_make" 2000 > "$dir/picture.prof"

# sums: adds up equal stacks of folded output, sorted.
sums()
{
	awk '{n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n} END {for (stack in sum) printf "%s %.0f\n", stack, sum[stack]}' |
		LC_ALL=C sort
}
folded() { "$profrep" -f "$@" 2> /dev/null | sums; }

# picks AWK RECORDING OPTION...: with the options, folded output is the lines that AWK, a condition, picks from the rest.
# In AWK, thread is the name, name[1] to name[n] the functions, and $NF the count.
picks()
{
	local condition=$1 file=$dir/$2.prof
	shift 2
	folded "$file" | awk '{line = $0; stack = line; sub(/ [0-9]+$/, "", stack); n = split(stack, part, ";"); thread = part[1]
		for (i = 2; i <= n; i++) name[i - 1] = part[i]
		n--
		if ('"$condition"') print line}
		function any(pattern) { for (i = 1; i <= n; i++) if (name[i] ~ pattern) return 1; return 0 }' > "$dir/picked"
	[ -s "$dir/picked" ] || { echo "the test picks nothing"; return 1; }
	[ "$(wc -l < "$dir/picked")" -lt "$(folded "$file" | wc -l)" ] || { echo "the test picks everything"; return 1; }
	folded "$@" "$file" | diff "$dir/picked" -
}

check "--comm" picks 'thread == "dd"' basic --comm dd
check "--comm, of two" picks 'thread == "dd" || thread == "func_ab"' basic --comm dd --comm func_ab
check "--function" picks 'any("^func_a$")' basic --function '^func_a$'
check "--function of the kernel" picks 'any("vfs")' basic --function vfs
check "--ignore" picks '!any("vfs|func")' basic --ignore 'vfs|func'
check "--function and --ignore" picks 'any("func_a") && !any("func_b")' basic --function func_a --ignore func_b
check "--min-samples" picks '$NF >= 5' basic --min-samples 5
check "--min-samples after --comm" picks 'thread == "dd" && $NF >= 2' basic --comm dd --min-samples 2
check "--function of many stacks" picks 'any("function_7$")' picture --function 'function_7$'
check "--min-samples of many stacks" picks '$NF >= 3' picture --min-samples 3
check "--ignore of frames without a name" picks '!any("unknown")' basic --ignore unknown

# A side that is not shown has no functions.
check "hidden frames do not match" fails 1 "$profrep" -U --function vfs "$dir/basic.prof"

# in_modules OPTION...: the stacks with a frame of the module, as -m shows it.
in_modules()
{
	diff <(folded -m "$dir/basic.prof" | grep -F " $1") <(folded -m --dso "$2" "$dir/basic.prof")
}
check "--dso of a file" in_modules "[libc.so.6]" libc.so.6
check "--dso of a path" in_modules "[libc.so.6]" /lib/x86_64-linux-gnu/libc.so.6
check "--dso of a kernel module" in_modules "[ext4]" "[ext4]"
check "--dso of the kernel" in_modules "[kernel]" "[kernel]"

# Counts by process, as the text shows them.
of_process()
{
	"$profrep" "$dir/basic.prof" | awk -v pid="($1)" '$NF == pid {getline; n += $1} END {print n}'
}
check "--pid" same "$(folded --pid 13549 "$dir/basic.prof" | awk '{n += $NF} END {print n}')" "$(of_process 13549)"
check "--pid, of two" same "$(folded --pid 13549,25036 "$dir/basic.prof" | awk '{n += $NF} END {print n}')" \
	"$(($(of_process 13549) + $(of_process 25036)))"

samples() { awk 'NR > 1 {n += $1} END {print n + 0}'; }
processes() { "$profrep" processes "$@" "$dir/processes.prof" 2> /dev/null; }
check "--cgroup" same "$(processes --cgroup "/system.slice/nginx service" | awk 'NR > 1 {print $2}')" 100
check "--cgroup of those above" same "$(processes --cgroup /system.slice | samples)" \
	"$(processes | grep -F nginx | awk '{print $1}')"
for word in system.slice /sys/fs/cgroup/system.slice /sys/fs/cgroup/unified/system.slice/; do
	check "--cgroup $word" diff <(processes --cgroup /system.slice) <(processes --cgroup "$word")
done
check "--cgroup of a name" same "$(processes --cgroup "nginx service" | awk 'NR > 1 {print $2}')" 100
check "--cgroup is no mere beginning" fails 1 "$profrep" processes --cgroup /system.sli "$dir/processes.prof"

# Owners: what the first frame says is what the filter chooses.
owners=$dir/owners.prof
check "--container, of two" same "$(folded --container 0123456789ab --container 2 "$owners" | awk '{n += $NF} END {print n}')" 19
check "--container is no mere beginning of a name" fails 1 "$profrep" -f --container a "$owners"
check "--pod" diff <(folded --by pod "$owners" | grep '^0f1e') <(folded --by pod --pod 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 "$owners")
check "--pod, the beginning of its uid" diff <(folded --by pod "$owners" | grep '^0f1e') <(folded --by pod --pod 0f1e "$owners")
# A name of systemd's with escapes: as systemd has it, as it is in data, and as it is printed.
escaped=$dir/escapes.prof
check "--systemd-unit of an escaped name" diff <(folded --by unit "$escaped" | grep -F 'my\x2dapp.service') \
	<(folded --by unit --systemd-unit 'my\x2dapp' "$escaped")
check "--systemd-unit as it is" diff <(folded --by unit "$escaped" | grep -F 'xbcr') \
	<(folded --by unit --systemd-unit $'t\\xc3\\xbcr\a' "$escaped")
check "--systemd-unit as it is printed" diff <(folded --by unit "$escaped" | grep -F 'xbcr') \
	<(folded --by unit --systemd-unit 't\\xc3\\xbcr\x07.service' "$escaped")
check "--comm as it is" diff <(folded "$escaped" | grep -F 'tab') <(folded --comm $'\u202etab\t' "$escaped")
check "--comm as it is printed" diff <(folded "$escaped" | grep -F 'tab') <(folded --comm '\xe2\x80\xaetab\x09' "$escaped")
check "--function as it is" diff <(folded "$escaped" | grep -F 'x1b\Page') <(folded --function '^App\\x1b\\Page' "$escaped")
check "--function as it is printed" diff <(folded "$escaped" | grep -F 'x1b\Page') \
	<(folded --function '^App\\\\x1b\\Page' "$escaped")
check "--systemd-unit" diff <(folded --by unit "$owners" | grep '^web.service') <(folded --by unit --systemd-unit web "$owners")
check "--by leaves out nothing" same "$(folded --by container "$owners" | awk '{n += $NF} END {print n}')" \
	"$(folded "$owners" | awk '{n += $NF} END {print n}')"
check "--by and --min-samples: what begins alike is one stack" same "$(folded --by container --min-samples 8 "$owners" | grep -c '^0123456789ab;')" 1
check "--by in an export" diff <(folded --by unit "$owners") <("$profrep" export folded --by unit "$owners" | sums)

# Every output has the filter.
options=(--function func_a --ignore func_b)
count=$(folded "${options[@]}" "$dir/basic.prof" | awk '{n += $NF} END {print n}')
check "the text has the filter" same "$("$profrep" "${options[@]}" "$dir/basic.prof" | grep -cE '^        [0-9]')" 1
check "files has the filter" same "$("$profrep" files --dso func_ab "$dir/basic.prof" | grep -c libc)" 0
check "an export has the filter" diff <("$profrep" -f "${options[@]}" "$dir/basic.prof") \
	<("$profrep" export folded "${options[@]}" "$dir/basic.prof")
check "a diff has the filter" same "$("$profrep" diff -f "${options[@]}" "$dir/basic.prof" "$dir/basic.prof" |
	awk '{a += $(NF - 1); b += $NF} END {print a, b}')" "$count $count"
check "a difference of one side" diff <("$profrep" diff -f "$dir/before.prof" "$dir/after.prof" | awk '$(NF - 1) == 0' |
	grep '^z') <("$profrep" diff -f --comm z "$dir/before.prof" "$dir/after.prof")
if command -v node > /dev/null; then
	page()
	{
		"$profrep" html -o "$dir/page.html" "$@" && "$profrep" -f --demangle short "$@" > "$dir/page.folded" &&
			node tests/html/check_page.js "$dir/page.html" "$dir/page.folded"
	}
	check "a page has the filter" page "${options[@]}" "$dir/basic.prof"
	check "html of many stacks" page --min-samples 3 "$dir/picture.prof"
	check "html by owners" page --by container "$owners"
	check "html without frames of a language" page --frames native "$dir/languages.prof"
else
	skip "a page has the filter" "node is not installed"
fi
# Each interval is filtered by itself.
check "intervals have the filter" diff <("$profrep" -T -f "$dir/intervals.prof" | grep -v Missed) \
	<("$profrep" -T -f --function '^(one|two)$' "$dir/intervals.prof")

# Several recordings and several events.
check "several recordings" diff <("$profrep" -f "$dir/host-a.prof" "$dir/host-b.prof" | grep '^server;') \
	<("$profrep" -f --comm server "$dir/host-a.prof" "$dir/host-b.prof")
check "an event of several" diff <("$profrep" -f --event 2 "$dir/events.prof" | grep 'func_a') \
	<("$profrep" -f --event 2 --function func_a "$dir/events.prof")

check "a filter that leaves nothing" says 1 "failed to select from '$dir/basic.prof': --comm leaves no samples" \
	"$profrep" -f --comm nobody "$dir/basic.prof"
check "the filter that leaves nothing of the samples of others is named" \
	says 1 "--function leaves no samples of --comm, --pid" \
	"$profrep" -f --comm dd --pid 25036 --function func_a --min-samples 1 "$dir/basic.prof"
check "a filter that leaves nothing in intervals" \
	says 1 "--comm leaves no samples" "$profrep" -T -f --comm nobody "$dir/intervals.prof"
check "a filter that leaves nothing in a difference" says 1 "--comm leaves no samples" \
	"$profrep" diff --comm nobody "$dir/before.prof" "$dir/after.prof"
check "a filter that leaves nothing in a table" \
	says 1 "--pid leaves no samples" "$profrep" processes --pid 1 "$dir/basic.prof"
check "a recording without samples is no error" "$profrep" -f --comm nobody "$dir/nothing.prof"
plan_end
