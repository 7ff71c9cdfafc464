#!/usr/bin/env bash
# Programs that change their code at random know themselves where they spent their time. Frames have the names of the
# code that ran then, or none. The kinds of code have their shares. ORACLE_SECONDS (15) is the length of the test, and
# ORACLE_SEED (1) chooses its changes. Each way to sample is tried.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_tables
seconds=${ORACLE_SECONDS:-15}
seed=${ORACLE_SEED:-1}

# build_part NN: odd ones have no build-id. All have one size and one age.
build_part()
{
	local nr=$1 n=$((10#$1)) id=none
	[ $((n % 2)) = 1 ] || id=0x0c1e$(printf "%036d" "$n")
	"$cc" -O2 -fomit-frame-pointer -shared -fPIC -DPART_A="fn_p${nr}a" -DPART_B="fn_p${nr}b" \
		-DDECOY_A="no_p${nr}a" -DDECOY_B="no_p${nr}b" -DFRAME=$((n / 2 % 2 ? 4000 : 64)) -Wl,--build-id=$id \
		-o "$dir/run/part$nr.so" tests/programs/oracle_part.c
	touch -d 2001-01-01 "$dir/run/part$nr.so"
	[ $id = none ] || cp "$dir/run/part$nr.so" "$dir/sym/.build-id/0c/${id#0x0c}.debug"
}

mkdir -p "$dir/run" "$dir/sym/.build-id/0c"
for nr in 00 01 02 03 04 05 06 07 08 09 10 11; do
	build_part $nr
done
# Two pairs of images have equal functions at equal addresses: two with, two without build-ids.
for nr in 1 2; do
	id=0c1d00000000000000000000000000000000000$nr
	build "$dir/run/image$nr" oracle.c -DIMAGE=$nr -ldl -Wl,--build-id=0x$id
	cp "$dir/run/image$nr" "$dir/sym/.build-id/0c/${id#0c}.debug"
done
build "$dir/run/image3" oracle.c -DIMAGE=3 -ldl -no-pie -Wl,--build-id=none
build "$dir/run/image4" oracle.c -DIMAGE=4 -ldl -no-pie -Wl,--build-id=none

# Some kernels do not tell of code that a program moves, and profrec says so; perf events never do.
moves=yes
"$profrec" -U -o "$dir/probe.prof" -- true 2>&1 | grep -q mremap && moves=no

# The maps of compiled functions that the programs left.
cleanup_extra()
{
	[ ! -e "$dir/pids" ] || sort -u "$dir/pids" | sed 's,.*,/tmp/perf-&.map,' | xargs rm -f
}

# wrong_names LOG FOLDED: prints the stacks that have a name of code that was not run under the label.
wrong_names()
{
	awk -v log_file="$1" 'FILENAME == log_file {image[$1] = "in_img" $2; ran[$1, $4] = 1; next}
		{
			nr = split(substr($0, 1, length($0) - length($NF) - 1), frame, ";")
			for (i = 2; i <= nr; i++)
				if (frame[i] ~ /^no_/ || (frame[i] ~ /^fn_/ && !((frame[1], frame[i]) in ran)) ||
				    (frame[i] ~ /^in_/ && frame[1] in image && image[frame[1]] != frame[i])) {
					print
					break
				}
		}' "$1" "$2"
}

# is_named LOG FOLDED: at most a hundredth of the user leaves is unknown. Code whose file or map was replaced does not
# count.
is_named()
{
	awk -v log_file="$1" 'FILENAME == log_file {labels[$1] = 1; if ($7 == "gone") gone[$1] = 1; next}
		{split($0, frame, ";"); if (!(frame[1] in labels) || frame[1] in gone) next; all += $NF}
		/;\[unknown\] [0-9]+$/ {unknown += $NF; print}
		END {print unknown + 0 " of " all + 0 " unknown"; exit !(all >= 100 && unknown * 100 <= all)}' "$1" "$2"
}

# has_shares LOG FOLDED: each kind of code that stays has its share of the samples, to 5 % of all and six times the
# deviation of a share by chance.
has_shares()
{
	awk -v log_file="$1" 'FILENAME == log_file {
			labels[$1]++; label_kind[$1] = $3
			if ($7 == "gone") gone[$1] = 1
			slices[++nr] = $1; ns[nr] = $5
			next
		}
		{
			split($0, frame, ";")
			if (labels[frame[1]] == 1 && !(frame[1] in gone) && / fn_/ + /;fn_/) {
				samples[label_kind[frame[1]]] += $NF; all += $NF
			}
		}
		END {
			for (i = 1; i <= nr; i++)
				if (labels[slices[i]] == 1 && !(slices[i] in gone)) {
					time[label_kind[slices[i]]] += ns[i]; all_time += ns[i]
				}
			if (all < 100) { print all + 0 " samples"; exit 1 }
			for (kind in time) {
				want = time[kind] / all_time; have = samples[kind] / all; off = want - have
				if (off < 0) off = -off
				print kind ": " have " instead of " want
				bad += off > 0.05 + 6 * sqrt(want * (1 - want) / all)
			}
			exit bad
		}' "$1" "$2"
}

# run NUMBER UNWIND SECONDS WAY: records the programs, and judges the recording.
run()
{
	local name="seed $1, $4, --unwind=$2" status lost log=$dir/run/log
	rm -f "$dir/run"/{log,shared,program*,slot*}
	ORACLE_MOVES=$([ "$4" = perf ] && echo no || echo $moves) \
		"$profrec" --backend "$4" -q -U -F 999 --unwind="$2" -o "$dir/run.prof" -- "$dir/run/image1" "$dir/run" "$1" "$3" 2> "$dir/err"
	status=$?
	cut -d ' ' -f 6 "$log" >> "$dir/pids"
	"$profrep" -f --symfs "$dir/sym" "$dir/run.prof" > "$dir/folded" 2> "$dir/err.report"
	check "$name: the programs ended well" same "$status $(cat "$dir/err")" "0 "
	lost=$(info "$dir/run.prof" "records lost")
	if [ "${lost%% *}" != 0 ]; then
		skip "$name: names" "the kernel dropped ${lost%% *} records of mappings"
		return
	fi
	check "$name: no wrong names" same "$(wrong_names "$log" "$dir/folded")" ""
	check "$name: names" is_named "$log" "$dir/folded"
	check "$name: shares" has_shares "$log" "$dir/folded"
}

until_s=$((SECONDS + seconds))
for ((nr = 0; nr < 2 || SECONDS < until_s; nr++)); do
	run $((seed + nr)) "$( ((nr % 2)) && echo fp || echo dwarf)" $((seconds < 60 ? seconds / 2 : 20)) $way
done
for other in perf ptrace; do
	[ $other != $way ] || continue
	if why=$(records_by $other); then run $((seed + nr++)) dwarf 6 $other; else skip "$other" "it does not work here: ${why%%$'\n'*}"; fi
done
plan_end
