# SPDX-License-Identifier: GPL-2.0-or-later
"""A receiver of Pyroscope's Push API, and of OTLP: push_receiver.py DIR [FAULT...]. It decodes each request with the
messages of PUSH_MESSAGES, checks it as Pyroscope's validation does or by the rules of OTLP, and appends a line for each
sample to DIR/samples, and a line for each profile to DIR/profiles. DIR/port gets the port. With DIR/cert.pem it speaks
TLS.

FAULT is NAME or NAME*N, for one request or N, in their order; then requests are taken:
  ok           the request is taken
  503 429 400 401 403 413 501 302 ...   that status, with an error of Connect
  429:SECONDS  with Retry-After
  html         200 from a server of another kind
  reset        the connection is reset before the request is read
  taken502     the request is taken, and a proxy says 502
  lost         the request is taken, and the connection closed without an answer
  half         the request is taken, and the answer ends in the middle
  partial      by OTLP the request is refused, with status 200
  message      by OTLP the request is taken, with a warning
  huge         an error without an end
  escape       an error that has sequences for terminals
"""
import gzip
import http.server
import json
import os
import pathlib
import re
import socket
import ssl
import struct
import sys
import time

sys.dont_write_bytecode = True  # the tree may be somebody else's
sys.path.insert(0, os.environ["PUSH_MESSAGES"])
import otlp_pb2
import pprof_pb2
import push_pb2
import otlp_rules
from printed_names import printed

directory = pathlib.Path(sys.argv[1])
faults = []
for word in sys.argv[2:]:
    name, _, times = word.partition("*")
    faults += [name] * int(times or 1)

CODES = {400: "invalid_argument", 401: "unauthenticated", 403: "permission_denied", 429: "resource_exhausted",
         413: "resource_exhausted", 501: "unimplemented", 503: "unavailable"}


class Refused(Exception):
    pass


def demand(holds, why):
    if not holds:
        raise Refused(why)


def check_labels(series):
    labels = [(label.name, label.value) for label in series.labels]
    names = [name for name, _ in labels]
    demand(names == sorted(set(names)), "labels are not in order, or twice")
    demand(len(names) <= 30, "too many labels")
    for name, value in labels:
        demand(re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name) and len(name) <= 1024, "a label's name")
        demand(value and len(value.encode()) <= 2048, "a label's value")
    labels = dict(labels)
    demand(labels.get("__name__") == "process_cpu", "another name")
    demand(labels.get("service_name"), "no service")
    return labels


def stack_of(profile, sample, locations, functions):
    names = []
    for location_id in reversed(sample.location_id):
        lines = locations[location_id].line
        demand(lines, "a location without a function")
        names += [functions[line.function_id] for line in reversed(lines)]
    return ";".join(printed(name).replace(";", "\\x3b") for name in names)


def check_profile(raw):
    profile = pprof_pb2.Profile()
    packed = gzip.decompress(raw)
    profile.ParseFromString(packed)
    strings = profile.string_table
    demand(not profile.UnknownFields() if hasattr(profile, "UnknownFields") else True, "unknown fields")
    demand(len(packed) <= 4 << 20, "a profile that is too large")
    demand(len(profile.sample) <= 16000, "too many samples")
    demand(strings[0] == "", "string 0 is not empty")
    types = [(strings[t.type], strings[t.unit]) for t in profile.sample_type]
    demand(types == [("samples", "count"), ("cpu", "nanoseconds")], "types")
    demand((strings[profile.period_type.type], strings[profile.period_type.unit]) == ("cpu", "nanoseconds"), "period")
    demand(profile.period > 0 and profile.time_nanos > 0, "no period or no time")
    mappings = {mapping.id for mapping in profile.mapping}
    functions = {function.id: strings[function.name] for function in profile.function}
    demand(0 not in mappings and 0 not in functions, "an id is 0")
    locations = {}
    for location in profile.location:
        demand(location.id and location.mapping_id in mappings, "a location of no mapping")
        locations[location.id] = location
    stacks = {}
    for sample in profile.sample:
        labels = tuple(f"{strings[label.key]}={strings[label.str]}" for label in sample.label)
        demand(all(re.match("[a-zA-Z_][a-zA-Z0-9_]*=", label) for label in labels), "a name that no label has")
        identity = (tuple(sample.location_id), labels)
        demand(identity not in stacks, "a stack that is there twice")
        demand(len(sample.value) == 2 and sample.value[1] == sample.value[0] * profile.period, "values")
        stacks[identity] = (stack_of(profile, sample, locations, functions), sample.value[0])
    return profile, stacks.values(), sorted({label for _, labels in stacks for label in labels})


def take(body):
    request = push_pb2.PushRequest()
    request.ParseFromString(body)
    demand(request.series, "no series")
    demand(len(body) <= 4 << 20, "a request that is too large")
    lines, profiles = [], []
    for series in request.series:
        labels = check_labels(series)
        demand(series.samples, "no profile")
        for raw in series.samples:
            demand(re.fullmatch("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", raw.ID), "an ID")
            profile, stacks, requests = check_profile(raw.raw_profile)
            for stack, count in stacks:
                lines.append(f"{labels['service_name']}\t{stack}\t{count}\t{raw.ID}\n")
            profiles.append(json.dumps({
                "id": raw.ID, "labels": labels, "time": profile.time_nanos, "duration": profile.duration_nanos,
                "period": profile.period, "stacks": len(stacks), "samples": sum(count for _, count in stacks),
                "requests": requests, "bytes": len(body)}, sort_keys=True) + "\n")
    # One write for each file: a receiver that is killed has a profile or has it not.
    with open(directory / "samples", "a", encoding="utf-8") as file:
        file.write("".join(lines))
    with open(directory / "profiles", "a", encoding="utf-8") as file:
        file.write("".join(profiles))


