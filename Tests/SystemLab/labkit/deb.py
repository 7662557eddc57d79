"""The files of Debian packages, seen as one tree with a merged /usr.

Packages of one release still disagree about /bin and /usr/bin. Unpacking them over each other needs
a prepared directory, and owners that only root can set; an index over their archives needs neither,
and only the few files that the guest wants are ever read.
"""

import posixpath
import tarfile

from .host import LabError, run

_MERGED = {"bin": "usr/bin", "sbin": "usr/bin", "usr/sbin": "usr/bin",
           "lib": "usr/lib", "lib64": "usr/lib64"}


def canonical(path):
    """Where a path of the host or of a package is in the guest (no leading slash).

    The guest has one directory for programs, as newer distributions do: bin, sbin and usr/sbin are
    links to usr/bin, so that no caller has to know which of the four a package chose.
    """
    path = posixpath.normpath(path).lstrip("/")
    for old, new in _MERGED.items():
        if path.startswith(old + "/"):
            return new + path[len(old):]
    return path


class PackageTree:
    """An index from guest path to archive member, over any number of packages."""

    def __init__(self, spool):
        self._spool = spool
        self._members = {}

    def add(self, deb):
        """Index one package. Its archive is spooled to disk as members are read in any order."""
        self._spool.mkdir(parents=True, exist_ok=True)
        plain = self._spool / (deb.stem + ".tar")
        with open(plain, "wb") as file:
            run(["dpkg-deb", "--fsys-tarfile", deb], timeout=120, stdout=file)
        archive = tarfile.open(plain)
        for member in archive:
            path = canonical(member.name)
            # /sbin/ip is a link to /bin/ip in its package, and both are one place in the guest.
            if not member.isdir() and _target(member) != path:
                self._members[path] = (archive, member)

    def names(self, prefix="", suffix=""):
        return [name for name in self._members if name.startswith(prefix) and name.endswith(suffix)]

    def __contains__(self, path):
        return path in self._members

    def link_target(self, path):
        """The guest path that a symbolic link points at, or None for a regular file."""
        return _target(self._members[path][1])

    def read(self, path):
        archive, member = self._find(path)
        return archive.extractfile(member).read()

    def mode(self, path):
        return self._find(path)[1].mode & 0o777

    def _find(self, path):
        try:
            return self._members[path]
        except KeyError:
            raise LabError(f"no package of the guest has the file /{path}") from None


def _target(member):
    if not member.issym():
        return None
    return canonical(posixpath.join("/", posixpath.dirname(member.name), member.linkname))
