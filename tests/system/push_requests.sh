#!/usr/bin/env bash
# What may happen to a request of profrep push: faults of networks and receivers, secrets, TLS. The programs have two clients,
# libcurl and, where nothing can be loaded, that of report/push/curl_library_static.c. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/receiver.sh
. tests/lib/receiver.sh
need_receiver
now=$(date +%s)
cd "$dir" || exit 1
record_sums
mkfifo pipe

for client in profrep static/profrep; do
	profrep=$BUILD/$client
	if [ ! -x "$profrep" ]; then
		skip "$client" "there are no static programs (sanitizers need libraries)"
		continue
	fi

	## Tokens: from a file, over TLS or to this machine.
	echo "s3cret-token " > token
	start_receiver
	check "$client: a receiver by its name" says 0 "pushed: 4 profiles with 14 samples" "$profrep" push "http://localhost:$port/" sums.prof
	start_receiver
	check "$client: a token" push --token-file token sums.prof
	check "$client: a token is sent" same "$(sent authorization)" "Bearer s3cret-token"
	start_receiver
	check "$client: the password of a user" push --user me --token-file token sums.prof
	check "$client: the password of a user is sent as such" same "$(sent authorization)" "Basic $(printf me:s3cret-token | base64)"
	check "$client: a token over http" says 1 "http would show the token to the network" "$profrep" push --token-file token http://192.0.2.1:4040 sums.prof
	check "$client: a header with a secret over http" says 1 "http would show the token" "$profrep" push --header "authorization: x" http://192.0.2.1 sums.prof
	check "$client: a URL with a password" says 1 "the URL has a user or a password" "$profrep" push http://me:s3cret@127.0.0.1:1/ sums.prof
	check "$client: a URL with a password: it is not printed" same "$(grep -c s3cret err)" 0
	check "$client: another scheme" says 1 "not a URL of http or https" "$profrep" push ftp://127.0.0.1/ sums.prof
	for odd in "http://127.0.0.1:$((port + 65536))" "http://[::1]x:$port" "http://[127.0.0.1]:$port" "http://127.0.0.1;x:$port"; do
		check "$client: $odd, which readers of URLs would not understand alike" says 1 "not a URL of http or https" "$profrep" push "$odd" sums.prof
	done
	start_receiver
	check "$client: headers in place of the usual ones" \
		push --token-file token --header "authorization: Mine" --header "User-Agent: mine" --header "X-Time: 12:" sums.prof
	for header in authorization:Mine user-agent:mine x-time:12:; do
		check "$client: the header ${header%%:*} is sent as it is given" same "$(sent "${header%%:*}")" "${header#*:}"
	done
	check "$client: no URL" says 2 "command push: needs a URL" "$profrep" push
	printf 'a\nb' > lines
	check "$client: a token of two lines" says 1 "'lines': it does not hold a token" push --token-file lines sums.prof
	check "$client: no token" says 1 "failed to read 'none'" push --token-file none sums.prof
	check "$client: a FIFO is no token" says 1 "failed to read 'pipe'" push --token-file pipe sums.prof
	check "$client: a user without a password" says 2 "option --user: needs --token-file" push --user me sums.prof

	## Faults.
	start_receiver 503 503
	check "$client: 503 twice" says 0 "pushed: 4 profiles with 14 samples" push sums.prof
	check "$client: 503 twice: the status is said" \
		contains "$(cat err)" "HTTP status 503: {\"code\": \"unavailable\", \"message\": \"a fault of the test\"}"
	check "$client: 503 twice: the profiles are sent again" same "$(nr_requests)" 6
	check "$client: 503 twice: all is there once" took_all
	start_receiver reset
	check "$client: a reset connection" says 0 "pushed: 4 profiles with 14 samples" push sums.prof
	check "$client: a reset connection: all is there once" took_all
	start_receiver lost
	check "$client: an answer that is lost" says 0 "sent again, may count twice: 1 profile with 2 samples" push sums.prof
	check "$client: an answer that is lost: the profile did count twice" took 16
	start_receiver ok lost
	check "$client: an answer that is lost on a connection that was used before" says 0 "sent again, may count twice: 1 profile with 3 samples" push sums.prof
	check "$client: an answer that is lost on a used connection: one profile counted twice" took 17
	start_receiver taken502
	check "$client: 502 for a request that was taken" says 0 "sent again, may count twice: 1 profile with 2 samples" push sums.prof
	check "$client: 502 for a request that was taken: one profile counted twice, the others once" took 16
	start_receiver ok half
	check "$client: an answer that ends in the middle" says 0 "sent again, may count twice: 1 profile" push sums.prof
	start_receiver 429:3
	begin=$SECONDS
	check "$client: 429 with Retry-After" says 0 "pushed: 4 profiles" push sums.prof
	check "$client: 429 with Retry-After: profrep waits as it is told" at_least "$((SECONDS - begin))" 2
	start_receiver 429:5000
	check "$client: Retry-After beyond all patience" says 1 "not sent: 4 profiles with 14 samples" push sums.prof
	check "$client: Retry-After beyond all patience: the reason" contains "$(cat err)" "failed to push all profiles: HTTP status 429"
	check "$client: Retry-After beyond all patience: one request was enough" same "$(nr_requests)" 1
	check "$client: Retry-After beyond all patience: nothing says that profrep waits" same "$(grep -cE "sent again|retrying" err)" 0
	for status in 302 401 403 404 405 html; do
		start_receiver $status
		check "$client: $status ends the run" says 1 "not sent: 4 profiles with 14 samples" push sums.prof
		check "$client: $status: no other request" same "$(nr_requests)" 1
		check "$client: $status: nothing says that it is tried again" same "$(grep -cE "sent again|retrying" err)" 0
	done
	check "$client: another server that says 200" contains "$(cat err)" "failed to push all profiles: it answers, but not as Pyroscope's Push API does"
	for status in 400 413 501; do
		start_receiver $status
		check "$client: $status is not sent again" says 1 "refused: 1 profile with 2 samples" push sums.prof
		check "$client: $status: the other profiles are sent" same "$(nr_requests)" 4
	done
	start_receiver 400 ok 400
	check "$client: refused, taken, and refused again" says 1 "failed to push all profiles: HTTP status 400: " push sums.prof
	check "$client: refused, taken, and refused again: said once" same "$(grep -c "refused a profile" err)" 1
	start_receiver escape
	check "$client: an answer for terminals" says 1 '\x1b[31mred' push sums.prof
	check "$client: an answer for terminals is escaped" same "$(LC_ALL=C grep -c $'[\033\007]' err)" 0
	start_receiver "huge*8"
	check "$client: an answer without an end" says 1 "not sent: 4 profiles" push --patience 1 sums.prof
	start_receiver "silent*4"
	check "$client: an answer that does not come: patience begins with the request" says 1 "not sent: 4 profiles" \
		push --patience 1 sums.prof
	wait_for test -s receiver/requests # the receiver may be late
	check "$client: an answer that does not come: one request was enough" same "$(nr_requests)" 1
	check "$client: nobody listens" says 1 "not sent" "$profrep" push --patience 1 http://127.0.0.1:1 sums.prof
	check "$client: nobody listens: where to look is said" contains "$(cat err)" "(does the receiver run there?)"

	## TLS.
	rm -rf receiver
	start_tls IP:127.0.0.1
	check "$client: TLS with a certificate for the receiver" \
		says 0 "pushed: 4 profiles" push --ca-file ca.pem --token-file token sums.prof
	check "$client: TLS: the token is sent" same "$(sent authorization)" "Bearer s3cret-token"
	rm -f receiver/requests
	check "$client: a certificate that nobody trusts" says 1 "not sent: 4 profiles" push --token-file token sums.prof
	check "$client: a certificate that nobody trusts: what to do is said" contains "$(cat err)" "(see --ca-file)"
	check "$client: a certificate that nobody trusts gets nothing" same "$(nr_requests)" 0
	start_tls DNS:other.example
	check "$client: a certificate of another name" says 1 "not sent: 4 profiles" push --ca-file ca.pem --token-file token sums.prof
	check "$client: a certificate of another name gets nothing" same "$(nr_requests)" 0
	check "$client: a file of certificates that is not there" says 1 "failed to read 'none.pem'" push --ca-file none.pem sums.prof
done
plan_end
