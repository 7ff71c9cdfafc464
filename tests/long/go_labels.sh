#!/usr/bin/env bash
# Goroutines that have labels, of a program in Go that is built in several ways. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/routes.sh
. tests/lib/routes.sh
need_bpf

if ! command -v go > /dev/null; then
	skip_all "no go"
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
