# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of OTLP's data model for profiles (opentelemetry-specification, specification/profiles, and the comments of
profiles.proto): check(request) ends with an AssertionError where a request breaks one."""
import collections


def profiles(request):
    """Each profile with the attributes of its resource."""
    for resource_profiles in request.resource_profiles:
        attributes = {item.key: item.value.string_value for item in resource_profiles.resource.attributes}
        for scope in resource_profiles.scope_profiles:
            for profile in scope.profiles:
                yield attributes, profile


class Tables:
    """The tables of a dictionary, and which of their elements were referred to."""

    def __init__(self, dictionary):
        names = ("mapping", "location", "function", "link", "string", "attribute", "stack")
        self.rows = {name: getattr(dictionary, name + "_table") for name in names}
        self.used = {name: {0} for name in names}

    def use(self, name, index):
        assert 0 <= index < len(self.rows[name]), f"{name} {index} is out of range"
        self.used[name].add(index)
        return self.rows[name][index]

    def use_attributes(self, indices):
        keys = [self.use("string", self.use("attribute", i).key_strindex) for i in indices]
        assert 0 not in indices, "an attribute is the zero value"
        assert len(set(keys)) == len(keys), f"a key is there twice: {keys}"

    def use_value_type(self, value_type):
        assert self.use("string", value_type.type_strindex) and self.use("string", value_type.unit_strindex)


def key_of(row):
    return row if isinstance(row, str) else row.SerializeToString(deterministic=True)


def check_table(name, rows):
    assert rows, f"table {name} is empty"
    zero = rows[0]
    if name == "link":
        assert zero.trace_id == bytes(16) and zero.span_id == bytes(8), "link 0 is not the zero value"
        for link in rows[1:]:
            assert len(link.trace_id) == 16 and any(link.trace_id), "a link without a trace"
            assert len(link.span_id) == 8, "a link without a span"
    else:
        assert not key_of(zero), f"element 0 of table {name} is not the zero value"
    (row, count), = collections.Counter(key_of(row) for row in rows).most_common(1)
    assert count == 1, f"table {name} has {row} {count} times"


def check_samples(tables, profile):
    shapes, identities = set(), set()
    for sample in profile.samples:
        assert sample.values or sample.timestamps_unix_nano, "a sample without a value"
        if sample.values and sample.timestamps_unix_nano:
            assert len(sample.values) == len(sample.timestamps_unix_nano)
        shapes.add((bool(sample.values), bool(sample.timestamps_unix_nano)))
        identities.add((sample.stack_index, frozenset(sample.attribute_indices), sample.link_index))
        tables.use("stack", sample.stack_index)
        tables.use("link", sample.link_index)
        tables.use_attributes(sample.attribute_indices)
        for time in sample.timestamps_unix_nano:
            assert profile.time_unix_nano <= time, "a sample before its profile"
    assert len(shapes) == 1, f"samples of several shapes: {shapes}"
    assert len(identities) == len(profile.samples), "a sample is there twice"


def check_profile(tables, profile):
    tables.use_value_type(profile.sample_type)
    if profile.period:
        tables.use_value_type(profile.period_type)
    assert len(profile.profile_id) == 16 and any(profile.profile_id)
    tables.use_attributes(profile.attribute_indices)
    check_samples(tables, profile)


def use_dictionary(tables):
    for stack in tables.rows["stack"]:
        for index in stack.location_indices:
            assert index, "a frame is the zero value"
            tables.use("location", index)
    for location in tables.rows["location"][1:]:
        mapping = tables.use("mapping", location.mapping_index)
        assert mapping.memory_start <= location.address < mapping.memory_limit, "an address outside its mapping"
        tables.use_attributes(location.attribute_indices)
        for line in location.lines:
            assert line.function_index, "a line without a function"
            tables.use("function", line.function_index)
    for mapping in tables.rows["mapping"]:
        tables.use("string", mapping.filename_strindex)
        tables.use_attributes(mapping.attribute_indices)
    for function in tables.rows["function"]:
        for index in (function.name_strindex, function.system_name_strindex, function.filename_strindex):
            tables.use("string", index)
    for attribute in tables.rows["attribute"][1:]:
        assert tables.use("string", attribute.key_strindex) and attribute.value.WhichOneof("value")


def check(request):
    tables = Tables(request.dictionary)
    ids = []
    for attributes, profile in profiles(request):
        assert attributes["service.name"] and attributes["os.type"] == "linux", attributes
        check_profile(tables, profile)
        ids.append(bytes(profile.profile_id))
    assert len(set(ids)) == len(ids), "profiles share an id"
    use_dictionary(tables)
    for name, rows in tables.rows.items():
        check_table(name, rows)
        orphans = set(range(len(rows))) - tables.used[name]
        assert not orphans, f"nothing refers to {name} {[key_of(rows[i]) for i in orphans]}"
