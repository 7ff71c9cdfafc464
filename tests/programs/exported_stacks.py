# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the stacks in a file that profrep exported as folded lines: exported_stacks.py FORMAT FILE. FORMAT mappings
prints the files of a profile of pprof instead, in their order, with what is known of their code; profiles prints those
of OTLP, and json compares OTLP's JSON with them. The messages of pprof and OTLP come from the directory in MESSAGES,
where protoc made them."""
import base64
import collections
import gzip
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the tree may be somebody else's
import otlp_rules
from printed_names import printed


def fold(names):
    """A folded line. Folded output escapes the separator in names, and names no thread without a name."""
    thread, *rest = (name.replace(";", "\\x3b") for name in names)
    return ";".join(["" if thread == "''" else thread] + rest)


def read_pprof(path):
    import pprof_pb2

    profile = pprof_pb2.Profile()
    with gzip.open(path) as file:
        profile.ParseFromString(file.read())
    return profile


def known_of(profile, mapping):
    """What the lines in a mapping tell."""
    files = {function.id: function.filename for function in profile.function}
    places = [location.line for location in profile.location if location.mapping_id == mapping.id]
    lines = [line for place in places for line in place]
    return {
        "functions": bool(lines),
        "filenames": any(files[line.function_id] for line in lines),
        "line_numbers": any(line.line for line in lines),
        "inline_frames": any(len(place) > 1 for place in places),
    }


def print_mappings(path):
    profile = read_pprof(path)
    for mapping in profile.mapping:
        said = {what: getattr(mapping, "has_" + what) for what in known_of(profile, mapping)}
        assert said == known_of(profile, mapping), said
        print(profile.string_table[mapping.filename], *(what for what in said if said[what]))


def pprof(path):
    profile = read_pprof(path)
    strings = profile.string_table
    mappings = {mapping.id: mapping for mapping in profile.mapping}
    functions = {function.id: strings[function.name] for function in profile.function}
    locations = {location.id: location for location in profile.location}
    for table in (profile.mapping, profile.function, profile.location):
        assert [row.id for row in table] == list(range(1, len(table) + 1)), "ids are not in order"
    for location in profile.location:
        mapping = mappings[location.mapping_id]
        assert mapping.memory_start <= location.address < mapping.memory_limit, "an address outside its mapping"
    for sample in profile.sample:
        assert len(sample.value) == len(profile.sample_type)
        labels = {strings[label.key]: strings[label.str] for label in sample.label}
        names = [labels.get("thread", "")]
        for location_id in reversed(sample.location_id):
            lines = locations[location_id].line
            names += [functions[line.function_id] for line in reversed(lines)] or ["[unknown]"]
        yield fold(map(printed, names)), sample.value[0]


def read_otlp(path):
    import otlp_pb2

    request = otlp_pb2.ExportProfilesServiceRequest()
    with open(path, "rb") as file:
        request.ParseFromString(file.read())
    otlp_rules.check(request)
    return request


def print_profiles(path):
    request = read_otlp(path)
    strings = request.dictionary.string_table
    attributes = request.dictionary.attribute_table
    for resource, profile in otlp_rules.profiles(request):
        words = [strings[profile.sample_type.type_strindex], strings[profile.sample_type.unit_strindex]]
        values = sum(sum(sample.values) for sample in profile.samples)
        times = {time for sample in profile.samples for time in sample.timestamps_unix_nano}
        event = attributes[profile.attribute_indices[0]].value.string_value
        print(printed(resource["service.name"]), *words, printed(event), values, len(times))


def compare_json(path, json_path):
    """OTLP has hexadecimal digits where protobuf has base64."""
    from google.protobuf import json_format

    def as_digits(value, key=""):
        if isinstance(value, dict):
            return {name: as_digits(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [as_digits(item) for item in value]
        return base64.b64decode(value).hex() if key in ("profileId", "traceId", "spanId") else value

    with open(json_path, encoding="utf-8") as file:
        assert json.load(file) == as_digits(json_format.MessageToDict(read_otlp(path)))


def otlp(path):
    request = read_otlp(path)
    tables = request.dictionary
    strings = tables.string_table
    for _, profile in otlp_rules.profiles(request):
        for sample in profile.samples:
            attributes = [tables.attribute_table[i] for i in sample.attribute_indices]
            values = {strings[item.key_strindex]: item.value for item in attributes}
            names = [values["thread.name"].string_value if "thread.name" in values else ""]
            for index in reversed(tables.stack_table[sample.stack_index].location_indices):
                lines = tables.location_table[index].lines
                functions = [tables.function_table[line.function_index] for line in reversed(lines)]
                names += [strings[function.name_strindex] for function in functions] or ["[unknown]"]
            yield fold(map(printed, names)), sum(sample.values)


def speedscope(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    names = [frame["name"] for frame in document["shared"]["frames"]]
    (profile,) = document["profiles"]
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["endValue"] == sum(profile["weights"])
    for sample, weight in zip(profile["samples"], profile["weights"]):
        yield fold(printed(names[frame]) for frame in sample), weight


def perf_script(path):
    header = re.compile(r"^(\S.*?) +(\d+)/(\d+) \d+\.\d+: +(\d+) \S+: $")
    frame = re.compile(r"^\t *[0-9a-f]+ (.*) \(\S+\)$")
    with open(path, encoding="utf-8", newline="\n") as file:
        for entry in file.read().split("\n\n")[:-1]:
            first, *rest = entry.split("\n")
            comm, _, _, period = header.match(first).groups()
            yield fold([comm] + [frame.match(line).group(1) for line in reversed(rest)]), int(period)


sys.path.insert(0, os.environ["MESSAGES"])
if sys.argv[1] == "mappings":
    print_mappings(sys.argv[2])
    sys.exit()
if sys.argv[1] == "profiles":
    print_profiles(sys.argv[2])
    sys.exit()
if sys.argv[1] == "json":
    compare_json(*sys.argv[2:])
    sys.exit()
sums = collections.Counter()
readers = {"pprof": pprof, "otlp": otlp, "speedscope": speedscope, "perf-script": perf_script}
for stack, count in readers[sys.argv[1]](sys.argv[2]):
    sums[stack] += count
for stack in sorted(sums):
    print(stack, sums[stack])
