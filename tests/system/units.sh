#!/usr/bin/env bash
# The units of a fleet: systemd takes them, the users and the directories are made, and profrep-collect loses nothing
# whatever happens to it. long/units runs them under systemd. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
units=packaging/systemd
export PROFREP=$profrep
command -v zstd > "$dir/log" || skip_all "zstd is not installed"

## systemd
if command -v systemd-analyze > "$dir/log"; then
	mkdir "$dir/units"
	# The programs need not be installed here.
	for file in $units/*.service $units/*.timer; do
		sed "s,^ExecStart=/usr/bin/prof[a-z]*,ExecStart=/bin/true,; s,^ExecStart=/usr/bin/rsync,ExecStart=/bin/true,
			s,^ExecStart=/usr/libexec/profrep-collect,ExecStart=$PWD/$units/profrep-collect," "$file" > "$dir/units/$(basename "$file")"
	done
	verified() { same "$(systemd-analyze verify --man=no "$dir/units/$1" 2>&1 | grep -F "$1")" ""; }
	# Tenths: lower is better.
	exposure()
	{
		systemd-analyze security --no-pager --offline=true --threshold=100 "$dir/units/$1" 2> "$dir/log" |
			sed -n 's/.*exposure level.*: \([0-9]*\)\.\([0-9]\).*/\1\2/p'
	}
	for file in "$dir"/units/*; do check "$(basename "$file"): systemd-analyze verify has nothing to say" verified "$(basename "$file")"; done
	sed -i 's/^User=.*/&\nUMask=nonsense/' "$dir/units/profrep-collect.service"
	check "systemd-analyze verify would say that a unit is wrong" fails 1 verified profrep-collect.service
	if systemd-analyze security --help 2>&1 | grep -q offline; then
		check "exposure of profrec" at_most "$(exposure profrec.service)" 27
		check "exposure of profrec-send" at_most "$(exposure profrec-send.service)" 15
		check "exposure of profrep-push" at_most "$(exposure profrep-push.service)" 15
		check "exposure of profrep-collect" at_most "$(exposure profrep-collect.service)" 8
	else
		skip "exposure" "this systemd-analyze knows no files"
	fi
else
	skip "systemd-analyze verify" "systemd-analyze is not installed"
fi
if ! command -v systemd-sysusers systemd-tmpfiles > "$dir/log"; then
	skip "users and directories" "systemd-sysusers and systemd-tmpfiles are not installed"
elif has_root "users and directories"; then
	mkdir -p "$dir/root/etc"
	sysusers() { systemd-sysusers --root="$dir/root" "$PWD/$units/profrec.sysusers" "$PWD/$units/profrep.sysusers"; }
	tmpfiles() { systemd-tmpfiles --root="$dir/root" --create "$PWD/$units/profrec.tmpfiles" "$PWD/$units/profrep.tmpfiles"; }
	check "systemd-sysusers makes the users" sysusers
	check "systemd-sysusers runs a second time, too" sysusers
	check "the users are there, and their groups" same "$(cut -d: -f1 "$dir/root/etc/passwd" "$dir/root/etc/group" | sort | xargs)" \
		"profrec profrec profrep profrep"
	check "systemd-tmpfiles makes the directories" tmpfiles
	id_of() { awk -F: -v name="$1" '$1 == name {print $3 ":" $4}' "$dir/root/etc/passwd"; }
	mode_of() { stat -c '%a %u:%g' "$dir/root/var/lib/$1"; }
	check "recordings of a host are for its user alone" same "$(mode_of profrec)" "700 $(id_of profrec)"
	for name in profrep profrep/incoming profrep/work profrep/archive profrep/tables profrep/loaded profrep/refused; do
		check "$name is for the group, too" same "$(mode_of $name)" "2750 $(id_of profrep)"
	done
	check "a spool of profrep push does not age" grep -qx 'x /var/lib/profrec/.profrep-push' $units/profrec.tmpfiles
	touch "$dir/root/var/lib/profrep"/{incoming,archive,refused,loaded,tables}/x "$dir/root/var/lib/profrec/x"
	clean() { systemd-tmpfiles --root="$dir/root" --clean "$PWD/$units/profrec.tmpfiles" "$PWD/$units/profrep.tmpfiles"; }
	check "systemd-tmpfiles cleans" clean
	check "systemd-tmpfiles leaves all that is new" same "$(find "$dir/root/var/lib" -name x | wc -l)" 6
