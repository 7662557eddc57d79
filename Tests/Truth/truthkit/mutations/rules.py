"""Policy rules: tables by mark, source, interface, group; refusals."""

import random
from collections.abc import Iterable

from ..actions import Action, ip, wait
from ..world import PREFIX, World
from .registry import best, family, mutation, other, uplink


@mutation(finds="from_rule", weight=3)
def rule_from_source_elsewhere(world: World, rng: random.Random) -> Iterable[Action]:
    """A connected socket is looked up again with its source."""
    one, which = best(world), family(world, rng)
    yield other(world, rng, one).route(which, "replace", metric=0, extra="table 77")
    yield ip(f"-{which} rule add pref 50 from {one.address(which)} lookup 77")


@mutation(finds="from_rule")
def rule_from_source_refused(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield ip(f"-{which} rule add pref 51 from {best(world).address(which)} {rng.choice(('unreachable', 'blackhole'))}")


@mutation(finds="from_rule")
def table_per_source(world: World, rng: random.Random) -> Iterable[Action]:
    """Hosts with several providers: each source has its table, main has the best default too."""
    which = family(world, rng)
    for one in world.uplinks:
        yield one.route(which, "replace", metric=0, extra=f"table {80 + one.number}")
        yield ip(f"-{which} rule add pref {60 + one.number} from {one.prefix(which)} lookup {80 + one.number}")


@mutation()
def rule_of_unused_mark(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield uplink(world, rng).route(which, "replace", metric=0, extra="table 78")
    yield ip(f"-{which} rule add pref 52 fwmark {rng.randint(1, 255)} lookup 78")


@mutation()
def rule_not_marked(world: World, rng: random.Random) -> Iterable[Action]:
    """As wg-quick does it, into a table with another uplink."""
    which = family(world, rng)
    yield uplink(world, rng).route(which, "replace", metric=0, extra="table 79")
    yield ip(f"-{which} rule add pref 53 not fwmark 0xca6c lookup 79")
    if rng.random() < 0.5:
        yield ip(f"-{which} rule add pref 40 lookup main suppress_prefixlength 0")


@mutation()
def rule_suppresses_defaults(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield ip(f"-{which} rule add pref 41 lookup main suppress_prefixlength {rng.choice((0, 1))}")
    if rng.random() < 0.5:
        yield ip(f"-{which} rule del pref 32766 lookup main")


@mutation(finds="link_group", weight=3)
def rule_suppresses_group(world: World, rng: random.Random) -> Iterable[Action]:
    """The group of a link changes, and with it what the rule lets through."""
    which, one = family(world, rng), best(world)
    yield ip(f"-{which} rule add pref 42 lookup main suppress_ifgroup 7")
    yield ip(f"-{which} rule del pref 32766")
    yield wait(rng.choice((200, 500)))
    yield ip(f"link set {one.name} group 7")
    if rng.random() < 0.3:
        yield wait(400)
        yield ip(f"link set {one.name} group 0")


@mutation()
def rule_of_interface(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    selector = rng.choice(("iif", "oif"))
    yield uplink(world, rng).route(which, "replace", metric=0, extra="table 76")
    yield ip(f"-{which} rule add pref 54 {selector} {uplink(world, rng).name} lookup 76")


@mutation()
def rule_of_loopback_input(world: World, rng: random.Random) -> Iterable[Action]:
    """`iif lo` is all that this host sends itself."""
    which = family(world, rng)
    yield uplink(world, rng).route(which, "replace", metric=0, extra="table 75")
    yield ip(f"-{which} rule add pref 55 iif lo lookup 75")


@mutation(weight=3)
def rule_refuses(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    kind = rng.choice(("unreachable", "blackhole", "prohibit"))
    yield ip(f"-{which} rule add pref {rng.choice((45, 40000))} {kind}")


@mutation()
def rule_to_prefix(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield uplink(world, rng).route(which, "replace", metric=0, extra="table 74")
    yield ip(f"-{which} rule add pref 56 to {PREFIX[which]} lookup 74")


@mutation()
def rule_to_empty_table(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip(f"-{family(world, rng)} rule add pref 57 lookup 199")


@mutation()
def rules_removed(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    for pref in (40, 41, 42, 45, 50, 51, 52, 53, 54, 55, 56, 57, 40000):
        yield ip(f"-{which} rule del pref {pref}")
    yield ip(f"-{which} rule add pref 32766 lookup main")


@mutation()
def main_lookup_removed(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield ip(f"-{which} rule del pref 32766")
    if rng.random() < 0.6:
        yield wait(rng.choice((5, 400)))
        yield ip(f"-{which} rule add pref 32766 lookup main")


@mutation(weight=1)
def local_table_moved(world: World, rng: random.Random) -> Iterable[Action]:
    yield ip("-4 rule add pref 900 lookup local")
    yield ip("-4 rule del pref 0")


@mutation(weight=1)
def rule_of_protocol(world: World, rng: random.Random) -> Iterable[Action]:
    which = family(world, rng)
    yield uplink(world, rng).route(which, "replace", metric=0, extra="table 73")
    yield ip(f"-{which} rule add pref 58 ipproto sctp lookup 73")


@mutation(weight=1)
def rules_added_and_removed(world: World, rng: random.Random) -> Iterable[Action]:
    for number in range(60):
        yield ip(f"rule add pref {1000 + number} fwmark {1000 + number} lookup {300 + number}")
    for number in range(60):
        yield ip(f"rule del pref {1000 + number}")


@mutation(finds="guess_takes_path")
def default_in_unused_table(world: World, rng: random.Random) -> Iterable[Action]:
    """Two `not fwmark` rules, and defaults in tables that nobody else uses."""
    which = family(world, rng)
    for number, one in enumerate(world.uplinks):
        yield one.route(which, "replace", metric=0, extra=f"table {90 + number}")
        yield ip(f"-{which} rule add pref {70 + number} not fwmark {number + 1} lookup {90 + number}")
