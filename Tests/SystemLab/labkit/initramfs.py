"""Writing of the archive that the kernel unpacks into its first root ("newc" cpio).

Written here because a device node and the owner root are needed, which the cpio program can only
take from a directory that root has made. The kernel accepts several archives one after the other
and lets a later file replace an earlier one: that is how a run adds its payload to the image.
"""

import os

_DIRECTORY, _FILE, _LINK, _DEVICE = 0o040000, 0o100000, 0o120000, 0o020000


class Initramfs:
    """One archive, streamed to a binary file."""

    def __init__(self, file):
        self._file = file
        self._inode = 0
        self._directories = set()

    def directory(self, path):
        path = path.strip("/")
        if path and path not in self._directories:
            self._directories.add(path)
            self.directory(os.path.dirname(path))
            self._entry(path, _DIRECTORY | 0o755)

    def file(self, path, data, mode=0o644):
        self._parent(path)
        self._entry(path, _FILE | mode, data)

    def link(self, path, target):
        self._parent(path)
        self._entry(path, _LINK | 0o777, target.encode())

    def character_device(self, path, major, minor):
        self._parent(path)
        self._entry(path, _DEVICE | 0o600, device=(major, minor))

    def close(self):
        """End the archive on a four byte boundary, where the next one may begin."""
        self._entry("TRAILER!!!", 0)
        self._file.flush()

    def _parent(self, path):
        self.directory(os.path.dirname(path.strip("/")))

    def _entry(self, path, mode, data=b"", device=(0, 0)):
        self._inode += 1
        name = path.strip("/").encode() + b"\0"
        # inode, mode, uid, gid, links, mtime, size, device of the file, device it is, name, check
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0)
        header = b"070701" + b"".join(b"%08x" % field for field in fields)
        for part in (header + name, data):
            self._file.write(part + bytes(-len(part) % 4))
