"""A scenario: what a seed determines completely, as plain data."""

import random
from dataclasses import dataclass, replace

from .actions import Action
from .guestworld import GuestWorld
from .mutations import ALL, Mutation
from .world import FLOWS, NAMES, OTHER_CARRIERS, Uplink, World

PROBED = 0.2                          # of all scenarios; they have mutations of servers too
GAPS = (0, 10, 60, 150, 350, 700)     # milliseconds between steps
REST = 1.0                            # seconds after the last step, at least
# The virtual machine has mutations of its own, and these.
SHARED = ("addresses", "routes", "rules")


@dataclass(frozen=True)
class Step:
    kind: str
    actions: tuple[Action, ...]
    gap: int


@dataclass(frozen=True)
class Scenario:
    seed: int
    families: tuple[int, ...]
    uplinks: tuple[Uplink, ...]
    steps: tuple[Step, ...]
    probes: bool
    guest: bool = False

    @classmethod
    def random(cls, seed: int, kinds: list[str] | None = None, guest: bool = False) -> "Scenario":
        """The scenario of a seed; with `kinds` only these mutations, each scenario with at least one; with `guest` one
        for the virtual machine."""
        # A string, as the seeding with it is the same in all versions of Python.
        rng = random.Random(f"truth {'guest ' if guest else ''}{seed} {','.join(kinds or [])}")
        families = rng.choice(((4,), (6,), (4, 6), (4, 6), (4, 6)))
        # Of two uplinks in the virtual machine one is real Wi-Fi or a real line.
        names = rng.sample(list(NAMES), rng.choice((2, 2, 3) if guest else (1, 2, 2, 2, 3)))
        uplinks = [Uplink(number + 1, kind, 100 * (number + 1)) for number, kind in enumerate(names)]
        rng.shuffle(uplinks)
        world = (GuestWorld if guest else World)(families, uplinks)
        probes = rng.random() < PROBED and not guest
        pool = [one for one in ALL.values() if _plays(one, guest) and (not kinds or one.name in kinds)]
        if any(one.probes for one in pool) and kinds:
            probes = True
        pool = [one for one in pool if probes or not one.probes]
        steps = []
        for _ in range(rng.randint(1, 2) if kinds else rng.randint(2, 5)):
            chosen = rng.choices(pool, [_weight(one, probes, guest) for one in pool])[0]
            steps.append(Step(chosen.name, tuple(chosen.generate(world, rng)), rng.choice(GAPS)))
        return cls(seed, families, tuple(uplinks), tuple(steps), probes, guest)

    @property
    def world(self) -> World:
        return (GuestWorld if self.guest else World)(self.families, list(self.uplinks))

    @property
    def mutations(self) -> list[Mutation]:
        return [ALL[step.kind] for step in self.steps if step.kind in ALL]

    @property
    def flows(self) -> int:
        return FLOWS if any(one.flows for one in self.mutations) else 1

    @property
    def bound(self) -> tuple[str, ...]:
        """The interfaces that the judge's third datagrams are bound to: those that could carry a tunnel."""
        names = (*(one.name for one in self.uplinks), *OTHER_CARRIERS)
        return names if any(one.bound for one in self.mutations) else ()

    @property
    def rest(self) -> float:
        """How long the kernel may still change its mind after the last step."""
        return max([REST, *(REST + one.lasts for one in self.mutations)])

    def without(self, step: int) -> "Scenario":
        return replace(self, steps=self.steps[:step] + self.steps[step + 1:])

    def script(self) -> str:
        """The scenario for people, as shell commands."""
        lines = [f"# seed {self.seed}: families {self.families}, probes {'yes' if self.probes else 'no'}",
                 *(action.script() for action in self.world.setup())]
        for step in self.steps:
            lines += [f"sleep {step.gap / 1000:g}", f"# {step.kind}"]
            texts = [action.script() for action in step.actions]
            lines += texts if len(texts) <= 40 else [*texts[:12], f"# … {len(texts) - 24} more", *texts[-12:]]
        return "\n".join([*lines, f"sleep {self.rest:g}"])


def _weight(one: Mutation, probes: bool, guest: bool) -> int:
    return 6 if probes and one.probes else 1 if guest and not one.guest else one.weight


def _plays(one: Mutation, guest: bool) -> bool:
    return one.guest or one.generate.__module__.rpartition(".")[2] in SHARED if guest else not one.guest
