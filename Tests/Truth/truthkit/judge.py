"""The comparison of truth and claims: findings out of one scenario's record.

A claim is held against what arrived in the same 20 ms. The truth of one family in one turn is a set of answers that
would be right: the media over which a connected socket's packet arrived, or `none`. The agent may be behind by its
settle time after each change of the truth; what lasts longer counts.
"""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .agent import SETTLE_DOWN, SETTLE_UP, Claim
from .mutations.bridges import BRIDGE_WITH_GUEST
from .packets import BOUND, CONNECTED, UNCONNECTED, Sample
from .requests import Outcome

EARLY = 0.1           # a claim may be this much ahead of the packets that show it
MISSED = 0.3          # a state that held for this long beyond settling is one that must be published
PROBING = 1.2         # two checks that fail, at most 100 ms each and 100 ms apart, and the judge's own GET
DISTURBED = 0.1       # seconds without a turn: the machine was too busy for anything about time to be judged
REASONS = {"EHOSTUNREACH": "route_unreachable", "EINVAL": "route_blackhole", "EACCES": "route_prohibited"}
TUNNELS = ("tun", "wg")               # of a program, which alone knows their server
PROGRAMS = (*TUNNELS, "ppp")          # and lines of a program
NEAR = 8                              # samples before and after, of two families each

# Documented limits (docs/limits.md), each named for what the scenario did. They are counted apart from findings.
OF_PROGRAM = "a tunnel of a program"
OF_GUESTS = "a bridge of guests alone"
OF_CACHE = "a tunnel that keeps its route"
OF_ROTATION = "default routes of one metric"
OF_FLAPS = "a link that flaps"
OF_RETURN = "a router given up after the carrier's return"
OF_CHECK = "a link-local address that is being checked"
LIMITS = (OF_PROGRAM, OF_GUESTS, OF_CACHE, OF_ROTATION, OF_FLAPS, OF_RETURN, OF_CHECK)
SILENT_SETTINGS = ("linkdown_ignored", "linkdown_counts_again")     # steps that leave the kernel's cached routes as they are
ROTATION = ("same_metric_router_dies",)
GONE_FROM_LINK = ("default_without_gateway", "server_unreachable")   # both
# What is bound to an uplink is refused as well, whatever a tunnel's server is; a bridge of containers could carry a tunnel.
UNCERTAIN = ("rule_from_source_refused", "containers_come_and_go")
FLAPS = {"carrier_flaps": 2.4}                      # and how long such a step takes at most
RETURNS = {"failover_and_back": 1.2}
# Links that come up have a link-local address that is checked for up to 2 s (RFC 4862 5.4.2), and the state settles after
# that. It matters when the source is an address of another interface.
CHECKED = 2.3
LENDERS = ("address_on_loopback",)


@dataclass(frozen=True)
class Finding:
    """Something that is wrong. `measure` is one of MEASURES."""

    measure: str
    detail: str
    family: int = 0
    time: float = 0.0
    milliseconds: float = 0.0
    kind: str = ""                    # of the step before it
    limit: str = ""                   # one of LIMITS, or nothing: then it is a defect


MEASURES = ("wrong final state", "late", "false alarm", "missed", "reason", "ghost", "sequence", "status",
            "connectivity", "agent ended")
TIMED = ("late", "missed", "false alarm")


@dataclass
class Record:
    """All that a stage noted. Times are of the monotonic clock."""

    started: float = 0.0
    ended: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    steps: list[tuple[float, str]] = field(default_factory=list)
    blind: list[tuple[float, float]] = field(default_factory=list)      # the agent did not run
    media: list[tuple[float, str, str]] = field(default_factory=list)   # the medium of a port from then on
    silent: list[tuple[float, str, bool]] = field(default_factory=list)  # its far end does not answer
    enslaved: list[tuple[float, str, bool]] = field(default_factory=list)  # an interface is the port of a bridge
    status: dict[str, Any] | None = None
    default_devices: set[str] | None = None      # those that the kernel may send to the Internet over, at the end
    exit_status: int | None = None
    longest_turn: float = 0.0
    unsupported: int = 0


