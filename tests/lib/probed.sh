# shellcheck shell=bash
# Where tests put probes into tests/programs/probed.c, as other tools do.

# probed_places FILE [OBJDUMP]: the places in that program for tests/programs/put_probes.c: return probes in all functions below which
# it calls madvise, and a probe at the instruction that takes page faults.
probed_places()
{
	local name kind
	for name in outer middle inner handed hand_over again leap after_leap on_signal on_own_stack wait_for_child wait_here touch; do
		kind=return:
		[ $name != touch ] || kind=
		"${2:-objdump}" -d --no-show-raw-insn -F "$1" | sed -n "s/.*<$name> (File Offset: \\(0x[0-9a-f]*\\)):\$/$kind\\1/p"
	done
}
