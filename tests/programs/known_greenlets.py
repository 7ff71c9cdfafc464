# SPDX-License-Identifier: GPL-2.0-or-later
# Greenlets that go on deep in their stacks, and below C code: known_greenlets.py SECONDS PAIRS. Writes the callers and
# functions that the interpreter knows of to PAIRS, one pair a line.
import sys
import time

import greenlet

pairs = set()
noting = True


def note_pairs():
    frame = sys._getframe(1)
    while frame.f_back:
        names = [getattr(f.f_code, "co_qualname", f.f_code.co_name) for f in (frame.f_back, frame)]
        pairs.add(";".join(names))
        frame = frame.f_back


def burn(n):
    if noting:
        note_pairs()
    x = 0
    for i in range(n):
        x += i * i
    return x


def turn(hub):
    burn(1500)
    hub.switch()
    burn(1500)


def run_for_ever(hub):
    while True:
        turn(hub)


def descend(n, hub):
    if n:
        return descend(n - 1, hub)
    return run_for_ever(hub)


def key_of(hub):
    turn(hub)
    return 0


def sort_for_ever(hub):
    while True:
        sorted([hub, hub], key=key_of)


def start_inner(hub):
    inner = greenlet.greenlet(run_for_ever)
    own = greenlet.getcurrent()
    while True:
        inner.switch(own)
        turn(hub)


def run_all(greenlets):
    hub = greenlet.getcurrent()
    for one in greenlets:
        one.switch(hub)


def run_deep(n, greenlets):
    if n:
        return run_deep(n - 1, greenlets)
    return run_all(greenlets)


def main():
    global noting
    greenlets = [greenlet.greenlet(run) for run in (run_for_ever, sort_for_ever, start_inner)]
    greenlets.append(greenlet.greenlet(lambda hub: descend(20, hub)))
    for n in (0, 5, 30, 5):
        run_deep(n, greenlets)
    noting = False
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("\n".join(sorted(pairs)) + "\n")
    end = time.process_time() + float(sys.argv[1])
    while time.process_time() < end:
        for n in (0, 5, 30):
            run_deep(n, greenlets)


main()