@dataclass(frozen=True)
class Published:
    """One family's path in a settled state."""

    time: float
    via: str
    interface: str = ""
    below: str = ""                  # the interface that carries the tunnel
    is_guess: bool = False           # and nothing certain says so

    @property
    def of_program(self) -> bool:
        """Whether a program carries its packets, or those of the tunnel below."""
        return self.interface.startswith(PROGRAMS) or self.below.startswith(PROGRAMS)

    @property
    def has_hidden_server(self) -> bool:
        """Whether nothing certain says what carries a program's tunnel."""
        return self.is_guess or (self.below or self.interface).startswith(TUNNELS)


@dataclass
class Judgement:
    findings: list[Finding]
    beyond: list[float]              # milliseconds of disagreement beyond settling, one per change of the truth
    modes_differ: int                # turns in which connected and unconnected sockets had different fates
    turns: int


class Judge:
    """With `overall` only the existence of any path is judged: for programs that publish no more."""

    def __init__(self, record: Record, families: tuple[int, ...], late: float, overall: bool = False) -> None:
        self._overall = overall
        self._record = record
        self._families = families
        self._late = late
        self._findings: list[Finding] = []
        self._bound: list[tuple[float, set[str]]] = []
        self._beyond: list[float] = []

    def judge(self) -> Judgement:
        record = self._record
        if record.exit_status is not None:
            self._find("agent ended", f"exit status {record.exit_status}", time=record.ended)
        for family in (0,) if self._overall else (4, 6):
            self._judge_path(family)
        if record.outcomes and not self._overall:
            for family in self._families:
                self._judge_connectivity(family)
        if not self._overall:
            self._judge_reasons()
            self._judge_uplinks()
            self._judge_sequence()
            self._judge_status()
        if record.longest_turn > DISTURBED:
            self._findings = [one for one in self._findings if (one.measure not in TIMED and not one.milliseconds)
                              or one.measure == "wrong final state"]
            self._beyond = []
        differ = sum(1 for sample in record.samples if sample.ports[CONNECTED] != sample.ports[UNCONNECTED])
        return Judgement(self._findings, self._beyond, differ, len(record.samples))

    # Truth

    def _right_answers(self, sample: Sample) -> frozenset[str]:
        media = self._media_at(sample.time)
        arrived = sample.ports[CONNECTED]
        silent = self._silent_media(sample.time)
        if arrived:
            # With another uplink's address the agent may say either.
            first = sample.first[CONNECTED]
            in_doubt = {"none"} if any(one and all(port.endswith("?") for port in one) for one in (arrived, first)) else set()
            # Of several legs, the one that the agent's own destination has may lead to a router that is dead, or be refused: the
            # kernel chooses a leg by the protocol as well, so that the agent's lookup may fall to another one than a datagram.
            dead = set() if first else silent
            refused = {"none"} if sample.errors.get(CONNECTED) else set()
            return frozenset(media.get(port.rstrip("?"), port) for port in arrived) | in_doubt | dead | refused
        # Without a router the server itself is asked for its link-layer address: one that has gone says nothing of the path.
        has_gone = sample.family == 4 and all(self._follows((kind,), sample.time) for kind in GONE_FROM_LINK)
        return frozenset({"none"} | silent | (set(media.values()) if has_gone else set()))

    def _silent_media(self, time: float) -> set[str]:
        """The media whose routers are dead."""
        media = self._media_at(time)
        return {media.get(name, name) for name, value in _latest(self._record.silent, time).items() if value}

    def _media_at(self, time: float) -> dict[str, str]:
        return {port: kind for when, port, kind in self._record.media if when <= time}

    def _of_both(self, turns: list[tuple[float, frozenset[str]]]) -> list[tuple[float, frozenset[str]]]:
        """`up` where a packet of any family arrives, `none` where none does, and both where that is in doubt."""
        second = {sample.time: self._right_answers(sample) for sample in self._record.samples if sample.family == 6}
        joined = []
        for time, right in turns:
            both = (right, second.get(time, right))
            if any("none" not in one for one in both):
                answers = {"up"}
            else:
                answers = {"none"} | ({"up"} if any(len(one) > 1 for one in both) else set())
            joined.append((time, frozenset(answers)))
        return joined

    # Claims

    def _published(self, family: int) -> list[Published]:
        found: list[Published] = []
        for claim in self._record.claims:
            if claim.type != "reachability.changed":
                continue
            if self._overall:
                found.append(Published(claim.time, "none" if claim.data["to"].get("via") == "none" else "up"))
            else:
                path = claim.data["to"].get("path", {}).get(f"ipv{family}", {})
                below = path.get("underlay", {})
                found.append(Published(claim.time, path.get("via", "missing"), path.get("interface", ""),
                                       below.get("interface", ""), below.get("is_guess", False)))
        return found

    def _agrees(self, path: Published, right: frozenset[str], time: float) -> bool:
        if path.via in right:
            return True
        if path.of_program and path.via == "other":
            return right != {"none"}
        # What a router answers to the port of a bridge goes to the bridge: like a router that is dead. As long as the kernel
        # knows its link-layer address, packets pass all the same.
        ports = _latest(self._record.enslaved, time)
        is_port = any(ports.get(name, False) for name in (path.interface, path.below))
        return is_port and (path.via == "none" or "none" in right)

    def _limit(self, path: Published, right: frozenset[str], time: float) -> str:
        """The documented limit by which a path may differ from the packets, if any."""
        if path.interface.startswith("vx") and (self._follows(SILENT_SETTINGS, time) or self._is_lost_below(path, time)):
            return OF_CACHE
        if path.via != "none" and {path.via, *right} & self._silent_media(time) and self._follows(ROTATION, time):
            return OF_ROTATION
        if path.via != "none" and self._is_shortly_after(RETURNS, time, SETTLE_DOWN):
            return OF_RETURN
        if path.via == "none" and path.interface and time < self._record.started + CHECKED and self._follows(LENDERS, time):
            return OF_CHECK
        if "none" not in right or path.via == "none":
            return ""
        if self._is_shortly_after(FLAPS, time, 3 * SETTLE_DOWN):
            return OF_FLAPS
        if path.has_hidden_server and (path.via in self._carriers(time) or self._follows(UNCERTAIN, time)):
            return OF_PROGRAM
        return OF_GUESTS if path.via == "other" and path.interface == BRIDGE_WITH_GUEST else ""

    def _follows(self, kinds: Collection[str], time: float) -> bool:
        return any(when <= time and kind in kinds for when, kind in self._record.steps)

    def _is_shortly_after(self, kinds: dict[str, float], time: float, limit: float) -> bool:
        """Whether a step is under way, or ended no longer ago than `limit`."""
        return any(kind in kinds and begin <= time <= begin + kinds[kind] + limit for begin, kind in self._record.steps)

    def _is_lost_below(self, path: Published, time: float) -> bool:
        """Whether a kernel tunnel over IPv6 was lost when IPv6 was, or went to a dead router with it: it keeps its route while
        the kernel tries dead routers."""
        return path.via in {"none"} | self._silent_media(time) and any(
            not sample.ports[CONNECTED] for sample in self._record.samples
            if sample.family == 6 and 0 <= time - sample.time < SETTLE_DOWN)

    def _carriers(self, time: float) -> set[str]:
        """The media that may carry a program's tunnel that nothing arrives through: those of the uplinks that carry
        packets. Over any of them its server may be reached, and nothing says whether it is."""
        if not self._bound:
            self._bound = [(sample.time, {port.rstrip("?") for port in sample.ports[BOUND]})
                           for sample in self._record.samples]
        place = bisect_left(self._bound, time, key=lambda row: row[0])
        near = {port for _, ports in self._bound[max(0, place - NEAR):place + NEAR] for port in ports}
        media = self._media_at(time)
        return {"other", *(media.get(port, port) for port in near)} if near else set()

    def _judge_path(self, family: int) -> None:
        record = self._record
        turns = [(sample.time, self._right_answers(sample)) for sample in record.samples
                 if sample.family == (family or 4) and sample.time >= record.started]
        if self._overall:
            turns = self._of_both(turns)
        published = self._published(family)
        if not turns:
            return
        if not published:
            self._find("wrong final state", "nothing was published", family, record.ended)
            return
        self._judge_intervals(family, turns, published)
        self._judge_alarms(family, turns, published)

    def _judge_intervals(self, family: int, turns: list[tuple[float, frozenset[str]]],
                         published: list[Published]) -> None:
        index, previous, interval, blind_until = 0, None, _Interval(turns[0][0]), 0.0
        for position, (time, right) in enumerate(turns):
            while index + 1 < len(published) and published[index + 1].time <= time:
                index += 1
            path = published[index]
            agrees = self._agrees(path, right, time)
            limit = "" if agrees else self._limit(path, right, time)
            if (right, limit) != (previous, interval.limit) or self._is_blind(time):
                if previous is not None:
                    self._close_interval(family, interval, turns[position - 1][0], previous)
                if self._is_blind(time):
                    blind_until = time
                interval, previous = _Interval(max(time, blind_until), limit), right
            interval.note(time, agrees, self._settling(right) + record_slack(self._record))
        right, path = turns[-1][1], published[index]
        if interval.agrees or interval.worst <= 0:         # what changed at the very end has had no time to settle
            self._close_interval(family, interval, turns[-1][0], right)
            return
        lasted = turns[-1][0] - interval.begun
        if not interval.limit:
            self._beyond.append(max(0.0, interval.worst) * 1000)
        self._find("wrong final state", f"IPv{family}: published {path.via}, packets: {'/'.join(sorted(right))}",
                   family, interval.begun, lasted * 1000, interval.limit)

    def _close_interval(self, family: int, interval: "_Interval", ended: float, right: frozenset[str]) -> None:
        worst, begun, limit = interval.worst, interval.begun, interval.limit
        if not limit:
            self._beyond.append(max(0.0, worst) * 1000)
        name = "/".join(sorted(right))
        if not interval.agreed_ever and worst > MISSED + self._late:
            self._find("missed", f"IPv{family}: {name} for {(ended - begun) * 1000:.0f} ms was never published", family,
                       begun, worst * 1000, limit)
        elif worst > self._late:
            self._find("late", f"IPv{family}: {name} {worst * 1000:.0f} ms beyond settling", family, begun,
                       worst * 1000, limit)

    @staticmethod
    def _settling(right: frozenset[str]) -> float:
        return SETTLE_DOWN if "none" in right else max(SETTLE_UP, SETTLE_DOWN)

    def _is_blind(self, time: float) -> bool:
        return any(begin <= time <= end for begin, end in self._record.blind)

    def _judge_alarms(self, family: int, turns: list[tuple[float, frozenset[str]]],
                      published: list[Published]) -> None:
        before = published[0].via
        for path in published[1:]:
            time, via = path.time, path.via
            if via == before:
                continue
            before = via
            if time < self._record.started or any(begin <= time <= end + 0.5 for begin, end in self._record.blind):
                continue
            def share(begin: float, end: float) -> float:
                window = [(when, right) for when, right in turns if begin <= when <= end]
                hits = sum(self._agrees(path, right, when) for when, right in window)
                return hits / len(window) if window else 1.0
            settle = SETTLE_DOWN if via == "none" else SETTLE_UP
            if share(time - settle - 0.02, time) < 0.5 and share(time - 3 * SETTLE_DOWN - 0.1, time) < 0.5 \
                    and share(time, time + EARLY) == 0:
                right = next((right for when, right in reversed(turns) if when <= time), frozenset())
                self._find("false alarm", f"IPv{family}: {via} was published and was never true", family, time,
                           limit=self._limit(path, right, time))

    def _judge_reasons(self) -> None:
        """A refusal of the kernel's has a code of its own; connect(2) names it by its error."""
        last = next((claim for claim in reversed(self._record.claims) if claim.type == "reachability.changed"), None)
        for family in (4, 6) if last else ():
            error = next((sample.errors.get(CONNECTED, "") for sample in reversed(self._record.samples)
                          if sample.family == family), "")
            path = last.data["to"].get("path", {}).get(f"ipv{family}", {}) if last else {}
            if error in REASONS and path.get("via") == "none" and path.get("reason") != REASONS[error]:
                self._find("reason", f"IPv{family}: {path.get('reason')} was published, connect(2) fails with {error}",
                           family, self._record.ended)

    def _judge_uplinks(self) -> None:
        """An uplink is an interface with a default route or a route to the Internet; one that the kernel has no such route
        for is a ghost, and the interface of a path that has settled is one."""
        if self._record.default_devices is None or not self._record.status:
            return
        names = {str(one.get("interface")) for one in self._record.status.get("uplinks", [])
                 if not one.get("bound_only")}
        for family in (4, 6):
            last = next(reversed(self._published(family)), None)
            if last and last.via != "none" and last.interface and last.interface not in names \
                    and last.time < self._record.ended - 3 * SETTLE_DOWN:
                self._find("status", f"IPv{family} leads through {last.interface}, which is no uplink", family,
                           self._record.ended)
        for name in sorted(names - self._record.default_devices):
            self._find("ghost", f"{name} is an uplink in the status and has no route to the Internet", time=self._record.ended)

    # Connectivity

    def _judge_connectivity(self, family: int) -> None:
        claims = [(claim.time, _connectivity(claim.data["to"], family)) for claim in self._record.claims
                  if claim.type == "reachability.changed"]
        index, begun, worst, beyond, previous, agrees, claim, server_failed = 0, 0.0, 0.0, 0.0, None, True, "", False
        for outcome in sorted((one for one in self._record.outcomes if one.family == family),
                              key=lambda one: one.time):
            if outcome.time < self._record.started or not claims:
                continue
            if self._in_doubt(outcome):
                agrees, previous = True, None       # what was wrong before may have been put right since
                continue
            while index + 1 < len(claims) and claims[index + 1][0] <= outcome.time:
                index += 1
            claim, server_failed, agreed = claims[index][1], outcome.server_failed, agrees
            agrees = (claim == "full") == outcome.ok
            if outcome.ok != previous or agreed and not agrees or self._is_blind(outcome.time):
                begun, previous = outcome.time, outcome.ok
            beyond = outcome.time - begun - SETTLE_DOWN - PROBING - record_slack(self._record)
            if not agrees:
                worst = max(worst, beyond)
        if not agrees and beyond > 0:                      # what changed at the very end has had no time to settle
            self._find("connectivity", f"IPv{family}: published {claim or 'nothing'} at the end, GETs "
                       f"{'succeed' if previous else 'fail'}", family, begun)
        elif server_failed and claim in ("none", "local"):
            self._find("connectivity", f"IPv{family}: published {claim}, and the server answers (HTTP 500)", family, begun)
        elif worst > self._late:
            self._find("connectivity", f"IPv{family}: {worst * 1000:.0f} ms late", family, begun, worst * 1000)

    def _in_doubt(self, outcome: Outcome) -> bool:
        """A GET that the server answers to another uplink's address, or to one of the link: a path in some networks only."""
        near = [sample for sample in self._record.samples if sample.family == outcome.family
                and abs(sample.time - outcome.time) < 0.05]
        return (outcome.ok or outcome.server_failed) and not any(not port.endswith("?") for sample in near for port in sample.ports[CONNECTED])

    # Order and status

    def _judge_sequence(self) -> None:
        before: Claim | None = None
        for claim in self._record.claims:
            if before is not None and claim.seq != before.seq + 1:
                self._find("sequence", f"#{before.seq} is followed by #{claim.seq}", time=claim.time)
            if before is not None and _stamp(claim) < _stamp(before):
                self._find("sequence", f"#{claim.seq} ({claim.type}) is stamped before #{before.seq} ({before.type})",
                           time=claim.time)
            before = claim

    def _judge_status(self) -> None:
        status, claims = self._record.status, self._record.claims
        newest = status.get("last_seq", 0) if status else 0
        states = [claim for claim in claims if claim.type == "reachability.changed" and claim.seq <= newest]
        if status and (not claims or claims[-1].seq < newest):
            self._find("status", f"knows #{newest}, which was never published", time=self._record.ended)
        if status is None:
            if self._record.exit_status is None:
                self._find("status", "no answer", time=self._record.ended)
            return
        if not states:
            return
        last, said = states[-1].data["to"], status.get("state", {})
        for member in ("via", "connectivity"):
            if last.get(member) != said.get(member):
                self._find("status", f"{member} is {said.get(member)}, the last event says {last.get(member)}",
                           time=self._record.ended)
        for family in ("ipv4", "ipv6"):
            ours, theirs = (one.get("path", {}).get(family, {}).get("via") for one in (last, said))
            if ours != theirs:
                self._find("status", f"{family} is {theirs}, the last event says {ours}", time=self._record.ended)

    def _find(self, measure: str, detail: str, family: int = 0, time: float = 0.0, milliseconds: float = 0.0,
              limit: str = "") -> None:
        kind = "start"
        for when, name in self._record.steps:
            if when <= time + 0.02:
                kind = name
        self._findings.append(
            Finding(measure, detail, family, time - self._record.started, milliseconds, kind, limit))


