#!/usr/bin/env bash
# Goroutines that have labels: of programs that pass for Go's in each form of its versions, of those that lie, and of a
# program in Go. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/routes.sh
. tests/lib/routes.sh
need_bpf

# as_go MINOR FILE: the program of tests, as one of Go 1.MINOR.
as_go() { build "$dir/$2" says_route.c -DGO_MINOR="$1"; }

for minor in 19 22 23 24; do
	as_go $minor like_$minor
	try "as Go 1.$minor" like_$minor routes
done
as_go 99 unknown
start unknown routes
record 60
finish
check "a version that is not known has no labels" same "$(routes | grep -v '^\[no')" ""

# What liars say spoils their own samples alone.
start like_23 routes
honest=$!
for form in sizes valid entries address; do
	start like_23 "$form"
	start like_24 "$form"
done
record 60
liars=$(IFS=,; echo "${pids[*]:1}")
finish
check "liars have no route that is not theirs" \
	same "$(routes --pid "$liars" | grep -v '^\[no' | awk '$1 != "/" $2')" ""
check "no route of an honest program is wrong beside liars" \
	same "$(routes --pid "$honest" | grep -v '^\[no' | awk '$1 != "/" $2')" ""
check "an honest program has routes beside liars" test "$(routes --pid "$honest" | grep -c '^/')" = 3

if ! command -v go > /dev/null; then
	skip "a program in Go" "no go"
	plan_end
	exit
fi
export HOME=$dir GOPATH=$dir/path GOCACHE=$dir/cache GOTOOLCHAIN=local GOFLAGS=-modcacherw
# go_try NAME CGO OPTION...: builds the program in Go, and checks its routes.
go_try()
{
	if ! CGO_ENABLED=$2 go build -o "$dir/go" "${@:3}" tests/programs/says_label.go 2> "$dir/log"; then
		skip "$1" "it cannot be built: $(grep -v '^#' "$dir/log" | head -n 1)"
		return
	fi
	try "$1" go routes
}
echo "# $(go version)"
go_try "Go, position-independent" 0 -buildmode=pie
go_try "Go with C" 1
go_try "Go, stripped" 0 -ldflags="-s -w"

# many_routes FORM: how many routes of the program's form there are.
many_routes()
{
	start go "$1"
	record 60
	finish
	routes | awk '{print $1}' | sort -u | grep -c '^/'
}
check "eight labels are read" test "$(many_routes most)" = 3
check "of forty labels, the last one is not" test "$(many_routes beyond)" = 0
check "requests have routes of their own" at_least "$(many_routes many)" 20
check "a long value is cut" test "$(many_routes long)" = 3
check "a long value is cut to 255 bytes" same "$(routes | awk '/^\// {print length($1)}' | sort -u)" 255
plan_end
