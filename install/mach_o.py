"""Holds programs for macOS against what that system has and demands: its own library and no other, no symbol that nobody
defines, no call that only Linux has, and a signature of exactly these bytes.

    mach_o.py PROCESSOR PROGRAM...
"""

import hashlib
import pathlib
import struct
import sys

import lief

TYPES = lief.MachO.Header.CPU_TYPE
PROCESSORS = {"aarch64": TYPES.ARM64, "x86_64": TYPES.X86_64}

LIBRARIES = {"/usr/lib/libSystem.B.dylib", "/usr/lib/libcharset.1.dylib", "/usr/lib/libiconv.2.dylib"}

LINUX_ONLY = {
    *("accept4", "clone3", "copy_file_range", "dup3", "epoll_create1", "epoll_ctl", "epoll_wait", "eventfd", "fallocate"),
    *("getdents64", "inotify_init1", "memfd_create", "openat2", "pidfd_open", "pidfd_send_signal", "pipe2", "ppoll"),
    *("prctl", "renameat2", "signalfd", "splice", "statx", "syncfs", "timerfd_create", "unshare"),
}

# Where the linker found no library for a symbol, the system looks for it when the program starts.
NOBODYS = {0xFE, 0xFF}


def undefined(binary):
    """The undefined symbols, each with the number of the library that has it."""
    undefined = [symbol for symbol in binary.symbols if symbol.raw_type & 0x0E == 0 and symbol.raw_type & 0xE0 == 0]
    return {symbol.name.removeprefix("_"): symbol.description >> 8 & 0xFF for symbol in undefined}


def is_signed(data, signature):
    """Whether the digests in a signature are those of the pages before it."""
    blob = data[signature.data_offset : signature.data_offset + signature.data_size]
    magic, _, count = struct.unpack_from(">3I", blob)
    assert magic == 0xFADE0CC0, "the signature is none"
    places = dict(struct.unpack_from(">2I", blob, 12 + 8 * number) for number in range(count))
    directory = blob[places[0] :]
    offset, _, _, pages, limit = struct.unpack_from(">5I", directory, 16)
    size, kind, _, shift = directory[36:40]
    assert (size, kind) == (32, 2), "the signature has no SHA-256"
    step = 1 << shift
    whole = limit == signature.data_offset and pages == -(-limit // step)
    digests = (hashlib.sha256(data[start : min(start + step, limit)]).digest() for start in range(0, limit, step))
    return whole and b"".join(digests) == directory[offset : offset + size * pages]


for path in map(pathlib.Path, sys.argv[2:]):
    binary = lief.MachO.parse(str(path)).at(0)
    assert binary.header.cpu_type == PROCESSORS[sys.argv[1]], f"{path.name} is for {binary.header.cpu_type}"
    libraries = {library.name for library in binary.libraries}
    assert libraries <= LIBRARIES, f"{path.name} needs {sorted(libraries - LIBRARIES)}"
    symbols = undefined(binary)
    assert symbols, f"{path.name} names no symbol of the system"
    nobodys = sorted(name for name, library in symbols.items() if library in NOBODYS)
    assert not nobodys, f"{path.name} needs what macOS does not have: {nobodys}"
    assert not symbols.keys() & LINUX_ONLY, f"{path.name} has calls of Linux: {sorted(symbols.keys() & LINUX_ONLY)}"
    # Without one, a program does not start on ARM64; linkers sign for that processor alone.
    assert binary.has_code_signature or sys.argv[1] != "aarch64", f"{path.name} has no signature"
    if binary.has_code_signature:
        assert is_signed(path.read_bytes(), binary.code_signature), f"{path.name} is not what was signed"
    print(f"{path.name}: {len(symbols)} symbols, all in {', '.join(sorted(libraries))}")
