# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the names, inlined functions and lines of profrep with those of other tools, and prints TAP without numbers.

symbol_oracle.py FILE ADDRESSES

It takes so many random and boundary addresses of the code in FILE, an ELF file for x86-64, and makes a recording of them
by prof_make. Symbol tables are read here once more, so profrep's names are compared with the rule of elf/symtab.c, too.
The other tools have bugs and habits of their own. So each difference is sorted into a class of doc/testing.md, by what
the file says of the address. A difference without a class is a failure.
"""
import argparse
import bisect
import collections
import lzma
import os
import random
import re
import struct
import subprocess
import tempfile

BASE = 0x100000000000
EPOCH = 2000
COMPARISONS_MAX = 10**9
NOBITS, SYMTAB, DYNSYM = 8, 2, 11
NOTYPE, FUNC, IFUNC = 0, 2, 10

Section = collections.namedtuple("Section", "name type flags addr off size link")
Symbol = collections.namedtuple("Symbol", "start size name rank kind section_end")
Frame = collections.namedtuple("Frame", "name place")  # place: (file, line) or None


class Elf:
    """The headers and the symbols of a file."""

    def __init__(self, data):
        self.data = data
        assert data[:6] == b"\x7fELF\x02\x01", "not a 64-bit ELF file"
        phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, shstrndx = struct.unpack_from("<QQIHHHHHH", data, 32)
        self.segments = []
        for i in range(phnum):
            kind, flags, off, vaddr, _, size, memory, _ = struct.unpack_from("<IIQQQQQQ", data, phoff + i * phentsize)
            if kind == 1 and flags & 1:
                self.segments.append((off, vaddr, size, memory))
        raw = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * shentsize) for i in range(shnum)]
        names = raw[shstrndx][4] if raw else 0
        self.sections = [Section(self.text(names + r[0]), r[1], r[2], r[3], r[4], r[5], r[6]) for r in raw]

    def text(self, off):
        return self.data[off:self.data.index(b"\0", off)].decode("utf-8", "backslashreplace")

    def find(self, name):
        return next((s for s in self.sections if s.name == name and s.type != NOBITS), None)

    def has_symtab(self):
        return any(s.type == SYMTAB for s in self.sections)

    def bytes(self, section):
        return self.data[section.off:section.off + section.size]

    def build_id(self):
        section = self.find(".note.gnu.build-id")
        return self.bytes(section)[16:].hex() if section else ""

    def mini(self):
        section = self.find(".gnu_debugdata")
        return Elf(lzma.decompress(self.bytes(section))) if section else None

    def table_symbols(self, table):
        strings = self.sections[table.link].off
        for off in range(table.off, table.off + table.size, 24):
            name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", self.data, off)
            kind = info & 15
            if index == 0 or kind not in (NOTYPE, FUNC, IFUNC):
                continue
            section = self.sections[index] if index < len(self.sections) else None
            text = self.text(strings + name)
            text = text[:1] + text[1:].split("@")[0]
            is_label = kind == NOTYPE
            if not text or is_label and (table.type == DYNSYM or not section or not section.flags & 4 or
                                         not re.match("[A-Za-z_]", text)):
                continue
            end = section.addr + section.size if section else 0
            yield Symbol(value, size, text, {1: 0, 10: 0, 2: 1}.get(info >> 4, 2), kind, end)

    def has_code(self, addr):
        return any(vaddr <= addr < vaddr + size for _, vaddr, size, _ in self.segments)

    def symbols(self):
        for table in self.sections:
            if table.type in (SYMTAB, DYNSYM):
                yield from self.table_symbols(table)


def preference(symbol):
    """Of symbols with equal bounds, profrep prefers the one for which this is least."""
    return symbol.rank, len(symbol.name) - len(symbol.name.lstrip("_")), len(symbol.name.encode()), symbol.name


class Starts:
    """Symbols by their start."""

    def __init__(self, symbols):
        self.symbols = collections.defaultdict(list)
        for symbol in symbols:
            self.symbols[symbol.start].append(symbol)
        self.starts = sorted(self.symbols)

    def nearest(self, addr):
        i = bisect.bisect_right(self.starts, addr) - 1
        return self.symbols[self.starts[i]] if i >= 0 else []


class Tables:
    """All symbols that profrep may choose from, and the rule of its choice (elf/symtab.c)."""

    def __init__(self, elfs):
        symbols = {s for elf in elfs for s in elf.symbols()}
        if not any(elf.has_symtab() for elf in elfs):
            symbols |= {s for elf in elfs if elf.mini() for s in elf.mini().symbols()}
        self.all = Starts(symbols)
        self.functions = Starts(s for s in symbols if s.kind != NOTYPE)
        self.by_name = collections.defaultdict(list)
        for symbol in symbols:
            self.by_name[symbol.name].append(symbol)
        self.reach, farthest = [], 0  # the farthest end of the functions up to this start
        for start in self.functions.starts:
            farthest = max(farthest, max(start + s.size for s in self.functions.symbols[start]))
            self.reach.append(farthest)

    def covering(self, addr):
        """The functions with a size that cover the address, in the order of choice."""
        starts = self.functions.starts
        i = bisect.bisect_right(starts, addr) - 1
        while i >= 0 and self.reach[i] > addr:
            yield from sorted((s for s in self.functions.symbols[starts[i]] if s.start + s.size > addr),
                              key=lambda s: (s.size, preference(s)))
            i -= 1

    def choose(self, addr):
        for symbol in self.covering(addr):
            return symbol
        i = bisect.bisect_right(self.functions.starts, addr) - 1
        reach = self.reach[i] if i >= 0 else 0  # what begins before is a place inside a function
        unsized = [s for s in self.functions.nearest(addr) if reach <= s.start and not s.size and addr < s.section_end]
        labels = [s for s in self.all.nearest(addr) if reach <= s.start and
                  s.kind == NOTYPE and addr < min(s.start + s.size if s.size else s.section_end, s.section_end)]
        return min(unsized or labels, key=preference, default=None)


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="backslashreplace")
    assert done.returncode in (0, 1), f"{command}: {done.stderr}"
    return done.stdout


def choose_addresses(binary, tables, nr):
    """Half of the addresses are the first and last bytes of functions and the bytes beside them; others are random."""
    edges = set()
    for start, symbols in tables.all.symbols.items():
        for symbol in symbols:
            edges |= {start - 1, start, start + 1, start + symbol.size - 1, start + symbol.size}
    for section in binary.sections:
        edges |= {section.addr, section.addr + section.size - 1, section.addr + section.size}
    edges = sorted(a for a in edges if binary.has_code(a))
    chosen = set(random.sample(edges, min(len(edges), nr // 2)))
    sizes = [size for _, _, size, _ in binary.segments]
    nr = min(nr, sum(sizes) * 9 // 10)
    while len(chosen) < nr:
        _, vaddr, size, _ = random.choices(binary.segments, sizes)[0]
        chosen.add(vaddr + random.randrange(size))
    return sorted(chosen)


def record(path, binary, addrs):
    """The text from which prof_make makes a recording with each address as a leaf."""
    lines = [f"object p file {path} {binary.build_id() or '-'}", "process p 7 1"]
    for off, vaddr, _, memory in binary.segments:
        first = vaddr & ~4095
        size = (vaddr + memory - first + 4095) & ~4095
        lines.append(f"map p p {BASE + first:#x} {size:#x} {off & ~4095:#x}")
    for i, addr in enumerate(addrs):
        off = next(addr - vaddr + off for off, vaddr, size, _ in binary.segments if vaddr <= addr < vaddr + size)
        lines.append(f"count p c 1 user p:{off:#x}")
        if i % EPOCH == EPOCH - 1:
            lines.append("epoch")
    return "\n".join(lines) + "\n"


def ask_profrep(path, binary, addrs, directory):
    build = os.environ["BUILD"]
    prof = os.path.join(directory, "oracle.prof")
    made = subprocess.run([f"{build}/tests/prof_make"], input=record(path, binary, addrs).encode(), capture_output=True)
    assert made.returncode == 0, made.stderr
    with open(prof, "wb") as file:
        file.write(made.stdout)
    out = run(f"{build}/profrep", "-v", "-i", "-a", "-s", "--lines", "--full-paths", "--demangle=none",
              "--unnamed=function", prof)
    answers = collections.defaultdict(list)
    pattern = re.compile(r" {4}0x(\w+) (.*?)(?: (\S+):(\d+|\?))?(_\[i\])?$")
    for line in out.splitlines():
        match = pattern.match(line)
        if match:
            addr, name, file, number, _ = match.groups()
            answers[int(addr, 16) - BASE].append(Frame(name, file and (file, 0 if number == "?" else int(number))))
    return answers


def frames_of(lines):
    """Frames from lines with a function and lines with its place, in turns."""
    frames = []
    for name, place in zip(lines[::2], lines[1::2]):
        place = re.sub(r" \(discriminator \d+\)$", "", place)
        match = re.match(r"(.*?):(\d+|\?)(?::\d+)?$", place)
        number = int(match[2]) if match and match[2] != "?" else 0
        file = match[1] if match and not match[1].startswith("??") else None
        frames.append(Frame(None if name.startswith("??") else name, (file, number) if file else None))
    return frames


def ask_llvm(path, addrs):
    out = run("llvm-symbolizer", f"--obj={path}", "--inlines", "--functions=linkage", "--no-demangle",
              text="".join(f"{a:#x}\n" for a in addrs))
    blocks = out.strip("\n").split("\n\n")
    assert len(blocks) == len(addrs), "llvm-symbolizer left out addresses"
    return {addr: frames_of(block.split("\n")) for addr, block in zip(addrs, blocks)}


def ask_addr2line(tool, path, addrs):
    """Both have this output: the address, then frames."""
    out = run(tool, "-a", "-f", "-i", "-e", path, text="".join(f"{a:#x}\n" for a in addrs))
    answers, lines = {}, []
    for line in reversed(out.splitlines()):
        if re.fullmatch("0x[0-9a-f]{16}", line):
            lines = [re.sub(" inlined at .*", "", text) for text in reversed(lines)]
            answers[int(line, 16)] = frames_of(lines)
            lines = []
        else:
            lines.append(line)
    return answers


def ask_eu_symbols(path, addrs):
    """The symbol that eu-addr2line finds, from which lines and functions are left out."""
    out = run("eu-addr2line", "-a", "-S", "-e", path, text="".join(f"{a:#x}\n" for a in addrs)).splitlines()
    assert len(out) == 3 * len(addrs)
    names = (re.sub(r"(@.*)?(\+0x[0-9a-f]+)?$", "", name) for name in out[1::3])
    return {int(addr, 16): None if name.startswith(("(", "??")) else name for addr, name in zip(out[::3], names)}


def find_rows(path, binary, addrs):
    """For each address the first address of its row of the line table, if it has one."""
    out = run("llvm-dwarfdump", "--debug-line", path)
    starts = sorted({int(addr, 16) for addr in re.findall(r"^0x(\w{16}) +\d+ +\d+ +\d+ ", out, re.M)})
    rows = {addr: starts[bisect.bisect_right(starts, addr) - 1] for addr in addrs if starts and addr >= starts[0]}
    return {addr: row for addr, row in rows.items() if binary.has_code(row)}


class Judge:
    """Sorts the differences of one file into the classes of doc/testing.md; None stands for a difference of none."""

    def __init__(self, tables, own_tables, traits, ours, rows):
        self.tables, self.own_tables, self.traits, self.ours, self.rows = tables, own_tables, traits, ours, rows

    def name(self, addr, name, start, rival):
        """Of the function of the code itself: profrep says that @name begins at @start."""
        if name == rival:
            return "same"
        if name and name.endswith("@plt"):
            return "plt"
        if self.tables.choose(addr) is None:
            # The symbols before the address have ended, and at most Go's own table or debug information goes on.
            return "after the end" if rival in self.tables.by_name or not rival or not name else None
        if rival is None:
            return "debug file" if self.own_tables.choose(addr) is None else "no size" if not any(
                self.tables.covering(addr)) else None
        if any(s.start == start for s in self.tables.by_name.get(rival, ())):
            return "alias"
        if name and name.startswith(rival + "."):
            return "suffix"
        if any(s.start < start <= addr for s in self.tables.by_name.get(rival, ())):
            return "earlier start"
        if any(start < s.start <= addr and not s.size for s in self.tables.by_name.get(rival, ())):
            return "label inside"
        return "name of the source" if rival not in self.tables.by_name else None

    def inlined(self, addr, name, rival):
        """Of a function that was inlined: None if the names agree, else a class or an empty text."""
        if name == rival:
            return None
        if rival is None:
            return "no name for inlined"
        if name.endswith("::" + rival):
            return "bare name"
        symbol = self.tables.choose(addr)
        if symbol and any(s.start == symbol.start for s in self.tables.by_name.get(rival, ())):
            return "symbol for inlined"
        return ""

    def place(self, tool, place, rival):
        """Of a file and a line: as inlined."""
        if rival and rival[1] == 0 and not place:
            return "file without line"
        if not place or not rival:
            return None if place == rival else ""
        if place[1] != rival[1]:
            return ""
        mine, other = (os.path.normpath(p[0]) for p in (place, rival))
        parts = place[0].split("/")
        doubled = [os.path.normpath("/".join(parts[:n] + parts)) for n in range(1, len(parts))]
        if mine == other:
            return None
        if other in doubled:
            return "directory twice"
        return "file of the unit" if tool == "addr2line" else ""

    def frames(self, addr, tool, frames, rival):
        """Of as many frames as the other tool has: None if they are explained by nothing."""
        found = [self.inlined(addr, a.name, b.name) for a, b in zip(frames[:-1], rival[:-1])]
        found += [self.place(tool, a.place, b.place) for a, b in zip(frames, rival)]
        found = sorted({reason for reason in found if reason is not None})
        return None if "" in found else " + ".join(found) or "same"

    def is_of_row(self, addr, frames, rival):
        """Whether eu-addr2line's callers are those of the first address of the row with this address."""
        callers = self.ours[self.rows.get(addr, addr)][1:]
        return len(callers) == len(rival) - 1 and bool(self.frames(addr, "eu-addr2line", frames[:1] + callers, rival))

    def chain(self, addr, tool, frames, rival):
        """Of all functions and lines at an address."""
        reason = next((reason for holds, tools, reason in self.traits if holds and tool in tools), None)
        if not reason and len(frames) == len(rival):
            reason = self.frames(addr, tool, frames, rival)
        if not reason and self.tables.choose(addr) is None:
            reason = "after the end"
        if not reason and tool == "addr2line" and addr % 256 == 255 and not rival[0].place:
            reason = "byte 255"
        if reason or tool == "llvm-symbolizer" or self.place(tool, frames[0].place, rival[0].place) == "":
            return reason
        if tool == "eu-addr2line" and self.is_of_row(addr, frames, rival):
            return "begin of the row"
        return "functions left out" if len(rival) < len(frames) else None


