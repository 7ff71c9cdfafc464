#!/usr/bin/env bash
# A user's files take long to look names up in, and their code is everywhere in them, so that each epoch asks about them
# anew, or have names so long that an epoch has no room for them. Programs of others keep the names of their functions.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
need_users
[ "$(uname -m)" = x86_64 ] || skip_all "the files have code for x86-64, this is $(uname -m)"
build "$dir/hoard" hoard.c -O2 -ldl
build "$dir/named" named.c -DFUNCTION=victim_name -DFRAME=64

# A library whose MiniDebugInfo unpacks to 64 MB, which are nothing. Its code is long, so that each sample is somewhere else.
cat > "$dir/slow.s" << 'END'
.globl work
.type work, @function
work: mov $300, %ecx
1: .rept 8000
nop
.endr
dec %ecx
jnz 1b
ret
.size work, 1
.section .note.GNU-stack, "", @progbits
END
"$cc" -shared -nostdlib -Wl,--build-id -o "$dir/slow.so" "$dir/slow.s"
head -c 64M /dev/zero | xz -1 > "$dir/zeros.xz"
objcopy --strip-all --add-section .gnu_debugdata="$dir/zeros.xz" "$dir/slow.so"
chmod 755 "$dir/slow.so"

# record NAME [PID]: programs of root and of a user begin while profrec records, after the process has run. Their files
# are new.
record()
{
	for owner in 0 65533; do install -o "$owner" -m 755 "$dir/named" "$dir/$1_$owner"; done
	begin_recording -F 499 -U -i 1 -o "$dir/$1.prof"
	[ -z "${2:-}" ] || run_for 150 "$2"
	for _ in 1 2 3 4; do
		for owner in 0 65533; do as "$owner" "$dir/$1_$owner" "victim$owner" 300; done
	done
	end_recording
	# The recording alone has the names then.
	rm "$dir/$1_0" "$dir/$1_65533"
	"$profrep" -f -U "$dir/$1.prof" > "$dir/$1.folded"
}

record alone
for owner in 0 65533; do
	check "without others: programs of $owner have their names" mostly "$dir/alone.folded" victim$owner ';victim_name[; ]' 95
done

copies=()
for i in {1..40}; do
	cp "$dir/slow.so" "$dir/slow$i.so"
	copies+=("$dir/slow$i.so:work")
done
chown 65534 "$dir"/slow*.so
setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/hoard" "${copies[@]}" &
hoard=$!
run_for 10 $hoard
record crowd $hoard
kill $hoard
wait 2> /dev/null
for owner in 0 65533; do
	check "beside files that take long: programs of $owner have their names" \
		mostly "$dir/crowd.folded" victim$owner ';victim_name[; ]' 95
done
check "beside files that take long: what was not looked at is said" \
	grep -q 'times names of a file were not looked up' "$dir/err"
check "beside files that take long: whose files were not looked at is said" contains "$(info "$dir/crowd.prof" "lacked room" | sed -n 's/.*names of files:\([^;]*\).*/\1/p')" "of user 65534"

# Names of 18 MB in one program, more than two epochs have room for; its file is known before those of the others.
long=$(printf 'x%.0s' {1..15000})
{
	echo 'static volatile unsigned int sink;'
	for i in {1..1200}; do
		echo "__attribute__((noinline)) void f$i$long(void) { for (int i = 0; i < 700000; i++) sink += i; }"
	done
	echo 'int main(void) { for (;;) {'
	for i in {1..1200}; do echo "f$i$long();"; done
	echo '} }'
} > "$dir/long.c"
check "a program with long names" "$cc" -O1 -include tests/programs/nice.h -Wl,--build-id -o "$dir/long" "$dir/long.c"
chown 65534 "$dir/long"
record_beside_long()
{
	for owner in 0 65533; do install -o "$owner" -m 755 "$dir/named" "$dir/long_$owner"; done
	begin_recording -F 499 -U -o "$dir/long.prof"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/long" &
	long_pid=$!
	run_for 250 $long_pid
	for owner in 0 65533; do as "$owner" "$dir/long_$owner" "victim$owner" 300; done
	end_recording
	kill $long_pid
	wait $long_pid 2> /dev/null
	rm "$dir/long_0" "$dir/long_65533"
	"$profrep" -f -U "$dir/long.prof" > "$dir/long.folded"
}
record_beside_long
for owner in 0 65533; do
	check "beside long names: programs of $owner have their names" \
		mostly "$dir/long.folded" victim$owner ';victim_name[; ]' 95
done
says_whose()
{
	contains "$(info "$dir/long.prof" "lacked room" | sed -n 's/.*names of files:\([^;]*\).*/\1/p')" "of user 65534"
}
# On a busy machine an epoch may end early, and have room for its part of the names.
for _ in 1 2; do says_whose > "$dir/said" && break; record_beside_long; done
check "beside long names: whose names had no room is said" says_whose
plan_end
