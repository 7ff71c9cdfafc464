# SPDX-License-Identifier: GPL-2.0-or-later
# Calls functions whose callers are known, for SECONDS: known_calls.py SECONDS. The caller of each function is in CALLS
# of tests/system/python.sh. descend() calls itself, and the bottom's name says how often.
#
# known_calls.py 0 FILE calls each of them at least twice, and writes the stacks of functions that the interpreter tells
# of there: one a line, the outermost function first.
import asyncio
import itertools
import sys
import threading
import time
import zlib


def burn(n):
    x = 0
    for i in range(n):
        x += i * i
    return x


def key_of(item):
    return burn(300) * 0 + item


def sort_by_key():
    return sorted([3, 1, 2], key=key_of)


def numbers():
    for n in range(3):
        yield burn(200) + n


def sum_numbers():
    return sum(numbers())


class Thing:
    def method(self):
        return self.value

    @property
    def value(self):
        return burn(300)


def make_bottoms():
    for depth in range(1, 40, 6):
        exec("def bottom_%d():\n    return burn(400)\n" % depth, globals())
        yield depth, globals()["bottom_%d" % depth]


def descend(n, bottom):
    if n > 1:
        return descend(n - 1, bottom)
    return bottom()


def walk_tree(depth):
    if depth > 0:
        yield from walk_tree(depth - 1)
    yield burn(100) + depth


def sum_tree():
    return sum(walk_tree(5))


async def wait_inner():
    burn(200)
    await asyncio.sleep(0)
    return burn(200)


async def wait_outer():
    return await wait_inner() + await wait_inner()


async def wait_both():
    await asyncio.gather(wait_outer(), wait_outer())


def run_loop(loop):
    loop.run_until_complete(wait_both())


def compress():
    data = b"some text " * 20000
    while time.monotonic() < end:
        zlib.compress(data)


def work():
    bottoms = list(make_bottoms())
    loop = asyncio.new_event_loop()
    for nr_rounds in itertools.count(1):
        sort_by_key()
        sum_numbers()
        Thing().method()
        sum_tree()
        run_loop(loop)
        for depth, bottom in bottoms:
            descend(depth, bottom)
        if nr_rounds > 1 and time.monotonic() >= end:
            break
    loop.close()


def note_stack(frame, event, _):
    names = []
    while event == "call" and frame:
        names.insert(0, getattr(frame.f_code, "co_qualname", frame.f_code.co_name))
        frame = frame.f_back
    stacks.add(";".join(names))


end = time.monotonic() + float(sys.argv[1])
stacks = set()
if len(sys.argv) > 2:
    threading.setprofile(note_stack)
threads = [threading.Thread(target=work), threading.Thread(target=compress)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if len(sys.argv) > 2:
    with open(sys.argv[2], "w") as file:
        print("\n".join(sorted(stacks)), file=file)
