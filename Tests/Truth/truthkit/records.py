"""Made-up records, and what the judge must find in them: cases that no scenario plays twice alike."""

import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from .agent import Claim
from .judge import OF_CACHE, OF_CHECK, OF_FLAPS, OF_GUESTS, OF_PROGRAM, OF_RETURN, OF_ROTATION, Judge, Record
from .packets import BOUND, CONNECTED, MODES, PacketJudge, Sample
from .requests import Outcome
from .stage import TURN

LASTS = 4.0                        # seconds


def run() -> int:
    """Returns the number of cases that are judged otherwise than they must be."""
    failed = 0
    for name, (record, expected) in _cases().items():
        findings = Judge(record, (4,), 0.2).judge().findings
        found = {one.limit or one.measure for one in findings}
        failed += found != expected
        print(f"{'ok       ' if found == expected else 'FAILED   '} {name}"
              + ("" if found == expected else f": expected {sorted(expected)}, got {findings}"))
    for name, source, tunnel, expected_ports in (
            ("an answer to an uplink's address arrives", "10.1.0.2", "", {"p1"}),
            ("an answer to a tunnel's address, out of an uplink, may arrive", "10.50.0.2", "", {"p1?"}),
            ("no answer arrives at the loopback's", "127.0.0.1", "", set[str]()),
            ("an answer to a tunnel's local address arrives", "10.1.0.2", "2001:db8:1::2", {"p1"}),
            ("no answer arrives at a tunnel's local address that the host has lost", "10.1.0.2", "2001:db8:1::3", set[str]())):
        found = _ports(source, tunnel)
        failed += found != expected_ports
        print(f"{'ok       ' if found == expected_ports else 'FAILED   '} {name}: {found}")
    return failed