fi

## The collector. Recordings of several hosts; each has samples that no other has.
command -v flock > "$dir/log" || skip_all "flock is not installed"
store=$dir/store
make_recording() { sed "s/^meta hostname a/meta hostname $1/" tests/golden/host-a.txt | "$BUILD/tests/prof_make"; }
# arrive HOST NAME...
arrive()
{
	local host=$1 name
	mkdir -p "$store/incoming/$host"
	for name in "${@:2}"; do make_recording "$host$name" > "$store/incoming/$host/$name"; done
}
collect() { $units/profrep-collect "$store"; }
tables_of() { zstd -qdc "$store"/tables/*/"$1".tsv.zst "$store"/loaded/*/"$1".tsv.zst 2> "$dir/log"; }
hosts() { tables_of recordings | cut -f 2 | sort | xargs; }
being_read=$store/work
waiting() { find "$store/incoming" "$being_read" -name '*.prof' | wc -l; }
arrive web1 1.prof 2.prof
arrive web2 1.prof
arrive web2 .3.prof.x4TyaS
arrive web2 'a b.prof'
echo damaged > "$store/incoming/web1/3.prof"
ln -s /etc/passwd "$store/incoming/web1/4.prof"
check "a run of the collector" collect
check "a run makes tables of all recordings" same "$(hosts)" "web11.prof web12.prof web21.prof"
check "a run keeps the recordings" same "$(find "$store/archive" -name '*.prof' -printf '%f\n' | sort | xargs)" "web1:1.prof web1:2.prof web2:1.prof"
check "a run refuses what is damaged" same "$(find "$store/refused" -type f -printf '%f\n')" "web1:3.prof"
check "a run leaves what is not whole, and other names" \
	same "$(find "$store/incoming" ! -type d -printf '%f\n' | sort | xargs)" \
	".3.prof.x4TyaS 4.prof a b.prof"
