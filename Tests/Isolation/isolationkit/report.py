"""Rows of a table for people."""

from collections import Counter

from .judge import MEGABYTE, Record, p99

COLUMNS = {
    "servers": f"{'late':>7} {'overdue':>8} {'failed':>6} {'RSS':>7} {'peak':>7} {'bytes':>8} {'CPU':>5} {'end':>6}",
    "clients": f"{'status':>7} {'event':>8} {'RSS':>7} {'peak':>7} {'CPU':>5} {'end':>6}",
}
UNITS = {"servers": f"{'ms':>7} {'ms':>8} {'':>6} {'MB':>7} {'MB':>7} {'MB':>8} {'%':>5} {'ms':>6}",
         "clients": f"{'ms':>7} {'ms':>8} {'MB':>7} {'MB':>7} {'%':>5} {'ms':>6}"}


def heading(kind: str) -> str:
    return f"{'':4} {'hostile ' + kind:34} {COLUMNS[kind]}\n{'':4} {'':34} {UNITS[kind]}"


def row(kind: str, record: Record, found: list[str]) -> str:
    if record.error:
        return f"?    {record.name:34} not judged: {record.error}"
    end = f"{record.stop_seconds * 1000:6.0f}" if record.ended is None else f"{'-':>6}"
    used = f"{record.growth / MEGABYTE:7.1f} {record.peak / MEGABYTE:7.1f}"
    if kind == "servers":
        text = (f"{p99(record.late) * 1000:7.0f} {p99(record.overdue) * 1000:8.0f} {record.failed:6} {used} "
                f"{record.received / MEGABYTE:8.1f}")
    else:
        text = f"{p99(record.answers) * 1000:7.0f} {p99(record.waited) * 1000:8.0f} {used}"
    details = "; ".join([*record.changes[:3], *record.lost[:3]])
    results = ", ".join(f"{code} {count}" for code, count in Counter(record.results).most_common(2))
    return (f"{'FAIL' if found else 'pass'} {record.name:34} {text} {record.processor * 100:5.0f} {end}  {results}"
            + (f"  FOUND {', '.join(found)}" if found else "") + (f": {details}" if details else ""))


def summary(kind: str, results: list[tuple[Record, list[str]]], seconds: float) -> str:
    judged = [(record, found) for record, found in results if not record.error]
    failed = [record.name for record, found in judged if found]
    late = [value for record, _ in judged for value in (record.late if kind == "servers" else record.answers)]
    name = "healthy checks" if kind == "servers" else "answers to `status`"
    text = (f"{len(judged) - len(failed)} of {len(results)} {kind} harm nobody; {len(late)} {name}, "
            f"p99 {p99(late) * 1000:.0f} ms, maximum {max(late, default=0) * 1000:.0f} ms; {seconds:.0f} s")
    if len(judged) < len(results):
        text += f"; {len(results) - len(judged)} not judged"
    return text + (f"\nfailed: {', '.join(failed)}" if failed else "")
