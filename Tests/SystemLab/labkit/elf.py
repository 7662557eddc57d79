"""The two facts that the lab needs of an ELF file: its interpreter and its libraries.

Read from the file, as the guest's programs cannot be run on the host in general: ldd would answer
with the host's libraries.
"""

import struct

MAGIC = b"\x7fELF"
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_END, _NEEDED, _STRINGS = 0, 1, 5


def dependencies(data):
    """(interpreter or None, sonames) of a 64-bit little-endian ELF image."""
    if data[:6] != MAGIC + b"\x02\x01":
        return None, []
    table, = struct.unpack_from("<Q", data, 32)
    entry_size, count = struct.unpack_from("<HH", data, 54)
    segments = []
    for index in range(count):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data,
                                                               table + index * entry_size)
        segments.append((kind, offset, address, size))

    interpreter, dynamic = None, []
    for kind, offset, _, size in segments:
        if kind == _INTERPRETER:
            interpreter = _string(data, offset)
        elif kind == _DYNAMIC:
            dynamic = list(struct.iter_unpack("<QQ", data[offset:offset + size]))

    strings, needed = None, []
    for tag, value in dynamic:
        if tag == _END:
            break
        if tag == _STRINGS:
            strings = _file_offset(segments, value)
        elif tag == _NEEDED:
            needed.append(value)
    if strings is None:
        return interpreter, []
    return interpreter, [_string(data, strings + offset) for offset in needed]


def _file_offset(segments, address):
    for kind, offset, start, size in segments:
        if kind == _LOAD and start <= address < start + size:
            return offset + address - start
    return None


def _string(data, offset):
    return data[offset:data.index(b"\0", offset)].decode()