def otlp_stack(tables, sample):
    strings = tables.string_table
    names = []
    for index in reversed(tables.stack_table[sample.stack_index].location_indices):
        lines = tables.location_table[index].lines
        demand(lines, "a location without a function")
        names += [strings[tables.function_table[line.function_index].name_strindex] for line in reversed(lines)]
    return ";".join(printed(name).replace(";", "\\x3b") for name in names) or "[no stack]"


def take_otlp(body):
    request = otlp_pb2.ExportProfilesServiceRequest()
    packed = gzip.decompress(body)
    request.ParseFromString(packed)
    demand(len(packed) <= 4 << 20, "a request that is too large")
    otlp_rules.check(request)
    tables = request.dictionary
    keys = [tables.string_table[attribute.key_strindex] for attribute in tables.attribute_table]
    for resource, profile in otlp_rules.profiles(request):
        requests = {f"{keys[i]}={tables.attribute_table[i].value.string_value}" for sample in profile.samples
                    for i in sample.attribute_indices if keys[i].startswith(("http.", "tenant"))}
        links = len({sample.link_index for sample in profile.samples if sample.link_index})
        kind = tables.string_table[profile.sample_type.type_strindex]
        with open(directory / "samples", "a", encoding="utf-8") as file:
            for sample in profile.samples:
                stack = otlp_stack(tables, sample)
                file.write(f"{resource['service.name']}\t{stack}\t{sum(sample.values)}\t{profile.profile_id.hex()}\n")
        with open(directory / "profiles", "a", encoding="utf-8") as file:
            file.write(json.dumps({
                "id": profile.profile_id.hex(), "labels": resource, "time": profile.time_unix_nano, "kind": kind,
                "duration": profile.duration_nano, "period": profile.period, "requests": sorted(requests), "links": links,
                "samples": sum(sum(sample.values) for sample in profile.samples)}, sort_keys=True) + "\n")


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def error(self, status, message, headers=()):
        body = json.dumps({"code": CODES.get(status, "unknown"), "message": message})
        self.answer(status, "application/json", body.encode(), headers)

    def close(self, hard):
        if hard:  # closing sends a reset
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def do_POST(self):
        fault = faults.pop(0) if faults else "ok"
        with open(directory / "requests", "a", encoding="utf-8") as file:
            headers = {name.lower(): value for name, value in self.headers.items()}
            file.write(json.dumps({"path": self.path, "headers": headers, "fault": fault}, sort_keys=True) + "\n")
        if fault == "reset":
            return self.close(True)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if fault == "silent":  # until the client ends the connection
            self.rfile.read(1)
            return self.close(False)
        status, _, seconds = fault.partition(":")
        if fault == "html":
            return self.answer(200, "text/html", b"<html>hello</html>")
        if fault == "escape":
            return self.answer(400, "application/json", b'{"code":"invalid_argument","message":"\x1b[31mred\x07"}')
        if fault == "huge":
            self.send_response(400)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for _ in range(1 << 14):
                    self.wfile.write(b"x" * (1 << 14))
            except OSError:
                pass
            return None
        if status.isdigit():
            headers = [("Retry-After", seconds)] if seconds else []
            if status == "302":
                headers.append(("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere"))
            return self.error(int(status), "a fault of the test", headers)
        kind = "application/x-protobuf" if self.path.endswith("/v1development/profiles") else "application/proto"
        part = otlp_pb2.ExportProfilesServiceResponse()
        try:
            demand(self.headers["Content-Type"] == kind, "another type")
            if kind == "application/x-protobuf":
                demand(self.headers["Content-Encoding"] == "gzip", "another encoding")
                if fault != "partial":
                    take_otlp(body)
            else:
                demand(self.path == "/push.v1.PusherService/Push", f"another path: {self.path}")
                demand(self.headers["Connect-Protocol-Version"] == "1", "another protocol")
                take(body)
        except (Refused, AssertionError, ValueError, OSError) as why:
            return self.error(400, f"not valid: {why}")
        if fault == "taken502":
            return self.error(502, "a fault of the test")
        if fault == "lost":
            return self.close(False)
        if fault == "half":
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.wfile.write(b"x")
            return self.close(False)
        time.sleep(float(os.environ.get("PUSH_DELAY", "0")))
        if fault in ("partial", "message", "long"):
            part.partial_success.rejected_profiles = int(fault == "partial")
            part.partial_success.error_message = "a \x1b[31mfault of the test" * (2000 if fault == "long" else 1)
        return self.answer(200, kind, part.SerializeToString())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", int(os.environ.get("PUSH_PORT", "0"))), Receiver)
if (directory / "cert.pem").exists():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "cert.pem", directory / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
(directory / "port.new").write_text(str(server.server_port), encoding="utf-8")
(directory / "port.new").rename(directory / "port")
server.serve_forever()
