# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads samples of perf script's text as two other programs do: read_headers.py collapse|firefox FILE prints SAMPLES PID TID
NAME, where the reader of that program finds them. Lines that it leaves out are missing."""
import collections
import re
import sys


def collapse(line):
    """FlameGraph's stackcollapse-perf.pl: a name of two characters at least, up to the first number. Spaces become '_'."""
    found = re.match(r"(\S.+?)\s+(\d+)/*(\d*)\s+", line)
    return found and (found[1].replace(" ", "_"), found[2], found[3])


def firefox(line):
    """Firefox Profiler: a name up to the last number before the last time."""
    before = re.match(r"(.*)\s+[\d.]+:", line)
    found = before and re.match(r"(.*)\s+(?:(\d+)/)?(\d+)\b", before[1])
    return found and (found[1].strip(), found[2], found[3])


with open(sys.argv[2], encoding="utf-8", newline="\n") as file:
    lines = file.read().split("\n")
# Firefox Profiler knows the format by the first line.
assert re.match(r"\S.*?\s+(\d+/)?\d+\s+[\d.]+:", lines[0]), lines[0]
seen = collections.Counter()
for line in lines:
    if not line or line[0] in "#{\t":
        continue
    found = {"collapse": collapse, "firefox": firefox}[sys.argv[1]](line)
    # The period counts, after the time.
    period = re.search(r":\s*(\d+)\s+(\S+):\s*$", line)
    if found and period:
        seen[found] += int(period[1])
for (name, pid, tid), count in seen.items():
    print(count, pid, tid, name)
