"""What a campaign found: figures as text for people, and as JSON for comparison."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from .judge import LIMITS, MEASURES, Finding
from .mutations import ALL
from .play import Result


class Report:
    def __init__(self) -> None:
        self.results: list[Result] = []

    def add(self, result: Result) -> None:
        self.results.append(result)

    @property
    def failed(self) -> list[Result]:
        return [result for result in self.results if result.defects]

    @property
    def broken(self) -> list[Result]:
        return [result for result in self.results if result.error]

    def figures(self, seconds: float) -> dict[str, Any]:
        judged = [result for result in self.results if not result.error]
        beyond = sorted(value for result in judged for value in result.beyond)
        return {
            "scenarios": len(self.results),
            "not_judged": len(self.broken),
            "not_judged_for_time": sum(result.disturbed for result in judged),
            "seconds": round(seconds, 1),
            "scenarios_per_second": round(len(self.results) / max(seconds, 0.001), 2),
            "processor_seconds_per_scenario": round(sum(one.processor for one in judged) / max(len(judged), 1), 3),
            "turns": sum(result.turns for result in judged),
            "turns_in_which_sockets_differ": sum(result.modes_differ for result in judged),
            "changes_of_the_truth": len(beyond),
            "with_a_finding": len(self.failed),
            "by_measure": {measure: sum(any(one.measure == measure for one in result.defects) for result in judged)
                           for measure in MEASURES},
            "documented_limits": {limit: sum(any(one.limit == limit for one in result.findings) for result in judged)
                                  for limit in LIMITS},
            "beyond_settling_ms": {name: round(_quantile(beyond, share), 1) for name, share in (
                ("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0))},
            "longest_turn_ms": round(1000 * max((one.longest_turn for one in judged), default=0.0), 1),
        }

    def by_class(self) -> dict[str, dict[str, Any]]:
        """For each class of defect: scenarios with a mutation that is for it, and how many of those have a finding
        right after that mutation."""
        table: dict[str, dict[str, Any]] = {}
        for name in sorted({one.finds for one in ALL.values() if one.finds}):
            kinds = {kind for kind, one in ALL.items() if one.finds == name}
            having = [result for result in self.results if kinds & set(result.kinds) and not result.error]
            hit = [result for result in having if any(one.kind in kinds for one in result.defects)]
            table[name] = {"scenarios": len(having), "found": len(hit), "seeds": [one.seed for one in hit[:5]]}
        return table

    def by_kind(self) -> list[tuple[str, int, int, Counter[str]]]:
        """(mutation, scenarios with it, of those with a finding right after it, their measures)."""
        played: Counter[str] = Counter()
        blamed: Counter[str] = Counter()
        measures: dict[str, Counter[str]] = defaultdict(Counter)
        for result in self.results:
            played.update(set(result.kinds))
            blamed.update({one.kind for one in result.defects})
            for finding in result.defects:
                measures[finding.kind][finding.measure] += 1
        return sorted(((kind, played[kind], blamed[kind], measures[kind]) for kind in {*played, *blamed}),
                      key=lambda row: -row[2])

    def text(self, seconds: float) -> str:
        figures = self.figures(seconds)
        lines = [f"{figures['scenarios']} scenarios in {seconds:.0f} s ({figures['scenarios_per_second']}/s, "
                 f"{figures['processor_seconds_per_scenario']} s of processor each), "
                 f"{figures['not_judged']} not judged, {figures['not_judged_for_time']} not for time (a busy machine)"]
        lines += [f"  {measure:20} {count:6}" for measure, count in figures["by_measure"].items()]
        lines += [f"  documented limit     {count:6}  {limit}" for limit, count in figures["documented_limits"].items()]
        late = figures["beyond_settling_ms"]
        lines.append(f"  beyond settling      p50 {late['p50']} ms, p99 {late['p99']} ms, p99.9 {late['p99.9']} ms, "
                     f"max {late['max']} ms of {figures['changes_of_the_truth']} changes")
        lines += ["", f"  {'class':22} {'scenarios':>9} {'found':>6}  seeds"]
        lines += [f"  {name:22} {row['scenarios']:9} {row['found']:6}  {' '.join(map(str, row['seeds']))}"
                  for name, row in self.by_class().items()]
        worst = [row for row in self.by_kind() if row[2]]
        if worst:
            lines += ["", f"  {'mutation':28} {'scenarios':>9} {'blamed':>7}  measures"]
            lines += [f"  {kind:28} {count:9} {found:7}  "
                      + ", ".join(f"{name} {times}" for name, times in measures.most_common())
                      for kind, count, found, measures in worst]
        return "\n".join(lines)


def line(result: Result) -> str:
    """One failed scenario."""
    if result.error:
        return f"seed {result.seed}: not judged: {result.error.splitlines()[0]}"
    first = "; ".join(describe(finding) for finding in result.findings[:3])
    return f"seed {result.seed}: {first}  [{' '.join(result.kinds)}]"


def describe(finding: Finding) -> str:
    limit = f" (documented limit: {finding.limit})" if finding.limit else ""
    return f"{finding.measure} at {finding.time:.2f} s after {finding.kind}: {finding.detail}{limit}"


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
