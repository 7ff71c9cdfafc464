#!/usr/bin/env bash
# Profiles that profrep push sends: sums and labels as the receiver decodes them. system/push_requests has what may happen to
# a request.
# The receiver is the tests' own, with messages made by protoc. long/push kills profrep more often. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/receiver.sh
. tests/lib/receiver.sh
need_receiver
now=$(date +%s)
cd "$dir" || exit 1
receiver_services() { sed -E 's/.*"service.name": "([^"]*)".*/\1/' receiver/profiles | sort; }

## Sums, by stack and by service.
service=/system.slice/nginx.service
record_sums
start_receiver
check "a recording is pushed" says 0 "pushed: 4 profiles with 14 samples" push sums.prof
check "the sums are those of the recording" diff <(folded_sums sums.prof) <(receiver_sums)
check "a profile for each series and minute" same "$(field samples | xargs)" "2 3 3 6"
check "services" same "$(field labels.service_name | xargs)" "kernel nginx nginx top"
check "cgroups" same "$(field labels.cgroup | xargs)" "- $service $service /user.slice"
check "units" same "$(field labels.unit | xargs)" "- - nginx.service nginx.service"
check "the host" same "$(field labels.host | sort -u)" web1
check "times of profiles" \
	same "$(field time | cut -c 1-10 | xargs)" "$((now - 300)) $((now - 300)) $((now - 300)) $((now - 239))"
check "a stretch ends after a minute at most" same "$(field duration | sort -un | xargs)" "2000000000 6000000000"
check "a sample stands for 10 ms" same "$(field period | sort -u)" 10000000
first=$(field id)
start_receiver
check "a recording is pushed again" push sums.prof
check "a recording that is pushed again has the same ids" same "$(field id)" "$first"
start_receiver
check "a filter" says 0 "pushed: 1 profile with 3 samples" push --comm top sums.prof
check "a part of the time" says 0 "pushed: 1 profile with 6 samples" push --from 60 sums.prof

## Labels, headers and the tenant.
start_receiver
check "more labels" push --label team=web --label service_name=front --label host=h --tenant t1 --header "X-Team: web" sums.prof
check "a label of the user" same "$(field labels.team | sort -u)" web
check "a label of the user takes the place of profrep's" \
	same "$(field labels.service_name | sort -u),$(field labels.host | sort -u)" front,h
check "the tenant" same "$(sent x-scope-orgid)" t1
check "a header" same "$(sent x-team)" web
check "no token that nobody gave" same "$(sent authorization)" -
for label in "1a=b" "a" "=b" "a=" "__name__=x"; do check "the label '$label'" fails 2 push --label "$label" sums.prof; done
check "a label twice" says 2 "option --label: 'a' is given twice" push --label a=1 --label a=2 sums.prof
check "a header that is none" says 2 "option --header: the value is not NAME:VALUE" push --header secret sums.prof
check "a header that is none: its value is not printed" same "$(grep -c secret err)" 0
check "a header with a line break" says 2 "is not NAME:VALUE" push --header $'X-A: b\r\nX-B: c' sums.prof
check "a header of profrep" says 2 "'Content-Type' is profrep's own" push --header "Content-Type: text/plain" sums.prof

## Labels of requests.
recording requests 300 "object f file /nonexistent/f -" "sym f 0 16 a" "process n 1 1" "map n f 0x1000 0x1000 0" \
	request "label http.route /cart" "label trace_id 5b8efff798038103d269b633813fc60c" "label span_id eee19b7ec3c1b174" \
	request "label http.route /cart" "label trace_id 5b8efff798038103d269b633813fc60c" "label span_id eee19b7ec3c1b175" \
	request "label http.route /pay" "label 1tenant a" \
	"count n n 3 request 1 user f:1" "count n n 4 request 2 user f:1" "count n n 2 request 3 user f:1" \
	"count n n 5 user f:1" "epoch 0 1000000000"
start_receiver
check "requests: a recording is pushed" push requests.prof
check "requests: samples have no labels" same "$(field requests) $(field stacks)" "[] 1"
start_receiver
check "requests: with their labels" push --request-labels requests.prof
check "requests: names are those of series, without traces" same "$(field requests) $(field stacks)" \
	"['_tenant=a', 'http_route=/cart', 'http_route=/pay'] 3"
check "requests: all samples are there" took 14
start_receiver
check "requests: by OTLP" "$profrep" push --otlp "$url" requests.prof
check "requests: attributes and links" same "$(field requests) $(field links)" "['http.route=/cart', 'http.route=/pay'] 2"
check "requests: --request-labels is not for OTLP" says 2 "option --request-labels: not with --otlp" "$profrep" push --otlp --request-labels "$url" requests.prof

