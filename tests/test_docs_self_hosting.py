"""The configuration files of docs/self-hosting.md are valid for the programs that read them."""

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from stratabase.core.settings import Settings
from stratabase.server.settings import ServerSettings
from tests.repository import ROOT

PAGE = (ROOT / "docs/self-hosting.md").read_text(encoding="utf-8")


def block(language: str, start: str) -> str:
    """Return the block of a language that begins with a text."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(next(each for each in blocks if each.startswith(start)))


def test_the_settings_are_valid() -> None:
    lines = block("ini", "STRATABASE_HOME").splitlines()
    settings = Settings.from_environment(dict(line.split("=", 1) for line in lines))
    server = settings.of(ServerSettings)
    assert (server.access_log, settings.base_url) == ("json", "https://api.example.com")
    assert [str(each) for each in server.trusted_proxies] == ["127.0.0.1/32"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "stratabase.service"
    text = block("ini", "[Unit]")
    unit.write_text(text.replace("/srv/stratabase/.venv/bin/stratabase", sys.executable))

    verified = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )

    problems = [line for line in verified.stderr.splitlines() if "stratabase" in line]
    assert (verified.returncode, problems) == (0, [])


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
def test_nginx_accepts_the_site(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "api.example.com")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (tmp_path / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (tmp_path / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    site = block("nginx", "upstream").replace("/etc/letsencrypt/live/api.example.com", str(tmp_path))
    settings = f"pid {tmp_path}/nginx.pid; error_log {tmp_path}/error.log; events {{}}"
    (tmp_path / "nginx.conf").write_text(f"{settings} http {{ access_log off; {site} }}")

    tested = subprocess.run(
        ["nginx", "-t", "-c", str(tmp_path / "nginx.conf")], capture_output=True, text=True, check=False
    )

    assert tested.returncode == 0, tested.stderr
    assert "warn" not in tested.stderr
