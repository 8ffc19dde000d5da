"""The files of `deploy`, and the page about them, name options that `classmark serve` has."""

import json
import re
import shlex
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "deployment.md").read_text("utf-8")


def known() -> set[str]:
    """Give the options of `classmark serve`."""
    app = import_module("classmark.cli.main").app
    serve = get_command(app).commands["serve"]
    return {option for parameter in serve.params for option in parameter.opts if option.startswith("--")}


def served(words: list[str]) -> list[str]:
    """Give the options after `serve` in a command."""
    assert "serve" in words, words
    return [word for word in words[words.index("serve") + 1 :] if word.startswith("-")]


def in_container() -> list[str]:
    text = (DEPLOY / "Containerfile").read_text("utf-8").replace("\\\n", "")
    (command,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    return served(json.loads(command))


def in_unit() -> list[str]:
    (command,) = re.findall("^ExecStart=(.*)$", (DEPLOY / "classmark.service").read_text("utf-8"), re.MULTILINE)
    return served(shlex.split(command))


def on_page() -> list[str]:
    blocks = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", "").splitlines()
    commands = [shlex.split(line) for line in lines if re.search(r"\bserve\b", line) and "serve]" not in line]
    return [option for command in commands for option in served(command)]


@pytest.mark.parametrize("find", [in_container, in_unit, on_page])
def test_options_are_those_of_serve(find):
    found = find()
    assert found
    assert set(found) <= known()


def test_options_that_are_spoken_of_are_those_of_serve():
    """The page speaks of options of other programs too, but not of one that nobody has."""
    of_others = {"--format docker"}
    spoken = set(re.findall(r"`(--[^`]+)`", PAGE)) | set(re.findall(r"--max-\w+", (DEPLOY / "nginx.conf").read_text()))
    assert spoken - of_others
    assert spoken - of_others <= known()


def test_the_container_listens_where_its_health_is_asked_for():
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    port = re.findall(r'"--port", "(\d+)"', text)
    assert re.findall(r"EXPOSE (\d+)", text) == re.findall(r"127\.0\.0\.1:(\d+)/healthz", text) == port


def test_the_unit_is_one(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze, which comes with systemd")
    unit = tmp_path / "classmark.service"
    unit.write_text(
        (DEPLOY / "classmark.service").read_text("utf-8").replace("/opt/classmark/bin/classmark", "/bin/true")
    )
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    told = [line for line in done.stderr.splitlines() if str(unit) in line or "classmark.service" in line]
    assert not told, done.stderr


def test_the_proxy_s_configuration_can_be_loaded(tmp_path):
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None or shutil.which("openssl") is None:
        pytest.skip("needs nginx and openssl: apt-get install nginx-light openssl")
    for name in ("fullchain", "privkey"):
        (tmp_path / f"{name}.pem").touch()
    files = [
        "-keyout",
        tmp_path / "privkey.pem",
        "-out",
        tmp_path / "fullchain.pem",
        "-subj",
        "/CN=classify.example.org",
    ]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files], capture_output=True, check=True
    )
    text = (DEPLOY / "nginx.conf").read_text("utf-8").replace("/etc/ssl/classmark", str(tmp_path))
    (tmp_path / "site.conf").write_text(re.sub(r"(listen (?:\[::\]:)?)(80|443)\b", r"\g<1>3\2", text))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
    around = f"pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}}"
    (tmp_path / "nginx.conf").write_text(f"{around} http {{ access_log off; {places} include site.conf; }}")
    done = subprocess.run([nginx, "-t", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
