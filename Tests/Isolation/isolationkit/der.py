"""X.509 certificates written by hand: no tool makes those that are needed here."""

import base64
import itertools
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ECDSA_WITH_SHA256 = b"\x2a\x86\x48\xce\x3d\x04\x03\x02"
COMMON_NAME = b"\x55\x04\x03"
UTF8, SEQUENCE, SET, OID, BITS, OCTETS, BOOLEAN, INTEGER, UTC_TIME = 12, 0x30, 0x31, 6, 3, 4, 1, 2, 23
SERIALS = itertools.count(1)


def value(tag: int, *parts: bytes) -> bytes:
    """One DER value."""
    body = b"".join(parts)
    size = len(body)
    if size < 128:
        return bytes([tag, size]) + body
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + body


def name(text: str) -> bytes:
    return value(SEQUENCE, value(SET, value(SEQUENCE, value(OID, COMMON_NAME), value(UTF8, text.encode()))))


def extension(identifier: int, content: bytes, critical: bool = False) -> bytes:
    return value(SEQUENCE, value(OID, bytes([0x55, 0x1D, identifier])), value(BOOLEAN, b"\xff") if critical else b"",
                 value(OCTETS, content))


def authority() -> list[bytes]:
    return [extension(19, value(SEQUENCE, value(BOOLEAN, b"\xff")), True), extension(15, value(BITS, b"\1\6"), True)]


def dns_name(text: str) -> bytes:
    return value(0x82, text.encode())


def names(*more: bytes) -> bytes:
    """The subject alternative names: the address at which all servers are, and others."""
    return extension(17, value(SEQUENCE, value(0x87, bytes([127, 0, 0, 1])), *more))


@dataclass
class Key:
    """A P-256 key in a file."""

    path: Path
    public: bytes = b""
    others: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.path.exists():
            openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(self.path))
        self.public = openssl("pkey", "-in", str(self.path), "-pubout", "-outform", "DER")

    def sign(self, text: bytes) -> bytes:
        return openssl("dgst", "-sha256", "-sign", str(self.path), given=text)


def issue(subject: str, issuer: str, key: Key, signer: Key, extensions: list[bytes]) -> bytes:
    """A certificate in DER."""
    algorithm = value(SEQUENCE, value(OID, ECDSA_WITH_SHA256))
    valid = value(SEQUENCE, value(UTC_TIME, b"250101000000Z"), value(UTC_TIME, b"490101000000Z"))
    body = value(
        SEQUENCE, value(0xA0, value(INTEGER, b"\2")), value(INTEGER, b"\1" + next(SERIALS).to_bytes(5, "big")),
        algorithm, name(issuer), valid, name(subject), key.public, value(0xA3, value(SEQUENCE, *extensions)))
    return value(SEQUENCE, body, algorithm, value(BITS, b"\0", signer.sign(body)))


def pem(certificate: bytes) -> str:
    text = base64.encodebytes(certificate).decode().replace("\n", "")
    lines = "\n".join(text[start:start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"


def openssl(*words: str, given: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *words], input=given, check=True, capture_output=True).stdout
