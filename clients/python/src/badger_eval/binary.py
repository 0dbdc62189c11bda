"""Finds and runs the program badger."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Sequence

from .errors import BadgerError

_NAME = "badger.exe" if sys.platform == "win32" else "badger"


def find(path: str | os.PathLike[str] | None = None) -> str:
    """Returns the program: path, or the one that the wheel installed, or the one in PATH."""
    if path is not None:
        if not os.path.isfile(path):
            raise BadgerError("not_found", f"binary: {os.fspath(path)} is no file")
        return os.fspath(path)
    scheme = "nt_user" if sys.platform == "win32" else "posix_user"
    for folder in (sysconfig.get_path("scripts"), str(Path(sys.executable).parent), sysconfig.get_path("scripts", scheme)):
        if os.path.isfile(os.path.join(folder, _NAME)):
            return os.path.join(folder, _NAME)
    found = shutil.which("badger")
    if found is None:
        raise BadgerError(
            "not_found",
            "there is no program badger: the wheel of badger-eval for this platform installs it; "
            "else put it into PATH, or pass binary=",
        )
    return found


def run(
    binary: str | os.PathLike[str] | None, arguments: Sequence[str], codes: Sequence[int] = (0,)
) -> subprocess.CompletedProcess[str]:
    """Runs badger and returns its output. Another exit code than codes is an error with what it printed."""
    done = subprocess.run([find(binary), *arguments], capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if done.returncode not in codes:
        code = "invalid_argument" if done.returncode == 2 else "failed_precondition"
        raise BadgerError(code, done.stderr.strip() or f"badger ended with exit code {done.returncode}")
    return done