## OTLP.
otlp() { "$profrep" push --otlp "$url" "$@"; }
start_receiver
check "OTLP: a recording is pushed" says 0 "pushed: 4 profiles with 14 samples" otlp sums.prof
check "OTLP: the sums are those of the recording" diff <(folded_sums sums.prof) <(receiver_sums)
check "OTLP: services" same "$(receiver_services | xargs)" "kernel nginx nginx top"
check "OTLP: times of profiles" same "$(field time | cut -c 1-10 | xargs)" "$((now - 300)) $((now - 300)) $((now - 300)) $((now - 239))"
check "OTLP: a sample stands for 10 ms" same "$(field period | sort -u)" 10000000
check "OTLP: the path" contains "$(cat receiver/requests)" '"path": "/v1development/profiles"'
first=$(field id)
start_receiver
check "OTLP: a recording is pushed again, with the path in the URL" \
	"$profrep" push --otlp "$url/v1development/profiles" sums.prof
check "OTLP: a recording that is pushed again has the same ids" same "$(field id)" "$first"
start_receiver
check "OTLP: attributes of the user" otlp --label service.name=front --label team.name=web sums.prof
check "OTLP: attributes of the user are there" same "$(receiver_services | sort -u) $(grep -c '"team.name": "web"' receiver/profiles)" "front 4"
recording waits 300 "event off-cpu ns 0 off-cpu" "object f file /nonexistent/f -" "sym f 0 16 a" "process n 1 1" \
	"map n f 0x1000 0x1000 0" "count n nginx 5000000 user f:1" "epoch 0 1000000000"
start_receiver
check "OTLP: time off the CPU" otlp waits.prof
check "OTLP: time off the CPU has no number of samples" same "$(otlp waits.prof 2>&1)" "pushed: 1 profile"
check "OTLP: time off the CPU is sent as time" same "$(field kind) $(field samples)" $'off_cpu\noff_cpu 5000000\n5000000'
recording hits 300 "event user events 2 c:malloc" "object f file /nonexistent/f -" "sym f 0 16 a" "process n 1 1" \
	"map n f 0x1000 0x1000 0" "count n nginx 72 user f:1" "epoch 0 1000000000"
start_receiver
check "OTLP: hits are counted as samples" says 0 "pushed: 1 profile with 72 samples" otlp hits.prof
start_receiver 503 503
check "OTLP: 503 twice" says 0 "pushed: 4 profiles with 14 samples" otlp sums.prof
check "OTLP: 503 twice: all is there once" took 14
start_receiver 500
check "OTLP: 500 is not sent again" says 1 "refused: 1 profile with 2 samples" otlp sums.prof
start_receiver 429:2
check "OTLP: 429 with Retry-After" says 0 "pushed: 4 profiles" otlp sums.prof
start_receiver reset
check "OTLP: a reset connection" says 0 "pushed: 4 profiles with 14 samples" otlp sums.prof
start_receiver partial
check "OTLP: a partial success" says 1 "refused: 1 profile with 2 samples" otlp sums.prof
check "OTLP: a partial success: the reason, safe to print" \
	contains "$(cat err)" 'it rejected the profile: a \x1b[31mfault of the test'
start_receiver message
check "OTLP: a warning is no refusal" says 0 "pushed: 4 profiles with 14 samples" otlp sums.prof
start_receiver long
check "OTLP: a long warning is no refusal" says 0 "pushed: 4 profiles with 14 samples" otlp sums.prof
start_receiver html
check "OTLP: another server that says 200" says 1 "it answers, but not as OTLP does" otlp sums.prof
start_receiver
export OTEL_EXPORTER_OTLP_ENDPOINT=$url OTEL_EXPORTER_OTLP_HEADERS="x-team=a%20b, authorization=Bearer s3cret"
check "OTLP: URL and headers of the environment" says 0 "pushed: 4 profiles" "$profrep" push --otlp sums.prof
check "OTLP: headers of the environment are sent" same "$(sent x-team),$(sent authorization)" "a b,Bearer s3cret"
check "OTLP: a secret of the environment over http" says 1 "http would show the token" "$profrep" push --otlp http://192.0.2.1 sums.prof
OTEL_EXPORTER_OTLP_HEADERS="content-type=x"
check "OTLP: a header of profrep" says 1 "OTEL_EXPORTER_OTLP_HEADERS: a header is not valid, or is profrep's own" "$profrep" push --otlp sums.prof
unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS
check "OTLP: no URL" says 2 "command push: needs a URL" "$profrep" push --otlp

