#!/usr/bin/env bash
# tests: report/export report/commands/command_export.c
# Go's pprof reads exported profiles: self and total of every function are those of folded output. TAP.
# shellcheck source=tests/tap.sh
. tests/tap.sh
command -v go > /dev/null || skip_all "go is not installed"
need_recording

# functions FOLDED: self, total and name of each function, as pprof -top counts them.
functions()
{
	awk '{
		n = $NF; sub(/ [0-9]+$/, ""); depth = split($0, frame, ";")
		split("", seen)
		for (i = 2; i <= depth; i++) if (!(frame[i] in seen)) {seen[frame[i]]; total[frame[i]] += n}
		if (depth > 1) self[frame[depth]] += n
	} END {for (f in total) print self[f] + 0, total[f], f}' "$1" | LC_ALL=C sort
}

# tops FILE VALUE: what pprof prints of each function.
tops()
{
	go tool pprof -top -symbolize=none -nodecount=1000000 -nodefraction=0 -edgefraction=0 -sample_index="$2" "$1" 2> /dev/null |
		awk 'head {sub(/ \(inline\)$/, ""); n = $1; c = $4; for (i = 1; i <= 5; i++) sub(/^ *[^ ]+ */, ""); print n, c, $0} /flat%/ {head = 1}' |
		LC_ALL=C sort
}

"$profrec" -q -F 999 -o "$dir/app.prof" -- bash -c 'timeout 2 "$1" & timeout 2 openssl speed -seconds 1 sha256 &
	timeout 2 python3 -c "while True: sorted(range(10000))"; wait' - "$workloads/func_ab" > "$dir/log" 2>&1
"$profrep" export pprof -o "$dir/app.pb.gz" "$dir/app.prof"
"$profrep" -f "$dir/app.prof" > "$dir/folded" 2> /dev/null
# Frames without any name are addresses for pprof.
reads_all() { diff <(functions "$dir/folded" | grep -v '\[unknown\]$') <(tops "$dir/app.pb.gz" samples | grep -vE ' ([0-9a-f]*|\[\[unmapped\]\])$'); }
check "pprof counts self and total of each function" reads_all
check "pprof knows the time" contains "$(go tool pprof -top -symbolize=none "$dir/app.pb.gz" 2>&1)" "Type: cpu"
plan_end