def _cases() -> dict[str, tuple[Record, set[str]]]:
    lost_at_1, wifi = _arrives(lambda time: time < 1 or time >= 2.5), _state("wifi", "wlan0")
    nothing, always, never = _arrives(lambda time: time < 1), _arrives(lambda _: True), _arrives(lambda _: False)
    bound, bound_until_2 = (_arrives(lambda time: time < 1, bound=lambda time: time < until) for until in (9, 2))
    program = _state("wifi", "tun0", below="wlan0", is_guess=True)
    above = _state("other", "vx4", below="tun1")
    other_medium, partial = _state("wwan", "wwan0"), _state("wifi", "wlan0", "partial")
    lost, legs = _state("none", "wlan0"), [replace(one, first={CONNECTED: set()}) for one in always]
    on_link = [Outcome(1 + number / 10, 4, False, server_failed=True) for number in range(20)]
    return {
        "a state that is 60 ms ahead of the packets is not late":
            (_record(lost_at_1, [(0, wifi), (1.31, lost), (2.44, wifi)]), set()),
        "a state that is replaced by a wrong one is late from then on":
            (_record(always, [(0, wifi), (1, lost), (1.8, wifi)]), {"late", "false alarm"}),
        "a change of the truth at the very end":
            (_record(_arrives(lambda time: time < LASTS - 0.1), [(0, wifi)]), set()),
        "a program's tunnel whose server cannot be reached": (_record(bound, [(0, program)]), {OF_PROGRAM}),
        "a tunnel over a program's": (_record(bound, [(0, above)]), {OF_PROGRAM}),
        "a program's tunnel when no uplink carries anything":
            (_record(nothing, [(0, program)]), {"wrong final state"}),
        "a program's tunnel that is lost with the last uplink":
            (_record(bound_until_2, [(0, program), (2.3, lost)]), {OF_PROGRAM}),
        "a program's tunnel that is not lost with the last uplink":
            (_record(bound_until_2, [(0, program)]), {OF_PROGRAM, "wrong final state"}),
        "a program's tunnel with the medium of an uplink that carries nothing": (_record(
            bound, [(0, _state("wwan", "tun0", below="wwan0", is_guess=True))]), {"missed", "wrong final state"}),
        "a program's tunnel whose underlay is no guess":
            (_record(bound, [(0, _state("wifi", "tun0", below="wlan0"))]), {"wrong final state"}),
        "a program's tunnel that is lost although packets pass":
            (_record(always, [(0, _state("none", "tun0"))]), {"wrong final state"}),
        "a leg of several whose router is dead, and others whose is not": (_record(
            legs, [(0, _state("wwan", "wwan0"))], silent=[(0, "wwan", True)]), set()),
        "a leg of several that is refused, and others that are not": (_record(
            [replace(one, errors={CONNECTED: "ENETUNREACH"}) for one in legs], [(0, lost)]), set()),
        "legs that are refused, and not the one of datagrams to the agent's destination": (_record(
            [replace(one, errors={CONNECTED: "ENETUNREACH"}) for one in always], [(0, lost)]), set()),
        "a port of a bridge that counts as lost while the kernel knows the router's address":
            (_record(always, [(0, lost)], enslaved=[(0, "wlan0", True)]), set()),
        "an uplink that counts as lost while its link-local address is checked, and its source is the loopback's": (_record(
            always, [(0, wifi), (0.7, lost), (1.6, wifi)], steps=[(0.3, "address_on_loopback")]), {OF_CHECK}),
        "an uplink that counts as lost for longer": (_record(
            always, [(0, wifi), (0.7, lost), (2.9, wifi)], steps=[(0.3, "address_on_loopback")]), {OF_CHECK, "late"}),
        "a dead router among default routes of one metric": (_record(
            always, [(0, _state("wwan", "wwan0"))], silent=[(0, "wwan", True)],
            steps=[(0, "same_metric_router_dies")]), {OF_ROTATION}),
        "packets that still go to a dead router among default routes of one metric": (_record(
            always, [(0, _state("wwan", "wwan0"))], silent=[(0, "wifi", True)],
            steps=[(0, "same_metric_router_dies")]), {OF_ROTATION}),
        "no path among default routes of one metric, while packets arrive": (_record(
            always, [(0, lost)], silent=[(0, "wifi", True)],
            steps=[(0, "same_metric_router_dies")]), {"wrong final state"}),
        "a router that is given up after its carrier is back": (_record(
            always, [(0, wifi), (1.2, other_medium), (1.3, wifi)], steps=[(0.9, "failover_and_back")]), {OF_RETURN}),
        "a server that is gone, on the link of a default route without a router": (_record(
            nothing, [(0, wifi)], steps=[(0, "default_without_gateway"), (1, "server_unreachable")]), set()),
        "a server that is on the link of a default route without a router": (_record(
            nothing, [(0, wifi)], steps=[(0, "default_without_gateway")]), {"wrong final state"}),
        "a link that flaps": (_record(
            nothing, [(0, wifi), (3.5, lost)], steps=[(0.9, "carrier_flaps")]), {OF_FLAPS}),
        "a link that is lost after it has flapped": (_record(
            never, [(0, wifi)], steps=[(-1.8, "carrier_flaps")]), {OF_FLAPS, "wrong final state"}),
        "a path to a dead router that packets have left": (_record(
            always, [(0, _state("wwan", "wwan0"))], silent=[(0, "wwan", True)]), {"wrong final state"}),
        "an uplink that carries nothing": (_record(nothing, [(0, wifi)]), {"wrong final state"}),
        "a bridge that a guest alone is left on": (_record(never, [(0, _state("other", "br1"))]), {OF_GUESTS}),
        "a bridge whose card is without carrier":
            (_record(nothing, [(0, _state("wifi", "br1"))]), {"wrong final state"}),
        "a tunnel that keeps its route": (_record(
            nothing, [(0, _state("wifi", "vx0", below="wlan0"))], steps=[(0.9, "linkdown_ignored")]), {OF_CACHE}),
        "a tunnel that keeps its route while the kernel tries a dead router of IPv6": (_record(
            [*always, *(replace(one, family=6) for one in never)], [(0, _state("wwan", "vx0", below="wwan0"))],
            silent=[(0, "wwan", True)]), {OF_CACHE}),
        "a tunnel to a dead router that all packets have left": (_record(
            [*always, *(replace(one, family=6) for one in always)], [(0, {**_state("wwan", "vx0", below="wwan0"), "path": {
                "ipv4": {"via": "wwan", "interface": "vx0"}, "ipv6": {"via": "wifi", "interface": "wlan0"}}})],
            silent=[(0, "wwan", True)]), {"wrong final state"}),
        "a tunnel whose route has gone":
            (_record(nothing, [(0, _state("wifi", "vx0", below="wlan0"))]), {"wrong final state"}),
        "an HTTP error that the server sends to a link-local address":
            (_record(never, [(0, lost)], outcomes=on_link), set()),
        "an HTTP error that is published as no path":
            (_record(always, [(0, _state("wifi", "wlan0", "none"))], outcomes=on_link), {"connectivity"}),
        "a tunnel that is an uplink by parts of the default route": (_record(
            always, [(0, program)], devices={"wlan0", "tun0"}, uplinks=["wlan0", "tun0"]), set()),
        "a tunnel that is the path and no uplink": (_record(
            always, [(0, program)], devices={"wlan0", "tun0"}, uplinks=["wlan0"]), {"status"}),
        "an uplink that has no route to the Internet": (_record(
            always, [(0, wifi)], devices={"wlan0"}, uplinks=["wlan0", "wwan0"]), {"ghost"}),
        "GETs that begin to fail at the very end":
            (_record(always, [(0, wifi)], outcomes=_fail_from(LASTS - 0.5)), set()),
        "a check that succeeds where GETs fail, three seconds after they began to": (_record(
            always, [(0, wifi), (1.2, partial), (3.5, wifi), (3.9, partial)], outcomes=_fail_from(0.5)), set()),
        "GETs that fail for two seconds beside `full`":
            (_record(always, [(0, wifi)], outcomes=_fail_from(LASTS - 2)), {"connectivity"}),
    }