def split_name(frame, addr):
    """The name and the start of the symbol that profrep prints."""
    match = re.fullmatch(r"(.*)\+0x([0-9a-f]+)", frame.name)
    name, start = (match[1], addr - int(match[2], 16)) if match else (frame.name, None)
    return (None if name.startswith("[") else name), start


class Report:
    """The result of a comparison as TAP."""

    def __init__(self, what):
        self.what, self.classes, self.examples = what, collections.Counter(), []

    def note(self, reason, *example):
        self.classes[reason or "not explained"] += 1
        if not reason and len(self.examples) < 8:
            self.examples.append(example)

    def print(self):
        total = sum(self.classes.values())
        counts = ", ".join(f"{n} {reason}" for reason, n in self.classes.most_common())
        status = "not ok" if not total or self.classes["not explained"] else "ok"
        print(f"{status} - {self.what}: {total} addresses: {counts}")
        for addr, *rest in self.examples:
            print(f"# {addr:#x}", *rest, sep="\n#   ")


def check_rule(path, tables, addrs, ours):
    """Compares names with the rule, the bounds of functions with readelf, and stubs with objdump."""
    report = Report("names by the rule")
    out = run("readelf", "-wF", path)
    bounds = sorted(tuple(int(n, 16) for n in m.groups()) for m in re.finditer(r" FDE .*pc=(\w+)\.\.(\w+)", out))
    starts = [b[0] for b in bounds]
    out = run("objdump", "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", path)
    stubs = {int(addr, 16): name for addr, name in re.findall(r"^(\w{16}) <(\S+@plt)>:", out, re.M)}
    go = read_go(path)
    for addr in addrs:
        name, start = split_name(ours[addr][-1], addr)
        want = tables.choose(addr)
        i = bisect.bisect_right(starts, addr) - 1
        bound = starts[i] if i >= 0 and bounds[i][1] > addr else None
        if want:
            ok = "symbol" if (name, start) == (want.name, want.start) else None
        elif name and name.endswith("@plt"):
            ok = "stub" if stubs.get(start) == name else None
        elif name:
            ok = "Go's table" if go else None
        elif start is not None:
            ok = "bounds" if start == bound else None
        else:
            ok = "nothing" if bound is None else None
        report.note(ok, addr, ours[addr], want, bound)
    report.print()


