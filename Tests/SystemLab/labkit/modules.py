"""Kernel modules for the guest: which ones, what they need, and the index that modprobe reads.

Debian runs depmod when a kernel is installed, so the package has no modules.dep; the same facts are
in every module's own .modinfo section.
"""

import lzma
import re
from dataclasses import dataclass

from . import scenario
from .host import LabError

# Besides what scenarios name.
WANTED = (
    # Wi-Fi in software, and the ciphers that mac80211 asks for by name when WPA2 keys are set
    "mac80211_hwsim", "ccm", "cmac", "ctr", "gcm",
    # cellular
    "wwan_hwsim",
    # kinds of interfaces that the agent has to tell from the two above
    "8021q", "bonding", "bridge", "dummy", "ip_gre", "ipip", "macvlan", "ppp_async", "sit", "tun",
    "veth", "vrf", "vxlan", "wireguard",
    # the disk of the guest with systemd
    "overlay", "squashfs", "virtio_blk", "virtio_pci",
)

# Without these, loading bonding or dummy makes an interface that no scenario has asked for.
OPTIONS = "options bonding max_bonds=0\noptions dummy numdummies=0\n"


@dataclass(frozen=True)
class Module:
    """One module's code and what it says about itself."""

    code: bytes
    needs: tuple
    prefers: tuple     # soft dependencies: loaded on demand, hence wanted in the image
    aliases: tuple


def parse(code):
    """Read .modinfo: "key=value" strings, each ended by a NUL."""
    facts = {}
    for key, value in re.findall(rb"(?<=\0)(depends|softdep|alias)=([^\0]*)", code):
        facts.setdefault(key.decode(), []).append(value.decode(errors="replace"))
    needs = [name for text in facts.get("depends", []) for name in text.split(",") if name]
    prefers = [word for text in facts.get("softdep", []) for word in text.split()
               if not word.endswith(":")]
    return Module(code, tuple(map(_plain, needs)), tuple(map(_plain, prefers)),
                  tuple(facts.get("alias", [])))


def select(tree, release, compiled):
    """The wanted modules and all that they need, by name.

    `compiled` (name to code) holds those that the lab has built itself.
    """
    root = f"usr/lib/modules/{release}/"
    files = {_plain(re.sub(r"\.ko(\.xz)?$", "", path.rsplit("/", 1)[1])): path
             for path in tree.names(root) if re.search(r"\.ko(\.xz)?$", path)}
    builtin = {_plain(line.rsplit("/", 1)[1].removesuffix(".ko"))
               for line in tree.read(root + "modules.builtin").decode().split()}

    chosen, waiting = {}, [(_plain(name), True) for name in (*WANTED, *scenario.needs("modules"))]
    while waiting:
        name, strict = waiting.pop()
        if name in chosen or name in builtin:
            continue
        if name in compiled:
            code = compiled[name]
        elif name in files:
            code = tree.read(files[name])
            if files[name].endswith(".xz"):
                code = lzma.decompress(code)
        elif strict:
            raise LabError(f"kernel {release} has no module {name}")
        else:
            continue
        chosen[name] = parse(code)
        waiting += [(need, True) for need in chosen[name].needs]
        waiting += [(wish, False) for wish in chosen[name].prefers]
    return chosen


def install(modules, release, archive):
    """Put the modules and modprobe's index into an initramfs."""
    root = f"usr/lib/modules/{release}"
    dependencies, aliases = [], []
    for name, module in sorted(modules.items()):
        archive.file(f"{root}/{name}.ko", module.code)
        # The order matters: modprobe works through the line from its end.
        chain = " ".join(f"{need}.ko" for need in reversed(_chain(modules, name)))
        dependencies.append(f"{name}.ko: {chain}\n")
        aliases += [f"alias {alias} {name}\n" for alias in module.aliases]
    archive.file(f"{root}/modules.dep", "".join(dependencies).encode())
    archive.file(f"{root}/modules.alias", "".join(aliases).encode())
    archive.file(f"{root}/modules.symbols", b"")
    archive.file("etc/modprobe.d/lab.conf", OPTIONS.encode())


def _chain(modules, name, found=None):
    """What `name` needs, each after its own needs."""
    found = [] if found is None else found
    for need in modules[name].needs:
        if need in modules and need not in found:
            _chain(modules, need, found)
            found.append(need)
    return found


def _plain(name):
    """File names use both '-' and '_'; the kernel takes them as the same."""
    return name.replace("-", "_")
