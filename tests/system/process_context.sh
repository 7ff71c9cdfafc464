#!/usr/bin/env bash
# Processes that publish which service they are, as OpenTelemetry has it, and those that say it wrongly. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
build "$dir/says_service" says_service.c
pids=()
cleanup_extra() { [ -z "${pids[*]}" ] || { kill -KILL "${pids[@]}"; wait "${pids[@]}"; } 2> /dev/null; }

# A process that has ended is one without an executable until bash waits for it.
has_said() { grep -q published "$dir/$1.out" || ! readlink "/proc/$2/exe" > /dev/null; }
# say FORM NAME: starts a process of that form, whose pid is the last of $pids, and waits until it has published. Returns
# false where this kernel cannot do that.
say()
{
	: > "$dir/$1.out" # it may have the words of an earlier process
	"$dir/says_service" "$1" "$2" > "$dir/$1.out" &
	pids+=($!)
	wait_for has_said "$1" $!
	grep -q published "$dir/$1.out"
}
forms=(memfd lies writing)
for form in "${forms[@]}"; do say "$form" "shop-$form" || break; done
check "programs say what they are" same "$form" "${forms[-1]}"
# Names of anonymous memory are an option of the kernel.
if say anon shop-anon; then forms+=(anon); else unset 'pids[-1]'; fi
child=$(cat "/proc/${pids[0]}/task/${pids[0]}/children")
pids+=("${child% }")
named "${child% }" child

# record [OPTION...]
record()
{
	local pid
	begin_recording "$@" -F 499 -o "$dir/app.prof" || return
	for pid in "${pids[@]}"; do run_for 5 "$pid" || return; done
	end_recording INT
}
# said: the name of each process of ours, and what it says of itself.
said()
{
	"$profrep" processes --json "$dir/app.prof" | /usr/bin/python3 -c 'import json, sys
for event in json.load(sys.stdin)["events"]:
    for item in event["items"]:
        if str(item["pid"]) in sys.argv[1:]:
            print(item["name"], *[key + "=" + ascii(value)[1:-1] for key, value in item["attributes"].items()])' "${pids[@]}" | sort
}
check "programs with a process context are recorded" record
expected="child
lies
memfd service.name=shop-memfd service.version=1.2
writing"
[[ " ${forms[*]} " != *" anon "* ]] || expected="anon service.name=shop-anon service.version=1.2
$expected"
check "programs have what they say, and liars have nothing" same "$(said)" "$expected"
check "--by service" contains "$("$profrep" top --by service "$dir/app.prof")" shop-memfd
check "--service" same "$("$profrep" -f --service shop-memfd "$dir/app.prof" | sed 's/;.*//' | sort -u)" memfd
check "--by service: stacks begin with the service" \
	same "$("$profrep" -f --by service --service shop-memfd "$dir/app.prof" | sed 's/;.*//' | sort -u)" shop-memfd
check "--service with another name leaves nothing" \
	contains "$("$profrep" -f --service shop "$dir/app.prof" 2>&1)" "--service leaves no samples"
"$profrep" merge -o "$dir/merged.prof" "$dir/app.prof" "$dir/app.prof"
check "a merged recording has the service" contains "$("$profrep" top --by service "$dir/merged.prof")" shop-memfd
"$profrep" export otlp --json -o "$dir/otlp.json" "$dir/app.prof"
check "OTLP has the service's name and version" \
	contains "$(tr -d '\n' < "$dir/otlp.json")" '"key":"service.version","value":{"stringValue":"1.2"}'
"$profrep" tables -o "$dir/tables" "$dir/app.prof" 2> "$dir/log"
check "tables have the service" contains "$(zstdcat "$dir"/tables/samples.tsv.zst)" "	shop-memfd	"

# Services that environments name, which are read if the user asks.
end_pids() { kill -KILL "${pids[@]}"; wait "${pids[@]}" 2> "$dir/log"; pids=(); }
end_pids
# start NAME VARIABLE...: a process of that name with that environment.
start()
{
	cp "$BUILD/workloads/func_ab" "$dir/$1"
	env -i "${@:2}" "$dir/$1" &
	pids+=($!)
	begun $! "$1"
}
start named OTEL_SERVICE_NAME=cart OTEL_RESOURCE_ATTRIBUTES=service.name=x,service.version=2%2E0,token=s3cret
start resource OTEL_RESOURCE_ATTRIBUTES=service.name=till
start unnamed HOME=/
start hostile OTEL_SERVICE_NAME=$'\033[31mred\n\xff' OTEL_RESOURCE_ATTRIBUTES=service.version=%zz,,=
long=()
for i in {1..40}; do long+=("V$i=$(printf %2000s x)"); done
start late "${long[@]}" OTEL_SERVICE_NAME=behind
export OTEL_SERVICE_NAME=other
say memfd shop-memfd
unset OTEL_SERVICE_NAME
child=$(cat "/proc/${pids[-1]}/task/${pids[-1]}/children")
pids+=("${child% }")
named "${child% }" child
those="$(IFS=,; echo "${pids[*]}")"
check "a recording without --service-env" record --pid "$those"
check "without --service-env no environment is read" same "$(said)" "child
hostile
late
memfd service.name=shop-memfd service.version=1.2
named
resource
unnamed"
check "a recording with --service-env" record --service-env --pid "$those"
check "--service-env names services, but not published ones and those beyond 64 KiB" same "$(said | LC_ALL=C sed "/^hostile/d")" \
	"child service.name=other
late
memfd service.name=shop-memfd service.version=1.2
named service.name=cart service.version=2.0
resource service.name=till
unnamed"
check "--service-env: nothing else of the environment is kept" same "$(grep -c s3cret "$dir/app.prof")" 0
check "--service-env: a hostile name is printed as text" \
	contains "$("$profrep" top --by service "$dir/app.prof")" '\x1b[31mred\x0a\xff'
check "--service-env: OTLP has the services" contains "$("$profrep" export otlp --json -o - "$dir/app.prof" | tr -d '\n')" \
	'"key":"service.name","value":{"stringValue":"till"}'
end_pids
plan_end
