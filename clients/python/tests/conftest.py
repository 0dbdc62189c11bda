"""The program badger is the first one in PATH; a server of it runs on loopback."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import badger_eval as be
from badger_eval import binary

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def program():
    found = shutil.which("badger")
    if not found:
        pytest.skip("there is no program badger in PATH")
    return found


class Server:
    def __init__(self, program, *arguments):
        command = [program, "serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            ports = re.findall(r"127\.0\.0\.1:\d+", line)
            if line.startswith("badger serves"):
                self.grpc, self.http = ports[:2]
                return
        raise RuntimeError(line)

    def stop(self):
        self.process.terminate()
        self.process.stderr.close()
        self.process.wait()


@pytest.fixture(scope="session")
def server(program):
    s = Server(program)
    yield s
    s.stop()


@pytest.fixture(scope="session")
def guarded(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "tokens").write_text("nightly:secret-of-the-night\n")
    (folder / "tokens").chmod(0o600)
    (folder / "badger.yaml").write_text(f"auth: {{token_file: {folder / 'tokens'}}}\n")
    s = Server(program, "--config", str(folder / "badger.yaml"))
    yield s
    s.stop()


@pytest.fixture(params=["pipe", "flight", "http"])
def client(request, program):
    """A client over each transport."""
    if request.param == "pipe":
        c = be.connect(binary=program)
    else:
        server = request.getfixturevalue("server")
        c = be.connect(f"grpc://{server.grpc}" if request.param == "flight" else f"http://{server.http}")
    yield c
    c.close()


@pytest.fixture
def local(program):
    """The client of functions that name none: a process."""
    with be.use(be.connect(binary=program)) as c:
        yield c
    be.use(None)


@pytest.fixture
def pytester(pytester, request, monkeypatch):
    if not request.config.pluginmanager.has_plugin("badger_eval"):  # not installed, but in the path
        monkeypatch.setenv("PYTEST_PLUGINS", "badger_eval.pytest_plugin")
    return pytester


@pytest.fixture
def in_path(program, monkeypatch, tmp_path_factory):
    """The program where badger_eval finds it by itself."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "badger").symlink_to(Path(program).resolve())
    monkeypatch.setattr(binary, "find", lambda path=None: os.fspath(path) if path else str(folder / "badger"))
    return folder
