"""The smallest scenario that still fails: steps, then uplinks, families, probes and gaps are taken away.

All candidates of one round are played side by side, each several times, as timing may hide a defect; the first one
that fails with the same measure is the next scenario.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from . import campaign, report
from .judge import MEASURES, Finding
from .play import Result
from .scenario import Scenario

TRIES = 2


def run(scenario: Scenario, player: campaign.Player, jobs: int) -> int:
    """Print the smallest scenario, and return the exit status."""
    first = next((result for result in campaign.run([scenario] * (2 * TRIES), player, jobs) if result.findings), None)
    if first is None:
        print(f"seed {scenario.seed} has no finding in {2 * TRIES} tries")
        return 0
    wanted = _sign(min(first.findings, key=lambda finding: MEASURES.index(finding.measure)))
    print(f"{report.line(first)}\nshrinking until nothing more can go without the finding: {wanted}")
    kept = first
    while True:
        smaller = _smaller(scenario, wanted, player, jobs)
        if smaller is None:
            break
        scenario, kept = smaller
        print(f"  {len(scenario.steps)} steps, {len(scenario.uplinks)} uplinks, families {scenario.families}", flush=True)
    print(scenario.script())
    for finding in kept.findings:
        print(report.describe(finding))
    return 1


def _smaller(scenario: Scenario, wanted: str, player: campaign.Player,
             jobs: int) -> tuple[Scenario, Result] | None:
    candidates = list(_candidates(scenario))
    # The number of a candidate stands in for the seed, so that a result can be told from the others'.
    numbered = [replace(one, seed=number) for number, one in enumerate(candidates) for _ in range(TRIES)]
    failing: dict[int, Result] = {}
    for result in campaign.run(numbered, player, jobs):
        if wanted in map(_sign, result.findings):
            failing.setdefault(result.seed, result)
            if result.seed == 0:
                break
    if not failing:
        return None
    best = min(failing)
    return candidates[best], failing[best]


def _sign(finding: Finding) -> str:
    """What stays the same when a scenario shrinks: the measure, the limit, and the detail without its numbers."""
    return f"{finding.measure}{finding.limit and f' ({finding.limit})'}: " + re.sub(r"(?<!IPv)\d+", "…", finding.detail)


def _candidates(scenario: Scenario) -> Iterator[Scenario]:
    """Smaller scenarios, those that take most away first."""
    steps = scenario.steps
    for half in (steps[len(steps) // 2:], steps[:len(steps) // 2]):
        if len(steps) > 3:
            yield replace(scenario, steps=half)
    if len(steps) > 1:
        for number in range(len(steps)):
            yield scenario.without(number)
    if scenario.probes:
        yield replace(scenario, probes=False)
    for uplink in scenario.uplinks:
        if len(scenario.uplinks) > 1:
            yield replace(scenario, uplinks=tuple(one for one in scenario.uplinks if one != uplink))
    for family in scenario.families:
        if len(scenario.families) > 1:
            yield replace(scenario, families=tuple(one for one in scenario.families if one != family))
    for number, step in enumerate(steps):
        if 1 < len(step.actions) <= 12:
            for action in range(len(step.actions)):
                fewer = step.actions[:action] + step.actions[action + 1:]
                yield replace(scenario, steps=(*steps[:number], replace(step, actions=fewer), *steps[number + 1:]))
