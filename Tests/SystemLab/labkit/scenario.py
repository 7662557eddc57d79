"""Scenarios: a script each, which says in its own head what guest it wants.

A line "# lab: KEY=VALUE..." among the first comments, all of it optional:

  guest=programs|systemd        the guest it runs in (programs)
  limit=SECONDS                 its time limit (180)
  package=installed|absent      with systemd: the state of the agent's package when it begins (absent)
  packages=NAME,...             Debian packages besides those that every guest has, and of them the
  programs=NAME,...             programs, or the paths of plugins, with their libraries, and
  modules=NAME,...              kernel modules that the guest without systemd has for it
"""

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from .host import LabError

DIRECTORY = Path(__file__).resolve().parent.parent / "scenarios"
DEFAULT_LIMIT = 180

_LINE = "# lab:"
_CHOICES = {"guest": ("programs", "systemd"), "package": ("absent", "installed")}
_LISTS = ("packages", "programs", "modules")


@dataclass(frozen=True)
class Scenario:
    """One script and its wishes."""

    path: Path
    limit: int = DEFAULT_LIMIT
    guest: str = "programs"
    package: str = "absent"
    needs: dict = field(default_factory=dict)

    @property
    def name(self):
        return self.path.stem

    @property
    def with_systemd(self):
        return self.guest == "systemd"


def read(path):
    """The scenario in a file, or of that name in the lab's own directory."""
    if not path.exists() and path.parent == Path("."):
        path = DIRECTORY / f"{path.name.removesuffix('.sh')}.sh"
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise LabError(f"no scenario {path}: {error.strerror}") from None
    wishes = {"needs": {name: () for name in _LISTS}}
    for line in lines:
        if not line.startswith("#"):
            break
        if line.startswith(_LINE):
            for word in shlex.split(line.removeprefix(_LINE)):
                _wish(path, word, wishes)
    return Scenario(path=path.resolve(), **wishes)


def _wish(path, word, wishes):
    key, _, value = word.partition("=")
    if key in _LISTS:
        wishes["needs"][key] += tuple(value.split(","))
    elif value in _CHOICES.get(key, ()):
        wishes[key] = value
    elif key == "limit" and value.isdecimal() and int(value) > 0:
        wishes[key] = int(value)
    else:
        raise LabError(f"{path.name} has a wish that the lab does not know: {word}")


def known():
    """The lab's own scenarios; first those without the package, for which nothing has to be purged."""
    return sorted(map(read, DIRECTORY.glob("*.sh")), key=lambda one: (one.package, one.name))


def needs(name):
    """All that the lab's own scenarios need of a kind, in one order."""
    return tuple(sorted({need for scenario in known() for need in scenario.needs[name]}))
