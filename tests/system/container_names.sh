#!/usr/bin/env bash
# Names of containers, from files of the forms that engines write, in a mount namespace of the test, and files that are no
# such ones. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
has_root "container names" || { plan_end; exit; }
own_mounts "$@"

pids=()
cleanup_extra()
{
	[ -z "${pids[*]}" ] || { kill -KILL "${pids[@]}"; wait "${pids[@]}"; } 2> /dev/null
	drop_own_cgroups
}
if [ -z "$has_mounts" ] || ! own_cgroups profrec-names; then
	skip "container names" "needs a mount namespace, and a directory in a cgroup v2 tree"
	plan_end
	exit
fi
mount -t tmpfs none /var/lib && mount -t tmpfs none /run || exit 1

# spin NAME CGROUP: starts a program of that name there. Its pid is the last of $pids.
spin()
{
	local group=$cgroups/$within/$2
	mkdir -p "$group"
	cp "$workloads/func_ab" "$dir/$1"
	# shellcheck disable=SC2016 # the other shell expands it
	bash -c 'echo $$ > "$1/cgroup.procs" && exec "$2"' sh "$group" "$dir/$1" &
	pids+=($!)
	begun $! "$1"
}
# id DIGIT: of a container. A run that was killed has left cgroups with ids of its own.
id() { printf "%032d%032d" $$ "$1"; }
# put FILE TEXT
put() { mkdir -p "${1%/*}" && printf %s "$2" > "$1"; }
docker=/var/lib/docker/containers
task=/run/containerd/io.containerd.runtime.v2.task
storage=containers/storage/overlay-containers
kubernetes='{"annotations": {"io.kubernetes.cri.container-name": "app", "io.kubernetes.cri.sandbox-name": "web-0",
	"io.kubernetes.cri.sandbox-namespace": "shop"}}'
put "$docker/$(id 1)/config.v2.json" '{"State":{"Running":true},"Config":{"Hostname":"h"},"Name":"/front"}'
put "$task/k8s.io/$(id 2)/config.json" "$kubernetes"
put "$task/default/$(id 3)/config.json" '{"annotations":{"nerdctl/name":"till"}}'
put "/run/$storage/$(id 4)/userdata/config.json" '{"annotations":{"io.kubernetes.container.name":"db","io.kubernetes.pod.name":"sql",
	"io.kubernetes.pod.namespace":"shop"}}'
put "$docker/$(id 5)/config.v2.json" "{\"Name\":\"/\\u001b[31mred\\n\", \"x\": [[[[\"open"
# No such files: another user's, a link, a FIFO, too large, and none.
put "$docker/$(id 6)/config.v2.json" '{"Name":"/theirs"}'
chown 1 "$docker/$(id 6)/config.v2.json"
mkdir -p "$docker/$(id 7)" "$docker/$(id 8)"
ln -s "../$(id 1)/config.v2.json" "$docker/$(id 7)/config.v2.json"
mkfifo "$docker/$(id 8)/config.v2.json"
put "$docker/$(id 9)/config.v2.json" "{\"Name\":\"/large\"$(head -c 1100000 /dev/zero | tr '\0' ' ')}"
spin docker "system.slice/docker-$(id 1).scope"
spin cri "kubepods.slice/kubepods-pod0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0.slice/cri-containerd-$(id 2).scope"
spin nerdctl "system.slice/nerdctl-$(id 3).scope"
spin crio "kubepods.slice/crio-$(id 4).scope"
spin hostile "docker/$(id 5)"
spin theirs "docker/$(id 6)"
spin link "docker/$(id 7)"
spin fifo "docker/$(id 8)"
spin large "docker/$(id 9)"
spin conmon "machine.slice/libpod-conmon-$(id 1).scope"
spin none other

record()
{
	local pid
	begin_recording -F 499 --pid "$(IFS=,; echo "${pids[*]}")" -o "$dir/app.prof" || return
	for pid in "${pids[@]}"; do run_for 5 "$pid" || return; done
	end_recording INT
}
said()
{
	"$profrep" processes --json "$dir/app.prof" | /usr/bin/python3 -c 'import json, sys
for event in json.load(sys.stdin)["events"]:
    for item in event["items"]:
        print(item["name"], *[key + "=" + ascii(value)[1:-1] for key, value in item["attributes"].items()])' | sort
}
by() { "$profrep" -f --by "$1" "$dir/app.prof" | sed 's/;.*//' | sort -u | xargs -d '\n' | tr -d '"'; }
check "programs in containers are recorded" record
check "names of containers of each engine, and of nobody else" same "$(said | sed '/^hostile/d')" "conmon
cri k8s.container.name=app k8s.pod.name=web-0 k8s.namespace.name=shop
crio k8s.container.name=db k8s.pod.name=sql k8s.namespace.name=shop
docker container.name=front
fifo
large
link
nerdctl container.name=till
none
theirs"
check "a name with control characters is escaped" contains "$(by container)" '\x1b[31mred\x0a'
check "--by container" contains "$(by container)" "front shop/sql/db shop/web-0/app till"
check "--by pod" contains "$(by pod)" "shop/sql shop/web-0"
names() { "$profrep" processes --json "$@" "$dir/app.prof" | grep -oE '"name":"[a-z]+","threads"' | cut -d '"' -f 4 | sort -u | xargs; }
check "--container by the name of Docker" same "$(names --container front)" docker
check "--container by the name in its pod" same "$(names --container app --container shop/sql/db)" "cri crio"
check "--container by its id" same "$(names --container "$(id 2)")" cri
check "--pod by its name" same "$(names --pod web-0 --pod shop/sql)" "cri crio"
# chosen OPTION NAME: the cgroup that profrec records.
chosen() { "$profrec" -q "--$1" "$2" -o "$dir/chosen.prof" 0.1 2>&1 && info "$dir/chosen.prof" filters; }
check "profrec --container by the name of Docker" same "$(chosen container front)" \
	"cgroup $cgroups/$within/system.slice/docker-$(id 1).scope"
check "profrec --container by the name in its pod" same "$(chosen container shop/sql/db)" \
	"cgroup $cgroups/$within/kubepods.slice/crio-$(id 4).scope"
check "profrec --pod by its name" same "$(chosen pod web-0)" \
	"cgroup $cgroups/$within/kubepods.slice/kubepods-pod0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0.slice"
check "profrec --container: a file of another user names nothing" says 1 "failed to find container 'theirs' in the cgroup v2 tree $cgroups" \
	"$profrec" --container theirs -o "$dir/x.prof" 1
"$profrep" merge -o "$dir/merged.prof" "$dir/app.prof" "$dir/app.prof"
check "a merged recording has the names of containers" \
	contains "$("$profrep" top --by container "$dir/merged.prof")" shop/web-0/app
check "names of containers stand for services" contains "$(by service)" "app conmon db front none till"
"$profrep" tables -o "$dir/tables" "$dir/app.prof" 2> "$dir/log"
services() { zstdcat "$dir/tables/samples.tsv.zst" | tr '\t' '\n' | grep -xE "app|db|front|till" | sort -u | xargs; }
check "tables have the names of containers" same "$(services)" "app db front till"
check "OTLP has the names of pods" contains "$("$profrep" export otlp --json -o - "$dir/app.prof" | tr -d '\n')" \
	'"key":"k8s.pod.name","value":{"stringValue":"web-0"}'
plan_end