class _Interval:
    """A time during which the truth of one family did not change, nor the limit that excuses a state which differs."""

    def __init__(self, begun: float, limit: str = "") -> None:
        self.begun = begun
        self.limit = limit
        self.agrees = self.agreed_ever = False
        self.worst = 0.0                 # seconds of disagreement beyond what is allowed
        self._differs_since = begun

    def note(self, time: float, agrees: bool, settling: float) -> None:
        """Count one turn. A state that was right and is replaced may be ahead of the packets that show the next truth."""
        if self.agrees and not agrees:
            self._differs_since = time
        self.agrees, self.agreed_ever = agrees, self.agreed_ever or agrees
        if not agrees:
            self.worst = max(self.worst, time - self._differs_since - (EARLY if self.agreed_ever else settling))


def record_slack(record: Record) -> float:
    """The judge's own precision: one turn and the time that arrivals have, and what it was late itself."""
    return 0.04 + record.longest_turn


def _connectivity(state: dict[str, Any], family: int) -> str:
    # A state that is judged by one family alone says nothing of the other one but that it has no path.
    if state.get("path", {}).get(f"ipv{family}", {}).get("via") == "none":
        return "none"
    by_family = state.get("connectivity_by_family", {})
    return str(by_family.get(f"ipv{family}", state.get("connectivity", "")))


def _latest(marks: list[tuple[float, str, bool]], time: float) -> dict[str, bool]:
    """The newest value of each name at a time."""
    return {name: value for when, name, value in marks if when <= time}


def _stamp(claim: Claim) -> datetime:
    return datetime.fromisoformat(claim.stamp.replace("Z", "+00:00"))
