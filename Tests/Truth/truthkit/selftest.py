"""The judge's own test: an honest agent must pass, every lie be found under its name, and each made-up record be judged as
it must be."""

from collections.abc import Iterator
from pathlib import Path

from . import campaign, liar, records
from .actions import FAR, ip, server, wait
from .play import Result, play
from .scenario import Scenario, Step
from .world import Uplink

LATE = 0.25
SIDE_BY_SIDE = 7

# The agent, and the measures that must have a finding; no other may have one.
CASES: dict[type[liar.HonestAgent], set[str]] = {
    liar.HonestAgent: set(),
    liar.FixedAgent: {"wrong final state", "missed"},
    liar.DeafAgent: {"wrong final state", "missed"},
    liar.ConfusedAgent: {"missed", "false alarm"},
    liar.SlowAgent: {"late"},
    liar.LazyAgent: {"missed", "late"},
    liar.JumpyAgent: {"false alarm"},
    liar.SkippingAgent: {"sequence"},
    liar.BackwardAgent: {"sequence"},
    liar.ForgetfulAgent: {"status"},
    liar.SecretiveAgent: {"status"},
    liar.MuteAgent: {"status"},
    liar.OptimisticAgent: {"connectivity"},
    liar.EndedAgent: {"agent ended"},
}


def _scenario(number: int) -> Scenario:
    """Unplugged, plugged in elsewhere, the server fails, and everything is lost in the end."""
    steps = (
        Step("unplug", (ip("link set p1 down", FAR),), 700),
        Step("other_uplink", (ip("-4 route replace default via 10.2.0.1 dev eth0 metric 1"),
                              ip("-6 route replace default via 2001:db8:2::1 dev eth0 metric 1")), 1700),
        Step("server_fails", (server("error"), wait(300)), 1700),
        Step("unplug_other", (ip("link set p2 down", FAR),), 1700),
    )
    return Scenario(number, (4, 6), (Uplink(1, "wifi", 100), Uplink(2, "wired", 200)), steps, True)


def run(jobs: int) -> int:
    """Returns the exit status. What a busy machine disturbed is played again, by itself."""
    makers = list(CASES)
    waiting, failed, misjudged = set(range(len(makers))), 0, records.run()
    for side_by_side in (min(jobs, SIDE_BY_SIDE), 1, 1, 1):
        for result in _play(sorted(waiting), makers, side_by_side):
            good = _passes(makers[result.seed], result)
            if good or not result.disturbed:
                waiting.discard(result.seed)
                failed += not good
        if not waiting:
            break
    print(f"{len(makers) - failed - len(waiting)} of {len(makers)} agents judged as they must be"
          + (f", {len(waiting)} not judged on this busy machine" if waiting else "")
          + (f", {misjudged} records misjudged" if misjudged else ""))
    return 1 if failed or misjudged else 70 if waiting else 0


def _play(numbers: list[int], makers: list[type[liar.HonestAgent]], jobs: int) -> Iterator[Result]:
    return campaign.run(
        map(_scenario, numbers),
        lambda one: play(one, Path("/nonexistent"), LATE, make_agent=lambda stage: makers[one.seed](stage)), jobs)


def _passes(maker: type[liar.HonestAgent], result: Result) -> bool:
    found, wanted = {one.measure for one in result.findings}, CASES[maker]
    # An honest agent passes only where everything was judged.
    good = not result.error and (wanted <= found if wanted else not found and not result.disturbed)
    print(f"{'ok       ' if good else 'disturbed' if result.disturbed else 'FAILED   '} {maker.__name__:18} expected {sorted(wanted)}, got {sorted(found)}"
          + (f": {result.error}" if result.error else "")
          + ("" if good else "".join(f"\n         {one.detail} at {one.time:.2f}" for one in result.findings)))
    return good
