"""The judge's own test: an honest agent must pass, and every failure must be found under its name."""

import os
import sys
import tempfile
from pathlib import Path

from . import campaign, chains
from .judge import Limits
from .liar import CLIENT_LIES, LIES

LIAR = Path(__file__).with_name("liar.py")
SECONDS = 5.0
SERVER, CLIENT = "chunk_extension", "check_flood"


def run(jobs: int) -> int:
    """Returns the exit status."""
    failed = unjudged = 0
    with tempfile.TemporaryDirectory(prefix="isolation.") as directory:
        os.chmod(directory, 0o755)
        chains.make(Path(directory), set())
        for kind, name, lies in (("servers", SERVER, LIES), ("clients", CLIENT, CLIENT_LIES)):
            for lie, wanted in lies.items():
                one = campaign.Round(kind, [name], [sys.executable, str(LIAR), lie], directory, SECONDS, False)
                record, found = next(campaign.run([one], Limits(), jobs))
                good = not record.error and (wanted <= set(found) if wanted else not found)
                failed += not good and not record.error
                unjudged += bool(record.error)
                print(f"{'ok    ' if good else 'FAILED'} {kind} {lie:10} expected {sorted(wanted)}, got {sorted(found)}"
                      + (f": {record.error} {record.log[-300:]}" if record.error else ""), flush=True)
    total = len(LIES) + len(CLIENT_LIES)
    print(f"{total - failed - unjudged} of {total} agents judged as they must be"
          + (f", {unjudged} not judged" if unjudged else ""))
    return 1 if failed else 70 if unjudged else 0
