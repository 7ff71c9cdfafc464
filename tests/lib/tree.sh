# shellcheck shell=bash
# TAP for the parts that look at the sources and start nothing. Source it; call plan_end last.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
tap_nr=0

# nothing_found NAME FOUND: the test passes if nothing was found.
nothing_found()
{
	tap_nr=$((tap_nr + 1))
	if [ -z "$2" ]; then
		echo "ok $tap_nr - $1"
	else
		echo "not ok $tap_nr - $1"
		head -n 50 <<< "$2" | sed 's/^/# /'
	fi
}

# skip NAME REASON
skip()
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

plan_end() { echo "1..$tap_nr"; }