rm "$store"/incoming/*/{4,"a b"}.prof 2> "$dir/log"
check "a run without recordings" collect
check "a run without recordings changes nothing" same "$(hosts)" "web11.prof web12.prof web21.prof"
echo damaged > "$store/incoming/web1/5.prof"
check "a batch of damaged recordings alone" collect
check "a batch of damaged recordings alone is refused" \
	same "$(find "$store/refused" -type f | wc -l) $(ls "$store/tables" | wc -l)" "2 1"

# Batches.
arrive web3 {1..5}.prof
check "small batches" env PROFREP_BATCH=2 $units/profrep-collect "$store"
check "small batches have all recordings" same "$(hosts | wc -w) $(ls "$store/tables" | wc -l)" "8 4"

# Loads.
export PROFREP_LOAD="[ -s duckdb.sql ] && basename \$PWD >> $dir/loads; test -e $dir/up"
check "a database that is down" fails 1 collect
check "a database that is down keeps tables waiting" same "$(ls "$store/tables" | wc -l) $(ls "$store/loaded" | wc -l)" "4 0"
: > "$dir/up"
: > "$dir/loads"
check "a database that is up" collect
check "a database that is up has each batch once" same "$(sort "$dir/loads" | uniq | wc -l) $(wc -l < "$dir/loads") $(ls "$store/tables" | wc -l)" "4 4 0"
unset PROFREP_LOAD

# A recording of which profrep dies. The others have tables.
cat > "$dir/dies" << END
#!/bin/bash
[ "\$1" = tables ] && grep -q poison "\${4#@}" && mkdir "\$3.\$\$.part" && kill -KILL \$\$
exec "$profrep" "\$@"
END
chmod +x "$dir/dies"
arrive web4 {1..6}.prof poison.prof
check "a recording of which profrep dies" env PROFREP="$dir/dies" $units/profrep-collect "$store"
check "a recording of which profrep dies is refused alone" \
	same "$(find "$store/refused" -name '*poison*' | wc -l) $(hosts | wc -w) $(waiting)" "1 14 0"

check "a recording of which profrep dies leaves no part of tables" same "$(find "$store/tables" -name '*.part')" ""

# Parts of a run before are not loaded.
mkdir "$store/tables/20260101-000000.1.7.part"
check "a part of tables that was left" env PROFREP_LOAD="basename \$PWD >> $dir/parts" $units/profrep-collect "$store"
check "a part of tables that was left is removed, not loaded" \
	same "$(grep -c part "$dir/parts") $(find "$store/tables" -name '*.part')" "0 "

# A full disk: profrep fails, and all wait for the next run.
printf '#!/bin/sh\necho "failed to write: No space left on device" >&2\nexit 1\n' > "$dir/full"
chmod +x "$dir/full"
arrive web5 1.prof
check "a disk that is full" fails 1 env PROFREP="$dir/full" $units/profrep-collect "$store"
check "a disk that is full loses nothing" same "$(waiting)" 1
check "a run after a disk that was full" collect
check "a run after a disk that was full has all" same "$(hosts | wc -w) $(waiting)" "15 0"

# An error that may pass: profrep names the recording, which is no reason to refuse it. The others have tables.
refused=$(find "$store/refused" -type f | wc -l)
cat > "$dir/passes" << END
#!/bin/bash
name=\$(grep -m 1 passes "\${4#@}")
[ "\$name" ] || exec "$profrep" "\$@"
grep -vF "\$name" "\${4#@}" > "$dir/others"
[ -s "$dir/others" ] || { echo "profrep: failed to open '\$name': Too many open files in system" >&2; exit 1; }
"$profrep" tables -o "\$3" @"$dir/others"
echo "WARNING: the recording '\$name' is left out: failed to read '\$name': Input/output error" >&2
exit 3
END
chmod +x "$dir/passes"
passing() { env PROFREP="$dir/passes" timeout 300 $units/profrep-collect "$store"; }
arrive web7 1.prof passes.prof
check "a recording that cannot be read now" fails 1 passing
check "a recording that cannot be read now waits, and the others have tables" same "$(hosts | wc -w) $(waiting)" "16 1"
check "a recording that cannot be read now, alone" fails 1 passing
check "a recording that cannot be read now waits alone" \
	same "$(waiting) $(find "$store/refused" -type f | wc -l)" "1 $refused"
check "a run that can read a recording again" collect
check "a run that can read a recording again has it" same "$(hosts | wc -w) $(waiting)" "17 0"

# A batch that fails each time holds up no others.
printf '#!/bin/sh\n! grep -q stays "${4#@}" || { echo "profrep: failed to make tables: cause unknown"; exit 1; }\nexec %s "$@"\n' "$profrep" > "$dir/stays"
chmod +x "$dir/stays"
staying() { env PROFREP="$dir/stays" PROFREP_BATCH=1 timeout 300 $units/profrep-collect "$store"; }
arrive web8 stays.prof
check "a batch that fails" fails 1 staying
arrive web8 {1..3}.prof
check "a batch that fails again" fails 1 staying
check "a batch that fails again: the others have tables" same "$(hosts | wc -w) $(waiting)" "20 1"
check "a batch that succeeds at last" collect
check "a batch that succeeds at last: all are there" same "$(hosts | wc -w) $(waiting)" "21 0"

# A rename that fails: said, and no loop.
cat > "$dir/blocks" << END
#!/bin/bash
name=\${3##*/}
mkdir -p "archive/\${name#.}/in the way"
exec "$profrep" "\$@"
END
chmod +x "$dir/blocks"
arrive web9 1.prof
check "a name that is taken in archive/" fails 1 env PROFREP="$dir/blocks" timeout 300 $units/profrep-collect "$store"
check "a name that is taken in archive/: the recording waits, with tables" same "$(hosts | wc -w) $(waiting)" "22 1"
find "$store/archive" -name 'in the way' -exec rmdir {} +
check "a name that is free again in archive/" collect
check "a name that is free again in archive/: the recording is there once" same "$(hosts | wc -w) $(waiting)" "22 0"
# profrep refuses a recording of a batch and dies of another.
batch=20260101-000000.2
mkdir "$store/refused/$batch" "$being_read/$batch"
touch "$store/refused/$batch/x"
make_recording other > "$being_read/$batch/web9:poison.prof"
check "a name that is there in refused/" env PROFREP="$dir/dies" timeout 300 $units/profrep-collect "$store"
check "a name that is there in refused/ takes one more" \
	same "$(find "$store/refused/$batch" -type f | wc -l) $(waiting)" "2 0"

