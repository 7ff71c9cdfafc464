#!/usr/bin/env bash
# Containers, pods and units of processes in cgroups of the forms that engines make, also where a process or the
# recorder has a cgroup namespace of its own. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
has_root "workloads" || { plan_end; exit; }

id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
uid=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0
slice=kubepods-burstable-pod${uid//-/_}.slice
pids=()
cleanup_extra()
{
	[ -z "${pids[*]}" ] || { kill -KILL "${pids[@]}"; wait "${pids[@]}"; } 2> /dev/null
	drop_own_cgroups
}
if ! own_cgroups profrec-workloads; then
	skip "workloads" "no directory can be made in a cgroup v2 tree"
	plan_end
	exit
fi

# spin NAME CGROUP [COMMAND...]: starts a program of that name there, by the command. Its pid is the last of $pids.
spin()
{
	local group=$cgroups/$within/$2
	mkdir -p "$group"
	# shellcheck disable=SC2016 # the other shell expands it
	(
		echo $BASHPID > "$group/cgroup.procs" || exit
		exec "${@:3}" bash -c 'printf %s "$1" > /proc/self/comm; while :; do :; done' "$1" "$1"
	) &
	pids+=($!)
	named $! "$1"
}
spin docker "system.slice/docker-$id.scope"
spin cri "kubepods.slice/kubepods-burstable.slice/$slice/cri-containerd-$id.scope" unshare -C
spin cgroupfs "kubepods/besteffort/pod$uid/$id"
spin podman "machine.slice/libpod-$id.scope/container"
spin lxc "lxc.payload.web/system.slice/nginx.service"
spin unit "system.slice/web.service/worker"
spin none other

# said NAME: name, container, pod and unit of each process in the recording.
said()
{
	"$profrep" processes --json "$dir/$1.prof" | "$python" -c 'import json, sys
for event in json.load(sys.stdin)["events"]:
    for item in event["items"]:
        for thread in item["threads"]:
            if str(item["pid"]) in sys.argv[1:]:
                print(thread["name"], item["container"] or "-", item["pod"] or "-", item["unit"] or "-")' "${pids[@]}" |
		grep -v '^bash ' | sort
}
expected="cgroupfs $id $uid -
cri $id $uid -
docker $id - -
lxc web - nginx.service
none - - -
podman $id - -
unit - - web.service"

# record NAME [COMMAND...]: records all of them, by the command.
record()
{
	local pid
	begin_recording_by "${@:2}" "$profrec" -F 499 -o "$dir/$1.prof" || return
	for pid in "${pids[@]}"; do run_for 5 "$pid" || return; done
	end_recording INT
}
python=/usr/bin/python3
check "a recording of all forms" record all
check "processes have what their paths say" same "$(said all)" "$expected"
of() { "$profrep" -f "$@" "$dir/all.prof" | sed 's/;.*//' | sort -u | xargs; }
check "--container" same "$(of --container "${id:0:9}" | xargs -n 1 | grep -v bash | xargs)" "cgroupfs cri docker podman"
check "--by container" contains "$("$profrep" top --by container "$dir/all.prof")" "${id:0:12}"

# The recorder's namespace begins at a directory beside the others, so that their paths begin with /...
mkdir "$cgroups/$within/recorder"
# shellcheck disable=SC2016 # the other shell expands it
in_namespace=(bash -c 'echo $$ > "$0/cgroup.procs" && exec unshare -C "$@"' "$cgroups/$within/recorder")
check "a recorder with a namespace of its own" record inside "${in_namespace[@]}"
check "a recorder with a namespace of its own knows the same" same "$(said inside)" "$expected"
plan_end
