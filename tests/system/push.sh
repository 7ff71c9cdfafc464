#!/usr/bin/env bash
# Profiles that profrep push sends: sums and labels as the receiver decodes them, faults of networks and receivers, secrets.
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

# recording NAME AGE [LINE...]: a recording that began AGE seconds ago, at 100 Hz.
recording()
{
	local name=$1 age=$2
	shift 2
	printf '%s\n' "meta event cpu-clock" "meta freq_hz 100" "meta hostname web1" \
		"meta start_realtime_ns $((now - age))000000000" "$@" | "$BUILD/tests/prof_make" > "$name.prof"
}
# field NAME: that of each profile that came, sorted: .labels.host, .samples
field() { /usr/bin/python3 -c 'import functools, json, sys
for line in open("receiver/profiles"):
    print(functools.reduce(lambda value, key: value.get(key, "-"), sys.argv[1].split("."), json.loads(line)))' "$1" | sort; }
# sent: the header of the first request.
sent() { /usr/bin/python3 -c 'import json, sys
print(json.loads(open("receiver/requests").readline())["headers"].get(sys.argv[1], "-"))' "$1"; }
nr_requests() { cat receiver/requests 2> log | wc -l; }
receiver_services() { sed -E 's/.*"service.name": "([^"]*)".*/\1/' receiver/profiles | sort; }
took() { same "$(field samples | awk '{n += $1} END {print n + 0}')" "$1"; }
push() { "$profrep" push "$url" "$@"; }

## Sums, by stack and by service.
service=/system.slice/nginx.service
recording sums 300 "object f file /nonexistent/f -" "sym f 0 16 a" "sym f 16 16 b;c" \
	"process n 1 1" "process m 2 2" "process o 3 3" "map n f 0x1000 0x1000 0" "map m f 0x1000 0x1000 0" \
	"map o f 0x1000 0x1000 0" "info n 1 - nginx /bin/nginx $service" "info m 2 - nginx /bin/nginx $service" \
	"info o 3 - top /bin/top /user.slice" \
	"count n nginx 5 user f:1" "part 0 2" "part 61 3" "count m nginx 4 user f:1" "part 1 1" "part 62 3" \
	"count o top 3 user f:17 f:1" "part 0 3" "count kernel kernel 2" "part 5 2" "slices 1000000000 0" "epoch 0 90000000000"
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
check "OTLP: time off the CPU" says 0 "pushed: 1 profile with 0 samples" otlp waits.prof
check "OTLP: time off the CPU is sent as time" same "$(field kind) $(field samples)" "off_cpu 5000000"
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

## Tokens: from a file, over TLS or to this machine.
echo "s3cret-token " > token
start_receiver
check "a token" push --token-file token sums.prof
check "a token is sent" same "$(sent authorization)" "Bearer s3cret-token"
start_receiver
check "the password of a user" push --user me --token-file token sums.prof
check "the password of a user is sent as such" same "$(sent authorization)" "Basic $(printf me:s3cret-token | base64)"
check "a token over http" says 1 "http would show the token to the network" "$profrep" push --token-file token http://192.0.2.1:4040 sums.prof
check "a header with a secret over http" says 1 "http would show the token" "$profrep" push --header "authorization: x" http://192.0.2.1 sums.prof
check "a URL with a password" says 1 "the URL has a user or a password" "$profrep" push http://me:s3cret@127.0.0.1:1/ sums.prof
check "a URL with a password: it is not printed" same "$(grep -c s3cret err)" 0
check "another scheme" says 1 "not a URL of http or https" "$profrep" push ftp://127.0.0.1/ sums.prof
check "no URL" says 2 "command push: needs a URL" "$profrep" push
printf 'a\nb' > lines
check "a token of two lines" says 1 "'lines': it does not hold a token" push --token-file lines sums.prof
check "no token" says 1 "failed to read 'none'" push --token-file none sums.prof
mkfifo pipe
check "a FIFO is no token" says 1 "failed to read 'pipe'" push --token-file pipe sums.prof
check "a user without a password" says 2 "option --user: needs --token-file" push --user me sums.prof

## Faults.
start_receiver 503 503
check "503 twice" says 0 "pushed: 4 profiles with 14 samples" push sums.prof
check "503 twice: the status is said" \
	contains "$(cat err)" "HTTP status 503: {\"code\": \"unavailable\", \"message\": \"a fault of the test\"}"
check "503 twice: the profiles are sent again" same "$(nr_requests)" 6
took_all() { took 14 && diff <(folded_sums sums.prof) <(receiver_sums); }
check "503 twice: all is there once" took_all
start_receiver reset
check "a reset connection" says 0 "pushed: 4 profiles with 14 samples" push sums.prof
check "a reset connection: all is there once" took_all
start_receiver lost
check "an answer that is lost" says 0 "sent again, may count twice: 1 profile with 2 samples" push sums.prof
check "an answer that is lost: the profile did count twice" took 16
start_receiver ok lost
check "an answer that is lost on a connection that was used before" says 0 "sent again, may count twice: 1 profile with 3 samples" push sums.prof
check "an answer that is lost on a used connection: one profile counted twice" took 17
start_receiver taken502
check "502 for a request that was taken" says 0 "sent again, may count twice: 1 profile with 2 samples" push sums.prof
check "502 for a request that was taken: one profile counted twice, the others once" took 16
start_receiver ok half
check "an answer that ends in the middle" says 0 "sent again, may count twice: 1 profile" push sums.prof
start_receiver 429:3
begin=$SECONDS
check "429 with Retry-After" says 0 "pushed: 4 profiles" push sums.prof
check "429 with Retry-After: profrep waits as it is told" at_least "$((SECONDS - begin))" 2
start_receiver 429:5000
check "Retry-After beyond all patience" says 1 "not sent: 4 profiles with 14 samples" push sums.prof
check "Retry-After beyond all patience: the reason" contains "$(cat err)" "failed to push all profiles: HTTP status 429"
check "Retry-After beyond all patience: one request was enough" same "$(nr_requests)" 1
check "Retry-After beyond all patience: nothing says that profrep waits" same "$(grep -cE "sent again|retrying" err)" 0
for status in 302 401 403 404 405 html; do
	start_receiver $status
	check "$status ends the run" says 1 "not sent: 4 profiles with 14 samples" push sums.prof
	check "$status: no other request" same "$(nr_requests)" 1
	check "$status: nothing says that it is tried again" same "$(grep -cE "sent again|retrying" err)" 0
done
check "another server that says 200" contains "$(cat err)" "failed to push all profiles: it answers, but not as Pyroscope's Push API does"
for status in 400 413 501; do
	start_receiver $status
	check "$status is not sent again" says 1 "refused: 1 profile with 2 samples" push sums.prof
	check "$status: the other profiles are sent" same "$(nr_requests)" 4
done
start_receiver 400 ok 400
check "refused, taken, and refused again" says 1 "failed to push all profiles: HTTP status 400: " push sums.prof
check "refused, taken, and refused again: said once" same "$(grep -c "refused a profile" err)" 1
start_receiver escape
check "an answer for terminals" says 1 '\x1b[31mred' push sums.prof
check "an answer for terminals is escaped" same "$(LC_ALL=C grep -c $'[\033\007]' err)" 0
start_receiver "huge*8"
check "an answer without an end" says 1 "not sent: 4 profiles" push --patience 1 sums.prof
start_receiver "silent*4"
check "an answer that does not come: patience begins with the request" says 1 "not sent: 4 profiles" \
	push --patience 1 sums.prof
check "an answer that does not come: one request was enough" same "$(nr_requests)" 1
check "nobody listens" says 1 "not sent" "$profrep" push --patience 1 http://127.0.0.1:1 sums.prof
check "nobody listens: where to look is said" contains "$(cat err)" "(does the receiver run there?)"

## TLS.
certificate() { openssl req -x509 -newkey rsa:2048 -nodes -keyout receiver/key.pem -out receiver/cert.pem -days 2 \
	-subj /CN=test -addext "subjectAltName=$1" > log 2>&1; }
start_tls() { mkdir -p receiver; certificate "$1"; cp receiver/cert.pem ca.pem; keeps=1 start_receiver "${@:2}"; url=https://127.0.0.1:$port; rm -f receiver/*.pem; }
rm -rf receiver
start_tls IP:127.0.0.1
check "TLS with a certificate for the receiver" \
	says 0 "pushed: 4 profiles" push --ca-file ca.pem --token-file token sums.prof
check "TLS: the token is sent" same "$(sent authorization)" "Bearer s3cret-token"
start_receiver_again() { rm -f receiver/requests; }
start_receiver_again
check "a certificate that nobody trusts" says 1 "not sent: 4 profiles" push --token-file token sums.prof
check "a certificate that nobody trusts: what to do is said" contains "$(cat err)" "(see --ca-file)"
check "a certificate that nobody trusts gets nothing" same "$(nr_requests)" 0
start_tls DNS:other.example
check "a certificate of another name" says 1 "not sent: 4 profiles" push --ca-file ca.pem --token-file token sums.prof
check "a certificate of another name gets nothing" same "$(nr_requests)" 0
check "a file of certificates that is not there" says 1 "failed to read 'none.pem'" push --ca-file none.pem sums.prof

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
