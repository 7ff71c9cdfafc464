#!/usr/bin/env bash
# Stacks of a program in Go, in all ways of building one: they come to their root, and each pair of caller and function is
# one of the program's own profile or of its code. GO is the compiler, GO_SECONDS how long each program runs. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
: "${GO:=go}" "${GO_SECONDS:=12}"
need_tables
for tool in "$GO" objdump; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
cp -r tests/programs/known_go "$dir/go"
printf 'module calls\ngo 1.17\n' > "$dir/go/go.mod"
export HOME=$dir GOPATH=$dir/path GOTOOLCHAIN=local GOFLAGS=-mod=mod

# go_build CGO FILE OPTION...
go_build()
{
	(cd "$dir/go" && CGO_ENABLED=$1 "$GO" build -o "$2" "${@:3}" . 2> "$dir/build.log")
}

# truth NAME NUMBER
truth() { sed -n "s/^$2 //p" "$dir/$1.truth"; }

# record NAME
record()
{
	local pid
	"$dir/$1" "$GO_SECONDS" "$dir/$1.pprof" 2> "$dir/$1.err" &
	pid=$!
	run_for 2 $pid
	"$profrec" -q -U -F 499 -p $pid -o "$dir/$1.prof" $((GO_SECONDS - 2))
	wait $pid
	"$profrep" -f "$dir/$1.prof" > "$dir/$1.folded"
}

# judge NAME CGO OPTION...: also with the options of a build without symbols. The code is that of the build with symbols.
judge()
{
	local name
	if ! go_build "$2" "$dir/$1" "${@:3}" || ! go_build "$2" "$dir/$1-stripped" -ldflags="-s -w" "${@:3}"; then
		skip "$1" "it cannot be built: $(grep -v '^#' "$dir/build.log" | head -n 1)"
		return
	fi
	objdump -d --no-show-raw-insn "$dir/$1" > "$dir/$1.code"
	for name in "$1" "$1-stripped"; do
		record "$name"
		"$GO" tool pprof -noinlines -traces "$dir/$name" "$dir/$name.pprof" 2> "$dir/$name.err" > "$dir/$name.traces"
		awk -f tests/judges/go.awk "$dir/$name.traces" "$dir/$1.code" "$dir/$name.folded" > "$dir/$name.truth" 2> "$dir/$name.unknown"
		check "$name: there are pairs" above "$(truth "$name" pairs)" 1000
		check "$name: at most one of 100 pairs is unknown" at_most "$(truth "$name" unknown)" $(($(truth "$name" pairs) / 100))
		check "$name: stacks are complete" stacks_complete 98 "$dir/$name.prof" early
		echo "# $name: $(tr '\n' ' ' < "$dir/$name.truth")" "$(info "$dir/$name.prof" "user stacks")"
		sort -rn "$dir/$name.unknown" | head -n 5 | sed 's/^/# /'
	done
}

echo "# $("$GO" version)"
judge plain 0
judge pie 0 -buildmode=pie
judge cgo 1
judge pie-cgo 1 -buildmode=pie
judge race 1 -race
plan_end
