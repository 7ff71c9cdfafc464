# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of formats that have them as they are, as profrep prints them to terminals."""
import re


def printed(name):
    """A name as terminals get it, if it is in a format that has names as they are. Bytes that are not UTF-8 are escaped
    in both."""
    name = re.sub(r"\\(?=x[01][0-9a-f]|x7f|[\0-\x1f\x7f;])", r"\\\\", name)
    return "".join(c if c.isprintable() else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in name)
