"""The server of a transfer: nginx with the configuration of examples/transfer, over HTTP/2 and TLS."""

import re
import subprocess
from pathlib import Path

from .links import FAR_ADDRESS, command

OBJECT_BYTES = 4 << 30


class Nginx:
    """Runs on the far host, in a directory of its own; a context manager."""

    def __init__(self, program: str, directory: Path) -> None:
        self.certificate = directory / "server.pem"
        self.url = f"https://{FAR_ADDRESS}/large"
        self.upload_url = f"https://{FAR_ADDRESS}/upload"
        self._directory = directory
        key = directory / "server.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", self.certificate, "-days", "2", "-subj", "/CN=server",
                        "-addext", f"subjectAltName=IP:{FAR_ADDRESS}", "-addext", "basicConstraints=critical,CA:TRUE",
                        "-addext", "extendedKeyUsage=serverAuth"],
                       check=True, stderr=subprocess.DEVNULL)
        # Sparse: it takes no room, and nothing of it is read from a disk.
        with open(directory / "large", "wb") as large:
            large.truncate(OBJECT_BYTES)
        (directory / "example.conf").write_text(example(directory))
        (directory / "nginx.conf").write_text(CONFIGURATION.format(directory=directory))
        self._words = command("far", program, "-p", str(directory), "-c", str(directory / "nginx.conf"), "-e",
                              str(directory / "error.log"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Nginx":
        self._process = subprocess.Popen(self._words)
        try:
            wait_for_listener("far", FAR_ADDRESS, 443)
        except subprocess.CalledProcessError:
            self.__exit__()
            raise RuntimeError(f"nginx does not listen: {self.log}") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()

    @property
    def process_id(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def log(self) -> str:
        try:
            return (self._directory / "error.log").read_text()
        except OSError:
            return ""


def wait_for_listener(host: str, address: str, port: int, seconds: float = 10) -> None:
    """Return when a connection to a port succeeds, from the host that listens."""
    script = ("import socket, sys, time\n"
              "end = time.monotonic() + float(sys.argv[3])\n"
              "while True:\n"
              "    try:\n"
              "        socket.create_connection((sys.argv[1], int(sys.argv[2])), 1).close()\n"
              "        break\n"
              "    except OSError:\n"
              "        if time.monotonic() > end: raise\n"
              "        time.sleep(0.02)\n")
    subprocess.run(command(host, "python3", "-c", script, address, str(port), str(seconds)), check=True)


# Around the example of the documentation, which is what is tried here.
EXAMPLE = Path(__file__).resolve().parents[3] / "examples/transfer/nginx.conf"
CONFIGURATION = """
daemon off;
master_process off;
pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
events {{ worker_connections 256; }}
http {{
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    include {directory}/example.conf;
}}
"""


def example(directory: Path) -> str:
    """The example with this directory's files; the paths are those that a reader replaces."""
    text = EXAMPLE.read_text()
    for line, mine in ((r"listen \[::\]:443 .*", ""), (r"server_name .*", ""), (r"ssl_certificate ", f"ssl_certificate {directory}/server.pem;"),
                       (r"ssl_certificate_key ", f"ssl_certificate_key {directory}/server.key;"), (r"root ", f"root {directory};")):
        text, count = re.subn(rf"(?m)^    {line}.*$", f"    {mine}", text)
        if count != 1:
            raise RuntimeError(f"{EXAMPLE.name} has {count} lines like '{line}'")
    return text