# A kill at each step: mv and mkdir are programs, so the kill comes at each of their calls. They outlive the collector for a
# moment, so they do not keep its lock.
mkdir "$dir/bin"
for program in mv mkdir; do
	printf '#!/bin/sh\nexec 9>&-\necho x >> %s/steps\nn=$(wc -l < %s/steps)\n[ $n -ne "$KILL_AT" ] || { kill -KILL $PPID; exit 1; }\n%s "$@"\n[ $n -ne "$KILL_AFTER" ] || kill -KILL $PPID\n' \
		"$dir" "$dir" "$(command -v $program)" > "$dir/bin/$program"
	chmod +x "$dir/bin/$program"
done
total=22
kills=0
damaged=$(find "$store/refused" -name '*damaged*' | wc -l)
for at in $(seq 1 12); do
	for after in 0 1; do
		arrive "web6" "$at-$after-1.prof" "$at-$after-2.prof"
		echo damaged > "$store/incoming/web6/damaged-$at-$after.prof"
		total=$((total + 2)) damaged=$((damaged + 1))
		: > "$dir/steps"
		(env PATH="$dir/bin:$PATH" KILL_AT=$((at * (1 - after))) KILL_AFTER=$((at * after)) $units/profrep-collect "$store"
			[ $? -lt 128 ]) > "$dir/log" 2>&1 || kills=$((kills + 1))
		collect > "$dir/log" 2>&1
	done
done
check "kills at every step" at_least $kills 12
check "kills at every step lose nothing, and count nothing twice" same "$(tables_of recordings | cut -f 1 | sort -u | wc -l) $(hosts | wc -w) $(waiting)" \
	"$total $total 0"
check "kills at every step: what is damaged is refused" same "$(find "$store/refused" -name '*damaged*' | wc -l)" "$damaged"
# The same while profrep dies of a recording, and the batch is halved.
for at in $(seq 1 20); do
	arrive "web6" "half-$at-"{1..3}.prof
	make_recording "x$at" > "$store/incoming/web6/poison-$at.prof"
	total=$((total + 3))
	: > "$dir/steps"
	env PATH="$dir/bin:$PATH" PROFREP="$dir/dies" KILL_AT=0 KILL_AFTER=$at timeout 300 $units/profrep-collect "$store" > "$dir/log" 2>&1
	env PROFREP="$dir/dies" timeout 300 $units/profrep-collect "$store" > "$dir/log" 2>&1
done
check "kills while batches are halved lose nothing" same "$(hosts | wc -w) $(waiting) $(find "$store/refused" -name '*poison-*' | wc -l)" \
	"$total 0 20"
plan_end