def read_go(path):
    with open(path, "rb") as file:
        elf = Elf(file.read())
    return elf.find(".gopclntab") or elf.find(".data.rel.ro.gopclntab")


def find_debug_file(binary):
    build_id = binary.build_id()
    path = f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
    return path if build_id and os.path.exists(path) else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("addresses", type=int)
    parser.add_argument("--inlined", type=int, default=10000, help="addresses for eu-addr2line -i, which is slow")
    args = parser.parse_args()
    args.file = os.path.realpath(args.file)
    random.seed(args.addresses)
    elfs = []
    for path in (args.file, None):
        path = path or find_debug_file(elfs[0])
        if path:
            with open(path, "rb") as file:
                elfs.append(Elf(file.read()))
    tables, own_tables = Tables(elfs), Tables(elfs[:1])
    addrs = choose_addresses(elfs[0], tables, args.addresses)
    has_lines = any(elf.find(".debug_info") for elf in elfs)
    some_inlined = sorted(random.sample(addrs, min(len(addrs), args.inlined)))
    rows = find_rows(find_debug_file(elfs[0]) or args.file, elfs[0], some_inlined) if has_lines else {}
    addrs = sorted({*addrs, *rows.values()})
    with tempfile.TemporaryDirectory() as directory:
        ours = ask_profrep(args.file, elfs[0], addrs, directory)
    check_rule(args.file, tables, addrs, ours)
    is_split = any(elf.find(".debug_addr") and elf.find(".debug_gnu_pubnames") for elf in elfs)
    traits = [
        (is_split, ("addr2line", "eu-addr2line"), "split units are not read"),
        (not any(elf.find(".debug_aranges") for elf in elfs), ("eu-addr2line",), "no .debug_aranges"),
    ]
    judge = Judge(tables, own_tables, traits, ours, rows)
    symbols = Report("eu-addr2line -S, symbols")
    # eu-addr2line goes through all symbols for each address.
    some = random.sample(addrs, min(len(addrs), COMPARISONS_MAX // max(1, len(tables.by_name))))
    for addr, rival in ask_eu_symbols(args.file, sorted(some)).items():
        symbols.note(judge.name(addr, *split_name(ours[addr][-1], addr), rival), addr, ours[addr][-1], rival)
    symbols.print()
    for tool, ask, some in (("llvm-symbolizer", ask_llvm, addrs),
                            ("addr2line", lambda *a: ask_addr2line("addr2line", *a), addrs),
                            ("eu-addr2line", lambda *a: ask_addr2line("eu-addr2line", *a), some_inlined)):
        answers = ask(args.file, some)
        names, chains = Report(f"{tool}, names"), Report(f"{tool}, inlined functions and lines")
        for addr in some:
            frames, rival = ours[addr], answers[addr]
            names.note(judge.name(addr, *split_name(frames[-1], addr), rival[-1].name), addr, frames[-1], rival[-1])
            if has_lines:
                chains.note(judge.chain(addr, tool, frames, rival), addr, frames, rival)
        names.print()
        if has_lines:
            chains.print()


if __name__ == "__main__":
    main()