def _arrives(when: Callable[[float], bool], bound: Callable[[float], bool] = lambda _: False) -> list[Sample]:
    """The turns of IPv4, and those in which packets arrive at the first port, or datagrams that are bound to its uplink."""
    turns = [number * TURN for number in range(-10, int(LASTS / TURN))]
    ports = [{mode: {"p1"} if (bound if mode == BOUND else when)(time) else set() for mode in MODES} for time in turns]
    return [Sample(time, 4, arrived, first=arrived) for time, arrived in zip(turns, ports)]


def _fail_from(begin: float) -> list[Outcome]:
    return [Outcome(number / 10, 4, number / 10 < begin) for number in range(int(LASTS * 10))]


def _state(via: str, interface: str, connectivity: str = "", below: str = "", is_guess: bool = False) -> dict[str, Any]:
    path = {"via": via, "interface": interface}
    underlay = {"underlay": {"interface": below, "is_guess": is_guess}} if below else {}
    return {"via": via, "connectivity": connectivity or ("none" if via == "none" else "full"),
            "path": {"ipv4": {**path, **underlay}, "ipv6": {"via": "none"}}}


def _record(samples: list[Sample], states: list[tuple[float, dict[str, Any]]],
            steps: Iterable[tuple[float, str]] = (), outcomes: Iterable[Outcome] = (),
            silent: Iterable[tuple[float, str, bool]] = (), enslaved: Iterable[tuple[float, str, bool]] = (),
            devices: set[str] | None = None, uplinks: Iterable[str] = ()) -> Record:
    stamp = "2026-01-01T00:00:00Z"
    claims = [Claim(time, number, "reachability.changed", stamp, {"to": state})
              for number, (time, state) in enumerate(states, 1)]
    return Record(
        started=0, ended=LASTS, samples=samples, claims=claims, steps=list(steps), outcomes=list(outcomes),
        silent=list(silent), enslaved=list(enslaved), media=[(0, "p1", "wifi"), (0, "p2", "wwan")],
        status={"last_seq": len(claims), "state": states[-1][1], "uplinks": [{"interface": name} for name in uplinks]},
        default_devices=devices)


def _ports(source: str, tunnel: str = "") -> set[str]:
    """The port at which a datagram with a source counts as arrived, also inside a VXLAN with a local address."""
    packets = PacketJudge.__new__(PacketJudge)          # no socket: only frames are noted
    sample = Sample(0.0, 4)
    packets._open, packets._first = {(4, 1): sample}, {4: bytes(4)}
    packets._addresses = {ipaddress.IPv6Address("2001:db8:1::2").packed}
    header = bytes(12) + ipaddress.IPv4Address(source).packed + bytes(4)
    frame = bytes(12) + b"\x08\x00" + header + bytes(8) + b"truth!4c\0\0\0\1"
    if tunnel:
        around = bytes(8) + ipaddress.IPv6Address(tunnel).packed + bytes(16) + bytes(8) + bytes(8)
        frame = bytes(12) + b"\x86\xdd" + around + frame
    packets.note(frame, "p1")
    return sample.ports[CONNECTED]
