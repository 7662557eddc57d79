"""Fake agents for the judge's own test: one that tells the truth, and others that each lie in one way.

They take the truth from the packets themselves, settle as the agent does, and publish through the same interface.
"""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .agent import SETTLE_DOWN, SETTLE_UP, Agent, Claim
from .packets import CONNECTED

if TYPE_CHECKING:
    from .stage import Stage


class HonestAgent(Agent):
    """Publishes what the packets of a connected socket do."""

    delay = 0.0                    # seconds beyond settling

    def __init__(self, stage: "Stage") -> None:
        super().__init__(Path("/nonexistent"), False, ())
        self._stage = stage
        self._seq = 0
        self._state: dict[str, str] | None = None
        self._pending: dict[str, tuple[float, str]] = {}

    # Nothing runs.

    def start(self) -> None:
        pass

    def command(self, name: str) -> None:
        pass

    def wait_ready(self, limit: float = 10) -> bool:
        return True

    # Claims

    def receive(self, now: float) -> None:
        state = self.look(now)
        if state is None:
            return
        if self._state is None:
            self.publish(now, state)
        settled = dict(self._state or {})
        for member, value in state.items():
            if value == settled.get(member):
                self._pending.pop(member, None)
                continue
            since, before = self._pending.get(member, (now, value))
            if before != value:
                since = now
            self._pending[member] = (since, value)
            if now - since >= (SETTLE_DOWN if value == "none" else SETTLE_UP) + self.delay:
                settled[member] = value
        if settled != self._state:
            self.publish(now, settled)

    def look(self, now: float) -> dict[str, str] | None:
        """What is so at present; each member is published once it has settled."""
        samples, kinds = self._stage.packets.samples[-2:], {port: kind for _, port, kind in self._stage.record.media}
        if len(samples) < 2:
            return None
        state = {f"ipv{one.family}": next((kinds.get(port, "other") for port in one.ports[CONNECTED]), "none")
                 for one in samples}
        for outcome in self._stage.record.outcomes[-4:]:
            state[f"connectivity{outcome.family}"] = "full" if outcome.ok else "local"
        return state

    def publish(self, now: float, state: dict[str, str]) -> None:
        self._state = state
        self._seq += 1
        self.claims.append(Claim(now, self._seq, "reachability.changed", self.stamp(), {"to": as_published(state)}))

    def stamp(self) -> str:
        return datetime.now(timezone.utc).isoformat()

    def status(self) -> dict[str, Any] | None:
        return {"last_seq": self._seq, "state": as_published(self._state or {})}


def as_published(state: dict[str, str]) -> dict[str, Any]:
    path = {family: {"via": via} for family, via in state.items() if family.startswith("ipv")}
    via = next((one["via"] for one in path.values() if one["via"] != "none"), "none")
    by_family = {f"ipv{family}": state.get(f"connectivity{family}", "unknown") for family in (4, 6)}
    return {"via": via, "connectivity_by_family": by_family, "path": {"via": via, **path}}


class FixedAgent(HonestAgent):
    def look(self, now: float) -> dict[str, str] | None:
        return {"ipv4": "wifi", "ipv6": "wifi"} if super().look(now) else None


class DeafAgent(HonestAgent):
    """Publishes the first state and no change."""

    def look(self, now: float) -> dict[str, str] | None:
        return self._state or super().look(now)


class ConfusedAgent(HonestAgent):
    """Takes one medium for another."""

    def look(self, now: float) -> dict[str, str] | None:
        state = super().look(now)
        return state and {name: "wwan" if value == "wired" else value for name, value in state.items()}


class SlowAgent(HonestAgent):
    delay = 0.9


class LazyAgent(HonestAgent):
    """So slow that a state is over before it is published."""

    delay = 1.7


class JumpyAgent(HonestAgent):
    """Publishes a loss that never was, for a moment."""

    def receive(self, now: float) -> None:
        started = self._stage.record.started
        if self._state and started and 0.3 < now - started < 0.4:
            if self._state["ipv4"] != "none":
                self.publish(now, {**self._state, "ipv4": "none"})
        else:
            super().receive(now)


class SkippingAgent(HonestAgent):
    def publish(self, now: float, state: dict[str, str]) -> None:
        self._seq += self._seq == 1
        super().publish(now, state)


class BackwardAgent(HonestAgent):
    def stamp(self) -> str:
        return (datetime.now(timezone.utc) - timedelta(hours=self._seq)).isoformat()


class ForgetfulAgent(HonestAgent):
    def status(self) -> dict[str, Any] | None:
        return {"last_seq": self._seq, "state": as_published({"ipv4": "wwan", "ipv6": "wwan"})}


class SecretiveAgent(HonestAgent):
    """Its status knows of an event that nobody was sent."""

    def status(self) -> dict[str, Any] | None:
        return {"last_seq": self._seq + 1, "state": as_published(self._state or {})}


class MuteAgent(HonestAgent):
    def status(self) -> dict[str, Any] | None:
        return None


class OptimisticAgent(HonestAgent):
    """Says that everything answers as long as there is a path."""

    def look(self, now: float) -> dict[str, str] | None:
        state = super().look(now)
        return state and {**state, "connectivity4": "full", "connectivity6": "full"}


class EndedAgent(HonestAgent):
    def exit_status(self) -> int | None:
        return 1
