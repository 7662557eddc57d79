"""One scenario from beginning to end, in the process that calls: the result is plain data."""

import resource
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .agent import Agent
from .gueststage import GuestStage
from .judge import DISTURBED, Finding, Judge, Record
from .scenario import Scenario
from .stage import AgentMaker, Stage


@dataclass
class Result:
    """What is left of a scenario. `error` says that the campaign itself failed."""

    seed: int
    kinds: list[str]
    findings: list[Finding] = field(default_factory=list)
    beyond: list[float] = field(default_factory=list)
    modes_differ: int = 0
    turns: int = 0
    longest_turn: float = 0.0
    disturbed: bool = False
    unsupported: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    error: str = ""

    @property
    def defects(self) -> list[Finding]:
        """The findings that are no documented limit."""
        return [finding for finding in self.findings if not finding.limit]

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> "Result":
        return cls(**{**plain, "findings": [Finding(**one) for one in plain["findings"]]})


def play(scenario: Scenario, program: Path, late: float, make_agent: AgentMaker | None = None,
         keep: list[Record] | None = None, overall: bool = False) -> Result:
    """Play and judge; `keep` takes the record for those who want to see it."""
    result = Result(scenario.seed, [step.kind for step in scenario.steps])
    begun = time.monotonic()

    def default(stage: Stage) -> Agent:
        return Agent(program, scenario.probes, scenario.families)

    try:
        record = (GuestStage if scenario.guest else Stage)(scenario, make_agent or default).run()
        judgement = Judge(record, scenario.families, late, overall).judge()
        result.findings, result.beyond = judgement.findings, judgement.beyond
        result.modes_differ, result.turns = judgement.modes_differ, judgement.turns
        result.disturbed = record.longest_turn > DISTURBED
        result.longest_turn, result.unsupported = record.longest_turn, record.unsupported
        if keep is not None:
            keep.append(record)
    except Exception as error:
        result.error = f"{type(error).__name__}: {error}"
    result.seconds = time.monotonic() - begun
    result.processor = sum(usage.ru_utime + usage.ru_stime for usage in (
        resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))
    return result
