"""The links that transfers are judged on."""

from dataclasses import dataclass

from .links import MEGABIT, Shape


@dataclass(frozen=True)
class Case:
    """A link, a direction, and the congestion control of both ends.

    cubic leaves slow start at the first sign of a queue, and takes minutes to fill a long one; reno fills it in seconds,
    as a connection of an hour does. Only bbr has the same rate in two runs on a link that loses packets at random.

    The seconds are those of the transfer. Where the queue comes and goes by more than the tolerance, or the small requests are
    rare, they are more: the medians of two samples of one queue differ by its spread over the root of their sizes.
    """

    name: str
    shape: Shape
    direction: str = "download"
    congestion: str = "cubic"
    seconds: float = 8
    is_bloated: bool | None = None
    is_sample: bool = False


def _shape(megabits: float, round_trip: float, **more: object) -> Shape:
    return Shape(int(megabits * MEGABIT), round_trip / 2, **more)     # type: ignore[arg-type]


CASES = [
    Case("slow", _shape(1, 20, limit=100), seconds=20, is_bloated=False),
    Case("slow-far", _shape(1, 300, limit=200), seconds=12),
    Case("dsl", _shape(10, 20)),
    Case("near", _shape(10, 5), is_sample=True),
    Case("far", _shape(10, 300, limit=300), congestion="bbr", seconds=12),
    Case("lossy", _shape(10, 50, loss=0.5), congestion="bbr"),
    Case("very-lossy", _shape(10, 50, loss=2), congestion="bbr"),
    Case("cable", _shape(100, 20)),
    Case("cable-near", _shape(100, 5)),
    Case("cable-lossy", _shape(100, 50, loss=1), congestion="bbr", seconds=20),
    Case("cable-far", _shape(100, 300, limit=300), congestion="bbr", seconds=12),
    Case("token-bucket", _shape(10, 0, in_kernel=True)),
    Case("fibre", _shape(900, 0, limit=20, in_kernel=True), seconds=6),
    Case("bloated", _shape(10, 20, limit=2000), congestion="reno", seconds=10, is_bloated=True, is_sample=True),
    Case("managed", _shape(10, 20, queue="fq_codel"), congestion="reno", seconds=10, is_bloated=False, is_sample=True),
    Case("upload", _shape(10, 20), direction="upload"),
    Case("upload-bloated", _shape(10, 20, limit=2000), direction="upload", congestion="reno", seconds=10, is_bloated=True),
    Case("upload-managed", _shape(10, 20, queue="fq_codel"), direction="upload", congestion="reno", is_bloated=False),
    Case("upload-fast", _shape(100, 20), direction="upload"),
]
