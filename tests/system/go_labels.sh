#!/usr/bin/env bash
# Goroutines that have labels: of programs that pass for Go's in each form of its versions, and of those that lie. long/go_labels
# has programs in Go. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/routes.sh
. tests/lib/routes.sh
need_bpf

# as_go MINOR FILE: the program of tests, as one of Go 1.MINOR.
as_go() { build "$dir/$2" says_route.c -DGO_MINOR="$1"; }

for minor in 19 22 23 24 25 27; do
	as_go $minor like_$minor
	try_hits "as Go 1.$minor" like_$minor routes
done
as_go 99 unknown
export TURNS=300
start unknown routes
unknown=$!
cold=1 count_hits
check "a version that is not known has no labels" have_no_route "$unknown" $((3 * TURNS))

# What liars say spoils their own samples alone.
start like_23 routes
honest=$!
for form in sizes valid entries address; do start like_23 "$form"; done
liars=$(IFS=,; echo "${pids[*]:1}")
count_hits
check "liars have no route that is not theirs" same "$(routes --pid "$liars" | grep -v '^\[no' | awk '$1 != "/" $2')" ""
check "each request of an honest program has its route beside liars" have_all "$honest"
start like_24 routes
honest=$!
for form in sizes valid entries address; do start like_24 "$form"; done
liars=$(IFS=,; echo "${pids[*]:1}")
count_hits
check "liars of Go 1.24 have no route that is not theirs" \
	same "$(routes --pid "$liars" | grep -v '^\[no' | awk '$1 != "/" $2')" ""
check "each request of an honest program has its route beside liars of Go 1.24" have_all "$honest"
plan_end