## Ages.
recording old 7200 "process p 1 1" "count p a 5" "epoch 0 1000000000"
start_receiver
check "older than an hour" says 3 "pushed: 0 profiles with 0 samples; too old: 1 profile with 5 samples" push old.prof
check "older than an hour: nothing is sent" same "$(nr_requests)" 0
check "a receiver that takes older profiles" says 0 "pushed: 1 profile with 5 samples" push --max-age 86400 old.prof
check "a receiver that takes profiles of any age" says 0 "pushed: 1 profile with 5 samples" push --any-age old.prof

## Recordings that cannot be pushed.
recording calls 10 "event kernel events 1 k:vfs_read" "process p 1 1" "count p a 5"
check "calls are no CPU time" says 1 "failed to push 'calls.prof': it has no CPU time: 'k:vfs_read' counts hits" push calls.prof
recording times 10 "event samples ns 0 on-cpu" "event off-cpu ns 0 off-cpu" "process p 1 1" "count p a 20000000" \
	"count p a 500 event 1" "epoch 0 1000000000"
start_receiver
check "CPU time beside time off the CPU is pushed" says 0 "pushed: 1 profile with 2 samples" push times.prof
check "time off the CPU beside CPU time is said not to be pushed" contains "$(cat err)" \
	"WARNING: the event 'off-cpu' counts nanoseconds off the CPU, and is not pushed."
check "time off the CPU alone is refused" says 1 "it has no CPU time: 'off-cpu' counts nanoseconds off the CPU" push --event off-cpu times.prof
"$profrep" merge -o merged.prof sums.prof old.prof
check "a merged recording" says 1 "it was merged from several, so it has no host and no times" push merged.prof
echo damaged > damaged.prof
check "a damaged recording among others" \
	says 3 "WARNING: the recording 'damaged.prof' is left out" push sums.prof damaged.prof
check "a damaged recording among others: the others are pushed" contains "$(cat err)" "pushed: 4 profiles with 14 samples"
check "no recording can be read" says 1 "failed to push: no recording can be read" push damaged.prof calls.prof

## Many stacks: parts that add up. Long names: parts by their size.
many() { head -c "$2" /dev/zero | tr '\0' n | awk -v nr="$1" '{ name = $0; print "object f file /nonexistent/f -"; print "process p 1 1"
	print "map p f 0x1000 0x10000000 0"
	for (i = 0; i < nr; i++) printf "sym f %d 16 f%d%s\n", 16 * i, i, name
	for (i = 0; i < nr; i++) printf "count p many %d user f:%d\n", i % 7 + 1, 16 * i + 1
	print "epoch 0 1000000000" }'; }
for kind in "20000 1" "200 60000"; do
	read -r nr len <<< "$kind"
	mapfile -t lines < <(many "$nr" "$len")
	recording many 60 "${lines[@]}"
	start_receiver
	check "$nr stacks with names of $len bytes" push many.prof
	check "$nr stacks: in parts" at_least "$(field id | wc -l)" 2
	check "$nr stacks: the parts have times of their own" same "$(field time | uniq -d)" ""
	check "$nr stacks: the parts add up" diff <(folded_sums many.prof) <(receiver_sums)
done

## One stack that is too large for a request, among others.
mapfile -t lines < <(many 400 60000 | awk 'BEGIN { for (i = 150; i < 250; i++) large = large " f:" 16 * i + 1 }
	/^sym/ && (++names <= 150 || names > 250) { sub(/n+$/, "") }
	/^count/ && ++counts > 150 && counts <= 250 { if (counts == 200) print "count p many 11 user" large; next }
	{ print }')
recording large 60 "${lines[@]}"
start_receiver
check "a stack that is too large: is said" says 3 "too large: 1 profile with 11 samples" push large.prof
check "a stack that is too large: the others come" \
	took "$(printf '%s\n' "${lines[@]}" | awk '/^count/ {n += $4} END {print n - 11}')"
check "a stack that is too large: few requests" test "$(nr_requests)" -lt 30

## Whatever a recording can hold.
for name in basic cut ends filters hostile mangled missed order processes languages; do
	sed -E '/^meta (event|freq_hz|period|start_realtime_ns) /d; 1i meta event cpu-clock\nmeta freq_hz 49\nmeta start_realtime_ns 1' "$OLDPWD/tests/golden/$name.txt" | "$BUILD/tests/prof_make" > all.prof
	start_receiver
	"$profrep" push --any-age "$url" all.prof > log 2>&1
	check "$name: the sums" diff <(folded_sums all.prof) <(receiver_sums)
done

## This machine.
if why=$("$profrec" -q -F 499 -o here.prof 2 2>&1); then
	start_receiver
	check "a recording of all processes" push here.prof
	check "a recording of all processes has its sums" diff <(folded_sums here.prof) <(receiver_sums)
	check "a recording of all processes has all its samples" took "$(info here.prof "samples counted")"
else
	skip "a recording of all processes" "${why%%$'\n'*}"
fi
plan_end
