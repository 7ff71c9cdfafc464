# shellcheck shell=bash disable=SC2154,SC2119,SC2120
# Sourced after tap.sh by tests of labels. Their programs work for routes, each in the function of its name, and print the
# part of each at the end (tests/programs/says_route.c).
pids=()
cleanup_extra() { [ -z "${pids[*]}" ] || { kill -KILL "${pids[@]}"; wait "${pids[@]}"; } 2> /dev/null; }

# start PROGRAM ARGUMENT...: starts it, and waits until it has published. Its pid is the last of $pids, and its output
# in $dir/PID.out.
start()
{
	started=$1
	: > "$dir/out"
	"$dir/$1" "${@:2}" > "$dir/out" &
	pids+=($!)
	wait_for has_text published "$dir/out"
	mv "$dir/out" "$dir/$!.out"
}
# finish: ends the programs, which print the CPU time of each route.
finish()
{
	kill -TERM "${pids[@]}"
	wait "${pids[@]}"
	pids=()
}
# record TICKS [OPTION...]: records all programs for so much time of each of them.
record()
{
	local pid
	begin_recording -F 999 -o "$dir/app.prof" --pid "$(IFS=,; echo "${pids[*]}")" "${@:2}"
	for pid in "${pids[@]}"; do run_for "$1" "$pid" || return; done
	end_recording INT
}
# count_hits [OPTION...]: counts the calls of the functions of routes in programs that were started with TURNS. They begin when
# the recorder knows them, by the label of an earlier request; with $cold at once.
has_label() { "$profrep" -f --by-label http.route "$dir"/app.prof.*.part | grep -q '^[^[].*;on_0'; }
count_hits()
{
	local interval=(-i 500ms)
	[ -z "${cold:-}" ] || interval=()
	: > "$dir/err"
	"$profrec" -e "$dir/$started:on_*" "${interval[@]}" -o "$dir/app.prof" --pid "$(IFS=,; echo "${pids[*]}")" "$@" 2> "$dir/err" &
	# shellcheck disable=SC2034 # for end_recording
	recorder=$!
	wait_for has_text "Ctrl-C" "$dir/err"
	[ -n "${cold:-}" ] || wait_for has_label
	kill -USR1 "${pids[@]}"
	wait "${pids[@]}"
	pids=()
	end_recording INT
}
# have_all PID: each request of the program has been counted, with its route.
have_all()
{
	same "$(routes --pid "$1" | sort)" "$(sed 1d "$dir/$1.out" | sed -E 's,^/([^ ]*) (.*),/\1 \1 \2,' | sort)"
}
# have_no_route PIDS REQUESTS: so many requests have been counted, all without a route.
have_no_route() { same "$(routes --pid "$1" | awk '{n[/^\[no/ ? "none" : $1] += $NF} END {for (r in n) print r, n[r]}')" "none $2"; }
# routes [OPTION...]: "ROUTE FUNCTION SAMPLES" of the samples in functions of routes.
routes()
{
	"$profrep" -f --by-label http.route "$@" "${recording:-$dir/app.prof}" |
		awk -F ';' 'match($0, /[;.]on_[a-z]+/) {n[$1 " " substr($0, RSTART + 4, RLENGTH - 4)] += substr($0, match($0, / [0-9]+$/))}
			END {for (of in n) print of, n[of]}'
}
# are_right: no sample has the route of another function, and most have one.
are_right()
{
	routes | awk '{all += $NF; if ($1 == "/" $2) right += $NF; else if ($1 != "[no") wrong += $NF}
		END {print right + 0, "of", all + 0, "are right,", wrong + 0, "are wrong"; exit !(all > 200 && right > 0.8 * all && !wrong)}'
}
# intervals PID: "ROUTES NANOSECONDS" of each interval in which the process has used the CPU.
intervals()
{
	"$profrep" -T -f --event on-cpu --by-label http.route --pid "$1" "${recording:-$dir/app.prof}" |
		awk -F ';' 'function say() {if (n) print nr, n; n = nr = 0; delete seen}
			NF < 2 {say(); next} {n += substr($0, match($0, / [0-9]+$/)); if (/^\// && !seen[$1]++) nr++} END {say()}'
}
# have_shares PID: the shares of the routes are about those that the program has measured, also before the recording.
have_shares()
{
	{ sed 1d "$dir/$1.out"; routes | sed 's/^\(\/[^ ]*\) [^ ]* /\1 samples /'; } |
		awk '$2 == "samples" {n[$1] = $3; all += $3} $2 != "samples" && /^\// {s[$1] = $2; sum += $2}
			END {for (r in s) {d = n[r] / all - s[r] / sum; print r, n[r] / all, s[r] / sum; if (d > 0.1 || d < -0.1) bad = 1}; exit bad || !sum}'
}

# try_hits NAME PROGRAM ARGUMENT...: counts its requests, and checks their routes.
try_hits()
{
	local pid
	TURNS=300 start "${@:2}"
	pid=$!
	count_hits
	check "$1: each request has its own route" have_all "$pid"
}

# try NAME PROGRAM ARGUMENT...: records it, and checks the routes.
try()
{
	local pid
	start "${@:2}"
	pid=$!
	record 100
	finish
	check "$1: each thread has its own route" are_right
	check "$1: the shares of the routes" have_shares "$pid"
}
